//! `midge demo`: a short story with the thermostat that comes with midge, told step by step.

use crate::args::Word;
use crate::ask::agreed;
use crate::context::Context;
use crate::failure::{Failure, Fault};
use crate::notices::standing;
use crate::output::Output;
use crate::place::adjusted;
use crate::progress::told;
use crate::safe;
use crate::save::Saver;
use crate::screen::{Style, wrap};
use crate::show::Show;
use crate::verbs::call::arguments;
use crate::verbs::{info, lists};
use midge_host::client::BoxFuture;
use midge_host::{Answers, CallOptions, Client, Closed, Command, How, Notice, Question, Reply, Target, Tool};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;

pub async fn run(context: &Context) -> Result<(), Failure> {
    let server = thermostat(&context.out)?;
    let out = &context.out;
    let story = Story { out, server: short(&server) };
    story.say("This starts a small server, a thermostat, as a process of its own and talks to it over its stdin and stdout.")?;
    story.say("One connection serves all steps; beside each stands the command that does the same alone.")?;
    let target = adjusted(Target::Process(Command::new(&server)), &context.options)?;
    let answers: Arc<dyn Answers> = Arc::new(Agreeable(Arc::clone(out)));
    let closed = context.at(&target, Some(answers), async |client| story.tell(client).await).await?;
    story.end(closed)
}

/// The server, which is built beside midge.
fn thermostat(out: &Output) -> Result<PathBuf, Failure> {
    let midge = std::env::current_exe()
        .map_err(|e| Failure::new(Fault::Reach, format!("where midge is, is not known: {e}")))?;
    let server = midge.with_file_name(format!("thermostat{}", std::env::consts::EXE_SUFFIX));
    if !server.is_file() {
        build(&server, out)?;
    }
    Ok(server)
}

const RELEASE: &[&str] = if cfg!(debug_assertions) { &[] } else { &["--release"] };

/// Builds the server, when it was cargo that started midge; otherwise says how to.
fn build(server: &Path, out: &Output) -> Result<(), Failure> {
    let words = [&["build", "--quiet"], RELEASE, &["--bin", "thermostat"]].concat();
    // Cargo tells what it runs where it is.
    if let (Some(cargo), Some(_)) = (std::env::var_os("CARGO"), std::env::var_os("CARGO_MANIFEST_DIR")) {
        out.note("building the server of the demo ...");
        let built = std::process::Command::new(cargo).args(&words).status();
        if built.is_ok_and(|status| status.success()) && server.is_file() {
            return Ok(());
        }
    }
    let command = [&["cargo", "build"], RELEASE, &["--bin", "thermostat"]].concat().join(" ");
    let message = format!("the demo's server `{}` is not there; build it: {command}", server.display());
    Err(Failure::new(Fault::Reach, message))
}

/// A path as one would type it here.
fn short(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize());
    let near = here.ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf));
    let text = near.unwrap_or_else(|| path.to_path_buf()).display().to_string();
    if text.contains(char::is_whitespace) { format!("'{text}'") } else { text }
}

struct Story<'o> {
    out: &'o Output,
    server: String,
}

impl Story<'_> {
    fn say(&self, text: &str) -> Result<(), Failure> {
        self.out.print(&wrap(text, "", self.out.stdout.width))
    }

    /// What happens next, and the command for it.
    fn step(&self, text: &str, command: &str) -> Result<(), Failure> {
        let screen = &self.out.stdout;
        let command = screen.paint(Style::Name, &format!("$ midge {command}"));
        self.out.print(&format!("\n{}{command}\n", wrap(&screen.paint(Style::Bold, text), "", screen.width)))
    }

    async fn tell(&self, client: &Client) -> Result<(), Failure> {
        self.meet(client).await?;
        let tools = client.tools().await?;
        let screen = &self.out.stdout;
        self.step(
            "What can it do? A * marks an argument that must be given.",
            &format!("tools {}", self.server),
        )?;
        self.out.print(&lists::tool_table(&tools, screen))?;
        let tool = |name: &str| {
            let found = tools.iter().find(|tool| tool.name == name);
            found.ok_or_else(|| Failure::new(Fault::Broken, format!("the thermostat has no tool `{name}`")))
        };
        self.step("Call a tool.", &format!("call read -- {}", self.server))?;
        self.call(client, tool("read")?, &[]).await?;
        let set_target = tool("set_target")?;
        self.step("Set something. The schema says that it is a number.", &self.set("22.5"))?;
        self.call(client, set_target, &["celsius=22.5"]).await?;
        self.step("What does not fit the schema is told before the server is asked.", &self.set("warm"))?;
        if let Err(failure) = self.call(client, set_target, &["celsius=warm"]).await {
            self.out.print(&format!("{}\n", failure.message))?;
        }
        self.step(
            "A server can ask back. On a terminal midge asks you; here the demo answers.",
            &self.set("31"),
        )?;
        self.call(client, set_target, &["celsius=31"]).await?;
        self.step("A long call tells how far it is.", &format!("call self_test -- {}", self.server))?;
        self.call(client, tool("self_test")?, &[]).await?;
        self.read(client).await
    }

    fn set(&self, celsius: &str) -> String {
        format!("call set_target celsius={celsius} -- {}", self.server)
    }

    async fn meet(&self, client: &Client) -> Result<(), Failure> {
        self.step("Who is there?", &format!("info {}", self.server))?;
        self.out.print(&info::shown(client.server(), &self.out.stdout))
    }

    async fn call(&self, client: &Client, tool: &Tool, words: &[&str]) -> Result<(), Failure> {
        let words: Result<Vec<Word>, String> = words.iter().map(|word| Word::parse(word)).collect();
        let words = words.map_err(Failure::usage)?;
        let arguments = arguments(tool, Map::new(), &words, false)?;
        let (progress, mut reports) = mpsc::unbounded_channel();
        let options = CallOptions { progress: Some(progress), ..CallOptions::default() };
        let call = client.call_tool(&tool.name, arguments, options);
        let mut notices = client.notices();
        let show = async {
            let mut before = String::new();
            loop {
                let line = tokio::select! {
                    report = reports.recv() => match report {
                        Some(report) => told(&tool.name, Some(&report)),
                        None => return Ok::<(), Failure>(()),
                    },
                    notice = notices.recv() => match notice {
                        Ok(Notice::Task { status, message, .. }) => {
                            format!("{} runs as a task: {}", tool.name, standing(&status, message.as_deref()))
                        }
                        _ => continue,
                    },
                };
                if line != before {
                    self.out.print(&format!("  {line}\n"))?;
                }
                before = line;
            }
        };
        let (result, shown) = tokio::join!(call, show);
        shown?;
        let mut show = Show::new(self.out, Saver::nowhere(), &tool.name);
        show.tool_result(&result?)?;
        show.print()
    }

    async fn read(&self, client: &Client) -> Result<(), Failure> {
        const KITCHEN: &str = "home://rooms/kitchen";
        self.step("Read a resource.", &format!("read {KITCHEN} -- {}", self.server))?;
        let result = client.read_resource(KITCHEN, CallOptions::default()).await?;
        let mut show = Show::new(self.out, Saver::nowhere(), KITCHEN);
        show.read_result(&result)?;
        show.print()?;
        self.step(
            "Get a prompt for a model.",
            &format!("get comfort room=kitchen tone=brief -- {}", self.server),
        )?;
        let words = [("room", "kitchen"), ("tone", "brief")];
        let arguments: BTreeMap<String, String> = words.map(|(key, value)| (key.into(), value.into())).into();
        let result = client.get_prompt("comfort", arguments, CallOptions::default()).await?;
        let mut show = Show::new(self.out, Saver::nowhere(), "comfort");
        show.prompt_result(&result)?;
        show.print()
    }

    fn end(&self, closed: Closed) -> Result<(), Failure> {
        let how = match closed.exit.map(|exit| exit.how) {
            Some(How::ByItself) => "its stdin was closed, and it ended by itself",
            _ => "it did not end by itself and was ended",
        };
        self.out.print("\n")?;
        self.say(&format!(
            "The connection is closed: {how}. Next: midge --help, and midge tools with a server of yours."
        ))
    }
}

/// Agrees to what is asked, and shows it.
struct Agreeable(Arc<Output>);

impl Answers for Agreeable {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let Question::Form { message, schema, server, .. } = question else {
            return Box::pin(async { Reply::Decline });
        };
        let reply = agreed(&schema).map_or(Reply::Decline, |content| {
            let shown = Value::Object(content.clone());
            let text = format!(
                "  The server {} asks: {}\n  The demo answers: {shown}\n",
                safe::line(&server),
                safe::line(&message)
            );
            // A story that nobody reads any more goes on to its end.
            let _ = self.0.print(&text);
            Reply::Accept(content)
        });
        Box::pin(async { reply })
    }
}

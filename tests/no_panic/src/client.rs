//! A client that makes every kind of request, and says what came of it, over C's two functions.

use crate::drive::Stream;
use crate::ffi;
use midge::client::{
    Asks, Body, Call, Client, Config, Ending, Event, Filter, Given, Options, PeerError, Question, Reference,
    Refusal, Storage, Stray,
};
use midge::io::blocking::{receive_client, send_client};
use midge::json::view::Members;
use midge::json::{Raw, Writer};
use midge::proto::read::{self, Block, Completion, Hello, PromptInfo, ResourceInfo, ToolInfo, ToolResult};
use midge::session::rows::List;
use midge::sink::{Buf, Fill, Sink};
use midge::{Can, Error, Info, Kind, Level, Millis};

const ME: Info = Info { title: "A client", ..Info::new("client", "1.0") };
const CAN: Can =
    Can::ELICIT.and(Can::ELICIT_URL).and(Can::SAMPLE_WITH_TOOLS).and(Can::LIST_ROOTS).and(Can::TASKS);

/// Talks to the server whose lines the input holds, until it ends.
pub fn talk() -> Result<(), Error> {
    let (mut rx, mut tx, mut park, mut meta) = ([0; 1024], [0; 8192], [0; 4096], [0; 512]);
    let mut calls = [Call::FREE; 12];
    let storage = Storage {
        rx: Buf::from(&mut rx),
        tx: Buf::from(&mut tx),
        calls: &mut calls,
        park: &mut park,
        meta: &mut meta,
    };
    let mut client = Client::new(&ME, CAN, storage, Config::default())?;
    let mut stream = Stream;
    loop {
        let (connected, asked) = match client.poll(Millis(ffi::now_ms())) {
            Event::Ended => return Ok(()),
            Event::Send => {
                send_client(&mut client, &mut stream)?;
                continue;
            }
            Event::Idle => {
                receive_client(&mut client, &mut stream)?;
                continue;
            }
            Event::Connected { said, .. } => {
                hello(Hello::of(said.members()));
                (true, None)
            }
            Event::Asked(question) => (false, Some(asked(question))),
            event => {
                tell(event);
                (false, None)
            }
        };
        if connected {
            requests(&mut client);
        }
        if let Some((id, kind)) = asked {
            let given = match kind {
                Asks::Form => Given::Accept(json(b"{\"name\":\"Ada\"}")),
                Asks::Url => Given::Decline,
                Asks::Sample => {
                    Given::Result(json(b"{\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}"))
                }
                Asks::Roots => Given::Error(-32603, "there are none"),
            };
            note(&["answered"], client.answer(id, given).err());
        }
    }
}

fn json(text: &'static [u8]) -> Raw<'static> {
    Raw::new(text).unwrap_or(Raw::scanned(b"{}"))
}

fn requests(client: &mut Client<'_>) {
    let all = Options {
        timeout_ms: 50_000,
        max_ms: 100_000,
        progress: true,
        progress_extends: true,
        log_level: Some(Level::Info),
        task_ms: None,
        slices: true,
        meta: Some(json(b"{\"traceparent\":\"00-1\"}")),
    };
    let filter = Filter { tools: true, prompts: true, resources: true, uris: &["a:b"] };
    let given = [
        client.call_tool("t", json(b"{\"a\":1}"), all).err(),
        client.call_tool("task", json(b"{}"), Options { task_ms: Some(1000), ..all }).err(),
        client.get_prompt("p", &[("x", "y")], Options::default()).err(),
        client.read_resource("a:b", Options::default()).err(),
        client.list(List::Tools, Options::default()).err(),
        client.complete(Reference::Prompt("p"), ("x", "y"), &[("z", "w")], Options::default()).err(),
        client.ping(Options::default()).err(),
        client.set_level(Level::Error, Options::default()).err(),
        client.subscribe("a:b", true, Options::default()).err(),
        client.listen(filter).err(),
        client.notify("notifications/roots/list_changed", |_| {}).err(),
    ];
    for error in given {
        note(&["requested"], error);
    }
    if let Ok(ticket) = client.request("x/y", Options::default(), |w| w.member("k", "v")) {
        note(&["cancelled"], client.cancel(ticket).err());
    }
}

fn asked(question: Question<'_>) -> (midge::client::QuestionId, Asks) {
    let (id, kind) = (question.id, question.kind);
    note(&["asked ", question.params.members().text("message").unwrap_or("")], None);
    (id, kind)
}

fn hello(hello: Hello<'_>) {
    let (name, version) = hello.name_and_version();
    note(&["connected ", name, " ", version, " ", hello.instructions().unwrap_or("")], None);
}

fn tell(event: Event<'_>) {
    match event {
        Event::Refused(Refusal::Error(error)) => said("refused", error.body),
        Event::Refused(Refusal::Revision(body)) => said("no revision", body),
        Event::Refused(Refusal::Invalid(words)) => note(&["refused ", words], None),
        Event::Refused(Refusal::NoRoom(error)) => note(&["refused"], Some(error)),
        Event::Refused(_) => note(&["refused"], None),
        Event::Done(_, ending) => done(ending),
        Event::Page(_, page) => list(page.members()),
        Event::Slice(_, slice) => note(&["slice ", core::str::from_utf8(slice).unwrap_or("?")], None),
        Event::Progress(_, body) => said("progress", body),
        Event::Task(_, body) => said("task", body),
        Event::Listening(_, body) => said("listening", body),
        Event::Log(body) => said("log", body),
        Event::Updated(body) => said("updated", body),
        Event::Notified(method, params) => {
            note(&["notified ", method.text().unwrap_or("")], None);
            said("with", params);
        }
        Event::Changed(_) => note(&["changed"], None),
        Event::Withdrawn(_) => note(&["withdrawn"], None),
        Event::Stray(Stray::Error(PeerError { body, .. })) => said("stray", body),
        Event::Stray(Stray::Broken(_, error)) => note(&["broken"], Some(error)),
        Event::Stray(Stray::Line(line)) => note(&["line ", core::str::from_utf8(line).unwrap_or("?")], None),
        Event::Stray(_) => note(&["stray"], None),
        _ => note(&["other"], None),
    }
}

fn done(ending: Ending<'_>) {
    match ending {
        Ending::Result(body) => result(body.members()),
        Ending::Sliced => note(&["sliced"], None),
        Ending::Error(error) if error.is_not_found() => note(&["not found"], None),
        Ending::Error(error) => said("error", error.body),
        Ending::Failed(why) => note(&["failed ", why.phrase()], None),
    }
}

fn result(result: Members<'_>) {
    list(result);
    let tool = ToolResult::of(result);
    note(&[if tool.is_error() { "failed" } else { "done" }], None);
    for block in tool.content() {
        block_of(block);
    }
    for contents in read::contents(result) {
        note(&[contents.uri(), contents.mime(), contents.text().or(contents.blob()).unwrap_or("")], None);
    }
    for (role, block) in read::messages(result) {
        note(&["by ", role], None);
        block_of(block);
    }
    let completion = Completion::of(result);
    for value in completion.values() {
        note(&["value ", value, if completion.has_more() { "…" } else { "" }], None);
    }
    if let Some(value) = tool.structured() {
        print(|w| w.value(value));
    }
}

fn block_of(block: Block<'_>) {
    match block {
        Block::Text(text) => note(&["text ", text], None),
        Block::Image(data, mime) | Block::Audio(data, mime) => note(&[mime, " ", data], None),
        Block::Resource(contents) => note(&["resource ", contents.uri()], None),
        Block::Link(to) => note(&["link ", to.uri(), to.title(), to.about(), to.mime()], None),
        Block::Other(members) => note(&["other ", members.text("type").unwrap_or("")], None),
    }
}

fn list(page: Members<'_>) {
    for tool in read::entries(page, "tools").map(ToolInfo::of) {
        note(
            &["tool ", tool.name(), tool.title(), tool.about(), if tool.is_read_only() { "r" } else { "" }],
            None,
        );
        print(|w| w.value(tool.output_schema().unwrap_or(tool.input_schema())));
    }
    for one in read::entries(page, "resources").map(ResourceInfo::of) {
        note(&["resource ", one.uri(), if one.bytes().is_some() { "sized" } else { "" }], None);
    }
    for prompt in read::entries(page, "prompts").map(PromptInfo::of) {
        note(&["prompt ", prompt.name(), prompt.title(), prompt.about()], None);
        for (name, about, required) in prompt.arguments() {
            note(&[name, about, if required { "*" } else { "" }], None);
        }
    }
}

fn said(what: &str, body: Body<'_>) {
    note(&[what], None);
    let value = body.softened();
    print(|w| w.value(value));
}

fn note(words: &[&str], error: Option<Error>) {
    print(|w| {
        for word in words {
            w.put(word.as_bytes());
        }
        if let Some(error) = error {
            w.put(b": ");
            w.put(error.kind.phrase().as_bytes());
        }
    });
}

fn print(write: impl FnOnce(&mut Writer<'_>)) {
    let (mut room, mut fill) = ([0; 4096], Fill::default());
    let mut w = Writer::new(Sink::new(Buf::from(&mut room), &mut fill, None));
    w.put(b"# ");
    write(&mut w);
    w.put(b"\n");
    let len = w.sink().total();
    let _ = ffi::write(room.get(..len).unwrap_or(b"# too long\n")).ok_or(Kind::Stream);
}

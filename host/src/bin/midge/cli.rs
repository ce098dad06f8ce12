//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use midge::{Level, Revision};
use midge_host::Era;
use std::path::PathBuf;
use std::time::Duration;

const ABOUT: &str =
    "Talks to any server of the Model Context Protocol: lists what it offers, calls, reads, watches.";

const LONG_ABOUT: &str = "\
Talks to any server of the Model Context Protocol: lists what it offers, calls, reads, watches.

A TARGET says where the server is:
  a command line      starts it as a process and talks over its stdin and stdout
  tcp:HOST:PORT       connects to a TCP socket
  unix:PATH           connects to a unix socket

Options of midge stand before the TARGET; what follows its first word belongs to the server. Verbs that have words of \
their own (call, read, get, complete) take the TARGET after `--`. With --config and --server no TARGET is needed.";

const EXAMPLES: &str = "\
Examples:
  midge demo                                              a walk through a small server
  midge tools npx -y @modelcontextprotocol/server-everything
  midge call echo message=hello -- npx -y @modelcontextprotocol/server-everything
  midge --config mcp.json --server files read file:///tmp/notes.txt
  midge --json tools tcp:127.0.0.1:7777 | jq -r '.tools[].name'
";

const CODES: &str = "\
Exit codes:
    0  done
    1  the server or the tool answered with an error
    2  the command line or an argument is wrong
    3  the server cannot be started or reached, or refuses to begin
    4  no answer in time
    5  the server broke the protocol or ended
  130  interrupted
";

/// The whole command line.
#[derive(Parser, Debug)]
#[command(name = "midge", version, about = ABOUT, long_about = LONG_ABOUT, max_term_width = 110)]
#[command(after_help = format!("{EXAMPLES}\n{CODES}"), subcommand_value_name = "VERB", subcommand_help_heading = "Verbs")]
#[command(arg_required_else_help = true, disable_help_subcommand = true, infer_long_args = false)]
pub struct Cli {
    #[command(flatten)]
    pub options: Options,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Options of every verb.
#[derive(Args, Clone, Debug, Default)]
pub struct Options {
    /// Read servers from this file, the mcpServers JSON of desktop hosts
    #[arg(short, long, global = true, value_name = "FILE", env = "MIDGE_CONFIG", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Server", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// Talk to this server of the file
    #[arg(short, long, global = true, value_name = "NAME", help_heading = "Server")]
    pub server: Option<String>,
    /// Set an environment variable of the server's process; can be repeated
    #[arg(short, long, global = true, value_name = "KEY=VALUE", help_heading = "Server")]
    pub env: Vec<String>,
    /// Start the server in this directory
    #[arg(long, global = true, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Server")]
    pub cwd: Option<PathBuf>,
    /// What becomes of what the server writes to stderr
    #[arg(long, global = true, value_enum, value_name = "WHAT", default_value_t, help_heading = "Server")]
    pub stderr: Stderr,
    /// A directory the server may work in; can be repeated
    #[arg(long = "root", global = true, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Server")]
    pub roots: Vec<PathBuf>,
    /// Which revisions to speak: auto, handshake, modern, or a date such as 2025-11-25
    #[arg(long, global = true, value_name = "ERA", value_parser = era, default_value = "auto", help_heading = "Connection")]
    pub era: EraChoice,
    /// How long connecting, and every request, may take without progress [default: 30 and 60]
    #[arg(short, long, global = true, value_name = "SECONDS", value_parser = seconds, help_heading = "Connection")]
    pub timeout: Option<Duration>,
    /// How long connecting may take [default: as --timeout]
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds, help_heading = "Connection")]
    pub connect_timeout: Option<Duration>,
    /// Print one JSON document (watch: one on each line); failures too, as {"error": …}
    #[arg(short, long, global = true, help_heading = "Output")]
    pub json: bool,
    /// Write nothing to stderr but errors
    #[arg(short, long, global = true, help_heading = "Output")]
    pub quiet: bool,
    /// Ask for log messages of this level and above, and show them: debug, info, notice, warning, error, …
    #[arg(long, global = true, value_name = "LEVEL", value_parser = level, help_heading = "Output")]
    pub log: Option<Level>,
    /// Answer the server's questions with yes and with their defaults
    #[arg(short, long, global = true, conflicts_with = "no_input", help_heading = "Questions")]
    pub yes: bool,
    /// Do not let the server ask anything
    #[arg(long, global = true, help_heading = "Questions")]
    pub no_input: bool,
}

/// The target of verbs that have no other words.
#[derive(Args, Clone, Debug)]
pub struct Whole {
    /// The server: a command line, tcp:HOST:PORT or unix:PATH
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "TARGET", value_hint = ValueHint::CommandWithArguments)]
    pub target: Vec<String>,
}

/// The target of verbs that have words of their own.
#[derive(Args, Clone, Debug)]
pub struct Last {
    /// The server: a command line, tcp:HOST:PORT or unix:PATH
    #[arg(last = true, allow_hyphen_values = true, value_name = "TARGET")]
    pub target: Vec<String>,
}

/// Where pictures, sound and other bytes go.
#[derive(Args, Clone, Debug, Default)]
pub struct Save {
    /// Save bytes to this file or into this directory; - writes them to stdout
    #[arg(short, long, value_name = "FILE|DIR", value_hint = ValueHint::AnyPath)]
    pub out: Option<PathBuf>,
    /// Overwrite the file that --out names
    #[arg(short, long, requires = "out")]
    pub force: bool,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Verb {
    /// Show what the server says about itself
    #[command(after_help = "Example:\n  midge info python3 -m mcp_server_time")]
    Info {
        #[command(flatten)]
        at: Whole,
    },
    /// List the tools, and how each is called (* marks arguments that are required)
    #[command(after_help = "Example:\n  midge tools --long npx -y @modelcontextprotocol/server-everything")]
    Tools {
        #[command(flatten)]
        list: List,
        #[command(flatten)]
        at: Whole,
    },
    /// List the resources and resource templates
    #[command(after_help = "Example:\n  midge resources unix:/run/thermostat.sock")]
    Resources {
        #[command(flatten)]
        list: List,
        #[command(flatten)]
        at: Whole,
    },
    /// List the prompts and their arguments (* marks those that are required)
    #[command(after_help = "Example:\n  midge --config mcp.json --server home prompts")]
    Prompts {
        #[command(flatten)]
        list: List,
        #[command(flatten)]
        at: Whole,
    },
    /// Call a tool
    #[command(after_help = CALL)]
    Call(Call),
    /// Read a resource
    #[command(
        after_help = "Example:\n  midge read home://rooms/kitchen -- thermostat\n  midge read --out . file:///tmp/photo.png -- mcp-files /tmp"
    )]
    Read {
        /// Its URI
        uri: String,
        #[command(flatten)]
        save: Save,
        #[command(flatten)]
        at: Last,
    },
    /// Get a prompt with its arguments filled in
    #[command(after_help = "Example:\n  midge get comfort room=kitchen tone=brief -- thermostat")]
    Get {
        /// The prompt's name
        prompt: String,
        /// Its arguments; KEY=@FILE reads a file
        #[arg(value_name = "KEY=VALUE")]
        words: Vec<String>,
        #[command(flatten)]
        save: Save,
        #[command(flatten)]
        at: Last,
    },
    /// Let the server complete the value of an argument
    #[command(
        after_help = "Example:\n  midge complete prompt comfort room=ki -- thermostat\n  midge complete resource 'home://rooms/{room}' room=li -- thermostat"
    )]
    Complete {
        /// Whose argument it is
        kind: Kind,
        /// The prompt's name, or the resource template's URI
        name: String,
        /// The argument, and the beginning of its value
        #[arg(value_name = "ARG=PREFIX")]
        argument: String,
        /// Arguments that are known already
        #[arg(value_name = "KEY=VALUE")]
        context: Vec<String>,
        #[command(flatten)]
        at: Last,
    },
    /// Show changes and log messages as they come, until Ctrl-C
    #[command(after_help = "Example:\n  midge watch --uri home://status tcp:thermostat.local:7777")]
    Watch(WatchArgs),
    /// Walk through a small server: the thermostat that comes with midge
    #[command(after_help = "Example:\n  midge demo")]
    Demo,
    /// Print completions for a shell
    #[command(
        after_help = "Example:\n  midge completions bash > ~/.local/share/bash-completion/completions/midge"
    )]
    Completions {
        /// Which shell
        shell: Shell,
    },
}

const CALL: &str = "\
Values are typed by the tool's schema, and checked before they are sent:
  celsius=21.5          a number, a text, true or false: whatever the schema says
  tags=a tags=b         a list, item by item
  room.name=kitchen     a value inside an object; doors.0.open=true inside a list
  note=@note.txt        the text of a file; @- is stdin, @@x is the text @x
  filter:='{\"a\":1}'     JSON as it is; filter:=@filter.json from a file

Example:
  midge call set_target celsius=21.5 -- thermostat
  midge call set_target --args '{\"celsius\": 21.5}' -- thermostat";

/// How a list is shown.
#[derive(Args, Clone, Debug, Default)]
pub struct List {
    /// Show everything about each: whole descriptions, arguments with their types
    #[arg(short, long)]
    pub long: bool,
}

/// `call`.
#[derive(Args, Clone, Debug)]
pub struct Call {
    /// The tool's name
    pub tool: String,
    /// Its arguments
    #[arg(value_name = "KEY=VALUE")]
    pub words: Vec<String>,
    /// All arguments as a JSON object; @FILE reads it from a file, - from stdin
    #[arg(short, long, value_name = "JSON", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// Send the arguments even if they do not fit the tool's schema
    #[arg(long)]
    pub no_check: bool,
    /// Run it as a task that the server keeps for so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub task: Option<Duration>,
    #[command(flatten)]
    pub save: Save,
    #[command(flatten)]
    pub at: Last,
}

/// `watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArgs {
    /// Watch this resource too; can be repeated
    #[arg(short, long = "uri", value_name = "URI")]
    pub uris: Vec<String>,
    /// End after so many events
    #[arg(short = 'n', long, value_name = "N")]
    pub count: Option<u64>,
    /// End after so many seconds
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub period: Option<Duration>,
    #[command(flatten)]
    pub at: Whole,
}

/// What becomes of a server's stderr.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stderr {
    /// Shown as it comes
    Inherit,
    /// Never shown
    Hide,
    /// Its end is shown when something goes wrong
    #[default]
    OnError,
}

/// Whose argument is completed.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A prompt's
    Prompt,
    /// A resource template's
    Resource,
}

/// `--era`, with a default of its own for clap.
#[derive(Clone, Copy, Debug, Default)]
pub struct EraChoice(pub Era);

fn era(text: &str) -> Result<EraChoice, String> {
    let era = match text {
        "auto" => Era::Auto,
        "handshake" => Era::Handshake,
        "modern" => Era::Modern,
        date => Era::Exactly(Revision::named(date).ok_or_else(|| {
            let names: Vec<&str> =
                midge::proto::revision::ALL.iter().map(|revision| revision.name()).collect();
            format!("write auto, handshake, modern, or a revision: {}", names.join(", "))
        })?),
    };
    Ok(EraChoice(era))
}

fn level(text: &str) -> Result<Level, String> {
    Level::named(text)
        .ok_or_else(|| "write debug, info, notice, warning, error, critical, alert or emergency".to_owned())
}

/// The longest time that is taken: more than that is a mistake, or meant to be for ever.
const LONGEST_S: f64 = 366.0 * 86_400.0;

fn seconds(text: &str) -> Result<Duration, String> {
    match text.parse::<f64>() {
        Ok(n) if n > 0.0 && n <= LONGEST_S => Ok(Duration::from_secs_f64(n)),
        _ => Err("write a number of seconds, such as 5 or 0.5".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parsed(line: &str) -> Cli {
        Cli::try_parse_from(line.split(' ')).unwrap_or_else(|e| panic!("{line}: {e}"))
    }

    fn refused(line: &str) -> String {
        Cli::try_parse_from(line.split(' ')).unwrap_err().to_string()
    }

    #[test]
    fn is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_stand_before_the_target() {
        for line in [
            "midge --json tools npx -y server --json",
            "midge tools --json npx -y server --json",
            "midge tools --json -- npx -y server --json",
        ] {
            let cli = parsed(line);
            let Verb::Tools { at, .. } = cli.verb else { panic!("{line}") };
            assert!(cli.options.json);
            assert_eq!(at.target, ["npx", "-y", "server", "--json"]);
        }
        let cli = parsed("midge tools npx --json -q");
        assert!(!cli.options.json && !cli.options.quiet, "they belong to the server");
    }

    #[test]
    fn calls_take_the_target_after_two_dashes() {
        let cli = parsed("midge call -q set_target celsius=-5 --timeout 2.5 -- node server.js --quiet");
        assert!(cli.options.quiet);
        assert_eq!(cli.options.timeout, Some(Duration::from_millis(2500)));
        let Verb::Call(call) = cli.verb else { panic!() };
        assert_eq!(call.tool, "set_target");
        assert_eq!(call.words, ["celsius=-5"]);
        assert_eq!(call.at.target, ["node", "server.js", "--quiet"]);
        let Verb::Call(call) = parsed("midge call echo --args - -- server").verb else { panic!() };
        assert_eq!(call.args.as_deref(), Some("-"));
    }

    #[test]
    fn values_are_checked() {
        assert!(refused("midge --era 2025-01-01 info x").contains("2026-07-28"));
        for wrong in ["0", "-1", "NaN", "1e30", "soon"] {
            assert!(refused(&format!("midge --timeout={wrong} info x")).contains("seconds"), "{wrong}");
        }
        assert!(refused("midge --log loud info x").contains("emergency"));
        assert!(refused("midge --yes --no-input info x").contains("cannot be used"));
        assert!(matches!(parsed("midge --era modern info x").options.era.0, Era::Modern));
    }
}

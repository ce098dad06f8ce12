//! Which server is meant.

use crate::cli::{Options, Stderr};
use crate::failure::Failure;
use crate::near;
use clap::CommandFactory;
use midge_host::{Command, Config, Target};
use std::path::Path;

/// A server to connect to.
#[derive(Debug)]
pub struct Place {
    pub target: Target,
    /// What the user calls it.
    pub name: Option<String>,
}

impl Place {
    /// Finds the server that `words` and `options` name.
    ///
    /// # Errors
    /// None is named, or two, or it is not in the file.
    pub fn find(words: &[String], options: &Options) -> Result<Self, Failure> {
        let (target, name) = match (words, &options.config, &options.server) {
            ([], Some(file), name) => listed(file, name.as_deref())?,
            ([], None, Some(name)) => {
                return Err(Failure::usage(format!("--server {name} needs the --config FILE that names it")));
            }
            ([], None, None) => return Err(Failure::usage(NONE)),
            (_, _, Some(name)) => {
                return Err(Failure::usage(format!(
                    "--server {name} and the target `{}`: name one server",
                    words.join(" ")
                )));
            }
            (words, _, None) => (Target::parse(not_an_option(words)?)?, None),
        };
        Ok(Self { target: adjusted(target, options)?, name })
    }
}

const NONE: &str = "no server is named: write its command line, tcp:HOST:PORT or unix:PATH \
    (after `--` for call, read, get and complete), or use --config FILE --server NAME";

fn listed(file: &Path, name: Option<&str>) -> Result<(Target, Option<String>), Failure> {
    let config = Config::read(file)?;
    let names: Vec<&str> = config.servers.keys().map(String::as_str).collect();
    let name = match (name, names.as_slice()) {
        (Some(name), _) => name,
        (None, [one]) => one,
        (None, _) => {
            let names = names.join(", ");
            return Err(Failure::usage(format!(
                "{}: say which server with --server: {names}",
                file.display()
            )));
        }
    };
    Ok((config.target(name)?, Some(name.to_owned())))
}

/// A target that begins with a dash is a mistyped option of midge.
fn not_an_option(words: &[String]) -> Result<&[String], Failure> {
    let Some(word) = words.first().filter(|word| word.starts_with('-')) else { return Ok(words) };
    let command = crate::cli::Cli::command();
    let names: Vec<String> =
        command.get_arguments().filter_map(|arg| arg.get_long()).map(|long| format!("--{long}")).collect();
    let name = word.split('=').next().unwrap_or(word);
    let hint = near::hint(name, names.iter().map(String::as_str));
    Err(Failure::usage(format!("there is no option `{name}` here{hint}")))
}

/// The options that change how a process is started.
pub fn adjusted(target: Target, options: &Options) -> Result<Target, Failure> {
    let Target::Process(command) = target else {
        if !options.env.is_empty() || options.cwd.is_some() {
            return Err(Failure::usage("--env and --cwd are for servers that midge starts, not for sockets"));
        }
        return Ok(target);
    };
    let mut command = command.stderr(match options.stderr {
        Stderr::Inherit => midge_host::Stderr::Inherit,
        Stderr::Hide => midge_host::Stderr::Null,
        Stderr::OnError => midge_host::Stderr::Capture,
    });
    for word in &options.env {
        command = with_variable(command, word)?;
    }
    if let Some(dir) = &options.cwd {
        command = command.cwd(dir);
    }
    Ok(Target::Process(command))
}

fn with_variable(command: Command, word: &str) -> Result<Command, Failure> {
    match word.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok(command.env(key, value)),
        _ => Err(Failure::usage(format!("--env {word}: write KEY=VALUE"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn wrong(line: &str, options: &Options) -> String {
        Place::find(&words(line), options).unwrap_err().message
    }

    #[test]
    fn words_name_the_server() {
        let options = Options { env: words("A=1 B="), cwd: Some("/tmp".into()), ..Options::default() };
        let Target::Process(command) = Place::find(&words("node server.js -q"), &options).unwrap().target
        else {
            panic!()
        };
        assert_eq!((command.program, command.args.len()), ("node".into(), 2));
        assert_eq!(command.env, [("A".into(), "1".into()), ("B".into(), "".into())]);
        assert_eq!(command.cwd.as_deref(), Some(Path::new("/tmp")));
        let tcp = Place::find(&words("tcp:127.0.0.1:7"), &Options::default()).unwrap().target;
        assert!(matches!(tcp, Target::Tcp { port: 7, .. }));
    }

    #[test]
    fn says_what_is_missing() {
        let none = Options::default();
        assert!(wrong("", &none).contains("after `--`"));
        assert!(wrong("--jsn npx", &none).contains("did you mean `--json`?"));
        assert!(wrong("", &Options { server: Some("x".into()), ..none.clone() }).contains("--config"));
        assert!(wrong("npx", &Options { server: Some("x".into()), ..none.clone() }).contains("one server"));
        assert!(wrong("npx", &Options { env: words("A"), ..none.clone() }).contains("KEY=VALUE"));
        assert!(wrong("tcp:a:1", &Options { env: words("A=1"), ..none }).contains("sockets"));
    }

    #[test]
    fn files_name_servers() {
        let file = std::env::temp_dir().join(format!("midge-place-{}.json", std::process::id()));
        let named = |server: Option<&str>| Options {
            config: Some(file.clone()),
            server: server.map(str::to_owned),
            ..Options::default()
        };
        std::fs::write(&file, r#"{"mcpServers": {"home": {"command": "thermostat"}}}"#).unwrap();
        assert_eq!(Place::find(&[], &named(None)).unwrap().name.as_deref(), Some("home"));
        std::fs::write(&file, r#"{"mcpServers": {"a": {"command": "x"}, "b": {"command": "y"}}}"#).unwrap();
        assert!(wrong("", &named(None)).ends_with("--server: a, b"));
        assert!(
            matches!(Place::find(&[], &named(Some("b"))).unwrap().target, Target::Process(c) if c.program == "y")
        );
        assert!(wrong("", &named(Some("c"))).contains("`c`"));
        std::fs::remove_file(&file).unwrap();
    }
}

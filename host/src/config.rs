//! The `mcpServers` file of desktop hosts.
//!
//! ```json
//! { "mcpServers": { "files": { "command": "npx", "args": ["-y", "server-filesystem", "${HOME}/notes"] } } }
//! ```
//!
//! `servers` in the place of `mcpServers` is read as well. `${NAME}`, `${env:NAME}` and `${NAME:-otherwise}` in
//! `command`, `args`, `env`, `cwd` and `url` stand for variables of this process's environment. A relative `cwd` or
//! command starts from where this process runs.

mod entry;
mod expand;

use std::env;
use std::fs;
use std::path::Path;

use indexmap::IndexMap;
use serde_json::{Map, Value};

pub use entry::Entry;

use crate::error::Error;
use crate::target::Target;

/// The servers of such a file, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The servers by their names.
    pub servers: IndexMap<String, Entry>,
}

impl Config {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// [`Error::Config`] names the file and what is wrong where.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let told = |what: &str| Error::Config(format!("{}: {what}", path.display()));
        let text = fs::read_to_string(path).map_err(|e| told(&e.to_string()))?;
        read(&text).map_err(|e| told(&e))
    }

    /// Reads the text of such a file.
    ///
    /// # Errors
    /// [`Error::Config`] says what is wrong where.
    pub fn parse(text: &str) -> Result<Self, Error> {
        read(text).map_err(Error::Config)
    }

    /// Where the server of that name is, its variables filled in.
    ///
    /// # Errors
    /// [`Error::Config`] names the server and the field: there is no such server, it is disabled, a variable is not
    /// set, or it is reached in a way that is not supported.
    pub fn target(&self, name: &str) -> Result<Target, Error> {
        self.target_with(name, &|variable| env::var(variable).ok())
    }

    /// As [`target`](Self::target), with variables from elsewhere.
    ///
    /// # Errors
    /// As [`target`](Self::target).
    pub fn target_with(
        &self,
        name: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Target, Error> {
        let Some(entry) = self.servers.get(name) else {
            let names: Vec<&str> = self.servers.keys().map(String::as_str).collect();
            return Err(Error::Config(match names.as_slice() {
                [] => format!("there is no server `{name}`: the file names none"),
                names => format!("there is no server `{name}`: the file names {}", names.join(", ")),
            }));
        };
        entry.target(variable).map_err(|what| Error::Config(format!("server `{name}`: {what}")))
    }
}

fn read(text: &str) -> Result<Config, String> {
    // Editors on Windows put a byte order mark before the text.
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let whole: Value = serde_json::from_str(text).map_err(|e| format!("this is not JSON: {e}"))?;
    let mut servers = IndexMap::new();
    for (name, value) in list(&whole)? {
        let entry = Entry::read(value).map_err(|what| format!("server `{name}`: {what}"))?;
        servers.insert(name.clone(), entry);
    }
    Ok(Config { servers })
}

fn list(whole: &Value) -> Result<&Map<String, Value>, String> {
    let found = ["mcpServers", "servers"].into_iter().find_map(|key| Some((key, whole.get(key)?)));
    match found {
        Some((_, Value::Object(servers))) => Ok(servers),
        Some((key, other)) => Err(format!("`{key}` is to be an object, not {}", entry::kind(other))),
        None => Err("there is neither `mcpServers` nor `servers` in it".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        Some(match name {
            "HOME" => "/home/ann".into(),
            "EMPTY" => String::new(),
            _ => return None,
        })
    }

    fn target(server: &str) -> Result<Target, String> {
        let text = format!(r#"{{"mcpServers":{{"one":{server}}}}}"#);
        let config = Config::parse(&text).map_err(|e| e.to_string())?;
        config.target_with("one", &variable).map_err(|e| e.to_string())
    }

    #[test]
    fn a_process_is_read_with_its_variables() {
        let server = r#"{"command":"${HOME}/bin/x","args":["-a","${env:HOME}","${NO:-or ${x}","$HOME","${EMPTY}"],
            "env":{"A":"${HOME}!","B":7,"C":true},"cwd":"${HOME}","type":"stdio","autoApprove":["x"]}"#;
        let Ok(Target::Process(c)) = target(server) else { panic!("no process") };
        assert_eq!(c.program, "/home/ann/bin/x");
        assert_eq!(c.args, ["-a", "/home/ann", "or ${x", "$HOME", ""]);
        let env: Vec<_> = c.env.iter().map(|(k, v)| (k.to_str().unwrap(), v.to_str().unwrap())).collect();
        assert_eq!(env, [("A", "/home/ann!"), ("B", "7"), ("C", "true")]);
        assert_eq!(c.cwd.as_deref(), Some(Path::new("/home/ann")));
    }

    #[test]
    fn the_other_spelling_keeps_the_order() {
        let text = "\u{FEFF}{\"servers\":{\"z\":{\"command\":\"a\"},\"b\":{\"command\":\"c\"},\"a\":{\"command\":\"d\"}}}";
        let config = Config::parse(text).unwrap();
        assert_eq!(config.servers.keys().collect::<Vec<_>>(), ["z", "b", "a"]);
        let told = config.target("q").unwrap_err().to_string();
        assert_eq!(told, "there is no server `q`: the file names z, b, a");
    }

    #[test]
    fn sockets_may_stand_in_the_url() {
        assert_eq!(target(r#"{"url":"tcp:localhost:${NO:-7}"}"#).unwrap().to_string(), "tcp:localhost:7");
    }

    #[test]
    fn errors_name_server_and_field() {
        for (server, told) in [
            ("7", "server `one`: it is to be an object, not a number"),
            ("{}", "server `one`: there is no `command`"),
            (r#"{"command":["a"]}"#, "server `one`: `command` is to be a string, not an array"),
            (r#"{"command":""}"#, "server `one`: `command` is empty"),
            (r#"{"command":"a","args":"b"}"#, "server `one`: `args` is to be an array, not a string"),
            (r#"{"command":"a","args":["b",3]}"#, "server `one`: `args[1]` is to be a string, not a number"),
            (r#"{"command":"a","env":[]}"#, "server `one`: `env` is to be an object, not an array"),
            (r#"{"command":"a","env":{"K":{}}}"#, "server `one`: `env.K` is to be a string, not an object"),
            (r#"{"command":"a","env":{"K=":"v"}}"#, "server `one`: `env.K=` is no name of a variable"),
            (
                r#"{"command":"a","disabled":1}"#,
                "server `one`: `disabled` is to be true or false, not a number",
            ),
            (r#"{"command":"a","disabled":true}"#, "server `one`: it is disabled in the file"),
            (r#"{"command":"a","args":["${NO}"]}"#, "server `one`: `args[0]`: the variable `NO` is not set"),
            (
                r#"{"command":"a","cwd":"${input:x}"}"#,
                "server `one`: `cwd`: `${input:x}` is known to the editor",
            ),
            (r#"{"command":"a","cwd":"${HOME"}"#, "server `one`: `cwd`: a `${` has no end"),
            (r#"{"type":"http","url":"https://x/mcp"}"#, "server `one`: it is reached over HTTP (`url`)"),
            (r#"{"url":"tcp:x"}"#, "server `one`: `url`: `tcp:x` is no address"),
            (r#"{"type":"pigeon","command":"a"}"#, "server `one`: `type` `pigeon` is not known"),
        ] {
            let got = target(server).unwrap_err();
            assert!(got.starts_with(told), "{server}\n got {got}\nwant {told}");
        }
    }

    #[test]
    fn what_is_no_such_file_is_told_with_its_place() {
        for (text, told) in [
            ("{\"mcpServers\":{\n  \"a\": {},\n}}", "this is not JSON: trailing comma at line 3 column 1"),
            ("{}", "there is neither `mcpServers` nor `servers` in it"),
            ("[]", "there is neither `mcpServers` nor `servers` in it"),
            (r#"{"mcpServers":[]}"#, "`mcpServers` is to be an object, not an array"),
        ] {
            assert_eq!(Config::parse(text).unwrap_err().to_string(), told);
        }
        let told = Config::read("no/such.json").unwrap_err().to_string();
        assert!(told.starts_with("no/such.json: "), "{told}");
    }
}

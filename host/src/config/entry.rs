//! One server of the file.

use std::fmt;

use indexmap::IndexMap;
use serde_json::{Map, Value};

use super::expand::expand;
use crate::target::{Command, Target};

/// A server as the file has it, its variables not yet filled in.
///
/// Its `Debug` text names the variables of its environment and hides their values.
#[derive(Clone, Default, PartialEq)]
pub struct Entry {
    /// The program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables to set.
    pub env: IndexMap<String, String>,
    /// The directory it runs in.
    pub cwd: Option<String>,
    /// Where it is when it is no process.
    pub url: Option<String>,
    /// How it is reached, when the file says so: `stdio`, `http`, `sse`.
    pub kind: Option<String>,
    /// Whether it is not to be used.
    pub disabled: bool,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { command, args, env, cwd, url, kind, disabled } = self;
        f.debug_struct("Entry")
            .field("command", command)
            .field("args", args)
            .field("env", &env.keys().collect::<Vec<_>>())
            .field("cwd", cwd)
            .field("url", url)
            .field("kind", kind)
            .field("disabled", disabled)
            .finish()
    }
}

impl Entry {
    pub(super) fn read(value: &Value) -> Result<Self, String> {
        let Value::Object(fields) = value else {
            return Err(format!("it is to be an object, not {}", kind(value)));
        };
        Ok(Self {
            command: string(fields, "command")?,
            args: args(fields)?,
            env: variables(fields)?,
            cwd: string(fields, "cwd")?,
            url: string(fields, "url")?,
            kind: string(fields, "type")?,
            disabled: flag(fields, "disabled")?,
        })
    }

    pub(super) fn target(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Target, String> {
        if self.disabled {
            return Err("it is disabled in the file".into());
        }
        let filled =
            |field: &str, text: &str| expand(text, variable).map_err(|what| format!("`{field}`: {what}"));
        if let (Some(url), None) = (&self.url, &self.command) {
            return socket(&filled("url", url)?);
        }
        match self.kind.as_deref() {
            None | Some("stdio") => {}
            Some("http" | "sse" | "streamable-http" | "streamableHttp") => return Err(HTTP.into()),
            Some(other) => return Err(format!("`type` `{other}` is not known: only `stdio` is")),
        }
        let program = self.command.as_deref().ok_or("there is no `command`")?;
        let mut command = Command::new(filled("command", program)?);
        if command.program.is_empty() {
            return Err("`command` is empty".into());
        }
        for (n, arg) in self.args.iter().enumerate() {
            command = command.arg(filled(&format!("args[{n}]"), arg)?);
        }
        for (key, value) in &self.env {
            command = command.env(key, filled(&format!("env.{key}"), value)?);
        }
        command.cwd = self.cwd.as_deref().map(|dir| filled("cwd", dir)).transpose()?.map(Into::into);
        Ok(Target::Process(command))
    }
}

const HTTP: &str =
    "it is reached over HTTP (`url`), which is not supported: only processes, tcp: and unix: are";

fn socket(url: &str) -> Result<Target, String> {
    if !url.starts_with("tcp:") && !url.starts_with("unix:") {
        return Err(HTTP.into());
    }
    Target::parse(&[url.to_owned()]).map_err(|e| format!("`url`: {e}"))
}

/// What a value is, with its article.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn wrong(field: &str, wanted: &str, value: &Value) -> String {
    format!("`{field}` is to be {wanted}, not {}", kind(value))
}

/// A field that may be missing; `null` is taken for missing.
fn field<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    fields.get(name).filter(|v| !v.is_null())
}

fn string(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match field(fields, name) {
        None => Ok(None),
        Some(Value::String(s)) => Ok(Some(s.clone())),
        Some(other) => Err(wrong(name, "a string", other)),
    }
}

fn flag(fields: &Map<String, Value>, name: &str) -> Result<bool, String> {
    match field(fields, name) {
        None => Ok(false),
        Some(Value::Bool(b)) => Ok(*b),
        Some(other) => Err(wrong(name, "true or false", other)),
    }
}

fn args(fields: &Map<String, Value>) -> Result<Vec<String>, String> {
    let list = match field(fields, "args") {
        None => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(other) => return Err(wrong("args", "an array", other)),
    };
    let text = |(n, value): (usize, &Value)| match value {
        Value::String(s) => Ok(s.clone()),
        other => Err(wrong(&format!("args[{n}]"), "a string", other)),
    };
    list.iter().enumerate().map(text).collect()
}

fn variables(fields: &Map<String, Value>) -> Result<IndexMap<String, String>, String> {
    let list = match field(fields, "env") {
        None => return Ok(IndexMap::new()),
        Some(Value::Object(list)) => list,
        Some(other) => return Err(wrong("env", "an object", other)),
    };
    let mut env = IndexMap::new();
    for (key, value) in list {
        if key.is_empty() || key.contains(['=', '\0']) {
            return Err(format!("`env.{key}` is no name of a variable"));
        }
        let text = match value {
            Value::String(s) => s.clone(),
            // People write ports and flags as they are.
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            other => return Err(wrong(&format!("env.{key}"), "a string", other)),
        };
        env.insert(key.clone(), text);
    }
    Ok(env)
}

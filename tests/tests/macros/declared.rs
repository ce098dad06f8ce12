//! A server, declared.

use super::talk::Home;
use midge::{Args, Io, Json, Outcome, Schema, prompt, resource, tool};
use serde::{Deserialize, Serialize};

/// How loud. Not listed: an argument's own comment is.
#[derive(Schema, Serialize, Deserialize, Clone, Copy, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Quiet,
    Loud,
}

#[derive(Schema, Serialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    #[expect(dead_code)]
    Quiet,
    #[serde(rename = "LOUD")]
    Loud,
}

#[derive(Schema, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place<'a> {
    /// Its "name"
    #[arg(max_len = 12, pattern = "^[A-Z]")]
    name: &'a str,
    #[arg(min = -1)]
    floor: i8,
    #[serde(default)]
    #[expect(dead_code)]
    note: &'a str,
    #[expect(dead_code)]
    old: Option<bool>,
    #[serde(skip)]
    #[expect(dead_code)]
    hidden: u8,
}

#[derive(Schema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reading<'a, T> {
    /// °C
    celsius: f64,
    room_name: &'a str,
    tags: [T; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<Written>,
}

/// Adds two numbers.
#[tool]
pub fn add(
    /** first */
    a: i64,
    /// second
    #[arg(min = 0, max = 10)]
    b: i64,
) -> i64 {
    a + b
}

/// Greets.
///
/// With "quotes", a \ and
/// a second line.
#[tool(title = "Greet", read_only, open_world = false, icons = r#"[{"src":"data:,"}]"#, meta = r#"{"a":1}"#)]
fn greet(
    #[arg(min_len = 1, max_len = 10, pattern = "^[A-Z]")] who: &str,
    #[arg(default = "quiet")] mode: Mode,
    #[arg(default = 3, min = 1, header = "Times")] times: u16,
    #[arg(default = true)] politely: bool,
    #[arg(min = 0, max = 1.0, default = 0.5)] share: f64,
    #[arg(one_of = ["x", "y"])] r#type: Option<&str>,
) -> String {
    let _ = r#type;
    format!("{who} {mode:?} {times} {politely} {share}")
}

/// Sets the target.
#[tool(destructive, idempotent)]
fn set_target<'a>(
    home: &mut Home,
    /// °C
    #[arg(min = 5, max = 30)]
    celsius: f64,
    /// Where
    room: Place<'a>,
) -> Result<Json<Reading<'a, u8>>, &'static str> {
    if room.floor < 0 || room.name == "Roof" {
        return Err("no such room");
    }
    home.celsius = celsius;
    Ok(Json(Reading { celsius: home.celsius, room_name: room.name, tags: [1, 2], mode: Some(Written::Loud) }))
}

#[tool(description = "Does nothing", output = r#"{"type":"object"}"#)]
fn nothing() {}

/// Takes what comes.
#[tool(input = r#"{"type":"object","properties":{"any":{"type":"array"}}}"#)]
fn raw(_: &mut Home, args: Args<'_>, io: &mut Io<'_>) -> Outcome {
    let values = args.open();
    io.text(core::str::from_utf8(values.text()).unwrap_or(""));
    Outcome::Done
}

/// Has other names on the wire.
#[tool(name = "renamed-tool", output = Mode)]
fn other(#[arg(name = "wire-name")] n: u8, io: &mut Io<'_>) -> Outcome {
    io.text(&n.to_string());
    Outcome::Done
}

/// The log.
#[resource("home://log", mime = "text/plain", size = 7, annotations = r#"{"priority":1}"#)]
fn log(_home: &mut Home, io: &mut Io<'_>) -> Outcome {
    io.text("the log");
    Outcome::Done
}

/// A room's state.
#[resource("home://rooms/{room}", title = "Room", mime = "application/json", complete = rooms)]
pub fn room(_home: &mut Home, room: &str) -> Option<&'static str> {
    (room == "attic").then_some("attic")
}

fn rooms<'e>(_: &mut Home, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    io.text("attic");
    Outcome::Done
}

/// A cell.
#[resource("home://grid/{column}/{row}{?unit,zoom}", name = "cell")]
fn grid(column: &str, row: u8, unit: Option<&str>, #[arg(name = "zoom")] scale: Option<u32>) -> String {
    format!("{column} {row} {unit:?} {scale:?}")
}

/// Explains the state.
#[prompt(title = "Explain")]
fn explain(
    /// Which room
    room: &str,
    mode: Option<Mode>,
) -> String {
    format!("Explain {room}, {mode:?}.")
}

midge::catalog! {
    /// The server.
    pub static HOME: Home = {
        name: "home", version: "1.0.0", instructions: "Read before you set.", title: "Home",
        tools: [add, greet, set_target, nothing, raw, other],
        resources: [log],
        templates: [room, grid],
        prompts: [explain],
        features: midge::Features::LOGGING,
    };
}

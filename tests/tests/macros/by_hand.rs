//! The same server, by hand.

use super::talk::Home;
use midge::dispatch::args::{Arg, Rule, Text};
use midge::dispatch::schema::{Part, Schema};
use midge::dispatch::table::{Place, tool_order};
use midge::dispatch::{Handler, Prompt, PromptDef, Resource, ResourceDef, Source, Template, Tool, ToolDef};
use midge::{Catalog, Features, Hints, Outcome};

const TEXT: Rule = Rule::Str(&Text::ANY);
const DONE: Handler<Home> = |_, _, _| Outcome::Done;

static ADD: [Arg; 2] = [
    Arg::new("a", Rule::Int { min: i64::MIN, max: i64::MAX }).about("first"),
    Arg::new("b", Rule::Int { min: 0, max: 10 }).about("second"),
];

const MODE: Rule = Rule::Str(&Text { one_of: &["quiet", "loud"], ..Text::ANY });

static GREET: [Arg; 6] = [
    Arg::new("who", Rule::Str(&Text { min_len: 1, max_len: 10, pattern: "^[A-Z]", one_of: &[] })),
    Arg::new("mode", MODE).optional().extra("\"default\":\"quiet\""),
    Arg::new("times", Rule::Int { min: 1, max: 65535 })
        .optional()
        .extra("\"default\":3,\"x-mcp-header\":\"Times\""),
    Arg::new("politely", Rule::Bool).optional().extra("\"default\":true"),
    Arg::new("share", Rule::Float { min: 0.0, max: 1.0 })
        .optional()
        .extra("\"minimum\":0,\"maximum\":1.0,\"default\":0.5"),
    Arg::new("type", Rule::Str(&Text { one_of: &["x", "y"], ..Text::ANY })).optional(),
];

const PLACE: &[Part] = &[
    Part::Json(
        r#""type":"object","properties":{"name":{"description":"Its \"name\"","type":"string","maxLength":12,"pattern":"^[A-Z]"},"floor":{"type":"integer","minimum":-1,"maximum":127},"note":{"#,
    ),
    Part::List(<&str as Schema>::PARTS),
    Part::Json(r#"},"old":{"#),
    Part::List(<bool as Schema>::PARTS),
    Part::Json("}}"),
    Part::Json(",\"required\":[\"name\""),
    Part::Json(",\"floor\""),
    Part::Json(""),
    Part::Json("]"),
    Part::Json(",\"additionalProperties\":false"),
];

static SET_TARGET: [Arg; 2] = [
    Arg::new("celsius", Rule::Float { min: 5.0, max: 30.0 })
        .about("°C")
        .extra("\"minimum\":5,\"maximum\":30"),
    Arg::new("room", Rule::Json(PLACE)).about("Where"),
];

const READING: &str = r#"{"type":"object","properties":{"celsius":{"description":"°C","type":"number"},"roomName":{"type":"string"},"tags":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}},"mode":{"type":"string","enum":["quiet","LOUD"]}},"required":["celsius","roomName","tags"]}"#;

static RENAMED: [Arg; 1] = [Arg::new("wire-name", Rule::Int { min: 0, max: 255 })];

static TOOLS: [Tool<Home>; 6] = [
    Tool { def: ToolDef::new("add").about("Adds two numbers.").args(&ADD), run: DONE },
    Tool {
        def: ToolDef::new("greet")
            .title("Greet")
            .about("Greets.\n\nWith \"quotes\", a \\ and\na second line.")
            .args(&GREET)
            .hints(Hints { read_only: Some(true), open_world: Some(false), ..Hints::NONE })
            .icons(r#"[{"src":"data:,"}]"#)
            .meta(r#"{"a":1}"#),
        run: DONE,
    },
    Tool {
        def: ToolDef::new("set_target")
            .about("Sets the target.")
            .args(&SET_TARGET)
            .output(READING)
            .hints(Hints { destructive: Some(true), idempotent: Some(true), ..Hints::NONE }),
        run: DONE,
    },
    Tool { def: ToolDef::new("nothing").about("Does nothing").output(r#"{"type":"object"}"#), run: DONE },
    Tool {
        def: ToolDef::new("raw")
            .about("Takes what comes.")
            .input(r#"{"type":"object","properties":{"any":{"type":"array"}}}"#),
        run: DONE,
    },
    Tool {
        def: ToolDef::new("renamed-tool")
            .about("Has other names on the wire.")
            .args(&RENAMED)
            .output(r#"{"type":"string","enum":["quiet","loud"]}"#),
        run: DONE,
    },
];
static ORDER: [Place; 6] = tool_order(&TOOLS);

static RESOURCES: [Resource<Home>; 1] = [Resource {
    def: ResourceDef::new("home://log", "log")
        .about("The log.")
        .mime("text/plain")
        .size(Some(7))
        .annotations(r#"{"priority":1}"#),
    source: Source::Read(DONE),
}];

static TEMPLATES: [Template<Home>; 2] = [
    Template {
        def: ResourceDef::new("home://rooms/{room}", "room")
            .title("Room")
            .about("A room's state.")
            .mime("application/json"),
        read: DONE,
        complete: Some(DONE),
    },
    Template {
        def: ResourceDef::new("home://grid/{column}/{row}{?unit,zoom}", "cell").about("A cell."),
        read: DONE,
        complete: None,
    },
];

static EXPLAIN: [Arg; 2] = [Arg::new("room", TEXT).about("Which room"), Arg::new("mode", MODE).optional()];

static PROMPTS: [Prompt<Home>; 1] = [Prompt {
    def: PromptDef::new("explain").title("Explain").about("Explains the state.").args(&EXPLAIN),
    get: DONE,
    complete: None,
}];

pub static HOME: Catalog<Home> = Catalog::new("home", "1.0.0")
    .tools(&TOOLS)
    .tool_order(&ORDER)
    .resources(&RESOURCES)
    .templates(&TEMPLATES)
    .prompts(&PROMPTS)
    .features(Features::LOGGING);

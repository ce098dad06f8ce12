//! What clients are asked is valid by the official schema of each revision, and says nothing that the revision does not
//! know: the schemas allow any further members, so they are closed first.

use jsonschema::Validator;
use midge::json::Writer;
use midge::proto::input::{
    Ask, Choice, Content, Field, Form, Format, Include, Message, Preferences, Sample, ToolChoice,
};
use midge::proto::revision::{ALL, Feature, Revision};
use midge::sink::{Buf, Fill, Sink};
use serde_json::{Value, json};
use std::path::Path;

const PLAIN: &[Choice<'_>] = &[Choice::new("a"), Choice::new("b")];
const TITLED: &[Choice<'_>] = &[Choice::titled("a", "A"), Choice::new("b")];

const SIMPLE: &[Field<'_>] = &[
    Field::text("text"),
    Field::text("long").title("Long").about("long text").min(1).max(9).default_text("x").optional(),
    Field::text("email").format(Format::Email),
    Field::text("uri").format(Format::Uri),
    Field::text("date").format(Format::Date),
    Field::text("time").format(Format::DateTime).optional(),
    Field::integer("integer").title("I"),
    Field::integer("bounded").min(-1).max(1).default_integer(0),
    Field::number("number").about("n"),
    Field::number("between").between("-1.5", "2e3").default_number("0.5"),
    Field::boolean("boolean").optional(),
    Field::boolean("set").title("S").default_bool(true),
    Field::one_of("plain", PLAIN).default_text("a"),
    Field::one_of("titled", TITLED).title("T").default_text("b"),
    Field::one_of("legacy", TITLED).legacy().default_text("a"),
];
const SEVERAL: &[Field<'_>] = &[
    Field::many_of("plain", PLAIN),
    Field::many_of("bounded", PLAIN).title("B").about("b").min(1).max(2).default_choices(&["a"]).optional(),
    Field::many_of("titled", TITLED).default_choices(&[]),
    Field::many_of("most", TITLED).max(2),
];

const MESSAGES: &[Message<'_>] = &[
    Message::user(&[Content::Text("hello")]),
    Message::assistant(&[Content::Text("one"), Content::Image { data: b"x", mime: "image/png" }]),
];
const SOUND: &[Message<'_>] = &[Message::user(&[Content::Audio { data: b"xy", mime: "audio/wav" }])];
const TOOLS: &[Message<'_>] = &[
    Message::assistant(&[
        Content::ToolUse { id: "1", name: "t", input: b"{\"a\":1}" },
        Content::ToolUse { id: "2", name: "t", input: b"{}" },
    ]),
    Message::user(&[Content::tool_result("1", "yes"), Content::tool_error("2", "no")]),
    Message::user(&[Content::ToolResult { id: "3", text: "", blocks: b"[]", is_error: false }]),
    Message::user(&[]),
];

fn asks() -> Vec<(&'static str, Ask<'static>)> {
    let preferences = Preferences { hints: &["small"], cost: "0", speed: "0.5", intelligence: "1" };
    let wishes = Sample {
        system: "s",
        preferences,
        include: Some(Include::AllServers),
        temperature: "0.1",
        stop: &["."],
        metadata: "{\"x\":[1]}",
        ..Sample::new(MESSAGES, 10)
    };
    let tools = Sample {
        tools: "[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}]",
        tool_choice: Some(ToolChoice::Auto),
        include: Some(Include::Nothing),
        ..Sample::new(TOOLS, 10)
    };
    let schema = "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"boolean\"}}}";
    vec![
        ("an empty form", Ask::form("m", &[])),
        ("a simple form", Ask::form("m", SIMPLE)),
        ("choices of several", Ask::form("m", SEVERAL)),
        ("a schema as text", Ask::Form(Form { message: "m", fields: &[], schema })),
        ("a URL", Ask::url("m", "https://example.com", "e")),
        ("messages", Ask::sample(MESSAGES, 1)),
        ("wishes", Ask::Sample(wishes)),
        ("a sound", Ask::sample(SOUND, 1)),
        ("tools", Ask::Sample(tools)),
        ("roots", Ask::Roots),
    ]
}

fn message(ask: &Ask<'_>, revision: Revision, task: &str) -> Value {
    let mut memory = vec![0; 1 << 16];
    let mut fill = Fill::default();
    let mut w = Writer::new(Sink::new(Buf::from(&mut memory[..]), &mut fill, None));
    w.object();
    ask.write_params(&mut w, revision, task);
    w.close();
    let params: Value = serde_json::from_slice(&memory[..fill.len]).expect("JSON");
    let mut message = json!({"method": ask.method(), "params": params});
    if revision.has(Feature::Handshake) {
        message["jsonrpc"] = json!("2.0");
        message["id"] = json!(1);
    }
    message
}

/// Lets objects with listed members have no others.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(close);
            let lists = members.get("properties").is_some_and(|p| p.is_object())
                && members.get("type") == Some(&json!("object"));
            if lists && !members.contains_key("additionalProperties") {
                members.insert("additionalProperties".into(), json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn validator(data: &Path, revision: Revision, definition: &str) -> Validator {
    let path = data.join("spec").join(revision.name()).join("schema.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut text: Value = serde_json::from_str(&text).expect("the schema is JSON");
    let at = if text.get("$defs").is_some() { "$defs" } else { "definitions" };
    close(&mut text[at]);
    // The envelope is another's business, and not listed where requests are bare.
    let request = &mut text[at][definition];
    assert!(request.is_object(), "{}: there is no {definition}", revision.name());
    request.as_object_mut().expect("an object").remove("additionalProperties");
    let schema = json!({"$schema": text["$schema"], "$ref": format!("#/{at}/{definition}"), at: text[at]});
    jsonschema::validator_for(&schema).expect("the definition is a schema")
}

fn definition(ask: &Ask<'_>) -> &'static str {
    match ask {
        Ask::Form(_) | Ask::Url(_) => "ElicitRequest",
        Ask::Sample(_) => "CreateMessageRequest",
        Ask::Roots => "ListRootsRequest",
    }
}

fn wrong(validator: &Validator, message: &Value) -> Vec<String> {
    validator.iter_errors(message).map(|e| format!("{e} at {}", e.instance_path())).collect()
}

#[test]
fn all_that_is_asked_is_valid() {
    let Some(data) = midge_tests::data() else {
        println!("left out: no schemas (MIDGE_TEST_DATA)");
        return;
    };
    let mut checks = 0;
    for revision in ALL {
        for (name, ask) in asks().into_iter().filter(|(_, ask)| ask.is_in(revision)) {
            let validator = validator(&data, revision, definition(&ask));
            // Where a revision has core tasks, a question may belong to one.
            let tasks = if revision.has(Feature::ElicitationId) { &["", "task-1"][..] } else { &[""] };
            for task in tasks {
                let message = message(&ask, revision, task);
                let wrong = wrong(&validator, &message);
                assert!(wrong.is_empty(), "{}: {name}: {wrong:?}\n{message:#}", revision.name());
                checks += 1;
            }
        }
    }
    assert_eq!(checks, 3 + 4 + 7 + 20 + 10);
}

/// The checks refuse what a revision does not know.
#[test]
fn the_newest_form_is_not_valid_before() {
    let Some(data) = midge_tests::data() else {
        println!("left out: no schemas (MIDGE_TEST_DATA)");
        return;
    };
    let earlier = Revision::V2025_06_18;
    let form = Ask::form("m", SIMPLE);
    let elicit = validator(&data, earlier, "ElicitRequest");
    assert!(wrong(&elicit, &message(&form, earlier, "")).is_empty());
    let newer = message(&form, Revision::V2025_11_25, "");
    assert!(!wrong(&elicit, &newer).is_empty(), "mode");
    let mut defaults = newer.clone();
    defaults["params"].as_object_mut().expect("an object").remove("mode");
    assert!(!wrong(&elicit, &defaults).is_empty(), "defaults and titles");
    let url = Ask::url("m", "https://example.com", "e");
    let latest = validator(&data, Revision::V2026_07_28, "ElicitRequest");
    assert!(!wrong(&latest, &message(&url, Revision::V2025_11_25, "")).is_empty(), "elicitationId");
    let tools = asks().into_iter().find(|(name, _)| *name == "tools").expect("tools").1;
    let sample = validator(&data, earlier, "CreateMessageRequest");
    assert!(!wrong(&sample, &message(&tools, earlier, "")).is_empty(), "tools");
}

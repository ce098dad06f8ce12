//! What the attribute macros declare, against the same server written by hand.

#[path = "macros/by_hand.rs"]
mod by_hand;
#[path = "macros/declared.rs"]
mod declared;
#[path = "macros/talk.rs"]
mod talk;

use midge::dispatch::args::{Arg, Rule, Text};
use midge::dispatch::{Prompt, Source, Tool};
use midge::{Catalog, Hints, Schema};
use serde_json::{Value, json};
use talk::{Home, ask, list};

const DECLARED: &Catalog<Home> = &declared::HOME;
const BY_HAND: &Catalog<Home> = &by_hand::HOME;

#[test]
fn both_servers_list_the_same() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            let (declared, by_hand) = (list(DECLARED, revision, method), list(BY_HAND, revision, method));
            assert_eq!(declared, by_hand, "{method} of {revision}");
            assert!(declared.contains("\"description\""), "{method} lists rows: {declared}");
        }
    }
}

fn tool(catalog: &'static Catalog<Home>, name: &str) -> &'static Tool<Home> {
    catalog.tools.iter().find(|tool| tool.def.name == name).unwrap()
}

fn same_args(a: &[Arg], b: &[Arg]) {
    let words = |args: &[Arg]| format!("{args:#?}");
    assert_eq!(words(a), words(b));
}

fn same_hints(a: Hints, b: Hints) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn rows_of_tools_have_the_same_fields() {
    assert_eq!(DECLARED.tools.len(), BY_HAND.tools.len());
    for by_hand in BY_HAND.tools {
        let (a, b) = (&tool(DECLARED, by_hand.def.name).def, &by_hand.def);
        assert_eq!((a.title, a.about, a.icons, a.meta), (b.title, b.about, b.icons, b.meta), "{}", b.name);
        assert_eq!((a.input, a.output), (b.input, b.output), "{}", b.name);
        same_args(a.args, b.args);
        same_hints(a.hints, b.hints);
        // The text is made before only where the schema comes from the arguments.
        assert_eq!(a.entry.is_empty(), !a.input.is_empty(), "{}", b.name);
    }
}

#[test]
fn rows_of_resources_and_prompts_have_the_same_fields() {
    for (a, b) in DECLARED.resources.iter().zip(BY_HAND.resources) {
        assert_eq!(format!("{:?}", a.def), format!("{:?}", b.def));
        assert!(matches!(a.source, Source::Read(_)));
    }
    for (a, b) in DECLARED.templates.iter().zip(BY_HAND.templates) {
        assert_eq!(format!("{:?}", a.def), format!("{:?}", b.def));
        assert_eq!(a.complete.is_some(), b.complete.is_some());
    }
    for (a, b) in DECLARED.prompts.iter().zip(BY_HAND.prompts) {
        let fields = |p: &Prompt<Home>| (p.def.name, p.def.title, p.def.about, p.def.icons, p.def.meta);
        assert_eq!(fields(a), fields(b));
        same_args(a.def.args, b.def.args);
    }
    assert_eq!(DECLARED.resources.len(), 1);
    assert_eq!(DECLARED.templates.len(), BY_HAND.templates.len());
    assert_eq!(DECLARED.prompts.len(), BY_HAND.prompts.len());
}

fn call(name: &str, arguments: &str) -> Value {
    ask(DECLARED, "2025-11-25", "tools/call", &format!("{{\"name\":\"{name}\",\"arguments\":{arguments}}}"))
}

fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text in {answer}"))
}

#[test]
fn arguments_reach_the_function() {
    assert_eq!(text_of(&call("add", r#"{"a":-40,"b":2}"#)), "-38");
    assert_eq!(
        text_of(&call("greet", r#"{"who":"Ann \"A\" \u00e9","mode":"loud"}"#)),
        "Ann \"A\" é Loud 3 true 0.5"
    );
    assert_eq!(
        text_of(&call("greet", r#"{"type":"x","times":9,"who":"B","politely":false,"share":1}"#)),
        "B Quiet 9 false 1"
    );
}

#[test]
fn limits_are_checked_and_named() {
    for (arguments, word) in [
        (r#"{"a":1,"b":11}"#, "\"b\""),
        (r#"{"a":1,"b":-1}"#, "\"b\""),
        (r#"{"a":1}"#, "\"b\""),
        (r#"{"a":1,"b":1,"c":1}"#, "unknown argument \"c\""),
    ] {
        let answer = call("add", arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        assert!(text_of(&answer).contains(word), "{answer}");
    }
    for arguments in [
        r#"{"who":""}"#,
        r#"{"who":"0123456789abc"}"#,
        r#"{"who":"lower"}"#,
        r#"{"who":"Ann","mode":"odd"}"#,
        r#"{"who":"Ann","share":1.5}"#,
        r#"{"who":"Ann","times":0}"#,
    ] {
        assert_eq!(call("greet", arguments)["result"]["isError"], true, "{arguments}");
    }
    assert_eq!(call("nothing", r#"{"x":1}"#)["result"]["isError"], true);
    // It takes no arguments and gives nothing, though its output schema promises an object.
    assert!(text_of(&call("nothing", "{}")).contains("no structured content"));
}

#[test]
fn state_and_results_pass_through() {
    let answer = call("set_target", r#"{"celsius":21.5,"room":{"floor":2,"name":"Bath"}}"#);
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({"celsius": 21.5, "roomName": "Bath", "tags": [1, 2], "mode": "LOUD"})
    );
    let answer = call("set_target", r#"{"celsius":29,"room":{"floor":2,"name":"Roof"}}"#);
    assert_eq!(text_of(&answer), "no such room");
    assert_eq!(text_of(&call("raw", r#"{"any":["thing"]}"#)), r#"{"any":["thing"]}"#);
    assert_eq!(text_of(&call("renamed-tool", r#"{"wire-name":7}"#)), "7");
}

#[test]
fn variables_reach_the_function() {
    let read = |uri: &str| ask(DECLARED, "2025-11-25", "resources/read", &format!("{{\"uri\":\"{uri}\"}}"));
    let text = |answer: &Value| answer["result"]["contents"][0]["text"].as_str().unwrap_or("").to_owned();
    assert_eq!(text(&read("home://log")), "the log");
    assert_eq!(text(&read("home://rooms/attic")), "attic");
    assert_eq!(text(&read("home://grid/a%20b/7?unit=F")), "a b 7 Some(\"F\") None");
    assert_eq!(text(&read("home://grid/a/7?zoom=3")), "a 7 None Some(3)");
    for missing in ["home://rooms/cellar", "home://grid/a/x"] {
        assert_eq!(read(missing)["error"]["code"], -32002, "{missing}");
    }
}

#[test]
fn prompts_take_texts() {
    let get = |arguments: &str| {
        let params = format!("{{\"name\":\"explain\",\"arguments\":{arguments}}}");
        ask(DECLARED, "2025-11-25", "prompts/get", &params)
    };
    let answer = get(r#"{"room":"attic","mode":"loud"}"#);
    assert_eq!(answer["result"]["messages"][0]["content"]["text"], "Explain attic, Some(Loud).");
    assert!(get(r#"{"mode":"loud"}"#)["error"].is_object());
}

#[test]
fn the_functions_stay_functions() {
    assert_eq!(declared::add(1, 2), 3);
    assert_eq!(declared::room(&mut Home::default(), "attic"), Some("attic"));
}

#[test]
fn derived_rules_and_schemas_are_those_of_serde() {
    let Rule::Str(Text { one_of, .. }) = <declared::Mode as Schema>::RULE else {
        panic!("an enum is a text")
    };
    let names: Vec<_> = [declared::Mode::Quiet, declared::Mode::Loud].map(|mode| json!(mode)).into();
    assert_eq!(json!(one_of), json!(names));
    let listed = list(DECLARED, "2025-11-25", "tools/list");
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["name"] == "set_target").unwrap();
    assert_eq!(
        tool["inputSchema"]["properties"]["room"],
        json!({
            "description": "Where",
            "type": "object",
            "properties": {
                "name": {"description": "Its \"name\"", "type": "string", "maxLength": 12, "pattern": "^[A-Z]"},
                "floor": {"type": "integer", "minimum": -1, "maximum": 127},
                "note": {"type": "string"},
                "old": {"type": "boolean"},
            },
            "required": ["name", "floor"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        tool["outputSchema"],
        json!({
            "type": "object",
            "properties": {
                "celsius": {"description": "°C", "type": "number"},
                "roomName": {"type": "string"},
                "tags": {"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}},
                "mode": {"type": "string", "enum": ["quiet", "LOUD"]},
            },
            "required": ["celsius", "roomName", "tags"],
        })
    );
}

/// Leaves out all that may be left out.
mod small {
    midge::catalog! {
        static NOTHING: u32 = { name: "nothing", version: "0" };
    }

    #[test]
    fn every_list_may_be_left_out() {
        assert!(NOTHING.tools.is_empty() && NOTHING.resources.is_empty());
        assert!(NOTHING.templates.is_empty() && NOTHING.prompts.is_empty());
        assert_eq!(NOTHING.info.text, "{\"name\":\"nothing\",\"version\":\"0\"}");
        assert_eq!(NOTHING.fault(), None);
    }
}

//! What a client is asked, in the words of each revision.

mod asks;

use asks::{COLOURS, EVERY, FORM, HELLO, URL, written};
use midge::proto::client::Can;
use midge::proto::input::{Ask, Content, Field, Form, Include, Message, Preferences, Sample, ToolChoice};
use midge::proto::revision::{ALL, Revision};
use serde_json::{Value, json};

use Revision::{V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

fn params(ask: &Ask<'_>, revision: Revision, task: &str) -> Value {
    let text = written(|w| {
        w.object();
        ask.write_params(w, revision, task);
        w.close();
    });
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn property(field: Field<'_>, revision: Revision) -> Value {
    let fields = [field];
    params(&Ask::form("m", &fields), revision, "")["requestedSchema"]["properties"][field.name].clone()
}

#[test]
fn texts_and_numbers_by_revision() {
    let [name, mail, age, ratio, sure, ..] = EVERY else { panic!("eight fields") };
    for revision in [V2025_06_18, V2025_11_25, V2026_07_28] {
        let newer = revision > V2025_06_18;
        let with = |mut schema: Value, default: Value| {
            if newer {
                schema["default"] = default;
            }
            schema
        };
        assert_eq!(
            property(*name, revision),
            json!({"type": "string", "title": "Name", "description": "who you are", "minLength": 2, "maxLength": 5})
        );
        let schema = json!({"type": "string", "format": "email"});
        assert_eq!(property(*mail, revision), with(schema, json!("a@example.com")));
        let schema = json!({"type": "integer", "minimum": 0, "maximum": 150});
        assert_eq!(property(*age, revision), with(schema, json!(7)));
        let text = r#"{"type":"number","minimum":-0.5,"maximum":1e2}"#;
        let schema = serde_json::from_str(text).expect("JSON");
        assert_eq!(property(*ratio, revision), with(schema, json!(0.25)));
        assert_eq!(property(*sure, revision), json!({"type": "boolean", "default": false}));
    }
    assert_eq!(property(Field::text("t"), V2025_11_25), json!({"type": "string"}));
    assert_eq!(property(Field::integer("i"), V2025_11_25), json!({"type": "integer"}));
    assert_eq!(property(Field::number("n"), V2025_11_25), json!({"type": "number"}));
    assert_eq!(property(Field::boolean("b"), V2025_11_25), json!({"type": "boolean"}));
}

#[test]
fn choices_by_revision() {
    let [.., colour, size, sizes] = EVERY else { panic!("eight fields") };
    assert_eq!(property(*colour, V2025_06_18), json!({"type": "string", "enum": ["red", "dark green"]}));
    let legacy = json!({"type": "string", "enum": ["s", "xl"], "enumNames": ["Small", "xl"]});
    assert_eq!(property(*size, V2025_06_18), legacy);
    let titled = json!([{"const": "s", "title": "Small"}, {"const": "xl", "title": "xl"}]);
    for revision in [V2025_11_25, V2026_07_28] {
        let wanted = json!({"type": "string", "enum": ["red", "dark green"], "default": "red"});
        assert_eq!(property(*colour, revision), wanted);
        assert_eq!(property(*size, revision), json!({"type": "string", "oneOf": titled}));
        assert_eq!(property(size.legacy(), revision), legacy);
        let several = json!({"minItems": 1, "maxItems": 2, "type": "array", "items": {"anyOf": titled}, "default": ["xl"]});
        assert_eq!(property(*sizes, revision), several);
        assert_eq!(
            property(Field::many_of("c", COLOURS), revision),
            json!({"type": "array", "items": {"type": "string", "enum": ["red", "dark green"]}})
        );
    }
}

#[test]
fn elicitations_by_revision() {
    let form = Ask::form("m\n", &[]);
    let schema = json!({"type": "object", "properties": {}});
    assert_eq!(params(&form, V2025_06_18, ""), json!({"message": "m\n", "requestedSchema": schema}));
    assert_eq!(
        params(&form, V2025_11_25, "t-1"),
        json!({"mode": "form", "message": "m\n", "requestedSchema": schema,
            "_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t-1"}}})
    );
    assert_eq!(
        params(&FORM, V2026_07_28, "")["requestedSchema"]["required"],
        json!(["name", "age"]),
        "in the order of the fields"
    );
    let url = json!({"mode": "url", "message": "Sign in", "url": "https://example.com/x"});
    assert_eq!(params(&URL, V2026_07_28, ""), url);
    let mut named = url;
    named["elicitationId"] = json!("e-1");
    assert_eq!(params(&URL, V2025_11_25, ""), named);
    assert_eq!(params(&Ask::Roots, V2024_11_05, ""), json!({}));
    assert_eq!(
        params(&Ask::Roots, V2025_11_25, "t"),
        json!({"_meta": {"io.modelcontextprotocol/related-task": {"taskId": "t"}}})
    );
}

#[test]
fn a_schema_as_text_stays_on_one_line() {
    let schema = "{\n  \"type\": \"object\",\n  \"properties\": {\"x\\n\": {\"type\": \"string\"}}\n}\n";
    let ask = Ask::Form(Form { message: "m", fields: EVERY, schema });
    let text = written(|w| {
        w.object();
        ask.write_params(w, V2025_06_18, "");
        w.close();
    });
    let schema = r#"{"type":"object","properties":{"x\n":{"type":"string"}}}"#;
    assert_eq!(text, format!(r#"{{"message":"m","requestedSchema":{schema}}}"#));
    assert!(ask.is_in(V2025_06_18), "its fields are not asked for");
}

#[test]
fn samples_by_revision() {
    let said =
        [Content::Text("look"), Content::Image { data: b"abcd", mime: "image/png" }, Content::Text("there")];
    let messages = [Message::user(&said), Message::assistant(&[Content::Text("ok")])];
    let ask = Ask::Sample(Sample {
        system: "Be brief.",
        preferences: Preferences { hints: &["small", "tiny"], cost: "0.3", ..Preferences::NONE },
        include: Some(Include::ThisServer),
        temperature: "0.7",
        stop: &["\n\n"],
        metadata: r#"{"a":[1]}"#,
        ..Sample::new(&messages, 100)
    });
    let image = json!({"type": "image", "data": "YWJjZA==", "mimeType": "image/png"});
    let text = |text: &str| json!({"type": "text", "text": text});
    let by = |role: &str, content: Value| json!({"role": role, "content": content});
    for revision in ALL {
        let mut wanted = json!({
            "messages": [by("user", text("look")), by("user", image.clone()), by("user", text("there")),
                by("assistant", text("ok"))],
            "modelPreferences": {"hints": [{"name": "small"}, {"name": "tiny"}], "costPriority": 0.3},
            "systemPrompt": "Be brief.", "includeContext": "thisServer", "temperature": 0.7,
            "maxTokens": 100, "stopSequences": ["\n\n"], "metadata": {"a": [1]},
        });
        if revision >= V2025_11_25 {
            let one = by("user", json!([text("look"), image, text("there")]));
            wanted["messages"] = json!([one, by("assistant", text("ok"))]);
        }
        assert_eq!(params(&ask, revision, ""), wanted, "{}", revision.name());
        assert!(ask.is_in(revision));
    }
    assert_eq!(
        params(&Ask::sample(HELLO, 1), V2024_11_05, ""),
        json!({"messages": [by("user", text("Hello \"you\""))], "maxTokens": 1})
    );
}

#[test]
fn tools_of_a_sample() {
    let used = [Content::ToolUse { id: "u1", name: "add", input: br#"{"a": 1}"# }];
    let answered = [
        Content::tool_result("u1", "2"),
        Content::tool_error("u2", "no"),
        Content::ToolResult {
            id: "u3",
            text: "",
            blocks: br#"[{"type":"text","text":"3"}]"#,
            is_error: false,
        },
    ];
    let messages = [HELLO[0], Message::assistant(&used), Message::user(&answered)];
    let tools = r#"[{"name":"add","inputSchema":{"type":"object"}}]"#;
    let ask =
        Ask::Sample(Sample { tools, tool_choice: Some(ToolChoice::Required), ..Sample::new(&messages, 9) });
    let said = params(&ask, V2025_11_25, "");
    assert_eq!(said["tools"], json!([{"name": "add", "inputSchema": {"type": "object"}}]));
    assert_eq!(said["toolChoice"], json!({"mode": "required"}));
    let use_of = json!({"type": "tool_use", "id": "u1", "name": "add", "input": {"a": 1}});
    assert_eq!(said["messages"][1]["content"], use_of);
    let result = |id: &str, text: &str| json!({"type": "tool_result", "toolUseId": id, "content": [{"type": "text", "text": text}]});
    let mut failed = result("u2", "no");
    failed["isError"] = json!(true);
    assert_eq!(said["messages"][2]["content"], json!([result("u1", "2"), failed, result("u3", "3")]));
}

#[test]
fn asks_know_their_needs() {
    let sound = [Message::user(&[Content::Audio { data: b"x", mime: "audio/wav" }])];
    let used = [Message::assistant(&[Content::ToolUse { id: "u", name: "n", input: b"{}" }])];
    let tools = Ask::Sample(Sample { tools: "[]", ..Sample::new(HELLO, 1) });
    let choice = Ask::Sample(Sample { tool_choice: Some(ToolChoice::Never), ..Sample::new(HELLO, 1) });
    let (elicit, sample) = ("elicitation/create", "sampling/createMessage");
    for (ask, method, needs, first) in [
        (Ask::form("m", &EVERY[..7]), elicit, Can::ELICIT, V2025_06_18),
        (FORM, elicit, Can::ELICIT, V2025_11_25),
        (URL, elicit, Can::ELICIT_URL, V2025_11_25),
        (Ask::sample(HELLO, 1), sample, Can::SAMPLE, V2024_11_05),
        (Ask::sample(&sound, 1), sample, Can::SAMPLE, V2025_03_26),
        (Ask::sample(&used, 1), sample, Can::SAMPLE_WITH_TOOLS, V2025_11_25),
        (tools, sample, Can::SAMPLE_WITH_TOOLS, V2025_11_25),
        (choice, sample, Can::SAMPLE_WITH_TOOLS, V2025_11_25),
        (Ask::Roots, "roots/list", Can::LIST_ROOTS, V2024_11_05),
    ] {
        assert_eq!(ask.method(), method);
        assert_eq!(ask.needs(), needs, "{method}");
        for revision in ALL {
            assert_eq!(ask.is_in(revision), revision >= first, "{method} in {}", revision.name());
        }
    }
}

//! What the answers of clients are taken for.

mod asks;

use asks::{COLOURS, EVERY, FORM, HELLO, SIZES, URL, written};
use midge::json::from_value;
use midge::json::text::soften;
use midge::proto::input::{
    Action, Answer, Ask, Choice, Content, Field, Form, Format, Message, Role, Root, ToolUse,
};
use midge::proto::revision::Revision;
use proptest::prelude::*;
use serde_json::{Value, json};

fn softened(text: &str) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    soften(&mut text);
    text
}

fn explained(answer: &Answer<'_>) -> String {
    let mut words = String::new();
    answer.explain(&mut |piece| words.push_str(piece));
    words
}

/// How `text` answers `ask`, and in which words.
fn taken(ask: &Ask<'_>, text: &str) -> (Action, String) {
    let text = softened(text);
    let answer = Answer::read(ask, &text);
    assert_eq!(answer.accepted(), answer.action() == Action::Accepted);
    (answer.action(), explained(&answer))
}

fn invalid(words: &str) -> (Action, String) {
    (Action::Invalid, format!("The client's answer is not valid: {words}."))
}

/// Field case B24.
#[test]
fn a_refusal_is_not_validated() {
    let fields = [Field::integer("n")];
    let ask = Ask::form("How many?", &fields);
    let of = |text: &str| taken(&ask, text).0;
    assert_eq!(of(r#"{"action":"cancel"}"#), Action::Cancelled);
    assert_eq!(of(r#"{"action":"decline"}"#), Action::Declined);
    assert_eq!(of(r#"{"action":"decline","content":null}"#), Action::Declined);
    assert_eq!(
        taken(&ask, r#"{"action":"accept","content":{"n":"notint"}}"#),
        invalid("\"n\" must be an integer")
    );
    let action = "\"action\" must be one of \"accept\", \"decline\", \"cancel\"";
    for text in
        [r#"{"action":"maybe"}"#, "{}", r#"{"action":1}"#, r#"{"action":null}"#, r#"{"content":{"n":1}}"#]
    {
        assert_eq!(taken(&ask, text), invalid(action), "{text}");
    }
    for junk in ["7", "[1]", "{\"n\":{}}", "\"x\\n\"", "{\"n\":1}"] {
        assert_eq!(of(&format!(r#"{{"content":{junk},"action":"decline"}}"#)), Action::Declined, "{junk}");
        assert_eq!(
            of(&format!(r#"{{"action":"cancel","content":{junk},"x":"\t"}}"#)),
            Action::Cancelled,
            "{junk}"
        );
    }
    for text in ["[]", "7", "null", "\"accept\"", ""] {
        assert_eq!(taken(&ask, text), invalid("it must be an object"), "{text}");
    }
}

#[test]
fn content_must_fit_its_fields() {
    let listed = "\"red\", \"dark green\"";
    let cases: &[(Field<'_>, &[&str], &[&str], &str)] = &[
        (
            Field::text("f").min(2).max(3),
            &["\"ab\"", "\"äöü\"", "\"\\n\\n\""],
            &["\"a\"", "\"abcd\"", "\"\\n\"", "1", "[]", "{}", "true"],
            "a text of at least 2 and at most 3 characters",
        ),
        (Field::text("f").format(Format::Date), &["\"\"", "\"yesterday\""], &["0", "false"], "a text"),
        (
            Field::integer("f").min(-3).max(9),
            &["-3", "9", "0", "9.0", "90e-1"],
            &["-4", "10", "1.5", "\"1\"", "1e99", "true", "[1]"],
            "an integer of at least -3 and at most 9",
        ),
        (
            Field::integer("f"),
            &["-9223372036854775808", "9223372036854775807"],
            &["9223372036854775808", "\"\""],
            "an integer",
        ),
        (Field::integer("f").max(0), &["-1"], &["1"], "an integer of at most 0"),
        (
            Field::number("f").between("-0.5", "1e1"),
            &["-0.5", "10", "0", "9.999", "0.1e2"],
            &["-0.50001", "10.0000001", "\"1\"", "null", "[]"],
            "a number of at least -0.5 and at most 1e1",
        ),
        (Field::number("f").between("", "2"), &["-1e999", "2"], &["2.5"], "a number of at most 2"),
        (Field::number("f"), &["1", "-1.5e300"], &["\"x\"", "{}"], "a number"),
        (Field::boolean("f"), &["true", "false"], &["1", "\"true\"", "[]"], "true or false"),
        (
            Field::one_of("f", COLOURS),
            &["\"red\"", "\"dark green\"", "\"d\\u0061rk green\""],
            &["\"blue\"", "\"\"", "[\"red\"]", "1", "\"Red\"", "\"red\\u0000\""],
            &format!("one of {listed}"),
        ),
        (Field::one_of("f", SIZES).legacy(), &["\"s\"", "\"xl\""], &["\"Small\""], "one of \"s\", \"xl\""),
        (
            Field::many_of("f", COLOURS).min(1).max(2),
            &["[\"red\"]", "[ \"red\" , \"dark green\" ]"],
            &["[]", "[\"red\",\"red\",\"red\"]", "[\"blue\"]", "[1]", "\"red\"", "{}", "[[\"red\"]]"],
            &format!("an array of at least 1 and at most 2 of {listed}"),
        ),
    ];
    for (field, good, bad, words) in cases {
        let fields = [*field];
        let ask = Ask::form("m", &fields);
        let of =
            |value: &str| taken(&ask, &format!(r#"{{"content":{{"e":1,"f":{value}}},"action":"accept"}}"#));
        for value in *good {
            assert_eq!(of(value).0, Action::Accepted, "{value} is {words}");
        }
        for value in bad.iter().filter(|v| **v != "null") {
            assert_eq!(of(value), invalid(&format!("\"f\" must be {words}")), "{value}");
        }
        let missing = invalid(&format!("\"f\" is missing: it must be {words}"));
        assert_eq!(of("null"), missing);
        assert_eq!(taken(&ask, r#"{"action":"accept","content":{}}"#), missing);
        let fields = [field.optional()];
        let ask = Ask::form("m", &fields);
        for content in ["{}", "null", "{\"f\":null}", "{\"g\":[{}]}"] {
            let text = format!(r#"{{"action":"accept","content":{content}}}"#);
            assert_eq!(taken(&ask, &text).0, Action::Accepted, "{content}");
        }
    }
}

#[test]
fn a_field_there_twice_is_refused() {
    let fields = [Field::boolean("sure")];
    let ask = Ask::form("m", &fields);
    for content in [r#"{"sure":false,"sure":true}"#, r#"{"sure":true,"s\u0075re":true}"#] {
        let text = format!(r#"{{"action":"accept","content":{content}}}"#);
        assert_eq!(taken(&ask, &text), invalid("\"sure\" is there twice"), "{content}");
    }
    let twice = r#"{"action":"decline","action":"accept","content":{"sure":true}}"#;
    assert_eq!(taken(&ask, twice), invalid("\"action\" is there twice"));
}

#[test]
fn words_end_at_a_character() {
    let choices = [Choice::new("ö".repeat(40).leak()), Choice::new("é".repeat(40).leak())];
    for name in ["f", "fi"] {
        let fields = [Field::one_of(name, &choices)];
        let (action, words) = taken(&Ask::form("m", &fields), r#"{"action":"accept","content":{}}"#);
        assert_eq!(action, Action::Invalid);
        assert!(words.contains(&format!("\"{name}\" is missing: it must be one of \"ööö")), "{words}");
        assert!(words.ends_with("ö…."), "{words}");
    }
}

#[test]
fn fields_are_read() {
    let text = softened(
        r#"{"action":"accept","content":{"n\u0061me":"A\nB","age":41.0,"ratio":0.5,"sizes":["s","xl"],"x":null}}"#,
    );
    let answer = Answer::read(&FORM, &text);
    assert_eq!(answer.action(), Action::Accepted, "{}", explained(&answer));
    assert_eq!(answer.get::<&str>("name"), Some("A\nB"));
    assert_eq!(answer.get::<u8>("age"), Some(41));
    assert_eq!(answer.get::<[&str; 2]>("sizes"), Some(["s", "xl"]));
    assert_eq!(answer.get::<bool>("sure"), None);
    assert_eq!(answer.get::<Option<bool>>("sure"), Some(None));
    assert_eq!(answer.get::<bool>("name"), None);
    assert_eq!(
        written(|w| w.value(answer.content())),
        r#"{"name":"A\nB","age":41.0,"ratio":0.5,"sizes":["s","xl"],"x":null}"#
    );
    assert_eq!((answer.text(), answer.model(), answer.roots().count()), ("", "", 0));
}

#[test]
fn a_schema_as_text_wants_an_object() {
    let ask = Ask::Form(Form { message: "m", fields: EVERY, schema: r#"{"type":"object","properties":{}}"# });
    let text = softened(r#"{"action":"accept","content":{"any":["\t"]}}"#);
    let answer = Answer::read(&ask, &text);
    assert_eq!(answer.get::<[&str; 1]>("any"), Some(["\t"]));
    for content in ["null", "[]", "\"\"", "7"] {
        let text = format!(r#"{{"action":"accept","content":{content}}}"#);
        assert_eq!(taken(&ask, &text), invalid("\"content\" must be an object"), "{content}");
    }
    assert_eq!(taken(&ask, r#"{"action":"accept"}"#).0, Action::Invalid);
}

#[test]
fn a_url_needs_no_content() {
    for text in [r#"{"action":"accept"}"#, r#"{"action":"accept","content":7}"#] {
        let answer = Answer::read(&URL, text.as_bytes());
        assert!(answer.accepted());
        assert_eq!(answer.content(), b"{}");
        assert_eq!(answer.get::<Option<u8>>("x"), None, "there are no fields");
    }
    assert_eq!(taken(&URL, r#"{"action":"decline"}"#).0, Action::Declined);
    assert_eq!(taken(&URL, r#"{"action":"opened"}"#).0, Action::Invalid);
}

#[test]
fn errors_and_silence() {
    let rejected = Answer::error(-1, "User rejected");
    assert_eq!(
        (rejected.action(), rejected.code(), rejected.message()),
        (Action::Declined, Some(-1), "User rejected")
    );
    let failed = Answer::error(-32603, "broken");
    assert_eq!((failed.action(), failed.code()), (Action::Failed, Some(-32603)));
    assert_eq!(explained(&failed), "The client answered with error -32603: broken");
    assert_eq!(explained(&Answer::error(i32::MIN, "")), "The client answered with error -2147483648: ");
    assert_eq!(Answer::error(1, "").action(), Action::Failed);
    let late = Answer::late();
    assert_eq!((late.action(), late.code(), late.content()), (Action::Late, None, &b"null"[..]));
    assert_eq!(explained(&late), "The client did not answer in time.");
}

#[test]
fn a_model_answers() {
    let ask = Ask::sample(HELLO, 9);
    let text = softened(
        r#"{"role":"assistant","content":{"type":"text","text":"Hi\tyou"},"model":"m-1","stopReason":"endTurn"}"#,
    );
    let answer = Answer::read(&ask, &text);
    assert!(answer.accepted(), "{}", explained(&answer));
    assert_eq!((answer.text(), answer.model(), answer.stop_reason()), ("Hi\tyou", "m-1", "endTurn"));
    assert_eq!(answer.role(), Some(Role::Assistant));
    assert_eq!(answer.tool_uses().count(), 0);
    assert_eq!(answer.get::<&str>("model"), None, "there are no fields");
    let text = softened(
        r#"{"model":"","role":"assistant","content":[{"type":"image","data":"","mimeType":"x"},{"type":"novel"},
        {"type":"tool_use","id":"u1","name":"add","input":{"a":"\n"}},{"type":"text","text":"one"},
        {"type":"text","text":"two"},{"type":"tool_use","id":"u2","name":"sub","input":[]}]}"#,
    );
    let answer = Answer::read(&ask, &text);
    assert_eq!((answer.text(), answer.stop_reason()), ("one", ""));
    let uses: Vec<ToolUse<'_>> = answer.tool_uses().collect();
    assert_eq!(uses.len(), 1, "an input is an object");
    assert_eq!((uses[0].id, uses[0].name), ("u1", "add"));
    #[derive(serde::Deserialize)]
    struct Input<'a> {
        a: &'a str,
    }
    assert_eq!(from_value::<Input<'_>>(uses[0].input).map(|i| i.a), Ok("\n"));
    // What the model said goes back to it as it came.
    let used = [Content::ToolUse { id: uses[0].id, name: uses[0].name, input: uses[0].input }];
    let again = [Message::assistant(&used)];
    let said = written(|w| {
        w.object();
        Ask::sample(&again, 1).write_params(w, Revision::V2025_11_25, "");
        w.close();
    });
    let said: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(said["messages"][0]["content"]["input"], json!({"a": "\n"}));
}

#[test]
fn a_model_must_answer_whole() {
    let ask = Ask::sample(HELLO, 9);
    let whole = json!({"role": "user", "model": "m", "content": []});
    assert_eq!(taken(&ask, &whole.to_string()).0, Action::Accepted);
    for (member, value, words) in [
        ("role", json!("system"), "\"role\" must be \"user\" or \"assistant\""),
        ("role", json!(null), "\"role\" must be \"user\" or \"assistant\""),
        ("model", json!(1), "\"model\" must be a text"),
        ("content", json!("text"), "\"content\" must be a content block or an array of them"),
        ("content", json!({}), "\"content\" must be a content block or an array of them"),
        ("content", json!([{"type": "text"}]), "\"content\" must be a content block or an array of them"),
        ("content", json!([7]), "\"content\" must be a content block or an array of them"),
    ] {
        let mut broken = whole.clone();
        broken[member] = value;
        assert_eq!(taken(&ask, &broken.to_string()), invalid(words), "{broken}");
        broken.as_object_mut().expect("an object").remove(member);
        assert_eq!(taken(&ask, &broken.to_string()), invalid(words), "{broken}");
    }
    assert_eq!(taken(&ask, r#"{"action":"decline"}"#).0, Action::Invalid);
}

#[test]
fn roots_are_listed() {
    let text =
        softened(r#"{"roots":[{"uri":"file:///a\u0062","name":"\"x\""},{"name":null,"uri":"file:///"}]}"#);
    let answer = Answer::read(&Ask::Roots, &text);
    let roots: Vec<Root<'_>> = answer.roots().collect();
    assert_eq!(roots, [Root { uri: "file:///ab", name: "\"x\"" }, Root { uri: "file:///", name: "" }]);
    assert_eq!(taken(&Ask::Roots, r#"{"roots":[]}"#).0, Action::Accepted);
    let words = "\"roots\" must be an array of objects with a \"uri\"";
    for text in [
        "{}",
        r#"{"roots":{}}"#,
        r#"{"roots":[7]}"#,
        r#"{"roots":[{"name":"x"}]}"#,
        r#"{"roots":[{"uri":1}]}"#,
    ] {
        assert_eq!(taken(&Ask::Roots, text), invalid(words), "{text}");
    }
}

#[test]
fn what_was_not_softened_is_refused() {
    let text = br#"{"action":"accept","content":{"name":"a\nb","age":1}}"#;
    let answer = Answer::read(&FORM, text);
    assert_eq!((answer.action(), explained(&answer)), invalid("it was not unescaped before it was read"));
}

const ASKS: [Ask<'_>; 4] = [FORM, URL, Ask::sample(HELLO, 1), Ask::Roots];

/// Every view of an answer that there is.
fn look(text: &[u8]) -> [Action; 4] {
    ASKS.map(|ask| {
        let answer = Answer::read(&ask, text);
        let words = explained(&answer);
        assert_eq!(answer.action() == Action::Invalid, words.contains("not valid"), "{words}");
        for field in EVERY {
            answer.get::<Option<&str>>(field.name);
        }
        let said = (answer.text(), answer.model(), answer.stop_reason(), answer.role());
        if !answer.accepted() {
            assert_eq!((said, answer.content()), (("", "", "", None), &b"null"[..]));
            assert_eq!(answer.roots().count() + answer.tool_uses().count(), 0);
        }
        answer.action()
    })
}

#[test]
fn cut_and_bent_answers_are_none() {
    let all = [
        r#"{"action":"accept","content":{"name":"A\nB","age":4,"sizes":["s"]}}"#,
        r#"{"role":"assistant","content":[{"type":"tool_use","id":"\u0041","name":"","input":{}}],"model":"m"}"#,
        r#"{"roots":[{"uri":"file:///\ud83d\ude00","name":"x"}]}"#,
    ];
    for (text, at) in all.into_iter().zip([0, 2, 3]) {
        let text = softened(text);
        assert_eq!(look(&text)[at], Action::Accepted);
        for end in 0..text.len() {
            assert_eq!(look(&text[..end]), [Action::Invalid; 4], "{end}");
        }
        for i in 0..text.len() {
            for byte in [0, b'"', b'\\', b'{', b'}', b']', b',', b':', b'7', 0xFE, 0xFF] {
                let mut bent = text.clone();
                bent[i] = byte;
                look(&bent);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_survived(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        look(&text);
    }

    #[test]
    fn any_pieces_are_survived(
        pieces in proptest::collection::vec(
            prop::sample::select(vec![
                "{", "}", "[", "]", ",", ":", "\"action\"", "\"accept\"", "\"content\"", "\"name\"", "\"age\"", "7", "null",
                "\"roots\"", "\"uri\"", "\"role\"", "\"user\"", "\"model\"", "\"type\"", "\"text\"", "\u{FE}", " ",
            ]),
            0..40,
        ),
    ) {
        look(pieces.concat().as_bytes());
    }
}

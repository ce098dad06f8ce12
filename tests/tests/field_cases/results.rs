//! Numbers, structured content, and resources.

use crate::peer::{META, Memory, Peer, Sizes};
use crate::serving::{Desk, FIELD};
use midge::{Io, Outcome};
use serde_json::{Value, json};

fn ready<'m>(memory: &'m mut Memory, revision: &str) -> Peer<'m, Desk> {
    let mut peer = Peer::new(memory, &FIELD, Desk::default());
    peer.init(revision);
    peer
}

fn modern(method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{{{META},{params}}}}}"#)
}

fn read(peer: &mut Peer<'_, Desk>, uri: &str) -> Value {
    peer.one(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{{"uri":"{uri}"}}}}"#))
}

#[test]
fn b14_integers_keep_their_digits() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory, "2025-11-25");
    for (a, b) in [
        ("9007199254740993", "18446744073709551615"),
        ("-9223372036854775808", "9007199254740993"),
        ("9223372036854775807", "0"),
        ("-9007199254740993", "9223372036854775808"),
    ] {
        let seen = peer.out.len();
        let result = peer.call("numbers", &format!(r#"{{"a":{a},"b":{b}}}"#));
        assert_eq!(result["content"][0]["text"], format!("{a} {b}"));
        let text = std::str::from_utf8(&peer.out[seen..]).expect("UTF-8");
        assert!(text.contains(&format!(r#""structuredContent":{{"a":{a},"b":{b}}}"#)), "{text}");
    }
    // Beyond the type it is refused, not rounded.
    for arguments in [
        r#"{"a":9223372036854775808,"b":0}"#,
        r#"{"a":0,"b":18446744073709551616}"#,
        r#"{"a":0,"b":-1}"#,
        r#"{"a":9007199254740993.5,"b":0}"#,
    ] {
        assert_eq!(peer.call("numbers", arguments)["isError"], true, "{arguments}");
    }
    // What is passed on keeps its text, beyond any type too.
    let value = r#"{"id":9007199254740993,"u":18446744073709551615,"f":0.1,"e":1e3,"huge":123456789012345678901234567890}"#;
    let seen = peer.out.len();
    peer.call("pass", value);
    let text = std::str::from_utf8(&peer.out[seen..]).expect("UTF-8");
    assert!(text.contains(&format!("\"structuredContent\":{value}")), "{text}");
}

#[test]
fn b21_errors_need_no_structured_content_and_results_do() {
    let owed = "This tool has an output schema and gave no structured content";
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
        let per_request = revision == "2026-07-28";
        if !per_request {
            peer.init(revision);
        }
        let mut call = |name: &str| match per_request {
            true => peer.one(&modern("tools/call", &format!(r#""name":"{name}""#)))["result"].clone(),
            false => peer.call(name, "{}"),
        };
        let boom = call("boom");
        assert_eq!(boom["content"], json!([{"type": "text", "text": "boom"}]), "{revision}");
        assert_eq!((&boom["isError"], boom.get("structuredContent")), (&json!(true), None));
        let lists_schemas = revision >= "2025-06-18";
        for name in ["owes_all", "owes_value", "owes_object"] {
            let result = call(name);
            // 2026-07-28 has structured content of any type; this tool's own schema is not looked at.
            let owes = lists_schemas && !(per_request && name == "owes_object");
            assert_eq!(result["isError"] == true, owes, "{revision} {name}: {result}");
            assert_eq!(result["content"][0]["text"] == owed, owes, "{revision} {name}: {result}");
        }
        let paid = call("pays");
        assert_eq!(paid.get("isError"), None);
        assert_eq!(paid["structuredContent"]["n"] == 1, lists_schemas);
    }
}

#[test]
fn b22_variables_are_decoded() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory, "2025-11-25");
    for (uri, name) in [
        ("note:///My%20File%C3%A9.txt", "My Fileé.txt"),
        ("note:///a%2Fb", "a/b"),
        ("note:///a%2fb", "a/b"),
        ("note:///a+b", "a+b"),
        ("note:///%F0%9F%98%80", "😀"),
        ("note:///plain", "plain"),
    ] {
        let contents = read(&mut peer, uri)["result"]["contents"].clone();
        assert_eq!(contents, json!([{"uri": uri, "text": name}]), "{uri}");
    }
    for uri in
        ["note:///bad%GG", "note:///bad%", "note:///bad%4", "note:///a/b", "note:///%FF", "note:///%C3"]
    {
        let answer = read(&mut peer, uri);
        assert_eq!(answer["error"]["code"], -32002, "{uri}: {answer}");
        assert_eq!(answer["error"]["data"]["uri"], uri);
        let answer = peer.one(&modern("resources/read", &format!(r#""uri":"{uri}""#)));
        assert_eq!(answer["error"]["code"], -32602, "{uri}: {answer}");
    }
    // A variable that does not fit into the scratch memory is a fault of the server, named as one.
    let answer = read(&mut peer, &format!("note:///{}", "%41".repeat(100)));
    assert_eq!(answer["error"]["code"], -32603, "{answer}");
    assert!(answer["error"]["message"].as_str().expect("text").contains("100 bytes"), "{answer}");
}

#[test]
fn b23_the_code_of_no_such_resource() {
    for uri in ["note:///none", "none:///such", "fixed:///b"] {
        for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            let mut memory = Memory::from(Sizes::default());
            let mut peer = ready(&mut memory, revision);
            let answer = read(&mut peer, uri);
            assert_eq!(answer["error"]["code"], -32002, "{revision}: {answer}");
            assert_eq!(answer["error"]["data"], json!({"uri": uri}));
            // In the same stream, a request that describes itself gets the code of its own revision.
            let answer = peer.one(&modern("resources/read", &format!(r#""uri":"{uri}""#)));
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert_eq!(answer["error"]["data"], json!({"uri": uri}));
        }
    }
}

/// The self-check holds for answers that come later too.
#[test]
fn b21_deferred_results() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory, "2025-11-25");
    for (name, pays, is_error) in
        [("hold", false, false), ("owes_later", false, true), ("owes_later", true, false)]
    {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
        assert!(peer.ask(&line).is_empty());
        let ticket = peer.state.tickets.pop().expect("it waits");
        let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
        if pays {
            io.structured_with(|w| w.raw(b"{\"n\":1}"));
        }
        io.finish(Outcome::Done);
        let answer = peer.news().remove(0);
        assert_eq!(answer["result"]["isError"] == true, is_error, "{name}: {answer}");
    }
}

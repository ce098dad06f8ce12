//! What requests may leave out, and the life of a session.

use crate::peer::{META, Memory, Peer, Sizes};
use crate::serving::{Desk, FIELD};
use midge_examples::everything::{CATALOG, Everything};
use serde_json::{Value, json};

const LISTS: [(&str, &str); 4] = [
    ("tools/list", "tools"),
    ("prompts/list", "prompts"),
    ("resources/list", "resources"),
    ("resources/templates/list", "resourceTemplates"),
];

fn ready(memory: &mut Memory) -> Peer<'_, Desk> {
    let mut peer = Peer::new(memory, &FIELD, Desk::default());
    peer.init("2025-11-25");
    peer
}

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or(0)
}

#[test]
fn b08_params_may_be_absent() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory);
    for method in LISTS.map(|(method, _)| method).into_iter().chain(["ping"]) {
        let with = peer.one(&format!(r#"{{"jsonrpc":"2.0","id":"1","method":"{method}","params":{{}}}}"#));
        assert!(with["result"].is_object(), "{with}");
        assert_eq!(
            peer.one(&format!(r#"{{"jsonrpc":"2.0","id":"1","method":"{method}"}}"#)),
            with,
            "{method}"
        );
    }
    // Without a handshake the request must describe itself.
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
    let answer = peer.one(r#"{"jsonrpc":"2.0","id":"1","method":"server/discover"}"#);
    assert_eq!(code(&answer), -32602, "{answer}");
}

#[test]
fn b09_arguments_null_or_absent() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory);
    for arguments in ["", r#","arguments":null"#, r#","arguments":{}"#] {
        for (method, name) in [("tools/call", "echo0"), ("prompts/get", "ask")] {
            let answer = peer.one(&format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{{"name":"{name}"{arguments}}}}}"#
            ));
            assert!(answer["result"].is_object() && answer["result"].get("isError").is_none(), "{answer}");
        }
        // A tool that needs an argument says so, in each of the three forms.
        let answer = peer.one(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"echo"{arguments}}}}}"#
        ));
        assert_eq!(answer["result"]["isError"], true, "\"text\" is missing: {answer}");
    }
    for arguments in ["[]", "1", "\"x\"", "true"] {
        let answer = peer.one(&format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"echo0","arguments":{arguments}}}}}"#
        ));
        assert_eq!(code(&answer), -32602, "{answer}");
    }
}

#[test]
fn b10_no_cursor_on_the_last_page() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory);
    for (method, member) in LISTS {
        for params in ["", r#""cursor":null"#, META] {
            let answer =
                peer.one(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{{{params}}}}}"#));
            assert!(answer["result"][member].is_array(), "{answer}");
            assert!(answer["result"].get("nextCursor").is_none(), "{answer}");
        }
    }
}

/// All pages of `method`, followed by their cursors.
fn pages(peer: &mut Peer<'_, Everything>, method: &str, member: &str) -> (usize, Vec<Value>) {
    let (mut count, mut items, mut cursor) = (0, Vec::new(), String::new());
    loop {
        let line = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{{{cursor}}}}}"#);
        let answer = peer.one(&line);
        // A cursor names a place: asked again, it gives the same page.
        assert_eq!(peer.one(&line), answer);
        count += 1;
        let page = answer["result"][member].as_array().expect("a list");
        assert!(!page.is_empty(), "no page is empty");
        items.extend(page.iter().cloned());
        match &answer["result"]["nextCursor"] {
            Value::Null => return (count, items),
            next => cursor = format!("\"cursor\":{next}"),
        }
        assert!(count < 1000, "the pages end");
    }
}

#[test]
fn b11_paging_ends() {
    for (method, member) in LISTS {
        let mut memory = Memory::from(Sizes { tx: 65_536, ..Sizes::default() });
        let mut peer = Peer::new(&mut memory, &CATALOG, Everything::default());
        peer.init("2025-11-25");
        let (_, whole) = pages(&mut peer, method, member);
        for page_bytes in [1, 300, 1000] {
            peer.server.config_mut().page_bytes = page_bytes;
            let (count, items) = pages(&mut peer, method, member);
            assert_eq!(items, whole, "{method}: every item once, in order");
            assert!(page_bytes > 1 || count == whole.len());
        }
        let answer = peer
            .one(&format!(r#"{{"jsonrpc":"2.0","id":2,"method":"{method}","params":{{"cursor":"c1"}}}}"#));
        assert_eq!(code(&answer), -32602, "a cursor of someone else's is refused: {answer}");
    }
}

#[test]
fn b12_unknown_notifications() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory);
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/stderr","params":{"content":"x"}}"#,
        r#"{"jsonrpc":"2.0","method":"window/logMessage"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress"}"#,
        r#"{"jsonrpc":"2.0","method":"x/y","params":[1]}"#,
        r#"{"jsonrpc":"2.0","method":"tools/list"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}"#,
    ] {
        assert!(peer.ask(line).is_empty(), "{line}");
        assert_eq!(peer.call("echo0", "{}")["content"][0]["text"], "ok");
    }
    assert_eq!(peer.server.stats().notifications, 5);
}

#[test]
fn b15_requests_before_initialized() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
    assert_eq!(peer.one(r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#)["result"], json!({}));
    let early = peer.one(r#"{"jsonrpc":"2.0","id":9,"method":"tools/list"}"#);
    assert_eq!((&early["id"], code(&early)), (&json!(9), -32600));
    let answer = peer.one(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
    );
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let level =
        peer.one(r#"{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"warning"}}"#);
    assert_eq!((&level["id"], &level["result"]), (&json!(2), &json!({})));
    assert_eq!(peer.one(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#)["result"], json!({}));
    assert!(peer.ask(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).is_empty());
    assert!(peer.one(r#"{"jsonrpc":"2.0","id":4,"method":"tools/list"}"#)["result"]["tools"].is_array());
}

#[test]
fn b16_version_negotiation() {
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1900-01-01", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("", "2025-11-25"),
        ("abc", "2025-11-25"),
    ] {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
        assert_eq!(peer.init(asked)["protocolVersion"], answered, "{asked:?}");
        assert_eq!(peer.call("echo0", "{}")["content"][0]["text"], "ok");
    }
    for version in [
        "",
        r#""protocolVersion":null,"#,
        r#""protocolVersion":20251125,"#,
        r#""protocolVersion":["2025-11-25"],"#,
    ] {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
        let answer = peer.one(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{{version}"capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}}}"#
        ));
        assert_eq!(code(&answer), -32602, "{answer}");
        assert_eq!(peer.init("2025-06-18")["protocolVersion"], "2025-06-18", "and it may try again");
    }
}

#[test]
fn b19_progress_tokens_that_look_like_nothing() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = ready(&mut memory);
    for token in ["0", r#""""#, r#""0""#, "9007199254740993", "-1"] {
        for meta in [
            format!(r#""_meta":{{"progressToken":{token}}}"#),
            META.replace("_meta\":{", &format!("_meta\":{{\"progressToken\":{token},")),
        ] {
            let seen = peer.out.len();
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"steps",{meta}}}}}"#
            );
            let all = peer.ask(&line);
            assert_eq!(all.len(), 4, "{token}: {all:?}");
            assert_eq!(all[3]["result"]["content"][0]["text"], "told");
            let text = std::str::from_utf8(&peer.out[seen..]).expect("UTF-8");
            assert_eq!(text.matches(&format!("\"progressToken\":{token},")).count(), 3, "{text}");
        }
    }
    for meta in ["", r#","_meta":{}"#] {
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"steps"{meta}}}}}"#);
        assert_eq!(peer.one(&line)["result"]["content"][0]["text"], "not asked");
    }
    for token in ["null", "1.5", "true", "{}"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"steps","_meta":{{"progressToken":{token}}}}}}}"#
        );
        assert_eq!(code(&peer.one(&line)), -32602, "{token}");
    }
}

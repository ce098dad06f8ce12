//! Ids and framing.

use crate::peer::{META, Memory, Peer, Sizes};
use crate::serving::{Desk, FIELD};
use midge::{Io, Outcome};
use serde_json::json;

const INIT: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n"
);

fn peer(memory: &mut Memory) -> Peer<'_, Desk> {
    Peer::new(memory, &FIELD, Desk::default())
}

#[test]
fn b01_id_type_is_echoed() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    peer.init("2025-11-25");
    for id in [r#""1""#, r#""a-7""#, r#""""#, r#""007""#, "0", "-1", "1", r#""é\u00e9\"""#] {
        let echoed = format!("\"id\":{id},");
        for (rest, kind) in [
            (r#""method":"tools/list","params":{}"#.to_owned(), "result"),
            (r#""method":"tools/call","params":{"name":"echo0"}"#.to_owned(), "result"),
            (r#""method":"tools/call","params":{"name":"echo","arguments":{}}"#.to_owned(), "result"),
            (r#""method":"tools/call","params":{"name":"nobody"}"#.to_owned(), "error"),
            (r#""method":"no/such""#.to_owned(), "error"),
            (r#""method":"tools/list","params":[]"#.to_owned(), "error"),
            (format!(r#""method":"tools/list","params":{{{META}}}"#), "result"),
            (format!(r#""method":"no/such","params":{{{META}}}"#), "error"),
        ] {
            let seen = peer.out.len();
            let answer = peer.one(&format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#));
            assert!(answer.get(kind).is_some(), "{id} {rest}: {answer}");
            let text = std::str::from_utf8(&peer.out[seen..]).expect("UTF-8");
            assert!(text.contains(&echoed), "{id} {rest}: {text}");
        }
        // An answer that comes later too.
        let seen = peer.out.len();
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"hold"}}}}"#);
        assert!(peer.ask(&line).is_empty());
        let ticket = peer.state.tickets.pop().expect("it waits");
        Io::resume(&mut peer.server, ticket).expect("it waits").finish(Outcome::Done);
        peer.news();
        assert!(std::str::from_utf8(&peer.out[seen..]).expect("UTF-8").contains(&echoed));
    }
}

#[test]
fn b02_characters_cut_in_two() {
    let text = "é — 😀 漢";
    let line = format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"text": text}}})
    );
    let cuts = (0..line.len()).filter(|at| !line.is_char_boundary(*at)).map(|at| vec![at]);
    let every: Vec<usize> = (1..line.len()).collect();
    for cuts in cuts.chain([vec![], every]) {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = peer(&mut memory);
        peer.init("2025-11-25");
        let mut from = 0;
        for cut in cuts.iter().copied().chain([line.len()]) {
            peer.feed(&line.as_bytes()[from..cut], usize::MAX);
            from = cut;
        }
        let all = peer.news();
        assert_eq!((all.len(), &all[0]["result"]["content"][0]["text"]), (1, &json!(text)), "{cuts:?}");
    }
}

#[test]
fn b03_long_lines() {
    const MIB: usize = 1 << 20;
    for flush in [true, false] {
        let tx = if flush { 4096 } else { 6 * MIB };
        let mut memory = Memory::from(Sizes { rx: 6 * MIB, tx, ..Sizes::default() });
        let mut peer = peer(&mut memory);
        peer.init("2025-11-25");
        peer.flush = flush;
        for size in [65_535, 65_536, 65_537, MIB, 5 * MIB] {
            let head = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":""#;
            let text = "x".repeat(size - head.len() - 4);
            let line =
                format!("{head}{text}\"}}}}}}\n{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}}\n");
            peer.feed(line.as_bytes(), 16 << 10);
            let all = peer.news();
            assert_eq!((all.len(), &all[1]["id"]), (2, &json!(3)), "{size}");
            assert_eq!(all[0]["result"]["content"][0]["text"], json!(text), "{size}");
        }
    }
    // A limit fails the message that crosses it, under its own id, and no other.
    let mut memory = Memory::from(Sizes { rx: 65_536, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    peer.init("2025-11-25");
    let long = "x".repeat(5 * MIB);
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":"long","method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{long}"}}}}}}"#
    );
    let answer = peer.one(&line);
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!("long"), &json!(-32600)));
    assert_eq!(answer["error"]["data"]["neededBytes"], line.len());
    assert_eq!(peer.call("echo0", "{}")["content"][0]["text"], "ok");
}

#[test]
fn b04_crlf_and_trailing_blanks() {
    for end in ["\r\n", " \n", "\t\n", " \t \r\n", "\r\r\n"] {
        for cut in [1, 2, usize::MAX] {
            let mut memory = Memory::from(Sizes::default());
            let mut peer = peer(&mut memory);
            let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}"#;
            peer.feed(format!("{INIT}{call}\n").replace('\n', end).as_bytes(), cut);
            let all = peer.news();
            assert_eq!(all.len(), 2, "{end:?}: {all:?}");
            assert_eq!(all[0]["result"]["protocolVersion"], "2025-11-25");
            assert_eq!(all[1]["result"]["content"][0]["text"], "a");
        }
    }
    // The carriage return and the newline in two reads.
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    for line in INIT.lines() {
        peer.feed(format!("{line}\r").as_bytes(), usize::MAX);
        peer.feed(b"\n", usize::MAX);
    }
    assert_eq!(peer.news().len(), 1);
}

#[test]
fn b05_garbage_before_the_first_message() {
    for (garbage, most) in [
        ("not json\n", 0),
        ("\u{FEFF}", 0),
        ("\n   \n[]\n42\n\"x\"\n{}\n", 2),
        ("\r\n\u{FEFF}\n{\"a\":\n", 1),
        ("\u{1b}[32mOK\u{1b}[0m\n[info] {not json}\n", 1),
    ] {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = peer(&mut memory);
        peer.feed(garbage.as_bytes(), usize::MAX);
        peer.feed(INIT.as_bytes(), usize::MAX);
        let mut all = peer.news();
        let answer = all.pop().expect("initialize is answered");
        assert_eq!((&answer["id"], &answer["result"]["protocolVersion"]), (&json!(1), &json!("2025-11-25")));
        assert!(all.len() <= most, "{garbage:?}: {all:?}");
        for error in all {
            assert!([-32700, -32600].map(|c| json!(c)).contains(&error["error"]["code"]), "{error}");
            assert!(error.get("id").is_none(), "no id is made up: {error}");
        }
        assert_eq!(peer.call("echo0", "{}")["content"][0]["text"], "ok");
    }
}

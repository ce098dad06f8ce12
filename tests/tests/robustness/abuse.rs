//! Misuse of the engine's own interface, and handlers that break its rules.

use crate::bench::{BENCH, Desk};
use crate::peer::{Memory, Peer, Sizes};
use midge::{Error, Io, Kind, Level, Outcome};
use serde_json::{Value, json};

pub const NEWEST: &str = "2025-11-25";
pub const PING: &str = r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#;

/// A server that shook hands.
pub fn peer(memory: &mut Memory) -> Peer<'_, Desk> {
    let mut peer = Peer::new(memory, &BENCH, Desk::default());
    peer.init(NEWEST);
    peer
}

/// The stream still serves.
pub fn alive(peer: &mut Peer<'_, Desk>) {
    assert_eq!(peer.one(PING)["result"], json!({}), "a ping is answered");
    assert_eq!(peer.call("plain", "{}")["content"][0]["text"], "plain");
}

/// The texts of a tool's result.
pub fn texts(result: &Value) -> Vec<&str> {
    result["content"].as_array().expect("content").iter().map(|c| c["text"].as_str().expect("text")).collect()
}

/// A call of a tool without arguments.
pub fn start(id: u32, name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}

fn kind<T>(result: Result<T, Error>) -> Kind {
    result.err().expect("it is refused").kind
}

#[test]
fn acknowledging_more_than_there_is() {
    let mut memory = Memory::from(Sizes { rx: 256, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    peer.server.send_ack(usize::MAX);
    peer.server.recv_buf()[..PING.len() + 1].copy_from_slice(format!("{PING}\n").as_bytes());
    peer.server.recv_ack(usize::MAX);
    peer.settle();
    let first = peer.news();
    assert!(first.iter().any(|m| m["id"] == "p"), "{first:?}");
    peer.feed(b"\n", 1);
    peer.news();
    alive(&mut peer);
    peer.server.send_ack(1);
    alive(&mut peer);
}

#[test]
fn tickets_answer_once() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    assert!(peer.ask(&start(2, "hold")).is_empty());
    let ticket = peer.state.tickets[0];
    let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
    io.text("answer");
    io.finish(Outcome::Done);
    io.finish(Outcome::Fail("again"));
    io.text("again");
    let _ = io.fail("again");
    io.protocol_error(-1, |w| w.text("again"));
    assert_eq!(kind(Io::resume(&mut peer.server, ticket)), Kind::Stale);
    let all = peer.news();
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(texts(&all[0]["result"]), ["answer"]);
    assert_eq!(peer.server.calls_waiting(), 0);
    // The slot is in use again, and the old ticket is none of its.
    assert!(peer.ask(&start(3, "hold")).is_empty());
    assert_eq!(kind(Io::resume(&mut peer.server, ticket)), Kind::Stale);
    assert!(!peer.server.is_waiting(ticket) && peer.server.is_waiting(peer.state.tickets[1]));
    alive(&mut peer);
}

#[test]
fn tickets_of_another_server() {
    let (mut one, mut two) =
        (Memory::from(Sizes { slots: 9, ..Sizes::default() }), Memory::from(Sizes::default()));
    let (mut one, mut two) = (peer(&mut one), peer(&mut two));
    for id in 10..19 {
        assert!(one.ask(&start(id, "hold")).is_empty());
    }
    for ticket in &one.state.tickets {
        assert_eq!(kind(Io::resume(&mut two.server, *ticket)), Kind::Stale);
    }
    alive(&mut two);
}

#[test]
fn a_reply_that_is_let_go_half_written() {
    for send_before_poll in [false, true] {
        let mut memory = Memory::from(Sizes { tx: 200, ..Sizes::default() });
        let mut peer = peer(&mut memory);
        assert!(peer.ask(&start(2, "hold")).is_empty());
        let ticket = peer.state.tickets[0];
        let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
        io.log(Level::Error, "said").expect("room");
        io.text("half");
        let _ = io;
        if send_before_poll {
            peer.take(usize::MAX);
        }
        let all = peer.news();
        assert_eq!(all.len(), 1, "the log message is whole: {all:?}");
        assert_eq!(all[0]["params"]["data"], "said");
        let mut io = Io::resume(&mut peer.server, ticket).expect("it still waits");
        io.text("whole");
        io.finish(Outcome::Done);
        assert_eq!(texts(&peer.news()[0]["result"]), ["whole"]);
        alive(&mut peer);
    }
}

/// Bytes of it are out, so the line is ended where it stands, and the call still gets its answer on a line of its own.
#[test]
fn a_reply_that_is_let_go_after_a_flush() {
    struct Out(Vec<u8>);
    impl midge::sink::Flush for Out {
        fn flush(&mut self, bytes: &[u8]) -> bool {
            self.0.extend_from_slice(bytes);
            true
        }
    }
    let mut memory = Memory::from(Sizes { tx: 128, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    peer.flush = true;
    assert!(peer.ask(&start(2, "hold")).is_empty());
    let ticket = peer.state.tickets[0];
    let mut out = Out(Vec::new());
    let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
    io.set_flush(&mut out);
    io.text(&"x".repeat(200));
    let _ = io;
    let seen = peer.out.len();
    peer.settle();
    let mut io = Io::resume(&mut peer.server, ticket).expect("it still waits");
    io.text("whole");
    io.finish(Outcome::Done);
    peer.settle();
    let rest = String::from_utf8([&out.0, &peer.out[seen..]].concat()).expect("UTF-8");
    let lines: Vec<_> = rest.lines().collect();
    assert_eq!(lines.len(), 2, "{rest}");
    assert!(serde_json::from_str::<Value>(lines[0]).is_err());
    assert_eq!(
        serde_json::from_str::<Value>(lines[1]).expect("JSON")["result"]["content"][0]["text"],
        "whole"
    );
}

#[test]
fn content_before_a_deferral_is_taken_back() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    assert!(peer.ask(&start(2, "write_then_defer")).is_empty());
    let ticket = peer.state.tickets[0];
    let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
    io.text("answer");
    io.finish(Outcome::Done);
    assert_eq!(texts(&peer.news()[0]["result"]), ["answer"]);
    assert_eq!(texts(&peer.call("defer_then_write", "{}")), ["kept"]);
    assert_eq!(peer.server.calls_waiting(), 0);
    assert!(!peer.server.is_waiting(peer.state.tickets[1]));
    alive(&mut peer);
}

#[test]
fn an_outcome_of_deferred_without_a_ticket() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    for tool in ["silent", "write_then_deferred_without_ticket"] {
        let answer = peer.one(&start(2, tool));
        assert_eq!(answer["error"]["code"], -32603, "{answer}");
        assert_eq!(answer["error"]["message"], "The handler came back without an answer");
        alive(&mut peer);
    }
}

#[test]
fn failures_take_content_back() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    for (tool, text) in
        [("write_then_fail", "failed"), ("fail_twice", "second"), ("structured_then_fail", "failed")]
    {
        let result = peer.call(tool, "{}");
        assert_eq!((texts(&result), &result["isError"]), (vec![text], &json!(true)), "{tool}");
        assert!(result.get("structuredContent").is_none());
    }
    alive(&mut peer);
}

#[test]
fn nothing_is_said_after_the_answer() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    for tool in ["refuse_then_write", "refuse_twice"] {
        let answer = peer.one(&start(2, tool));
        assert_eq!(answer["error"], json!({"code": -32602, "message": "refused"}), "{tool}");
        alive(&mut peer);
    }
    assert_eq!(texts(&peer.call("finish_twice", "{}")), ["once"]);
    assert_eq!(texts(&peer.call("finish_then_defer", "{}")), ["once"]);
    let stale = peer.state.tickets[0];
    assert_eq!((peer.server.calls_waiting(), peer.server.is_waiting(stale)), (0, false));
    // The slot serves the next call, and the ticket is none of its.
    assert!(peer.ask(&start(3, "hold")).is_empty());
    assert_eq!(kind(Io::resume(&mut peer.server, stale)), Kind::Stale);
    let line = r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"finish_then_talk","_meta":{"progressToken":4}}}"#;
    assert_eq!(peer.one(line)["result"]["content"], json!([]));
    assert_eq!(peer.state.errors, [Kind::Begun], "nobody asks for progress any more, and a log has no place");
    alive(&mut peer);
}

#[test]
fn failing_after_bytes_are_out() {
    for tx in [16, 64, 200, 1000] {
        let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
        let mut peer = peer(&mut memory);
        peer.flush = true;
        let result = peer.call("flush_then_fail", "{}");
        let texts = texts(&result);
        assert_eq!((texts.len(), texts.last(), &result["isError"]), (21, Some(&"failed"), &json!(true)));
        // The result is half out, so the call cannot be put off any more: it ends as a failed one.
        let result = peer.call("flush_then_defer", "{}");
        assert_eq!(result["isError"], true);
        assert_eq!(peer.server.calls_waiting(), 0);
        assert!(!peer.server.is_waiting(peer.state.tickets[0]));
        // Neither can it become an error.
        let result = peer.call("flush_then_refuse", "{}");
        assert_eq!(
            (&result["isError"], result["content"].as_array().map(Vec::len)),
            (&json!(true), Some(20))
        );
        let read = r#"{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"note:///breaks"}}"#;
        assert_eq!(peer.one(read)["result"]["contents"].as_array().map(Vec::len), Some(20));
        alive(&mut peer);
    }
}

#[test]
fn progress_and_logs_after_content() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    let line = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"talk_after_content","_meta":{"progressToken":"t"}}}"#;
    let answer = peer.one(line);
    assert_eq!(texts(&answer["result"]), ["content"]);
    assert_eq!(peer.state.errors, [Kind::Begun, Kind::Begun]);
}

#[test]
fn structured_content_comes_once() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    let seen = peer.out.len();
    let result = peer.call("structured_twice", "{}");
    assert_eq!(result["structuredContent"], json!({"n": 1}));
    let text = String::from_utf8_lossy(&peer.out[seen..]).into_owned();
    assert_eq!(text.matches("structuredContent").count(), 1, "{text}");
}

#[test]
fn completions_stop_at_a_hundred() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    let answer = peer.one(r#"{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"page:///{name}"},"argument":{"name":"name","value":"p"}}}"#);
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["values"].as_array().map(Vec::len), Some(100));
    assert_eq!((&completion["values"][99], &completion["hasMore"]), (&json!("page99"), &json!(true)));
    // A prompt without completion has no values, and says so.
    let answer = peer.one(r#"{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"ask"},"argument":{"name":"x","value":""}}}"#);
    assert_eq!(answer["result"]["completion"], json!({"values": []}));
}

#[test]
fn resources_with_several_contents() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    let answer =
        peer.one(r#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note:///several"}}"#);
    assert_eq!(
        answer["result"]["contents"],
        json!([
            {"uri": "note:///several", "mimeType": "text/plain", "text": "one"},
            {"uri": "note:///second", "mimeType": "text/plain", "text": "two"},
            {"uri": "note:///several", "mimeType": "text/plain", "blob": "dGhyZWU="},
        ])
    );
    assert!(
        peer.ask(r#"{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:///late"}}"#)
            .is_empty()
    );
    let ticket = peer.state.tickets[0];
    let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
    io.text("at last");
    io.finish(Outcome::Done);
    assert_eq!(
        peer.news()[0]["result"]["contents"],
        json!([{"uri": "note:///late", "mimeType": "text/plain", "text": "at last"}])
    );
}

//! Calls that wait, changes that become due, and memory that comes back.

use crate::bench::{BENCH, Desk};
use crate::peer::{META, Memory, Peer, Sizes};
use midge::{Event, Io, Kind, Millis, Outcome, Ticket};
use serde_json::{Value, json};

fn peer(memory: &mut Memory) -> Peer<'_, Desk> {
    let mut peer = Peer::new(memory, &BENCH, Desk::default());
    peer.init("2025-11-25");
    peer
}

fn call(id: u32, name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}

fn cancel(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
}

fn listen(id: u32, filter: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{{META},"notifications":{{{filter}}}}}}}"#
    )
}

fn subscribe(method: &str, uri: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":3,"method":"resources/{method}","params":{{"uri":"{uri}"}}}}"#)
}

fn stale(peer: &mut Peer<'_, Desk>, ticket: Ticket) -> bool {
    matches!(Io::resume(&mut peer.server, ticket), Err(error) if error.kind == Kind::Stale)
}

fn methods(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .map(|m| m["method"].as_str().unwrap_or(if m.get("result").is_some() { "result" } else { "error" }))
        .collect()
}

#[test]
fn tickets_across_cancel_and_expiry() {
    let mut memory = Memory::from(Sizes { slots: 2, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    // Given up by the client: no answer, and the ticket is stale.
    assert!(peer.ask(&call(2, "hold")).is_empty());
    assert!(peer.ask(&cancel("2")).is_empty());
    assert_eq!(peer.stopped, peer.state.tickets);
    let ticket = peer.state.tickets[0];
    assert!(stale(&mut peer, ticket));
    // Its time is over: the engine answers, and the ticket is stale.
    assert!(peer.ask(&call(3, "hold_a_while")).is_empty());
    assert_eq!(peer.server.deadline(), Some(Millis(100)));
    peer.now = 99;
    assert!(peer.news().is_empty());
    peer.now = 100;
    let late = peer.news();
    assert_eq!((late.len(), &late[0]["id"], &late[0]["error"]["code"]), (1, &json!(3), &json!(-32603)));
    assert_eq!((peer.stopped.len(), peer.server.deadline(), peer.server.calls_waiting()), (2, None, 0));
    let ticket = peer.state.tickets[1];
    assert!(stale(&mut peer, ticket));
    // A cancel that comes after all that, and one of a call that ended by its answer.
    assert!(peer.ask(&cancel("3")).is_empty());
    assert!(peer.ask(&call(4, "hold_a_while")).is_empty());
    let ticket = peer.state.tickets[2];
    Io::resume(&mut peer.server, ticket).expect("it waits").finish(Outcome::Done);
    assert!(peer.ask(&cancel("4")).len() == 1 && peer.stopped.len() == 2);
    peer.now = 10_000;
    assert!(peer.news().is_empty(), "an answered call has no deadline");
    // A deadline can be set anew by its ticket's holder.
    assert!(peer.ask(&call(5, "hold_a_while")).is_empty());
    let ticket = peer.state.tickets[3];
    let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
    assert_eq!(io.defer_until(Millis(20_000)), ticket);
    io.finish(Outcome::Deferred);
    peer.now = 15_000;
    assert!(peer.news().is_empty() && peer.server.is_waiting(ticket));
    assert_eq!((peer.server.calls_waiting(), peer.server.deadline()), (1, Some(Millis(20_000))));
    peer.now = 20_000;
    assert_eq!(methods(&peer.news()), ["error"]);
}

#[test]
fn slots_run_out_and_come_back() {
    let mut memory = Memory::from(Sizes { slots: 2, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    for round in 0..50 {
        let first = 10 + round * 10;
        assert!(peer.ask(&call(first, "hold")).is_empty());
        assert!(peer.ask(&call(first + 1, "hold")).is_empty());
        let refused = peer.one(&call(first + 2, "plain"));
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(first + 2), &json!(-32603)));
        assert!(refused["error"]["message"].as_str().expect("text").contains("holds 2 "), "{refused}");
        assert_eq!(
            peer.one(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)["id"],
            1,
            "lists need no slot"
        );
        let twice = peer.one(&call(first, "hold"));
        assert_eq!(twice["error"]["code"], -32600, "an id that is in flight: {twice}");
        let ticket = peer.state.tickets.pop().expect("it waits");
        Io::resume(&mut peer.server, ticket).expect("it waits").finish(Outcome::Done);
        assert_eq!(peer.news().len(), 1);
        assert!(peer.ask(&cancel(&first.to_string())).is_empty());
        assert_eq!(peer.call("plain", "{}")["content"][0]["text"], "plain");
        assert_eq!(peer.server.calls_waiting(), 0);
    }
}

/// Ten thousand times in and out of the same few bytes.
#[test]
fn subscriptions_leave_nothing_behind() {
    let mut memory = Memory::from(Sizes { subscriptions: 64, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    for n in 0..10_000_u32 {
        let uri = if n % 2 == 0 { "note:///a" } else { "page:///some%20page" };
        for _ in 0..=n % 2 {
            assert_eq!(peer.one(&subscribe("subscribe", uri))["result"], json!({}), "{n}");
        }
        if n % 3 == 0 {
            assert!(peer.server.resource_updated(uri));
            assert_eq!(methods(&peer.news()), ["notifications/resources/updated"]);
        }
        assert_eq!(peer.one(&subscribe("unsubscribe", uri))["result"], json!({}));
        assert!(!peer.server.resource_updated(uri) && peer.news().is_empty());
    }
    for n in 0..1_000 {
        let opened = peer.ask(&listen(n, r#""toolsListChanged":true,"resourceSubscriptions":["note:///a"]"#));
        assert_eq!(methods(&opened), ["notifications/subscriptions/acknowledged"], "{n}");
        assert!(peer.ask(&cancel(&n.to_string())).is_empty());
    }
    // The URI that no longer fits is refused, and the others stay.
    assert_eq!(peer.one(&subscribe("subscribe", "note:///a"))["result"], json!({}));
    let long = format!("page:///{}", "x".repeat(60));
    assert_eq!(peer.one(&subscribe("subscribe", &long))["error"]["data"]["limit"], "subscriptions");
    assert!(peer.server.resource_updated("note:///a"));
    assert_eq!(peer.news()[0]["params"], json!({"uri": "note:///a"}));
}

#[test]
fn closing_several_subscriptions() {
    for tx in [1, 7, 64, 4096] {
        let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
        let mut peer = peer(&mut memory);
        assert_eq!(peer.one(&subscribe("subscribe", "note:///b"))["result"], json!({}));
        assert_eq!(peer.ask(&listen(20, r#""toolsListChanged":true"#)).len(), 1);
        assert_eq!(peer.ask(&listen(21, r#""resourceSubscriptions":["note:///a","note:///b"]"#)).len(), 1);
        assert_eq!(peer.ask(&listen(22, "")).len(), 1);
        let again = peer.one(&listen(21, ""));
        assert_eq!(again["error"]["code"], -32600);
        peer.server.close_subscriptions();
        // Said again while the first is under way.
        for _ in 0..20 {
            let _ = peer.server.poll(Millis(0));
            peer.take(1);
            peer.server.close_subscriptions();
        }
        let all = peer.news();
        assert_eq!(methods(&all), ["notifications/cancelled", "result"].repeat(3), "tx {tx}");
        let ids: Vec<&Value> = all.iter().filter(|m| m.get("id").is_some()).map(|m| &m["id"]).collect();
        assert_eq!(ids, [20, 21, 22]);
        // The handshake client's subscription stays, and the ids may be used again.
        assert!(peer.server.resource_updated("note:///b"));
        assert_eq!(peer.news().len(), 1);
        assert_eq!(peer.ask(&listen(21, r#""promptsListChanged":true"#)).len(), 1);
    }
}

/// Everything becomes due at once while a list is cut: each message stays whole, and none is lost or doubled.
#[test]
fn changes_while_an_answer_is_cut() {
    for tx in [1, 2, 7, 64] {
        for moment in [0, 1, 3, 50, 200, 800, 1500] {
            let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
            let mut peer = peer(&mut memory);
            peer.ask(&listen(
                20,
                r#""toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["note:///a"]"#,
            ));
            peer.ask(&subscribe("subscribe", "note:///a"));
            peer.ask(&call(7, "hold_a_while"));
            assert_eq!(peer.state.tickets.len(), 1, "putting a call off takes no room");
            let line = "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\"}\n";
            peer.server.recv_buf()[..line.len()].copy_from_slice(line.as_bytes());
            peer.server.recv_ack(line.len());
            let mut sent = 0;
            while sent < moment {
                let _ = peer.server.poll(Millis(0));
                sent += peer.take(1).max(1);
            }
            peer.server.tools_changed();
            peer.server.prompts_changed();
            peer.server.resources_changed();
            assert!(peer.server.resource_updated("note:///a"));
            // The deadline passes too.
            peer.now = 100;
            let all = peer.news();
            let mut kinds = methods(&all);
            kinds.sort_unstable();
            let expected = [
                "error",
                "notifications/prompts/list_changed",
                "notifications/prompts/list_changed",
                "notifications/resources/list_changed",
                "notifications/resources/updated",
                "notifications/resources/updated",
                "notifications/tools/list_changed",
                "notifications/tools/list_changed",
                "result",
            ];
            assert_eq!(kinds, expected, "tx {tx}, after {moment} bytes");
            let late = all.iter().find(|m| m.get("error").is_some()).expect("the late call");
            assert_eq!((&late["id"], peer.stopped.len()), (&json!(7), 1));
        }
    }
}

/// While an answer is cut, nobody else may write; then everybody may.
#[test]
fn resuming_while_an_answer_is_cut() {
    let mut memory = Memory::from(Sizes { tx: 64, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    assert!(peer.ask(&call(7, "hold")).is_empty());
    let ticket = peer.state.tickets[0];
    let line = "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/list\"}\n";
    peer.server.recv_buf()[..line.len()].copy_from_slice(line.as_bytes());
    peer.server.recv_ack(line.len());
    let mut busy = 0;
    loop {
        let idle = matches!(peer.server.poll(Millis(0)), Event::Idle);
        match Io::resume(&mut peer.server, ticket) {
            Err(error) => assert_eq!(error.kind, Kind::Busy),
            Ok(mut io) => {
                assert!(idle);
                io.finish(Outcome::Done);
                break;
            }
        }
        busy += 1;
        peer.take(usize::MAX);
    }
    assert!(busy > 10);
    let all = peer.news();
    assert_eq!((all.len(), &all[0]["id"], &all[1]["id"]), (2, &json!(8), &json!(7)));
}

#[test]
fn a_handler_announces_changes() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    let all = peer.ask(&call(2, "change"));
    assert_eq!(all[0]["result"]["content"][0]["text"], "not heard");
    assert_eq!(
        methods(&all),
        [
            "result",
            "notifications/tools/list_changed",
            "notifications/prompts/list_changed",
            "notifications/resources/list_changed"
        ]
    );
    peer.ask(&subscribe("subscribe", "note:///a"));
    let all = peer.ask(&call(2, "change"));
    assert_eq!(all[0]["result"]["content"][0]["text"], "heard");
    assert_eq!(all.last().expect("an update")["params"], json!({"uri": "note:///a"}));
}

/// Changes before the client has the whole message are told by it: the client reads the list after that.
#[test]
fn changes_are_folded_and_none_is_lost() {
    let mut memory = Memory::from(Sizes { tx: 16, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    peer.server.tools_changed();
    peer.server.tools_changed();
    assert_eq!(peer.news().len(), 1);
    peer.server.tools_changed();
    let _ = peer.server.poll(Millis(0));
    assert_eq!(peer.take(usize::MAX), 16, "the message is cut");
    peer.server.tools_changed();
    assert_eq!(peer.news().len(), 1);
    peer.server.tools_changed();
    assert_eq!(peer.news().len(), 1);
}

/// Calls that wait when the stream ends are over; nothing more is said of them.
#[test]
fn the_end_of_the_stream() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = peer(&mut memory);
    assert!(peer.ask(&call(2, "hold")).is_empty());
    peer.feed(br#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#, 5);
    peer.server.recv_end();
    assert_eq!(peer.news()[0]["id"], 3, "a last line without its newline is served");
    assert!(matches!(peer.server.poll(Millis(0)), Event::Ended));
    assert!(matches!(peer.server.poll(Millis(u64::MAX)), Event::Ended));
    assert!(peer.news().is_empty());
}

//! Buffers that are too small, too full, or grow.

use crate::abuse::{NEWEST, PING, alive, peer, start, texts};
use crate::bench::{BENCH, Desk};
use crate::peer::{META, Memory, Peer, Sizes};
use midge::{Buf, Event, Io, Kind, Millis, Outcome, Slot, Storage};
use serde_json::json;

#[test]
fn a_reply_larger_than_the_buffer() {
    for tx in [1, 7, 64, 1000] {
        let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
        let mut peer = peer(&mut memory);
        for tool in ["much", "defer_then_write_much"] {
            let answer = peer.one(&start(2, tool));
            let data = &answer["error"]["data"];
            assert_eq!((&answer["error"]["code"], &data["limit"]), (&json!(-32603), &json!("tx")));
            assert_eq!(data["limitBytes"], tx);
            let needed = data["neededBytes"].as_u64().expect("a number") as usize;
            assert_eq!(peer.server.calls_waiting(), 0, "{tool}");
            // The number is right: that many bytes are enough, one less is not.
            for (tx, fits) in [(needed, true), (needed - 1, false)] {
                let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
                let mut peer = crate::abuse::peer(&mut memory);
                let answer = peer.one(&start(2, tool));
                assert_eq!(answer.get("result").is_some(), fits, "{tool} with {tx} bytes");
            }
        }
        assert_eq!(peer.one(PING)["result"], json!({}));
    }
}

/// What waits to be sent does not make a deferred answer too large: it is put off until there is room.
#[test]
fn deferred_answers_wait_for_room() {
    for reply_max in [usize::MAX, 0, 100] {
        let mut memory = Memory::from(Sizes { tx: 128, slots: 8, ..Sizes::default() });
        let mut peer = peer(&mut memory);
        for id in 10..18 {
            assert!(peer.ask(&start(id, "hold")).is_empty());
        }
        peer.server.config_mut().reply_max = reply_max;
        let mut left = peer.state.tickets.clone();
        for _ in 0..100 {
            left.retain(|ticket| match Io::resume(&mut peer.server, *ticket) {
                Ok(mut io) => {
                    io.text("0123456789");
                    io.finish(Outcome::Done);
                    false
                }
                Err(error) => {
                    assert_eq!(error.kind, Kind::Busy);
                    true
                }
            });
            peer.settle();
        }
        assert!(left.is_empty());
        let all = peer.news();
        assert_eq!(all.len(), 8);
        assert!(all.iter().all(|m| texts(&m["result"]) == ["0123456789"]), "{reply_max}: {all:?}");
    }
}

/// Vectors that grow, up to caps that no message fits into.
#[test]
fn growing_buffers_with_small_caps() {
    for (cap, flush) in [(1, false), (10, false), (64, false), (10, true), (4096, true)] {
        let (mut rx, mut tx) = (Vec::new(), Vec::new());
        let mut slots = [Slot::FREE; 2];
        let storage = Storage {
            rx: Buf::Growing { bytes: &mut rx, cap: 400 },
            tx: Buf::Growing { bytes: &mut tx, cap },
            slots: &mut slots,
            subscriptions: &mut [],
            scratch: &mut [],
            park: &mut [],
        };
        let mut peer = Peer::with(storage, &BENCH, Desk::default());
        peer.init(NEWEST);
        peer.flush = flush;
        let answer = peer.one(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        assert!(answer["result"]["tools"].as_array().expect("tools").len() > 10);
        let answer = peer.one(&start(3, "plain"));
        assert_eq!(answer.get("result").is_some(), flush, "cap {cap}: {answer}");
        let answer = peer.one(&format!(r#"{{"jsonrpc":"2.0","id":4,"method":"{}"}}"#, "x".repeat(500)));
        assert_eq!(answer["error"]["data"]["limit"], "rx");
        assert!(rx.len() <= 400 && tx.len() <= cap);
    }
}

#[test]
fn an_open_subscription_needs_memory() {
    let mut memory = Memory::from(Sizes { subscriptions: 0, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    let answer = peer.one(&format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{{{META},"notifications":{{"toolsListChanged":true}}}}}}"#
    ));
    assert_eq!(
        (&answer["error"]["code"], &answer["error"]["data"]["limit"]),
        (&json!(-32603), &json!("subscriptions"))
    );
    alive(&mut peer);
}

/// A full-duplex transport receives while an answer is cut: nothing of what waits is given up.
#[test]
fn receiving_while_an_answer_is_cut() {
    let list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    let mut memory = Memory::from(Sizes { rx: 160, tx: 16, ..Sizes::default() });
    let mut peer = Peer::new(&mut memory, &BENCH, Desk::default());
    peer.init(NEWEST);
    let mut input = list.repeat(20).into_bytes();
    for _ in 0..200_000 {
        let room = peer.server.recv_buf();
        let n = midge::bytes::copy(room, &input);
        peer.server.recv_ack(n);
        input.drain(..n);
        let idle = matches!(peer.server.poll(Millis(0)), Event::Idle);
        peer.take(3);
        if idle && input.is_empty() {
            break;
        }
    }
    let all = peer.news();
    assert_eq!(all.len(), 20);
    assert!(all.iter().all(|m| m["result"]["tools"].is_array()), "each list is answered as a list");
}

#[test]
fn polling_without_input_or_without_sending() {
    let mut memory = Memory::from(Sizes { tx: 64, ..Sizes::default() });
    let mut peer = peer(&mut memory);
    for _ in 0..100 {
        assert!(matches!(peer.server.poll(Millis(0)), Event::Idle));
    }
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/list\"}}\n{PING}\n");
    let room = peer.server.recv_buf();
    room[..line.len()].copy_from_slice(line.as_bytes());
    peer.server.recv_ack(line.len());
    let mut waited = 0;
    for _ in 0..20_000 {
        match peer.server.poll(Millis(0)) {
            Event::Idle => break,
            _ if waited < 10 => waited += 1,
            _ => {
                waited = 0;
                assert_eq!(peer.take(1), 1);
            }
        }
    }
    let all = peer.news();
    assert_eq!((all.len(), &all[0]["id"], &all[1]["id"]), (2, &json!(5), &json!("p")));
    assert!(all[0]["result"]["tools"].as_array().expect("tools").len() > 10);
}

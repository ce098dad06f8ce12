//! Answers, cancels and slow readers that cross.

use crate::peer::{Memory, Peer, Sizes};
use crate::serving::{Desk, FIELD};
use midge::session::slots::Ticket;
use midge::{Event, Io, Kind, Millis, Outcome};
use midge_tests::replay::Random;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Many calls are answered late, some are cancelled, and the reader takes a few bytes at a time.
#[test]
fn b07_messages_are_written_whole() {
    let big = "x".repeat(100 << 10);
    for tx in [101 << 10, 256 << 10] {
        let mut memory = Memory::from(Sizes { tx, slots: 16, ..Sizes::default() });
        let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
        peer.init("2025-11-25");
        let mut random = Random::new(tx as u64);
        let (mut answered, mut cancelled) = (0, 0);
        let mut all = Vec::new();
        for round in 0..25 {
            for n in 0..16 {
                let line = format!(
                    r#"{{"jsonrpc":"2.0","id":"{round}-{n}","method":"tools/call","params":{{"name":"hold"}}}}"#
                );
                assert!(peer.ask(&line).is_empty());
            }
            let mut left = std::mem::take(&mut peer.state.tickets);
            while !left.is_empty() {
                left.retain(|ticket| match Io::resume(&mut peer.server, *ticket) {
                    Ok(mut io) => {
                        io.text(&big);
                        io.finish(Outcome::Done);
                        answered += 1;
                        false
                    }
                    Err(error) => error.kind == Kind::Busy,
                });
                for _ in 0..random.upto(4) {
                    slow_step(&mut peer, &mut random, round, &mut cancelled);
                }
            }
            all.extend(peer.news());
        }
        let results: Vec<&Value> = all.iter().filter(|m| m["result"].get("content").is_some()).collect();
        assert_eq!((results.len(), answered + cancelled), (answered, 400), "each call ends once");
        assert!(answered > 100 && cancelled > 10, "{answered} answered, {cancelled} cancelled");
        assert!(results.iter().all(|m| m["result"]["content"][0]["text"] == big.as_str()));
    }
}

/// A little is read, a little is sent, and now and then a call is cancelled.
fn slow_step(peer: &mut Peer<'_, Desk>, random: &mut Random, round: usize, cancelled: &mut usize) {
    peer.take(random.upto(60_000));
    if random.upto(8) == 1 {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":\"{round}-{}\"}}}}\n",
            random.upto(16) - 1
        );
        let room = peer.server.recv_buf();
        room[..line.len()].copy_from_slice(line.as_bytes());
        peer.server.recv_ack(line.len());
    }
    loop {
        match peer.server.poll(Millis(0)) {
            Event::Idle | Event::Send | Event::Ended => return,
            Event::Cancelled(_) => *cancelled += 1,
            Event::Call(_) | Event::Expired(_) => panic!("no call is under way"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Fate {
    /// A call that is answered at once, or refused because it is in flight or there is no slot.
    AtOnce,
    Waits(Ticket),
    Answered,
    Cancelled,
}

/// What must be true of each id, kept beside the engine.
struct Model {
    random: Random,
    fates: HashMap<i64, Fate>,
    next: i64,
}

#[test]
fn b17_cancel_and_completion_cross() {
    let (mut answered, mut cancelled, mut late) = (0, 0, 0);
    for seed in 0..10_000 {
        let mut random = Random::new(seed);
        let sizes = Sizes { rx: 512, tx: 128 + random.upto(256), slots: random.upto(3), ..Sizes::default() };
        let mut memory = Memory::from(sizes);
        let mut peer = Peer::new(&mut memory, &FIELD, Desk::default());
        peer.init("2025-11-25");
        let mut model = Model { random, fates: HashMap::new(), next: 100 };
        for _ in 0..30 {
            model.act(&mut peer, &mut late);
        }
        model.end(&mut peer);
        let mut answers: HashMap<i64, usize> = HashMap::new();
        for message in peer.news() {
            *answers.entry(message["id"].as_i64().expect("each answer has its id")).or_default() += 1;
        }
        for (id, fate) in &model.fates {
            let count = answers.get(id).copied().unwrap_or(0);
            let expected = usize::from(*fate != Fate::Cancelled);
            assert_eq!(count, expected, "seed {seed}, id {id}: {fate:?}");
            answered += usize::from(*fate == Fate::Answered);
            cancelled += usize::from(*fate == Fate::Cancelled);
        }
        assert_eq!(
            answers.len(),
            model.fates.values().filter(|f| **f != Fate::Cancelled).count(),
            "seed {seed}"
        );
        assert_eq!(peer.one(r#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)["result"], json!({}));
    }
    assert!(answered > 10_000 && cancelled > 5_000 && late > 1_000, "{answered} {cancelled} {late}");
}

impl Model {
    fn act(&mut self, peer: &mut Peer<'_, Desk>, late: &mut usize) {
        match self.random.upto(8) {
            1 | 2 => self.call(peer),
            3 => self.cancel(peer, late),
            4 | 5 => self.complete(peer),
            6 => {
                peer.take(self.random.upto(40));
            }
            _ => {
                self.poll(peer);
            }
        }
    }

    /// Puts a line into the receive buffer; it is not looked at before the engine is polled.
    fn send(&mut self, peer: &mut Peer<'_, Desk>, line: &str) -> bool {
        let room = peer.server.recv_buf();
        if room.len() < line.len() + 1 {
            return false;
        }
        room[..line.len()].copy_from_slice(line.as_bytes());
        room[line.len()] = b'\n';
        peer.server.recv_ack(line.len() + 1);
        true
    }

    fn call(&mut self, peer: &mut Peer<'_, Desk>) {
        let id = self.next;
        let name = if self.random.upto(3) == 1 { "echo0" } else { "hold" };
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#);
        if self.send(peer, &line) {
            self.next += 1;
            self.fates.insert(id, Fate::AtOnce);
        }
    }

    fn cancel(&mut self, peer: &mut Peer<'_, Desk>, late: &mut usize) {
        let span = (self.next - 100).max(1) as usize;
        let id = 99 + self.random.upto(span) as i64;
        let params = match self.random.upto(10) {
            1 => format!("{{\"requestId\":\"{id}\"}}"),
            2 => "{}".to_owned(),
            3 => "{\"requestId\":5000}".to_owned(),
            _ => format!("{{\"requestId\":{id}}}"),
        };
        let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{params}}}"#);
        *late += usize::from(self.fates.get(&id) == Some(&Fate::Answered));
        self.send(peer, &line);
        if self.random.upto(4) == 1 {
            self.send(peer, &line);
        }
    }

    /// Answers a call by its ticket, whatever has become of it.
    fn complete(&mut self, peer: &mut Peer<'_, Desk>) {
        if peer.state.tickets.is_empty() {
            return;
        }
        let at = self.random.upto(peer.state.tickets.len()) - 1;
        let ticket = peer.state.tickets[at];
        let owner = self.fates.iter().find(|(_, f)| **f == Fate::Waits(ticket)).map(|(id, _)| *id);
        match Io::resume(&mut peer.server, ticket) {
            Ok(mut io) => {
                io.text("done");
                io.finish(Outcome::Done);
                let id = owner.expect("only a call that waits can be answered");
                self.fates.insert(id, Fate::Answered);
            }
            Err(error) if error.kind == Kind::Busy => {}
            Err(error) => assert_eq!((error.kind, owner), (Kind::Stale, None)),
        }
    }

    /// One step; whether nothing is left to do with what was received.
    fn poll(&mut self, peer: &mut Peer<'_, Desk>) -> bool {
        match peer.server.poll(Millis(0)) {
            Event::Call(call) => {
                let id = std::str::from_utf8(call.reply.id()).ok().and_then(|id| id.parse::<i64>().ok());
                let before = peer.state.tickets.len();
                FIELD.run(call, &mut peer.state, None);
                if let Some(ticket) = peer.state.tickets.get(before) {
                    self.fates.insert(id.expect("a number"), Fate::Waits(*ticket));
                }
            }
            Event::Cancelled(ticket) => {
                let owner = self.fates.iter().find(|(_, f)| **f == Fate::Waits(ticket)).map(|(id, _)| *id);
                self.fates.insert(owner.expect("only a call that waits is cancelled"), Fate::Cancelled);
            }
            Event::Expired(_) => panic!("no call has a deadline"),
            Event::Idle | Event::Ended => return true,
            Event::Send => {}
        }
        false
    }

    /// Lets everything come to rest; what still waits is answered.
    fn end(&mut self, peer: &mut Peer<'_, Desk>) {
        for _ in 0..500 {
            let idle = self.poll(peer);
            self.complete(peer);
            if peer.take(usize::MAX) == 0 && idle && peer.server.calls_waiting() == 0 {
                break;
            }
        }
        peer.state.tickets.retain(|t| peer.server.is_waiting(*t));
        assert!(peer.state.tickets.is_empty(), "every call has ended");
        assert_eq!(peer.server.calls_waiting(), 0);
    }
}

//! Random sessions, damaged in random ways, in random cuts, with little memory.

use crate::bench::{BENCH, Desk};
use crate::peer::{META, Memory, Peer, Sizes};
use midge::{Io, Level, Outcome};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Lines of a session; `@` stands for an id that no other line has, `#` for the id of an earlier one.
const LINES: [&str; 24] = [
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/list","params":{"cursor":null}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"prompts/list","params":{}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"ping"}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"hold"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"hold_a_while","_meta":{"progressToken":0}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"\u0063hange","arguments":{"a":"\n\u00e9\ud83d\ude00"}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/read","params":{"uri":"note:///several"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/read","params":{"uri":"note:///breaks"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/read","params":{"uri":"page:///a%20b%C3%A9%2Fcccccccccccccccccccc"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/read","params":{"uri":"no:///such"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/subscribe","params":{"uri":"note:///a"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"resources/unsubscribe","params":{"uri":"note:///a"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"prompts/get","params":{"name":"ask"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"page:///{name}"},"argument":{"name":"name","value":"p"}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"logging/setLevel","params":{"level":"debug"}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":#}}"#,
    r#"{"jsonrpc":"2.0","id":#,"result":{}}"#,
    r#"[{"jsonrpc":"2.0","id":@,"method":"tools/list"},{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"hold"}},3,{"jsonrpc":"2.0","id":@,"method":"ping"}]"#,
    r#"[{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":#}},{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{"name":"change"}}]"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"server/discover","params":{META}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"subscriptions/listen","params":{META,"notifications":{"toolsListChanged":true,"resourceSubscriptions":["note:///a","note:\/\/\/b"]}}}"#,
    r#"{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{META,"name":"talk_after_content"}}"#,
];

#[derive(Clone, Debug)]
enum Act {
    /// A line, whole.
    Line(usize),
    /// A line, damaged: bytes overwritten, cut out, or put in.
    Damaged(usize, Vec<(prop::sample::Index, Option<u8>, bool)>),
    /// A call of a tool.
    Tool(prop::sample::Index),
    /// Any bytes.
    Bytes(Vec<u8>),
    /// A line too long for most buffers.
    Long(usize),
    /// A ticket, old or new, is used: to answer, to talk, to fail, or for nothing.
    Resume(prop::sample::Index, u8),
    /// Time passes.
    Wait(u64),
    /// Something is announced.
    Change(u8),
    /// The loop stops sending, or sends again.
    Stuck(bool),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let damage =
        prop::collection::vec((any::<prop::sample::Index>(), any::<Option<u8>>(), any::<bool>()), 1..4);
    let act = prop_oneof![
        8 => (0..LINES.len()).prop_map(Act::Line),
        4 => (0..LINES.len(), damage).prop_map(|(line, damage)| Act::Damaged(line, damage)),
        6 => any::<prop::sample::Index>().prop_map(Act::Tool),
        2 => prop::collection::vec(any::<u8>(), 0..60).prop_map(Act::Bytes),
        1 => (100..3000_usize).prop_map(Act::Long),
        6 => (any::<prop::sample::Index>(), 0..6_u8).prop_map(|(at, how)| Act::Resume(at, how)),
        2 => (0..150_u64).prop_map(Act::Wait),
        2 => (0..5_u8).prop_map(Act::Change),
        2 => any::<bool>().prop_map(Act::Stuck),
    ];
    prop::collection::vec(act, 1..40)
}

prop_compose! {
    fn sizes()(
        rx in prop_oneof![1..64_usize, 64..2000_usize],
        tx in prop_oneof![1..64_usize, 64..2000_usize],
        slots in 1..4_usize,
        subscriptions in 0..120_usize,
        scratch in 0..40_usize,
    ) -> Sizes {
        Sizes { rx, tx, slots, subscriptions, scratch, park: scratch * 8 }
    }
}

struct Session<'b> {
    peer: Peer<'b, Desk>,
    /// All that was fed.
    input: Vec<u8>,
    ids: Vec<String>,
    /// Ids that stand in damaged lines beside their own.
    reused: HashSet<String>,
    cut: usize,
    stuck: bool,
}

impl Session<'_> {
    fn line(&mut self, line: &str) -> String {
        let mut text = line.replace("META", META);
        if let Some(old) = self.ids.last() {
            text = text.replace('#', old);
        }
        while text.contains('@') {
            let id = format!(
                "\"id-{:04}-{:016x}\"",
                self.ids.len(),
                (self.ids.len() as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
            );
            text = text.replacen('@', &id, 1);
            self.ids.push(id);
        }
        text + "\n"
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Line(at) => {
                let line = self.line(LINES[*at]);
                self.feed(line.as_bytes());
            }
            Act::Damaged(at, damage) => {
                self.reused.extend(self.ids.last().cloned());
                let mut line = self.line(LINES[*at]).into_bytes();
                for (place, byte, insert) in damage {
                    let at = place.index(line.len());
                    match (byte, insert) {
                        (Some(byte), true) => line.insert(at, *byte),
                        (Some(byte), false) => line[at] = *byte,
                        (None, true) => line.truncate(at.max(1)),
                        (None, false) => drop(line.remove(at)),
                    }
                    if line.is_empty() {
                        line.push(b'\n');
                    }
                }
                self.feed(&line);
            }
            Act::Tool(at) => {
                let name = at.get(BENCH.tools).def.name;
                let line = self.line(&format!(
                    r#"{{"jsonrpc":"2.0","id":@,"method":"tools/call","params":{{"name":"{name}","_meta":{{"progressToken":"t"}}}}}}"#
                ));
                self.feed(line.as_bytes());
            }
            Act::Bytes(bytes) => self.feed(bytes),
            Act::Long(len) => {
                let text = "x".repeat(*len);
                let line = self.line(&format!(
                    r#"{{"jsonrpc":"2.0","params":{{"name":"plain","arguments":{{"a":"{text}"}}}},"id":@,"method":"tools/call"}}"#
                ));
                self.feed(line.as_bytes());
            }
            Act::Resume(at, how) => self.resume(*at, *how),
            Act::Wait(ms) => {
                self.peer.now += ms;
                self.work();
            }
            Act::Change(0) => self.peer.server.tools_changed(),
            Act::Change(1) => self.peer.server.prompts_changed(),
            Act::Change(2) => self.peer.server.resources_changed(),
            Act::Change(3) => drop(self.peer.server.resource_updated("note:///a")),
            Act::Change(_) => self.peer.server.close_subscriptions(),
            Act::Stuck(stuck) => self.stuck = *stuck,
        }
    }

    fn resume(&mut self, at: prop::sample::Index, how: u8) {
        if self.peer.state.tickets.is_empty() {
            return;
        }
        let ticket = *at.get(&self.peer.state.tickets);
        if let Ok(mut io) = Io::resume(&mut self.peer.server, ticket) {
            // What does not fit, or is not wanted, is an error for the handler and none for the stream.
            let _ = io.progress(u64::from(how), Some(9), "on it");
            let _ = io.log(Level::Error, "on it");
            match how {
                0 => io.finish(Outcome::Done),
                1 => io.finish(Outcome::Fail("no")),
                2 => io.protocol_error(-1, |w| w.text("no")),
                3 => io.text("and let go"),
                4 => {
                    io.text("answer");
                    io.finish(Outcome::Done);
                }
                _ => {
                    io.text("put off again");
                    let _ = io.defer();
                }
            }
        }
        self.work();
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
        let mut rest = bytes;
        // Each turn takes bytes or makes room for some.
        for turn in 0.. {
            if rest.is_empty() {
                return;
            }
            assert!(turn < 1_000_000, "the engine takes no more input");
            let room = self.peer.server.recv_buf();
            let n = room.len().min(self.cut).min(rest.len());
            room[..n].copy_from_slice(&rest[..n]);
            self.peer.server.recv_ack(n);
            rest = &rest[n..];
            if n == 0 {
                self.stuck = false;
            }
            self.work();
        }
    }

    /// What a loop does, or what one does whose transport takes next to nothing.
    fn work(&mut self) {
        if !self.stuck {
            return self.peer.settle();
        }
        for _ in 0..4 {
            // Polled on, though next to nothing was sent: that must be harmless.
            self.peer.poll_one();
        }
        self.peer.take(1);
    }

    /// Checks what was sent as a whole.
    fn check(mut self) {
        self.stuck = false;
        self.feed(b"\n");
        self.feed(b"{\"jsonrpc\":\"2.0\",\"id\":\"the last\",\"method\":\"ping\"}\n");
        let mut answers: HashMap<String, usize> = HashMap::new();
        let all = self.peer.news();
        for message in all.iter().flat_map(|m| m.as_array().map_or(std::slice::from_ref(m), Vec::as_slice)) {
            assert_eq!(message["jsonrpc"], "2.0", "{message}");
            let kinds = ["method", "result", "error"].iter().filter(|k| message.get(**k).is_some()).count();
            assert_eq!(kinds, 1, "each message is of one kind: {message}");
            if message.get("method").is_none() {
                *answers.entry(message["id"].to_string()).or_default() += 1;
            }
        }
        let input = String::from_utf8_lossy(&self.input);
        for id in &self.ids {
            let count = answers.get(id).copied().unwrap_or(0);
            // A damaged response, or cancel, may have become a request.
            let most = if self.reused.contains(id) { input.matches(id.as_str()).count() } else { 1 };
            assert!(count <= most, "{id} is answered {count} times");
        }
        assert_eq!(answers.get("\"the last\""), Some(&1), "the stream goes on: {:?}", all.last());
        let last: Option<&Value> = all.iter().rev().find(|m| m["id"] == "the last");
        assert!(
            last.is_some_and(|m| m.get("result").is_some() || m["error"]["data"]["limit"] == "rx"),
            "{last:?}"
        );
    }
}

/// `PROPTEST_CASES` asks for more than the usual number of sessions.
fn config() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig { cases: usual.cases.max(1500), failure_persistence: None, ..usual }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_session_in_any_memory(
        acts in acts(),
        sizes in sizes(),
        cut in prop_oneof![Just(1), 1..100_usize, Just(usize::MAX)],
        revision in prop_oneof![Just(None), (0..4_usize).prop_map(Some)],
        flush in any::<bool>(),
        reply_max in prop_oneof![Just(usize::MAX), Just(0), 0..300_usize],
    ) {
        let mut memory = Memory::from(sizes);
        let mut peer = Peer::new(&mut memory, &BENCH, Desk::default());
        peer.flush = flush;
        peer.server.config_mut().reply_max = reply_max;
        let mut session = Session { peer, input: Vec::new(), ids: Vec::new(), reused: HashSet::new(), cut, stuck: false };
        if let Some(revision) = revision {
            let line = session.line(&format!(
                r#"{{"jsonrpc":"2.0","id":@,"method":"initialize","params":{{"protocolVersion":"{}","capabilities":{{}}}}}}"#,
                midge::proto::revision::ALL[revision].name()
            ));
            session.feed(line.as_bytes());
        }
        for act in &acts {
            session.act(act);
        }
        session.check();
    }
}

//! Calls, how long they take, and how they are given up.

use super::desk::{Desk, PLAIN, any, json, legacy, modern};
use midge::client::{Filter, Options, Reference};
use midge::session::rows::List;
use midge::{Kind, Level, Revision};

const TIMED: Options<'static> = Options { timeout_ms: 100, ..PLAIN };
const DONE: &str = r#"= 0: done result {"content":[]}"#;
const LATE: &str = "= 0: done failed: no answer came in time";
const OLD: Revision = Revision::V2025_11_25;

/// What the server is told of a call that is given up.
fn cancelled(id: u64) -> String {
    format!(
        r#"> "method":"notifications/cancelled","params":{{"requestId":{id},"reason":"the client does not wait any more"}}"#
    )
}

fn answer(id: u64) -> String {
    format!(r#""id":{id},"result":{{"content":[]}}"#)
}

fn stray(id: u64) -> String {
    format!(r#"= stray response {{"jsonrpc":"2.0",{}}}"#, answer(id))
}

fn progress(token: u64) -> String {
    format!(r#""method":"notifications/progress","params":{{"progressToken":{token},"progress":1}}"#)
}

#[test]
fn requests_have_the_form_of_their_revision() {
    modern(|desk| {
        let options = Options { progress: true, log_level: Some(Level::Info), task_ms: Some(5), ..PLAIN };
        desk.call(|c| c.call_tool("t\n", json("{ \"a\": [1,\n2.50e0, \"\\u00e9\"] }"), options));
        desk.call(|c| c.get_prompt("p", &[("a", "\"")], PLAIN));
        desk.call(|c| c.read_resource("a:b", PLAIN));
        desk.call(|c| c.complete(Reference::Resource("a:{b}"), ("b", "x"), &[("c", "d")], PLAIN));
        desk.call(|c| c.request("x\"y", PLAIN, |w| w.key("open")));
        desk.client.notify("n\"", |w| w.array_of("k")).expect("it is sent");
        desk.expect(&[
            r#"> "id":2,"method":"tools/call","params":{"_meta":{ME,"progressToken":2,"io.modelcontextprotocol/logLevel":"info"},"name":"t\n","arguments":{"a":[1,2.50e0,"\u00e9"]}}"#,
            r#"> "id":3,"method":"prompts/get","params":{"_meta":{ME},"name":"p","arguments":{"a":"\""}}"#,
            r#"> "id":4,"method":"resources/read","params":{"_meta":{ME},"uri":"a:b"}"#,
            r#"> "id":5,"method":"completion/complete","params":{"_meta":{ME},"ref":{"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"b","value":"x"},"context":{"arguments":{"c":"d"}}}"#,
            r#"> "id":6,"method":"x\"y","params":{"_meta":{ME},"open":null}"#,
            r#"> "method":"n\"","params":{"k":["v"]}"#,
        ]);
        for refused in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/result"] {
            let error = desk.client.request(refused, PLAIN, |_| {}).map_err(|error| error.kind);
            assert_eq!(error.err(), Some(Kind::NotInRevision), "{refused}");
        }
    });
    legacy(OLD, |desk| {
        let options = Options { progress: true, log_level: Some(Level::Info), task_ms: Some(5), ..PLAIN };
        desk.call(|c| c.call_tool("t", json("{}"), options));
        desk.expect(&[
            r#"> "id":2,"method":"tools/call","params":{"_meta":{"progressToken":2},"name":"t","arguments":{},"task":{"ttl":5}}"#,
        ]);
        for refused in ["initialize", "server/discover", "subscriptions/listen", "tasks/update"] {
            let error = desk.client.request(refused, PLAIN, |_| {}).map_err(|error| error.kind);
            assert_eq!(error.err(), Some(Kind::NotInRevision), "{refused}");
        }
    });
}

#[test]
fn the_meta_of_an_application_stands_beside_that_of_the_engine() {
    let mut softened = br#"{"\u00e9":"\n","progress\u0054oken":9}"#.to_vec();
    midge::json::text::soften(&mut softened);
    for (meta, more) in [
        (
            json(r#"{ "traceparent" : "00-1" , "a":{"b":[1, 2]} }"#),
            r#","traceparent":"00-1","a":{"b":[1,2]}"#,
        ),
        (json(r#"{"progressToken":7,"io.modelcontextprotocol/x":1,"z":1}"#), r#","z":1"#),
        (json(r#"{"progress\u0054oken":7,"io.modelcontextprotocol\/protocolVersion":1}"#), ""),
        (midge::json::Raw::scanned(&softened), r#","é":"\n""#),
        (json("[1]"), ""),
        (json("\"x\""), ""),
        (json("null"), ""),
    ] {
        let options = Options { meta: Some(meta), ..PLAIN };
        modern(|desk| {
            desk.call(|c| c.list(List::Tools, options));
            let request = format!(r#"> "id":2,"method":"tools/list","params":{{"_meta":{{ME{more}}}}}"#);
            desk.expect(&[&request]);
        });
    }
}

trait Open {
    fn array_of(&mut self, key: &str);
}

impl Open for midge::json::Writer<'_> {
    /// Leaves an array open.
    fn array_of(&mut self, key: &str) {
        self.key(key);
        self.array();
        self.str("v");
    }
}

#[test]
fn a_call_has_its_time_and_no_more() {
    for scenario in [modern as fn(_), |s: fn(&mut Desk<'_>)| legacy(OLD, s)] {
        scenario(|desk| {
            desk.tool(TIMED);
            desk.run();
            let id = desk.last_id;
            assert_eq!(desk.client.deadline().map(|at| at.0), Some(100));
            desk.at(99);
            desk.take();
            desk.at(100);
            desk.expect(&[LATE, &cancelled(id)]);
            desk.on(&answer(id), &[&stray(id)]);
            assert_eq!(desk.client.deadline(), None);
            desk.park_is_empty();
        });
    }
}

#[test]
fn the_time_of_a_call_begins_when_it_is_made_however_long_nothing_was_done() {
    modern(|desk| {
        desk.at(5_000);
        // Nobody polls for an hour, for nothing is to be done.
        desk.now = 3_600_000;
        desk.tool(Options { max_ms: 150, ..TIMED });
        assert!(desk.client.deadline().is_some_and(|at| at.0 <= desk.now), "a poll is due at once");
        desk.run();
        assert_eq!(desk.client.deadline().map(|at| at.0), Some(3_600_100));
        desk.take();
        desk.at(3_600_099);
        desk.expect(&[]);
        desk.at(3_600_100);
        desk.expect(&[LATE, &cancelled(2)]);
    });
}

#[test]
fn progress_moves_the_deadline_only_as_far_as_is_allowed() {
    let extended = Options { progress: true, progress_extends: true, max_ms: 250, ..TIMED };
    let shown = r#"= 0: progress {"progressToken":2,"progress":1}"#;
    modern(|desk| {
        desk.tool(extended);
        desk.run();
        desk.take();
        for now in [90, 180] {
            desk.at(now);
            desk.on(&progress(2), &[shown]);
        }
        assert!(desk.client.deadline().is_some_and(|at| at.0 <= 250));
        desk.at(240);
        desk.on(&progress(2), &[shown]);
        desk.at(250);
        desk.expect(&[LATE, &cancelled(2)]);
        desk.on(&progress(2), &[]);
    });
    // Without the choice it only shows.
    modern(|desk| {
        desk.tool(Options { progress: true, ..TIMED });
        desk.run();
        desk.take();
        desk.at(90);
        desk.on(&progress(2), &[shown]);
        for other in [r#""2""#, "2.5", "-2", "null", "{}", "3", "1e99"] {
            let params = format!(r#"{{"progressToken":{other},"progress":1}}"#);
            desk.on(&format!(r#""method":"notifications/progress","params":{params}"#), &[]);
        }
        desk.on(r#""method":"notifications/progress""#, &[]);
        desk.at(100);
        desk.expect(&[LATE, &cancelled(2)]);
    });
    // Who did not ask hears nothing.
    modern(|desk| {
        desk.tool(TIMED);
        desk.run();
        desk.take();
        desk.on(&progress(2), &[]);
    });
}

#[test]
fn a_call_for_ever_has_no_deadline() {
    modern(|desk| {
        desk.tool(Options { timeout_ms: u64::MAX, ..PLAIN });
        desk.run();
        assert_eq!(desk.client.deadline(), None);
        desk.at(u64::MAX);
        desk.take();
        desk.on(&answer(2), &[DONE]);
    });
    modern(|desk| {
        desk.client.config_mut().call_ms = 7;
        desk.tool(PLAIN);
        desk.run();
        assert_eq!(desk.client.deadline().map(|at| at.0), Some(7));
    });
}

#[test]
fn deadlines_alone_drive_many_calls_to_their_ends() {
    modern(|desk| {
        for n in 0..8 {
            desk.tool(Options { timeout_ms: 50 * (n + 1), max_ms: 300, ..PLAIN });
        }
        desk.run();
        desk.take();
        let mut ends = Vec::new();
        while let Some(at) = desk.client.deadline() {
            desk.at(at.0);
            ends.extend(desk.take().iter().filter(|line| line.starts_with('=')).map(|_| at.0));
        }
        assert_eq!(ends, [50, 100, 150, 200, 250, 300, 300, 300]);
        desk.park_is_empty();
    });
}

#[test]
fn a_call_that_is_cancelled_is_over_at_once() {
    modern(|desk| {
        let ticket = desk.tool(TIMED);
        desk.run();
        desk.take();
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        assert!(!desk.client.is_waiting(ticket) && desk.client.calls_waiting() == 0);
        assert_eq!(desk.client.cancel(ticket).map_err(|error| error.kind), Err(Kind::Stale));
        assert!(desk.client.deadline().is_some_and(|at| at.0 <= desk.now), "the server is to be told");
        desk.expect(&[&cancelled(2)]);
        desk.on(&answer(2), &[&stray(2)]);
        desk.at(1_000);
        desk.expect(&[]);
        desk.park_is_empty();
    });
    // The answer was faster.
    modern(|desk| {
        let ticket = desk.tool(TIMED);
        desk.run();
        desk.take();
        desk.on(&answer(2), &[DONE]);
        assert_eq!(desk.client.cancel(ticket).map_err(|error| error.kind), Err(Kind::Stale));
        desk.expect(&[]);
    });
    // Its slot is another's by now.
    modern(|desk| {
        let first = desk.tool(TIMED);
        desk.run();
        desk.on(
            &answer(2),
            &[r#"> "id":2,"method":"tools/call","params":{"_meta":{ME},"name":"t","arguments":{}}"#, DONE],
        );
        let second = desk.tool(TIMED);
        assert_ne!(first, second);
        assert_eq!(desk.client.cancel(first).map_err(|error| error.kind), Err(Kind::Stale));
        assert!(desk.client.is_waiting(second));
    });
}

#[test]
fn slots_are_full_until_one_is_free() {
    modern(|desk| {
        let first = desk.tool(PLAIN);
        for _ in 1..8 {
            desk.tool(PLAIN);
            desk.run();
        }
        let full = desk.client.ping(PLAIN).map_err(|error| error.kind);
        assert_eq!(full.err(), Some(Kind::NotInRevision));
        let full = desk.client.list(List::Tools, PLAIN).expect_err("no slot is free");
        assert_eq!((full.kind, full.at), (Kind::SlotsFull, 9));
        desk.client.cancel(first).expect("it waits");
        desk.run();
        desk.call(|c| c.list(List::Tools, PLAIN));
        desk.take();
        desk.expect(&[r#"> "id":10,"method":"tools/list","params":{"_meta":{ME}}"#]);
    });
}

#[test]
fn the_end_of_the_stream_ends_every_call_once() {
    modern(|desk| {
        desk.tool(PLAIN);
        desk.call(|c| c.list(List::Tools, PLAIN));
        desk.call(|c| c.listen(Filter { tools: true, ..Filter::default() }));
        let given_up = desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.client.cancel(given_up).expect("it waits");
        desk.hear_bytes(format!("{{\"jsonrpc\":\"2.0\",{}}}", answer(2)).as_bytes());
        desk.client.recv_end();
        let closed = |n: u8| format!("= {n}: done failed: the stream ended before the answer came");
        desk.expect(&[&cancelled(5), DONE, &closed(1), &closed(2), "= ended"]);
        desk.expect(&[]);
        assert_eq!(desk.client.deadline(), None);
        assert_eq!(desk.client.list(List::Tools, PLAIN).map_err(|e| e.kind).err(), Some(Kind::NotConnected));
    });
    super::desk::Rig::new(any()).run(|desk| {
        assert!(desk.client.deadline().is_some_and(|at| at.0 == 0), "the first poll is due at once");
        desk.client.recv_end();
        desk.expect(&["= refused closed, probing: true", "= ended"]);
    });
}

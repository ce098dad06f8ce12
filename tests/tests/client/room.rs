//! Servers that do not read, servers that never stop, and memory that is used up: every call ends in its time, nothing is
//! lost, nothing spins, and no work grows faster than what was received.

use super::desk::{Desk, PLAIN, Rig, json, legacy_in, modern, modern_in};
use midge::client::{Filter, Given, Options};
use midge::session::rows::List;
use midge::{Kind, Millis, Revision};
use midge_tests::pair::only;
use std::time::{Duration, Instant};

const OLD: Revision = Revision::V2025_11_25;
const BATCHES: Revision = Revision::V2025_03_26;
const LATE: &str = "done failed: no answer came in time";

fn narrow(tx: usize) -> Rig {
    Rig { tx, ..Rig::new(only(Revision::V2026_07_28)) }
}

/// Fills what is to be sent, so that nothing else fits.
fn block(desk: &mut Desk<'_>) {
    desk.deaf = true;
    while desk.client.notify("x", |w| w.member("y", &"z".repeat(20))).is_ok() {}
    while desk.client.notify("", |_| {}).is_ok() {}
    desk.run();
}

#[test]
fn every_call_is_late_in_its_time_though_the_server_reads_nothing() {
    modern_in(narrow(1_000), |desk| {
        for n in 0..6 {
            desk.call(|c| c.list(List::Tools, Options { timeout_ms: 100 + n / 2, ..PLAIN }));
            desk.run();
        }
        desk.take();
        block(desk);
        desk.at(100);
        desk.expect(&[&format!("= 0: {LATE}"), &format!("= 1: {LATE}")]);
        desk.at(101);
        desk.expect(&[&format!("= 2: {LATE}"), &format!("= 3: {LATE}")]);
        desk.at(200);
        desk.expect(&[&format!("= 4: {LATE}"), &format!("= 5: {LATE}")]);
        assert_eq!(desk.client.deadline(), None);
        // It is told as soon as it reads, once of each.
        desk.deaf = false;
        desk.run();
        let said = desk.take();
        for id in 2..8 {
            let told = format!(r#""requestId":{id},"#);
            assert_eq!(said.iter().filter(|line| line.contains(&told)).count(), 1, "{id} {said:?}");
        }
        desk.park_is_empty();
    });
}

#[test]
fn a_server_that_talks_before_it_reads_is_heard() {
    // It writes a long answer, and reads the cancellation of another call only after that.
    modern_in(narrow(1_000), |desk| {
        let other = desk.tool(PLAIN);
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        block(desk);
        assert_eq!(desk.client.cancel(other), Ok(()));
        desk.run();
        for _ in 0..20 {
            desk.hear(r#""method":"notifications/message","params":{"level":"info","data":1}"#);
        }
        desk.hear(r#""id":3,"result":{"content":[]}"#);
        let said = desk.take();
        assert_eq!((said.len(), said[20].as_str()), (21, r#"= 1: done result {"content":[]}"#));
        desk.deaf = false;
        desk.run();
        assert!(desk.take().last().is_some_and(|line| line.contains(r#""requestId":2"#)));
    });
}

#[test]
fn answers_that_find_no_room_go_out_later_or_the_call_is_late() {
    let asks =
        r#""id":2,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}}}"#;
    let blocked = |desk: &mut Desk<'_>| {
        desk.tool(Options { timeout_ms: 100, ..PLAIN });
        desk.run();
        desk.hear(asks);
        desk.take();
        block(desk);
        desk.at(5_000);
        assert_eq!(desk.client.answer(desk.questions[0], Given::Result(json("{}"))), Ok(()));
        desk.run();
        assert_eq!(desk.client.deadline(), Some(Millis(5_100)));
        desk.expect(&[]);
    };
    modern_in(narrow(600), |desk| {
        blocked(desk);
        desk.at(5_099);
        desk.deaf = false;
        desk.run();
        assert!(desk.take().last().is_some_and(|line| line.ends_with(r#""inputResponses":{"a":{}}}"#)));
        desk.on(r#""id":3,"result":{}"#, &["= 0: done result {}"]);
        desk.park_is_empty();
    });
    modern_in(narrow(600), |desk| {
        blocked(desk);
        desk.at(5_100);
        desk.expect(&[&format!("= 0: {LATE}")]);
        desk.deaf = false;
        desk.run();
        assert!(!desk.take().iter().any(|line| line.contains("inputResponses")));
        desk.park_is_empty();
    });
    modern_in(narrow(600), |desk| {
        blocked(desk);
        desk.client.recv_end();
        desk.expect(&["= 0: done failed: the stream ended before the answer came", "= ended"]);
    });
}

#[test]
fn a_request_that_finds_no_room_changes_nothing() {
    modern_in(narrow(600), |desk| {
        block(desk);
        let busy = desk.client.list(List::Tools, PLAIN).map_err(|error| error.kind);
        assert_eq!(busy.err(), Some(Kind::Busy));
        let long = desk.client.read_resource(&"x".repeat(700), PLAIN).expect_err("it can never fit");
        assert!(long.kind == Kind::TxFull && long.at > 700, "{long:?}");
        assert_eq!(desk.client.calls_waiting(), 0);
        desk.deaf = false;
        desk.run();
        assert!(desk.take().iter().all(|line| line.starts_with(r#"> "method":"#)));
        desk.call(|c| c.list(List::Tools, PLAIN));
        desk.expect(&[r#"> "id":2,"method":"tools/list","params":{"_meta":{ME}}"#]);
    });
}

#[test]
fn a_thousand_calls_of_every_kind_leave_nothing_behind() {
    let ask =
        r#""resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"roots/list"}}"#;
    Rig::new(only(Revision::V2026_07_28)).run(|desk| {
        desk.connect_modern();
        desk.quiet = true;
        for n in 0..1_000_u64 {
            let ticket = match n % 3 {
                0 => desk.call(|c| c.listen(Filter { uris: &["a:b"], ..Filter::default() })),
                _ => desk.tool(PLAIN),
            };
            desk.run();
            let id = desk.last_id;
            match n % 9 {
                1 | 4 => desk.hear(&format!(r#""id":{id},"result":{{{ask}}}"#)),
                2 => desk.hear(&format!(r#""id":{id},"result":{{"resultType":"task","taskId":"t{n}"}}"#)),
                5 => desk.hear(&format!(r#""id":{id},"error":{{"code":1,"message":"m"}}"#)),
                7 => desk.hear(&format!(r#""id":{id},"result":7"#)),
                _ => {}
            }
            if n % 9 == 4 {
                let question = *desk.questions.last().expect("it was asked");
                assert_eq!(desk.client.answer(question, Given::Decline), Ok(()));
                desk.run();
                desk.hear(&format!(r#""id":{},"result":{{}}"#, desk.last_id));
            }
            if desk.client.is_waiting(ticket) {
                assert_eq!(desk.client.cancel(ticket), Ok(()));
            }
            desk.run();
            desk.forget();
        }
        desk.quiet = false;
        desk.park_is_empty();
    });
}

/// How long `scenario` takes; what is linear takes well below a second, and what is not, minutes.
fn is_quick(what: &str, scenario: impl FnOnce()) {
    let begin = Instant::now();
    scenario();
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
}

/// Lets the client hear `line` whole, without looking at what it says; the polls that took.
fn flood(rig: Rig, revision: Revision, call: bool, line: &str) -> usize {
    let mut polls = 0;
    let run = |desk: &mut Desk<'_>| {
        desk.quiet = true;
        if call {
            desk.tool(PLAIN);
            desk.run();
        }
        let before = desk.polls;
        desk.hear_at_once(line);
        desk.polls - before
    };
    let cell = std::cell::Cell::new(0);
    rig.once(|desk| {
        if revision == Revision::V2026_07_28 {
            desk.connect_modern();
        } else {
            desk.connect_legacy(revision);
        }
        cell.set(run(desk));
    });
    polls += cell.get();
    polls
}

#[test]
fn work_grows_as_what_was_received() {
    let big = |revision| Rig { rx: 1 << 20, park: 1 << 16, ..Rig::new(only(revision)) };
    let n = 40_000;
    let blanks = " ".repeat(400_000);
    for (what, batch) in [
        ("an array behind blanks", format!("{blanks}[{}1]", "1,".repeat(n))),
        ("an array before blanks", format!("[{}1]{blanks}", "1,".repeat(n))),
        ("an array with blanks", format!("[{blanks}{}1]", "1,".repeat(n))),
    ] {
        is_quick(what, || {
            let polls = flood(big(BATCHES), BATCHES, false, &batch);
            assert!(polls < n + 10, "{what}: {polls} polls");
        });
    }
    let pings = format!("[{}1]", r#"{"jsonrpc":"2.0","id":1,"method":"ping"},"#.repeat(20_000));
    is_quick("an array of pings", || {
        flood(big(BATCHES), BATCHES, false, &pings);
    });
    let entry = r#""k":{"method":"roots/list"},"#.repeat(30_000);
    let asks = format!(
        r#"{{"jsonrpc":"2.0","id":2,"result":{{"resultType":"input_required","inputRequests":{{{entry}"l":{{"method":"roots/list"}}}}}}}}"#
    );
    is_quick("one question thirty thousand times", || {
        let polls = flood(big(Revision::V2026_07_28), Revision::V2026_07_28, true, &asks);
        assert!(polls < 10, "{polls} polls");
    });
    let members = r#""a":1,"#.repeat(100_000);
    let wide = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{{members}"b":1}}}}"#);
    is_quick("a result of many members", || {
        flood(big(Revision::V2026_07_28), Revision::V2026_07_28, true, &wide);
    });
    let lines = format!("{}x", "x\n".repeat(200_000));
    is_quick("many lines", || {
        flood(big(OLD), OLD, false, &lines);
    });
    let nothing = format!("{}x", " \n\t\r\n".repeat(100_000));
    is_quick("blank lines", || {
        assert!(flood(big(OLD), OLD, false, &nothing) < 10);
    });
}

#[test]
fn a_form_with_many_defaults_is_filled_in_once() {
    let rig = Rig { rx: 1 << 20, tx: 1 << 20, park: 1 << 21, ..Rig::new(only(OLD)) };
    rig.once(|desk| {
        desk.connect_legacy(OLD);
        let fields: Vec<_> = (0..10_000).map(|n| format!(r#""f{n}":{{"default":{n}}}"#)).collect();
        let schema = format!(r#"{{"properties":{{{}}}}}"#, fields.join(","));
        desk.hear_at_once(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{"message":"m","requestedSchema":{schema}}}}}"#
        ));
        desk.quiet = true;
        is_quick("ten thousand defaults", || {
            assert_eq!(desk.client.answer(desk.questions[0], Given::Accept(json("{\"f7\":0}"))), Ok(()));
            desk.run();
        });
    });
}

#[test]
fn floods_of_questions_take_no_memory_of_calls() {
    legacy_in(Rig::new(only(OLD)), OLD, |desk| {
        let task = Options { task_ms: Some(9), ..PLAIN };
        desk.tool(task);
        desk.run();
        desk.hear(r#""id":2,"result":{"task":{"taskId":"t","status":"working"}}"#);
        for id in 100..300 {
            desk.hear(&format!(r#""id":{id},"method":"roots/list""#));
        }
        let said = desk.take();
        assert!(said.iter().any(|line| line.contains("(limit: park)")), "{}", said.len());
        desk.at(1_000);
        desk.take();
        desk.on(
            r#""id":3,"result":{"taskId":"t","status":"cancelled"}"#,
            &["= 0: done failed: the task was cancelled"],
        );
    });
}

#[test]
fn what_an_application_does_wrong_hurts_only_itself() {
    modern(|desk| {
        desk.client.recv_ack(usize::MAX);
        desk.client.send_ack(usize::MAX);
        desk.run();
        desk.take();
        for method in ["", "\"", "\n", "a\u{0}b", "\\u0041"] {
            desk.call(|c| {
                c.request(method, PLAIN, |w| {
                    w.key("a");
                    w.array();
                    w.begin_str();
                })
            });
            desk.run();
            let said = desk.take();
            assert!(said[0].ends_with(r#""a":[""]}"#), "{said:?}");
        }
        desk.client.recv_end();
        desk.client.recv_end();
        desk.run();
        assert!(desk.ended);
        assert_eq!(desk.client.deadline(), None);
    });
}

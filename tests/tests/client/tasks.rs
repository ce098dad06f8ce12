//! Calls that become tasks, in both forms.

use super::desk::{Desk, PLAIN, Rig, legacy, legacy_in, modern_in};
use midge::client::{Given, Options};
use midge::{Can, Kind, Revision};
use midge_tests::pair::only;

const OLD: Revision = Revision::V2025_11_25;
const AS_TASK: Options<'static> = Options { task_ms: Some(9), timeout_ms: 100, ..PLAIN };

/// A request about the task, old and new.
pub fn about(old: bool, id: u64, method: &str, more: &str) -> String {
    let meta = if old { "" } else { r#""_meta":{ME},"# };
    format!(r#"> "id":{id},"method":"tasks/{method}","params":{{{meta}"taskId":"t\u00e9"{more}}}"#)
}

pub fn status(id: u64, status: &str, more: &str) -> String {
    format!(r#""id":{id},"result":{{"taskId":"t\u00e9","status":"{status}"{more}}}"#)
}

fn task(status: &str, more: &str) -> String {
    format!(r#"= 0: task {{"taskId":"t\u00e9","status":"{status}"{more}}}"#)
}

/// A call of 2025-11-25 that has become a task.
fn old(more: &str, scenario: impl Fn(&mut Desk<'_>)) {
    legacy(OLD, |desk| {
        desk.tool(AS_TASK);
        desk.run();
        desk.take();
        let body = format!(r#"{{"taskId":"t\u00e9","status":"working"{more}}}"#);
        desk.on(&format!(r#""id":2,"result":{{"task":{body}}}"#), &[&format!("= 0: task {body}")]);
        scenario(desk);
        if !desk.ended {
            desk.park_is_empty();
        }
    });
}

/// A call of 2026-07-28 that has become a task.
pub fn new(more: &str, scenario: impl Fn(&mut Desk<'_>)) {
    new_in(Rig::new(only(Revision::V2026_07_28)), more, scenario);
}

pub fn new_in(rig: Rig, more: &str, scenario: impl Fn(&mut Desk<'_>)) {
    modern_in(rig, |desk| {
        desk.tool(Options { timeout_ms: 100, ..PLAIN });
        desk.run();
        desk.take();
        let body = format!(r#"{{"resultType":"task","taskId":"t\u00e9","status":"working"{more}}}"#);
        desk.on(&format!(r#""id":2,"result":{body}"#), &[&format!("= 0: task {body}")]);
        scenario(desk);
        if !desk.ended {
            desk.park_is_empty();
        }
    });
}

#[test]
fn a_task_is_looked_at_by_the_interval_of_its_server() {
    for (more, at) in [
        (r#","pollInterval":300"#, 300),
        (r#","pollInterval":0"#, 125),
        ("", 1_000),
        (r#","pollInterval":"x""#, 1_000),
        (r#","pollInterval":-1"#, 1_000),
        (r#","pollInterval":18446744073709551615"#, u64::MAX),
    ] {
        let check = |desk: &mut Desk<'_>, is_old: bool| {
            assert!(desk.client.deadline().is_some_and(|next| next.0 <= at));
            desk.at(at - 1);
            desk.expect(&[]);
            if at < u64::MAX {
                desk.at(at);
                desk.expect(&[&about(is_old, 3, "get", "")]);
                // It says the interval once.
                desk.on(&status(3, "working", ""), &[&task("working", "")]);
                desk.at(2 * at - 1);
                desk.expect(&[]);
                desk.at(2 * at);
                desk.expect(&[&about(is_old, 4, "get", "")]);
            }
            desk.client.recv_end();
            desk.run();
            assert!(desk.ended);
            desk.take();
        };
        old(more, |desk| check(desk, true));
        new(&more.replace("pollInterval", "pollIntervalMs"), |desk| check(desk, false));
    }
}

#[test]
fn the_result_of_an_old_task_is_fetched_and_takes_as_long_as_it_takes() {
    for over in ["completed", "failed", "input_required"] {
        old("", |desk| {
            desk.at(1_000);
            desk.expect(&[&about(true, 3, "get", "")]);
            desk.on(&status(3, over, ""), &[&task(over, ""), &about(true, 4, "result", "")]);
            desk.at(1_000_000);
            assert_eq!(desk.client.deadline(), None);
            // The server asks while its result is waited for, and what follows the answer takes long again.
            desk.hear(r#""id":1,"method":"roots/list""#);
            assert_eq!(desk.client.answer(desk.questions[0], Given::Decline), Ok(()));
            desk.run();
            desk.take();
            desk.at(9_000_000);
            desk.expect(&[]);
            desk.on(r#""id":4,"result":{"content":[]}"#, &[r#"= 0: done result {"content":[]}"#]);
        });
    }
    // Progress does not set a time either.
    legacy(OLD, |desk| {
        desk.tool(Options { progress: true, progress_extends: true, ..AS_TASK });
        desk.run();
        desk.hear(r#""id":2,"result":{"task":{"taskId":"t\u00e9","status":"completed"}}"#);
        desk.at(1_000);
        desk.hear(&status(3, "completed", ""));
        desk.hear(r#""method":"notifications/progress","params":{"progressToken":2,"progress":1}"#);
        desk.take();
        desk.at(1_000_000);
        desk.expect(&[]);
        desk.on(
            r#""id":4,"error":{"code":7,"message":"m"}"#,
            &[r#"= 0: done error 7 {"code":7,"message":"m"}"#],
        );
        desk.park_is_empty();
    });
}

#[test]
fn a_new_task_brings_its_result() {
    let completed = r#","result":{"content":[],"n":9007199254740993}"#;
    let failed = r#","error":{"code":-5,"message":"m"}"#;
    for (over, more, want) in [
        ("completed", completed, r#"result {"content":[],"n":9007199254740993}"#),
        ("failed", failed, r#"error -5 {"code":-5,"message":"m"}"#),
        ("cancelled", "", "failed: the task was cancelled"),
        ("completed", "", "failed: the task is over and does not say how"),
        ("completed", r#","result":[]"#, "failed: the task is over and does not say how"),
        ("failed", r#","error":null"#, "failed: the task is over and does not say how"),
        ("failed", r#","error":{"message":"m"}"#, "failed: the error has no code"),
        ("sleeping", "", "failed: the task has an unknown \"status\""),
    ] {
        new("", |desk| {
            desk.at(1_000);
            desk.take();
            desk.on(&status(3, over, more), &[&format!("= 0: done {want}")]);
        });
    }
    for over in ["cancelled", "sleeping"] {
        old("", |desk| {
            desk.at(1_000);
            desk.take();
            desk.hear(&status(3, over, ""));
            assert!(desk.take()[0].starts_with("= 0: done failed"));
        });
    }
}

#[test]
fn a_task_that_vanishes_or_falls_silent_ends_its_call() {
    let gone = r#""error":{"code":-32602,"message":"gone"}"#;
    let check = |desk: &mut Desk<'_>| {
        desk.at(1_000);
        desk.take();
        desk.on(
            &format!(r#""id":3,{gone}"#),
            &[r#"= 0: done error -32602 {"code":-32602,"message":"gone"}"#],
        );
    };
    old("", check);
    new("", check);
    let silent = |desk: &mut Desk<'_>, is_old: bool| {
        desk.at(1_000);
        desk.take();
        desk.at(1_099);
        desk.expect(&[]);
        desk.at(1_100);
        desk.expect(&["= 0: done failed: no answer came in time", &about(is_old, 4, "cancel", "")]);
        desk.hear(&status(4, "cancelled", ""));
        assert!(desk.take()[0].starts_with("= stray response"));
    };
    old("", |desk| silent(desk, true));
    new("", |desk| silent(desk, false));
}

#[test]
fn a_task_is_cancelled_by_its_name() {
    let check = |desk: &mut Desk<'_>, is_old: bool| {
        let ticket = desk.last_ticket();
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        assert_eq!(desk.client.cancel(ticket).map_err(|e| e.kind), Err(Kind::Stale));
        desk.expect(&[&about(is_old, 3, "cancel", "")]);
        // What the server says of it from here on is nobody's.
        let method = if is_old { "notifications/tasks/status" } else { "notifications/tasks" };
        let params = r#"{"taskId":"t\u00e9","status":"cancelled"}"#;
        desk.on(
            &format!(r#""method":"{method}","params":{params}"#),
            &[&format!("= notified \"{method}\" {params}")],
        );
    };
    old("", |desk| check(desk, true));
    new("", |desk| check(desk, false));
}

#[test]
fn a_notice_of_a_task_makes_it_looked_at() {
    let notice = |status: &str| {
        format!(
            r#""method":"notifications/tasks/status","params":{{"taskId":"t\u00e9","status":"{status}"}}"#
        )
    };
    old("", |desk| {
        desk.on(&notice("working"), &[&task("working", "")]);
        desk.on(&notice("completed"), &[&task("completed", ""), &about(true, 3, "get", "")]);
        desk.on(&notice("completed"), &[&task("completed", "")]);
        desk.hear(&status(3, "completed", ""));
        desk.take();
        desk.on(r#""id":4,"result":{}"#, &["= 0: done result {}"]);
    });
}

#[test]
fn a_call_that_may_be_a_task_is_given_up_as_one() {
    let becomes = r#""id":2,"result":{"task":{"taskId":"t\u00e9","status":"working"}}"#;
    let given_up = |how: fn(&mut Desk<'_>), scenario: fn(&mut Desk<'_>)| {
        legacy(OLD, |desk| {
            desk.tool(AS_TASK);
            desk.run();
            desk.take();
            how(desk);
            scenario(desk);
            desk.take();
            desk.at(desk.now + 60_000);
            desk.expect(&[]);
            // All of the slots are free again.
            for _ in 0..8 {
                desk.tool(AS_TASK);
                desk.run();
            }
            desk.client.recv_end();
            desk.run();
        });
    };
    let ways: [fn(&mut Desk<'_>); 2] = [
        |desk| {
            let ticket = desk.last_ticket();
            assert_eq!(desk.client.cancel(ticket), Ok(()));
            desk.expect(&[]);
        },
        |desk| {
            desk.at(100);
            desk.expect(&["= 0: done failed: no answer came in time"]);
        },
    ];
    for way in ways {
        given_up(way, |desk| {
            let stray = format!(r#"= stray response {{"jsonrpc":"2.0",{}}}"#, becomes_text());
            desk.on(becomes_text(), &[&stray, &about(true, 3, "cancel", "")]);
        });
        // It was no task after all, or an error, or nothing at all.
        given_up(way, |desk| desk.hear_alone(r#""id":2,"result":{"content":[]}"#));
        given_up(way, |desk| desk.hear_alone(r#""id":2,"error":{"code":1,"message":"m"}"#));
        given_up(way, |desk| desk.hear_alone(r#""id":2,"result":{"task":{"taskId":7}}"#));
        given_up(way, |_| {});
    }
    assert_eq!(becomes, becomes_text());
    // A call without an end is not waited for without an end.
    legacy(OLD, |desk| {
        let ticket = desk.tool(Options { timeout_ms: u64::MAX, ..AS_TASK });
        desk.run();
        desk.take();
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        desk.run();
        assert!(desk.client.deadline().is_some());
    });
}

fn becomes_text() -> &'static str {
    r#""id":2,"result":{"task":{"taskId":"t\u00e9","status":"working"}}"#
}

#[test]
fn a_task_without_a_name_or_that_nobody_asked_for_is_none() {
    for result in [r#"{"task":{}}"#, r#"{"task":{"taskId":7}}"#, r#"{"task":null}"#, r#"{"task":[]}"#] {
        legacy(OLD, |desk| {
            desk.tool(AS_TASK);
            desk.run();
            desk.take();
            desk.on(
                &format!(r#""id":2,"result":{result}"#),
                &["= 0: done failed: the task has no \"taskId\""],
            );
            desk.tool(PLAIN);
            desk.run();
            desk.take();
            desk.on(&format!(r#""id":3,"result":{result}"#), &[&format!("= 1: done result {result}")]);
            desk.park_is_empty();
        });
    }
    modern_in(Rig { can: Can::ELICIT, ..Rig::new(only(Revision::V2026_07_28)) }, |desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.on(
            r#""id":2,"result":{"resultType":"task","taskId":"t","status":"working"}"#,
            &["= 0: done failed: a task where none was asked for"],
        );
    });
    let rig = Rig { park: 20, ..Rig::new(only(OLD)) };
    legacy_in(rig, OLD, |desk| {
        desk.tool(AS_TASK);
        desk.run();
        desk.take();
        desk.on(
            r#""id":2,"result":{"task":{"taskId":"a long name","status":"working"}}"#,
            &["= 0: done failed: the park memory is used up"],
        );
    });
}

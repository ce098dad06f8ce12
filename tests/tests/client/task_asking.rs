//! Tasks of 2026-07-28 that ask, and tasks of a server that does not read.

use super::desk::{PLAIN, Rig, json, modern};
use super::tasks::{about, new, new_in, status};
use midge::Kind;
use midge::Revision;
use midge::client::{Config, Given, Options};
use midge_tests::pair::only;

#[test]
fn questions_of_a_new_task_are_asked_once() {
    let asks = |keys: &[&str]| {
        let entries: Vec<_> =
            keys.iter().map(|key| format!(r#""{key}":{{"method":"roots\/list"}}"#)).collect();
        format!(r#","inputRequests":{{{}}}"#, entries.join(","))
    };
    new(r#","pollIntervalMs":200"#, |desk| {
        desk.at(200);
        desk.take();
        desk.on(
            &status(3, "input_required", &asks(&["a", "b"])),
            &["= 0: asked Roots ", "= 0: asked Roots "],
        );
        desk.at(100_000);
        desk.expect(&[]);
        assert_eq!(desk.client.answer(desk.questions[1], Given::Result(json("{}"))), Ok(()));
        desk.expect(&[]);
        assert_eq!(desk.client.answer(desk.questions[0], Given::Decline), Ok(()));
        let answers = r#","inputResponses":{"b":{},"a":{"action":"decline"}}"#;
        desk.expect(&[&about(false, 4, "update", answers)]);
        desk.on(r#""id":4,"result":{}"#, &[]);
        desk.at(100_200);
        desk.expect(&[&about(false, 5, "get", "")]);
        // It shows for a while what is answered.
        desk.on(&status(5, "input_required", &asks(&["a", "b"])), &[]);
        desk.at(100_400);
        desk.take();
        desk.on(&status(6, "input_required", &asks(&["a", "c"])), &["= 0: asked Roots "]);
        let ticket = desk.last_ticket();
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        let late = desk.client.answer(desk.questions[2], Given::Error(-1, "no")).map_err(|e| e.kind);
        assert_eq!(late, Err(Kind::Stale));
        desk.expect(&[&about(false, 7, "cancel", "")]);
    });
    new("", |desk| {
        desk.at(1_000);
        desk.take();
        desk.hear(&status(3, "input_required", &asks(&["a"])));
        desk.take();
        assert_eq!(desk.client.answer(desk.questions[0], Given::Error(-1, "no")), Ok(()));
        desk.expect(&[
            "= 0: done failed: what the server asked for was refused",
            &about(false, 4, "cancel", ""),
        ]);
    });
    for requests in [r#""x""#, "[]", "7"] {
        new("", |desk| {
            desk.at(1_000);
            desk.take();
            desk.on(
                &status(3, "input_required", &format!(r#","inputRequests":{requests}"#)),
                &["= 0: done failed: \"inputRequests\" is no object", &about(false, 4, "cancel", "")],
            );
        });
    }
}

#[test]
fn a_task_that_asks_without_an_end_ends() {
    let config = Config { rounds: 3, ..only(Revision::V2026_07_28) };
    new_in(Rig::new(config), "", |desk| {
        for round in 1..=4_u64 {
            desk.at(desk.now + 1_000);
            let id = desk.last_id;
            let entry = format!(r#","inputRequests":{{"k{round}":{{"method":"roots/list"}}}}"#);
            desk.take();
            desk.hear(&status(id, "input_required", &entry));
            if round == 4 {
                assert_eq!(desk.take()[0], "= 0: done failed: the server asks again and again");
                return;
            }
            let question = *desk.questions.last().expect("it was asked");
            assert_eq!(desk.client.answer(question, Given::Decline), Ok(()));
            desk.run();
            desk.hear(&format!(r#""id":{},"result":{{}}"#, desk.last_id));
        }
    });
}

#[test]
fn a_task_is_looked_at_when_there_is_room_and_nothing_spins_until_then() {
    let rig = Rig { tx: 420, ..Rig::new(only(Revision::V2026_07_28)) };
    new_in(rig, "", |desk| {
        desk.call(|c| c.request("x", Options { timeout_ms: u64::MAX, ..PLAIN }, |_| {}));
        desk.deaf = true;
        desk.run();
        desk.at(1_000);
        desk.expect(&[]);
        desk.at(1_050);
        desk.deaf = false;
        desk.run();
        assert_eq!(desk.take().last(), Some(&about(false, 4, "get", "")));
        desk.hear(&status(4, "completed", r#","result":{}"#));
        desk.take();
        desk.on(r#""id":3,"result":{}"#, &["= 1: done result {}"]);
    });
    new_in(rig, "", |desk| {
        desk.call(|c| c.request("x", Options { timeout_ms: u64::MAX, ..PLAIN }, |_| {}));
        desk.deaf = true;
        desk.run();
        desk.at(1_000);
        desk.expect(&[]);
        desk.at(1_100);
        desk.expect(&["= 0: done failed: no answer came in time"]);
        desk.client.recv_end();
        desk.run();
    });
    modern(|desk| {
        desk.tool(Options { max_ms: 2_500, ..PLAIN });
        desk.run();
        desk.hear(r#""id":2,"result":{"resultType":"task","taskId":"t\u00e9","status":"working"}"#);
        desk.take();
        desk.at(1_000);
        desk.hear(&status(3, "working", r#","pollIntervalMs":9000"#));
        desk.take();
        desk.at(2_500);
        desk.expect(&["= 0: done failed: no answer came in time", &about(false, 4, "cancel", "")]);
    });
}

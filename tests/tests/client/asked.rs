//! What servers of the handshake revisions ask.

use super::desk::{Desk, PLAIN, Rig, json, legacy, legacy_in, modern};
use midge::client::{Given, Options};
use midge::{Can, Kind, Revision};
use midge_tests::pair::only;

const OLD: Revision = Revision::V2025_11_25;
const ALL: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

fn stray(request: &str) -> String {
    format!(r#"= stray request {{"jsonrpc":"2.0",{request}}}"#)
}

fn error(id: &str, code: i32, words: &str) -> String {
    format!(r#"> "id":{id},"error":{{"code":{code},"message":"{words}"}}"#)
}

/// The server asks `request` with id 5, and is refused.
fn refused(desk: &mut Desk<'_>, request: &str, code: i32, words: &str) {
    let request = format!(r#""id":5,{request}"#);
    desk.on(&request, &[&stray(&request), &error("5", code, words)]);
}

#[test]
fn pings_are_answered_and_what_is_unknown_is_refused() {
    for revision in ALL {
        legacy(revision, |desk| {
            for id in ["0", "-1", r#""""#, r#""a\n\u00e9""#, "9007199254740993"] {
                desk.on(
                    &format!(r#""id":{id},"method":"ping""#),
                    &[&format!(r#"> "id":{id},"result":{{}}"#)],
                );
            }
            desk.on(r#""params":{},"method":"p\u0069ng","id":7"#, &[r#"> "id":7,"result":{}"#]);
            refused(desk, r#""method":"tools/list","params":{}"#, -32601, "Method not found");
            refused(desk, r#""method":"sampling/createMessage/""#, -32601, "Method not found");
            refused(desk, &format!(r#""method":"{}""#, "x".repeat(100)), -32601, "Method not found");
            desk.park_is_empty();
        });
    }
}

#[test]
fn a_server_that_has_no_requests_gets_no_answer() {
    modern(|desk| {
        for request in
            [r#""id":1,"method":"ping""#, r#""id":1,"method":"roots/list""#, r#""id":1,"method":"x""#]
        {
            desk.on(request, &[&stray(request)]);
        }
    });
    // Neither does one that has not said which revision it speaks.
    Rig::new(super::desk::any()).run(|desk| {
        desk.run();
        desk.take();
        desk.on(r#""id":1,"method":"ping""#, &[&stray(r#""id":1,"method":"ping""#)]);
    });
}

#[test]
fn what_was_not_declared_is_refused_by_the_code_for_it() {
    const FORM: &str = r#""method":"elicitation/create","params":{"message":"m","requestedSchema":{}}"#;
    const URL: &str = r#""method":"elicitation/create","params":{"mode":"url","message":"m","url":"a:b"}"#;
    const ROOTS: &str = r#""method":"roots/list""#;
    const SAMPLE: &str = r#""method":"sampling/createMessage","params":{"messages":[]}"#;
    const TOOLS: &str = r#""method":"sampling/createMessage","params":{"messages":[],"tools":[]}"#;
    let unknown = "Method not found: it was not declared";
    let mode = "Invalid params: this mode of elicitation was not declared";
    let tools = "Invalid params: tools were not declared";
    for (revision, can, request, code, words) in [
        (OLD, Can::NOTHING, FORM, -32601, unknown),
        (OLD, Can::NOTHING, URL, -32601, unknown),
        (OLD, Can::ELICIT_URL, FORM, -32602, mode),
        (OLD, Can::ELICIT, URL, -32602, mode),
        (OLD, Can::ELICIT, ROOTS, -32601, unknown),
        (OLD, Can::LIST_ROOTS, SAMPLE, -32601, unknown),
        (OLD, Can::SAMPLE, TOOLS, -32602, tools),
        // What a revision does not have is not declared in it.
        (Revision::V2025_06_18, Can::ELICIT.and(Can::ELICIT_URL), URL, -32602, mode),
        (Revision::V2025_03_26, Can::ELICIT.and(Can::ELICIT_URL), FORM, -32601, unknown),
        (Revision::V2024_11_05, Can::ELICIT.and(Can::ELICIT_URL), URL, -32601, unknown),
    ] {
        legacy_in(Rig { can, ..Rig::new(only(revision)) }, revision, |desk| {
            refused(desk, request, code, words);
        });
    }
}

#[test]
fn answers_carry_the_id_as_it_came() {
    legacy(OLD, |desk| {
        desk.on(
            r#""id":"q\n\u00e9","method":"elicitation/create","params":{"message":"m","requestedSchema":{"properties":{"a":{"default":1}}}}"#,
            &[r#"= asked Form {"message":"m","requestedSchema":{"properties":{"a":{"default":1}}}}"#],
        );
        desk.on(
            r#""id":-7,"method":"elicitation/create","params":{"mode":"url","url":"a:b"}"#,
            &[r#"= asked Url {"mode":"url","url":"a:b"}"#],
        );
        desk.on(
            r#""id":0,"method":"sampling/createMessage","params":{"tools":[]}"#,
            &[r#"= asked Sample {"tools":[]}"#],
        );
        desk.on(r#""id":"0","method":"roots/list","params":{}"#, &["= asked Roots {}"]);
        let give = |desk: &mut Desk<'_>, which: usize, given| {
            assert_eq!(desk.client.answer(desk.questions[which], given), Ok(()));
            let again = desk.client.answer(desk.questions[which], Given::Decline).map_err(|error| error.kind);
            assert_eq!(again, Err(Kind::Stale), "an answer counts once");
        };
        give(desk, 3, Given::Result(json("{ \"roots\" :\n[]}")));
        give(desk, 0, Given::Accept(json("{}")));
        give(desk, 2, Given::Error(-1, "no\n"));
        give(desk, 1, Given::Accept(json(r#"{"ignored":1}"#)));
        desk.expect(&[
            r#"> "id":"0","result":{"roots":[]}"#,
            r#"> "id":"q\n\u00e9","result":{"action":"accept","content":{"a":1}}"#,
            r#"> "id":0,"error":{"code":-1,"message":"no\n"}"#,
            r#"> "id":-7,"result":{"action":"accept"}"#,
        ]);
        desk.park_is_empty();
    });
}

#[test]
fn a_question_that_is_withdrawn_is_stale() {
    legacy(OLD, |desk| {
        desk.hear(r#""id":"a","method":"roots/list""#);
        desk.hear(r#""id":7,"method":"roots/list""#);
        desk.take();
        let withdraw =
            |id: &str| format!(r#""method":"notifications/cancelled","params":{{"requestId":{id}}}"#);
        for other in [r#""7""#, "a", "8", "null", "7.0"] {
            if other != "a" {
                desk.on(&withdraw(other), &[]);
            }
        }
        desk.on(&withdraw("7"), &["= withdrawn"]);
        desk.on(&withdraw("7"), &[]);
        let late = desk.client.answer(desk.questions[1], Given::Decline).map_err(|error| error.kind);
        assert_eq!(late, Err(Kind::Stale));
        assert_eq!(desk.client.answer(desk.questions[0], Given::Decline), Ok(()));
        desk.expect(&[r#"> "id":"a","result":{"action":"decline"}"#]);
        desk.on(&withdraw("\"a\""), &[]);
        desk.park_is_empty();
    });
}

#[test]
fn questions_beyond_the_memory_are_refused() {
    let no_room = "Internal error: the client has no room for the question (limit: park)";
    legacy_in(Rig { park: 40, ..Rig::new(only(OLD)) }, OLD, |desk| {
        desk.on(r#""id":1,"method":"roots/list""#, &["= asked Roots "]);
        desk.on(r#""id":2,"method":"roots/list""#, &["= asked Roots "]);
        refused(desk, r#""method":"roots/list""#, -32603, no_room);
        assert_eq!(desk.client.answer(desk.questions[0], Given::Decline), Ok(()));
        desk.expect(&[r#"> "id":1,"result":{"action":"decline"}"#]);
        desk.on(r#""id":3,"method":"roots/list""#, &["= asked Roots "]);
    });
    // Calls keep nothing there: nothing is asked for them.
    legacy(OLD, |desk| {
        for _ in 0..8 {
            desk.call(|c| c.read_resource(&"u".repeat(500), PLAIN));
            desk.run();
        }
        for id in 1..20 {
            desk.hear(&format!(r#""id":{id},"method":"roots/list""#));
        }
        assert_eq!(desk.take().iter().filter(|line| line.starts_with("= asked")).count(), 19);
    });
}

#[test]
fn no_call_is_late_while_a_user_thinks() {
    let late = "= 0: done failed: no answer came in time";
    let asks = r#""id":1,"method":"roots/list""#;
    let timed = Options { timeout_ms: 100, ..PLAIN };
    legacy(OLD, |desk| {
        desk.tool(timed);
        desk.tool(Options { max_ms: 550, ..timed });
        desk.run();
        desk.take();
        desk.at(50);
        desk.hear(asks);
        desk.hear(r#""id":2,"method":"roots/list""#);
        desk.take();
        for now in [100, 149, 300, 500] {
            desk.at(now);
            desk.expect(&[]);
        }
        assert_eq!(desk.client.answer(desk.questions[0], Given::Decline), Ok(()));
        desk.at(510);
        desk.take();
        desk.at(550);
        assert_eq!(desk.take()[0], "= 1: done failed: no answer came in time", "the hard end does not move");
        desk.at(700);
        desk.hear(r#""method":"notifications/cancelled","params":{"requestId":2}"#);
        desk.expect(&["= withdrawn"]);
        desk.at(799);
        desk.expect(&[]);
        desk.at(800);
        assert_eq!(desk.take()[0], late);
    });
    // The time begins anew also if nobody has polled for long.
    legacy(OLD, |desk| {
        desk.tool(timed);
        desk.run();
        desk.hear(asks);
        desk.take();
        desk.at(95);
        desk.now = 190;
        assert_eq!(desk.client.answer(desk.questions[0], Given::Decline), Ok(()));
        desk.run();
        desk.take();
        desk.at(289);
        desk.expect(&[]);
        desk.at(290);
        assert_eq!(desk.take()[0], late);
    });
}

#[test]
fn answers_wait_for_room_and_are_not_lost() {
    legacy_in(Rig { tx: 270, ..Rig::new(only(OLD)) }, OLD, |desk| {
        desk.hear(r#""id":1,"method":"roots/list""#);
        desk.take();
        desk.deaf = true;
        desk.call(|c| c.request("x", PLAIN, |w| w.member("long", &"x".repeat(180))));
        let result = json(r#"{"roots":[]}"#);
        let busy = desk.client.answer(desk.questions[0], Given::Result(result)).map_err(|error| error.kind);
        assert_eq!(busy, Err(Kind::Busy));
        desk.hear(r#""id":2,"method":"ping""#);
        desk.hear(r#""id":3,"method":"nothing/such""#);
        desk.hear(r#""method":"x""#);
        desk.expect(&[]);
        desk.deaf = false;
        desk.run();
        assert_eq!(desk.client.answer(desk.questions[0], Given::Result(result)), Ok(()));
        desk.run();
        let said = desk.take();
        for line in [r#"> "id":2,"result":{}"#, r#"> "id":1,"result":{"roots":[]}"#, "= notified \"x\" "] {
            assert_eq!(said.iter().filter(|s| *s == line).count(), 1, "{line} {said:?}");
        }
        assert!(said.contains(&error("3", -32601, "Method not found")), "{said:?}");
    });
    // At the end of the stream there is nobody to answer.
    legacy_in(Rig { tx: 270, ..Rig::new(only(OLD)) }, OLD, |desk| {
        desk.deaf = true;
        desk.call(|c| c.request("x", PLAIN, |w| w.member("long", &"x".repeat(200))));
        desk.run();
        desk.hear(r#""id":2,"method":"ping""#);
        desk.hear(r#""id":3,"method":"nothing""#);
        desk.expect(&[]);
        desk.client.recv_end();
        desk.expect(&[
            &stray(r#""id":2,"method":"ping""#),
            &stray(r#""id":3,"method":"nothing""#),
            "= 0: done failed: the stream ended before the answer came",
            "= ended",
        ]);
    });
}

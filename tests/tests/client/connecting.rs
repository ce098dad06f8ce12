//! Which revision is found, whatever the server answers, and when nothing may be sent yet.

use super::desk::{Desk, PLAIN, Rig, any};
use midge::client::{Config, Start};
use midge::{Kind, Revision, Revisions};
use midge_tests::pair::only;

const PROBE: &str = r#"> "id":1,"method":"server/discover","params":{"_meta":{ME}}"#;

/// `initialize` as the request with that id.
fn initialize(id: u64, revision: &str) -> String {
    let elicitation = match revision {
        "2025-11-25" => r#","elicitation":{"url":{},"form":{}}"#,
        "2025-06-18" => r#","elicitation":{}"#,
        _ => "",
    };
    let title = if revision < "2025-06-18" { "" } else { r#","title":"A client""# };
    let info = format!(r#"{{"name":"client"{title},"version":"1.0"}}"#);
    format!(
        r#"> "id":{id},"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"sampling":{{"tools":{{}}}}{elicitation},"roots":{{"listChanged":true}}}},"clientInfo":{info}}}"#
    )
}

fn probing(scenario: impl Fn(&mut Desk<'_>)) {
    Rig::new(any()).run(|desk| {
        desk.expect(&[PROBE]);
        scenario(desk);
    });
}

/// Goes on as a server of 2025-11-25 would.
fn shakes(desk: &mut Desk<'_>) {
    let said = desk.take();
    assert_eq!(said.last(), Some(&initialize(2, "2025-11-25")), "{said:?}");
    let result = r#"{"protocolVersion":"2025-11-25","capabilities":{}}"#;
    desk.on(
        &format!(r#""id":2,"result":{result}"#),
        &[&format!("= connected 2025-11-25 {result}"), r#"> "method":"notifications/initialized""#],
    );
    assert_eq!(desk.client.revision(), Some(Revision::V2025_11_25));
}

#[test]
fn a_server_that_describes_itself_is_taken_at_its_word() {
    probing(|desk| {
        let result = r#"{"supportedVersions":["1999-01-01","2025-11-25","2026\u002d07-28"],"capabilities":{"tools":{"listChanged":true},"logging":{}}}"#;
        desk.on(&format!(r#""id":1,"result":{result}"#), &[&format!("= connected 2026-07-28 {result}")]);
        assert!(desk.client.offers().has(midge::proto::caps::Features::TOOLS_CHANGE));
        desk.call(|client| client.request("tools/list", PLAIN, |_| {}));
        desk.expect(&[r#"> "id":2,"method":"tools/list","params":{"_meta":{ME}}"#]);
    });
}

#[test]
fn codes_of_new_servers_end_it() {
    for error in [
        r#"{"code":-32022,"message":"no","data":{"supported":["2027-01-01"],"requested":"2026-07-28"}}"#,
        r#"{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}"#,
        r#"{"code":-32022,"message":"no"}"#,
        r#"{"code":-32020,"message":"no"}"#,
        r#"{"code":-32021,"message":"no"}"#,
    ] {
        probing(|desk| {
            let code = &error[8..14];
            desk.on(
                &format!(r#""id":1,"error":{error}"#),
                &[&format!("= refused error {code} {error}"), "= ended"],
            );
            assert_eq!(desk.client.deadline(), None);
        });
    }
}

#[test]
fn any_other_answer_comes_from_an_older_server() {
    for answer in [
        r#""error":{"code":-32601,"message":"no"}"#,
        r#""error":{"code":-32602,"message":"no"}"#,
        r#""error":{"code":-32600,"message":"no"}"#,
        r#""error":{"code":0,"message":"no"}"#,
        r#""error":{"message":"no"}"#,
        r#""error":"no""#,
        r#""result":{}"#,
        r#""result":[]"#,
        r#""result":null"#,
        r#""result":{"protocolVersion":"2025-11-25"}"#,
        r#""result":{"supportedVersions":["2025-11-25"]}"#,
        r#""result":{"supportedVersions":["1999-01-01","2024-11-05"]}"#,
        r#""result":{},"error":{"code":-32601,"message":"no"}"#,
    ] {
        probing(|desk| {
            desk.hear(&format!(r#""id":1,{answer}"#));
            shakes(desk);
        });
    }
}

#[test]
fn a_server_of_the_future_is_not_asked_again() {
    for versions in [r#"["2099-01-01"]"#, "[]", r#"{"a":"b"}"#, "null"] {
        probing(|desk| {
            let result = format!(r#"{{"supportedVersions":{versions}}}"#);
            desk.on(
                &format!(r#""id":1,"result":{result}"#),
                &[&format!("= refused revision {result}"), "= ended"],
            );
        });
    }
}

#[test]
fn silence_is_the_answer_of_an_older_server_and_what_comes_late_is_ignored() {
    let late = r#""id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}"#;
    let stray = format!(r#"= stray response {{"jsonrpc":"2.0",{late}}}"#);
    probing(|desk| {
        assert_eq!(desk.client.deadline().map(|at| at.0), Some(10_000));
        desk.at(9_999);
        assert!(desk.take().is_empty());
        desk.at(10_000);
        desk.on(late, &[&initialize(2, "2025-11-25"), &stray]);
        assert_eq!(desk.client.deadline().map(|at| at.0), Some(70_000));
        desk.hear(r#""id":2,"result":{"protocolVersion":"2024-11-05","capabilities":{}}"#);
        desk.take();
        desk.on(late, &[&stray]);
        assert_eq!(desk.client.revision(), Some(Revision::V2024_11_05));
    });
    probing(|desk| {
        desk.at(10_000);
        desk.at(69_999);
        desk.expect(&[&initialize(2, "2025-11-25")]);
        desk.at(70_000);
        desk.expect(&["= refused timed out", "= ended"]);
        assert_eq!(desk.client.deadline(), None);
    });
}

/// It has let the probe go by, and is of the other revision after all.
#[test]
fn a_server_that_refuses_the_handshake_and_names_the_other_revision_is_asked_once_more() {
    let refused =
        r#"{"code":-32022,"message":"no","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}"#;
    let again = PROBE.replace("\"id\":1,", "\"id\":3,");
    for start in [Start::Probe, Start::Handshake] {
        for last in [
            r#""result":{"supportedVersions":["2026-07-28"],"capabilities":{}}"#,
            r#""error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}"#,
            r#""error":{"code":-32601,"message":"no"}"#,
        ] {
            Rig::new(Config { start, ..any() }).run(|desk| {
                if start == Start::Probe {
                    desk.expect(&[PROBE]);
                    desk.at(10_000);
                    desk.expect(&[&initialize(2, "2025-11-25")]);
                } else {
                    desk.expect(&[&initialize(1, "2025-11-25")]);
                }
                let (id, then) = if start == Start::Probe {
                    (2, again.clone())
                } else {
                    (1, PROBE.replace("\"id\":1,", "\"id\":2,"))
                };
                desk.on(&format!(r#""id":{id},"error":{refused}"#), &[&then]);
                desk.hear(&format!(r#""id":{},{last}"#, id + 1));
                let said = desk.take();
                let connected = last.contains("result");
                assert_eq!(said[0].starts_with("= connected 2026-07-28"), connected, "{said:?}");
                assert_eq!(said[0].starts_with("= refused error"), !connected, "{said:?}");
            });
        }
    }
}

#[test]
fn the_end_of_the_stream_says_what_was_tried() {
    probing(|desk| {
        desk.client.recv_end();
        desk.expect(&["= refused closed, probing: true", "= ended"]);
        assert_eq!(desk.client.deadline(), None);
    });
    probing(|desk| {
        desk.hear(r#""id":1,"error":{"code":-32601,"message":"no"}"#);
        desk.client.recv_end();
        desk.expect(&[&initialize(2, "2025-11-25"), "= refused closed, probing: false", "= ended"]);
    });
    // The last line has no end.
    probing(|desk| {
        desk.hear_bytes(
            br#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#,
        );
        desk.client.recv_end();
        let result = r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#;
        desk.expect(&[&format!("= connected 2026-07-28 {result}"), "= ended"]);
    });
}

#[test]
fn the_start_can_be_chosen() {
    let start = |start| Rig::new(Config { start, ..any() });
    start(Start::Handshake).run(|desk| {
        desk.expect(&[&initialize(1, "2025-11-25")]);
        desk.hear(r#""id":1,"error":{"code":-32022,"message":"no"}"#);
        desk.expect(&[r#"= refused error -32022 {"code":-32022,"message":"no"}"#, "= ended"]);
    });
    start(Start::PerRequest).run(|desk| {
        desk.expect(&[PROBE]);
        assert_eq!(desk.client.deadline().map(|at| at.0), Some(60_000));
        desk.on(
            r#""id":1,"error":{"code":-32601,"message":"no"}"#,
            &[r#"= refused error -32601 {"code":-32601,"message":"no"}"#, "= ended"],
        );
    });
    start(Start::PerRequest).run(|desk| {
        desk.at(59_999);
        desk.expect(&[PROBE]);
        desk.at(119_999);
        desk.expect(&["= refused timed out", "= ended"]);
    });
}

#[test]
fn only_what_the_client_speaks_is_offered() {
    let speaks = |revisions| Rig::new(Config { revisions, ..Config::default() });
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let only = Rig::new(only(Revision::named(revision).expect("a revision")));
        only.run(|desk| desk.expect(&[&initialize(1, revision)]));
    }
    speaks(Revisions::NONE)
        .run(|desk| desk.expect(&["= refused invalid: no revision is left to try", "= ended"]));
    speaks(Revisions::PER_REQUEST).run(|desk| {
        desk.expect(&[PROBE]);
        let result = r#"{"supportedVersions":["2025-11-25"]}"#;
        desk.on(
            &format!(r#""id":1,"result":{result}"#),
            &[&format!("= refused revision {result}"), "= ended"],
        );
    });
    speaks(Revisions::PER_REQUEST.with(Revision::V2025_03_26)).run(|desk| {
        desk.expect(&[PROBE]);
        desk.on(r#""id":1,"result":{}"#, &[&initialize(2, "2025-03-26")]);
    });
}

#[test]
fn counter_offers_are_taken_if_they_are_spoken() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2025\\u002d11-25"] {
        let handshake = Rig::new(Config { start: Start::Handshake, ..any() });
        handshake.run(|desk| {
            desk.expect(&[&initialize(1, "2025-11-25")]);
            let result = format!(r#"{{"protocolVersion":"{revision}","capabilities":{{}}}}"#);
            let spelled = revision.replace("\\u002d", "-");
            desk.on(
                &format!(r#""id":1,"result":{result}"#),
                &[&format!("= connected {spelled} {result}"), r#"> "method":"notifications/initialized""#],
            );
        });
    }
    for (result, refused) in [
        (r#"{"protocolVersion":"2026-07-28"}"#, r#"revision {"protocolVersion":"2026-07-28"}"#),
        (r#"{"protocolVersion":"1999-01-01"}"#, r#"revision {"protocolVersion":"1999-01-01"}"#),
        (r#"{"protocolVersion":7}"#, r#"revision {"protocolVersion":7}"#),
        ("{}", r#"invalid: the answer to "initialize" names no "protocolVersion""#),
        ("7", r#"invalid: the answer to "initialize" names no "protocolVersion""#),
    ] {
        Rig::new(only(Revision::V2025_11_25)).run(|desk| {
            desk.run();
            desk.take();
            desk.on(&format!(r#""id":1,"result":{result}"#), &[&format!("= refused {refused}"), "= ended"]);
        });
    }
}

#[test]
fn nothing_is_said_before_the_handshake_is_done() {
    Rig::new(only(Revision::V2025_11_25)).run(|desk| {
        let not_yet = |desk: &mut Desk<'_>| {
            let refused = desk.client.ping(PLAIN).map_err(|error| error.kind);
            assert_eq!(refused.err(), Some(Kind::NotConnected));
            assert_eq!(desk.client.notify("a", |_| {}).map_err(|error| error.kind), Err(Kind::NotConnected));
        };
        not_yet(desk);
        desk.expect(&[&initialize(1, "2025-11-25")]);
        not_yet(desk);
        // A ping is answered in any state, a question is not.
        desk.on(r#""id":"p","method":"ping""#, &[r#"> "id":"p","result":{}"#]);
        desk.on(
            r#""id":7,"method":"roots/list""#,
            &[
                r#"= stray request {"jsonrpc":"2.0","id":7,"method":"roots/list"}"#,
                r#"> "id":7,"error":{"code":-32600,"message":"Invalid request: the handshake is not done"}"#,
            ],
        );
        not_yet(desk);
        desk.hear(r#""id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}"#);
        assert_eq!(desk.take().last().map(String::as_str), Some(r#"> "method":"notifications/initialized""#));
        desk.call(|client| client.ping(PLAIN));
        desk.expect(&[r#"> "id":2,"method":"ping","params":{}"#]);
    });
}

#[test]
fn an_introduction_that_is_too_long_ends_it() {
    Rig { rx: 128, ..Rig::new(any()) }.run(|desk| {
        desk.expect(&[PROBE]);
        let long = "x".repeat(200);
        desk.on(
            &format!(r#""id":1,"result":{{"supportedVersions":["2026-07-28"],"instructions":"{long}"}}"#),
            &["= refused invalid: what it says of itself is larger than the receive buffer", "= ended"],
        );
        assert_eq!(desk.client.deadline(), None);
    });
    Rig { tx: 200, ..Rig::new(any()) }.run(|desk| {
        desk.run();
        let said = desk.take();
        assert!(said[0].starts_with("= refused no room: the transmit buffer is too small: "), "{said:?}");
    });
}

#[test]
fn a_server_that_does_not_read_gets_no_more_time_than_others() {
    // The probe was never taken, and leaves no room for `initialize`.
    Rig { tx: 520, ..Rig::new(any()) }.run(|desk| {
        desk.deaf = true;
        desk.run();
        desk.at(10_000);
        assert_eq!(desk.client.deadline().map(|at| at.0), Some(70_000));
        desk.at(70_000);
        desk.expect(&["= refused timed out", "= ended"]);
    });
    Rig { tx: 520, ..Rig::new(any()) }.run(|desk| {
        desk.deaf = true;
        desk.run();
        desk.at(10_000);
        desk.client.recv_end();
        desk.expect(&["= refused closed, probing: false", "= ended"]);
    });
}

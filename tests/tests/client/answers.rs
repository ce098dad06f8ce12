//! Answers that are not what they should be.

use super::desk::{Desk, PLAIN, legacy, modern};
use midge::client::{Ending, Event, Filter};
use midge::session::rows::List;
use midge::{Millis, Revision};

const OLD: Revision = Revision::V2025_11_25;
const NONE: &str = "the stream ended before the answer came";

fn in_both(scenario: fn(&mut Desk<'_>)) {
    modern(scenario);
    legacy(OLD, scenario);
}

/// What comes of a tool call that is answered by `answer`.
fn ends(modern_too: bool, answer: &str, want: &str) {
    let check = |desk: &mut Desk<'_>| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.on(&format!(r#""id":2,{answer}"#), &[&format!("= 0: done {want}")]);
        desk.park_is_empty();
    };
    legacy(OLD, check);
    if modern_too {
        modern(check);
    }
}

#[test]
fn answers_end_their_call_whatever_they_are() {
    for (answer, want) in [
        (r#""result":{"content":[],"n":9007199254740993}"#, r#"result {"content":[],"n":9007199254740993}"#),
        (r#""result":{"isError":true},"error":null"#, r#"result {"isError":true}"#),
        (
            r#""error":{"code":-32002,"message":"x"},"result":null"#,
            r#"error -32002 {"code":-32002,"message":"x"}"#,
        ),
        (r#""error":{"code":7e0,"message":"\n"}"#, r#"error 7 {"code":7e0,"message":"\n"}"#),
        (r#""result":[]"#, "failed: the result is no object"),
        (r#""result":"x""#, "failed: the result is no object"),
        (r#""result":null"#, "failed: the result is no object"),
        (
            r#""result":{},"error":{"code":1,"message":"m"}"#,
            "failed: the answer holds both a result and an error",
        ),
        (r#""error":{"message":"m"}"#, "failed: the error has no code"),
        (r#""error":{"code":"1"}"#, "failed: the error has no code"),
        (r#""error":{"code":1.5}"#, "failed: the error has no code"),
        (r#""error":"broken""#, "failed: the error has no code"),
        (r#""error":null"#, "failed: the error has no code"),
    ] {
        ends(true, answer, want);
    }
}

#[test]
fn the_type_of_a_result_counts_where_there_are_types() {
    let answer = |kind: &str| format!(r#""result":{{"content":[],"resultType":{kind}}}"#);
    let unknown = "failed: the result has an unknown \"resultType\"";
    let input = "failed: asks for input and does not say which";
    for (kind, want) in [
        (r#""complete""#, None),
        (r#""compl3te""#, Some(unknown)),
        ("null", Some(unknown)),
        ("7", Some(unknown)),
        (r#""input_required""#, Some(input)),
        (r#""task""#, Some("failed: the task has no \"taskId\"")),
    ] {
        let complete = format!(r#"result {{"content":[],"resultType":{kind}}}"#);
        ends(false, &answer(kind), &complete);
        modern(|desk| {
            desk.tool(PLAIN);
            desk.run();
            desk.take();
            desk.on(
                &format!(r#""id":2,{}"#, answer(kind)),
                &[&format!("= 0: done {}", want.unwrap_or(&complete))],
            );
            desk.park_is_empty();
        });
    }
    for (kind, why) in [
        ("input_required", "asks for input where nothing may be asked"),
        ("task", "a task where none was asked for"),
    ] {
        modern(|desk| {
            desk.call(|c| c.list(List::Tools, PLAIN));
            desk.call(|c| c.request("tasks/get", PLAIN, |w| w.member("taskId", "t")));
            desk.run();
            desk.take();
            let result = format!(
                r#""result":{{"resultType":"{kind}","requestState":"s","taskId":"t","status":"working"}}"#
            );
            desk.on(&format!(r#""id":2,{result}"#), &[&format!("= 0: done failed: {why}")]);
            desk.on(&format!(r#""id":3,{result}"#), &[&format!("= 1: done failed: {why}")]);
        });
    }
}

#[test]
fn answers_to_nothing_disturb_nobody() {
    in_both(|desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        for stray in [
            r#""id":"2","result":{}"#,
            r#""id":2.0,"result":{}"#,
            r#""id":2e0,"result":{}"#,
            r#""id":-2,"result":{}"#,
            r#""id":0,"result":{}"#,
            r#""id":1,"result":{}"#,
            r#""id":3,"result":{}"#,
            r#""id":18446744073709551618,"result":{}"#,
            r#""id":null,"result":{}"#,
            r#""id":[2],"result":{}"#,
            r#""result":{}"#,
            r#""id":2,"id":2,"result":{}"#,
            r#""id":999,"error":{"code":1,"message":"m"}"#,
            r#""id":null,"error":"x""#,
        ] {
            desk.on(stray, &[&format!(r#"= stray response {{"jsonrpc":"2.0",{stray}}}"#)]);
        }
        for error in [r#""id":null,"error":"#, r#""error":"#, r#""id":"2","error":"#] {
            let fault = r#"{"code":-32700,"message":"p"}"#;
            desk.on(&format!("{error}{fault}"), &[&format!("= stray error -32700 {fault}")]);
        }
        assert_eq!(desk.client.calls_waiting(), 1);
        desk.on(r#""id":2,"result":{}"#, &["= 0: done result {}"]);
        desk.on(r#""id":2,"result":{}"#, &[r#"= stray response {"jsonrpc":"2.0","id":2,"result":{}}"#]);
        desk.park_is_empty();
    });
}

#[test]
fn an_answer_that_is_no_json_ends_its_call_now_and_not_when_it_is_late() {
    in_both(|desk| {
        for (line, why) in [
            (
                r#"{"jsonrpc":"2.0","id":#,"result":{"text":"\ud83d"}}"#,
                "half of a surrogate pair in a string",
            ),
            (r#"{"jsonrpc":"2.0","id":#,"result":{"text":"\q"}}"#, "an unknown escape in a string"),
            (r#"{"jsonrpc":"2.0","id":#,"result":{"n":NaN}}"#, "not valid JSON"),
            (r#"{"jsonrpc":"2.0","id":#,"result":{"n":1"#, "the JSON text ends too early"),
            (r#"{"jsonrpc":"2.0","id":#,"result":{}}}"#, "something follows the JSON value"),
        ] {
            desk.tool(PLAIN);
            desk.run();
            let line = line.replace('#', &desk.last_id.to_string());
            desk.take();
            desk.hear_line(&line);
            let said = desk.take();
            assert!(said[0].starts_with(&format!("= stray broken ({why}")), "{said:?}");
            assert!(said[1].ends_with(&format!("done failed: {why}")) && said.len() == 2, "{said:?}");
        }
        let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.hear(&format!(r#""id":{},"result":{{"a":{deep}}}"#, desk.last_id));
        assert!(desk.take()[1].ends_with("done failed: nested too deeply"));
        // A request that is broken answers nothing.
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.hear(&format!(r#""id":{},"method":"x","params":{{"#, desk.last_id));
        assert_eq!(desk.take().len(), 1);
        assert_eq!(desk.client.calls_waiting(), 1);
    });
}

#[test]
fn a_message_that_says_nothing_ends_its_call_and_a_log_line_does_not() {
    in_both(|desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        for log in [r#"{"id":2,"level":30,"msg":"x"}"#, r#"{"id":2}"#, r#"{"jsonrpc":"1.0","id":2}"#] {
            desk.hear_line(log);
            desk.expect(&[&format!("= stray line {log}")]);
        }
        desk.on(r#""id":2,"level":30"#, &["= 0: done failed: the result is no object"]);
        desk.hear_alone(r#""id":2,"level":30"#);
    });
}

#[test]
fn a_resource_that_is_not_there_is_known_by_both_codes() {
    for (error, want) in [
        (r#"{"code":-32002,"message":"m"}"#, true),
        (r#"{"code":-32602,"message":"m","data":{"uri":"a:b"}}"#, true),
        (r#"{"code":-32602,"message":"m","data":{"u":"a:b"}}"#, false),
        (r#"{"code":-32602,"message":"m","data":"uri"}"#, false),
        (r#"{"code":-32603,"message":"m","data":{"uri":"a:b"}}"#, false),
    ] {
        modern(|desk| {
            desk.call(|c| c.read_resource("a:b", PLAIN));
            desk.run();
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{error}}}\n");
            desk.client.recv_buf()[..line.len()].copy_from_slice(line.as_bytes());
            desk.client.recv_ack(line.len());
            let Event::Done(_, Ending::Error(fault)) = desk.client.poll(Millis(0)) else {
                panic!("an error")
            };
            assert_eq!(fault.is_not_found(), want, "{error}");
        });
    }
}

#[test]
fn junk_is_shown_and_nothing_is_said_to_it() {
    in_both(|desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        for line in [
            "Server ready",
            "\u{1b}[32mOK\u{1b}[0m",
            "42",
            "\"x\"",
            "null",
            "[]",
            "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}]",
            "{}",
            "{\"a\":2}",
            "{\"jsonrpc\":\"1.0\",\"method\":\"x\"}",
            "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"x\"}",
            "\u{feff}7",
        ] {
            desk.hear_line(line);
            desk.expect(&[&format!("= stray line {}", line.trim_start_matches('\u{feff}'))]);
        }
        for blank in ["", "   ", "\t\r", "\u{feff}"] {
            desk.hear_line(blank);
            desk.expect(&[]);
        }
        desk.hear_line("[info] {x}");
        assert!(desk.take()[0].starts_with("= stray broken (not valid JSON"));
        desk.hear_bytes(b"\xff\xfe{\"jsonrpc\"\n");
        assert!(desk.take()[0].starts_with("= stray line"));
        desk.hear_line(" \t{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}} \r");
        desk.expect(&["= 0: done result {}"]);
    });
}

#[test]
fn notifications_are_told_or_left_alone() {
    in_both(|desk| {
        for (line, want) in [
            (
                r#""method":"notifications/message","params":{"level":"info","data":1}"#,
                r#"log {"level":"info","data":1}"#,
            ),
            (r#""method":"notifications\/tools\/list_changed""#, "changed Tools"),
            (r#""method":"notifications/prompts/list_changed","params":{}"#, "changed Prompts"),
            (r#""method":"notifications/resources/list_changed""#, "changed Resources"),
            (
                r#""method":"notifications/resources/updated","params":{"uri":"a:b"}"#,
                r#"updated {"uri":"a:b"}"#,
            ),
            (r#""method":"window/logMessage""#, r#"notified "window/logMessage" "#),
            (r#""params":[1],"method":"x""#, r#"notified "x" [1]"#),
            (r#""method":"x","params":{"a":1}"#, r#"notified "x" {"a":1}"#),
        ] {
            desk.on(line, &[&format!("= {want}")]);
        }
        for line in [
            r#""method":"notifications/progress","params":{"progressToken":7}"#,
            r#""method":"notifications/cancelled","params":{"requestId":7}"#,
            r#""method":"notifications/cancelled""#,
            r#""method":"notifications/subscriptions/acknowledged""#,
        ] {
            desk.on(line, &[]);
        }
    });
}

const LISTEN: Filter<'static> =
    Filter { tools: true, prompts: false, resources: true, uris: &["a:b", "c\"d"] };

fn listening(scenario: impl Fn(&mut Desk<'_>)) {
    modern(|desk| {
        desk.call(|c| c.listen(LISTEN));
        desk.expect(&[
            r#"> "id":2,"method":"subscriptions/listen","params":{"_meta":{ME},"notifications":{"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:b","c\"d"]}}"#,
        ]);
        assert_eq!(desk.client.deadline(), None, "a subscription has no end of its own");
        desk.on(
            r#""method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"toolsListChanged":true}}"#,
            &[r#"= 0: listening {"toolsListChanged":true}"#],
        );
        scenario(desk);
        desk.park_is_empty();
    });
}

#[test]
fn a_subscription_ends_once_in_whatever_way() {
    let withdrawn = r#""method":"notifications/cancelled","params":{"requestId":2}"#;
    let result =
        r#""id":2,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}"#;
    let whole = r#"{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":2}}"#;
    listening(|desk| {
        desk.on(withdrawn, &["= 0: done failed: the server ended the subscription"]);
        desk.on(result, &[&format!(r#"= stray response {{"jsonrpc":"2.0",{result}}}"#)]);
    });
    listening(|desk| {
        desk.on(result, &[&format!("= 0: done result {whole}")]);
        desk.on(withdrawn, &[]);
    });
    listening(|desk| {
        for other in [r#""2""#, "3", "null", "2.5"] {
            let line = format!(r#""method":"notifications/cancelled","params":{{"requestId":{other}}}"#);
            desk.on(&line, &[]);
        }
        assert_eq!(desk.client.calls_waiting(), 1);
        desk.on(withdrawn, &["= 0: done failed: the server ended the subscription"]);
    });
    modern(|desk| {
        desk.call(|c| c.listen(LISTEN));
        desk.run();
        desk.take();
        desk.client.recv_end();
        desk.expect(&[&format!("= 0: done failed: {NONE}"), "= ended"]);
    });
    // What a server withdraws that is no subscription goes on.
    modern(|desk| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.on(withdrawn, &[]);
        desk.on(r#""id":2,"result":{}"#, &["= 0: done result {}"]);
    });
}

//! Lines that are longer than the receive buffer, in slices or not at all, and lines that hold several messages.

use super::desk::{Desk, PLAIN, Rig, legacy, legacy_in, modern, modern_in};
use midge::client::{Given, Options};
use midge::session::rows::List;
use midge::{Can, Kind, Revision};
use midge_tests::pair::only;

const SLICED: Options<'static> = Options { slices: true, ..PLAIN };
const OLD: Revision = Revision::V2025_11_25;
const BATCHES: Revision = Revision::V2025_03_26;

fn modern_rx(rx: usize) -> Rig {
    Rig { rx, ..Rig::new(only(Revision::V2026_07_28)) }
}

fn called(rx: usize, options: Options<'static>, scenario: impl Fn(&mut Desk<'_>)) {
    modern_in(modern_rx(rx), |desk| {
        desk.tool(options);
        desk.run();
        desk.take();
        scenario(desk);
    });
}

#[test]
fn an_answer_that_does_not_fit_says_how_long_it_is() {
    let long = "x".repeat(600);
    for answer in [
        format!(r#""id":2,"result":{{"text":"{long}"}}"#),
        format!(r#""result":{{"text":"{long}","id":9}},"id":2"#),
        format!(r#""id":2,"error":{{"code":1,"message":"{long}"}}"#),
        format!(r#""result":{{"id":3,"a":["\"id\":4,"],"text":"{long}"}}, "id" : 2 "#),
    ] {
        // An error has no slices, and neither has what names its request too late.
        let result_first = answer.starts_with(r#""result"#) || answer.contains("error");
        for options in [PLAIN, SLICED] {
            if options.slices && !result_first {
                continue;
            }
            called(256, options, |desk| {
                desk.on(&answer, &["= 0: done failed: the answer is larger than the receive buffer"]);
                desk.tool(PLAIN);
                desk.run();
                desk.take();
                desk.on(r#""id":3,"result":{}"#, &["= 1: done result {}"]);
            });
        }
    }
}

#[test]
fn other_long_lines_are_let_by() {
    let long = "x".repeat(600);
    for line in [
        format!(r#""id":99,"result":{{"text":"{long}"}}"#),
        format!(r#""id":"2","result":{{"text":"{long}"}}"#),
        format!(r#""id":2.0,"result":{{"text":"{long}"}}"#),
        format!(r#""id":2,"id":2,"result":{{"text":"{long}"}}"#),
        format!(r#""method":"x","params":{{"text":"{long}"}}"#),
        format!(r#""id":2,"method":"x","params":{{"text":"{long}"}}"#),
        format!(r#""params":{{"text":"{long}"}},"id":2,"method":"x""#),
        format!(r#""text":"{long}","#),
    ] {
        called(256, PLAIN, |desk| {
            let bytes = line.len() + r#"{"jsonrpc":"2.0",}"#.len();
            desk.on(&line, &[&format!("= stray too long: {bytes} bytes")]);
            assert_eq!(desk.client.calls_waiting(), 1);
            desk.on(r#""id":2,"result":{}"#, &["= 0: done result {}"]);
        });
    }
    called(256, PLAIN, |desk| {
        desk.hear_line(&long);
        desk.expect(&["= stray too long: 600 bytes"]);
    });
}

#[test]
fn a_request_that_does_not_fit_is_refused() {
    let (rig, long) = (Rig { rx: 256, ..Rig::new(only(OLD)) }, "x".repeat(600));
    let refusal = |id: &str| {
        format!(
            r#"> "id":{id},"error":{{"code":-32603,"message":"Internal error: the client has no room for the message (limit: rx)"}}"#
        )
    };
    legacy_in(rig, OLD, |desk| {
        for id in ["7", r#""a\n""#, "-1"] {
            let line = format!(r#""id":{id},"method":"sampling/createMessage","params":{{"text":"{long}"}}"#);
            let shown = format!("= stray too long: {} bytes", line.len() + 18);
            desk.on(&line, &[&shown, &refusal(id)]);
        }
        for id in ["1.5", "null", "{}"] {
            let line = format!(r#""id":{id},"method":"x","params":{{"text":"{long}"}}"#);
            desk.on(&line, &[&format!("= stray too long: {} bytes", line.len() + 18)]);
        }
    });
    // The refusal waits for room, and the line for it.
    legacy_in(Rig { tx: 270, ..rig }, OLD, |desk| {
        desk.call(|c| c.request("tools/list", PLAIN, |w| w.member("cursor", &"c".repeat(100))));
        desk.deaf = true;
        let line = format!("{{\"id\":7,\"method\":\"x\",\"params\":\"{long}\"}}\n{{\"a\":1}}\n");
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            rest = desk.hear_some(rest);
        }
        desk.expect(&[]);
        desk.deaf = false;
        desk.run();
        let said = desk.take();
        assert_eq!(said.len(), 4, "{said:?}");
        assert!(said[1].starts_with("= stray too long") && said.contains(&refusal("7")), "{said:?}");
    });
}

#[test]
fn slices_are_the_result_byte_for_byte() {
    let results = [
        format!(r#"{{"text":"{}"}}"#, "x".repeat(700)),
        format!(
            r#"{{"a":[{}{{"b":"}}]\"\\"}}],"é":"\u00e9\\\"{}"}}"#,
            "{\"}\":1},".repeat(60),
            "é".repeat(40)
        ),
        format!(r#"{{ "result" : {{"id":9,"result":{{}}}}, "b":"{}" }}"#, "y".repeat(500)),
    ];
    for result in &results {
        for rx in [80, 81, 100, 127, 256, 300] {
            for tail in ["", r#","x":{"result":[1]},"jsonrpc":"2.0""#] {
                called(rx, SLICED, |desk| {
                    desk.hear(&format!(r#""id":2,"result": {result}{tail}"#));
                    let said = desk.take();
                    let (last, slices) = said.split_last().expect("something is said");
                    assert_eq!(last, "= 0: done sliced");
                    assert!(slices.iter().all(|line| line.starts_with("= 0: slice ")));
                    assert_eq!(desk.sliced, result.as_bytes(), "rx {rx}");
                    desk.tool(PLAIN);
                    desk.run();
                    desk.take();
                    desk.on(r#""id":3,"result":{}"#, &["= 1: done result {}"]);
                });
            }
        }
    }
}

#[test]
fn what_fits_is_not_sliced() {
    called(256, SLICED, |desk| desk.on(r#""id":2,"result":{"a":1}"#, &[r#"= 0: done result {"a":1}"#]));
}

#[test]
fn a_page_is_not_sliced_for_its_cursor_would_be_lost() {
    modern_in(modern_rx(128), |desk| {
        desk.call(|c| c.list(List::Tools, SLICED));
        desk.run();
        desk.take();
        let page = format!(r#""id":2,"result":{{"tools":["{}"],"nextCursor":"a"}}"#, "x".repeat(300));
        desk.on(&page, &["= 0: done failed: the answer is larger than the receive buffer"]);
    });
}

#[test]
fn slices_that_break_off_are_no_result() {
    let begun = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{{"a":"{}"#, "x".repeat(300));
    let ends = |desk: &mut Desk<'_>, want: &str| {
        let said = desk.take();
        assert!(said.iter().filter(|line| line.starts_with("= 0: slice ")).count() > 0);
        assert_eq!(
            said.iter().find(|line| line.contains("done")).map(String::as_str),
            Some(want),
            "{said:?}"
        );
    };
    called(128, SLICED, |desk| {
        desk.hear_bytes(begun.as_bytes());
        desk.client.recv_end();
        desk.run();
        ends(desk, "= 0: done failed: the stream ended before the answer came");
        assert!(desk.ended);
    });
    called(128, SLICED, |desk| {
        desk.hear_line(&begun);
        ends(desk, "= 0: done failed: the result breaks off");
        assert_eq!(desk.client.calls_waiting(), 0);
    });
    called(128, SLICED, |desk| {
        desk.hear_bytes(format!("{begun}\"}}").as_bytes());
        desk.client.recv_end();
        desk.run();
        ends(desk, "= 0: done sliced");
    });
    // No object: no slices.
    called(128, SLICED, |desk| {
        let list = format!(r#""id":2,"result":["{}"]"#, "x".repeat(300));
        desk.on(&list, &["= 0: done failed: the answer is larger than the receive buffer"]);
    });
}

#[test]
fn slices_stop_when_the_call_does() {
    let half = |id: u64| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":"{}"#, "x".repeat(300));
    called(128, SLICED, |desk| {
        let other = desk.tool(SLICED);
        desk.run();
        desk.take();
        desk.hear_bytes(half(3).as_bytes());
        assert!(desk.take().iter().all(|line| line.starts_with("= 1: slice ")));
        assert_eq!(desk.client.cancel(other), Ok(()));
        assert_eq!(desk.client.cancel(other).map_err(|e| e.kind), Err(Kind::Stale));
        desk.hear_line(&format!("{}\"}}}}", "y".repeat(300)));
        let said = desk.take();
        assert!(said.len() == 1 && said[0].contains("notifications/cancelled"), "{said:?}");
        // The other is not touched.
        desk.hear_line(&format!("{}\"}}}}", half(2)));
        assert_eq!(desk.take().last().map(String::as_str), Some("= 0: done sliced"));
    });
    called(128, Options { timeout_ms: 100, ..SLICED }, |desk| {
        desk.hear_bytes(half(2).as_bytes());
        desk.take();
        desk.at(100);
        assert_eq!(desk.take()[0], "= 0: done failed: no answer came in time");
        desk.hear_line("\"}}");
        desk.expect(&[]);
    });
}

#[test]
fn a_call_that_was_given_up_is_not_sliced() {
    // It may be a task, so its answer is still waited for.
    let rig = Rig { rx: 128, ..Rig::new(only(OLD)) };
    legacy_in(rig, OLD, |desk| {
        let ticket = desk.tool(Options { task_ms: Some(1_000), ..SLICED });
        desk.run();
        desk.take();
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        desk.hear(&format!(r#""id":2,"result":{{"a":"{}"}}"#, "x".repeat(300)));
        desk.expect(&[]);
        for _ in 0..8 {
            desk.tool(PLAIN);
            desk.run();
        }
    });
}

#[test]
fn arrays_are_read_element_by_element() {
    legacy(BATCHES, |desk| {
        desk.tool(PLAIN);
        desk.call(|c| c.list(List::Tools, PLAIN));
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.hear_line(
            r#" [ {"jsonrpc":"2.0","id":3,"result":{"tools":[],"nextCursor":"a\n"}} ,{"jsonrpc":"2.0","id":"p","method":"ping"},7,[{"jsonrpc":"2.0","id":2,"result":{}}],{"jsonrpc":"2.0","id":5,"method":"roots/list"},{"jsonrpc":"2.0","method":"x"}, {"jsonrpc":"2.0","id":4,"error":{"code":1,"message":"]"}},{"jsonrpc":"2.0","id":2,"result":{}} ] "#,
        );
        desk.expect(&[
            r#"= 1: page {"tools":[],"nextCursor":"a\n"}"#,
            "= stray line 7",
            r#"= stray line [{"jsonrpc":"2.0","id":2,"result":{}}]"#,
            "= asked Roots ",
            r#"= notified "x" "#,
            r#"= 2: done error 1 {"code":1,"message":"]"}"#,
            "= 0: done result {}",
            r#"> "id":5,"method":"tools/list","params":{"cursor":"a\n"}"#,
            r#"> "id":"p","result":{}"#,
        ]);
        assert_eq!(desk.client.answer(desk.questions[0], Given::Error(-1, "n\"o")), Ok(()));
        desk.expect(&[r#"> "id":5,"error":{"code":-1,"message":"n\"o"}"#]);
        desk.on(r#""id":5,"result":{"tools":[]}"#, &[r#"= 1: done result {"tools":[]}"#]);
        for empty in ["[]", " [ ] "] {
            desk.hear_line(empty);
            desk.expect(&[]);
        }
        desk.hear_line(r#"[{"jsonrpc":"2.0","id":2,"result":{}}"#);
        assert!(desk.take()[0].starts_with("= stray broken"));
        desk.park_is_empty();
    });
}

#[test]
fn arrays_wait_for_room_and_lose_nothing() {
    legacy_in(Rig { tx: 210, ..Rig::new(only(BATCHES)) }, BATCHES, |desk| {
        let pings: Vec<_> =
            (10..40).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).collect();
        desk.hear_line(&format!("[{}]", pings.join(",")));
        let want: Vec<_> = (10..40).map(|id| format!(r#"> "id":{id},"result":{{}}"#)).collect();
        desk.expect(&want.iter().map(String::as_str).collect::<Vec<_>>());
    });
}

#[test]
fn elsewhere_arrays_are_no_messages() {
    let array = r#"[{"jsonrpc":"2.0","id":2,"result":{}}]"#;
    let check = |desk: &mut Desk<'_>| {
        desk.tool(PLAIN);
        desk.run();
        desk.take();
        desk.hear_line(array);
        desk.expect(&[&format!("= stray line {array}")]);
    };
    modern(check);
    for revision in [Revision::V2024_11_05, Revision::V2025_06_18, OLD] {
        legacy(revision, check);
    }
    // Also before it is known what is spoken.
    Rig { can: Can::NOTHING, ..Rig::new(only(BATCHES)) }.run(|desk| {
        desk.run();
        desk.take();
        desk.hear_line(array);
        desk.expect(&[&format!("= stray line {array}")]);
    });
}

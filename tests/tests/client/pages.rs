//! Lists that are read whole, page by page.

use super::desk::{Desk, PLAIN, Rig, legacy, modern, modern_in};
use midge::client::Options;
use midge::session::rows::List;
use midge::{Kind, Revision};
use midge_tests::pair::only;

const OLD: Revision = Revision::V2025_06_18;

/// The request for a page with that id, and with these members.
fn wants(desk: &Desk<'_>, id: u64, cursor: &str) -> String {
    let cursor = if cursor.is_empty() { String::new() } else { format!(r#""cursor":{cursor}"#) };
    let params = match (desk.client.revision(), cursor.as_str()) {
        (Some(OLD), cursor) => cursor.into(),
        (_, "") => r#""_meta":{ME}"#.into(),
        (_, cursor) => format!(r#""_meta":{{ME}},{cursor}"#),
    };
    format!(r#"> "id":{id},"method":"tools/list","params":{{{params}}}"#)
}

fn page(id: u64, cursor: &str) -> String {
    format!(r#""id":{id},"result":{{"tools":[],"nextCursor":{cursor}}}"#)
}

fn shown(cursor: &str) -> String {
    format!(r#"{{"tools":[],"nextCursor":{cursor}}}"#)
}

fn listed(scenario: impl Fn(&mut Desk<'_>) + Copy) {
    let begin = |desk: &mut Desk<'_>| {
        desk.call(|c| c.list(List::Tools, PLAIN));
        let first = wants(desk, 2, "");
        desk.expect(&[&first]);
        scenario(desk);
        if !desk.ended {
            desk.park_is_empty();
        }
    };
    modern(begin);
    legacy(OLD, begin);
}

#[test]
fn cursors_come_back_byte_for_byte_and_an_empty_one_is_one() {
    listed(|desk| {
        let mut id = 2;
        for cursor in [r#""""#, r#""a\u00e9\/\n\"\ud83d\ude00é""#, r#"" ""#, r#""null""#] {
            let next = wants(desk, id + 1, cursor);
            desk.on(&page(id, cursor), &[&format!("= 0: page {}", shown(cursor)), &next]);
            id += 1;
        }
        desk.on(
            &format!(r#""id":{id},"result":{{"tools":[{{"name":"a"}}]}}"#),
            &[r#"= 0: done result {"tools":[{"name":"a"}]}"#],
        );
    });
}

#[test]
fn what_is_no_string_is_no_cursor() {
    for cursor in ["null", "7", "{}", "[]", "false"] {
        listed(|desk| desk.on(&page(2, cursor), &[&format!("= 0: done result {}", shown(cursor))]));
    }
}

#[test]
fn lists_without_an_end_end() {
    listed(|desk| {
        let next = wants(desk, 3, r#""c1""#);
        desk.on(&page(2, r#""c1""#), &[&format!("= 0: page {}", shown(r#""c1""#)), &next]);
        desk.on(
            &page(3, r#""c1""#),
            &["= 0: done failed: the list gives the same cursor again: it would never end"],
        );
    });
    for circle in [2_u64, 3, 50] {
        listed(|desk| {
            for id in 2.. {
                desk.hear(&page(id, &format!(r#""c{}""#, id % circle)));
                let said = desk.take();
                if said[0].contains("done") {
                    assert!(said[0].contains("the same cursor again"), "{said:?}");
                    assert!(id < 3 * circle + 6, "page {id} of a circle of {circle}");
                    return;
                }
            }
        });
    }
}

#[test]
fn a_list_has_a_thousand_pages_at_most() {
    for last in [1_000_u64, 1_001] {
        modern(|desk| {
            desk.call(|c| c.list(List::Tools, PLAIN));
            desk.run();
            desk.quiet = true;
            for n in 1..1_000 {
                desk.hear(&page(n + 1, &format!(r#""c{n}""#)));
            }
            desk.quiet = false;
            desk.take();
            assert_eq!(desk.last_id, 1_001);
            if last == 1_000 {
                return desk.on(r#""id":1001,"result":{"tools":[]}"#, &[r#"= 0: done result {"tools":[]}"#]);
            }
            desk.on(&page(1_001, r#""one more""#), &["= 0: done failed: the list has too many pages"]);
        });
    }
}

#[test]
fn errors_and_the_end_of_the_stream_end_a_list_between_pages() {
    let first = format!("= 0: page {}", shown(r#""a""#));
    listed(|desk| {
        let next = wants(desk, 3, r#""a""#);
        desk.on(&page(2, r#""a""#), &[&first, &next]);
        desk.on(
            r#""id":3,"error":{"code":-32602,"message":"m"}"#,
            &[r#"= 0: done error -32602 {"code":-32602,"message":"m"}"#],
        );
    });
    listed(|desk| {
        let next = wants(desk, 3, r#""a""#);
        desk.on(&page(2, r#""a""#), &[&first, &next]);
        desk.client.recv_end();
        desk.expect(&["= 0: done failed: the stream ended before the answer came", "= ended"]);
    });
}

/// Hears a page and polls once: the page is shown, and the next is not asked for yet.
fn sees_page(desk: &mut Desk<'_>, cursor: &str) {
    let line = format!("{{\"jsonrpc\":\"2.0\",{}}}\n", page(2, cursor));
    let room = desk.client.recv_buf();
    room[..line.len()].copy_from_slice(line.as_bytes());
    desk.client.recv_ack(line.len());
    let event = midge_tests::pair::describe(desk.client.poll(midge::Millis(desk.now)));
    assert!(event.starts_with("page "), "{event}");
}

#[test]
fn a_list_is_cancelled_between_pages_and_its_slot_used_again() {
    modern(|desk| {
        let ticket = desk.call(|c| c.list(List::Tools, PLAIN));
        desk.run();
        desk.take();
        sees_page(desk, r#""a""#);
        assert_eq!(desk.client.cancel(ticket), Ok(()));
        assert_eq!(desk.client.cancel(ticket).map_err(|e| e.kind), Err(Kind::Stale));
        desk.call(|c| c.list(List::Prompts, PLAIN));
        desk.expect(&[r#"> "id":3,"method":"prompts/list","params":{"_meta":{ME}}"#]);
        desk.on(r#""id":3,"result":{"prompts":[]}"#, &[r#"= 1: done result {"prompts":[]}"#]);
        desk.park_is_empty();
    });
}

#[test]
fn each_page_has_its_time() {
    let options = Options { timeout_ms: 100, max_ms: 250, progress: true, ..PLAIN };
    modern(|desk| {
        desk.call(|c| c.list(List::Tools, options));
        desk.run();
        desk.take();
        for (now, id) in [(90, 2), (180, 3)] {
            desk.at(now);
            desk.hear(&page(id, &format!(r#""c{id}""#)));
            let said = desk.take();
            let next = format!(
                r#"> "id":{},"method":"tools/list","params":{{"_meta":{{ME,"progressToken":2}},"cursor":"c{id}"}}"#,
                id + 1
            );
            assert_eq!(said[1], next);
        }
        desk.at(249);
        desk.expect(&[]);
        desk.at(250);
        assert_eq!(desk.take()[0], "= 0: done failed: no answer came in time");
    });
    // The application looks at a page for an hour.
    modern(|desk| {
        desk.call(|c| c.list(List::Tools, Options { timeout_ms: 100, ..PLAIN }));
        desk.run();
        desk.take();
        sees_page(desk, r#""a""#);
        desk.at(3_600_000);
        let next = wants(desk, 3, r#""a""#);
        desk.expect(&[&next]);
        desk.at(3_600_099);
        desk.on(r#""id":3,"result":{"tools":[]}"#, &[r#"= 0: done result {"tools":[]}"#]);
    });
}

#[test]
fn the_next_page_waits_for_room_but_not_for_ever_and_nobody_else_does() {
    let rig = Rig { tx: 420, ..Rig::new(only(Revision::V2026_07_28)) };
    let ready = |desk: &mut Desk<'_>| {
        desk.call(|c| c.list(List::Tools, Options { timeout_ms: 100, ..PLAIN }));
        desk.run();
        desk.call(|c| c.request("x", Options { timeout_ms: 50, ..PLAIN }, |_| {}));
        desk.deaf = true;
        desk.run();
        desk.take();
        desk.hear(&page(2, r#""a""#));
        desk.expect(&[&format!("= 0: page {}", shown(r#""a""#))]);
    };
    modern_in(rig, |desk| {
        ready(desk);
        desk.at(50);
        desk.expect(&["= 1: done failed: no answer came in time"]);
        desk.deaf = false;
        desk.run();
        let said = desk.take();
        assert!(said.iter().any(|line| line.ends_with(r#""cursor":"a"}"#)), "{said:?}");
    });
    modern_in(rig, |desk| {
        ready(desk);
        desk.at(100);
        let late = "done failed: no answer came in time";
        desk.expect(&[&format!("= 0: {late}"), &format!("= 1: {late}")]);
        desk.deaf = false;
        desk.run();
        assert!(!desk.take().iter().any(|line| line.contains("cursor")));
        desk.park_is_empty();
    });
    modern_in(rig, |desk| {
        ready(desk);
        desk.client.recv_end();
        let closed = "done failed: the stream ended before the answer came";
        desk.expect(&[&format!("= 0: {closed}"), &format!("= 1: {closed}"), "= ended"]);
    });
    // It can never be asked for.
    modern_in(rig, |desk| {
        desk.call(|c| c.list(List::Tools, PLAIN));
        desk.run();
        desk.take();
        let long = format!(r#""{}""#, "c".repeat(300));
        desk.on(
            &page(2, &long),
            &[&format!("= 0: page {}", shown(&long)), "= 0: done failed: the transmit buffer is too small"],
        );
        desk.park_is_empty();
    });
}

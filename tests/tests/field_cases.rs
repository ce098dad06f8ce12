//! Faults that people met in other implementations, each with its right answer, against the fixture server.

use midge::{Config, Event, Millis, Server, Slot, Storage};
use midge_examples::everything::{CATALOG, Everything};
use midge_examples::stdio::Work;
use serde_json::{Value, json};

const INIT: &str = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"0\"}}}\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";

/// What the server says to `input`, given in pieces of `cut` bytes, with `rx` bytes to receive; deferred calls have all the
/// time they want at the end.
fn said_in(input: &[u8], cut: usize, rx: usize) -> Vec<String> {
    let (mut rx, mut tx) = (vec![0; rx], vec![0; 16 << 20]);
    let mut slots = vec![Slot::FREE; 32];
    let (mut subscriptions, mut scratch) = ([0; 1024], [0; 256]);
    let storage = Storage {
        rx: (&mut rx[..]).into(),
        tx: (&mut tx[..]).into(),
        slots: &mut slots,
        subscriptions: &mut subscriptions,
        scratch: &mut scratch,
    };
    let mut server = Server::new(&CATALOG, storage, Config::default()).unwrap();
    let mut state = Everything::default();
    let mut out = Vec::new();
    for piece in input.chunks(cut) {
        let mut rest = piece;
        while !rest.is_empty() {
            run(&mut server, &mut state, 0, &mut out);
            let n = midge::bytes::copy(server.recv_buf(), rest);
            server.recv_ack(n);
            rest = &rest[n..];
        }
    }
    for ms in 0..20 {
        run(&mut server, &mut state, ms * 100, &mut out);
    }
    String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
}

fn run(server: &mut Server<'_>, state: &mut Everything, ms: u64, out: &mut Vec<u8>) {
    let now = Millis(ms);
    for _ in 0..10_000 {
        match server.poll(now) {
            Event::Call(call) => CATALOG.run(call, state, None),
            Event::Cancelled(ticket) | Event::Expired(ticket) => state.stopped(ticket),
            Event::Send | Event::Idle | Event::Ended => {
                let n = server.send_buf().1.len();
                if n == 0 {
                    state.idle(server, now);
                    if server.send_buf().1.is_empty() {
                        return;
                    }
                    continue;
                }
                out.extend_from_slice(server.send_buf().1);
                server.send_ack(n);
            }
        }
    }
    panic!("the server does not come to rest");
}

fn said(input: &str) -> Vec<Value> {
    let lines = said_in(input.as_bytes(), usize::MAX, 1 << 20);
    lines.iter().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// What is said after the handshake.
fn after_init(input: &str) -> Vec<Value> {
    said(&format!("{INIT}{input}")).split_off(1)
}

fn call(id: &str, name: &str, arguments: &str) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}\n"
    )
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
}

const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

#[test]
fn b01_an_id_comes_back_as_it_came() {
    for id in ["\"1\"", "\"a-7\"", "\"\"", "\"007\"", "0", "-1", "12345678901234567890123"] {
        for (method, member) in [("tools/list", "result"), ("no/such", "error")] {
            let line = format!(
                "{INIT}{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{}}}}\n"
            );
            let said = said_in(line.as_bytes(), usize::MAX, 4096);
            let head = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"{member}\":");
            assert!(said[1].starts_with(&head), "{id} {method}: {}", said[1]);
        }
    }
}

#[test]
fn b02_text_is_whole_in_any_cut() {
    let input = format!("{INIT}{}", call("2", "echo", "{\"text\":\"é — 😀 漢\"}"));
    let whole = said_in(input.as_bytes(), usize::MAX, 4096);
    assert!(whole[1].contains("\"text\":\"é — 😀 漢\""));
    for cut in 1..9 {
        assert_eq!(said_in(input.as_bytes(), cut, 4096), whole);
    }
}

#[test]
fn b03_long_lines_are_no_trouble() {
    for len in [65_535, 65_536, 65_537, 1 << 20, 5 << 20] {
        let long = "x".repeat(len);
        let input = format!(
            "{INIT}{}{}",
            call("2", "echo", &format!("{{\"text\":\"{long}\"}}")),
            call("3", "echo", "{\"text\":\"small\"}")
        );
        let said = said_in(input.as_bytes(), 1 << 16, 6 << 20);
        assert!(said[1].len() > len && said[1].contains(&long));
        assert!(said[2].contains("\"text\":\"small\""));
    }
}

#[test]
fn b03_a_line_beyond_the_limit_fails_alone() {
    let long = "x".repeat(8000);
    let input = format!(
        "{INIT}{}{}",
        call("\"big\"", "echo", &format!("{{\"text\":\"{long}\"}}")),
        call("3", "echo", "{\"text\":\"small\"}")
    );
    for cut in [1000, usize::MAX] {
        let said = said_in(input.as_bytes(), cut, 4096);
        let error: Value = serde_json::from_str(&said[1]).unwrap();
        assert_eq!(error["id"], "big");
        assert_eq!(error["error"]["data"]["limitBytes"], 4096);
        assert!(error["error"]["data"]["neededBytes"].as_u64().unwrap() > 8000);
        assert!(said[2].contains("\"text\":\"small\""));
    }
}

#[test]
fn b04_carriage_returns_and_blanks_are_taken_off() {
    let input = format!("{INIT}{}", call("2", "echo", "{\"text\":\"a\"}"));
    let whole = said_in(input.as_bytes(), usize::MAX, 4096);
    for end in ["\r\n", " \t\n", " \r\n"] {
        let input = input.replace('\n', end);
        for cut in [1, 7, usize::MAX] {
            assert_eq!(said_in(input.as_bytes(), cut, 4096), whole);
        }
    }
}

#[test]
fn b05_garbage_before_the_handshake_does_not_end_it() {
    for garbage in ["not json\n", "\u{FEFF}", "\n   \n[]\n42\n\"x\"\n{}\n"] {
        let said = said(&format!("{garbage}{INIT}"));
        let answer = said.iter().find(|m| m["id"] == 1).expect("initialize is answered");
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        assert!(
            said.iter().all(|m| m["id"] == 1 || m.get("id").is_none_or(Value::is_null)),
            "no id is invented"
        );
    }
}

#[test]
fn b07_parallel_answers_are_whole_lines() {
    let mut input = String::new();
    for id in 2..22 {
        input += &call(&id.to_string(), "test_slow", &format!("{{\"ms\":{}}}", (id * 37) % 300));
    }
    input += &call("99", "echo", &format!("{{\"text\":\"{}\"}}", "y".repeat(100_000)));
    let said = after_init(&input);
    assert_eq!(said.len(), 21);
    for id in 2..22 {
        let answer = said.iter().find(|m| m["id"] == id).expect("each call is answered");
        assert_eq!(text(answer), format!("slow: {}", (id * 37) % 300));
    }
}

#[test]
fn b08_params_may_be_left_out() {
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "ping"] {
        let bare = after_init(&format!("{{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"{method}\"}}\n"));
        let empty = after_init(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"{method}\",\"params\":{{}}}}\n"
        ));
        assert_eq!(bare, empty);
        assert!(bare[0]["result"].is_object());
    }
    let modern = said("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}\n");
    assert_eq!(modern[0]["error"]["code"], -32602);
}

#[test]
fn b09_no_arguments_in_three_spellings() {
    for params in [
        "{\"name\":\"test_simple_text\",\"arguments\":null}",
        "{\"name\":\"test_simple_text\"}",
        "{\"name\":\"test_simple_text\",\"arguments\":{}}",
    ] {
        let said = after_init(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{params}}}\n"
        ));
        assert_eq!(text(&said[0]), "This is a simple text response for testing.", "{params}");
        assert!(said[0]["result"].get("isError").is_none());
    }
}

#[test]
fn b10_b11_the_last_page_has_no_cursor_and_null_is_none() {
    for method in ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] {
        for params in ["{}", "{\"cursor\":null}"] {
            let said = after_init(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"{method}\",\"params\":{params}}}\n"
            ));
            assert!(
                said[0]["result"].is_object() && said[0]["result"].get("nextCursor").is_none(),
                "{method} {params}"
            );
        }
    }
}

#[test]
fn b12_unknown_notifications_are_passed_over() {
    let said = after_init(concat!(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/stderr\",\"params\":{\"content\":\"x\"}}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"window/logMessage\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n",
        "{\"jsonrpc\":\"2.0\",\"method\":\"x/y\",\"params\":[1]}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n",
    ));
    assert_eq!(said, [json!({"jsonrpc":"2.0","id":9,"result":{}})]);
}

#[test]
fn b14_big_integers_stay_exact() {
    let said =
        said_in(format!("{INIT}{}", call("2", "test_structured_content", "{}")).as_bytes(), usize::MAX, 4096);
    assert!(said[1].contains("\"structuredContent\":{\"count\":3,\"big\":9007199254740993}"), "{}", said[1]);
}

#[test]
fn b15_requests_between_the_handshake_and_its_end() {
    let (init, initialized) = INIT.split_once('\n').unwrap();
    let said = said(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}}\n{init}\n{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"logging/setLevel\",\"params\":{{\"level\":\"warning\"}}}}\n{{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}}\n{initialized}{{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}}\n"
    ));
    let ids: Vec<_> = said.iter().map(|m| m["id"].clone()).collect();
    assert_eq!(ids, [json!(0), json!(1), json!(2), json!(3), json!(4)]);
    assert!(said.iter().all(|m| m["result"].is_object()));
}

#[test]
fn b16_versions_are_agreed_on() {
    for asked in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "1900-01-01",
        "2099-01-01",
        "2026-07-28",
        "",
        "abc",
    ] {
        let said = said(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"{asked}\",\"capabilities\":{{}},\"clientInfo\":{{\"name\":\"t\",\"version\":\"0\"}}}}}}\n"
        ));
        let known = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"].contains(&asked);
        assert_eq!(said[0]["result"]["protocolVersion"], if known { asked } else { "2025-11-25" });
    }
    for params in ["{}", "{\"protocolVersion\":7}"] {
        let said = said(&format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{params}}}\n"
        ));
        assert_eq!(said[0]["error"]["code"], -32602);
    }
}

#[test]
fn b17_a_cancel_before_beside_and_after_the_answer() {
    let cancel = |id: &str| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}\n"
        )
    };
    let answers = |said: &[Value]| said.iter().filter(|m| m["id"] == 2).count();
    let slow = call("2", "test_slow", "{\"ms\":100}");
    assert_eq!(answers(&after_init(&format!("{slow}{}", cancel("2")))), 0, "before");
    assert_eq!(answers(&after_init(&format!("{slow}{}", cancel("\"2\"")))), 1, "a string is another id");
    assert_eq!(answers(&after_init(&format!("{}{slow}", cancel("2")))), 1, "too early");
    assert_eq!(answers(&after_init(&format!("{slow}{0}{0}", cancel("2")))), 0, "twice");
    assert_eq!(
        answers(&after_init(&format!("{}{}", call("2", "echo", "{\"text\":\"a\"}"), cancel("2")))),
        1,
        "too late"
    );
    let missing = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}\n";
    assert_eq!(answers(&after_init(&format!("{slow}{missing}{}", cancel("77")))), 1, "of nothing");
    let counted = after_init(&format!("{slow}{}{}", cancel("2"), call("3", "test_cancelled_count", "{}")));
    assert_eq!(text(&counted[0]), "cancelled: 1");
}

#[test]
fn b19_a_progress_token_comes_back_as_it_came() {
    for token in ["0", "\"\"", "\"0\"", "9007199254740993"] {
        let line = format!(
            "{INIT}{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{{\"_meta\":{{\"progressToken\":{token}}},\"name\":\"test_tool_with_progress\"}}}}\n"
        );
        let said = said_in(line.as_bytes(), usize::MAX, 4096);
        let told = said.iter().filter(|l| l.contains(&format!("\"progressToken\":{token},"))).count();
        assert_eq!(told, 3, "{token}: {said:?}");
    }
    assert_eq!(after_init(&call("2", "test_tool_with_progress", "{}")).len(), 1, "nothing without a token");
}

#[test]
fn b22_template_variables_are_decoded() {
    let read = |uri: &str| {
        after_init(&format!("{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{{\"uri\":\"{uri}\"}}}}\n")).remove(0)
    };
    for (raw, want) in [("My%20File%C3%A9.txt", "My Fileé.txt"), ("a%2Fb", "a/b"), ("a+b", "a+b")] {
        let answer = read(&format!("test://template/{raw}/data"));
        let contents = &answer["result"]["contents"][0];
        let data: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
        assert_eq!(data["id"], want);
        assert_eq!(contents["uri"], format!("test://template/{raw}/data"));
    }
    for bad in ["bad%GG", "a/b", "%FF"] {
        assert_eq!(read(&format!("test://template/{bad}/data"))["error"]["code"], -32002, "{bad}");
    }
}

#[test]
fn b23_the_code_for_a_resource_that_is_not_there() {
    let old = after_init(
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{\"uri\":\"note:///none\"}}\n",
    );
    let new = said(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/read\",\"params\":{{\"uri\":\"note:///none\",{MODERN}}}}}\n"
    ));
    for (said, code) in [(&old, -32002), (&new, -32602)] {
        assert_eq!(said[0]["error"]["code"], code);
        assert_eq!(said[0]["error"]["data"]["uri"], "note:///none");
    }
}

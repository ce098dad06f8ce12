//! Calls that ask, become tasks, or are made in pieces, in the hands of careless handlers and clients.

use crate::peer::{META, Memory, Peer, Sizes};
use midge::dispatch::{ResourceDef, Template, Tool, ToolDef};
use midge::{Ask, Catalog, Field, Io, Millis, Outcome, Task, TaskSupport, Ticket};
use serde_json::{Value, json};

const FORM: Ask<'_> = Ask::form("Go on?", &[Field::boolean("ok")]);
const OK: &str = r#"{"action":"accept","content":{"ok":true}}"#;

#[derive(Default)]
struct Desk {
    ticket: Option<Ticket>,
    runs: u32,
}

static TOOLS: &[Tool<Desk>] = &[
    Tool { def: ToolDef::new("waits_for_nothing"), run: |_, _, _| Outcome::NeedInput },
    Tool {
        def: ToolDef::new("asks_and_goes_on"),
        run: |_, _, io| {
            let _ = io.ask("ok", &FORM);
            io.text("did without");
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("writes_and_asks"),
        run: |_, _, io| {
            io.text("before");
            match io.ask("ok", &FORM) {
                Some(answer) => io.text(if answer.accepted() { "yes" } else { "no" }),
                None => return Outcome::NeedInput,
            }
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("never_enough"),
        run: |desk, _, io| {
            desk.runs += 1;
            for n in 0..desk.runs {
                if io.ask(&format!("q{n}"), &FORM).is_none() {
                    return Outcome::NeedInput;
                }
            }
            Outcome::NeedInput
        },
    },
    Tool {
        def: ToolDef::new("asks_then_defers"),
        run: |desk, _, io| {
            if io.ask("ok", &FORM).is_none() {
                return Outcome::NeedInput;
            }
            desk.ticket = Some(io.defer());
            Outcome::Deferred
        },
    },
    Tool {
        def: ToolDef::new("asks_too_many"),
        run: |_, _, io| {
            for n in 0..20 {
                let _ = io.ask(&format!("q{n}"), &FORM);
            }
            Outcome::NeedInput
        },
    },
    Tool {
        def: ToolDef::new("forgets").task(TaskSupport::Optional),
        run: |_, _, io| {
            io.text("half an answer");
            let _ = io.ask("ok", &FORM);
            Outcome::Deferred
        },
    },
    Tool {
        def: ToolDef::new("asks_as_task").task(TaskSupport::Optional),
        run: |_, _, io| match io.ask("ok", &FORM) {
            Some(_) => Outcome::Done,
            None => Outcome::NeedInput,
        },
    },
    Tool {
        def: ToolDef::new("breaks_off"),
        run: |_, _, io| {
            io.text_chunks(|n, w| {
                w.text("some of what was wanted, ");
                n < 40
            });
            Outcome::Fail("the rest is not to be had")
        },
    },
    Tool {
        def: ToolDef::new("asks_writes_asks"),
        run: |desk, _, io| {
            desk.runs += 1;
            let a = io.ask("a", &FORM);
            io.text("between");
            let b = io.ask("b", &FORM);
            if a.is_none() || b.is_none() {
                return Outcome::NeedInput;
            }
            io.text("both");
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("asks_twice"),
        run: |_, _, io| {
            let answers = [io.ask("a", &FORM), io.ask("a", &FORM)];
            if answers.iter().any(Option::is_none) {
                return Outcome::NeedInput;
            }
            io.text("one answer for both");
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("defers_and_asks"),
        run: |_, _, io| {
            let _ = io.defer();
            let _ = io.ask("a", &FORM);
            Outcome::NeedInput
        },
    },
    Tool {
        def: ToolDef::new("long"),
        run: |_, _, io| {
            io.text_chunks(|n, w| {
                w.text("piece by piece ");
                n + 1 < 50
            });
            Outcome::Done
        },
    },
    Tool {
        def: ToolDef::new("changes_its_mind"),
        run: |desk, _, io| {
            desk.runs += 1;
            if desk.runs == 1 {
                io.text_chunks(|n, w| {
                    w.text("piece by piece ");
                    n < 100
                });
            }
            Outcome::Done
        },
    },
];

static TEMPLATES: &[Template<Desk>] = &[Template {
    def: ResourceDef::new("note://{id}", "note").mime("text/plain"),
    read: |desk, _, io| {
        desk.ticket = Some(io.defer());
        Outcome::Deferred
    },
    complete: None,
}];

static CATALOG: Catalog<Desk> = Catalog::new("asking", "1").tools(TOOLS).templates(TEMPLATES);

fn hello(peer: &mut Peer<'_, Desk>) {
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "c", "version": "1"}}});
    peer.ask(&hello.to_string());
}

fn call(id: u32, name: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
}

fn answer(id: &Value) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{OK}}}"#)
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {message}"))
}

#[test]
fn a_handler_that_waits_for_nothing() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    assert_eq!(peer.one(&call(1, "waits_for_nothing"))["error"]["code"], -32603);
    assert_eq!(peer.server.calls_waiting(), 0);
}

#[test]
fn a_handler_that_asks_and_does_not_wait() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    for id in 1..20 {
        let all = peer.ask(&call(id, "asks_and_goes_on"));
        // The question is out, so it is withdrawn.
        assert_eq!(all.len(), 3, "{all:?}");
        assert_eq!(all[0]["method"], "elicitation/create");
        assert_eq!(text(&all[1]), "did without");
        assert_eq!(
            (&all[2]["method"], &all[2]["params"]["requestId"]),
            (&json!("notifications/cancelled"), &all[0]["id"])
        );
        assert!(peer.ask(&answer(&all[0]["id"])).is_empty(), "nobody waits for the answer");
    }
    assert_eq!(peer.server.stats().responses, 19);
}

#[test]
fn what_was_written_before_a_question_is_written_again() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    let question = peer.one(&call(1, "writes_and_asks"));
    let result = peer.one(&answer(&question["id"]));
    let content = result["result"]["content"].as_array().expect("content");
    let texts: Vec<_> = content.iter().map(|c| c["text"].as_str().unwrap_or_default()).collect();
    assert_eq!(texts, ["before", "yes"]);
}

#[test]
fn rounds_and_questions_are_bounded() {
    let mut memory = Memory::from(Sizes { park: 4096, ..Sizes::default() });
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    let mut message = peer.one(&call(1, "never_enough"));
    let mut rounds = 0;
    while message.get("method").is_some() {
        rounds += 1;
        assert!(rounds <= 16, "it goes on");
        message = peer.one(&answer(&message["id"]));
    }
    assert_eq!((rounds, &message["error"]["code"]), (16, &json!(-32603)), "{message}");
    let all = peer.ask(&call(2, "asks_too_many"));
    let answered = all.iter().filter(|m| m.get("error").is_some()).count();
    let withdrawn = all.iter().filter(|m| m["method"] == "notifications/cancelled").count();
    assert_eq!(
        (all.len(), answered, withdrawn),
        (33, 1, 16),
        "sixteen questions, one error, and they are withdrawn"
    );
    assert_eq!(peer.server.calls_waiting(), 0);
}

#[test]
fn a_call_that_was_put_off_cannot_ask() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    let question = peer.one(&call(1, "asks_then_defers"));
    assert!(peer.ask(&answer(&question["id"])).is_empty());
    let ticket = peer.state.ticket.take().expect("it was put off");
    {
        let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
        assert!(io.ask("again", &FORM).is_none());
        io.finish(Outcome::NeedInput);
    }
    peer.settle();
    let all = peer.news();
    assert_eq!((all.len(), &all[0]["id"], &all[0]["error"]["code"]), (1, &json!(1), &json!(-32603)));
    assert_eq!(peer.server.calls_waiting(), 0);
}

#[test]
fn a_read_that_was_put_off_keeps_its_uri() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"note:\/\/a%20b"}}"#;
    assert!(peer.ask(read).is_empty());
    let ticket = peer.state.ticket.take().expect("it was put off");
    {
        let mut io = Io::resume(&mut peer.server, ticket).expect("it waits");
        assert_eq!(io.uri(), "note://a%20b");
        io.text("found");
        io.finish(Outcome::Done);
    }
    peer.settle();
    assert_eq!(peer.news()[0]["result"]["contents"][0]["uri"], "note://a%20b");
}

#[test]
fn the_end_of_the_stream_stops_what_waits() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    peer.ask(&call(1, "writes_and_asks"));
    let question = peer.one(&call(2, "asks_then_defers"));
    peer.ask(&answer(&question["id"]));
    let ticket = peer.state.ticket.take().expect("it was put off");
    peer.server.recv_end();
    peer.settle();
    assert_eq!((peer.stopped.len(), peer.server.calls_waiting()), (2, 0));
    assert!(peer.stopped.contains(&ticket));
}

#[test]
fn a_task_whose_handler_forgets_it_has_failed() {
    let mut memory = Memory::from(Sizes { park: 1024, ..Sizes::default() });
    let mut tasks = [Task::FREE; 2];
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    peer.server.offer_tasks(&mut tasks, &|id| id.fill(7));
    hello(&mut peer);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forgets","task":{}}}"#;
    let all = peer.ask(line);
    let task = all[0]["result"]["task"]["taskId"].as_str().expect("a task").to_owned();
    let get = format!(r#"{{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{{"taskId":"{task}"}}}}"#);
    let answers = peer.ask(&get);
    assert_eq!(
        answers.last().map(|m| m["error"]["code"].clone()),
        Some(json!(-32603)),
        "{all:?} {answers:?}"
    );
    assert_eq!(peer.server.calls_waiting(), 0);
}

#[test]
fn a_failure_behind_pieces_ends_what_is_out() {
    for tx in [200, 300, 4096] {
        let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
        let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{META},"name":"breaks_off"}}}}"#
        );
        let message = peer.one(&line);
        assert_eq!(message["result"]["isError"], true, "{message}");
        let content = message["result"]["content"].as_array().expect("content");
        assert_eq!(content.last().map(|c| c["text"].clone()), Some(json!("the rest is not to be had")));
    }
}

#[test]
fn pieces_that_do_not_come_again_end_the_line_and_are_said() {
    let mut memory = Memory::from(Sizes { tx: 256, ..Sizes::default() });
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    hello(&mut peer);
    peer.out.clear();
    peer.feed((call(1, "changes_its_mind") + "\n").as_bytes(), usize::MAX);
    let out = String::from_utf8(std::mem::take(&mut peer.out)).expect("UTF-8");
    let (torn, rest) = out.split_once('\n').expect("the line that was begun is ended");
    assert!(serde_json::from_str::<Value>(torn).is_err());
    let error: Value = serde_json::from_str(rest).expect("a line of its own");
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!(1), &json!(-32603)));
}

#[test]
fn a_question_is_answered_within_its_time_or_not() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    peer.server.config_mut().ask_ms = 50;
    hello(&mut peer);
    let question = peer.one(&call(1, "writes_and_asks"));
    assert_eq!(peer.server.deadline(), Some(Millis(50)));
    peer.now = 49;
    peer.settle();
    assert!(peer.news().is_empty());
    peer.now = 50;
    peer.settle();
    let all = peer.news();
    assert_eq!(all[0]["params"]["requestId"], question["id"]);
    assert_eq!(all[1]["result"]["content"][1]["text"], "no");
    assert_eq!(peer.server.deadline(), None);
}

#[test]
fn an_answer_can_be_counted_before_it_is_sent() {
    for tx in [64, 256, 4096] {
        let mut memory = Memory::from(Sizes { tx, ..Sizes::default() });
        let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{META},"name":"long"}}}}"#);
        let room = peer.server.recv_buf();
        room[..line.len()].copy_from_slice(line.as_bytes());
        room[line.len()] = b'\n';
        peer.server.recv_ack(line.len() + 1);
        let midge::Event::Call(mut call) = peer.server.poll(Millis(0)) else { panic!("a call") };
        call.reply.count();
        CATALOG.run(call, &mut peer.state, None);
        assert!(peer.server.send_buf().1.is_empty(), "nothing is sent of what is counted");
        let midge::Event::Call(call) = peer.server.poll(Millis(0)) else { panic!("the call once more") };
        CATALOG.run(call, &mut peer.state, None);
        let counted = peer.server.counted();
        peer.settle();
        assert_eq!((counted, peer.server.counted()), (peer.out.len(), 0), "{tx}");
        let message: Value = serde_json::from_slice(&peer.out).expect("a message");
        assert_eq!(message["result"]["content"][0]["text"].as_str().map(str::len), Some(50 * 15));
    }
}

/// A call of 2026-07-28 with a client that can be asked.
fn modern(id: u32, name: &str, more: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"{more},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}},"extensions":{{"io.modelcontextprotocol/tasks":{{}}}}}}}}}}}}"#
    )
}

#[test]
fn content_between_questions_loses_none_of_them() {
    for flush in [false, true] {
        let mut memory = Memory::from(Sizes { tx: 700, ..Sizes::default() });
        let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
        peer.flush = flush;
        let asked = peer.one(&modern(1, "asks_writes_asks", ""));
        let requests = asked["result"]["inputRequests"].as_object().expect("questions");
        assert_eq!(requests.keys().collect::<Vec<_>>(), ["a", "b"], "{asked}");
        let answers = format!(r#","inputResponses":{{"a":{OK},"b":{OK}}}"#);
        let done = peer.one(&modern(2, "asks_writes_asks", &answers));
        let content = done["result"]["content"].as_array().expect("content");
        let texts: Vec<_> = content.iter().map(|c| c["text"].clone()).collect();
        assert_eq!(texts, ["between", "both"]);
    }
}

#[test]
fn a_question_twice_is_asked_once() {
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    assert_eq!(peer.ask(&modern(1, "asks_twice", "")).len(), 1);
    assert_eq!(String::from_utf8_lossy(&peer.out).matches("\"a\":{").count(), 1);
}

#[test]
fn a_call_that_was_just_put_off_cannot_ask() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
        let line = if revision == "2026-07-28" {
            modern(1, "defers_and_asks", "")
        } else {
            hello(&mut peer);
            call(1, "defers_and_asks")
        };
        assert_eq!(peer.one(&line)["error"]["code"], -32603, "{revision}");
        assert_eq!(peer.server.calls_waiting(), 0, "{revision}");
    }
}

#[test]
fn what_stands_before_a_message_does_not_make_it_final() {
    // Each number of answers before it fills the buffer to another place.
    for before in 0..40 {
        for (name, want) in [("asks_and_goes_on", "did without"), ("writes_and_asks", "")] {
            let mut memory = Memory::from(Sizes { tx: 700, rx: 16_384, ..Sizes::default() });
            let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
            peer.flush = true;
            peer.server.config_mut().reply_max = 0;
            let mut lines = String::new();
            for id in 100..100 + before {
                lines += &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"no/such","params":{{{META}}}}}"#);
                lines.push('\n');
            }
            lines += &modern(1, name, "");
            let all = peer.ask(&lines);
            let last = all.last().expect("an answer");
            if want.is_empty() {
                assert!(last["result"]["inputRequests"].is_object(), "{before}: {last}");
            } else {
                assert_eq!(text(last), want, "{before}");
            }
        }
    }
}

#[test]
fn a_task_is_shown_in_the_form_of_who_asks() {
    let mut memory = Memory::from(Sizes { park: 2048, ..Sizes::default() });
    let mut tasks = [Task::FREE; 2];
    let mut peer = Peer::new(&mut memory, &CATALOG, Desk::default());
    peer.server.offer_tasks(&mut tasks, &|id| id.fill(7));
    hello(&mut peer);
    let task = |task: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{{"name":"asks_as_task","task":{task}}}}}"#
        )
    };
    let all = peer.ask(&task(r#"{"ttl":1000}"#));
    let id = all[0]["result"]["task"]["taskId"].as_str().expect("a task").to_owned();
    let get = modern(2, "", &format!(r#","taskId":"{id}""#)).replace("tools/call", "tasks/get");
    let seen = peer.one(&get);
    assert_eq!(
        (&seen["result"]["status"], &seen["result"]["ttlMs"]),
        (&json!("input_required"), &json!(1000))
    );
    assert_eq!(
        seen["result"]["inputRequests"],
        json!({}),
        "it was asked by a request, and is answered there"
    );
    for bad in ["5", "[]", "\"x\"", "true", r#"{"ttl":-5}"#, r#"{"ttl":"x"}"#] {
        assert_eq!(peer.one(&task(bad))["error"]["code"], -32602, "{bad}");
    }
}

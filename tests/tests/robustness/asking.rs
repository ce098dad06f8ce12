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

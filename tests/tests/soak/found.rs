//! What soaking and fuzzing have found, each in small.

use super::catalog::PIECE;
use super::engine::{Engine, Rest};
use midge::dispatch::{Tool, ToolDef};
use midge::{
    Ask, Catalog, Config, Event, Features, Field, HmacSealer, Level, Millis, Outcome, Server, Slot, Storage,
};
use midge_tests::replay::KEY;
use serde_json::Value;

fn storage<'b>(rx: &'b mut [u8], tx: &'b mut [u8], slots: &'b mut [Slot]) -> Storage<'b> {
    let (subscriptions, scratch, park): (&mut [u8], &mut [u8], &mut [u8]) = (&mut [], &mut [], &mut []);
    Storage { rx: rx.into(), tx: tx.into(), slots, subscriptions, scratch, park }
}

/// A call that is answered in windows is read again for each: receiving must leave it where it stands.
#[test]
fn a_call_is_not_moved_while_more_is_received() {
    let (mut rx, mut tx, mut slots) = ([0; 1024], [0; 512], [Slot::FREE; 1]);
    let sealer = HmacSealer::new(KEY).expect("the key is long enough");
    let mut engine = Engine::new(storage(&mut rx, &mut tx, &mut slots), Config::default(), &sealer);
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stream","arguments":{"m":"","n":40}}}"#;
    let input = format!("{hello}\n{call}\n");
    assert_eq!(engine.feed(input.as_bytes()), input.len());
    while engine.poll() == Rest::Send {
        if engine.desk.runs > 0 {
            engine.feed(&[b'\n'; 200]);
        }
        engine.take(usize::MAX);
    }
    let out = String::from_utf8(std::mem::take(&mut engine.out)).expect("what is sent is UTF-8");
    assert!(out.contains(&PIECE.repeat(40)), "{out}");
}

const ASK: Ask<'_> = Ask::form("?", &[Field::text("v")]);

/// Handlers that change their mind.
static FICKLE: Catalog<()> = Catalog::new("fickle", "1")
    .tools(&[
        Tool {
            def: ToolDef::new("put_off_then_wait"),
            run: |(), _, io| {
                let _ = io.ask("a", &ASK);
                let _ = io.defer();
                Outcome::NeedInput
            },
        },
        Tool {
            def: ToolDef::new("write_ask_write"),
            run: |(), _, io| {
                io.text(PIECE);
                let _ = io.ask("a", &ASK);
                io.text_chunks(|n, w| {
                    w.text(PIECE);
                    n < 40
                });
                Outcome::Done
            },
        },
        Tool {
            def: ToolDef::new("log_and_ask"),
            run: |(), _, io| {
                // Without room it is not logged.
                let _ = io.log(Level::Error, &PIECE.repeat(4));
                let _ = io.ask("a", &ASK);
                Outcome::NeedInput
            },
        },
        Tool {
            def: ToolDef::new("pieces_ask_pieces"),
            run: |(), _, io| {
                io.text_chunks(|n, w| {
                    w.text("short");
                    n < 2
                });
                let _ = io.ask("a", &ASK);
                io.blob_chunks(|n, put| {
                    put(&[7; 30]);
                    n < 40
                });
                Outcome::Done
            },
        },
    ])
    .features(Features::LOGGING);

/// The one answer to a call of 2026-07-28.
fn answer(name: &str) -> Value {
    let text = said(&format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}},"name":"{name}"}}}}"#
    ));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("not one message ({e}): {text}"))
}

/// All that is said to `lines`, within 320 bytes at a time.
fn said(lines: &str) -> String {
    let (mut rx, mut tx, mut slots, mut park) = ([0; 1024], [0; 320], [Slot::FREE; 1], [0; 256]);
    let storage = Storage { park: &mut park, ..storage(&mut rx, &mut tx, &mut slots) };
    let mut server = Server::new(&FICKLE, storage, Config::default()).expect("memory");
    let input = [lines, "\n"].concat();
    server.recv_buf()[..input.len()].copy_from_slice(input.as_bytes());
    server.recv_ack(input.len());
    let mut out = Vec::new();
    for _ in 0..1000 {
        match server.poll(Millis(0)) {
            Event::Idle => break,
            Event::Call(call) => FICKLE.run(call, &mut (), None),
            _ => {}
        }
        out.extend_from_slice(server.send_buf().1);
        server.send_ack(usize::MAX);
    }
    String::from_utf8(out).expect("what is sent is UTF-8")
}

/// The questions went away when the call was put off: there is nothing to wait for.
#[test]
fn a_call_that_is_put_off_does_not_wait_for_its_client() {
    let error = &answer("put_off_then_wait")["error"];
    assert_eq!(error["message"], "The handler waits for input and asked for nothing");
}

/// Content that a question took back is written again in every window, and would be taken for what is sent.
#[test]
fn what_follows_content_that_was_taken_back_must_fit() {
    for name in ["write_ask_write", "pieces_ask_pieces"] {
        assert_eq!(answer(name)["error"]["data"]["limit"], "tx", "{name}");
    }
}

/// A handler that fills the buffer before it asks is not run for ever to find room.
#[test]
fn a_question_that_its_handler_leaves_no_room_for_ends_the_call() {
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"0"}}}"#;
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log_and_ask"}}"#;
    let text = said(&[hello, call].join("\n"));
    let lines: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).expect("a message")).collect();
    assert!(lines.len() <= 4, "{text}");
    let last = lines.last().map_or(&Value::Null, |message| message);
    assert_eq!((&last["id"], &last["error"]["code"]), (&Value::from(2), &Value::from(-32603)), "{text}");
}

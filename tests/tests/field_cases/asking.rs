//! What users answer when they are asked.

use crate::peer::{Memory, Peer, Sizes};
use midge::dispatch::{Tool, ToolDef};
use midge::{Action, Ask, Catalog, Field, Outcome};
use serde_json::{Value, json};

const FORM: Ask<'_> = Ask::form("How many?", &[Field::integer("n")]);

/// How the handler was answered.
#[derive(Default)]
struct Told(Vec<(Action, Option<i64>)>);

static TOOLS: &[Tool<Told>] = &[Tool {
    def: ToolDef::new("ask"),
    run: |told, _, io| {
        let Some(answer) = io.ask("how_many", &FORM) else { return Outcome::NeedInput };
        told.0.push((answer.action(), answer.get("n")));
        io.text("told");
        Outcome::Done
    },
}];
static CATALOG: Catalog<Told> = Catalog::new("asking", "1").tools(TOOLS);

/// The answers of the case, and how each must reach the handler.
fn cases() -> [(Value, Action, Option<i64>); 6] {
    [
        (json!({"action": "cancel"}), Action::Cancelled, None),
        (json!({"action": "decline"}), Action::Declined, None),
        (json!({"action": "decline", "content": null}), Action::Declined, None),
        (json!({"action": "accept", "content": {"n": "notint"}}), Action::Invalid, None),
        (json!({"action": "maybe"}), Action::Invalid, None),
        (json!({"action": "accept", "content": {"n": 7}}), Action::Accepted, Some(7)),
    ]
}

#[test]
fn b24_what_the_user_decided_reaches_the_handler() {
    for revision in ["2025-06-18", "2025-11-25"] {
        let mut memory = Memory::from(Sizes::default());
        let mut peer = Peer::new(&mut memory, &CATALOG, Told::default());
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "c", "version": "1"}}});
        peer.ask(&hello.to_string());
        for (answer, action, n) in cases() {
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}});
            let question = peer.one(&call.to_string());
            assert_eq!(question["method"], "elicitation/create");
            let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": answer});
            let result = peer.one(&answer.to_string());
            assert_eq!(result["result"]["content"][0]["text"], "told", "{result}");
            assert_eq!(peer.state.0.pop(), Some((action, n)), "{revision}: {answer}");
        }
    }
    let mut memory = Memory::from(Sizes::default());
    let mut peer = Peer::new(&mut memory, &CATALOG, Told::default());
    for (answer, action, n) in cases() {
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "ask", "inputResponses": {"how_many": answer}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}});
        let result = peer.one(&call.to_string());
        assert_eq!(result["result"]["content"][0]["text"], "told", "{result}");
        assert_eq!(peer.state.0.pop(), Some((action, n)), "2026-07-28: {answer}");
    }
}

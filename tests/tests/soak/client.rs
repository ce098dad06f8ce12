//! What the client says: calls, answers to what it is asked, cancellations, and things that make no sense.

use super::call::{Brought, Call, Fate};
use super::driver::{Effect, Session, one};
use super::model::SLOTS;
use midge_tests::replay::Random;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A call of 2026-07-28 that was answered with questions.
#[derive(Clone)]
pub struct Retry {
    tool: &'static str,
    m: String,
    n: u32,
    /// What the state holds already.
    carried: BTreeMap<String, Option<String>>,
    /// What is asked, and how.
    asks: Vec<(String, String)>,
    state: String,
    made_at: u64,
    round: u32,
}

/// One message of the client's.
pub struct Said {
    pub line: String,
    pub call: Option<Call>,
    pub effect: Effect,
}

/// The id of call `number`, as JSON text.
pub fn id(number: u64) -> String {
    if number.is_multiple_of(3) { format!("\"c-{number}\"") } else { number.to_string() }
}

impl Said {
    fn new(line: String) -> Self {
        Self { line, call: None, effect: Effect::Nothing }
    }

    /// A request; `args` is the JSON text of the arguments, `more` are further members of `params`.
    pub fn call(call: Call, args: String, more: String) -> Self {
        let id = id(call.number);
        let m = call.m.replace(' ', "%20");
        let (method, params) = match call.tool {
            "ping" => ("ping", String::new()),
            "list" => ("tools/list", String::new()),
            "p" => ("prompts/get", format!(r#""name":"p","arguments":{args}"#)),
            "r" => ("resources/read", r#""uri":"soak:///r""#.into()),
            "t" => ("resources/read", format!(r#""uri":"soak:\/\/\/t\/{m}""#)),
            tool => ("tools/call", format!(r#""name":"{tool}","arguments":{args}"#)),
        };
        let params = [params, more].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(",");
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}}}}}"#);
        Self { line, effect: Effect::Call(call.number), call: Some(call) }
    }

    pub fn cancel(number: u64) -> Self {
        let line = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{}}}}}"#,
            id(number)
        );
        Self { effect: Effect::Cancel(number), ..Self::new(line) }
    }

    /// An answer of the client's, and how the handler says it.
    fn response(number: u64, member: &str, says: String) -> Self {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{number},{member}}}"#);
        Self { effect: Effect::Response(number, says), ..Self::new(line) }
    }
}

/// A result for a request of ours, as JSON text, and how the handler says it.
fn result(random: &mut Random, method: &str) -> (String, String) {
    let n = random.upto(999);
    let good = random.upto(4) > 1;
    match (method, good) {
        ("elicitation/create", true) if n.is_multiple_of(4) => {
            // The same text, spelled with escapes.
            (
                format!(r#"{{"content":{{"v":"\u0078\n{n}\u00e9"}},"action":"\u0061ccept"}}"#),
                format!("Ax\n{n}é"),
            )
        }
        ("elicitation/create", true) => {
            (json!({"action": "accept", "content": {"v": format!("x{n}")}}).to_string(), format!("Ax{n}"))
        }
        ("elicitation/create", false) => {
            let (action, letter) = [("decline", "D"), ("cancel", "C"), ("maybe", "I")][n % 3];
            (json!({"action": action}).to_string(), letter.into())
        }
        ("sampling/createMessage", true) => {
            let content = json!({"type": "text", "text": format!("x{n}")});
            let said =
                json!({"role": "assistant", "content": content, "model": "m", "stopReason": "endTurn"});
            (said.to_string(), format!("Ax{n}"))
        }
        ("roots/list", true) => (r#"{"roots":[{"uri":"file:///a"}]}"#.into(), "A".into()),
        ("roots/list", false) => (r#"{"roots":1}"#.into(), "I".into()),
        _ => ("{}".into(), "I".into()),
    }
}

/// `m` as JSON text, in one of the ways it can be written.
fn spelled(random: &mut Random, m: &str) -> String {
    let text = serde_json::to_string(m).unwrap_or_default();
    if random.upto(3) == 1 { text.replacen('w', "\\u0077", 1) } else { text }
}

impl Session<'_> {
    /// Says one thing, or several at once.
    pub fn speak(&mut self) {
        let several = if self.chance(3) { 1 + self.random.upto(4) } else { 1 };
        let batch = self.revision == "2025-03-26" && several > 1 && self.chance(2);
        // What is known now is true when it is read, if it is read now.
        let alone = several == 1 && self.is_at_rest() && self.chance(2);
        let mut all = Vec::new();
        for _ in 0..several {
            let said = self.draw(batch, alone);
            all.push(self.spoken(said));
        }
        if batch {
            let (lines, effects): (Vec<_>, Vec<_>) = all.into_iter().unzip();
            self.line(format!("[{}]", lines.join(",")), effects);
            return;
        }
        all.into_iter().for_each(|(line, effect)| self.line(line, vec![effect]));
        if alone {
            self.feed_all();
        }
    }

    fn draw(&mut self, batch: bool, alone: bool) -> Said {
        match self.random.upto(20) {
            1..=4 if !self.retries.is_empty() && !batch => self.try_again(alone),
            5..=8 if self.model.last_question > 0 => self.respond(),
            9 | 10 => self.give_up(),
            11 => {
                let (number, tool) = (self.number(), if self.chance(3) { "list" } else { "ping" });
                let args = String::new();
                // Within a batch of a small buffer the list alone would do, but it is no call.
                Said::call(Call::new(number, tool, String::new()), args, String::new())
            }
            12 => self.nonsense(),
            13 if alone => self.say_an_id_twice(),
            _ => self.call(batch, alone),
        }
    }

    fn call(&mut self, batch: bool, alone: bool) -> Said {
        let (number, tool) = (self.number(), self.tool());
        let m = match (tool, self.random.upto(4)) {
            ("r", _) => "soak:///r".to_owned(),
            ("t", 1) => format!("w {number}"),
            ("t", _) => format!("w{number}"),
            (_, 1) => format!("w\n\"é\\{number}"),
            _ => format!("w{number}"),
        };
        let mut call = Call::new(number, tool, m);
        call.n = self.random.upto(100) as u32;
        call.newest = !batch && self.chance(2);
        call.able = !call.newest || self.random.upto(8) > 1;
        self.finished(call, String::new(), alone)
    }

    /// The request for `call`; `more` are members of `params` of a retried call.
    fn finished(&mut self, mut call: Call, more: String, alone: bool) -> Said {
        call.crowd = self.model.open(false);
        if alone && call.brought == Brought::Good {
            call.slot = Some(call.crowd < SLOTS);
        }
        let (blank, m) = (" ".repeat(self.random.upto(3) - 1), spelled(&mut self.random, &call.m));
        let args = match call.tool {
            "p" => format!("{{{blank}\"m\":{m}}}"),
            _ => format!("{{\"m\":{blank}{m},\"n\"{blank}:{}}}", call.n),
        };
        let token =
            if self.chance(3) { format!(r#""progressToken":"{}""#, call.number) } else { String::new() };
        let meta = if call.newest {
            let can = if call.able { r#"{"elicitation":{},"sampling":{},"roots":{}}"# } else { "{}" };
            let mut meta = vec![
                r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#.to_owned(),
                format!(r#""io.modelcontextprotocol/clientCapabilities":{can}"#),
            ];
            meta.extend((!token.is_empty()).then_some(token));
            format!(r#""_meta":{{{}}}"#, meta.join(","))
        } else if token.is_empty() {
            String::new()
        } else {
            format!(r#""_meta":{{{token}}}"#)
        };
        let more = [more, meta].into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(",");
        Said::call(call, args, more)
    }

    /// A retry of a call that was answered with questions (2026-07-28): as it should be, or forged.
    fn try_again(&mut self, alone: bool) -> Said {
        let at = self.random.upto(self.retries.len()) - 1;
        // A state may be used again: what was answered before is not remembered by the server.
        let retry = if self.chance(4) { self.retries[at].clone() } else { self.retries.swap_remove(at) };
        let mut call = Call::new(self.number(), retry.tool, retry.m.clone());
        (call.n, call.newest) = (retry.n, true);
        call.able = self.random.upto(12) > 1;
        call.answers = retry.carried.clone();
        let mut state = Some(json!(retry.state).to_string());
        let old = self.engine.now > retry.made_at + self.ask_ms();
        call.brought = if old { Brought::Bad } else { Brought::Good };
        match self.random.upto(16) {
            1 => state = Some(self.forged(&retry.state)),
            2 => call.tool = if call.tool == "ask_one" { "ask_twice" } else { "ask_one" },
            3 if !matches!(call.tool, "r" | "t") => call.m += "!",
            4 if call.tool != "r" => {
                let other = self.retries.iter().find(|o| o.m != retry.m);
                let Some(other) = other.map(|o| o.state.clone()) else { return self.call(false, alone) };
                state = Some(json!(other).to_string());
            }
            5 => {
                // Without its state it is a new call that brings answers.
                state = None;
                (call.answers, call.brought) = (BTreeMap::new(), Brought::Good);
            }
            _ => return self.retried(call, &retry, state, alone),
        }
        if state.is_some() {
            call.brought = Brought::Bad;
        }
        self.retried(call, &retry, state, alone)
    }

    fn retried(&mut self, mut call: Call, retry: &Retry, state: Option<String>, alone: bool) -> Said {
        let mut fresh = Vec::new();
        for (key, method) in &retry.asks {
            let (json, says) = match self.random.upto(12) {
                1 => continue,
                2 => ("3".to_owned(), None),
                _ => {
                    let (json, says) = result(&mut self.random, method);
                    (json, Some(says))
                }
            };
            fresh.push(format!("\"{key}\":{json}"));
            call.answers.entry(key.clone()).or_insert(says);
        }
        if self.chance(4) {
            fresh.push("\"unasked\":{}".into());
        }
        let mut more = Vec::new();
        more.extend(state.map(|state| format!("\"requestState\":{state}")));
        if !fresh.is_empty() || self.chance(2) {
            more.push(format!("\"inputResponses\":{{{}}}", fresh.join(",")));
        }
        if self.chance(2) {
            more.reverse();
        }
        call.round = retry.round;
        self.finished(call, more.join(","), alone)
    }

    /// A state that the server never gave.
    fn forged(&mut self, state: &str) -> String {
        let at = self.random.upto(state.len() - 4) - 1;
        let other = if state.as_bytes()[at] == b'A' { "B" } else { "A" };
        match self.random.upto(6) {
            1 => "\"\"".into(),
            2 => "5".into(),
            3 => json!(state[..state.len() - 4]).to_string(),
            4 => json!("A".repeat(80)).to_string(),
            _ => json!([&state[..at], other, &state[at + 1..]].concat()).to_string(),
        }
    }

    /// Remembers an answer that asks.
    pub fn retry(&mut self, number: u64, message: &Value) {
        let result = &message["result"];
        if result["resultType"] != "input_required" {
            return;
        }
        let call = &self.model.calls[&number];
        let asked = result["inputRequests"].as_object().expect("something is asked");
        let asks =
            asked.iter().map(|(key, ask)| (key.clone(), ask["method"].as_str().unwrap_or("").to_owned()));
        let state = result["requestState"].as_str().expect("the server has a sealer").to_owned();
        let seen = call.looked_at();
        let carried = call.answers.iter().filter(|(key, _)| seen.contains(&key.as_str()));
        let retry = Retry {
            tool: call.tool,
            m: call.m.clone(),
            n: call.n,
            carried: carried.map(|(key, says)| (key.clone(), says.clone())).collect(),
            asks: asks.collect(),
            state,
            made_at: self.engine.now,
            round: call.round + 1,
        };
        if retry.round < 12 && self.retries.len() < 32 {
            self.retries.push(retry);
        }
    }

    /// An answer to a question of the server's: open, answered or withdrawn.
    fn respond(&mut self) -> Said {
        let live = self.model.live.iter().flat_map(|n| &self.model.calls[n].questions);
        let open: Vec<_> = live.map(|q| q.number).collect();
        let last = self.model.last_question;
        let number = match open.len() {
            0 => self.random.upto(last as usize) as u64,
            _ if self.chance(12) => self.random.upto(last as usize) as u64,
            n => open[self.random.upto(n) - 1],
        };
        let caller = self.model.asked[&number];
        let question = self.model.calls[&caller].questions.iter().find(|q| q.number == number);
        let method = question.map(|q| q.method.clone()).unwrap_or_default();
        match self.random.upto(8) {
            1 => {
                let (code, says) = [(-1, "D"), (-32603, "F"), (7, "F")][self.random.upto(3) - 1];
                Said::response(
                    number,
                    &format!(r#""error":{{"code":{code},"message":"n\u006f"}}"#),
                    says.into(),
                )
            }
            _ => {
                let (json, says) = result(&mut self.random, &method);
                Said::response(number, &format!("\"result\":{json}"), says)
            }
        }
    }

    /// Gives up a call: open, answered, or one that never was.
    fn give_up(&mut self) -> Said {
        let live = &self.model.live;
        if live.is_empty() || self.random.upto(4) == 1 {
            let number = self.random.upto(self.next as usize + 5) as u64;
            return Said::cancel(number);
        }
        let number = live[self.random.upto(live.len()) - 1];
        Said::cancel(number)
    }

    /// The id of an open call, once more.
    fn say_an_id_twice(&mut self) -> Said {
        let calls = &self.model.calls;
        let open = self.model.live.iter().find(|n| calls[n].fate == Fate::Open).copied();
        let Some(number) = open else { return self.call(false, true) };
        let said =
            Said::call(Call::new(number, "plain", String::new()), "{\"m\":\"w\"}".into(), String::new());
        Said { call: None, effect: Effect::Again(number), ..said }
    }

    fn nonsense(&mut self) -> Said {
        let line = one(
            &mut self.random,
            &[
                r#"{"jsonrpc":"2.0","method":"notifications/no_such"}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c-x"}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#,
                r#"{"jsonrpc":"2.0","id":"1","result":{}}"#,
                r#"{"jsonrpc":"2.0","id":4000000000,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":99999999999,"error":{"code":1,"message":""}}"#,
                r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#,
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}"#,
            ],
        );
        let response = line.contains("\"id\"");
        let effect = if response { Effect::Response(0, String::new()) } else { Effect::Nothing };
        Said { effect, ..Said::new(line.into()) }
    }
}

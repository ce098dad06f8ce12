//! A client that keeps count of what it said and heard, and answers what it is asked.

use midge::session::seal::{Pieces, Sealer, TAG_BYTES};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};

/// `_meta` of a request of 2026-07-28 whose client can do everything.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},"extensions":{"io.modelcontextprotocol/tasks":{}}},"io.modelcontextprotocol/logLevel":"debug"}"#;

/// A tag that costs next to nothing and holds only against accidents: every bit of a message turns some of it.
pub struct Toy;

impl Sealer for Toy {
    fn tag(&self, message: &Pieces<'_>) -> [u8; TAG_BYTES] {
        let mut sum = 0xCBF2_9CE4_8422_2325_u64;
        message(&mut |piece| {
            for byte in piece {
                sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
            }
        });
        let mut tag = [0; TAG_BYTES];
        tag.chunks_mut(8).for_each(|part| part.copy_from_slice(&sum.to_le_bytes()));
        tag
    }
}

/// Ids of tasks: all different, and the same in every run.
pub fn entropy<const N: usize>() -> impl Fn(&mut [u8; N]) + Sync {
    let count = AtomicU8::new(0);
    move |id| id.fill(count.fetch_add(1, Ordering::Relaxed))
}

pub struct Client<'a> {
    /// One byte for each answer: which.
    choices: &'a [u8],
    /// All that was said, as it went.
    input: Vec<u8>,
    out: Vec<u8>,
    /// What was looked at of `out`.
    read: usize,
    /// Answers that were heard, by id.
    counts: HashMap<String, usize>,
    /// Questions that were not answered: number and method.
    asked: Vec<(u64, String)>,
    state: String,
    task: String,
}

impl<'a> Client<'a> {
    pub fn new(choices: &'a [u8]) -> Self {
        Self {
            choices,
            input: Vec::new(),
            out: Vec::new(),
            read: 0,
            counts: HashMap::new(),
            asked: Vec::new(),
            state: String::new(),
            task: String::new(),
        }
    }

    fn choice(&mut self) -> u8 {
        let Some((first, rest)) = self.choices.split_first() else { return 0 };
        self.choices = rest;
        *first
    }

    /// A line of a table, with what was heard in the place of its words.
    pub fn line(&self, line: &str) -> String {
        let line = line.replace("META", META).replace("STATE", &self.state).replace("TASK", &self.task);
        line + "\n"
    }

    pub fn said(&mut self, bytes: &[u8]) {
        self.input.extend_from_slice(bytes);
    }

    #[allow(dead_code, reason = "one of the targets says whole lines only")]
    pub fn is_between_lines(&self) -> bool {
        self.input.last().is_none_or(|b| *b == b'\n')
    }

    pub fn heard(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        assert!(self.out.len() < 1 << 22, "the engine sends without end");
    }

    /// Looks at the whole lines that came.
    fn look(&mut self) {
        while let Some(len) = self.out[self.read..].iter().position(|b| *b == b'\n') {
            let line = &self.out[self.read..self.read + len];
            let value: Value = serde_json::from_slice(line)
                .unwrap_or_else(|e| panic!("each line is JSON: {e}: {}", String::from_utf8_lossy(line)));
            self.read += len + 1;
            match value {
                Value::Array(all) => {
                    assert!(!all.is_empty(), "no batch is empty");
                    all.iter().for_each(|message| self.message(message));
                }
                message => self.message(&message),
            }
        }
    }

    fn message(&mut self, message: &Value) {
        assert_eq!(message["jsonrpc"], "2.0", "each line is a message: {message}");
        let kinds = ["method", "result", "error"].iter().filter(|k| message.get(**k).is_some()).count();
        assert_eq!(kinds, 1, "each message is of one kind: {message}");
        if let Some(method) = message["method"].as_str() {
            if let Some(number) = message["id"].as_u64() {
                assert!(
                    self.asked.iter().all(|(n, _)| *n < number),
                    "questions are numbered upwards: {message}"
                );
                self.asked.push((number, method.to_owned()));
            }
            return;
        }
        if let Some(state) = message["result"]["requestState"].as_str() {
            state.clone_into(&mut self.state);
        }
        for place in ["/result/task/taskId", "/result/taskId"] {
            if let Some(task) = message.pointer(place).and_then(Value::as_str) {
                task.clone_into(&mut self.task);
            }
        }
        if message.get("id").is_some_and(|id| !id.is_null()) {
            *self.counts.entry(message["id"].to_string()).or_default() += 1;
        }
    }

    /// Lines that answer what was asked since: well, badly, twice, under another number, or not at all.
    pub fn answers(&mut self) -> String {
        self.look();
        let mut lines = String::new();
        for (number, method) in std::mem::take(&mut self.asked) {
            let choice = self.choice();
            let result = match (method.as_str(), choice & 1) {
                ("elicitation/create", 0) => {
                    r#"{"action":"accept","content":{"name":"n","color":"c","v":"\u0078","ok":true}}"#
                }
                ("sampling/createMessage", 0) => {
                    r#"{"role":"assistant","content":{"type":"text","text":"t"},"model":"m"}"#
                }
                ("roots/list", 0) => r#"{"roots":[{"uri":"file:///a","name":"\n"}]}"#,
                _ => r#"{"action":"decline"}"#,
            };
            let good = format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{result}}}\n");
            match choice >> 1 & 7 {
                0..=2 => lines += &good,
                3 => lines += &good.repeat(2),
                4 => {
                    lines += &format!(
                        "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"error\":{{\"code\":-1,\"message\":\"n\\u006f\"}}}}\n"
                    )
                }
                5 => lines += &good.replace("\"id\":", "\"id\":1"),
                6 => {
                    lines += &format!(
                        "{{\"jsonrpc\":\"2.0\",\"id\":{number},\"result\":{}}}\n",
                        "[".repeat(3) + "]]]"
                    )
                }
                _ => {}
            }
        }
        lines
    }

    /// What must be true of all that was heard.
    pub fn check(&mut self) {
        self.look();
        let rest = &self.out[self.read..];
        assert!(rest.is_empty(), "messages end in a newline: {}", String::from_utf8_lossy(rest));
        let input = String::from_utf8_lossy(&self.input);
        for (id, count) in &self.counts {
            // Cheap and never too strict: an id cannot be sent more often than its text stands in the input. One that is
            // spelled with escapes, or in another way than it is written here, is not looked at.
            let sent = input.matches(id.as_str()).count();
            assert!(sent == 0 || *count <= sent, "{id} is answered {count} times and was sent {sent} times");
        }
    }

    /// The last line that came.
    pub fn last(&self) -> String {
        String::from_utf8_lossy(&self.out).lines().last().unwrap_or("").to_owned()
    }
}

//! What should happen: a record of every call, kept beside the engine.

use super::call::{Call, Expected, Fate, Question};
use super::catalog::HOLD_MS;
use serde_json::Value;
use std::collections::HashMap;

/// Calls at once.
pub const SLOTS: usize = 4;

/// Which limits may show.
#[derive(Clone, Copy, Debug)]
pub struct Tight {
    pub park: bool,
    pub tx: bool,
}

pub struct Model {
    pub calls: HashMap<u64, Call>,
    /// Calls that are owed an answer or were a moment ago.
    pub live: Vec<u64>,
    /// Whose question a number names.
    pub asked: HashMap<u64, u64>,
    pub last_question: u64,
    pub tight: Tight,
    /// Open calls that were given up.
    pub cancelled: u64,
    /// Answers of the client's that nobody waited for.
    pub ignored: u64,
    pub answers: u64,
    /// Withdrawals that the client was not told of, for lack of memory.
    pub untold: u64,
    pub limits: u64,
}

impl Model {
    pub fn new(tight: Tight) -> Self {
        Self {
            calls: HashMap::new(),
            live: Vec::new(),
            asked: HashMap::new(),
            last_question: 0,
            tight,
            cancelled: 0,
            ignored: 0,
            answers: 0,
            untold: 0,
            limits: 0,
        }
    }

    /// Calls that are owed an answer, as far as they were read, or with all that were said.
    pub fn open(&self, read: bool) -> usize {
        let owed = |call: &Call| call.fate == Fate::Open && (call.read || !read);
        self.live.iter().filter(|n| owed(&self.calls[n])).count()
    }

    pub fn add(&mut self, call: Call) {
        self.live.push(call.number);
        let twice = self.calls.insert(call.number, call);
        assert!(twice.is_none());
    }

    /// The engine has read the request of a call.
    pub fn read(&mut self, number: u64) {
        self.calls.get_mut(&number).expect("it was said").read = true;
    }

    /// The engine has read a request with the id of a call that is open.
    pub fn again(&mut self, number: u64) {
        self.calls.get_mut(&number).expect("it was said").twice += 1;
    }

    /// The server asks.
    pub fn question(&mut self, message: &Value, caller: Option<u64>) {
        let number = message["id"].as_u64().expect("ids of ours are integers");
        assert_eq!(number, self.last_question + 1, "questions are numbered one by one: {message}");
        self.last_question = number;
        let caller = caller.expect("a question is asked by a handler that ran");
        let call = self.calls.get_mut(&caller).expect("a known call asks");
        assert!(!call.newest, "no requests to a client of 2026-07-28: {message}");
        let method = message["method"].as_str().expect("a method").to_owned();
        let about = message["params"].to_string().contains(&Value::from(call.m.as_str()).to_string());
        let place = match (call.tool, method.as_str()) {
            ("ask_many", "roots/list") => 2,
            ("ask_many", _) if !about => 1,
            ("ask_twice", _) => call.questions.len(),
            _ => 0,
        };
        assert!(about || call.tool == "ask_many", "{message} asks for {call:?}");
        assert!(call.questions.iter().all(|q| q.place != place), "{message} is asked twice: {call:?}");
        self.asked.insert(number, caller);
        call.questions.push(Question {
            number,
            method,
            place,
            answer: None,
            dropped: false,
            dropped_by: None,
            withdrawn: false,
        });
    }

    /// The server takes a question back.
    pub fn withdrawal(&mut self, message: &Value) {
        let number = message["params"]["requestId"].as_u64().expect("a number");
        let caller = self.asked.get(&number).expect("only what was asked is withdrawn");
        let question =
            self.calls.get_mut(caller).and_then(|c| c.questions.iter_mut().find(|q| q.number == number));
        let question = question.expect("it is there");
        assert!(!question.withdrawn, "{number} is withdrawn twice");
        question.withdrawn = true;
    }

    /// The server answers.
    pub fn answer(&mut self, number: u64, message: &Value) {
        let tight = self.tight;
        let call = self.calls.get_mut(&number).unwrap_or_else(|| panic!("nobody asked for {message}"));
        let error = &message["error"];
        let words = error["message"].as_str().unwrap_or("");
        if call.twice > 0 && is_about_an_id(message) {
            call.twice -= 1;
            return;
        }
        assert_ne!(call.fate, Fate::Cancelled, "it was given up: {call:?}, {message}");
        assert_eq!(call.fate, Fate::Open, "it is answered a second time: {call:?}, {message}");
        call.fate = Fate::Answered;
        self.answers += 1;
        if words.starts_with("Too many calls at once") {
            assert!(call.slot != Some(true) && call.crowd >= SLOTS, "there was a slot: {call:?}, {message}");
            return;
        }
        assert_ne!(call.slot, Some(false), "there was no slot: {call:?}, {message}");
        let limit = error["data"]["limit"].as_str().unwrap_or("");
        let park = limit == "park" || words.contains("(limit: park)");
        let tx = limit == "tx" || words.contains("(limit: tx)");
        if (park && tight.park && !call.newest) || (tx && tight.tx) {
            self.limits += 1;
            return;
        }
        let got = said(message);
        let expected = call.expected();
        let fits = match (&expected, &got) {
            (Expected::Error(code, begin), Said::Error(said, words)) => {
                code == said && words.starts_with(begin)
            }
            (Expected::Text(text), Said::Text(said)) => {
                text == said || (tight.park && same_but_full(text, said, &call.m))
            }
            (Expected::Failure(text), Said::Failure(said)) => text == said,
            (Expected::Result, Said::Other) => message.get("result").is_some(),
            (Expected::Input(keys), Said::Input(said)) => keys == said,
            _ => false,
        };
        assert!(fits, "{expected:?} is due and {got:?} came: {call:?}");
    }

    /// The client answers a question, once the engine has read it.
    pub fn response(&mut self, number: u64, answer: &str, line: u64) {
        let call = self.asked.get(&number).and_then(|caller| self.calls.get_mut(caller));
        let Some(call) = call else {
            self.ignored += 1;
            return;
        };
        let question = call.questions.iter_mut().find(|q| q.number == number).expect("it was asked");
        if question.is_open() {
            question.answer = Some(answer.to_owned());
            call.stirred = true;
        } else if question.dropped_by == Some(line) && question.answer.is_none() {
            // Given up and answered in one batch: there is nothing to take back.
            question.answer = Some(answer.to_owned());
            question.dropped = false;
        } else {
            self.ignored += 1;
        }
    }

    /// The client gives a call up, and the engine has read it; `answered` says whether an answer has come.
    pub fn cancel(&mut self, number: u64, answered: bool, line: u64) {
        let Some(call) = self.calls.get_mut(&number).filter(|call| call.read) else { return };
        if answered {
            assert!(!call.rested || call.stirred, "it is answered after it was given up: {call:?}");
        } else if call.fate == Fate::Open {
            call.fate = Fate::Cancelled;
            self.cancelled += 1;
            for question in call.questions.iter_mut().filter(|q| q.is_open()) {
                (question.dropped, question.dropped_by) = (true, Some(line));
            }
        }
    }

    /// Time has passed.
    pub fn late(&mut self, now: u64, ask_ms: u64, ran: &HashMap<u64, u64>, held: &[u64]) {
        for number in &self.live {
            let call = self.calls.get_mut(number).expect("it is live");
            if call.fate != Fate::Open {
                continue;
            }
            let Some(ran) = ran.get(number) else { continue };
            if call.tool == "hold_until" && held.contains(number) && ran + HOLD_MS <= now {
                (call.expired, call.stirred) = (true, true);
            }
            if !held.contains(number) && ran + ask_ms <= now {
                call.stirred = true;
                call.questions.iter_mut().filter(|q| q.is_open()).for_each(|q| {
                    q.answer = Some("L".into());
                    q.dropped = true;
                });
            }
        }
    }

    /// When the engine must be polled at the latest.
    pub fn deadline(&self, ask_ms: u64, ran: &HashMap<u64, u64>, held: &[u64]) -> Option<u64> {
        let open = self.live.iter().filter(|n| self.calls[n].fate == Fate::Open && self.calls[n].read);
        open.filter_map(|n| match (held.contains(n), self.calls[n].tool) {
            (true, "hold_until") => Some(ran[n] + HOLD_MS),
            (true, _) => None,
            _ => Some(ran[n] + ask_ms),
        })
        .min()
    }

    /// The engine has come to rest; `held` are the calls whose tickets are good.
    pub fn rest(&mut self, held: &[u64]) {
        let mut open = 0;
        for number in &self.live {
            let call = self.calls.get_mut(number).expect("it is live");
            if !call.read {
                assert_eq!(call.fate, Fate::Open, "it is answered before it was said: {call:?}");
                continue;
            }
            assert_eq!(call.twice, 0, "a request with a known id is not answered: {call:?}");
            let holds = held.contains(number);
            (call.rested, call.stirred) = (true, false);
            if call.fate == Fate::Open {
                open += 1;
                assert!(holds || call.is_waiting_for_answers(), "a call is lost: {call:?}");
            } else {
                assert!(!holds, "a call that is over has a ticket: {call:?}");
                call.questions.iter_mut().filter(|q| q.is_open()).for_each(|q| q.dropped = true);
            }
            for question in &call.questions {
                if question.dropped && !question.withdrawn {
                    let late = question.answer.is_some();
                    assert!(late && self.tight.park, "a question is not taken back: {call:?}");
                    self.untold += 1;
                }
                assert!(question.dropped || !question.withdrawn, "a question is taken back: {call:?}");
            }
        }
        assert!(open <= SLOTS, "more calls are open than there are slots");
        let calls = &self.calls;
        self.live.retain(|number| calls[number].fate == Fate::Open);
    }
}

/// Whether a request is refused because a call with its id is open.
pub fn is_about_an_id(message: &Value) -> bool {
    let words = message["error"]["message"].as_str().unwrap_or("");
    words.starts_with("Invalid request: a call with this id")
}

/// Whether `said` differs only where an answer found no room in the park.
fn same_but_full(text: &str, said: &str, m: &str) -> bool {
    let (Some(text), Some(said)) = (text.strip_prefix(m), said.strip_prefix(m)) else { return false };
    let (text, said): (Vec<_>, Vec<_>) = (text.split('|').collect(), said.split('|').collect());
    text.len() == said.len() && text.iter().zip(&said).all(|(text, said)| text == said || *said == "F")
}

#[derive(Debug)]
enum Said {
    Text(String),
    Failure(String),
    Error(i64, String),
    Input(Vec<String>),
    Other,
}

/// What an answer says.
fn said(message: &Value) -> Said {
    if let Some(error) = message.get("error") {
        let words = error["message"].as_str().unwrap_or("").to_owned();
        return Said::Error(error["code"].as_i64().unwrap_or(0), words);
    }
    let result = &message["result"];
    if result["resultType"] == "input_required" {
        let keys = result["inputRequests"].as_object().map(|keys| keys.keys().cloned().collect());
        return keys.map_or(Said::Other, Said::Input);
    }
    let text = ["/content/0/text", "/contents/0/text", "/messages/0/content/text"]
        .iter()
        .find_map(|place| result.pointer(place))
        .and_then(Value::as_str);
    match text {
        Some(text) if result["isError"] == true => Said::Failure(text.to_owned()),
        Some(text) => Said::Text(text.to_owned()),
        None => Said::Other,
    }
}

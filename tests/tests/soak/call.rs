//! One call, and the answer that it is owed.

use super::catalog::PIECE;
use super::engine::How;
use std::collections::BTreeMap;

/// A question of the server's own, in a handshake revision.
#[derive(Debug)]
pub struct Question {
    pub number: u64,
    pub method: String,
    /// Which of the call's keys it is asked under.
    pub place: usize,
    /// How it ended, as the handler says it; `None` while it is open.
    pub answer: Option<String>,
    /// Nobody waits for it any more.
    pub dropped: bool,
    /// The line that gave its call up.
    pub dropped_by: Option<u64>,
    /// The server told the client so.
    pub withdrawn: bool,
}

impl Question {
    pub fn is_open(&self) -> bool {
        self.answer.is_none() && !self.dropped
    }
}

/// What a call is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// One answer.
    Open,
    Answered,
    /// None: the client gave it up.
    Cancelled,
}

/// `requestState` of a retried call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    /// None, or one that is good.
    Good,
    /// Forged, of another call, or too old.
    Bad,
}

#[derive(Debug)]
pub struct Call {
    pub number: u64,
    pub tool: &'static str,
    /// 2026-07-28.
    pub newest: bool,
    pub m: String,
    pub n: u32,
    /// The client can be asked.
    pub able: bool,
    /// The request itself is all right as far as it goes.
    pub brought: Brought,
    /// Answers that the call brings (2026-07-28), by key, as the handler says them; `None` for what is no object.
    pub answers: BTreeMap<String, Option<String>>,
    /// Rounds of questions before it (2026-07-28).
    pub round: u32,
    pub fate: Fate,
    pub resumed: Option<How>,
    pub expired: bool,
    pub questions: Vec<Question>,
    /// There was a slot for it, or none, for certain.
    pub slot: Option<bool>,
    /// Errors owed to requests that used its id again.
    pub twice: u32,
    /// The engine has read it.
    pub read: bool,
    /// It was open when the engine last came to rest.
    pub rested: bool,
    /// Something came since that may bring its answer.
    pub stirred: bool,
    /// Calls that may have been open when it came.
    pub crowd: usize,
}

impl Call {
    fn says(&self, letters: &[&str]) -> String {
        letters.iter().fold(self.m.clone(), |text, letter| text + "|" + letter)
    }

    pub fn is_waiting_for_answers(&self) -> bool {
        self.questions.iter().any(Question::is_open)
    }

    /// The questions of the tool, in order; rounds behind the first have one each.
    pub fn keys(&self) -> &'static [&'static str] {
        match self.tool {
            "ask_many" => &["form", "model", "roots"],
            "ask_twice" => &["first", "second"],
            "ask_one" | "ask_hold" | "ask_stream" | "p" | "r" | "t" => &["a"],
            _ => &[],
        }
    }

    /// A call of that tool, of which nothing more is known.
    pub fn new(number: u64, tool: &'static str, m: String) -> Self {
        Self {
            number,
            tool,
            newest: false,
            m,
            n: 0,
            able: true,
            brought: Brought::Good,
            answers: BTreeMap::new(),
            round: 0,
            fate: Fate::Open,
            resumed: None,
            expired: false,
            questions: Vec::new(),
            slot: None,
            twice: 0,
            read: false,
            rested: false,
            stirred: false,
            crowd: 0,
        }
    }

    fn held(&self) -> Expected {
        match self.resumed {
            Some(How::Fail) => Expected::Failure("gave up".into()),
            Some(How::Refuse) => Expected::Error(-32001, ""),
            Some(_) => Expected::Text("held".into()),
            None if self.expired => Expected::Error(-32603, "The call took longer than its deadline"),
            None => Expected::Nothing,
        }
    }

    /// What the tool says when it is not asked to wait.
    fn plain(&self) -> Option<Expected> {
        Some(match self.tool {
            "ping" | "list" => Expected::Result,
            "plain" | "talk" => Expected::Text(self.m.clone()),
            "ask_and_say" if self.newest && !self.able => Expected::Error(-32021, ""),
            "ask_and_say" => Expected::Text(self.m.clone()),
            "ask_and_stream" if self.newest && !self.able => Expected::Error(-32021, ""),
            "ask_and_stream" => Expected::Text(PIECE.repeat(self.n.max(1) as usize)),
            "ask_and_fail" if self.newest && !self.able => Expected::Error(-32021, ""),
            "ask_and_fail" | "fail" => Expected::Failure("no".into()),
            "refuse" => Expected::Error(-32000, ""),
            "ask_and_leave" if self.newest && !self.able => Expected::Error(-32021, ""),
            "ask_and_leave" | "silent" => Expected::Error(-32603, "The handler came back without an answer"),
            "wait_for_nothing" => {
                Expected::Error(-32603, "The handler waits for input and asked for nothing")
            }
            "stream" => Expected::Text(PIECE.repeat(self.n.max(1) as usize)),
            "ask_and_hold" if self.newest && !self.able => Expected::Error(-32021, ""),
            "hold" | "hold_until" | "ask_and_hold" => self.held(),
            _ => return None,
        })
    }

    fn answered(&self, letters: &[&str]) -> Expected {
        match self.tool {
            "ask_hold" => self.held(),
            "ask_stream" => Expected::Text(PIECE.repeat(self.n.max(1) as usize)),
            _ => Expected::Text(self.says(letters)),
        }
    }

    /// The answer that is due now.
    pub fn expected(&self) -> Expected {
        if self.brought == Brought::Bad {
            return Expected::Error(-32602, "");
        }
        if let Some(plain) = self.plain() {
            return plain;
        }
        if !self.newest {
            // A short question may overtake one that found no room.
            let mut answers: Vec<_> = self.questions.iter().filter(|q| q.answer.is_some()).collect();
            answers.sort_by_key(|q| q.place);
            let letters: Vec<_> = answers.iter().filter_map(|q| q.answer.as_deref()).collect();
            let all = letters.len() == self.keys().len();
            return if all { self.answered(&letters) } else { Expected::Nothing };
        }
        let looked_at = self.looked_at();
        for key in looked_at {
            match self.answers.get(*key) {
                Some(Some(_)) => {}
                Some(None) => return Expected::Error(-32602, ""),
                None if !self.able => return Expected::Error(-32021, ""),
                None => {}
            }
        }
        let missing: Vec<_> =
            looked_at.iter().copied().filter(|key| !self.answers.contains_key(*key)).collect();
        if !missing.is_empty() {
            return Expected::Input(missing);
        }
        let letters: Vec<_> = looked_at.iter().filter_map(|key| self.answers[*key].as_deref()).collect();
        self.answered(&letters)
    }

    /// The keys whose answers the handler looks at.
    pub fn looked_at(&self) -> &'static [&'static str] {
        let keys = self.keys();
        match self.tool {
            "ask_twice" if !self.answers.contains_key("first") => &keys[..1],
            _ => keys,
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
pub enum Expected {
    /// No answer yet.
    Nothing,
    /// A result of another kind.
    Result,
    /// The text of a result.
    Text(String),
    /// The text of a tool's failure.
    Failure(String),
    /// The code of an error, and how its message begins.
    Error(i64, &'static str),
    /// These keys are asked (2026-07-28).
    Input(Vec<&'static str>),
}

//! What the server asks: the user's side answers in a task of its own.

use std::sync::Arc;

use midge::Kind;
use midge::client::{self, Asks, QuestionId, Ticket};
use midge::json::Raw;
use serde_json::{Map, Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::AbortHandle;

use super::super::answers::{Answers, Question, Reply};
use super::Connection;
use super::desk::Desk;
use crate::client::untrusted;

/// JSON-RPC: unexpected failure.
const INTERNAL_ERROR: i32 = -32603;

/// Questions that are open at once: a server that asks without end is not to use up the memory of all.
const QUESTIONS: usize = 256;

/// A question that is open.
pub(super) struct Open {
    /// The user's task that answers it.
    pub task: AbortHandle,
    /// The call it belongs to.
    pub call: Option<Ticket>,
    /// Bytes of its params.
    bytes: usize,
}

/// An answer on its way to the server.
pub(super) struct Given {
    id: QuestionId,
    answer: Answer,
}

enum Answer {
    Accept(Vec<u8>),
    Decline,
    Cancel,
    Result(Vec<u8>),
    Error(i32, String),
}

/// Sends an answer in any case, also when the user's code panics.
struct Promise {
    id: QuestionId,
    to: Option<UnboundedSender<Given>>,
}

impl Promise {
    fn keep(&mut self, answer: Answer) {
        if let Some(to) = self.to.take() {
            // The connection may have ended meanwhile.
            let _ = to.send(Given { id: self.id, answer });
        }
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.keep(Answer::Error(INTERNAL_ERROR, "the client failed to answer".into()));
    }
}

impl Desk {
    pub(super) fn asked(&mut self, question: client::Question<'_>) {
        let client::Question { id, call, kind, params } = question;
        let mut promise = Promise { id, to: Some(self.given.clone()) };
        if !self.has_room_for(params.raw().len()) {
            return promise.keep(Answer::Error(INTERNAL_ERROR, "too many questions at once".into()));
        }
        let label = call.and_then(|call| self.entries.get(&call)).map(|entry| entry.start.label.clone());
        let (params, server) = (params.raw().to_vec(), self.server.clone());
        let bytes = params.len();
        let (answers, roots) = (self.options.answers.clone(), self.options.roots.clone());
        let task = tokio::spawn(async move {
            if kind == Asks::Roots {
                let roots = json!({ "roots": roots.unwrap_or_default() });
                return promise.keep(Answer::Result(roots.to_string().into_bytes()));
            }
            let answer = match answers {
                Some(answers) => answered(&answers, kind, &params, server, label).await,
                None => Answer::Error(INTERNAL_ERROR, "nobody is there to answer".into()),
            };
            promise.keep(answer);
        });
        self.questions.insert(id, Open { task: task.abort_handle(), call, bytes });
    }

    /// Whether one more question may be open. All of them together may have as many bytes as one message.
    fn has_room_for(&self, bytes: usize) -> bool {
        let open: usize = self.questions.values().map(|open| open.bytes).sum();
        self.questions.len() < QUESTIONS && (open == 0 || open + bytes <= self.cap())
    }
}

/// Has the user's side answer.
async fn answered(
    answers: &Arc<dyn Answers>,
    kind: Asks,
    params: &[u8],
    server: Arc<str>,
    call: Option<String>,
) -> Answer {
    match read(kind, params, &server, call) {
        Ok(question) => written(kind, answers.answer(question).await),
        Err(error) => Answer::Error(-32602, format!("Invalid params: {error}")),
    }
}

fn read(
    kind: Asks,
    params: &[u8],
    server: &str,
    call: Option<String>,
) -> Result<Question, serde_json::Error> {
    let server = server.to_owned();
    if kind == Asks::Sample {
        return Ok(Question::Sample { params: untrusted::from_slice(params)?, server });
    }
    let mut params: Map<String, Value> = untrusted::from_slice(params)?;
    let schema = params.shift_remove("requestedSchema").unwrap_or_default();
    let mut text = |key: &str| match params.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let message = text("message").unwrap_or_default();
    Ok(match kind {
        Asks::Url => {
            let (url, id) = (text("url").unwrap_or_default(), text("elicitationId"));
            Question::Url { message, url, server, id }
        }
        _ => Question::Form { message, schema, server, call },
    })
}

fn written(kind: Asks, reply: Reply) -> Answer {
    match (reply, kind) {
        (Reply::Sampled(result), Asks::Sample) if result.is_object() => {
            Answer::Result(result.to_string().into_bytes())
        }
        (Reply::Accept(fields), Asks::Form | Asks::Url) => {
            Answer::Accept(Value::Object(fields).to_string().into_bytes())
        }
        (Reply::Decline | Reply::Cancel, Asks::Sample) => {
            Answer::Error(-1, "User rejected sampling request".into())
        }
        (Reply::Decline, _) => Answer::Decline,
        (Reply::Cancel, _) => Answer::Cancel,
        (Reply::Error { code, message }, _) => {
            Answer::Error(i32::try_from(code).unwrap_or(INTERNAL_ERROR), message)
        }
        (Reply::Accept(_) | Reply::Sampled(_), _) => {
            Answer::Error(INTERNAL_ERROR, "the client's answer does not fit the question".into())
        }
    }
}

impl Connection<'_> {
    /// Hands the answers on that are there, as far as there is room.
    pub(super) fn answer(&mut self) {
        while let Some(given) = self.answers.pop_front() {
            let outcome = self.engine.answer(given.id, given.answer.as_given());
            match outcome.map_err(|error| error.kind) {
                Err(Kind::Busy) => return self.answers.push_front(given),
                Err(Kind::TxFull | Kind::ParkFull) => {
                    let message = "the client's answer is too large".to_owned();
                    let answer = Answer::Error(INTERNAL_ERROR, message);
                    self.answers.push_front(Given { id: given.id, answer });
                }
                // Stale: nobody waits for it any more.
                Ok(()) | Err(_) => self.note(given),
            }
        }
    }

    /// An answer is given: the question is closed.
    fn note(&mut self, given: Given) {
        let Some(open) = self.desk.questions.remove(&given.id) else { return };
        let entry = open.call.and_then(|call| self.desk.entries.get_mut(&call));
        if let (Some(entry), Answer::Error(_, message)) = (entry, given.answer) {
            entry.withheld = Some(message);
        }
    }
}

impl Answer {
    fn as_given(&self) -> client::Given<'_> {
        match self {
            Self::Accept(fields) => client::Given::Accept(Raw::scanned(fields)),
            Self::Decline => client::Given::Decline,
            Self::Cancel => client::Given::Cancel,
            Self::Result(result) => client::Given::Result(Raw::scanned(result)),
            Self::Error(code, message) => client::Given::Error(*code, message),
        }
    }
}

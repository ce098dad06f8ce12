//! What a server asks of the user or the model, and who answers.

use std::future::Future;
use std::pin::Pin;

use midge::Can;
use serde_json::{Map, Value};

/// A future on the heap.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Answers what servers ask.
///
/// Each question runs in a task of its own: a slow answer holds up no other call. As in every task, what blocks its
/// thread belongs into [`spawn_blocking`](tokio::task::spawn_blocking). The task is dropped when nobody waits for the
/// answer any more.
pub trait Answers: Send + Sync {
    /// Answers `question`.
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply>;

    /// What it can be asked, which is what servers are told: by default forms, and URLs that the user is to open.
    fn can(&self) -> Can {
        Can::ELICIT.and(Can::ELICIT_URL)
    }
}

/// What a server asks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Question {
    /// The user is to fill in a form.
    Form {
        /// What the form is for.
        message: String,
        /// JSON Schema of its fields: a flat object.
        schema: Value,
        /// Which server asks.
        server: String,
        /// During which call, if the connection can tell.
        call: Option<String>,
    },
    /// The user is to open a URL. Accepting is consent, not completion.
    Url {
        /// What the URL is for.
        message: String,
        /// Where.
        url: String,
        /// Which server asks.
        server: String,
        /// What the server calls this question (2025-11-25).
        id: Option<String>,
    },
    /// The model is to be run.
    Sample {
        /// The params of `sampling/createMessage`.
        params: Value,
        /// Which server asks.
        server: String,
    },
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reply {
    /// The user agrees; with the fields of a form, empty for a URL.
    Accept(Map<String, Value>),
    /// The user says no.
    Decline,
    /// The user gives no answer.
    Cancel,
    /// What the model said: the result of `sampling/createMessage`.
    Sampled(Value),
    /// The question cannot be answered.
    Error {
        /// A JSON-RPC error code.
        code: i64,
        /// Why.
        message: String,
    },
}

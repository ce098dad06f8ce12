//! Calls, from the side of whoever makes them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use midge::client::Options as Wire;
use midge::session::rows::List;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::notice::{Filter, Progress};
use super::options::CallOptions;
use super::{Client, Inner};
use crate::client::untrusted;
use crate::error::{Error, PeerError};

/// What the handles want of the connection's task.
pub(super) enum Command {
    Start(Box<Start>),
    /// Nobody waits for this call any more.
    Cancel(u64),
    Close,
}

/// A call that is to be made.
pub(super) struct Start {
    pub key: u64,
    pub what: What,
    /// Its method, and what it is about.
    pub label: String,
    pub options: Wire<'static>,
    /// `_meta` of the caller's own, as JSON.
    pub meta: Option<Vec<u8>>,
    pub timeout: Option<Duration>,
    pub max: Option<Duration>,
    pub progress: Option<mpsc::UnboundedSender<Progress>>,
    /// `None` once it was answered.
    pub reply: Option<oneshot::Sender<Reply>>,
    /// When it is late if it has not begun.
    pub by: Option<Instant>,
}

pub(super) enum What {
    /// A request, and the members of its params as JSON.
    Request { method: String, params: Vec<(String, Vec<u8>)> },
    /// A list, from all pages.
    List(List),
    /// Changes, and where it is told what of them is granted.
    Listen(Filter, Option<oneshot::Sender<Vec<u8>>>),
}

/// The results, as JSON: one, or the pages of a list.
pub(super) type Reply = Result<Vec<Vec<u8>>, Failed>;

/// Why there is none.
pub(super) enum Failed {
    Here(Error),
    /// The server's error, as JSON.
    Peer(Vec<u8>),
    /// The server has ended the subscription.
    Ended,
}

impl Failed {
    fn into_error(self) -> Error {
        match self {
            Self::Here(error) => error,
            Self::Peer(error) => peer_error(&error),
            Self::Ended => Error::Cancelled,
        }
    }
}

/// The server's error.
pub(super) fn peer_error(error: &[u8]) -> Error {
    #[derive(serde::Deserialize)]
    struct Said {
        code: serde_json::Number,
        #[serde(default)]
        message: Value,
        #[serde(default)]
        data: Option<Value>,
    }
    match untrusted::from_slice(error) {
        Ok(Said { code, message, data }) => {
            let message = match message {
                Value::String(text) => text,
                Value::Null => String::new(),
                other => other.to_string(),
            };
            Error::Peer(PeerError { code: code.as_i64().unwrap_or_default(), message, data })
        }
        Err(error) => Error::Invalid(format!("an error that cannot be read: {error}")),
    }
}

/// A call that is out. Dropping it gives it up.
pub(super) struct Pending {
    commands: mpsc::WeakUnboundedSender<Command>,
    key: u64,
    label: String,
    reply: oneshot::Receiver<Reply>,
    over: bool,
}

impl Pending {
    /// Waits for its end, once; `None` when the connection has ended without a word.
    pub async fn end(&mut self) -> Option<Reply> {
        let reply = (&mut self.reply).await.ok();
        self.over = true;
        reply
    }

    pub fn is_over(&self) -> bool {
        self.over
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.over
            && let Some(commands) = self.commands.upgrade()
        {
            // The connection may have ended: then nothing is out.
            let _ = commands.send(Command::Cancel(self.key));
        }
    }
}

static KEYS: AtomicU64 = AtomicU64::new(0);

impl Start {
    /// The end of a subscription, which nobody waits for.
    pub fn unsubscribe(uri: &str) -> Self {
        let params = vec![("uri".into(), Value::from(uri).to_string().into_bytes())];
        Self {
            key: KEYS.fetch_add(1, Ordering::Relaxed),
            what: What::Request { method: "resources/unsubscribe".into(), params },
            label: label("resources/unsubscribe", uri),
            options: Wire::default(),
            meta: None,
            timeout: None,
            max: None,
            progress: None,
            reply: None,
            by: None,
        }
    }
}

impl Inner {
    /// Makes a call; it goes on in the task of the connection.
    pub fn begin(
        &self,
        what: What,
        label: String,
        meta: Option<Vec<u8>>,
        call: &CallOptions,
    ) -> Result<Pending, Error> {
        let key = KEYS.fetch_add(1, Ordering::Relaxed);
        let (answer, reply) = oneshot::channel();
        let timeout = call.timeout.unwrap_or(self.call_timeout);
        let start = Start {
            key,
            what,
            label: label.clone(),
            options: Wire {
                timeout_ms: ms(timeout).max(1),
                max_ms: call.max.map_or(0, |max| ms(max).max(1)),
                progress: call.progress.is_some(),
                progress_extends: true,
                log_level: call.log_level.or(self.shared.level()),
                task_ms: call.task.map(ms),
                slices: false,
                meta: None,
            },
            meta,
            timeout: Some(timeout),
            max: call.max,
            progress: call.progress.clone(),
            reply: Some(answer),
            by: None,
        };
        if self.commands.send(Command::Start(Box::new(start))).is_err() {
            return Err(self.closed(label));
        }
        Ok(Pending { commands: self.commands.downgrade(), key, label, reply, over: false })
    }

    /// Waits for the end of a call.
    pub async fn end(&self, mut pending: Pending) -> Result<Vec<Vec<u8>>, Error> {
        match pending.end().await {
            Some(Ok(pages)) => Ok(pages),
            Some(Err(failed)) => Err(failed.into_error()),
            None => Err(self.closed(std::mem::take(&mut pending.label))),
        }
    }

    /// The error of a call that the end of the connection has ended.
    pub fn closed(&self, what: String) -> Error {
        let ended = self.shared.ended().unwrap_or_default();
        Error::Closed { what, stderr: ended.stderr, exit: ended.exit }
    }
}

impl Client {
    pub(super) async fn run(
        &self,
        what: What,
        label: String,
        meta: Option<Vec<u8>>,
        call: &CallOptions,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let end = self.inner.end(self.inner.begin(what, label, meta, call)?);
        match &call.cancel {
            None => end.await,
            Some(token) => tokio::select! {
                biased;
                () = token.cancelled() => Err(Error::Cancelled),
                pages = end => pages,
            },
        }
    }

    /// Makes a request and reads its result.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        about: &str,
        mut params: Map<String, Value>,
        call: &CallOptions,
    ) -> Result<T, Error> {
        let label = label(method, about);
        let meta = match params.shift_remove("_meta") {
            Some(meta) if !meta.is_object() => {
                return Err(Error::Input(format!("{label}: `_meta` must be an object")));
            }
            meta => meta.map(|meta| meta.to_string().into_bytes()),
        };
        let params = params.into_iter().map(|(name, value)| (name, value.to_string().into_bytes())).collect();
        let what = What::Request { method: method.into(), params };
        let pages = self.run(what, label.clone(), meta, call).await?;
        read(&label, pages.last().map_or(b"{}", |page| page))
    }

    /// Reads a list whole; `field` is where its items are.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        list: List,
        field: &str,
        needs: &str,
    ) -> Result<Vec<T>, Error> {
        if !self.server().offers(needs) {
            return Err(Error::NotOffered(needs.into()));
        }
        let label = match list {
            List::Tools => "tools/list",
            List::Resources => "resources/list",
            List::Templates => "resources/templates/list",
            List::Prompts => "prompts/list",
        };
        let pages = self.run(What::List(list), label.into(), None, &CallOptions::default()).await?;
        let mut all = Vec::new();
        for page in pages {
            let mut page: Map<String, Value> = read(label, &page)?;
            let items = page.shift_remove(field).unwrap_or_default();
            let items: Vec<T> = serde_json::from_value(items).map_err(|error| unreadable(label, &error))?;
            all.extend(items);
        }
        Ok(all)
    }
}

/// Reads a result.
pub(super) fn read<T: DeserializeOwned>(label: &str, result: &[u8]) -> Result<T, Error> {
    untrusted::from_slice(result).map_err(|error| unreadable(label, &error))
}

fn unreadable(label: &str, error: &serde_json::Error) -> Error {
    Error::Invalid(format!("the answer to {label} cannot be read: {error}"))
}

/// A request as people recognize it.
fn label(method: &str, about: &str) -> String {
    if about.is_empty() { method.into() } else { format!("{method} {about}") }
}

pub(super) fn ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

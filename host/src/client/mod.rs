//! One connection to one server.

mod answers;
mod notice;
mod options;

use std::collections::BTreeMap;
use std::sync::Arc;

use midge::{Level, Revision};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::broadcast;

pub use answers::{Answers, BoxFuture, Question, Reply};
pub use notice::{Filter, Notice, Progress, Watch};
pub use options::{CallOptions, Era, Options, Root};
pub use tokio_util::sync::CancellationToken;

use crate::error::Error;
use crate::model::{
    Completion, Prompt, PromptResult, ReadResult, Reference, Resource, Template, Tool, ToolResult,
};
use crate::process::Exit;
use crate::target::Target;

/// What a server says about itself.
#[derive(Clone, Debug)]
pub struct Server {
    /// The revision that is spoken with it.
    pub revision: Revision,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// A name for people.
    pub title: Option<String>,
    /// How to use it, for the model.
    pub instructions: Option<String>,
    /// What it offers.
    pub capabilities: Value,
    /// Its whole answer to `initialize` or `server/discover`.
    pub raw: Value,
}

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// How the server's process ended, when there was one.
    pub exit: Option<Exit>,
}

/// A connection to one server, for any number of calls at once. Clones share it.
#[derive(Clone)]
pub struct Client {
    server: Arc<Server>,
    notices: broadcast::Sender<Notice>,
}

fn not_connected<T>() -> Result<T, Error> {
    Err(Error::Busy("not connected".into()))
}

impl Client {
    /// Connects to a server: asks for its revision, falls back to an older one, starts its process anew when the
    /// question ended it.
    ///
    /// # Errors
    /// [`Error::Spawn`], [`Error::Connect`], [`Error::Refused`], [`Error::TimedOut`], [`Error::Closed`],
    /// [`Error::Invalid`].
    pub async fn connect(target: &Target, options: Options) -> Result<Self, Error> {
        let _ = (target, options);
        not_connected()
    }

    /// Connects over a stream that is already open.
    ///
    /// # Errors
    /// As [`connect`](Self::connect) without those of processes and sockets.
    pub async fn over(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        options: Options,
    ) -> Result<Self, Error> {
        let _ = (reader, writer, options);
        not_connected()
    }

    /// What the server says about itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// All tools, from all pages.
    ///
    /// # Errors
    /// [`Error::Pages`]: the list does not end. Otherwise as [`request`](Self::request).
    pub async fn tools(&self) -> Result<Vec<Tool>, Error> {
        not_connected()
    }

    /// All resources, from all pages.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub async fn resources(&self) -> Result<Vec<Resource>, Error> {
        not_connected()
    }

    /// All resource templates, from all pages.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub async fn templates(&self) -> Result<Vec<Template>, Error> {
        not_connected()
    }

    /// All prompts, from all pages.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub async fn prompts(&self) -> Result<Vec<Prompt>, Error> {
        not_connected()
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As [`request`](Self::request). A tool that failed is no error: [`ToolResult::is_error`] says so.
    pub async fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        call: CallOptions,
    ) -> Result<ToolResult, Error> {
        let _ = (name, arguments, call);
        not_connected()
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`request`](Self::request); [`Error::is_not_found`] when there is no such resource.
    pub async fn read_resource(&self, uri: &str, call: CallOptions) -> Result<ReadResult, Error> {
        let _ = (uri, call);
        not_connected()
    }

    /// Gets a prompt with its arguments filled in.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        call: CallOptions,
    ) -> Result<PromptResult, Error> {
        let _ = (name, arguments, call);
        not_connected()
    }

    /// Completes the value of an argument; `context` holds the arguments that are already known.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn complete(
        &self,
        reference: Reference,
        argument: (&str, &str),
        context: BTreeMap<String, String>,
    ) -> Result<Completion, Error> {
        let _ = (reference, argument, context);
        not_connected()
    }

    /// Sends any request and gives back its result as it came.
    ///
    /// # Errors
    /// [`Error::Peer`], [`Error::TimedOut`], [`Error::Closed`], [`Error::Cancelled`], [`Error::Invalid`],
    /// [`Error::TooLarge`], [`Error::TooManyRounds`], [`Error::NotOffered`], [`Error::Input`], [`Error::Busy`].
    pub async fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        call: CallOptions,
    ) -> Result<Value, Error> {
        let _ = (method, params, call);
        not_connected()
    }

    /// Asks whether the server is there (revisions before 2026-07-28).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn ping(&self) -> Result<(), Error> {
        not_connected()
    }

    /// Sets from which level on the server sends log messages.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn set_log_level(&self, level: Level) -> Result<(), Error> {
        let _ = level;
        not_connected()
    }

    /// Watches for changes.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn watch(&self, filter: Filter) -> Result<Watch, Error> {
        let _ = filter;
        not_connected()
    }

    /// What the server says on its own, from now on.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.subscribe()
    }

    /// Ends the connection, and the server's process with it.
    pub async fn close(self) -> Closed {
        Closed { exit: None }
    }
}

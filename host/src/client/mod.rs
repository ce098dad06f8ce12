//! One connection to one server.

mod answers;
mod call;
mod connect;
mod connection;
mod notice;
mod options;
mod server;
mod shared;
pub(crate) mod untrusted;
mod watch;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use midge::Level;
use midge::proto::revision::Feature;
use midge::session::rows::List;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{broadcast, mpsc};

pub use answers::{Answers, BoxFuture, Question, Reply};
pub use notice::{Filter, Notice, Progress};
pub use options::{CallOptions, Era, Options, Root};
pub use server::Server;
pub use tokio_util::sync::CancellationToken;
pub use watch::Watch;

use crate::error::Error;
use crate::model::{
    Completion, Prompt, PromptResult, ReadResult, Reference, Resource, Template, Tool, ToolResult,
};
use crate::process::Exit;
use crate::stream::Link;
use crate::target::Target;

use call::Command;
use shared::{Ended, Shared};

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed {
    /// How the server's process ended, when there was one.
    pub exit: Option<Exit>,
}

/// A connection to one server, for any number of calls at once. Clones share it.
///
/// When the last clone is dropped the connection is [closed](Self::close) in the background.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

/// What the clones of a client share.
struct Inner {
    server: Server,
    commands: mpsc::UnboundedSender<Command>,
    notices: broadcast::WeakSender<Notice>,
    shared: Arc<Shared>,
    call_timeout: Duration,
    end: tokio::sync::watch::Receiver<Option<Ended>>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Server { revision, name, version, .. } = self.server();
        f.debug_struct("Client")
            .field("revision", revision)
            .field("name", name)
            .field("version", version)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Connects to a server: asks for its revision, falls back to an older one, starts its process anew when the
    /// question ended it.
    ///
    /// # Errors
    /// [`Error::Spawn`], [`Error::Connect`], [`Error::Refused`], [`Error::TimedOut`], [`Error::Closed`],
    /// [`Error::Invalid`].
    pub async fn connect(target: &Target, options: Options) -> Result<Self, Error> {
        connect::connect(target, options).await
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
        let link = Link { reader: Box::new(reader), writer: Box::new(writer), child: None };
        let (asks, by) = (options.era == Era::Auto, connect::deadline(&options));
        connect::over(link, options, asks, by).await.map_err(|failed| failed.error)
    }

    /// What the server says about itself.
    pub fn server(&self) -> &Server {
        &self.inner.server
    }

    /// All tools, from all pages.
    ///
    /// # Errors
    /// [`Error::Pages`]: the list does not end. Otherwise as [`request`](Self::request).
    pub async fn tools(&self) -> Result<Vec<Tool>, Error> {
        let tools: Vec<Tool> = self.list(List::Tools, "tools", "tools").await?;
        let structured = tools.iter().filter(|tool| tool.output_schema.is_some());
        self.inner.shared.list(structured.map(|tool| tool.name.clone()));
        Ok(tools)
    }

    /// All resources, from all pages.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub async fn resources(&self) -> Result<Vec<Resource>, Error> {
        self.list(List::Resources, "resources", "resources").await
    }

    /// All resource templates, from all pages.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub async fn templates(&self) -> Result<Vec<Template>, Error> {
        self.list(List::Templates, "resourceTemplates", "resources").await
    }

    /// All prompts, from all pages.
    ///
    /// # Errors
    /// As [`tools`](Self::tools).
    pub async fn prompts(&self) -> Result<Vec<Prompt>, Error> {
        self.list(List::Prompts, "prompts", "prompts").await
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
        let params = object([("name", name.into()), ("arguments", Value::Object(arguments))]);
        let result: ToolResult = self.ask("tools/call", name, params, &call).await?;
        if result.structured.is_none() && !result.is_error && self.inner.shared.is_structured(name) {
            return Err(Error::Invalid(format!(
                "the tool `{name}` has an output schema, and its result no structured content"
            )));
        }
        Ok(result)
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`request`](Self::request); [`Error::is_not_found`] when there is no such resource.
    pub async fn read_resource(&self, uri: &str, call: CallOptions) -> Result<ReadResult, Error> {
        self.ask("resources/read", uri, object([("uri", uri.into())]), &call).await
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
        let params = object([("name", name.into()), ("arguments", json!(arguments))]);
        self.ask("prompts/get", name, params, &call).await
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
        let (name, value) = argument;
        let argument = json!({ "name": name, "value": value });
        let mut params = object([("ref", reference.to_value()), ("argument", argument)]);
        if !context.is_empty() && self.server().revision.has(Feature::CompletionContext) {
            params.insert("context".into(), json!({ "arguments": context }));
        }
        let mut said: Map<String, Value> =
            self.ask("completion/complete", name, params, &CallOptions::default()).await?;
        let completion = said.shift_remove("completion").unwrap_or_default();
        serde_json::from_value(completion)
            .map_err(|error| Error::Invalid(format!("the answer to completion/complete: {error}")))
    }

    /// Sends any request and gives back its result as it came.
    ///
    /// `_meta` of the params is added to what the connection itself writes there.
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
        self.ask(method, "", params, &call).await
    }

    /// Asks whether the server is there (revisions before 2026-07-28).
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn ping(&self) -> Result<(), Error> {
        let _: Value = self.ask("ping", "", Map::new(), &CallOptions::default()).await?;
        Ok(())
    }

    /// Sets from which level on the server sends log messages; from 2026-07-28 on for the calls that begin from here on.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn set_log_level(&self, level: Level) -> Result<(), Error> {
        if !self.server().offers("logging") {
            return Err(Error::NotOffered("logging".into()));
        }
        if self.is_modern() {
            self.inner.shared.set_level(level);
            return Ok(());
        }
        let params = object([("level", level.name().into())]);
        let _: Value = self.ask("logging/setLevel", level.name(), params, &CallOptions::default()).await?;
        Ok(())
    }

    /// Watches for changes, from when the server has agreed on.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn watch(&self, filter: Filter) -> Result<Watch, Error> {
        self.watch_for(filter).await
    }

    /// What the server says on its own, from now on.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        match self.inner.notices.upgrade() {
            Some(notices) => notices.subscribe(),
            // The connection has ended, and so has what it tells.
            None => broadcast::channel(1).1,
        }
    }

    /// Ends the connection, and the server's process with it: calls that are out end with [`Error::Closed`], the
    /// stream ends, and the process is waited for, asked to terminate, and killed ([`Options::grace`]).
    pub async fn close(self) -> Closed {
        // Whoever has closed it already, or the server: its end is waited for.
        let _ = self.inner.commands.send(Command::Close);
        let mut end = self.inner.end.clone();
        let ended = end.wait_for(Option::is_some).await;
        Closed { exit: ended.ok().and_then(|ended| ended.as_ref()?.exit) }
    }

    fn is_modern(&self) -> bool {
        self.server().revision.has(Feature::PerRequest)
    }
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

//! The client without `async`.
//!
//! Each connection has a runtime of its own; the client may be used from any number of threads at once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use midge::{Can, Level};
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::broadcast;

use crate::client::{
    self, Answers, BoxFuture, CallOptions, Closed, Filter, Notice, Options, Question, Reply, Server,
};
use crate::error::Error;
use crate::model::{
    Completion, Prompt, PromptResult, ReadResult, Reference, Resource, Template, Tool, ToolResult,
};
use crate::target::Target;

/// A connection to one server, for calls from any number of threads. Clones share it.
///
/// When the last clone is dropped the connection is [closed](Self::close). Inside a tokio runtime its methods would
/// hold up other tasks: they fail there with [`Error::Busy`]; use [`crate::Client`].
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

struct Inner {
    client: client::Client,
    /// There until the last clone is dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("blocking::Client").field(&self.inner.client).finish()
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        let client = self.client.clone();
        let close = move || {
            runtime.block_on(client.close());
            leave(runtime);
        };
        if Handle::try_current().is_err() {
            return close();
        }
        // This thread belongs to another runtime and may not wait; the end of the process may come first.
        std::thread::spawn(close);
    }
}

/// Leaves a runtime without waiting for threads that block: for an answer of the user's, or for a name that is looked up.
fn leave(runtime: Runtime) {
    runtime.shutdown_background();
}

/// Answers on threads for what blocks: whoever uses this client writes answers that do.
struct Aside(Arc<dyn Answers>);

impl Answers for Aside {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let answers = self.0.clone();
        Box::pin(async move {
            let runtime = Handle::current();
            let answer = move || runtime.block_on(answers.answer(question));
            match tokio::task::spawn_blocking(answer).await {
                Ok(reply) => reply,
                Err(_) => Reply::Error { code: -32603, message: "the client failed to answer".into() },
            }
        })
    }

    fn can(&self) -> Can {
        self.0.can()
    }
}

/// What changes, one after the other; it ends when it is dropped.
#[derive(Debug)]
pub struct Watch {
    watch: client::Watch,
    client: Client,
}

impl Watch {
    /// What the server watches for: of what was asked for, the part that it offers.
    pub fn granted(&self) -> &Filter {
        &self.watch.granted
    }
}

impl Iterator for Watch {
    type Item = Notice;

    /// The next notice; `None` when the connection or the watch has ended.
    fn next(&mut self) -> Option<Notice> {
        self.client.wait(self.watch.next()).ok()?
    }
}

/// A runtime must not be waited for by a thread of another.
fn outside() -> Result<(), Error> {
    match Handle::try_current() {
        Ok(_) => Err(Error::Busy("a blocking client cannot be used inside a tokio runtime".into())),
        Err(_) => Ok(()),
    }
}

impl Client {
    /// Connects to a server, as [`client::Client::connect`] does. What the server asks is answered on threads that may
    /// block.
    ///
    /// # Errors
    /// As there.
    pub fn connect(target: &Target, mut options: Options) -> Result<Self, Error> {
        outside()?;
        options.answers = options.answers.map(|answers| Arc::new(Aside(answers)) as Arc<dyn Answers>);
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().thread_name("midge").build();
        let runtime =
            runtime.map_err(|error| Error::Busy(format!("no thread for the connection: {error}")))?;
        match runtime.block_on(client::Client::connect(target, options)) {
            Ok(client) => Ok(Self { inner: Arc::new(Inner { client, runtime: Some(runtime) }) }),
            Err(error) => {
                leave(runtime);
                Err(error)
            }
        }
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Error> {
        outside()?;
        match &self.inner.runtime {
            Some(runtime) => Ok(runtime.block_on(future)),
            None => Err(Error::Busy("the connection is closed".into())),
        }
    }

    /// What the server says about itself.
    pub fn server(&self) -> &Server {
        self.inner.client.server()
    }

    /// All tools, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::tools`].
    pub fn tools(&self) -> Result<Vec<Tool>, Error> {
        self.wait(self.inner.client.tools())?
    }

    /// All resources, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::resources`].
    pub fn resources(&self) -> Result<Vec<Resource>, Error> {
        self.wait(self.inner.client.resources())?
    }

    /// All resource templates, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::templates`].
    pub fn templates(&self) -> Result<Vec<Template>, Error> {
        self.wait(self.inner.client.templates())?
    }

    /// All prompts, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::prompts`].
    pub fn prompts(&self) -> Result<Vec<Prompt>, Error> {
        self.wait(self.inner.client.prompts())?
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As [`client::Client::call_tool`].
    pub fn call_tool(
        &self,
        name: &str,
        arguments: Map<String, Value>,
        call: CallOptions,
    ) -> Result<ToolResult, Error> {
        self.wait(self.inner.client.call_tool(name, arguments, call))?
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`client::Client::read_resource`].
    pub fn read_resource(&self, uri: &str, call: CallOptions) -> Result<ReadResult, Error> {
        self.wait(self.inner.client.read_resource(uri, call))?
    }

    /// Gets a prompt with its arguments filled in.
    ///
    /// # Errors
    /// As [`client::Client::get_prompt`].
    pub fn get_prompt(
        &self,
        name: &str,
        arguments: BTreeMap<String, String>,
        call: CallOptions,
    ) -> Result<PromptResult, Error> {
        self.wait(self.inner.client.get_prompt(name, arguments, call))?
    }

    /// Completes the value of an argument; `context` holds the arguments that are already known.
    ///
    /// # Errors
    /// As [`client::Client::complete`].
    pub fn complete(
        &self,
        reference: Reference,
        argument: (&str, &str),
        context: BTreeMap<String, String>,
    ) -> Result<Completion, Error> {
        self.wait(self.inner.client.complete(reference, argument, context))?
    }

    /// Sends any request and gives back its result as it came.
    ///
    /// # Errors
    /// As [`client::Client::request`].
    pub fn request(
        &self,
        method: &str,
        params: Map<String, Value>,
        call: CallOptions,
    ) -> Result<Value, Error> {
        self.wait(self.inner.client.request(method, params, call))?
    }

    /// Asks whether the server is there (revisions before 2026-07-28).
    ///
    /// # Errors
    /// As [`client::Client::ping`].
    pub fn ping(&self) -> Result<(), Error> {
        self.wait(self.inner.client.ping())?
    }

    /// Sets from which level on the server sends log messages.
    ///
    /// # Errors
    /// As [`client::Client::set_log_level`].
    pub fn set_log_level(&self, level: Level) -> Result<(), Error> {
        self.wait(self.inner.client.set_log_level(level))?
    }

    /// Watches for changes.
    ///
    /// # Errors
    /// As [`client::Client::watch`].
    pub fn watch(&self, filter: Filter) -> Result<Watch, Error> {
        let watch = self.wait(self.inner.client.watch(filter))??;
        Ok(Watch { watch, client: self.clone() })
    }

    /// What the server says on its own, from now on; to be read with `blocking_recv`.
    pub fn notices(&self) -> broadcast::Receiver<Notice> {
        self.inner.client.notices()
    }

    /// Ends the connection, and the server's process with it, as [`client::Client::close`] does.
    ///
    /// Inside a tokio runtime it is closed in the background.
    pub fn close(self) -> Closed {
        self.wait(self.inner.client.clone().close()).unwrap_or(Closed { exit: None })
    }
}

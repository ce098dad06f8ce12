//! The client without `async`: the same methods, each of which waits.
//!
//! A connection runs on a thread of its own. Any number of threads may call at once on clones of one [`Client`].
//! Inside of an async runtime, where nothing may wait, every method answers [`Error::Busy`]: there
//! [`client::Client`] is at home.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use midge::Level;
use serde_json::{Map, Value};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::client::{
    self, Answers, BoxFuture, CallOptions, Closed, Filter, Notice, Options, Question, Reply, Server,
};
use crate::error::Error;
use crate::model::{
    Completion, Prompt, PromptResult, ReadResult, Reference, Resource, Template, Tool, ToolResult,
};
use crate::target::Target;

/// How long the end of a connection that was not closed may take.
const END: Duration = Duration::from_secs(1);

/// A connection to one server. Clones share it.
#[derive(Clone)]
pub struct Client {
    // Before the thread it runs on, so that it is dropped first.
    inner: client::Client,
    thread: Arc<Thread>,
}

impl Client {
    /// Connects to a server. See [`client::Client::connect`].
    ///
    /// # Errors
    /// As there.
    pub fn connect(target: &Target, options: Options) -> Result<Self, Error> {
        let thread = Arc::new(Thread::start()?);
        let inner = thread.run(client::Client::connect(target, options))??;
        Ok(Self { inner, thread })
    }

    /// What the server says about itself.
    pub fn server(&self) -> &Server {
        self.inner.server()
    }

    /// All tools, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::tools`].
    pub fn tools(&self) -> Result<Vec<Tool>, Error> {
        self.thread.run(self.inner.tools())?
    }

    /// All resources, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::resources`].
    pub fn resources(&self) -> Result<Vec<Resource>, Error> {
        self.thread.run(self.inner.resources())?
    }

    /// All resource templates, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::templates`].
    pub fn templates(&self) -> Result<Vec<Template>, Error> {
        self.thread.run(self.inner.templates())?
    }

    /// All prompts, from all pages.
    ///
    /// # Errors
    /// As [`client::Client::prompts`].
    pub fn prompts(&self) -> Result<Vec<Prompt>, Error> {
        self.thread.run(self.inner.prompts())?
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
        self.thread.run(self.inner.call_tool(name, arguments, call))?
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`client::Client::read_resource`].
    pub fn read_resource(&self, uri: &str, call: CallOptions) -> Result<ReadResult, Error> {
        self.thread.run(self.inner.read_resource(uri, call))?
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
        self.thread.run(self.inner.get_prompt(name, arguments, call))?
    }

    /// Completes the value of an argument.
    ///
    /// # Errors
    /// As [`client::Client::complete`].
    pub fn complete(
        &self,
        reference: Reference,
        argument: (&str, &str),
        context: BTreeMap<String, String>,
    ) -> Result<Completion, Error> {
        self.thread.run(self.inner.complete(reference, argument, context))?
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
        self.thread.run(self.inner.request(method, params, call))?
    }

    /// Asks whether the server is there (revisions before 2026-07-28).
    ///
    /// # Errors
    /// As [`client::Client::ping`].
    pub fn ping(&self) -> Result<(), Error> {
        self.thread.run(self.inner.ping())?
    }

    /// Sets from which level on the server sends log messages.
    ///
    /// # Errors
    /// As [`client::Client::set_log_level`].
    pub fn set_log_level(&self, level: Level) -> Result<(), Error> {
        self.thread.run(self.inner.set_log_level(level))?
    }

    /// Watches for changes.
    ///
    /// # Errors
    /// As [`client::Client::watch`].
    pub fn watch(&self, filter: Filter) -> Result<Watch, Error> {
        let inner = self.thread.run(self.inner.watch(filter))??;
        Ok(Watch { inner, thread: Arc::clone(&self.thread) })
    }

    /// What the server says on its own, from now on.
    pub fn notices(&self) -> Notices {
        Notices { inner: self.inner.notices(), thread: Arc::clone(&self.thread) }
    }

    /// Ends the connection, and the server's process with it.
    ///
    /// # Errors
    /// [`Error::Busy`] inside of an async runtime: then the process is killed when the last clone is dropped.
    pub fn close(self) -> Result<Closed, Error> {
        self.thread.run(self.inner.close())
    }
}

/// What a server says on its own; an iterator that waits, and ends with the connection.
///
/// One that does not keep up loses the oldest.
pub struct Notices {
    inner: Receiver<Notice>,
    thread: Arc<Thread>,
}

impl Iterator for Notices {
    type Item = Notice;

    fn next(&mut self) -> Option<Notice> {
        loop {
            match self.thread.run(self.inner.recv()).ok()? {
                Ok(notice) => return Some(notice),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

/// A watch on changes; an iterator that waits. Dropping it ends the watch.
pub struct Watch {
    inner: client::Watch,
    thread: Arc<Thread>,
}

impl Iterator for Watch {
    type Item = Notice;

    fn next(&mut self) -> Option<Notice> {
        self.thread.run(self.inner.next()).ok()?
    }
}

/// Answers what servers ask by a function that may wait, for [`Options::answers`].
///
/// Each question runs on a thread of its own.
pub fn answers(answer: impl Fn(Question) -> Reply + Send + Sync + 'static) -> Arc<dyn Answers> {
    Arc::new(Waiting(Arc::new(answer)))
}

struct Waiting<F>(Arc<F>);

impl<F: Fn(Question) -> Reply + Send + Sync + 'static> Answers for Waiting<F> {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let answer = Arc::clone(&self.0);
        Box::pin(async move {
            let failed =
                |_| Reply::Error { code: -32603, message: "the question could not be answered".into() };
            tokio::task::spawn_blocking(move || answer(question)).await.unwrap_or_else(failed)
        })
    }
}

/// The thread that a connection runs on.
struct Thread(Option<Runtime>);

impl Thread {
    fn start() -> Result<Self, Error> {
        free()?;
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("midge").enable_all().build();
        match runtime {
            Ok(runtime) => Ok(Self(Some(runtime))),
            Err(e) => Err(Error::Busy(format!("no thread can be started for the connection: {e}"))),
        }
    }

    /// Waits for `future` on the caller's thread.
    fn run<F: Future>(&self, future: F) -> Result<F::Output, Error> {
        free()?;
        match &self.0 {
            Some(runtime) => Ok(runtime.block_on(future)),
            None => Err(Error::Busy("the connection has ended".into())),
        }
    }
}

/// Whether this thread may wait.
fn free() -> Result<(), Error> {
    match Handle::try_current() {
        Err(_) => Ok(()),
        Ok(_) => {
            Err(Error::Busy("a blocking client cannot wait inside of an async runtime: use `Client`".into()))
        }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        let Some(runtime) = self.0.take() else { return };
        if free().is_ok() {
            // Tasks are dropped meanwhile, and with them the processes they hold.
            runtime.shutdown_timeout(END);
        } else {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_of_a_runtime_it_says_so() {
        let thread = Thread::start().unwrap();
        assert_eq!(thread.run(async { 7 }).unwrap(), 7);
        let runtime = Runtime::new().unwrap();
        runtime.block_on(async move {
            assert!(matches!(thread.run(async { 7 }), Err(Error::Busy(_))));
            assert!(matches!(Thread::start(), Err(Error::Busy(_))));
            drop(thread);
        });
    }

    #[test]
    fn many_threads_may_wait_at_once() {
        let thread = Thread::start().unwrap();
        let barrier = tokio::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            let one = || thread.run(barrier.wait()).unwrap().is_leader();
            let all: Vec<_> = (0..8).map(|_| scope.spawn(one)).collect();
            let leaders = all.into_iter().map(|t| t.join().unwrap()).filter(|l| *l).count();
            assert_eq!(leaders, 1);
        });
    }

    #[test]
    fn a_question_may_be_answered_by_waiting() {
        let thread = Thread::start().unwrap();
        let ask = |answers: Arc<dyn Answers>| {
            let params = Value::Null;
            thread
                .run(async move { answers.answer(Question::Sample { params, server: "s".into() }).await })
                .unwrap()
        };
        let slow = answers(|_| {
            std::thread::sleep(Duration::from_millis(1));
            Reply::Decline
        });
        assert!(matches!(ask(slow), Reply::Decline));
        let broken = answers(|_| panic!("as told"));
        assert!(matches!(ask(broken), Reply::Error { code: -32603, .. }));
    }
}

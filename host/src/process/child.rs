//! A running server process.

use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::group::Group;
use super::tail::Tail;
use super::{Exit, Grace, How, spawn};
use crate::error::Error;
use crate::target::Command;

/// How long a killed process is waited for: it may hang in the kernel.
const KILLED: Duration = Duration::from_secs(5);

/// How long the rest of stderr is waited for after the process has ended: others may hold it open.
const REST_OF_STDERR: Duration = Duration::from_millis(250);

/// How often a dropped process is looked at after it was killed, every millisecond.
const LOOKS_AFTER_DROP: usize = 100;

/// A server's process, in a process group (on Windows, a job) of its own.
///
/// Dropping it kills the group. [`close`](Self::close) ends it gently.
#[derive(Debug)]
pub struct Child {
    inner: Box<dyn ChildWrapper>,
    id: Option<u32>,
    group: Group,
    exit: Option<Exit>,
    tail: Tail,
    /// The task that reads stderr when that is captured.
    drain: Option<JoinHandle<()>>,
}

impl Child {
    /// Starts the process.
    ///
    /// It gets no descriptors but stdin, stdout and stderr: those which this process has itself inherited or opened
    /// without `FD_CLOEXEC` are marked with it first. That mark stays, also for other processes that are started
    /// later; [`Command::inherit`] leaves all as it is.
    ///
    /// # Errors
    /// [`Error::Spawn`] names the program and what would help; [`Error::Busy`] outside of a tokio runtime.
    pub fn spawn(command: &Command) -> Result<Self, Error> {
        let mut inner = spawn::start(command)?;
        let tail = Tail::default();
        let drain = inner.stderr().take().map(|stderr| tokio::spawn(tail.clone().fill(stderr)));
        let id = inner.id();
        Ok(Self { inner, id, group: Group::of(id), exit: None, tail, drain })
    }

    /// Its stdin, once. Dropping that asks the server to end.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.inner.stdin().take()
    }

    /// Its stdout, once. A server that writes while nobody reads can not end by itself: read on, or drop it.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.inner.stdout().take()
    }

    /// The number of its process, which on unix is that of its group too.
    pub fn id(&self) -> Option<u32> {
        self.id
    }

    /// The end of what it wrote to stderr, up to 64 KiB; empty unless stderr is [captured](crate::Stderr::Capture).
    pub fn stderr_tail(&self) -> String {
        self.tail.text()
    }

    /// Waits for the process to end by itself. Closes its stdin unless that was taken.
    ///
    /// What it has left behind in its group is ended as well, within `rest`. Dropping the future before the process
    /// has ended changes nothing.
    pub async fn wait(&mut self, rest: Duration) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        let status = self.leader().await;
        self.ended(status, How::ByItself, rest).await
    }

    /// Ends the process and all of its group: closes stdin and waits, asks to terminate and waits, kills.
    ///
    /// The caller drops what it has taken of stdin first. When it returns, nothing of the group is left.
    pub async fn close(mut self, grace: Grace) -> Exit {
        self.end(grace).await
    }

    /// As [`close`](Self::close), and leaves the rest of stderr to be read.
    pub async fn end(&mut self, grace: Grace) -> Exit {
        if let Some(exit) = self.exit {
            return exit;
        }
        drop((self.take_stdin(), self.take_stdout()));
        if let Ok(status) = timeout(grace.eof, self.leader()).await {
            return self.ended(status, How::ByItself, grace.term).await;
        }
        if self.group.ask()
            && let Ok(status) = timeout(grace.term, self.leader()).await
        {
            return self.ended(status, How::Terminated, grace.term).await;
        }
        // An error says that it has ended meanwhile.
        let _ = self.inner.start_kill();
        match timeout(KILLED, self.leader()).await {
            Ok(status) => self.ended(status, How::Killed, Duration::ZERO).await,
            Err(_) => Exit { status: None, how: How::Killed },
        }
    }

    /// Waits for the process itself, whatever becomes of the others in its group.
    async fn leader(&mut self) -> Option<ExitStatus> {
        self.inner.inner_mut().wait().await.ok()
    }

    /// The process has ended: ends what it has left behind.
    async fn ended(&mut self, status: Option<ExitStatus>, how: How, rest: Duration) -> Exit {
        let exit = Exit { status, how };
        self.exit = Some(exit);
        self.group.sweep(&mut *self.inner, rest).await;
        if let Some(drain) = &mut self.drain {
            let _ = timeout(REST_OF_STDERR, drain).await;
        }
        exit
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if let Some(drain) = &self.drain {
            drain.abort();
        }
        if self.exit.is_some() {
            return;
        }
        let _ = self.inner.start_kill();
        // A killed process is gone in no time. Waited for here, it can not stay a zombie when the runtime ends.
        for _ in 0..LOOKS_AFTER_DROP {
            match self.inner.inner_mut().try_wait() {
                Ok(None) => thread::sleep(Duration::from_millis(1)),
                _ => return,
            }
        }
    }
}

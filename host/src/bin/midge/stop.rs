//! Ctrl-C and its kind: for the question that is open, or else for what runs; the second one ends midge at once.
//!
//! Signals are heard on a thread of their own. What runs may be in the middle of something that cannot be left, such as
//! a write to a pipe that nobody reads: then midge ends from here.

use crate::ask::Heard;
use crate::failure::Fault;
use midge_host::Client;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// How long what runs has to take notice.
const NOTICE: Duration = Duration::from_secs(1);
/// How long the server then has to end.
const END: Duration = Duration::from_secs(5);

/// Knows whether the user wants to stop.
pub struct Stop {
    question: Mutex<Option<Sender<Heard>>>,
    client: Mutex<Option<Client>>,
    count: watch::Sender<u32>,
    /// Up to which count what runs has taken notice.
    noticed: AtomicU32,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stop {
    /// Listens to signals from now on.
    pub fn listen() -> Arc<Self> {
        let (question, client) = (Mutex::new(None), Mutex::new(None));
        let stop =
            Arc::new(Self { question, client, count: watch::Sender::new(0), noticed: AtomicU32::new(0) });
        // Without signals the system ends midge in its own way.
        if let Ok((runtime, signals)) = ear() {
            let listening = Arc::clone(&stop);
            std::thread::spawn(move || runtime.block_on(listening.hear(signals)));
        }
        stop
    }

    async fn hear(self: Arc<Self>, mut signals: Signals) {
        loop {
            match signals.next().await {
                Signal::Interrupt if self.interrupts_a_question() => continue,
                Signal::Interrupt | Signal::End => {}
            }
            self.count.send_modify(|n| *n += 1);
            let (this, count) = (Arc::clone(&self), *self.count.borrow());
            tokio::spawn(async move {
                sleep(NOTICE).await;
                if this.noticed.load(Ordering::Relaxed) < count {
                    this.leave().await;
                }
            });
        }
    }

    /// Ends the server, and midge without what runs.
    async fn leave(&self) {
        let client = locked(&self.client).take();
        if let Some(client) = client {
            let _ = timeout(END, client.close()).await;
        }
        std::process::exit(Fault::Interrupt.code().into());
    }

    /// What is connected, or nothing any more.
    pub fn connected(&self, client: Option<Client>) {
        *locked(&self.client) = client;
    }

    /// A question is open, or none any more.
    pub fn question(&self, hears: Option<Sender<Heard>>) {
        *locked(&self.question) = hears;
    }

    fn interrupts_a_question(&self) -> bool {
        let question = locked(&self.question).take();
        question.is_some_and(|hears| hears.send(Heard::Interrupted).is_ok())
    }

    /// Waits until the user wants to stop.
    pub async fn wanted(&self) {
        self.times(1).await;
    }

    /// Waits until the user does not want to wait either.
    pub async fn urged(&self) {
        self.times(2).await;
    }

    async fn times(&self, least: u32) {
        // The sender is here, so this ends only when there were enough.
        let _ = self.count.subscribe().wait_for(|count| *count >= least).await;
        self.noticed.fetch_max(least, Ordering::Relaxed);
    }
}

/// What signals are heard with.
fn ear() -> std::io::Result<(Runtime, Signals)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    Ok((runtime, signals))
}

enum Signal {
    Interrupt,
    /// Not the user, but the system or the terminal's end.
    #[cfg_attr(
        not(unix),
        expect(dead_code, reason = "Windows has no other signals that can be waited for here")
    )]
    End,
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` when it is to be ignored, as `nohup` has it.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hangup = if ignores_hangup() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup,
        })
    }

    async fn next(&mut self) -> Signal {
        let hung_up = async {
            match &mut self.hangup {
                Some(signal) => signal.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::End,
            _ = hung_up => Signal::End,
        }
    }
}

/// Whether whoever has started midge wants it to outlive the terminal; known on Linux only.
#[cfg(unix)]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // SIGHUP is number 1, in bit 0.
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) -> Signal {
        self.0.recv().await;
        Signal::Interrupt
    }
}

//! Ctrl-C: for the question that is open, or else for what runs; the second one ends midge at once.

use crate::ask::Heard;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Knows whether the user wants to stop.
pub struct Stop {
    question: Mutex<Option<Sender<Heard>>>,
    count: watch::Sender<u32>,
}

impl Stop {
    /// Listens to signals from now on. Runs inside a tokio runtime.
    pub fn listen() -> Arc<Self> {
        let stop = Arc::new(Self { question: Mutex::new(None), count: watch::Sender::new(0) });
        let listening = Arc::clone(&stop);
        // Without signals the system ends midge in its own way.
        if let Ok(mut signals) = Signals::new() {
            tokio::spawn(async move {
                loop {
                    match signals.next().await {
                        Signal::Interrupt => listening.interrupted(),
                        Signal::End => listening.count.send_modify(|n| *n += 1),
                    }
                }
            });
        }
        stop
    }

    /// A question is open, or none any more.
    pub fn question(&self, hears: Option<Sender<Heard>>) {
        *self.question.lock().unwrap_or_else(PoisonError::into_inner) = hears;
    }

    fn interrupted(&self) {
        let question = self.question.lock().unwrap_or_else(PoisonError::into_inner).take();
        if question.is_none_or(|hears| hears.send(Heard::Interrupted).is_err()) {
            self.count.send_modify(|n| *n += 1);
        }
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
    }
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
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn next(&mut self) -> Signal {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => Signal::Interrupt,
            _ = terminate.recv() => Signal::End,
            _ = hangup.recv() => Signal::End,
        }
    }
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

//! Questions of the server, asked on the terminal.

mod address;
mod agree;
mod dialog;
mod field;
mod format;
mod keyboard;

use crate::output::Output;
use crate::stop::Stop;
use dialog::{Decision, Dialog};
use keyboard::{Keyboard, Terminal};
use midge::Can;
use midge_host::client::BoxFuture;
use midge_host::{Answers, Question, Reply};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use tokio::sync::{Mutex, oneshot};

pub use agree::{Agree, agreed};

/// What one hears when one waits for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    Line(String),
    /// The input has ended.
    End,
    /// Ctrl-C.
    Interrupted,
    /// The server waits no longer.
    Over,
    /// A line that the user has begun to write for an earlier question.
    Stale,
}

/// Asks the user, one question at a time.
pub struct Ask {
    out: Arc<Output>,
    stop: Arc<Stop>,
    keyboard: Arc<Keyboard>,
    one_at_a_time: Arc<Mutex<()>>,
    count: AtomicU64,
    /// What the user calls the server, where that is known better than from the server itself.
    server: Option<String>,
}

impl Ask {
    pub fn new(out: Arc<Output>, stop: Arc<Stop>, server: Option<String>) -> Self {
        let (keyboard, one_at_a_time) = (Arc::default(), Arc::default());
        Self { out, stop, keyboard, one_at_a_time, count: AtomicU64::new(0), server }
    }
}

impl Answers for Ask {
    fn answer(&self, question: Question) -> BoxFuture<'static, Reply> {
        let (out, stop) = (Arc::clone(&self.out), Arc::clone(&self.stop));
        let (keyboard, turn) = (Arc::clone(&self.keyboard), Arc::clone(&self.one_at_a_time));
        let known_as = self.server.clone();
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let _turn = turn.lock().await;
            let (heard, hears) = channel();
            let _open = Open::new(&out, &stop, heard.clone());
            let (done, decision) = oneshot::channel();
            let screen = out.stderr;
            let talk_out = Arc::clone(&out);
            // A thread of its own: it waits for the user for as long as that takes.
            std::thread::spawn(move || {
                let talk = Terminal { out: talk_out, keyboard, number, heard, hears };
                let mut dialog = Dialog::new(talk, screen, known_as.as_deref());
                let _ = done.send(dialog.ask(&question));
            });
            reply(decision.await.unwrap_or(Decision::Cancel))
        })
    }

    fn can(&self) -> Can {
        Can::ELICIT.and(Can::ELICIT_URL)
    }
}

fn reply(decision: Decision) -> Reply {
    match decision {
        Decision::Accept(content) => Reply::Accept(content),
        Decision::Decline => Reply::Decline,
        Decision::Cancel => Reply::Cancel,
        // -32601: what was not declared is not there.
        Decision::Unknown => Reply::Error { code: -32601, message: "midge has no model to ask".into() },
    }
}

/// A question is open: Ctrl-C is for it, and no bar is on the screen. When it is dropped before the user has answered,
/// the server has stopped waiting.
struct Open {
    out: Arc<Output>,
    stop: Arc<Stop>,
    heard: Sender<Heard>,
}

impl Open {
    fn new(out: &Arc<Output>, stop: &Arc<Stop>, heard: Sender<Heard>) -> Self {
        out.bar.pause();
        stop.question(Some(heard.clone()));
        Self { out: Arc::clone(out), stop: Arc::clone(stop), heard }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.stop.question(None);
        let _ = self.heard.send(Heard::Over);
        self.out.bar.resume();
    }
}

//! The terminal to talk to.

use super::Heard;
use super::dialog::Talk;
use crate::output::Output;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Reads lines when one is wanted, so that nothing is taken that is not for midge.
#[derive(Default)]
pub struct Keyboard(Mutex<State>);

#[derive(Default)]
struct State {
    /// The question for which a read is under way. It cannot be taken back, but what it reads is an answer to no other
    /// question: a server that withdraws one and asks another would get the answer to the first.
    reading: Option<u64>,
    wants: Option<(u64, Sender<Heard>)>,
}

impl Keyboard {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line goes to `wants`, for the question of that number.
    fn read(self: &Arc<Self>, number: u64, wants: Sender<Heard>) {
        let mut state = self.state();
        state.wants = Some((number, wants));
        if state.reading.is_some() {
            return;
        }
        state.reading = Some(number);
        let keyboard = Arc::clone(self);
        std::thread::spawn(move || {
            let mut line = String::new();
            let heard = match io::stdin().read_line(&mut line) {
                Ok(0) | Err(_) => Heard::End,
                Ok(_) => Heard::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
            };
            let mut state = keyboard.state();
            let begun_for = state.reading.take();
            if let Some((number, wants)) = state.wants.take() {
                let stale = matches!(heard, Heard::Line(_)) && begun_for != Some(number);
                let _ = wants.send(if stale { Heard::Stale } else { heard });
            }
        });
    }
}

/// The user at the terminal.
pub struct Terminal {
    pub out: Arc<Output>,
    pub keyboard: Arc<Keyboard>,
    /// Of the question.
    pub number: u64,
    pub heard: Sender<Heard>,
    pub hears: Receiver<Heard>,
}

impl Talk for Terminal {
    fn say(&mut self, text: &str) {
        self.out.say(text);
    }

    fn listen(&mut self, prompt: &str) -> Heard {
        let _ = io::stderr().lock().write_all(prompt.as_bytes());
        self.keyboard.read(self.number, self.heard.clone());
        let heard = self.hears.recv().unwrap_or(Heard::Over);
        if !matches!(heard, Heard::Line(_) | Heard::Stale) {
            self.out.say("");
        }
        heard
    }
}

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
    /// A read cannot be taken back: one that is under way goes to whoever waits then.
    reading: bool,
    wants: Option<Sender<Heard>>,
}

impl Keyboard {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next line goes to `wants`.
    fn read(self: &Arc<Self>, wants: Sender<Heard>) {
        let mut state = self.state();
        state.wants = Some(wants);
        if std::mem::replace(&mut state.reading, true) {
            return;
        }
        let keyboard = Arc::clone(self);
        std::thread::spawn(move || {
            let mut line = String::new();
            let heard = match io::stdin().read_line(&mut line) {
                Ok(0) | Err(_) => Heard::End,
                Ok(_) => Heard::Line(line.trim_end_matches(['\n', '\r']).to_owned()),
            };
            let mut state = keyboard.state();
            state.reading = false;
            if let Some(wants) = state.wants.take() {
                let _ = wants.send(heard);
            }
        });
    }
}

/// The user at the terminal.
pub struct Terminal {
    pub out: Arc<Output>,
    pub keyboard: Arc<Keyboard>,
    pub heard: Sender<Heard>,
    pub hears: Receiver<Heard>,
}

impl Talk for Terminal {
    fn say(&mut self, text: &str) {
        self.out.say(text);
    }

    fn listen(&mut self, prompt: &str) -> Heard {
        let _ = io::stderr().lock().write_all(prompt.as_bytes());
        self.keyboard.read(self.heard.clone());
        let heard = self.hears.recv().unwrap_or(Heard::Over);
        if !matches!(heard, Heard::Line(_)) {
            self.out.say("");
        }
        heard
    }
}

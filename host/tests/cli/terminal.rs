//! `midge` on a terminal.

use crate::tool::midge;
use std::fs::File;
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A terminal with `midge` on it.
pub struct Terminal {
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    pub seen: String,
    pub child: Child,
}

const PATIENCE: Duration = Duration::from_secs(60);

impl Terminal {
    /// Runs `midge` with all its streams on a terminal.
    pub fn run(words: &[&str]) -> Self {
        use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there are terminals");
        grantpt(&keyboard).and_then(|()| unlockpt(&keyboard)).expect("it is ours");
        let name = ptsname(&keyboard, Vec::new()).expect("it has a name");
        let side = File::options().read(true).write(true).open(name.to_str().unwrap()).expect("it opens");
        let stdio = || Stdio::from(side.try_clone().unwrap());
        let child =
            midge(words).stdin(stdio()).stdout(stdio()).stderr(stdio()).env("TERM", "xterm").spawn().unwrap();
        let keyboard = File::from(keyboard);
        let (shows, screen) = channel();
        let mut reader = keyboard.try_clone().unwrap();
        thread::spawn(move || {
            let mut buf = [0; 4096];
            // The read fails when nobody has the other side any more.
            while let Ok(n @ 1..) = reader.read(&mut buf) {
                if shows.send(buf[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { keyboard, screen, seen: String::new(), child }
    }

    /// Waits until `text` is on the screen, behind what was waited for before.
    pub fn see(&mut self, text: &str) {
        self.see_times(text, 1);
    }

    /// Waits until `text` was on the screen so many times.
    pub fn see_times(&mut self, text: &str, times: usize) {
        let began = Instant::now();
        while self.seen.matches(text).count() < times {
            let left = PATIENCE
                .checked_sub(began.elapsed())
                .unwrap_or_else(|| panic!("no {text:?} in {:?}", self.seen));
            let bytes = self
                .screen
                .recv_timeout(left)
                .unwrap_or_else(|e| panic!("{e}: no {text:?} in {:?}", self.seen));
            self.seen += &String::from_utf8_lossy(&bytes);
        }
    }

    pub fn write(&mut self, text: &str) {
        self.keyboard.write_all(text.as_bytes()).unwrap();
    }

    /// Waits for the end: the exit code and all that was on the screen.
    pub fn end(mut self) -> (i32, String) {
        let code = self.child.wait().unwrap().code().expect("it ends by itself");
        // What is on its way is there shortly after.
        while let Ok(bytes) = self.screen.recv_timeout(Duration::from_millis(500)) {
            self.seen += &String::from_utf8_lossy(&bytes);
        }
        (code, self.seen)
    }
}

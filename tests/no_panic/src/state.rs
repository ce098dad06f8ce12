//! What the handlers share.

use midge::{Io, Level, Millis, Outcome, Server, Ticket};

/// Calls that wait, and a count.
#[derive(Default)]
pub struct State {
    waiting: heapless::Deque<(Ticket, u8), 8>,
    /// Calls that were given up.
    pub stopped: u32,
    /// What `set` sets.
    pub level: i64,
}

impl State {
    /// Puts the call of `io` off.
    pub fn put_off(&mut self, io: &mut Io<'_>, deadline: Option<Millis>) -> Outcome {
        let ticket = match deadline {
            Some(at) => io.defer_until(at),
            None => io.defer(),
        };
        match self.waiting.push_back((ticket, 0)) {
            Ok(()) => Outcome::Deferred,
            Err(_) => Outcome::Fail("too many calls wait"),
        }
    }

    /// Goes on with the call that waits longest; whether there is more to do.
    pub fn go_on(&mut self, server: &mut Server<'_>) -> bool {
        let Some((ticket, step)) = self.waiting.pop_front() else { return false };
        let Ok(mut io) = Io::resume(server, ticket) else {
            if server.is_waiting(ticket) {
                let _ = self.waiting.push_back((ticket, step));
            }
            return !self.waiting.is_empty();
        };
        if step < 2 {
            // Neither a client that wants no logs nor a full buffer keeps the answer back.
            let _ = io.progress(u64::from(step), Some(2), "going on");
            let _ = io.log(Level::Info, "going on");
            let _ = self.waiting.push_back((ticket, step.wrapping_add(1)));
            return true;
        }
        io.text("at last");
        io.finish(Outcome::Done);
        !self.waiting.is_empty()
    }

    /// A call is over without an answer from here.
    pub fn stop(&mut self, ticket: Ticket) {
        self.stopped = self.stopped.wrapping_add(1);
        for _ in 0..self.waiting.len() {
            if let Some(other) = self.waiting.pop_front() {
                if other.0 != ticket {
                    let _ = self.waiting.push_back(other);
                }
            }
        }
    }
}

//! Calls that take time: deferred, and answered between messages.

use midge::sink::Flush;
use midge::{Io, Level, Millis, Outcome, Server, Ticket};

const STEP_MS: u64 = 50;

/// What a deferred call does.
#[derive(Clone)]
pub enum Job {
    /// Answers after so many milliseconds, with this text.
    Say(u64, String),
    /// Fails after so many milliseconds, with this text for the model.
    Fail(u64, &'static str),
    /// Fails after so many milliseconds with a protocol error.
    Break(u64, &'static str),
    /// Answers after so many milliseconds.
    Slow(u64),
    /// Logs three times, then answers.
    Logging(u8),
    /// Tells of progress three times, then answers.
    Progress(u8),
}

/// The calls that wait.
#[derive(Default)]
pub struct Timed {
    waiting: Vec<(Ticket, Job, Millis)>,
}

impl Timed {
    /// Defers the call of `io`.
    pub fn start(&mut self, io: &mut Io<'_>, job: Job) -> Outcome {
        let due = match job {
            Job::Slow(ms) | Job::Say(ms, _) | Job::Fail(ms, _) | Job::Break(ms, _) => io.now().after(ms),
            Job::Logging(_) | Job::Progress(_) => io.now(),
        };
        self.waiting.push((io.defer(), job, due));
        Outcome::Deferred
    }

    /// The call is over.
    pub fn forget(&mut self, ticket: Ticket) {
        self.waiting.retain(|(t, ..)| *t != ticket);
    }

    /// Does what is due; gives the next moment something is.
    pub fn run(
        &mut self,
        server: &mut Server<'_>,
        now: Millis,
        mut flush: Option<&mut dyn Flush>,
    ) -> Option<Millis> {
        self.waiting.retain_mut(|(ticket, job, due)| {
            if *due > now {
                return true;
            }
            let Ok(mut io) = Io::resume(server, *ticket) else { return server.is_waiting(*ticket) };
            if let Some(flush) = &mut flush {
                io.set_flush(&mut **flush);
            }
            *due = now.after(STEP_MS);
            step(&mut io, job)
        });
        self.waiting.iter().map(|(.., due)| *due).min()
    }
}

/// One step of `job`; whether it goes on.
fn step(io: &mut Io<'_>, job: &mut Job) -> bool {
    const SAID: [&str; 3] = ["Tool execution started", "Tool processing data", "Tool execution completed"];
    let text = match job {
        Job::Say(_, text) => core::mem::take(text),
        Job::Fail(_, why) => {
            io.finish(Outcome::Fail(why));
            return false;
        }
        Job::Break(_, why) => {
            io.protocol_error(-32603, |w| w.text(why));
            return false;
        }
        Job::Slow(ms) => format!("slow: {ms}"),
        Job::Logging(n) => {
            if let Some(said) = SAID.get(usize::from(*n)) {
                *n += 1;
                // A client that does not want logs is not an error, and neither is a full buffer here.
                let _ = io.log(Level::Info, said);
                return true;
            }
            "Tool with logging executed successfully".to_owned()
        }
        Job::Progress(n) => {
            if *n < 3 {
                let _ = io.progress(u64::from(*n) * 50, Some(100), "");
                *n += 1;
                return true;
            }
            "Tool with progress executed successfully".to_owned()
        }
    };
    io.text(&text);
    io.finish(Outcome::Done);
    false
}

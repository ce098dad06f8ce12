//! A stream and a clock that follow a script, for the drive loops.

use crate::replay::Random;
use crate::transcript::{Act, Step, Transcript};
use midge::{Millis, Server};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::rc::Rc;

/// What happens next on the reading side.
#[derive(Clone, Debug)]
pub enum Turn {
    /// These bytes are there.
    Bytes(Vec<u8>),
    /// Reading fails in this way, once.
    Fails(ErrorKind),
    /// The clock shows this many milliseconds.
    At(u64),
    /// The application does something.
    Do(Act),
}

/// Both sides of a stream, and the application's clock.
pub struct Script {
    turns: VecDeque<Turn>,
    now: Millis,
    random: Random,
    /// Most bytes of one read; 0: as many as there is room for.
    read_most: usize,
    /// Most bytes of one write; 0: all.
    write_most: usize,
    /// Every third write fails with `Interrupted`.
    interrupts: bool,
    /// Writes are not accepted any more.
    deaf: bool,
    /// The clock has moved and deferred calls have not been looked at.
    ticked: bool,
    act: Option<Act>,
    /// Every write, by itself.
    pub writes: Vec<Vec<u8>>,
    /// Reads that gave bytes.
    pub reads: usize,
    calls: usize,
}

/// A handle on a script, shared by the stream and the application.
#[derive(Clone)]
pub struct Shared(Rc<RefCell<Script>>);

impl Shared {
    /// A stream that gives `turns` and ends.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Self {
        Self(Rc::new(RefCell::new(Script {
            turns: turns.into_iter().collect(),
            now: Millis(0),
            random: Random::new(7),
            read_most: 0,
            write_most: 0,
            interrupts: false,
            deaf: false,
            ticked: false,
            act: None,
            writes: Vec::new(),
            reads: 0,
            calls: 0,
        })))
    }

    /// A stream that plays the client of `transcript`; all that is sent between two moments is there at once.
    pub fn of(transcript: &Transcript) -> Self {
        let mut turns = Vec::new();
        for (step, _) in &transcript.steps {
            match step {
                Step::Send(bytes) => match turns.last_mut() {
                    Some(Turn::Bytes(more)) => more.extend_from_slice(bytes),
                    _ => turns.push(Turn::Bytes(bytes.clone())),
                },
                Step::At(ms) => turns.push(Turn::At(*ms)),
                Step::Do(act) => turns.push(Turn::Do(*act)),
                Step::Expect(_) => {}
            }
        }
        Self::new(turns)
    }

    /// Reads and writes take random small pieces, and fail with `Interrupted` now and then.
    #[must_use]
    pub fn rough(self) -> Self {
        {
            let mut script = self.0.borrow_mut();
            (script.read_most, script.write_most, script.interrupts) = (41, 29, true);
        }
        self
    }

    /// Reads and writes take random small pieces.
    #[must_use]
    pub fn choppy(self) -> Self {
        {
            let mut script = self.0.borrow_mut();
            (script.read_most, script.write_most) = (41, 29);
        }
        self
    }

    /// No byte is accepted.
    #[must_use]
    pub fn deaf(self) -> Self {
        self.0.borrow_mut().deaf = true;
        self
    }

    /// Looks at the script.
    pub fn look<T>(&self, at: impl FnOnce(&Script) -> T) -> T {
        at(&self.0.borrow())
    }

    /// All that was written.
    pub fn written(&self) -> Vec<u8> {
        self.0.borrow().writes.concat()
    }

    /// The time.
    pub fn now(&self) -> Millis {
        self.0.borrow().now
    }

    /// Reads into `room`; `None` when there is nothing yet.
    ///
    /// # Errors
    /// As the script says.
    pub fn read(&self, room: &mut [u8]) -> Result<Option<usize>, ErrorKind> {
        assert!(!room.is_empty(), "a read into nothing cannot be told from the end");
        let script = &mut *self.0.borrow_mut();
        script.calls += 1;
        if script.interrupts && script.calls.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted);
        }
        match script.turns.front_mut() {
            None => Ok(Some(0)),
            Some(Turn::Fails(kind)) => {
                let kind = *kind;
                script.turns.pop_front();
                Err(kind)
            }
            Some(Turn::Bytes(bytes)) => {
                let most =
                    if script.read_most > 0 { script.random.upto(script.read_most) } else { room.len() };
                let n = most.min(bytes.len()).min(room.len());
                for (place, byte) in room.iter_mut().zip(bytes.drain(..n)) {
                    *place = byte;
                }
                if bytes.is_empty() {
                    script.turns.pop_front();
                }
                script.reads += 1;
                Ok(Some(n))
            }
            Some(Turn::At(_) | Turn::Do(_)) => Ok(None),
        }
    }

    /// Takes some of `bytes`.
    ///
    /// # Errors
    /// As the script says.
    pub fn write(&self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        let script = &mut *self.0.borrow_mut();
        script.calls += 1;
        if script.deaf {
            return Ok(0);
        }
        if script.interrupts && script.calls.is_multiple_of(3) {
            return Err(ErrorKind::Interrupted);
        }
        let most = if script.write_most > 0 { script.random.upto(script.write_most) } else { bytes.len() };
        let n = most.min(bytes.len());
        script.writes.push(bytes[..n].to_vec());
        Ok(n)
    }

    /// Lets the clock or the application take its turn; `false` when the stream's turn has come.
    pub fn advance(&self) -> bool {
        let script = &mut *self.0.borrow_mut();
        if script.ticked || script.act.is_some() {
            return true;
        }
        match script.turns.front() {
            Some(Turn::At(ms)) => {
                script.now = Millis(*ms);
                script.ticked = true;
            }
            Some(Turn::Do(act)) => script.act = Some(*act),
            _ => return false,
        }
        script.turns.pop_front();
        true
    }

    /// What the application does when it is asked: deferred calls go on when the clock has moved, and only then.
    pub fn idle(&self, server: &mut Server<'_>, work: impl FnOnce(&mut Server<'_>) -> Option<Millis>) {
        let (act, ticked, now) = {
            let script = &mut *self.0.borrow_mut();
            (script.act.take(), script.ticked, script.now)
        };
        if let Some(act) = act {
            crate::replay::perform(act, server);
        }
        if ticked && work(server).is_none_or(|next| next > now) {
            self.0.borrow_mut().ticked = false;
        }
    }
}

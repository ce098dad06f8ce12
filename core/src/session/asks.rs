//! What a handler has asked its client, and what has come back.

use crate::bytes::part;
use crate::error::Error;
use crate::json::Writer;
use crate::json::scan::{Scan, Token};
use crate::limits::INPUT_RESPONSES_MAX;
use crate::rpc::params::value_start;
use crate::session::park::{Held, Parked, Tail, records};
use crate::session::slots::Ticket;

/// Why a question is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unasked {
    /// This call may not ask: it is a completion, or it was put off.
    NotHere,
    /// The client did not say that it can do this, or the revision does not have it.
    Unable,
    /// More questions, or more rounds of them, than `limits.rs` allows.
    TooMany,
    /// A second round, and no [`Sealer`](crate::session::seal::Sealer) to carry the answers of the first.
    NoSealer,
    /// What the client sent under this key is no answer.
    NoAnswer,
    /// Content is out already.
    Begun,
    /// No room to remember the question: this many bytes of park memory are needed.
    NoPark(u32),
    /// No room to ask: this many bytes of the transmit buffer are needed.
    NoRoom(u32),
}

/// What stands under a key.
pub(crate) enum Found<'e> {
    /// Asked, and not answered.
    Nothing,
    /// Not asked before.
    New,
    /// A result, as JSON text.
    Json(&'e [u8]),
    /// The code and the message of an error.
    Error(&'e [u8]),
    Late,
    /// The answer found no room in the park.
    Full,
    /// No object.
    Malformed,
}

/// The questions of one call.
pub(crate) struct Asks<'e> {
    /// Whether this call may ask.
    pub open: bool,
    /// Whether answers can be carried from round to round by the client.
    pub sealed: bool,
    pub ticket: Ticket,
    /// Records of the park around the arguments.
    pub parked: [&'e [u8]; 2],
    /// Records from `requestState`.
    pub state: &'e [u8],
    /// The text of `inputResponses`, softened.
    pub fresh: &'e [u8],
    pub tail: Tail<'e>,
    /// The number of the last request of ours.
    pub number: &'e mut u32,
    /// Bytes of the park to leave for the arguments.
    pub reserve: usize,
    /// Questions that stand in the result (2026-07-28).
    pub written: u8,
}

impl<'e> Asks<'e> {
    /// What is known of the question `key`; `used` gets the bit of the member that answers it.
    pub fn find(&self, key: &str, used: &mut u32) -> Found<'e> {
        let key = key.as_bytes();
        let [before, after] = self.parked;
        let ticket = self.ticket;
        let known = records(before)
            .chain(records(after))
            .find(|r| r.ticket == ticket && r.held != Held::Args && r.key == key)
            .or_else(|| records(self.state).find(|r| r.key == key));
        if let Some(record) = known {
            return match record.held {
                Held::Answer => Found::Json(record.data),
                Held::Error => Found::Error(record.data),
                Held::Late => Found::Late,
                Held::Full => Found::Full,
                _ => Found::Nothing,
            };
        }
        if self.tail.added().any(|r| r.ticket == ticket && r.key == key) {
            return Found::Nothing;
        }
        for (bit, (name, value)) in members(self.fresh) {
            if name == key {
                *used |= bit;
                return if value.starts_with(b"{") { Found::Json(value) } else { Found::Malformed };
            }
        }
        Found::New
    }

    /// The number of the next request of ours.
    pub fn next_number(&self) -> u32 {
        self.number.wrapping_add(1)
    }

    /// Whether there is room to remember the question `key`.
    ///
    /// # Errors
    /// `ParkFull` with the bytes needed in all.
    pub fn room(&self, key: &str) -> Result<(), Error> {
        self.tail.room(key.len(), self.reserve)
    }

    /// Remembers a question that is asked; [`room`](Self::room) was looked at before.
    pub fn remember(&mut self, key: &str) {
        let number = self.next_number();
        let ticket = self.ticket;
        let record = Parked { at: 0, held: Held::Pending, ticket, number, key: key.as_bytes(), data: b"" };
        if self.tail.add(&record, self.reserve).is_ok() {
            *self.number = number;
        }
    }

    /// Keeps a question that is not asked by a request of ours, with its text.
    ///
    /// # Errors
    /// `ParkFull` with the bytes needed in all.
    pub fn keep(&mut self, key: &str, text: impl FnOnce(&mut Writer<'_>)) -> Result<(), Error> {
        let (ticket, key) = (self.ticket, key.as_bytes());
        let record = Parked { at: 0, held: Held::Pending, ticket, number: 0, key, data: b"" };
        self.tail.write(&record, self.reserve, text)
    }

    /// How many questions this round has.
    pub fn count(&self) -> usize {
        self.tail.added().count()
    }
}

/// The members of the object that is the softened text `b`, and the bit of each. Names that no question can have are passed
/// over: a record has one byte for the length.
pub(crate) fn members(b: &[u8]) -> impl Iterator<Item = (u32, (&[u8], &[u8]))> {
    let mut scan = Scan::value(0);
    let mut more = !b.is_empty() && scan.next(b) == Token::BeginObject;
    let bits = (0..INPUT_RESPONSES_MAX).map(|n| 1_u32.wrapping_shl(n.into()));
    bits.zip(core::iter::from_fn(move || {
        if !more || scan.next(b) != Token::Key {
            more = false;
            return None;
        }
        let key = part(b, scan.start(), scan.end());
        let token = scan.next(b);
        let start = value_start(&scan, token);
        more = scan.skip(b, token);
        more.then(|| (key, part(b, start, scan.pos())))
    }))
    .filter(|(_, (key, _))| key.len() <= usize::from(u8::MAX))
}

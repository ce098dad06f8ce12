//! What a call leaves behind while its client is asked: its arguments, and the answers as they come.
//!
//! Records of varying size in one piece of the caller's memory, as subscriptions are. A record is: length (4 bytes), kind,
//! slot (2), generation of the slot (4), number (4), length of the key, the key, the data. The numbers name the server's
//! own requests. The same records, without slot and number, are what `requestState` carries (2026-07-28): the handler's
//! view of earlier answers does not know which of the two it reads.

use crate::bytes::{at, chunk, copy, part, part_mut, shift};
use crate::error::{Error, Kind};
use crate::json::Writer;
use crate::session::slots::Ticket;
use crate::sink::{Buf, Fill, Sink};

/// What a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Held {
    /// The arguments of the call; its number says whether strings hold escapes.
    Args,
    /// A question that is not answered.
    Pending,
    /// A result, as JSON text.
    Answer,
    /// The client answered with an error: the code (4 bytes) and the message.
    Error,
    /// The answer did not come in time.
    Late,
    /// The answer came and found no room; its number is the size needed.
    Full,
    /// A question that nobody waits for any more: the client is still to be told.
    Withdrawn,
    /// What a task came to: the members of its result.
    Result,
    /// How a task failed: the members of its error.
    Fault,
    /// A client's: what the server wants back with the answers, as JSON text.
    State,
    /// A client's: the name of the task that a call has become, as JSON text.
    Task,
    /// A client's: a question of a task that was answered.
    Given,
}

impl Held {
    const fn of(byte: u8) -> Self {
        match byte {
            0 => Self::Args,
            1 => Self::Pending,
            2 => Self::Answer,
            3 => Self::Error,
            4 => Self::Late,
            5 => Self::Full,
            6 => Self::Withdrawn,
            7 => Self::Result,
            8 => Self::Fault,
            9 => Self::State,
            10 => Self::Task,
            _ => Self::Given,
        }
    }
}

/// Bytes of a record before its key.
pub(crate) const HEAD: usize = 16;

/// One record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parked<'p> {
    pub at: usize,
    pub held: Held,
    pub ticket: Ticket,
    pub number: u32,
    pub key: &'p [u8],
    pub data: &'p [u8],
}

/// The record at `start` of `b`, and where it ends; `None` when there is no whole one.
pub(crate) fn record(b: &[u8], start: usize) -> Option<(Parked<'_>, usize)> {
    let head = chunk::<HEAD>(b, start)?;
    let [l0, l1, l2, l3, held, s0, s1, g0, g1, g2, g3, n0, n1, n2, n3, key_len] = *head;
    let end = start.checked_add(u32::from_le_bytes([l0, l1, l2, l3]) as usize)?;
    let key_from = start.wrapping_add(HEAD);
    let key_to = key_from.wrapping_add(key_len.into());
    if key_to > end || end > b.len() {
        return None;
    }
    let ticket =
        Ticket { slot: u16::from_le_bytes([s0, s1]), generation: u32::from_le_bytes([g0, g1, g2, g3]) };
    let number = u32::from_le_bytes([n0, n1, n2, n3]);
    let (key, data) = (part(b, key_from, key_to), part(b, key_to, end));
    Some((Parked { at: start, held: Held::of(held), ticket, number, key, data }, end))
}

/// Every record of `b`.
pub(crate) fn records(b: &[u8]) -> impl Iterator<Item = Parked<'_>> {
    let mut next = 0;
    core::iter::from_fn(move || {
        let (found, end) = record(b, next)?;
        next = end;
        Some(found)
    })
}

/// The head of a record with `key` and `data_len` bytes of data.
pub(crate) fn head(held: Held, ticket: Ticket, number: u32, key: &[u8], data_len: usize) -> [u8; HEAD] {
    let len = HEAD.saturating_add(key.len()).saturating_add(data_len) as u32;
    let [l0, l1, l2, l3] = len.to_le_bytes();
    let [s0, s1] = ticket.slot.to_le_bytes();
    let [g0, g1, g2, g3] = ticket.generation.to_le_bytes();
    let [n0, n1, n2, n3] = number.to_le_bytes();
    [l0, l1, l2, l3, held as u8, s0, s1, g0, g1, g2, g3, n0, n1, n2, n3, key.len() as u8]
}

/// The free end of the records, where more may be added while those before are read.
pub(crate) struct Tail<'p> {
    room: &'p mut [u8],
    from: usize,
    used: &'p mut usize,
}

impl<'p> Tail<'p> {
    /// All that is free, in two parts: for the head of a record, and for its data. There is nothing free any more then.
    pub fn take(&mut self) -> (&'p mut [u8], &'p mut [u8]) {
        let start = self.used.wrapping_sub(self.from);
        let room = core::mem::take(&mut self.room).get_mut(start..).unwrap_or(&mut []);
        let head = HEAD.min(room.len());
        room.split_at_mut_checked(head).unwrap_or_default()
    }

    /// A record of `len` bytes stands where the free room began that was taken.
    pub fn taken(&mut self, len: usize) {
        *self.used = self.used.wrapping_add(len);
    }

    /// Adds a record, and leaves `reserve` bytes besides.
    ///
    /// # Errors
    /// `ParkFull` with the bytes needed in all.
    pub fn add(&mut self, record: &Parked<'_>, reserve: usize) -> Result<(), Error> {
        self.write(record, reserve, |w| w.put(record.data))
    }

    /// Whether a record with `len` bytes of key and data fits, and `reserve` bytes besides.
    ///
    /// # Errors
    /// `ParkFull` with the bytes needed in all.
    pub fn room(&self, len: usize, reserve: usize) -> Result<(), Error> {
        let more = HEAD.saturating_add(len).saturating_add(reserve);
        if self.used.wrapping_sub(self.from).saturating_add(more) > self.room.len() {
            return Err(Error::new(Kind::ParkFull, self.used.saturating_add(more)));
        }
        Ok(())
    }

    /// Adds a record whose data `write` writes, and leaves `reserve` bytes besides.
    ///
    /// # Errors
    /// `ParkFull` with the bytes needed in all.
    pub fn write(
        &mut self,
        record: &Parked<'_>,
        reserve: usize,
        write: impl FnOnce(&mut Writer<'_>),
    ) -> Result<(), Error> {
        let Parked { held, ticket, number, key, .. } = *record;
        let start = self.used.wrapping_sub(self.from);
        let data_from = start.saturating_add(HEAD).saturating_add(key.len());
        let end = self.room.len().saturating_sub(reserve);
        let mut fill = Fill::default();
        let mut w = Writer::new(Sink::new(Buf::Fixed(part_mut(self.room, data_from, end)), &mut fill, None));
        write(&mut w);
        let len = w.sink().total();
        self.room(key.len().saturating_add(len), reserve)?;
        let end = data_from.wrapping_add(len);
        let place = part_mut(self.room, start, data_from);
        copy(place, &head(held, ticket, number, key, len));
        copy(place.get_mut(HEAD..).unwrap_or(&mut []), key);
        *self.used = self.from.wrapping_add(end);
        Ok(())
    }

    /// The records added here.
    pub fn added(&self) -> impl Iterator<Item = Parked<'_>> {
        records(part(self.room, 0, self.used.wrapping_sub(self.from)))
    }
}

/// All the records.
pub(crate) struct Park<'b> {
    bytes: &'b mut [u8],
    used: usize,
}

/// The records as a handler sees them that is run again: its arguments to be read in place, what stands before and behind
/// them, and the free end.
pub(crate) struct Split<'p> {
    pub args: &'p mut [u8],
    pub number: u32,
    pub others: [&'p [u8]; 2],
    pub tail: Tail<'p>,
}

impl<'b> Park<'b> {
    /// No records, in `bytes`.
    pub fn new(bytes: &'b mut [u8]) -> Self {
        Self { bytes, used: 0 }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// All the memory there is, in bytes.
    pub fn cap(&self) -> usize {
        self.bytes.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = Parked<'_>> {
        records(part(self.bytes, 0, self.used))
    }

    /// The free end.
    pub fn tail(&mut self) -> Tail<'_> {
        let from = self.used;
        Tail { room: self.bytes.get_mut(from..).unwrap_or(&mut []), from, used: &mut self.used }
    }

    /// Whether the call that `ticket` names has left its arguments.
    pub fn has_args(&self, ticket: Ticket) -> bool {
        self.iter().any(|r| r.held == Held::Args && r.ticket == ticket)
    }

    /// The records around the arguments of the call that `ticket` names; `None` when it left none.
    pub fn split(&mut self, ticket: Ticket) -> Option<Split<'_>> {
        let found = self.iter().find(|r| r.held == Held::Args && r.ticket == ticket)?;
        let (start, number, len) = (found.at, found.number, found.data.len());
        let from = self.used;
        let (used, room) = self.bytes.split_at_mut_checked(from)?;
        let (before, rest) = used.split_at_mut_checked(start)?;
        let (record, after) = rest.split_at_mut_checked(HEAD.wrapping_add(len))?;
        let args = record.get_mut(HEAD..)?;
        let tail = Tail { room, from, used: &mut self.used };
        Some(Split { args, number, others: [before, after], tail })
    }

    /// Puts an answer in the place of the question with that number; the call that asked.
    ///
    /// `None` when no such question is open. An answer that does not fit leaves [`Held::Full`] behind.
    pub fn answer(&mut self, number: u32, held: Held, data: &[&[u8]]) -> Option<Ticket> {
        let at = self.iter().find(|r| r.held == Held::Pending && r.number == number)?.at;
        self.answer_at(at, held, data)
    }

    /// Puts a record in the place of the one at `at`, with the same ticket, number and key: `write` writes its data, and
    /// sees the old one.
    ///
    /// # Errors
    /// `ParkFull` with the bytes needed in all, for both are there at the same time; nothing is changed then.
    pub fn replace(
        &mut self,
        at: usize,
        held: Held,
        write: impl FnOnce(&Parked<'_>, &mut Writer<'_>),
    ) -> Result<(), Error> {
        let start = self.used;
        let stale = Error::new(Kind::Stale, 0);
        let (old, room) = self.bytes.split_at_mut_checked(start).ok_or(stale)?;
        let (found, old_end) = record(old, at).ok_or(stale)?;
        let mut used = start;
        let new = Parked { held, data: b"", ..found };
        Tail { room, from: start, used: &mut used }.write(&new, 0, |w| write(&found, w))?;
        self.used = used;
        self.close_over(at, old_end);
        Ok(())
    }

    /// [`answer`](Self::answer), for the question whose record is at `at`.
    pub fn answer_at(&mut self, at: usize, held: Held, data: &[&[u8]]) -> Option<Ticket> {
        let (found, old_end) = record(part(self.bytes, 0, self.used), at)?;
        let (start, ticket, key_len) = (found.at, found.ticket, found.key.len());
        let key_end = start.wrapping_add(HEAD).wrapping_add(key_len);
        let found_number = found.number;
        let data_len = data.iter().fold(0_usize, |n, piece| n.saturating_add(piece.len()));
        let len = HEAD.saturating_add(key_len).saturating_add(data_len);
        let end = self.used.saturating_add(len);
        if end > self.bytes.len() {
            let head = head(Held::Full, ticket, end as u32, found.key, found.data.len());
            copy(part_mut(self.bytes, start, old_end), &head);
            return Some(ticket);
        }
        // The answered record goes to the end, where there is room for any length; then the old one is closed over.
        let (old, room) = self.bytes.split_at_mut_checked(self.used)?;
        let key = part(old, start.wrapping_add(HEAD), key_end);
        let mut put = 0_usize;
        for piece in [head(held, ticket, found_number, key, data_len).as_slice(), key].iter().chain(data) {
            put = put.wrapping_add(copy(room.get_mut(put..).unwrap_or(&mut []), piece));
        }
        self.used = end;
        self.close_over(start, old_end);
        Some(ticket)
    }

    fn close_over(&mut self, start: usize, end: usize) {
        let used = self.used;
        let gap = end.wrapping_sub(start);
        shift(self.bytes.get_mut(start..).unwrap_or(&mut []), gap, used.wrapping_sub(start));
        self.used = used.wrapping_sub(gap);
    }

    /// Turns the records that `chosen` picks into another kind.
    pub fn mark(&mut self, held: Held, mut chosen: impl FnMut(&Parked<'_>) -> bool) {
        let mut next = 0;
        while let Some((found, end)) = record(part(self.bytes, 0, self.used), next) {
            if chosen(&found)
                && let Some(kind) = self.bytes.get_mut(next.wrapping_add(4))
            {
                *kind = held as u8;
            }
            next = end;
        }
    }

    /// Removes the records that `gone` picks.
    pub fn remove(&mut self, mut gone: impl FnMut(&Parked<'_>) -> bool) {
        let mut next = 0;
        while let Some((found, end)) = record(part(self.bytes, 0, self.used), next) {
            if gone(&found) {
                self.close_over(next, end);
            } else {
                next = end;
            }
        }
    }

    /// The number of a question of that call that is not answered.
    pub fn open_question(&self, ticket: Ticket) -> Option<u32> {
        self.iter().find(|r| r.held == Held::Pending && r.ticket == ticket).map(|r| r.number)
    }
}

/// Reads a code as [`Held::Error`] keeps it.
pub(crate) fn error_code(data: &[u8]) -> i32 {
    i32::from_le_bytes([at(data, 0), at(data, 1), at(data, 2), at(data, 3)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const CALL: Ticket = Ticket { slot: 1, generation: 7 };
    const OTHER: Ticket = Ticket { slot: 2, generation: 7 };

    fn pending<'p>(ticket: Ticket, number: u32, key: &'p [u8]) -> Parked<'p> {
        Parked { at: 0, held: Held::Pending, ticket, number, key, data: b"" }
    }

    fn args(ticket: Ticket, data: &[u8]) -> Parked<'_> {
        Parked { at: 0, held: Held::Args, ticket, number: 0, key: b"", data }
    }

    #[test]
    fn an_answer_takes_the_place_of_its_question() {
        let mut memory = [0; 256];
        let mut park = Park::new(&mut memory);
        park.tail().add(&pending(CALL, 1, b"name"), 0).unwrap();
        park.tail().add(&pending(CALL, 2, b"color"), 0).unwrap();
        park.tail().add(&args(CALL, b"{\"a\":1}"), 0).unwrap();
        park.tail().add(&pending(OTHER, 3, b"name"), 0).unwrap();
        assert_eq!(park.answer(9, Held::Answer, &[b"{}"]), None);
        assert_eq!(park.answer(1, Held::Answer, &[b"{\"x\":", b"2}"]), Some(CALL));
        assert_eq!(park.answer(1, Held::Answer, &[b"{}"]), None, "an answer counts once");
        assert_eq!(park.open_question(CALL), Some(2));
        let split = park.split(CALL).unwrap();
        assert_eq!(split.args, b"{\"a\":1}");
        let [before, after] = split.others;
        assert_eq!(records(before).map(|r| r.number).collect::<Vec<_>>(), [2]);
        let found: Vec<_> = records(after).map(|r| (r.number, r.key.to_vec(), r.data.to_vec())).collect();
        assert_eq!(
            found,
            [(3, b"name".to_vec(), b"".to_vec()), (1, b"name".to_vec(), b"{\"x\":2}".to_vec())]
        );
        park.remove(|r| r.ticket == CALL);
        assert_eq!(park.iter().count(), 1);
    }

    #[test]
    fn what_does_not_fit_is_said_and_changes_nothing_else() {
        let mut memory = [0; 48];
        let mut park = Park::new(&mut memory);
        let full = park.tail().add(&pending(CALL, 1, b"k"), 40).unwrap_err();
        assert_eq!((full.kind, full.at), (Kind::ParkFull, 57));
        park.tail().add(&pending(CALL, 1, b"k"), 31).unwrap();
        assert_eq!(park.answer(1, Held::Answer, &[&[b'x'; 15]]), Some(CALL));
        let held: Vec<_> = park.iter().map(|r| (r.held, r.number, r.key.to_vec())).collect();
        assert_eq!(held, [(Held::Full, 49, b"k".to_vec())]);
    }

    #[test]
    fn a_record_that_is_cut_ends_the_list() {
        let mut memory = [0; 64];
        let mut park = Park::new(&mut memory);
        park.tail().add(&args(CALL, b"1234"), 0).unwrap();
        for len in 0..HEAD + 4 {
            assert_eq!(records(&park.bytes[..len]).count(), 0);
        }
        assert_eq!(records(&[255; 64]).count(), 0);
    }
}

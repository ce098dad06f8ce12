//! Subscriptions, as records in one piece of the caller's memory.
//!
//! A record is: length (2 bytes), what it wants, what is due, length of the id, the id, the URI. Records of varying size
//! in one slice need no table and no guess at how long a URI may be. A `resources/subscribe` of the handshake revisions
//! is a record without an id; a `subscriptions/listen` is one record with the list bits and one for each URI.

use crate::bytes::{at, copy, part, part_mut, shift};
use crate::error::{Error, Kind};

/// What a record wants, as bits.
pub mod wants {
    /// Changes of the tool list.
    pub const TOOLS: u8 = 1;
    /// Changes of the prompt list.
    pub const PROMPTS: u8 = 2;
    /// Changes of the resource list.
    pub const RESOURCES: u8 = 4;
    /// Updates of the resource named in the record.
    pub const URI: u8 = 8;
    /// The subscription was accepted and must be acknowledged first.
    pub const ACK: u8 = 16;
    /// The server ends the subscription.
    pub const END: u8 = 32;
    /// The second part of the end.
    pub const RESULT: u8 = 64;
}

const HEAD: usize = 5;

/// The records.
pub struct Subs<'b> {
    bytes: &'b mut [u8],
    used: usize,
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub struct Record<'r> {
    /// Where it stands.
    pub at: usize,
    /// What it wants.
    pub wants: u8,
    /// What is to be sent.
    pub due: u8,
    /// The id of the listen request; empty for a handshake subscription.
    pub id: &'r [u8],
    /// The URI; may be empty.
    pub uri: &'r [u8],
}

impl<'b> Subs<'b> {
    /// No records, in `bytes`.
    pub fn new(bytes: &'b mut [u8]) -> Self {
        Self { bytes, used: 0 }
    }

    /// The same records for a shorter time. Only what is due may be changed there.
    pub fn reborrow(&mut self) -> Subs<'_> {
        Subs { bytes: self.bytes, used: self.used }
    }

    /// The record at `at`, and the place of the next.
    fn record(&self, start: usize) -> Option<(Record<'_>, usize)> {
        if start >= self.used {
            return None;
        }
        let len =
            usize::from(at(self.bytes, start)) | usize::from(at(self.bytes, start.wrapping_add(1))) << 8;
        let end = start.saturating_add(len.max(HEAD));
        let id_from = start.saturating_add(HEAD);
        let id_to = id_from.saturating_add(at(self.bytes, start.saturating_add(4)).into());
        let record = Record {
            at: start,
            wants: at(self.bytes, start.saturating_add(2)),
            due: at(self.bytes, start.saturating_add(3)),
            id: part(self.bytes, id_from, id_to),
            uri: part(self.bytes, id_to, end),
        };
        Some((record, end))
    }

    /// Every record, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Record<'_>> {
        let mut next = 0;
        core::iter::from_fn(move || {
            let (record, end) = self.record(next)?;
            next = end;
            Some(record)
        })
    }

    /// Adds a record.
    ///
    /// # Errors
    /// `SubscriptionsFull` with the bytes needed in all.
    pub fn add(&mut self, wants: u8, due: u8, id: &[u8], uri: &[u8]) -> Result<(), Error> {
        let len = HEAD.saturating_add(id.len()).saturating_add(uri.len());
        let end = self.used.saturating_add(len);
        if end > self.bytes.len() || len > usize::from(u16::MAX) || id.len() > usize::from(u8::MAX) {
            return Err(Error::new(Kind::SubscriptionsFull, end));
        }
        let record = part_mut(self.bytes, self.used, end);
        copy(record, &[len as u8, (len >> 8) as u8, wants, due, id.len() as u8]);
        copy(record.get_mut(HEAD..).unwrap_or(&mut []), id);
        copy(record.get_mut(HEAD.wrapping_add(id.len())..).unwrap_or(&mut []), uri);
        self.used = end;
        Ok(())
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// All the memory there is, in bytes.
    pub fn cap(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes in use: a mark to go back to.
    pub fn mark(&self) -> usize {
        self.used
    }

    /// Takes back what was added since `mark`.
    pub fn back_to(&mut self, mark: usize) {
        self.used = self.used.min(mark);
    }

    /// Removes the records that `gone` chooses; whether there were any.
    pub fn remove(&mut self, mut gone: impl FnMut(&Record<'_>) -> bool) -> bool {
        let before = self.used;
        let mut next = 0;
        while let Some((record, end)) = self.record(next) {
            if gone(&record) {
                let used = self.used;
                let tail = self.bytes.get_mut(next..).unwrap_or(&mut []);
                shift(tail, end.wrapping_sub(next), used.wrapping_sub(next));
                self.used = used.wrapping_sub(end.wrapping_sub(next));
            } else {
                next = end;
            }
        }
        self.used < before
    }

    /// Marks `due` in every record that `wanting` chooses; whether there were any.
    pub fn mark_due(&mut self, due: u8, mut wanting: impl FnMut(&Record<'_>) -> bool) -> bool {
        let mut any = false;
        let mut next = 0;
        while let Some((record, end)) = self.record(next) {
            let chosen = wanting(&record);
            if chosen {
                any = true;
                self.set_due(next, |old| old | due);
            }
            next = end;
        }
        any
    }

    /// What is due in the record at `at` is done.
    pub fn done(&mut self, at: usize, due: u8) {
        self.set_due(at, |old| old & !due);
    }

    fn set_due(&mut self, at: usize, change: impl Fn(u8) -> u8) {
        if let Some(due) = self.bytes.get_mut(at.saturating_add(3)) {
            *due = change(*due);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn records_come_and_go() {
        let mut memory = [0; 64];
        let mut subs = Subs::new(&mut memory);
        subs.add(wants::URI, 0, b"", b"a://1").unwrap();
        subs.add(wants::TOOLS, wants::ACK, b"7", b"").unwrap();
        subs.add(wants::URI, 0, b"7", b"a://2").unwrap();
        let full = subs.add(wants::URI, 0, b"7", &[b'x'; 60]);
        assert_eq!(full.map_err(|e| e.kind), Err(Kind::SubscriptionsFull));
        assert!(subs.mark_due(wants::URI, |r| r.uri == b"a://2"));
        assert!(subs.remove(|r| r.uri == b"a://1"));
        let left: Vec<_> = subs.iter().map(|r| (r.id.to_vec(), r.uri.to_vec(), r.due)).collect();
        assert_eq!(
            left,
            [(b"7".to_vec(), b"".to_vec(), wants::ACK), (b"7".to_vec(), b"a://2".to_vec(), wants::URI)]
        );
        assert!(subs.remove(|r| r.id == b"7"));
        assert!(!subs.remove(|_| true));
    }
}

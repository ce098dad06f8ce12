//! Tasks: calls whose result is fetched later (2025-11-25 basic/utilities/tasks; the extension
//! `io.modelcontextprotocol/tasks` from 2026-07-28 on).
//!
//! A task is an entry in a table of the caller's. While it works it has a slot, as any call in flight; what it comes to is
//! a record in the park, until its time is over.

use crate::bytes::hex_digit;
use crate::json::Writer;
use crate::proto::revision::{Feature, Revision};
use crate::session::slots::Ticket;
use crate::time::Millis;

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Status {
    /// The entry is free.
    Free,
    Working,
    /// The client is asked.
    InputRequired,
    Completed,
    Failed,
    Cancelled,
}

impl Status {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Free | Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing changes any more.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// No task, as an index.
pub(crate) const NONE: u16 = u16::MAX;
/// Tickets of tasks name records in the park as tickets of slots do; they begin here.
pub(crate) const BASE: u16 = 0x8000;
/// Bytes of an id, before it is written in hex: more than can be guessed.
pub const ID_BYTES: usize = 16;

/// One task. Declare an array of them for [`Server::offer_tasks`](crate::session::server::Server::offer_tasks).
///
/// # Memory
/// 64 bytes on 64-bit targets; its result is kept in [`Storage::park`](crate::session::server::Storage::park).
#[derive(Clone, Copy, Debug)]
pub struct Task {
    pub(crate) id: [u8; ID_BYTES],
    pub(crate) owner: u64,
    pub(crate) created: Millis,
    pub(crate) updated: Millis,
    pub(crate) ttl_ms: u64,
    pub(crate) generation: u32,
    /// The slot that works on it, while there is one.
    pub(crate) slot: u16,
    pub(crate) status: Status,
    pub(crate) revision: Revision,
    /// The client is to be told of a change.
    pub(crate) due: bool,
}

impl Task {
    /// A free entry.
    pub const FREE: Self = Self {
        id: [0; ID_BYTES],
        owner: 0,
        created: Millis(0),
        updated: Millis(0),
        ttl_ms: 0,
        generation: 0,
        slot: NONE,
        status: Status::Free,
        revision: Revision::V2025_11_25,
        due: false,
    };

    /// When it is forgotten.
    pub(crate) fn end(&self) -> Millis {
        self.created.after(self.ttl_ms)
    }

    /// Names its records in the park; `index` is its place in the table.
    pub(crate) fn ticket(&self, index: u16) -> Ticket {
        Ticket { slot: BASE.wrapping_add(index), generation: self.generation }
    }

    pub(crate) fn set(&mut self, status: Status, now: Millis) {
        if self.status != status && !self.status.is_over() {
            self.status = status;
            self.updated = now;
            self.due = true;
        }
    }

    pub(crate) fn free(&mut self) {
        *self = Self { generation: self.generation.wrapping_add(1), ..Self::FREE };
    }

    /// Its id as it is on the wire.
    pub(crate) fn name(&self) -> Name {
        Name::of(&self.id)
    }

    /// Writes its members in the form of `revision`; `epoch_ms` is the Unix time at the zero of the engine's clock.
    pub(crate) fn write(&self, w: &mut Writer<'_>, revision: Revision, poll_ms: u64, epoch_ms: u64) {
        w.member("taskId", self.name().text());
        w.member("status", self.status.name());
        for (key, at) in [("createdAt", self.created), ("lastUpdatedAt", self.updated)] {
            let text = iso(at.0.saturating_add(epoch_ms));
            w.member(key, core::str::from_utf8(&text).unwrap_or(""));
        }
        let older = revision.has(Feature::Tasks);
        w.key(if older { "ttl" } else { "ttlMs" });
        w.u64(self.ttl_ms);
        w.key(if older { "pollInterval" } else { "pollIntervalMs" });
        w.u64(poll_ms);
    }
}

/// A task's id in hex.
#[derive(Clone, Copy)]
pub(crate) struct Name([u8; 2 * ID_BYTES]);

impl Name {
    fn of(id: &[u8; ID_BYTES]) -> Self {
        let mut text = [0; 2 * ID_BYTES];
        for (byte, pair) in id.iter().zip(text.as_chunks_mut::<2>().0) {
            *pair = [hex_digit(byte >> 4), hex_digit(byte & 15)];
        }
        Self(text)
    }

    pub fn text(&self) -> &str {
        core::str::from_utf8(&self.0).unwrap_or("")
    }
}

/// The task of that id, of that owner. Every entry is compared as a whole: how long it takes says nothing of the ids there
/// are.
pub(crate) fn find(tasks: &[Task], name: &[u8], owner: u64) -> Option<u16> {
    let mut found = None;
    for (index, task) in (0..BASE).zip(tasks) {
        let differing = task.name().0.iter().zip(name).fold(0, |bits, (a, b)| bits | (a ^ b));
        let same = core::hint::black_box(differing) == 0 && name.len() == 2 * ID_BYTES;
        if same && task.status != Status::Free && task.owner == owner {
            found = Some(index);
        }
    }
    found
}

/// Whose task it is: a hash of the principal, 0 when none is known.
pub(crate) fn owner(principal: &[u8]) -> u64 {
    if principal.is_empty() {
        return 0;
    }
    // FNV-1a of 64 bits. Ids cannot be guessed; this keeps one client from using another's that it has seen.
    principal.iter().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// `2026-07-28T12:00:00.000Z` for a Unix time in milliseconds; the year 9999 at most.
pub(crate) fn iso(unix_ms: u64) -> [u8; 24] {
    const DAY_MS: u64 = 86_400_000;
    // 9999-12-31T23:59:59.999Z.
    let unix_ms = unix_ms.min(253_402_300_799_999);
    let (days, rest) = (unix_ms / DAY_MS, unix_ms % DAY_MS);
    // Days are counted from 0000-03-01, so that the leap day is the last of its year (the civil calendar repeats every
    // 146,097 days).
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let date = day - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let (seconds, ms) = (rest / 1000, rest % 1000);
    let fields = [
        (0, 4, year),
        (5, 2, month),
        (8, 2, date),
        (11, 2, seconds / 3600),
        (14, 2, seconds / 60 % 60),
        (17, 2, seconds % 60),
        (20, 3, ms),
    ];
    for (from, len, value) in fields {
        let mut rest = value;
        for place in crate::bytes::part_mut(&mut text, from, from + len).iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_as_the_calendar_has_them() {
        for (unix_ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (1_785_240_000_123, "2026-07-28T12:00:00.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(core::str::from_utf8(&iso(unix_ms)), Ok(text));
        }
    }

    #[test]
    fn a_task_is_found_by_its_whole_id_and_its_owner() {
        let mut tasks = [Task::FREE; 3];
        tasks[1].id = [0xA7; ID_BYTES];
        tasks[1].status = Status::Working;
        tasks[1].owner = owner(b"ann");
        let name = tasks[1].name();
        assert_eq!(find(&tasks, name.text().as_bytes(), owner(b"ann")), Some(1));
        assert_eq!(find(&tasks, name.text().as_bytes(), owner(b"bob")), None);
        assert_eq!(find(&tasks, &name.text().as_bytes()[1..], owner(b"ann")), None);
        assert_eq!(find(&tasks, b"", owner(b"ann")), None);
        assert_eq!(find(&tasks, Task::FREE.name().text().as_bytes(), 0), None, "a free entry is no task");
    }
}

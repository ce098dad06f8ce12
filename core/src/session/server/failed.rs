//! Calls that the engine answers in its own words, for their handlers did not.

use super::answer::{limit_data, window};
use super::{Server, Step};
use crate::json::write::decimal_text;
use crate::proto::revision::Feature;
use crate::rpc::{code, emit};
use crate::session::slots::{Failed, State};
use crate::session::tasks::NONE;

/// Why, in words, with the limit that was crossed.
struct Words {
    pieces: [&'static str; 2],
    limit: &'static str,
    capacity: usize,
    needed: u32,
    digits: ([u8; 20], [u8; 20]),
}

impl Words {
    fn of(why: Failed, tx: usize, park: usize) -> Self {
        let (pieces, limit, capacity, needed) = match why {
            Failed::Unanswered => (["The handler came back without an answer", ""], "", 0, 0),
            Failed::Late => (["The call took longer than its deadline", ""], "", 0, 0),
            Failed::Torn => {
                (["The handler did not write again what it had written of its answer", ""], "", 0, 0)
            }
            Failed::TooLarge(needed) => {
                (["The reply needs ", " bytes and the transmit buffer holds "], "tx", tx, needed)
            }
            Failed::NoPark(needed) => {
                (["Asking the client needs ", " bytes and the park memory holds "], "park", park, needed)
            }
        };
        Self { pieces, limit, capacity, needed, digits: ([0; 20], [0; 20]) }
    }

    fn list(&mut self) -> [&str; 4] {
        let [what, memory] = self.pieces;
        if self.needed == 0 {
            return [what, "", "", ""];
        }
        let needed = decimal_text(self.needed.into(), &mut self.digits.0);
        [what, needed, memory, decimal_text(self.capacity as u64, &mut self.digits.1)]
    }
}

impl Server<'_> {
    /// Answers the call in slot `number` in the engine's own words.
    pub(super) fn failed(&mut self, number: u16, why: Failed) -> Step {
        let mut words = Words::of(why, self.tx.cap(), self.park.cap());
        let (limit, capacity, needed) = (words.limit, words.capacity, words.needed as usize);
        let words = words.list();
        let Some(slot) = self.slots.get_mut(usize::from(number)) else { return Step::Next };
        if slot.task != NONE {
            slot.state = State::Open;
            self.fail_task(number, &words);
            self.count_waiting();
            return Step::Next;
        }
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        let null_id = slot.revision.has(Feature::NullId);
        emit::error(&mut w, self.framing, Some(&slot.id), null_id, code::INTERNAL_ERROR, &words);
        if needed > 0 {
            limit_data(&mut w, limit, capacity, needed);
        }
        emit::close(&mut w, self.framing);
        let step = self.sent();
        if let (Step::Next, Some(slot)) = (&step, self.slots.get_mut(usize::from(number))) {
            slot.free();
            self.count_waiting();
        }
        step
    }

    /// A task's failure is kept for the client to fetch, as its result is.
    fn fail_task(&mut self, number: u16, words: &[&str]) {
        if let Some(mut parts) = self.reply(number, None) {
            parts.reply.fail(code::INTERNAL_ERROR, |w| words.iter().for_each(|piece| w.text(piece)), |_| {});
        }
    }

    /// Counts anew: whether a failed call was counted depends on whether its handler had put it off.
    fn count_waiting(&mut self) {
        self.waiting = self.slots.iter().filter(|s| s.state.waits()).fold(0, |n, _| n.wrapping_add(1));
    }
}

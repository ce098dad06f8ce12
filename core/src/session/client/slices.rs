//! Results that are larger than the receive buffer, slice by slice.

use super::call::{Call, Kind, Phase, Ticket};
use super::event::Failure;
use super::step::{End, Step};
use super::{After, Client, Msg};
use crate::bytes::{at, part};
use crate::json::num::to_u64;
use crate::wire::hunter::Hunter;

/// A line that is taken in slices.
pub(super) struct Slicing {
    ticket: Ticket,
    /// Knows where in the line its result is.
    hunter: Hunter,
    /// The line has ended.
    over: bool,
}

impl Client<'_> {
    /// A line fills the buffer and goes on: if it answers a call that takes slices, it begins to.
    pub(super) fn begin_slices(&mut self) -> Step {
        let (from, to, _) = self.lines.slice(self.rx.bytes());
        let mut hunter = Hunter::default();
        let b = part(self.rx.bytes(), from, to);
        let (start, end) = hunter.carve(b);
        let id = hunter.id().filter(|_| !hunter.has_method()).and_then(|id| to_u64(id).ok());
        // What a task looks like is no result.
        let theirs = |c: &&Call| id == Some(c.id) && matches!(c.phase, Phase::Sent | Phase::Fetching);
        let takes = |c: &&Call| c.wants.slices && !matches!(c.kind, Kind::Pages(_)) && at(b, start) == b'{';
        let call = self.calls.iter().find(theirs).filter(takes);
        let Some(ticket) = call.map(|c| c.ticket()).filter(|_| end > start) else { return Step::Idle };
        self.slices = Some(Slicing { ticket, hunter, over: false });
        self.after = After::Slice(to, false);
        self.msg = Msg::default();
        Step::Slice(ticket, from.wrapping_add(start), from.wrapping_add(end))
    }

    /// The next slice, or the end of the call.
    pub(super) fn slice(&mut self) -> Step {
        let Some(slices) = self.slices.as_mut() else { return Step::Next };
        let ticket = slices.ticket;
        let (from, to, newline) = self.lines.slice(self.rx.bytes());
        if slices.over || (from == to && self.lines.has_ended()) {
            let whole = slices.hunter.result_is_over();
            self.slices = None;
            return self.end_slices(ticket, whole);
        }
        if from == to && !newline {
            return Step::Idle;
        }
        let (start, end) = slices.hunter.carve(part(self.rx.bytes(), from, to));
        slices.over = newline;
        let wanted = self.is_waiting(ticket);
        if end == start || !wanted {
            self.lines.sliced(to, newline);
            return Step::Next;
        }
        self.after = After::Slice(to, newline);
        Step::Slice(ticket, from.wrapping_add(start), from.wrapping_add(end))
    }

    fn end_slices(&mut self, ticket: Ticket, whole: bool) -> Step {
        if !self.is_waiting(ticket) {
            return Step::Next;
        }
        let end = match (whole, self.lines.has_ended()) {
            (true, _) => End::Sliced,
            (false, true) => End::Failed(Failure::Closed),
            (false, false) => End::Failed(Failure::Invalid("the result breaks off")),
        };
        self.over(ticket);
        Step::Done(ticket, end)
    }
}

//! What a handler is given to read.

use super::calls::Prepared;
use crate::session::park::{HEAD, Park, Split, Tail};
use crate::session::slots::Ticket;

/// What a handler is given to read: out of the receive buffer, or out of the park.
pub(super) struct Given<'e> {
    pub args: &'e mut [u8],
    pub escapes: bool,
    pub fresh: &'e [u8],
    pub state: &'e [u8],
    pub parked: [&'e [u8]; 2],
    pub tail: Tail<'e>,
    pub reserve: usize,
}

impl<'e> Given<'e> {
    /// For the call that is handed out, or, with none, for one that was put off and is answered now.
    pub fn of(
        call: Option<&Prepared>,
        ticket: Ticket,
        rx: &'e mut [u8],
        park: &'e mut Park<'_>,
    ) -> Option<Self> {
        let parked = match call {
            Some(call) => call.parked,
            // What was put off may have left its URI.
            None => park.has_args(ticket),
        };
        if parked {
            return Self::from_park(call.is_some(), ticket, park);
        }
        let mut given = Self::nothing(park.tail());
        let Some(call) = call else { return Some(given) };
        given.escapes = call.escapes;
        given.reserve = HEAD.wrapping_add(call.args.to().wrapping_sub(call.args.from()));
        if call.fresh.is_absent() && call.state.is_absent() {
            given.args = rx.get_mut(call.range(call.args)).unwrap_or(&mut []);
        } else {
            let ranges = [call.range(call.args), call.range(call.fresh), call.range(call.state)];
            let [args, fresh, state] = rx.get_disjoint_mut(ranges).ok()?;
            (given.args, given.fresh, given.state) = (args, fresh, state);
        }
        Some(given)
    }

    fn nothing(tail: Tail<'e>) -> Self {
        Self { args: &mut [], escapes: false, fresh: &[], state: &[], parked: [&[]; 2], tail, reserve: 0 }
    }

    fn from_park(answers: bool, ticket: Ticket, park: &'e mut Park<'_>) -> Option<Self> {
        let Split { args, number, others, tail } = park.split(ticket)?;
        let parked: [&'e [u8]; 2] = if answers { others } else { [&[]; 2] };
        Some(Self { args, escapes: number != 0, parked, ..Self::nothing(tail) })
    }
}

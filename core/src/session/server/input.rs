//! 2026-07-28: `requestState`, sealed when it leaves and checked when it comes back.
//!
//! It is the base64 of: a version byte, the round, when it expires (8 bytes, milliseconds), the answers so far as records
//! of the park, and the tag. The tag covers what the state was made for as well: the principal, the method, the row of the
//! catalog and the arguments; a state that is put under another call fails as a forged one does.

use super::answer::window;
use super::calls::Prepared;
use super::{Server, Step};
use crate::bytes::{copy, part, part_mut};
use crate::json::scan::{Scan, Token};
use crate::json::text::content_bytes;
use crate::limits::ASK_ROUNDS_MAX;
use crate::rpc::emit;
use crate::session::asks::members;
use crate::session::park::{Held, head};
use crate::session::rows::Rows;
use crate::session::seal::{Sealer, TAG_BYTES, same_tag};
use crate::session::slots::{Shape, Ticket};
use crate::time::Millis;
use crate::wire::base64::{self, Encoder};

const VERSION: u8 = 1;
/// Version, round, expiry.
const HEAD_BYTES: usize = 10;
/// Names what the tag is for, so that a key used elsewhere too proves nothing here.
const PURPOSE: &[u8] = b"midge requestState 1";

/// Answers that travel have no call: whoever brings them back is given one.
const NO_CALL: Ticket = Ticket { slot: 0, generation: 0 };

fn head_of(round: u8, expiry: Millis) -> [u8; HEAD_BYTES] {
    let [e0, e1, e2, e3, e4, e5, e6, e7] = expiry.0.to_le_bytes();
    [VERSION, round, e0, e1, e2, e3, e4, e5, e6, e7]
}

/// What a state is bound to.
struct Bound<'a> {
    principal: &'a [u8],
    shape: Shape,
    row: &'a str,
    /// Softened.
    args: &'a [u8],
}

type Put<'p> = dyn FnMut(&[u8]) + 'p;

impl<'a> Bound<'a> {
    fn new(rows: &'a dyn Rows, principal: &'a [u8], shape: Shape, row: usize, args: &'a [u8]) -> Self {
        // Absent arguments and none are the same call.
        let args = if matches!(args, b"" | b"null") { b"{}" } else { args };
        Self { principal, shape, row: rows.key(shape.list(), row), args }
    }

    /// Hands all of it to `put`. Lengths go before texts, so that no two calls give the same bytes.
    fn feed(&self, put: &mut Put<'_>) {
        put(PURPOSE);
        for text in [self.principal, self.row.as_bytes()] {
            put(&(text.len() as u64).to_le_bytes());
            put(text);
        }
        put(&[self.shape as u8]);
        self.feed_args(put);
    }

    /// The arguments token by token: a client may write the same object with other blanks and escapes when it comes again.
    fn feed_args(&self, put: &mut Put<'_>) {
        let mut scan = Scan::value(0);
        loop {
            let token = scan.next(self.args);
            let text = part(self.args, scan.start(), scan.end());
            put(&[token as u8]);
            match token {
                Token::End | Token::Error => return,
                Token::Key | Token::Str | Token::Number => {
                    put(&(text.len() as u64).to_le_bytes());
                    put(text);
                }
                _ => {}
            }
        }
    }
}

/// The answers that go into a state: those it had, and the fresh ones that the handler looked at.
struct Answers<'a> {
    head: [u8; HEAD_BYTES],
    old: &'a [u8],
    fresh: &'a [u8],
    used: u32,
}

impl Answers<'_> {
    fn feed(&self, put: &mut Put<'_>) {
        put(&self.head);
        put(self.old);
        for (_, (key, value)) in members(self.fresh).filter(|(bit, _)| self.used & bit != 0) {
            put(&head(Held::Answer, NO_CALL, 0, key, value.len()));
            put(key);
            put(value);
        }
    }
}

/// A state that came back, still in base64.
struct Sealed<'a> {
    digits: &'a [u8],
    len: usize,
}

impl<'a> Sealed<'a> {
    fn of(digits: &'a [u8]) -> Option<Self> {
        let len = base64::decoded_len(digits).checked_sub(TAG_BYTES)?;
        (len >= HEAD_BYTES).then_some(Self { digits, len })
    }

    /// Decodes into `body` and `tag`, piece by piece; `None` when it is no base64.
    fn walk(&self, body: &mut Put<'_>, tag: &mut [u8; TAG_BYTES]) -> Option<()> {
        let mut at = 0_usize;
        for digits in self.digits.chunks(64) {
            let mut bytes = [0; 48];
            let n = base64::decode(digits, &mut bytes).ok()?;
            let in_body = n.min(self.len.saturating_sub(at));
            body(part(&bytes, 0, in_body));
            let from = at.wrapping_add(in_body).saturating_sub(self.len);
            copy(tag.get_mut(from..).unwrap_or(&mut []), part(&bytes, in_body, n));
            at = at.wrapping_add(n);
        }
        (at == self.len.wrapping_add(TAG_BYTES)).then_some(())
    }

    /// The round it was made in; `None` when the tag does not hold for `bound`, or it is too old.
    fn open(&self, sealer: &dyn Sealer, bound: &Bound<'_>, now: Millis) -> Option<u8> {
        let mut claimed = [0; TAG_BYTES];
        let (mut head, mut at) = ([0; HEAD_BYTES], 0_usize);
        self.walk(
            &mut |bytes| {
                let n = copy(head.get_mut(at..).unwrap_or(&mut []), bytes);
                at = at.wrapping_add(n);
            },
            &mut claimed,
        )?;
        let tag = sealer.tag(&|put| {
            bound.feed(put);
            // It decoded a moment ago.
            let _ = self.walk(put, &mut [0; TAG_BYTES]);
        });
        let [version, round, expiry @ ..] = head;
        let good = same_tag(&tag, &claimed) && version == VERSION && u64::from_le_bytes(expiry) >= now.0;
        good.then_some(round)
    }
}

impl Server<'_> {
    /// Checks the state that a retried call brings; the round it was made in, 0 when it brings none. `Err` says what is
    /// wrong. Arguments are unescaped in place, nothing else is changed: the request may have to be read again.
    pub(super) fn check_input(
        &mut self,
        call: &Prepared,
        shape: Shape,
        row: usize,
    ) -> Result<u8, &'static str> {
        let b = part(self.rx.bytes(), call.msg.start, call.msg.end);
        if !matches!(call.fresh.of(b), [] | [b'{', ..]) {
            return Err("\"inputResponses\" must be an object");
        }
        if call.state.is_absent() {
            return Ok(0);
        }
        let Some(sealer) = self.sealer else {
            return Err("this server gave no \"requestState\": call again without it");
        };
        if call.escapes {
            self.soften(call.msg, call.args);
        }
        let b = part(self.rx.bytes(), call.msg.start, call.msg.end);
        let bound = Bound::new(self.rows, self.principal, shape, row, call.args.of(b));
        content_bytes(call.state.of(b))
            .and_then(Sealed::of)
            .and_then(|sealed| sealed.open(sealer, &bound, self.unix(self.now)))
            .filter(|round| *round <= ASK_ROUNDS_MAX)
            .ok_or("\"requestState\" is not what this server gave for this call, or too old: call again without it")
    }

    /// A moment as Unix time, as far as the application has said where its clock begins: a state may come back after a
    /// restart, or to a replica.
    fn unix(&self, at: Millis) -> Millis {
        at.after(self.config.epoch_ms)
    }

    /// Makes what a retried call brings readable for its handler: the answers unescaped, the state decoded, both where
    /// they stand. To be done once, when the call is certain to be handed out.
    pub(super) fn open_input(&mut self, call: &mut Prepared) {
        if call.escapes {
            self.soften(call.msg, call.fresh);
        }
        if call.state.is_absent() {
            return;
        }
        let from = call.msg.start.wrapping_add(call.state.from()).wrapping_add(1);
        let to = call.msg.start.wrapping_add(call.state.to()).wrapping_sub(1);
        let n = base64::decode_in_place(part_mut(self.rx.bytes_mut(), from, to)).unwrap_or(0);
        let start = call.state.from().wrapping_add(1);
        call.state = crate::rpc::params::Span::new(
            start.wrapping_add(HEAD_BYTES),
            start.wrapping_add(n.saturating_sub(TAG_BYTES)),
        );
    }

    /// Ends a result that asks: the state, and what every result ends with.
    pub(super) fn input_required(&mut self, call: Prepared) -> Step {
        let expiry = self.now.after(self.config.ask_ms);
        let Some(slot) = self.slots.get_mut(usize::from(call.slot)) else { return Step::Next };
        // Kept, for the state may be made again window by window, and later.
        let expiry = *slot.deadline.get_or_insert(expiry);
        let (shape, row, revision) = (slot.shape, usize::from(slot.index), slot.revision);
        let (round, used) = (slot.rounds, slot.used);
        if call.escapes {
            self.soften(call.msg, call.args);
        }
        let rows = self.rows;
        let b = part(self.rx.bytes(), call.msg.start, call.msg.end);
        let bound = Bound::new(rows, self.principal, shape, row, call.args.of(b));
        let head = head_of(round, self.unix(expiry));
        let answers = Answers { head, old: call.state.of(b), fresh: call.fresh.of(b), used };
        let mut w = window(&mut self.tx, &mut self.fill, self.replay);
        w.set_comma(true);
        if let Some(sealer) = self.sealer {
            w.put(b",\"requestState\":\"");
            let tag = sealer.tag(&|put| {
                bound.feed(put);
                answers.feed(put);
            });
            let mut encoder = Encoder::new();
            let mut digits = |bytes: &[u8]| w.put(bytes);
            answers.feed(&mut |piece| encoder.encode_into(piece, &mut digits));
            encoder.encode_into(&tag, &mut digits);
            encoder.finish(&mut digits);
            w.put(b"\"");
        }
        rows.info().end_input_required(&mut w, revision);
        emit::close(&mut w, self.framing);
        let step = self.sent();
        if let (Step::Next, Some(slot)) = (&step, self.slots.get_mut(usize::from(call.slot))) {
            slot.free();
        }
        step
    }
}

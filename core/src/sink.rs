//! Where bytes go: a caller's buffer, with what to do when it is full.

use crate::bytes::{copy, part, shift};

/// Memory for bytes: a slice that never grows, or (feature `alloc`) a `Vec` that grows up to a cap.
///
/// An enum and not a trait, so that the engines stay free of type parameters and the fixed case costs no call
/// (decision 004).
pub enum Buf<'b> {
    /// A slice of the caller's.
    Fixed(&'b mut [u8]),
    /// A vector that grows, also in the middle of a message, until it is `cap` bytes long.
    #[cfg(feature = "alloc")]
    Growing {
        /// The memory.
        bytes: &'b mut alloc::vec::Vec<u8>,
        /// The most it may hold, in bytes.
        cap: usize,
    },
}

impl<'b> Buf<'b> {
    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Fixed(b) => b,
            #[cfg(feature = "alloc")]
            Self::Growing { bytes, .. } => bytes,
        }
    }

    /// The bytes, to write to.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Fixed(b) => b,
            #[cfg(feature = "alloc")]
            Self::Growing { bytes, .. } => bytes,
        }
    }

    /// How many bytes there are now.
    #[inline]
    pub fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The most it can ever hold, in bytes.
    pub fn cap(&self) -> usize {
        match self {
            Self::Fixed(b) => b.len(),
            #[cfg(feature = "alloc")]
            Self::Growing { cap, .. } => *cap,
        }
    }

    /// Makes it at least `want` bytes long; `false` when it cannot be.
    pub fn grow(&mut self, want: usize) -> bool {
        match self {
            Self::Fixed(b) => want <= b.len(),
            #[cfg(feature = "alloc")]
            Self::Growing { bytes, cap } => {
                if want > *cap {
                    return false;
                }
                if want > bytes.len() {
                    // Doubling keeps the cost of a long message linear.
                    let to = want.max(bytes.len().saturating_mul(2)).min(*cap);
                    bytes.resize(to, 0);
                }
                true
            }
        }
    }

    /// Gives memory back that is more than `keep` bytes; what is in it is lost.
    #[cfg(feature = "alloc")]
    pub fn shed(&mut self, keep: usize) {
        if let Self::Growing { bytes, .. } = self
            && bytes.len() > keep
        {
            bytes.truncate(keep);
            bytes.shrink_to_fit();
        }
    }

    /// The same memory for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> Buf<'_> {
        match self {
            Self::Fixed(b) => Buf::Fixed(b),
            #[cfg(feature = "alloc")]
            Self::Growing { bytes, cap } => Buf::Growing { bytes, cap: *cap },
        }
    }
}

impl<'b> From<&'b mut [u8]> for Buf<'b> {
    fn from(bytes: &'b mut [u8]) -> Self {
        Self::Fixed(bytes)
    }
}

impl<'b, const N: usize> From<&'b mut [u8; N]> for Buf<'b> {
    fn from(bytes: &'b mut [u8; N]) -> Self {
        Self::Fixed(bytes)
    }
}

/// Somewhere to hand a full buffer to, so that a reply may be larger than the buffer.
pub trait Flush {
    /// Takes all of `bytes`; `false` when the stream is gone.
    fn flush(&mut self, bytes: &[u8]) -> bool;
}

/// A place in a message that is made piece by piece, to go on from when it is made again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mark {
    /// Which run of pieces it is in, counted from 1; 0 for no place.
    pub run: u16,
    /// The piece that begins there.
    pub piece: u32,
    /// Where in the message that is, in bytes.
    pub at: usize,
    /// What an encoder has held back of the pieces before.
    pub held: [u8; 3],
}

/// How far a transmit buffer is filled; lives as long as the buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fill {
    /// Bytes already sent.
    pub sent: usize,
    /// Bytes there, sent ones included.
    pub len: usize,
    /// Where the message now being written starts.
    pub start: usize,
    /// Bytes of that message that went elsewhere: skipped, flushed, or lost.
    pub gone: usize,
    /// Bytes of that message to leave out because an earlier window held them.
    pub skip: usize,
    /// Bytes did not fit and were counted only.
    pub lost: bool,
    /// Bytes of that message are out and cannot be taken back.
    pub flushed: bool,
    /// That message has not come to its end: what is here of it is not to be sent.
    pub open: bool,
    /// The next message is only counted.
    pub(crate) counts: bool,
    /// Runs of pieces that have begun in this message.
    pub(crate) run: u16,
    /// The last piece that begins in the buffer.
    pub(crate) mark: Mark,
    /// Where the message is to go on, of which earlier windows are out; and how much that was.
    pub(crate) from: Mark,
    pub(crate) out: usize,
}

impl Fill {
    /// The end of what may be sent.
    pub fn ready(&self) -> usize {
        if self.open { self.start } else { self.len }
    }

    /// The first `n` bytes of what may be sent are out.
    pub fn advance(&mut self, n: usize) {
        self.sent = self.sent.saturating_add(n).min(self.ready());
        if self.sent == self.len {
            self.sent = 0;
            self.len = 0;
            self.start = 0;
        }
    }
}

/// A byte sink over a buffer.
///
/// Never fails at the call: what does not fit is counted, `lost` is latched, and the end of the message looks at it once.
/// With `skip` set it is a window on a message that is made again from its start; with a [`Flush`] it has no end.
pub struct Sink<'e> {
    buf: Buf<'e>,
    fill: &'e mut Fill,
    flush: Option<&'e mut dyn Flush>,
}

impl<'e> Sink<'e> {
    /// A sink over `buf`, filled as `fill` says; full buffers go to `flush`, if there is one.
    #[inline]
    pub fn new(buf: Buf<'e>, fill: &'e mut Fill, flush: Option<&'e mut dyn Flush>) -> Self {
        Self { buf, fill, flush }
    }

    /// A sink that keeps nothing and counts: the first pass where a length must stand before the text.
    pub fn counting(fill: &'e mut Fill) -> Self {
        *fill = Fill { lost: true, ..Fill::default() };
        Self { buf: Buf::Fixed(&mut []), fill, flush: None }
    }

    /// The same sink for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> Sink<'_> {
        let flush: Option<&mut dyn Flush> = match &mut self.flush {
            Some(f) => Some(&mut **f),
            None => None,
        };
        Sink { buf: self.buf.reborrow(), fill: self.fill, flush }
    }

    /// Starts a message, of which the first `skip` bytes are left out.
    pub fn begin(&mut self, skip: usize) {
        let len = self.fill.len;
        let Fill { sent, from, out, counts, .. } = *self.fill;
        *self.fill = Fill { sent, len, start: len, skip, open: true, from, out, counts, ..Fill::default() };
    }

    /// Ends the message: what is here of it may be sent, and what is put before the next one begins goes nowhere.
    pub fn end(&mut self) {
        self.fill.open = false;
        self.fill.lost = true;
    }

    /// Takes a message back that was left without its end. When bytes of it are out its line is ended, so that the peer
    /// finds the next.
    pub fn abandon(&mut self) {
        if !self.fill.open {
            return;
        }
        self.rewind();
        self.fill.skip = 0;
        if core::mem::take(&mut self.fill.flushed) {
            self.put(b"\n");
        }
        self.fill.open = false;
        self.fill.advance(0);
    }

    /// Starts a message that is made again from its byte `at` on, of which all before byte `skip` are left out.
    pub fn begin_at(&mut self, skip: usize, at: usize) {
        self.begin(skip.saturating_sub(at));
        self.fill.gone = at;
    }

    /// Whether earlier windows of the message that is to be made are out.
    pub(crate) fn resumes(&self) -> bool {
        self.fill.out > 0 || self.fill.from.run > 0
    }

    /// Starts a message whose earlier windows are out: what is put goes nowhere until the run of pieces that was cut, or,
    /// when the cut was before the first, until the byte it was at.
    pub(crate) fn resume(&mut self) {
        self.begin(self.fill.out);
        self.fill.lost = self.fill.from.run > 0;
        self.fill.flushed = true;
    }

    /// Counts the next message, and keeps nothing of it.
    pub(crate) fn count(&mut self) {
        self.fill.counts = true;
    }

    /// Whether the message is only counted.
    pub(crate) fn counts(&self) -> bool {
        self.fill.counts
    }

    /// Starts a message that is only counted.
    pub(crate) fn begin_count(&mut self) {
        self.begin(0);
        self.fill.lost = true;
    }

    /// The length of the message that was counted, in bytes.
    pub(crate) fn end_count(&mut self) -> usize {
        let total = self.total();
        self.fill.counts = false;
        self.rewind();
        self.end();
        total
    }

    /// Starts a run of pieces; the first that is needed, `None` when none is, and what was held back when it began.
    pub(crate) fn begin_run(&mut self) -> Option<(u32, [u8; 3])> {
        let run = self.fill.run.saturating_add(1);
        self.fill.run = run;
        let from = self.fill.from;
        if run < from.run {
            return None;
        }
        if run > from.run {
            return Some((0, [0; 3]));
        }
        self.begin_at(self.fill.out, from.at);
        (self.fill.run, self.fill.flushed) = (run, true);
        Some((from.piece, from.held))
    }

    /// Says that `piece` begins here.
    pub(crate) fn begin_piece(&mut self, piece: u32, held: [u8; 3]) {
        if !self.fill.lost {
            self.fill.mark = Mark { run: self.fill.run, piece, at: self.total(), held };
        }
    }

    /// Ends a window of a message that did not fit, if it can go on later, for it is made piece by piece; whether it is.
    pub(crate) fn end_window(&mut self) -> bool {
        if self.fill.run == 0 || !self.fill.lost {
            return false;
        }
        // Without a flush what is kept is all of what is behind the earlier windows.
        let kept = self.fill.len.saturating_sub(self.fill.start);
        self.fill.out = self.fill.out.saturating_add(kept);
        self.fill.from = self.fill.mark;
        self.end();
        true
    }

    /// Whether more pieces of a run would be for nothing: they are made when this window is out.
    pub(crate) fn is_cut(&self) -> bool {
        self.fill.lost && self.fill.run > 0 && !self.fill.counts
    }

    /// Whether a message whose earlier windows are out was not come to where it is to go on.
    pub(crate) fn torn(&self) -> bool {
        self.fill.run < self.fill.from.run
    }

    /// Ends the last window of a message.
    pub(crate) fn end_windows(&mut self) {
        (self.fill.from, self.fill.out) = (Mark::default(), 0);
    }

    /// Hands full buffers to `flush` from here on.
    pub fn set_flush(&mut self, flush: &'e mut dyn Flush) {
        self.flush = Some(flush);
    }

    /// Bytes of earlier messages that stand in the buffer, so that the next one finds less room than there is.
    pub fn behind(&self) -> usize {
        self.fill.len
    }

    /// The most that fits at once, in bytes.
    pub fn cap(&self) -> usize {
        self.buf.cap()
    }

    /// Bytes of this message so far, kept or not.
    pub fn total(&self) -> usize {
        self.fill.gone.saturating_add(self.fill.len.saturating_sub(self.fill.start))
    }

    /// Whether bytes of this message did not fit.
    #[inline]
    pub fn lost(&self) -> bool {
        self.fill.lost
    }

    /// Whether bytes of this message are out already, so that it can only be ended, not taken back.
    #[inline]
    pub fn flushed(&self) -> bool {
        self.fill.flushed
    }

    /// What is here of this message.
    pub(crate) fn message(&self) -> &[u8] {
        part(self.buf.bytes(), self.fill.start, self.fill.len)
    }

    /// Takes this message back, as far as it is still here.
    pub fn rewind(&mut self) {
        self.fill.len = self.fill.start;
        self.fill.gone = 0;
        self.fill.lost = false;
    }

    /// Adds `bytes`.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        let from = self.fill.len;
        let to = from.wrapping_add(bytes.len());
        if !self.fill.lost
            && self.fill.skip == 0
            && let Some(room) = self.buf.bytes_mut().get_mut(from..to)
        {
            copy(room, bytes);
            self.fill.len = to;
            return;
        }
        self.put_slowly(bytes);
    }

    #[cold]
    #[inline(never)]
    fn put_slowly(&mut self, bytes: &[u8]) {
        let skipped = self.fill.skip.min(bytes.len());
        self.fill.skip = self.fill.skip.wrapping_sub(skipped);
        self.fill.gone = self.fill.gone.saturating_add(skipped);
        let mut rest = part(bytes, skipped, bytes.len());
        while !rest.is_empty() {
            if self.fill.lost {
                self.fill.gone = self.fill.gone.saturating_add(rest.len());
                return;
            }
            let len = self.fill.len;
            let n = copy(self.buf.bytes_mut().get_mut(len..).unwrap_or(&mut []), rest);
            self.fill.len = len.wrapping_add(n);
            rest = part(rest, n, rest.len());
            if !rest.is_empty() && !self.make_room(rest.len()) {
                self.fill.lost = true;
            }
        }
    }

    fn make_room(&mut self, more: usize) -> bool {
        // A buffer that grows holds what it can, as one that does not.
        let want = self.fill.len.saturating_add(more).min(self.buf.cap());
        if want > self.fill.len && self.buf.grow(want) {
            return true;
        }
        let Some(flush) = &mut self.flush else { return false };
        let start = self.fill.start;
        if start > 0 {
            // What is ready goes first, so that a message is out only if it is larger than the buffer: until then it can be
            // taken back, whatever stands before it.
            let ok = flush.flush(part(self.buf.bytes(), self.fill.sent, start));
            shift(self.buf.bytes_mut(), start, self.fill.len);
            (self.fill.sent, self.fill.start) = (0, 0);
            self.fill.len = self.fill.len.wrapping_sub(start);
            return ok;
        }
        let ok = flush.flush(part(self.buf.bytes(), self.fill.sent, self.fill.len)) && !self.buf.is_empty();
        self.fill.gone = self.total();
        self.fill.sent = 0;
        self.fill.len = 0;
        self.fill.start = 0;
        self.fill.flushed = true;
        ok
    }
}

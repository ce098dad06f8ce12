//! Newline framing with resync: any cut, CRLF, blanks, BOM, and lines longer than the buffer.

use super::hunter::Hunter;
use crate::bytes::{at, find, part, part_mut, shift};
use crate::sink::Buf;

/// The reader's place in the receive buffer.
#[derive(Default)]
pub struct Lines {
    head: usize,
    tail: usize,
    searched: usize,
    ended: bool,
    dropping: Option<Hunter>,
    dropped: usize,
}

/// What [`Lines::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// No whole line is there.
    Nothing,
    /// A line without its blanks: from `start` to `end` in the buffer; [`Lines::consume`] takes it away.
    Line {
        /// First byte.
        start: usize,
        /// The byte after the last.
        end: usize,
    },
    /// A line that did not fit has ended; it had this many bytes. [`Lines::found_while_dropping`] knows its id.
    TooLong(usize),
}

impl Lines {
    /// Room for bytes to come; empty only while the buffer is full of lines that were not taken.
    ///
    /// A line that fills the whole buffer is given up here: its bytes go through the [`Hunter`], which keeps the id.
    /// With `pinned` nothing is moved or given up, for the line that was taken last is still read where it stands.
    pub fn room<'r>(&mut self, buf: &'r mut Buf<'_>, pinned: bool) -> &'r mut [u8] {
        if pinned {
            return buf.bytes_mut().get_mut(self.tail..).unwrap_or(&mut []);
        }
        let kept = self.tail.wrapping_sub(self.head);
        // Moving less than was consumed since the last move keeps the cost per byte constant.
        if kept <= self.head || (self.tail >= buf.len() && self.head > 0) {
            shift(buf.bytes_mut(), self.head, self.tail);
            self.searched = self.searched.saturating_sub(self.head);
            self.head = 0;
            self.tail = kept;
        }
        let full = self.tail >= buf.len();
        if full && !buf.grow(self.tail.saturating_add(1)) && !self.holds_line(buf.bytes()) {
            self.drop_all(buf.bytes());
        }
        let len = buf.len();
        part_mut(buf.bytes_mut(), self.tail, len)
    }

    /// Whether the buffer is full of the beginning of one line, and cannot grow.
    pub fn is_full(&self, buf: &Buf<'_>) -> bool {
        self.head == 0 && self.tail >= buf.cap() && self.dropping.is_none() && !self.holds_line(buf.bytes())
    }

    /// The bytes that are there of the line that is taken in slices, and whether it ends behind them.
    pub fn slice(&self, b: &[u8]) -> (usize, usize, bool) {
        match find(part(b, self.head, self.tail), b'\n') {
            Some(len) => (self.head, self.head.wrapping_add(len), true),
            None => (self.head, self.tail, false),
        }
    }

    /// Takes a slice away that ends at `end`, and the line's end if it is `over`.
    pub fn sliced(&mut self, end: usize, over: bool) {
        self.searched = end;
        if over {
            return self.consume();
        }
        self.head = end;
        if self.head == self.tail {
            (self.head, self.tail, self.searched) = (0, 0, 0);
        }
    }

    fn holds_line(&self, b: &[u8]) -> bool {
        find(part(b, self.searched, self.tail), b'\n').is_some()
    }

    fn drop_all(&mut self, b: &[u8]) {
        let hunter = self.dropping.get_or_insert_with(Hunter::default);
        hunter.feed(part(b, self.head, self.tail));
        self.dropped = self.dropped.saturating_add(self.tail.wrapping_sub(self.head));
        self.head = 0;
        self.tail = 0;
        self.searched = 0;
    }

    /// `n` bytes have come into the room.
    pub fn received(&mut self, n: usize, len: usize) {
        self.tail = self.tail.saturating_add(n).min(len);
    }

    /// No more bytes will come: what is left counts as a line.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the stream has ended and every line of it was taken.
    pub fn is_over(&self) -> bool {
        self.ended && self.head == self.tail
    }

    /// Whether no more bytes will come.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Bytes received and not yet consumed.
    pub fn waiting(&self) -> usize {
        self.tail.wrapping_sub(self.head)
    }

    /// The next line that is not blank.
    pub fn next(&mut self, b: &[u8]) -> Found {
        loop {
            let newline =
                find(part(b, self.searched, self.tail), b'\n').map(|i| self.searched.wrapping_add(i));
            if self.dropping.is_some() {
                match self.drop_to(b, newline) {
                    None => return Found::Nothing,
                    Some(n) => return Found::TooLong(n),
                }
            }
            let end = match newline {
                Some(i) => i,
                None => {
                    self.searched = self.tail;
                    if !self.ended || self.head == self.tail {
                        return Found::Nothing;
                    }
                    self.tail
                }
            };
            self.searched = end;
            let (start, stop) = trim(b, self.head, end);
            if start < stop {
                return Found::Line { start, end: stop };
            }
            self.consume();
        }
    }

    /// Goes on dropping; the size of the line when its end is there.
    fn drop_to(&mut self, b: &[u8], newline: Option<usize>) -> Option<usize> {
        let end = newline.unwrap_or(self.tail);
        if let Some(hunter) = &mut self.dropping {
            hunter.feed(part(b, self.head, end));
        }
        self.dropped = self.dropped.saturating_add(end.wrapping_sub(self.head));
        self.head = end;
        self.searched = end;
        (newline.is_some() || self.ended).then_some(self.dropped)
    }

    /// What was seen in the line that did not fit. Stays until [`Lines::consume`].
    pub fn found_while_dropping(&self) -> Option<&Hunter> {
        self.dropping.as_ref()
    }

    /// Takes the line last found away.
    pub fn consume(&mut self) {
        self.dropping = None;
        self.dropped = 0;
        // Past the newline, unless the stream ended without one.
        self.head = self.searched.wrapping_add(1).min(self.tail.max(self.searched));
        self.searched = self.head;
        if self.head == self.tail {
            self.head = 0;
            self.tail = 0;
            self.searched = 0;
        }
    }
}

/// The line without a byte order mark and blanks. A mark is no JSON, but editors and shells put it there.
fn trim(b: &[u8], mut start: usize, mut end: usize) -> (usize, usize) {
    if part(b, start, start.wrapping_add(3)) == [0xEF, 0xBB, 0xBF] && start.wrapping_add(3) <= end {
        start = start.wrapping_add(3);
    }
    while start < end && matches!(at(b, start), b' ' | b'\t' | b'\r') {
        start = start.wrapping_add(1);
    }
    while end > start && matches!(at(b, end.wrapping_sub(1)), b' ' | b'\t' | b'\r') {
        end = end.wrapping_sub(1);
    }
    (start, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;
    use std::vec::Vec;

    fn lines(input: &[u8], cut: usize, size: usize) -> Vec<String> {
        let mut memory = std::vec![0; size];
        let mut buf = Buf::from(&mut memory[..]);
        let mut lines = Lines::default();
        let mut out = Vec::new();
        let mut chunks = input.chunks(cut);
        loop {
            match lines.next(buf.bytes()) {
                Found::Line { start, end } => {
                    out.push(String::from_utf8_lossy(part(buf.bytes(), start, end)).into_owned());
                    lines.consume();
                }
                Found::TooLong(n) => {
                    let id = lines.found_while_dropping().and_then(Hunter::id).map(|id| id.to_vec());
                    out.push(std::format!("long {n} {:?}", id.map(|id| String::from_utf8(id).unwrap())));
                    lines.consume();
                }
                Found::Nothing if lines.ended => return out,
                Found::Nothing => match chunks.next() {
                    None => lines.end(),
                    Some(mut chunk) => {
                        while !chunk.is_empty() {
                            let room = lines.room(&mut buf, false);
                            assert!(!room.is_empty());
                            let n = crate::bytes::copy(room, chunk);
                            lines.received(n, size);
                            chunk = &chunk[n..];
                            if !chunk.is_empty() {
                                // The room was too small for the chunk: take lines out first, as a loop would.
                                while let Found::Line { start, end } = lines.next(buf.bytes()) {
                                    out.push(
                                        String::from_utf8_lossy(part(buf.bytes(), start, end)).into_owned(),
                                    );
                                    lines.consume();
                                }
                                if let Found::TooLong(n) = lines.next(buf.bytes()) {
                                    let id = lines
                                        .found_while_dropping()
                                        .and_then(Hunter::id)
                                        .map(|id| id.to_vec());
                                    out.push(std::format!(
                                        "long {n} {:?}",
                                        id.map(|id| String::from_utf8(id).unwrap())
                                    ));
                                    lines.consume();
                                }
                            }
                        }
                    }
                },
            }
        }
    }

    #[test]
    fn any_cut_gives_the_same_lines() {
        let input = b"\xEF\xBB\xBFone\r\n\n   \n\t two \t\r\n{\"id\":\"x\",\"params\":{\"a\":\"0123456789012345678901234567890\"}}\nthree\n{\"params\":\"01234567890123456789\\\"\\\\\",\"id\": 7 }\nlast";
        for cut in 1..input.len() {
            assert_eq!(
                lines(input, cut, 24),
                ["one", "two", "long 59 Some(\"\\\"x\\\"\")", "three", "long 46 Some(\"7\")", "last"],
                "cut {cut}"
            );
        }
        assert_eq!(lines(input, 7, 200).len(), 6);
    }
}

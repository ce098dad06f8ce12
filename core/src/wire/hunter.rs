//! Finds the id of a message that does not fit, byte by byte while it is skipped.

use crate::limits::ID_MAX_BYTES;

/// What is known of a message that went by.
///
/// Follows strings and nesting only; text that is no JSON makes it find nothing or something harmless, since what it
/// found is checked before use.
#[derive(Clone, Debug, Default)]
pub struct Hunter {
    depth: u32,
    state: State,
    escaped: bool,
    key: Key,
    matched: u8,
    id: heapless::Vec<u8, ID_MAX_BYTES, u8>,
    id_spoiled: bool,
    method: bool,
    result_over: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    InKey,
    InString,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    #[default]
    Awaited,
    Other,
    Id,
    Method,
    Result,
}

impl Hunter {
    /// Looks at the next bytes of the message.
    pub fn feed(&mut self, bytes: &[u8]) {
        for c in bytes {
            self.step(*c);
        }
    }

    #[inline]
    fn step(&mut self, c: u8) {
        match self.state {
            State::Between => self.between(c),
            State::InKey => self.in_key(c),
            State::InString => self.in_string(c),
        }
    }

    /// [`feed`](Self::feed), and where in `bytes` the object lies that the member `result` holds: from, to.
    pub fn carve(&mut self, bytes: &[u8]) -> (usize, usize) {
        let (mut from, mut to) = (bytes.len(), 0);
        for (i, c) in bytes.iter().enumerate() {
            let before = self.in_result();
            self.step(*c);
            let after = self.in_result();
            if before || after {
                from = from.min(i);
                to = i.wrapping_add(1);
            }
            self.result_over |= before && !after;
        }
        (from.min(to), to)
    }

    fn in_result(&self) -> bool {
        self.key == Key::Result && self.depth > 1 && !self.result_over
    }

    /// Whether all of the object that `result` holds went by.
    pub fn result_is_over(&self) -> bool {
        self.result_over
    }

    /// The id as it stood there, if it was a string or an integer of allowed length and stood there once.
    pub fn id(&self) -> Option<&[u8]> {
        (!self.id_spoiled && !self.id.is_empty()).then_some(self.id.as_slice())
    }

    /// Whether it named a method: then it was a request or a notification, and not a response.
    pub fn has_method(&self) -> bool {
        self.method
    }

    fn between(&mut self, c: u8) {
        match c {
            b'"' if self.depth == 1 && self.key == Key::Awaited => {
                self.state = State::InKey;
                self.matched = 0;
            }
            b'"' => {
                self.state = State::InString;
                self.take(c);
            }
            b'{' | b'[' => {
                self.spoil();
                self.depth = self.depth.saturating_add(1);
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            b',' if self.depth == 1 => self.key = Key::Awaited,
            b' ' | b'\t' | b'\r' | b':' => {}
            _ => self.take(c),
        }
    }

    /// Names are matched as they come: the high bits say what is still possible, the low ones how far it got.
    fn in_key(&mut self, c: u8) {
        const NAMES: [&[u8]; 3] = [b"id", b"method", b"result"];
        const MISSED: [u8; 3] = [1 << 4, 1 << 5, 1 << 6];
        let at = self.matched & 15;
        if c == b'"' && !self.escaped {
            self.state = State::Between;
            self.key = match self.matched {
                m if m == 2 | 1 << 5 | 1 << 6 => Key::Id,
                m if m == 6 | 1 << 4 | 1 << 6 => Key::Method,
                m if m == 6 | 1 << 4 | 1 << 5 => Key::Result,
                _ => Key::Other,
            };
            if self.key == Key::Id && !self.id.is_empty() {
                self.id_spoiled = true;
            }
            self.method |= self.key == Key::Method;
            return;
        }
        self.escaped = c == b'\\' && !self.escaped;
        let mut missed = self.matched & 0x70;
        for (bit, name) in MISSED.into_iter().zip(NAMES) {
            if name.get(usize::from(at)) != Some(&c) {
                missed |= bit;
            }
        }
        self.matched = missed | at.saturating_add(1).min(15);
    }

    fn in_string(&mut self, c: u8) {
        self.take(c);
        if self.escaped {
            self.escaped = false;
        } else if c == b'\\' {
            self.escaped = true;
        } else if c == b'"' {
            self.state = State::Between;
        }
    }

    fn take(&mut self, c: u8) {
        if self.depth == 1 && self.key == Key::Id && self.id.push(c).is_err() {
            self.id_spoiled = true;
        }
    }

    fn spoil(&mut self) {
        if self.depth == 1 && self.key == Key::Id {
            self.id_spoiled = true;
        }
    }
}

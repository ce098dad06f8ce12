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
}

impl Hunter {
    /// Looks at the next bytes of the message.
    pub fn feed(&mut self, bytes: &[u8]) {
        for c in bytes {
            match self.state {
                State::Between => self.between(*c),
                State::InKey => self.in_key(*c),
                State::InString => self.in_string(*c),
            }
        }
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
        const NAMES: [&[u8]; 2] = [b"id", b"method"];
        let at = self.matched & 15;
        if c == b'"' && !self.escaped {
            self.state = State::Between;
            self.key = match self.matched {
                m if m == 2 | 1 << 5 => Key::Id,
                m if m == 6 | 1 << 4 => Key::Method,
                _ => Key::Other,
            };
            if self.key == Key::Id && !self.id.is_empty() {
                self.id_spoiled = true;
            }
            self.method |= self.key == Key::Method;
            return;
        }
        self.escaped = c == b'\\' && !self.escaped;
        let mut missed = self.matched & 0x30;
        for (bit, name) in [1 << 4, 1 << 5].into_iter().zip(NAMES) {
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

//! A push writer: commas, quotes, escapes and nesting are its business.

use super::raw::Raw;
use super::scan::{SOFT, Scan, Token};
use crate::bytes::{at, part};
use crate::sink::Sink;

pub use super::escape::{decimal, decimal_text, escape};

/// Writes JSON onto a [`Sink`]. Never fails at the call; the sink remembers what did not fit.
pub struct Writer<'e> {
    sink: Sink<'e>,
    nest: u128,
    depth: u8,
    place: Place,
    quoted: bool,
}

/// What was written last, so that anything can be ended from here.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing that needs a comma after it.
    First,
    /// A value: the next one needs a comma.
    Next,
    /// A name, whose value is to come.
    Named,
    /// A part of a string.
    InText,
    /// A part of a name.
    InName,
}

impl<'e> Writer<'e> {
    /// A writer that starts with a value.
    #[inline]
    pub fn new(sink: Sink<'e>) -> Self {
        Self { sink, nest: 0, depth: 0, place: Place::First, quoted: false }
    }

    /// The sink below.
    #[inline]
    pub fn sink(&mut self) -> &mut Sink<'e> {
        &mut self.sink
    }

    /// The same place for a shorter time. Containers opened there must be closed there.
    ///
    /// After a name it is taken for granted that its value is written there; elsewhere say with
    /// [`set_comma`](Self::set_comma) whether something was.
    pub fn reborrow(&mut self) -> Writer<'_> {
        let place = self.place;
        if place == Place::Named {
            self.place = Place::Next;
        }
        Writer { sink: self.sink.reborrow(), nest: 0, depth: 0, place, quoted: self.quoted }
    }

    /// Adds bytes as they are: text that is part of the layout, not of a value.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        if self.place == Place::Named {
            self.place = Place::First;
        }
        self.emit(bytes);
    }

    #[inline]
    fn emit(&mut self, bytes: &[u8]) {
        if self.quoted {
            return escape(bytes, &mut |b| self.sink.put(b));
        }
        self.sink.put(bytes);
    }

    /// Says whether the next value or name needs a comma before it, after text added by [`put`](Self::put).
    #[inline]
    pub fn set_comma(&mut self, comma: bool) {
        self.place = if comma { Place::Next } else { Place::First };
    }

    /// Opens an object.
    pub fn object(&mut self) {
        self.open(true);
    }

    /// Opens an array.
    pub fn array(&mut self) {
        self.open(false);
    }

    fn open(&mut self, object: bool) {
        self.lead();
        self.emit(if object { b"{" } else { b"[" });
        // The bits beyond the top fall off; a writer that deep only ever echoes what a scanner let in.
        self.nest = (self.nest << 1) | u128::from(object);
        self.depth = self.depth.saturating_add(1);
        self.place = Place::First;
    }

    /// Closes what was opened last, an unfinished string or member before it; does nothing when nothing is open.
    pub fn close(&mut self) {
        self.settle();
        if self.depth == 0 {
            return;
        }
        self.emit(if self.nest & 1 == 1 { b"}" } else { b"]" });
        self.nest >>= 1;
        self.depth = self.depth.wrapping_sub(1);
        self.place = Place::Next;
    }

    /// Closes all that is open: what was written so far becomes a whole value, at any point. A name gets `null`.
    pub fn close_all(&mut self) {
        self.settle();
        while self.depth > 0 {
            self.close();
        }
    }

    fn settle(&mut self) {
        match self.place {
            Place::First | Place::Next => return,
            Place::Named => self.emit(b"null"),
            Place::InText => self.emit(b"\""),
            Place::InName => self.emit(b"\":null"),
        }
        self.place = Place::Next;
    }

    /// How many containers are open.
    pub fn depth(&self) -> u8 {
        self.depth
    }

    /// Starts a member.
    pub fn key(&mut self, name: &str) {
        self.lead();
        self.quote(name.as_bytes());
        self.emit(b":");
        self.place = Place::Named;
    }

    /// Starts a member whose name is JSON text already, quotes and colon included: `"name":`.
    #[inline]
    pub fn raw_key(&mut self, name: &[u8]) {
        self.lead();
        self.emit(name);
        self.place = Place::Named;
    }

    /// Adds a string.
    pub fn str(&mut self, text: &str) {
        self.lead();
        self.quote(text.as_bytes());
        self.place = Place::Next;
    }

    /// Adds a member that is a string.
    pub fn member(&mut self, name: &str, text: &str) {
        self.key(name);
        self.str(text);
    }

    /// Adds a value that is valid JSON text already.
    #[inline]
    pub fn raw(&mut self, json: &[u8]) {
        self.lead();
        self.emit(json);
        self.place = Place::Next;
    }

    /// Adds `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        self.raw(if value { b"true" } else { b"false" });
    }

    /// Adds `null`.
    pub fn null(&mut self) {
        self.raw(b"null");
    }

    /// Adds an unsigned integer.
    pub fn u64(&mut self, value: u64) {
        self.lead();
        self.digits(false, value);
        self.place = Place::Next;
    }

    /// Adds an integer.
    pub fn i64(&mut self, value: i64) {
        self.lead();
        self.digits(value < 0, value.unsigned_abs());
        self.place = Place::Next;
    }

    fn digits(&mut self, negative: bool, value: u64) {
        if negative {
            self.emit(b"-");
        }
        let mut digits = [0; 20];
        self.emit(decimal(value, &mut digits));
    }

    /// Starts a member that is named by an integer, in quotes.
    pub fn key_integer(&mut self, negative: bool, value: u64) {
        self.begin_key();
        self.digits(negative, value);
        self.end_key();
    }

    /// Opens a name that is written piece by piece with [`text`](Self::text).
    pub fn begin_key(&mut self) {
        self.lead();
        self.emit(b"\"");
        self.place = Place::InName;
    }

    /// Closes the open name.
    pub fn end_key(&mut self) {
        self.emit(b"\":");
        self.place = Place::Named;
    }

    /// Opens a string that is written piece by piece with [`text`](Self::text).
    pub fn begin_str(&mut self) {
        self.lead();
        self.emit(b"\"");
        self.place = Place::InText;
    }

    /// Adds a piece to the open string.
    pub fn text(&mut self, piece: &str) {
        if self.quoted {
            return escape(piece.as_bytes(), &mut |b| escape(b, &mut |b| self.sink.put(b)));
        }
        escape(piece.as_bytes(), &mut |b| self.sink.put(b));
    }

    /// Closes the open string.
    pub fn end_str(&mut self) {
        self.emit(b"\"");
        self.place = Place::Next;
    }

    /// Writes whatever `write` writes as the text of one JSON string: the text twin of structured content.
    pub fn twin(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        self.begin_str();
        self.text_value(write);
        self.end_str();
    }

    /// Adds the JSON that `write` writes to the string that is being written.
    pub fn text_value(&mut self, write: impl FnOnce(&mut Writer<'_>)) {
        let quoted = core::mem::replace(&mut self.quoted, true);
        let mut inner = self.reborrow();
        inner.place = Place::First;
        write(&mut inner);
        inner.close_all();
        self.quoted = quoted;
    }

    /// Adds a value that may be softened, or laid out over several lines: copied as a whole when it is neither.
    pub fn passed(&mut self, value: Raw<'_>) {
        let plain = |hit: bool, c: &u8| hit | (*c < b' ') | (*c >= SOFT);
        // No early exit, so that it becomes vector code on a host.
        if value.get().iter().fold(false, plain) { self.value(value.get()) } else { self.raw(value.get()) }
    }

    /// Adds a value that was scanned before and may be softened (see [`super::text::soften`]): strings are escaped anew.
    ///
    /// What was not scanned before ends where it stops being JSON, with everything closed.
    pub fn value(&mut self, b: &[u8]) {
        let depth = self.depth;
        let mut scan = Scan::value(0);
        loop {
            let token = scan.next(b);
            match token {
                Token::End => return,
                Token::Error => break,
                Token::BeginObject => self.object(),
                Token::BeginArray => self.array(),
                Token::EndObject | Token::EndArray => self.close(),
                Token::Key | Token::Str => self.string(b, &scan, token),
                _ => self.raw(part(b, scan.start(), scan.end())),
            }
        }
        self.settle();
        while self.depth > depth {
            self.close();
        }
    }

    fn string(&mut self, b: &[u8], scan: &Scan, token: Token) {
        let text = part(b, scan.start(), scan.end());
        self.lead();
        if at(b, scan.start().wrapping_sub(1)) == SOFT {
            self.quote(text);
        } else {
            self.emit(b"\"");
            self.emit(text);
            self.emit(b"\"");
        }
        self.place = Place::Next;
        if token == Token::Key {
            self.emit(b":");
            self.place = Place::Named;
        }
    }

    #[inline]
    fn lead(&mut self) {
        if self.place == Place::Next {
            self.emit(b",");
        }
    }

    fn quote(&mut self, text: &[u8]) {
        self.emit(b"\"");
        if self.quoted {
            escape(text, &mut |b| escape(b, &mut |b| self.sink.put(b)));
        } else {
            escape(text, &mut |b| self.sink.put(b));
        }
        self.emit(b"\"");
    }
}

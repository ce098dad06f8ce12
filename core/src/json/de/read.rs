use super::super::num::{to_i64, to_u64};
use super::super::scan::{SOFT, Scan, Token};
use super::super::text;
use super::{De, DeError};
use crate::bytes::{at, find, part};
use crate::error::{Error, Kind};
use serde::de::Visitor;

impl<'de> De<'de> {
    pub(super) fn take(&mut self) -> Result<Token, DeError> {
        if let Some(token) = self.held.take() {
            return Ok(token);
        }
        match self.scan.next(self.b) {
            Token::Error if self.b.is_empty() => Err(Error::new(Kind::Missing, 0).into()),
            Token::Error => Err(self.scan.error().into()),
            token => Ok(token),
        }
    }

    /// The next token of a container; a value that nobody took is left out.
    pub(super) fn advance(&mut self) -> Result<Token, DeError> {
        if let Some(token) = self.held.take() {
            self.scan.skip(self.b, token);
        }
        self.take()
    }

    pub(super) fn hold(&mut self, token: Token) {
        self.held = Some(token);
    }

    /// The whole value when it is a string and nothing was read yet: its end is known, so it is not scanned again.
    pub(super) fn whole(&mut self) -> Option<&'de str> {
        if self.scan.pos() > 0 {
            return None;
        }
        let text = text::content(self.b)?;
        // A string that was not softened goes the long way, which refuses it.
        if !self.sure && at(self.b, 0) != SOFT && find(self.b, b'\\').is_some() {
            return None;
        }
        self.scan = Scan::done(self.b.len());
        Some(text)
    }

    /// First byte of `token`, the last one read.
    pub(super) fn place(&self, token: Token) -> usize {
        match token {
            Token::Key | Token::Str => self.scan.start().wrapping_sub(1),
            _ => self.scan.start(),
        }
    }

    #[cold]
    pub(super) fn wrong(&self, token: Token) -> DeError {
        Error::new(Kind::Type, self.place(token)).into()
    }

    pub(super) fn span(&self) -> &'de [u8] {
        part(self.b, self.scan.start(), self.scan.end())
    }

    pub(super) fn string(&mut self) -> Result<&'de str, DeError> {
        if let Some(text) = self.whole() {
            return Ok(text);
        }
        match self.take()? {
            token @ (Token::Key | Token::Str) => self.text(token),
            token => Err(self.wrong(token)),
        }
    }

    pub(super) fn text(&self, token: Token) -> Result<&'de str, DeError> {
        if self.scan.marked() {
            return Err(Error::new(Kind::Escape, self.place(token)).into());
        }
        core::str::from_utf8(self.span()).map_err(|_| Error::new(Kind::Utf8, self.place(token)).into())
    }

    /// The text of a number, which in a name stands between quotes.
    pub(super) fn number(&mut self) -> Result<&'de [u8], DeError> {
        match self.take()? {
            Token::Number => Ok(self.span()),
            Token::Key => {
                let text = self.span();
                let mut scan = Scan::text();
                let is_number =
                    scan.next(text) == Token::Number && scan.end() == text.len() && scan.start() == 0;
                if is_number { Ok(text) } else { Err(self.wrong(Token::Key)) }
            }
            token => Err(self.wrong(token)),
        }
    }

    pub(super) fn i64(&mut self) -> Result<i64, DeError> {
        let token = self.number()?;
        to_i64(token).map_err(|kind| self.at_last(kind))
    }

    pub(super) fn u64(&mut self) -> Result<u64, DeError> {
        let token = self.number()?;
        to_u64(token).map_err(|kind| self.at_last(kind))
    }

    #[cold]
    pub(super) fn at_last(&self, kind: Kind) -> DeError {
        Error::new(kind, self.scan.start()).into()
    }

    /// Gives `result` the place of the last token if its error has none.
    pub(super) fn placed<T>(&self, result: Result<T, DeError>) -> Result<T, DeError> {
        result.map_err(|e| e.or_at(self.scan.start()))
    }

    /// Ends the container that began at `start` in `depth` containers, after the visitor has had its fill.
    pub(super) fn finish<T>(
        &mut self,
        result: Result<T, DeError>,
        start: usize,
        depth: u8,
    ) -> Result<T, DeError> {
        let value = result.map_err(|e| {
            // What is there too often or unknown is the last thing read; all else concerns the container.
            let last = matches!(e.kind(), Kind::Duplicate | Kind::Unknown);
            e.or_at(if last { self.scan.start() } else { start })
        })?;
        if self.scan.depth() > depth {
            let token = self.advance()?;
            if !matches!(token, Token::EndObject | Token::EndArray) {
                return Err(Error::new(Kind::Length, start).into());
            }
        }
        Ok(value)
    }

    pub(super) fn any_number<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, DeError> {
        let token = self.span();
        let exact = match token {
            _ if cfg!(feature = "float") && self.scan.marked() => None,
            [b'-', ..] => to_i64(token).ok().map(Integer::Negative),
            _ => to_u64(token).ok().map(Integer::Positive),
        };
        let result = match exact {
            Some(Integer::Negative(value)) => visitor.visit_i64(value),
            Some(Integer::Positive(value)) => visitor.visit_u64(value),
            #[cfg(feature = "float")]
            None => match crate::json::float::to_f64(token) {
                Ok(value) => visitor.visit_f64(value),
                Err(kind) => Err(self.at_last(kind)),
            },
            #[cfg(not(feature = "float"))]
            None => Err(self.at_last(to_i64(token).err().unwrap_or(Kind::Range))),
        };
        self.placed(result)
    }
}

enum Integer {
    Negative(i64),
    Positive(u64),
}

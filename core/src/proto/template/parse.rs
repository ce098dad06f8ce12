//! Reading a template, one variable at a time, in constants too.

use core::fmt;

use crate::bytes::at;

use super::{TEMPLATE_MAX, VARS_MAX};

/// What is wrong with a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplateFault {
    /// Longer than [`TEMPLATE_MAX`] bytes.
    TooLong,
    /// More than [`VARS_MAX`] variables.
    TooManyVars,
    /// An expression that does not end.
    Unclosed,
    /// A `}` that ends nothing.
    Unopened,
    /// A byte that neither a URI nor a template may hold outside an expression.
    Literal,
    /// A `%` without two hexadecimal digits.
    Escape,
    /// An operator that RFC 6570 reserves or does not know.
    Operator,
    /// No variable name where one must stand, or a byte that no name may hold.
    Name,
    /// A prefix length outside 1 to 9999, or together with `*`.
    Prefix,
    /// An expression that starts with no character of its own, right behind another: no URI says where to cut.
    Adjacent,
}

/// What is wrong with a template, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// What is wrong.
    pub fault: TemplateFault,
    /// The byte of the template it is at.
    pub at: usize,
}

impl TemplateError {
    /// One phrase that says what is wrong; a `&str` so that a const check can panic with it.
    pub const fn phrase(self) -> &'static str {
        match self.fault {
            TemplateFault::TooLong => "URI template: longer than 255 bytes",
            TemplateFault::TooManyVars => "URI template: more than 8 variables",
            TemplateFault::Unclosed => "URI template: `{` without `}`",
            TemplateFault::Unopened => "URI template: `}` without `{`",
            TemplateFault::Literal => "URI template: a character that must be percent-encoded",
            TemplateFault::Escape => "URI template: `%` must be followed by two hexadecimal digits",
            TemplateFault::Operator => "URI template: unknown operator, RFC 6570 has + # . / ; ? &",
            TemplateFault::Name => {
                "URI template: variable names are letters, digits, `_`, `%XX` and inner dots"
            }
            TemplateFault::Prefix => "URI template: a prefix is `:1` to `:9999` and excludes `*`",
            TemplateFault::Adjacent => {
                "URI template: two variables need a literal or an operator between them"
            }
        }
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.phrase(), self.at)
    }
}

impl core::error::Error for TemplateError {}

/// The operator of an expression (RFC 6570 §2.2, table in appendix A).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Op {
    Simple,
    Reserved,
    Fragment,
    Label,
    Path,
    Param,
    Query,
    Continue,
}

impl Op {
    /// The byte an expression with a value starts with; 0 for none.
    pub(super) const fn lead(self) -> u8 {
        match self {
            Self::Simple | Self::Reserved => 0,
            Self::Fragment => b'#',
            Self::Label => b'.',
            Self::Path => b'/',
            Self::Param => b';',
            Self::Query => b'?',
            Self::Continue => b'&',
        }
    }

    /// The byte between two values.
    pub(super) const fn sep(self) -> u8 {
        match self {
            Self::Simple | Self::Reserved | Self::Fragment => b',',
            Self::Query => b'&',
            _ => self.lead(),
        }
    }

    /// Whether the names of the variables are written out.
    pub(super) const fn named(self) -> bool {
        matches!(self, Self::Param | Self::Query | Self::Continue)
    }

    /// Whether values may hold any character of a URI.
    pub(super) const fn broad(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }
}

/// One variable of a template; offsets are into the template.
#[derive(Clone, Copy)]
pub(super) struct Spec {
    pub(super) op: Op,
    /// The name.
    pub(super) from: u16,
    /// The end of the name.
    pub(super) to: u16,
    /// The most characters of a prefix; 0 for none.
    pub(super) prefix: u16,
    pub(super) explode: bool,
    /// Whether the expression has no other variable.
    pub(super) alone: bool,
    pub(super) first: bool,
    pub(super) last: bool,
    /// The `{` of the expression.
    pub(super) start: u16,
    /// The byte behind its `}`.
    pub(super) after: u16,
}

impl Spec {
    /// A place in the table that is not in use.
    pub(super) const NONE: Self = Self {
        op: Op::Simple,
        from: 0,
        to: 0,
        prefix: 0,
        explode: false,
        alone: true,
        first: true,
        last: true,
        start: 0,
        after: 0,
    };

    /// Whether the URI shows the variable's own name; an exploded one shows the names of its members.
    pub(super) const fn shows_name(&self) -> bool {
        self.op.named() && !self.explode
    }

    /// Whether the value is a run of pairs, with the names of its members.
    pub(super) const fn pairs(&self) -> bool {
        self.op.named() && self.explode
    }

    /// Whether the name alone stands for an empty value (RFC 6570 §3.2.7).
    pub(super) const fn bare(&self) -> bool {
        matches!(self.op, Op::Param) && !self.explode
    }

    /// Whether a value must have a byte: `;x=` and `?` with nothing behind are no expansions.
    pub(super) const fn never_empty(&self) -> bool {
        self.pairs() || self.bare()
    }

    /// How many bytes stand before the value within the expression, a separator or lead included.
    pub(super) const fn before_value(&self) -> usize {
        let lead = !(self.first && self.op.lead() == 0) as usize;
        if self.shows_name() { lead + (self.to - self.from) as usize + 1 } else { lead }
    }
}

/// A run of percent-encoding or one plain byte, of a template's text or of a URI: its code and its length.
///
/// Encoded bytes have the codes from [`ENCODED`] on, so that `%2F` is never taken for `/`. Both cases of
/// hexadecimal digits are the same code (RFC 3986 §6.2.2.1).
pub(super) const fn unit(b: &[u8], i: usize) -> (u16, usize) {
    match at(b, i) {
        b'%' => match (hex(at(b, i + 1)), hex(at(b, i + 2))) {
            (Some(high), Some(low)) => (ENCODED | ((high as u16) << 4 | low as u16), 3),
            _ => (BROKEN, 1),
        },
        c => (c as u16, 1),
    }
}

/// [`unit`] for text of a template: what is not ASCII there is percent-encoded in the URI (RFC 6570 §3.1).
pub(super) const fn literal(b: &[u8], i: usize) -> (u16, usize) {
    match unit(b, i) {
        (c @ 0x80..ENCODED, len) => (ENCODED | c, len),
        unit => unit,
    }
}

/// The bit that tells `%2F` from `/`.
pub(super) const ENCODED: u16 = 0x100;
/// The code of a `%` that starts no percent-encoding.
pub(super) const BROKEN: u16 = 0x200;

/// The value of a hexadecimal digit.
pub(super) const fn hex(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        b'A'..=b'F' => Some(c - b'A' + 10),
        _ => None,
    }
}

/// Reads the variables of a template in order.
pub(super) struct Parser<'t> {
    t: &'t [u8],
    i: usize,
    /// The offsets of the expression being read: its `{` and its `}`; both 0 outside.
    start: usize,
    close: usize,
    op: Op,
    first: bool,
    /// The byte behind the last expression; 0 before the first.
    behind: usize,
    count: usize,
}

impl<'t> Parser<'t> {
    pub(super) const fn new(template: &'t str) -> Self {
        let t = template.as_bytes();
        Self { t, i: 0, start: 0, close: 0, op: Op::Simple, first: true, behind: 0, count: 0 }
    }

    const fn fail<T>(&self, fault: TemplateFault) -> Result<T, TemplateError> {
        Err(TemplateError { fault, at: self.i })
    }

    /// The next variable; `None` at the end of a template without faults.
    pub(super) const fn next(&mut self) -> Result<Option<Spec>, TemplateError> {
        if self.t.len() > TEMPLATE_MAX {
            return Err(TemplateError { fault: TemplateFault::TooLong, at: TEMPLATE_MAX });
        }
        if self.close == 0 {
            match self.text() {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(e) => return Err(e),
            }
            if let Err(e) = self.open() {
                return Err(e);
            }
        }
        if self.count == VARS_MAX {
            return self.fail(TemplateFault::TooManyVars);
        }
        self.count += 1;
        self.var()
    }

    /// Passes text up to the next `{`, and says whether there is one.
    const fn text(&mut self) -> Result<bool, TemplateError> {
        while self.i < self.t.len() {
            match literal(self.t, self.i) {
                (0x7B, _) => return Ok(true),
                (0x7D, _) => return self.fail(TemplateFault::Unopened),
                (BROKEN, _) => return self.fail(TemplateFault::Escape),
                // `"` `<` `>` `\` `^` `` ` `` `|`, blanks and controls stand in no URI.
                (0..=0x20 | 0x22 | 0x3C | 0x3E | 0x5C | 0x5E | 0x60 | 0x7C | 0x7F, _) => {
                    return self.fail(TemplateFault::Literal);
                }
                (_, len) => self.i += len,
            }
        }
        Ok(false)
    }

    /// Passes `{` and the operator.
    const fn open(&mut self) -> Result<(), TemplateError> {
        self.start = self.i;
        let mut close = self.i;
        while at(self.t, close) != b'}' {
            if close >= self.t.len() {
                return self.fail(TemplateFault::Unclosed);
            }
            close += 1;
        }
        self.i += 1;
        self.op = match at(self.t, self.i) {
            b'+' => Op::Reserved,
            b'#' => Op::Fragment,
            b'.' => Op::Label,
            b'/' => Op::Path,
            b';' => Op::Param,
            b'?' => Op::Query,
            b'&' => Op::Continue,
            b'=' | b',' | b'!' | b'@' | b'|' | b'$' | b'-' | b'~' | b'*' => {
                return self.fail(TemplateFault::Operator);
            }
            _ => Op::Simple,
        };
        if self.op.lead() == 0 && self.behind == self.start && self.start != 0 {
            return Err(TemplateError { fault: TemplateFault::Adjacent, at: self.start });
        }
        if !matches!(self.op, Op::Simple) {
            self.i += 1;
        }
        self.close = close;
        self.first = true;
        Ok(())
    }

    /// Reads one variable, and what follows it up to the next.
    const fn var(&mut self) -> Result<Option<Spec>, TemplateError> {
        let from = self.i;
        if let Err(e) = self.name() {
            return Err(e);
        }
        let to = self.i;
        let (prefix, explode) = match self.modifier() {
            Ok(both) => both,
            Err(e) => return Err(e),
        };
        let (first, last) = (self.first, self.i == self.close);
        if !last && at(self.t, self.i) != b',' {
            return self.fail(if to == self.i { TemplateFault::Name } else { TemplateFault::Prefix });
        }
        self.i += 1;
        self.first = false;
        let (start, after) = (self.start as u16, (self.close + 1) as u16);
        if last {
            self.close = 0;
            self.behind = self.i;
        }
        let (from, to, alone) = (from as u16, to as u16, first && last);
        Ok(Some(Spec { op: self.op, from, to, prefix, explode, alone, first, last, start, after }))
    }

    /// Passes a name: RFC 6570 §2.3 `varname`.
    const fn name(&mut self) -> Result<(), TemplateError> {
        let from = self.i;
        let mut dotted = true;
        loop {
            match unit(self.t, self.i) {
                // A dot stands between two other characters.
                (0x2E, _) if !dotted => dotted = true,
                (c, _) if c == b'_' as u16 || c >= ENCODED && c != BROKEN => dotted = false,
                (c, _) if c < 0x80 && (c as u8).is_ascii_alphanumeric() => dotted = false,
                (BROKEN, _) => return self.fail(TemplateFault::Escape),
                _ if dotted => return self.fail(TemplateFault::Name),
                _ => break,
            }
            self.i += unit(self.t, self.i).1;
        }
        if self.i == from { self.fail(TemplateFault::Name) } else { Ok(()) }
    }

    /// Passes `*` or `:n` if there is one (RFC 6570 §2.4).
    const fn modifier(&mut self) -> Result<(u16, bool), TemplateError> {
        match at(self.t, self.i) {
            b'*' => {
                self.i += 1;
                return Ok((0, true));
            }
            b':' => self.i += 1,
            _ => return Ok((0, false)),
        }
        let (from, mut n) = (self.i, 0u16);
        while at(self.t, self.i).is_ascii_digit() && self.i < from + 4 {
            n = n * 10 + (at(self.t, self.i) - b'0') as u16;
            self.i += 1;
        }
        if n == 0 || at(self.t, from) == b'0' {
            return self.fail(TemplateFault::Prefix);
        }
        Ok((n, false))
    }
}

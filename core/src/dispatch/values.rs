//! What was sent: arguments, template variables, and what is to be completed.

use super::args::{Arg, Refusal, Span, check};
use super::io::{Io, Outcome};
use crate::bytes::copy;
use crate::error::Kind;
use crate::json::de::{DeError, from_softened};
use crate::json::text::{content, soften};
use crate::proto::template::{DecodeError, Vars, decode, is_plain, match_uri};
use crate::rpc::params::{Inner, Members};
use core::str::FromStr;
use serde::Deserialize;

/// What was sent with a call, not yet decoded.
pub struct Args<'e> {
    text: &'e mut [u8],
    escapes: bool,
    uri: &'e str,
    template: &'e str,
    scratch: &'e mut [u8],
}

impl<'e> Args<'e> {
    pub(super) fn new(
        text: &'e mut [u8],
        escapes: bool,
        uri: &'e str,
        template: &'e str,
        scratch: &'e mut [u8],
    ) -> Self {
        Self { text, escapes, uri, template, scratch }
    }

    /// The JSON text that was sent: of a tool or a prompt its `arguments` (empty when there were none).
    ///
    /// To be had before [`decode`](Self::decode) only, which unescapes strings where they stand.
    pub fn raw(&self) -> &[u8] {
        self.text
    }

    /// Checks what was sent against the table `args`: `spans` gets the place of each value, in the table's order.
    ///
    /// # Errors
    /// The call is answered already, with a refusal that names the argument and says what it must be; return the outcome.
    pub fn decode(
        self,
        args: &'static [Arg],
        spans: &mut [Span],
        io: &mut Io<'_>,
    ) -> Result<Values<'e>, Outcome> {
        let values = self.open();
        match check(args, values.text, spans) {
            Ok(()) => Ok(values),
            Err(refusal) => Err(io.refuse(args, values.text, refusal)),
        }
    }

    /// What was sent, unescaped and unchecked: for tools with a schema of their own.
    pub fn open(self) -> Values<'e> {
        if self.escapes {
            soften(self.text);
        }
        Values { text: self.text }
    }

    /// The variables of the template that matched.
    ///
    /// # Errors
    /// The call is answered already; return the outcome. A variable with percent escapes did not fit into the scratch
    /// memory, or is not UTF-8 once decoded.
    pub fn variables(self, io: &mut Io<'_>) -> Result<Variables<'e>, Outcome> {
        let uri = self.uri;
        let mut variables =
            Variables { uri, template: self.template, vars: Vars::new(), scratch: &[], at: [0; 8] };
        match_uri(self.template, uri.as_bytes(), &mut variables.vars);
        let mut used = 0_usize;
        for (var, at) in variables.vars.iter().zip(variables.at.iter_mut()) {
            let raw = var.raw(uri.as_bytes());
            if is_plain(raw) {
                continue;
            }
            *at = used as u16;
            let room = self.scratch.get_mut(used..).unwrap_or(&mut []);
            match decode(raw, room) {
                Ok(text) => used = used.saturating_add(text.len()),
                Err(DecodeError::Space(needed)) => return Err(io.no_scratch(used.saturating_add(needed))),
                Err(_) => return Err(io.not_found()),
            }
        }
        variables.scratch = self.scratch;
        Ok(variables)
    }

    /// What is to be completed.
    pub fn completion(self) -> Completion<'e> {
        let text: &'e [u8] = self.text;
        Completion { text }
    }
}

/// Arguments that can be read, any number of times.
#[derive(Clone, Copy)]
pub struct Values<'e> {
    text: &'e [u8],
}

impl<'e> Values<'e> {
    /// The unescaped text of the whole object; to be passed on through [`Writer::value`](crate::json::Writer::value).
    pub fn text(&self) -> &'e [u8] {
        self.text
    }

    /// The value of row `row`, as a `T`.
    ///
    /// # Errors
    /// The call is answered already, with a refusal that names the field; return the outcome.
    pub fn get<T: Deserialize<'e>>(
        &self,
        spans: &[Span],
        row: usize,
        args: &'static [Arg],
        io: &mut Io<'_>,
    ) -> Result<T, Outcome> {
        let value = spans.get(row).copied().unwrap_or(Span::ABSENT).of(self.text);
        from_softened(value).map_err(|error| io.refuse_value(args, row, value, &error))
    }

    /// The whole of the arguments, as a `T`: for tools with a schema of their own.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse<T: Deserialize<'e>>(&self) -> Result<T, DeError> {
        let empty = self.text.is_empty() || self.text == b"null";
        from_softened(if empty { b"{}" } else { self.text })
    }
}

/// The variables of a template, decoded.
#[derive(Clone, Copy)]
pub struct Variables<'e> {
    uri: &'e str,
    template: &'e str,
    vars: Vars,
    scratch: &'e [u8],
    at: [u16; 8],
}

impl<'e> Variables<'e> {
    /// The variable called `name`, percent-decoded; `None` when the URI has none.
    pub fn get(&self, name: &str) -> Option<&'e str> {
        let wanted = self.vars.get(self.template, name)?;
        let raw = wanted.raw(self.uri.as_bytes());
        if is_plain(raw) {
            return core::str::from_utf8(raw).ok();
        }
        let (_, at) = self.vars.iter().zip(self.at).find(|(var, _)| *var == wanted)?;
        let decoded_len = decoded_len(raw);
        let from = usize::from(at);
        let text = self.scratch.get(from..from.saturating_add(decoded_len))?;
        core::str::from_utf8(text).ok()
    }

    /// The variable called `name`, as a `T`.
    ///
    /// # Errors
    /// The call is answered already: a URI whose variable cannot be read names no resource. Return the outcome.
    pub fn parse<T: FromStr>(&self, name: &str, io: &mut Io<'_>) -> Result<T, Outcome> {
        self.get(name).and_then(|text| text.parse().ok()).ok_or_else(|| io.not_found())
    }
}

/// Bytes that `raw` has once its percent escapes are decoded.
fn decoded_len(raw: &[u8]) -> usize {
    let escapes = raw.iter().filter(|c| **c == b'%').count();
    raw.len().saturating_sub(escapes.saturating_mul(2))
}

/// What is to be completed.
#[derive(Clone, Copy)]
pub struct Completion<'e> {
    text: &'e [u8],
}

impl<'e> Completion<'e> {
    fn argument(&self) -> Inner {
        Inner::of(self.text, self.members().argument)
    }

    fn members(&self) -> Members {
        Members::of(self.text, Span::new(0, self.text.len()))
    }

    /// The argument or variable that is being typed.
    pub fn name(&self) -> &'e str {
        content(self.argument().name.of(self.text)).unwrap_or("")
    }

    /// What was typed so far.
    pub fn value(&self) -> &'e str {
        content(self.argument().value.of(self.text)).unwrap_or("")
    }

    /// The value of another argument that is settled already (from 2025-06-18).
    pub fn context(&self, name: &str) -> Option<&'e str> {
        use crate::json::scan::{Scan, Token};
        let arguments = Inner::of(self.text, self.members().context).arguments;
        let mut scan = Scan::value(arguments.from());
        if arguments.is_absent() || scan.next(self.text) != Token::BeginObject {
            return None;
        }
        while scan.next(self.text) == Token::Key {
            let hit = crate::bytes::part(self.text, scan.start(), scan.end()) == name.as_bytes();
            let token = scan.next(self.text);
            if hit && token == Token::Str {
                let whole = crate::bytes::part(self.text, scan.start().wrapping_sub(1), scan.pos());
                return content(whole);
            }
            scan.skip(self.text, token);
        }
        None
    }
}

/// Copies `text` into `out`; for handlers that keep what was sent beyond the call.
///
/// # Errors
/// [`Kind::Length`] when it does not fit.
pub fn keep<'o>(text: &str, out: &'o mut [u8]) -> Result<&'o str, Kind> {
    if text.len() > out.len() {
        return Err(Kind::Length);
    }
    let len = copy(out, text.as_bytes());
    out.get(..len).and_then(|kept| core::str::from_utf8(kept).ok()).ok_or(Kind::Length)
}

/// Which argument a refusal is about, in words: used by [`Io::refuse`].
pub(super) fn subject(refusal: &Refusal, args: &[Arg], text: &[u8], put: &mut dyn FnMut(&str)) {
    match refusal.arg.and_then(|row| args.get(row)) {
        Some(arg) => {
            put("argument \"");
            put(arg.name);
            put("\" ");
        }
        None if refusal.error.kind == Kind::Unknown => {
            put("unknown argument \"");
            let from = refusal.error.at as usize;
            let name = text.get(from..).unwrap_or(&[]);
            let end = name.iter().position(|c| matches!(c, b'"' | 0xFF)).unwrap_or(0).min(64);
            put(name.get(..end).and_then(|n| core::str::from_utf8(n).ok()).unwrap_or("?"));
            put("\"");
            if args.is_empty() {
                return put(": there are no arguments here");
            }
            put(": the arguments are ");
            for (i, arg) in args.iter().enumerate() {
                put(if i > 0 { ", \"" } else { "\"" });
                put(arg.name);
                put("\"");
            }
        }
        None => put("the arguments "),
    }
}

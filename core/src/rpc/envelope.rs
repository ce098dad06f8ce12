//! One pass over a message: is it JSON, what class is it, and where do its parts stand.

use crate::bytes::{at, part};
use crate::error::{Error, Kind};
use crate::json::scan::{NAME_MAX, SOFT, Scan, Token};
use crate::rpc::params::{Members, Meta, Seen, Span};

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Wants an answer.
    Request,
    /// Wants none, and gets none, not even an error.
    Notification,
    /// Answers a request of ours: with the result that stands there, or the error.
    Response(Span, Span),
    /// An object that is no message; the answer says why.
    Invalid(&'static str),
    /// JSON, but no object.
    NotAnObject,
}

/// A message's parts. Spans count from the first byte of the message.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// What it is.
    pub class: Class,
    /// The id; absent when there is none that could be echoed.
    pub id: Span,
    /// The method, quotes included.
    pub method: Span,
    /// The whole of `params`.
    pub params: Span,
    /// `params` is something other than an object.
    pub params_not_object: bool,
    /// The members of `params`.
    pub members: Members,
    /// The members of `params._meta`.
    pub meta: Meta,
    /// Some string holds escapes.
    pub escapes: bool,
}

/// Whose members are being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Message,
    Params,
    Meta,
}

impl Level {
    /// The level that the member `name` opens.
    #[inline(always)]
    fn inner(self, name: &[u8]) -> Option<Self> {
        match self {
            Self::Message => (name == b"params").then_some(Self::Params),
            Self::Params => (name == b"_meta").then_some(Self::Meta),
            Self::Meta => None,
        }
    }
}

/// How messages usually begin.
const USUAL: &[u8] = br#"{"jsonrpc":"2.0","#;

/// Reads the message `b`; `again` when some of its strings may have been unescaped in place since.
///
/// # Errors
/// The text is not JSON, or crosses a limit.
pub fn read(b: &[u8], again: bool) -> Result<Envelope, Error> {
    let mut scan = if again { Scan::text_again() } else { Scan::text() };
    let mut seen = Seen::default();
    let mut envelope = Envelope {
        class: Class::NotAnObject,
        id: Span::ABSENT,
        method: Span::ABSENT,
        params: Span::ABSENT,
        params_not_object: false,
        members: Members::default(),
        meta: Meta::default(),
        escapes: false,
    };
    let first = if b.starts_with(USUAL) {
        // How nearly every client begins: taken in one comparison, where the scanner would make four steps.
        seen.jsonrpc = Span::new(USUAL.len() - 6, USUAL.len() - 1);
        scan.begin_object_at(USUAL.len() - 1)
    } else {
        scan.next(b)
    };
    let mut id_twice = false;
    if first == Token::BeginObject {
        id_twice = members(b, &mut scan, &mut seen, &mut envelope).ok_or(scan.error())?;
    } else if !scan.skip(b, first) {
        return Err(scan.error());
    }
    if scan.pos() < b.len() && scan.next(b) != Token::End {
        return Err(scan.error());
    }
    envelope.escapes = scan.escapes();
    if first == Token::BeginObject {
        classify(b, &seen, id_twice, &mut envelope);
    }
    Ok(envelope)
}

/// Reads the members of the message, of its `params` and of their `_meta`, in one loop, so that the scanner's steps are
/// there once. Says whether there are two ids; `None` when the text is refused.
fn members(b: &[u8], scan: &mut Scan, seen: &mut Seen, envelope: &mut Envelope) -> Option<bool> {
    let (mut level, mut id_twice, mut room) = (Level::Message, false, [0; NAME_MAX]);
    loop {
        match (name(b, scan, level), level) {
            (Token::Key, _) => {}
            (Token::Error, _) => return None,
            (_, Level::Message) => return Some(id_twice),
            (_, Level::Params) => {
                level = Level::Message;
                seen.params.end = scan.pos() as u32;
                continue;
            }
            (_, Level::Meta) => {
                level = Level::Params;
                envelope.members.meta.end = scan.pos() as u32;
                continue;
            }
        }
        let (name, from) = (scan.name_text(b, &mut room), scan.value_from(b));
        let (place, twice) = match level {
            Level::Message => seen.place(name),
            Level::Params => envelope.members.place(name),
            Level::Meta => envelope.meta.place(name),
        };
        if place.as_ref().is_some_and(|place| !place.is_absent()) {
            // Refused as a whole, so that what one of the two says never mixes with the other.
            *twice = true;
            id_twice |= level == Level::Message && name == b"id";
        }
        let inner = if at(b, from) == b'{' { level.inner(name) } else { None };
        let token = if inner.is_some() { scan.next(b) } else { scan.value_of_member(b) };
        if token == Token::Error {
            return None;
        }
        if let Some(place) = place {
            *place = Span::new(from, scan.pos());
        }
        level = inner.unwrap_or(level);
    }
}

/// The next name, or the end of the object.
#[inline(always)]
fn name(b: &[u8], scan: &mut Scan, level: Level) -> Token {
    // 0 when there is none in compact form: and no usual name stands there, since the message begins with a brace.
    let quote = scan.quote(b);
    match usual_len(level, part(b, quote, b.len())) {
        0 => scan.name(b),
        len => scan.take_name(quote, quote.wrapping_add(len).wrapping_sub(2)),
    }
}

/// How long the name is that `rest` begins with, from its quote to its colon, if it is one that nearly every request has:
/// one comparison then, and no search for its end. 0 for all others.
#[inline(always)]
fn usual_len(level: Level, rest: &[u8]) -> usize {
    // Comparisons with constants one by one: a loop over a table would call a function for each.
    macro_rules! first_of {
        ($($name:literal)*) => {
            match () {
                $(() if rest.starts_with($name) => $name.len(),)*
                () => 0,
            }
        };
    }
    match level {
        Level::Message => first_of!(b"\"id\":" b"\"method\":" b"\"params\":"),
        Level::Params => first_of!(b"\"name\":" b"\"arguments\":" b"\"_meta\":"),
        Level::Meta => first_of!(
            b"\"io.modelcontextprotocol/protocolVersion\":"
            b"\"io.modelcontextprotocol/clientInfo\":"
            b"\"io.modelcontextprotocol/clientCapabilities\":"
        ),
    }
}

/// MCP's ids are integers or strings: a fraction, even `1.0`, is none.
fn is_id(id: &[u8]) -> bool {
    match at(id, 0) {
        b'"' | SOFT => true,
        b'-' | b'0'..=b'9' => !id.iter().any(|c| matches!(c, b'.' | b'e' | b'E')),
        _ => false,
    }
}

fn classify(b: &[u8], seen: &Seen, id_twice: bool, envelope: &mut Envelope) {
    let id_there = !seen.id.is_absent();
    if id_there && !id_twice && is_id(seen.id.of(b)) {
        envelope.id = seen.id;
    }
    envelope.method = seen.method;
    envelope.params = seen.params;
    envelope.params_not_object = !matches!(at(seen.params.of(b), 0), 0 | b'{' | b'n');
    let answer = !seen.result.is_absent() || !seen.error.is_absent();
    envelope.class = if seen.method.is_absent() && answer {
        // However broken: an error in answer to an answer could go on for ever.
        Class::Response(seen.result, seen.error)
    } else if seen.twice {
        Class::Invalid("a member of the message is there twice")
    } else if seen.jsonrpc.of(b) != br#""2.0""# {
        Class::Invalid("\"jsonrpc\" must be \"2.0\"")
    } else if !seen.method.is_absent() {
        // Unescaped in place, a string begins with another byte, but it is one.
        if !matches!(seen.method.of(b), [b'"' | SOFT, ..]) {
            Class::Invalid("\"method\" must be a string")
        } else if !id_there {
            Class::Notification
        } else if envelope.id.is_absent() {
            Class::Invalid("\"id\" must be a string or an integer")
        } else if seen.id.to().wrapping_sub(seen.id.from()) > crate::limits::ID_MAX_BYTES {
            Class::Invalid("\"id\" is longer than 64 bytes")
        } else {
            Class::Request
        }
    } else {
        Class::Invalid("\"method\" is missing")
    };
}

/// Whether an error is a crossed limit rather than broken text: then the id may still be found.
pub fn is_limit(error: Error) -> bool {
    error.kind == Kind::Depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Class {
        read(text.as_bytes(), false).map_or(Class::Invalid("not JSON"), |e| e.class)
    }

    #[test]
    fn classes() {
        assert_eq!(class(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#), Class::Request);
        assert_eq!(class(r#"{"jsonrpc":"2.0","method":"m"}"#), Class::Notification);
        assert_eq!(
            class(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            Class::Response(Span::new(33, 35), Span::ABSENT)
        );
        assert_eq!(class("[]"), Class::NotAnObject);
        for bad in [
            "{}",
            r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
            r#"{"id":1,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":1,"i\u0064":2,"method":"m"}"#,
        ] {
            assert!(matches!(class(bad), Class::Invalid(_)), "{bad}");
        }
    }

    #[test]
    fn members_are_found_in_any_order_and_spelling() {
        let text = br#"{"params":{"_meta":{"progressToken":0},"n\u0061me":"x"},"method":"tools/call","id":"7","jsonrpc":"2.0"}"#;
        let e = read(text, false).unwrap();
        assert_eq!(e.members.name.of(text), b"\"x\"");
        assert_eq!(e.meta.progress_token.of(text), b"0");
        assert_eq!(e.id.of(text), b"\"7\"");
    }
}

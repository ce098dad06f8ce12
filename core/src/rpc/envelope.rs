//! One pass over a message: is it JSON, what class is it, and where do its parts stand.

use crate::bytes::part;
use crate::error::{Error, Kind};
use crate::json::scan::{SOFT, Scan, Token};
use crate::json::text::same;
use crate::rpc::params::{Key, Members, Meta, Span, value_start};

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

#[derive(Default)]
struct Seen {
    jsonrpc: Span,
    id: Span,
    id_is_id: bool,
    id_twice: bool,
    method: Span,
    result: Span,
    error: Span,
    twice: bool,
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
    if first == Token::BeginObject {
        members(b, &mut scan, &mut seen, &mut envelope)?;
    } else if !scan.skip(b, first) {
        return Err(scan.error());
    }
    if scan.next(b) != Token::End {
        return Err(scan.error());
    }
    envelope.escapes = scan.escapes();
    if first == Token::BeginObject {
        classify(b, &seen, &mut envelope);
    }
    Ok(envelope)
}

fn members(b: &[u8], scan: &mut Scan, seen: &mut Seen, envelope: &mut Envelope) -> Result<(), Error> {
    loop {
        match scan.next(b) {
            Token::Key => {}
            Token::Error => return Err(scan.error()),
            _ => return Ok(()),
        }
        let place = place(b, Key::of(scan));
        let is_id = matches!(place, Place::Id);
        let place = match place {
            Place::Params => {
                params(b, scan, seen, envelope)?;
                continue;
            }
            Place::Id => Some(&mut seen.id),
            Place::Jsonrpc => Some(&mut seen.jsonrpc),
            Place::Method => Some(&mut seen.method),
            Place::Result => Some(&mut seen.result),
            Place::Error => Some(&mut seen.error),
            Place::Other => None,
        };
        let token = scan.next(b);
        let start = value_start(scan, token);
        if !scan.skip(b, token) {
            return Err(scan.error());
        }
        if is_id {
            // A fraction, even `1.0`, is no id: MCP's ids are integers or strings.
            seen.id_is_id = token == Token::Str || (token == Token::Number && !scan.marked());
        }
        if let Some(place) = place {
            let twice = !core::mem::replace(place, Span::new(start, scan.pos())).is_absent();
            seen.twice |= twice;
            seen.id_twice |= twice && is_id;
        }
    }
}

enum Place {
    Jsonrpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Other,
}

fn place(b: &[u8], key: Key) -> Place {
    let is = |name: &[u8]| same(b, key.start, key.end, name);
    match part(b, key.start, key.end) {
        b"jsonrpc" => Place::Jsonrpc,
        b"id" => Place::Id,
        b"method" => Place::Method,
        b"params" => Place::Params,
        b"result" => Place::Result,
        b"error" => Place::Error,
        _ if !key.marked => Place::Other,
        // A name spelled with escapes is the same name: two readers must not see two messages in one text.
        _ if is(b"jsonrpc") => Place::Jsonrpc,
        _ if is(b"id") => Place::Id,
        _ if is(b"method") => Place::Method,
        _ if is(b"params") => Place::Params,
        _ if is(b"result") => Place::Result,
        _ if is(b"error") => Place::Error,
        _ => Place::Other,
    }
}

fn params(b: &[u8], scan: &mut Scan, seen: &mut Seen, envelope: &mut Envelope) -> Result<(), Error> {
    seen.twice |= !envelope.params.is_absent();
    let token = scan.next(b);
    let start = value_start(scan, token);
    if token == Token::BeginObject {
        // A second `params` is refused as a whole, so that what it says never mixes with the first.
        envelope.members.read_with_meta(b, scan, &mut envelope.meta).ok_or(scan.error())?;
    } else {
        if !scan.skip(b, token) {
            return Err(scan.error());
        }
        envelope.params_not_object = token != Token::Null;
    }
    envelope.params = Span::new(start, scan.pos());
    Ok(())
}

fn classify(b: &[u8], seen: &Seen, envelope: &mut Envelope) {
    let id_there = !seen.id.is_absent();
    if id_there && !seen.id_twice && seen.id_is_id {
        envelope.id = seen.id;
    }
    envelope.method = seen.method;
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
            Class::Response(Span::new(32, 34), Span::ABSENT)
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

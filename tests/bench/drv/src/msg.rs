//! The request lines, of exact size and with an id of fixed width that can be counted up in place.

use std::io::{self, Write};

/// How a subject is spoken to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// Lines are sent as they are and expected back unchanged.
    Line,
    /// `initialize` with 2025-11-25, then plain requests.
    Handshake,
    /// 2026-07-28: everything a request needs is in its `_meta`.
    Modern,
}

impl Era {
    /// The era of a name on the command line.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "line" => Some(Self::Line),
            "handshake" => Some(Self::Handshake),
            "modern" => Some(Self::Modern),
            _ => None,
        }
    }
}

/// Ids run from here on, so that all have the same width and every answer the same length.
pub const FIRST_ID: u64 = 1_000_000;
const ID_WIDTH: usize = 7;
const BEFORE_ID: &str = r#"{"jsonrpc":"2.0","id":"#;
const META: &str = concat!(
    r#","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"drv","version":"1"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}"#
);

/// A request line whose id counts up.
pub struct Line {
    /// The line with its newline.
    pub bytes: Vec<u8>,
    /// The text the call carries and the answer must repeat; empty when there is none.
    pub text: String,
}

impl Line {
    fn new(rest: &str, text: String) -> Self {
        let bytes = format!("{BEFORE_ID}{FIRST_ID}{rest}\n").into_bytes();
        Self { bytes, text }
    }

    /// Writes `id` over the one in the line.
    pub fn set_id(&mut self, mut id: u64) {
        for digit in self.bytes[BEFORE_ID.len()..BEFORE_ID.len() + ID_WIDTH].iter_mut().rev() {
            *digit = b'0' + (id % 10) as u8;
            id /= 10;
        }
    }
}

fn meta(era: Era) -> &'static str {
    if era == Era::Modern { META } else { "" }
}

/// A call of `echo`. The handshake line has `line_bytes` (or what the envelope needs with a text of 8); the 2026-07-28
/// line is the same call with its `_meta`, so both carry the same text.
pub fn echo_call(era: Era, line_bytes: usize) -> Line {
    let rest = |text: &str, era| {
        format!(
            r#","method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}{}}}}}"#,
            meta(era)
        )
    };
    let bare = Line::new(&rest("", Era::Handshake), String::new()).bytes.len();
    let text: String = "abcdefghijklmnopqrstuvwxyz 0123456789"
        .chars()
        .cycle()
        .take(line_bytes.saturating_sub(bare).max(8))
        .collect();
    Line::new(&rest(&text, era), text)
}

/// A `tools/list` request, for the page behind `cursor`.
pub fn list_call(era: Era, cursor: Option<&str>) -> Line {
    let cursor = cursor.map(|c| format!(r#""cursor":"{c}""#)).unwrap_or_default();
    let meta = meta(era).trim_start_matches(if cursor.is_empty() { "," } else { "" });
    Line::new(&format!(r#","method":"tools/list","params":{{{cursor}{meta}}}}}"#), String::new())
}

/// What must be sent before the first request: the request to be answered, and the notification after it.
pub fn greeting(era: Era) -> Option<(&'static str, &'static str)> {
    (era == Era::Handshake).then_some((
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{},"clientInfo":{"name":"drv","version":"1"}}}"#,
            "\n"
        ),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n",
    ))
}

/// Writes a whole input for a server that reads a file: the greeting, and `line` `count` times.
pub fn emit(out: &mut impl Write, era: Era, mut line: Line, count: u64) -> io::Result<()> {
    if let Some((request, notification)) = greeting(era) {
        out.write_all(request.as_bytes())?;
        out.write_all(notification.as_bytes())?;
    }
    for id in (FIRST_ID..).take(usize::try_from(count).unwrap_or(usize::MAX)) {
        line.set_id(id);
        out.write_all(&line.bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_size_asked_for_and_both_eras_the_same_text() {
        for size in [10 * 1024, 1024 * 1024] {
            assert_eq!(echo_call(Era::Handshake, size).bytes.len(), size);
            assert_eq!(echo_call(Era::Modern, size).bytes.len(), size + META.len());
            assert_eq!(echo_call(Era::Modern, size).text, echo_call(Era::Handshake, size).text);
        }
        let small = echo_call(Era::Handshake, 100).bytes.len();
        assert!((100..120).contains(&small), "{small}");
    }

    #[test]
    fn an_id_is_replaced_in_place() {
        let mut line = list_call(Era::Modern, Some("c"));
        let before = String::from_utf8(line.bytes.clone()).unwrap();
        line.set_id(1_234_567);
        let after = String::from_utf8(line.bytes).unwrap();
        assert_eq!(after, before.replace("1000000", "1234567"));
        assert!(after.contains(r#""params":{"cursor":"c","_meta":{"#), "{after}");
    }
}

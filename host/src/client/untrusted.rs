//! JSON that servers have written.

use serde::de::{DeserializeOwned, Error};

/// The key by which serde_json knows JSON text that it has wrapped itself, where any crate of the program has its
/// feature `raw_value` on. What stands behind it is read as a document of its own, with a depth of its own: a server that
/// nests such texts overflows the stack.
const MARK: &str = "$serde_json::private::RawValue";

/// As [`serde_json::from_slice`], for bytes that someone else has written.
pub(crate) fn from_slice<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    if has_mark(json) {
        return Err(serde_json::Error::custom(format_args!("the name `{MARK}` is not for servers")));
    }
    serde_json::from_slice(json)
}

/// Whether any member of an object has that name, whatever of it is escaped.
fn has_mark(json: &[u8]) -> bool {
    let mut before = b' ';
    for (at, pair) in json.windows(2).enumerate() {
        // A quote behind a backslash stands inside a string.
        let begins = before != b'\\' && matches!(pair, [b'"', b'$' | b'\\']);
        before = pair.first().copied().unwrap_or_default();
        if begins && json.get(at..).is_some_and(is_mark) {
            return true;
        }
    }
    false
}

/// Whether `json` begins with that name and a colon.
fn is_mark(json: &[u8]) -> bool {
    // Each character in its longest form, and the quotes.
    let most = json.get(..MARK.len() * 6 + 2).unwrap_or(json);
    let mut escaped = false;
    let end = most.iter().skip(1).position(|b| {
        let ends = *b == b'"' && !escaped;
        escaped = *b == b'\\' && !escaped;
        ends
    });
    let Some(end) = end.map(|at| at + 2) else { return false };
    let (name, rest) = json.split_at(end);
    let colon = rest.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b':');
    colon && serde_json::from_slice::<String>(name).is_ok_and(|name| name == MARK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn the_mark_is_found_in_each_form() {
        let all: String = MARK.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect();
        for name in
            [MARK, "\\u0024serde_json::private::RawValue", "$serde_json::privat\\u0065::RawValue", &all]
        {
            for json in [format!("{{\"{name}\":\"1\"}}"), format!("[{{\"a\":1, \"{name}\" \n: \"[]\"}}]")] {
                assert!(from_slice::<Value>(json.as_bytes()).is_err(), "{json}");
            }
        }
    }

    #[test]
    fn everything_else_is_read() {
        for json in [
            format!("\"{MARK}\""),
            format!("{{\"a\":\"{MARK}\"}}"),
            format!("{{\"a\":\"\\\"{MARK}\\\":\\\"1\\\"\"}}"),
            format!("{{\"{MARK}s\":1}}"),
            r#"{"$ref":"\\","\\":"\"$","":{}}"#.into(),
            r#"["\\\\","\"\\"]"#.into(),
        ] {
            assert!(from_slice::<Value>(json.as_bytes()).is_ok(), "{json}");
        }
        assert!(from_slice::<Value>(b"\"").is_err() && from_slice::<Value>(b"{\"$").is_err());
    }
}

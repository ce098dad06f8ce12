//! The formats that a text field can have.

/// Why `text` is not of `format`; unknown formats are left to the server.
pub fn wrong(format: &str, text: &str) -> Option<&'static str> {
    match format {
        "email" if !is_email(text) => Some("write an address such as me@example.com"),
        "uri" if !is_uri(text) => Some("write a URI such as https://example.com"),
        "date" if !is_date(text) => Some("write a date such as 2026-12-31"),
        "date-time" if !is_date_time(text) => Some("write a time such as 2026-12-31T23:59:00Z"),
        _ => None,
    }
}

fn is_email(text: &str) -> bool {
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control());
    let parts = text.rsplit_once('@');
    plain && parts.is_some_and(|(who, host)| !who.is_empty() && !host.is_empty() && !host.starts_with('.'))
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let letters = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(letters)
        && !rest.is_empty()
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

/// A number of exactly `digits` digits.
fn number(text: &str, digits: usize) -> Option<u32> {
    (text.len() == digits && text.bytes().all(|c| c.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// RFC 3339: a date, a time of day, and an offset.
fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text.split_once(['T', 't', ' ']) else { return false };
    let (clock, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, None),
        None => match time.rsplit_once(['+', '-']) {
            Some((clock, offset)) => (clock, Some(offset)),
            None => return false,
        },
    };
    let (whole, fraction) = clock.split_once('.').map_or((clock, "0"), |(whole, fraction)| (whole, fraction));
    let parts: Option<Vec<u32>> = whole.split(':').map(|part| number(part, 2)).collect();
    // A minute may have a leap second.
    let clock = matches!(parts.as_deref(), Some([0..=23, 0..=59, 0..=60]));
    let fraction = !fraction.is_empty() && fraction.bytes().all(|c| c.is_ascii_digit());
    is_date(date) && clock && fraction && offset.is_none_or(is_offset)
}

fn is_offset(text: &str) -> bool {
    let parts: Option<Vec<u32>> = text.split(':').map(|part| number(part, 2)).collect();
    matches!(parts.as_deref(), Some([0..=23, 0..=59]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        let good = [
            ("email", "me@example.com"),
            ("uri", "mailto:me"),
            ("date", "2024-02-29"),
            ("date-time", "2026-12-31T23:59:60.25+01:00"),
            ("date-time", "2026-12-31T23:59:00Z"),
            ("unheard-of", "?"),
        ];
        for (format, text) in good {
            assert_eq!(wrong(format, text), None, "{format} {text}");
        }
        let bad = [
            ("email", "me"),
            ("email", "@example.com"),
            ("uri", "example.com"),
            ("uri", "1a:x"),
            ("date", "2026-02-29"),
            ("date", "1900-02-29"),
            ("date", "26-1-1"),
            ("date-time", "2026-12-31"),
            ("date-time", "2026-12-31T24:00:00Z"),
            ("date-time", "2026-12-31T10:00:00"),
        ];
        for (format, text) in bad {
            assert!(wrong(format, text).is_some(), "{format} {text}");
        }
    }
}

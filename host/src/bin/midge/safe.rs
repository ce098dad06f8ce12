//! Texts of servers made harmless: what a server sends must not steer the user's terminal.
//!
//! Escape sequences can rewrite what is on the screen, answer for the user, or write to the clipboard; marks that turn the
//! direction of writing can make a text read differently from what it is.

/// `text` over several lines: line ends and tabs are kept, other control characters are shown instead of obeyed.
pub fn block(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' => out.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            c => visible(c, &mut out),
        }
    }
    out
}

/// `text` in one line: white space of any kind and amount becomes one blank.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        word.chars().for_each(|c| visible(c, &mut out));
    }
    out
}

/// Whether `c` is shown as it is.
pub fn harmless(c: char) -> bool {
    !c.is_control()
        && !matches!(c,
            '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn visible(c: char, out: &mut String) {
    match c {
        c if harmless(c) => out.push(c),
        // The pictures of control characters are in their order.
        '\0'..='\u{1f}' => out.extend(char::from_u32(0x2400 + u32::from(c))),
        '\u{7f}' => out.push('\u{2421}'),
        c => out.push_str(&format!("<U+{:04X}>", u32::from(c))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let hostile = "a\x1b]52;c;cHduZWQ=\x07b\x1b[2Jc\u{9b}31md\x7f\u{202e}e\rf\0";
        let shown = block(hostile);
        assert!(shown.chars().all(|c| harmless(c) || c == '\n' || c == '\t'), "{shown:?}");
        assert_eq!(shown, "a␛]52;c;cHduZWQ=␇b␛[2Jc<U+009B>31md␡<U+202E>e␍f␀");
    }

    #[test]
    fn texts_stay_as_they_are() {
        let text = "Grüße\n\tan 👩‍👩‍👧 alle\n";
        assert_eq!(block(text), text);
        assert_eq!(block("one\r\ntwo"), "one\ntwo");
    }

    #[test]
    fn one_line_is_one_line() {
        assert_eq!(line("  first\n second\r\n\tthird \x1b[1m"), "first second third ␛[1m");
        assert_eq!(line("a\u{2028}b\u{85}c"), "a b c");
    }
}

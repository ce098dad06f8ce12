//! What is known of the place where output goes: a terminal or not, its width, whether it may be coloured.

use crate::safe;
use std::borrow::Cow;
use std::io::{self, IsTerminal};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a piece of text stands out.
#[derive(Clone, Copy)]
pub enum Style {
    Bold,
    Dim,
    Name,
    Warn,
    Bad,
}

/// Where output goes.
#[derive(Clone, Copy)]
pub struct Screen {
    pub terminal: bool,
    /// In columns; `None`: as wide as the text is.
    pub width: Option<usize>,
    pub color: bool,
}

impl Screen {
    pub fn stdout() -> Self {
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Self::of(io::stdout().is_terminal(), width)
    }

    pub fn stderr() -> Self {
        let width = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
        Self::of(io::stderr().is_terminal(), width)
    }

    /// No terminal: nothing is coloured, cut or made harmless.
    #[cfg(test)]
    pub fn plain() -> Self {
        Self { terminal: false, width: None, color: false }
    }

    fn of(terminal: bool, size: Option<usize>) -> Self {
        let columns = std::env::var("COLUMNS").ok().and_then(|n| n.parse().ok());
        let width = columns.or(if terminal { size } else { None }).filter(|n| *n > 0);
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { terminal, width, color: terminal && !dumb && !set("NO_COLOR") }
    }

    /// `text` in `style`, where that is wanted.
    pub fn paint(&self, style: Style, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let code = match style {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Name => "36",
            Style::Warn => "33",
            Style::Bad => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// A server's text: harmless on a terminal, unchanged in a pipe.
    pub fn body<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.terminal { safe::block(text).into() } else { text.into() }
    }
}

/// `text`, cut to `width` columns with an ellipsis.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// `text` broken into lines of at most `width` columns between words, each after `indent`.
pub fn wrap(text: &str, indent: &str, width: Option<usize>) -> String {
    let room = width.map_or(usize::MAX, |n| n.saturating_sub(indent.width()).max(20));
    let mut out = String::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        // Counted on: lines may be as long as the whole text.
        let mut used = 0;
        for word in paragraph.split(' ') {
            let wide = word.width();
            if !line.is_empty() && used + 1 + wide > room {
                out.extend([indent, line.trim_end(), "\n"]);
                line.clear();
                used = 0;
            } else if !line.is_empty() {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += wide;
        }
        let line = line.trim_end();
        out.extend([if line.is_empty() { "" } else { indent }, line, "\n"]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_columns_not_by_bytes() {
        assert_eq!(cut("temperature", 11), "temperature");
        assert_eq!(cut("temperature", 5), "temp…");
        assert_eq!(cut("温度計です", 5), "温度…");
        assert_eq!(cut("Größe", 5), "Größe");
    }

    #[test]
    fn wraps_between_words() {
        let text = "one two three four five six seven\n\nend";
        assert_eq!(wrap(text, "  ", Some(22)), "  one two three four\n  five six seven\n\n  end\n");
        assert_eq!(wrap(text, "", None), "one two three four five six seven\n\nend\n");
    }

    #[test]
    fn colours_only_where_wanted() {
        let screen = Screen { color: true, ..Screen::plain() };
        assert_eq!(screen.paint(Style::Bold, "x"), "\x1b[1mx\x1b[0m");
        assert_eq!(Screen::plain().paint(Style::Bold, "x"), "x");
    }
}

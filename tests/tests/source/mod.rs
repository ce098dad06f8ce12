//! Reading Rust source as text: without comments, strings and test code, line by line as it was.

#![allow(dead_code)] // each test that includes this module uses some of it

use std::fs;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ has a parent").to_path_buf()
}

/// Every `.rs` file under `dir`, with its path from there, sorted.
pub fn files(dir: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let name = path.strip_prefix(dir).expect("within").to_string_lossy().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no sources in {}", dir.display());
    found
}

/// Blanks what is not code; newlines stay, so that lines keep their numbers. Comments always go, the inside of strings
/// only if `strings` is not to be kept.
pub fn code(text: &str, strings: bool) -> String {
    let (b, mut out) = (text.as_bytes(), text.as_bytes().to_vec());
    let mut i = 0;
    while i < b.len() {
        let (end, blank) = match &b[i..] {
            [b'/', b'/', ..] => (line_end(b, i), true),
            [b'/', b'*', ..] => (comment_end(b, i), true),
            [b'"', ..] => (string_end(b, i), !strings),
            [b'r', b'"' | b'#', ..] if !is_word(b, i) => match raw_end(b, i) {
                Some(end) => (end, !strings),
                None => (i + 1, false),
            },
            [b'\'', ..] => match char_end(b, i) {
                Some(end) => (end, !strings),
                None => (i + 1, false),
            },
            _ => (i + 1, false),
        };
        if blank {
            out[i..end].iter_mut().filter(|c| **c != b'\n').for_each(|c| *c = b' ');
        }
        i = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether a word goes on before `i`. The prefix of `br"` is none.
fn is_word(b: &[u8], i: usize) -> bool {
    i > 0 && is_name(b[i - 1]) && !(b[i - 1] == b'b' && (i < 2 || !is_name(b[i - 2])))
}

pub fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_'
}

fn line_end(b: &[u8], i: usize) -> usize {
    b[i..].iter().position(|c| *c == b'\n').map_or(b.len(), |n| i + n)
}

fn comment_end(b: &[u8], mut i: usize) -> usize {
    let mut depth = 0;
    while i < b.len() {
        match &b[i..] {
            [b'/', b'*', ..] => (depth, i) = (depth + 1, i + 2),
            [b'*', b'/', ..] => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            break;
        }
    }
    i
}

fn string_end(b: &[u8], mut i: usize) -> usize {
    i += 1;
    while i < b.len() && b[i] != b'"' {
        i += if b[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(b.len())
}

fn raw_end(b: &[u8], i: usize) -> Option<usize> {
    let hashes = b[i + 1..].iter().take_while(|c| **c == b'#').count();
    if b.get(i + 1 + hashes) != Some(&b'"') {
        return None;
    }
    let close = [b"\"".to_vec(), vec![b'#'; hashes]].concat();
    let from = i + 2 + hashes;
    b[from..].windows(close.len()).position(|w| w == close).map(|n| from + n + close.len())
}

/// The end of a char literal; `None` for a lifetime.
fn char_end(b: &[u8], i: usize) -> Option<usize> {
    if b.get(i + 1) == Some(&b'\\') {
        return b[i + 3..].iter().position(|c| *c == b'\'').map(|n| i + 4 + n);
    }
    let close = b[i + 1..].iter().take(5).skip(1).position(|c| *c == b'\'')? + i + 2;
    // `<'a, 'b>`: one character of up to four bytes is a literal, more is a lifetime and the next one's quote.
    (std::str::from_utf8(&b[i + 1..close]).ok()?.chars().count() == 1).then_some(close + 1)
}

/// Blanks every item, arm or field that `attribute` stands before.
pub fn without(mut text: String, attribute: &str) -> String {
    let mut from = 0;
    while let Some(at) = text[from..].find(attribute).map(|n| from + n) {
        let end = item_end(text.as_bytes(), at + attribute.len());
        let blank: String = text[at..end].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
        let len = blank.len();
        text.replace_range(at..end, &blank);
        from = at + len;
    }
    text
}

fn item_end(b: &[u8], mut i: usize) -> usize {
    const ITEMS: [&str; 12] =
        ["pub", "fn", "impl", "mod", "use", "struct", "enum", "const", "static", "extern", "type", "trait"];
    // Other attributes of the same item.
    loop {
        while b.get(i).is_some_and(u8::is_ascii_whitespace) {
            i += 1;
        }
        if b.get(i) != Some(&b'#') {
            break;
        }
        i += b[i..].iter().position(|c| *c == b']').map_or(1, |n| n + 1);
    }
    let word: String = b[i..].iter().take_while(|c| is_name(**c)).map(|c| char::from(*c)).collect();
    let comma_ends = !ITEMS.contains(&word.as_str()) && b.get(i + word.len()) != Some(&b'!');
    let mut depth = 0_i32;
    while i < b.len() {
        match b[i] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth -= 1;
                if depth < 0 {
                    return i;
                }
                if depth == 0 && b[i] == b'}' {
                    return i + 1;
                }
            }
            b';' if depth == 0 => return i + 1,
            b',' if depth == 0 && comma_ends => return i + 1,
            _ => {}
        }
        i += 1;
    }
    b.len()
}

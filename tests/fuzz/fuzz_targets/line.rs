//! Framing: any bytes, in any cut, through a small buffer give the same lines as a simple reading of the whole.

#![no_main]

use libfuzzer_sys::fuzz_target;
use midge::Buf;
use midge::wire::line::{Found, Lines};

const SIZE: usize = 48;

fuzz_target!(|input: (u8, &[u8])| {
    let (cut, bytes) = input;
    let mut memory = [0; SIZE];
    let mut buf = Buf::from(&mut memory);
    let mut lines = Lines::default();
    let mut found = Vec::new();
    for chunk in bytes.chunks(usize::from(cut % 60) + 1) {
        let mut rest = chunk;
        while !rest.is_empty() {
            let room = lines.room(&mut buf, false);
            assert!(!room.is_empty(), "there is always room");
            let n = midge::bytes::copy(room, rest);
            lines.received(n, SIZE);
            rest = &rest[n..];
            drain(&mut lines, &buf, &mut found);
        }
    }
    lines.end();
    drain(&mut lines, &buf, &mut found);
    assert!(lines.is_over());
    assert_eq!(found, expected(bytes));
});

fn drain(lines: &mut Lines, buf: &Buf<'_>, found: &mut Vec<Result<Vec<u8>, usize>>) {
    loop {
        match lines.next(buf.bytes()) {
            Found::Nothing => return,
            Found::Line { start, end } => found.push(Ok(buf.bytes()[start..end].to_vec())),
            Found::TooLong(n) => found.push(Err(n)),
        }
        lines.consume();
    }
}

/// A line of `SIZE` bytes or more, counted without its newline, does not fit beside one.
fn expected(bytes: &[u8]) -> Vec<Result<Vec<u8>, usize>> {
    let mut lines: Vec<&[u8]> = bytes.split(|c| *c == b'\n').collect();
    let last = lines.pop().unwrap_or(&[]);
    let mut out = Vec::new();
    for (line, ended) in lines.into_iter().map(|l| (l, true)).chain([(last, false)]) {
        let long = line.len() > SIZE || (line.len() == SIZE && ended);
        if long {
            out.push(Err(line.len()));
            continue;
        }
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        let line = line.without_blanks();
        if !line.is_empty() {
            out.push(Ok(line.to_vec()));
        }
    }
    out
}

trait Trim {
    fn without_blanks(&self) -> &[u8];
}

impl Trim for [u8] {
    fn without_blanks(&self) -> &[u8] {
        let blank = |c: &u8| matches!(c, b' ' | b'\t' | b'\r');
        let from = self.iter().position(|c| !blank(c)).unwrap_or(self.len());
        let to = self.iter().rposition(|c| !blank(c)).map_or(from, |i| i + 1);
        &self[from..to]
    }
}

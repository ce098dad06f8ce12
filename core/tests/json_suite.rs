//! JSONTestSuite and our own vectors: what is accepted, what is not, and that `serde_json` thinks the same.

use midge::json::scan::{Scan, Token, valid};
use midge::limits::DEPTH_MAX;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const _: () = assert!(valid(br#"{"type":"object","properties":{"a":{"enum":[1,2.5e3,"\u00e9"]}}}"#));
const _: () = assert!(!valid(br#"{"type":"object",}"#));

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The suite's files, or nothing when it is not there.
fn suite() -> Vec<(String, Vec<u8>)> {
    let data = std::env::var("MIDGE_TEST_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared").to_owned());
    let folder = Path::new(&data).join("data/JSONTestSuite/test_parsing");
    let files = read_folder(&folder);
    if files.is_empty() {
        println!("left out: JSONTestSuite (set MIDGE_TEST_DATA)");
    }
    files
}

fn read_folder(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("folder entry"))
        .map(|entry| {
            (entry.file_name().into_string().expect("file name"), fs::read(entry.path()).expect("file"))
        })
        .collect();
    files.sort();
    files
}

/// Our own vectors: one text a line, `y` or `n` before it, in `\xNN` form where it is not plain text.
fn own() -> Vec<(bool, Vec<u8>)> {
    let text = fs::read_to_string(here("../tests/vectors/json_texts.txt")).expect("own vectors");
    let mut vectors = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (verdict, text) = line.split_once(' ').expect("verdict and text");
        vectors.push((verdict == "y", bytes(text)));
    }
    vectors
}

fn bytes(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once("\\x") {
        out.extend_from_slice(head.as_bytes());
        out.push(u8::from_str_radix(&tail[..2], 16).expect("two hexadecimal digits"));
        rest = &tail[2..];
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// What `serde_json` says, numbers unread, as the scanner leaves them too.
fn theirs(text: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok()
        && serde_json::from_slice::<serde_json::Value>(text).is_ok()
}

/// The table of decisions in `docs/json.md`: file, verdict, and whether `serde_json` differs.
fn decisions() -> BTreeMap<String, (bool, bool)> {
    let page = fs::read_to_string(here("../docs/json.md")).expect("docs/json.md");
    let mut table = BTreeMap::new();
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        if name.starts_with("i_") {
            let accepted = match cells[2] {
                "accepted" => true,
                "refused" => false,
                other => panic!("{name}: verdict {other}"),
            };
            table.insert(format!("{name}.json"), (accepted, cells[3] == "differs"));
        }
    }
    table
}

#[test]
fn suite_is_judged_as_written() {
    let table = decisions();
    assert_eq!(table.len(), 35);
    let files = suite();
    let mut seen = [0; 3];
    for (name, text) in &files {
        let ok = valid(text);
        match name.as_bytes()[0] {
            b'y' => {
                seen[0] += 1;
                assert!(ok, "{name} is refused");
            }
            b'n' => {
                seen[1] += 1;
                assert!(!ok, "{name} is accepted");
            }
            _ => {
                seen[2] += 1;
                assert_eq!(table.get(name).map(|row| row.0), Some(ok), "{name}");
            }
        }
        let differs = table.get(name).is_some_and(|row| row.1);
        assert_eq!(ok != theirs(text), differs, "{name}: serde_json");
    }
    if !files.is_empty() {
        assert_eq!(seen, [95, 188, 35]);
    }
}

#[test]
fn own_vectors_are_judged_as_written() {
    let vectors = own();
    assert!(vectors.len() > 100, "{}", vectors.len());
    for (want, text) in vectors {
        let shown = String::from_utf8_lossy(&text).into_owned();
        assert_eq!(valid(&text), want, "{shown}");
        assert_eq!(theirs(&text), want, "serde_json: {shown}");
    }
}

#[test]
fn a_million_brackets_are_refused_at_once() {
    for text in [vec![b'['; 1_000_000], b"{\"a\":".repeat(1_000_000)] {
        let mut scan = Scan::text();
        let mut tokens = 0;
        while scan.next(&text) != Token::Error {
            tokens += 1;
        }
        assert_eq!(scan.error().kind, midge::error::Kind::Depth);
        assert!(tokens <= 2 * usize::from(DEPTH_MAX));
    }
    let deep = |n: usize| [vec![b'['; n], vec![b']'; n]].concat();
    assert!(valid(&deep(usize::from(DEPTH_MAX))));
    assert!(!valid(&deep(usize::from(DEPTH_MAX) + 1)));
    assert!(!theirs(&deep(usize::from(DEPTH_MAX) + 1)));
}

/// Every token of `text` with its span, by one scanner.
fn tokens(text: &[u8]) -> Vec<(Token, usize, usize)> {
    let mut scan = Scan::text();
    let mut all = Vec::new();
    loop {
        let token = scan.next(text);
        all.push((token, scan.start(), scan.end()));
        if matches!(token, Token::End | Token::Error) {
            return all;
        }
    }
}

#[test]
fn a_copy_of_the_scanner_goes_on_from_its_place() {
    let text = br#" {"a":[1,{"b":"c\n"},null,true,-1.5e3],"d":{}} "#;
    let all = tokens(text);
    assert_eq!(all.len(), 17);
    for stop in 0..all.len() {
        let mut scan = Scan::text();
        for _ in 0..stop {
            scan.next(text);
        }
        // The text may move between two tokens: only the scanner's own place counts.
        let moved = text.to_vec();
        let mut copy = scan;
        for (token, start, end) in &all[stop..] {
            assert_eq!((copy.next(&moved), copy.start(), copy.end()), (*token, *start, *end));
        }
    }
}

#[test]
fn an_error_stays_an_error() {
    let mut scan = Scan::text();
    let text = b"[1,,]";
    while scan.next(text) != Token::Error {}
    let first = scan.error();
    assert_eq!(first.at, 3);
    assert_eq!(scan.next(text), Token::Error);
    assert_eq!(scan.error(), first);
}

#[test]
fn every_cut_of_a_text_is_truncated_or_whole() {
    let text = "{\"ké\":[1.5,-2e3,\"\\ud83d\\ude00\\n漢\",true,false,null,{}]}".as_bytes();
    for end in 0..text.len() {
        let mut scan = Scan::text();
        while scan.next(&text[..end]) != Token::Error {}
        let kind = scan.error().kind;
        // A cut inside a pair or a character leaves a half that is wrong in itself.
        use midge::error::Kind::{Escape, Surrogate, Truncated, Utf8};
        assert!(matches!(kind, Truncated | Escape | Surrogate | Utf8), "{end}: {kind:?}");
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<_> =
        suite().into_iter().map(|(_, text)| text).filter(|text| text.len() < 4096).collect();
    seeds.extend(own().into_iter().map(|(_, text)| text));
    seeds
}

#[derive(Clone, Debug)]
enum Change {
    Flip(prop::sample::Index, u8),
    Set(prop::sample::Index, u8),
    Delete(prop::sample::Index, usize),
    Double(prop::sample::Index, usize),
    Splice(prop::sample::Index, prop::sample::Index, prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    let telling = prop::sample::select(
        &b"{}[]:,\"\\0123456789.eE+-utfn \t\r\n\x00\x1f\x7f\x80\xc2\xe0\xed\xf0\xf4\xfe\xff"[..],
    );
    let place = any::<prop::sample::Index>;
    prop_oneof![
        (place(), 0_u8..8).prop_map(|(i, bit)| Change::Flip(i, bit)),
        (place(), telling).prop_map(|(i, byte)| Change::Set(i, byte)),
        (place(), 1_usize..9).prop_map(|(i, n)| Change::Delete(i, n)),
        (place(), 1_usize..9).prop_map(|(i, n)| Change::Double(i, n)),
        (place(), place(), place()).prop_map(|(seed, from, to)| Change::Splice(seed, from, to)),
    ]
}

fn apply(text: &mut Vec<u8>, seeds: &[Vec<u8>], change: Change) {
    if text.is_empty() {
        text.push(b' ');
    }
    let len = text.len();
    match change {
        Change::Flip(i, bit) => text[i.index(len)] ^= 1 << bit,
        Change::Set(i, byte) => text[i.index(len)] = byte,
        Change::Delete(i, n) => {
            let from = i.index(len);
            text.drain(from..(from + n).min(len));
        }
        Change::Double(i, n) => {
            let from = i.index(len);
            let piece = text[from..(from + n).min(len)].to_vec();
            text.splice(from..from, piece);
        }
        Change::Splice(seed, from, to) => {
            let other = &seeds[seed.index(seeds.len())];
            let cut = if other.is_empty() { 0 } else { to.index(other.len()) };
            text.truncate(from.index(len));
            text.extend_from_slice(&other[cut..]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_texts_are_judged_as_by_serde_json(
        seed in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        thread_local! { static SEEDS: Vec<Vec<u8>> = seeds(); }
        SEEDS.with(|seeds| {
            let mut text = seeds[seed.index(seeds.len())].clone();
            for change in changes {
                apply(&mut text, seeds, change);
            }
            prop_assert_eq!(valid(&text), theirs(&text), "{}", String::from_utf8_lossy(&text));
            Ok(())
        })?;
    }

    #[test]
    fn random_bytes_are_judged_as_by_serde_json(text in prop::collection::vec(any::<u8>(), 0..24)) {
        prop_assert_eq!(valid(&text), theirs(&text));
    }

    #[test]
    fn long_strings_are_judged_as_by_serde_json(
        before in 0_usize..80, odd in prop::collection::vec(any::<u8>(), 0..5), after in 0_usize..80,
    ) {
        let text = [b"\"", &vec![b'x'; before][..], &odd, &vec![b'y'; after], b"\""].concat();
        prop_assert_eq!(valid(&text), theirs(&text), "{}", String::from_utf8_lossy(&text));
    }
}

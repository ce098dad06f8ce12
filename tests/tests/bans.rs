//! What core must not say, since it brings panic paths, floats' formatting, or memory of its own (decision 002).
//!
//! The link check of `tests/no_panic` proves the whole; this test names the line, also in code that nothing links yet.

mod source;

use source::is_name;

/// Function in core's sources where a ban is lifted, and why.
struct Lifted {
    file: &'static str,
    function: &'static str,
    why: &'static str,
}

const IN_CONST: &str = "evaluated in const only";

const LIFTED: [Lifted; 4] = [
    Lifted { file: "dispatch/table.rs", function: "tool_order", why: IN_CONST },
    Lifted { file: "dispatch/catalog_macro.rs", function: "", why: "const block of the catalog! macro" },
    Lifted { file: "dispatch/reply.rs", function: "write_str", why: "Shown: the user's own Display" },
    Lifted { file: "json/ser.rs", function: "format", why: "collect_str: the user's own Display" },
];

/// Words that are banned wherever they stand in code.
const WORDS: [&str; 23] = [
    "copy_from_slice",
    "clone_from_slice",
    "copy_within",
    "split_at(",
    "split_at_mut(",
    "read_exact",
    "write_all",
    "parse::<f",
    ".unwrap()",
    ".expect(",
    ".unwrap_err()",
    ".expect_err(",
    "panic!",
    "unreachable!",
    "unimplemented!",
    "todo!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "unsafe",
    "extern crate std",
    "format!",
    "format_args!",
];

#[derive(Debug, PartialEq, Eq)]
struct Hit {
    line: usize,
    what: String,
}

fn hits(file: &str, text: &str) -> Vec<Hit> {
    // Attributes name features by strings, so items are taken out while strings still stand.
    let text = source::without(source::code(text, true), "#[cfg(test)]");
    let bare = source::code(&text, false);
    let owned = source::code(&source::without(text.clone(), "#[cfg(feature = \"alloc\")]"), false);
    let mut found = Vec::new();
    for (n, ((line, said), unowned)) in bare.lines().zip(text.lines()).zip(owned.lines()).enumerate() {
        let mut hit = |what: &str| found.push(Hit { line: n + 1, what: what.to_owned() });
        if file != "bytes.rs" && indexes(line) {
            hit("index or slice");
        }
        if divides(line) {
            hit("/ or % by a variable");
        }
        for word in WORDS {
            if has_word(line, word) {
                hit(word);
            }
        }
        if has_word(unowned, "alloc::") {
            hit("alloc:: outside of feature alloc");
        }
        if said.contains(":?}") {
            hit("{:?}");
        }
        if file != "proto/revision.rs" && has_date(said) {
            hit("a revision's date");
        }
    }
    found
}

/// `word` in `line`, where it begins a word.
fn has_word(line: &str, word: &str) -> bool {
    let (b, starts) = (line.as_bytes(), !word.starts_with('.'));
    line.match_indices(word).any(|(at, _)| {
        let whole = word.ends_with(|c: char| !c.is_alphanumeric())
            || b.get(at + word.len()).is_none_or(|c| !is_name(*c))
            || word == "parse::<f";
        let begins = !starts || at == 0 || !is_name(b[at - 1]);
        whole && begins
    })
}

/// `x[`, `f()[`, `x[0][`, `x?[`: rustfmt leaves a blank before every other bracket.
fn indexes(line: &str) -> bool {
    let b = line.as_bytes();
    b.windows(2).enumerate().any(|(at, pair)| {
        // `'a [u8]` has a blank; a macro's repetition `$(…)[…]` and `name![…]` are no indexes.
        let before = is_name(pair[0]) || matches!(pair[0], b')' | b']' | b'?');
        pair[1] == b'[' && before && !line[..=at].trim_start().starts_with('#')
    })
}

/// `/` or `%` before anything but a number or a NAME of a constant.
fn divides(line: &str) -> bool {
    let b = line.as_bytes();
    (0..b.len()).any(|at| {
        if !matches!(b[at], b'/' | b'%') {
            return false;
        }
        let rest = line[at + 1..].trim_start_matches('=').trim_start();
        let name: String =
            rest.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '_' | ':')).collect();
        let last = name.rsplit(':').next().unwrap_or("");
        let constant =
            last.len() > 1 && last.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        !(name.starts_with(|c: char| c.is_ascii_digit()) || constant)
    })
}

/// A string that is `YYYY-MM-DD` and nothing else, also as JSON text. Words for people may speak of revisions.
fn has_date(line: &str) -> bool {
    line.as_bytes().windows(12).any(|w| {
        let date = w[1..11].iter().enumerate();
        w[0] == b'"'
            && matches!(w[11], b'"' | b'\\')
            && date.into_iter().all(|(i, c)| if i == 4 || i == 7 { *c == b'-' } else { c.is_ascii_digit() })
    })
}

/// The function around `line` (from 1), as far as text tells.
fn function(text: &str, line: usize) -> &str {
    let code = text.lines().take(line).filter(|l| !l.trim_start().starts_with("//"));
    let name = code.filter_map(|l| l.split("fn ").nth(1)).last().unwrap_or("");
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}

fn is_lifted(file: &str, text: &str, hit: &Hit, used: &mut [bool]) -> bool {
    let function = function(text, hit.line);
    LIFTED.iter().zip(used).any(|(lifted, used)| {
        // What is for const alone must be a `const fn`, and say so to its users.
        let kept = lifted.why != IN_CONST
            || (text.contains(&format!("pub const fn {function}"))
                && text.contains("In `const` evaluation only"));
        let hit = lifted.file == file && lifted.function == function && kept;
        *used |= hit;
        hit
    })
}

#[test]
fn core_says_nothing_that_is_banned() {
    let mut used = [false; LIFTED.len()];
    let mut wrong = String::new();
    for (file, text) in source::files(&source::root().join("core/src")) {
        for hit in hits(&file, &text) {
            if !is_lifted(&file, &text, &hit, &mut used) {
                wrong += &format!("core/src/{file}:{}: {}\n", hit.line, hit.what);
            }
        }
    }
    assert!(wrong.is_empty(), "banned in core (decision 002):\n{wrong}");
    for (lifted, used) in LIFTED.iter().zip(used) {
        assert!(used, "nothing needs this any more: {} {} ({})", lifted.file, lifted.function, lifted.why);
    }
}

#[test]
fn planted_samples_are_found() {
    let samples = [
        ("let x = b[i];", "index or slice"),
        ("let x = &b[1..n];", "index or slice"),
        ("f()[0] = 1;", "index or slice"),
        ("grid[a][b] += 1;", "index or slice"),
        ("let c = a / n;", "/ or % by a variable"),
        ("let c = a % b.len();", "/ or % by a variable"),
        ("a %= n;", "/ or % by a variable"),
        ("let c = a / (n + 1);", "/ or % by a variable"),
        ("let c = a / N;", "/ or % by a variable"),
        ("d.copy_from_slice(s);", "copy_from_slice"),
        ("b.copy_within(1.., 0);", "copy_within"),
        ("let (a, b) = b.split_at(2);", "split_at("),
        ("let (a, b) = b.split_at_mut(2);", "split_at_mut("),
        ("s.read_exact(b)?;", "read_exact"),
        ("s.write_all(b)?;", "write_all"),
        ("let f = t.parse::<f32>();", "parse::<f"),
        ("x.unwrap();", ".unwrap()"),
        ("x.expect(\"some\");", ".expect("),
        ("panic!();", "panic!"),
        ("unreachable!()", "unreachable!"),
        ("todo!()", "todo!"),
        ("assert!(a);", "assert!"),
        ("assert_eq!(a, b);", "assert_eq!"),
        ("unsafe { f() }", "unsafe"),
        ("extern crate std;", "extern crate std"),
        ("let s = alloc::string::String::new();", "alloc:: outside of feature alloc"),
        ("w.write_fmt(format_args!(\"{}\", 1.5));", "format_args!"),
        ("let s = \"{x:?}\";", "{:?}"),
        ("if text == \"2025-06-18\" {}", "a revision's date"),
        (
            "#[cfg(feature = \"alloc\")]\nuse alloc::vec::Vec;\nuse alloc::string::String;",
            "alloc:: outside of feature alloc",
        ),
        ("#[cfg(test)]\nmod tests { fn t() { a[0]; } }\nfn f() { b[i] }", "index or slice"),
    ];
    for (sample, what) in samples {
        let found = hits("rpc/planted.rs", sample);
        let last = sample.lines().count();
        assert!(found.contains(&Hit { line: last, what: what.to_owned() }), "{sample}: {found:?}");
    }
}

#[test]
fn harmless_lines_are_not() {
    let samples = [
        "let a: [u8; 4] = [0; 4]; let s: &'a [u8] = &[1, 2];",
        "#[derive(Clone)] #[cfg(feature = \"x\")]",
        "let v = vec![1]; // b[i] / n, x.unwrap()",
        "let s = \"b[i] a / n panic!\"; let c = '['; let d = b'\\\\';",
        "let c = a / 10; let d = a % 0x20; a /= 2; let e = a % FILTER_BITS;",
        "x.unwrap_or(0); b.split_at_checked(1); b.split_at_mut_checked(1);",
        "#![forbid(unsafe_code)]",
        "let why = \"a batch is of 2025-03-26 only\";",
        "/* b[i] /* nested a / n */ */ let r = r#\"b[i] \" / n\"#;",
        "#[cfg(test)]\nmod tests { fn t() { a[0]; x.unwrap(); } }",
        "#[cfg(feature = \"alloc\")]\nimpl<A, B> X for alloc::vec::Vec<A> { fn f() {} }",
        "match x {\n#[cfg(feature = \"alloc\")]\nSelf::Vec(v) => alloc::f(v),\n_ => 0 }",
    ];
    for sample in samples {
        assert_eq!(hits("rpc/harmless.rs", sample), [], "{sample}");
    }
}

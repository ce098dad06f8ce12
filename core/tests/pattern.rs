//! Argument patterns: what they match, and which are refused where.

use midge::dispatch::pattern::{ATOMS_MAX, PatternFault, check, is_match};

/// Pattern, texts that match, texts that do not.
const DECIDED: [(&str, &[&str], &[&str]); 33] = [
    ("", &["", "x"], &[]),
    ("^$", &[""], &["x", "\n"]),
    ("b", &["b", "abc", "bbb"], &["", "ac"]),
    ("^b", &["b", "bc"], &["", "ab"]),
    ("b$", &["b", "ab"], &["", "ba", "b\n"]),
    ("^abc$", &["abc"], &["ab", "abcd", "xabc", "ABC"]),
    ("^a*$", &["", "a", "aaaa"], &["b", "aab"]),
    ("^a+b?$", &["a", "aab"], &["", "b", "abb"]),
    ("^ab?c$", &["ac", "abc"], &["abbc", "ab"]),
    ("^a{2}$", &["aa"], &["a", "aaa"]),
    ("^a{2,}$", &["aa", "aaaaaa"], &["a", ""]),
    ("^a{0,2}$", &["", "a", "aa"], &["aaa"]),
    ("^a{2,3}b$", &["aab", "aaab"], &["ab", "aaaab"]),
    ("^xa{0}y$", &["xy"], &["xay"]),
    ("^[a-c]+$", &["abcabc"], &["", "abd", "a-c"]),
    ("^[^a-c]$", &["d", "é", "\n"], &["a", "", "dd"]),
    ("^[a-z0-9_-]+$", &["snake_case-9"], &["Upper", "sp ace", ""]),
    ("^[-a]+$", &["-a"], &["b"]),
    ("^[a-]+$", &["-a"], &["b"]),
    ("^[a-c-e]+$", &["a-be"], &["d"]),
    ("^[\\w.]+$", &["a_Z.9"], &["a-b", "é"]),
    ("^[^\\s]+$", &["abc"], &["a b", "a\u{a0}b", "a\u{feff}"]),
    ("^[\\]\\\\^-]+$", &["]\\^-"], &["["]),
    ("^\\d{4}-\\d{2}-\\d{2}$", &["2026-07-28"], &["2026-7-28", "x2026-07-28", "٢٠٢٦-07-28"]),
    ("^\\D+$", &["abc٢"], &["a1"]),
    ("^\\S\\W\\s$", &["a- ", "é%\u{2028}"], &["a a", "aa "]),
    ("^.$", &["a", "é", "𝄞", "\u{85}"], &["\n", "\r", "\u{2028}", "\u{2029}", "", "ab"]),
    ("^a.*z$", &["az", "a..z", "azz"], &["a\nz", "a"]),
    ("^\\$\\^\\.\\(\\)\\[\\]\\{\\}\\|\\/\\\\$", &["$^.()[]{}|/\\"], &["$"]),
    ("\\$", &["a$b", "$"], &["", "a"]),
    ("^\\x41\\u00e9\\t\\n\\r\\f\\v$", &["Aé\t\n\r\u{c}\u{b}"], &["x41"]),
    ("^[à-ü]+é?$", &["éàü"], &["e", "ÿ"]),
    ("ab.d", &["xxabcdxx", "ababbd"], &["abd", "ab\nd"]),
];

#[test]
fn decided_cases() {
    let mut count = 0;
    for (pattern, yes, no) in DECIDED {
        assert_eq!(check(pattern), Ok(()), "{pattern:?}");
        for text in yes {
            assert!(is_match(pattern, text), "{pattern:?} takes {text:?}");
        }
        for text in no {
            assert!(!is_match(pattern, text), "{pattern:?} leaves {text:?}");
        }
        count += yes.len() + no.len();
    }
    println!("{count} texts against {} patterns", DECIDED.len());
}

#[test]
fn refused_patterns_say_where() {
    use PatternFault::{Alternation, Anchor, Bounds, Bracket, Class, Escape, Group, Quantifier, TooLarge};
    let cases = [
        ("a(b)", Group, 1),
        ("a)", Group, 1),
        ("(?=a)", Group, 0),
        ("a|b", Alternation, 1),
        ("a\\b", Escape, 1),
        ("\\p{L}", Escape, 0),
        ("\\1", Escape, 0),
        ("\\-", Escape, 0),
        ("\\é", Escape, 0),
        ("\\", Escape, 0),
        ("\\$$\\", Anchor, 2),
        ("\\x4", Escape, 0),
        ("\\x4g", Escape, 0),
        ("\\ud800", Escape, 0),
        ("[\\q]", Escape, 1),
        ("*", Quantifier, 0),
        ("^+", Quantifier, 1),
        ("a**", Quantifier, 2),
        ("a+?", Quantifier, 2),
        ("{2}", Quantifier, 0),
        ("a{2}{2}", Quantifier, 4),
        ("a{}", Bounds, 2),
        ("a{,3}", Bounds, 2),
        ("a{2", Bounds, 3),
        ("a{2,1}", Bounds, 5),
        ("a{2, 3}", Bounds, 4),
        ("[]", Class, 0),
        ("[^]", Class, 0),
        ("a[b", Class, 1),
        ("[b-a]", Class, 4),
        ("[\\w-z]", Class, 5),
        ("[a-\\d]", Class, 5),
        ("[a-", Class, 3),
        ("[a$", Class, 0),
        ("a^b", Anchor, 1),
        ("a$b", Anchor, 1),
        ("$$", Anchor, 0),
        ("a]", Bracket, 1),
        ("a}", Bracket, 1),
        ("ba{64}", TooLarge, 2),
        ("a{99999999999999999999}", TooLarge, 1),
        ("^a{32}b{32}$", TooLarge, 6),
    ];
    for (pattern, fault, at) in cases {
        let e = check(pattern).expect_err(pattern);
        assert_eq!((e.fault, e.at), (fault, at), "{pattern:?}");
        assert!(!is_match(pattern, pattern) && !is_match(pattern, ""), "{pattern:?} matches nothing");
        assert!(e.to_string().ends_with(&format!("(at byte {at})")));
    }
}

#[test]
fn the_largest_pattern_fits() {
    let pattern = format!("^a{{{ATOMS_MAX}}}$");
    assert!(is_match(&pattern, &"a".repeat(ATOMS_MAX)));
    assert!(!is_match(&pattern, &"a".repeat(ATOMS_MAX - 1)));
    assert!(!is_match(&pattern, &"a".repeat(ATOMS_MAX + 1)));
}

/// The classic attack on backtracking: 2^60 ways to fail, one pass here.
#[test]
fn nested_choices_do_not_multiply() {
    let pattern = format!("^{}b$", "a?a*".repeat(30));
    assert!(!is_match(&pattern, &"a".repeat(20_000)));
    assert!(is_match(&pattern, &("a".repeat(20_000) + "b")));
}

const _: () = assert!(check("^[A-Z]{2}-\\d+$").is_ok() && check("(a)").is_err());

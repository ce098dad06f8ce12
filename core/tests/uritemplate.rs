//! URI templates: our own vectors, the uritemplate-test suite by way of an independent expander, and properties.

mod expand;

use std::collections::BTreeMap;
use std::path::PathBuf;

use expand::{Value, expand, variables};
use midge::proto::template::{TEMPLATE_MAX, Var, Vars, check, decode, is_plain, match_uri};
use proptest::prelude::*;
use serde_json::Value as Json;

fn text(raw: &[u8]) -> String {
    let mut out = vec![0; raw.len()];
    let text = decode(raw, &mut out).expect("a matched value decodes").to_owned();
    assert!(!is_plain(raw) || text.as_bytes() == raw);
    text
}

fn matched(template: &str, uri: &str) -> Option<Vars> {
    let mut vars = Vars::new();
    let hit = match_uri(template, uri.as_bytes(), &mut vars);
    assert!(hit || vars.is_empty());
    hit.then_some(vars)
}

fn pair(case: &Json, i: usize) -> &str {
    case[i].as_str().expect("a string")
}

#[test]
fn own_vectors() {
    let vectors: Json =
        serde_json::from_str(include_str!("../../tests/vectors/template.json")).expect("vectors");
    let group = |name: &str| vectors[name].as_array().expect("a group").clone();
    for case in group("match") {
        let (template, uri) = (pair(&case, 0), pair(&case, 1));
        assert_eq!(check(template), Ok(()), "{template}");
        let vars = matched(template, uri).unwrap_or_else(|| panic!("{template} matches {uri}"));
        let mut got = serde_json::Map::new();
        for var in vars.iter() {
            let name = text(var.name(template.as_bytes()));
            let var = vars.get(template, &name).expect("is there");
            let items: Vec<Json> = var.items(uri.as_bytes()).map(|item| text(item).into()).collect();
            let value = if var.list { Json::from(items) } else { text(var.raw(uri.as_bytes())).into() };
            got.insert(name, value);
        }
        assert_eq!(Json::from(got), case[2], "{template} for {uri}");
    }
    for case in group("no_match") {
        assert!(matched(pair(&case, 0), pair(&case, 1)).is_none(), "{case}");
    }
    for case in group("refused") {
        let e = check(pair(&case, 0)).expect_err(pair(&case, 0));
        assert_eq!(
            (format!("{:?}", e.fault).as_str(), Some(e.at as u64)),
            (pair(&case, 1), case[2].as_u64()),
            "{case}"
        );
        assert!(matched(pair(&case, 0), "a").is_none());
    }
}

/// FIELD-CASES B22: a value reaches the handler decoded, exactly once.
#[test]
fn b22_values_are_decoded_once() {
    let template = "note:///{name}";
    let read = |uri: &str| {
        matched(template, uri).map(|v| text(v.get(template, "name").expect("there").raw(uri.as_bytes())))
    };
    assert_eq!(read("note:///My%20File%C3%A9.txt").as_deref(), Some("My Fileé.txt"));
    assert_eq!(read("note:///a%2Fb").as_deref(), Some("a/b"));
    assert_eq!(read("note:///a+b").as_deref(), Some("a+b"));
    assert_eq!(read("note:///100%2525").as_deref(), Some("100%25"));
    assert_eq!(read("note:///bad%GG"), None);
    assert_eq!(read("note:///a/b"), None);
}

#[test]
fn decoding_is_strict() {
    use midge::proto::template::DecodeError::{Escape, Space, Utf8};
    let mut out = [0; 8];
    assert_eq!(decode(b"a%41+%2b", &mut out), Ok("aA++"));
    assert_eq!(decode(b"", &mut []), Ok(""));
    assert_eq!(decode(b"a%4", &mut out), Err(Escape(1)));
    assert_eq!(decode(b"ab%", &mut out), Err(Escape(2)));
    assert_eq!(decode(b"%GG", &mut out), Err(Escape(0)));
    assert_eq!(decode(b"%4 1", &mut out), Err(Escape(0)));
    assert_eq!(decode(b"%FF", &mut out), Err(Utf8));
    assert_eq!(decode(b"%C3", &mut out), Err(Utf8));
    assert_eq!(decode(b"%ED%A0%80", &mut out), Err(Utf8));
    assert_eq!(decode(b"%C0%AF", &mut out), Err(Utf8));
    assert_eq!(decode(b"abc%20", &mut out[..3]), Err(Space(4)));
    assert!(is_plain(b"a+b") && !is_plain(b"a%20b"));
}

#[test]
fn the_longest_template_works() {
    let template = format!("{}{{x}}", "a".repeat(TEMPLATE_MAX - 3));
    let uri = format!("{}z", "a".repeat(TEMPLATE_MAX - 3));
    assert!(matched(&template, &uri).is_some());
    assert_eq!(check(&format!("a{template}")).map_err(|e| e.at), Err(TEMPLATE_MAX));
}

/// Cases of the suite that matching cannot decide, and why. A case that changes sides fails the test.
const UNDECIDABLE: [(&str, &str, &str); 10] = [
    ("3.2.2 Simple String Expansion", "O{undef}X", ABSENT),
    ("3.2.2 Simple String Expansion", "?{undef,y}", SHIFTED),
    ("3.2.3 Reserved Expansion", "O{+undef}X", ABSENT),
    ("3.2.3 Reserved Expansion", "up{+path}{var}/here", REFUSED),
    ("Additional Examples 6: Reserved Expansion", "{+id}", KEPT),
    ("Additional Examples 6: Reserved Expansion", "{#id}", KEPT),
    ("Additional Examples 6: Reserved Expansion", "{+list}", KEPT),
    ("Additional Examples 6: Reserved Expansion", "{#list}", KEPT),
    ("Additional Examples 6: Reserved Expansion", "{+keys}", KEPT),
    ("Additional Examples 6: Reserved Expansion", "{#keys}", KEPT),
];
const ABSENT: &str = "absent and empty expand alike";
const SHIFTED: &str = "no name tells which variable was absent";
const REFUSED: &str = "refused: no character says where the first value ends";
const KEPT: &str = "reserved expansion keeps `%25` of a value, so it looks like an encoded `%`";

/// Failure tests of the suite that fail for their value's type: the template itself is fine.
const FAIL_BY_VALUE: [&str; 2] = ["{keys:1}", "{+keys:1}"];

fn suite() -> Option<PathBuf> {
    let default = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared").into();
    let folder = PathBuf::from(std::env::var_os("MIDGE_TEST_DATA").unwrap_or_else(default))
        .join("data/uritemplate-test");
    if !folder.is_dir() {
        println!("uritemplate-test is not at {}: left out", folder.display());
        return None;
    }
    Some(folder)
}

/// The test cases of one file: group, its variables, template and expectation.
fn cases(folder: &std::path::Path, file: &str) -> Vec<(String, BTreeMap<String, Value>, String, Json)> {
    let json = std::fs::read_to_string(folder.join(file)).expect(file);
    let json: serde_json::Map<String, Json> = serde_json::from_str(&json).expect(file);
    let mut all = Vec::new();
    for (name, group) in json {
        let values = group["variables"].as_object().expect("variables");
        let values: BTreeMap<String, Value> =
            values.iter().filter_map(|(k, v)| Some((k.clone(), Value::from_json(v)?))).collect();
        for case in group["testcases"].as_array().expect("cases") {
            all.push((name.clone(), values.clone(), pair(case, 0).to_owned(), case[1].clone()));
        }
    }
    all
}

#[test]
fn uritemplate_test_suite() {
    let Some(folder) = suite() else { return };
    let (mut decided, mut undecided, mut uris) = (0, Vec::new(), 0);
    for file in ["spec-examples.json", "spec-examples-by-section.json", "extended-tests.json"] {
        for (group, values, template, want) in cases(&folder, file) {
            let want: Vec<&str> = match &want {
                Json::Array(any) => any.iter().map(|one| one.as_str().expect("a string")).collect(),
                one => vec![one.as_str().expect("a string")],
            };
            let uri = expand(&template, &values);
            assert!(want.contains(&uri.as_str()), "{template}: {uri} is none of {want:?}");
            uris += want.len();
            match want.iter().find_map(|uri| wrong_value(&template, uri, &values)) {
                None => decided += 1,
                Some(what) => undecided.push((group, template, what)),
            }
        }
    }
    for (group, template, what) in &undecided {
        println!("undecidable: {group}: {template}: {what}");
    }
    println!(
        "{decided} cases ({uris} URIs in all) give their values back, {} are undecidable",
        undecided.len()
    );
    let found: Vec<(&str, &str)> =
        undecided.iter().map(|(group, template, _)| (&**group, &**template)).collect();
    let table: Vec<(&str, &str)> =
        UNDECIDABLE.iter().map(|(group, template, _)| (*group, *template)).collect();
    assert_eq!(found, table);
    assert_eq!(decided + undecided.len(), 234);
}

#[test]
fn uritemplate_test_failures_are_refused() {
    let Some(folder) = suite() else { return };
    let mut accepted = Vec::new();
    let all = cases(&folder, "negative-tests.json");
    for (_, _, template, want) in &all {
        assert_eq!(*want, Json::Bool(false));
        if check(template).is_ok() {
            accepted.push(template.as_str());
        }
    }
    println!("{} of {} failure tests are refused as templates", all.len() - accepted.len(), all.len());
    assert_eq!(accepted, FAIL_BY_VALUE);
}

/// What is wrong with the values that matching `uri` gives, if anything.
fn wrong_value(template: &str, uri: &str, values: &BTreeMap<String, Value>) -> Option<String> {
    if let Err(e) = check(template) {
        return Some(e.to_string());
    }
    let Some(vars) = matched(template, uri) else { return Some("does not match".into()) };
    let mut left: Vec<&Var> = vars.iter().collect();
    for spec in variables(template) {
        let want = values.get(&spec.name).filter(|value| !value.is_undefined());
        let at = left.iter().position(|var| usize::from(var.name.0) == spec.at);
        match (want, at.map(|at| left.remove(at))) {
            (None, None) => {}
            (Some(want), Some(var)) => {
                let got: Vec<String> = var.items(uri.as_bytes()).map(text).collect();
                if !want.is_in(&spec, &got) {
                    return Some(format!("{} is {got:?}", spec.name));
                }
            }
            (want, got) => return Some(format!("{}: {want:?} came back as {got:?}", spec.name)),
        }
    }
    left.first().map(|var| format!("{var:?} too much"))
}

/// A template that is decided whatever its values hold, and the operators it uses.
fn exact_template() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "note:///{a}",
        "x://{a}/{b}/{c}",
        "{a}/b{?b,c}",
        "{a}{/b,c}",
        "{a}{?b}{&c}",
        "{a}{;b,c}",
        "{a,b,c}",
        "{a}{#c}",
        "{a}:{b}@{+c}",
        "a{?b*}",
        "a{/b*}",
        "a{;b,c*}",
        "é{a}?{b}",
        "{a*}{?b*}{#c}",
    ])
}

/// Templates where several readings exist for some values.
fn any_template() -> impl Strategy<Value = String> {
    let op = proptest::sample::select(vec!["", "+", "#", ".", "/", ";", "?", "&"]);
    let names = proptest::sample::subsequence(vec!["a", "b", "ab", "c.d"], 1..4);
    let star = proptest::collection::vec(prop_oneof![4 => Just(""), 1 => Just("*")], 3);
    let expression = (op, names, star).prop_map(|(op, names, star)| {
        let vars: Vec<String> = names.iter().zip(star).map(|(name, star)| format!("{name}{star}")).collect();
        format!("{{{op}{}}}", vars.join(","))
    });
    let piece = prop_oneof![expression, "[ab/?&.,;#=-]{1,3}|%2F|é"];
    proptest::collection::vec(piece, 0..5)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("is a template", |template| check(template).is_ok())
}

/// Puts the raw values back where the template has them.
fn rebuild(template: &str, uri: &str, vars: &Vars) -> String {
    let values: BTreeMap<usize, Value> = vars
        .iter()
        .map(|var| {
            (
                usize::from(var.name.0),
                Value::Raw(String::from_utf8_lossy(var.raw(uri.as_bytes())).into_owned()),
            )
        })
        .collect();
    expand::expand_places(template, |spec| values.get(&spec.at))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// match(expand(values)) = values, where it is decidable.
    #[test]
    fn values_come_back(template in exact_template(), a in "\\PC{0,6}", b in "[a-z/,.%é+&=]{1,6}", c in "[ -~]{0,6}") {
        // `{+c}` keeps percent-encodings of the value, so it has none here.
        let c = c.replace('%', "");
        let all = [("a", a), ("b", b), ("c", c)].map(|(k, v)| (k.to_owned(), Value::Text(v)));
        let values = BTreeMap::from(all);
        let uri = expand(template, &values);
        prop_assert_eq!(wrong_value(template, &uri, &values), None, "{}", uri);
    }

    /// expand(match(u)) = u, and no u that is an expansion is missed.
    #[test]
    fn every_expansion_matches_and_is_rebuilt(
        template in any_template(),
        a in proptest::option::of("[ab/.,-]{0,3}"),
        b in proptest::option::of("[ab?&=;é]{0,3}"),
        ab in proptest::option::of("[ab#%+]{0,3}"),
    ) {
        let all = [("a", a), ("b", b), ("ab", ab)];
        let values = all.into_iter().filter_map(|(k, v)| Some((k.to_owned(), Value::Text(v?)))).collect();
        let uri = expand(&template, &values);
        // The reading that is chosen may give other values. Two places with one name must agree, which it may not.
        let names: Vec<String> = variables(&template).into_iter().map(|spec| spec.name).collect();
        let repeated = names.iter().enumerate().any(|(i, name)| names[..i].contains(name));
        let vars = matched(&template, &uri);
        prop_assert!(vars.is_some() || repeated, "{} for {}", template, uri);
        if let Some(vars) = vars {
            prop_assert!(rebuild(&template, &uri, &vars).eq_ignore_ascii_case(&uri), "{} for {}", template, uri);
        }
    }

    /// Whatever matches is what its values expand to; and arbitrary bytes do no harm.
    #[test]
    fn what_matches_is_rebuilt(template in any_template(), uri in "([ab/?&.,;#=-]|a=|%2f|%C3%A9){0,9}", junk in any::<Vec<u8>>()) {
        if let Some(vars) = matched(&template, &uri) {
            let again = rebuild(&template, &uri, &vars);
            prop_assert!(again.eq_ignore_ascii_case(&uri), "{} for {}: {}", template, uri, again);
        }
        let mut vars = Vars::new();
        match_uri(&template, &junk, &mut vars);
    }

    #[test]
    fn any_text_is_checked(template in "[{}ab,.:*+#/;?&%0-9é-]{0,20}", uri in "[ab/?&.,;#=%2-]{0,20}") {
        matched(&template, &uri);
    }
}

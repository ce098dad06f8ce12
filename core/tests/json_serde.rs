//! serde both ways, against `serde_json` and, where it is right, `serde-json-core`.

use midge::error::Kind;
use midge::json::text::soften;
use midge::json::{De, DeError, Raw, Writer, from_value, to_writer};
use midge::sink::{Buf, Fill, Sink};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Debug;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Lamp {
    name: String,
    on: bool,
    level: u8,
    colors: Vec<Color>,
    next: Option<Box<Lamp>>,
    mode: Mode,
    tags: BTreeMap<String, i64>,
    rows: BTreeMap<i16, bool>,
    flags: BTreeMap<bool, Mode>,
    pair: (i8, u16),
    gap: (),
    sign: char,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Color {
    red: u8,
    id: Id,
    big: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Id(i64);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
enum Mode {
    Off,
    Dim(u32),
    Pair(i16, String),
    #[serde(rename = "fa\"de\u{e9}")]
    Fade {
        from: u8,
        to: Option<u8>,
    },
}

fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![
        Just(Mode::Off),
        any::<u32>().prop_map(Mode::Dim),
        (any::<i16>(), any::<String>()).prop_map(|(n, s)| Mode::Pair(n, s)),
        (any::<u8>(), any::<Option<u8>>()).prop_map(|(from, to)| Mode::Fade { from, to }),
    ]
}

fn color() -> impl Strategy<Value = Color> {
    (any::<u8>(), any::<i64>(), any::<Option<u64>>()).prop_map(|(red, id, big)| Color {
        red,
        id: Id(id),
        big,
    })
}

fn lamp() -> impl Strategy<Value = Lamp> {
    let strings = (any::<String>(), any::<char>(), any::<Option<String>>());
    let scalars = (any::<bool>(), any::<u8>(), any::<(i8, u16)>());
    let maps = (
        prop::collection::btree_map(any::<String>(), any::<i64>(), 0..3),
        prop::collection::btree_map(any::<i16>(), any::<bool>(), 0..3),
        prop::collection::btree_map(any::<bool>(), mode(), 0..3),
    );
    let leaf = (strings, scalars, maps, mode(), prop::collection::vec(color(), 0..3));
    let leaf = leaf.prop_map(|((name, sign, note), (on, level, pair), (tags, rows, flags), mode, colors)| {
        Lamp { name, on, level, colors, next: None, mode, tags, rows, flags, pair, gap: (), sign, note }
    });
    prop::collection::vec(leaf, 1..4).prop_map(|chain| {
        let nest = |inner: Option<Lamp>, mut outer: Lamp| {
            outer.next = inner.map(Box::new);
            Some(outer)
        };
        chain.into_iter().fold(None, nest).expect("one lamp")
    })
}

fn written<T: Serialize + ?Sized>(value: &T) -> String {
    let mut memory = vec![0; 1 << 16];
    let mut fill = Fill::default();
    let mut writer = Writer::new(Sink::new(Buf::from(&mut memory[..]), &mut fill, None));
    to_writer(&mut writer, value).expect("writable");
    assert_eq!(writer.depth(), 0);
    assert!(!writer.sink().lost());
    memory.truncate(fill.len);
    String::from_utf8(memory).expect("UTF-8")
}

fn read<T: DeserializeOwned>(json: &str) -> Result<T, DeError> {
    let mut text = json.as_bytes().to_vec();
    soften(&mut text);
    from_value(&text)
}

fn failure<T: DeserializeOwned + Debug>(json: &str) -> (Kind, String) {
    let mut text = json.as_bytes().to_vec();
    soften(&mut text);
    let e = from_value::<T>(&text).expect_err(json);
    let mut path = String::new();
    e.write_path(&text, &mut |piece| path.push_str(piece));
    (e.kind(), path)
}

fn whole() -> Value {
    json!({
        "name": "a\nb", "on": true, "level": 3, "colors": [{"red": 1, "id": -5, "big": null}, {"red": 2, "id": 6}],
        "next": null, "mode": {"Dim": 7}, "tags": {"x\"y": 1}, "rows": {"-3": true}, "flags": {"true": "Off"},
        "pair": [-1, 2], "gap": null, "sign": "漢",
    })
}

fn with(pointer: &str, value: Value) -> String {
    let mut all = whole();
    *all.pointer_mut(pointer).expect("pointer") = value;
    all.to_string()
}

fn without(member: &str) -> String {
    let mut all = whole();
    all.as_object_mut().expect("object").remove(member);
    all.to_string()
}

#[test]
fn failures_name_their_path() {
    let path = |text: &str| failure::<Lamp>(text);
    assert_eq!(read::<Lamp>(&whole().to_string()), Ok(serde_json::from_value(whole()).expect("whole")));
    assert_eq!(path(&with("/level", json!(256))), (Kind::Range, "level".into()));
    assert_eq!(path(&with("/level", json!("3"))), (Kind::Type, "level".into()));
    assert_eq!(path(&with("/colors/1/red", json!([]))), (Kind::Type, "colors[1].red".into()));
    assert_eq!(path(&with("/colors/1/id", json!(1.5))), (Kind::Type, "colors[1].id".into()));
    assert_eq!(
        path(&with("/colors/0", json!({"red": 1, "id": 2, "bl\nue": 3}))),
        (Kind::Unknown, "colors[0].bl\nue".into())
    );
    assert_eq!(path(&with("/colors/1", json!({"red": 1}))), (Kind::Missing, "colors[1].id".into()));
    assert_eq!(path(&with("/mode", json!("Up"))), (Kind::Unknown, "mode".into()));
    assert_eq!(path(&with("/mode", json!("Dim"))), (Kind::Type, "mode".into()));
    assert_eq!(path(&with("/mode", json!({"Dim": -1}))), (Kind::Range, "mode.Dim".into()));
    assert_eq!(path(&with("/mode", json!({"Off": 1}))), (Kind::Type, "mode.Off".into()));
    assert_eq!(path(&with("/mode", json!({}))), (Kind::Length, "mode".into()));
    assert_eq!(path(&with("/mode", json!({"Dim": 1, "Off": null}))), (Kind::Length, "mode".into()));
    assert_eq!(path(&with("/mode", json!({"Pair": [1]}))), (Kind::Length, "mode.Pair".into()));
    assert_eq!(path(&with("/pair", json!([1]))), (Kind::Length, "pair".into()));
    assert_eq!(path(&with("/pair", json!([1, 2, 3]))), (Kind::Length, "pair".into()));
    assert_eq!(path(&with("/rows", json!({"1": true, "x": false}))), (Kind::Type, "rows.x".into()));
    assert_eq!(path(&with("/rows", json!({"99999": true}))), (Kind::Range, "rows.99999".into()));
    assert_eq!(path(&with("/rows", json!({" 1": true}))), (Kind::Type, "rows. 1".into()));
    assert_eq!(path(&with("/sign", json!("ab"))), (Kind::Length, "sign".into()));
    assert_eq!(path(&with("/sign", json!(""))), (Kind::Length, "sign".into()));
    assert_eq!(path(&with("/next", json!({"name": 1}))), (Kind::Type, "next.name".into()));
    assert_eq!(path(&without("pair")), (Kind::Missing, "pair".into()));
    assert_eq!(path("[]"), (Kind::Type, String::new()));
    assert_eq!(path(r#"{"name":"a","on":true,"name":"b"}"#), (Kind::Duplicate, "name".into()));
}

#[test]
fn an_absent_value_is_none_or_missing() {
    assert_eq!(from_value::<Option<u8>>(b""), Ok(None));
    assert_eq!(from_value::<Option<Option<Id>>>(b""), Ok(None));
    assert_eq!(from_value::<Option<Raw<'_>>>(b"").map(|raw| raw.is_none()), Ok(true));
    assert_eq!(from_value::<u8>(b"").map_err(|e| e.kind()), Err(Kind::Missing));
    assert_eq!(from_value::<Raw<'_>>(b"").map(|_| ()).map_err(|e| e.kind()), Err(Kind::Missing));
    assert_eq!(<()>::deserialize(&mut De::absent()).map_err(|e| e.kind()), Err(Kind::Missing));
    assert_eq!(from_value::<Option<u8>>(b"null"), Ok(None));
    assert_eq!(from_value::<Option<u8>>(b"7"), Ok(Some(7)));
    assert_eq!(from_value::<Option<&str>>(b"\"x\""), Ok(Some("x")));
}

#[test]
fn integers_by_value_not_by_form() {
    assert_eq!(read("[1.0,1e2,-0,20e-1]"), Ok(vec![1_u8, 100, 0, 2]));
    assert_eq!(read("[-128,127]"), Ok([-128_i8, 127]));
    assert_eq!(read("[-129]").map_err(|e| e.kind()), Err::<[i8; 1], _>(Kind::Range));
    assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
    assert_eq!(read("-9223372036854775808"), Ok(i64::MIN));
    assert_eq!(read("-9223372036854775808"), Ok(i128::from(i64::MIN)));
}

#[test]
fn strings_are_borrowed_and_must_be_softened() {
    let text = b"\"plain\"";
    let read = from_value::<&str>(text).expect("string");
    assert_eq!(read.as_ptr(), text[1..].as_ptr());
    assert_eq!(from_value::<&str>(br#""a\nb""#).map_err(|e| e.kind()), Err(Kind::Escape));
    assert_eq!(from_value::<[&str; 1]>(br#"["a\nb"]"#).map_err(|e| e.kind()), Err(Kind::Escape));
    assert_eq!(from_value::<&str>(b" \"blank\" "), Ok("blank"));
}

#[test]
fn raw_values_pass_through() {
    #[derive(Serialize, Deserialize)]
    struct Envelope<'a> {
        #[serde(borrow)]
        any: Raw<'a>,
        list: Vec<Raw<'a>>,
        after: u8,
    }
    let json = r#"{"any":{"n":1.50e+02,"s":"a\"b\u000a","s":[]},"list":[1,"x",[2],{},null],"after":9}"#;
    let mut text = json.as_bytes().to_vec();
    soften(&mut text);
    let envelope: Envelope<'_> = from_value(&text).expect("envelope");
    assert_eq!(
        envelope.list.iter().map(|raw| raw.get()).collect::<Vec<_>>(),
        [&b"1"[..], b"\"x\"", b"[2]", b"{}", b"null"]
    );
    assert_eq!(envelope.after, 9);
    assert_eq!(written(&envelope), json.replace("\\u000a", "\\n"));
    const SCHEMA: Option<Raw<'_>> = Raw::new(br#"{"type":"object"}"#);
    assert_eq!(written(&SCHEMA), r#"{"type":"object"}"#);
    assert!(Raw::new(b"{} ").is_some() && Raw::new(b"{").is_none());
    assert!(serde_json::from_str::<Raw<'_>>("1").is_err());
}

#[test]
fn any_value_is_described_as_it_is() {
    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(untagged)]
    enum Any {
        Null(()),
        Bool(bool),
        Small(u8),
        Negative(i64),
        Text(String),
        List(Vec<Any>),
        Map(BTreeMap<String, Any>),
    }
    let any = read::<Any>(r#"{"a":[null,true,7,-8,"x\ty"]}"#).expect("any");
    let list =
        vec![Any::Null(()), Any::Bool(true), Any::Small(7), Any::Negative(-8), Any::Text("x\ty".into())];
    assert_eq!(any, Any::Map([("a".to_owned(), Any::List(list))].into()));
}

#[test]
fn the_types_own_refusal_has_its_place() {
    #[derive(Debug, Deserialize)]
    #[serde(try_from = "u32")]
    struct Even;
    impl TryFrom<u32> for Even {
        type Error = &'static str;
        fn try_from(n: u32) -> Result<Self, &'static str> {
            if n.is_multiple_of(2) { Ok(Self) } else { Err("odd") }
        }
    }
    assert_eq!(
        failure::<BTreeMap<String, Vec<Even>>>(r#"{"list":[2,4,5]}"#),
        (Kind::Refused, "list[2]".into())
    );
    assert_eq!(failure::<Vec<std::num::NonZeroU8>>("[1,0]"), (Kind::Range, "[1]".into()));
    assert_eq!(failure::<Vec<heapless::String<3>>>(r#"["abc","abcd"]"#), (Kind::Length, "[1]".into()));
}

#[test]
fn text_formatted_by_the_type_is_escaped() {
    struct Shown;
    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
            s.collect_str(&format_args!("{}\"{}\"\n", 1, 'x'))
        }
    }
    assert_eq!(written(&(Shown, 'é', '"')), r#"["1\"x\"\n","é","\""]"#);
    assert_eq!(written(&BTreeMap::from([(1, Shown)])), r#"{"1":"1\"x\"\n"}"#);
}

#[test]
fn what_json_cannot_say_is_refused() {
    let refused = |write: &dyn Fn(&mut Writer<'_>) -> Option<Kind>| {
        let mut memory = [0; 256];
        let mut fill = Fill::default();
        let mut writer = Writer::new(Sink::new(Buf::from(&mut memory), &mut fill, None));
        let kind = write(&mut writer);
        writer.close_all();
        let text = &memory[..fill.len];
        assert!(text.is_empty() || midge::json::scan::valid(text), "{}", String::from_utf8_lossy(text));
        kind
    };
    let kind = |e: midge::json::SerError| e.kind();
    assert_eq!(refused(&|w| to_writer(w, &(1, u128::MAX)).map_err(kind).err()), Some(Kind::Range));
    assert_eq!(refused(&|w| to_writer(w, &i128::MIN).map_err(kind).err()), Some(Kind::Range));
    assert_eq!(refused(&|w| to_writer(w, &BTreeMap::from([((), 1)])).map_err(kind).err()), Some(Kind::Type));
    assert_eq!(
        refused(&|w| to_writer(w, &BTreeMap::from([(1, u128::MAX)])).map_err(kind).err()),
        Some(Kind::Range)
    );
    assert_eq!(
        written(&(i128::from(i64::MIN), u128::from(u64::MAX))),
        "[-9223372036854775808,18446744073709551615]"
    );
}

/// A random place in `value`, replaced by one that does not fit there.
fn replace(value: &mut Value, path: &[prop::sample::Index], new: &Value) {
    let Some((first, rest)) = path.split_first() else {
        // A struct out of an array is the one thing that serde_json reads and this crate refuses.
        if !(value.is_object() && new.is_array()) {
            *value = new.clone();
        }
        return;
    };
    match value {
        Value::Array(list) if !list.is_empty() => {
            let i = first.index(list.len());
            replace(&mut list[i], rest, new);
        }
        Value::Object(map) if !map.is_empty() => {
            let name = map.keys().nth(first.index(map.len())).expect("member").clone();
            if rest.is_empty() && new.is_boolean() {
                map.remove(&name);
            } else {
                replace(&mut map[&name], rest, new);
            }
        }
        _ => replace(value, &[], new),
    }
}

fn intruder() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u8>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(json!([])),
        Just(json!([1, "Off"])),
        Just(json!({})),
        Just(json!({"Off": null})),
        Just(json!({"Dim": 5})),
        Just(json!({"red": 5, "id": 7})),
    ]
}

/// JSON with every character in one of its forms.
fn escaped(text: &str, forms: &[bool]) -> String {
    let mut out = String::from("\"");
    for (c, escape) in text.chars().zip(forms.iter().cycle()) {
        if *escape || c < ' ' || c == '"' || c == '\\' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out + "\""
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn writes_as_serde_json_and_reads_back(lamp in lamp()) {
        let text = written(&lamp);
        prop_assert_eq!(&text, &serde_json::to_string(&lamp).expect("writable"));
        prop_assert_eq!(read::<Lamp>(&text), Ok(lamp));
    }

    #[test]
    fn reads_what_serde_json_reads(
        lamp in lamp(), path in prop::collection::vec(any::<prop::sample::Index>(), 1..5), new in intruder(),
    ) {
        let mut value = serde_json::to_value(&lamp).expect("value");
        replace(&mut value, &path, &new);
        let text = value.to_string();
        let theirs = serde_json::from_str::<Lamp>(&text).ok();
        prop_assert_eq!(read::<Lamp>(&text).ok(), theirs, "{}", text);
    }

    #[test]
    fn values_are_written_as_they_were_read(value in intruder(), lamp in lamp()) {
        let mut all = serde_json::to_value(&lamp).expect("value");
        all["more"] = value;
        let text = serde_json::to_string_pretty(&all).expect("text").into_bytes();
        let mut softened = text.clone();
        soften(&mut softened);
        prop_assert_eq!(written(&Raw::scanned(&softened)), all.to_string());
        prop_assert_eq!(written(&Raw::scanned(&text)), all.to_string());
    }

    #[test]
    fn softening_twice_is_softening_once(text in any::<String>(), forms in prop::collection::vec(any::<bool>(), 1..9)) {
        let json = escaped(&text, &forms);
        let mut once = json.clone().into_bytes();
        soften(&mut once);
        let mut twice = once.clone();
        soften(&mut twice);
        prop_assert_eq!(&once, &twice);
        prop_assert_eq!(from_value::<&str>(&once), Ok(&text[..]));
        let theirs = serde_json::from_str::<String>(&json).expect("string");
        prop_assert_eq!(theirs, &text[..]);
        let same = midge::json::text::same(json.as_bytes(), 1, json.len() - 1, text.as_bytes());
        prop_assert!(same);
    }

    #[test]
    fn agrees_with_serde_json_core(red in any::<u8>(), id in any::<i64>(), big in any::<Option<u64>>()) {
        let color = Color { red, id: Id(id), big };
        let text = serde_json_core::to_string::<_, 128>(&color).expect("fits");
        prop_assert_eq!(text.as_str(), written(&color));
        let (theirs, _) = serde_json_core::from_str::<Color>(&text).expect("readable");
        prop_assert_eq!(read::<Color>(&text), Ok(theirs));
    }
}

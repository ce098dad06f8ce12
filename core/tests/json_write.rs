//! The writer: whole values at any point, whatever the order of calls.

use midge::json::scan::valid;
use midge::json::{Raw, Writer, to_writer};
use midge::sink::{Buf, Fill, Flush, Sink};
use proptest::prelude::*;
use serde_json::json;

fn written(size: usize, write: impl FnOnce(&mut Writer<'_>)) -> (String, usize, bool) {
    let mut memory = vec![0; size];
    let mut fill = Fill::default();
    let mut writer = Writer::new(Sink::new(Buf::from(&mut memory[..]), &mut fill, None));
    write(&mut writer);
    let (total, lost) = (writer.sink().total(), writer.sink().lost());
    memory.truncate(fill.len);
    (String::from_utf8_lossy(&memory).into_owned(), total, lost)
}

#[derive(Clone, Debug)]
enum Call {
    Object,
    Array,
    Close,
    Key(String),
    Str(String),
    BeginStr,
    Text(String),
    EndStr,
    Integer(i64),
    Null,
    Bool(bool),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        Just(Call::Object),
        Just(Call::Array),
        Just(Call::Close),
        any::<String>().prop_map(Call::Key),
        any::<String>().prop_map(Call::Key),
        any::<String>().prop_map(Call::Str),
        Just(Call::BeginStr),
        any::<String>().prop_map(Call::Text),
        Just(Call::EndStr),
        any::<i64>().prop_map(Call::Integer),
        Just(Call::Null),
        any::<bool>().prop_map(Call::Bool),
    ]
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Member,
    Value,
    Text,
}

/// Makes those calls that are in order where they stand; the rest is left out.
fn make(w: &mut Writer<'_>, calls: &[Call]) {
    w.object();
    let mut open = vec![true];
    let mut place = Place::Member;
    for call in calls {
        let Some(object) = open.last().copied() else { return };
        let after = if object { Place::Member } else { Place::Value };
        match (place, call) {
            (Place::Text, Call::Text(text)) => w.text(text),
            (Place::Text, Call::EndStr) => {
                w.end_str();
                place = after;
            }
            (Place::Text, _) => {}
            (Place::Member, Call::Key(name)) => {
                w.key(name);
                place = Place::Value;
            }
            (Place::Member, Call::Close) => {
                w.close();
                open.pop();
                place = if open.last() == Some(&true) { Place::Member } else { Place::Value };
            }
            (Place::Value, Call::Close) if !object => {
                w.close();
                open.pop();
                place = if open.last() == Some(&true) { Place::Member } else { Place::Value };
            }
            (Place::Value, Call::Object) => {
                w.object();
                open.push(true);
                place = Place::Member;
            }
            (Place::Value, Call::Array) => {
                w.array();
                open.push(false);
            }
            (Place::Value, Call::BeginStr) => {
                w.begin_str();
                place = Place::Text;
            }
            (Place::Value, Call::Str(text)) => {
                w.str(text);
                place = after;
            }
            (Place::Value, Call::Integer(n)) => {
                w.i64(*n);
                place = after;
            }
            (Place::Value, Call::Null) => {
                w.null();
                place = after;
            }
            (Place::Value, Call::Bool(b)) => {
                w.bool(*b);
                place = after;
            }
            _ => {}
        }
    }
}

#[test]
fn integers_to_the_edges() {
    let (text, ..) = written(256, |w| {
        w.array();
        for n in [0, -1, i64::MIN, i64::MAX, 10, 99, 100] {
            w.i64(n);
        }
        w.u64(u64::MAX);
        w.close();
    });
    assert_eq!(text, "[0,-1,-9223372036854775808,9223372036854775807,10,99,100,18446744073709551615]");
}

#[test]
fn a_broken_raw_value_ends_whole() {
    for broken in ["", "{", "{\"a\"", "{\"a\":", "[1,", "[1,{\"a\":[tru", "[\"a\",\"b"] {
        let (text, ..) = written(256, |w| {
            w.array();
            w.value(broken.as_bytes());
            w.null();
            w.close();
        });
        assert!(valid(text.as_bytes()), "{broken}: {text}");
    }
}

#[test]
fn names_written_in_pieces() {
    let (text, ..) = written(256, |w| {
        w.object();
        w.key_integer(true, 5);
        w.null();
        w.begin_key();
        w.text("a\"");
        w.text("b");
        w.end_key();
        w.reborrow().u64(1);
        w.key("c");
        w.put(b"2");
        w.close();
    });
    assert_eq!(text, r#"{"-5":null,"a\"b":1,"c":2}"#);
}

struct Out<'a>(&'a mut Vec<u8>);

impl Flush for Out<'_> {
    fn flush(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn closing_all_makes_a_whole_value_at_any_point(calls in prop::collection::vec(call(), 0..40)) {
        let (text, ..) = written(1 << 16, |w| {
            make(w, &calls);
            w.close_all();
            assert_eq!(w.depth(), 0);
        });
        prop_assert!(valid(text.as_bytes()), "{}", text);
        prop_assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{}", text);
    }

    #[test]
    fn a_twin_is_the_string_of_the_text(calls in prop::collection::vec(call(), 0..40)) {
        let (inner, ..) = written(1 << 16, |w| {
            make(w, &calls);
            w.close_all();
        });
        let (twin, ..) = written(1 << 17, |w| w.twin(|w| make(w, &calls)));
        prop_assert_eq!(&twin, &serde_json::to_string(&inner).expect("string"));
        let softened = {
            let mut b = inner.clone().into_bytes();
            midge::json::text::soften(&mut b);
            b
        };
        let (again, ..) = written(1 << 17, |w| w.twin(|w| w.value(&softened)));
        prop_assert_eq!(again, twin);
    }

    #[test]
    fn what_does_not_fit_is_counted(calls in prop::collection::vec(call(), 0..40), size in 0_usize..64) {
        let (whole, total, _) = written(1 << 16, |w| make(w, &calls));
        prop_assert_eq!(whole.len(), total);
        let (_, counted, lost) = written(size, |w| make(w, &calls));
        prop_assert_eq!(counted, total);
        prop_assert_eq!(lost, size < total);
        let mut memory = vec![0; size + 1];
        let (mut fill, mut out) = (Fill::default(), Vec::new());
        let mut flush = Out(&mut out);
        let mut writer = Writer::new(Sink::new(Buf::from(&mut memory[..]), &mut fill, Some(&mut flush)));
        make(&mut writer, &calls);
        out.extend_from_slice(&memory[..fill.len]);
        prop_assert_eq!(out, whole.into_bytes());
    }

    #[test]
    fn strings_are_escaped_as_by_serde_json(text in any::<String>(), long in 0_usize..200) {
        let text = "x".repeat(long) + &text;
        let (ours, ..) = written(1 << 12, |w| w.str(&text));
        prop_assert_eq!(&ours, &serde_json::to_string(&text).expect("string"));
        let (twice, ..) = written(1 << 13, |w| w.twin(|w| to_writer(w, &text).expect("writable")));
        prop_assert_eq!(twice, json!(ours).to_string());
        let raw = Raw::new(ours.as_bytes()).map(|raw| raw.get().len());
        prop_assert_eq!(raw, Some(ours.len()));
    }
}

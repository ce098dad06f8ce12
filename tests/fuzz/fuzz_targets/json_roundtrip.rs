#![no_main]
//! A value that is passed through, softened or not, is the same value; as a twin, it is its text.

use libfuzzer_sys::fuzz_target;
use midge::json::Writer;
use midge::json::scan::valid;
use midge::json::text::soften;
use midge::sink::{Buf, Fill, Sink};
use serde_json::Value;

fuzz_target!(|text: &[u8]| {
    let mut softened = text.to_vec();
    if !valid(text) {
        // What was never scanned must still end whole, and so must not stop anything.
        let out = written(text.len(), |w| w.value(text));
        assert!(out.is_empty() || valid(&out) || text.contains(&0xFE));
        return;
    }
    soften(&mut softened);
    let plain = written(text.len(), |w| w.value(text));
    let again = written(text.len(), |w| w.value(&softened));
    assert!(valid(&plain) && valid(&again));
    if let (Ok(a), Ok(b), Ok(c)) = (parse(text), parse(&plain), parse(&again)) {
        assert_eq!(a, b);
        assert_eq!(a, c);
    }
    let twin = written(text.len(), |w| w.twin(|w| w.value(&softened)));
    let inner: String = serde_json::from_slice(&twin).expect("a string");
    assert_eq!(inner.as_bytes(), again);
});

fn parse(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text)
}

fn written(len: usize, write: impl FnOnce(&mut Writer<'_>)) -> Vec<u8> {
    let mut memory = vec![0; len * 12 + 64];
    let mut fill = Fill::default();
    let mut writer = Writer::new(Sink::new(Buf::from(&mut memory[..]), &mut fill, None));
    write(&mut writer);
    assert!(!writer.sink().lost());
    memory.truncate(fill.len);
    memory
}

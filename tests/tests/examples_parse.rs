//! The official example messages of 2026-07-28: all are JSON, and those that are messages are seen as what they are.

use midge::json::scan;
use midge::rpc::envelope::{self, Class};
use midge::rpc::params::Span;
use std::fs;
use std::mem::discriminant;

#[test]
fn every_official_example_is_read() {
    let Some(data) = midge_tests::data() else {
        println!("left out: no example messages (MIDGE_TEST_DATA)");
        return;
    };
    let (mut files, mut requests, mut notifications, mut responses, mut parts) = (0, 0, 0, 0, 0);
    for folder in fs::read_dir(data.join("spec/2026-07-28/examples")).expect("examples").flatten() {
        let kind = folder.file_name().to_string_lossy().into_owned();
        for file in fs::read_dir(folder.path()).expect("a folder of examples").flatten() {
            let bytes = fs::read(file.path()).expect("an example");
            let name = file.path().display().to_string();
            files += 1;
            assert!(scan::valid(&bytes), "{name}");
            let envelope = envelope::read(&bytes, false).unwrap_or_else(|e| panic!("{name}: {e}"));
            // The names of the folders say what each is; `…Params`, `…Result` and the like are parts of messages.
            let value: serde_json::Value = serde_json::from_slice(&bytes).expect(&name);
            let whole = value.get("jsonrpc").is_some();
            let expected = match kind.as_str() {
                _ if !whole => None,
                k if k.ends_with("Request") => Some(Class::Request),
                k if k.ends_with("Notification") => Some(Class::Notification),
                k if k.ends_with("Response") || k.ends_with("Error") => {
                    Some(Class::Response(Span::ABSENT, Span::ABSENT))
                }
                other => panic!("{name}: what is a whole {other}?"),
            };
            match expected {
                Some(class) => assert_eq!(discriminant(&envelope.class), discriminant(&class), "{name}"),
                None => assert!(matches!(envelope.class, Class::Invalid(_)), "{name}: {:?}", envelope.class),
            }
            match expected {
                Some(Class::Request) => requests += 1,
                Some(Class::Notification) => notifications += 1,
                Some(_) => responses += 1,
                None => parts += 1,
            }
            if let (Some(id), Some(_)) = (value.get("id"), expected) {
                assert_eq!(envelope.id.of(&bytes), id.to_string().as_bytes(), "{name}");
            }
            if let (Some(method), Some(_)) = (value.get("method"), expected) {
                assert_eq!(envelope.method.of(&bytes), method.to_string().as_bytes(), "{name}");
            }
        }
    }
    assert_eq!(files, 129);
    assert_eq!((requests, notifications, responses, parts), (10, 8, 14, 97));
}

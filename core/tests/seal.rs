//! HMAC-SHA-256 by the vectors of RFC 4231.
#![cfg(feature = "seal")]

use midge::seal::{HmacSealer, KEY_MIN_BYTES};
use midge::session::seal::Sealer;
use midge::{Error, Kind};

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// The tag of `message`, handed on `size` bytes at a time.
fn tag(key: &[u8], message: &[u8], size: usize) -> String {
    let sealer = HmacSealer::new(key).expect("a key of enough bytes");
    hex(&sealer.tag(&|put| message.chunks(size).for_each(&mut *put)))
}

/// Cases 1, 3, 4, 6 and 7; the keys of the others are shorter than those allowed here.
#[test]
fn vectors_in_pieces_of_any_size() {
    let counting: Vec<u8> = (1..=25).collect();
    let cases: [(&[u8], &[u8], &str); 5] = [
        (&[0x0B; 20], b"Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        (&[0xAA; 20], &[0xDD; 50], "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        (&counting, &[0xCD; 50], "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        (
            &[0xAA; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
        ),
        (
            &[0xAA; 131],
            b"This is a test using a larger than block-size key and a larger than block-size data. The key needs to \
              be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
        ),
    ];
    for (key, message, wanted) in cases {
        for size in [1, 3, 63, 64, 65, 1000] {
            assert_eq!(tag(key, message, size), wanted, "in pieces of {size}");
        }
    }
}

#[test]
fn a_sealer_starts_anew_for_each_tag() {
    let sealer = HmacSealer::new(&[7; KEY_MIN_BYTES]).expect("a key of enough bytes");
    let first = sealer.tag(&|put| put(b"state"));
    assert_ne!(sealer.tag(&|put| put(b"statf")), first);
    assert_ne!(sealer.tag(&|_| {}), first);
    assert_eq!(sealer.tag(&|put| put(b"state")), first);
    let other = HmacSealer::new(&[8; KEY_MIN_BYTES]).expect("a key of enough bytes");
    assert_ne!(other.tag(&|put| put(b"state")), first);
}

#[test]
fn short_keys_are_refused() {
    for len in 0..KEY_MIN_BYTES {
        assert_eq!(HmacSealer::new(&vec![1; len]).err(), Some(Error::new(Kind::Declaration, 0)), "{len}");
    }
    for len in KEY_MIN_BYTES..200 {
        assert!(HmacSealer::new(&vec![1; len]).is_ok(), "{len}");
    }
}

/// As its documentation says.
#[test]
fn a_sealer_is_small() {
    assert!(size_of::<HmacSealer>() <= 256, "{} bytes", size_of::<HmacSealer>());
}

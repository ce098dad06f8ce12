//! Base64 against the vectors of RFC 4648 and a simple second implementation.

use midge::wire::base64::{Base64Error, Encoder, decode, decode_in_place, decoded_len, encoded_len};
use proptest::prelude::*;

/// The independent side: one bit string, cut into sixes.
fn simple_encode(bytes: &[u8]) -> String {
    let mut bits: Vec<u8> = bytes.iter().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1)).collect();
    while !bits.len().is_multiple_of(6) {
        bits.push(0);
    }
    let letter = |n: u8| match n {
        0..26 => (b'A' + n) as char,
        26..52 => (b'a' + n - 26) as char,
        52..62 => (b'0' + n - 52) as char,
        62 => '+',
        _ => '/',
    };
    let mut text: String =
        bits.chunks(6).map(|six| letter(six.iter().fold(0, |n, bit| n << 1 | bit))).collect();
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// What the streaming encoder makes of `bytes`, cut at `cuts`.
fn encode_cut(bytes: &[u8], cuts: &[usize]) -> String {
    let mut out = Vec::new();
    let mut put = |digits: &[u8]| {
        assert!(digits.len() <= 64 && digits.len().is_multiple_of(4) && !digits.is_empty());
        out.extend_from_slice(digits);
    };
    let mut encoder = Encoder::new();
    let mut from = 0;
    for cut in cuts.iter().copied().chain([bytes.len()]) {
        encoder.encode_into(&bytes[from..cut], &mut put);
        from = cut;
    }
    encoder.finish(&mut put);
    String::from_utf8(out).expect("digits are ASCII")
}

fn decode_vec(text: &[u8]) -> Result<Vec<u8>, Base64Error> {
    let mut out = vec![0xAA; decoded_len(text)];
    let n = decode(text, &mut out);
    let mut buf = text.to_vec();
    let m = decode_in_place(&mut buf);
    assert_eq!(n, m, "both decoders say the same");
    let n = n?;
    assert_eq!(out[..n], buf[..n]);
    out.truncate(n);
    Ok(out)
}

#[test]
fn vectors_of_rfc_4648() {
    let vectors = [
        ("", ""),
        ("f", "Zg=="),
        ("fo", "Zm8="),
        ("foo", "Zm9v"),
        ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ];
    for (plain, coded) in vectors {
        assert_eq!(encode_cut(plain.as_bytes(), &[]), coded);
        assert_eq!(simple_encode(plain.as_bytes()), coded);
        assert_eq!(encoded_len(plain.len()), coded.len());
        assert_eq!(decoded_len(coded.as_bytes()), plain.len());
        assert_eq!(decode_vec(coded.as_bytes()).as_deref(), Ok(plain.as_bytes()));
    }
}

#[test]
fn every_length_in_cuts() {
    let bytes: Vec<u8> = (0..100u32).map(|i| (i.wrapping_mul(167) >> 1) as u8 ^ 0x5b).collect();
    for len in 0..=100 {
        let bytes = &bytes[..len];
        let want = simple_encode(bytes);
        assert_eq!(want.len(), encoded_len(len));
        for first in 0..=len {
            for second in first..=len.min(first + 7) {
                assert_eq!(encode_cut(bytes, &[first, second]), want);
            }
        }
        assert_eq!(decode_vec(want.as_bytes()).as_deref(), Ok(bytes));
    }
}

#[test]
fn what_is_not_canonical_is_refused() {
    use Base64Error::{Bits, Byte, Length, Space};
    let cases = [
        ("Z", Length),
        ("Zg", Length),
        ("Zg=", Length),
        ("Zm9vYg=", Length),
        ("====", Byte(0)),
        ("Z===", Byte(1)),
        ("Zg=A", Byte(2)),
        ("Zg==Zm9v", Byte(2)),
        ("Zm9=Zm9v", Byte(3)),
        ("Zm9v\n===", Byte(4)),
        ("Zm 9", Byte(2)),
        ("Zm9-", Byte(3)),
        ("Zm9_", Byte(3)),
        ("Zm\u{e9}", Byte(2)),
        ("Zh==", Bits(1)),
        ("Zm9=", Bits(2)),
        ("Zm9vZh==", Bits(5)),
        ("Zm9vZm9=", Bits(6)),
    ];
    for (text, want) in cases {
        assert_eq!(decode_vec(text.as_bytes()), Err(want), "{text:?}");
    }
    assert_eq!(decode(b"Zm9v", &mut [0; 2]), Err(Space(3)));
    assert_eq!(decode(b"Zm8=", &mut [0; 2]), Ok(2));
}

#[test]
fn an_encoder_starts_over_after_the_end() {
    let mut encoder = Encoder::new();
    let mut out = Vec::new();
    for _ in 0..2 {
        encoder.encode_into(b"f", &mut |d| out.extend_from_slice(d));
        encoder.finish(&mut |d| out.extend_from_slice(d));
    }
    assert_eq!(out, b"Zg==Zg==");
    assert_eq!(encoded_len(usize::MAX), usize::MAX);
}

proptest! {
    #[test]
    fn any_bytes_in_any_cuts(
        bytes in proptest::collection::vec(any::<u8>(), 0..400),
        cuts in proptest::collection::vec(0usize..400, 0..12),
    ) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
        cuts.sort_unstable();
        let text = encode_cut(&bytes, &cuts);
        prop_assert_eq!(&text, &simple_encode(&bytes));
        prop_assert_eq!(decode_vec(text.as_bytes()), Ok(bytes));
    }

    #[test]
    fn what_is_accepted_is_the_one_spelling(text in "[AQZagw9+/=]{0,12}") {
        if let Ok(bytes) = decode_vec(text.as_bytes()) {
            prop_assert_eq!(simple_encode(&bytes), text);
        }
    }
}

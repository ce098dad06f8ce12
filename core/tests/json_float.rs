//! Floats against the standard library: read correctly rounded, written so that they read back the same.
#![cfg(feature = "float")]

use midge::error::Kind;
use midge::json::float::{to_f32, to_f64};
use midge::json::{Writer, from_value, to_writer};
use midge::sink::{Buf, Fill, Sink};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn written(write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut memory = [0; 256];
    let mut fill = Fill::default();
    write(&mut Writer::new(Sink::new(Buf::from(&mut memory), &mut fill, None)));
    String::from_utf8(memory[..fill.len].to_vec()).expect("UTF-8")
}

/// Reads `token` both ways and compares the bits; beyond the range, infinity stands for our `Range`.
fn agree(token: &str) {
    let std: f64 = token.parse().expect(token);
    let ours = to_f64(token.as_bytes());
    assert_eq!(
        ours.map_err(|_| f64::INFINITY).unwrap_or_else(|e| e.copysign(std)).to_bits(),
        std.to_bits(),
        "{token}"
    );
    let std: f32 = token.parse().expect(token);
    let ours = to_f32(token.as_bytes());
    assert_eq!(
        ours.map_err(|_| f32::INFINITY).unwrap_or_else(|e| e.copysign(std)).to_bits(),
        std.to_bits(),
        "{token}"
    );
}

fn round_trip_f64(value: f64) {
    if value.is_finite() {
        let text = written(|w| w.f64(value));
        assert_eq!(text.parse::<f64>().expect("number").to_bits(), value.to_bits(), "{text}");
        assert_eq!(to_f64(text.as_bytes()).map(f64::to_bits), Ok(value.to_bits()), "{text}");
    }
}

fn round_trip_f32(value: f32) {
    if value.is_finite() {
        let text = written(|w| w.f32(value));
        assert_eq!(text.parse::<f32>().expect("number").to_bits(), value.to_bits(), "{text}");
        assert_eq!(to_f32(text.as_bytes()).map(f32::to_bits), Ok(value.to_bits()), "{text}");
    }
}

/// A full-period generator, so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }
}

#[test]
fn hard_cases_are_read_as_by_the_standard_library() {
    for token in [
        "0",
        "-0",
        "0.0e99999",
        "1",
        "0.1",
        "1e22",
        "1e23",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740991.5",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e309",
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973367e38",
        "1e39",
        "1.4e-45",
        "7e-46",
        "7.006492321624085e-46",
        "7.0064923216240854e-46",
        "8.5e-46",
        "1.17549435e-38",
        "16777217",
        "16777219",
        "8.988465674311579e307",
        "6.631236846766476e-316",
        "123456789012345678901234567890e-10",
        "0.000000000000000000000000000000000000000000000000000001e300",
    ] {
        agree(token);
    }
}

#[test]
fn halfway_points_are_told_apart_by_their_last_digit() {
    // 2^-1074 times 3/2, exactly: 751 digits, followed by something that is zero or is not.
    let half = {
        let mut digits = vec![3_u8];
        for _ in 0..1075 {
            let mut carry = 0;
            for d in digits.iter_mut().rev() {
                let n = *d * 5 + carry;
                (*d, carry) = (n % 10, n / 10);
            }
            if carry > 0 {
                digits.insert(0, carry);
            }
        }
        digits.iter().map(|d| char::from(b'0' + d)).collect::<String>()
    };
    for tail in ["", "0", "1", &"0".repeat(5000), &("0".repeat(5000) + "1")] {
        agree(&format!("{half}{tail}e-{}", 1075 + tail.len()));
        let less = format!("{}{}", &half[..half.len() - 1], "4");
        agree(&format!("{less}{tail}e-{}", 1075 + tail.len()));
    }
    let long = "1".to_owned() + &"0".repeat(100_000);
    agree(&format!("{long}e-100000"));
    agree(&format!("0.{}1e100001", "0".repeat(100_000)));
}

#[test]
fn sizes_out_of_range_have_a_kind() {
    assert_eq!(to_f64(b"1e309"), Err(Kind::Range));
    assert_eq!(to_f64(b"-1e99999999999999999999"), Err(Kind::Range));
    assert_eq!(to_f32(b"1e39"), Err(Kind::Range));
    assert_eq!(to_f64(b"1e-99999999999999999999"), Ok(0.0));
    assert_eq!(to_f64(b"0e99999999999999999999"), Ok(0.0));
    assert_eq!(to_f64(b"NaN"), Err(Kind::Type));
    assert_eq!(to_f64(b""), Err(Kind::Type));
    assert_eq!(to_f64(b"1e"), Err(Kind::Type));
}

#[test]
fn serde_reads_and_writes_floats() {
    assert_eq!(from_value::<[f64; 3]>(b"[1,2.5,-1e-3]"), Ok([1.0, 2.5, -0.001]));
    assert_eq!(from_value::<Option<f32>>(b"16777217"), Ok(Some(16_777_216.0)));
    assert_eq!(from_value::<f64>(b"\"1\"").map_err(|e| e.kind()), Err(Kind::Type));
    assert_eq!(from_value::<[f64; 2]>(b"[1,1e400]").map_err(|e| (e.kind(), e.at())), Err((Kind::Range, 3)));
    assert_eq!(
        written(|w| to_writer(w, &(f64::NAN, f32::INFINITY, 1.0, 1e16_f32)).expect("writable")),
        "[null,null,1.0,1e+16]"
    );
    let any: serde_json::Value = from_value(b"[1.5,1e2,-3,4]").expect("any");
    assert_eq!(any, serde_json::json!([1.5, 100.0, -3, 4]));
    let map = BTreeMap::from([("a", 0.1)]);
    assert_eq!(written(|w| to_writer(w, &map).expect("writable")), r#"{"a":0.1}"#);
}

#[test]
fn f32_all_over_the_range() {
    for bits in (0..=u32::MAX).step_by(9973) {
        round_trip_f32(f32::from_bits(bits));
    }
}

#[test]
fn f64_at_random() {
    let mut numbers = Numbers(1);
    for _ in 0..if cfg!(debug_assertions) { 60_000 } else { 1_000_000 } {
        round_trip_f64(f64::from_bits(numbers.next()));
        let short = numbers.next();
        agree(&format!("{}e{}", short >> (short & 63), (numbers.next() % 700) as i64 - 350));
    }
}

/// Runs `check` on parts of the work, one a core.
fn on_all_cores(check: impl Fn(u64, u64) + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for core in 0..cores {
            let check = &check;
            scope.spawn(move || check(core, cores));
        }
    });
}

#[test]
#[ignore = "all 2^32 values: half an hour in release"]
fn f32_every_value() {
    on_all_cores(|core, cores| {
        for bits in (core..1 << 32).step_by(cores as usize) {
            round_trip_f32(f32::from_bits(bits as u32));
        }
    });
}

#[test]
#[ignore = "10^8 values: minutes in release"]
fn f64_hundred_million() {
    on_all_cores(|core, cores| {
        let mut numbers = Numbers(core);
        for _ in 0..100_000_000 / cores {
            round_trip_f64(f64::from_bits(numbers.next()));
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_number_is_read_as_by_the_standard_library(token in "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,40})?([eE][-+]?[0-9]{1,3})?") {
        agree(&token);
    }

    #[test]
    fn floats_are_written_as_by_serde_json(a in any::<f64>(), b in any::<f32>()) {
        prop_assert_eq!(
            written(|w| to_writer(w, &(a, b)).expect("writable")),
            serde_json::to_string(&(a, b)).expect("writable")
        );
    }
}

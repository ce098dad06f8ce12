//! From Rust types to JSON Schema: the trait, and the types that have one.

use super::args::{Rule, Text};

/// A piece of schema text: a tree, so that generic and nested types compose in `const`.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// JSON text as it is.
    Json(&'static str),
    /// Text to be escaped, inside quotes that other parts provide.
    Text(&'static str),
    /// Parts one after another.
    List(&'static [Part]),
}

/// Deepest nesting of [`Part::List`]: types within types. Deeper ones do not compile.
pub const PARTS_DEPTH_MAX: usize = 16;

/// A type with a JSON Schema.
///
/// Derive it for structs and plain enums with `#[derive(midge::Schema)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument or a structured result",
    note = "use bool, an integer, f32 or f64 (feature `float`), &str, an array, heapless::Vec, heapless::String, Option of these, or a type with #[derive(midge::Schema)]"
)]
pub trait Schema {
    /// The rule that checks a value of this type.
    const RULE: Rule;
    /// The members of its schema object, without braces.
    const PARTS: &'static [Part];
    /// Whether a value must be there: false for `Option`.
    const REQUIRED: bool = true;
}

macro_rules! integers {
    ($($t:ident $rule:ident $wide:ident $min:literal $max:literal;)*) => {$(
        impl Schema for $t {
            const RULE: Rule = Rule::$rule { min: $t::MIN as $wide, max: $t::MAX as $wide };
            const PARTS: &'static [Part] =
                &[Part::Json(concat!("\"type\":\"integer\",\"minimum\":", $min, ",\"maximum\":", $max))];
        }
    )*};
}

integers! {
    u8 Int i64 "0" "255";
    u16 Int i64 "0" "65535";
    u32 Int i64 "0" "4294967295";
    i8 Int i64 "-128" "127";
    i16 Int i64 "-32768" "32767";
    i32 Int i64 "-2147483648" "2147483647";
}

// The widest types say no bounds: a reader that holds numbers as doubles would misread them.
impl Schema for i64 {
    const RULE: Rule = Rule::Int { min: i64::MIN, max: i64::MAX };
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"integer\"")];
}
impl Schema for u64 {
    const RULE: Rule = Rule::Uint { min: 0, max: u64::MAX };
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"integer\",\"minimum\":0")];
}
impl Schema for isize {
    const RULE: Rule = Rule::Int { min: isize::MIN as i64, max: isize::MAX as i64 };
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"integer\"")];
}
impl Schema for usize {
    const RULE: Rule = Rule::Uint { min: 0, max: usize::MAX as u64 };
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"integer\",\"minimum\":0")];
}
impl Schema for bool {
    const RULE: Rule = Rule::Bool;
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"boolean\"")];
}
impl Schema for char {
    const RULE: Rule = Rule::Str(&Text { min_len: 1, max_len: 1, ..Text::ANY });
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"string\",\"minLength\":1,\"maxLength\":1")];
}
impl Schema for &str {
    const RULE: Rule = Rule::Str(&Text::ANY);
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"string\"")];
}
impl<const N: usize> Schema for heapless::String<N> {
    // Capacity counts bytes and maxLength counts characters, so the type itself has the last word.
    const RULE: Rule = Rule::Str(&Text::ANY);
    const PARTS: &'static [Part] = <&str as Schema>::PARTS;
}
#[cfg(feature = "alloc")]
impl Schema for alloc::string::String {
    const RULE: Rule = Rule::Str(&Text::ANY);
    const PARTS: &'static [Part] = <&str as Schema>::PARTS;
}
#[cfg(feature = "float")]
impl Schema for f32 {
    const RULE: Rule = Rule::Float { min: f64::NEG_INFINITY, max: f64::INFINITY };
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"number\"")];
}
#[cfg(feature = "float")]
impl Schema for f64 {
    const RULE: Rule = Rule::Float { min: f64::NEG_INFINITY, max: f64::INFINITY };
    const PARTS: &'static [Part] = &[Part::Json("\"type\":\"number\"")];
}

const fn array_of(items: &'static [Part]) -> [Part; 3] {
    [Part::Json("\"type\":\"array\",\"items\":{"), Part::List(items), Part::Json("}")]
}

macro_rules! arrays {
    ($([$($g:tt)*] $t:ty;)*) => {$(
        impl<$($g)*> Schema for $t {
            const RULE: Rule = Rule::Json(Self::PARTS);
            const PARTS: &'static [Part] = &array_of(T::PARTS);
        }
    )*};
}

arrays! {
    [T: Schema, const N: usize] [T; N];
    [T: Schema, const N: usize] heapless::Vec<T, N>;
}
#[cfg(feature = "alloc")]
arrays! { [T: Schema] alloc::vec::Vec<T>; }

impl<T: Schema> Schema for Option<T> {
    const RULE: Rule = T::RULE;
    const PARTS: &'static [Part] = T::PARTS;
    const REQUIRED: bool = false;
}

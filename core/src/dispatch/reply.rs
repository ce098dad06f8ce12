//! What a handler may return.

use super::io::{Io, Outcome};
use crate::json::Writer;
use crate::json::write::decimal_text;
use serde::Serialize;

/// A value that answers a call.
#[diagnostic::on_unimplemented(
    message = "a handler cannot return `{Self}`",
    note = "return (), bool, an integer, &str, heapless::String, midge::Json<T>, midge::Blob, midge::Outcome, or Option or Result of these"
)]
pub trait IntoReply {
    /// Writes the answer.
    fn reply(self, io: &mut Io<'_>) -> Outcome;
}

/// Why a tool failed, as text for the model.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a handler",
    note = "use &str, heapless::String, String (feature `alloc`), or midge::Shown(x) for any x: Display"
)]
pub trait ToolError {
    /// Writes the text, piece by piece, with [`Writer::text`].
    fn write(&self, w: &mut Writer<'_>);

    /// Answers the call with the text.
    fn answer(&self, io: &mut Io<'_>) -> Outcome {
        io.fail_with(|w| self.write(w))
    }
}

/// A structured result: the value, and its JSON as text for clients that look at text only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Json<T>(pub T);

/// Bytes: the contents of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blob<'b>(pub &'b [u8]);

/// Anything that can be displayed, as text. Brings `core::fmt` into the binary, some KiB on a small device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown<T>(pub T);

impl IntoReply for Outcome {
    fn reply(self, _: &mut Io<'_>) -> Outcome {
        self
    }
}

impl IntoReply for () {
    fn reply(self, _: &mut Io<'_>) -> Outcome {
        Outcome::Done
    }
}

impl IntoReply for bool {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        io.text(if self { "true" } else { "false" });
        Outcome::Done
    }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl IntoReply for $t {
            fn reply(self, io: &mut Io<'_>) -> Outcome {
                #[allow(unused_comparisons)]
                integer(io, self < 0, self.unsigned_abs_u64());
                Outcome::Done
            }
        }
    )*};
}

trait Magnitude {
    fn unsigned_abs_u64(self) -> u64;
}

macro_rules! magnitudes {
    ($($t:ty: |$v:ident| $abs:expr;)*) => {$(
        impl Magnitude for $t {
            fn unsigned_abs_u64(self) -> u64 {
                let $v = self;
                $abs
            }
        }
    )*};
}

magnitudes! {
    i8: |v| v.unsigned_abs().into();
    i16: |v| v.unsigned_abs().into();
    i32: |v| v.unsigned_abs().into();
    i64: |v| v.unsigned_abs();
    isize: |v| v.unsigned_abs() as u64;
    u8: |v| v.into();
    u16: |v| v.into();
    u32: |v| v.into();
    u64: |v| v;
    usize: |v| v as u64;
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

fn integer(io: &mut Io<'_>, negative: bool, size: u64) {
    let mut digits = [0; 20];
    let digits = decimal_text(size, &mut digits);
    io.text_with(|w| {
        if negative {
            w.text("-");
        }
        w.text(digits);
    });
}

#[cfg(feature = "float")]
impl IntoReply for f32 {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        io.json_text(|w| w.f32(self));
        Outcome::Done
    }
}

#[cfg(feature = "float")]
impl IntoReply for f64 {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        io.json_text(|w| w.f64(self));
        Outcome::Done
    }
}

macro_rules! texts {
    ($([$($g:tt)*] $t:ty;)*) => {$(
        impl<$($g)*> IntoReply for $t {
            fn reply(self, io: &mut Io<'_>) -> Outcome {
                io.text(&self);
                Outcome::Done
            }
        }
        impl<$($g)*> ToolError for $t {
            fn write(&self, w: &mut Writer<'_>) {
                w.text(self);
            }
        }
    )*};
}

texts! {
    [] &str;
    [const N: usize] heapless::String<N>;
}
#[cfg(feature = "alloc")]
texts! { [] alloc::string::String; }

impl<T: core::fmt::Display> IntoReply for Shown<T> {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        io.text_with(|w| self.write(w));
        Outcome::Done
    }
}

impl<T: core::fmt::Display> ToolError for Shown<T> {
    fn write(&self, w: &mut Writer<'_>) {
        struct Text<'w, 'e>(&'w mut Writer<'e>);
        impl core::fmt::Write for Text<'_, '_> {
            fn write_str(&mut self, piece: &str) -> core::fmt::Result {
                self.0.text(piece);
                Ok(())
            }
        }
        // The sink latches what does not fit, so only the value's own Display can fail; then its text ends there.
        let _ = core::fmt::write(&mut Text(w), format_args!("{}", self.0));
    }
}

impl<T: Serialize> IntoReply for Json<T> {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        io.structured(&self.0);
        Outcome::Done
    }
}

impl IntoReply for Blob<'_> {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        io.blob(self.0);
        Outcome::Done
    }
}

/// `None` is "not found" of a resource, and an empty result elsewhere.
impl<T: IntoReply> IntoReply for Option<T> {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        match self {
            Some(value) => value.reply(io),
            None if io.uri().is_empty() => Outcome::Done,
            None => io.not_found(),
        }
    }
}

impl<T: IntoReply, E: ToolError> IntoReply for Result<T, E> {
    fn reply(self, io: &mut Io<'_>) -> Outcome {
        match self {
            Ok(value) => value.reply(io),
            Err(why) => why.answer(io),
        }
    }
}

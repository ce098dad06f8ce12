//! Answers larger than any buffer: made piece by piece.

use super::Everything;
use midge::dispatch::Args;
use midge::dispatch::args::{Arg, Span};
use midge::{Io, Outcome};

/// Bytes of one piece.
const PIECE: u64 = 192;

/// Byte `n` of every large resource: no period that a lost or doubled piece could hide in.
pub fn byte(n: u64) -> u8 {
    (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// The size that the URI asks for, in bytes.
fn size<'e>(args: Args<'e>, io: &mut Io<'e>) -> Result<u64, Outcome> {
    args.variables(io)?.parse("bytes", io)
}

/// `test://large-text/{bytes}`: digits and line ends.
pub(super) fn text<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let size = match size(args, io) {
        Ok(size) => size,
        Err(answered) => return answered,
    };
    io.text_chunks(|n, w| {
        let from = u64::from(n) * PIECE;
        let mut text = [0; PIECE as usize];
        let len = size.saturating_sub(from).min(PIECE) as usize;
        for (place, n) in text[..len].iter_mut().zip(from..) {
            *place = if n % 64 == 63 { b'\n' } else { b'0' + byte(n) % 10 };
        }
        w.text(std::str::from_utf8(&text[..len]).unwrap_or(""));
        from + PIECE < size
    });
    Outcome::Done
}

/// `test://large-blob/{bytes}`: bytes of all values.
pub(super) fn blob<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let size = match size(args, io) {
        Ok(size) => size,
        Err(answered) => return answered,
    };
    // Not a multiple of three, so that the encoder holds bytes back between pieces.
    const PIECE: u64 = 190;
    io.blob_chunks(|n, put| {
        let from = u64::from(n) * PIECE;
        let mut piece = [0; PIECE as usize];
        let len = size.saturating_sub(from).min(PIECE) as usize;
        for (place, n) in piece[..len].iter_mut().zip(from..) {
            *place = byte(n);
        }
        put(&piece[..len]);
        from + PIECE < size
    });
    Outcome::Done
}

/// A list of as many items as are asked for.
pub(super) fn items<'e>(table: &'static [Arg; 1], args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 1];
    let count = match args.decode(table, &mut spans, io).and_then(|v| v.get::<u32>(&spans, 0, table, io)) {
        Ok(count) => count,
        Err(answered) => return answered,
    };
    io.structured_items("items", |n, w| {
        if n >= count {
            return false;
        }
        w.object();
        w.key("n");
        w.u64(n.into());
        w.member("name", "an \"item\"");
        w.close();
        true
    });
    Outcome::Done
}

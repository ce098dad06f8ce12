//! Byte helpers that cannot panic.
//!
//! Indexing lives here and nowhere else in the crate: every access is checked first, which the compiler then
//! folds away, and a test greps the other files for `[i]` (decision 002).

/// One machine word of bytes: what the text loops look at in one step.
pub(crate) const WORD: usize = size_of::<usize>();

/// The byte at `i`, or 0 past the end.
///
/// 0 never occurs in valid JSON outside strings, nor raw inside them, so it ends every loop that looks for something else.
#[inline(always)]
pub const fn at(b: &[u8], i: usize) -> u8 {
    if i < b.len() { b[i] } else { 0 }
}

/// The `N` bytes from `i` on, if that many are left.
#[inline(always)]
pub(crate) const fn chunk<const N: usize>(b: &[u8], i: usize) -> Option<&[u8; N]> {
    match b.split_at_checked(i) {
        Some((_, rest)) => rest.first_chunk::<N>(),
        None => None,
    }
}

/// The bytes from `from` to `to`; empty when that is not a range of `b`.
#[inline(always)]
pub const fn part(b: &[u8], from: usize, to: usize) -> &[u8] {
    match b.split_at_checked(to) {
        Some((head, _)) => match head.split_at_checked(from) {
            Some((_, part)) => part,
            None => &[],
        },
        None => &[],
    }
}

/// [`part`], to write to.
#[inline(always)]
pub fn part_mut(b: &mut [u8], from: usize, to: usize) -> &mut [u8] {
    b.get_mut(from..to).unwrap_or(&mut [])
}

/// The first byte from `i` on that is no blank of JSON.
#[inline(always)]
pub const fn blanks(b: &[u8], mut i: usize) -> usize {
    // Compact text has none: one comparison then.
    if at(b, i) > b' ' {
        return i;
    }
    while let b' ' | b'\t' | b'\n' | b'\r' = at(b, i) {
        i += 1;
    }
    i
}

/// Copies as much of `src` as fits into `dst` and says how much that was.
#[inline(always)]
pub fn copy(dst: &mut [u8], src: &[u8]) -> usize {
    // `zip` compiles to a memcpy; `copy_from_slice` would keep its length check and a panic with it.
    for (d, s) in dst.iter_mut().zip(src) {
        *d = *s;
    }
    dst.len().min(src.len())
}

/// Moves the bytes from `from` to `to` down to the front of `b`.
pub fn shift(b: &mut [u8], from: usize, to: usize) {
    if from == 0 {
        return;
    }
    let mut kept = to.saturating_sub(from);
    let mut rest = b;
    // A gap of `from` bytes lets each round move that many without overlap: large moves are memcpys, which
    // `copy_within` would be too, but with a panic path.
    while kept > 0 {
        let n = kept.min(from);
        let Some((head, tail)) = rest.split_at_mut_checked(from) else { return };
        copy(head, part(tail, 0, n));
        kept = kept.wrapping_sub(n);
        rest = tail;
    }
}

/// The lower-case hex digit of a number below 16.
pub(crate) const fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a'.wrapping_add(nibble.wrapping_sub(10)) }
}

/// Where `byte` stands first in `b`.
pub fn find(b: &[u8], byte: u8) -> Option<usize> {
    // A block at a time first: the inner loop has no early exit, so it becomes vector code on a host.
    let mut from = 0;
    while let Some(block) = chunk::<32>(b, from) {
        if block.iter().fold(false, |hit, c| hit | (*c == byte)) {
            break;
        }
        from = from.wrapping_add(32);
    }
    part(b, from, b.len()).iter().position(|c| *c == byte).map(|i| from.wrapping_add(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_outside_are_empty() {
        assert_eq!(part(b"abc", 1, 3), b"bc");
        assert_eq!(part(b"abc", 2, 1), b"");
        assert_eq!(part(b"abc", 1, 4), b"");
        assert_eq!(at(b"abc", 3), 0);
    }

    #[test]
    fn shift_moves_any_gap() {
        for from in 0..40 {
            for to in from..40 {
                let mut b: [u8; 40] = core::array::from_fn(|i| i as u8);
                shift(&mut b, from, to);
                for (i, want) in (from..to).enumerate() {
                    assert_eq!(b.get(i).copied(), Some(want as u8), "{from}..{to}");
                }
            }
        }
    }

    #[test]
    fn find_agrees_with_position() {
        let mut b = [b'x'; 100];
        assert_eq!(find(&b, b'\n'), None);
        for i in (0..100).rev() {
            if let Some(c) = b.get_mut(i) {
                *c = b'\n';
            }
            assert_eq!(find(&b, b'\n'), Some(i));
        }
    }
}

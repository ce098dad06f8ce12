//! Writes every line it reads back: what the pipes and two processes cost when nothing is parsed.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;

/// More than one pipe holds, so that one read takes all there is.
const START_BYTES: usize = 128 * 1024;
/// The kernel copies to a page's start: on some processors its copy is twice as slow to an address a little above one.
const PAGE: usize = 4096;

/// A buffer of `len` bytes that begins on a page, as a vector and where the buffer begins in it.
fn pages(len: usize) -> (Vec<u8>, usize) {
    let vec = vec![0; len + PAGE];
    let at = vec.as_ptr().align_offset(PAGE);
    (vec, at)
}

/// The standard stream without the lock and the buffers of `std::io`.
fn raw(stream: &impl AsFd) -> io::Result<File> {
    Ok(File::from(stream.as_fd().try_clone_to_owned()?))
}

fn main() -> io::Result<()> {
    let mut input = raw(&io::stdin())?;
    let mut output = raw(&io::stdout())?;
    let (mut vec, mut at) = pages(START_BYTES);
    let mut len = START_BYTES;
    let mut held = 0;
    loop {
        if held == len {
            len *= 2;
            let (mut larger, start) = pages(len);
            larger[start..start + held].copy_from_slice(&vec[at..at + held]);
            (vec, at) = (larger, start);
        }
        let buf = &mut vec[at..at + len];
        let got = input.read(&mut buf[held..])?;
        if got == 0 {
            return Ok(());
        }
        // Only the new bytes can hold a newline: what was held before had none.
        let new = held..held + got;
        held = new.end;
        if let Some(at) = memchr::memrchr(b'\n', &buf[new.clone()]) {
            let end = new.start + at + 1;
            output.write_all(&buf[..end])?;
            buf.copy_within(end..held, 0);
            held -= end;
        }
    }
}

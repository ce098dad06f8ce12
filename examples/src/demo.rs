//! Shows a session: the client's lines go through the real loop, and both sides are printed.

use crate::stdio::Work;
use embedded_io::{ErrorType, Read, Write};
use midge::io::blocking::{self, App};
use midge::{Buffers, Catalog, Config, Error, Millis, Server};
use std::convert::Infallible;

/// Serves `catalog` to the client lines of `session` and prints what is said.
///
/// The buffers have the sizes of a small device.
///
/// # Errors
/// The loop failed.
pub fn replay<C: Work>(catalog: &Catalog<C>, state: &mut C, session: &str) -> Result<(), Error> {
    let mut buffers = Buffers::<1024, 512, 4, 256, 64, 256>::new();
    let mut server = Server::new(catalog, buffers.storage(), Config::default())?;
    println!("A client talks to a server in 1 KiB of receive and 512 bytes of transmit buffer.\n");
    blocking::serve(&mut server, catalog, state, &mut Script::new(session), &mut Quiet)
}

/// The client's lines one by one; prints them as they are read, and the server's as they end.
struct Script<'s> {
    lines: std::str::Lines<'s>,
    rest: Vec<u8>,
    said: Vec<u8>,
}

impl<'s> Script<'s> {
    fn new(session: &'s str) -> Self {
        Self { lines: session.lines(), rest: Vec::new(), said: Vec::new() }
    }
}

impl ErrorType for Script<'_> {
    type Error = Infallible;
}

impl Read for Script<'_> {
    fn read(&mut self, buf: &mut [u8]) -> Result<usize, Infallible> {
        if self.rest.is_empty() {
            let Some(line) = self.lines.next() else { return Ok(0) };
            println!("client > {line}");
            self.rest = [line.as_bytes(), b"\n"].concat();
        }
        let n = buf.len().min(self.rest.len());
        for (to, from) in buf.iter_mut().zip(self.rest.drain(..n)) {
            *to = from;
        }
        Ok(n)
    }
}

impl Write for Script<'_> {
    fn write(&mut self, buf: &[u8]) -> Result<usize, Infallible> {
        self.said.extend_from_slice(buf);
        while let Some(end) = self.said.iter().position(|c| *c == b'\n') {
            let line: Vec<u8> = self.said.drain(..=end).collect();
            println!("server < {}", String::from_utf8_lossy(line.trim_ascii_end()));
        }
        Ok(buf.len())
    }

    fn flush(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

struct Quiet;

impl<C, S> App<C, S> for Quiet {
    fn now(&mut self) -> Millis {
        Millis(0)
    }
}

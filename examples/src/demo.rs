//! Shows a session: the client's lines go through the real loop, and both sides are printed.

use crate::stdio::Work;
use embedded_io::{ErrorType, Read, Write};
use midge::io::blocking::{self, App};
use midge::{Buffers, Catalog, Config, Error, Millis, Server, Task, Ticket};
use std::convert::Infallible;

/// Serves `catalog` to the client lines of `session` and prints what is said.
///
/// The buffers have the sizes of a small device.
///
/// # Errors
/// The loop failed.
pub fn replay<C: Work>(catalog: &Catalog<C>, state: &mut C, session: &str) -> Result<(), Error> {
    let mut buffers = Buffers::<1024, 512, 4, 256, 64, 512>::new();
    let mut tasks = [Task::FREE; 2];
    let mut server = Server::new(catalog, buffers.storage(), Config::default())?;
    server.offer_tasks(&mut tasks, &|id| id.fill(0xD0));
    println!("A client talks to a server in 1 KiB of receive and 512 bytes of transmit buffer.\n");
    let mut clock = Clock { now: Millis(0), wanted: None };
    blocking::serve(&mut server, catalog, state, &mut Script::new(session), &mut clock)
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

/// A clock that jumps to the moment that the application waits for, so that nobody has to.
struct Clock {
    now: Millis,
    wanted: Option<Millis>,
}

impl<C: Work, S> App<C, S> for Clock {
    fn now(&mut self) -> Millis {
        self.now
    }

    fn idle(&mut self, server: &mut Server<'_>, state: &mut C, now: Millis) -> Option<Millis> {
        self.wanted = state.idle(server, now);
        self.wanted
    }

    fn wait(&mut self, _: &mut S, _: Option<Millis>) -> bool {
        match self.wanted.take() {
            Some(moment) => {
                self.now = self.now.max(moment);
                false
            }
            None => true,
        }
    }

    fn stopped(&mut self, state: &mut C, ticket: Ticket) {
        state.stopped(ticket);
    }
}

//! The blocking drive loop over `embedded_io`.

use crate::dispatch::table::Catalog;
use crate::error::{Error, Kind};
use crate::session::client::Client;
use crate::session::server::{Event, Server};
use crate::session::slots::Ticket;
use crate::sink::Flush;
use crate::time::Millis;
use embedded_io::{ErrorKind, Read, Write};

/// What the loop asks of the application between messages. Every method but [`now`](Self::now) may be left as it is.
pub trait App<C, S> {
    /// The time, on any clock that only goes forward.
    fn now(&mut self) -> Millis;

    /// Runs when nothing is left to do with what was received: the place to answer deferred calls
    /// ([`Server::resume`]) and to announce changes. Gives the moment it wants to run again.
    fn idle(&mut self, server: &mut Server<'_>, state: &mut C, now: Millis) -> Option<Millis> {
        let _ = (server, state, now);
        None
    }

    /// Waits until `stream` has bytes, or until `until`; `false` when it has none by then. A stream that cannot wait for
    /// a time blocks in its read, and then deferred calls are answered only when something is received.
    fn wait(&mut self, stream: &mut S, until: Option<Millis>) -> bool {
        let _ = (stream, until);
        true
    }

    /// A deferred call was given up by the client, or its deadline passed: stop the work.
    fn stopped(&mut self, state: &mut C, ticket: Ticket) {
        let _ = (state, ticket);
    }
}

struct Out<'s, S> {
    stream: &'s mut S,
    broken: bool,
}

impl<S: Write> Flush for Out<'_, S> {
    fn flush(&mut self, bytes: &[u8]) -> bool {
        self.broken = self.broken || send(self.stream, bytes).is_err();
        !self.broken
    }
}

/// Serves `catalog` over `stream` until the stream ends; then what is owed is sent, and the loop returns.
///
/// Replies to what came in one read leave in one write, unless they are more than the transmit buffer holds; a reply may
/// be larger than the buffer.
///
/// # Errors
/// `Stream` when reading or writing fails.
pub fn serve<C, S: Read + Write>(
    server: &mut Server<'_>,
    catalog: &Catalog<C>,
    state: &mut C,
    stream: &mut S,
    app: &mut impl App<C, S>,
) -> Result<(), Error> {
    // Full buffers are handed over at once, so a handler never finds too little room.
    server.config_mut().reply_max = 0;
    let mut ended = false;
    let mut now = app.now();
    loop {
        match server.poll(now) {
            Event::Call(call) => {
                let mut out = Out { stream, broken: false };
                catalog.run(call, state, Some(&mut out));
                if out.broken {
                    return Err(Error::new(Kind::Stream, 0));
                }
            }
            Event::Send => drain(server, stream)?,
            Event::Cancelled(ticket) | Event::Expired(ticket) => app.stopped(state, ticket),
            Event::Ended => return Ok(()),
            Event::Idle => {
                if server.calls_waiting() > 0 {
                    now = app.now();
                }
                let wanted = app.idle(server, state, now);
                if !server.send_buf().1.is_empty() {
                    drain(server, stream)?;
                    continue;
                }
                let deadline = server.deadline();
                if deadline.is_some_and(|deadline| deadline <= now) {
                    now = app.now();
                    continue;
                }
                let until = [wanted, deadline].into_iter().flatten().min();
                if ended || !app.wait(stream, until) {
                    now = app.now();
                    continue;
                }
                match stream.read(server.recv_buf()) {
                    Ok(0) => {
                        ended = true;
                        server.recv_end();
                    }
                    Ok(n) => server.recv_ack(n),
                    Err(e) => recoverable(&e)?,
                }
                // Once for all that came in one read; a clock costs as much as a small message.
                now = app.now();
            }
        }
    }
}

/// Sends what `client` has to send, all of it: what [`Event::Send`](crate::client::Event::Send) asks for.
///
/// # Errors
/// `Stream` when writing fails.
pub fn send_client<S: Write>(client: &mut Client<'_>, stream: &mut S) -> Result<(), Error> {
    let bytes = client.send_buf();
    send(stream, bytes)?;
    let n = bytes.len();
    client.send_ack(n);
    Ok(())
}

/// Reads once for `client`, when it is [idle](crate::client::Event::Idle); the end of the stream too. Blocks as long as the
/// stream does: one that cannot wait for a time keeps no deadlines while the server is silent.
///
/// # Errors
/// `Stream` when reading fails.
pub fn receive_client<S: Read>(client: &mut Client<'_>, stream: &mut S) -> Result<(), Error> {
    match stream.read(client.recv_buf()) {
        Ok(0) => client.recv_end(),
        Ok(n) => client.recv_ack(n),
        Err(e) => recoverable(&e)?,
    }
    Ok(())
}

fn drain<S: Write>(server: &mut Server<'_>, stream: &mut S) -> Result<(), Error> {
    let n = {
        let (_, bytes) = server.send_buf();
        send(stream, bytes)?;
        bytes.len()
    };
    server.send_ack(n);
    Ok(())
}

/// Writes all of `bytes`: embedded-io's own `write_all` panics when a stream accepts nothing.
fn send<S: Write>(stream: &mut S, bytes: &[u8]) -> Result<(), Error> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match stream.write(rest) {
            Ok(0) => return Err(Error::new(Kind::Stream, 0)),
            Ok(n) => rest = rest.get(n..).unwrap_or(&[]),
            Err(e) => recoverable(&e)?,
        }
    }
    stream.flush().map_err(|_| Error::new(Kind::Stream, 0))
}

/// Whether to go on after an error of the stream.
fn recoverable(error: &impl embedded_io::Error) -> Result<(), Error> {
    match error.kind() {
        ErrorKind::Interrupted | ErrorKind::TimedOut => Ok(()),
        _ => Err(Error::new(Kind::Stream, 0)),
    }
}

//! The server, driven by the blocking loop and by its ports, over C's two functions.

use crate::asks::{Sum, config, id};
use crate::catalog::CATALOG;
use crate::ffi;
use crate::state::State;
use embedded_io::{ErrorKind, ErrorType, Read, Write};
use midge::io::blocking;
use midge::{Buffers, Error, Event, Kind, Millis, Server, Task, Ticket};

pub type Memory = Buffers<4096, 2048, 4, 512, 256, 2048>;

pub struct Stream;
pub struct Clock;

impl ErrorType for Stream {
    type Error = ErrorKind;
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize, ErrorKind> {
        ffi::read(bytes).ok_or(ErrorKind::Other)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        ffi::write(bytes).ok_or(ErrorKind::Other)
    }

    fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

impl blocking::App<State, Stream> for Clock {
    fn now(&mut self) -> Millis {
        Millis(ffi::now_ms())
    }

    fn idle(&mut self, server: &mut Server<'_>, state: &mut State, now: Millis) -> Option<Millis> {
        state.go_on(server).then_some(now)
    }

    fn wait(&mut self, _: &mut Stream, until: Option<Millis>) -> bool {
        // The input is a file: it can be read at once, but what is due comes first.
        until.is_none_or(|until| until.0 > ffi::now_ms())
    }

    fn stopped(&mut self, state: &mut State, ticket: Ticket) {
        state.stop(ticket);
    }
}

pub fn blocking() -> Result<(), Error> {
    let mut memory = Memory::new();
    let mut tasks = [Task::FREE; 2];
    let mut server = Server::new(&CATALOG, memory.storage(), config())?;
    server.seal_with(&Sum);
    server.set_principal(b"somebody");
    server.offer_tasks(&mut tasks, &id);
    blocking::serve(&mut server, &CATALOG, &mut State::default(), &mut Stream, &mut Clock)
}

/// One byte in and one byte out at a time.
pub fn ports() -> Result<(), Error> {
    let mut memory = Memory::new();
    let mut tasks = [Task::FREE; 2];
    let mut server = Server::new(&CATALOG, memory.storage(), config())?;
    server.seal_with(&Sum);
    server.set_principal(b"somebody");
    server.offer_tasks(&mut tasks, &id);
    let mut state = State::default();
    loop {
        match server.poll(Millis(ffi::now_ms())) {
            Event::Call(call) => CATALOG.run(call, &mut state, None),
            Event::Cancelled(ticket) | Event::Expired(ticket) => state.stop(ticket),
            Event::Ended => return Ok(()),
            Event::Send => send_one(&mut server)?,
            Event::Idle => idle(&mut server, &mut state)?,
        }
    }
}

fn idle(server: &mut Server<'_>, state: &mut State) -> Result<(), Error> {
    if !server.send_buf().1.is_empty() {
        return send_one(server);
    }
    if state.go_on(server) || server.calls_waiting() > 0 {
        return Ok(());
    }
    let mut byte = [0];
    match ffi::read(&mut byte) {
        Some(0) => server.recv_end(),
        Some(_) => receive_one(server, byte),
        None => return Err(Error::new(Kind::Stream, 0)),
    }
    Ok(())
}

fn receive_one(server: &mut Server<'_>, [byte]: [u8; 1]) {
    if let Some(room) = server.recv_buf().first_mut() {
        *room = byte;
        server.recv_ack(1);
    }
}

fn send_one(server: &mut Server<'_>) -> Result<(), Error> {
    let (_, bytes) = server.send_buf();
    match ffi::write(bytes.get(..1).unwrap_or(&[])) {
        Some(n) if n > 0 => server.send_ack(n),
        _ => return Err(Error::new(Kind::Stream, 0)),
    }
    Ok(())
}

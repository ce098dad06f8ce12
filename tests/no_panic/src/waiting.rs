//! The server, driven by the async loop over C's two functions.

use crate::asks::{Sum, config, id};
use crate::catalog::CATALOG;
use crate::drive::{Clock, Memory};
use crate::ffi;
use crate::state::State;
use core::future::{Future, poll_fn};
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use embedded_io::{ErrorKind, ErrorType};
use midge::io::nonblocking;
use midge::{Error, Millis, Server, Task, Ticket};

struct Half;

impl ErrorType for Half {
    type Error = ErrorKind;
}

impl embedded_io_async::Read for Half {
    async fn read(&mut self, bytes: &mut [u8]) -> Result<usize, ErrorKind> {
        ffi::read(bytes).ok_or(ErrorKind::Other)
    }
}

impl embedded_io_async::Write for Half {
    async fn write(&mut self, bytes: &[u8]) -> Result<usize, ErrorKind> {
        ffi::write(bytes).ok_or(ErrorKind::Other)
    }

    async fn flush(&mut self) -> Result<(), ErrorKind> {
        Ok(())
    }
}

impl nonblocking::App<State> for Clock {
    fn now(&mut self) -> Millis {
        Millis(ffi::now_ms())
    }

    fn wake(&mut self, _: Option<Millis>) -> impl Future<Output = ()> {
        poll_fn(|_| Poll::Ready(()))
    }

    fn idle(&mut self, server: &mut Server<'_>, state: &mut State, now: Millis) -> Option<Millis> {
        state.go_on(server).then_some(now)
    }

    fn stopped(&mut self, state: &mut State, ticket: Ticket) {
        state.stop(ticket);
    }
}

/// Serves until the input ends.
pub fn nonblocking() -> Result<(), Error> {
    let mut memory = Memory::new();
    let mut tasks = [Task::FREE; 2];
    let mut server = Server::new(&CATALOG, memory.storage(), config())?;
    server.seal_with(&Sum);
    server.set_principal(b"somebody");
    server.offer_tasks(&mut tasks, &id);
    let (mut state, mut clock) = (State::default(), Clock);
    let halves = (&mut Half, &mut Half);
    let mut serve = pin!(nonblocking::serve(&mut server, &CATALOG, &mut state, halves, &mut clock));
    let mut cx = Context::from_waker(Waker::noop());
    // Neither half ever waits, so this is a loop of one round.
    loop {
        if let Poll::Ready(served) = serve.as_mut().poll(&mut cx) {
            return served;
        }
    }
}

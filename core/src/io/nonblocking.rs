//! The async drive loop over `embedded_io_async`.

use crate::dispatch::table::Catalog;
use crate::error::{Error, Kind};
use crate::session::client::Client;
use crate::session::server::{Event, Server};
use crate::session::slots::Ticket;
use crate::time::Millis;
use core::future::Future;
use core::pin::pin;
use core::task::Poll;
use embedded_io_async::{Read, Write};

/// What the loop asks of the application.
pub trait App<C> {
    /// The time, on any clock that only goes forward.
    fn now(&mut self) -> Millis;

    /// Completes when the application wants to be asked again ([`idle`](Self::idle)): a deferred call has its result, a
    /// resource has changed, or the moment `until` has come.
    fn wake(&mut self, until: Option<Millis>) -> impl Future<Output = ()>;

    /// Runs when nothing is left to do with what was received: the place to answer deferred calls and to announce
    /// changes. Gives the moment it wants to run again.
    fn idle(&mut self, server: &mut Server<'_>, state: &mut C, now: Millis) -> Option<Millis> {
        let _ = (server, state, now);
        None
    }

    /// A deferred call was given up by the client, or its deadline passed: stop the work.
    fn stopped(&mut self, state: &mut C, ticket: Ticket) {
        let _ = (state, ticket);
    }
}

/// Serves `catalog` over the two halves of a stream until the reading one ends; then what is owed is sent.
///
/// Handlers are not async: a reply to a call must fit into the transmit buffer, or the caller gets an error that says
/// how much it needs, unless it is made piece by piece (`Io::text_chunks` and its kin). Lists and everything else the
/// engine writes may be larger. Long work is deferred.
///
/// Reading is cancelled when [`App::wake`] completes first, so `read` must be safe to drop: bytes it has taken from the
/// hardware must not be lost with it, as for the UART drivers of embassy in buffered mode.
///
/// # Errors
/// `Stream` when reading or writing fails.
pub async fn serve<C, R: Read, W: Write>(
    server: &mut Server<'_>,
    catalog: &Catalog<C>,
    state: &mut C,
    (reader, writer): (&mut R, &mut W),
    app: &mut impl App<C>,
) -> Result<(), Error> {
    let broken = Error::new(Kind::Stream, 0);
    let mut ended = false;
    loop {
        let now = app.now();
        match server.poll(now) {
            Event::Call(call) => {
                catalog.run(call, state, None);
                continue;
            }
            Event::Cancelled(ticket) | Event::Expired(ticket) => {
                app.stopped(state, ticket);
                continue;
            }
            Event::Ended => return Ok(()),
            Event::Send | Event::Idle => {}
        }
        let wanted = if server.send_buf().1.is_empty() { app.idle(server, state, now) } else { None };
        if !server.send_buf().1.is_empty() {
            let n = writer.write(server.send_buf().1).await.map_err(|_| broken)?;
            writer.flush().await.map_err(|_| broken)?;
            if n == 0 {
                return Err(broken);
            }
            server.send_ack(n);
            continue;
        }
        let deadline = server.deadline();
        if deadline.is_some_and(|deadline| deadline <= now) {
            continue;
        }
        let until = [wanted, deadline].into_iter().flatten().min();
        if ended {
            app.wake(until).await;
            continue;
        }
        match first(reader.read(server.recv_buf()), app.wake(until)).await {
            None => {}
            Some(Ok(0)) => {
                ended = true;
                server.recv_end();
            }
            Some(Ok(n)) => server.recv_ack(n),
            Some(Err(_)) => return Err(broken),
        }
    }
}

/// Sends some of what `client` has to send: what [`Event::Send`](crate::client::Event::Send) asks for.
///
/// # Errors
/// `Stream` when writing fails.
pub async fn send_client<W: Write>(client: &mut Client<'_>, writer: &mut W) -> Result<(), Error> {
    let broken = Error::new(Kind::Stream, 0);
    let n = writer.write(client.send_buf()).await.map_err(|_| broken)?;
    writer.flush().await.map_err(|_| broken)?;
    if n == 0 && !client.send_buf().is_empty() {
        return Err(broken);
    }
    client.send_ack(n);
    Ok(())
}

/// Reads once for `client`, when it is [idle](crate::client::Event::Idle), the end of the stream too; or comes back when
/// `wake` does: at [`Client::deadline`], or when the application has something to do.
///
/// # Errors
/// `Stream` when reading fails.
pub async fn receive_client<R: Read>(
    client: &mut Client<'_>,
    reader: &mut R,
    wake: impl Future<Output = ()>,
) -> Result<(), Error> {
    match first(reader.read(client.recv_buf()), wake).await {
        None => {}
        Some(Ok(0)) => client.recv_end(),
        Some(Ok(n)) => client.recv_ack(n),
        Some(Err(_)) => return Err(Error::new(Kind::Stream, 0)),
    }
    Ok(())
}

/// What `a` gives, or nothing if `b` completes first. Two branches need no select crate.
async fn first<T>(a: impl Future<Output = T>, b: impl Future<Output = ()>) -> Option<T> {
    let (mut a, mut b) = (pin!(a), pin!(b));
    core::future::poll_fn(|cx| {
        if let Poll::Ready(value) = a.as_mut().poll(cx) {
            return Poll::Ready(Some(value));
        }
        b.as_mut().poll(cx).map(|()| None)
    })
    .await
}

#![no_std]
#![forbid(unsafe_code)]
#![doc = "The Model Context Protocol for anything with a byte stream."]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod bytes;
pub mod dispatch;
pub mod error;
#[cfg(any(feature = "io-blocking", feature = "io-async"))]
pub mod io;
pub mod json;
pub mod limits;
pub mod proto;
pub mod rpc;
#[cfg(feature = "seal")]
pub mod seal;
pub mod session;
pub mod sink;
pub mod time;
pub mod wire;

pub use dispatch::schema::Schema;
pub use dispatch::{
    Args, Blob, Catalog, Hints, IntoReply, Io, Json, NeedInput, Outcome, Role, Shown, ToolError,
};
pub use error::{Error, Fault, Kind};
pub use proto::caps::Features;
pub use proto::client::Can;
pub use proto::info::Info;
pub use proto::input::{Action, Answer, Ask, Choice, Field, Form, Format, Sample};
pub use proto::level::Level;
pub use proto::revision::{Revision, Revisions};
#[cfg(feature = "seal")]
pub use seal::HmacSealer;
pub use session::client::{self, Client};
pub use session::rows::TaskSupport;
pub use session::server::{Config, Event, Server, Stats, Storage};
pub use session::slots::{Slot, Ticket};
pub use session::tasks::Task;
pub use sink::Buf;
pub use time::Millis;

#[cfg(feature = "macros")]
pub use midge_macros::{Schema, prompt, resource, tool};

/// The memory of a server as one value: receive, transmit, slots, subscription, scratch and park sizes.
///
/// Put it in a `static` (through `static_cell` or `#[entry]`'s locals) or on the stack of `main`, and hand it over with
/// [`Buffers::storage`].
pub struct Buffers<
    const RX: usize,
    const TX: usize,
    const SLOTS: usize,
    const SUBS: usize,
    const SCRATCH: usize,
    const PARK: usize,
> {
    rx: [u8; RX],
    tx: [u8; TX],
    slots: [Slot; SLOTS],
    subscriptions: [u8; SUBS],
    scratch: [u8; SCRATCH],
    park: [u8; PARK],
}

impl<
    const RX: usize,
    const TX: usize,
    const SLOTS: usize,
    const SUBS: usize,
    const SCRATCH: usize,
    const PARK: usize,
> Buffers<RX, TX, SLOTS, SUBS, SCRATCH, PARK>
{
    /// Empty memory, usable in `static`s.
    pub const fn new() -> Self {
        Self {
            rx: [0; RX],
            tx: [0; TX],
            slots: [Slot::FREE; SLOTS],
            subscriptions: [0; SUBS],
            scratch: [0; SCRATCH],
            park: [0; PARK],
        }
    }

    /// The memory, for [`Server::new`].
    pub fn storage(&mut self) -> Storage<'_> {
        Storage {
            rx: Buf::from(&mut self.rx),
            tx: Buf::from(&mut self.tx),
            slots: &mut self.slots,
            subscriptions: &mut self.subscriptions,
            scratch: &mut self.scratch,
            park: &mut self.park,
        }
    }
}

impl<
    const RX: usize,
    const TX: usize,
    const SLOTS: usize,
    const SUBS: usize,
    const SCRATCH: usize,
    const PARK: usize,
> Default for Buffers<RX, TX, SLOTS, SUBS, SCRATCH, PARK>
{
    fn default() -> Self {
        Self::new()
    }
}

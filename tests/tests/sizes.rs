//! `size_of` of every public engine type, held to the committed table `docs/sizes.md`.

use midge::dispatch::args::{Arg, Rule};
use midge::dispatch::{Args, Prompt, Resource, Template, Tool, ToolDef, Values, Variables};
use midge::json::{De, Scan, Writer};
use midge::session::reply::Reply;
use midge::session::server::Parts;
use midge::sink::{Fill, Sink};
use midge::wire::line::Lines;
use midge::{Buf, Buffers, Catalog, Config, Error, Event, Info, Io, Millis, Server, Slot, Storage, Ticket};
use std::fmt::Write;
use std::mem::size_of;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/sizes.md");

macro_rules! sizes {
    ($($t:ty),* $(,)?) => {
        [$((stringify!($t), size_of::<$t>())),*]
    };
}

#[test]
#[cfg(target_pointer_width = "64")]
fn sizes_are_those_of_the_table() {
    let mut table = "# Sizes of the engine's types\n\nBytes on a 64-bit host, held by `tests/tests/sizes.rs` (`MIDGE_BLESS=1` rewrites this page).\n\n| type | bytes |\n|---|---|\n".to_owned();
    let sizes = sizes![
        Server<'static>,
        Storage<'static>,
        Slot,
        Ticket,
        Config,
        Event<'static>,
        Parts<'static>,
        Reply<'static>,
        Io<'static>,
        Args<'static>,
        Values<'static>,
        Variables<'static>,
        Buf<'static>,
        Sink<'static>,
        Fill,
        Lines,
        Scan,
        Writer<'static>,
        De<'static>,
        Error,
        Millis,
        Info,
        Catalog<()>,
        Tool<()>,
        ToolDef,
        Arg,
        Rule,
        Resource<()>,
        Template<()>,
        Prompt<()>,
        Buffers<1024, 512, 4, 256, 64>,
    ];
    for (name, bytes) in sizes {
        writeln!(table, "| `{}` | {bytes} |", name.replace("'static", "'_")).unwrap();
    }
    if std::env::var_os("MIDGE_BLESS").is_some() {
        std::fs::write(TABLE, &table).unwrap();
    }
    let committed = std::fs::read_to_string(TABLE).unwrap_or_default();
    assert_eq!(committed, table, "a size has changed: say why in the commit, and run with MIDGE_BLESS=1");
}

//! The size of every public type of the engine, against the committed table `docs/sizes.md`.
//!
//! `MIDGE_BLESS=1` writes the table anew; a larger engine is then seen in the diff.

use midge::client;
use midge::dispatch::args::{Arg, Rule, Span};
use midge::dispatch::{Completion, Prompt, Resource, Template, Tool, ToolDef, Values, Variables};
use midge::json::{De, Raw, Scan, Writer};
use midge::session::reply::Reply;
use midge::session::server::Parts;
use midge::sink::{Fill, Sink};
use midge::{Args, Buf, Catalog, Config, Error, Event, Info, Io, Server, Slot, Stats, Storage, Ticket};
use std::fs;
use std::path::PathBuf;

macro_rules! sizes {
    ($($name:literal $t:ty, $what:literal;)*) => {
        [$(($name, size_of::<$t>(), align_of::<$t>(), $what)),*]
    };
}

/// Name, bytes, alignment, and what one costs it for.
const SIZES: [(&str, usize, usize, &str); 36] = sizes! {
    "Server" Server<'static>, "one for each stream";
    "Slot" Slot, "one for each call that may wait at once";
    "Ticket" Ticket, "one kept by the application for each call that waits";
    "Storage" Storage<'static>, "moved into the server";
    "Config" Config, "held by the server";
    "Stats" Stats, "held by the server";
    "Client" client::Client<'static>, "one for each stream to a server";
    "Call" client::Call, "one for each call that may be out at once";
    "client::Storage" client::Storage<'static>, "moved into the client";
    "client::Config" client::Config, "held by the client";
    "client::Event" client::Event<'static>, "on the stack, for each message";
    "client::Options" client::Options<'static>, "on the stack, for each call";
    "QuestionId" client::QuestionId, "one kept by the application for each question that is open";
    "Buf" Buf<'static>, "held by the server, twice";
    "Fill" Fill, "held by the server";
    "Sink" Sink<'static>, "on the stack while an answer is written";
    "Event" Event<'static>, "on the stack, for each message";
    "Parts" Parts<'static>, "on the stack, for each call";
    "Reply" Reply<'static>, "on the stack, for each call";
    "Io" Io<'static>, "on the stack, for each call";
    "Args" Args<'static>, "on the stack, for each call";
    "Values" Values<'static>, "on the stack, for each call with arguments";
    "Variables" Variables<'static>, "on the stack, for each read of a template";
    "Completion" Completion<'static>, "on the stack, for each completion";
    "Span" Span, "on the stack, for each argument";
    "Error" Error, "returned";
    "Scan" Scan, "on the stack while JSON is read";
    "De" De<'static>, "on the stack while a value is decoded";
    "Raw" Raw<'static>, "a field of a user's type";
    "Writer" Writer<'static>, "on the stack while JSON is written";
    "Catalog" Catalog<()>, "in flash, one for each server";
    "Info" Info, "in flash, within the catalog";
    "Tool" Tool<()>, "in flash, one for each tool";
    "ToolDef" ToolDef, "in flash, within the tool";
    "Arg" Arg, "in flash, one for each argument";
    "Rule" Rule, "in flash, within the argument";
};
/// Rows of the table that have the same shape whatever the state is.
const ROWS: [(&str, usize, usize, &str); 3] = sizes! {
    "Resource" Resource<()>, "in flash, one for each resource";
    "Template" Template<()>, "in flash, one for each template";
    "Prompt" Prompt<()>, "in flash, one for each prompt";
};

fn table() -> String {
    let mut text = String::from(
        "# Sizes of the engine's types\n\n\
         In bytes, on 64-bit targets, with the features `float`, `alloc` and `io-async`. `cargo test -p midge-tests --test sizes` \
         holds the table to the code; with `MIDGE_BLESS=1` it writes it anew.\n\n\
         | type | bytes | alignment | where |\n|---|---:|---:|---|\n",
    );
    for (name, bytes, align, what) in SIZES.iter().chain(&ROWS) {
        text += &format!("| `{name}` | {bytes} | {align} | {what} |\n");
    }
    text
}

#[test]
#[cfg(target_pointer_width = "64")]
fn types_have_the_sizes_that_are_written_down() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/sizes.md");
    let now = table();
    if std::env::var_os("MIDGE_BLESS").is_some() {
        fs::write(&path, &now).expect("docs/sizes.md can be written");
    }
    let written = fs::read_to_string(&path).expect("docs/sizes.md");
    let drift: Vec<String> = (now.lines())
        .filter(|line| !written.lines().any(|w| w == *line))
        .map(|line| format!("{line}\n    was {}", was(&written, line)))
        .collect();
    assert!(
        drift.is_empty() && written == now,
        "sizes have changed; MIDGE_BLESS=1 accepts them:\n{}",
        drift.join("\n")
    );
}

fn was<'w>(written: &'w str, line: &str) -> &'w str {
    let name = line.split('|').nth(1).unwrap_or("").trim();
    written.lines().find(|w| w.split('|').nth(1).is_some_and(|n| n.trim() == name)).unwrap_or("not there")
}

/// What DESIGN promises of single types, so that a blessed table cannot loosen it.
#[test]
fn errors_and_tickets_stay_small() {
    assert!(size_of::<Error>() <= 8, "an error is at most 8 bytes");
    assert!(size_of::<Ticket>() <= 8, "a ticket is at most 8 bytes");
    assert!(size_of::<Result<(), Error>>() <= 8, "and its result as well");
}

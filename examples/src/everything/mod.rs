//! The fixtures of the official conformance suite, as const tables.

mod asks;
pub mod large;
mod prompts;
mod resources;
mod tasks;
mod timed;
mod tools;

use crate::stdio::Work;
use midge::dispatch::render;
use midge::sink::Flush;
use midge::{Catalog, Features, Info, Millis, Server, Ticket};

/// What the server remembers.
#[derive(Default)]
pub struct Everything {
    cancelled: u32,
    timed: timed::Timed,
}

impl Work for Everything {
    fn idle(&mut self, server: &mut Server<'_>, now: Millis) -> Option<Millis> {
        self.go_on(server, now, None)
    }

    fn stopped(&mut self, ticket: Ticket) {
        self.cancelled += 1;
        self.timed.forget(ticket);
    }
}

const INFO: Info = Info {
    title: "midge: everything",
    about: "Fixtures of the official conformance suite",
    ..Info::new("midge-everything", env!("CARGO_PKG_VERSION"))
};
static INFO_TEXT: [u8; render::info_len(&INFO)] = render::info(&INFO);

impl Everything {
    /// Goes on with deferred calls, as [`Work::idle`] does; with `flush`, their answers may be larger than the transmit
    /// buffer.
    pub fn go_on(
        &mut self,
        server: &mut Server<'_>,
        now: Millis,
        flush: Option<&mut dyn Flush>,
    ) -> Option<Millis> {
        self.timed.run(server, now, flush)
    }
}

/// The whole catalog.
pub static CATALOG: Catalog<Everything> = Catalog::new(INFO.name, INFO.version)
    .info(Info { text: render::text(&INFO_TEXT), ..INFO })
    .tools(&tools::TOOLS)
    .tool_order(&tools::ORDER)
    .resources(&resources::RESOURCES)
    .templates(&resources::TEMPLATES)
    .prompts(&prompts::PROMPTS)
    .features(
        Features::LOGGING
            .and(Features::TOOLS_CHANGE)
            .and(Features::PROMPTS_CHANGE)
            .and(Features::RESOURCES_CHANGE)
            .and(Features::SUBSCRIBE),
    );

/// A red dot: a PNG image of one pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1A, b'\n', 0, 0, 0, 13, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0,
    0, 1, 8, 2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 12, b'I', b'D', b'A', b'T', 0x78, 0x9C, 0x63, 0xF8,
    0xCF, 0xC0, 0, 0, 3, 1, 1, 0, 0xC9, 0xFE, 0x92, 0xEF, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42,
    0x60, 0x82,
];

/// A sound of no length: a WAV file with its headers only.
const WAV: &[u8] =
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1F\0\0\x80\x3E\0\0\x02\0\x10\0data\0\0\0\0";

//! The fixture server of the official conformance suite, over stdin and stdout. All of its tables are written by hand;
//! see `thermostat` for the macros.

use midge_examples::everything::{CATALOG, Everything};

fn main() -> Result<(), midge::Error> {
    midge_examples::stdio::serve(&CATALOG, &mut Everything::default())
}

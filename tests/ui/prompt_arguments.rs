//! A prompt's arguments are texts.
#[midge::prompt]
fn explain(floor: u8) {
    let _ = floor;
}

fn main() {}

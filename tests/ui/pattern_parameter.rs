//! An argument has a name.
#[midge::tool]
fn go((x, y): (u8, u8)) -> u8 {
    x + y
}

fn main() {}

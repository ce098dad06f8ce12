//! Names are of few characters.
#[midge::tool(name = "set target")]
fn one() {}

#[midge::tool(name = "")]
fn two() {}

#[midge::tool]
fn größe() {}

fn main() {}

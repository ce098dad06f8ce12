//! Limits that no value keeps, or that are of other types.
#[midge::tool]
fn reversed(#[arg(min = 3, max = 2)] n: u8) {
    let _ = n;
}

#[midge::tool]
fn lengths(#[arg(min_len = 3, max_len = 2)] n: &str) {
    let _ = n;
}

#[midge::tool]
fn beyond(#[arg(max = 256)] n: u8) {
    let _ = n;
}

#[midge::tool]
fn of_a_text(#[arg(min = 1)] n: &str) {
    let _ = n;
}

#[midge::tool]
fn of_a_number(#[arg(min_len = 1)] n: u8) {
    let _ = n;
}

#[midge::tool]
fn fraction(#[arg(min = 0.5)] n: u8) {
    let _ = n;
}

#[midge::tool]
fn pattern(#[arg(pattern = "(a|b)")] n: &str) {
    let _ = n;
}

#[midge::tool]
fn mixed(#[arg(min = 1, min_len = 1)] n: &str) {
    let _ = n;
}

fn main() {}

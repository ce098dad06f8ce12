//! Defaults that could not be sent.
#[midge::tool]
fn beyond(#[arg(default = 11, max = 10)] n: u8) {
    let _ = n;
}

#[midge::tool]
fn unlisted(#[arg(default = "c", one_of = ["a", "b"])] n: &str) {
    let _ = n;
}

#[midge::tool]
fn option(#[arg(default = 1)] n: Option<u8>) {
    let _ = n;
}

#[midge::tool]
fn computed(#[arg(default = 1 + 1)] n: u8) {
    let _ = n;
}

fn main() {}

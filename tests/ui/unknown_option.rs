//! Options that there are not.
#[midge::tool(readonly)]
fn one() {}

#[midge::tool]
fn two(#[arg(minimum = 1)] n: u8) {
    let _ = n;
}

#[midge::resource("a://b", type = "text/plain")]
fn three() {}

#[midge::prompt(read_only)]
fn four() {}

#[midge::tool(title = "a", title = "b")]
fn five() {}

#[midge::tool(title)]
fn six() {}

#[midge::tool(read_only = "yes")]
fn seven() {}

#[midge::tool]
struct Eight;

fn main() {}

//! Two tools of one name.
#[midge::tool]
fn log() {}

#[midge::tool(name = "log")]
fn other() {}

midge::catalog! {
    static SERVER: () = { name: "s", version: "1", tools: [log, other] };
}

fn main() {
    let _ = &SERVER;
}

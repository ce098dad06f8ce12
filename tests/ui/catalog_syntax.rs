//! Lists hold what their names say; there are no other keys.
#[midge::tool]
fn log() {}

midge::catalog! {
    static ONE: () = { name: "s", version: "1", resources: [log] };
}

midge::catalog! {
    static TWO: () = { name: "s", version: "1", tool: [log] };
}

midge::catalog! {
    static THREE: () = { version: "1", tools: [log] };
}

fn main() {
    let _ = (&ONE, &TWO, &THREE);
}

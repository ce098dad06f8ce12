//! What a tool takes is listed once.
#[midge::tool]
fn show<T: midge::Schema>(value: T) {
    let _ = value;
}

#[midge::tool]
fn print(value: impl midge::Schema) {
    let _ = value;
}

fn main() {}

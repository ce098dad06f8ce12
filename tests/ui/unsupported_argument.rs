//! A type without a schema.
struct Point {
    x: i32,
}

#[midge::tool]
fn go(to: Point) {
    let _ = to.x;
}

fn main() {}

//! A value that is no answer.
struct Point;

#[midge::tool]
fn go() -> Point {
    Point
}

fn main() {}

//! Types that have no schema to derive.
use midge::Schema;

#[derive(Schema)]
struct Pair(u8, u8);

#[derive(Schema)]
enum Shape {
    Circle(u8),
}

#[derive(Schema)]
struct Flat {
    #[serde(flatten)]
    inner: Inner,
}

#[derive(Schema)]
struct Inner {
    #[arg(max = 3)]
    name: String,
}

#[derive(Schema)]
struct Outer {
    map: std::collections::HashMap<String, u8>,
}

fn main() {}

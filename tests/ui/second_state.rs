//! There is one state, and other references are texts.
struct Home;

#[midge::tool]
fn two(home: &mut Home, other: &mut Home) {
    let _ = (home, other);
}

#[midge::tool]
fn shared(home: &Home) {
    let _ = home;
}

fn main() {}

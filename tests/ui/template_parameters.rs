//! Variables and parameters that do not meet.
#[midge::resource("a://{room}/{floor}")]
fn one(room: &str) {
    let _ = room;
}

#[midge::resource("a://{room}")]
fn two(room: &str, floor: u8) {
    let _ = (room, floor);
}

#[midge::resource("a://log")]
fn three(day: u8) {
    let _ = day;
}

#[midge::resource("a://{n}")]
fn four(#[arg(max = 3)] n: u8) {
    let _ = n;
}

fn main() {}

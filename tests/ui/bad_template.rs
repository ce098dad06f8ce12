//! Templates that cannot be matched, and a URI that is none.
#[midge::resource("a://{x}{y}")]
fn adjacent(x: &str, y: &str) {
    let _ = (x, y);
}

#[midge::resource("a://{x")]
fn unclosed() {}

#[midge::resource("log")]
fn relative() {}

#[midge::resource(mime = "text/plain")]
fn without() {}

fn main() {
    let _ = (adjacent::template::<()>(), unclosed::template::<()>());
}

//! Arguments that no header carries.
#[midge::tool]
fn array(#[arg(header = "Rgb")] rgb: [u8; 3]) {
    let _ = rgb;
}

#[midge::tool]
fn spaced(#[arg(header = "My Region")] region: &str) {
    let _ = region;
}

#[midge::tool]
fn twice(#[arg(header = "Region")] a: &str, #[arg(header = "region")] b: &str) {
    let _ = (a, b);
}

#[midge::tool]
fn renamed(#[arg(name = "b")] a: &str, b: &str) {
    let _ = (a, b);
}

fn main() {}

//! Text that is no JSON, or not the kind that is wanted.
#[midge::tool(icons = "[{]")]
fn one() {}

#[midge::tool(meta = "[]")]
fn two() {}

#[midge::tool(input = r#"{"type":"object",}"#)]
fn three() {}

#[midge::tool(output = "{'a':1}")]
fn four() {}

fn main() {
    let _ = (one::tool::<()>(), three::tool::<()>(), four::tool::<()>());
}

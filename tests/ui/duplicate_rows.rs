//! Two resources of one URI, two prompts of one name.
#[midge::resource("a://b")]
fn one() {}

#[midge::resource("a://b", name = "other")]
fn two() {}

#[midge::prompt]
fn ask() {}

#[midge::prompt(name = "ask")]
fn again() {}

midge::catalog! {
    static RESOURCES: () = { name: "s", version: "1", resources: [one, two] };
}

midge::catalog! {
    static PROMPTS: () = { name: "s", version: "1", prompts: [ask, again] };
}

fn main() {
    let _ = (&RESOURCES, &PROMPTS);
}

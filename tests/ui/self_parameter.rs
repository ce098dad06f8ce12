//! The state is a parameter.
struct Home;

impl Home {
    #[midge::tool]
    fn log(&self) {}
}

fn main() {}

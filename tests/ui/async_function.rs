//! Calls that take time are deferred.
#[midge::tool]
async fn wait(ms: u32) -> u32 {
    ms
}

fn main() {}

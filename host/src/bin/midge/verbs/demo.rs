//! `midge demo`

use crate::context::Context;
use crate::failure::Failure;

pub async fn run(_context: &Context) -> Result<(), Failure> {
    Ok(())
}

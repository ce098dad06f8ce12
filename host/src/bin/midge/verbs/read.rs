//! `midge read`

use crate::cli::{Last, Save};
use crate::context::Context;
use crate::failure::{Failure, Fault};
use crate::save::Saver;
use crate::show::Show;
use midge_host::Error;

pub async fn run(context: &Context, uri: &str, save: &Save, at: &Last) -> Result<(), Failure> {
    let saver = Saver::new(save)?;
    context
        .with(&at.target, async |client| {
            let (options, running) = context.call(uri);
            let result = client.read_resource(uri, options).await.map_err(|error| missing(uri, error))?;
            drop(running);
            if result.contents.is_empty() {
                let nothing = format!("the server answered with nothing for `{uri}`");
                return Err(Failure::new(Fault::Answer, nothing));
            }
            let mut show = Show::new(&context.out, saver, uri);
            show.read_result(&result)?;
            show.finish(&result)
        })
        .await
}

fn missing(uri: &str, error: Error) -> Failure {
    let found = !error.is_not_found();
    let mut failure = Failure::from(error);
    if !found {
        failure.message = format!("there is no resource `{uri}`: {}", failure.message);
    }
    failure
}

//! `many TOOLS`: a server of so many tools over stdin and stdout.

use std::process::ExitCode;

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let Some(catalog) = wanted.and_then(many::catalog) else {
        eprintln!("usage: many TOOLS, one of {:?}", many::COUNTS);
        return ExitCode::FAILURE;
    };
    match midge_examples::stdio::serve(&catalog, &mut ()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("many: {error:?}");
            ExitCode::FAILURE
        }
    }
}

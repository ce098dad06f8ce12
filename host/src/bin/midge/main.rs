//! `midge`: talks to any server of the Model Context Protocol.

mod args;
mod ask;
mod cli;
mod context;
mod details;
mod failure;
mod near;
mod notices;
mod output;
mod place;
mod progress;
mod safe;
mod save;
mod screen;
mod show;
mod stop;
mod table;
mod verbs;

use clap::{CommandFactory, Parser};
use cli::{Cli, Options, Verb};
use context::Context;
use failure::{Failure, Fault};
use output::Output;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use stop::Stop;
use verbs::complete::Wanted;
use verbs::{call, complete, demo, get, info, lists, read, watch};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error),
    };
    let out = Arc::new(Output::new(cli.options.json, cli.options.quiet));
    match run(cli, &out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => told(&failure, &out),
    }
}

/// The command line makes no sense, or asks for help.
fn unparsed(error: &clap::Error) -> ExitCode {
    // Not all words are text: that may be the very mistake.
    let mut words = std::env::args_os().skip(1).take_while(|word| word != "--");
    let json = words.any(|word| word == "--json" || word == "-j");
    if error.use_stderr() && json {
        let words = error.to_string();
        let failure = Failure::usage(words.trim_end().trim_start_matches("error: "));
        // Nobody is left to tell when this fails too.
        let _ = Output::new(true, false).document(&failure.to_json());
    }
    let _ = error.print();
    ExitCode::from(if error.use_stderr() { Fault::Usage.code() } else { 0 })
}

/// Tells what went wrong, to people and to scripts.
fn told(failure: &Failure, out: &Output) -> ExitCode {
    let silent = failure.told || failure.fault == Fault::Pipe;
    if !silent {
        out.error(&failure.message);
    }
    if !silent && out.json {
        // Nobody is left to tell when this fails too.
        let _ = out.document(&failure.to_json());
    }
    ExitCode::from(failure.fault.code())
}

/// How long the end may take when something is in its way, such as a name that is being looked up.
const SHUTDOWN: Duration = Duration::from_secs(2);

fn run(cli: Cli, out: &Arc<Output>) -> Result<(), Failure> {
    if let Verb::Completions { shell } = &cli.verb {
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut Cli::command(), "midge", &mut script);
        return out.bytes(&script);
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|e| Failure::new(Fault::Reach, format!("cannot start: {e}")))?;
    let Cli { options, verb } = cli;
    let result = runtime.block_on(dispatch(options, &verb, out));
    // A server that is still there is ended with the connection's task.
    runtime.shutdown_timeout(SHUTDOWN);
    result
}

async fn dispatch(options: Options, verb: &Verb, out: &Arc<Output>) -> Result<(), Failure> {
    let context = Context { out: Arc::clone(out), options, stop: Stop::listen() };
    match verb {
        Verb::Info { at } => info::run(&context, at).await,
        Verb::Tools { list, at } => lists::tools(&context, list, at).await,
        Verb::Resources { list, at } => lists::resources(&context, list, at).await,
        Verb::Prompts { list, at } => lists::prompts(&context, list, at).await,
        Verb::Call(call) => call::run(&context, call).await,
        Verb::Read { uri, save, at } => read::run(&context, uri, save, at).await,
        Verb::Get { prompt, words, save, at } => get::run(&context, prompt, words, save, at).await,
        Verb::Complete { kind, name, argument, context: known, at } => {
            let wanted = Wanted { kind: *kind, name, argument, context: known };
            complete::run(&context, &wanted, at).await
        }
        Verb::Watch(args) => watch::run(&context, args).await,
        Verb::Demo => demo::run(&context).await,
        // It needs no connection.
        Verb::Completions { .. } => Ok(()),
    }
}

//! The tools that run as tasks. Each is an ordinary handler; that it may be a task is said in its definition alone.

use super::Everything;
use super::asks::NAME;
use super::timed::Job;
use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::{Args, Values};
use midge::proto::input::{Ask, Field};
use midge::{Io, Outcome};

const TEXT: Rule = Rule::Str(&Text::ANY);
pub(super) static GREET: [Arg; 1] = [Arg::new("name", TEXT).about("Whom to greet")];
pub(super) static COMPUTE: [Arg; 2] = [
    Arg::new("seconds", Rule::Int { min: 0, max: 3600 }).about("How long it takes"),
    Arg::new("label", TEXT).about("What the result is called").optional(),
];
pub(super) static DELETE: [Arg; 1] = [Arg::new("filename", TEXT).about("The file to delete")];

const CONFIRM: Ask<'_> = Ask::form("Are you sure?", &[Field::boolean("confirm").about("Whether to go on")]);

fn values<'e, const N: usize>(
    table: &'static [Arg; N],
    args: Args<'e>,
    spans: &mut [Span; N],
    io: &mut Io<'e>,
) -> Result<Values<'e>, Outcome> {
    args.decode(table, spans, io)
}

pub(super) fn greet<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 1];
    let name = values(&GREET, args, &mut spans, io).and_then(|v| v.get::<&str>(&spans, 0, &GREET, io));
    match name {
        Ok(name) => {
            io.text(&format!("Hello, {name}!"));
            Outcome::Done
        }
        Err(answered) => answered,
    }
}

pub(super) fn compute<'e>(state: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 2];
    let values = match values(&COMPUTE, args, &mut spans, io) {
        Ok(values) => values,
        Err(answered) => return answered,
    };
    let seconds = values.get::<u64>(&spans, 0, &COMPUTE, io);
    let label = values.get::<Option<&str>>(&spans, 1, &COMPUTE, io);
    match (seconds, label) {
        (Ok(seconds), Ok(label)) => {
            let text = format!("{}: computed for {seconds} s", label.unwrap_or("slow_compute"));
            state.timed.start(io, Job::Say(seconds * 1000, text))
        }
        (Err(answered), _) | (_, Err(answered)) => answered,
    }
}

pub(super) fn failing<'e>(state: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    state.timed.start(io, Job::Fail(1000, "The job failed, as it always does"))
}

pub(super) fn protocol_error<'e>(state: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    state.timed.start(io, Job::Break(100, "The job broke the protocol, as it always does"))
}

pub(super) fn delete<'e>(_: &mut Everything, args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let mut spans = [Span::ABSENT; 1];
    let file = values(&DELETE, args, &mut spans, io).and_then(|v| v.get::<&str>(&spans, 0, &DELETE, io));
    let file = match file {
        Ok(file) => file,
        Err(answered) => return answered,
    };
    let Some(answer) = io.ask("confirm", &CONFIRM) else { return Outcome::NeedInput };
    let sure = answer.get::<bool>("confirm") == Some(true);
    io.text(&format!("{} {file}", if sure { "Deleted" } else { "Kept" }));
    Outcome::Done
}

pub(super) fn several<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let [Some(name), Some(confirm)] = [io.ask("name", &NAME), io.ask("confirm", &CONFIRM)] else {
        return Outcome::NeedInput;
    };
    let (name, sure) = (name.get::<&str>("name").unwrap_or("nobody"), confirm.get::<bool>("confirm"));
    io.text(&format!("name: {name}, confirmed: {}", sure == Some(true)));
    Outcome::Done
}

/// Asks first, and takes its time then.
pub(super) fn with_input<'e>(state: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let Some(answer) = io.ask("user_name", &NAME) else { return Outcome::NeedInput };
    let text = format!("Hello, {}!", answer.get::<&str>("name").unwrap_or("whoever you are"));
    state.timed.start(io, Job::Say(100, text))
}

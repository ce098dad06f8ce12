//! The tools and the prompt that ask their client. None of them knows which revision it is called in.

use super::Everything;
use midge::dispatch::Args;
use midge::dispatch::args::{Arg, Span};
use midge::json::write::decimal_text;
use midge::proto::input::{Action, Answer, Ask, Choice, Content, Field, Message};
use midge::{Io, Outcome};

pub(super) const NAME: Ask<'_> = Ask::form("What is your name?", &[Field::text("name").about("Your name")]);
const COLOR: Ask<'_> =
    Ask::form("What is your favorite color?", &[Field::text("color").about("Your favorite color")]);
const OK: Ask<'_> = Ask::form("Please confirm", &[Field::boolean("ok").about("Whether to go on")]);
const CONTEXT: Ask<'_> =
    Ask::form("What context should the prompt use?", &[Field::text("context").about("The context")]);
const FRANCE: Ask<'_> =
    Ask::sample(&[Message::user(&[Content::Text("What is the capital of France?")])], 100);

const USER: &[Field<'_>] =
    &[Field::text("username").about("User's response"), Field::text("email").about("User's email address")];

const STATUS: &[Choice<'_>] = &[Choice::new("active"), Choice::new("inactive"), Choice::new("pending")];
const DEFAULTS: Ask<'_> = Ask::form(
    "Please review the defaults",
    &[
        Field::text("name").about("User name").default_text("John Doe").optional(),
        Field::integer("age").about("User age").default_integer(30).optional(),
        Field::number("score").about("User score").default_number("95.5").optional(),
        Field::one_of("status", STATUS).about("User status").default_text("active").optional(),
        Field::boolean("verified").about("Whether the user is verified").default_bool(true).optional(),
    ],
);

const PLAIN: &[Choice<'_>] = &[Choice::new("option1"), Choice::new("option2"), Choice::new("option3")];
const TITLED: &[Choice<'_>] = &[
    Choice::titled("value1", "First Option"),
    Choice::titled("value2", "Second Option"),
    Choice::titled("value3", "Third Option"),
];
const LEGACY: &[Choice<'_>] = &[
    Choice::titled("opt1", "Option One"),
    Choice::titled("opt2", "Option Two"),
    Choice::titled("opt3", "Option Three"),
];
const ENUMS: Ask<'_> = Ask::form(
    "Please choose",
    &[
        Field::one_of("untitledSingle", PLAIN).about("One of a few").optional(),
        Field::one_of("titledSingle", TITLED).about("One of a few, with titles").optional(),
        Field::one_of("legacyEnum", LEGACY).about("One of a few, with names").legacy().optional(),
        Field::many_of("untitledMulti", PLAIN).about("Some of a few").optional(),
        Field::many_of("titledMulti", TITLED).about("Some of a few, with titles").optional(),
    ],
);

type Handler = fn(&Answer<'_>, &mut Io<'_>);

/// Asks one thing under `key` and says with `tell` what came of it.
fn ask_one(io: &mut Io<'_>, key: &str, ask: &Ask<'_>, tell: Handler) -> Outcome {
    let Some(answer) = io.ask(key, ask) else { return Outcome::NeedInput };
    if answer.accepted() {
        tell(&answer, io);
        return Outcome::Done;
    }
    refused(&answer, io)
}

/// Says how an answer that is none went.
fn refused(answer: &Answer<'_>, io: &mut Io<'_>) -> Outcome {
    io.fail_with(|w| {
        w.text("No answer: ");
        answer.explain(&mut |piece| w.text(piece));
    })
}

fn action(answer: &Answer<'_>) -> &'static str {
    match answer.action() {
        Action::Accepted => "accept",
        Action::Declined => "decline",
        Action::Cancelled => "cancel",
        Action::Failed => "failed",
        Action::Late => "late",
        Action::Invalid => "invalid",
    }
}

/// `what` and how the user decided, with what was filled in.
fn decided(what: &str, answer: &Answer<'_>, io: &mut Io<'_>) {
    io.text_with(|w| {
        for piece in [what, ": action=", action(answer)] {
            w.text(piece);
        }
        match answer.action() {
            Action::Accepted => {
                w.text(", content=");
                w.text_value(|w| w.value(answer.content()));
            }
            Action::Declined | Action::Cancelled => {}
            _ => {
                w.text(", ");
                answer.explain(&mut |piece| w.text(piece));
            }
        }
    });
}

/// Answers with these texts, one behind the other.
fn say(io: &mut Io<'_>, pieces: &[&str]) {
    io.text_with(|w| pieces.iter().for_each(|piece| w.text(piece)));
}

/// Answers with a text and a number.
fn say_count(io: &mut Io<'_>, what: &str, count: usize) {
    say(io, &[what, decimal_text(count as u64, &mut [0; 20])]);
}

/// The one text argument of a call.
fn one_text<'e>(table: &'static [Arg; 1], args: Args<'e>, io: &mut Io<'e>) -> Result<&'e str, Outcome> {
    let mut spans = [Span::ABSENT; 1];
    args.decode(table, &mut spans, io).and_then(|v| v.get::<&str>(&spans, 0, table, io))
}

pub(super) fn sampling<'e>(table: &'static [Arg; 1], args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let prompt = match one_text(table, args, io) {
        Ok(prompt) => prompt,
        Err(answered) => return answered,
    };
    ask_one(io, "sample", &Ask::sample(&[Message::user(&[Content::Text(prompt)])], 100), |answer, io| {
        io.text_with(|w| {
            w.text("LLM response: ");
            w.text(answer.text());
        });
    })
}

pub(super) fn elicitation<'e>(table: &'static [Arg; 1], args: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let message = match one_text(table, args, io) {
        Ok(message) => message,
        Err(answered) => return answered,
    };
    let Some(answer) = io.ask("user", &Ask::form(message, USER)) else { return Outcome::NeedInput };
    decided("User response", &answer, io);
    Outcome::Done
}

pub(super) fn form(io: &mut Io<'_>, ask: &Ask<'_>) -> Outcome {
    let Some(answer) = io.ask("form", ask) else { return Outcome::NeedInput };
    decided("Elicitation completed", &answer, io);
    Outcome::Done
}

pub(super) fn defaults<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    form(io, &DEFAULTS)
}

pub(super) fn enums<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    form(io, &ENUMS)
}

pub(super) fn url<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    form(io, &Ask::url("Please sign in", "https://example.com/sign-in", "sign-in-1"))
}

pub(super) fn list_roots<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    ask_one(io, "roots", &Ask::Roots, |answer, io| {
        say_count(io, "roots: ", answer.roots().count());
    })
}

pub(super) fn name<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    ask_one(io, "user_name", &NAME, |answer, io| {
        say(io, &["Hello, ", answer.get("name").unwrap_or("whoever you are"), "!"]);
    })
}

pub(super) fn capital<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    ask_one(io, "capital_question", &FRANCE, |answer, io| io.text(answer.text()))
}

pub(super) fn client_roots<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    ask_one(io, "client_roots", &Ask::Roots, |answer, io| {
        io.text_with(|w| {
            w.text("The client's roots:");
            for root in answer.roots() {
                w.text(" ");
                w.text(root.uri);
            }
        });
    })
}

pub(super) fn confirm<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    ask_one(io, "confirm", &OK, |_, io| io.text("state-ok"))
}

/// All three kinds at once.
pub(super) fn several<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let asked = [
        io.ask("user_name", &NAME),
        io.ask("capital_question", &FRANCE),
        io.ask("client_roots", &Ask::Roots),
    ];
    let [Some(user), Some(capital), Some(roots)] = asked else { return Outcome::NeedInput };
    let name = user.get("name").unwrap_or("whoever you are");
    let count = roots.roots().count() as u64;
    say(io, &[name, "; ", capital.text(), "; roots: ", decimal_text(count, &mut [0; 20])]);
    Outcome::Done
}

/// One question after the other.
pub(super) fn rounds<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let Some(user) = io.ask("step1", &NAME) else { return Outcome::NeedInput };
    let Some(color) = io.ask("step2", &COLOR) else { return Outcome::NeedInput };
    let (user, color) = (user.get::<&str>("name"), color.get::<&str>("color"));
    match (user, color) {
        (Some(user), Some(color)) => say(io, &[user, " likes ", color, "."]),
        _ => return Outcome::Fail("A question was declined"),
    }
    Outcome::Done
}

/// Asks only for what the client said it can do.
pub(super) fn capable<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let asks = [("user_name", NAME), ("capital_question", FRANCE), ("client_roots", Ask::Roots)];
    let mut answers = 0;
    let mut open = 0;
    for (key, ask) in &asks {
        if io.can_ask(ask) {
            match io.ask(key, ask) {
                Some(_) => answers += 1,
                None => open += 1,
            }
        }
    }
    if open > 0 {
        return Outcome::NeedInput;
    }
    say_count(io, "answers: ", answers);
    Outcome::Done
}

pub(super) fn prompt<'e>(_: &mut Everything, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    ask_one(io, "user_context", &CONTEXT, |answer, io| {
        say(io, &["Use this context: ", answer.get("context").unwrap_or("")]);
    })
}

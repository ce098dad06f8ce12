//! Handlers of every kind, none of which calls the allocator.

use midge::dispatch::args::{Arg, Rule, Span, Text};
use midge::dispatch::{
    Args, Prompt, PromptDef, Resource, ResourceDef, Source, Template, Tool, ToolDef, Values,
};
use midge::json::write::decimal_text;
use midge::proto::input::{Action, Answer, Ask, Content, Field, Message};
use midge::{Catalog, Features, Io, Level, Millis, Outcome, Ticket};

/// How long [`hold_until`] lets a call wait, in milliseconds.
pub const HOLD_MS: u64 = 40_000;

/// Texts of this many bytes make up a stream.
pub const PIECE: &str = "0123456789abcdef0123456789abcdef";

/// What the handlers remember.
pub struct Desk {
    /// Calls that were put off, by ticket and number.
    pub held: Vec<(Ticket, u64, Option<Millis>)>,
    /// How often a handler ran.
    pub runs: u64,
}

impl Desk {
    /// Room for as many calls as there can be at once.
    pub fn new() -> Self {
        Self { held: Vec::with_capacity(64), runs: 0 }
    }

    fn hold(&mut self, io: &mut Io<'_>, deadline: Option<Millis>) -> Outcome {
        let number = number(io.id());
        if number == 0 {
            // A question that could not be asked has answered the call.
            return Outcome::Deferred;
        }
        let ticket = match deadline {
            Some(deadline) => io.defer_until(deadline),
            None => io.defer(),
        };
        assert!(self.held.len() < self.held.capacity(), "the catalog keeps its tickets without allocating");
        self.held.push((ticket, number, deadline));
        Outcome::Deferred
    }
}

/// The number that an id stands for, as [`super::model`] writes them.
pub fn number(id: &[u8]) -> u64 {
    id.iter().filter(|b| b.is_ascii_digit()).fold(0, |n, b| n * 10 + u64::from(b - b'0'))
}

const TEXT: Rule = Rule::Str(&Text::ANY);
static WORD: [Arg; 3] = [
    Arg::new("m", TEXT),
    Arg::new("n", Rule::Int { min: 0, max: 1000 }).optional(),
    Arg::new("key", TEXT).optional(),
];

/// The arguments of every tool.
struct Given<'e> {
    m: &'e str,
    n: u32,
    key: &'e str,
}

impl<'e> Given<'e> {
    fn read(args: Args<'e>, io: &mut Io<'e>) -> Result<Self, Outcome> {
        let mut spans = [Span::ABSENT; 3];
        let v: Values<'e> = args.decode(&WORD, &mut spans, io)?;
        let m = v.get(&spans, 0, &WORD, io)?;
        let n = v.get::<Option<u32>>(&spans, 1, &WORD, io)?.unwrap_or(0);
        let key = v.get::<Option<&str>>(&spans, 2, &WORD, io)?.unwrap_or("a");
        Ok(Self { m, n, key })
    }
}

/// One letter for how a question ended.
fn letter(answer: &Answer<'_>) -> &'static str {
    match answer.action() {
        Action::Accepted => "A",
        Action::Declined => "D",
        Action::Cancelled => "C",
        Action::Failed => "F",
        Action::Late => "L",
        Action::Invalid => "I",
    }
}

const FIELDS: &[Field<'_>] = &[Field::text("v")];

const MODEL: Ask<'_> = Ask::sample(&[Message::user(&[Content::Text("?")])], 9);

/// Asks the user for a word; where there are no forms, the model.
fn word<'e>(io: &mut Io<'e>, key: &str, m: &str) -> Option<Answer<'e>> {
    let (form, content) = (Ask::form(m, FIELDS), [Content::Text(m)]);
    let message = [Message::user(&content)];
    let model = Ask::sample(&message, 9);
    let ask = if !io.can_ask(&form) && io.can_ask(&model) { &model } else { &form };
    io.ask(key, ask)
}

/// The text of every answer: the word, and how each question ended.
fn say(io: &mut Io<'_>, m: &str, answers: &[Answer<'_>]) -> Outcome {
    io.text_with(|w| {
        w.text(m);
        for answer in answers {
            w.text("|");
            w.text(letter(answer));
            w.text(answer.get("v").unwrap_or(answer.text()));
        }
    });
    Outcome::Done
}

fn one(io: &mut Io<'_>, key: &str, m: &str) -> Outcome {
    match word(io, key, m) {
        Some(answer) => say(io, m, &[answer]),
        None => Outcome::NeedInput,
    }
}

fn many(io: &mut Io<'_>, m: &str) -> Outcome {
    let asked = [word(io, "form", m), io.ask("model", &MODEL), io.ask("roots", &Ask::Roots)];
    match asked {
        [Some(form), Some(model), Some(roots)] => say(io, m, &[form, model, roots]),
        _ => Outcome::NeedInput,
    }
}

fn twice(io: &mut Io<'_>, m: &str) -> Outcome {
    let Some(first) = word(io, "first", m) else { return Outcome::NeedInput };
    let Some(second) = word(io, "second", m) else { return Outcome::NeedInput };
    say(io, m, &[first, second])
}

fn stream(io: &mut Io<'_>, pieces: u32) -> Outcome {
    io.text_chunks(|n, w| {
        w.text(PIECE);
        n + 1 < pieces
    });
    Outcome::Done
}

fn talk(io: &mut Io<'_>, m: &str) -> Outcome {
    // Refused without a token, inside a batch, and where there is no room: nothing of it may change the answer.
    let _ = io.progress(1, Some(2), m);
    let _ = io.log(Level::Error, m);
    let _ = io.progress(2, Some(2), decimal_text(7, &mut [0; 20]));
    say(io, m, &[])
}

type Run = for<'e> fn(&mut Desk, &mut Io<'e>, Given<'e>) -> Outcome;

macro_rules! tools {
    ($($name:literal: $run:expr;)*) => {
        /// The names of the tools.
        pub const NAMES: &[&str] = &[$($name),*];
        static TOOLS: &[Tool<Desk>] = &[$(Tool {
            def: ToolDef::new($name).args(&WORD),
            run: |desk, args, io| {
                desk.runs += 1;
                let run: Run = $run;
                match Given::read(args, io) {
                    Ok(given) => run(desk, io, given),
                    Err(answered) => answered,
                }
            },
        },)*];
    };
}

tools! {
    "plain": |_, io, g| say(io, g.m, &[]);
    "talk": |_, io, g| talk(io, g.m);
    "fail": |_, _, _| Outcome::Fail("no");
    "refuse": |_, io, g| {
        io.protocol_error(-32000, |w| w.text(g.m));
        Outcome::Done
    };
    "silent": |_, _, _| Outcome::Deferred;
    "stream": |_, io, g| stream(io, g.n);
    "hold": |desk, io, _| desk.hold(io, None);
    "hold_until": |desk, io, _| {
        let deadline = io.now().after(HOLD_MS);
        desk.hold(io, Some(deadline))
    };
    "ask_one": |_, io, g| one(io, g.key, g.m);
    "ask_many": |_, io, g| many(io, g.m);
    "ask_twice": |_, io, g| twice(io, g.m);
    "ask_hold": |desk, io, g| match word(io, "a", g.m) {
        Some(_) => desk.hold(io, None),
        None => Outcome::NeedInput,
    };
    "ask_stream": |_, io, g| match word(io, "a", g.m) {
        Some(_) => stream(io, g.n),
        None => Outcome::NeedInput,
    };
    "ask_and_hold": |desk, io, g| {
        let _ = word(io, "a", g.m);
        desk.hold(io, None)
    };
    "ask_and_say": |_, io, g| {
        let _ = word(io, "a", g.m);
        say(io, g.m, &[])
    };
    "ask_and_stream": |_, io, g| {
        let _ = word(io, "a", g.m);
        stream(io, g.n)
    };
    "ask_and_fail": |_, io, g| {
        let _ = word(io, "a", g.m);
        Outcome::Fail("no")
    };
    "ask_and_leave": |_, io, g| {
        let _ = word(io, "a", g.m);
        Outcome::Deferred
    };
    "wait_for_nothing": |_, _, _| Outcome::NeedInput;
}

static RESOURCES: &[Resource<Desk>] = &[Resource {
    def: ResourceDef::new("soak:///r", "r"),
    source: Source::Read(|desk, _, io| {
        desk.runs += 1;
        let uri = io.uri();
        one(io, "a", uri)
    }),
}];

static TEMPLATES: &[Template<Desk>] = &[Template {
    def: ResourceDef::new("soak:///t/{m}", "t"),
    read: |desk, args, io| {
        desk.runs += 1;
        match args.variables(io) {
            Ok(vars) => one(io, "a", vars.get("m").unwrap_or("?")),
            Err(answered) => answered,
        }
    },
    complete: None,
}];

static PROMPTS: &[Prompt<Desk>] = &[Prompt {
    def: PromptDef::new("p").args(&WORD),
    get: |desk, args, io| {
        desk.runs += 1;
        match Given::read(args, io) {
            Ok(given) => one(io, "a", given.m),
            Err(answered) => answered,
        }
    },
    complete: None,
}];

/// All of it.
pub static SOAK: Catalog<Desk> = Catalog::new("soak", "1")
    .tools(TOOLS)
    .resources(RESOURCES)
    .templates(TEMPLATES)
    .prompts(PROMPTS)
    .features(Features::LOGGING.and(Features::TOOLS_CHANGE));

//! Everything that a client can be asked, and answers made piece by piece.

use crate::state::State;
use midge::dispatch::Args;
use midge::json::write::decimal_text;
use midge::proto::input::{
    Answer, Ask, Choice, Content, Field, Format, Include, Message, Preferences, Sample, ToolChoice,
};
use midge::session::seal::{Pieces, Sealer, TAG_BYTES};
use midge::{Config, Io, Outcome};

const TITLED: &[Choice<'_>] = &[Choice::titled("a", "A"), Choice::titled("b", "B")];
const PLAIN: &[Choice<'_>] = &[Choice::new("x"), Choice::new("y")];
const FORM: Ask<'_> = Ask::form(
    "Everything?",
    &[
        Field::text("text").title("Text").about("Any").min(1).max(9).default_text("t"),
        Field::text("mail").format(Format::Email).optional(),
        Field::integer("count").min(-5).max(5).default_integer(1),
        Field::number("ratio").between("0.5", "1e3").default_number("0.75").optional(),
        Field::boolean("yes").default_bool(true),
        Field::one_of("one", TITLED).default_text("a").optional(),
        Field::one_of("old", TITLED).legacy().optional(),
        Field::many_of("many", PLAIN).min(0).max(2).default_choices(&["x"]).optional(),
    ],
);
const URL: Ask<'_> = Ask::url("Open this", "https://example.com/", "page-1");
const MODEL: Ask<'_> = Ask::Sample(Sample {
    system: "Be brief.",
    preferences: Preferences { hints: &["m"], cost: "0.1", speed: "1", intelligence: "0.5" },
    include: Some(Include::Nothing),
    temperature: "0.2",
    stop: &["."],
    metadata: "{}",
    tools: r#"[{"name":"t","inputSchema":{"type":"object"}}]"#,
    tool_choice: Some(ToolChoice::Auto),
    ..Sample::new(
        &[
            Message::user(&[
                Content::Text("Look"),
                Content::Image { data: b"png", mime: "image/png" },
                Content::Audio { data: b"wav", mime: "audio/wav" },
            ]),
            Message::assistant(&[Content::ToolUse { id: "1", name: "t", input: b"{}" }]),
            Message::user(&[Content::tool_result("1", "done"), Content::tool_error("2", "not done")]),
        ],
        64,
    )
});

pub fn all<'e>(_: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    let asks = [("form", FORM), ("url", URL), ("model", MODEL), ("roots", Ask::Roots)];
    let mut open = false;
    for (key, ask) in &asks {
        if io.can_ask(ask) {
            match io.ask(key, ask) {
                Some(answer) => say(&answer, io),
                None => open = true,
            }
        }
    }
    if open { Outcome::NeedInput } else { Outcome::Done }
}

fn say(answer: &Answer<'_>, io: &mut Io<'_>) {
    let count = answer.roots().count() + answer.tool_uses().count();
    io.text_with(|w| {
        answer.explain(&mut |piece| w.text(piece));
        for piece in [
            answer.get("text").unwrap_or(""),
            answer.text(),
            answer.model(),
            answer.stop_reason(),
            answer.role().map_or("", |role| role.name()),
            decimal_text(count as u64, &mut [0; 20]),
        ] {
            w.text(piece);
            w.text(" ");
        }
        w.text_value(|w| w.value(answer.content()));
    });
}

pub fn pieces<'e>(_: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    io.text_chunks(|n, w| {
        w.text("piece ");
        n < 400
    });
    io.blob_chunks(|n, put| {
        put(&n.to_le_bytes());
        n < 600
    });
    Outcome::Done
}

pub fn items<'e>(_: &mut State, _: Args<'e>, io: &mut Io<'e>) -> Outcome {
    io.structured_items("items", |n, w| {
        if n < 300 {
            w.u64(n.into());
        }
        n < 300
    });
    Outcome::Done
}

/// A tag that proves nothing: what is linked here is what goes around it.
pub struct Sum;

impl Sealer for Sum {
    fn tag(&self, message: &Pieces<'_>) -> [u8; TAG_BYTES] {
        let mut sum: u64 = 0xCBF2_9CE4_8422_2325;
        message(&mut |piece| {
            for byte in piece {
                sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
            }
        });
        let [a, b, c, d, e, f, g, h] = sum.to_le_bytes();
        let mut tag = [0; TAG_BYTES];
        for (place, byte) in tag.iter_mut().zip([a, b, c, d, e, f, g, h].into_iter().cycle()) {
            *place = byte;
        }
        tag
    }
}

/// Ids that anyone could guess.
pub fn id(id: &mut [u8; 16]) {
    *id = *b"0123456789abcdef";
}

/// States never expire, so that they are the same in every run.
pub fn config() -> Config {
    Config { ask_ms: u64::MAX, ..Config::default() }
}

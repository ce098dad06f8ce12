//! What the tests of asking ask for.

use midge::json::Writer;
use midge::proto::input::{Ask, Choice, Content, Field, Format, Message};
use midge::sink::{Buf, Fill, Sink};

pub fn written(write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut memory = vec![0; 1 << 16];
    let mut fill = Fill::default();
    write(&mut Writer::new(Sink::new(Buf::from(&mut memory[..]), &mut fill, None)));
    memory.truncate(fill.len);
    String::from_utf8(memory).expect("UTF-8")
}

pub const COLOURS: &[Choice<'_>] = &[Choice::new("red"), Choice::new("dark green")];
pub const SIZES: &[Choice<'_>] = &[Choice::titled("s", "Small"), Choice::new("xl")];

pub const EVERY: &[Field<'_>] = &[
    Field::text("name").title("Name").about("who you are").min(2).max(5),
    Field::text("mail").format(Format::Email).default_text("a@example.com").optional(),
    Field::integer("age").min(0).max(150).default_integer(7),
    Field::number("ratio").between("-0.5", "1e2").default_number("0.25").optional(),
    Field::boolean("sure").default_bool(false).optional(),
    Field::one_of("colour", COLOURS).default_text("red").optional(),
    Field::one_of("size", SIZES).optional(),
    Field::many_of("sizes", SIZES).min(1).max(2).default_choices(&["xl"]).optional(),
];
/// In `const`, as users write it.
pub const FORM: Ask<'_> = Ask::form("Who?", EVERY);
pub const URL: Ask<'_> = Ask::url("Sign in", "https://example.com/x", "e-1");
pub const HELLO: &[Message<'_>] = &[Message::user(&[Content::Text("Hello \"you\"")])];

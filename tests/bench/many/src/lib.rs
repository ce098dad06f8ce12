//! Catalogs of any number of tools, made at start-up as a host makes its own; the last tool is always the same `echo`.

use midge::dispatch::args::{Arg, Rule, Text};
use midge::dispatch::render::{self, Pieces};
use midge::dispatch::table::{Place, tool_order};
use midge::dispatch::{Tool, ToolDef};
use midge::json::Writer;
use midge::sink::{Buf, Fill, Sink};
use midge::{Catalog, Outcome};

/// The numbers of tools there are catalogs of.
pub const COUNTS: [usize; 3] = [1, 100, 1000];

/// More than the list entry of one tool takes.
const ENTRY_BYTES: usize = 1024;

static ARGS: [Arg; 3] = [
    Arg::new("number", Rule::Int { min: 0, max: 4_294_967_295 }).about("How many there are of it"),
    Arg::new("text", Rule::Str(&Text::ANY)).about("What to say about it"),
    Arg::new("flag", Rule::Bool).about("Whether to say it aloud").optional(),
];

/// Says back what it is told.
#[midge::tool]
fn echo(
    /** What to say */
    text: &str,
) -> &str {
    text
}

/// The catalog of so many tools, one of [`COUNTS`].
pub fn catalog(count: usize) -> Option<Catalog<()>> {
    match count {
        1 => Some(of::<1>()),
        100 => Some(of::<100>()),
        1000 => Some(of::<1000>()),
        _ => None,
    }
}

fn of<const N: usize>() -> Catalog<()> {
    let row = |number| if number + 1 == N { echo::tool() } else { numbered(number) };
    let tools: &'static [Tool<()>; N] = Box::leak(Box::new(std::array::from_fn(row)));
    let order: &'static [Place; N] = Box::leak(Box::new(tool_order(tools)));
    Catalog::new("many", "1").tools(tools).tool_order(order)
}

fn numbered(number: usize) -> Tool<()> {
    let name: &'static str = format!("tool_number_{number:04}").leak();
    let about = format!("Does what tool number {number} of a thousand does");
    let mut text = vec![0; ENTRY_BYTES];
    let mut fill = Fill::default();
    let mut w = Writer::new(Sink::new(Buf::from(&mut text[..]), &mut fill, None));
    w.member("name", name);
    w.member("description", &about);
    w.key("inputSchema");
    render::write(&mut w, Pieces::object(&ARGS));
    text.truncate(fill.len);
    let entry: &'static [u8] = text.leak();
    Tool {
        def: ToolDef::new(name).args(&ARGS).entry(render::text(entry)),
        run: |_, _, io| {
            io.text("done");
            Outcome::Done
        },
    }
}

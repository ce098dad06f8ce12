//! A server of a thousand tools, for measuring lists: the rows are made at start-up, as a host makes its own.

use midge::dispatch::args::{Arg, Rule, Text};
use midge::dispatch::render::{self, Pieces};
use midge::dispatch::table::tool_order;
use midge::dispatch::{Tool, ToolDef};
use midge::json::Writer;
use midge::sink::{Buf, Fill, Sink};
use midge::{Catalog, Outcome};

static ARGS: [Arg; 3] = [
    Arg::new("number", Rule::Int { min: 0, max: 4_294_967_295 }).about("How many there are of it"),
    Arg::new("text", Rule::Str(&Text::ANY)).about("What to say about it"),
    Arg::new("flag", Rule::Bool).about("Whether to say it aloud").optional(),
];

fn main() -> Result<(), midge::Error> {
    let tools: &'static [Tool<()>; 1000] = Box::leak(Box::new(std::array::from_fn(tool)));
    let order: &'static _ = Box::leak(Box::new(tool_order(tools)));
    let catalog = Catalog::new("midge-list1000", "1").tools(tools).tool_order(order);
    midge_examples::stdio::serve(&catalog, &mut ())
}

fn tool(number: usize) -> Tool<()> {
    let name: &'static str = format!("tool_number_{number:04}").leak();
    let about = format!("Does what tool number {number} of a thousand does");
    let mut text = vec![0; 1024];
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

//! A server whose handlers do what they should not.

use midge::dispatch::{Prompt, PromptDef, Resource, ResourceDef, Source, Template, Tool, ToolDef};
use midge::{Catalog, Error, Features, Kind, Level, Millis, Outcome, Ticket};

/// What the handlers remember.
#[derive(Default)]
pub struct Desk {
    pub tickets: Vec<Ticket>,
    pub errors: Vec<Kind>,
}

impl Desk {
    fn note(&mut self, result: Result<bool, Error>) {
        self.errors.extend(result.err().map(|e| e.kind));
    }
}

macro_rules! rows {
    ($kind:ident $def:ident $run:ident; $($name:literal => $handler:expr;)*) => {
        &[$($kind { def: $def::new($name), $run: $handler },)*]
    };
}

const LONG: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static TOOLS: &[Tool<Desk>] = rows! { Tool ToolDef run;
    "plain" => |_, _, io| {
        io.text("plain");
        Outcome::Done
    };
    "hold" => |desk, _, io| {
        desk.tickets.push(io.defer());
        Outcome::Deferred
    };
    "hold_a_while" => |desk, _, io| {
        let deadline = io.now().after(100);
        desk.tickets.push(io.defer_until(deadline));
        Outcome::Deferred
    };
    "write_then_defer" => |desk, _, io| {
        io.text("lost");
        desk.tickets.push(io.defer());
        Outcome::Deferred
    };
    "defer_then_write" => |desk, _, io| {
        io.text("lost");
        desk.tickets.push(io.defer());
        io.text("kept");
        Outcome::Done
    };
    "defer_then_write_much" => |desk, _, io| {
        desk.tickets.push(io.defer());
        for _ in 0..100 {
            io.text(LONG);
        }
        Outcome::Done
    };
    "write_then_deferred_without_ticket" => |_, _, io| {
        io.text("lost");
        Outcome::Deferred
    };
    "write_then_fail" => |_, _, io| {
        io.text("lost");
        Outcome::Fail("failed")
    };
    "flush_then_fail" => |_, _, io| {
        for _ in 0..20 {
            io.text(LONG);
        }
        Outcome::Fail("failed")
    };
    "flush_then_defer" => |desk, _, io| {
        for _ in 0..20 {
            io.text(LONG);
        }
        desk.tickets.push(io.defer());
        Outcome::Deferred
    };
    "flush_then_refuse" => |_, _, io| {
        for _ in 0..20 {
            io.text(LONG);
        }
        io.protocol_error(-32602, |w| w.text("refused"));
        io.not_found()
    };
    "fail_twice" => |_, _, io| {
        let _ = io.fail("first");
        io.fail("second")
    };
    "refuse_then_write" => |_, _, io| {
        io.protocol_error(-32602, |w| w.text("refused"));
        io.text("too late");
        io.structured_with(|w| w.raw(b"{}"));
        io.fail("too late")
    };
    "refuse_twice" => |_, _, io| {
        io.protocol_error(-32602, |w| w.text("refused"));
        io.protocol_error(-32000, |w| w.text("again"));
        io.not_found()
    };
    "finish_twice" => |_, _, io| {
        io.text("once");
        io.finish(Outcome::Done);
        io.finish(Outcome::Fail("twice"));
        io.text("more");
        io.fail("and more")
    };
    "finish_then_defer" => |desk, _, io| {
        io.text("once");
        io.finish(Outcome::Done);
        desk.tickets.push(io.defer());
        Outcome::Deferred
    };
    "finish_then_talk" => |desk, _, io| {
        io.finish(Outcome::Done);
        let talk = io.progress(7, None, "");
        desk.note(talk);
        let talk = io.log(Level::Error, "late");
        desk.note(talk);
        Outcome::Done
    };
    "silent" => |_, _, _| Outcome::Deferred;
    "talk_after_content" => |desk, _, io| {
        io.text("content");
        let talk = io.progress(1, Some(2), "late");
        desk.note(talk);
        let talk = io.log(Level::Error, "late");
        desk.note(talk);
        Outcome::Done
    };
    "much" => |_, _, io| {
        for _ in 0..1000 {
            io.text(LONG);
        }
        Outcome::Done
    };
    "structured_twice" => |_, _, io| {
        io.structured_with(|w| w.raw(b"{\"n\":1}"));
        io.structured_with(|w| w.raw(b"{\"n\":2}"));
        io.text("after it");
        Outcome::Done
    };
    "structured_then_fail" => |_, _, io| {
        io.structured_with(|w| w.raw(b"{\"n\":1}"));
        io.fail("failed")
    };
    "change" => |_, _, io| {
        io.tools_changed();
        io.prompts_changed();
        io.resources_changed();
        let heard = io.resource_updated("note:///a");
        io.text(if heard { "heard" } else { "not heard" });
        Outcome::Done
    };
};

static RESOURCES: &[Resource<Desk>] = &[
    Resource { def: ResourceDef::new("note:///a", "a"), source: Source::Text("A") },
    Resource { def: ResourceDef::new("note:///b", "b"), source: Source::Text("B") },
    Resource {
        def: ResourceDef::new("note:///several", "several").mime("text/plain"),
        source: Source::Read(|_, _, io| {
            io.text("one");
            io.embed_text("note:///second", "text/plain", "two");
            io.blob(b"three");
            Outcome::Done
        }),
    },
    Resource {
        def: ResourceDef::new("note:///breaks", "breaks"),
        source: Source::Read(|_, _, io| {
            for _ in 0..20 {
                io.text(LONG);
            }
            io.not_found()
        }),
    },
    Resource {
        def: ResourceDef::new("note:///late", "late").mime("text/plain"),
        source: Source::Read(|desk, _, io| {
            desk.tickets.push(io.defer());
            Outcome::Deferred
        }),
    },
];

static TEMPLATES: &[Template<Desk>] = &[Template {
    def: ResourceDef::new("page:///{name}", "page"),
    read: |_, args, io| match args.variables(io) {
        Ok(vars) => {
            io.text(vars.get("name").unwrap_or("?"));
            Outcome::Done
        }
        Err(answered) => answered,
    },
    complete: Some(|_, _, io| {
        for n in 0..150 {
            io.text(&format!("page{n}"));
        }
        Outcome::Done
    }),
}];

static PROMPTS: &[Prompt<Desk>] = &[Prompt {
    def: PromptDef::new("ask"),
    get: |desk, _, io| {
        desk.tickets.push(io.defer_until(Millis(u64::MAX)));
        Outcome::Deferred
    },
    complete: None,
}];

/// All of it.
pub static BENCH: Catalog<Desk> = Catalog::new("bench", "1")
    .tools(TOOLS)
    .resources(RESOURCES)
    .templates(TEMPLATES)
    .prompts(PROMPTS)
    .features(
        Features::LOGGING
            .and(Features::TOOLS_CHANGE)
            .and(Features::PROMPTS_CHANGE)
            .and(Features::RESOURCES_CHANGE)
            .and(Features::SUBSCRIBE),
    );

//! From an event to the row that serves it.

use super::io::{Args, Io, Outcome};
use super::table::{Catalog, Source};
use crate::json::text::content;
use crate::session::server::Parts;
use crate::session::slots::Shape;
use crate::sink::Flush;

impl<C> Catalog<C> {
    /// Runs the handler of `call` with `state`. With `flush`, the answer may be larger than the transmit buffer.
    pub fn run<'e>(&self, call: Parts<'e>, state: &mut C, flush: Option<&'e mut dyn Flush>) {
        let Parts { args: text, escapes, template, scratch, reply } = call;
        let (shape, index) = (reply.shape(), reply.index());
        let (uri, text): (&'e str, &'e mut [u8]) = match shape {
            Shape::Resource | Shape::Template => {
                let text: &'e [u8] = text;
                (content(text).unwrap_or(""), &mut [])
            }
            _ => ("", text),
        };
        let mut io = Io::new(reply, uri);
        if let Some(flush) = flush {
            io.set_flush(flush);
        }
        let args = Args::new(text, escapes, uri, template, scratch);
        let outcome = self.dispatch(shape, index, state, args, &mut io);
        io.finish(outcome);
    }

    fn dispatch<'e>(
        &self,
        shape: Shape,
        index: usize,
        state: &mut C,
        args: Args<'e>,
        io: &mut Io<'e>,
    ) -> Outcome {
        let run = match shape {
            Shape::Tool => self.tools.get(index).map(|t| t.run),
            Shape::Prompt => self.prompts.get(index).map(|p| p.get),
            Shape::Template => self.templates.get(index).map(|t| t.read),
            Shape::PromptCompletion => self.prompts.get(index).and_then(|p| p.complete),
            Shape::TemplateCompletion => self.templates.get(index).and_then(|t| t.complete),
            Shape::Resource => match self.resources.get(index).map(|r| &r.source) {
                Some(Source::Text(text)) => {
                    io.text(text);
                    None
                }
                Some(Source::Blob(bytes)) => {
                    io.blob(bytes);
                    None
                }
                Some(Source::Read(run)) => Some(*run),
                None => None,
            },
        };
        match run {
            Some(run) => run(state, args, io),
            // A text, a blob, or a completion that has no values: the answer is whole.
            None => Outcome::Done,
        }
    }
}

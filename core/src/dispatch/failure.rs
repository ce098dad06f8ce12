//! How a call fails: as a result that the model sees, as a protocol error, and as a refusal of what was sent.

use super::args::{Arg, Refusal, Rule, describe};
use super::io::{Io, Outcome, Stage};
use super::values::subject;
use crate::error::Kind;
use crate::json::Writer;
use crate::json::de::DeError;
use crate::proto::client::Can;
use crate::proto::revision::Feature;
use crate::rpc::code;
use crate::session::slots::Shape;

impl Io<'_> {
    /// What the client of this call can be asked for.
    pub fn can(&self) -> Can {
        self.reply.can()
    }

    /// Goes on only if the client can be asked for all of `needed`.
    ///
    /// # Errors
    /// The call is answered already, with what is missing (2026-07-28: -32021); return the outcome.
    pub fn require(&mut self, needed: Can) -> Result<(), Outcome> {
        if self.can().has(needed) {
            return Ok(());
        }
        let words = "this needs something that the client did not declare";
        if !self.revision().has(Feature::PerRequest) {
            return Err(self.fail(words));
        }
        self.error(
            code::MISSING_CAPABILITY,
            |w| w.text("Missing client capability: this needs something that the client did not declare"),
            |w| needed.write_required(w),
        );
        Err(Outcome::Done)
    }

    /// Answers with a failure: of a tool one that the model sees, else a protocol error.
    pub fn fail(&mut self, why: &str) -> Outcome {
        self.fail_with(|w| w.text(why))
    }

    /// [`fail`](Self::fail), with a text that `why` writes piece by piece with [`Writer::text`].
    pub fn fail_with(&mut self, why: impl FnOnce(&mut Writer<'_>)) -> Outcome {
        if self.reply.shape() != Shape::Tool {
            self.protocol_error(code::INTERNAL_ERROR, why);
            return Outcome::Done;
        }
        self.reply.take_back();
        self.start_anew();
        self.is_error = true;
        self.text_with(why);
        Outcome::Done
    }

    /// Answers that the resource asked for does not exist; of a tool or a prompt, that something was not found.
    pub fn not_found(&mut self) -> Outcome {
        if !matches!(self.reply.shape(), Shape::Resource | Shape::Template) {
            return self.fail("not found");
        }
        let uri = self.uri;
        let code = self.revision().not_found();
        self.error(
            code,
            |w| w.text("Resource not found"),
            |w| {
                w.put(b",\"data\":{");
                w.set_comma(false);
                w.member("uri", uri);
                w.put(b"}");
            },
        );
        Outcome::Done
    }

    /// Answers with a JSON-RPC error.
    pub fn protocol_error(&mut self, code: i32, message: impl FnOnce(&mut Writer<'_>)) {
        self.error(code, message, |_| {});
    }

    /// Answers with an error; when the result is partly out, that is ended in its place.
    pub(super) fn error(
        &mut self,
        code: i32,
        message: impl FnOnce(&mut Writer<'_>),
        data: impl FnOnce(&mut Writer<'_>),
    ) {
        if self.reply.flushed() {
            return self.break_off();
        }
        self.reply.fail(code, message, data);
        self.stage = Stage::Answered;
    }

    /// Ends a result that is partly out and cannot become what it should.
    pub(super) fn break_off(&mut self) {
        self.is_error = true;
        self.end();
    }

    pub(super) fn no_scratch(&mut self, needed: usize) -> Outcome {
        let mut digits = [0; 20];
        let needed = crate::json::write::decimal_text(needed as u64, &mut digits);
        self.protocol_error(code::INTERNAL_ERROR, |w| {
            w.text("The variables of this URI need ");
            w.text(needed);
            w.text(" bytes to be decoded (limit: scratch)");
        });
        Outcome::Done
    }

    /// Refuses the arguments: from 2025-11-25 on as a tool error that the model sees and can mend, before as -32602.
    pub(super) fn refuse(&mut self, args: &[Arg], text: &[u8], refusal: Refusal) -> Outcome {
        self.refusal(|put| {
            subject(&refusal, args, text, put);
            let Some(arg) = refusal.arg.and_then(|row| args.get(row)) else {
                if refusal.error.kind != Kind::Unknown {
                    put(refusal.error.kind.phrase());
                }
                return;
            };
            match refusal.error.kind {
                kind @ Kind::Duplicate => put(kind.phrase()),
                kind => {
                    if kind == Kind::Missing {
                        put("is missing: it ");
                    }
                    put("must be ");
                    describe(&arg.rule, put);
                    // Bounds of floats are kept as schema text: writing a float would bring the float writer along.
                    if matches!(arg.rule, Rule::Float { .. }) && !arg.extra.is_empty() {
                        put(" with ");
                        put(arg.extra);
                    }
                }
            }
        })
    }

    pub(super) fn refuse_value(
        &mut self,
        args: &[Arg],
        row: usize,
        value: &[u8],
        error: &DeError,
    ) -> Outcome {
        self.refusal(|put| {
            put("argument \"");
            put(args.get(row).map_or("", |a| a.name));
            put("\" ");
            let mut first = true;
            error.write_path(value, &mut |piece| {
                if core::mem::take(&mut first) {
                    put("at ");
                }
                put(piece);
            });
            put(if first { "" } else { " " });
            put(error.kind().phrase());
        })
    }

    fn refusal(&mut self, words: impl FnOnce(&mut dyn FnMut(&str))) -> Outcome {
        let to_model = self.reply.shape() == Shape::Tool && self.revision().has(Feature::ArgumentToolError);
        if to_model {
            return self.fail_with(|w| words(&mut |piece| w.text(piece)));
        }
        self.protocol_error(code::INVALID_PARAMS, |w| {
            w.text("Invalid params: ");
            words(&mut |piece| w.text(piece));
        });
        Outcome::Done
    }
}

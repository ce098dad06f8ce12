//! Matching a URI against an advertised URI template (RFC 6570): the server's half of expansion.
//!
//! [`match_uri`] says whether a template expands to a URI with some values, and gives those values as spans of
//! the URI, still percent-encoded; [`decode`] makes text of one. Every template that [`check`] accepts is
//! matched completely: no reading of the URI is overlooked, and the rules below choose one. Time is linear in
//! the URI, whatever it holds; nothing recurses and nothing is tried twice.
//!
//! # What values may hold
//! - `{x}`, `{.x}`, `{/x}`, `{;x}`, `{?x}`, `{&x}`: unreserved characters, percent-encoding, and `! $ ' ( ) * +`,
//!   which many clients leave as they are and which separate nothing. Never a raw `/ ? # : @ [ ] ; & =`.
//!   A `%` without two hexadecimal digits is no match.
//! - `{+x}`, `{#x}`: the reserved characters too.
//! - A raw `,` where it is no separator (not in `{a,b}`) can only come from a list: the value is the raw list, and
//!   [`Var::list`] is set. [`Var::items`] splits it.
//! - `{x*}`: the raw list with the operator's own separator, `name=value` pairs included; always [`Var::list`].
//!   Whether it was a list or an associative array is for the handler to know.
//! - `{x:3}`: at most three characters, of which `%C3%A9` is one; a longer value is no match.
//!   [`Var::prefix`] is set: the rest of the value is not in the URI.
//! - A variable used twice has one value, or its prefix where the template says so; else it is no match.
//!   This and the length of prefixes are looked at last, in the reading that was chosen.
//!
//! Text of the template matches itself, non-ASCII characters their percent-encoding; `%2f` is `%2F`.
//!
//! # Which variables are there
//! A variable of `{?a,b}`, `{;a,b}` or `{&a,b}` may be absent, in any combination; the order is the template's.
//! An empty value is `;a` and `?a=`; `;a=` and `?a` are no expansions and no match. `{/a,b}`, `{.a,b}`, `{#a,b}` and `{a,b}` hold no names: values go to the
//! variables from the left, and those at the end may be absent. `{x}` and `{+x}` are always there, maybe empty.
//!
//! # What is decided by rule
//! Values come back exactly when no value holds the text that follows its variable. Where several readings
//! exist, for example `{a}-{b}` for `x-y-z` or `{+path}/{name}`, the last variable takes as much as it can, then the one before
//! it, and so on: `a` is `x`, and `path` ends at the last `/` because `name` cannot hold one. A variable that can
//! be there is. Only the pairs of `{?x*}`, `{;x*}` and `{&x*}` begin as late as they can: in `{?a,x*}` a pair `a=1`
//! is `a`. Out of the question, and refused by [`check`], is only an expression without a character of its
//! own right behind another, as in `{a}{b}` or `{/a}{+b}`.
//!
//! Not to be told from a URI at all: absent from empty in `{x}`; which of several unnamed variables was absent;
//! a list in `{a,b}`; a list of one from a string; in `{+x}` a percent-encoding that was already in the value.

use crate::bytes::part;

mod decode;
mod matcher;
mod parse;

pub use decode::{DecodeError, decode, is_plain};
pub use parse::{TemplateError, TemplateFault};

/// The most variables a template may have.
pub const VARS_MAX: usize = 8;

/// The most bytes a template may have: each is one bit of the matcher's state.
pub const TEMPLATE_MAX: usize = 255;

/// Says whether `template` is a URI template that can be matched; usable in a constant, so that a bad one does
/// not compile.
///
/// ```
/// # use midge::proto::template::check;
/// const NOTE: &str = "note:///{name}{?rev}";
/// const _: () = assert!(check(NOTE).is_ok());
/// ```
///
/// # Errors
/// The first fault and the byte it is at.
pub const fn check(template: &str) -> Result<(), TemplateError> {
    let mut parser = parse::Parser::new(template);
    loop {
        match parser.next() {
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            Err(e) => return Err(e),
        }
    }
}

/// Matches the whole of `uri` against `template` and writes the values into `vars`; says whether it matches.
///
/// `vars` is cleared first, and empty when it does not match. A template that [`check`] refuses matches nothing.
///
/// # Memory
/// About 500 bytes of stack on a 32-bit target, whatever the URI.
pub fn match_uri(template: &str, uri: &[u8], vars: &mut Vars) -> bool {
    vars.clear();
    let hit = matcher::Machine::new(template, uri).is_some_and(|machine| machine.read(vars));
    if !hit {
        vars.clear();
    }
    hit
}

/// One variable that the URI has a value for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Var {
    /// The name: from and to in the template.
    pub name: (u16, u16),
    /// The value, percent-encoded: from and to in the URI.
    pub value: (u32, u32),
    /// Whether the value is a list as it stands in the URI, to be split by [`Var::items`] before decoding.
    pub list: bool,
    /// What separates the items if it is a list.
    pub separator: u8,
    /// Whether the template asks only for the first characters, as in `{x:3}`.
    pub prefix: bool,
}

impl Var {
    /// The name; `template` is the one that was matched.
    pub fn name<'t>(&self, template: &'t [u8]) -> &'t [u8] {
        part(template, usize::from(self.name.0), usize::from(self.name.1))
    }

    /// The value, percent-encoded; `uri` is the one that was matched.
    pub fn raw<'u>(&self, uri: &'u [u8]) -> &'u [u8] {
        part(uri, self.value.0 as usize, self.value.1 as usize)
    }

    /// The items of a list, percent-encoded; a value that is no list is one item.
    ///
    /// Of an exploded variable with names (`{?x*}`) the items are pairs, `x=1`.
    pub fn items<'u>(&self, uri: &'u [u8]) -> impl Iterator<Item = &'u [u8]> {
        let (list, separator) = (self.list, self.separator);
        self.raw(uri).split(move |c| list && *c == separator)
    }
}

/// The variables of a template that a URI has values for, in the template's order.
///
/// # Memory
/// 24 bytes for each of [`VARS_MAX`] places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vars {
    places: [Option<Var>; VARS_MAX],
}

impl Vars {
    /// No variables.
    pub const fn new() -> Self {
        Self { places: [None; VARS_MAX] }
    }

    /// Forgets all variables.
    pub fn clear(&mut self) {
        *self = Self::new();
    }

    /// The variable called `name`; `template` is the one that was matched.
    ///
    /// If the template has it twice, the place with the whole value is preferred to a prefix.
    pub fn get(&self, template: &str, name: &str) -> Option<&Var> {
        let called = |var: &&Var| var.name(template.as_bytes()) == name.as_bytes();
        self.iter().filter(called).find(|var| !var.prefix).or_else(|| self.iter().find(called))
    }

    /// The variables that are there.
    pub fn iter(&self) -> impl Iterator<Item = &Var> {
        self.places.iter().flatten()
    }

    /// How many are there.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether none is there.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn set(&mut self, j: usize, var: Var) {
        if let Some(place) = self.places.get_mut(j) {
            *place = Some(var);
        }
    }

    fn at(&self, j: usize) -> Option<&Var> {
        self.places.get(j).and_then(Option::as_ref)
    }
}

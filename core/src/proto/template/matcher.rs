//! The matcher: every way to read the URI at once, then the one the rules choose, from its end.
//!
//! [`Machine::run`] moves a set of states over a piece of the URI from its start. A state is a place in the
//! template: a byte of its text, the point before a variable, the inside of a value. The set says in one pass
//! whether any reading exists, and for each value still open where it began in the reading the rules choose. That gives the
//! last value; the same question about the URI up to there gives the one before it, and so on. So there are at
//! most `2 * VARS_MAX + 1` passes, each linear, and nothing is ever tried and taken back.

use crate::bytes::{at, part};

use super::parse::{BROKEN, ENCODED, Parser, Spec, literal, unit};
use super::{TEMPLATE_MAX, VARS_MAX, Var, Vars};

const WORDS: usize = (TEMPLATE_MAX + 1) / 32;

/// A set of places in the template. The masks have one bit per variable.
#[derive(Clone, Copy, Default)]
struct States {
    /// Before the byte of the template's text, or of a name, with this offset.
    text: [u32; WORDS],
    /// Before the variable, and nothing of its expression is written yet.
    first: u8,
    /// Before the variable, behind another value of its expression.
    rest: u8,
    /// Behind the variable's name.
    named: u8,
    /// Before a value that cannot be empty.
    due: u8,
    /// In its value.
    value: u8,
    /// For each bit of `value`: where the chosen reading of the value began.
    since: [u32; VARS_MAX],
}

impl States {
    fn put(&mut self, offset: u16) {
        if let Some(word) = self.text.get_mut(usize::from(offset >> 5)) {
            *word |= 1 << (offset & 31);
        }
    }

    fn has(&self, offset: u16) -> bool {
        self.text.get(usize::from(offset >> 5)).is_some_and(|word| word >> (offset & 31) & 1 != 0)
    }

    fn take(&mut self, offset: u16) -> bool {
        let had = self.has(offset);
        if let Some(word) = self.text.get_mut(usize::from(offset >> 5)) {
            *word &= !(1 << (offset & 31));
        }
        had
    }

    /// Begins the value of variable `j` at `p`. An earlier reading that goes on is kept, but not of pairs: those that
    /// have a variable of their own belong to it.
    fn enter(&mut self, j: usize, spec: &Spec, p: usize) {
        if spec.pairs() || self.value & bit(j) == 0 {
            self.value |= bit(j);
            if let Some(since) = self.since.get_mut(j) {
                *since = p as u32;
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.first | self.rest | self.named | self.due | self.value == 0
            && self.text.iter().all(|word| *word == 0)
    }
}

fn bit(j: usize) -> u8 {
    1u8.wrapping_shl(j as u32)
}

/// A template and a URI, side by side.
pub(super) struct Machine<'a> {
    t: &'a [u8],
    uri: &'a [u8],
    specs: [Spec; VARS_MAX],
    count: usize,
    /// Units of the URI that were looked at.
    #[cfg(test)]
    pub(super) steps: core::cell::Cell<usize>,
}

impl<'a> Machine<'a> {
    /// The machine; `None` for a template that `check` refuses or a URI whose offsets do not fit a span.
    pub(super) fn new(template: &'a str, uri: &'a [u8]) -> Option<Self> {
        u32::try_from(uri.len()).ok()?;
        let mut specs = [Spec::NONE; VARS_MAX];
        let mut count = 0usize;
        let mut parser = Parser::new(template);
        while let Some(spec) = parser.next().ok()? {
            *specs.get_mut(count)? = spec;
            count = count.wrapping_add(1);
        }
        Some(Self {
            t: template.as_bytes(),
            uri,
            specs,
            count,
            #[cfg(test)]
            steps: Default::default(),
        })
    }

    fn vars(&self) -> impl Iterator<Item = (usize, &Spec)> {
        self.specs.iter().enumerate().take(self.count)
    }

    fn spec(&self, j: usize) -> &Spec {
        self.specs.get(j).unwrap_or(&Spec::NONE)
    }

    /// The states after the first `to` bytes of the URI; none when a `%` there is no percent-encoding.
    fn run(&self, to: usize) -> States {
        let mut states = States::default();
        states.put(0);
        self.close(&mut states, 0);
        let uri = part(self.uri, 0, to);
        let mut p = 0;
        while p < uri.len() && !states.is_empty() {
            let (code, len) = unit(uri, p);
            p = p.wrapping_add(len);
            if code == BROKEN {
                return States::default();
            }
            states = self.step(&states, code, len, p);
            self.close(&mut states, p);
            #[cfg(test)]
            self.steps.set(self.steps.get() + 1);
        }
        states
    }

    /// The states behind one unit of the URI, `len` bytes that end at `p`.
    fn step(&self, old: &States, code: u16, len: usize, p: usize) -> States {
        let mut new = States { since: old.since, ..States::default() };
        for (j, spec) in self.vars() {
            let bit = bit(j);
            if old.value & bit != 0 && value_takes(spec, code) {
                new.value |= bit;
            }
            let opens = (old.first & bit != 0 && code == u16::from(spec.op.lead()))
                || (old.rest & bit != 0 && code == u16::from(spec.op.sep()));
            let opens_value = old.named & bit != 0 && code == u16::from(b'=');
            if opens && spec.shows_name() {
                new.put(spec.from);
            } else if (opens || opens_value) && spec.never_empty() {
                new.due |= bit;
            } else if opens || opens_value {
                new.enter(j, spec, p);
            }
            if old.due & bit != 0 && value_takes(spec, code) {
                new.enter(j, spec, p.wrapping_sub(len));
            }
        }
        for (word, base) in old.text.iter().zip((0u16..).step_by(32)) {
            let mut left = *word;
            while left != 0 {
                let offset = base.wrapping_add(left.trailing_zeros() as u16);
                left &= left.wrapping_sub(1);
                let (want, len) = literal(self.t, usize::from(offset));
                if usize::from(offset) < self.t.len() && want == code {
                    new.put(offset.wrapping_add(len as u16));
                }
            }
        }
        new
    }

    /// Adds the states that are reached without a byte. All those steps lead forward in the template, so going
    /// through the variables once is enough.
    fn close(&self, states: &mut States, p: usize) {
        for (j, spec) in self.vars() {
            let bit = bit(j);
            if spec.first && states.take(spec.start) {
                states.first |= bit;
            }
            if spec.shows_name() && states.take(spec.to) {
                states.named |= bit;
            }
            if states.first & bit != 0 && spec.op.lead() == 0 {
                states.first &= !bit;
                states.enter(j, spec, p);
            }
            let bare = spec.bare() && states.named & bit != 0;
            let done = states.value & bit != 0 || bare;
            // A value without a name belongs to the first variable that has none yet: the others are not there.
            let over = spec.last || !spec.op.named();
            if ((states.first | states.rest) & bit != 0 && over) || (done && spec.last) {
                states.put(spec.after);
            }
            if !spec.last {
                states.first |= if over { 0 } else { (states.first & bit) << 1 };
                states.rest |= if done || (states.rest & bit != 0 && !over) { bit << 1 } else { 0 };
            }
        }
    }

    /// Reads the whole URI: writes the values into `vars`, and says whether it matches.
    pub(super) fn read(&self, vars: &mut Vars) -> bool {
        let mut text_end = self.t.len();
        let mut p = self.uri.len();
        if !self.run(p).has(text_end as u16) {
            return false;
        }
        let mut j = self.count;
        while let Some(last) = j.checked_sub(1) {
            p = p.saturating_sub(self.text_len(usize::from(self.spec(last).after), text_end));
            p = self.read_expression(last, p, &mut j, vars);
            text_end = usize::from(self.spec(j).start);
        }
        self.vars().all(|(j, spec)| self.keeps_rules(j, spec, vars))
    }

    /// Reads the expression that ends with variable `last` at `p`. Sets `j` to its first variable, and says where
    /// it starts.
    fn read_expression(&self, last: usize, mut p: usize, j: &mut usize, vars: &mut Vars) -> usize {
        let mut states = self.run(p);
        let mut open = true;
        *j = last;
        loop {
            let (spec, bit) = (self.spec(*j), bit(*j));
            let bare = spec.bare() && states.named & bit != 0;
            if open && (states.value & bit != 0 || bare) {
                let from = match states.since.get(*j) {
                    Some(since) if states.value & bit != 0 => *since as usize,
                    _ => p,
                };
                vars.set(*j, self.var(spec, from, p));
                // A bare name has no `=`.
                let no_sign = usize::from(states.value & bit == 0);
                p = from.saturating_sub(spec.before_value().wrapping_sub(no_sign));
                let lead = spec.op.lead();
                open = !spec.first && (lead == spec.op.sep() || lead == 0 || at(self.uri, p) != lead);
                if open {
                    states = self.run(p);
                }
            }
            match j.checked_sub(1) {
                Some(before) if !spec.first => *j = before,
                _ => return p,
            }
        }
    }

    /// How many bytes of a URI a piece of the template's text stands for.
    fn text_len(&self, from: usize, to: usize) -> usize {
        let (mut i, mut n) = (from, 0usize);
        while i < to {
            let (code, len) = literal(self.t, i);
            i = i.wrapping_add(len);
            n = n.wrapping_add(if code >= ENCODED { 3 } else { 1 });
        }
        n
    }

    fn var(&self, spec: &Spec, from: usize, to: usize) -> Var {
        let sep = if spec.explode { spec.op.sep() } else { b',' };
        let raw = part(self.uri, from, to);
        let list = spec.explode || (!spec.op.broad() && raw.contains(&b','));
        let (name, value) = ((spec.from, spec.to), (from as u32, to as u32));
        Var { name, value, list, separator: sep, prefix: spec.prefix != 0 }
    }

    /// The rules that the states do not know: lengths of prefixes, and one value per name.
    fn keeps_rules(&self, j: usize, spec: &Spec, vars: &Vars) -> bool {
        let Some(var) = vars.at(j) else { return true };
        let raw = var.raw(self.uri);
        if spec.prefix != 0 && chars(raw) > usize::from(spec.prefix) {
            return false;
        }
        vars.iter().filter(|other| other.name(self.t) == var.name(self.t)).all(|other| {
            let other_raw = other.raw(self.uri);
            match (var.prefix, other.prefix) {
                (true, true) => raw.starts_with(other_raw) || other_raw.starts_with(raw),
                (true, false) => other_raw.starts_with(raw),
                (false, true) => raw.starts_with(other_raw),
                (false, false) => raw == other_raw,
            }
        })
    }
}

/// How many characters a raw value decodes to: what is not the tail of a UTF-8 sequence starts one.
fn chars(raw: &[u8]) -> usize {
    let (mut i, mut n) = (0usize, 0usize);
    while i < raw.len() {
        let (code, len) = unit(raw, i);
        i = i.wrapping_add(len);
        n = n.wrapping_add(usize::from(code & 0xC0 != 0x80 || code < 0x80));
    }
    n
}

/// Whether a value of the variable may hold the unit.
fn value_takes(spec: &Spec, code: u16) -> bool {
    let Ok(c) = u8::try_from(code) else { return code != BROKEN };
    match c {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => true,
        b'!' | b'$' | b'\'' | b'(' | b')' | b'*' | b'+' => true,
        b',' if !spec.op.broad() => spec.explode || spec.alone || spec.op.sep() != b',',
        b'=' if spec.explode => true,
        b'&' | b'/' | b';' if spec.explode && c == spec.op.sep() => true,
        b',' | b'=' | b'&' | b'/' | b';' | b':' | b'?' | b'#' | b'[' | b']' | b'@' => spec.op.broad(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::String;

    /// Units looked at, per byte of the URI.
    fn steps(template: &str, uri: &str) -> (bool, usize) {
        let Some(machine) = Machine::new(template, uri.as_bytes()) else { return (false, usize::MAX) };
        let hit = machine.read(&mut Vars::new());
        (hit, machine.steps.get())
    }

    /// 64 times the URI takes 64 times the steps, for inputs that would send a backtracking matcher into
    /// polynomial or exponential time.
    #[test]
    fn time_is_linear_in_the_uri() {
        let attacks = [
            ("{+a}-{+b}-{+c}-{+d}-{+e}-{+f}-{+g}-{+h}x", "-"),
            ("{+a}-{+b}-{+c}-{+d}-{+e}-{+f}-{+g}-{+h}", "-"),
            ("{a}a{b}a{c}a{d}a{e}a{f}a{g}b", "a"),
            ("{+a}/{b}/{+c}/{d}{?x,y}", "/a"),
            ("{+a,b,c,d,e,f,g,h}", ","),
            ("{+a}{?a1,b,c,d*}", "?a1=1&b=2&q=3"),
            ("{/a*}{/b}{.c,d,e}{;f*}{&g}", "/a.b"),
        ];
        for (template, seed) in attacks {
            let short: String = seed.chars().cycle().take(1024).collect();
            let long: String = seed.chars().cycle().take(65536).collect();
            let (hit_short, short) = steps(template, &short);
            let (hit_long, long) = steps(template, &long);
            assert!(short > 0 && long <= short.saturating_add(64) * 64, "{template}: {short} then {long}");
            assert!(long <= 65536 * (2 * VARS_MAX + 1), "{template}: {long}");
            std::println!("{template}: {hit_short} in {short}, {hit_long} in {long} steps");
        }
    }
}

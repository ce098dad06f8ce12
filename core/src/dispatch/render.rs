//! Schema text from one description, flattened at compile time or written on the device.

use super::args::{Arg, Rule, Text};
use super::schema::{PARTS_DEPTH_MAX, Part};
use crate::bytes::{at, hex_digit};
use crate::json::Writer;
use crate::proto::info::Info;

/// Pulls schema text apart into pieces, in order.
///
/// A puller and not a visitor: a `const fn` cannot call a closure, and the same text is needed in `const` (flattened
/// into a static) and at run time (rendered on a device that keeps only the table).
pub struct Pieces<'a> {
    all: &'a [Arg],
    args: &'a [Arg],
    step: u8,
    first: bool,
    stack: [&'a [Part]; PARTS_DEPTH_MAX],
    depth: usize,
    names: &'a [&'a str],
}

/// One piece.
#[derive(Clone, Copy)]
pub enum Piece<'a> {
    /// JSON text as it is.
    Json(&'a str),
    /// Text to be escaped, quotes apart.
    Text(&'a str),
    /// An integer.
    Int(i64),
    /// An unsigned integer.
    Uint(u64),
    /// Nothing more.
    End,
}

// The steps of an argument's schema are numbered in the order they are written; a step with nothing to say is passed
// over. The required names walk the arguments a second time.
const START: u8 = 0;
const NAME: u8 = 1;
const RULE: u8 = 7;
const NEXT: u8 = 28;
const REQUIRED: u8 = 30;
const REQUIRED_NAME: u8 = 32;
const FINISH: u8 = 33;
const DONE: u8 = 34;

impl<'a> Pieces<'a> {
    /// The pieces of the object schema of `args`, braces included.
    pub const fn object(args: &'a [Arg]) -> Self {
        Self {
            all: args,
            args,
            step: START,
            first: true,
            stack: [&[]; PARTS_DEPTH_MAX],
            depth: 0,
            names: &[],
        }
    }

    /// The pieces of `parts`, as they are.
    pub const fn parts(parts: &'a [Part]) -> Self {
        let mut pieces = Self::object(&[]);
        pieces.step = DONE;
        pieces.push(parts);
        pieces
    }

    const fn push(&mut self, parts: &'a [Part]) {
        if let Some((_, rest)) = self.stack.split_at_mut_checked(self.depth)
            && let Some((place, _)) = rest.split_first_mut()
        {
            *place = parts;
            self.depth += 1;
        }
    }

    /// The next piece.
    pub const fn next(&mut self) -> Piece<'a> {
        while self.depth > 0 {
            let Some((_, rest)) = self.stack.split_at_mut_checked(self.depth - 1) else { break };
            let Some((top, _)) = rest.split_first_mut() else { break };
            match top.split_first() {
                None => self.depth -= 1,
                Some((part, more)) => {
                    *top = more;
                    match part {
                        Part::Json(s) => return Piece::Json(s),
                        Part::Text(s) => return Piece::Text(s),
                        Part::List(list) => self.push(list),
                    }
                }
            }
        }
        self.args_step()
    }

    const fn args_step(&mut self) -> Piece<'a> {
        loop {
            let step = self.step;
            self.step += 1;
            let Some((arg, later)) = self.args.split_first() else {
                return self.tail_step(step);
            };
            match step {
                START => return Piece::Json("{\"type\":\"object\",\"properties\":{"),
                NAME => {
                    let lead = if self.first { "\"" } else { ",\"" };
                    self.first = false;
                    return Piece::Json(lead);
                }
                2 => return Piece::Text(arg.name),
                3 => return Piece::Json("\":{"),
                4 if !arg.about.is_empty() => return Piece::Json("\"description\":\""),
                5 if !arg.about.is_empty() => return Piece::Text(arg.about),
                6 if !arg.about.is_empty() => return Piece::Json("\","),
                RULE..=24 => {
                    if let Some(piece) = self.rule_step(arg, step) {
                        return piece;
                    }
                }
                25 if !arg.extra.is_empty() => return Piece::Json(","),
                26 if !arg.extra.is_empty() => return Piece::Json(arg.extra),
                27 => return Piece::Json("}"),
                NEXT => {
                    self.args = later;
                    self.step = if later.is_empty() { REQUIRED } else { NAME };
                }
                _ => {}
            }
        }
    }

    /// The rule of one argument, as `"type":…` and its bounds; `None` where this step has nothing to say.
    const fn rule_step(&mut self, arg: &'a Arg, step: u8) -> Option<Piece<'a>> {
        let piece = match (&arg.rule, step) {
            (Rule::Json(parts), 7) => {
                self.push(parts);
                // The pieces pushed come out first on the next calls; an empty text keeps the order.
                Piece::Json("")
            }
            (Rule::Bool, 7) => Piece::Json("\"type\":\"boolean\""),
            (Rule::Int { .. } | Rule::Uint { .. }, 7) => Piece::Json("\"type\":\"integer\""),
            (Rule::Int { min, .. }, 8) if *min != i64::MIN => Piece::Json(",\"minimum\":"),
            (Rule::Int { min, .. }, 9) if *min != i64::MIN => Piece::Int(*min),
            (Rule::Int { max, .. }, 10) if *max != i64::MAX => Piece::Json(",\"maximum\":"),
            (Rule::Int { max, .. }, 11) if *max != i64::MAX => Piece::Int(*max),
            (Rule::Uint { .. }, 8) => Piece::Json(",\"minimum\":"),
            (Rule::Uint { min, .. }, 9) => Piece::Uint(*min),
            (Rule::Uint { max, .. }, 10) if *max != u64::MAX => Piece::Json(",\"maximum\":"),
            (Rule::Uint { max, .. }, 11) if *max != u64::MAX => Piece::Uint(*max),
            (Rule::Float { .. }, 7) => Piece::Json("\"type\":\"number\""),
            (Rule::Str(text), _) => return self.text_step(text, step),
            _ => return None,
        };
        Some(piece)
    }

    const fn text_step(&mut self, text: &'a Text, step: u8) -> Option<Piece<'a>> {
        let piece = match step {
            7 => Piece::Json("\"type\":\"string\""),
            8 if text.min_len > 0 => Piece::Json(",\"minLength\":"),
            9 if text.min_len > 0 => Piece::Uint(text.min_len as u64),
            10 if text.max_len < u32::MAX => Piece::Json(",\"maxLength\":"),
            11 if text.max_len < u32::MAX => Piece::Uint(text.max_len as u64),
            12 if !text.pattern.is_empty() => Piece::Json(",\"pattern\":\""),
            13 if !text.pattern.is_empty() => Piece::Text(text.pattern),
            14 if !text.pattern.is_empty() => Piece::Json("\""),
            15 if !text.one_of.is_empty() => {
                self.names = text.one_of;
                Piece::Json(",\"enum\":[\"")
            }
            16 => match self.names.split_first() {
                Some((name, _)) => Piece::Text(name),
                None => return None,
            },
            17 => match self.names.split_first() {
                Some((_, [])) => {
                    self.names = &[];
                    Piece::Json("\"]")
                }
                Some((_, more)) => {
                    self.names = more;
                    self.step = 16;
                    Piece::Json("\",\"")
                }
                None => return None,
            },
            _ => return None,
        };
        Some(piece)
    }

    /// What follows the properties.
    const fn tail_step(&mut self, step: u8) -> Piece<'a> {
        match step {
            // No arguments at all: the form that the specification recommends.
            START => {
                self.step = DONE;
                Piece::Json("{\"type\":\"object\",\"additionalProperties\":false}")
            }
            REQUIRED => {
                self.first = true;
                Piece::Json("}")
            }
            REQUIRED_NAME => {
                self.step = REQUIRED + 1;
                match self.all.split_first() {
                    Some((arg, more)) => {
                        self.all = more;
                        Piece::Text(arg.name)
                    }
                    None => Piece::End,
                }
            }
            FINISH => Piece::Json(",\"additionalProperties\":false}"),
            DONE.. => {
                self.step = DONE;
                Piece::End
            }
            _ => self.required_step(),
        }
    }

    const fn required_step(&mut self) -> Piece<'a> {
        while let Some((arg, more)) = self.all.split_first() {
            if arg.required {
                let lead = if self.first { ",\"required\":[\"" } else { "\",\"" };
                self.first = false;
                self.step = REQUIRED_NAME;
                return Piece::Json(lead);
            }
            self.all = more;
        }
        self.step = FINISH;
        Piece::Json(if self.first { "" } else { "\"]" })
    }
}

/// Bytes gathered in `const`.
struct Flat<'o> {
    out: &'o mut [u8],
    len: usize,
}

impl Flat<'_> {
    const fn push(&mut self, byte: u8) {
        if let Some((_, rest)) = self.out.split_at_mut_checked(self.len)
            && let Some((place, _)) = rest.split_first_mut()
        {
            *place = byte;
        }
        self.len += 1;
    }

    const fn json(&mut self, text: &str) {
        let mut i = 0;
        while i < text.len() {
            self.push(at(text.as_bytes(), i));
            i += 1;
        }
    }

    const fn text(&mut self, text: &str) {
        let mut i = 0;
        while i < text.len() {
            match at(text.as_bytes(), i) {
                b'"' => self.json("\\\""),
                b'\\' => self.json("\\\\"),
                b'\n' => self.json("\\n"),
                b'\r' => self.json("\\r"),
                b'\t' => self.json("\\t"),
                c @ 0..0x20 => {
                    self.json(if c < 16 { "\\u000" } else { "\\u001" });
                    let low = c & 15;
                    self.push(hex_digit(low));
                }
                c => self.push(c),
            }
            i += 1;
        }
    }

    const fn int(&mut self, value: i64) {
        if value < 0 {
            self.push(b'-');
        }
        self.uint(value.unsigned_abs());
    }

    const fn uint(&mut self, value: u64) {
        let mut digits = [0; 20];
        let mut rest: &mut [u8] = &mut digits;
        let mut left = value;
        while let Some((last, front)) = rest.split_last_mut() {
            *last = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
            rest = front;
        }
        let mut digits: &[u8] = &digits;
        while let Some((digit, more)) = digits.split_first() {
            if *digit != 0 {
                self.push(*digit);
            }
            digits = more;
        }
    }

    const fn pieces(&mut self, mut pieces: Pieces<'_>) {
        loop {
            match pieces.next() {
                Piece::Json(s) => self.json(s),
                Piece::Text(s) => self.text(s),
                Piece::Int(v) => self.int(v),
                Piece::Uint(v) => self.uint(v),
                Piece::End => return,
            }
        }
    }
}

/// Length in bytes of the list entry text of a tool: see [`entry`].
pub const fn entry_len(name: &str, about: &str, args: &[Arg]) -> usize {
    let mut flat = Flat { out: &mut [], len: 0 };
    flat.entry(name, about, args);
    flat.len
}

/// The part of a tool's list entry that every revision has, as JSON members: `"name":…,"description":…,"inputSchema":…`.
/// Computed in `const`, so that listing a tool is one copy from flash.
pub const fn entry<const N: usize>(name: &str, about: &str, args: &[Arg]) -> [u8; N] {
    let mut out = [0; N];
    let mut flat = Flat { out: &mut out, len: 0 };
    flat.entry(name, about, args);
    out
}

/// Length in bytes of [`object_of`] the same parts.
pub const fn object_len(parts: &[Part]) -> usize {
    let mut flat = Flat { out: &mut [], len: 0 };
    flat.pieces(Pieces::parts(parts));
    flat.len + 2
}

/// The schema text of `parts`, braces included, computed in `const`.
pub const fn object_of<const N: usize>(parts: &[Part]) -> [u8; N] {
    let mut out = [0; N];
    let mut flat = Flat { out: &mut out, len: 0 };
    flat.push(b'{');
    flat.pieces(Pieces::parts(parts));
    flat.push(b'}');
    out
}

impl Flat<'_> {
    const fn entry(&mut self, name: &str, about: &str, args: &[Arg]) {
        self.json("\"name\":\"");
        self.text(name);
        if !about.is_empty() {
            self.json("\",\"description\":\"");
            self.text(about);
        }
        self.json("\",\"inputSchema\":");
        self.pieces(Pieces::object(args));
    }

    const fn info(&mut self, info: &Info) {
        self.json("{\"name\":\"");
        self.text(info.name);
        self.member("\",\"title\":\"", info.title);
        self.json("\",\"version\":\"");
        self.text(info.version);
        self.member("\",\"description\":\"", info.about);
        self.member("\",\"websiteUrl\":\"", info.website);
        self.json("\"");
        if !info.icons.is_empty() {
            self.json(",\"icons\":");
            self.json(info.icons);
        }
        self.json("}");
    }

    const fn member(&mut self, lead: &str, text: &str) {
        if !text.is_empty() {
            self.json(lead);
            self.text(text);
        }
    }
}

/// Length in bytes of [`info`] of the same server.
pub const fn info_len(info: &Info) -> usize {
    let mut flat = Flat { out: &mut [], len: 0 };
    flat.info(info);
    flat.len
}

/// Who the server is, as the JSON object of 2026-07-28, for [`Info::text`]; computed in `const`, since every result of
/// that revision carries it.
pub const fn info<const N: usize>(info: &Info) -> [u8; N] {
    let mut out = [0; N];
    let mut flat = Flat { out: &mut out, len: 0 };
    flat.info(info);
    out
}

/// Text made in `const`; it is UTF-8 because it was put together from whole strings.
pub const fn text(bytes: &'static [u8]) -> &'static str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// Writes the pieces as one value.
pub fn write(w: &mut Writer<'_>, mut pieces: Pieces<'_>) {
    w.raw(b"");
    loop {
        match pieces.next() {
            Piece::Json(s) => w.put(s.as_bytes()),
            Piece::Text(s) => w.text(s),
            Piece::Int(v) => {
                w.set_comma(false);
                w.i64(v);
            }
            Piece::Uint(v) => {
                w.set_comma(false);
                w.u64(v);
            }
            Piece::End => break,
        }
    }
    w.set_comma(true);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::schema::Schema;
    use crate::sink::{Buf, Fill, Sink};
    use std::string::String;

    const ARGS: [Arg; 5] = [
        Arg::new("level", Rule::Int { min: -5, max: 100 }).about("How \"bright\"\nit is"),
        Arg::new("mode", Rule::Str(&Text { one_of: &["on", "off"], ..Text::ANY })).optional(),
        Arg::new("tag", Rule::Str(&Text { min_len: 1, max_len: 8, pattern: "^\\d+$", ..Text::ANY })),
        Arg::new("rgb", <[u8; 3] as Schema>::RULE).about("Colour"),
        Arg::new("big", Rule::Uint { min: 1, max: 18_446_744_073_709_551_614 }).optional(),
    ];
    const N: usize = entry_len("lamp", "Sets it", &ARGS);
    static TEXT: [u8; N] = entry("lamp", "Sets it", &ARGS);

    #[test]
    fn the_text_of_the_info_is_what_is_written() {
        const INFO: Info = Info {
            title: "A \"quoted\" title",
            about: "What it is",
            website: "https://example.org/",
            icons: "[{\"src\":\"data:,\"}]",
            ..Info::new("name", "1")
        };
        const N: usize = info_len(&INFO);
        static TEXT: [u8; N] = info(&INFO);
        let mut buf = [0; 512];
        let mut fill = Fill::default();
        let mut w = Writer::new(Sink::new(Buf::from(&mut buf), &mut fill, None));
        INFO.write(&mut w, crate::Revision::V2026_07_28);
        assert_eq!(&buf[..fill.len], &TEXT);
    }

    #[test]
    fn const_text_and_written_text_agree() {
        let mut buf = [0; 2048];
        let mut fill = Fill::default();
        let mut w = Writer::new(Sink::new(Buf::from(&mut buf), &mut fill, None));
        write(&mut w, Pieces::object(&ARGS));
        let len = fill.len;
        let written = String::from_utf8(buf[..len].to_vec()).unwrap();
        let flat = text(&TEXT);
        assert_eq!(
            flat,
            std::format!("\"name\":\"lamp\",\"description\":\"Sets it\",\"inputSchema\":{written}")
        );
        let value: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(value["required"], serde_json::json!(["level", "tag", "rgb"]));
        assert_eq!(value["properties"]["level"]["minimum"], serde_json::json!(-5));
        assert_eq!(value["properties"]["level"]["description"], "How \"bright\"\nit is");
        assert_eq!(value["properties"]["mode"]["enum"], serde_json::json!(["on", "off"]));
        assert_eq!(value["properties"]["rgb"]["items"]["maximum"], serde_json::json!(255));
        assert_eq!(std::format!("{}", value["properties"]["big"]["maximum"]), "18446744073709551614");
        assert_eq!(value["additionalProperties"], false);
    }
}

//! An expander of RFC 6570, written from the RFC and independent of the matcher.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// A value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A string.
    Text(String),
    /// A list.
    List(Vec<String>),
    /// An associative array.
    Pairs(Vec<(String, String)>),
    /// Text that is put in as it is; exploded, with its names.
    Raw(String),
}

impl Value {
    /// The value in a test suite; `None` for null.
    pub fn from_json(json: &Json) -> Option<Self> {
        let text = |json: &Json| match json {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        match json {
            Json::Null => None,
            Json::Array(all) => Some(Self::List(all.iter().map(text).collect())),
            Json::Object(all) => Some(Self::Pairs(all.iter().map(|(k, v)| (k.clone(), text(v))).collect())),
            one => Some(Self::Text(text(one))),
        }
    }

    /// Empty lists are no values (RFC 6570 §2.3).
    pub fn is_undefined(&self) -> bool {
        match self {
            Self::List(all) => all.is_empty(),
            Self::Pairs(all) => all.is_empty(),
            _ => false,
        }
    }

    /// Whether `items`, decoded, are this value where `spec` has it; an array may come in any order.
    pub fn is_in(&self, spec: &Spec, items: &[String]) -> bool {
        let names = spec.explode && matches!(spec.op, ';' | '?' | '&');
        let named = |text: &String| if names { format!("{}={text}", spec.name) } else { text.clone() };
        // `;x` is `;x=` without the sign.
        let bare = |text: &String| spec.op == ';' && text.is_empty() && items == [spec.name.clone()];
        match self {
            Self::Text(text) if names => items == [named(text)] || bare(text),
            Self::Text(text) => items.join(",") == text.chars().take(spec.prefix).collect::<String>(),
            Self::List(all) => {
                items.join("|").replace(',', "|") == all.iter().map(named).collect::<Vec<_>>().join("|")
            }
            Self::Pairs(all) if spec.explode => {
                let mut want: Vec<String> = all.iter().map(|(k, v)| format!("{k}={v}")).collect();
                want.sort();
                let mut got = items.to_vec();
                if matches!(spec.op, '+' | '#') {
                    // Reserved expansion keeps commas: they are all the same here.
                    got = vec![got.join(",")];
                    return permutations(&want).iter().any(|order| got == [order.join(",")]);
                }
                got.sort();
                got == want
            }
            Self::Pairs(all) => {
                let want: Vec<String> = all.iter().map(|(k, v)| format!("{k},{v}")).collect();
                permutations(&want).iter().any(|order| items.join(",") == order.join(","))
            }
            Self::Raw(_) => false,
        }
    }
}

fn permutations(all: &[String]) -> Vec<Vec<String>> {
    if all.is_empty() {
        return vec![vec![]];
    }
    let mut out = Vec::new();
    for (i, one) in all.iter().enumerate() {
        let rest: Vec<String> =
            all.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, s)| s.clone()).collect();
        out.extend(permutations(&rest).into_iter().map(|mut order| {
            order.insert(0, one.clone());
            order
        }));
    }
    out
}

/// One variable of an expression.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The operator; a blank for none.
    pub op: char,
    /// The name.
    pub name: String,
    /// Where the name stands in the template, in bytes.
    pub at: usize,
    /// Whether `*` follows.
    pub explode: bool,
    /// How many characters count.
    pub prefix: usize,
}

enum Piece {
    Text(String),
    Expression(Vec<Spec>),
}

fn pieces(template: &str) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(open) = template[at..].find('{').map(|i| at + i) {
        let close = open + template[open..].find('}').expect("ends");
        out.push(Piece::Text(template[at..open].to_owned()));
        let (op, mut from) = match template[open + 1..].chars().next() {
            Some(op) if "+#./;?&".contains(op) => (op, open + 2),
            _ => (' ', open + 1),
        };
        let mut specs = Vec::new();
        for part in template[from..close].split(',') {
            let explode = part.ends_with('*');
            let (name, prefix) = part.split_once(':').unwrap_or((part, ""));
            let name = name.trim_end_matches('*').to_owned();
            specs.push(Spec { op, name, at: from, explode, prefix: prefix.parse().unwrap_or(usize::MAX) });
            from += part.len() + 1;
        }
        out.push(Piece::Expression(specs));
        at = close + 1;
    }
    out.push(Piece::Text(template[at..].to_owned()));
    out
}

/// The variables of a template that is valid, in order.
pub fn variables(template: &str) -> Vec<Spec> {
    let specs = pieces(template).into_iter().filter_map(|piece| match piece {
        Piece::Expression(specs) => Some(specs),
        Piece::Text(_) => None,
    });
    specs.flatten().collect()
}

/// Encodes all but unreserved characters; with `reserved`, leaves these and percent-encodings too.
fn encode(text: &str, reserved: bool) -> String {
    let mut out = String::new();
    let bytes = text.as_bytes();
    for (i, &b) in bytes.iter().enumerate() {
        let triplet =
            b == b'%' && bytes.len() > i + 2 && bytes[i + 1..i + 3].iter().all(u8::is_ascii_hexdigit);
        let kept = b.is_ascii_alphanumeric()
            || b"-._~".contains(&b)
            || reserved && (b":/?#[]@!$&'()*+,;=".contains(&b) || triplet);
        if kept { out.push(b as char) } else { out += &format!("%{b:02X}") }
    }
    out
}

/// Expands `template`; variables without a value are undefined.
pub fn expand(template: &str, values: &BTreeMap<String, Value>) -> String {
    expand_places(template, |spec| values.get(&spec.name))
}

/// Expands `template` with a value for each place.
pub fn expand_places<'v>(template: &str, value: impl Fn(&Spec) -> Option<&'v Value>) -> String {
    let mut out = String::new();
    for piece in pieces(template) {
        match piece {
            Piece::Text(text) => out += &encode(&text, true),
            Piece::Expression(specs) => {
                let values = specs.iter().filter_map(|spec| Some((spec, value(spec)?)));
                let parts: Vec<String> =
                    values.filter(|(_, v)| !v.is_undefined()).map(|(spec, v)| one(spec, v)).collect();
                let (first, sep) = match specs[0].op {
                    ' ' | '+' => ("", ","),
                    '#' => ("#", ","),
                    '.' => (".", "."),
                    '/' => ("/", "/"),
                    ';' => (";", ";"),
                    '?' => ("?", "&"),
                    _ => ("&", "&"),
                };
                if !parts.is_empty() {
                    out += first;
                    out += &parts.join(sep);
                }
            }
        }
    }
    out
}

/// One variable with its value (RFC 6570 §3.2.1).
fn one(spec: &Spec, value: &Value) -> String {
    let enc = |text: &str| encode(text, matches!(spec.op, '+' | '#'));
    let named = matches!(spec.op, ';' | '?' | '&');
    let sep = match spec.op {
        '.' => ".",
        '/' => "/",
        ';' => ";",
        '?' | '&' => "&",
        _ => ",",
    };
    let with_name = |value: String| match (named, value.is_empty() && spec.op == ';') {
        (false, _) => value,
        (true, true) => spec.name.clone(),
        (true, false) => format!("{}={value}", spec.name),
    };
    match value {
        Value::Raw(raw) if spec.explode => raw.clone(),
        Value::Raw(raw) => with_name(raw.clone()),
        Value::Text(text) => with_name(enc(&text.chars().take(spec.prefix).collect::<String>())),
        Value::List(all) if spec.explode => {
            all.iter().map(|v| with_name(enc(v))).collect::<Vec<_>>().join(sep)
        }
        Value::List(all) => with_name(all.iter().map(|v| enc(v)).collect::<Vec<_>>().join(",")),
        Value::Pairs(all) if spec.explode => {
            all.iter().map(|(k, v)| format!("{}={}", enc(k), enc(v))).collect::<Vec<_>>().join(sep)
        }
        Value::Pairs(all) => {
            with_name(all.iter().map(|(k, v)| format!("{},{}", enc(k), enc(v))).collect::<Vec<_>>().join(","))
        }
    }
}

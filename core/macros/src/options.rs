//! The options inside an attribute: `key`, `key = value`, separated by commas.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Error, Expr, ExprLit, Ident, Lit, LitBool, LitStr, Result, Token, Type, UnOp};

/// The options that were written, until each is taken.
#[derive(Default)]
pub struct Options {
    all: Vec<Pair>,
}

struct Pair {
    key: Ident,
    value: Option<Value>,
}

/// What stands behind `=`.
enum Value {
    Expr(Expr),
    Type(Type),
}

impl Value {
    fn span(&self) -> Span {
        match self {
            Self::Expr(expr) => expr.span(),
            Self::Type(ty) => ty.span(),
        }
    }
}

/// A type, or the text of a JSON Schema.
pub enum Shape {
    /// A type that has a schema.
    Type(Type),
    /// An expression of type `&'static str`.
    Raw(Expr),
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key = input.call(Ident::parse_any)?;
        if !input.peek(Token![=]) {
            return Ok(Self { key, value: None });
        }
        input.parse::<Token![=]>()?;
        let is_type = key == "output" && !input.peek(LitStr) && !is_macro(input);
        let value = if is_type { Value::Type(input.parse()?) } else { Value::Expr(input.parse()?) };
        Ok(Self { key, value: Some(value) })
    }
}

/// Whether a macro call such as `include_str!(…)` comes next.
fn is_macro(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead.call(syn::Path::parse_mod_style).is_ok() && ahead.peek(Token![!])
}

impl Options {
    /// Reads options up to the end of `input`; `owner` is how the attribute is written, `known` what it takes.
    pub fn parse(input: ParseStream<'_>, owner: &str, known: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        for pair in Punctuated::<Pair, Token![,]>::parse_terminated(input)? {
            if !known.iter().any(|name| pair.key == name) {
                let words =
                    format!("{owner} has no option `{}`; its options are: {}", pair.key, known.join(", "));
                return Err(Error::new(pair.key.span(), words));
            }
            options.add(pair)?;
        }
        Ok(options)
    }

    fn add(&mut self, pair: Pair) -> Result<()> {
        let key = &pair.key;
        if self.all.iter().any(|other| other.key == *key) {
            return Err(Error::new(key.span(), format!("`{key}` is given twice: keep one")));
        }
        self.all.push(pair);
        Ok(())
    }

    /// Takes over the options of another attribute of the same kind.
    pub fn merge(&mut self, other: Self) -> Result<()> {
        other.all.into_iter().try_for_each(|pair| self.add(pair))
    }

    fn take(&mut self, key: &str) -> Option<Pair> {
        let place = self.all.iter().position(|pair| pair.key == key)?;
        Some(self.all.remove(place))
    }

    fn valued(&mut self, key: &str, example: &str) -> Result<Option<Value>> {
        match self.take(key) {
            None => Ok(None),
            Some(Pair { value: Some(value), .. }) => Ok(Some(value)),
            Some(pair) => {
                Err(Error::new(pair.key.span(), format!("`{key}` needs a value: write `{key} = {example}`")))
            }
        }
    }

    /// A flag: there, there with `= true` or `= false`, or not there.
    pub fn flag(&mut self, key: &str) -> Result<Option<bool>> {
        match self.take(key) {
            None => Ok(None),
            Some(Pair { value: None, .. }) => Ok(Some(true)),
            Some(Pair {
                value: Some(Value::Expr(Expr::Lit(ExprLit { lit: Lit::Bool(on), .. }))), ..
            }) => Ok(Some(LitBool::value(&on))),
            Some(pair) => Err(Error::new(
                pair.key.span(),
                format!("`{key}` is a flag: write `{key}` or `{key} = false`"),
            )),
        }
    }

    /// One of a few words, by its place among them; without a value it is the first.
    pub fn word(&mut self, key: &str, words: &[&str]) -> Result<Option<usize>> {
        let Some(pair) = self.take(key) else { return Ok(None) };
        let place = match &pair.value {
            None => Some(0),
            Some(Value::Expr(Expr::Lit(ExprLit { lit: Lit::Str(word), .. }))) => {
                words.iter().position(|known| word.value() == *known)
            }
            Some(_) => None,
        };
        let known = words.iter().map(|word| format!("`{key} = \"{word}\"`")).collect::<Vec<_>>().join(", ");
        place
            .map(Some)
            .ok_or_else(|| Error::new(pair.key.span(), format!("write `{key}`, or one of {known}")))
    }

    /// An expression that is evaluated at compile time.
    pub fn expr(&mut self, key: &str, example: &str) -> Result<Option<Expr>> {
        match self.valued(key, example)? {
            None => Ok(None),
            Some(Value::Expr(expr)) => Ok(Some(expr)),
            Some(other) => Err(Error::new(other.span(), format!("write `{key} = {example}`"))),
        }
    }

    /// A string literal.
    pub fn text(&mut self, key: &str, example: &str) -> Result<Option<LitStr>> {
        match self.expr(key, example)? {
            None => Ok(None),
            Some(expr) => literal_text(&expr).map(Some).ok_or_else(|| {
                Error::new(expr.span(), format!("a string literal: write `{key} = {example}`"))
            }),
        }
    }

    /// A literal, with its sign.
    pub fn literal(&mut self, key: &str, example: &str) -> Result<Option<Literal>> {
        let Some(expr) = self.expr(key, example)? else { return Ok(None) };
        let words = format!("`{key}` needs a literal, so that it can be listed: write `{key} = {example}`");
        let wrong = Error::new(expr.span(), words);
        Literal::of(expr).map(Some).ok_or(wrong)
    }

    /// A type, or a text.
    pub fn shape(&mut self, key: &str) -> Result<Option<Shape>> {
        Ok(self.valued(key, "SomeType")?.map(|value| match value {
            Value::Expr(expr) => Shape::Raw(expr),
            Value::Type(ty) => Shape::Type(ty),
        }))
    }
}

/// The string literal that `expr` is.
pub fn literal_text(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        _ => None,
    }
}

/// A literal with its sign, as it was written.
pub struct Literal {
    /// The tokens.
    pub expr: Expr,
    /// The literal without its sign.
    pub lit: Lit,
    /// Whether a minus stands before it.
    pub negative: bool,
}

impl Literal {
    fn of(expr: Expr) -> Option<Self> {
        let (inner, negative) = match &expr {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => (&*unary.expr, true),
            other => (other, false),
        };
        let Expr::Lit(ExprLit { lit, .. }) = inner else { return None };
        let lit = lit.clone();
        let signed = matches!(lit, Lit::Int(_) | Lit::Float(_));
        (signed || !negative).then_some(Self { expr, lit, negative })
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.expr.span()
    }

    /// The integer that it is.
    pub fn int(&self) -> Option<i128> {
        let Lit::Int(int) = &self.lit else { return None };
        let size = int.base10_parse::<i128>().ok()?;
        Some(if self.negative { -size } else { size })
    }

    /// The number that it is.
    pub fn float(&self) -> Option<f64> {
        let digits = match &self.lit {
            Lit::Int(int) => int.base10_digits(),
            Lit::Float(float) => float.base10_digits(),
            _ => return None,
        };
        let size = digits.parse::<f64>().ok()?;
        Some(if self.negative { -size } else { size })
    }

    /// Its JSON text; `None` of byte strings and the like.
    pub fn json(&self) -> Option<String> {
        let sign = if self.negative { "-" } else { "" };
        Some(match &self.lit {
            Lit::Bool(on) => on.value.to_string(),
            Lit::Int(int) => format!("{sign}{}", int.base10_digits()),
            Lit::Float(float) => {
                let digits = float.base10_digits();
                format!("{sign}{digits}{}", if digits.ends_with('.') { "0" } else { "" })
            }
            Lit::Str(text) => quoted(&text.value()),
            Lit::Char(c) => quoted(&c.value().to_string()),
            _ => return None,
        })
    }
}

/// `text` as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

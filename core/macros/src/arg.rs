//! An argument: its row in the table, and how its value is taken.

use crate::function::plain;
use crate::options::{Literal, Options, quoted};
use crate::plain::Plain;
use crate::{docs, types};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Attribute, Error, Expr, ExprArray, Ident, Lit, LitStr, Result, Type};

const OPTIONS: [&str; 9] =
    ["name", "min", "max", "min_len", "max_len", "pattern", "one_of", "default", "header"];

/// A parameter that is an argument.
pub struct Argument {
    /// Its type.
    pub ty: Type,
    /// Its name on the wire.
    pub name: LitStr,
    about: String,
    limits: Limits,
    default: Option<Literal>,
    header: Option<LitStr>,
}

/// The local variable of argument `index`.
pub fn local(index: usize) -> Ident {
    format_ident!("__{index}")
}

/// Reads all `#[arg(…)]` among `attrs`.
pub fn options(attrs: &[Attribute], owner: &str, known: &[&str]) -> Result<Options> {
    let mut options = Options::default();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("arg")) {
        options.merge(
            attr.parse_args_with(|input: syn::parse::ParseStream<'_>| Options::parse(input, owner, known))?,
        )?;
    }
    Ok(options)
}

impl Argument {
    /// The argument `ident` of type `ty` with the attributes `attrs`.
    pub fn new(ident: &Ident, ty: &Type, attrs: &[Attribute]) -> Result<Self> {
        let mut options = options(attrs, "#[arg]", &OPTIONS)?;
        let name = options.text("name", "\"name\"")?;
        let name = name.unwrap_or_else(|| LitStr::new(&plain(ident), ident.span()));
        let argument = Self {
            ty: ty.clone(),
            name,
            about: docs::text(attrs)?,
            default: options.literal("default", "5")?,
            header: options.text("header", "\"Region\"")?,
            limits: Limits::take(&mut options)?,
        };
        argument.refuse()?;
        Ok(argument)
    }

    fn refuse(&self) -> Result<()> {
        if let Some(default) = &self.default {
            if types::in_option(&self.ty).is_some() {
                let words = "an `Option` has no default: drop the `Option`, or `default`";
                return Err(Error::new(default.span(), words));
            }
            if default.json().is_none() {
                let words = "a default is a number, a string, `true` or `false`";
                return Err(Error::new(default.span(), words));
            }
        }
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        match &self.header {
            Some(header) if header.value().is_empty() || !header.value().chars().all(is_token) => {
                Err(Error::new(
                    header.span(),
                    "a header name is one or more of A-Z a-z 0-9 ! # $ % & ' * + - . ^ _ ` | ~",
                ))
            }
            _ => Ok(()),
        }
    }

    /// The name of the HTTP header that carries it, for comparing: case does not matter.
    pub fn header_name(&self) -> Option<(String, Span)> {
        self.header.as_ref().map(|header| (header.value().to_ascii_lowercase(), header.span()))
    }

    /// Its first option that has no effect on the variable of a template.
    pub fn beyond_a_variable(&self) -> Option<Span> {
        let default = self.default.as_ref().map(Literal::span);
        default.or(self.header.as_ref().map(LitStr::span)).or(self.limits.span())
    }

    /// The row's expression.
    pub fn row(&self) -> TokenStream {
        let (name, about) = (&self.name, &self.about);
        let ty = types::with_lifetime(&self.ty, "'static");
        let schema = quote_spanned!(self.ty.span()=> <#ty as ::midge::dispatch::schema::Schema>);
        let rule = self.limits.rule(&schema);
        let required = if self.default.is_some() { quote!(false) } else { quote!(#schema::REQUIRED) };
        let extra = self.extra(&schema);
        quote! {
            ::midge::dispatch::args::Arg { name: #name, about: #about, rule: #rule, required: #required, extra: #extra }
        }
    }

    /// Its property in the input schema and whether it is required, if both are known from the type's name.
    pub fn property(&self) -> Option<(String, bool)> {
        let plain = Plain::of(&self.ty)?;
        let mut members = Vec::new();
        if !self.about.is_empty() {
            members.push(format!("\"description\":{}", quoted(&self.about)));
        }
        members.extend(plain.members(&self.limits)?);
        members.extend(self.added());
        let property = format!("{}:{{{}}}", quoted(&self.name.value()), members.join(","));
        Some((property, !plain.is_optional && self.default.is_none()))
    }

    /// The schema members that are no part of the rule.
    fn added(&self) -> Vec<String> {
        let default = self.default.as_ref().and_then(Literal::json).map(|json| format!("\"default\":{json}"));
        let header = self.header.as_ref().map(|name| format!("\"x-mcp-header\":{}", quoted(&name.value())));
        default.into_iter().chain(header).collect()
    }

    /// Further schema members.
    fn extra(&self, schema: &TokenStream) -> TokenStream {
        let mut members = self.added();
        let plain = members.join(",");
        let bounds = self.limits.listed_numbers();
        if bounds.is_empty() {
            return quote!(#plain);
        }
        // Bounds of integers are listed from their rule; numbers in `const` have no text, so of floats they go here.
        members.splice(0..0, bounds);
        let float = members.join(",");
        quote!(match #schema::RULE { ::midge::dispatch::args::Rule::Float { .. } => #float, _ => #plain })
    }

    /// Checks of what only the type can tell, for row `row` of `__ARGS`.
    pub fn check(&self, row: usize) -> TokenStream {
        let header = self.header.as_ref().map(|header| {
            let words = "only a boolean, an integer or a text goes into a header: clients leave out a tool with another";
            quote_spanned! {header.span()=>
                const _: () = ::core::assert!(::core::matches!(
                    __ARGS[#row].rule,
                    ::midge::dispatch::args::Rule::Bool
                        | ::midge::dispatch::args::Rule::Int { .. }
                        | ::midge::dispatch::args::Rule::Uint { .. }
                        | ::midge::dispatch::args::Rule::Str(_)
                ), #words);
            }
        });
        let default = self.default.as_ref().and_then(|default| self.check_default(default, row));
        quote!(#header #default)
    }

    /// A check that the default keeps the rule.
    fn check_default(&self, default: &Literal, row: usize) -> Option<TokenStream> {
        let expr = &default.expr;
        let holds = match &default.lit {
            Lit::Int(_) => default.int().map(|int| quote!(holds_int(#int))),
            Lit::Float(_) => Some(quote!(holds_float(#expr))),
            Lit::Str(text) => Some(quote!(holds_text(#text))),
            _ => None,
        }?;
        let words = format!("the default of `{}` is not a value that it may have", self.name.value());
        Some(quote_spanned! {expr.span()=>
            const _: () = ::core::assert!(__ARGS[#row].rule.#holds, #words);
        })
    }

    /// Statements that bind its local variable to the value of row `index`.
    pub fn decode(&self, index: usize) -> TokenStream {
        let local = local(index);
        let ty = self.decoded();
        let wanted = if self.default.is_some() { quote!(::core::option::Option<#ty>) } else { quote!(#ty) };
        let value = match &self.default {
            None => quote!(__value),
            Some(default) => self.or_default(default),
        };
        let get = quote_spanned!(self.ty.span()=> __values.get::<#wanted>(&__spans, #index, &__ARGS, __io));
        quote! {
            let #local = match #get {
                ::core::result::Result::Ok(__value) => #value,
                ::core::result::Result::Err(__answered) => return __answered,
            };
        }
    }

    /// The type to decode.
    fn decoded(&self) -> TokenStream {
        let ty = types::with_lifetime(&self.ty, "'_");
        Plain::of(&self.ty).map_or_else(|| quote!(#ty), |plain| plain.path())
    }

    fn or_default(&self, default: &Literal) -> TokenStream {
        let (Lit::Str(_) | Lit::Char(_), false) = (&default.lit, types::is_str(&self.ty)) else {
            let expr = &default.expr;
            return quote!(match __value { ::core::option::Option::Some(__value) => __value, _ => #expr });
        };
        let json = default.json().unwrap_or_default();
        let ty = self.decoded();
        let words = format!("the default of `{}` is not a value that it may have", self.name.value());
        quote! {
            match __value {
                ::core::option::Option::Some(__value) => __value,
                _ => match ::midge::json::de::from_value::<#ty>(#json.as_bytes()) {
                    ::core::result::Result::Ok(__value) => __value,
                    _ => return ::midge::dispatch::Outcome::Fail(#words),
                },
            }
        }
    }
}

/// What a value must be, beyond its type.
#[derive(Default)]
pub struct Limits {
    min: Option<Literal>,
    max: Option<Literal>,
    min_len: Option<Literal>,
    max_len: Option<Literal>,
    pattern: Option<LitStr>,
    one_of: Option<ExprArray>,
}

impl Limits {
    /// Takes the limits out of `options`.
    pub fn take(options: &mut Options) -> Result<Self> {
        let limits = Self {
            min: options.literal("min", "0")?,
            max: options.literal("max", "10")?,
            min_len: options.literal("min_len", "1")?,
            max_len: options.literal("max_len", "80")?,
            pattern: options.text("pattern", "\"^[a-z]+$\"")?,
            one_of: one_of(options)?,
        };
        limits.refuse()?;
        Ok(limits)
    }

    fn refuse(&self) -> Result<()> {
        if let ((true, true), Some(span)) = (self.kinds(), self.span()) {
            let words = "`min` and `max` are of numbers; `min_len`, `max_len`, `pattern` and `one_of` are of texts: \
                         no value is both";
            return Err(Error::new(span, words));
        }
        for bound in [&self.min, &self.max].into_iter().flatten() {
            if bound.float().is_none() {
                return Err(Error::new(bound.span(), "a bound is a number"));
            }
        }
        for len in [&self.min_len, &self.max_len].into_iter().flatten() {
            if len.int().is_none_or(|len| u32::try_from(len).is_err()) {
                return Err(Error::new(len.span(), "a length is a number of characters, 0 to 4294967295"));
            }
        }
        for (least, most) in [(&self.min, &self.max), (&self.min_len, &self.max_len)] {
            let (Some(least), Some(most)) = (least, most) else { continue };
            let reversed = match (least.int(), most.int()) {
                (Some(least), Some(most)) => least > most,
                _ => least.float() > most.float(),
            };
            if reversed {
                return Err(Error::new(
                    most.span(),
                    "the greatest is less than the least: no value can be both",
                ));
            }
        }
        Ok(())
    }

    /// Where the first of them stands.
    pub fn span(&self) -> Option<Span> {
        let literals = [&self.min, &self.max, &self.min_len, &self.max_len];
        let literals = literals.into_iter().flatten().map(Literal::span).next();
        literals.or(self.pattern.as_ref().map(LitStr::span)).or(self.one_of.as_ref().map(Spanned::span))
    }

    /// Whether any is about numbers, and whether any is about texts.
    pub fn kinds(&self) -> (bool, bool) {
        let number = self.min.is_some() || self.max.is_some();
        let text = self.min_len.is_some() || self.max_len.is_some();
        (number, text || self.pattern.is_some() || self.one_of.is_some())
    }

    /// The bounds that are integers; not the widest, which are not listed.
    pub fn ints(&self) -> (Option<i128>, Option<i128>) {
        let min = self.min.as_ref().and_then(Literal::int).filter(|min| *min != i64::MIN.into());
        let max = self.max.as_ref().and_then(Literal::int);
        (min, max.filter(|max| *max != i64::MAX.into() && *max != u64::MAX.into()))
    }

    /// `"minimum"` and `"maximum"`, as schema members.
    pub fn listed_numbers(&self) -> Vec<String> {
        let list = [("minimum", &self.min), ("maximum", &self.max)];
        let list = list.into_iter().filter_map(|(key, bound)| Some((key, bound.as_ref()?.json()?)));
        list.map(|(key, json)| format!("\"{key}\":{json}")).collect()
    }

    /// The members about texts, as schema members.
    pub fn listed_texts(&self) -> Vec<String> {
        let list = [("minLength", &self.min_len), ("maxLength", &self.max_len)];
        let list = list.into_iter().filter_map(|(key, len)| Some((key, len.as_ref()?.int()?)));
        // What limits nothing is not listed.
        let list = list.filter(|(_, len)| *len != 0 && *len != u32::MAX.into());
        let mut list: Vec<_> = list.map(|(key, len)| format!("\"{key}\":{len}")).collect();
        if let Some(pattern) = &self.pattern {
            list.push(format!("\"pattern\":{}", quoted(&pattern.value())));
        }
        if let Some(one_of) = &self.one_of {
            let names = one_of.elems.iter().filter_map(crate::options::literal_text);
            let names: Vec<_> = names.map(|name| quoted(&name.value())).collect();
            list.push(format!("\"enum\":[{}]", names.join(",")));
        }
        list
    }

    /// A check of the pattern at compile time.
    pub fn check_pattern(&self) -> TokenStream {
        let Some(pattern) = &self.pattern else { return TokenStream::new() };
        quote_spanned! {pattern.span()=>
            const _: () = if let ::core::result::Result::Err(__error) = ::midge::dispatch::pattern::check(#pattern) {
                ::core::panic!("{}", __error.phrase());
            };
        }
    }

    /// The rule of a type with these limits, where `schema` is the type as a `Schema`.
    fn rule(&self, schema: &TokenStream) -> TokenStream {
        let base = quote!(#schema::RULE);
        let Some(span) = self.span() else { return base };
        let unwrap = |narrowed: TokenStream| {
            quote_spanned! {span=>
                match #narrowed {
                    ::core::result::Result::Ok(__narrowed) => __narrowed,
                    ::core::result::Result::Err(__why) => ::core::panic!("{}", __why),
                }
            }
        };
        if let (true, _) = self.kinds() {
            let (Some(least), Some(most)) = (whole(&self.min, i128::MIN), whole(&self.max, i128::MAX)) else {
                let least = real(&self.min, f64::NEG_INFINITY);
                let most = real(&self.max, f64::INFINITY);
                return unwrap(quote!(#base.within_floats(#least, #most)));
            };
            return unwrap(quote!(#base.within(#least, #most)));
        }
        let least = whole(&self.min_len, 0).unwrap_or_default() as u32;
        let most = whole(&self.max_len, u32::MAX.into()).unwrap_or_default() as u32;
        let pattern = self.pattern.as_ref().map_or_else(|| quote!(""), |pattern| quote!(#pattern));
        let one_of = self.one_of.as_ref().map_or_else(|| quote!([]), |names| quote!(#names));
        let text = unwrap(quote!(#base.within_text(#least, #most, #pattern, &#one_of)));
        let check = self.check_pattern();
        quote! {{
            #check
            const __TEXT: ::midge::dispatch::args::Text = #text;
            ::midge::dispatch::args::Rule::Str(&__TEXT)
        }}
    }
}

/// The integer that `bound` is, `absent` when it is not given, `None` when it is no integer.
fn whole(bound: &Option<Literal>, absent: i128) -> Option<i128> {
    bound.as_ref().map_or(Some(absent), Literal::int)
}

fn real(bound: &Option<Literal>, absent: f64) -> TokenStream {
    let value = bound.as_ref().and_then(Literal::float).unwrap_or(absent);
    if value == f64::INFINITY {
        return quote!(::core::primitive::f64::INFINITY);
    }
    if value == f64::NEG_INFINITY {
        return quote!(::core::primitive::f64::NEG_INFINITY);
    }
    quote!(#value)
}

fn one_of(options: &mut Options) -> Result<Option<ExprArray>> {
    let example = "[\"on\", \"off\"]";
    match options.expr("one_of", example)? {
        None => Ok(None),
        Some(Expr::Array(names))
            if !names.elems.is_empty()
                && names.elems.iter().all(|name| crate::options::literal_text(name).is_some()) =>
        {
            Ok(Some(names))
        }
        Some(other) => {
            Err(Error::new(other.span(), format!("a list of string literals: write `one_of = {example}`")))
        }
    }
}

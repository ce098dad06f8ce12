//! `#[derive(Schema)]`.

use crate::arg::{self, Limits};
use crate::function::plain;
use crate::options::quoted;
use crate::plain::Plain;
use crate::serde::{Container, Field as SerdeField};
use crate::{docs, types};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DataEnum, DeriveInput, Error, Field, Fields, Result, Type, parse_quote};

const OPTIONS: [&str; 6] = ["min", "max", "min_len", "max_len", "pattern", "one_of"];

const SHAPES: &str = "`Schema` is derived of structs with named fields and of enums whose variants have none: write \
                      `impl Schema` by hand";

/// The impl of `Schema` for `item`.
pub fn expand(item: TokenStream) -> Result<TokenStream> {
    let item: DeriveInput = syn::parse2(item)?;
    let container = Container::of(&item.attrs)?;
    let (rule, parts, checks) = match &item.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => {
                let (parts, checks) = object(&container, fields.named.iter())?;
                let rule = quote!(::midge::dispatch::args::Rule::Json(
                    <Self as ::midge::dispatch::schema::Schema>::PARTS
                ));
                (rule, parts, checks)
            }
            _ => return Err(Error::new_spanned(&item.ident, SHAPES)),
        },
        Data::Enum(data) => {
            let (rule, parts) = names(&container, data)?;
            (rule, parts, TokenStream::new())
        }
        Data::Union(_) => return Err(Error::new_spanned(&item.ident, SHAPES)),
    };
    let name = &item.ident;
    let mut generics = item.generics.clone();
    for param in generics.type_params_mut() {
        param.bounds.push(parse_quote!(::midge::dispatch::schema::Schema));
    }
    let (impl_generics, ty_generics, bounds) = generics.split_for_impl();
    Ok(quote! {
        #checks
        impl #impl_generics ::midge::dispatch::schema::Schema for #name #ty_generics #bounds {
            const RULE: ::midge::dispatch::args::Rule = #rule;
            const PARTS: &'static [::midge::dispatch::schema::Part] = #parts;
        }
    })
}

/// The rule and the parts of an enum: a string with the variants' names.
fn names(container: &Container, data: &DataEnum) -> Result<(TokenStream, TokenStream)> {
    let mut names = Vec::new();
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(variant, SHAPES));
        }
        let serde = SerdeField::of(&variant.attrs)?;
        if !serde.is_skipped {
            names.push(serde.name.unwrap_or_else(|| container.case.of_variant(&plain(&variant.ident))));
        }
    }
    if names.is_empty() {
        return Err(Error::new_spanned(&data.variants, "an enum without variants has no values to list"));
    }
    let list: Vec<_> = names.iter().map(|name| quoted(name)).collect();
    let text = format!("\"type\":\"string\",\"enum\":[{}]", list.join(","));
    let rule = quote! {
        ::midge::dispatch::args::Rule::Str(&::midge::dispatch::args::Text {
            one_of: &[#(#names),*],
            ..::midge::dispatch::args::Text::ANY
        })
    };
    Ok((rule, quote!(&[::midge::dispatch::schema::Part::Json(#text)])))
}

/// The parts of a struct: texts between the parts of the fields' types, and checks of its patterns.
fn object<'f>(
    container: &Container,
    fields: impl Iterator<Item = &'f Field>,
) -> Result<(TokenStream, TokenStream)> {
    let mut parts = Parts::default();
    parts.json("\"type\":\"object\",\"properties\":{");
    let mut required: Vec<(String, TokenStream)> = Vec::new();
    let mut checks = TokenStream::new();
    for field in fields {
        let serde = SerdeField::of(&field.attrs)?;
        if serde.is_skipped {
            continue;
        }
        let ident = field.ident.as_ref().map(plain).unwrap_or_default();
        let name = quoted(&serde.name.clone().unwrap_or_else(|| container.case.of_field(&ident)));
        let comma = if required.is_empty() { "" } else { "," };
        parts.json(&format!("{comma}{name}:{{"));
        checks.extend(value(field, &mut parts)?);
        parts.json("}");
        let needed = if serde.is_optional || container.has_defaults {
            quote!(false)
        } else {
            let ty = &field.ty;
            quote_spanned!(ty.span()=> <#ty as ::midge::dispatch::schema::Schema>::REQUIRED)
        };
        required.push((name, needed));
    }
    parts.json("}");
    parts.required(&required);
    if container.is_closed {
        parts.json(",\"additionalProperties\":false");
    }
    Ok((parts.finish(), checks))
}

/// Adds the schema of a field's value, without braces.
fn value(field: &Field, parts: &mut Parts) -> Result<TokenStream> {
    let about = docs::text(&field.attrs)?;
    if !about.is_empty() {
        parts.json(&format!("\"description\":{},", quoted(&about)));
    }
    let mut options = arg::options(&field.attrs, "#[arg] of a field", &OPTIONS)?;
    let limits = Limits::take(&mut options)?;
    match limits.span() {
        None => {
            let ty = &field.ty;
            parts.ty(&quote_spanned!(ty.span()=> <#ty as ::midge::dispatch::schema::Schema>::PARTS));
        }
        Some(span) => {
            let members = limited(&field.ty, &limits).ok_or_else(|| Error::new(span, LIMITED))?;
            parts.json(&members.join(","));
        }
    }
    Ok(limits.check_pattern())
}

const LIMITED: &str = "`min` and `max` go on a field of u8 to u64, i8 to i64, f32 or f64; `min_len`, `max_len`, `pattern` \
                       and `one_of` on one of &str or String";

/// The schema of a value of type `ty` within `limits`, told from the type's name; `None` for any other type.
fn limited(ty: &Type, limits: &Limits) -> Option<Vec<String>> {
    let inner = types::in_option(ty).unwrap_or(ty);
    let is_string = types::last_name(inner).as_deref() == Some("String");
    let plain = if is_string { Plain::text() } else { Plain::of(inner)? };
    plain.members(limits)
}

/// Expressions of type `Part`, with neighbouring texts joined.
#[derive(Default)]
struct Parts {
    list: Vec<TokenStream>,
    text: String,
}

impl Parts {
    fn json(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            self.list.push(quote!(::midge::dispatch::schema::Part::Json(#text)));
        }
    }

    fn ty(&mut self, parts: &TokenStream) {
        self.flush();
        self.list.push(quote!(::midge::dispatch::schema::Part::List(#parts)));
    }

    /// The list of required members: whether one is, only its type knows, so that each is a text or an empty one.
    fn required(&mut self, fields: &[(String, TokenStream)]) {
        let mut before = quote!(false);
        for (name, needed) in fields {
            if needed.to_string() == "false" {
                continue;
            }
            self.flush();
            let (first, later) = (format!(",\"required\":[{name}"), format!(",{name}"));
            self.list.push(quote! {
                ::midge::dispatch::schema::Part::Json(
                    if !(#needed) { "" } else if #before { #later } else { #first }
                )
            });
            before = quote!(#before || #needed);
        }
        self.flush();
        self.list.push(quote!(::midge::dispatch::schema::Part::Json(if #before { "]" } else { "" })));
    }

    fn finish(mut self) -> TokenStream {
        self.flush();
        let list = self.list;
        quote!(&[#(#list),*])
    }
}

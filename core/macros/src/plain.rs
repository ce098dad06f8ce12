//! Types whose schema is known from their name: numbers, `bool`, `char` and texts.
//!
//! The text for them is written here, as a literal: evaluated in `const` from the types it takes tens of milliseconds
//! per tool. That a name means the type it seems to is checked where the value is taken: it is decoded as
//! `::core::primitive::…`, which is no other type by the same name.

use crate::arg::Limits;
use crate::types;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Type;

/// Such a type, in an `Option` or not.
pub struct Plain {
    kind: Kind,
    name: String,
    /// Whether it is in an `Option`.
    pub is_optional: bool,
}

#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Char,
    Text,
    Float,
    /// An integer, with the bounds that are listed.
    Int(Option<i128>, Option<i128>),
}

impl Plain {
    /// What `ty` is, if it is one of these.
    pub fn of(ty: &Type) -> Option<Self> {
        if let Some(inner) = types::in_option(ty) {
            return match Self::of(inner)? {
                Self { is_optional: true, .. } => None,
                plain => Some(Self { is_optional: true, ..plain }),
            };
        }
        let name = match ty {
            Type::Reference(r) if types::is_str(ty) => types::only_name(&r.elem)?,
            _ => types::only_name(ty)?,
        };
        let int = |least: i128, most: i128| Kind::Int(Some(least), Some(most));
        let kind = match name.as_str() {
            "bool" => Kind::Bool,
            "char" => Kind::Char,
            "str" if types::is_str(ty) => Kind::Text,
            "f32" | "f64" => Kind::Float,
            "u8" => int(0, u8::MAX.into()),
            "u16" => int(0, u16::MAX.into()),
            "u32" => int(0, u32::MAX.into()),
            "u64" => Kind::Int(Some(0), None),
            "i8" => int(i8::MIN.into(), i8::MAX.into()),
            "i16" => int(i16::MIN.into(), i16::MAX.into()),
            "i32" => int(i32::MIN.into(), i32::MAX.into()),
            "i64" => Kind::Int(None, None),
            _ => return None,
        };
        Some(Self { kind, name, is_optional: false })
    }

    /// A text of any string type.
    pub fn text() -> Self {
        Self { kind: Kind::Text, name: "str".to_owned(), is_optional: false }
    }

    /// The type, by the one path that always means it; `lifetime` is that of a reference.
    pub fn path(&self) -> TokenStream {
        let name = Ident::new(&self.name, Span::call_site());
        let reference = matches!(self.kind, Kind::Text).then(|| quote!(&'_));
        let path = quote!(#reference ::core::primitive::#name);
        if self.is_optional { quote!(::core::option::Option<#path>) } else { path }
    }

    /// The members of its schema within `limits`, in the order that `render` has; `None` for limits it cannot have.
    pub fn members(&self, limits: &Limits) -> Option<Vec<String>> {
        let (is_number, is_text) = limits.kinds();
        let allowed = match self.kind {
            Kind::Bool | Kind::Char => !is_number && !is_text,
            Kind::Text => !is_number,
            Kind::Float | Kind::Int(..) => !is_text,
        };
        if !allowed {
            return None;
        }
        let kind = match self.kind {
            Kind::Bool => "boolean",
            Kind::Char | Kind::Text => "string",
            Kind::Float => "number",
            Kind::Int(..) => "integer",
        };
        let mut members = vec![format!("\"type\":\"{kind}\"")];
        match self.kind {
            Kind::Bool => {}
            Kind::Char => members.extend(["\"minLength\":1".to_owned(), "\"maxLength\":1".to_owned()]),
            Kind::Text => members.extend(limits.listed_texts()),
            Kind::Float => members.extend(limits.listed_numbers()),
            Kind::Int(least, most) => {
                let (min, max) = limits.ints();
                members.extend(min.or(least).map(|bound| format!("\"minimum\":{bound}")));
                members.extend(max.or(most).map(|bound| format!("\"maximum\":{bound}")));
            }
        }
        Some(members)
    }
}

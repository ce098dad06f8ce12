//! What serde's attributes say of names and of what may be left out.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, Error, LitStr, Result, Token};

/// Of a struct or an enum.
#[derive(Default)]
pub struct Container {
    /// How names are written.
    pub case: Case,
    /// Whether every field has a default.
    pub has_defaults: bool,
    /// Whether unknown fields are refused.
    pub is_closed: bool,
}

/// Of a field or a variant.
#[derive(Default)]
pub struct Field {
    /// Its name, if it is renamed.
    pub name: Option<String>,
    /// Whether it may be left out.
    pub is_optional: bool,
    /// Whether it is never there.
    pub is_skipped: bool,
}

fn each(attrs: &[Attribute], mut take: impl FnMut(&ParseNestedMeta<'_>) -> Result<()>) -> Result<()> {
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("serde")) {
        attr.parse_nested_meta(|meta| {
            take(&meta)?;
            pass(&meta)
        })?;
    }
    Ok(())
}

/// Passes over the value that was not taken.
fn pass(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if meta.input.peek(Token![=]) {
        meta.value()?.parse::<syn::Expr>()?;
    } else if meta.input.peek(syn::token::Paren) {
        let inner;
        syn::parenthesized!(inner in meta.input);
        inner.parse::<proc_macro2::TokenStream>()?;
    }
    Ok(())
}

fn name_of(meta: &ParseNestedMeta<'_>) -> Result<LitStr> {
    if !meta.input.peek(Token![=]) {
        let words = "one name for both ways: the schema is the same for what is read and what is written";
        return Err(meta.error(words));
    }
    meta.value()?.parse()
}

fn refuse(meta: &ParseNestedMeta<'_>, names: &[&str]) -> Result<()> {
    match names.iter().find(|name| meta.path.is_ident(name)) {
        Some(name) => {
            let words =
                format!("with serde's `{name}` the JSON has another shape: write `impl Schema` by hand");
            Err(Error::new_spanned(&meta.path, words))
        }
        None => Ok(()),
    }
}

impl Container {
    /// What `attrs` say.
    pub fn of(attrs: &[Attribute]) -> Result<Self> {
        let mut container = Self::default();
        each(attrs, |meta| {
            refuse(meta, &["tag", "content", "untagged", "transparent", "from", "try_from", "into"])?;
            if meta.path.is_ident("rename_all") {
                let name = name_of(meta)?;
                container.case = Case::named(&name.value())
                    .ok_or_else(|| Error::new(name.span(), "serde does not know this case"))?;
            }
            container.has_defaults |= meta.path.is_ident("default");
            container.is_closed |= meta.path.is_ident("deny_unknown_fields");
            Ok(())
        })?;
        Ok(container)
    }
}

impl Field {
    /// What `attrs` say.
    pub fn of(attrs: &[Attribute]) -> Result<Self> {
        let mut field = Self::default();
        each(attrs, |meta| {
            refuse(meta, &["flatten", "with", "serialize_with", "deserialize_with"])?;
            if meta.path.is_ident("rename") {
                field.name = Some(name_of(meta)?.value());
            }
            let optional = ["default", "skip_serializing", "skip_deserializing", "skip_serializing_if"];
            field.is_optional |= optional.iter().any(|name| meta.path.is_ident(name));
            field.is_skipped |= meta.path.is_ident("skip");
            Ok(())
        })?;
        Ok(field)
    }
}

/// How names are written.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Case {
    /// As in Rust.
    #[default]
    Same,
    /// `lowercase`
    Lower,
    /// `UPPERCASE`
    Upper,
    /// `PascalCase`
    Pascal,
    /// `camelCase`
    Camel,
    /// `snake_case`
    Snake,
    /// `SCREAMING_SNAKE_CASE`
    ScreamingSnake,
    /// `kebab-case`
    Kebab,
    /// `SCREAMING-KEBAB-CASE`
    ScreamingKebab,
}

impl Case {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "lowercase" => Self::Lower,
            "UPPERCASE" => Self::Upper,
            "PascalCase" => Self::Pascal,
            "camelCase" => Self::Camel,
            "snake_case" => Self::Snake,
            "SCREAMING_SNAKE_CASE" => Self::ScreamingSnake,
            "kebab-case" => Self::Kebab,
            "SCREAMING-KEBAB-CASE" => Self::ScreamingKebab,
            _ => return None,
        })
    }

    /// The name of the field `name`, which is `snake_case` in Rust.
    pub fn of_field(self, name: &str) -> String {
        let pascal = || name.split('_').map(capital).collect::<String>();
        match self {
            Self::Same | Self::Lower | Self::Snake => name.to_owned(),
            Self::Upper | Self::ScreamingSnake => name.to_ascii_uppercase(),
            Self::Pascal => pascal(),
            Self::Camel => small(&pascal()),
            Self::Kebab => name.replace('_', "-"),
            Self::ScreamingKebab => name.to_ascii_uppercase().replace('_', "-"),
        }
    }

    /// The name of the variant `name`, which is `PascalCase` in Rust.
    pub fn of_variant(self, name: &str) -> String {
        match self {
            Self::Same | Self::Pascal => name.to_owned(),
            Self::Lower => name.to_ascii_lowercase(),
            Self::Upper => name.to_ascii_uppercase(),
            Self::Camel => small(name),
            Self::Snake => snake(name),
            Self::ScreamingSnake => snake(name).to_ascii_uppercase(),
            Self::Kebab => snake(name).replace('_', "-"),
            Self::ScreamingKebab => snake(name).to_ascii_uppercase().replace('_', "-"),
        }
    }
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

fn small(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if i > 0 && c.is_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Case;

    #[test]
    fn names_are_those_of_serde() {
        let cases = [
            ("lowercase", "very_tasty", "verytasty"),
            ("UPPERCASE", "VERY_TASTY", "VERYTASTY"),
            ("PascalCase", "VeryTasty", "VeryTasty"),
            ("camelCase", "veryTasty", "veryTasty"),
            ("snake_case", "very_tasty", "very_tasty"),
            ("SCREAMING_SNAKE_CASE", "VERY_TASTY", "VERY_TASTY"),
            ("kebab-case", "very-tasty", "very-tasty"),
            ("SCREAMING-KEBAB-CASE", "VERY-TASTY", "VERY-TASTY"),
        ];
        for (case, field, variant) in cases {
            let case = Case::named(case).unwrap();
            assert_eq!(case.of_field("very_tasty"), field);
            assert_eq!(case.of_variant("VeryTasty"), variant);
        }
        assert!(Case::named("Title Case").is_none());
    }
}

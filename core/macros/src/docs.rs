//! Doc comments as descriptions.

use syn::{Attribute, Error, Expr, ExprLit, Lit, Meta, Result};

/// The text of the doc comments among `attrs`: lines as written, without the space that sets them apart.
///
/// # Errors
/// A doc attribute that is no literal, such as `#[doc = include_str!("…")]`: its text is not known here.
pub fn text(attrs: &[Attribute]) -> Result<String> {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("doc")) {
        let Meta::NameValue(pair) = &attr.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(part), .. }) = &pair.value else {
            let words = "a description is read from doc comments only: write it as `///`";
            return Err(Error::new_spanned(&pair.value, words));
        };
        comment_lines(&part.value(), &mut lines);
    }
    Ok(lines.join("\n").trim().to_owned())
}

fn comment_lines(comment: &str, lines: &mut Vec<String>) {
    let is_starred = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('*');
    let starred = comment.contains('\n') && comment.lines().skip(1).all(is_starred);
    for (i, line) in comment.split('\n').enumerate() {
        // `/** … */` over several lines: the column of stars is no text.
        let line = match line.trim_start().strip_prefix('*') {
            Some(rest) if starred && i > 0 => rest,
            _ => line,
        };
        lines.push(line.strip_prefix(' ').unwrap_or(line).trim_end().to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::text;
    use syn::parse_quote;

    #[test]
    fn lines_are_joined_as_written() {
        let item: syn::ItemStruct = parse_quote! {
            /// One
            /// two.
            ///
            ///   - three
            struct S;
        };
        assert_eq!(text(&item.attrs).unwrap(), "One\ntwo.\n\n  - three");
    }

    #[test]
    fn stars_of_a_block_are_no_text() {
        let item: syn::ItemStruct = parse_quote! {
            #[doc = " One\n * two\n *\n * * three\n "]
            struct S;
        };
        assert_eq!(text(&item.attrs).unwrap(), "One\ntwo\n\n* three");
    }

    #[test]
    fn only_literals_are_read() {
        let item: syn::ItemStruct = parse_quote! {
            #[doc = include_str!("x")]
            struct S;
        };
        assert!(text(&item.attrs).is_err());
    }
}

//! Variables in the texts of the file.

/// `text` with `${NAME}`, `${env:NAME}` and `${NAME:-otherwise}` filled in, once: what a variable holds is not looked
/// at again.
pub(super) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inner, after)) = from.split_once('}') else {
            return Err(format!("`${{{from}` has no end"));
        };
        out.push_str(&value(inner, variable)?);
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn value(inner: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let inner_name = inner.strip_prefix("env:").unwrap_or(inner);
    let (name, otherwise) = match inner_name.split_once(":-") {
        Some((name, otherwise)) => (name, Some(otherwise)),
        None => (inner_name, None),
    };
    if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return Err(format!(
            "`${{{inner}}}` is known to the editor that wrote it, not here; write the value"
        ));
    }
    // As shells have it, an empty variable gives way to what is otherwise.
    match (variable(name).filter(|v| otherwise.is_none() || !v.is_empty()), otherwise) {
        (Some(value), _) => Ok(value),
        (None, Some(otherwise)) => Ok(otherwise.into()),
        (None, None) => Err(format!("the variable `{name}` is not set")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_variable_holds_is_not_looked_at_again() {
        let variable = |name: &str| (name == "A").then(|| "${B}".to_owned());
        assert_eq!(expand("x${A}y${A}", &variable).unwrap(), "x${B}y${B}");
        assert_eq!(expand("${B:-}${A:-z}", &variable).unwrap(), "${B}");
        assert!(expand("${}", &variable).is_err());
    }
}

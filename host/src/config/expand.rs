//! Variables in the texts of the file.

/// The kinds of variables that editors have.
const EDITORS: &[&str] = &["input", "config", "command", "workspaceFolder"];

/// `text` with `${NAME}`, `${env:NAME}` and `${NAME:-otherwise}` filled in, once: what a variable holds is not looked
/// at again.
pub(super) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inner, after)) = from.split_once('}') else {
            // What stands there may be a part of a secret.
            return Err("a `${` has no end".into());
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
        // Editors have kinds of them; anything else may be a part of a secret.
        let kind = inner.split_once(':').map(|(kind, _)| kind).filter(|kind| EDITORS.contains(kind));
        let what = kind.map_or_else(|| "what stands in `${ }`".into(), |_| format!("`${{{inner}}}`"));
        return Err(format!("{what} is known to the editor that wrote it, not here; write the value"));
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

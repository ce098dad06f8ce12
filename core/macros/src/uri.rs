//! The variables of a URI template, by name. Whether the template is a good one is checked by the core, in `const`.

/// The names of the variables in `template`, in order.
pub fn variables(template: &str) -> Vec<&str> {
    let expressions = template.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(e, _)| e);
    expressions
        .flat_map(|expression| {
            let list = expression.strip_prefix(['+', '#', '.', '/', ';', '?', '&']).unwrap_or(expression);
            list.split(',').map(|var| var.split([':', '*']).next().unwrap_or(var))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn names_are_found_behind_operators_and_before_modifiers() {
        assert_eq!(variables("a://{x}/{+path}{?q,limit:3,tags*}"), ["x", "path", "q", "limit", "tags"]);
        assert!(variables("a://b").is_empty());
        assert!(variables("a://{b").is_empty());
    }
}

//! What is declared is used, and what is used is declared: dependencies in the README, limits in the code.

mod source;

use source::is_name;
use std::fs;

fn read(path: &str) -> String {
    fs::read_to_string(source::root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The names under the dependency headings of a manifest. Development ones do not reach users.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut within = false;
    let mut found = Vec::new();
    for line in manifest.lines() {
        if let Some(heading) = line.strip_prefix('[') {
            within = heading.trim_end_matches(']').rsplit('.').next() == Some("dependencies");
        } else if within && let Some((name, _)) = line.split_once('=') {
            found.push(name.trim().trim_end_matches(".workspace").to_owned());
        }
    }
    found
}

/// The first cells of the table under `## Dependencies`.
fn listed(readme: &str) -> Vec<&str> {
    let table = readme.split("\n## Dependencies\n").nth(1).unwrap_or("").split("\n## ").next().unwrap_or("");
    let cells = table.lines().filter_map(|l| l.strip_prefix('|')?.split('|').next());
    cells.flat_map(|cell| cell.split(',')).map(|name| name.trim().trim_matches('`')).collect()
}

#[test]
fn every_dependency_has_its_line_in_the_readme() {
    let readme = read("README.md");
    let listed = listed(&readme);
    let mut declared = Vec::new();
    for manifest in ["core/Cargo.toml", "core/macros/Cargo.toml", "examples/Cargo.toml", "host/Cargo.toml"] {
        let names = dependencies(&read(manifest));
        assert!(!names.is_empty(), "{manifest} has no dependencies?");
        for name in names.into_iter().filter(|name| !name.starts_with("midge")) {
            assert!(
                listed.contains(&name.as_str()),
                "{manifest}: `{name}` is not in the README's table of dependencies"
            );
            declared.push(name);
        }
    }
    for name in listed.iter().filter(|n| !n.is_empty() && **n != "crate" && !n.starts_with('-')) {
        assert!(declared.iter().any(|d| d == name), "the README lists `{name}`, which nothing depends on");
    }
}

#[test]
fn every_limit_is_used() {
    let limits = read("core/src/limits.rs");
    let names: Vec<&str> =
        limits.lines().filter_map(|l| l.strip_prefix("pub const ")?.split(':').next()).collect();
    assert!(names.len() > 5, "{names:?}");
    let files = source::files(&source::root().join("core/src"));
    for name in names {
        let used = files.iter().any(|(file, text)| {
            file != "limits.rs" && uses(&source::without(source::code(text, false), "#[cfg(test)]"), name)
        });
        assert!(used, "nothing enforces limits::{name}");
    }
}

fn uses(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let b = code.as_bytes();
        (at == 0 || !is_name(b[at - 1])) && b.get(at + name.len()).is_none_or(|c| !is_name(*c))
    })
}

#[test]
fn planted_names_are_found_missing() {
    let manifest = "[dependencies]\nserde = \"1\"\n[dev-dependencies]\nproptest = \"1\"\n[target.'cfg(unix)'.dependencies]\nrustix = { version = \"1\" }\n[lints]\nworkspace = true\n";
    assert_eq!(dependencies(manifest), ["serde", "rustix"]);
    assert_eq!(
        listed(
            "a\n\n## Dependencies\n\n| crate | where |\n|---|---|\n| syn, quote | x |\n\n## More\n| a | b |\n"
        ),
        ["crate", "---", "syn", "quote"]
    );
    assert!(uses("limits::DEPTH_MAX;", "DEPTH_MAX") && !uses("limits::DEPTH_MAX_2;", "DEPTH_MAX"));
}

//! The layer rule: a file of core imports lower layers or its own (decision 001).

mod source;

use source::is_name;

/// Layers from the bottom.
const LAYERS: [&[&str]; 7] = [
    &["bytes", "error", "limits", "time", "sink"],
    &["json", "wire"],
    &["rpc"],
    &["proto"],
    &["session"],
    &["dispatch"],
    &["io", "seal"],
];

/// What is re-exported at the crate's root, and where it lives. Code inside the crate names the layer instead, but for these.
const ROOT: [(&str, &str); 2] = [("Server", "session"), ("Revision", "proto")];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// `(line, module)` of every `crate::module` in code, groups (`crate::{a, b::c}`) included.
fn imports(text: &str) -> Vec<(usize, String)> {
    let text = source::without(source::code(text, true), "#[cfg(test)]");
    let text = source::code(&text, false);
    let mut found = Vec::new();
    for (at, path) in text.match_indices("crate::") {
        // `$crate::` is written for users, who see the root.
        let before = text.as_bytes().get(at.wrapping_sub(1)).copied().unwrap_or(b' ');
        if before == b'$' || is_name(before) {
            continue;
        }
        let line = text[..at].matches('\n').count() + 1;
        let rest = &text[at + path.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(heads(group).into_iter().map(|m| (line, m))),
            None => found.push((line, head(rest))),
        }
    }
    found
}

fn head(path: &str) -> String {
    path.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// The first name of every member of a group.
fn heads(group: &str) -> Vec<String> {
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(head(&group[start..i]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(head(&group[start..i]));
                start = i + 1;
            }
            _ => {}
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// What breaks the rule in `file`.
fn faults(file: &str, text: &str) -> Vec<String> {
    let own = file.split(['/', '.']).next().unwrap_or("");
    let Some(allowed) = layer(own) else { return vec![format!("{file}: module `{own}` is in no layer")] };
    let mut found = Vec::new();
    for (line, module) in imports(text) {
        let lives = ROOT.iter().find(|(name, _)| *name == module).map_or(module.as_str(), |(_, lives)| lives);
        match layer(lives) {
            None => found
                .push(format!("{file}:{line}: `crate::{module}` is in no layer: name the layer it lives in")),
            Some(at) if at > allowed => {
                found.push(format!("{file}:{line}: layer {allowed} ({own}) imports layer {at} ({lives})"));
            }
            Some(_) => {}
        }
    }
    found
}

#[test]
fn files_import_their_own_layer_or_lower_ones() {
    let mut wrong = Vec::new();
    for (file, text) in source::files(&source::root().join("core/src")) {
        if file != "lib.rs" {
            wrong.extend(faults(&file, &text));
        }
    }
    assert!(wrong.is_empty(), "decision 001:\n{}", wrong.join("\n"));
}

#[test]
fn every_module_of_the_root_has_a_layer() {
    let text = std::fs::read_to_string(source::root().join("core/src/lib.rs")).expect("lib.rs");
    let modules: Vec<&str> = text
        .lines()
        .filter_map(|l| l.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'))
        .collect();
    assert!(modules.len() >= LAYERS.concat().len(), "{modules:?}");
    for module in modules {
        assert!(layer(module).is_some(), "`{module}` is in no layer");
    }
}

#[test]
fn planted_imports_are_found() {
    let bad = [
        ("json/scan.rs", "use crate::rpc::id::Id;"),
        ("rpc/mod.rs", "use crate::{\n    bytes::at,\n    proto::{method, level},\n};"),
        ("bytes.rs", "fn f() { crate::json::num::digits() }"),
        ("session/slots.rs", "fn f(_: crate::dispatch::Io<'_>) {}"),
        ("dispatch/args.rs", "use crate::Nowhere;"),
        ("proto/level.rs", "fn f(_: crate::Server<'_>) {}"),
        ("odd.rs", ""),
    ];
    for (file, text) in bad {
        assert_eq!(faults(file, text).len(), 1, "{file}: {text}");
    }
    let good = [
        ("json/scan.rs", "use crate::{bytes::{at, part}, error::Kind};\nuse crate::wire::base64;"),
        ("rpc/mod.rs", "// use crate::session::x;\n/// [`crate::dispatch`]\nuse crate::json;"),
        ("wire/line.rs", "#[cfg(test)]\nmod tests { use crate::io::blocking; }"),
        ("dispatch/catalog_macro.rs", "macro_rules! m { () => { $crate::io::blocking } }"),
    ];
    for (file, text) in good {
        assert_eq!(faults(file, text), Vec::<String>::new(), "{file}: {text}");
    }
}

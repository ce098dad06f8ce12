//! The nearest name to one that is not there.

/// The name among `names` that was probably meant by `word`, if one is near enough to say so.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let word = plain(word);
    let limit = 1.max(word.len() / 3);
    names
        .into_iter()
        .map(|name| (distance(&word, &plain(name)), name))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// `; did you mean X?`, or nothing.
pub fn hint<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    nearest(word, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// Case and separators are what people mix up: they do not count.
fn plain(name: &str) -> Vec<char> {
    name.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Edit distance in which swapping two neighbours is one edit.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let mut best = (above[j] + usize::from(from != to)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let names = ["celsius", "mode", "room"];
        assert_eq!(nearest("celcius", names), Some("celsius"));
        assert_eq!(nearest("Celsius", names), Some("celsius"));
        assert_eq!(nearest("mdoe", names), Some("mode"));
        assert_eq!(nearest("fahrenheit", names), None);
        assert_eq!(nearest("set-target", ["get_target", "set_target"]), Some("set_target"));
        assert_eq!(nearest("", names), None);
    }

    #[test]
    fn counts_edits() {
        let count = |a: &str, b: &str| distance(&plain(a), &plain(b));
        assert_eq!(count("kitten", "sitting"), 3);
        assert_eq!(count("ab", "ba"), 1);
        assert_eq!(count("", "abc"), 3);
        assert_eq!(count("same", "same"), 0);
    }
}

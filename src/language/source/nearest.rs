//! Suggestions for unknown names, by edit distance.

/// Characters that are compared at most: the rest of longer texts is not looked at.
const COMPARED_MAX: usize = 120;

/// The edit distance of two texts (optimal string alignment: substitutions, insertions, deletions, and
/// transpositions of neighbours).
#[must_use]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let cut = |text: &str| text.chars().take(COMPARED_MAX).collect::<String>();
    strsim::osa_distance(&cut(a), &cut(b))
}

/// The same if it is at most `most`; letters that differ in case only are the same.
#[must_use]
pub fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    // Most names are not near, and their lengths tell.
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let distance = edit_distance(&a.to_ascii_lowercase(), &b.to_ascii_lowercase());
    Some(distance).filter(|d| *d <= most)
}

/// The names that are nearest to a given one, best first, at most three: those that differ in few letters, and those
/// that begin with it.
#[must_use]
pub fn nearest<'a>(name: &str, all: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // A third of the letters may be wrong, and two of a short name.
    let allowed = (name.chars().count() / 3).max(2);
    let lower = name.to_lowercase();
    let far = |other: &str| {
        let begins = !lower.is_empty() && other.to_lowercase().starts_with(&lower);
        let begins = begins.then_some(allowed);
        distance(name, other, allowed).or(begins)
    };
    let near = all.into_iter().filter_map(|other| {
        // Nothing of a name as short as the difference is left.
        let how = far(other).filter(|how| *how < other.chars().count())?;
        Some((how, other))
    });
    let mut near: Vec<(usize, &str)> = near.collect();
    near.sort_unstable();
    near.dedup();
    near.truncate(3);
    near.into_iter().map(|(_, name)| name).collect()
}

/// `a`, `b` or `c` between backticks.
#[must_use]
pub fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        Some((last, _)) => last.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let all = ["check", "compare", "explain", "exit-codes", "graph"];
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(nearest("chekc", all), ["check"]);
        assert_eq!(nearest("EXPLIAN", all), ["explain"]);
        assert_eq!(nearest("ex", all), ["exit-codes", "explain"]);
        assert!(nearest("nothing at all", all).is_empty());
        assert!(nearest("", all).is_empty());
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}

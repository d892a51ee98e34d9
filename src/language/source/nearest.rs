//! What may be meant by a name that does not exist.

/// Longer names are never near others: comparing them takes the product of their lengths.
const COMPARED_MAX: usize = 100;

/// Edit distance with swaps of neighbours, if it is at most `most`; letters that differ in case only
/// are the same.
#[must_use]
pub fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    // Names are ASCII.
    if a.len().abs_diff(b.len()) > most || a.len() > COMPARED_MAX {
        return None;
    }
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let width = b.len() + 1;
    let mut rows = vec![0usize; (a.len() + 1) * width];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i * width + j] = if i == 0 || j == 0 {
                i + j
            } else {
                let same = a[i - 1].eq_ignore_ascii_case(&b[j - 1]);
                // The least of what it takes to end with this pair of letters: replacing one,
                // leaving one out, adding one, or exchanging the last two.
                let replaced = rows[(i - 1) * width + j - 1] + usize::from(!same);
                let dropped = rows[(i - 1) * width + j] + 1;
                let added = rows[i * width + j - 1] + 1;
                let mut best = replaced.min(dropped).min(added);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(rows[(i - 2) * width + j - 2] + 1);
                }
                best
            };
        }
    }
    Some(rows[a.len() * width + b.len()]).filter(|d| *d <= most)
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
        assert_eq!(nearest("chekc", all), ["check"]);
        assert_eq!(nearest("EXPLIAN", all), ["explain"]);
        assert_eq!(nearest("ex", all), ["exit-codes", "explain"]);
        assert!(nearest("nothing at all", all).is_empty());
        assert!(nearest("", all).is_empty());
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}

//! Names that unreadable text would have declared.

use super::words::is_keyword;

/// The names that a broken declaration may have declared, with their offsets; rather too many than
/// too few.
pub(crate) fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let head = words(text).next().map_or("", |(_, word)| word);
    // In these, every word may be declared; that some only name sets or types does no harm. A name
    // too many keeps quiet about one undefined name. A name too few calls something undefined that
    // only was not read.
    let all = matches!(
        head,
        "channel"
            | "datatype"
            | "subtype"
            | "nametype"
            | "external"
            | "transparent"
            | "module"
            | "instance"
            | "Timed"
            | "exports"
    );
    let none = matches!(head, "assert" | "print" | "include");
    // A definition declares its head; `(x, y) = e` all names of its pattern.
    // Where the text begins with a letter, the first word is the head, and further names up to the
    // `=` are its parameters.
    let pattern = !text.starts_with(|c: char| c.is_ascii_alphabetic());
    let end = text.find('=').unwrap_or(text.len());
    words(text)
        .filter(|(_, word)| !is_keyword(word))
        .enumerate()
        .filter(move |(n, (at, _))| all || !none && (*n == 0 || pattern && *at < end))
        .map(|(_, word)| word)
}

/// All words of a text with their offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| c.is_ascii_alphabetic())?;
        let len = text[start..]
            .find(|c| !part(c))
            .unwrap_or(text.len() - start);
        at = start + len;
        Some((start, &text[start..at]))
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn what_would_have_been_declared() {
        let of = |text: &str| names(text).map(|(_, n)| n.to_owned()).collect::<Vec<_>>();
        assert_eq!(of("f(x) = x +"), ["f"]);
        assert_eq!(of("(x, y') = p +"), ["x", "y'"]);
        assert_eq!(of("datatype T = A. | B"), ["T", "A", "B"]);
        assert_eq!(of("assert P [T="), [""; 0]);
        assert_eq!(of("= 3"), [""; 0]);
    }
}

//! Cutting texts so that the rest still distinguishes them.
//!
//! Texts that stand beside each other (the states of one component along a run, the present value and the
//! one before) mostly begin alike, so a cut at the end would make them look equal. Here they are cut where
//! they are equal.

use unicode_width::UnicodeWidthChar;

use super::text::{fit, width};
use crate::source::hash::IndexSet;

/// Longest text that is compared character by character; of longer ones the beginning and the end are.
const LOOKED_AT: usize = 4000;

/// At most `columns` of a text: its beginning and its end, with `..` between.
#[must_use]
pub fn middle(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    if columns < 7 {
        return fit(text, columns);
    }
    let room = columns - 2;
    // The beginning identifies it: it gets the larger part.
    let end = room * 2 / 5;
    format!("{}..{}", head(text, room - end), tail(text, end))
}

/// Texts that stand beside each other, each cut to `columns`, so that two of them look the same only if they
/// are. Fewer than six columns may be too few for that.
#[must_use]
pub fn apart(texts: &[&str], columns: usize) -> Vec<String> {
    let distinct: IndexSet<&str> = texts.iter().copied().collect();
    let list: Vec<&str> = distinct.iter().copied().collect();
    // From the most readable to the most distinctive.
    let ways: [&dyn Fn(&str) -> String; 4] = [
        &|text| fit(text, columns),
        &|text| middle(text, columns),
        &|text| without_beginning(text, &list, columns),
        &|text| around_difference(text, &list, columns),
    ];
    let tells = |cut: &[String]| {
        let shown: IndexSet<&String> = cut.iter().collect();
        shown.len() == list.len()
    };
    let cut = ways.iter().find_map(|way| {
        let cut: Vec<String> = list.iter().map(|text| way(text)).collect();
        tells(&cut).then_some(cut)
    });
    let cut = cut.unwrap_or_else(|| numbered(&list, columns));
    let place = |text: &&str| distinct.get_index_of(text).and_then(|at| cut.get(at));
    let shown = texts.iter().map(|text| place(text).cloned());
    shown.map(Option::unwrap_or_default).collect()
}

/// Breaks a text into lines, after a comma, a dot or a bracket where that leaves most of the line full.
#[must_use]
pub fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest = text;
    loop {
        let line = head(rest, columns.max(1));
        if line.len() == rest.len() {
            break;
        }
        let end = line.rfind([',', '.', '(', ' ']).map_or(0, |at| at + 1);
        let end = if end * 2 >= line.len() {
            end
        } else {
            line.len()
        };
        // A character that is wider than the line stands on it all the same.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (line, after) = rest.split_at(end.max(first));
        lines.push(line.to_string());
        rest = after;
    }
    lines.push(rest.to_string());
    lines
}

/// The first columns of a text.
#[must_use]
pub fn head(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    text.chars().take_while(fits).collect()
}

/// The last columns of a text.
#[must_use]
pub fn tail(text: &str, columns: usize) -> String {
    let mut used = 0;
    let fits = |c: &char| {
        used += c.width().unwrap_or(0);
        used <= columns
    };
    let last: Vec<char> = text.chars().rev().take_while(fits).collect();
    last.into_iter().rev().collect()
}

/// The length of the common beginning of two texts, in characters.
fn common(a: &str, b: &str) -> usize {
    let pairs = a.chars().zip(b.chars()).take(LOOKED_AT);
    pairs.take_while(|(a, b)| a == b).count()
}

/// The name, `..`, and the rest after the beginning that all texts of this name share.
fn without_beginning(text: &str, all: &[&str], columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let name = text.split(['(', '.', '[', '<', '{']).next().unwrap_or("");
    let alike = all.iter().filter(|other| **other != text);
    let alike = alike.filter(|other| other.starts_with(name));
    let shared = alike.map(|other| common(text, other)).min().unwrap_or(0);
    let name = head(name, columns / 3);
    // Not worth it: the dots would take the place of the omitted text.
    if shared < name.chars().count() + 3 {
        return middle(text, columns);
    }
    let rest: String = text.chars().skip(shared).collect();
    let room = columns.saturating_sub(width(&name) + 2);
    format!("{name}..{}", middle(&rest, room))
}

/// The part around the first character in which a text differs from the most similar one.
fn around_difference(text: &str, all: &[&str], columns: usize) -> String {
    if width(text) <= columns {
        return text.to_string();
    }
    let others = all.iter().filter(|other| **other != text);
    let shared = others.map(|other| common(text, other)).max().unwrap_or(0);
    if shared < 3 {
        return middle(text, columns);
    }
    let rest: String = text.chars().skip(shared).collect();
    format!("..{}", fit(&rest, columns.saturating_sub(2)))
}

/// The beginning and a number, where nothing else helps.
fn numbered(list: &[&str], columns: usize) -> Vec<String> {
    let number = |at: usize| format!("..#{}", at + 1);
    let cut = list.iter().enumerate().map(|(at, text)| {
        let number = number(at);
        if width(text) + width(&number) <= columns {
            return (*text).to_string() + &number[2..];
        }
        head(text, columns.saturating_sub(width(&number))) + &number
    });
    cut.map(|text| head(&text, columns)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn both_ends_stay() {
        assert_eq!(middle("Session(Bob)", 12), "Session(Bob)");
        assert_eq!(middle("Session(Bob, Alice, Na)", 12), "Sessio.. Na)");
        assert_eq!(middle("Session(Bob)", 5), "Ses..");
    }

    #[test]
    fn texts_are_cut_where_they_are_equal() {
        let list = ["knows(PK.(pkA, Nb))", "knows(PK.(pkA, Na))"];
        assert_eq!(apart(&list, 12), ["knows(..Nb))", "knows(..Na))"]);
        let same = ["aaaaaaaaaaaa", "aaaaaaaaaaaa"];
        assert_eq!(apart(&same, 6), ["aaaa..", "aaaa.."]);
    }

    proptest! {
        /// Cut texts are equal exactly where the texts are, and never too long.
        #[test]
        fn what_differs_looks_different(
            texts in prop::collection::vec("[ab(.,]{0,40}|Session\\([AB], N[ab]\\)|λ{3,9}[xy]", 1..8),
            columns in 6..30usize,
        ) {
            let list: Vec<&str> = texts.iter().map(String::as_str).collect();
            let shown = apart(&list, columns);
            for (a, left) in list.iter().zip(&shown) {
                prop_assert!(width(left) <= columns, "{left}");
                for (b, right) in list.iter().zip(&shown) {
                    prop_assert_eq!(a == b, left == right, "{} {}", a, b);
                }
            }
        }
    }
}

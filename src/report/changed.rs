//! Differences of two states: the parts of a state that changed since the state before it.
//!
//! Both states are texts in the notation of CSPm, as [`super::words`] writes them. A counterexample from a file has
//! nothing else, so texts are compared and not values: parts are left out only if they are equal, letter by letter.

use crate::source::hash::{IndexMap, Set};

/// Characters that are always shown in full.
const SHORT: usize = 40;

/// Characters of unchanged items in a row that are not worth leaving out.
const RUN_SHORT: usize = 12;

/// Largest depth of nested brackets that are compared.
const DEPTH_MAX: usize = 16;

/// Written in place of an item that has not changed.
pub(super) const SAME: &str = "…";

/// The state `after` with `…` in place of the parts that are unchanged since `before`:
/// `Wait(…, (| … with 3 => 4 |))`. `None` where that is not shorter than the whole.
#[must_use]
pub fn changed(before: &str, after: &str) -> Option<String> {
    let length = after.chars().count();
    if length <= SHORT {
        return None;
    }
    if before == after {
        return (!after.contains(SAME)).then(|| SAME.to_owned());
    }
    let brief = pieces_changed(before, after, 0);
    (brief.chars().count() < length).then_some(brief)
}

/// The kind of a pair of brackets: how the items in it are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bracket {
    /// `(a, b)`, also the arguments of a process: each has its place.
    Tuple,
    /// `<a, b>`: places that move.
    Sequence,
    /// `{a, b}`: no order.
    Set,
    /// `(| a => b |)`: by their keys.
    Map,
}

impl Bracket {
    /// Both brackets as they are written, with the blanks inside.
    fn ends(self) -> (&'static str, &'static str) {
        match self {
            Self::Tuple => ("(", ")"),
            Self::Sequence => ("<", ">"),
            Self::Set => ("{", "}"),
            Self::Map => ("(| ", " |)"),
        }
    }
}

/// A piece of a text.
enum TextPart<'a> {
    Plain(&'a str),
    Group {
        bracket: Bracket,
        text: &'a str,
        items: Vec<&'a str>,
    },
}

/// The shorter of the whole and its changes, for texts that differ.
fn pieces_changed(before: &str, after: &str, depth: usize) -> String {
    let whole = || after.to_owned();
    if depth > DEPTH_MAX {
        return whole();
    }
    let (Some(old), Some(new)) = (pieces(before), pieces(after)) else {
        return whole();
    };
    let groups = |pieces: &[TextPart]| -> Vec<Option<Bracket>> {
        let kind = |piece: &TextPart| match piece {
            TextPart::Plain(_) => None,
            TextPart::Group { bracket, .. } => Some(*bracket),
        };
        pieces.iter().map(kind).collect()
    };
    if groups(&old) != groups(&new) {
        return whole();
    }
    let mut brief = String::new();
    for pair in old.iter().zip(&new) {
        match pair {
            (
                TextPart::Group {
                    items: old,
                    text: was,
                    ..
                },
                TextPart::Group {
                    bracket,
                    items,
                    text,
                },
            ) => {
                brief += &group_changed(*bracket, was, old, text, items, depth);
            }
            (_, TextPart::Plain(text) | TextPart::Group { text, .. }) => brief.push_str(text),
        }
    }
    if brief.chars().count() < after.chars().count() {
        brief
    } else {
        whole()
    }
}

/// The shorter of a whole pair of brackets and its changes.
fn group_changed(
    bracket: Bracket,
    before: &str,
    old: &[&str],
    after: &str,
    new: &[&str],
    depth: usize,
) -> String {
    let is_worth = match bracket {
        Bracket::Tuple => true,
        Bracket::Sequence => before != after,
        // The cut part is not compared: it is not shown.
        Bracket::Set | Bracket::Map => {
            before != after && !before.contains(SAME) && !after.contains(SAME)
        }
    };
    if !is_worth {
        return after.to_owned();
    }
    let inner = match bracket {
        Bracket::Tuple => tuple_changed(old, new, depth),
        Bracket::Sequence => sequence_changed(old, new),
        Bracket::Set => set_changed(old, new),
        Bracket::Map => map_changed(old, new, depth),
    };
    let (open, close) = bracket.ends();
    let group = format!("{open}{inner}{close}");
    if group.chars().count() < after.chars().count() {
        group
    } else {
        after.to_owned()
    }
}

/// Whether an item is unchanged. The rest of a cut item is unknown.
fn is_same(before: &str, after: &str) -> bool {
    before == after && !after.contains('…')
}

/// Items in their places.
fn tuple_changed(before: &[&str], after: &[&str], depth: usize) -> String {
    let mut shown = Vec::new();
    let mut at = 0;
    while at < after.len() {
        let same = after[at..].iter().zip(before.get(at..).unwrap_or(&[]));
        let run = same.take_while(|(new, old)| is_same(old, new)).count();
        if run == 0 {
            shown.push(match before.get(at) {
                Some(old) => pieces_changed(old, after[at], depth + 1),
                None => after[at].to_owned(),
            });
            at += 1;
            continue;
        }
        let whole = after[at..at + run].join(", ");
        shown.push(match (whole.chars().count() <= RUN_SHORT, run) {
            (true, _) => whole,
            (false, 1) => SAME.to_owned(),
            (false, several) => format!("{SAME} x{several}"),
        });
        at += run;
    }
    shown.join(", ")
}

/// Changes of a row: the items that it kept, and the new ones before, behind or between.
fn sequence_changed(before: &[&str], after: &[&str]) -> String {
    let pairs = |old: &mut dyn Iterator<Item = &&str>, new: &mut dyn Iterator<Item = &&str>| {
        old.zip(new)
            .take_while(|(old, new)| is_same(old, new))
            .count()
    };
    let first = pairs(&mut before.iter(), &mut after.iter());
    let most = before.len().min(after.len()) - first;
    let last = pairs(&mut before.iter().rev(), &mut after.iter().rev()).min(most);
    // A queue loses its first item and gets one at its end, or the other way round.
    let moved_up = overlap(before, after);
    let moved_down = overlap(after, before);
    let ways = [
        sequence_text(
            &[("the first", first)],
            &after[first..after.len() - last],
            &[("the last", last)],
        ),
        sequence_text(&[("the last", moved_up)], &after[moved_up..], &[]),
        sequence_text(
            &[],
            &after[..after.len() - moved_down],
            &[("the first", moved_down)],
        ),
    ];
    // The first of those with the least to read that is new.
    let best = ways.into_iter().min_by_key(|(new, _)| *new);
    best.map(|(_, text)| text).unwrap_or_default()
}

/// The length of the longest end of `left` with which `right` begins.
fn overlap(left: &[&str], right: &[&str]) -> usize {
    // The failure function of Knuth, Morris and Pratt: linear, however often items repeat.
    let mut borders = vec![0; right.len()];
    for at in 1..right.len() {
        let mut border: usize = borders[at - 1];
        while border > 0 && !is_same(right[border], right[at]) {
            border = borders[border - 1];
        }
        borders[at] = border + usize::from(is_same(right[border], right[at]));
    }
    let mut matched = 0;
    for item in left {
        if matched == right.len() {
            matched = borders.last().copied().unwrap_or(0);
        }
        while matched > 0 && !is_same(right[matched], item) {
            matched = borders[matched - 1];
        }
        if right.get(matched).is_some_and(|next| is_same(next, item)) {
            matched += 1;
        }
    }
    matched
}

/// New items between numbers of those that were there, and how many characters the new ones have.
fn sequence_text(front: &[(&str, usize)], new: &[&str], back: &[(&str, usize)]) -> (usize, String) {
    let kept = |(which, count): &(&str, usize)| (*count > 0).then(|| format!("{which} {count}"));
    let length = new.iter().map(|item| item.chars().count() + 2).sum();
    let front = front.iter().filter_map(kept);
    let back = back.iter().filter_map(kept);
    let new = new.iter().map(|item| (*item).to_owned());
    let text = front.chain(new).chain(back).collect::<Vec<_>>().join(", ");
    (length, text)
}

/// Elements that a set gained and lost.
fn set_changed(before: &[&str], after: &[&str]) -> String {
    let (old, new): (Set<&str>, Set<&str>) = (
        before.iter().copied().collect(),
        after.iter().copied().collect(),
    );
    let more = after.iter().filter(|item| !old.contains(*item));
    let less = before.iter().filter(|item| !new.contains(*item));
    with_and_without(
        more.map(|item| (*item).to_owned()).collect(),
        less.map(|item| (*item).to_owned()).collect(),
    )
}

/// Keys of a map with new values, and keys that are gone.
fn map_changed(before: &[&str], after: &[&str], depth: usize) -> String {
    let entry = |item: &&'_ str| {
        item.split_once(" => ")
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
    };
    let old: IndexMap<String, String> = before.iter().filter_map(entry).collect();
    let new: IndexMap<String, String> = after.iter().filter_map(entry).collect();
    // An item that is no entry, as where a map was cut, or a key that holds a map.
    if old.len() != before.len() || new.len() != after.len() {
        return after.join(", ");
    }
    let more = new
        .iter()
        .filter(|(key, value)| old.get(*key) != Some(*value));
    let more = more.map(|(key, value)| {
        let value = match old.get(key) {
            Some(was) => pieces_changed(was, value, depth + 1),
            None => value.clone(),
        };
        format!("{key} => {value}")
    });
    let less = old.keys().filter(|key| !new.contains_key(*key));
    with_and_without(more.collect(), less.cloned().collect())
}

fn with_and_without(more: Vec<String>, less: Vec<String>) -> String {
    let list = |word: &str, items: Vec<String>| {
        (!items.is_empty()).then(|| format!("{word} {}", items.join(", ")))
    };
    let both = [list("with", more), list("without", less)];
    let both: Vec<String> = both.into_iter().flatten().collect();
    format!("{SAME} {}", both.join(", "))
}

/// Cuts a text at its outer brackets. `None` if they do not match.
fn pieces(text: &str) -> Option<Vec<TextPart<'_>>> {
    let mut found = Vec::new();
    let (mut from, mut open): (usize, Vec<&str>) = (0, Vec::new());
    let (mut start, mut item, mut items) = (0, 0, Vec::new());
    for (at, token) in tokens(text) {
        let next = at + token.len();
        match token {
            "(" | "<" | "{" | "[" | "(|" | "{|" | "[|" => {
                if open.is_empty() {
                    found.push(TextPart::Plain(&text[from..at]));
                    (start, item) = (at, next);
                }
                open.push(token);
            }
            ")" | ">" | "}" | "]" | "|)" | "|}" | "|]" => {
                let opened = open.pop()?;
                if !is_pair(opened, token) {
                    return None;
                }
                if open.is_empty() {
                    items.push(text[item..at].trim());
                    items.retain(|item| !item.is_empty());
                    let bracket = bracket_of(opened);
                    let (text, items) = (&text[start..next], std::mem::take(&mut items));
                    found.push(match bracket {
                        Some(bracket) => TextPart::Group {
                            bracket,
                            text,
                            items,
                        },
                        None => TextPart::Plain(text),
                    });
                    from = next;
                }
            }
            "," if open.len() == 1 => {
                items.push(text[item..at].trim());
                item = next;
            }
            _ => {}
        }
    }
    if !open.is_empty() {
        return None;
    }
    found.push(TextPart::Plain(&text[from..]));
    Some(found)
}

fn is_pair(open: &str, close: &str) -> bool {
    let pairs = ["()", "<>", "{}", "[]", "(||)", "{||}", "[||]"];
    pairs.contains(&format!("{open}{close}").as_str())
}

/// The kind of a bracket; `None` for those of operators and of sets of channels.
fn bracket_of(open: &str) -> Option<Bracket> {
    Some(match open {
        "(" => Bracket::Tuple,
        "<" => Bracket::Sequence,
        "{" => Bracket::Set,
        "(|" => Bracket::Map,
        _ => return None,
    })
}

/// Brackets and commas with their places. Arrows and literals of text are none.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    const LONG: [&str; 11] = [
        "(|", "|)", "{|", "|}", "[|", "|]", "->", "=>", "[>", "|>", "|~|",
    ];
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        // A prime behind a name is a part of it.
        let is_quote =
            c == '"' || (c == '\'' && !(before.is_alphanumeric() || "_'".contains(before)));
        let length = if is_quote {
            literal(rest, c)
        } else if let Some(long) = LONG.iter().find(|long| rest.starts_with(**long)) {
            long.len()
        } else {
            c.len_utf8()
        };
        if !is_quote && !c.is_alphanumeric() {
            found.push((at, &rest[..length]));
        }
        before = c;
        at += length;
    }
    found
}

/// The bytes of a literal that a text begins with.
fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers(range: std::ops::Range<u32>) -> String {
        let items: Vec<String> = range.map(|n| n.to_string()).collect();
        items.join(", ")
    }

    #[test]
    fn arguments_show_what_is_new_in_them() {
        let map = |third: u32| {
            let entries = (1..30).map(|k| format!("{k} => {}", if k == 3 { third } else { k }));
            format!("(| {} |)", entries.collect::<Vec<_>>().join(", "))
        };
        let (idle, wait) = (
            format!("Idle(N2, {})", map(3)),
            format!("Wait(N2, {})", map(4)),
        );
        assert_eq!(
            changed(&idle, &wait).unwrap(),
            "Wait(N2, (| … with 3 => 4 |))"
        );
        let set = |from, to| format!("P(<{}>, {{{}}}, x)", numbers(0..30), numbers(from..to));
        assert_eq!(
            changed(&set(0, 30), &set(1, 32)).unwrap(),
            "P(…, {… with 30, 31, without 0}, x)"
        );
        let long = |n: u32| format!("Long({}, {n}, {})", numbers(0..40), numbers(50..90));
        assert_eq!(
            changed(&long(1), &long(2)).unwrap(),
            "Long(… x40, 2, … x40)"
        );
    }

    #[test]
    fn sequences_show_what_they_kept() {
        let queue = |text: &str| format!("Queue(<{text}>)");
        let full = queue(&numbers(0..30));
        let said = |now: &str| changed(&full, &queue(now)).unwrap();
        assert_eq!(said(&numbers(0..31)), "Queue(<the first 30, 30>)");
        assert_eq!(said(&numbers(1..30)), "Queue(<the last 29>)");
        assert_eq!(said(&numbers(2..32)), "Queue(<the last 28, 30, 31>)");
        assert_eq!(
            said(&format!("9, {}", numbers(0..29))),
            "Queue(<9, the first 29>)"
        );
        let within = format!("{}, 7, 7, {}", numbers(0..10), numbers(12..30));
        assert_eq!(said(&within), "Queue(<the first 10, 7, 7, the last 18>)");
    }

    #[test]
    fn entries_show_what_is_new_in_their_values() {
        let state = |set: &str| format!("S((| A => {{{}}}, B => {{{set}}} |))", numbers(0..20));
        assert_eq!(
            changed(&state(&numbers(0..20)), &state(&numbers(0..21))).unwrap(),
            "S((| … with B => {… with 20} |))"
        );
        assert_eq!(
            changed(
                &format!(
                    "S((| A => 1, {} |))",
                    "Bobby => <\"a, (\", '>'>, Carol => 12345"
                ),
                &format!("S((| {} |))", "Bobby => <\"a, (\", '>'>, Carol => 12345")
            )
            .unwrap(),
            "S((| … without A |))"
        );
    }

    #[test]
    fn what_is_short_or_cannot_be_told_apart_stays_whole() {
        assert_eq!(changed("Node(N1, A)", "Node(N1, B)"), None);
        let other = format!("Q({})", numbers(0..30));
        assert_eq!(changed("STOP", &other), None);
        assert_eq!(changed(&other, &other).unwrap(), "…");
        // Brackets that do not match, since the text was cut.
        let cut = format!("P({}…", numbers(0..30));
        assert_eq!(changed(&other, &cut), None);
        // Cut texts may differ in the part that is not seen.
        let cut = |n: u32| format!("P({{{}, … 9 values}}, {n})", numbers(0..30));
        assert_eq!(changed(&cut(1), &cut(2)), None);
        let more = format!("P({{{}, … 9 values}}, 1)", numbers(0..31));
        assert_eq!(changed(&cut(1), &more), None);
    }

    #[test]
    fn operators_are_looked_through() {
        let state = |n: u32| {
            format!(
                "((a -> P'({}, {n})) [|{{a, b}}|] Q) \\ {{a}}",
                numbers(0..20)
            )
        };
        assert_eq!(
            changed(&state(1), &state(2)).unwrap(),
            "((a -> P'(… x20, 2)) [|{a, b}|] Q) \\ {a}"
        );
    }

    proptest! {
        /// Any two texts: never longer, and never a panic.
        #[test]
        fn it_is_shorter_or_nothing(
            before in "([(<{|,>)}'\"a-c =\\\\…]|\\(\\||\\|\\)){0,80}",
            after in "([(<{|,>)}'\"a-c =\\\\…]|\\(\\||\\|\\)){0,80}",
        ) {
            if let Some(brief) = changed(&before, &after) {
                prop_assert!(brief.chars().count() < after.chars().count());
            }
        }

        /// A sequence can be rebuilt from the one before and its difference.
        #[test]
        fn sequences_can_be_made_again(
            before in prop::collection::vec(0..3u8, 0..12),
            after in prop::collection::vec(0..3u8, 0..12),
        ) {
            let texts = |list: &[u8]| list.iter().map(ToString::to_string).collect::<Vec<_>>();
            let (before, after) = (texts(&before), texts(&after));
            let list = |texts: &[String]| -> Vec<String> { texts.to_vec() };
            let old: Vec<&str> = before.iter().map(String::as_str).collect();
            let new: Vec<&str> = after.iter().map(String::as_str).collect();
            let said = sequence_changed(&old, &new);
            let mut made: Vec<String> = Vec::new();
            for part in said.split(", ").filter(|part| !part.is_empty()) {
                let count = |n: &str| n.parse::<usize>().unwrap();
                if let Some(n) = part.strip_prefix("the first ") {
                    made.extend(list(&before[..count(n)]));
                } else if let Some(n) = part.strip_prefix("the last ") {
                    made.extend(list(&before[before.len() - count(n)..]));
                } else {
                    made.push(part.to_owned());
                }
            }
            prop_assert_eq!(made, after);
        }
    }
}

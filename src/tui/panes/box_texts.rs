//! The local states in the boxes of a graph: those that tell a box from the others come first, and no part of one local
//! state is shown as a part of another.

use crate::cutting::{apart, head};
use crate::source::hash::{IndexMap, Map};
use crate::text::width;

/// A box's local states, and the columns of each of its lines.
pub(super) struct BoxStates {
    /// The local states.
    pub(super) states: Vec<String>,
    /// The columns.
    pub(super) columns: usize,
}

/// Stands between local states.
const COMMA: &str = ", ";

/// For each box its local states in at most so many lines: as many as there is room for, and how many more there are.
/// Only the first is ever cut, where it differs from those of other boxes.
pub(super) fn box_texts(boxes: &[BoxStates], lines: usize) -> Vec<Vec<String>> {
    let mut uses: Map<&str, usize> = Map::default();
    let all = boxes.iter().flat_map(|one| &one.states);
    all.for_each(|state| *uses.entry(state).or_default() += 1);
    let mut texts = Vec::with_capacity(boxes.len());
    // Those to be cut, by what they begin with: a place among the boxes, a local state, and how many more there are.
    let mut cut: IndexMap<&str, Vec<(usize, &str, usize)>> = IndexMap::default();
    for (number, one) in boxes.iter().enumerate() {
        let mut states: Vec<&str> = one.states.iter().map(String::as_str).collect();
        if let Some(text) = packed(&states, one.columns, lines) {
            texts.push(text);
            continue;
        }
        states.sort_by_key(|state| uses[*state]);
        let most = (1..states.len()).rev().find_map(|shown| {
            let more = format!("+{}", states.len() - shown);
            let parts = [&states[..shown], &[more.as_str()]].concat();
            packed(&parts, one.columns, lines)
        });
        if most.is_none()
            && let Some(first) = states.first()
        {
            let name = first.split('(').next().unwrap_or_default();
            let others = states.len() - 1;
            cut.entry(name).or_default().push((number, first, others));
        }
        texts.push(most.unwrap_or_default());
    }
    for alike in cut.into_values() {
        shorten(boxes, &alike, lines, &mut texts);
    }
    texts
}

/// Cuts local states of one name so that they still look different, over all lines of their boxes.
fn shorten(
    boxes: &[BoxStates],
    alike: &[(usize, &str, usize)],
    lines: usize,
    texts: &mut [Vec<String>],
) {
    let more = |more: usize| match more {
        0 => String::new(),
        more => format!("{COMMA}+{more}"),
    };
    let longest = alike.iter().map(|(.., others)| width(&more(*others))).max();
    let states: Vec<&str> = alike.iter().map(|(_, state, _)| *state).collect();
    let columns = alike.iter().map(|(number, ..)| boxes[*number].columns).min();
    let room = (columns.unwrap_or(0) * lines).saturating_sub(longest.unwrap_or(0));
    for ((number, _, others), shown) in alike.iter().zip(apart(&states, room)) {
        texts[*number] = broken(&(shown + &more(*others)), boxes[*number].columns);
    }
}

/// A text in lines that are as long as they may be.
fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut rest = text;
    loop {
        let row = head(rest, columns);
        rest = &rest[row.len()..];
        let is_last = rest.is_empty() || row.is_empty();
        rows.push(row);
        if is_last {
            return rows;
        }
    }
}

/// All parts in so many lines, none of which breaks a part; `None` if there is no room.
fn packed(parts: &[&str], columns: usize, lines: usize) -> Option<Vec<String>> {
    let mut rows: Vec<String> = vec![String::new()];
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        // The comma stays in the line of what it is behind.
        let long = width(part) + usize::from(!last);
        let row = rows.last_mut()?;
        let gap = usize::from(!row.is_empty());
        if width(row) + gap + long > columns {
            if row.is_empty() || rows.len() == lines {
                return None;
            }
            rows.push(String::new());
        } else if gap > 0 {
            row.push(' ');
        }
        let row = rows.last_mut()?;
        *row += part;
        if !last {
            row.push(',');
        }
        if width(row) > columns {
            return None;
        }
    }
    Some(rows)
}

/// The number of lines that all local states of a box take.
pub(super) fn lines_of(one: &BoxStates, most: usize) -> usize {
    let states: Vec<&str> = one.states.iter().map(String::as_str).collect();
    let fits = |lines: &usize| packed(&states, one.columns, *lines).is_some();
    (1..most).find(fits).unwrap_or(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(boxes: &[&[&str]], columns: usize, lines: usize) -> Vec<Vec<String>> {
        let boxes = boxes.iter().map(|states| BoxStates {
            states: states.iter().map(|s| (*s).to_owned()).collect(),
            columns,
        });
        box_texts(&boxes.collect::<Vec<_>>(), lines)
    }

    const BOXES: [&[&str]; 3] = [
        &["Top(N0)", "Pushing(T1, A)"],
        &["Top(N0)", "Pushing(T1, B)"],
        &["Lock"],
    ];

    #[test]
    fn boxes_are_told_apart_by_whole_local_states() {
        assert_eq!(
            texts(&BOXES, 23, 1).concat(),
            ["Top(N0), Pushing(T1, A)", "Top(N0), Pushing(T1, B)", "Lock"]
        );
        assert_eq!(
            texts(&BOXES, 18, 1).concat(),
            ["Pushing(T1, A), +1", "Pushing(T1, B), +1", "Lock"]
        );
        let cut = texts(&BOXES, 14, 1).concat();
        assert_ne!(cut[0], cut[1]);
        assert!(cut.iter().all(|text| width(text) <= 14), "{cut:?}");
        assert!(
            cut[0].ends_with(", +1") && cut[0].starts_with("Push"),
            "{cut:?}"
        );
        assert_eq!(texts(&[&[]], 5, 1).concat(), [""]);
    }

    #[test]
    fn lines_are_filled_before_anything_is_cut() {
        let found = texts(&BOXES, 14, 2);
        assert_eq!(found[0], ["Top(N0),", "Pushing(T1, A)"]);
        assert_eq!(found[2], ["Lock"]);
        // One that is longer than a line is broken, and then cut.
        let found = texts(&[&["Pushing(T1, A)"], &["Pushing(T1, B)"]], 8, 2);
        assert_eq!(found[0], ["Pushing(", "T1, A)"]);
        let found = texts(&[&["Pushing(T1, A)"], &["Pushing(T1, B)"]], 6, 2);
        assert!(found[0] != found[1] && found.iter().flatten().all(|line| width(line) <= 6));
    }
}

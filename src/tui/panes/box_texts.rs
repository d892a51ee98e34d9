//! The local states in the boxes of a graph: those that tell a box from the others come first, and no part of one local
//! state is shown as a part of another.

use crate::cutting::{apart, head};
use crate::source::hash::{IndexMap, Map};
use crate::text::{width, wrap};

/// A box's local states, and the room for them.
pub(super) struct BoxStates {
    /// The local states.
    pub(super) states: Vec<String>,
    /// The columns of a line.
    pub(super) columns: usize,
    /// The number of lines.
    pub(super) lines: usize,
}

impl BoxStates {
    fn parts(&self) -> Vec<&str> {
        self.states.iter().map(String::as_str).collect()
    }

    /// Whether there is room for all.
    pub(super) fn fits(&self) -> bool {
        packed(&self.parts(), self.columns, self.lines).is_some()
    }
}

/// Stands between local states.
const COMMA: &str = ", ";

/// For each box its local states in its lines: as many as there is room for, and how many more there are.
/// Only the first is ever cut, where it differs from those of other boxes.
pub(super) fn box_texts(boxes: &[BoxStates]) -> Vec<Vec<String>> {
    let mut uses: Map<&str, usize> = Map::default();
    let all = boxes.iter().flat_map(|one| &one.states);
    all.for_each(|state| *uses.entry(state).or_default() += 1);
    let mut texts = Vec::with_capacity(boxes.len());
    // Those to be cut, by what they begin with: a place among the boxes, a local state, and how many more there are.
    let mut cut: IndexMap<&str, Vec<(usize, &str, usize)>> = IndexMap::default();
    for (number, one) in boxes.iter().enumerate() {
        let mut states = one.parts();
        if let Some(text) = packed(&states, one.columns, one.lines) {
            texts.push(text);
            continue;
        }
        states.sort_by_key(|state| uses[*state]);
        let most = (1..states.len()).map_while(|shown| {
            let more = format!("+{}", states.len() - shown);
            let parts = [&states[..shown], &[more.as_str()]].concat();
            packed(&parts, one.columns, one.lines)
        });
        let most = most.last();
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
        shorten(boxes, &alike, &mut texts);
    }
    texts
}

/// Cuts local states of one name so that they still look different, over all lines of their boxes.
fn shorten(boxes: &[BoxStates], alike: &[(usize, &str, usize)], texts: &mut [Vec<String>]) {
    let more = |more: usize| match more {
        0 => String::new(),
        more => format!("{COMMA}+{more}"),
    };
    let longest = alike.iter().map(|(.., others)| width(&more(*others))).max();
    let states: Vec<&str> = alike.iter().map(|(_, state, _)| *state).collect();
    let rooms = alike
        .iter()
        .map(|(number, ..)| boxes[*number].columns * boxes[*number].lines);
    let room = rooms
        .min()
        .unwrap_or(0)
        .saturating_sub(longest.unwrap_or(0));
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

/// All parts in so many lines, broken between words; `None` if there is no room.
fn packed(parts: &[&str], columns: usize, lines: usize) -> Option<Vec<String>> {
    let mut long = 0;
    for part in parts {
        long += width(part);
        // There may be thousands.
        if long > columns * lines {
            return None;
        }
    }
    let rows = wrap(&parts.join(COMMA), columns);
    (rows.len() <= lines).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(boxes: &[&[&str]], columns: usize, lines: usize) -> Vec<Vec<String>> {
        let boxes = boxes.iter().map(|states| BoxStates {
            states: states.iter().map(|s| (*s).to_owned()).collect(),
            columns,
            lines,
        });
        box_texts(&boxes.collect::<Vec<_>>())
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
        // One that is longer than a line is broken, between words if that is possible, and then cut.
        let found = texts(&[&["Pushing(T1, A)"], &["Pushing(T1, B)"]], 11, 2);
        assert_eq!(found[0], ["Pushing(T1,", "A)"]);
        let found = texts(&[&["Pushing(T1, A)"], &["Pushing(T1, B)"]], 6, 2);
        assert!(found[0] != found[1] && found.iter().flatten().all(|line| width(line) <= 6));
    }
}

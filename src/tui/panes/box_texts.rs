//! The local states in the boxes of a graph: those that tell a box from the others come first, and no part of one local
//! state is shown as a part of another.

use crate::cutting::apart;
use crate::source::hash::{IndexMap, Map};
use crate::text::width;

/// For each box its local states as one line of at most `columns`: as many as there is room for, and how many more there
/// are. Only the first is ever cut, where it differs from those of other boxes.
pub(super) fn box_texts(boxes: &[Vec<String>], columns: usize) -> Vec<String> {
    let mut uses: Map<&str, usize> = Map::default();
    boxes
        .iter()
        .flatten()
        .for_each(|state| *uses.entry(state).or_default() += 1);
    let mut texts = Vec::with_capacity(boxes.len());
    // Those to be cut, by what they begin with: a place among the boxes, a local state, and how many more there are.
    let mut cut: IndexMap<&str, Vec<(usize, &str, usize)>> = IndexMap::default();
    for (number, states) in boxes.iter().enumerate() {
        let mut states: Vec<&str> = states.iter().map(String::as_str).collect();
        let all = states.join(", ");
        if width(&all) <= columns {
            texts.push(all);
            continue;
        }
        states.sort_by_key(|state| uses[*state]);
        let with =
            |shown: usize| format!("{}, +{}", states[..shown].join(", "), states.len() - shown);
        let most = (1..states.len())
            .rev()
            .map(with)
            .find(|text| width(text) <= columns);
        if most.is_none()
            && let Some(first) = states.first()
        {
            let name = first.split('(').next().unwrap_or_default();
            cut.entry(name)
                .or_default()
                .push((number, first, states.len() - 1));
        }
        texts.push(most.unwrap_or_default());
    }
    let more = |more: usize| match more {
        0 => String::new(),
        more => format!(", +{more}"),
    };
    for alike in cut.into_values() {
        let longest = alike.iter().map(|(.., others)| width(&more(*others))).max();
        let states: Vec<&str> = alike.iter().map(|(_, state, _)| *state).collect();
        let shown = apart(&states, columns.saturating_sub(longest.unwrap_or(0)));
        for ((number, _, others), shown) in alike.into_iter().zip(shown) {
            texts[number] = shown + &more(others);
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(boxes: &[&[&str]], columns: usize) -> Vec<String> {
        let owned = |states: &&[&str]| states.iter().map(|s| (*s).to_owned()).collect();
        let boxes: Vec<Vec<String>> = boxes.iter().map(owned).collect();
        box_texts(&boxes, columns)
    }

    #[test]
    fn boxes_are_told_apart_by_whole_local_states() {
        let boxes: [&[&str]; 3] = [
            &["Top(N0)", "Pushing(T1, A)"],
            &["Top(N0)", "Pushing(T1, B)"],
            &["Lock"],
        ];
        assert_eq!(
            texts(&boxes, 23),
            ["Top(N0), Pushing(T1, A)", "Top(N0), Pushing(T1, B)", "Lock"]
        );
        assert_eq!(
            texts(&boxes, 18),
            ["Pushing(T1, A), +1", "Pushing(T1, B), +1", "Lock"]
        );
        let cut = texts(&boxes, 14);
        assert_ne!(cut[0], cut[1]);
        assert!(cut.iter().all(|text| width(text) <= 14), "{cut:?}");
        assert!(
            cut[0].ends_with(", +1") && cut[0].starts_with("Push"),
            "{cut:?}"
        );
        assert_eq!(texts(&[&[]], 5), [""]);
    }
}

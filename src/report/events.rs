//! Sets of events as people read them: `push.T0.*` for all events that begin like that, `pop.*.A` where
//! one field may be anything, `{A,B}` for some values of a field.

use super::parted::PartedText;
use crate::machine::{EventId, Machine};
use crate::source::hash::IndexMap;
use crate::value::Value;

/// Values written out in one set of a field.
const VALUES_MAX: usize = 6;

/// Events of a channel: the fields of each in words, and the number of values of each field.
type ChannelEvents = (Vec<Vec<String>>, Vec<Option<usize>>);

/// The events in few pieces, in a fixed order.
#[must_use]
pub fn pieces(machine: &Machine, events: &[EventId]) -> Vec<String> {
    let mut found = Vec::new();
    let mut channels: IndexMap<String, ChannelEvents> = IndexMap::default();
    for event in events {
        match machine.events().value(*event) {
            // ✓ or τ: no channel, so there is nothing that it could be put together with.
            None => found.push(machine.show_event(*event)),
            Some(value) => {
                let (channel, event, sizes) = split(machine, value);
                let entry = channels
                    .entry(channel)
                    .or_insert_with(|| (Vec::new(), sizes.clone()));
                entry.0.push(event);
                // Events of one channel that are not alike are listed as they are.
                if entry.1 != sizes {
                    entry.1 = Vec::new();
                }
            }
        }
    }
    for (channel, (events, sizes)) in channels {
        let rows: Vec<&[String]> = events.iter().map(Vec::as_slice).collect();
        let mut tails = tails(&rows, &sizes);
        tails.sort();
        found.extend(tails.into_iter().map(|tail| dotted(&channel, &tail)));
    }
    // Sorted by text: numbers of events give the order of discovery, which may differ between runs.
    found.sort();
    found
}

/// A set of events as `{a, b.*}`, shortened.
#[must_use]
pub fn set_text(machine: &Machine, events: &[EventId]) -> PartedText {
    const SHOWN: usize = 8;
    let mut texts = pieces(machine, events);
    let more = texts.len().saturating_sub(SHOWN);
    texts.truncate(SHOWN);
    if more > 0 {
        texts.push(format!("and {more} more"));
    }
    PartedText::set(&texts)
}

/// Splits an event into channel, other fields, and the number of values of each field where that is known.
fn split(machine: &Machine, value: Value) -> (String, Vec<String>, Vec<Option<usize>>) {
    let store = machine.eval.store();
    let dotted = store.dotted();
    let parts = dotted.parts(value);
    let text = |v: &Value| store.show(*v, machine.eval.script());
    // If the value has other fields than its channel declares, the sets that they are of are unknown.
    let declared = dotted
        .channel_of(value)
        .and_then(|c| store.declared().channel(c))
        .filter(|fields| fields.len() + 1 == parts.len());
    let size = |at: usize| {
        let set = declared?.get(at)?;
        store
            .sizes()
            .size(*set)
            .and_then(|n| usize::try_from(n).ok())
    };
    let sizes = (0..parts.len().saturating_sub(1)).map(size).collect();
    let fields = parts.iter().skip(1).map(text).collect();
    (text(&parts[0]), fields, sizes)
}

fn dotted(channel: &str, fields: &[String]) -> String {
    let mut fields = fields;
    // `push.*` says as much as `push.*.*`.
    while let [rest @ .., last] = fields
        && last == "*"
        && rest.last().is_some_and(|f| f == "*")
    {
        fields = rest;
    }
    PartedText::event(channel, fields).into()
}

/// Rows of fields in few rows: rows that agree in all but the first field become one.
fn tails(rows: &[&[String]], sizes: &[Option<usize>]) -> Vec<Vec<String>> {
    let mut heads: IndexMap<&String, Vec<&[String]>> = IndexMap::default();
    let mut ends = false;
    for row in rows {
        match row.split_first() {
            Some((head, tail)) => heads.entry(head).or_default().push(tail),
            None => ends = true,
        }
    }
    // The sizes are unknown for events that are not alike.
    let rest = sizes.get(1..).unwrap_or(&[]);
    // First fields with the same rest go together: `a.x` and `b.x` become `{a,b}.x`.
    let mut by_tail: IndexMap<Vec<String>, Vec<&String>> = IndexMap::default();
    for (head, below) in heads {
        for tail in tails(&below, rest) {
            by_tail.entry(tail).or_default().push(head);
        }
    }
    let size = sizes.first().copied().flatten();
    let mut found: Vec<Vec<String>> = by_tail
        .into_iter()
        .map(|(tail, mut heads)| {
            heads.sort();
            heads.dedup();
            let mut row = vec![alternatives(&heads, size)];
            row.extend(tail);
            row
        })
        .collect();
    // Beside longer rows, one that has no further field.
    if ends {
        found.push(Vec::new());
    }
    found
}

fn alternatives(values: &[&String], size: Option<usize>) -> String {
    match values {
        [one] => (*one).clone(),
        // As many different values as the field has: the set has all of them.
        all if Some(all.len()) == size => "*".to_owned(),
        some => {
            let mut texts: Vec<&str> = some.iter().map(|v| v.as_str()).collect();
            // The number of omitted values is shown: a set must not look smaller than it is.
            let more = texts.len().saturating_sub(VALUES_MAX);
            texts.truncate(VALUES_MAX);
            let listed = texts.join(",");
            if more > 0 {
                format!("{{{listed},+{more}}}")
            } else {
                format!("{{{listed}}}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rows: &[&str], sizes: &[usize]) -> Vec<String> {
        let rows: Vec<Vec<String>> = rows
            .iter()
            .map(|row| row.split('.').map(String::from).collect())
            .collect();
        let rows: Vec<&[String]> = rows.iter().map(|r| &r[..]).collect();
        let sizes: Vec<Option<usize>> = sizes.iter().map(|n| Some(*n)).collect();
        let mut found: Vec<String> = tails(&rows, &sizes)
            .iter()
            .map(|t| dotted("c", t))
            .collect();
        found.sort();
        found
    }

    #[test]
    fn whole_fields_become_stars() {
        assert_eq!(shown(&["A", "B"], &[2]), ["c.*"]);
        assert_eq!(shown(&["A", "B"], &[3]), ["c.{A,B}"]);
        assert_eq!(shown(&["A.x", "A.y", "B.x", "B.y"], &[2, 2]), ["c.*"]);
        assert_eq!(shown(&["A.x", "B.x"], &[2, 2]), ["c.*.x"]);
        assert_eq!(shown(&["A.x", "A.y"], &[2, 2]), ["c.A.*"]);
    }

    #[test]
    fn what_is_no_product_is_cut_into_products() {
        let found = shown(&["A.x", "A.y", "B.x"], &[3, 2]);
        assert_eq!(found, ["c.A.*", "c.B.x"]);
        assert_eq!(shown(&["A"], &[1]), ["c.A"]);
    }
}

//! Compressed sets: one text for several events or local states, `a.{0,1}.B`.

use crate::report::parted::PartedText;
use crate::source::hash::IndexSet;

/// At most this many values are written out in one set of a label.
const SET_MAX: usize = 6;
/// At most this many events are written out where they are not a product.
const LIST_MAX: usize = 2;

/// Compresses several local states to one text: per-argument sets if they are exactly their product.
#[must_use]
pub fn local_states(states: &[&PartedText]) -> String {
    let tight = |text: &str| text.replace(", ", ",");
    let mut distinct: Vec<&PartedText> = states.to_vec();
    distinct.sort_unstable_by_key(|state| state.as_str());
    distinct.dedup();
    let names: IndexSet<&str> = distinct.iter().map(|state| state.head()).collect();
    let values = distinct
        .iter()
        .map(|state| state.items().map(tight).collect());
    let values: Vec<Vec<String>> = values.collect();
    let have_values = values.iter().all(|values| !values.is_empty());
    match (names.first(), product(&values, ",")) {
        (Some(name), Some(values)) if names.len() == 1 && have_values => {
            format!("{name}({values})")
        }
        _ => list(distinct.iter().map(|state| tight(state))),
    }
}

/// Compresses several events to one text: per-field sets if the events are exactly their product.
#[must_use]
pub fn compress(events: &[&PartedText]) -> String {
    let distinct: IndexSet<&PartedText> = events.iter().copied().collect();
    let parts = |event: &&PartedText| -> Vec<String> {
        let parts = std::iter::once(event.head()).chain(event.items());
        parts.map(str::to_owned).collect()
    };
    let split: Vec<_> = distinct.iter().map(parts).collect();
    product(&split, ".").unwrap_or_else(|| list(distinct.iter().map(ToString::to_string)))
}

/// The sets of values of each field, and how many texts their product has.
fn field_sets(split: &[Vec<String>]) -> Option<(Vec<String>, usize)> {
    let arity = split.first()?.len();
    // Different lengths: no product.
    if split.iter().any(|fields| fields.len() != arity) {
        return None;
    }
    let mut size = 1_usize;
    let mut parts = Vec::new();
    for at in 0..arity {
        let mut values: Vec<&str> = Vec::new();
        for fields in split {
            if !values.contains(&fields[at].as_str()) {
                values.push(&fields[at]);
            }
        }
        // Fields with many values; the texts are fewer than such a product anyway.
        size = size.checked_mul(values.len())?;
        parts.push(set(&values));
    }
    Some((parts, size))
}

/// The sets if the texts are their product; of many other texts, how many of the product they are.
fn product(split: &[Vec<String>], separator: &str) -> Option<String> {
    let (parts, size) = field_sets(split)?;
    let text = parts.join(separator);
    // The texts are distinct, and all lie in the product: as many means all of it.
    if size == split.len() {
        Some(text)
    // Too many for a list, but of one channel: the sets show more than a cut list.
    } else if split.len() > LIST_MAX && parts.first().is_some_and(|first| !first.starts_with('{')) {
        Some(format!("{text} ({} of {size})", split.len()))
    } else {
        None
    }
}

fn set(values: &[&str]) -> String {
    match values {
        [one] => (*one).to_string(),
        many if many.len() <= SET_MAX => format!("{{{}}}", many.join(",")),
        many => format!(
            "{{{},+{}}}",
            many[..SET_MAX - 1].join(","),
            many.len() - SET_MAX + 1
        ),
    }
}

fn list(events: impl Iterator<Item = String>) -> String {
    let events: Vec<String> = events.collect();
    let shown = events.len().min(LIST_MAX);
    let mut text = events[..shown].join(", ");
    if events.len() > shown {
        text += &format!(", +{} more", events.len() - shown);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(texts: &[PartedText], together: fn(&[&PartedText]) -> String) -> String {
        together(&texts.iter().collect::<Vec<_>>())
    }

    /// The compressed text of some events of the channel `c`, by their fields.
    fn compressed(fields: &[&[&str]]) -> String {
        let events = fields.iter().map(|fields| PartedText::event("c", fields));
        said(&events.collect::<Vec<_>>(), compress)
    }

    #[test]
    fn a_product_becomes_sets() {
        let events: [&[&str]; 4] = [
            &["T1", "A"],
            &["T1", "<D.1>"],
            &["T2", "A"],
            &["T2", "<D.1>"],
        ];
        assert_eq!(compressed(&events), "c.{T1,T2}.{A,<D.1>}");
        assert_eq!(compressed(&events[..1]), "c.T1.A");
        assert_eq!(compressed(&[&["0"], &["0"]]), "c.0");
    }

    #[test]
    fn local_states_become_sets() {
        let state = |name, values: &[&str]| PartedText::local(name, values);
        let all = [["T0", "A"], ["T0", "B"], ["T1", "A"], ["T1", "B"]].map(|v| state("P", &v));
        assert_eq!(said(&all, local_states), "P({T0,T1},{A,B})");
        let two = [state("P", &["T0"]), state("Q", &["T0"])];
        assert_eq!(said(&two, local_states), "P(T0), Q(T0)");
        let stop = [state("STOP", &[]), state("STOP", &[])];
        assert_eq!(said(&stop, local_states), "STOP");
        // The names of two processes that are put together, and no values of one.
        let both = ["P(0) ||| Q(0, 1)", "P(1) ||| Q(0, 1)"].map(|name| state(name, &[]));
        let listed = "P(0) ||| Q(0,1), P(1) ||| Q(0,1)";
        assert_eq!(said(&both, local_states), listed);
    }

    #[test]
    fn anything_else_is_listed() {
        assert_eq!(compressed(&[&["0", "0"], &["1", "1"]]), "c.0.0, c.1.1");
        assert_eq!(
            compressed(&[&["0", "0"], &["1", "1"], &["2", "2"]]),
            "c.{0,1,2}.{0,1,2} (3 of 9)"
        );
        let mut events = vec!["a".into(), PartedText::event("a", &["1"]), "b".into()];
        assert_eq!(said(&events, compress), "a, a.1, +1 more");
        events.pop();
        assert_eq!(said(&events, compress), "a, a.1");
    }

    #[test]
    fn long_sets_are_cut() {
        let events = (0..9).map(|i| PartedText::event("c", &[i.to_string()]));
        let events: Vec<PartedText> = events.collect();
        assert_eq!(said(&events, compress), "c.{0,1,2,3,4,+4}");
    }
}

//! Parameters that grow from call to call, or from state to state: a hint about a recursion or a search that a limit
//! ended. It claims nothing beyond the observed values.

use std::hash::Hash;

use crate::source::hash::IndexMap;
use crate::source::thousands::thousands;
use crate::value::{Data, Value, ValueStore};

/// New largest values that there have to be before a parameter is said to grow.
const LEAST: usize = 64;
/// First values that are shown.
const SHOWN: usize = 3;

/// The quantity of a value that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Measure {
    /// A number itself.
    Number,
    /// The length of a sequence.
    Length,
    /// The number of elements of a set, or of entries of a map.
    Size,
}

impl Measure {
    /// One word, for JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "value",
            Self::Length => "length",
            Self::Size => "size",
        }
    }

    /// It in words, of a parameter: `the length of s`.
    pub(super) fn of(self, parameter: &str) -> String {
        // A name has no blanks; what has some is a description.
        let parameter = if parameter.contains(' ') {
            parameter.to_owned()
        } else {
            format!("`{parameter}`")
        };
        match self {
            Self::Number => parameter,
            Self::Length => format!("the length of {parameter}"),
            Self::Size => format!("the size of {parameter}"),
        }
    }
}

/// A parameter that reached new largest (or least) values until the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growing {
    /// The function or process.
    pub name: String,
    /// Its parameter.
    pub parameter: String,
    /// The quantity that grows.
    pub measure: Measure,
    /// The first values that were larger than all before, or less: three at most.
    pub first: Vec<i64>,
    /// The last of them.
    pub last: i64,
}

impl Growing {
    /// The same with the name before it: ``in `P` `n` grows: …``.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("in `{}` {}", self.name, self.words())
    }

    /// `n grows: 0, 1, 2, … 51,234 so far`
    #[must_use]
    pub fn words(&self) -> String {
        let falls = self.first.first().is_some_and(|first| *first > self.last);
        let verb = if falls { "falls" } else { "grows" };
        let first: Vec<String> = self.first.iter().map(thousands).collect();
        let what = self.measure.of(&self.parameter);
        format!(
            "{what} {verb}: {}, … {} so far",
            first.join(", "),
            thousands(self.last)
        )
    }
}

/// The measure of a value, if it has one.
pub(super) fn measured(store: &ValueStore, v: Value) -> Option<(Measure, i64)> {
    let count = |n: usize| i64::try_from(n).unwrap_or(i64::MAX);
    Some(match store.data(v) {
        Data::Int(n) => (Measure::Number, *n),
        Data::Seq(items) => (Measure::Length, count(items.len())),
        Data::View { start, end, .. } => (Measure::Length, end - start),
        Data::Set(items) => (Measure::Size, count(items.len())),
        Data::Map(entries) => (Measure::Size, count(entries.len())),
        _ => return None,
    })
}

/// The values of the parameters of functions and processes, in the order of calls or states.
#[derive(Clone, Debug)]
pub(super) struct MetValues<K>(IndexMap<K, MetCalls>);

impl<K> Default for MetValues<K> {
    fn default() -> Self {
        Self(IndexMap::default())
    }
}

/// Calls of one function.
#[derive(Clone, Debug, Default)]
struct MetCalls {
    count: u64,
    /// For each parameter what was measured of it.
    parameters: Vec<Vec<(Measure, i64)>>,
}

impl<K: Hash + Eq + Copy> MetValues<K> {
    /// Notes a call.
    pub(super) fn note(&mut self, of: K, arguments: impl Iterator<Item = Option<(Measure, i64)>>) {
        let calls = self.0.entry(of).or_default();
        calls.count += 1;
        for (at, measured) in arguments.enumerate() {
            if calls.parameters.len() <= at {
                calls.parameters.push(Vec::new());
            }
            calls.parameters[at].extend(measured);
        }
    }

    /// Turns the order of all calls round.
    pub(super) fn reverse(&mut self) {
        for calls in self.0.values_mut() {
            for values in &mut calls.parameters {
                values.reverse();
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// The number of calls of each, the most frequent first.
    pub(super) fn counts(&self) -> Vec<(K, u64)> {
        let mut counts: Vec<(K, u64)> = self
            .0
            .iter()
            .map(|(of, calls)| (*of, calls.count))
            .collect();
        // Stable, so what was met first comes first among equals.
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// The parameters of one that grow.
    pub(super) fn growing(
        &self,
        of: K,
        name: &str,
        parameter: impl Fn(usize) -> String,
    ) -> Vec<Growing> {
        let parameters = self.0.get(&of).map_or(&[][..], |calls| &calls.parameters);
        let parameters = parameters.iter().enumerate();
        let found = parameters.filter_map(|(at, values)| {
            let (measure, first, last) = growth(values)?;
            let (name, parameter) = (name.to_owned(), parameter(at));
            Some(Growing {
                name,
                parameter,
                measure,
                first,
                last,
            })
        });
        found.collect()
    }
}

/// The first new largest values and the last one, or least ones, if these came to the end.
fn growth(values: &[(Measure, i64)]) -> Option<(Measure, Vec<i64>, i64)> {
    let measure = values.first()?.0;
    if values.iter().any(|(other, _)| *other != measure) {
        return None;
    }
    let records = |is_new: fn(i64, i64) -> bool| -> Vec<(usize, i64)> {
        let mut found: Vec<(usize, i64)> = Vec::new();
        for (at, (_, value)) in values.iter().enumerate() {
            if found.last().is_none_or(|(_, most)| is_new(*value, *most)) {
                found.push((at, *value));
            }
        }
        found
    };
    let is_growing = |records: &Vec<(usize, i64)>| {
        let last = records.last().map_or(0, |(at, _)| *at);
        // What has come to its largest value long ago grows no more.
        records.len() >= LEAST && (last + 1) * 10 >= values.len() * 9
    };
    let directions = [
        records(|new, most| new > most),
        records(|new, least| new < least),
    ];
    let records = directions.into_iter().find(is_growing)?;
    let first = records.iter().take(SHOWN).map(|(_, value)| *value);
    Some((measure, first.collect(), records.last()?.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(values: impl Iterator<Item = i64>) -> Option<String> {
        let mut met = MetValues::default();
        for n in values {
            met.note(0, [None, Some((Measure::Number, n))].into_iter());
        }
        let found = met.growing(0, "P", |at| format!("x{at}"));
        found.first().map(Growing::words)
    }

    #[test]
    fn only_what_grows_to_the_end_is_said_to_grow() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(said(0..2000), text("`x1` grows: 0, 1, 2, … 1,999 so far"));
        assert_eq!(
            said((0..200).map(|n| 7 - 5 * n)),
            text("`x1` falls: 7, 2, -3, … -988 so far")
        );
        // Up and down, but further up each time.
        let waves = (0..1000).map(|n| if n % 2 == 0 { n } else { 0 });
        assert_eq!(said(waves), text("`x1` grows: 0, 2, 4, … 998 so far"));
        assert_eq!(said(0..20), None);
        assert_eq!(said((0..5000).map(|n| n % 1000)), None);
        assert_eq!(said((0..5000).map(|_| 1)), None);
    }

    #[test]
    fn what_is_not_always_of_one_kind_is_not_compared() {
        let mut met = MetValues::default();
        for n in 0..500 {
            let measure = if n % 2 == 0 {
                Measure::Number
            } else {
                Measure::Length
            };
            met.note(0, std::iter::once(Some((measure, n))));
        }
        assert_eq!(met.growing(0, "P", |at| at.to_string()), []);
        assert_eq!(met.counts(), [(0, 500)]);
    }
}

//! Inclusion and equality of sets, also of infinite ones where their form decides it.

use std::rc::Rc;

use super::dots::is_extension;
use super::integers::as_intervals;
use super::sets::{LARGE, Sets, is_listed};
use super::{Data, LazySet, Value, ValueError, ValueResult};
use crate::script::core::ChannelId;
use crate::source::stack::deep;

/// Maximum length of sequences in the search for one that a set lacks.
const LENGTHS_MAX: u128 = 1000;

impl Sets<'_> {
    /// Whether two sets have the same elements.
    ///
    /// # Errors
    /// If it cannot be decided.
    pub fn equal(&mut self, a: Value, b: Value) -> ValueResult<bool> {
        Ok(a == b || (self.subset(a, b)? && self.subset(b, a)?))
    }

    /// `a <= b` on sets.
    ///
    /// # Errors
    /// If it cannot be decided.
    pub fn subset(&mut self, a: Value, b: Value) -> ValueResult<bool> {
        self.values.expect_set(a)?;
        self.values.expect_set(b)?;
        if a == b {
            return Ok(true);
        }
        if self.values.weight(a).max(self.values.weight(b)) <= LARGE {
            return self.subset_of_other(a, b);
        }
        self.look()?;
        if let Some(known) = self.known.included.get(&(a, b)) {
            return Ok(*known);
        }
        let included = self.subset_of_other(a, b)?;
        self.known.included.insert((a, b), included);
        Ok(included)
    }

    fn subset_of_other(&mut self, a: Value, b: Value) -> ValueResult<bool> {
        // The cheap and complete answers come first, listing comes last.
        if let (Some(x), Some(y)) = (as_intervals(self.values, a), as_intervals(self.values, b)) {
            return Ok(x.inter(&y) == x);
        }
        // An infinite set is no part of a finite one.
        if self.sizes().size(b).is_some() && self.sizes().never_ends(a) {
            return Ok(false);
        }
        // The form may decide even where `a` is infinite. It is asked for large finite sets as
        // well, since listing them is slow.
        let (x, y) = (self.values.data(a).clone(), self.values.data(b).clone());
        if let Some(answer) = deep(|| self.subset_by_form(&x, &y, b))? {
            return Ok(answer);
        }
        if self.sizes().size(a).is_none() {
            return Err(ValueError::Undecided(a, b));
        }
        let elements = self.elements(a)?;
        self.all_in(b, &elements)
    }

    /// Inclusion decided by the form of two sets.
    fn subset_by_form(&mut self, x: &Data, y: &Data, b: Value) -> ValueResult<Option<bool>> {
        use LazySet as L;
        let (Data::Lazy(x), y) = (x, y) else {
            return Ok(None);
        };
        if let Data::Lazy(y) = y
            && let Some(answer) = self.same_form(x, y)?
        {
            return Ok(Some(answer));
        }
        Ok(match (x, y) {
            (L::Union(c, d), _) => Some(self.subset(*c, b)? && self.subset(*d, b)?),
            // For intersection and difference this is enough but not necessary, so a no decides
            // nothing: `None` leaves it to listing.
            (L::Inter(c, d), _) if self.surely_subset(*c, b) || self.surely_subset(*d, b) => {
                Some(true)
            }
            (L::Diff(c, _), _) if self.surely_subset(*c, b) => Some(true),
            _ => None,
        })
    }

    /// An element of a set with very many that is not in another set, or a part of one where both are products. It is found
    /// without listing; none where the forms do not show one.
    pub fn witness_outside(&mut self, a: Value, b: Value) -> Option<Value> {
        if let (Some(x), Some(y)) = (as_intervals(self.values, a), as_intervals(self.values, b)) {
            let (from, to) = x.diff(&y).bounds().next()?;
            // The number nearest to zero where one side is open.
            let n = from.or(to).unwrap_or(0);
            return Some(self.values.int(n));
        }
        match (self.values.data(a).clone(), self.values.data(b).clone()) {
            (Data::Lazy(LazySet::Product(xs)), Data::Lazy(LazySet::Product(ys))) => {
                let mut pairs = xs.iter().zip(ys.iter());
                pairs.find_map(|(x, y)| deep(|| self.witness_outside(*x, *y)))
            }
            (Data::Lazy(LazySet::Seqs(items)), _) => {
                let item = self.first_element(items)?;
                let longest = self.sizes().size(b)?.min(LENGTHS_MAX);
                // Of one more than `b` has, one is not in it.
                (0..=longest as usize).find_map(|length| {
                    let seq = self.values.seq(vec![item; length]);
                    matches!(self.contains(b, seq), Ok(false)).then_some(seq)
                })
            }
            _ => None,
        }
    }

    fn first_element(&mut self, set: Value) -> Option<Value> {
        if let Some(ints) = as_intervals(self.values, set) {
            let (from, to) = ints.bounds().next()?;
            return Some(self.values.int(from.or(to).unwrap_or(0)));
        }
        self.elements(set).ok()?.first().copied()
    }

    fn surely_subset(&mut self, a: Value, b: Value) -> bool {
        matches!(self.subset(a, b), Ok(true))
    }

    fn same_form(&mut self, x: &LazySet, y: &LazySet) -> ValueResult<Option<bool>> {
        use LazySet as L;
        Ok(match (x, y) {
            (L::Seqs(s), L::Seqs(t)) | (L::Powerset(s), L::Powerset(t)) => {
                Some(self.subset(*s, *t)?)
            }
            (L::Maps(k, v), L::Maps(l, w)) => {
                // Without keys or values there is only the empty map, which belongs to all sets of
                // maps.
                let nothing = self.is_empty(*k)? || self.is_empty(*v)?;
                Some(nothing || (self.subset(*k, *l)? && self.subset(*v, *w)?))
            }
            (L::Product(s), L::Product(t)) | (L::Tuples(s), L::Tuples(t)) if s.len() == t.len() => {
                for set in s {
                    // An empty product is part of everything. Below this all factors have elements,
                    // so that inclusion of the products is a question to each factor.
                    if self.is_empty(*set)? {
                        return Ok(Some(true));
                    }
                }
                let mut all = true;
                for (s, t) in s.iter().zip(t) {
                    all = all && self.subset(*s, *t)?;
                }
                Some(all)
            }
            (L::Productions(heads), L::Events) => self.covered(heads, None)?,
            (L::Productions(heads), L::Productions(by)) => self.covered(heads, Some(by))?,
            (L::Events, L::Productions(by)) => {
                let channels: Rc<[Value]> = (0..self.declared.channel_count())
                    .map(|i| self.values.channel(ChannelId(i)))
                    .collect();
                self.covered(&channels, Some(by))?
            }
            (_, L::Inter(c, d)) => {
                let x = self.values.lazy(x.clone());
                Some(self.subset(x, *c)? && self.subset(x, *d)?)
            }
            // Enough, not necessary: some elements may lie in one part and some in the other.
            (_, L::Union(c, d)) => {
                let x = self.values.lazy(x.clone());
                (self.surely_subset(x, *c) || self.surely_subset(x, *d)).then_some(true)
            }
            // Part of `c`, and nothing of it in `d`.
            (_, L::Diff(c, d)) if is_listed(self.values, *d) => {
                let x = self.values.lazy(x.clone());
                let removed = self.elements(*d)?;
                let mut apart = true;
                for v in removed.iter() {
                    apart = apart && !self.contains(x, *v)?;
                }
                Some(apart && self.subset(x, *c)?)
            }
            _ => None,
        })
    }

    /// Whether all events that begin with these belong to the completions of others (or to all
    /// events).
    fn covered(&mut self, heads: &[Value], by: Option<&[Value]>) -> ValueResult<Option<bool>> {
        let mut all = Some(true);
        for head in heads {
            // What extends the head extends whatever begins the head.
            let in_one =
                by.is_none_or(|by| by.iter().any(|b| is_extension(self.values, *b, *head)));
            if in_one {
                continue;
            }
            // Heads that are longer than this one cover some of its completions, perhaps all: not
            // decided here.
            let related =
                by.is_some_and(|by| by.iter().any(|b| is_extension(self.values, *head, *b)));
            let some = self
                .dotted()
                .missing(*head)
                .iter()
                .all(|s| self.sizes().never_ends(*s) || self.sizes().size(*s) != Some(0));
            match (related, some) {
                // No completion of it is among them, and it has one.
                (false, true) => return Ok(Some(false)),
                _ => all = None,
            }
        }
        Ok(all)
    }
}

//! Digests of values and terms: equal in all stores of one script for what is equal, although every store
//! numbers what it holds in the order in which it meets it. By them a run that one machine found is followed
//! in another.

use std::hash::{Hash, Hasher};

use sha2::{Digest as _, Sha256};

use super::parts::{TermPart, map_parts};
use super::store::Terms;
use super::term::Term;
use crate::source::hash::Map;
use crate::source::stack::deep;
use crate::value::parts::map_children;
use crate::value::{Data, Interner, Value};

/// 128 bits of SHA-256: two things that differ have the same one by accident less often than a machine
/// errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(u128);

impl Digest {
    /// Of several in this order.
    #[must_use]
    pub fn of_all(parts: impl IntoIterator<Item = Self>) -> Self {
        let parts: Vec<Self> = parts.into_iter().collect();
        digest(&parts, &[])
    }

    /// Of an operator that is known by `own`, with the digests of its parts.
    #[must_use]
    pub fn of_operator(own: &impl Hash, parts: &[Self]) -> Self {
        digest(own, parts)
    }
}

/// Of something whose own parts were taken out, with the digests of those.
fn digest(own: &impl Hash, parts: &[Digest]) -> Digest {
    let mut bytes = Sha256Hasher(Sha256::new());
    own.hash(&mut bytes);
    parts.hash(&mut bytes);
    let hash = bytes.0.finalize();
    let mut first = [0; 16];
    // Half of it is enough, and is compared at once.
    first.copy_from_slice(&hash[..16]);
    Digest(u128::from_le_bytes(first))
}

/// A [`Hasher`] that feeds SHA-256.
struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Not asked for: the digest is longer.
    fn finish(&self) -> u64 {
        0
    }
}

/// A cache of digests.
#[derive(Debug, Default)]
pub struct Digests {
    values: Map<Value, Digest>,
    terms: Map<Term, Digest>,
}

impl Digests {
    /// Of a term.
    pub fn term(&mut self, store: &Interner, terms: &Terms, t: Term) -> Digest {
        if let Some(known) = self.terms.get(&t) {
            return *known;
        }
        let mut parts = Vec::new();
        // Numbers of parts differ from store to store, so they are left out and their digests come instead.
        let own = map_parts(terms.data(t), &mut |part| {
            parts.push(match part {
                TermPart::Value(v) => deep(|| self.value(store, terms, v)),
                TermPart::Term(t) => deep(|| self.term(store, terms, t)),
            });
            match part {
                TermPart::Value(_) => TermPart::Value(Value(0)),
                TermPart::Term(_) => TermPart::Term(Term(0)),
            }
        });
        let digest = digest(&own, &parts);
        self.terms.insert(t, digest);
        digest
    }

    /// Of a value.
    pub fn value(&mut self, store: &Interner, terms: &Terms, v: Value) -> Digest {
        if let Some(known) = self.values.get(&v) {
            return *known;
        }
        let mut parts = Vec::new();
        // A process is known here by a number, too.
        let own = match store.data(v) {
            Data::Process(t) => {
                parts.push(deep(|| self.term(store, terms, Term(*t))));
                Data::Process(0)
            }
            data => map_children(data, &mut |child| {
                parts.push(deep(|| self.value(store, terms, child)));
                Value(0)
            }),
        };
        let digest = digest(&own, &parts);
        self.values.insert(v, digest);
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::term::TermData;

    fn stop(store: &mut Interner, terms: &mut Terms, events: Value) -> Term {
        let stop = terms.intern(store, TermData::Stop);
        terms.intern(store, TermData::Seq(stop, stop));
        terms.intern(
            store,
            TermData::Hide {
                process: stop,
                set: events,
                keep: false,
            },
        )
    }

    /// Digests do not depend on what a store interned before, and different terms have different ones.
    #[test]
    fn digests_do_not_depend_on_numbers() {
        let store = || Interner::default();
        let (mut a, mut b) = (store(), store());
        let (mut p, mut q) = (Terms::default(), Terms::default());
        for n in 0..50 {
            b.int(n);
        }
        let in_a: Vec<Value> = [3, 1, 2].map(|n| a.int(n)).to_vec();
        let in_b: Vec<Value> = [2, 3, 1].map(|n| b.int(n)).to_vec();
        let (s, t) = (a.set(in_a.clone()), b.set(in_b));
        let (mut x, mut y) = (Digests::default(), Digests::default());
        assert_eq!(x.value(&a, &p, s), y.value(&b, &q, t));
        assert_ne!(x.value(&a, &p, in_a[0]), x.value(&a, &p, in_a[1]));
        let pair = a.tuple(in_a[..2].to_vec());
        let reverse = a.tuple(vec![in_a[1], in_a[0]]);
        assert_ne!(x.value(&a, &p, pair), x.value(&a, &p, reverse));
        let (one, other) = (stop(&mut a, &mut p, s), stop(&mut b, &mut q, t));
        assert_eq!(x.term(&a, &p, one), y.term(&b, &q, other));
        let less = stop(&mut a, &mut p, in_a[0]);
        assert_ne!(x.term(&a, &p, one), x.term(&a, &p, less));
        let both = [x.term(&a, &p, one), x.term(&a, &p, less)];
        assert_ne!(Digest::of_all(both), Digest::of_all([both[1], both[0]]));
    }
}

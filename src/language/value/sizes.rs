//! Cardinalities of sets.

use super::declared::FieldSets;
use super::dots::Dotted;
use super::interner::Interner;
use super::{Data, LazySet, Value};
use crate::script::core::{ChannelId, TypeId};
use crate::source::hash::Map;
use crate::source::stack::deep;

/// Characters of Unicode: all codes without the surrogates.
const CHARS: u128 = 0x11_0000 - 0x800;

/// Sets that name no more values than this are counted without a note of it. Larger ones may have parts that are shared,
/// which are counted once.
const SMALL: u64 = 64;

/// The state of a count.
#[derive(Default)]
struct Counting {
    /// Datatypes around: meeting one again means that it is infinite.
    types: Vec<TypeId>,
    /// Sizes of large sets, within the same datatypes.
    known: Map<(Value, Vec<TypeId>), Option<u128>>,
}

/// Questions about the number of elements of sets, answered without listing them.
#[derive(Clone, Copy, Debug)]
pub struct Sizes<'a> {
    values: &'a Interner,
    declared: &'a FieldSets,
}

impl<'a> Sizes<'a> {
    pub(super) fn of(values: &'a Interner, declared: &'a FieldSets) -> Self {
        Self { values, declared }
    }

    /// At least the number of elements of a set, and exactly that for most sets; none if it may be
    /// infinite (or is not a set).
    #[must_use]
    pub fn size(self, set: Value) -> Option<u128> {
        self.size_within(set, &mut Counting::default())
    }

    fn size_within(self, set: Value, open: &mut Counting) -> Option<u128> {
        let lazy = match self.values.data(set) {
            Data::Set(items) => return Some(items.len() as u128),
            Data::Lazy(lazy) => lazy,
            _ => return None,
        };
        if self.values.weight(set) <= SMALL {
            return self.size_of_lazy(lazy, open);
        }
        let key = (set, open.types.clone());
        if let Some(known) = open.known.get(&key) {
            return *known;
        }
        let size = self.size_of_lazy(lazy, open);
        open.known.insert(key, size);
        size
    }

    fn size_of_lazy(self, lazy: &LazySet, open: &mut Counting) -> Option<u128> {
        deep(|| match lazy {
            LazySet::Ints(ints) => ints.size(),
            LazySet::Chars => Some(CHARS),
            // Nobody can list all processes; for a set, that is as good as infinite.
            LazySet::Processes => None,
            // Over no elements there is only the empty sequence, otherwise there is no longest one.
            LazySet::Seqs(s) => (self.size_within(*s, open)? == 0).then_some(1),
            LazySet::Events => self.size_of_events(open),
            LazySet::Productions(heads) => heads.iter().try_fold(0u128, |sum, head| {
                let more = self.size_of_product(
                    &Dotted::of(self.values, self.declared).missing(*head),
                    open,
                )?;
                Some(sum.saturating_add(more))
            }),
            LazySet::Datatype(id) => self.size_of_datatype(*id, open),
            LazySet::Product(sets) | LazySet::Tuples(sets) => self.size_of_product(sets, open),
            LazySet::Powerset(s) => {
                let n = self.size_within(*s, open)?;
                // 2^n. The cut at 200 only keeps the cast from wrapping: from 128 on the shift
                // overflows anyway.
                Some(1u128.checked_shl(n.min(200) as u32).unwrap_or(u128::MAX))
            }
            LazySet::Maps(k, v) => {
                let (keys, values) = (self.size_within(*k, open), self.size_within(*v, open));
                match (keys, values) {
                    (Some(0), _) | (_, Some(0)) => Some(1),
                    (Some(k), Some(v)) => {
                        // Each key is absent or has one of the values: (v + 1)^k. There is a value,
                        // so the base is at least 2 and 128 keys overflow already.
                        let power = v.saturating_add(1).checked_pow(k.min(128) as u32);
                        Some(power.unwrap_or(u128::MAX))
                    }
                    _ => None,
                }
            }
            // What both have is counted twice: this and the next two are bounds only.
            LazySet::Union(a, b) => Some(
                self.size_within(*a, open)?
                    .saturating_add(self.size_within(*b, open)?),
            ),
            LazySet::Diff(a, _) => self.size_within(*a, open),
            LazySet::Inter(a, b) => self
                .size_within(*a, open)
                // One finite side is enough.
                .or_else(|| self.size_within(*b, open)),
        })
    }

    fn size_of_product(self, sets: &[Value], open: &mut Counting) -> Option<u128> {
        // Not returned at once: an empty factor may still follow.
        let mut infinite = false;
        let mut product = 1u128;
        for set in sets {
            match self.size_within(*set, open) {
                // Nothing times anything is nothing.
                Some(0) => return Some(0),
                Some(n) => product = product.saturating_mul(n),
                None => infinite = true,
            }
        }
        (!infinite).then_some(product)
    }

    fn size_of_datatype(self, id: TypeId, open: &mut Counting) -> Option<u128> {
        if open.types.contains(&id) {
            return None;
        }
        let clauses = self.declared.datatype(id)?;
        // Taken off again below, so that two fields of the same finite type are not taken for a
        // recursion.
        open.types.push(id);
        let size = clauses.iter().try_fold(0u128, |sum, (_, fields)| {
            Some(sum.saturating_add(self.size_of_product(fields, open)?))
        });
        open.types.pop();
        size
    }

    fn size_of_events(self, open: &mut Counting) -> Option<u128> {
        let mut sum = 0u128;
        for i in 0..self.declared.channel_count() {
            // A channel whose fields are not known yet may have any number of events.
            let fields = self.declared.channel(ChannelId(i))?;
            sum = sum.saturating_add(self.size_of_product(fields, open)?);
        }
        Some(sum)
    }

    /// The number of elements of a set, if it follows from how the set is made. None if it does not,
    /// or if the set is infinite.
    pub(super) fn exact_size(self, set: Value) -> Option<u128> {
        let lazy = match self.values.data(set) {
            Data::Set(items) => return Some(items.len() as u128),
            Data::Lazy(lazy) => lazy,
            _ => return None,
        };
        deep(|| match lazy {
            // Only where no element can be counted twice and none can be ruled out. Products do not
            // belong here, since `a.(b.c)` and `(a.b).c` are one element; nor do datatypes and
            // events, whose fields may depend on each other.
            LazySet::Ints(_) | LazySet::Chars => self.size(set),
            LazySet::Tuples(sets) => sets.iter().try_fold(1u128, |product, set| {
                product.checked_mul(self.exact_size(*set)?)
            }),
            LazySet::Powerset(s) => {
                let n = self.exact_size(*s)?;
                1u128.checked_shl(u32::try_from(n).ok()?)
            }
            LazySet::Maps(k, v) => {
                let (keys, values) = (self.exact_size(*k)?, self.exact_size(*v)?);
                values
                    .checked_add(1)?
                    .checked_pow(u32::try_from(keys).ok()?)
            }
            _ => None,
        })
    }

    /// Whether a set certainly has infinitely many elements.
    pub(super) fn never_ends(self, set: Value) -> bool {
        self.never_ends_within(set, &mut Map::default())
    }

    fn never_ends_within(self, set: Value, known: &mut Map<Value, bool>) -> bool {
        let lazy = match self.values.data(set) {
            Data::Lazy(lazy) => lazy,
            _ => return false,
        };
        if let Some(known) = known.get(&set) {
            return *known;
        }
        let found = deep(|| match lazy {
            LazySet::Inter(..) => false,
            // A finite set takes no more than finitely many away.
            LazySet::Diff(a, b) => self.never_ends_within(*a, known) && self.size(*b).is_some(),
            LazySet::Union(a, b) => {
                self.never_ends_within(*a, known) || self.never_ends_within(*b, known)
            }
            _ => self.size(set).is_none(),
        });
        if self.values.weight(set) > SMALL {
            known.insert(set, found);
        }
        found
    }
}

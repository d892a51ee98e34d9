//! The state of unification: types, what is known of datatypes, and what a unification under way did.

use super::datatypes::Datatypes;
use super::granted::Granted;
use super::store::TypeStore;
use super::ty::Ty;
use crate::source::Span;
use crate::source::hash::{Map, Set};

/// Why two types do not fit.
#[derive(Clone, Debug)]
pub enum Mismatch {
    /// They differ: what was expected, what was found, and where each came from.
    Differ(FoundType, FoundType),
    /// A variable would be bound to a type that contains it (occurs check).
    Infinite(Ty),
    /// A type lacks constraints.
    Lacks(Ty, u8),
    /// Types so large that the steps of a unification, or a bound, were used up.
    TooLarge,
}

impl Mismatch {
    /// With the sides exchanged.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Differ(a, b) => Self::Differ(b, a),
            other => other,
        }
    }
}

/// A type that does not fit another one.
#[derive(Clone, Copy, Debug)]
pub struct FoundType {
    /// As far as it is known.
    pub ty: Ty,
    /// The place where it was inferred.
    pub origin: Option<Span>,
}

pub(super) type Unified<T = ()> = Result<T, Mismatch>;

/// Steps of one unification. No script that people write comes near.
const FUEL: u32 = 1_000_000;

/// Steps after which it is kept in mind what was done.
const PATIENCE: u32 = 1_000;

/// Makes types equal ([`super::unify`], [`super::products`]) and demands constraints of them
/// ([`super::demand`]).
///
/// These three call one another: fields of products are made equal, types with products are made equal by
/// their fields, and a variable hands its constraints on to what it is bound to.
#[derive(Debug)]
pub(super) struct Unifier {
    pub store: TypeStore,
    pub datatypes: Datatypes,
    pub granted: Granted,
    /// Whether a product may stand where an event or a value is given: `x.y` for `c.1`.
    splitting: bool,
    /// Steps left to the unification under way.
    fuel: u32,
    /// Pairs that a long unification has unified already.
    done: Set<(Ty, Ty)>,
    /// Types that were put together, with how many products had been bound by then: as long as there
    /// are no more, there is nothing new to put together in them.
    together: Map<Ty, u32>,
}

impl Unifier {
    pub fn new(store: TypeStore, datatypes: Datatypes) -> Self {
        Self {
            store,
            datatypes,
            granted: Granted::default(),
            splitting: true,
            fuel: 0,
            done: Set::default(),
            together: Map::default(),
        }
    }

    /// The same, for types that stand at a place.
    pub fn at(&mut self, place: Span) -> &mut Self {
        self.store.vars_mut().stand_at(place);
        self
    }

    /// Does something while no product may stand where an event or a value is given.
    pub fn unsplit<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.splitting = false;
        let result = f(self);
        self.splitting = true;
        result
    }

    pub fn may_split(&self) -> bool {
        self.splitting
    }

    /// Begins to count steps.
    pub(super) fn begin(&mut self) {
        self.fuel = FUEL;
        // What was done for one pair of types says nothing of the next: it may have failed halfway.
        self.done.clear();
    }

    pub(super) fn step(&mut self) -> Unified {
        self.fuel = self.fuel.saturating_sub(1);
        // Types may be exponentially large, and products can be taken apart in many ways: neither
        // is to hang the program.
        if self.fuel == 0 || self.store.is_over() {
            return Err(Mismatch::TooLarge);
        }
        Ok(())
    }

    /// Whether something was not done before. Only what takes long is kept in mind.
    pub(super) fn is_new(&mut self, a: Ty, b: Ty) -> bool {
        // Nearly all unifications are short, and for them the set would cost more than it saves.
        self.fuel > FUEL - PATIENCE || self.done.insert((a, b))
    }

    /// Remembers that the products in a type are put together, if it mentions none.
    pub(super) fn put(&mut self, t: Ty) {
        // A type that still mentions a product could become another one when its variables are
        // bound.
        if !self.store.mentions_products(t) {
            self.together.insert(t, self.store.products());
        }
    }

    /// Whether there is nothing new to put together in a type.
    pub(super) fn is_together(&self, t: Ty) -> bool {
        self.together.get(&t) == Some(&self.store.products())
    }
}

/// Two types that should be equal.
#[derive(Clone, Copy)]
pub(super) struct TypePair {
    pub a: Ty,
    pub b: Ty,
    pub from: Option<Span>,
    pub to: Option<Span>,
}

impl TypePair {
    /// A type that should be equal to itself.
    pub(super) fn of(t: Ty) -> Self {
        Self {
            a: t,
            b: t,
            from: None,
            to: None,
        }
    }

    pub(super) fn turned(self) -> Self {
        Self {
            a: self.b,
            b: self.a,
            from: self.to,
            to: self.from,
        }
    }

    pub(super) fn differ<T>(self) -> Unified<T> {
        let side = |ty, origin| FoundType { ty, origin };
        Err(Mismatch::Differ(
            side(self.a, self.from),
            side(self.b, self.to),
        ))
    }
}

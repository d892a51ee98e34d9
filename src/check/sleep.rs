//! Sleep sets (Godefroid 1996): steps that a breadth-first search need not follow, since where they lead is found from
//! another state. States, transitions and how deep states are stay what they are.
//!
//! Let a search follow the steps `b` and `a` of a state `s` in this order, and let different components move in them.
//! Then they lead to the same state `u` in either order. So `b` need not be followed from `t = a(s)`, if `t` is met
//! there first: `b(s)` was met before it, and has a step to `u`. `b` *sleeps* in `t`. So does what slept in `s`, if
//! different components move in `a`: where that leads to was met before as well.
//!
//! Why nothing is missed. Order states by when they are met first; they are expanded in this order, too. Claim: every
//! step of a state `t` leads to what is met by the time when `t` was expanded. If it is followed, that is so. If it
//! sleeps, a state `v` that was met before `t` has a step to the same state. `v` was expanded before, so by induction
//! where its step leads was met by then. Nor is anything met at a greater depth: `v` is not deeper than `t`.
//!
//! The same holds for representatives, where there is one an orbit: read *orbit* for *state* above. What sleeps is taken
//! along by the permutation that leads to the representative. A step that is left out since twins do the same
//! ([`crate::symmetry::twins`]) has one to the same orbit beside it.
//!
//! - What sleeps matters where a state is met first, so it is thrown away once the state is expanded. Nothing of it is
//!   stored.
//! - A step is known by the components that move in it. So all steps of these have to be followed or asleep before
//!   another one is taken: [`crate::machine::rules::LedRule::settled`].
//! - States are met in the order of [`super::arrivals`], and those of the frontier stand in it. When something was
//!   really done, and by which thread, does not matter.
//! - Beside a specification its node has to be the same in either order ([`Commuting`]).

use crate::machine::EventId;
use crate::machine::network::Successor;

/// Components with these numbers or larger ones do not sleep.
const COMPONENTS_MAX: u16 = 0xff;

/// The components that move in a step: one or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Movers(u16);

impl Movers {
    /// Those of two components, which may be one; none if their numbers are too large.
    #[inline]
    fn new(first: u16, second: u16) -> Option<Self> {
        let (low, high) = (first.min(second), first.max(second));
        (high < COMPONENTS_MAX).then_some(Self(high << 8 | low))
    }

    /// Those of a step; none if there are more.
    #[inline]
    fn of(successor: &Successor<'_>) -> Option<Self> {
        let mut movers = successor.movers();
        let first = movers.next()?;
        let second = movers.next().unwrap_or(first);
        match movers.next() {
            None => Self::new(first, second),
            Some(_) => None,
        }
    }

    #[inline]
    fn pair(self) -> (u16, u16) {
        (self.0 >> 8, self.0 & 0xff)
    }

    /// Whether they have none in common.
    #[inline]
    fn are_apart(self, other: Self) -> bool {
        let ((a, b), (c, d)) = (self.pair(), other.pair());
        a != c && a != d && b != c && b != d
    }

    /// What they become; none if that is not known.
    #[inline]
    fn moved(self, image: impl Fn(u16) -> Option<u16>) -> Option<Self> {
        let (first, second) = self.pair();
        Self::new(image(first)?, image(second)?)
    }
}

/// Those steps of a state that need not be followed, by the components that move in them: at most four.
///
/// A lane of 16 bits for each; all bits are set in those that are free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleepSet(u64);

impl Default for SleepSet {
    /// Nothing sleeps.
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl SleepSet {
    /// The lowest bits of all lanes.
    const LOW: u64 = 0x0001_0001_0001_0001;
    /// Lanes.
    const LANES: usize = 4;

    /// Whether the steps sleep in which these move.
    #[inline]
    fn has(self, movers: Movers) -> bool {
        let differs = self.0 ^ (u64::from(movers.0) * Self::LOW);
        // Whether some lane is zero (H. S. Warren, Hacker's Delight, Sec. 6-1).
        differs.wrapping_sub(Self::LOW) & !differs & (Self::LOW << 15) != 0
    }

    /// Adds some; what is there for longest goes if there are too many.
    #[inline]
    fn add(&mut self, movers: Movers) {
        self.0 = self.0 << 16 | u64::from(movers.0);
    }

    /// Those that sleep.
    #[inline]
    fn iter(self) -> impl Iterator<Item = Movers> {
        let lanes = (0..Self::LANES).map(move |n| (self.0 >> (16 * n)) as u16);
        lanes.filter(|lane| *lane != u16::MAX).map(Movers)
    }
}

/// When two steps lead to the same node of the specification in either order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commuting {
    /// There are no nodes.
    Always,
    /// If one of them is silent.
    OneSilent,
    /// If that which sleeps is silent: the search may end at the node after the other one.
    SleepingSilent,
}

/// What matters of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SleepStep {
    /// None if there are too many of them.
    movers: Option<Movers>,
    /// Whether all steps of these are met before those of others, or after them ([`Successor::settled`]).
    settled: bool,
    silent: bool,
}

impl SleepStep {
    #[inline]
    pub(super) fn of(successor: &Successor<'_>) -> Self {
        Self {
            movers: Movers::of(successor),
            settled: successor.settled,
            silent: successor.event == EventId::TAU,
        }
    }
}

/// The steps in which the same components move.
#[derive(Clone, Copy, Debug)]
struct StepGroup {
    movers: Movers,
    /// Whether it is known that all of them are silent.
    silent: bool,
}

/// What sleeps in the state that is expanded and after its steps.
#[derive(Debug, Default)]
pub(super) struct Sleeping {
    /// None where nothing sleeps.
    commuting: Option<Commuting>,
    here: SleepSet,
    /// Those that sleep here, and those that were followed.
    before: Vec<StepGroup>,
}

impl Sleeping {
    /// Begins with another state.
    #[inline]
    pub(super) fn begin(&mut self, commuting: Option<Commuting>, here: SleepSet) {
        self.commuting = commuting;
        self.before.clear();
        if commuting.is_none() {
            return;
        }
        self.here = here;
        // Of those that are met late it is not known when others are followed.
        let asleep = here.iter().map(|movers| StepGroup {
            movers,
            silent: false,
        });
        self.before.extend(asleep);
    }

    /// Whether a step need not be followed.
    #[inline]
    pub(super) fn has(&self, step: SleepStep) -> bool {
        let movers = step.movers.filter(|_| step.settled);
        self.commuting.is_some() && movers.is_some_and(|movers| self.here.has(movers))
    }

    /// Takes note of a step that was followed, and gives what sleeps after it; `image` tells where a component is in
    /// what is stored there.
    #[inline]
    pub(super) fn follow(
        &mut self,
        step: SleepStep,
        image: impl Fn(u16) -> Option<u16>,
    ) -> SleepSet {
        let mut after = SleepSet::default();
        let (Some(commuting), Some(movers)) = (self.commuting, step.movers) else {
            return after;
        };
        for group in &self.before {
            let commute = match commuting {
                Commuting::Always => true,
                Commuting::OneSilent => step.silent || group.silent,
                Commuting::SleepingSilent => group.silent,
            };
            if commute
                && group.movers.are_apart(movers)
                && let Some(moved) = group.movers.moved(&image)
            {
                after.add(moved);
            }
        }
        self.note(step);
        after
    }

    /// Takes note of a step: where it leads was met.
    pub(super) fn note(&mut self, step: SleepStep) {
        let Some(movers) = step.movers.filter(|_| step.settled) else {
            return;
        };
        // Those of one leader come one after the other.
        let mut known = self.before.iter_mut().rev();
        match known.find(|group| group.movers == movers) {
            Some(group) => group.silent &= step.silent,
            None => self.before.push(StepGroup {
                movers,
                silent: step.silent,
            }),
        }
    }
}

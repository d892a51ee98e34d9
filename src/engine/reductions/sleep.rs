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
//! - Where a strategy gives up being exact, an orbit may be stored by another representative than that of a step which
//!   sleeps: fewer states are kept, and each orbit has one still. Loops of silent steps are looked for among what is
//!   stored, so that is done after a search that follows all steps then (`run/deciding.rs`).
//! - What sleeps matters where a state is met first, so it is thrown away once the state is expanded. Nothing of it is
//!   stored.
//! - A step is known by the components that move in it. So all steps of these have to be followed or asleep before
//!   another one is taken: [`crate::machine::rules::LedRule::settled`].
//! - States are met in the order of `search::arrivals`, and those of the frontier stand in it. When something was
//!   really done, and by which thread, does not matter.
//! - Beside a specification its node has to be the same in either order ([`Commuting`]).

use crate::machine::EventId;
use crate::machine::network::Successor;

/// Components with these numbers or larger ones do not sleep.
const COMPONENTS_MAX: u16 = 0xff;

/// The components that move in a step: one or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Movers(u16);

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

/// Steps that sleep in one state, by the components that move in them: at most so many.
const SLEEPING_MAX: usize = 32;
/// Of those that were followed in one state so many are known: each that follows is held to all of them.
const FOLLOWED_MAX: usize = 64;

/// Transitions until it is looked at whether it pays that steps sleep.
const LOOKED_AT_AFTER: u64 = 10_000;
/// It does if one transition of so many sleeps: to see what sleeps takes up to a tenth of the time.
const WORTH_IT: u64 = 10;

/// Whether it pays that so many of so many transitions sleep, as far as that is known.
pub(crate) fn pays(slept: u64, transitions: u64) -> bool {
    transitions < LOOKED_AT_AFTER || slept >= transitions / WORTH_IT
}

/// What sleeps in each of some states, one after the other.
#[derive(Clone, Debug, Default)]
pub struct SleepSets {
    /// Where those of each end in `all`.
    ends: Vec<u32>,
    all: Vec<Movers>,
}

impl SleepSets {
    /// Adds those of the next state; none if there would be more than can be told apart.
    #[inline]
    pub(crate) fn push(&mut self, set: &[Movers]) {
        if self.all.len() + set.len() <= u32::MAX as usize {
            // One by one: they are few, and a copy of unknown length is a call.
            set.iter().for_each(|movers| self.all.push(*movers));
        }
        self.ends.push(self.all.len() as u32);
    }

    /// Those of a state; none if nothing is known of it.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &[Movers] {
        let begin = |at: usize| at.checked_sub(1).map_or(0, |last| self.ends[last]);
        match self.ends.get(at) {
            Some(end) => &self.all[begin(at) as usize..*end as usize],
            None => &[],
        }
    }

    /// Adds states in which nothing sleeps until there are so many.
    pub(crate) fn lengthen(&mut self, count: usize) {
        self.ends.resize(count, self.all.len() as u32);
    }

    /// Forgets all but the first states.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.all
            .truncate(self.ends.last().map_or(0, |end| *end as usize));
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.ends[..]) + size_of_val(&self.all[..])
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
pub(crate) struct SleepStep {
    /// None if there are too many of them.
    movers: Option<Movers>,
    /// Whether all steps of these are met before those of others, or after them ([`Successor::settled`]).
    settled: bool,
    silent: bool,
}

impl SleepStep {
    #[inline]
    pub(crate) fn of(successor: &Successor<'_>) -> Self {
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
pub(crate) struct Sleeping {
    /// None where nothing sleeps.
    commuting: Option<Commuting>,
    here: Vec<Movers>,
    /// Those that sleep here, and those that were followed.
    before: Vec<StepGroup>,
    /// What sleeps after the last step that was followed.
    pub(crate) after: Vec<Movers>,
}

impl Sleeping {
    /// Begins with another state.
    #[inline]
    pub(crate) fn begin(&mut self, commuting: Option<Commuting>, here: &[Movers]) {
        self.commuting = commuting;
        self.before.clear();
        self.after.clear();
        if commuting.is_none() {
            return;
        }
        self.here.clear();
        self.here.extend_from_slice(here);
        // Of those that are met late it is not known when others are followed.
        let asleep = here.iter().map(|movers| StepGroup {
            movers: *movers,
            silent: false,
        });
        self.before.extend(asleep);
    }

    /// Whether steps sleep at all.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.commuting.is_some()
    }

    /// Whether a step need not be followed.
    #[inline]
    pub(crate) fn has(&self, step: SleepStep) -> bool {
        let movers = step.movers.filter(|_| step.settled);
        self.is_on() && movers.is_some_and(|movers| self.here.contains(&movers))
    }

    /// Takes note of a step that was followed, and leaves in `after` what sleeps after it; `image` tells where a component
    /// is in what is stored there.
    #[inline]
    pub(crate) fn follow(&mut self, step: SleepStep, image: impl Fn(u16) -> Option<u16>) {
        let Some(commuting) = self.commuting else {
            return;
        };
        self.after.clear();
        if let Some(movers) = step.movers {
            self.fall_asleep((movers, step.silent), commuting, image);
            self.note(step);
        }
    }

    #[inline]
    fn fall_asleep(
        &mut self,
        (movers, silent): (Movers, bool),
        commuting: Commuting,
        image: impl Fn(u16) -> Option<u16>,
    ) {
        for group in &self.before {
            let commute = match commuting {
                Commuting::Always => true,
                Commuting::OneSilent => silent || group.silent,
                Commuting::SleepingSilent => group.silent,
            };
            if commute
                && group.movers.are_apart(movers)
                && let Some(moved) = group.movers.moved(&image)
            {
                self.after.push(moved);
                if self.after.len() == SLEEPING_MAX {
                    return;
                }
            }
        }
    }

    /// Takes note of a step: where it leads was met.
    #[inline]
    pub(crate) fn note(&mut self, step: SleepStep) {
        let Some(movers) = step.movers.filter(|_| step.settled) else {
            return;
        };
        // Those of one leader come one after the other.
        let mut known = self.before.iter_mut().rev();
        if let Some(group) = known.find(|group| group.movers == movers) {
            group.silent &= step.silent;
        } else if self.before.len() < FOLLOWED_MAX {
            self.before.push(StepGroup {
                movers,
                silent: step.silent,
            });
        }
    }
}

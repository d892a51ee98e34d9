//! Sleep sets (Godefroid 1996): steps that a breadth-first search need not follow, since their targets are reached from
//! another state. States, transitions and the depths of states stay the same.
//!
//! Let a search follow the steps `b` and `a` of a state `s` in this order, and let different components move in them.
//! Then both orders lead to the same state `u`. So `b` need not be followed from `t = a(s)`, if `t` is reached there
//! first: `b(s)` was reached before it, and has a step to `u`. `b` *sleeps* in `t`. So does every step that slept in
//! `s`, if different components move in `a`: its target was reached before as well.
//!
//! *Soundness.* Order states by when they are first reached; they are expanded in this order, too. Claim: every step of
//! a state `t` leads to a state that is reached by the time when `t` was expanded. If the step is followed, that is so.
//! If it sleeps, a state `v` that was reached before `t` has a step to the same state. `v` was expanded before, so by
//! induction the target was reached by then. Nor is any state reached at a greater depth: `v` is not deeper than `t`.
//!
//! The same holds for unique representatives: read *orbit* for *state* above. The permutation to the representative
//! also maps the sleep set. A step that twins make superfluous ([`crate::symmetry::twins`]) has one to the same orbit
//! beside it.
//!
//! - If a strategy gives up being exact, an orbit may be stored by another representative than that of a sleeping step:
//!   fewer states are stored, and still one of each orbit. Cycles of τ, which are sought among the stored states, then
//!   need another search that follows all steps (`run/deciding.rs`).
//! - A sleep set matters until its state is expanded, so it is dropped then, and never stored.
//! - A step is identified by the components that move in it. So all steps of these have to be followed or asleep before
//!   another one is taken: [`crate::machine::rules::LedRule::settled`].
//! - The order of states is that of `search::arrivals`, and the frontier is in this order. When a state was really
//!   expanded, and by which thread, does not matter.
//! - With a specification, its node has to be the same in either order ([`Commuting`]).

use crate::machine::EventId;
use crate::machine::network::Successor;

/// Components with this number or a larger one do not sleep.
const COMPONENTS_MAX: u16 = 0xff;

/// The components that move in a step: one or two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Movers(u16);

impl Movers {
    /// The movers of two components, which may be equal; `None` if their numbers are too large.
    #[inline]
    fn new(first: u16, second: u16) -> Option<Self> {
        let (low, high) = (first.min(second), first.max(second));
        (high < COMPONENTS_MAX).then_some(Self(high << 8 | low))
    }

    /// The movers of a step; `None` if there are more than two.
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

    /// Two bytes, for a file.
    pub(crate) fn to_bytes(self) -> [u8; 2] {
        self.0.to_le_bytes()
    }

    /// The movers of these bytes.
    pub(crate) fn from_bytes(bytes: [u8; 2]) -> Self {
        Self(u16::from_le_bytes(bytes))
    }

    #[inline]
    fn pair(self) -> (u16, u16) {
        (self.0 >> 8, self.0 & 0xff)
    }

    /// Whether they have no component in common.
    #[inline]
    fn are_apart(self, other: Self) -> bool {
        let ((a, b), (c, d)) = (self.pair(), other.pair());
        a != c && a != d && b != c && b != d
    }

    /// Their image under a permutation of components; `None` if unknown.
    #[inline]
    fn moved(self, image: impl Fn(u16) -> Option<u16>) -> Option<Self> {
        let (first, second) = self.pair();
        Self::new(image(first)?, image(second)?)
    }
}

/// Sleeping steps of one state, by the components that move in them, at most.
const SLEEPING_MAX: usize = 32;
/// Followed steps of one state that are recorded, at most: each new one is compared with all of them.
const FOLLOWED_MAX: usize = 64;

/// Transitions until it is decided whether sleep sets pay.
const LOOKED_AT_AFTER: u64 = 10_000;
/// They pay if one transition of this number sleeps: computing them takes up to a tenth of the time.
const WORTH_IT: u64 = 10;

/// Whether sleep sets pay, by the transitions so far.
pub(crate) fn pays(slept: u64, transitions: u64) -> bool {
    transitions < LOOKED_AT_AFTER || slept >= transitions / WORTH_IT
}

/// Sleep sets of consecutive states.
#[derive(Clone, Debug, Default)]
pub struct SleepSets {
    /// The end of each set in `all`.
    ends: Vec<u32>,
    all: Vec<Movers>,
}

impl SleepSets {
    /// Adds the sleep set of the next state; an empty one if the numbers would overflow.
    #[inline]
    pub(crate) fn push(&mut self, set: &[Movers]) {
        if self.all.len() + set.len() <= u32::MAX as usize {
            // One by one: they are few, and a copy of unknown length is a call.
            set.iter().for_each(|movers| self.all.push(*movers));
        }
        self.ends.push(self.all.len() as u32);
    }

    /// The sleep set of a state; empty if none was added.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> &[Movers] {
        let begin = |at: usize| at.checked_sub(1).map_or(0, |last| self.ends[last]);
        match self.ends.get(at) {
            Some(end) => &self.all[begin(at) as usize..*end as usize],
            None => &[],
        }
    }

    /// Adds empty sleep sets up to `count` states.
    pub(crate) fn lengthen(&mut self, count: usize) {
        self.ends.resize(count, self.all.len() as u32);
    }

    /// Drops all but the first sets.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        self.all
            .truncate(self.ends.last().map_or(0, |end| *end as usize));
    }

    /// Bytes of the sets.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.ends[..]) + size_of_val(&self.all[..])
    }
}

/// Independence of two steps in the specification: when both orders lead to the same node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commuting {
    /// Always, without a specification.
    Always,
    /// If one of them is silent.
    OneSilent,
    /// If the sleeping one is silent: the search may end at the node after the other one.
    SleepingSilent,
}

/// The properties of a step that matter for sleep sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SleepStep {
    /// `None` if there are too many of them.
    movers: Option<Movers>,
    /// Whether all steps of these come before those of others, or after them ([`Successor::settled`]).
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
    /// Whether all of them are known to be silent.
    silent: bool,
}

/// The sleep set of the state being expanded, and those of its successors.
#[derive(Debug, Default)]
pub(crate) struct Sleeping {
    /// The independence relation; `None` without sleep sets.
    commuting: Option<Commuting>,
    here: Vec<Movers>,
    /// The sleeping steps, and those followed so far.
    before: Vec<StepGroup>,
    /// The sleep set after the last followed step.
    pub(crate) after: Vec<Movers>,
}

impl Sleeping {
    /// Begins another state.
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
        // The time at which late steps are followed is unknown.
        let asleep = here.iter().map(|movers| StepGroup {
            movers: *movers,
            silent: false,
        });
        self.before.extend(asleep);
    }

    /// Whether sleep sets are used.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.commuting.is_some()
    }

    /// Whether a step sleeps.
    #[inline]
    pub(crate) fn has(&self, step: SleepStep) -> bool {
        let movers = step.movers.filter(|_| step.settled);
        self.is_on() && movers.is_some_and(|movers| self.here.contains(&movers))
    }

    /// Records a followed step, and leaves the sleep set of its target in `after`; `image` maps components to those of
    /// the stored state.
    #[inline]
    pub(crate) fn follow(&mut self, step: SleepStep, image: impl Fn(u16) -> Option<u16>) {
        let Some(commuting) = self.commuting else {
            return;
        };
        self.after.clear();
        if let Some(movers) = step.movers {
            self.fall_asleep(movers, step.silent, commuting, image);
            self.note(step);
        }
    }

    #[inline]
    fn fall_asleep(
        &mut self,
        movers: Movers,
        silent: bool,
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

    /// Records a step whose target was reached, or that the specification refuses. Refused steps do not sleep where
    /// the specification is at the same node: they are refused there, too.
    #[inline]
    pub(crate) fn note(&mut self, step: SleepStep) {
        let Some(movers) = step.movers.filter(|_| step.settled) else {
            return;
        };
        // Steps of one leader are consecutive.
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

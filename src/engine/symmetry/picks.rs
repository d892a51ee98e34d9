//! Uniqueness of the representative of `ordering`: whether all states of an orbit share it. All runs that
//! arbitrary choices allow are enumerated.
//!
//! The pick of step 3 of Def. 36 is arbitrary, and so is the order of indistinguishable values in a
//! set. The run for `π(σ)` is the image under `π` of a run for `σ` that may differ in nothing else
//! (Lemma 44). So if all picks for one state lead to one representative, all states of its orbit have it.

use super::context::StateContext;
use super::observe::Unwatched;
use super::ordering::{Tie, TypeOrdering};
use super::strategy::{Ordering, Representative};
use crate::machine::order::factorial;
use crate::machine::{LocalId, Miss};
use crate::value::Atom;

/// Runs of `ordering` at most.
pub const RUNS_MAX: usize = 1_000;
/// Up to this order of the group, the representatives of all states of an orbit are computed to find two that
/// differ.
const GROUP_MAX: u128 = 5_040;
/// Above that order, the number of random states of the orbit.
const WITNESSES_MAX: usize = 300;

/// Verdict on whether all states of an orbit get the same representative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Uniqueness {
    /// Unique, by a theorem or because the whole orbit was computed.
    Proved(Ground),
    /// Unique: all of this many runs have one outcome.
    AllPicksAgree(usize),
    /// Not unique: two runs differ in their outcomes, and some state of the orbit takes the other run.
    PicksDisagree(Box<Disagreement>),
    /// Too many runs; those tried agree, or no state of the orbit was found that takes a different one.
    Unknown {
        /// Number of runs tried.
        tried: usize,
        /// Whether two of them have different outcomes.
        differ: bool,
    },
}

/// Why all states of an orbit get the same representative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// Step 3 had no choice (Corollary 45).
    NoChoice,
    /// Step 3 only split blocks that are fully symmetric (Prop. 50).
    FullySymmetric,
    /// The representative of every state of the orbit was computed.
    EveryState,
}

/// Two runs that lead to different representatives of one orbit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The run on the state itself.
    pub here: Way,
    /// A run with another outcome.
    pub there: Way,
    /// A state of the orbit with another representative, and that representative.
    pub witness: (Vec<LocalId>, Vec<LocalId>),
}

/// One run: its choices and its outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Picks of step 3 from blocks that are not known to be fully symmetric: the components of the
    /// block, and the one put first.
    pub picks: Vec<(Vec<u16>, u16)>,
    /// Indistinguishable values that are not single elements of sets, in the order in which they
    /// were named.
    pub ties: Vec<Vec<Atom>>,
    /// The representative, copies in order.
    pub representative: Vec<LocalId>,
}

/// The representatives of all runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickTable {
    /// Each representative once, with the first run that leads to it and the number of such runs; the run on
    /// the state itself comes first.
    pub outcomes: Vec<(Way, usize)>,
    /// Whether all runs were tried. Fully symmetric blocks and single elements of sets
    /// count as one run: their order does not matter (Prop. 50).
    pub complete: bool,
}

/// Enumerates the runs, up to [`RUNS_MAX`], with their outcomes.
///
/// # Errors
/// An image that the tables do not hold.
pub fn table(
    types: TypeOrdering,
    context: &StateContext<'_>,
    out: &mut Representative,
) -> Result<PickTable, Miss> {
    let mut ways = Ways::new(types);
    let mut outcomes: Vec<(Way, usize)> = vec![(ways.first(context, out)?, 1)];
    let mut tried = 1;
    while tried < RUNS_MAX && !context.locals.is_interrupted() {
        let Some(next) = ways.next(context, out)? else {
            break;
        };
        tried += 1;
        let mut known = outcomes.iter_mut();
        match known.find(|(first, _)| first.representative == next.representative) {
            Some((_, count)) => *count += 1,
            None => outcomes.push((next, 1)),
        }
    }
    Ok(PickTable {
        outcomes,
        complete: ways.is_done(),
    })
}

/// Decides whether the representative that `ordering` gives a state is unique in its orbit.
///
/// # Errors
/// An image that the tables do not hold.
pub fn uniqueness(
    types: TypeOrdering,
    context: &StateContext<'_>,
    out: &mut Representative,
) -> Result<Uniqueness, Miss> {
    let mut ways = Ways::new(types);
    let here = ways.first(context, out)?;
    // The theorems of the paper come first: they need no further runs.
    if ways.is_only() {
        let free = out.scratch.choices.is_empty();
        return Ok(Uniqueness::Proved(match free {
            true => Ground::NoChoice,
            false => Ground::FullySymmetric,
        }));
    }
    let mut tried = 1;
    let mut other = None;
    // Some states take milliseconds a way: limits and cancellation hold here, too.
    while tried < RUNS_MAX && !context.locals.is_interrupted() {
        let Some(next) = ways.next(context, out)? else {
            break;
        };
        tried += 1;
        // One is enough to know that they differ. Whether it matters is another question: some
        // state of the orbit must really take that run (`Witnesses`).
        if next.representative != here.representative {
            other = Some(next);
            break;
        }
    }
    let Some(there) = other else {
        let all = ways.is_done();
        return Ok(match all {
            true => Uniqueness::AllPicksAgree(tried),
            false => Uniqueness::Unknown {
                tried,
                differ: false,
            },
        });
    };
    let found = Witnesses { types, context }.find(&here, &there, out)?;
    Ok(match found {
        Witness::Found(state, representative) => {
            Uniqueness::PicksDisagree(Box::new(Disagreement {
                here,
                there,
                witness: (state, representative),
            }))
        }
        Witness::NoneAmongAll => Uniqueness::Proved(Ground::EveryState),
        Witness::NoneFound => Uniqueness::Unknown {
            tried,
            differ: true,
        },
    })
}

/// Enumerates all runs, in a fixed order.
struct Ways {
    types: TypeOrdering,
    /// The picks of step 3 in the present run.
    script: Vec<u16>,
    /// The names of the present run, before ties are permuted.
    image: Vec<Atom>,
    picks: Vec<(Vec<u16>, u16)>,
    /// Number of members to pick from at each choice of the present run.
    among: Vec<u16>,
    /// The values of each tie that may matter; `orders` has their present order.
    ties: Vec<Tie>,
    orders: Vec<Vec<u16>>,
    done: bool,
}

impl Ways {
    fn new(types: TypeOrdering) -> Self {
        Self {
            types,
            script: Vec::new(),
            image: Vec::new(),
            picks: Vec::new(),
            among: Vec::new(),
            ties: Vec::new(),
            orders: Vec::new(),
            done: false,
        }
    }

    /// Whether there is a single run.
    fn is_only(&self) -> bool {
        self.ties.is_empty() && self.among.iter().all(|n| *n == 1)
    }

    fn is_done(&self) -> bool {
        self.done
    }

    fn first(&mut self, context: &StateContext<'_>, out: &mut Representative) -> Result<Way, Miss> {
        self.run(context, out)?;
        Ok(self.way(&out.locals))
    }

    /// The next run; `None` after the last.
    fn next(
        &mut self,
        context: &StateContext<'_>,
        out: &mut Representative,
    ) -> Result<Option<Way>, Miss> {
        // An odometer: an order that is at its last goes back to its first, and `any` moves the
        // next one. Orders of ties change no pick, so the computation need not run again.
        if self.orders.iter_mut().any(|order| advance(order)) {
            let mut image = self.image.clone();
            for (tie, order) in self.ties.iter().zip(&self.orders) {
                let name = |at: &u16| self.image[tie.values[usize::from(*at)].0 as usize];
                for (value, at) in tie.values.iter().zip(order) {
                    image[value.0 as usize] = name(at);
                }
            }
            let mut locals = Vec::new();
            context.image(&image, &mut locals)?;
            return Ok(Some(self.way(&locals)));
        }
        // The script of the present run, with the picks that were made by default written out.
        self.script.resize(self.among.len(), 0);
        // The last choice that has another pick goes on to it; what comes after is cut off and
        // falls back on first picks, since other picks may lead to other choices.
        while let Some(last) = self.script.pop() {
            if last + 1 < self.among[self.script.len()] {
                self.script.push(last + 1);
                self.run(context, out)?;
                return Ok(Some(self.way(&out.locals)));
            }
        }
        self.done = true;
        Ok(None)
    }

    /// Runs `ordering` with the picks of the script.
    fn run(&mut self, context: &StateContext<'_>, out: &mut Representative) -> Result<(), Miss> {
        out.scratch.script.clone_from(&self.script);
        Ordering(self.types).scripted(context, out, &mut Unwatched)?;
        let scratch = &mut out.scratch;
        let choices = scratch.choices.iter();
        let number = |members: &std::ops::Range<usize>| members.len() as u16;
        self.among.clear();
        // Another pick from a fully symmetric block leads to the same state (Prop. 50): not tried.
        self.among.extend(choices.map(|c| match c.fully_symmetric {
            true => 1,
            false => number(&c.members),
        }));
        let order = &scratch.blocks.order;
        let harmful = scratch.choices.iter().filter(|c| !c.fully_symmetric);
        self.picks.clear();
        self.picks.extend(harmful.map(|choice| {
            let mut members = order[choice.members.clone()].to_vec();
            members.sort_unstable();
            (members, choice.picked)
        }));
        self.ties = scratch.ties(context.atoms, &out.image);
        // Elements of sets of single values may be exchanged without any effect.
        self.ties.retain(|tie| !tie.harmless);
        let orders = self.ties.iter().map(|tie| 0..tie.values.len() as u16);
        self.orders = orders.map(Iterator::collect).collect();
        // The names to which the orders of ties are applied: a copy, since `out` is reused meanwhile.
        self.image.clone_from(&out.image);
        Ok(())
    }

    fn way(&self, locals: &[LocalId]) -> Way {
        let named = |(tie, order): (&Tie, &Vec<u16>)| {
            let mut values: Vec<(u16, Atom)> =
                order.iter().copied().zip(tie.values.clone()).collect();
            values.sort_unstable();
            values.into_iter().map(|(_, value)| value).collect()
        };
        Way {
            picks: self.picks.clone(),
            ties: self.ties.iter().zip(&self.orders).map(named).collect(),
            representative: locals.to_vec(),
        }
    }
}

/// Steps to the next arrangement in lexicographic order; after the last to the first, and returns false.
fn advance(order: &mut [u16]) -> bool {
    // Everything after `at - 1` descends, so it is at its last arrangement already.
    let Some(at) = (1..order.len()).rev().find(|at| order[at - 1] < order[*at]) else {
        order.reverse();
        return false;
    };
    let next = (at..order.len()).rev().find(|n| order[*n] > order[at - 1]);
    if let Some(next) = next {
        order.swap(at - 1, next);
    }
    // The rest still descends; reversed, it is at its first arrangement.
    order[at..].reverse();
    true
}

/// Search for a state of the orbit that really gets another representative.
struct Witnesses<'a> {
    types: TypeOrdering,
    context: &'a StateContext<'a>,
}

/// Outcome of that search.
enum Witness {
    /// A state, and its representative.
    Found(Vec<LocalId>, Vec<LocalId>),
    /// All states of the orbit have the same representative.
    NoneAmongAll,
    /// Some states were tried, and all of those have the same representative.
    NoneFound,
}

impl Witnesses<'_> {
    fn find(&self, here: &Way, there: &Way, out: &mut Representative) -> Result<Witness, Miss> {
        // They lie in the orbit, and one of them may well take the other run: tried first.
        for state in [&there.representative, &here.representative] {
            if let Some(other) = self.other(state, here, out)? {
                return Ok(Witness::Found(state.clone(), other));
            }
        }
        let atoms = self.context.atoms;
        // One arrangement a type. All together, type after type, they are the images of all values.
        let mut numbers: Vec<Vec<u16>> = (0..atoms.kinds() as u8)
            .map(|kind| atoms.atoms(kind).collect())
            .collect();
        let factorials = numbers.iter().map(|n| factorial(n.len()));
        let is_small = factorials.fold(1, u128::saturating_mul) <= GROUP_MAX;
        // A fixed seed: the answer for a state must not change from one call to the next.
        let mut random = XorShift(0x9e37_79b9_7f4a_7c15);
        let mut tries = 0;
        loop {
            if self.context.locals.is_interrupted() {
                return Ok(Witness::NoneFound);
            }
            // The first arrangement, the identity, is passed over: its outcome is `here`.
            if is_small && !numbers.iter_mut().any(|order| advance(order)) {
                let entry = self.context.network.format(self.context.format);
                return Ok(match entry.copies().is_empty() {
                    true => Witness::NoneAmongAll,
                    // Exchanges of copies were not tried.
                    false => Witness::NoneFound,
                });
            }
            if !is_small {
                if tries == WITNESSES_MAX {
                    return Ok(Witness::NoneFound);
                }
                tries += 1;
                numbers.iter_mut().for_each(|order| random.shuffle(order));
            }
            let image: Vec<Atom> = numbers.iter().flatten().map(|n| Atom(*n)).collect();
            let mut state = Vec::new();
            self.context.image(&image, &mut state)?;
            if let Some(other) = self.other(&state, here, out)? {
                return Ok(Witness::Found(state, other));
            }
        }
    }

    /// The representative of a state, if it differs from that of `here`.
    fn other(
        &self,
        state: &[LocalId],
        here: &Way,
        out: &mut Representative,
    ) -> Result<Option<Vec<LocalId>>, Miss> {
        let context = StateContext {
            state,
            ..*self.context
        };
        Ordering(self.types).watched(&context, out, &mut Unwatched)?;
        Ok((out.locals != here.representative).then(|| out.locals.clone()))
    }
}

/// Marsaglia's generator: the same numbers in every run.
struct XorShift(u64);

impl XorShift {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Fisher and Yates: every arrangement is as likely.
    fn shuffle(&mut self, order: &mut [u16]) {
        for at in (1..order.len()).rev() {
            order.swap(at, self.below(at + 1));
        }
    }
}

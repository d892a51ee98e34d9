//! The compressions, put together.

use super::bisim::bisimulation;
use super::diamond::diamond;
use super::graph::{Lts, Name, Part, Partition, Reduced, State, TAU};
use super::normal::normal;
use super::tau::factored;
use super::weak::{self, Weak};
use crate::source::diagnostic::Result;

/// A way to make a system smaller. All keep traces, stable failures and divergences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// None: only what can be reached is found out.
    Explore,
    /// The quotient by strong bisimilarity.
    Strong,
    /// Cycles of τ become states with a τ to themselves.
    TauLoops,
    /// The quotient by weak bisimilarity that respects divergence.
    Weak,
    /// The same with delay bisimilarity.
    Delay,
    /// τ is eliminated: a state offers at once all that it can do after τ.
    Diamond,
    /// The system is made deterministic but for its acceptances.
    Normal,
}

/// Parameters of a compression.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// The look (signature) of each state: a class of equivalent states is named by all its members of one look.
    pub looks: &'a [u32],
    /// Called now and then with the size of what is being made: an error ends the work.
    pub poll: &'a dyn Fn(usize) -> Result<()>,
}

/// Compresses what can be reached from a state.
///
/// # Errors
/// Errors of `work.poll`.
pub fn compress(lts: &Lts, initial: State, how: Compression, work: Work<'_>) -> Result<Reduced> {
    match how {
        Compression::Explore => {
            let (lts, old) = lts.reachable(initial);
            let names = old.into_iter().map(|s| vec![whole(vec![s])]).collect();
            Ok(Reduced { lts, names })
        }
        Compression::Strong => {
            let partition = bisimulation(lts, &Partition::coarse(lts.len()), work.poll)?;
            let quotient = lts.quotient(&partition);
            Ok(of_classes(&quotient, &partition, initial, work))
        }
        Compression::TauLoops => {
            let (quotient, partition) = factored(lts);
            Ok(of_classes(&quotient, &partition, initial, work))
        }
        Compression::Weak | Compression::Delay => {
            let kind = match how {
                Compression::Delay => Weak::Delay,
                _ => Weak::Weak,
            };
            let (shrunk, partition) = shrink(lts, work)?;
            // Weak bisimulation is dear, so it gets a system that is as small as cheaper means make it.
            let (quotient, coarser) = weak::quotient(&shrunk, kind, work.poll)?;
            let partition = partition.then(&coarser);
            Ok(of_classes(&quotient, &partition, initial, work))
        }
        Compression::Diamond | Compression::Normal => {
            let (shrunk, partition) = shrink(lts, work)?;
            let initial = partition.class[initial as usize];
            let (lts, mut names) = match how {
                Compression::Diamond => diamond(&shrunk, initial, work.poll)?,
                _ => normal(&shrunk, initial, work.poll)?,
            };
            let alike = alike(&partition, work);
            // The members are classes of what was shrunk first; the names are made of states of the old system.
            let mut size = lts.transitions();
            for name in &mut names {
                let classes = name.members.iter();
                let mut members = classes.flat_map(|c| &alike[*c as usize]).copied().collect();
                std::mem::swap(&mut name.members, &mut members);
                name.members.sort_unstable();
                size += name.members.len();
                (work.poll)(size)?;
            }
            minimised(&lts, names, work)
        }
    }
}

fn whole(members: Vec<State>) -> Name {
    Name {
        members,
        part: Part::Whole,
    }
}

/// Without cycles of τ other than loops, and then up to strong bisimilarity. (That makes no new
/// cycles of τ: a run round one could be followed for ever from a state that has none.)
fn shrink(lts: &Lts, work: Work<'_>) -> Result<(Lts, Partition)> {
    let (quotient, partition) = factored(lts);
    let coarser = bisimulation(&quotient, &Partition::coarse(quotient.len()), work.poll)?;
    Ok((quotient.quotient(&coarser), partition.then(&coarser)))
}

/// Of every class the members that name it: those of one look, as few as possible.
fn alike(partition: &Partition, work: Work<'_>) -> Vec<Vec<State>> {
    let mut named = partition.members();
    for members in &mut named {
        *members = fewest(std::mem::take(members), |s| work.looks[*s as usize]);
    }
    named
}

/// The members of the rarest look; the least look among equally rare ones.
fn fewest<T, L: Ord>(mut all: Vec<T>, look: impl Fn(&T) -> L) -> Vec<T> {
    if all.len() <= 1 {
        return all;
    }
    all.sort_by_cached_key(&look);
    let mut best = 0..usize::MAX;
    let mut from = 0;
    for group in all.chunk_by(|a, b| look(a) == look(b)) {
        // The least look among equals, as they come in ascending order.
        if group.len() < best.len() {
            best = from..from + group.len();
        }
        from += group.len();
    }
    all.truncate(best.end);
    all.drain(..best.start);
    all
}

/// A quotient, each class named by members that look alike.
fn of_classes(quotient: &Lts, partition: &Partition, initial: State, work: Work<'_>) -> Reduced {
    let mut alike = alike(partition, work);
    let (lts, old) = quotient.reachable(partition.class[initial as usize]);
    let named = old
        .into_iter()
        .map(|c| std::mem::take(&mut alike[c as usize]));
    let names = named.map(|members| vec![whole(members)]).collect();
    Reduced { lts, names }
}

/// Up to strong bisimilarity, from state 0; each class named by states that look alike.
fn minimised(lts: &Lts, mut names: Vec<Name>, work: Work<'_>) -> Result<Reduced> {
    let partition = bisimulation(lts, &Partition::coarse(lts.len()), work.poll)?;
    let quotient = lts.quotient(&partition);
    // What the initial state becomes may have turned out to be one: then it is that one.
    let initial = match quotient.steps(partition.class[0]) {
        [(TAU, only)] => *only,
        _ => partition.class[0],
    };
    let (lts, old) = quotient.reachable(initial);
    let members = partition.members();
    let named = old.into_iter().map(|class| {
        let take = |s: &State| std::mem::replace(&mut names[*s as usize], whole(Vec::new()));
        let all: Vec<Name> = members[class as usize].iter().map(take).collect();
        fewest(all, |name| look(name, work))
    });
    let names = named.collect();
    Ok(Reduced { lts, names })
}

/// The look (signature) of a name: its kind, the number of its events, and the looks of its members.
fn look(name: &Name, work: Work<'_>) -> (u8, usize, usize, Vec<u32>) {
    let (kind, events) = match &name.part {
        Part::Whole => (0, 0),
        Part::Full => (1, 0),
        Part::Offer(events) => (2, events.len()),
    };
    let looks = name.members.iter().map(|s| work.looks[*s as usize]);
    let mut looks: Vec<u32> = looks.collect();
    looks.sort_unstable();
    (kind, looks.len(), events, looks)
}

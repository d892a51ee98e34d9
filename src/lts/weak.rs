//! Weak and delay bisimulation that respect divergence (Boulgakov, Gibson-Robinson and Roscoe,
//! *Computing maximal weak and other bisimulations*, 2016).
//!
//! States are weakly bisimilar if each step of one is matched by a step of the other with any number
//! of τs before and after it (a τ also by none), into bisimilar states, and either both can diverge
//! or none. Delay bisimilarity allows no τs after. On a system whose only cycles of τ are loops the
//! steps with τs around them need not be written down: signatures are computed along τ, backwards.

use super::graph::{Builder, Lts, Partition, State, TAU};
use super::tau::silent_components;
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, Map};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weak {
    /// τs may come before and after an event.
    Weak,
    /// τs may come before an event.
    Delay,
}

/// What a state can do: pairs of event and class, with τs around; ascending.
type WeakSignature = Box<[(u32, u32)]>;

/// The coarsest bisimulation of a kind on a system whose only cycles of τ are loops.
///
/// # Errors
/// What `poll` reports; it is given the size of what is being made.
pub fn weak_bisimulation(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Partition> {
    refine(lts, kind, poll).map(|(partition, _)| partition)
}

/// The partition, and the signature of each class in it.
fn refine(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Partition, Vec<WeakSignature>)> {
    let order = against_tau(lts);
    let diverges = divergent(lts, &order);
    // Divergence is respected: what can diverge is never put together with what cannot.
    let mut class: Vec<u32> = diverges.iter().map(|d| u32::from(*d)).collect();
    let mut count = 0;
    loop {
        let signatures = signatures(lts, kind, &order, &class, poll)?;
        let mut known: IndexMap<(u32, WeakSignature), ()> = IndexMap::default();
        let mut finer = vec![0; class.len()];
        for (s, signature) in signatures.into_iter().enumerate() {
            finer[s] = known.insert_full((class[s], signature), ()).0 as u32;
        }
        // No class was split in this round.
        if known.len() == count {
            // The classes are those of the last round under other numbers.
            let mut renamed = vec![0; count];
            for (s, new) in finer.iter().enumerate() {
                renamed[class[s] as usize] = *new;
            }
            let signatures = known.into_keys().map(|(_, signature)| {
                let mut pairs: Vec<(u32, u32)> = signature
                    .iter()
                    .map(|(event, c)| (*event, renamed[*c as usize]))
                    .collect();
                pairs.sort_unstable();
                pairs.into()
            });
            let partition = Partition {
                class: finer,
                count,
            };
            return Ok((partition, signatures.collect()));
        }
        count = known.len();
        class = finer;
    }
}

/// The states in an order in which τ leads backwards.
fn against_tau(lts: &Lts) -> Vec<State> {
    let rank = silent_components(lts).class;
    let mut order: Vec<State> = lts.states().collect();
    // Numbers of components fall along τ, so what τ reaches comes first.
    order.sort_by_key(|s| rank[*s as usize]);
    order
}

/// Which states reach a τ to itself by τ.
fn divergent(lts: &Lts, order: &[State]) -> Vec<bool> {
    let mut diverges = vec![false; lts.len()];
    for s in order {
        let mut next = lts.silent(*s).iter();
        diverges[*s as usize] = next.any(|(_, to)| to == s || diverges[*to as usize]);
    }
    diverges
}

fn signatures(
    lts: &Lts,
    kind: Weak,
    order: &[State],
    class: &[u32],
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<Vec<WeakSignature>> {
    // A signature holds `(TAU, c)` for every class `c` that τ reaches, its own among them.
    let mut found: Vec<WeakSignature> = vec![WeakSignature::default(); lts.len()];
    let mut own: Vec<(u32, u32)> = Vec::new();
    let mut size = 0;
    let silent = |signature: &WeakSignature| signature.partition_point(|p| p.0 == TAU);
    // What an event leads to may come later in the order: what τ reaches is found first.
    for s in order {
        own.clear();
        own.push((TAU, class[*s as usize]));
        for (_, to) in lts.silent(*s) {
            own.extend_from_slice(&found[*to as usize]);
        }
        own.sort_unstable();
        own.dedup();
        size += own.len();
        found[*s as usize] = own.as_slice().into();
    }
    // Kept apart: below, signatures get visible events too.
    let reached = found.clone();
    for (done, s) in order.iter().enumerate() {
        own.clear();
        own.extend_from_slice(&reached[*s as usize]);
        for (event, to) in lts.visible(*s) {
            match kind {
                Weak::Weak => own.extend(reached[*to as usize].iter().map(|p| (*event, p.1))),
                Weak::Delay => own.push((*event, class[*to as usize])),
            }
        }
        for (_, to) in lts.silent(*s) {
            // A τ to itself adds nothing.
            if to != s {
                let all = &found[*to as usize];
                own.extend_from_slice(&all[silent(all)..]);
            }
        }
        own.sort_unstable();
        own.dedup();
        size += own.len();
        // Signatures may be as large as the square of the system.
        if done % 1024 == 0 {
            poll(size)?;
        }
        found[*s as usize] = own.as_slice().into();
    }
    Ok(found)
}

/// The quotient by a weak bisimulation, with as few transitions as possible: those that follow from
/// others with τ before (and, for [`Weak::Weak`], after) are left out. What is left depends on the
/// classes alone: τ has no cycles among them, so every transition that is left out follows from some
/// that are not.
pub(super) fn quotient(
    lts: &Lts,
    kind: Weak,
    poll: &dyn Fn(usize) -> Result<()>,
) -> Result<(Lts, Partition)> {
    let (partition, signatures) = refine(lts, kind, poll)?;
    let order = against_tau(lts);
    let diverges = divergent(lts, &order);
    let mut class_diverges = vec![false; partition.count];
    for (s, class) in partition.class.iter().enumerate() {
        class_diverges[*class as usize] = diverges[s];
    }
    let after: Vec<Vec<u32>> = (0..partition.count as u32)
        .map(|c| silent_targets(&signatures, c).collect())
        .collect();
    let has = |c: u32, pair: (u32, u32)| signatures[c as usize].binary_search(&pair).is_ok();
    let mut builder = Builder::default();
    for c in 0..partition.count as u32 {
        poll(builder.steps())?;
        let mut by_event: Map<u32, Vec<u32>> = Map::default();
        for (event, d) in &signatures[c as usize] {
            by_event.entry(*event).or_default().push(*d);
        }
        let follows = |(event, d): (u32, u32)| {
            let before = after[c as usize]
                .iter()
                .any(|n| *n != d && has(*n, (event, d)));
            if event == TAU {
                return before;
            }
            let direct = after[c as usize].iter().any(|n| has(*n, (event, d)));
            let later = kind == Weak::Weak
                && by_event[&event]
                    .iter()
                    .any(|n| *n != d && has(*n, (TAU, d)));
            direct || later
        };
        let mut steps: Vec<(u32, u32)> = signatures[c as usize]
            .iter()
            .copied()
            .filter(|pair| *pair != (TAU, c) && !follows(*pair))
            .collect();
        let inherited = after[c as usize]
            .iter()
            .any(|n| class_diverges[*n as usize]);
        // A class diverges by a loop of its own only if it does not by what τ reaches.
        if class_diverges[c as usize] && !inherited {
            steps.push((TAU, c));
        }
        builder.push(steps);
    }
    Ok((builder.finish(), partition))
}

/// The other classes that a class reaches by τ.
fn silent_targets(signatures: &[WeakSignature], c: u32) -> impl Iterator<Item = u32> + '_ {
    let pairs = signatures[c as usize].iter();
    pairs
        .take_while(|p| p.0 == TAU)
        .map(|p| p.1)
        .filter(move |d| *d != c)
}

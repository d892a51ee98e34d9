//! State symmetry (SMC): of the steps of a pair that automorphisms of the pair take to one another, one is
//! followed. The others lead to pairs of the same orbit, so nothing is lost but the time that their
//! representatives would take.
//!
//! That does not rest on the automorphisms: steps are left out only where a permutation was seen to take
//! the pair that one leads to to the pair that another leads to.

use super::product::{Product, ProductMiss, ProductState, StepTarget};
use super::specification::NodeId;
use crate::machine::{EventId, FormatId, LocalId};
use crate::source::hash::IndexMap;
use crate::symmetry::Representative;
use crate::symmetry::exact::automorphisms;
use crate::value::Atom;

/// A pair up to bisimilar local states and exchanges of copies.
type SettledPair = (u32, FormatId, Vec<LocalId>);

/// Whether a step is silent, and where it leads. A silent step never stands for one that is not: loops are
/// made of silent steps, and would be lost.
type StepClass = (bool, SettledPair);

fn settled(product: &Product<'_>, node: u32, format: FormatId, locals: &[LocalId]) -> SettledPair {
    let entry = product.network.format(format);
    let mut locals = locals.to_vec();
    entry.merged().apply(&mut locals);
    entry.copies().settle(&mut locals);
    (product.class_of(node), format, locals)
}

impl Product<'_> {
    /// Of the steps of a pair those to follow, by their numbers: the first of each orbit.
    ///
    /// # Errors
    /// What the tables do not hold.
    pub(super) fn steps_to_follow(
        &self,
        at: &ProductState,
        steps: &[StepTarget],
        out: &mut Representative,
    ) -> Result<Vec<usize>, ProductMiss> {
        match steps {
            [] => Ok(Vec::new()),
            _ => to_follow(self, at, steps, out),
        }
    }
}

fn to_follow(
    product: &Product<'_>,
    at: &ProductState,
    steps: &[StepTarget],
    out: &mut Representative,
) -> Result<Vec<usize>, ProductMiss> {
    let mut classes: IndexMap<StepClass, usize> = IndexMap::default();
    for (number, step) in steps.iter().enumerate() {
        let target = settled(
            product,
            step.pair().node,
            step.pair().format,
            step.pair().locals,
        );
        let is_silent = step.event == EventId::TAU;
        classes.entry((is_silent, target)).or_insert(number);
    }
    let context = product.context(at.node, FormatId(at.format), &at.locals);
    let generators = automorphisms(&context, out)?;
    // The class that each class was found to be the image of, or the other way round: the lower one.
    let mut joined: Vec<usize> = (0..classes.len()).collect();
    for by in &generators {
        for class in 0..classes.len() {
            let Some(((is_silent, (node, format, locals)), _)) = classes.get_index(class) else {
                continue;
            };
            let image = image(product, (*node, *format, locals), by)?;
            if let Some(other) = classes.get_index_of(&(*is_silent, image)) {
                let (a, b) = (root(&joined, class), root(&joined, other));
                joined[a.max(b)] = a.min(b);
            }
        }
    }
    // Classes are numbered by their first steps, so the least of those that were joined has the first.
    let first = classes.values().enumerate();
    let first = first.filter(|(class, _)| root(&joined, *class) == *class);
    Ok(first.map(|(_, number)| *number).collect())
}

fn root(joined: &[usize], mut class: usize) -> usize {
    while joined[class] != class {
        class = joined[class];
    }
    class
}

fn image(
    product: &Product<'_>,
    (node, format, locals): (u32, FormatId, &[LocalId]),
    by: &[Atom],
) -> Result<SettledPair, ProductMiss> {
    let mut image = Vec::new();
    product
        .network
        .permute(product.locals, format, locals, by, &mut image)?;
    let node = match product.specification {
        Some(side) => side.permute(product.locals, NodeId(node), by)?.0,
        None => node,
    };
    Ok(settled(product, node, format, &image))
}

//! State symmetry (SMC): of the steps of a pair that automorphisms of the pair map to one another, one is followed. The
//! others lead to pairs of the same orbit, so this saves the time of their representatives.
//!
//! The automorphisms are permutations of values, or elements of a structural group. Soundness does not depend on them:
//! a step is left out only if a permutation was verified to map its target to that of another step.

use super::product::{Product, ProductMiss, ProductState};
use crate::machine::{EventId, FormatId, LocalId};
use crate::reductions::steps::StepTarget;
use crate::source::disjoint_sets::DisjointSets;
use crate::source::hash::IndexMap;
use crate::specification::NodeId;
use crate::structure::element::Automorphism;
use crate::symmetry::Representative;
use crate::symmetry::exact::automorphisms;
use crate::symmetry::structural::StructuralGroup;
use crate::value::Atom;

/// A pair up to bisimilar local states and exchanges of copies.
type SettledPair = (u32, FormatId, Vec<LocalId>);

/// The image of a pair; `None` if it has none.
type ImageOfPair<'a> = dyn Fn(&SettledPair) -> Result<Option<SettledPair>, ProductMiss> + 'a;

/// Whether a step is silent, and its target. Silent and visible steps are never identified, as this would lose cycles
/// of τ.
type StepClass = (bool, SettledPair);

fn settled(product: &Product<'_>, node: u32, format: FormatId, locals: &[LocalId]) -> SettledPair {
    let entry = product.network.format(format);
    let mut locals = locals.to_vec();
    entry.merged().apply(&mut locals);
    entry.copies().settle(&mut locals);
    (product.class_of(node), format, locals)
}

impl Product<'_> {
    /// The numbers of the steps of a pair to follow: the first of each orbit.
    ///
    /// # Errors
    /// A missing table entry.
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
    // Classes found to be images of one another.
    let mut alike = DisjointSets::new(classes.len() as u32);
    let mut join = |image: &ImageOfPair<'_>| -> Result<(), ProductMiss> {
        for class in 0..classes.len() {
            let Some(((is_silent, pair), _)) = classes.get_index(class) else {
                continue;
            };
            let image = image(pair)?.map(|image| (*is_silent, image));
            if let Some(other) = image.and_then(|image| classes.get_index_of(&image)) {
                alike.join(class as u32, other as u32);
            }
        }
        Ok(())
    };
    if let Some(group) = product.structure() {
        let is_over = || product.locals.is_interrupted();
        for by in group.fixing(&at.locals, at.node, &is_over) {
            join(&|pair| Ok(moved(product, group, pair, &by)))?;
        }
    } else {
        let context = product.context(at.node, FormatId(at.format), &at.locals);
        for by in automorphisms(&context, out)? {
            join(&|(node, format, locals)| {
                image(product, (*node, *format, locals), &by).map(Some)
            })?;
        }
    }
    // Classes are numbered by their first steps, so the least class of a set has the first step.
    let first = (0..).zip(classes.values());
    let first = first.filter(|(class, _)| alike.least(*class) == *class);
    Ok(first.map(|(_, number)| *number).collect())
}

/// The image of a pair under a structural symmetry, if it has one.
fn moved(
    product: &Product<'_>,
    group: &StructuralGroup,
    (node, format, locals): &SettledPair,
    by: &Automorphism,
) -> Option<SettledPair> {
    let structure = group.structure();
    let locals = by.state(structure, locals)?;
    // Nodes without ties to the network are fixed.
    let node = match structure.node_of.get(node) {
        Some(place) => structure.nodes[by.node(*place) as usize].id,
        None => *node,
    };
    Some(settled(product, node, *format, &locals))
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

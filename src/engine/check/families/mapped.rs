//! Whether a specification follows every map of values to two (Norm of the page `families`): after the image of a trace
//! it allows the images of what it allows after the trace, and remembers the images of the same values.
//!
//! That is decided on triples of a node `n` with many values, a map `φ` of the values in it to two, and the node `m` of
//! the same specification after the mapped trace. At each, a field of an event with a value of the datatype is either
//! free (all values are allowed, independently of the other fields) or fixed (one value that the node holds); `m` has to
//! allow just the images. Choices that no trace shows have been excluded before, so that the nodes of `m` are those that
//! a specification with two values has.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::sides::{FamilySides, SpecNode};
use super::unprovable::{Decided, Unprovable};
use crate::machine::EventId;
use crate::source::hash::{IndexMap, IndexSet, Map};
use crate::value::{Atom, Value};

/// What is compared at nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ComparedAtNodes {
    /// Whether offers of stable states matter (F, FD).
    pub acceptances: bool,
    /// Whether divergence matters (FD).
    pub divergence: bool,
}

/// The shape of an event; `None` for ✓.
type FamilyEvent = Option<Value>;
type Tuples = IndexMap<Box<[Atom]>, EventId>;

/// What is known of a node.
struct NodeFacts {
    /// The values that are allowed for events of each shape.
    allowed: IndexMap<FamilyEvent, Tuples>,
    /// The events that each stable state offers.
    stable: Vec<IndexMap<FamilyEvent, Tuples>>,
    diverges: bool,
}

/// Where a field is free: nothing; where it is fixed, the value.
type FieldBounds = Vec<Option<Atom>>;

/// The map of the values of a node to 0 and 1.
type TwoImages = Vec<(Atom, u16)>;

struct Mapping<'s, 'a> {
    sides: &'s mut FamilySides<'a>,
    compared: ComparedAtNodes,
    facts: Map<SpecNode, Rc<NodeFacts>>,
    /// Whether every field was free everywhere.
    writes_nothing: bool,
}

/// The most values in a node of the specification (side 0).
pub(super) fn held_by_nodes(sides: &mut FamilySides<'_>) -> Decided<usize> {
    let first = sides.initial(0);
    let first = sides.silently(0, vec![first])?;
    let mut known: IndexSet<SpecNode> = IndexSet::default();
    known.insert(first);
    let (mut at, mut most) = (0, 0);
    while let Some(node) = known.get_index(at).cloned() {
        at += 1;
        sides.poll(known.len())?;
        most = most.max(sides.values_in(node.iter()).len());
        if most == sides.values {
            return Ok(most);
        }
        let mut events: IndexSet<EventId> = IndexSet::default();
        for key in node.iter() {
            events.extend(sides.arrows(0, key)?.iter().map(|(event, _)| *event));
        }
        for event in events.into_iter().filter(|e| *e != EventId::TAU) {
            if let Some(next) = sides.after(0, &node, event)? {
                let image = in_order(sides, &next);
                let next = sides.permuted_node(0, &next, &image)?;
                known.insert(next);
            }
        }
    }
    Ok(most)
}

/// The permutation that numbers the values of a node in the order of first occurrence.
fn in_order(sides: &FamilySides<'_>, node: &SpecNode) -> Vec<Atom> {
    let mut order = sides.values_in(node.iter());
    order.extend((0..sides.machine.atoms().len() as u16).map(Atom));
    let mut image = vec![Atom(0); order.len()];
    for (to, from) in order.into_iter().enumerate() {
        image[usize::from(from.0)] = Atom(to as u16);
    }
    image
}

/// Decides it of side 0, compiled with more values than a node and an event hold. Returns whether the specification
/// writes no value at all.
pub(super) fn follows_maps(
    sides: &mut FamilySides<'_>,
    compared: ComparedAtNodes,
) -> Decided<bool> {
    let first = sides.initial(0);
    let first = sides.silently(0, vec![first])?;
    let mut mapping = Mapping {
        sides,
        compared,
        facts: Map::default(),
        writes_nothing: true,
    };
    let mut known: IndexSet<(SpecNode, TwoImages, SpecNode)> = IndexSet::default();
    known.insert((Rc::clone(&first), Vec::new(), first));
    let mut at = 0;
    while let Some((node, images, mapped)) = known.get_index(at).cloned() {
        at += 1;
        mapping.sides.poll(known.len())?;
        for next in mapping.compare(&node, &images, &mapped)? {
            known.insert(next);
        }
    }
    Ok(mapping.writes_nothing)
}

impl Mapping<'_, '_> {
    fn facts(&mut self, node: &SpecNode) -> Decided<Rc<NodeFacts>> {
        if let Some(known) = self.facts.get(node) {
            return Ok(Rc::clone(known));
        }
        let mut facts = NodeFacts {
            allowed: IndexMap::default(),
            stable: Vec::new(),
            diverges: false,
        };
        for key in node.iter() {
            let mut offered: IndexMap<FamilyEvent, Tuples> = IndexMap::default();
            let mut is_stable = true;
            for (event, _) in self.sides.arrows(0, key)?.iter() {
                if *event == EventId::TAU {
                    is_stable = false;
                    continue;
                }
                let (class, tuple) = match self.sides.machine.events().value(*event) {
                    Some(value) => {
                        let (shape, atoms) = self.sides.parts_of(value);
                        (Some(shape), atoms)
                    }
                    None => (None, Box::default()),
                };
                let all = facts.allowed.entry(class).or_default();
                all.insert(tuple.clone(), *event);
                offered.entry(class).or_default().insert(tuple, *event);
            }
            if is_stable {
                facts.stable.push(offered);
            }
        }
        facts.diverges = self.diverges(node)?;
        let facts = Rc::new(facts);
        self.facts.insert(Rc::clone(node), Rc::clone(&facts));
        Ok(facts)
    }

    /// Whether τ can be repeated for ever: states without τ are taken away, then those that lead to such only.
    fn diverges(&mut self, node: &SpecNode) -> Decided<bool> {
        let mut left: BTreeSet<_> = node.iter().cloned().collect();
        loop {
            let before = left.len();
            for key in node.iter() {
                let arrows = self.sides.arrows(0, key)?;
                let stays =
                    |(event, to): &(EventId, _)| *event == EventId::TAU && left.contains(to);
                if left.contains(key) && !arrows.iter().any(stays) {
                    left.remove(key);
                }
            }
            if left.len() == before {
                return Ok(!left.is_empty());
            }
        }
    }

    /// Compares a node with the one after the mapped trace. Returns the triples that steps lead to.
    fn compare(
        &mut self,
        node: &SpecNode,
        images: &TwoImages,
        mapped: &SpecNode,
    ) -> Decided<Vec<(SpecNode, TwoImages, SpecNode)>> {
        let (here, there) = (self.facts(node)?, self.facts(mapped)?);
        if self.compared.divergence {
            if here.diverges != there.diverges {
                return Err(no_norm(
                    "whether it diverges depends on which values are equal",
                ));
            }
            // From here on everything is allowed.
            if here.diverges {
                return Ok(Vec::new());
            }
        }
        let mut expected: IndexMap<FamilyEvent, IndexSet<Box<[Atom]>>> = IndexMap::default();
        for (class, tuples) in &here.allowed {
            let pattern = self.pattern(tuples)?;
            expected.insert(*class, images_of(&pattern, images)?);
        }
        let with_two: IndexMap<FamilyEvent, IndexSet<Box<[Atom]>>> = within_two(&there.allowed);
        if !same(&expected, &with_two) {
            return Err(no_norm(
                "what it allows after a trace depends on which values are equal",
            ));
        }
        if self.compared.acceptances {
            let with_all = |facts: &NodeFacts| offers(facts, &facts.allowed, Clone::clone);
            let of_two = |facts: &NodeFacts| offers(facts, &two(&facts.allowed), two);
            if with_all(&here)? != of_two(&there)? {
                return Err(no_norm(
                    "what it may refuse after a trace depends on which values are equal",
                ));
            }
        }
        self.steps(node, images, mapped)
    }

    /// Which fields are free, and the values of the others.
    fn pattern(&mut self, tuples: &Tuples) -> Decided<FieldBounds> {
        let fields = tuples.first().map_or(0, |(t, _)| t.len());
        let mut pattern = FieldBounds::new();
        let mut product = 1usize;
        for field in 0..fields {
            let values: IndexSet<Atom> = tuples.keys().map(|t| t[field]).collect();
            product = product.saturating_mul(values.len());
            if values.len() == self.sides.values {
                pattern.push(None);
            } else if values.len() == 1 {
                pattern.push(values.first().copied());
                self.writes_nothing = false;
            } else {
                return Err(self.several(tuples));
            }
        }
        if product != tuples.len() {
            return Err(self.several(tuples));
        }
        Ok(pattern)
    }

    fn several(&self, tuples: &Tuples) -> Unprovable {
        let event = tuples.values().next();
        let shown = event.map_or_else(String::new, |e| self.sides.shown(*e));
        no_norm(&format!(
            "of events such as `{shown}` it allows some values together, neither all nor one"
        ))
    }

    fn steps(
        &mut self,
        node: &SpecNode,
        images: &TwoImages,
        mapped: &SpecNode,
    ) -> Decided<Vec<(SpecNode, TwoImages, SpecNode)>> {
        let (here, there) = (self.facts(node)?, self.facts(mapped)?);
        let mut found = Vec::new();
        for (class, tuples) in &here.allowed {
            // ✓ ends it.
            let Some(shape) = class else { continue };
            for (tuple, event) in tuples {
                let Some(next) = self.sides.after(0, node, *event)? else {
                    continue;
                };
                let new: IndexSet<Atom> = tuple
                    .iter()
                    .filter(|a| !images.iter().any(|(known, _)| known == *a))
                    .copied()
                    .collect();
                for bits in 0..1u32 << new.len() {
                    let mut all = images.clone();
                    let of = new.iter().enumerate();
                    all.extend(of.map(|(n, a)| (*a, (bits >> n & 1) as u16)));
                    let image: Option<Box<[Atom]>> =
                        tuple.iter().map(|a| image_of(&all, *a)).collect();
                    let reached = there.allowed.get(&Some(*shape));
                    let reached = reached.zip(image).and_then(|(t, image)| t.get(&image));
                    let Some(reached) = reached else {
                        return Err(no_norm("a mapped event is not allowed"));
                    };
                    let Some(after) = self.sides.after(0, mapped, *reached)? else {
                        return Err(no_norm("a mapped event is not allowed"));
                    };
                    found.push(self.canonical(&next, &all, after)?);
                }
            }
        }
        Ok(found)
    }

    /// The triple with its values numbered in order.
    fn canonical(
        &mut self,
        node: &SpecNode,
        images: &TwoImages,
        mapped: SpecNode,
    ) -> Decided<(SpecNode, TwoImages, SpecNode)> {
        let held = self.sides.values_in(node.iter());
        let image = in_order(self.sides, node);
        let mut renamed = TwoImages::new();
        for atom in held {
            let to = images.iter().find(|(known, _)| *known == atom);
            let Some((_, to)) = to else {
                return Err(no_norm("it holds a value that no event has shown"));
            };
            renamed.push((image[usize::from(atom.0)], *to));
        }
        renamed.sort_unstable();
        Ok((self.sides.permuted_node(0, node, &image)?, renamed, mapped))
    }
}

fn no_norm(why: &str) -> Unprovable {
    Unprovable::nowhere(format!("the specification: {why}"))
}

fn image_of(images: &TwoImages, atom: Atom) -> Option<Atom> {
    let found = images.iter().find(|(known, _)| *known == atom);
    found.map(|(_, to)| Atom(*to))
}

/// All tuples of two values that a pattern allows.
fn images_of(pattern: &FieldBounds, images: &TwoImages) -> Decided<IndexSet<Box<[Atom]>>> {
    let mut all: Vec<Vec<Atom>> = vec![Vec::new()];
    for field in pattern {
        let values = match field {
            None => vec![Atom(0), Atom(1)],
            Some(atom) => match image_of(images, *atom) {
                Some(image) => vec![image],
                None => return Err(no_norm("it writes a value that it does not hold")),
            },
        };
        let longer = all.iter().flat_map(|tuple| {
            values.iter().map(move |v| {
                let mut tuple = tuple.clone();
                tuple.push(*v);
                tuple
            })
        });
        all = longer.collect();
    }
    Ok(all.into_iter().map(Vec::into_boxed_slice).collect())
}

fn is_of_two(tuple: &[Atom]) -> bool {
    tuple.iter().all(|a| a.0 < 2)
}

/// The part with the first two values.
fn two(allowed: &IndexMap<FamilyEvent, Tuples>) -> IndexMap<FamilyEvent, Tuples> {
    let part = allowed.iter().map(|(class, tuples)| {
        let tuples = tuples.iter().filter(|(t, _)| is_of_two(t));
        let tuples: Tuples = tuples.map(|(t, e)| (t.clone(), *e)).collect();
        (*class, tuples)
    });
    part.filter(|(_, tuples)| !tuples.is_empty()).collect()
}

fn within_two(
    allowed: &IndexMap<FamilyEvent, Tuples>,
) -> IndexMap<FamilyEvent, IndexSet<Box<[Atom]>>> {
    let part = two(allowed).into_iter();
    part.map(|(class, tuples)| (class, tuples.into_keys().collect()))
        .collect()
}

fn same(
    a: &IndexMap<FamilyEvent, IndexSet<Box<[Atom]>>>,
    b: &IndexMap<FamilyEvent, IndexSet<Box<[Atom]>>>,
) -> bool {
    let is_in = |(class, tuples): (&FamilyEvent, &IndexSet<Box<[Atom]>>)| {
        let other = b.get(class);
        other.is_some_and(|o| o.len() == tuples.len() && tuples.iter().all(|t| o.contains(t)))
    };
    a.len() == b.len() && a.iter().all(is_in)
}

/// The shapes that each stable state offers, where it offers of each shape all that is allowed.
fn offers(
    facts: &NodeFacts,
    allowed: &IndexMap<FamilyEvent, Tuples>,
    part: impl Fn(&IndexMap<FamilyEvent, Tuples>) -> IndexMap<FamilyEvent, Tuples>,
) -> Decided<BTreeSet<BTreeSet<FamilyEvent>>> {
    let mut all = BTreeSet::new();
    for offered in &facts.stable {
        let offered = part(offered);
        let is_whole = |(class, tuples): (&FamilyEvent, &Tuples)| {
            allowed
                .get(class)
                .is_some_and(|all| all.len() == tuples.len())
        };
        if !offered.iter().all(is_whole) {
            return Err(no_norm(
                "it may refuse some of the values of an event and offer others",
            ));
        }
        all.insert(offered.keys().copied().collect());
    }
    Ok(all)
}

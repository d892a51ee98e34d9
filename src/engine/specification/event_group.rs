//! The group of permutations of a network's events, each with a permutation of its global states.

use crate::machine::copies::Copies;
use crate::machine::{EventId, LocalId, Machine, Network};
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::structure::element::Automorphism;
use crate::structure::network_structure::{NetworkStructure, Results};
use crate::structure::search::symmetries;

/// Work of the search for it, in ends of edges of its structure graph, at most.
const LOOKS: u64 = 200_000_000;
/// Elements at most: the image of each state under each of them is computed.
pub(super) const ELEMENTS_MAX: usize = 256;
/// Local states of all components that elements map, all elements together.
const MAPPED_MAX: usize = 1 << 24;

/// The number of an element.
pub(super) type ElementId = u16;

/// The identity.
pub(super) const IDENTITY: ElementId = 0;

/// The action of an element on global states.
#[derive(Clone, Debug)]
struct Moved {
    /// The image of each component.
    components: Vec<u16>,
    /// The image of each point, as a local state.
    locals: Vec<LocalId>,
}

/// A finite group that acts on events, given by numbers, and on global states.
///
/// Symmetries of a network that permute its events alike map a state to bisimilar ones, so one of them is enough. The
/// images of a state under two elements in turn and under their product are bisimilar, and need not be equal.
#[derive(Clone, Debug)]
pub(super) struct EventGroup {
    /// The structure that it permutes; `None` without symmetry.
    structure: Option<NetworkStructure>,
    /// The events, by number.
    events: IndexSet<EventId>,
    /// For each element, the images of the event numbers.
    images: Vec<u32>,
    moved: Vec<Moved>,
    /// For each element, the products with all others after it.
    products: Vec<ElementId>,
    inverses: Vec<ElementId>,
}

impl EventGroup {
    /// The trivial group, for events not known yet.
    pub(super) fn trivial() -> Self {
        Self {
            structure: None,
            events: IndexSet::default(),
            images: Vec::new(),
            moved: Vec::new(),
            products: vec![IDENTITY],
            inverses: vec![IDENTITY],
        }
    }

    /// The group of a network's structure, or a subgroup if it is too large.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn of_network(machine: &Machine, network: &Network) -> Result<Self> {
        if network.formats().len() != 1 {
            return Ok(Self::trivial());
        }
        let structure = NetworkStructure::new(machine, network.first(), Results::Free, Vec::new())?;
        let Ok(structure) = structure else {
            return Ok(Self::trivial());
        };
        let poll = |_| machine.eval.check_time();
        let generators = symmetries(&structure, LOOKS, &poll)?.generators;
        let Some(first) = generators.first() else {
            return Ok(Self::trivial());
        };
        let one = first.then(&first.inverse());
        let action = |element: &Automorphism| -> Vec<u32> {
            let events = 0..structure.results.len() as u32;
            events.map(|event| element.result(event)).collect()
        };
        let most = (MAPPED_MAX / structure.points.count().max(1)).min(ELEMENTS_MAX);
        let (mut elements, mut actions) = (vec![one.clone()], IndexSet::from_iter([action(&one)]));
        let mut taken: Vec<&Automorphism> = Vec::new();
        for generator in &generators {
            taken.push(generator);
            let (more, their) = generated(&one, &taken, most, &action);
            match more.len() <= most {
                true => (elements, actions) = (more, their),
                // Without it the group is smaller, and still a group.
                false => drop(taken.pop()),
            }
            machine.eval.check_time()?;
        }
        let number = |action: Vec<u32>| actions.get_index_of(&action).unwrap_or(0) as ElementId;
        let after = |first: &[u32], then: &[u32]| -> Vec<u32> {
            first.iter().map(|event| then[*event as usize]).collect()
        };
        let pairs = actions
            .iter()
            .flat_map(|then| actions.iter().map(move |first| (first, then)));
        let products: Vec<ElementId> = pairs
            .map(|(first, then)| number(after(first, then)))
            .collect();
        let rows = products.chunks(actions.len());
        let to_one = |row: &[ElementId]| row.iter().position(|product| *product == IDENTITY);
        let inverses = rows.map(|row| to_one(row).unwrap_or(0) as ElementId);
        Ok(Self {
            events: structure.results.clone(),
            images: actions.iter().flatten().copied().collect(),
            moved: elements.iter().map(|e| moved(&structure, e)).collect(),
            inverses: inverses.collect(),
            products,
            structure: Some(structure),
        })
    }

    /// The order of the group.
    pub(super) fn len(&self) -> usize {
        self.inverses.len()
    }

    /// All elements.
    pub(super) fn elements(&self) -> impl Iterator<Item = ElementId> + use<> {
        0..self.len() as ElementId
    }

    /// The product: first one element, then the other.
    pub(super) fn product(&self, first: ElementId, then: ElementId) -> ElementId {
        self.products[usize::from(then) * self.len() + usize::from(first)]
    }

    /// The inverse of an element.
    pub(super) fn inverse(&self, element: ElementId) -> ElementId {
        self.inverses[usize::from(element)]
    }

    /// The number of an event. New events are numbered in the trivial group alone; otherwise `None` is returned.
    pub(super) fn number(&mut self, event: EventId) -> Option<u32> {
        match self.len() {
            1 => Some(self.events.insert_full(event).0 as u32),
            _ => self.events.get_index_of(&event).map(|at| at as u32),
        }
    }

    /// The number of numbered events.
    pub(super) fn events(&self) -> usize {
        self.events.len()
    }

    /// The event of a number.
    pub(super) fn event(&self, number: u32) -> EventId {
        self.events[number as usize]
    }

    /// The image of an event number.
    pub(super) fn image(&self, element: ElementId, event: u32) -> u32 {
        match element {
            IDENTITY => event,
            _ => self.images[usize::from(element) * self.events.len() + event as usize],
        }
    }

    /// The image of a state, up to exchanged copies; `None` if it has local states that were unknown when the group was
    /// computed.
    pub(super) fn apply(
        &self,
        element: ElementId,
        state: &[LocalId],
        copies: &Copies,
    ) -> Option<Vec<LocalId>> {
        let mut image = state.to_vec();
        if element != IDENTITY {
            self.apply_to_points(element, &self.points(state)?, &mut image);
        }
        copies.settle(&mut image);
        Some(image)
    }

    /// The least image of a state, up to exchanged copies, and the first element that gives it; `None` as for
    /// [`EventGroup::apply`].
    pub(super) fn least(
        &self,
        state: &[LocalId],
        copies: &Copies,
    ) -> Option<(Vec<LocalId>, ElementId)> {
        let mut least = state.to_vec();
        copies.settle(&mut least);
        let mut by = IDENTITY;
        if self.len() == 1 {
            return Some((least, by));
        }
        let points = self.points(state)?;
        let mut image = vec![LocalId(0); state.len()];
        for element in self.elements().skip(1) {
            self.apply_to_points(element, &points, &mut image);
            copies.settle(&mut image);
            if image < least {
                std::mem::swap(&mut least, &mut image);
                by = element;
            }
        }
        Some((least, by))
    }

    fn points(&self, state: &[LocalId]) -> Option<Vec<u32>> {
        self.structure.as_ref()?.points_of(state)
    }

    fn apply_to_points(&self, element: ElementId, points: &[u32], image: &mut [LocalId]) {
        let Moved { components, locals } = &self.moved[usize::from(element)];
        for (component, point) in components.iter().zip(points) {
            image[usize::from(*component)] = locals[*point as usize];
        }
    }
}

/// One element for each action of a group on events, with these actions, first that of `one`, the identity. If there
/// are more than `most`, some of them.
fn generated(
    one: &Automorphism,
    generators: &[&Automorphism],
    most: usize,
    action: &impl Fn(&Automorphism) -> Vec<u32>,
) -> (Vec<Automorphism>, IndexSet<Vec<u32>>) {
    let (mut elements, mut actions) = (vec![one.clone()], IndexSet::from_iter([action(one)]));
    let mut at = 0;
    while at < elements.len() && elements.len() <= most {
        for generator in generators {
            let next = elements[at].then(generator);
            if actions.insert(action(&next)) {
                elements.push(next);
            }
        }
        at += 1;
    }
    (elements, actions)
}

fn moved(structure: &NetworkStructure, element: &Automorphism) -> Moved {
    let points = &structure.points;
    let components = 0..points.components();
    let locals = (0..points.count() as u32).map(|point| points.local(element.point(point)));
    Moved {
        components: components.map(|c| element.component(c) as u16).collect(),
        locals: locals.collect(),
    }
}

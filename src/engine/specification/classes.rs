//! Classes of states of a specification with the same failures, up to permutations of its events.
//!
//! The *signature* of a state consists of the events that it can do after τ, each with the class of its target, and its
//! minimal acceptances. The classes are the coarsest partition in which states of a class have equal signatures. So
//! states of a class have the same traces and stable failures, by induction over the length of traces; silent steps on
//! the way do not matter, and classes are fewer than those of a bisimilarity. (They are those of strong bisimilarity
//! after the compression `diamond` of A. W. Roscoe and others, *Hierarchical compression for model-checking CSP*, 1995,
//! except for stable states that `diamond` keeps.) Classes are refined by signatures in the classes so far. No run is
//! silent for ever here, so signatures are computed from the ends of silent runs, each once.
//!
//! The group maps classes to classes. So a class, like a state, has a name: an orbit of classes with an element.
//! Elements that map the first class of the orbit to itself form its *stabiliser*, and names that differ by these are
//! names of one class; the least is used.

use super::acceptances::{Acceptances, EventNumbers, is_subset};
use super::event_group::{ElementId, EventGroup, IDENTITY};
use super::orbits::OrbitGraph;
use super::signatures::{ClassName, EVENTS_MAX, NUMBERS_MAX, SignatureEntry};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet, Map};

/// Representatives between two polls of the limits.
const POLL_EVERY: usize = 4096;
/// Signatures kept for each representative, before unused ones are dropped.
const SIGNATURES_EACH: usize = 2;

/// A representative with the element that maps it to the named state.
pub(super) type StateName = (u32, ElementId);

/// Entries in ascending order.
pub(super) type ClassSignature = Box<[SignatureEntry]>;
type SignatureId = u32;
const NO_SIGNATURE: SignatureId = SignatureId::MAX;

/// A subgroup, with the least element of each of its left cosets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Subgroup {
    elements: Box<[ElementId]>,
    /// For each element, the least one that differs by an element of the subgroup applied before it.
    least: Box<[ElementId]>,
}

impl Subgroup {
    fn new(group: &EventGroup, elements: Vec<ElementId>) -> Self {
        let least = |of: ElementId| {
            let same = elements.iter().map(|first| group.product(*first, of));
            same.min().unwrap_or(of)
        };
        Self {
            least: group.elements().map(least).collect(),
            elements: elements.into(),
        }
    }
}

/// An orbit of classes.
#[derive(Clone, Copy, Debug)]
struct ClassOrbit {
    stabiliser: u32,
    /// The signature of the states of its first class.
    signature: SignatureId,
    /// Representatives with names in it.
    size: usize,
}

/// A part of an orbit of classes with a different signature.
#[derive(Debug, Default)]
struct ClassPart {
    stabiliser: u32,
    /// Representatives, with the element that maps the first class of the part to the class of each.
    members: Vec<(u32, ElementId)>,
}

/// A signature as seen from the first class of an orbit.
#[derive(Clone, Copy, Debug)]
struct Settled {
    signature: SignatureId,
    /// The element that maps the signature to it.
    by: ElementId,
    stabiliser: u32,
}

/// The classes of states with equal signatures.
#[derive(Debug)]
pub(super) struct StateClasses<'a> {
    graph: &'a OrbitGraph,
    events: EventNumbers,
    acceptances: Acceptances,
    /// The class of each representative.
    class: Vec<ClassName>,
    orbits: Vec<ClassOrbit>,
    subgroups: IndexSet<Subgroup>,
    signatures: IndexSet<ClassSignature>,
    /// The signature of each representative.
    signature: Vec<SignatureId>,
    /// The first representative with a name in each orbit of classes, once computed.
    members: Vec<u32>,
    /// Representatives, each after its successors by τ.
    order: Vec<u32>,
    /// Whether a representative has a class: only the first one and targets of visible events do.
    has_class: Vec<bool>,
    /// Whether the signature of a representative may have changed.
    doubtful: Vec<bool>,
    /// The beginning of the list of predecessors of each representative.
    sources_from: Vec<u32>,
    sources: Vec<u32>,
    /// The images of signatures under elements.
    moved: Map<(SignatureId, ElementId), SignatureId>,
    settled: Map<(SignatureId, u32), Settled>,
}

impl<'a> StateClasses<'a> {
    /// The classes of a completely explored graph; `None` if some run is silent for ever, or if numbers exceed those of
    /// signatures.
    ///
    /// # Errors
    /// The errors of `poll`.
    pub(super) fn new(
        graph: &'a OrbitGraph,
        events: EventNumbers,
        poll: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Self>> {
        let count = graph.len();
        let Some(order) = graph.silent_order(events.tau) else {
            return Ok(None);
        };
        let mut has_class = vec![false; count];
        has_class[0] = true;
        for step in (0..count as u32).flat_map(|number| graph.steps(number)) {
            has_class[step.to as usize] |= Some(step.event) != events.tau;
        }
        let whole = Subgroup::new(&graph.group, graph.group.elements().collect());
        let (sources_from, sources) = graph.sources();
        let mut this = Self {
            graph,
            acceptances: Acceptances::new(graph, events, poll)?,
            events,
            class: vec![ClassName::default(); count],
            orbits: vec![ClassOrbit {
                stabiliser: 0,
                signature: NO_SIGNATURE,
                size: has_class.iter().filter(|has| **has).count(),
            }],
            subgroups: IndexSet::from_iter([whole]),
            signatures: IndexSet::default(),
            signature: vec![NO_SIGNATURE; count],
            members: Vec::new(),
            order,
            has_class,
            doubtful: vec![true; count],
            sources_from,
            sources,
            moved: Map::default(),
            settled: Map::default(),
        };
        loop {
            if !this.has_room() {
                return Ok(None);
            }
            let touched = this.recompute_signatures(poll)?;
            if !this.part(&touched, poll)? {
                break;
            }
            this.forget();
        }
        this.members = vec![0; this.orbits.len()];
        // Backwards, so that the first one remains.
        for number in (0..count).rev().filter(|number| this.has_class[*number]) {
            this.members[this.class[number].orbit as usize] = number as u32;
        }
        Ok(Some(this))
    }

    /// Whether signatures can hold all events, acceptances and classes.
    fn has_room(&self) -> bool {
        // Each representative may begin an orbit of its own before the next test.
        let numbers = [self.graph.len(), self.orbits.len(), self.acceptances.len()];
        self.graph.group.events() < EVENTS_MAX && numbers.iter().all(|n| *n < NUMBERS_MAX)
    }

    /// The number of classes.
    pub(super) fn count(&self) -> usize {
        let group = self.graph.group.len();
        // Some orbits have lost all members to others.
        let orbits = self.orbits.iter().filter(|orbit| orbit.size > 0);
        let sizes = orbits.map(|o| group / self.subgroups[o.stabiliser as usize].elements.len());
        sizes.sum()
    }

    /// The class of a name that has one.
    pub(super) fn class_of(&self, number: u32, by: ElementId) -> ClassName {
        self.moved_class(self.class[number as usize], by)
    }

    /// The signature of a name.
    pub(super) fn signature(&self, (number, by): StateName) -> ClassSignature {
        let own = self.signature[number as usize] as usize;
        self.image(&self.signatures[own], by).into()
    }

    /// The steps of a name: its visible steps after τ, and a stable name for each acceptance, unless there is just one
    /// and it has all visible steps: then it is as good as stable. `None` if a stable name is missing, which would be
    /// an internal error.
    pub(super) fn steps(&self, name: StateName) -> Option<NameSteps> {
        let mut steps = NameSteps::default();
        let mut accepted = Vec::new();
        for entry in self.signature(name) {
            match entry.acceptance() {
                None => steps.visible.push((entry.event(), entry.to())),
                Some(acceptance) => accepted.push(acceptance),
            }
        }
        let mut events: Vec<u32> = steps.visible.iter().map(|(event, _)| *event).collect();
        events.dedup();
        if let [all] = accepted[..]
            && *self.acceptances.events(all) == events[..]
        {
            return Some(steps);
        }
        let stable = accepted.iter().map(|a| self.stable(name, *a));
        steps.silent = stable.collect::<Option<_>>()?;
        Some(steps)
    }

    /// A stable state that a name reaches by τ and that has an acceptance.
    fn stable(&self, name: StateName, acceptance: u32) -> Option<StateName> {
        let (mut number, mut by) = name;
        let group = &self.graph.group;
        let accepts = |number: u32, by: ElementId| {
            let seen = self.acceptances.image(acceptance, group.inverse(by));
            let signature = &self.signatures[self.signature[number as usize] as usize];
            signature.contains(&SignatureEntry::accepts(seen))
        };
        loop {
            let own = self.acceptances.of(number);
            if own.is_some_and(|own| self.acceptances.image(own, by) == acceptance) {
                return Some((number, by));
            }
            // It has any other acceptance from one of these.
            let steps = self.graph.steps(number).iter();
            let mut silent = steps.filter(|step| Some(step.event) == self.events.tau);
            let next = silent.find(|step| accepts(step.to, group.product(step.by, by)))?;
            (number, by) = (next.to, group.product(next.by, by));
        }
    }

    /// A name of a state in a class.
    pub(super) fn member(&self, class: ClassName) -> StateName {
        let number = self.members[class.orbit as usize];
        let group = &self.graph.group;
        let back = group.inverse(self.class[number as usize].by);
        (number, group.product(back, class.by))
    }

    fn least(&self, orbit: u32, by: ElementId) -> ElementId {
        let stabiliser = self.orbits[orbit as usize].stabiliser;
        self.subgroups[stabiliser as usize].least[usize::from(by)]
    }

    fn moved_class(&self, class: ClassName, by: ElementId) -> ClassName {
        let by = self.graph.group.product(class.by, by);
        ClassName {
            orbit: class.orbit,
            by: self.least(class.orbit, by),
        }
    }

    /// The image of a signature under an element.
    fn image(&self, signature: &[SignatureEntry], by: ElementId) -> Vec<SignatureEntry> {
        let group = &self.graph.group;
        let moved = signature.iter().map(|entry| match entry.acceptance() {
            None => {
                let event = group.image(by, entry.event());
                SignatureEntry::step(event, self.moved_class(entry.to(), by))
            }
            Some(acceptance) => SignatureEntry::accepts(self.acceptances.image(acceptance, by)),
        });
        let mut moved: Vec<SignatureEntry> = moved.collect();
        moved.sort_unstable();
        moved
    }

    fn image_of(&mut self, signature: SignatureId, by: ElementId) -> SignatureId {
        if by == IDENTITY {
            return signature;
        }
        if let Some(known) = self.moved.get(&(signature, by)) {
            return *known;
        }
        let image = self.image(&self.signatures[signature as usize], by);
        let image = self.intern(image);
        self.moved.insert((signature, by), image);
        image
    }

    fn intern(&mut self, signature: Vec<SignatureEntry>) -> SignatureId {
        match self.signatures.get_index_of(&signature[..]) {
            Some(known) => known as SignatureId,
            None => self.signatures.insert_full(signature.into()).0 as SignatureId,
        }
    }

    /// Recomputes signatures that may have changed. Returns the representatives whose signature did.
    fn recompute_signatures(&mut self, poll: &dyn Fn() -> Result<()>) -> Result<Vec<u32>> {
        // Classes have changed, and with them the images of signatures.
        self.moved.clear();
        self.settled.clear();
        let mut touched = Vec::new();
        for at in 0..self.order.len() {
            if at % POLL_EVERY == 0 {
                poll()?;
            }
            let number = self.order[at] as usize;
            if !std::mem::take(&mut self.doubtful[number]) {
                continue;
            }
            let signature = self.signature_of(number);
            if std::mem::replace(&mut self.signature[number], signature) == signature {
                continue;
            }
            touched.push(number as u32);
            // Predecessors by τ may contain it in their own signature. They come later.
            for source in self.sources_of(number) {
                let source = self.sources[source] as usize;
                self.doubtful[source] = true;
            }
        }
        Ok(touched)
    }

    fn sources_of(&self, number: usize) -> std::ops::Range<usize> {
        self.sources_from[number] as usize..self.sources_from[number + 1] as usize
    }

    /// The signature of a representative, by the signatures of its successors by τ.
    fn signature_of(&mut self, number: usize) -> SignatureId {
        let graph = self.graph;
        let own = self.acceptances.of(number as u32);
        let mut signature = Vec::from_iter(own.map(SignatureEntry::accepts));
        for step in graph.steps(number as u32) {
            if Some(step.event) == self.events.tau {
                let theirs = self.image_of(self.signature[step.to as usize], step.by);
                signature.extend_from_slice(&self.signatures[theirs as usize]);
            } else {
                let to = self.class_of(step.to, step.by);
                signature.push(SignatureEntry::step(step.event, to));
            }
        }
        // A stable sort is fast on parts in order, as the signatures of others are.
        signature.sort();
        signature.dedup();
        self.keep_minimal(&mut signature);
        self.intern(signature)
    }

    /// Drops acceptances that are not minimal. Entries ascend, and acceptances come last.
    fn keep_minimal(&self, signature: &mut Vec<SignatureEntry>) {
        let from = signature.partition_point(|entry| entry.acceptance().is_none());
        if signature.len() - from < 2 {
            return;
        }
        let accepted: Vec<u32> = signature
            .drain(from..)
            .filter_map(SignatureEntry::acceptance)
            .collect();
        let events = |acceptance: &u32| self.acceptances.events(*acceptance);
        let is_minimal = |acceptance: &&u32| {
            let own = events(acceptance);
            let mut others = accepted.iter().map(events);
            !others.any(|other| other.len() < own.len() && is_subset(other, own))
        };
        let minimal = accepted.iter().filter(is_minimal);
        signature.extend(minimal.map(|acceptance| SignatureEntry::accepts(*acceptance)));
    }

    /// Splits classes whose states have different signatures. Returns false if there are none.
    fn part(&mut self, touched: &[u32], poll: &dyn Fn() -> Result<()>) -> Result<bool> {
        let parts = self.parts(touched, poll)?;
        // If all of a class have a new signature, the largest part keeps the class.
        let mut largest: Map<u32, (usize, SignatureId)> = Map::default();
        for ((orbit, signature), part) in &parts {
            let most = largest.entry(*orbit).or_insert((0, *signature));
            if part.members.len() > most.0 {
                *most = (part.members.len(), *signature);
            }
            self.orbits[*orbit as usize].size -= part.members.len();
        }
        let mut changed = Vec::new();
        for ((orbit, signature), part) in parts {
            let new = ClassOrbit {
                stabiliser: part.stabiliser,
                signature,
                size: part.members.len(),
            };
            let old = &mut self.orbits[orbit as usize];
            // With another stabiliser the same names are names of other classes, so signatures with them have to be
            // recomputed.
            if old.size == 0 && largest[&orbit].1 == signature && old.stabiliser == part.stabiliser
            {
                *old = new;
                continue;
            }
            self.orbits.push(new);
            let orbit = self.orbits.len() as u32 - 1;
            for (number, by) in part.members {
                let by = self.least(orbit, by);
                self.class[number as usize] = ClassName { orbit, by };
                changed.push(number as usize);
            }
        }
        for number in &changed {
            for source in self.sources_of(*number) {
                let source = self.sources[source] as usize;
                self.doubtful[source] = true;
            }
        }
        Ok(!changed.is_empty())
    }

    /// Representatives whose signature differs from that of their class, by their signature as seen from its first
    /// class.
    fn parts(
        &mut self,
        touched: &[u32],
        poll: &dyn Fn() -> Result<()>,
    ) -> Result<IndexMap<(u32, SignatureId), ClassPart>> {
        let mut parts: IndexMap<(u32, SignatureId), ClassPart> = IndexMap::default();
        for (at, number) in touched.iter().enumerate() {
            if at % POLL_EVERY == 0 {
                poll()?;
            }
            if !self.has_class[*number as usize] {
                continue;
            }
            let ClassName { orbit, by } = self.class[*number as usize];
            let settled = self.settle(orbit, *number, by);
            if settled.signature == self.orbits[orbit as usize].signature {
                continue;
            }
            // From the first class of the part to that of the representative.
            let back = self.graph.group.inverse(settled.by);
            let by = self.graph.group.product(back, by);
            let part = parts.entry((orbit, settled.signature)).or_default();
            part.stabiliser = settled.stabiliser;
            part.members.push((*number, by));
        }
        Ok(parts)
    }

    /// The signature of a representative as seen from the first class of its orbit: the least image under the
    /// stabiliser.
    fn settle(&mut self, orbit: u32, number: u32, by: ElementId) -> Settled {
        let group = &self.graph.group;
        let seen = self.image_of(self.signature[number as usize], group.inverse(by));
        let stabiliser = self.orbits[orbit as usize].stabiliser;
        if let Some(known) = self.settled.get(&(seen, stabiliser)) {
            return *known;
        }
        let elements = self.subgroups[stabiliser as usize].elements.clone();
        let images: Vec<(ElementId, SignatureId)> = elements
            .iter()
            .map(|element| (*element, self.image_of(seen, *element)))
            .collect();
        let signatures = &self.signatures;
        let least = images
            .iter()
            .min_by_key(|(_, signature)| &signatures[*signature as usize]);
        let (by, signature) = least.copied().unwrap_or((IDENTITY, seen));
        let back = group.inverse(by);
        let same = images.iter().filter(|(_, other)| *other == signature);
        // First back to the signature seen, and then to the same by another element.
        let fixing = same.map(|(element, _)| group.product(back, *element));
        let mut fixing: Vec<ElementId> = fixing.collect();
        fixing.sort_unstable();
        let subgroup = Subgroup::new(group, fixing);
        let settled = Settled {
            signature,
            by,
            stabiliser: self.subgroups.insert_full(subgroup).0 as u32,
        };
        self.settled.insert((seen, stabiliser), settled);
        settled
    }

    /// Drops unused signatures, if there are very many.
    fn forget(&mut self) {
        if self.signatures.len() <= SIGNATURES_EACH * (self.graph.len() + self.orbits.len()) {
            return;
        }
        let before = std::mem::take(&mut self.signatures);
        let mut kept: IndexSet<ClassSignature> = IndexSet::default();
        let orbits = self.orbits.iter_mut().map(|orbit| &mut orbit.signature);
        for signature in self.signature.iter_mut().chain(orbits) {
            if let Some(used) = before.get_index(*signature as usize) {
                *signature = match kept.get_index_of(used) {
                    Some(at) => at as SignatureId,
                    None => kept.insert_full(used.clone()).0 as SignatureId,
                };
            }
        }
        self.signatures = kept;
    }
}

/// The steps of a name.
#[derive(Debug, Default)]
pub(super) struct NameSteps {
    /// Names of stable states.
    pub(super) silent: Vec<StateName>,
    /// Events, by number, with the classes of their targets.
    pub(super) visible: Vec<(u32, ClassName)>,
}

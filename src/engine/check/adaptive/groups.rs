//! Groups of entries.
//!
//! Each is the group of a part of the network: the symmetric part with some more classes. When a class fires, a group
//! shrinks to that of the part with this class added; it is computed on first use. Equal groups share one number.

use super::choice::{Asymmetry, CLASSES_MAX, ChosenPart};
use super::{AdaptiveUsed, BigUint};
use crate::group::{PointPermutation, factors};
use crate::machine::Machine;
use crate::source::diagnostic::Result;
use crate::source::hash::Map;
use crate::structure::element::{Automorphism, PartPlaces};
use crate::structure::network_structure::NetworkStructure;
use crate::structure::partial::{ALWAYS, ActingGroup, ClassedStructure};
use crate::structure::parts::{Decomposition, GroupFactor, GroupFactors};
use crate::structure::search::{Symmetries, SymmetryPart};
use crate::symmetry::structural::StructuralGroup;

/// Groups at most; beyond, entries get the group of the whole network.
const GROUPS_MAX: usize = 200;
/// Cosets enumerated at most; with more, too little is symmetric.
const COSETS_MAX: usize = 20_000;

/// The number of a group among those of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in super::super) struct CellId(pub u16);

/// A group of entries.
struct CellGroup {
    /// The classes that it is known to keep, as a bit set; the first is the symmetric part.
    keeps: u128,
    acting: ActingGroup,
    /// Computes representatives.
    least: StructuralGroup,
    /// Groups that contain it, the largest first, itself last.
    above: Vec<CellId>,
    /// One element for each coset of the group of the whole network; `None` if too many.
    images: Option<Option<Vec<Automorphism>>>,
}

/// All groups of a search. The first is that of the symmetric part, the second that of the whole network.
pub(in super::super) struct CellGroups {
    classed: ClassedStructure,
    acted_on: NetworkStructure,
    names: Vec<String>,
    asymmetry: Asymmetry,
    cells: Vec<Vec<String>>,
    groups: Vec<CellGroup>,
    after: Map<(CellId, u32), CellId>,
    /// The number of times that each class shrank an entry's group.
    splits: Vec<u64>,
}

impl CellGroups {
    pub(super) const TOP: CellId = CellId(0);
    pub(super) const BOTTOM: CellId = CellId(1);

    /// Creates the groups of the chosen symmetric part.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn new(
        machine: &Machine,
        chosen: ChosenPart,
        components: &[String],
    ) -> Result<Self> {
        let ChosenPart {
            classed,
            names,
            asymmetry,
            top,
            bottom,
        } = chosen;
        let orbits = top.component_orbits(components.len());
        let cell = |least: usize| {
            let members = (0..orbits.len()).filter(|at| orbits[*at] == least);
            members.map(|at| components[at].clone()).collect()
        };
        let cells = (0..orbits.len()).map(cell).filter(|c: &Vec<_>| c.len() > 1);
        let cells = cells.collect();
        let mut this = Self {
            acted_on: classed.acted_on(),
            classed,
            splits: vec![0; names.len()],
            names,
            asymmetry,
            cells,
            groups: Vec::new(),
            after: Map::default(),
        };
        // The whole network keeps every class; if no rule is left out, the symmetric part is the whole.
        let all = match this.names.is_empty() {
            true => 1,
            false => u128::MAX,
        };
        this.push(machine, top, 1)?;
        this.push(machine, bottom, all)?;
        Ok(this)
    }

    /// The strategy for representatives under a group.
    fn finder(&self, machine: &Machine, acting: &ActingGroup) -> Result<StructuralGroup> {
        let places = PartPlaces::new(&self.acted_on);
        let element = |p: PointPermutation| Automorphism::new(places, p);
        // A single factor has the order of the whole group.
        let apart = factors(places.end, &acting.generators);
        let order = (apart.len() == 1).then(|| acting.order().clone());
        let part = |own: Vec<usize>| SymmetryPart {
            maps: own
                .iter()
                .map(|at| acting.generators[*at].clone())
                .collect(),
            order: order.clone(),
        };
        let found = Symmetries {
            generators: acting.generators.iter().cloned().map(element).collect(),
            parts: apart.into_iter().map(part).collect(),
            complete: true,
            order: acting.order().clone(),
            size: (0, 0),
        };
        let poll = |_: usize| machine.eval.check_time();
        let factors = found.factors(&self.acted_on, &poll);
        let factors = machine.during("looking for symmetry in a part", None, factors)?;
        // If it cannot be decomposed, use its stabiliser chain.
        let whole = || {
            let lists = acting.lists().into_iter();
            let lists = lists.map(|list| list.into_iter().map(element).collect());
            GroupFactors {
                factors: vec![GroupFactor::Cosets(lists.collect())],
                order: acting.order().clone(),
            }
        };
        let factors = match factors {
            Decomposition::Factors(factors) if factors.order == *acting.order() => factors,
            _ => whole(),
        };
        let acted_on = self.acted_on.clone();
        Ok(StructuralGroup::new(acted_on, found.generators, factors))
    }

    /// Adds a group that does not exist yet.
    fn push(&mut self, machine: &Machine, acting: ActingGroup, keeps: u128) -> Result<CellId> {
        let id = CellId(self.groups.len() as u16);
        let least = self.finder(machine, &acting)?;
        let known = (0..self.groups.len()).map(|n| CellId(n as u16));
        let mut above: Vec<CellId> = known.filter(|n| self.group(*n).contains(&acting)).collect();
        above.sort_by(|a, b| self.group(*b).order().cmp(self.group(*a).order()));
        // The group of the whole lies in all others; no other group lies in one that is added later.
        let bottom = &mut self.groups.get_mut(usize::from(Self::BOTTOM.0));
        if let Some(bottom) = bottom {
            bottom.above.retain(|n| *n != Self::BOTTOM);
            bottom.above.extend([id, Self::BOTTOM]);
        }
        above.push(id);
        self.groups.push(CellGroup {
            keeps,
            acting,
            least,
            above,
            images: None,
        });
        Ok(id)
    }

    fn group(&self, id: CellId) -> &ActingGroup {
        &self.groups[usize::from(id.0)].acting
    }

    /// The strategy for representatives under a group.
    pub(super) fn least(&self, id: CellId) -> &StructuralGroup {
        &self.groups[usize::from(id.0)].least
    }

    /// Groups that contain group `id`, itself last.
    pub(super) fn above(&self, id: CellId) -> &[CellId] {
        &self.groups[usize::from(id.0)].above
    }

    /// The class of a rule.
    pub(super) fn class_of(&self, rule: u32) -> u32 {
        self.classed.class_of(rule)
    }

    /// Whether a group is known to keep a class.
    pub(super) fn keeps(&self, id: CellId, class: u32) -> bool {
        self.groups[usize::from(id.0)].keeps >> class & 1 == 1
    }

    /// Counts that a class shrank an entry's group.
    pub(super) fn split_by(&mut self, class: u32) {
        if let Some(times) = self.splits.get_mut((class as usize).wrapping_sub(1)) {
            *times += 1;
        }
    }

    /// The group that remains when a rule of a class fires.
    ///
    /// # Errors
    /// A limit, or a bug.
    pub(super) fn after(&mut self, machine: &Machine, id: CellId, class: u32) -> Result<CellId> {
        if self.keeps(id, class) {
            return Ok(id);
        }
        if let Some(known) = self.after.get(&(id, class)) {
            return Ok(*known);
        }
        let keeps = self.groups[usize::from(id.0)].keeps | 1 << class;
        let found = self.of_part(machine, keeps)?;
        self.after.insert((id, class), found);
        Ok(found)
    }

    /// The group of the part with some classes.
    fn of_part(&mut self, machine: &Machine, keeps: u128) -> Result<CellId> {
        let poll = |_: usize| machine.eval.check_time();
        let is_kept =
            |class: u32| class == ALWAYS || class <= CLASSES_MAX && keeps >> class & 1 == 1;
        let found = self.classed.group(&is_kept, &poll);
        let Some(found) = machine.during("looking for symmetry in a part", None, found)? else {
            return Ok(Self::BOTTOM);
        };
        let known = (0..self.groups.len()).map(|n| CellId(n as u16));
        let mut known = known.filter(|n| self.group(*n).order() == found.order());
        if let Some(same) = known.find(|n| self.group(*n).contains(&found)) {
            // Each element keeps these classes besides those known before.
            self.groups[usize::from(same.0)].keeps |= keeps;
            return Ok(same);
        }
        if self.groups.len() >= GROUPS_MAX {
            return Ok(Self::BOTTOM);
        }
        self.push(machine, found, keeps)
    }

    /// Coset representatives of the group of the whole network in a group, the identity first; `None` if too many.
    ///
    /// # Errors
    /// A limit.
    pub(super) fn images(
        &mut self,
        machine: &Machine,
        id: CellId,
    ) -> Result<Option<&[Automorphism]>> {
        let at = usize::from(id.0);
        if self.groups[at].images.is_none() {
            let poll = |_: usize| machine.eval.check_time();
            let bottom = self.group(Self::BOTTOM);
            let cosets = self.group(id).cosets(bottom, COSETS_MAX, &poll);
            let cosets = machine.during("listing the permutations of a state", None, cosets)?;
            let places = PartPlaces::new(&self.acted_on);
            let element = |p: PointPermutation| Automorphism::new(places, p);
            let cosets = cosets.map(|all| all.into_iter().map(element).collect());
            self.groups[at].images = Some(cosets);
        }
        Ok(self.groups[at].images.as_ref().and_then(|i| i.as_deref()))
    }

    /// The domain that groups act on.
    pub(super) fn acted_on(&self) -> &NetworkStructure {
        &self.acted_on
    }

    /// The number of groups.
    pub(super) fn count(&self) -> usize {
        self.groups.len()
    }

    /// The order of a group.
    pub(super) fn order(&self, id: CellId) -> &BigUint {
        self.group(id).order()
    }

    /// The asymmetric rules.
    pub(super) fn asymmetry(&self) -> &Asymmetry {
        &self.asymmetry
    }

    /// Classes of rules that shrank groups, with counts, most frequent first.
    pub(super) fn splits(&self) -> Vec<(String, u64)> {
        let splits = self.names.iter().cloned().zip(self.splits.iter().copied());
        let mut splits: Vec<(String, u64)> = splits.filter(|(_, times)| *times > 0).collect();
        // A stable sort keeps ties in the order of the rules.
        splits.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        splits
    }

    /// Statistics of a search.
    pub(super) fn used(
        &self,
        images: u64,
        at_least: u64,
        exactly: bool,
        groups: usize,
    ) -> AdaptiveUsed {
        AdaptiveUsed {
            order: self.order(Self::TOP).clone(),
            cells: self.cells.clone(),
            asymmetry: self.asymmetry.clone(),
            groups,
            images,
            at_least,
            exactly,
            splits: self.splits(),
        }
    }
}

//! The symmetry in the structure of an open process: where it is more than that of values and copies, states are
//! permuted by it.

use std::sync::Arc;

use num_bigint::BigUint;

use super::agreement::TRIED_MAX;
use super::comparison::{
    CertificateView, Compared, PartingView, PicksView, RelationView, StateComparison, WitnessView,
};
use super::model::{
    AskedStrategy, ComponentView, RepView, StateId, TypePermutation, UniquenessView,
};
use super::opened::{AnimatedProcess, KnownOrbit, OtherPermutations};
use super::sentences::compact;
use crate::check::look_bounds::{LookBounds, Looking};
use crate::check::permutations_in_use::moves_components_further;
use crate::check::reduction::{Reduction, component_cycles};
use crate::check::structural::{
    PreservedProperties, StructureFound, component_names, find, is_soon_looked_at, unless_limited,
};
use crate::machine::{FormatId, LocalId};
use crate::source::Budget;
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::IndexSet;
use crate::symmetry::StructuralKind;
use crate::symmetry::context::StateContext;
use crate::symmetry::strategy::Strategy;
use crate::symmetry::structural::StructuralGroup;
use orbitscope_engine::structure::element::Automorphism;

impl AnimatedProcess {
    /// Searches for symmetry in the structure beyond that of values and copies, if it is cheap: a person waits for the
    /// first state. An unknown result is no error. Returns the reduction by it, if states are permuted by it: where the
    /// structure moves no component in more ways than values do, these lead, since without a specification the names
    /// of events do not matter to the structure.
    pub(super) fn look_for_structure(&mut self, budget: &Budget) -> Checked<Option<Reduction>> {
        if !is_soon_looked_at(&self.machine, &self.network) {
            return Ok(None);
        }
        let found = find(
            &mut self.machine,
            &self.network,
            None,
            PreservedProperties::NOTHING,
            &Looking::new(LookBounds::BY_ITSELF),
        );
        let group = match unless_limited(found)? {
            StructureFound::Group(group) => group,
            StructureFound::Limited => {
                // Freed memory may still count as that of the process.
                self.bound(budget);
                return Ok(None);
            }
            _ => return Ok(None),
        };
        let used = Reduction::by_structure(&mut self.machine, &self.network, &group);
        let format = self.network.first();
        if !moves_components_further(&mut self.machine, format, &group) {
            let other = OtherPermutations::of_structure(group, &used);
            self.other = Some(Box::new(other));
            return Ok(None);
        }
        let copies = self.network.give_up_copies();
        if !self.machine.atoms().is_empty() {
            let other = OtherPermutations::of_values(copies, &used);
            self.other = Some(Box::new(other));
        }
        self.structure = Some(Arc::from(group));
        Ok(Some(used))
    }

    /// The group that states of a format are permuted by, if it was found in the structure.
    pub(super) fn structure_of(&self, format: FormatId) -> Option<Arc<StructuralGroup>> {
        self.structure.clone().filter(|_| format == FormatId(0))
    }

    /// Leaves the least image of a state in `self.representative`.
    pub(super) fn represent_by(
        &mut self,
        group: &StructuralGroup,
        format: FormatId,
        state: &[LocalId],
    ) -> Checked<()> {
        self.complete(|machine, network, out| {
            out.counting = true;
            group.representative(&StateContext::alone(machine, network, format, state), out)
        })
    }

    /// The element that led to `self.representative`.
    pub(super) fn element_found(&self, group: &StructuralGroup) -> Automorphism {
        group.found(&self.representative.structural)
    }

    /// The action of an element on components, as a permutation of a type is shown.
    pub(super) fn components_permuted(&mut self, map: &Automorphism) -> Vec<TypePermutation> {
        let names = component_names(&mut self.machine, self.network.first());
        let cycles = component_cycles(map, &names);
        let cycles: Vec<String> = cycles
            .iter()
            .map(|c| format!("({})", c.join(" ")))
            .collect();
        let text = match (cycles.is_empty(), map.map().is_identity()) {
            (false, _) => cycles.concat(),
            (true, true) => "id".to_owned(),
            (true, false) => "id, but local states and events change".to_owned(),
        };
        let image = |(n, name): (usize, &String)| (name.clone(), names[map.component(n)].clone());
        vec![TypePermutation {
            name: "components".to_owned(),
            cycles: text,
            map: names.iter().enumerate().map(image).collect(),
        }]
    }

    /// The representative in `self.representative` in words.
    pub(super) fn rep_view_by(
        &mut self,
        group: &StructuralGroup,
        (format, state): (FormatId, &[LocalId]),
        orbit: &KnownOrbit,
    ) -> Checked<RepView> {
        let element = self.element_found(group);
        let certain = !self.representative.fell_back;
        let locals = self.representative.locals.clone();
        let id = self.intern(format, &locals);
        let mut source = vec![0; locals.len()];
        for component in 0..locals.len() {
            source[element.component(component)] = component;
        }
        let order = group.order().to_big();
        let size = orbit.stabiliser.as_ref().map(|s| &order / s.to_big());
        let uniqueness = match certain {
            true if group.kind() == StructuralKind::Local => {
                let id = self.intern(format, state);
                self.agreement(id, (group, TRIED_MAX), &locals)?
            }
            true => UniquenessView::Proved("least of its orbit".to_owned()),
            false => UniquenessView::Unknown(group.instead().to_owned()),
        };
        Ok(RepView {
            id,
            components: self.components_in(format, &locals),
            source,
            permutation: self.components_permuted(&element),
            strategy: group.name().to_owned(),
            uniqueness,
            orbit: size,
            group_order: order,
        })
    }

    /// The images of a state under the generators.
    pub(super) fn images_by(
        &self,
        group: &StructuralGroup,
        state: &[LocalId],
    ) -> IndexSet<Vec<LocalId>> {
        let generators = group.generators().iter();
        generators
            .filter_map(|generator| generator.state(group.structure(), state))
            .collect()
    }

    /// Compares two states by their least images, with their representatives by a method.
    pub(super) fn compare_by(
        &mut self,
        group: &StructuralGroup,
        (a, b): (StateId, StateId),
        by: AskedStrategy,
    ) -> Checked<StateComparison> {
        let one = self.least_image(group, a)?;
        let other = self.least_image(group, b)?;
        let (left, right) = (self.components_of(a), self.components_of(b));
        let relation = if self.state(a) == self.state(b) {
            RelationView::Same
        } else if one.locals == other.locals {
            let map = one.element.then(&other.element.inverse());
            let (map, is_least) = self.moving_fewest(group, &self.state(a).1, map, &one)?;
            RelationView::SameOrbit(self.witness_by(&map, is_least, &one))
        } else {
            let states = (&self.state(a).1[..], &self.state(b).1[..]);
            self.told_apart(group, states, (&one, &other))?
        };
        let states = (self.state(a).1, self.state(b).1);
        let states = [("a", &states.0[..]), ("b", &states.1[..])];
        let data = self.checkable(&states, FormatId(0), by)?;
        let mut side = |components: Vec<ComponentView>, id: StateId| {
            let (format, state) = self.state(id);
            self.represent_as(by, format, &state)?;
            let locals = self.representative.locals.clone();
            Checked::Ok(Compared {
                components,
                representative: self.components_in(format, &locals),
            })
        };
        let (a, b) = (side(left, a)?, side(right, b)?);
        let is_usual = by == AskedStrategy::Structure(StructuralKind::default());
        let parting = match is_usual {
            true => None,
            false => PartingView::by(by, &relation, (&a, &b), false),
        };
        Ok(StateComparison {
            relation,
            a,
            b,
            strategy: by,
            parting,
            picks: PicksView::default(),
            group: None,
            other: None,
            data,
        })
    }

    pub(super) fn witness_by(
        &mut self,
        map: &Automorphism,
        is_least: bool,
        image: &LeastImage,
    ) -> WitnessView {
        let components = self.network.first().components().len();
        let arrows: Vec<usize> = (0..components).map(|c| map.component(c)).collect();
        WitnessView {
            permutation: self.components_permuted(map),
            moved: arrows.iter().enumerate().filter(|(n, to)| n != *to).count(),
            is_least,
            moves: "component",
            element: Some(map.on_points().moves().collect()),
            ways: image.stabiliser.clone(),
            arrows,
        }
    }

    fn least_image(&mut self, group: &StructuralGroup, id: StateId) -> Checked<LeastImage> {
        let (format, state) = self.state(id);
        self.represent_by(group, format, &state)?;
        let locals = self.representative.locals.clone();
        Ok(LeastImage {
            element: self.element_found(group),
            certain: !self.representative.fell_back,
            stabiliser: self.representative.stabiliser.as_ref().map(|s| s.to_big()),
            components: self.components_in(format, &locals),
            locals,
        })
    }
}

/// The least image of a state, and the permutation that leads there.
pub(super) struct LeastImage {
    locals: Vec<LocalId>,
    components: Vec<ComponentView>,
    element: Automorphism,
    pub(super) stabiliser: Option<BigUint>,
    /// Whether it is known to be the least.
    pub(super) certain: bool,
}

/// The first difference of the least images of two states.
pub(super) fn differing_images(
    group: &StructuralGroup,
    (one, other): (&LeastImage, &LeastImage),
) -> CertificateView {
    let order = group.order().to_big();
    let images = |of: &LeastImage| of.stabiliser.as_ref().map(|stabiliser| &order / stabiliser);
    let at = (0..one.locals.len()).find(|n| one.locals[*n] != other.locals[*n]);
    let text = |image: &LeastImage| at.map_or_else(String::new, |n| compact(&image.components[n]));
    CertificateView::LeastImages {
        component: at.map_or_else(String::new, |n| one.components[n].label()),
        left: text(one),
        right: text(other),
        images: (images(one), images(other)),
    }
}

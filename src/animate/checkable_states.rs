//! States as the group of an open process acts on them, for checkers of claims.

use super::checkable::{
    CheckableStates, KeyedComponent, KeyedStates, PlacedVariable, PointStates, WithRepresentative,
};
use super::model::AskedStrategy;
use super::opened::AnimatedProcess;
use super::structural_compared::{PointWords, structure_points};
use crate::machine::{FormatId, LocalId};
use crate::source::diagnostic::Result as Checked;
use crate::source::hash::IndexMap;
use crate::symmetry::Permutation;
use crate::symmetry::structural::StructuralGroup;

/// Points above which a group is left out of documents.
const POINTS_MAX: usize = 10_000;
/// Groups and rows of the variables of labels begin here.
const LABELS_FROM: u32 = 1 << 16;

impl AnimatedProcess {
    /// The data of states of one format with their representatives by a strategy that applies. `None` where a group has
    /// very many points or does not act on them.
    pub(super) fn checkable(
        &mut self,
        states: &[(&'static str, &[LocalId])],
        format: FormatId,
        by: AskedStrategy,
    ) -> Checked<Option<CheckableStates>> {
        match self.structure_of(format) {
            Some(group) => Ok(self
                .point_states(&group, states, by)?
                .map(CheckableStates::Structure)),
            None => Ok(Some(CheckableStates::Values(
                self.keyed_states(states, format, by)?,
            ))),
        }
    }

    fn point_states(
        &mut self,
        group: &StructuralGroup,
        states: &[(&'static str, &[LocalId])],
        by: AskedStrategy,
    ) -> Checked<Option<PointStates>> {
        let points = &group.structure().points;
        if points.count() > POINTS_MAX {
            return Ok(None);
        }
        let by_method = match by {
            AskedStrategy::Structure(kind) => group.by(kind).ok(),
            AskedStrategy::Usual | AskedStrategy::Values(_) => None,
        };
        let method = by_method.as_ref().unwrap_or(group);
        let mut both = Vec::new();
        for (name, state) in states {
            self.represent_by(method, FormatId(0), state)?;
            let to = structure_points(group, &self.representative.locals);
            let (Some(state), Some(representative)) = (structure_points(group, state), to) else {
                return Ok(None);
            };
            let element = self.element_found(method).on_points();
            both.push(WithRepresentative {
                name,
                state,
                representative,
                element: element.moves().collect(),
            });
        }
        let words = PointWords::new(self, group)?;
        let texts = words.states.into_iter();
        let generators = group.generators().iter().map(|g| g.on_points());
        let generators = generators.filter(|g| !g.is_identity());
        Ok(Some(PointStates {
            components: words.labels,
            points: (0..).map(|p| points.component(p)).zip(texts).collect(),
            generators: generators.map(|g| g.moves().collect()).collect(),
            order: group.order().to_big(),
            states: both,
        }))
    }

    fn keyed_states(
        &mut self,
        states: &[(&'static str, &[LocalId])],
        format: FormatId,
        by: AskedStrategy,
    ) -> Checked<KeyedStates> {
        let atoms = self.machine.atoms();
        let kinds = (0..atoms.kinds()).map(|kind| kind as u8);
        let name = |atom: u16| self.machine.atom_name(crate::value::Atom(atom));
        let values = |kind: u8| atoms.atoms(kind).map(name).collect();
        let mut found = KeyedStates {
            types: kinds
                .map(|kind| (atoms.name(kind).to_owned(), values(kind)))
                .collect(),
            ..KeyedStates::default()
        };
        let mut keys = IndexMap::default();
        for (name, state) in states {
            self.represent_as(by, format, state)?;
            let image = Permutation::from_image(&self.representative.image);
            let locals = self.representative.locals.clone();
            found.states.push(WithRepresentative {
                name,
                state: self.keyed(format, state, &mut keys),
                representative: self.keyed(format, &locals, &mut keys),
                element: self.permutation(&image),
            });
        }
        found.keys = keys.into_values().collect();
        Ok(found)
    }

    /// The components of a state as permutations of values act on them; new keys are added.
    fn keyed(
        &mut self,
        format: FormatId,
        state: &[LocalId],
        keys: &mut IndexMap<(crate::machine::ShapeId, u16), (String, String)>,
    ) -> Vec<KeyedComponent> {
        let views = self.components_in(format, state);
        let parts = self.network.format(format).components();
        let mut components = Vec::with_capacity(state.len());
        for ((part, local), view) in parts.iter().zip(state).zip(&views) {
            let key = keys.entry((self.machine.locals().shape_of(*local), part.class));
            let number = key.index();
            key.or_insert_with(|| (self.block_key(view), view.family.clone()));
            let mut variables = self.placed(*local, 0);
            variables.extend(self.placed(part.initial, LABELS_FROM));
            components.push(KeyedComponent {
                key: number,
                state: view.text.clone(),
                variables,
            });
        }
        components
    }

    fn placed(&self, local: LocalId, from: u32) -> Vec<PlacedVariable> {
        let locals = self.machine.locals();
        let holes = &locals.shape(locals.shape_of(local)).holes;
        let both = holes.iter().zip(locals.atoms_of(local));
        both.map(|(hole, atom)| PlacedVariable {
            kind: self.machine.atoms().name(hole.kind).to_owned(),
            value: self.machine.atom_name(*atom),
            group: from + u32::from(hole.group),
            row: from + u32::from(hole.row),
        })
        .collect()
    }
}

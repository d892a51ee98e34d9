//! Claims on a state's symmetry in words: its representative, how that was computed, and whether it is unique for
//! the orbit.

use super::model::{
    AskedStrategy, ComponentView, DisagreementView, Explanation, RepView, StateId, StrategyKind,
    TypeOrdering, TypePermutation, UniquenessView, WayView,
};
use super::opened::{AnimatedProcess, KnownOrbit};
use super::sentences;
use super::uniqueness::OtherStateView;
use crate::machine::{FormatId, LocalId};
use crate::source::Diagnostic;
use crate::source::diagnostic::Result as Checked;
use crate::symmetry::context::StateContext;
use crate::symmetry::permutation::{Permutation, whole_order};
use crate::symmetry::picks::{self, Ground, Way};
use crate::symmetry::record::{RecordNames, Recorder};
use crate::symmetry::strategy::Ordering;
use crate::symmetry::trace::Variable;
use crate::value::Atom;

/// Groups of labels are not those of variables.
const LABEL: usize = 1 << 15;

impl AnimatedProcess {
    /// The representative in `self.representative` in words.
    pub(super) fn rep_view(
        &mut self,
        format: FormatId,
        state: &[LocalId],
        orbit: &KnownOrbit,
        types: TypeOrdering,
    ) -> Checked<RepView> {
        if let Some(group) = self.structure_of(format) {
            return self.rep_view_by(&group, (format, state), orbit);
        }
        let judge = |own: &mut Self, _: &[LocalId]| own.uniqueness(format, state, types);
        self.rep_of_values((format, state), orbit, "ordering", judge)
    }

    /// The representative in `self.representative` in words, where values are permuted; `judge` says whether it is
    /// unique.
    pub(super) fn rep_of_values(
        &mut self,
        (format, state): (FormatId, &[LocalId]),
        orbit: &KnownOrbit,
        strategy: &str,
        judge: impl FnOnce(&mut Self, &[LocalId]) -> Checked<UniquenessView>,
    ) -> Checked<RepView> {
        // Copied first: judging uniqueness below computes other representatives in the same
        // buffers.
        let image = self.representative.image.clone();
        let locals = self.representative.locals.clone();
        let id = self.intern(format, &locals);
        let source = self.sources(format, state);
        let entry = self.network.format(format);
        let order = whole_order(self.machine.atoms(), entry).to_big();
        // Orbit-stabiliser theorem. The division has no remainder.
        let size = orbit.stabiliser.as_ref().map(|s| &order / s.to_big());
        Ok(RepView {
            id,
            components: self.components_in(format, &locals),
            source,
            permutation: self.permutation(&Permutation::from_image(&image)),
            strategy: strategy.to_owned(),
            uniqueness: judge(self, &locals)?,
            orbit: size,
            group_order: order,
        })
    }

    /// The inverse of the permutation of components: for each component of `self.representative`, its preimage in
    /// the state.
    pub(super) fn sources(&mut self, format: FormatId, state: &[LocalId]) -> Vec<usize> {
        let image = self.representative.image.clone();
        let entry = self.network.format(format);
        let mut source = vec![0; state.len()];
        let mut images = vec![LocalId(0); state.len()];
        for (component, local) in state.iter().enumerate() {
            // Prop. 35: component `i` becomes component `α_π(i)`.
            let to = entry
                .find_image(&mut self.machine, component, &image)
                .unwrap_or(component);
            source[to] = component;
            images[component] = self.machine.permute_local(*local, &image);
        }
        // Copies were sorted by their local states after permuting (`Copies::settle`), so the preimage of each is
        // found by sorting the images likewise. Equal ones may be taken in any order.
        for set in entry.copies().sets() {
            let mut sources: Vec<usize> = set.iter().map(|c| source[*c as usize]).collect();
            sources.sort_by_key(|component| images[*component]);
            for (to, component) in set.iter().zip(sources) {
                source[*to as usize] = component;
            }
        }
        source
    }

    pub(super) fn components_in(
        &mut self,
        format: FormatId,
        locals: &[LocalId],
    ) -> Vec<ComponentView> {
        self.words
            .components(&mut self.machine, &self.network, format, locals)
    }

    /// Whether the representative is unique for the orbit, in words.
    pub(super) fn uniqueness(
        &mut self,
        format: FormatId,
        state: &[LocalId],
        types: TypeOrdering,
    ) -> Checked<UniquenessView> {
        let known = self.complete(|machine, network, out| {
            picks::uniqueness(
                types,
                &StateContext::alone(machine, network, format, state),
                out,
            )
        })?;
        Ok(match known {
            picks::Uniqueness::Proved(ground) => UniquenessView::Proved(
                match ground {
                    Ground::NoChoice => "no choice was needed",
                    Ground::FullySymmetric => "Prop 50",
                    Ground::EveryState => "every state of the orbit was tried",
                }
                .to_owned(),
            ),
            picks::Uniqueness::AllPicksAgree(n) => UniquenessView::AllPicksAgree(n),
            picks::Uniqueness::PicksDisagree(found) => {
                let here = self.way(format, &found.here);
                let there = self.way(format, &found.there);
                let (state, representative) = &found.witness;
                UniquenessView::PicksDisagree(Box::new(DisagreementView {
                    here,
                    there,
                    other: OtherStateView {
                        witness: self.components_in(format, state),
                        representative: self.components_in(format, representative),
                    },
                }))
            }
            picks::Uniqueness::Unknown {
                tried,
                differ: false,
            } => UniquenessView::Unknown(format!("{tried} ways to pick agree, and there are more")),
            picks::Uniqueness::Unknown { differ: true, .. } => UniquenessView::Unknown(
                "two ways to pick differ, and no state was found for which the other one is gone"
                    .to_owned(),
            ),
        })
    }

    /// A sequence of picks, in words.
    pub(super) fn way(&mut self, format: FormatId, way: &Way) -> WayView {
        let representative = self.components_in(format, &way.representative);
        let names = sentences::ComponentNames::new(&representative);
        let picks = way.picks.iter().map(|(members, picked)| {
            let members: Vec<usize> = members.iter().map(|c| usize::from(*c)).collect();
            format!(
                "{} of {}",
                names.of(usize::from(*picked)),
                names.set(&members)
            )
        });
        let name = |a: &Atom| self.machine.atom_name(*a);
        let ties = way.ties.iter().map(|values| {
            let values: Vec<String> = values.iter().map(name).collect();
            format!("{} in this order", values.join(", "))
        });
        WayView {
            picks: picks.chain(ties).collect(),
            representative,
        }
    }

    pub(super) fn permutation(&self, pi: &Permutation) -> Vec<TypePermutation> {
        let atoms = self.machine.atoms();
        let name = |a: Atom| self.machine.atom_name(a);
        (0..atoms.kinds())
            .map(|kind| TypePermutation {
                name: atoms.name(kind as u8).to_owned(),
                cycles: pi.cycles(atoms, kind, &name),
                map: atoms
                    .atoms(kind as u8)
                    .map(|a| (name(Atom(a)), name(pi.apply(Atom(a)))))
                    .collect(),
            })
            .collect()
    }

    pub(super) fn explain(&mut self, id: StateId, order: TypeOrdering) -> Checked<Explanation> {
        let (format, _) = self.state(id);
        let by = AskedStrategy::Values(StrategyKind::Ordering);
        self.asking(format, by, |own| own.explain_here(id, order))
    }

    fn explain_here(&mut self, id: StateId, order: TypeOrdering) -> Checked<Explanation> {
        let (format, state) = self.state(id);
        let obstacle = self.values_obstacle(format);
        if !obstacle.is_empty() {
            return Err(Box::new(Diagnostic::nowhere("E0510", obstacle)));
        }
        let orbit = self.orbit(format, &state)?;
        let components = self.components_of(id);
        let names = self.record_names(format, &state, &components);
        let recorder = self.complete(|machine, network, out| {
            let context = StateContext::alone(machine, network, format, &state);
            // A fresh one each time: after a miss the computation starts again.
            let mut recorder = Recorder::new(names.clone());
            Ordering(order).watched(&context, out, &mut recorder)?;
            // Only after the computation: ties are described in the order in which their values were named.
            recorder.note_ties(&out.scratch.ties(machine.atoms(), &out.image));
            Ok(recorder)
        })?;
        let representative = self.rep_view(format, &state, &orbit, order)?;
        Ok(Explanation {
            components,
            trace: recorder.trace,
            representative,
            type_order: order,
        })
    }

    /// Names of values and components for the record of a computation.
    fn record_names(
        &self,
        format: FormatId,
        state: &[LocalId],
        components: &[ComponentView],
    ) -> RecordNames {
        let atoms = self.machine.atoms();
        let kinds = 0..atoms.kinds();
        let value = |a: u16| {
            (
                self.machine.atom_name(Atom(a)),
                atoms.kind(Atom(a)) as usize,
            )
        };
        RecordNames {
            types: kinds.map(|k| atoms.name(k as u8).to_owned()).collect(),
            values: (0..atoms.len() as u16).map(value).collect(),
            keys: components.iter().map(|c| self.block_key(c)).collect(),
            variables: self.variables(format, state),
        }
    }

    /// The key of a block in step 1: the local state without its atoms, which all members share.
    pub(super) fn block_key(&self, component: &ComponentView) -> String {
        let atoms = self.machine.atoms();
        // Arguments are texts here, so values are known by their names.
        let names: Vec<String> = (0..atoms.len() as u16)
            .map(|a| self.machine.atom_name(Atom(a)))
            .collect();
        if component.args.is_empty() {
            return component.text.clone();
        }
        let shown: Vec<&str> = component
            .args
            .iter()
            .map(|(_, v)| if names.contains(v) { "_" } else { v.as_str() })
            .collect();
        format!("{}({})", component.name, shown.join(", "))
    }

    /// The variables of each component, and then those of its label, in brackets.
    pub(super) fn variables(&self, format: FormatId, state: &[LocalId]) -> Vec<Vec<Variable>> {
        let entry = self.network.format(format);
        let of = |(component, local): (usize, &LocalId)| {
            // The record drops the variables of labels where the state shows the label anyway
            // (`Recorder`).
            let identity = entry.identity()[component];
            let initial = entry.components()[component].initial;
            let mut found = self.held(*local, identity);
            found.extend(self.held(initial, identity).into_iter().map(|v| Variable {
                name: format!("({})", v.name),
                group: LABEL + v.group,
                ..v
            }));
            found
        };
        state.iter().enumerate().map(of).collect()
    }

    fn held(&self, local: LocalId, identity: Option<Atom>) -> Vec<Variable> {
        let locals = self.machine.locals();
        let holes = &locals.shape(locals.shape_of(local)).holes;
        let atoms = locals.atoms_of(local);
        // The value may stand in other variables, too; the first is taken for the identity (Def.
        // 46).
        let first = atoms.iter().position(|atom| Some(*atom) == identity);
        let both = holes.iter().zip(atoms).enumerate();
        both.map(|(at, (hole, atom))| Variable {
            name: hole.name.clone(),
            kind: hole.kind as usize,
            value: self.machine.atom_name(*atom),
            group: hole.group as usize,
            identity: first == Some(at),
        })
        .collect()
    }
}

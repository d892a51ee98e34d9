//! The comparison of two states of an open process, put into words.

use super::checkable::CheckableStates;
use super::comparison::{
    CertificateView, Compared, OtherRelation, PartingView, PicksView, ProfileView, RefutationView,
    RefutedView, RelationView, StateComparison, WitnessView,
};
use super::model::{AskedStrategy, ComponentView, StateId, StrategyKind, TypeOrdering};
use super::opened::AnimatedProcess;
use super::sentences::ComponentNames;
use crate::machine::{FormatId, LocalId};
use crate::report::reduction::in_full;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result as Checked;
use crate::symmetry::certificate::{Cell, Certificate, Profile, Refutation, WhichState};
use crate::symmetry::compare::{Comparing, Relation};
use crate::symmetry::context::StateContext;
use crate::symmetry::parting::{self, Parting};
use crate::symmetry::picks;
use crate::symmetry::trace::Variable;
use crate::symmetry::witness::OrbitWitness;
use crate::value::Atom;

/// One of the two states, with the data that its description needs.
struct ComparedSide {
    format: FormatId,
    state: Vec<LocalId>,
    components: Vec<ComponentView>,
    names: ComponentNames,
    variables: Vec<Vec<Variable>>,
}

impl AnimatedProcess {
    /// Compares two states. If both values and more of the structure are symmetric, the relation by the other
    /// permutations comes with it.
    pub(super) fn compare(
        &mut self,
        a: StateId,
        b: StateId,
        by: AskedStrategy,
    ) -> Checked<StateComparison> {
        let (format, _) = self.state(a);
        let mut found = self.asking(format, by, |own| own.compare_here(a, b, by))?;
        let Some(other) = self.other_name() else {
            return Ok(found);
        };
        let usual = self.permuted_by();
        let is_by_other = self.is_asked_of_other(format, by);
        let compare = |own: &mut Self| own.compare_here(a, b, AskedStrategy::Usual);
        let (group, second, relation) = match is_by_other {
            false => (usual, other, self.by_other(compare)),
            true => (other, usual, Some(compare(self))),
        };
        // Without an answer by the second ones, that by the first is as good.
        if let Some(Ok(relation)) = relation.map(|second| second.map(|found| found.relation)) {
            found.group = Some(group);
            found.other = Some(OtherRelation {
                group: second,
                is_part: self.structure_of(format).is_some() != is_by_other,
                relation,
            });
        }
        Ok(found)
    }

    /// The name of the permutations that views go by.
    fn permuted_by(&self) -> String {
        self.reduction
            .used
            .as_ref()
            .map_or_else(String::new, in_full)
    }

    fn compare_here(
        &mut self,
        a: StateId,
        b: StateId,
        by: AskedStrategy,
    ) -> Checked<StateComparison> {
        let refused = |why: String| Err(Box::new(Diagnostic::nowhere("E0510", why)));
        if !self.has(b) {
            return refused("the two states are of different processes".to_owned());
        }
        let (left, right) = (self.compared_side(a), self.compared_side(b));
        for side in [&left, &right] {
            let obstacle = self.obstacle(side.format);
            if !obstacle.is_empty() {
                return refused(obstacle);
            }
        }
        let by = [self.asked(left.format, by)?, self.asked(right.format, by)?];
        if left.format == right.format
            && let Some(group) = self.structure_of(left.format)
        {
            return self.compare_by(&group, (a, b), by[0]);
        }
        let relation = self.relation(&left, &right)?;
        let mut view = ComparisonView {
            process: self,
            a: &left,
            b: &right,
        };
        let (a, is_certain) = view.side(&left, by[0])?;
        let (b, both_certain) = view.side(&right, by[1])?;
        let told = view.relation(&relation);
        let (parting, picks) = match by[0] {
            AskedStrategy::Values(StrategyKind::Ordering) => {
                (view.parting(&relation)?, view.picks()?)
            }
            other => {
                let is_exact = other == AskedStrategy::Values(StrategyKind::Exact);
                let is_certain = is_exact && is_certain && both_certain;
                let parting = PartingView::by(other, &told, (&a, &b), is_certain);
                (parting, PicksView::default())
            }
        };
        let data = self.checkable_pair((&left, &right), by[0])?;
        Ok(StateComparison {
            a,
            b,
            strategy: by[0],
            parting,
            picks,
            relation: told,
            group: None,
            other: None,
            data,
        })
    }

    /// What a checker needs of two states of one format.
    fn checkable_pair(
        &mut self,
        (left, right): (&ComparedSide, &ComparedSide),
        by: AskedStrategy,
    ) -> Checked<Option<CheckableStates>> {
        if left.format != right.format {
            return Ok(None);
        }
        let states = [("a", &left.state[..]), ("b", &right.state[..])];
        self.checkable(&states, left.format, by)
    }

    /// The relation of two states under permutations of values.
    fn relation(&mut self, left: &ComparedSide, right: &ComparedSide) -> Checked<Relation> {
        let mut comparing = Comparing::default();
        self.complete(|machine, network, _| {
            let here = StateContext::alone(machine, network, left.format, &left.state);
            let there = StateContext::alone(machine, network, right.format, &right.state);
            comparing.relation(&here, &there)
        })
    }

    fn compared_side(&mut self, id: StateId) -> ComparedSide {
        let (format, state) = self.state(id);
        let components = self.components_of(id);
        ComparedSide {
            names: ComponentNames::new(&components),
            variables: self.variables(format, &state),
            format,
            state,
            components,
        }
    }
}

/// The comparison of two states in words.
struct ComparisonView<'a> {
    process: &'a mut AnimatedProcess,
    a: &'a ComparedSide,
    b: &'a ComparedSide,
}

impl ComparisonView<'_> {
    /// A state with its representative, and whether the strategy came to its end without a fallback.
    fn side(&mut self, side: &ComparedSide, by: AskedStrategy) -> Checked<(Compared, bool)> {
        self.process.represent_as(by, side.format, &side.state)?;
        let is_certain = !self.process.representative.fell_back;
        let locals = self.process.representative.locals.clone();
        let compared = Compared {
            components: side.components.clone(),
            representative: self.process.components_in(side.format, &locals),
        };
        Ok((compared, is_certain))
    }

    fn relation(&self, relation: &Relation) -> RelationView {
        match relation {
            Relation::Same => RelationView::Same,
            Relation::SameOrbit(witness) => RelationView::SameOrbit(self.witness(witness)),
            Relation::Bisimilar {
                witness,
                components,
            } => RelationView::Bisimilar {
                witness: self.witness(witness),
                components: components.iter().map(|c| usize::from(*c)).collect(),
            },
            Relation::Different(found) => RelationView::Different(self.certificate(found)),
            Relation::OtherFormat => RelationView::OtherFormat,
            Relation::Undecided { nodes } => RelationView::Undecided { nodes: *nodes },
        }
    }

    fn witness(&self, witness: &OrbitWitness) -> WitnessView {
        WitnessView {
            permutation: self.process.permutation(&witness.permutation),
            arrows: witness.arrows.iter().map(|c| usize::from(*c)).collect(),
            moved: witness.moved,
            moves: "value",
            element: None,
            is_least: witness.is_least,
            ways: witness.ways.as_ref().map(|ways| ways.to_big()),
        }
    }

    fn certificate(&self, certificate: &Certificate) -> CertificateView {
        let named = |side: &ComparedSide, components: &[u16]| -> Vec<String> {
            let names = components.iter().map(|c| side.names.of(usize::from(*c)));
            names.map(str::to_owned).collect()
        };
        match certificate {
            Certificate::Keys { left, right, .. } => {
                let first = match (left.first(), right.first()) {
                    (Some(c), _) => self.a.components.get(usize::from(*c)),
                    (None, Some(c)) => self.b.components.get(usize::from(*c)),
                    (None, None) => None,
                };
                CertificateView::Keys {
                    key: first.map_or_else(String::new, |c| self.process.block_key(c)),
                    left: named(self.a, left),
                    right: named(self.b, right),
                }
            }
            Certificate::Profile(found) => CertificateView::Profile(Box::new(self.profile(found))),
            Certificate::Tree { pick, refuted } => {
                let refuted = refuted.iter().map(|one| RefutedView {
                    partner: self.value(one.partner),
                    why: match &one.why {
                        Refutation::By(why) => RefutationView::By(self.certificate(why)),
                        Refutation::Like { partner, by } => {
                            RefutationView::Like(self.value(*partner), self.process.permutation(by))
                        }
                    },
                });
                CertificateView::Tree {
                    pick: self.value(*pick),
                    refuted: refuted.collect(),
                }
            }
            Certificate::Image(image) => CertificateView::Image(self.process.permutation(image)),
        }
    }

    fn profile(&self, profile: &Profile) -> ProfileView {
        let because = &profile.because;
        let (side, word) = match because.side {
            WhichState::Left => (self.a, "A"),
            WhichState::Right => (self.b, "B"),
        };
        let component = usize::from(because.component);
        let variables = side.variables.get(component);
        let variable = variables.and_then(|all| all.get(usize::from(because.variable)));
        let state = side.components.get(component);
        let cell = |cell: &Cell| (self.values(&cell.left), self.values(&cell.right));
        ProfileView {
            round: profile.round,
            class: cell(&profile.class),
            rest: cell(&profile.rest),
            side: word,
            component: side.names.of(component).to_owned(),
            state: state.map_or_else(String::new, super::sentences::compact),
            variable: variable.map_or_else(String::new, |v| v.name.clone()),
            times: because.times,
            others: because.others,
        }
    }

    fn value(&self, atom: Atom) -> String {
        self.process.machine.atom_name(atom)
    }

    fn values(&self, atoms: &[Atom]) -> Vec<String> {
        atoms.iter().map(|atom| self.value(*atom)).collect()
    }

    fn parting(&mut self, relation: &Relation) -> Checked<Option<PartingView>> {
        let witness = match relation {
            // The record of the one would be that of the other; and where nothing is known, no difference can be
            // shown.
            Relation::Same | Relation::OtherFormat | Relation::Undecided { .. } => return Ok(None),
            Relation::SameOrbit(witness) => Some(witness),
            Relation::Bisimilar { .. } | Relation::Different(_) => None,
        };
        if self.a.format != self.b.format {
            return Ok(None);
        }
        let found = self.process.complete(|machine, network, out| {
            let here = StateContext::alone(machine, network, self.a.format, &self.a.state);
            let there = StateContext::alone(machine, network, self.b.format, &self.b.state);
            parting::parting(TypeOrdering::Appearance, &here, &there, witness, out)
        })?;
        Ok(Some(self.parting_view(&found)))
    }

    fn parting_view(&self, found: &Parting) -> PartingView {
        let (step, word, text) = match found {
            Parting::Never { harmless: 0 } => (
                None,
                "never",
                "The runs of the ordering do not part.".to_owned(),
            ),
            Parting::Never { .. } => (
                None,
                "never",
                "The runs of the ordering part only where any order gives the same.".to_owned(),
            ),
            Parting::Choice {
                step,
                picked,
                block,
            } => (
                Some(*step),
                "choice",
                choice_text(self.a, self.b, *picked, block),
            ),
            Parting::Tie { step, values } => {
                let text = format!(
                    "The runs of the ordering part where nothing tells values apart: they are named \
                     in the order {} in state A, and {} in state B.",
                    self.values(&values.0).join(", "),
                    self.values(&values.1).join(", ")
                );
                (Some(*step), "tie", text)
            }
            Parting::Step { step, after_choice } => {
                let choice = if *after_choice {
                    ", after an arbitrary choice"
                } else {
                    ""
                };
                let text = format!(
                    "The runs of the ordering come out differently at step {} of the record{choice}.",
                    step + 1
                );
                (Some(*step), "step", text)
            }
            Parting::Fault { step } => {
                let text = format!(
                    "Internal error: the runs of the ordering part at step {} of the record, where \
                     nothing is arbitrary (Lemma 44). Please report this.",
                    step + 1
                );
                (Some(*step), "fault", text)
            }
        };
        PartingView { step, word, text }
    }

    fn picks(&mut self) -> Checked<PicksView> {
        let side = self.a;
        let found = self.process.complete(|machine, network, out| {
            let context = StateContext::alone(machine, network, side.format, &side.state);
            picks::table(TypeOrdering::Appearance, &context, out)
        })?;
        let outcomes = found.outcomes.iter();
        Ok(PicksView {
            outcomes: outcomes
                .map(|(outcome, count)| (self.process.way(side.format, outcome), *count))
                .collect(),
            complete: found.complete,
        })
    }
}

/// The picks of step 3 in both runs.
fn choice_text(
    a: &ComparedSide,
    b: &ComparedSide,
    picked: (u16, u16),
    block: &(Vec<u16>, Vec<u16>),
) -> String {
    let set = |side: &ComparedSide, block: &[u16]| {
        let block: Vec<usize> = block.iter().map(|c| usize::from(*c)).collect();
        side.names.set(&block)
    };
    format!(
        "The runs of the ordering part at an arbitrary choice: step 3 picked {} of {} in state A, and {} \
         of {} in state B, which is not its image.",
        a.names.of(usize::from(picked.0)),
        set(a, &block.0),
        b.names.of(usize::from(picked.1)),
        set(b, &block.1),
    )
}

//! Explanations of the strategies other than `ordering`.

use super::agreement::TRIED_MAX;
use super::courses::{Namer, step_views};
use super::model::{AskedStrategy, ComponentView, RepView, StateId, UniquenessView};
use super::opened::AnimatedProcess;
use super::rounds::Rounds;
use super::sentences::ComponentNames;
use super::strategy::{ChoiceMark, StepView, StrategyView};
use crate::machine::{FormatId, LocalId, Machine};
use crate::report::numbers::counted;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result as Checked;
use crate::symmetry::context::StateContext;
use crate::symmetry::nvalues::{EdgeKinds, NeighbourCounts};
use crate::symmetry::ordering::TypeOrdering;
use crate::symmetry::strategy::{Ordering, OrderingBy, Strategy};
use crate::symmetry::watch::Course;
use crate::symmetry::{Representative, StrategyKind, bubble, exact, sorted, walk};
use crate::value::Atom;

/// The record of a strategy.
#[derive(Default)]
struct StrategyRun {
    course: Course,
    /// The rounds of step 2 of the orderings.
    rounds: Rounds,
    /// Values that `sorted` and `segmented` cannot distinguish.
    cells: Vec<Vec<Atom>>,
    /// Names that `bubble` exchanged.
    exchanges: Vec<(Atom, Atom)>,
    /// The part of the work for which it used another strategy.
    fell_back: Option<String>,
    /// Whether it had to search.
    searched: bool,
    /// Whether the search was given up, so that the representative may not be the least.
    uncertain: bool,
    /// Why all states of the orbit get the same representative, where the strategy itself says so.
    proof: Option<&'static str>,
}

impl AnimatedProcess {
    /// Explains how a strategy chooses the representative of a state.
    pub(super) fn strategy(&mut self, id: StateId, kind: StrategyKind) -> Checked<StrategyView> {
        let (format, _) = self.state(id);
        let by = AskedStrategy::Values(kind);
        self.asking(format, by, |own| own.strategy_here(id, kind))
    }

    fn strategy_here(&mut self, id: StateId, kind: StrategyKind) -> Checked<StrategyView> {
        let (format, state) = self.state(id);
        let obstacle = self.values_obstacle(format);
        if !obstacle.is_empty() {
            return Err(Box::new(Diagnostic::nowhere("E0510", obstacle)));
        }
        self.asked(format, AskedStrategy::Values(kind))?;
        let orbit = self.known_orbit(id)?;
        // The two computations below share `self.representative`. The one that is asked about comes last, since its
        // result is read from there.
        let usual = self.complete(|machine, network, out| {
            let context = StateContext::alone(machine, network, format, &state);
            Ordering(TypeOrdering::Appearance).representative(&context, out)?;
            Ok((out.image.clone(), out.locals.clone()))
        })?;
        let done = self.watch(kind, format, &state)?;
        let same = usual.1 == self.representative.locals;
        let same_permutation = usual.0 == self.representative.image;
        let name = kind.strategy().name();
        let judge = |own: &mut Self, found: &[LocalId]| own.uniqueness_by(kind, id, &done, found);
        let representative = self.rep_of_values((format, &state), &orbit, name, judge)?;
        let components = self.components_of(id);
        let variables = self.variables(format, &state);
        let mut steps = self.steps_of(kind, &done, &components, &variables);
        finish(kind, &done, &representative, &mut steps);
        Ok(StrategyView {
            components,
            same,
            same_permutation,
            representative,
            fell_back: done.fell_back,
            searched: done.searched,
            steps,
            omitted: done.course.omitted,
        })
    }

    /// Whether the representative that a strategy gave a state is unique in its orbit.
    fn uniqueness_by(
        &mut self,
        kind: StrategyKind,
        id: StateId,
        done: &StrategyRun,
        found: &[LocalId],
    ) -> Checked<UniquenessView> {
        if let Some(proof) = done.proof {
            return Ok(UniquenessView::Proved(proof.to_owned()));
        }
        match kind {
            // Permutations do not change whether a walk is enough: `ordering` decides for the whole orbit.
            StrategyKind::Walk | StrategyKind::Ordering => {
                let (format, state) = self.state(id);
                self.uniqueness(format, &state, TypeOrdering::Appearance)
            }
            // Each state would take as long as this one.
            StrategyKind::Exact | StrategyKind::Counters => {
                let instead = StrategyKind::Exact.strategy().instead();
                Ok(UniquenessView::Unknown(instead.to_owned()))
            }
            _ => {
                let most = TRIED_MAX / done.orders().min(TRIED_MAX);
                self.agreement(id, (kind.strategy(), most.max(20)), found)
            }
        }
    }

    /// Whether each type with several values names components, so that sorting these sorts its values.
    fn is_indexed(&self, format: FormatId) -> bool {
        let atoms = self.machine.atoms();
        let named = self.network.format(format).identity();
        let mut kinds = (0..atoms.kinds() as u8).filter(|kind| atoms.atoms(*kind).len() > 1);
        kinds.all(|kind| named.iter().flatten().any(|atom| atoms.kind(*atom) == kind))
    }

    /// Runs a strategy and records it; the result is left in `self.representative`.
    fn watch(
        &mut self,
        kind: StrategyKind,
        format: FormatId,
        state: &[LocalId],
    ) -> Checked<StrategyRun> {
        let is_indexed = self.is_indexed(format);
        self.complete(|machine, network, out| {
            let context = StateContext::alone(machine, network, format, state);
            let mut done = StrategyRun::default();
            match kind {
                StrategyKind::Walk => {
                    let enough = walk::Walk.watched(&context, out, &mut done.course)?;
                    // Its name alone: the steps of `ordering` have a page of their own.
                    done.fell_back = (!enough).then(|| "ordering".to_owned());
                }
                StrategyKind::Exact => {
                    let enough = exact::Exact.watched(&context, out, &mut done.course)?;
                    done.searched = !enough;
                    // For `exact`, falling back means that the best of the images seen was taken.
                    done.uncertain = out.fell_back;
                }
                StrategyKind::Ordering => kind.strategy().representative(&context, out)?,
                StrategyKind::OrderingN1 => {
                    OrderingBy(EdgeKinds).watched(&context, out, &mut done.rounds)?;
                }
                StrategyKind::OrderingN2 => {
                    OrderingBy(NeighbourCounts).watched(&context, out, &mut done.rounds)?;
                }
                StrategyKind::Sorted => {
                    kind.strategy().representative(&context, out)?;
                    done.cells = sorted::cells(out);
                }
                StrategyKind::Segmented => {
                    kind.strategy().representative(&context, out)?;
                    done.fell_back = out.fell_back.then(|| "sorted".to_owned());
                    done.cells = sorted::cells(out);
                }
                StrategyKind::Bubble => {
                    kind.strategy().representative(&context, out)?;
                    done.exchanges = bubble::exchanges(out);
                    done.uncertain = !bubble::is_columns(&context);
                }
                StrategyKind::Counters => {
                    kind.strategy().representative(&context, out)?;
                    done.fell_back = out.fell_back.then(|| "exact".to_owned());
                    done.cells = sorted::cells(out);
                    if out.fell_back {
                        // Once more, since only `exact` itself says whether it came to its end.
                        exact::Exact.representative(&context, out)?;
                        done.uncertain = out.fell_back;
                    }
                }
            }
            let is_ordering = matches!(kind, StrategyKind::OrderingN1 | StrategyKind::OrderingN2);
            let is_forced = is_ordering && has_no_ties(machine, out);
            done.proof = done.proof_of(kind, is_forced, is_indexed);
            Ok(done)
        })
    }

    fn steps_of(
        &self,
        kind: StrategyKind,
        done: &StrategyRun,
        components: &[ComponentView],
        variables: &[Vec<crate::symmetry::trace::Variable>],
    ) -> Vec<StepView> {
        let atoms = self.machine.atoms();
        let short = ComponentNames::new(components);
        let names = Namer {
            atoms,
            values: (0..atoms.len() as u16)
                .map(|a| self.machine.atom_name(Atom(a)))
                .collect(),
            components: (0..components.len())
                .map(|c| short.of(c).to_owned())
                .collect(),
            variables,
        };
        match kind {
            StrategyKind::Walk | StrategyKind::Exact => step_views(&names, &done.course.events),
            StrategyKind::Sorted | StrategyKind::Segmented => names.sorted(kind, done),
            StrategyKind::OrderingN1 | StrategyKind::OrderingN2 => done.rounds.steps(kind, &names),
            StrategyKind::Bubble => vec![names.exchanged(done)],
            StrategyKind::Counters => vec![names.counted(done)],
            StrategyKind::Ordering => Vec::new(),
        }
    }
}

/// The last steps, once it is known whether the representative is unique.
fn finish(kind: StrategyKind, done: &StrategyRun, found: &RepView, steps: &mut Vec<StepView>) {
    let mark = |is_certain: bool| match is_certain {
        true => ChoiceMark::Forced,
        false => ChoiceMark::Harmful,
    };
    if let (StrategyKind::Walk, Some(other)) = (kind, &done.fell_back) {
        steps.push(StepView {
            title: format!("strategy {other}"),
            detail: "decides instead".to_owned(),
            // `ordering` may have to choose, which matters unless all its picks are known to agree.
            mark: mark(found.uniqueness.is_certain()),
            sentences: vec![format!(
                "The names given by the walk are dropped, and strategy {other} chooses the representative: its \
                 own steps show whether it had to choose arbitrarily."
            )],
            state: Vec::new(),
        });
    }
    steps.push(StepView {
        title: "apply the permutation".to_owned(),
        detail: "done".to_owned(),
        mark: mark(!done.uncertain),
        sentences: Vec::new(),
        state: Vec::new(),
    });
}

/// Whether no two values stand in the same places of the same sets, so that component ordering by other n-values has
/// no order of values to choose.
fn has_no_ties(machine: &Machine, out: &mut Representative) -> bool {
    let ties = out.scratch.ties(machine.atoms(), &out.image);
    ties.iter().all(|tie| tie.harmless)
}

impl StrategyRun {
    /// The number of orders of equal values, which `segmented` tries for each state.
    fn orders(&self) -> usize {
        let sizes = self.cells.iter().map(Vec::len);
        sizes.flat_map(|n| 1..=n).fold(1, usize::saturating_mul)
    }

    /// Why all states of the orbit get the same representative, if the strategy came to its end without a choice.
    fn proof_of(
        &self,
        kind: StrategyKind,
        is_forced: bool,
        is_indexed: bool,
    ) -> Option<&'static str> {
        let is_own = self.fell_back.is_none() && !self.uncertain;
        match kind {
            StrategyKind::Walk if is_own => Some("Lemma 53"),
            StrategyKind::Exact if is_own && !self.searched => Some("Lemma 53"),
            StrategyKind::Exact if is_own => Some("every choice was tried, up to automorphisms"),
            StrategyKind::Counters if is_own => Some("components sorted by control state"),
            StrategyKind::Counters if !self.uncertain => Some("exact decided, to its end"),
            StrategyKind::OrderingN1 | StrategyKind::OrderingN2 if is_forced => self.rounds.proof(),
            StrategyKind::Sorted if is_indexed && self.cells.is_empty() => {
                Some("control states tell all values apart")
            }
            StrategyKind::Segmented if is_indexed && is_own => {
                Some("every order of equal values was tried")
            }
            StrategyKind::Bubble if is_own => Some("each value stands for itself"),
            _ => None,
        }
    }
}

impl Namer<'_> {
    /// The exchanges of `bubble`.
    fn exchanged(&self, done: &StrategyRun) -> StepView {
        let lines = done.exchanges.iter().enumerate();
        let line = |(at, (lower, upper)): (usize, &(Atom, Atom))| {
            let exchange = format!("{} <-> {}", self.value(lower.0), self.value(upper.0));
            ((at + 1).to_string(), exchange)
        };
        let (sentence, mark) = if done.uncertain {
            (
                "Values refer to each other here, so no exchange of neighbours making the state less does \
                 not mean that nothing does: states of one orbit may end with different representatives.",
                ChoiceMark::Harmful,
            )
        } else {
            (
                "In this state each value stands for itself: exchanging two neighbours exchanges two \
                 columns, as bubble sort does, so all states of the orbit end with the same.",
                ChoiceMark::Forced,
            )
        };
        StepView {
            title: "exchange neighbours".to_owned(),
            detail: counted(done.exchanges.len() as u64, "exchange"),
            mark,
            sentences: vec![
                "Two values that follow each other in their type are exchanged if that makes the state \
                 less, from the first pair to the last, until no pair does."
                    .to_owned(),
                sentence.to_owned(),
            ],
            state: lines.map(line).collect(),
        }
    }

    /// The counts of `counters`.
    fn counted(&self, done: &StrategyRun) -> StepView {
        let sets: Vec<String> = done.cells.iter().map(|cell| self.set(cell)).collect();
        let (detail, sentence, state) = match done.fell_back {
            Some(_) => (
                "not here",
                "A component holds a value that is not its label: strategy exact decides instead.",
                Vec::new(),
            ),
            None => (
                "by control state",
                "No component holds a value but that of its label, so a state is how many components of \
                 each family are in which control state. The components are sorted by that; exchanging \
                 equal ones changes nothing.",
                vec![("equal".to_owned(), sets.join(" "))],
            ),
        };
        StepView {
            title: "count".to_owned(),
            detail: detail.to_owned(),
            mark: ChoiceMark::Forced,
            sentences: vec![sentence.to_owned()],
            state,
        }
    }

    /// Steps of the strategies of Sec. 7.6.
    fn sorted(&self, kind: StrategyKind, done: &StrategyRun) -> Vec<StepView> {
        let sets: Vec<String> = done.cells.iter().map(|cell| self.set(cell)).collect();
        let mut steps = vec![StepView {
            title: "sort the values".to_owned(),
            detail: format!("{} ties", sets.len()),
            mark: ChoiceMark::Forced,
            sentences: vec![
                "The values of each type that indexes components are sorted by what no permutation \
                 touches in these components (Sec. 7.6). Other types are left alone."
                    .to_owned(),
            ],
            state: vec![("ties".to_owned(), sets.join(" "))],
        }];
        if sets.is_empty() {
            return steps;
        }
        // `segmented` looks at all orders of ties, unless they are too many.
        let least = kind == StrategyKind::Segmented && done.fell_back.is_none();
        let (title, sentence, mark) = if least {
            (
                "try all orders of ties",
                "Every permutation within the ties was tried: the least state is the representative.",
                ChoiceMark::Forced,
            )
        } else if done.fell_back.is_some() {
            (
                "too many orders of ties",
                "There are too many permutations within the ties to try them all: they are left in the \
                 order of their names, as strategy sorted does.",
                ChoiceMark::Harmful,
            )
        } else {
            (
                "leave ties as they are",
                "Ties are left in the order of the names, which means nothing: states of one orbit may \
                 get different representatives.",
                ChoiceMark::Harmful,
            )
        };
        steps.push(StepView {
            title: title.to_owned(),
            detail: sets.join(" "),
            mark,
            sentences: vec![sentence.to_owned()],
            state: Vec::new(),
        });
        steps
    }
}

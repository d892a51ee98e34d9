//! An engine made by hand.

mod around;
mod bad;
mod compared;
mod example;
pub mod places;
mod races;
mod stack;
mod structured;
pub mod symmetric;

use std::sync::Arc;

pub use races::races;

use crate::animate::checker::{CheckRunner, Runners};
use crate::animate::model::*;
use crate::animate::neighbourhood;
use crate::animate::worker::EngineFactory;
use crate::report::parted::PartedText;
use crate::symmetry::trace::*;
use bad::bad_view;
use compared::compared;
use example::{example_explanation, example_view};
use stack::{stack_explanation, stack_view};
use structured::{part, structured};

/// Checks and races made by hand.
pub fn checks() -> Runners {
    Runners {
        check: bad::checks(),
        race: races(),
    }
}

pub const NODES: [&str; 6] = ["N0", "N1", "N2", "N3", "N4", "N5"];

fn not_recorded() -> ErrorText {
    ErrorText::new(
        "not recorded in the example",
        "Not recorded in the example.",
    )
}

/// An event as written by hand.
pub fn event(text: &str) -> PartedText {
    let mut parts = text.split('.');
    PartedText::event(parts.next().unwrap_or(""), &parts.collect::<Vec<_>>())
}

/// A local state as written by hand.
pub fn local(text: &str) -> PartedText {
    match text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        Some((name, values)) => PartedText::local(name, &values.split(", ").collect::<Vec<_>>()),
        None => text.into(),
    }
}

/// A component as written by hand.
pub fn label(text: &str) -> PartedText {
    match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((family, index)) => PartedText::label(family, index),
        None => text.into(),
    }
}

fn component(family: &str, index: &str, text: &str) -> ComponentView {
    let state = local(text);
    let args = state.items();
    ComponentView {
        family: family.to_string(),
        index: index.to_string(),
        name: state.head().to_string(),
        args: args.map(|a| ("x".to_string(), a.to_string())).collect(),
        text: text.to_string(),
    }
}

fn transition(
    kind: EventKind,
    name: &str,
    target: u32,
    orbit: u32,
    before: &[PartedText],
    changes: &[(usize, &str)],
) -> TransitionView {
    let mover = |(at, after): &(usize, &str)| (*at, before[*at].clone(), local(after));
    TransitionView {
        kind,
        event: event(name),
        target: StateId::new(0, target),
        orbit: StateId::new(0, orbit),
        movers: changes.iter().map(mover).collect(),
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(a, b)| (a.to_string(), b.to_string()))
        .collect()
}

fn permutation(name: &str, cycles: &str, map: &[(&str, &str)]) -> TypePermutation {
    TypePermutation {
        name: name.to_string(),
        cycles: cycles.to_string(),
        map: pairs(map),
    }
}

fn variables(kinds: &[(&str, usize, &str, bool)]) -> Vec<Variable> {
    let variable = |(name, kind, value, identity): &(&str, usize, &str, bool)| Variable {
        name: (*name).to_string(),
        kind: *kind,
        value: (*value).to_string(),
        identity: *identity,
        group: 0,
    };
    // Simple variables: each is a group of its own.
    let numbered = kinds.iter().map(variable).enumerate();
    numbered.map(|(group, v)| Variable { group, ..v }).collect()
}

fn type_order(name: &str, values: &[&str], seen: usize) -> TypeOrder {
    TypeOrder {
        name: name.to_string(),
        values: values.iter().map(|v| v.to_string()).collect(),
        seen,
        places: Vec::new(),
    }
}

/// What the variables hold, where the values of a count are asked for.
fn held(variables: &[Vec<Variable>]) -> Vec<Vec<String>> {
    let values = |vars: &Vec<Variable>| vars.iter().map(|v| v.value.clone()).collect();
    variables.iter().map(values).collect()
}

/// Step 3 of a computation: each pick splits the block that the last one left.
fn picks(partition: &BlockList, picks: &[usize]) -> Vec<Step> {
    let mut before = partition.clone();
    let mut steps = Vec::new();
    for picked in picks {
        let block = before.iter().position(|b| b.contains(picked)).unwrap();
        let rest: Vec<_> = before[block]
            .iter()
            .copied()
            .filter(|m| m != picked)
            .collect();
        let mut after = before.clone();
        // The one that was picked comes first, and the rest stays one block (Def. 36, step 3).
        after.splice(block..=block, [vec![*picked], rest]);
        steps.push(Step::Choice {
            block,
            picked: *picked,
            fully_symmetric: true,
            before,
            after: after.clone(),
        });
        before = after;
    }
    steps
}

fn info() -> ScriptInfo {
    let assertion = |number: usize, text: &str| AssertionInfo {
        number,
        text: text.to_string(),
        symmetry: true,
        place: format!("liststack.csp:{}:1", 70 + number),
    };
    let kind = |name: &str, members: &[&str], excluded: &[(&str, &str)]| TypeInfo {
        is_met: true,
        name: name.to_string(),
        members: members.iter().map(|m| m.to_string()).collect(),
        excluded: pairs(excluded),
    };
    ScriptInfo {
        path: "liststack.csp".to_string(),
        processes: ["System", "BadSystem", "Nodes"].map(String::from).to_vec(),
        assertions: vec![
            assertion(1, "Spec(<>) [T= System :[symmetry reduce]"),
            assertion(2, "System :[deadlock free] :[symmetry reduce]"),
            assertion(3, "Spec(<>) [T= BadSystem :[symmetry reduce]"),
        ],
        types: vec![
            kind("NodeID", &NODES, &[("Null", "named at liststack.csp:8:3")]),
            kind("ThreadID", &["T0", "T1", "T2"], &[]),
            kind("Data", &["A", "B", "C", "D"], &[]),
        ],
        diagnostics: Vec::new(),
        trace: Vec::new(),
        inputs: Vec::new(),
        listing: places::listing(),
    }
}

/// What all of its processes are reduced by.
fn summary() -> SymmetrySummary {
    SymmetrySummary {
        copies: Vec::new(),
        types: vec![
            ("NodeID".to_string(), 6),
            ("ThreadID".to_string(), 3),
            ("Data".to_string(), 4),
        ],
        structure: None,
        group_order: 103_680u32.into(),
        strategy: "walk".to_string(),
        exact_for: "",
    }
}

fn reduction() -> Arc<ReductionView> {
    Arc::new(ReductionView {
        used: Some(summary()),
        plan: PlanView::default(),
        types: info().types,
    })
}

pub struct Fake(ScriptInfo);

impl Engine for Fake {
    fn info(&self) -> &ScriptInfo {
        &self.0
    }

    fn open(&mut self, process: &str) -> Result<StateId, ErrorText> {
        match process {
            // States by number: 0 to 14 the list stack and 100 to 150 and 300 what follows, 400 to
            // 408 the run of the counterexample, 500 the example of the paper.
            "System" => Ok(StateId::new(0, 0)),
            "BadSystem" => Ok(StateId::new(0, 400)),
            "Nodes" => Ok(StateId::new(0, 500)),
            "PANIC" => panic!("the engine is broken"),
            _ => Err(ErrorText::new(
                format!("1:1: {process} is not defined"),
                format!("error[E0201]: {process} is not defined\n --> expression:1:1"),
            )),
        }
    }

    fn view(&mut self, state: StateId) -> Result<StateView, ErrorText> {
        match state.number {
            400..=408 => Ok(bad_view(state.number)),
            500 => Ok(example_view()),
            id => stack_view(id),
        }
    }

    fn explain(&mut self, state: StateId, order: TypeOrdering) -> Result<Explanation, ErrorText> {
        match state.number {
            // The states on the way have representatives, but no explanations: that has to be
            // shown, too.
            11 | 13 | 14 | 100..=149 => Ok(stack_explanation(order)),
            500 => Ok(example_explanation(order)),
            _ => Err(not_recorded()),
        }
    }

    fn strategy(&mut self, _: StateId, _: StrategyKind) -> Result<StrategyView, ErrorText> {
        Err(not_recorded())
    }

    fn compare(&mut self, a: StateId, b: StateId) -> Result<StateComparison, ErrorText> {
        compared(a, b)
    }

    fn neighbourhood(&mut self, asked: &NeighbourhoodRequest) -> Result<Neighbourhood, ErrorText> {
        neighbourhood::around(&mut around::ByViews(self), asked)
    }

    fn members(&mut self, state: StateId) -> Result<OrbitMembers, ErrorText> {
        around::members(self, state)
    }

    fn picture(&mut self, _: &PictureRequest) -> Result<PictureText, ErrorText> {
        Ok(PictureText {
            text: "digraph {}\n".to_string(),
            vertices: 31,
            is_whole: true,
        })
    }

    fn structure(&mut self, state: StateId) -> Result<StructureView, ErrorText> {
        let view = self.view(state)?;
        Ok(structured(&view))
    }

    fn part(&mut self, state: StateId, node: usize) -> Result<PartView, ErrorText> {
        let view = self.structure(state)?;
        Ok(part(&view, node))
    }

    fn symmetry_of(&mut self, _: StateId) -> Result<ProcessSymmetry, ErrorText> {
        Ok(symmetric::symmetry(&stack_view(0)?))
    }

    fn image(&mut self, of: StateId, by: usize, power: u64) -> Result<StateImage, ErrorText> {
        symmetric::image(&self.view(of)?, by, power)
    }

    fn places(
        &mut self,
        state: StateId,
        transition: Option<&TransitionView>,
    ) -> Result<PlacesView, ErrorText> {
        Ok(places::places(&self.view(state)?, transition))
    }

    fn rename(&mut self, state: StateId, _: &GivenCycles) -> Result<StateId, ErrorText> {
        // The fourteenth state has an image that is known, too.
        match state.number {
            14 => Ok(StateId::new(0, 13)),
            _ => Err(not_recorded()),
        }
    }

    fn find(
        &mut self,
        state: StateId,
        start: FindStart,
        condition: &str,
    ) -> Result<FoundView, ErrorText> {
        let from = match start {
            FindStart::Here => state,
            FindStart::Beginning => StateId::new(state.network, 0),
        };
        structured::found(&self.view(from)?, condition)
    }

    fn holds(&mut self, state: StateId, condition: &str) -> Result<bool, ErrorText> {
        Ok(self
            .view(state)?
            .transitions
            .iter()
            .any(|t| condition == format!("can {}", t.event)))
    }

    fn planned(&mut self, _: usize, _: Option<bool>) -> Result<PlannedView, ErrorText> {
        let sizes = self.0.types.iter();
        Ok(PlannedView {
            types: sizes.map(|t| (t.name.clone(), t.members.len())).collect(),
            basis: Basis::Verified,
            all: self.0.types.clone(),
        })
    }

    fn replay(&mut self, path: &Counterexample) -> Result<Vec<StateId>, ErrorText> {
        // Whatever the steps are: the states of the one counterexample.
        Ok((400..=400 + path.steps.len() as u32)
            .map(|n| StateId::new(0, n))
            .collect())
    }
}

pub fn engine() -> EngineFactory {
    Box::new(|_| Ok(Box::new(Fake(info()))))
}

pub fn broken_script() -> EngineFactory {
    Box::new(|_| {
        Err(LoadFailure::from(vec![ErrorText::new(
            "liststack.csp:2:11: expected a process",
            "error[E0101]: expected a process\n  --> liststack.csp:2:11\n   |\n 2 |   [] c -> \
                     [] STOP\n   |           ^ here",
        )]))
    })
}

/// A script that cannot be used, with its text.
pub fn unsound_script() -> EngineFactory {
    Box::new(|_| {
        Err(LoadFailure {
            listing: places::listed("unsound.csp", places::BROKEN),
            errors: vec![ErrorText::new(
                "unsound.csp:3:3: expected a process",
                "error[E0101]: expected a process",
            )],
        })
    })
}

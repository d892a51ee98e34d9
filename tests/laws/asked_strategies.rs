//! What is said of the representative that a strategy chooses, held to the states of its orbit: whether all of them get
//! it, the state that is named as getting another one, and the representatives beside which two states are compared.

use std::collections::BTreeMap;

use orbitscope::animate::comparison::RelationView;
use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{
    AskedStrategy, ComponentView, KeepingKind, RepView, StateId, StrategyRecord, UniquenessView,
};
use proptest::prelude::*;

use crate::random_scripts::{Dice, generate};
use crate::support::{repository, script, tiers};

/// Steps of a walk at most.
const STEPS: usize = 5;
/// Larger orbits are passed over.
const ORBIT_MAX: usize = 48;

fn texts(components: &[ComponentView]) -> Vec<String> {
    let text = |c: &ComponentView| format!("{} {}", c.label(), c.text);
    components.iter().map(text).collect()
}

/// The representative of a state by a strategy, and its record; none if the strategy does not apply.
fn explained(
    engine: &mut ScriptEngine,
    state: StateId,
    by: AskedStrategy,
) -> Option<(RepView, Option<StrategyRecord>)> {
    let (view, record, _) = engine.explained(state, by).ok()?;
    Some((view.representative?, record))
}

/// How often each kind of claim was met.
type Claims = BTreeMap<&'static str, usize>;

/// Holds what a strategy says of a state to all states of its orbit.
fn held_to_orbit(engine: &mut ScriptEngine, state: StateId, by: AskedStrategy, seen: &mut Claims) {
    let Ok(orbit) = engine.members(state) else {
        return;
    };
    if orbit.is_cut || orbit.members.len() > ORBIT_MAX {
        return;
    }
    let Some((rep, record)) = explained(engine, state, by) else {
        return;
    };
    let name = by.name().expect("a name");
    assert_eq!(rep.strategy, name);
    // Beside more symmetry of the structure, values alone have other orbits than those that views show.
    let usual = explained(engine, state, AskedStrategy::Usual);
    if usual.is_none_or(|(usual, _)| usual.is_of_structure() != rep.is_of_structure()) {
        return;
    }
    assert_eq!(
        rep.orbit.as_ref(),
        Some(&orbit.members.len().into()),
        "{name}"
    );
    match (&record, by) {
        (Some(StrategyRecord::Other(told)), AskedStrategy::Values(_)) => {
            assert_eq!(told.representative, rep);
            assert!(!told.steps.is_empty());
        }
        (Some(StrategyRecord::Ordering(told)), AskedStrategy::Values(_)) => {
            assert_eq!(name, "ordering");
            assert_eq!(told.representative.components, rep.components);
        }
        (None, AskedStrategy::Structure(_)) => {}
        (record, by) => panic!("{by:?}: {record:?}"),
    }
    let mut all = BTreeMap::new();
    let own = texts(&rep.components);
    for (n, member) in orbit.members.iter().enumerate() {
        let (other, _) = explained(engine, member.state, by).expect("it applies to the orbit");
        all.insert(texts(&member.components), texts(&other.components));
        if !tiers::takes_one_in(8, n) {
            continue;
        }
        let found = engine.compare(state, member.state, by).expect("compared");
        assert_eq!(found.strategy.name(), Some(name));
        assert_eq!(texts(&found.a.representative), own);
        assert_eq!(texts(&found.b.representative), texts(&other.components));
        let is_one = matches!(
            found.relation,
            RelationView::Same | RelationView::SameOrbit(_)
        );
        assert!(is_one, "{name}: {:?}", found.relation);
        let is_fault = found.parting.as_ref().is_some_and(|p| p.is_fault());
        assert!(!is_fault, "{name}: {:?}", found.parting);
    }
    assert!(
        all.contains_key(&own),
        "{name}: {own:?} is not of the orbit"
    );
    let is_one = all.values().all(|other| *other == own);
    *seen.entry(rep.uniqueness.word()).or_default() += 1;
    match &rep.uniqueness {
        UniquenessView::Proved(_) | UniquenessView::AllPicksAgree(_) => {
            assert!(is_one, "{name}: {:?} of {own:?}", rep.uniqueness);
        }
        UniquenessView::StatesDisagree(other) => {
            let witness = all.get(&texts(&other.witness)).expect("of the orbit");
            assert_eq!(*witness, texts(&other.representative), "{name}");
            assert_ne!(*witness, own, "{name}");
        }
        UniquenessView::PicksDisagree(found) => {
            let witness = all.get(&texts(&found.other.witness)).expect("of the orbit");
            assert_eq!(*witness, texts(&found.other.representative), "{name}");
        }
        UniquenessView::Unknown(_) => {}
    }
}

/// Every strategy on the states of a walk.
fn every_strategy(
    engine: &mut ScriptEngine,
    process: &str,
    dice: &mut Dice<'_>,
    seen: &mut Claims,
) {
    let Ok(mut state) = engine.open(process) else {
        return;
    };
    for _ in 0..STEPS {
        let Ok(view) = engine.view(state) else {
            return;
        };
        for by_structure in [false, true] {
            for by in AskedStrategy::shown(by_structure) {
                held_to_orbit(engine, state, by, seen);
            }
        }
        if view.transitions.is_empty() {
            return;
        }
        state = view.transitions[dice.below(view.transitions.len())].target;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: tiers::cases(64), ..ProptestConfig::default() })]

    #[test]
    fn claims_of_strategies_hold_for_their_orbits(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        steps in prop::collection::vec(any::<u8>(), STEPS),
    ) {
        let path = script("asked_strategies.csp", generate(&bytes));
        let mut engine = ScriptEngine::load(path).expect("a script");
        every_strategy(&mut engine, "Whole", &mut Dice(steps.iter()), &mut Claims::new());
    }
}

/// Every kind of claim is met in the models, and so are strategies for groups in the structure.
#[test]
fn every_claim_is_met() {
    let mut seen = Claims::new();
    for (model, process) in [
        ("models/ring.csp", "Ring"),
        ("models/example37.csp", ""),
        ("tests/data/symmetry/cells.csp", "Ring"),
    ] {
        let mut engine = ScriptEngine::load(repository(model)).expect("a model");
        for way in [[0; STEPS], [5; STEPS]] {
            every_strategy(&mut engine, process, &mut Dice(way.iter()), &mut seen);
        }
    }
    for word in ["proved", "states-disagree"] {
        assert!(seen.contains_key(word), "{word}: {seen:?}");
    }
}

/// Ways to remember states choose no representative, and say so.
#[test]
fn ways_to_remember_states_cannot_be_asked() {
    let all = KeepingKind::all().chain(KeepingKind::structural());
    let refused = all.filter_map(|kind| AskedStrategy::try_from(kind).err().zip(Some(kind)));
    let refused: Vec<(String, KeepingKind)> = refused.collect();
    assert_eq!(refused.len(), 4);
    for (why, kind) in refused {
        assert!(
            why.starts_with(&format!("`{}` is a way to remember states", kind.name())),
            "{why}"
        );
        assert!(why.contains("exact") && why.contains("enumerate"), "{why}");
    }
}

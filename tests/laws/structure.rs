//! Who is ready for what, and who waits for whom: held to the definition, which is written here once more for
//! small random networks, and to what the animator does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use orbitscope::animate::engine::ScriptEngine;
use orbitscope::animate::model::{EventKind, StateId, StructureView};
use orbitscope::animate::structure::{Fate, Standing};
use proptest::prelude::*;

use crate::support::{repository, script, tiers};

const EVENTS: [&str; 4] = ["a", "b", "c", "d"];
/// Local states of each component.
const LOCALS: usize = 3;

/// A component: of each local state, events and where they lead.
type Table = Vec<Vec<(usize, usize)>>;

/// Operators above components, which are numbered from left to right.
#[derive(Clone, Debug)]
enum Net {
    Leaf(Table),
    Interleave(Box<Net>, Box<Net>),
    Sharing(Vec<usize>, Box<Net>, Box<Net>),
    Alphabets(Vec<usize>, Box<Net>, Vec<usize>, Box<Net>),
    Hide(Vec<usize>, Box<Net>),
    Rename(usize, usize, Box<Net>),
}

fn nets() -> impl Strategy<Value = Net> {
    let state = proptest::collection::vec((0..EVENTS.len(), 0..LOCALS), 0..3);
    let leaf = proptest::collection::vec(state, LOCALS).prop_map(Net::Leaf);
    let set = || proptest::collection::vec(0..EVENTS.len(), 0..4);
    leaf.prop_recursive(4, 8, 2, move |inner| {
        let boxed = move || inner.clone().prop_map(Box::new);
        prop_oneof![
            1 => (boxed(), boxed()).prop_map(|(p, q)| Net::Interleave(p, q)),
            4 => (set(), boxed(), boxed()).prop_map(|(a, p, q)| Net::Sharing(a, p, q)),
            2 => (set(), boxed(), set(), boxed())
                .prop_map(|(a, p, b, q)| Net::Alphabets(a, p, b, q)),
            1 => (set(), boxed()).prop_map(|(a, p)| Net::Hide(a, p)),
            1 => (0..EVENTS.len(), 0..EVENTS.len(), boxed())
                .prop_map(|(a, b, p)| Net::Rename(a, b, p)),
        ]
    })
}

/// What a rule makes of events of components: the event of the whole, or none if it is hidden.
type Rule = (Option<usize>, Vec<(usize, usize)>);

impl Net {
    fn write(&self, tables: &mut Vec<Table>) -> String {
        let set = |events: &[usize]| {
            let names: Vec<&str> = events.iter().map(|e| EVENTS[*e]).collect();
            format!("{{{}}}", names.join(", "))
        };
        match self {
            Self::Leaf(table) => {
                tables.push(table.clone());
                format!("Comp{}x(0)", tables.len() - 1)
            }
            Self::Interleave(p, q) => {
                let p = p.write(tables);
                format!("({p} ||| {})", q.write(tables))
            }
            Self::Sharing(a, p, q) => {
                let p = p.write(tables);
                format!("({p} [|{}|] {})", set(a), q.write(tables))
            }
            Self::Alphabets(a, p, b, q) => {
                let p = p.write(tables);
                format!("({p} [{}||{}] {})", set(a), set(b), q.write(tables))
            }
            Self::Hide(a, p) => format!("({} \\ {})", p.write(tables), set(a)),
            Self::Rename(a, b, p) => {
                format!("({}[[{} <- {}]])", p.write(tables), EVENTS[*a], EVENTS[*b])
            }
        }
    }

    /// All rules, by the definitions of the operators, if every component may perform what it performs in
    /// some local state that it can reach.
    fn rules(&self, next: &mut usize) -> Vec<Rule> {
        match self {
            Self::Leaf(table) => {
                *next += 1;
                let events = reachable(table, 0)
                    .into_iter()
                    .flat_map(|s| table[s].clone());
                let events: BTreeSet<usize> = events.map(|t| t.0).collect();
                let rule = |e| (Some(e), vec![(*next - 1, e)]);
                events.into_iter().map(rule).collect()
            }
            Self::Interleave(p, q) => {
                let mut rules = p.rules(next);
                rules.extend(q.rules(next));
                rules
            }
            Self::Sharing(a, p, q) => {
                let (p, q) = (p.rules(next), q.rules(next));
                let shared = |e: &Option<usize>| e.is_some_and(|e| a.contains(&e));
                joined(&p, &q, |_, e| !shared(e), shared)
            }
            Self::Alphabets(a, p, b, q) => {
                let (p, q) = (p.rules(next), q.rules(next));
                let has = |set: &[usize], e: &Option<usize>| e.is_some_and(|e| set.contains(&e));
                let alone = |left: bool, e: &Option<usize>| match (e, left) {
                    (None, _) => true,
                    (_, true) => has(a, e) && !has(b, e),
                    (_, false) => has(b, e) && !has(a, e),
                };
                joined(&p, &q, alone, |e| has(a, e) && has(b, e))
            }
            Self::Hide(a, p) => {
                let hidden = |(e, parts): Rule| (e.filter(|e| !a.contains(e)), parts);
                p.rules(next).into_iter().map(hidden).collect()
            }
            Self::Rename(a, b, p) => {
                let renamed = |(e, parts): Rule| (e.map(|e| if e == *a { *b } else { e }), parts);
                p.rules(next).into_iter().map(renamed).collect()
            }
        }
    }
}

fn joined(
    left: &[Rule],
    right: &[Rule],
    alone: impl Fn(bool, &Option<usize>) -> bool,
    together: impl Fn(&Option<usize>) -> bool,
) -> Vec<Rule> {
    let mut rules: Vec<Rule> = left.iter().filter(|r| alone(true, &r.0)).cloned().collect();
    rules.extend(right.iter().filter(|r| alone(false, &r.0)).cloned());
    for (e, parts) in left.iter().filter(|r| together(&r.0)) {
        for (_, others) in right.iter().filter(|r| r.0 == *e) {
            rules.push((*e, parts.iter().chain(others).copied().collect()));
        }
    }
    rules
}

fn reachable(table: &Table, from: usize) -> BTreeSet<usize> {
    let (mut met, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(state) = open.pop() {
        for (_, to) in &table[state] {
            if met.insert(*to) {
                open.push(*to);
            }
        }
    }
    met
}

fn text(tables: &[Table], system: &str) -> String {
    let mut text = format!("channel {}\n", EVENTS.join(", "));
    for (n, table) in tables.iter().enumerate() {
        for (state, steps) in table.iter().enumerate() {
            let steps = steps.iter();
            let steps = steps.map(|(e, to)| format!("{} -> Comp{n}x({to})", EVENTS[*e]));
            let steps: Vec<String> = steps.collect();
            let body = if steps.is_empty() {
                "STOP".to_owned()
            } else {
                steps.join(" [] ")
            };
            text += &format!("Comp{n}x({state}) = {body}\n");
        }
    }
    text + &format!("System = {system}\n")
}

/// What each component, by its number, is ready for, by the definition: possible or not, and who is missing.
type Expected = BTreeMap<(usize, usize), (bool, BTreeSet<usize>)>;

fn expected(tables: &[Table], rules: &[Rule], locals: &[usize]) -> Expected {
    let ready = |c: usize, e: usize| tables[c][locals[c]].iter().any(|t| t.0 == e);
    let mut found = Expected::new();
    for (component, table) in tables.iter().enumerate() {
        for (event, _) in &table[locals[component]] {
            let own: Vec<&Rule> = rules
                .iter()
                .filter(|r| r.1.contains(&(component, *event)))
                .collect();
            let possible = own.iter().any(|r| r.1.iter().all(|(c, e)| ready(*c, *e)));
            let missing = own
                .iter()
                .flat_map(|r| &r.1)
                .filter(|(c, e)| !ready(*c, *e));
            let missing = match possible {
                true => BTreeSet::new(),
                false => missing.map(|p| p.0).collect(),
            };
            found.insert((component, *event), (possible, missing));
        }
    }
    found
}

fn number(label: &str) -> usize {
    let digits = label.trim_start_matches("Comp").split('x').next();
    digits.and_then(|d| d.parse().ok()).expect(label)
}

fn told(view: &StructureView) -> Expected {
    let mut found = Expected::new();
    for component in &view.components {
        for offer in &component.offers {
            for event in &offer.events.pieces {
                let event = EVENTS.iter().position(|e| e == event).expect(event);
                let missing = offer.missing.iter();
                let missing = missing.map(|c| number(&view.components[*c].label));
                let missing = match offer.fate {
                    // In no rule: who is to blame is told beyond the definition.
                    Fate::Never => BTreeSet::new(),
                    _ => missing.collect(),
                };
                let key = (number(&component.label), event);
                found.insert(key, (offer.fate == Fate::Possible, missing));
            }
        }
    }
    found
}

/// What holds in every state of every process without operators that end: `moves` tells who moves later.
fn consistent(view: &StructureView, engine: &mut ScriptEngine, state: StateId) {
    let seen = engine.view(state).expect("it can be shown");
    assert_eq!(
        (view.is_deadlock, view.is_terminated),
        (seen.deadlocked, seen.terminated)
    );
    let movers: BTreeSet<usize> = seen
        .transitions
        .iter()
        .flat_map(|t| t.movers.iter().map(|m| m.0))
        .collect();
    let silent = seen
        .transitions
        .iter()
        .any(|t| t.kind != EventKind::Visible);
    assert_eq!(view.is_stable, !silent);
    for (n, component) in view.components.iter().enumerate() {
        // Where all terminate together, each of them moves.
        if component.standing != Standing::Terminated {
            assert_eq!(
                component.standing == Standing::Free,
                movers.contains(&n),
                "{}",
                component.label
            );
        }
    }
    for wait in &view.waits {
        assert!(view.components[wait.from].standing.waits() && !movers.contains(&wait.from));
    }
    for cycle in &view.cycles {
        for (n, (from, _)) in cycle.steps.iter().enumerate() {
            let to = cycle.steps[(n + 1) % cycle.steps.len()].0;
            assert!(view.waits.iter().any(|w| (w.from, w.to) == (*from, to)));
        }
    }
    // In a deadlock whoever waits for somebody waits in a cycle, or in the end for somebody who has stopped.
    if view.is_deadlock {
        let stuck = view.components.iter().any(|c| c.standing.waits());
        let ended = |c: &orbitscope::animate::structure::StandingView| {
            !c.standing.waits() || c.offers.iter().any(|o| o.fate == Fate::Never)
        };
        assert!(!stuck || !view.cycles.is_empty() || view.components.iter().any(ended));
    }
}

/// All states that can be reached, up to so many, with who moves in them.
fn explored(engine: &mut ScriptEngine, from: StateId, most: usize) -> Option<BTreeSet<usize>> {
    let (mut met, mut movers) = (vec![from], BTreeSet::new());
    let mut at = 0;
    while at < met.len() {
        let view = engine.view(met[at]).expect("it can be shown");
        for step in view.transitions {
            movers.extend(step.movers.iter().map(|m| m.0));
            if !met.contains(&step.target) {
                met.push(step.target);
            }
        }
        at += 1;
        if met.len() > most {
            return None;
        }
    }
    Some(movers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(300)))]

    /// An event is possible if and only if all its participants are ready; otherwise those who are not are
    /// whom it is waited for. Who waits in vain never moves again.
    #[test]
    fn who_is_ready_and_who_is_missing_is_as_defined(
        net in nets(),
        walk in proptest::collection::vec(0usize..8, 0..6),
    ) {
        let mut tables = Vec::new();
        let system = net.write(&mut tables);
        let path = script("structure_random.csp", text(&tables, &system));
        let rules = net.rules(&mut 0);
        let mut engine = ScriptEngine::load(path).expect("it is sound");
        let mut state = engine.open("System").expect("it can be opened");
        for draw in walk.into_iter().map(Some).chain([None]) {
            let view = engine.structure(state).expect("it can be told");
            let mut locals = vec![0; tables.len()];
            let mut known = true;
            for component in &view.components {
                let digits = component.state.trim_end_matches(')').rsplit('(').next();
                match digits.and_then(|d| d.parse().ok()) {
                    Some(local) => locals[number(&component.label)] = local,
                    // It is shown as what it is defined as, such as STOP.
                    None => known = false,
                }
            }
            if known {
                prop_assert_eq!(told(&view), expected(&tables, &rules, &locals), "{}", system);
            }
            consistent(&view, &mut engine, state);
            let vain: Vec<usize> = (0..view.components.len())
                .filter(|c| view.components[*c].standing == Standing::Hopeless)
                .collect();
            if !vain.is_empty() && let Some(movers) = explored(&mut engine, state, 60) {
                prop_assert!(vain.iter().all(|c| !movers.contains(c)), "{}", system);
            }
            let seen = engine.view(state).expect("it can be shown");
            let (Some(draw), false) = (draw, seen.transitions.is_empty()) else { break };
            state = seen.transitions[draw % seen.transitions.len()].target;
        }
    }
}

#[test]
fn shipped_models_agree_with_the_animator() {
    for entry in std::fs::read_dir(repository("models")).expect("models") {
        let path = entry.expect("a model").path();
        let mut engine = ScriptEngine::load(path.clone()).expect("it is sound");
        for process in engine.info().processes.clone() {
            let Ok(mut state) = engine.open(&process) else {
                continue;
            };
            for draw in 0..6_usize {
                let Ok(view) = engine.structure(state) else {
                    break;
                };
                let seen = engine.view(state).expect("it can be shown");
                // Priority, operators that end: what the animator does is all that there is to compare with.
                consistent(&view, &mut engine, state);
                if seen.transitions.is_empty() {
                    break;
                }
                state = seen.transitions[(draw * 7) % seen.transitions.len()].target;
            }
        }
    }
}

#[track_caller]
fn structure_of(path: &Path, process: &str, steps: &[&str]) -> StructureView {
    let mut engine = ScriptEngine::load(path.to_path_buf()).expect("it is sound");
    let mut state = engine.open(process).expect("it can be opened");
    for event in steps {
        let view = engine.view(state).expect("it can be shown");
        let step = view.transitions.iter().find(|t| t.event == *event);
        state = step.unwrap_or_else(|| panic!("no {event}")).target;
    }
    engine.structure(state).expect("it can be told")
}

const TABLE: &str = "
N = 3
channel getfork, putfork : {0..N-1}.{0..N-1}
Phil(i) = getfork.i.i -> getfork.i.((i+1)%N) -> putfork.i.((i+1)%N) -> putfork.i.i -> Phil(i)
Fork(f) = getfork?i!f -> putfork.i.f -> Fork(f)
Phils = ||| i : {0..N-1} @ Phil(i)
Forks = ||| f : {0..N-1} @ Fork(f)
System = Phils [| {|getfork, putfork|} |] Forks
";

/// A single event is no set, whatever commas its fields have.
#[test]
fn a_cycle_names_events_with_tuples() {
    let path = script(
        "structure_tuples.csp",
        "channel a, b : (Int, Int)\nP = a.(0, 1) -> b.(0, 1) -> P\nQ = b.(0, 1) -> a.(0, 1) -> Q\n\
         System = P [| {a.(0, 1), b.(0, 1)} |] Q\n",
    );
    let view = structure_of(&path, "System", &[]);
    let text = view.cycle_text(&view.cycles[0]);
    assert_eq!(
        text,
        "P waits for Q (a.(0, 1)), which waits for P (b.(0, 1))."
    );
}

#[test]
fn the_cycle_of_the_philosophers_is_named() {
    let path = script("structure_table.csp", TABLE);
    let steps = ["getfork.0.0", "getfork.1.1", "getfork.2.2"];
    let view = structure_of(&path, "System", &steps);
    assert!(view.is_deadlock && view.is_stable);
    assert!(
        view.components
            .iter()
            .all(|c| c.standing == Standing::Waiting)
    );
    assert_eq!(view.cycles.len(), 1);
    let text = view.cycle_text(&view.cycles[0]);
    assert_eq!(view.cycles[0].steps.len(), 6, "{text}");
    assert!(
        text.contains(
            "Phil[0] waits for Fork[1] (getfork.0.1), which waits for Phil[1] (putfork.1.1)"
        ),
        "{text}"
    );
}

#[test]
fn who_stopped_and_who_waits_in_vain_are_told_apart() {
    let path = script(
        "structure_vain.csp",
        "channel a, b, c, d
         Ends = a -> STOP
         Skips = a -> SKIP
         Vain = a -> b -> Vain
         Never = c -> Never
         Other = a -> b -> Other
         System = ((Ends [|{a, b}|] Vain) [|{a}|] Skips) ||| (Never [|{c}|] Other)",
    );
    let view = structure_of(&path, "System", &["a"]);
    let standing = |label: &str| {
        let found = view.components.iter().find(|c| c.label == label);
        let labels: Vec<&str> = view.components.iter().map(|c| &*c.label).collect();
        found.unwrap_or_else(|| panic!("{labels:?}")).standing
    };
    assert_eq!(standing("Ends"), Standing::Stopped);
    assert_eq!(standing("Vain"), Standing::Hopeless);
    assert_eq!(standing("Never"), Standing::Hopeless);
    assert_eq!(standing("Other"), Standing::Free);
    let never = view.components.iter().find(|c| c.label == "Never").unwrap();
    assert_eq!(never.offers[0].fate, Fate::Never);
    assert_eq!(view.components[never.offers[0].missing[0]].label, "Other");
}

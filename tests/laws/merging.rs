//! Merged local states against the definition: they are bisimilar when events count as one that take
//! part in the same rules, and merging agrees with permutations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::support::{check, counts, length, options, replay, script, sound, unmerged, verdict};
use orbitscope::animate::model::{CheckOutcome, Ending, Verdict};
use orbitscope::check::{Check, Options, UnmergedStates};
use orbitscope::machine::bisimilar::Visible;
use orbitscope::machine::generators::generators;
use orbitscope::machine::{EventId, FormatId, LocalId, Machine, Miss, Network};
use orbitscope::source::Cancel;
use orbitscope::symmetry::StrategyKind;

/// The rest of a rule, as a participant sees it.
type Seen = BTreeSet<(EventId, Vec<(u16, EventId)>)>;

struct Subject {
    machine: Machine,
    network: Network,
}

impl Subject {
    fn new(path: &Path, number: usize) -> Self {
        let how: Options = options(None, StrategyKind::Walk, 1);
        let check = Check::prepare(&sound(path), number - 1, &how, &Cancel::default());
        let Check {
            machine, network, ..
        } = check.expect("it compiles");
        Self { machine, network }
    }

    /// What stands for a local state of a component.
    fn stands_for(&self, component: usize, local: LocalId) -> LocalId {
        let mut state = self.network.initial().to_vec();
        state[component] = local;
        self.network.first().merged().apply(&mut state);
        state[component]
    }

    /// In which rules each event of a component takes part.
    fn labels(&self, component: usize) -> BTreeMap<EventId, Seen> {
        let format = self.network.first();
        let alike = format.merged().visible == Visible::Alike;
        let mut labels: BTreeMap<EventId, Seen> = BTreeMap::new();
        for rule in format.rules().list() {
            let (own, others): (Vec<_>, Vec<_>) = rule
                .parts
                .iter()
                .partition(|p| usize::from(p.0) == component);
            let visible = ![EventId::TAU, EventId::TICK].contains(&rule.result);
            // Any visible event stands for all of them.
            let result = if alike && visible {
                EventId::DONE
            } else {
                rule.result
            };
            for (_, event) in own {
                labels
                    .entry(event)
                    .or_default()
                    .insert((result, others.clone()));
            }
        }
        labels
    }

    /// What a local state can do, up to labels and merged targets.
    fn offers(
        &self,
        component: usize,
        local: LocalId,
        labels: &BTreeMap<EventId, Seen>,
    ) -> BTreeSet<(Seen, LocalId)> {
        let transitions = self.machine.locals().transitions(local).expect("explored");
        let labelled = transitions.iter().filter_map(|(event, to)| {
            let label = labels.get(event)?;
            Some((label.clone(), self.stands_for(component, *to)))
        });
        labelled.collect()
    }

    /// Every merged state does what the one does that stands for it. How many are merged.
    fn is_a_bisimulation(&self) -> usize {
        let mut merged = 0;
        for (component, reach) in self.network.first().reach().iter().enumerate() {
            let labels = self.labels(component);
            for local in &reach.locals {
                let other = self.stands_for(component, *local);
                if other == *local {
                    continue;
                }
                merged += 1;
                assert_eq!(self.stands_for(component, other), other);
                assert_eq!(
                    self.offers(component, *local, &labels),
                    self.offers(component, other, &labels),
                );
            }
        }
        merged
    }

    fn permuted(&mut self, state: &[LocalId], image: &[orbitscope::value::Atom]) -> Vec<LocalId> {
        loop {
            let (machine, network) = (&self.machine, &self.network);
            let mut out = Vec::new();
            match network.permute(machine.locals(), FormatId(0), state, image, &mut out) {
                Ok(()) => return out,
                Err(miss) => {
                    let miss: Miss = miss;
                    let done = self.machine.resolve(&mut self.network, &miss);
                    done.expect("it evaluates");
                }
            }
        }
    }

    /// What stands for the image is the image of what stands for it.
    fn agrees_with_permutations(&mut self) {
        let reach: Vec<Vec<LocalId>> = self
            .network
            .first()
            .reach()
            .iter()
            .map(|r| r.locals.clone())
            .collect();
        for generator in generators(self.machine.atoms()) {
            for (component, locals) in reach.iter().enumerate() {
                for local in locals {
                    let mut state = self.network.initial().to_vec();
                    state[component] = *local;
                    let mut image = self.permuted(&state, &generator.image);
                    self.network.first().merged().apply(&mut image);
                    self.network.first().merged().apply(&mut state);
                    assert_eq!(image, self.permuted(&state, &generator.image));
                }
            }
        }
    }
}

/// Nodes that anybody may point at anything, which nobody reads.
const NODES: &str = "datatype N = Null | N0 | N1 | N2
Node = diff(N, {Null})
datatype T = T0 | T1
channel init : T.Node.N
channel next, point : T.Node.N
channel ask : T.Node
Free(me) = init?t!me?n -> Used(me, n)
Used(me, n) = next?t!me!n -> Used(me, n) [] point?t!me?p -> Pointing(me, n, p)
Pointing(me, n, p) = next?t!me!n -> Pointing(me, n, p) [] point.T0.me.p -> Pointing(me, n, p)
  [] ask?t!me -> Used(me, n)
User(t) = init.t?me?n -> next.t.me?m -> User(t)
Nodes = ||| n : Node @ Free(n)
Users = ||| t : T @ User(t)
System = Nodes [| {| init, next, ask |} |] Users
assert System :[deadlock free [F]]
assert STOP [T= System \\ Events
assert RUN({| init, next |}) [T= System \\ {| point |}
";

#[test]
fn merged_states_are_bisimilar_and_merging_agrees_with_permutations() {
    let path = script("merging_nodes.csp", NODES);
    for number in 1..=3 {
        let mut subject = Subject::new(&path, number);
        assert!(subject.is_a_bisimulation() > 0, "#{number}");
        subject.agrees_with_permutations();
    }
}

/// A component with all values in its label, which means nothing: none of its states may be preferred.
#[test]
fn labels_that_hold_all_values_prefer_none() {
    let text = "datatype S = S0 | S1 | S2
channel a : S
transparent sbisim
All = sbisim(||| s : S @ a.s -> STOP)
One(s) = a.s -> STOP
assert (All ||| STOP) :[deadlock free [F]]
assert ((All /\\ a?s -> One(s)) ||| STOP) :[deadlock free [F]]
";
    let path = script("merging_label.csp", text);
    for number in 1..=2 {
        let mut subject = Subject::new(&path, number);
        subject.is_a_bisimulation();
        subject.agrees_with_permutations();
    }
}

#[test]
fn so_are_those_of_the_models() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    for name in [
        "list_stack",
        "philosophers",
        "peterson",
        "database",
        "stack_aba",
        "lock_free_queue",
    ] {
        let mut subject = Subject::new(&models.join(format!("{name}.csp")), 1);
        subject.is_a_bisimulation();
        subject.agrees_with_permutations();
    }
}

#[test]
fn what_nobody_sees_makes_no_states() {
    let path = script("merging_less.csp", NODES);
    let loaded = sound(&path);
    for number in 1..=3 {
        for symmetry in [true, false] {
            let how = options(Some(symmetry), StrategyKind::Walk, 2);
            let (apart, merged) = (
                check(&loaded, number, &unmerged(how.clone())),
                check(&loaded, number, &how),
            );
            assert_eq!(verdict(&apart), verdict(&merged), "#{number}");
            assert_eq!(length(&apart), length(&merged), "#{number}");
            if verdict(&apart) == "pass" {
                assert!(2 * counts(&merged).0 <= counts(&apart).0, "#{number}");
            }
            if let Some(found) = &merged.counterexample {
                assert_eq!(replay(&path, found), Ok(()));
            }
        }
    }
}

/// `P` and `Q` are one state of the search, but a run that comes back comes back to `Q`.
#[test]
fn a_loop_is_entered_where_the_real_state_returns() {
    let text = "channel a, b
P = a -> Q
Q = b -> Q
assert (P \\ {a, b} ||| STOP) :[divergence free]
";
    let path = script("merging_loop.csp", text);
    let found = check(&sound(&path), 1, &options(None, StrategyKind::Walk, 1));
    assert_eq!(counts(&found).0, 1);
    let example = found.counterexample.expect("it diverges");
    assert_eq!(example.ending, Ending::Divergence { lap: 1, laps: 1 });
    assert_eq!((example.steps.len(), example.further.len()), (2, 0));
    assert_eq!(replay(&path, &example), Ok(()));
}

/// After ✓ nothing can happen, as in `STOP`; but only the one is a deadlock.
#[test]
fn the_end_is_no_deadlock() {
    let text = "channel a, b, c
P = (a -> P) [> (SKIP [] (a -> STOP))
Two = P[[a <- b, a <- c]]
assert P :[deadlock free [F]]
assert Two :[deadlock free [F]]
assert (SKIP [] a -> SKIP) :[deadlock free [F]]
";
    let path = script("merging_end.csp", text);
    let loaded = sound(&path);
    for (number, expected) in [(1, "fail"), (2, "fail"), (3, "pass")] {
        let found = check(&loaded, number, &options(None, StrategyKind::Walk, 1));
        assert_eq!(verdict(&found), expected, "#{number}");
        if let Some(example) = &found.counterexample {
            assert_eq!(replay(&path, example), Ok(()), "#{number}");
        }
    }
}

/// An event that priority waits for is told apart from others.
#[test]
fn what_waits_for_others_sees_names() {
    let text = "channel a, b, c
external prioritise
P = a -> P1
P1 = b -> P
assert STOP [T= prioritise((P ||| c -> STOP), <{a}, {c}>) \\ {a, b, c}
assert (prioritise(P ||| c -> STOP, <{a}, {c}>) \\ {a, b}) :[deadlock free [F]]
";
    let loaded = sound(&script("merging_priority.csp", text));
    for number in 1..=2 {
        let how = options(None, StrategyKind::Walk, 1);
        let (apart, merged) = (
            check(&loaded, number, &unmerged(how.clone())),
            check(&loaded, number, &how),
        );
        assert_eq!(verdict(&apart), verdict(&merged));
        assert_eq!(counts(&apart), counts(&merged));
    }
}

/// What a check says of the states before merging is what one that merges none has found.
pub fn told_before(merged: &CheckOutcome, apart: &CheckOutcome) -> Result<(), String> {
    let details = merged.details.as_ref();
    // Beside nodes that hold sets it depends on what is expanded how many pairs of an orbit are kept.
    if apart.verdict != Verdict::Holds || details.is_none_or(|d| d.nodes.is_some()) {
        return Ok(());
    }
    let found = counts(apart).0;
    match details.and_then(|d| d.unmerged_states) {
        Some(UnmergedStates::Exactly(said)) if said as u64 != found => {
            Err(format!("{said} states before merging, not {found}"))
        }
        Some(UnmergedStates::MoreThan(said)) if said as u64 >= found => Err(format!(
            "more than {said} states before merging, not {found}"
        )),
        _ => Ok(()),
    }
}

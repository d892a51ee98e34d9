//! Refinement and properties against their definitions: the traces, failures and divergences of random
//! small processes, compared trace by trace.

use crate::support::lts;
use crate::support::tiers;
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::support::lts::Lts;
use crate::support::processes::{MAY_TERMINATE, processes};
use crate::support::{check, length, options, replay, script, sound, verdict};
use orbitscope::check::Options;
use orbitscope::eval::Evaluator;
use orbitscope::process::term::Label;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

/// States of all three processes; what has more is not compared.
const STATES_MAX: usize = 1_500;

/// What is asserted of three processes, and what the definition of each says.
const ASSERTIONS: [(&str, Claim); 16] = [
    ("P [T= Q", Claim::Refines("P", "Q", Model::T)),
    ("P [F= Q", Claim::Refines("P", "Q", Model::F)),
    ("P [FD= Q", Claim::Refines("P", "Q", Model::FD)),
    ("P0 [T= P", Claim::Refines("P0", "P", Model::T)),
    ("P0 [F= P", Claim::Refines("P0", "P", Model::F)),
    ("P0 [FD= P", Claim::Refines("P0", "P", Model::FD)),
    ("P [F= P", Claim::Refines("P", "P", Model::F)),
    ("P [FD= P", Claim::Refines("P", "P", Model::FD)),
    ("P |~| Q [F= Q", Claim::Refines("PQ", "Q", Model::F)),
    ("P |~| Q [FD= Q", Claim::Refines("PQ", "Q", Model::FD)),
    ("P :[deadlock free [F]]", Claim::DeadlockFree(Model::F)),
    ("P :[deadlock free [FD]]", Claim::DeadlockFree(Model::FD)),
    ("P :[divergence free]", Claim::DivergenceFree),
    ("P :[deterministic [F]]", Claim::Deterministic(Model::F)),
    ("P :[deterministic [FD]]", Claim::Deterministic(Model::FD)),
    ("not P [F= R", Claim::Refines("P", "R", Model::F)),
];

#[derive(Clone, Copy, PartialEq)]
enum Model {
    T,
    F,
    FD,
}

#[derive(Clone, Copy)]
enum Claim {
    Refines(&'static str, &'static str, Model),
    DeadlockFree(Model),
    DivergenceFree,
    Deterministic(Model),
}

/// The states that a process may be in after a trace.
type After = BTreeSet<usize>;

/// The denotations of the processes, read off a transition system.
struct Denotations {
    lts: Lts,
    tick: Option<Label>,
}

impl Denotations {
    fn closed(&self, states: impl IntoIterator<Item = usize>) -> After {
        let mut all: After = states.into_iter().collect();
        let mut open: Vec<usize> = all.iter().copied().collect();
        while let Some(s) = open.pop() {
            for (label, to) in &self.lts.steps[s] {
                if *label == Label::Tau && all.insert(*to) {
                    open.push(*to);
                }
            }
        }
        all
    }

    /// The events that may come next, with where they lead.
    fn nexts(&self, after: &After) -> Vec<(Label, After)> {
        let steps = || after.iter().flat_map(|s| &self.lts.steps[*s]);
        let labels: BTreeSet<Label> = steps().map(|x| x.0).filter(|l| *l != Label::Tau).collect();
        let to = |label| self.closed(steps().filter(|x| x.0 == label).map(|x| x.1));
        labels.into_iter().map(|label| (label, to(label))).collect()
    }

    /// What a state accepts, if it has failures: a state that can terminate may refuse all else.
    fn acceptance(&self, s: usize) -> Option<BTreeSet<Label>> {
        let initials: BTreeSet<Label> = self.lts.steps[s].iter().map(|x| x.0).collect();
        if let Some(tick) = self.tick.filter(|tick| initials.contains(tick)) {
            return Some([tick].into());
        }
        (!initials.contains(&Label::Tau)).then_some(initials)
    }

    /// Whether some state can perform τ for ever: whether it can reach itself by τ.
    fn diverges(&self, after: &After) -> bool {
        after.iter().any(|s| {
            let taus = self.lts.steps[*s].iter().filter(|x| x.0 == Label::Tau);
            self.closed(taus.map(|x| x.1)).contains(s)
        })
    }

    /// Whether (t, X) is a failure for some X that contains all but a subset of what `acceptance`
    /// holds: one state refuses at least as much.
    fn may_refuse(&self, after: &After, acceptance: &BTreeSet<Label>) -> bool {
        let mut states = after.iter().filter_map(|s| self.acceptance(*s));
        states.any(|other| other.is_subset(acceptance))
    }

    fn refines(&self, spec: After, imp: After, model: Model) -> bool {
        let mut seen: BTreeSet<(After, After)> = BTreeSet::new();
        let mut open = vec![(spec, imp)];
        while let Some((p, q)) = open.pop() {
            if !seen.insert((p.clone(), q.clone())) || model == Model::FD && self.diverges(&p) {
                continue;
            }
            if model == Model::FD && self.diverges(&q) {
                return false;
            }
            let mut failures = q.iter().filter_map(|s| self.acceptance(*s));
            if model != Model::T && !failures.all(|accepted| self.may_refuse(&p, &accepted)) {
                return false;
            }
            let allowed = self.nexts(&p);
            for (label, next) in self.nexts(&q) {
                match allowed.iter().find(|x| x.0 == label) {
                    Some((_, p)) => open.push((p.clone(), next)),
                    None => return false,
                }
            }
        }
        true
    }

    /// All sets of states that some trace leads to.
    fn afters(&self, root: After) -> BTreeSet<After> {
        let mut seen = BTreeSet::new();
        let mut open = vec![root];
        while let Some(after) = open.pop() {
            if seen.insert(after.clone()) {
                // After ✓ there is nothing, which is neither deadlock nor nondeterminism.
                let goes_on = |x: &(Label, After)| Some(x.0) != self.tick;
                open.extend(self.nexts(&after).into_iter().filter(goes_on).map(|x| x.1));
            }
        }
        seen
    }

    fn holds(&self, claim: Claim, root: impl Fn(&str) -> After) -> bool {
        let afters = || self.afters(root("P"));
        let diverges = || afters().iter().any(|a| self.diverges(a));
        match claim {
            Claim::Refines(p, q, model) => self.refines(root(p), root(q), model),
            Claim::DivergenceFree => !diverges(),
            Claim::DeadlockFree(model) => {
                let stuck = |a: &After| a.iter().any(|s| self.lts.steps[*s].is_empty());
                !(afters().iter().any(stuck) || model == Model::FD && diverges())
            }
            Claim::Deterministic(model) => {
                let ambiguous = |after: &After| {
                    let nexts = self.nexts(after);
                    let mut accepted = after.iter().filter_map(|s| self.acceptance(*s));
                    accepted.any(|a| nexts.iter().any(|(label, _)| !a.contains(label)))
                };
                !(afters().iter().any(ambiguous) || model == Model::FD && diverges())
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tiers::cases(150)))]

    #[test]
    fn verdicts_are_those_of_the_definitions(definitions in processes(MAY_TERMINATE)) {
        let mut text = format!("channel a, b, c\n{definitions}PQ = P |~| Q\n");
        for (assertion, _) in ASSERTIONS {
            text += &format!("assert {assertion}\n");
        }
        let path = script("refinement.csp", &text);
        let loaded = sound(&path);
        let mut e = Evaluator::new(Rc::clone(&loaded.script), &Limits::default(), Cancel::default());
        let terms = ["P", "Q", "R", "P0", "PQ"].map(|n| e.process_named(n).expect("it evaluates"));
        let lts = lts::explore(&mut e, &terms, STATES_MAX).expect("it can be explored");
        prop_assume!(lts.complete);
        let labels = lts.steps.iter().flatten().map(|x| x.0);
        let tick = labels.clone().find(|l| *l == Label::Tick);
        let roots: Vec<usize> = terms
            .iter()
            .map(|t| lts.states.iter().position(|s| s == t).expect("a root is a state"))
            .collect();
        let all = Denotations { lts, tick };
        let root = |name: &str| {
            let at = ["P", "Q", "R", "P0", "PQ"].iter().position(|n| *n == name);
            all.closed([roots[at.expect("it is one of them")]])
        };
        for (at, (assertion, claim)) in ASSERTIONS.iter().enumerate() {
            let negated = assertion.starts_with("not ");
            let expected = if all.holds(*claim, root) == negated { "fail" } else { "pass" };
            for threads in [1, 2] {
                let how = options(None, StrategyKind::default(), threads);
                let outcome = check(&loaded, at + 1, &how);
                prop_assert_eq!(&*verdict(&outcome), expected, "{}\n{}", assertion, text);
                if let Some(found) = &outcome.counterexample {
                    prop_assert_eq!(replay(&path, found), Ok(()), "{}\n{}", assertion, text);
                }
            }
        }
    }
}

/// However many events a stable state offers, it has to offer an acceptance of the specification.
#[test]
fn states_with_many_events_are_held_to_acceptances() {
    for count in 1..=6 {
        let all: Vec<String> = (0..=count).map(|e| format!("e.{e} -> S")).collect();
        let offered: Vec<String> = (0..count).map(|e| format!("e.{e} -> P")).collect();
        let text = format!(
            "channel e : {{0..{count}}}\nS = {}\nP = {}\nassert S [T= P\nassert S [F= P\nassert S [FD= P\n",
            all.join(" [] "),
            offered.join(" [] "),
        );
        let loaded = sound(&script("many_events.csp", &text));
        let verdicts =
            [1, 2, 3].map(|number| verdict(&check(&loaded, number, &Options::default())));
        assert_eq!(verdicts, ["pass", "fail", "fail"], "{text}");
    }
}

/// A refusal ends a run one step before an event that is not allowed. So it is shorter, also where the state with the
/// event comes first and that with the refusal is expanded in a later round of the same depth.
#[test]
fn a_refusal_is_shorter_than_an_event_of_the_same_depth() {
    let text = "channel c, d : {0..17000}\nchannel good, bad\n\
        S = c?x -> good -> d?y -> STOP\nP = c?x -> Q(x)\n\
        Q(x) = if x == 0 then good -> STOP [] bad -> STOP else if x == 17000 then STOP else good -> d.x -> STOP\n\
        assert S [F= P\n";
    let loaded = sound(&script("refusal_of_a_later_round.csp", text));
    for threads in [1, 2] {
        let outcome = check(&loaded, 1, &options(None, StrategyKind::default(), threads));
        assert_eq!((&*verdict(&outcome), length(&outcome)), ("fail", Some(1)));
    }
}

//! Refinement in revivals and in refusal testing against the definitions: the behaviours of random small processes,
//! compared one by one, with every set that may be refused.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::support::lts::{self, Lts};
use crate::support::processes::{MAY_TERMINATE, processes};
use crate::support::{check, options, replay, script, sound, tiers, verdict, verified};
use orbitscope::animate::model::{CheckOutcome, Counterexample, Ending};
use orbitscope::eval::Evaluator;
use orbitscope::process::term::Label;
use orbitscope::source::{Cancel, Limits};
use orbitscope::symmetry::StrategyKind;
use proptest::prelude::*;

/// States of all processes; what has more is not compared.
const STATES_MAX: usize = 1_500;
/// Names of the processes that are compared, and those that may be on the left.
const NAMES: [&str; 5] = ["P", "Q", "R", "P0", "PQ"];
/// What is compared in each model.
const PAIRS: [(&str, &str); 10] = [
    ("P", "Q"),
    ("Q", "P"),
    ("P0", "P"),
    ("P", "P0"),
    ("P", "P"),
    ("PQ", "Q"),
    ("PQ", "P"),
    ("P", "PQ"),
    ("Q", "R"),
    ("P", "R"),
];
/// The models, each after those that it implies.
const MODELS: [&str; 7] = ["T", "F", "V", "R", "FD", "VD", "RD"];

/// The states that a process may be in.
type After = BTreeSet<usize>;

/// The processes, as what their states can do.
struct Behaviours {
    lts: Lts,
    labels: BTreeSet<Label>,
    roots: Vec<usize>,
}

impl Behaviours {
    fn root(&self, name: &str) -> After {
        let at = NAMES.iter().position(|n| *n == name);
        self.closed([self.roots[at.expect("it is one of them")]])
    }

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

    fn events(&self, s: usize) -> BTreeSet<Label> {
        let events = self.lts.steps[s].iter().map(|step| step.0);
        events.filter(|label| *label != Label::Tau).collect()
    }

    /// What a stable state offers; one that can terminate is one that does nothing else.
    fn offer(&self, s: usize) -> Option<BTreeSet<Label>> {
        let events = self.events(s);
        if events.contains(&Label::Tick) {
            return Some([Label::Tick].into());
        }
        let is_stable = self.lts.steps[s].iter().all(|step| step.0 != Label::Tau);
        is_stable.then_some(events)
    }

    fn diverges(&self, after: &After) -> bool {
        after.iter().any(|s| {
            let taus = self.lts.steps[*s].iter().filter(|x| x.0 == Label::Tau);
            self.closed(taus.map(|x| x.1)).contains(s)
        })
    }

    /// All sets of events.
    fn sets(&self) -> Vec<BTreeSet<Label>> {
        let mut sets = vec![BTreeSet::new()];
        for label in &self.labels {
            let with = sets.clone().into_iter().map(|mut set| {
                set.insert(*label);
                set
            });
            sets.extend(with.collect::<Vec<_>>());
        }
        sets
    }

    /// Deadlocks and revivals after a trace: what is refused, and the event that follows; none for a deadlock.
    fn revivals(&self, after: &After) -> BTreeSet<(BTreeSet<Label>, Option<Label>)> {
        let mut found = BTreeSet::new();
        for offer in after.iter().filter_map(|s| self.offer(*s)) {
            if offer.is_empty() {
                found.insert((BTreeSet::new(), None));
            }
            for refused in self.sets().into_iter().filter(|x| x.is_disjoint(&offer)) {
                found.extend(offer.iter().map(|a| (refused.clone(), Some(*a))));
            }
        }
        found
    }

    /// Where an event leads if before it a set is refused, or nothing is observed; none if that cannot be.
    fn next(&self, after: &After, seen: Option<&BTreeSet<Label>>, event: Label) -> After {
        let fits = |s: &usize| match seen {
            None => self.events(*s).contains(&event),
            Some(refused) => self
                .offer(*s)
                .is_some_and(|offer| offer.is_disjoint(refused) && offer.contains(&event)),
        };
        let from = after.iter().filter(|s| fits(s));
        let steps = from.flat_map(|s| &self.lts.steps[*s]);
        self.closed(steps.filter(|x| x.0 == event).map(|x| x.1))
    }

    /// Whether a set may be refused.
    fn refuses(&self, after: &After, set: &BTreeSet<Label>) -> bool {
        let mut offers = after.iter().filter_map(|s| self.offer(*s));
        offers.any(|offer| offer.is_disjoint(set))
    }

    /// Whether all of `q` is in `p`, by going through all behaviours.
    fn refines(&self, p: After, q: After, model: &str) -> bool {
        let (base, strict) = match model.strip_suffix('D') {
            Some(base) => (base, true),
            None => (model, false),
        };
        let sets = self.sets();
        let mut seen: BTreeSet<(After, After)> = BTreeSet::new();
        let mut open = vec![(p, q)];
        while let Some((p, q)) = open.pop() {
            if !seen.insert((p.clone(), q.clone())) || strict && self.diverges(&p) {
                continue;
            }
            if strict && self.diverges(&q) {
                return false;
            }
            let refused = |set: &BTreeSet<Label>| self.refuses(&p, set) || !self.refuses(&q, set);
            if base != "T" && !sets.iter().all(refused) {
                return false;
            }
            if base == "V" && !self.revivals(&q).is_subset(&self.revivals(&p)) {
                return false;
            }
            let observed = sets.iter().filter(|_| base == "R").map(Some);
            for observation in observed.chain([None]) {
                for event in &self.labels {
                    let next = self.next(&q, observation, *event);
                    if next.is_empty() {
                        continue;
                    }
                    let allowed = self.next(&p, observation, *event);
                    if allowed.is_empty() {
                        return false;
                    }
                    open.push((allowed, next));
                }
            }
        }
        true
    }

    /// Whether a counterexample of refusal testing is one, and needs all that it observes.
    fn is_minimal(&self, p: &str, found: &Counterexample, names: &[(String, Label)]) -> bool {
        let wrong = |without: Option<usize>| {
            let mut after = self.root(p);
            for (n, step) in found.steps.iter().enumerate() {
                let event = match names.iter().find(|(name, _)| step.event == *name) {
                    // What was hidden has a name, too.
                    Some((_, event)) if step.kind != orbitscope::animate::model::EventKind::Tau => {
                        *event
                    }
                    _ => continue,
                };
                let seen = step.observed.as_ref().filter(|_| without != Some(n));
                let refused = seen.map(|seen| {
                    let offered = |label: &Label| {
                        let mut of = names.iter().filter(|(_, l)| l == label);
                        of.any(|(name, _)| listed(seen).contains(&name.as_str()))
                    };
                    self.labels
                        .iter()
                        .copied()
                        .filter(|l| !offered(l))
                        .collect()
                });
                after = self.next(&after, refused.as_ref(), event);
            }
            match &found.ending {
                Ending::Refused { .. } => after.is_empty(),
                Ending::Refusal { offered, .. } => {
                    let offered = listed(offered);
                    let names = names.iter().filter(|(n, _)| !offered.contains(&n.as_str()));
                    !self.refuses(&after, &names.map(|(_, label)| *label).collect())
                }
                Ending::Divergence { .. } => !self.diverges(&after),
                other => panic!("{other:?}"),
            }
        };
        let needed = (0..found.steps.len()).filter(|n| found.steps[*n].observed.is_some());
        // Without one of them the specification may also diverge on the way, after which all is allowed: that is not
        // followed here.
        let strict = matches!(found.ending, Ending::Divergence { .. });
        wrong(None) && (strict || needed.into_iter().all(|n| !wrong(Some(n))))
    }
}

/// The events of a set as it is written.
fn listed(set: &str) -> Vec<&str> {
    let inner = set.trim_start_matches('{').trim_end_matches('}');
    inner.split(", ").collect()
}

/// The verdicts of all models for one pair imply one another as the models do.
fn implied(verdicts: &[String], text: &str) {
    let holds = |model: &str| {
        let at = MODELS.iter().position(|m| *m == model);
        verdicts[at.expect("it is one of them")] == "pass"
    };
    for (finer, coarser) in [
        ("R", "V"),
        ("V", "F"),
        ("F", "T"),
        ("RD", "VD"),
        ("VD", "FD"),
    ] {
        assert!(
            !holds(finer) || holds(coarser),
            "{finer}, {coarser}\n{text}"
        );
    }
}

/// All ways to check one assertion say the same.
fn checked(path: &std::path::Path, number: usize) -> Vec<CheckOutcome> {
    let loaded = sound(path);
    let mut outcomes = Vec::new();
    for threads in [1, 2] {
        let outcome = check(
            &loaded,
            number,
            &options(None, StrategyKind::default(), threads),
        );
        if let Some(found) = &outcome.counterexample {
            assert_eq!(replay(path, found), Ok(()), "#{number}");
            assert_eq!(verified(&loaded, &outcome), Ok(()), "#{number}");
        }
        outcomes.push(outcome);
    }
    outcomes
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(tiers::cases(120))
    })]

    #[test]
    fn behaviours_are_those_of_the_definitions(definitions in processes(MAY_TERMINATE)) {
        let mut text = format!("channel a, b, c\n{definitions}PQ = P |~| Q\n");
        for (p, q) in PAIRS {
            for model in MODELS {
                text += &format!("assert {p} [{model}= {q}\n");
            }
        }
        let path = script("finer_models.csp", &text);
        let loaded = sound(&path);
        let mut e = Evaluator::new(Rc::clone(&loaded.script), &Limits::default(), Cancel::default());
        let terms = NAMES.map(|n| e.process_named(n).expect("it evaluates"));
        let lts = lts::explore(&mut e, &terms, STATES_MAX).expect("it can be explored");
        prop_assume!(lts.complete);
        let labels = lts.steps.iter().flatten().map(|x| x.0);
        let labels: BTreeSet<Label> = labels.filter(|l| *l != Label::Tau).collect();
        let roots = terms.iter().map(|t| lts.states.iter().position(|s| s == t));
        let roots = roots.map(|at| at.expect("a root is a state")).collect();
        let named = labels.iter().map(|label| match label {
            Label::Event(event) => (e.show(*event), *label),
            _ => ("tick".to_owned(), *label),
        });
        let names: Vec<(String, Label)> = named.collect();
        let all = Behaviours { lts, labels, roots };
        let mut transitive = Vec::new();
        for (n, (p, q)) in PAIRS.iter().enumerate() {
            let mut verdicts = Vec::new();
            for (m, model) in MODELS.iter().enumerate() {
                let number = n * MODELS.len() + m + 1;
                let expected = all.refines(all.root(p), all.root(q), model);
                let outcomes = checked(&path, number);
                for outcome in &outcomes {
                    let expected = if expected { "pass" } else { "fail" };
                    prop_assert_eq!(&*verdict(outcome), expected, "{} [{}= {}\n{}", p, model, q, text);
                }
                prop_assert_eq!(&outcomes[0].counterexample, &outcomes[1].counterexample);
                if let Some(found) = &outcomes[0].counterexample {
                    let is_minimal = !model.starts_with('R') || all.is_minimal(p, found, &names);
                    prop_assert!(is_minimal, "{p} [{model}= {q} {found:?}\n{text}");
                }
                prop_assert!(p != q || expected, "{} [{}= {}\n{}", p, model, q, text);
                if expected {
                    transitive.push((*model, *p, *q));
                }
                verdicts.push(verdict(&outcomes[0]));
            }
            implied(&verdicts, &text);
        }
        let known = |model: &str, p: &str, q: &str| {
            let n = PAIRS.iter().position(|pair| *pair == (p, q))?;
            let m = MODELS.iter().position(|m| *m == model)?;
            Some(verdict(&checked(&path, n * MODELS.len() + m + 1)[0]))
        };
        for (model, p, q) in &transitive {
            for (_, _, r) in transitive.iter().filter(|(m, mid, _)| m == model && mid == q) {
                let composed = known(model, p, r);
                prop_assert!(composed.is_none_or(|v| v == "pass"), "{p} [{model}= {r}\n{text}");
            }
        }
    }
}

/// A state that offers two of three events is not replaced by two states that each offer one of them and the third: in
/// any order of the events, each of the three has revivals of its own.
#[test]
fn every_offer_that_is_no_union_of_others_counts() {
    let text = "channel a, b, c\nA = b -> STOP [] c -> STOP\nB = a -> STOP [] c -> STOP\nC = a -> STOP [] b -> STOP\n\
        All = A |~| B |~| C\n\
        assert All [V= All\nassert B |~| C [V= All\nassert A |~| C [V= All\nassert A |~| B [V= All\n";
    let path = script("offers_of_two.csp", text);
    let verdicts = [1, 2, 3, 4].map(|number| verdict(&checked(&path, number)[0]));
    assert_eq!(verdicts, ["pass", "fail", "fail", "fail"]);
}

/// A state that can terminate is observed to refuse all else only if it then terminates.
#[test]
fn events_beside_termination_come_without_an_observation() {
    let text = "channel a\nEither = SKIP |~| a -> STOP\nBoth = SKIP [] a -> STOP\n\
        assert Either [R= Both\nassert Both [R= Either\nassert Either [RD= Both\n";
    let path = script("events_beside_termination.csp", text);
    let verdicts = [1, 2, 3].map(|number| verdict(&checked(&path, number)[0]));
    assert_eq!(verdicts, ["pass", "fail", "pass"]);
}

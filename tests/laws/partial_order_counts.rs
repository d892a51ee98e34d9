//! How many states are left by partial order reduction, where that can be counted by hand.

use orbitscope::animate::model::CheckOutcome;
use orbitscope::check::{Check, Options};
use orbitscope::script::load::Loaded;
use orbitscope::source::Cancel;
use orbitscope::symmetry::StrategyKind;

use crate::partial_order::what_was_left_out;
use crate::support::{check, counts, length, options, script, sound, verdict};

/// The states of an assertion without symmetry, with all steps and with those that are enough; the verdict is the same.
fn both_counts(loaded: &Loaded, number: usize) -> (u64, u64) {
    let [whole, reduced] = [false, true].map(|partial_order| {
        let how = Options {
            structure: Some(false),
            partial_order: Some(partial_order),
            ..options(Some(false), StrategyKind::default(), 2)
        };
        check(loaded, number, &how)
    });
    assert_eq!(verdict(&reduced), verdict(&whole));
    (counts(&whole).0, counts(&reduced).0)
}

/// While one component is under a lock, nothing else is followed, though others compete for another lock.
#[test]
fn a_lock_holds_all_others_back() {
    let text = "R = {1..4}\nL = {1, 2}\nchannel take, give, set : L.R\nchannel end\n\
                Lock(l) = take.l?i -> give.l.i -> Lock(l)\nValue(l) = set.l?i -> Value(l)\n\
                W(i) = take.1.i -> set.1.i -> give.1.i -> take.2.i -> set.2.i -> give.2.i -> end -> STOP\n\
                All = (||| i : R @ W(i)) [| {|take, give, set|} |] (||| l : L @ (Lock(l) ||| Value(l)))\n\
                S = All \\ {|take, give, set|}\nassert S :[deadlock free [F]]\nassert CHAOS({end}) [FD= S\n";
    let loaded = sound(&script("partial_order_locks.csp", text));
    for number in [1, 2] {
        let (whole, reduced) = both_counts(&loaded, number);
        if number == 2 {
            // 8^4 places of the components, but for those where two hold one lock. What is left are states with
            // several who may take the same lock, or in which somebody has come to the end.
            assert_eq!((whole, reduced), (2048, 60));
        }
    }
}

/// What is put into a queue and what is taken from it do not disturb each other.
#[test]
fn both_ends_of_a_queue_are_used_at_once() {
    let text = "R = {1..3}\nchannel put, get, done : R\n\
                Queue(s) = #s < 3 & put?i -> Queue(s^<i>) [] #s > 0 & get!head(s) -> Queue(tail(s))\n\
                Put(i) = put.i -> done.i -> STOP\nGet = get?i -> Get\n\
                S = (((||| i : R @ Put(i)) ||| Get) [| {|put, get|} |] Queue(<>)) \\ {|put, get|}\n\
                Spec = [] i : R @ done.i -> Spec\nassert Spec [T= S\nassert Spec [FD= S\n";
    let loaded = sound(&script("partial_order_queue.csp", text));
    for number in [1, 2] {
        let (whole, reduced) = both_counts(&loaded, number);
        if number == 1 {
            // What is left are states in which several may put something into it, or somebody is done.
            assert_eq!((whole, reduced), (201, 12));
        }
    }
}

/// States are passed although an operator ends on the way, of which the components then stay where they were.
#[test]
fn what_follows_one_another_is_passed() {
    for n in [2usize, 3, 4] {
        let text = format!(
            "channel a, b, c : {{0..{n}}}\nP(i) = (a.i -> SKIP ||| b.i -> SKIP) ; c.i -> STOP\n\
             S = (||| i : {{1..{n}}} @ P(i)) \\ {{|a, b, c|}}\nassert STOP [FD= S\n"
        );
        let loaded = sound(&script("partial_order_sequences.csp", &text));
        // Each has 7 states of its own. One goes through them after the other, and most of that is passed.
        assert_eq!(
            both_counts(&loaded, 1),
            (7u64.pow(n as u32), 2 * n as u64 + 1),
            "{n}"
        );
    }
}

/// A search that passes states finds all their rules listed: it would begin anew with each that was not.
#[test]
fn what_may_be_passed_is_listed_ahead() {
    let text = "channel a, b : {0..9}\nP(i) = a.i -> (b.i -> STOP [] a.i -> P(i))\n\
                S = (||| i : {0..9} @ P(i)) \\ {|b|}\nassert STOP [FD= S \\ {|a|}\n\
                assert CHAOS({|a|}) [T= S\n";
    let loaded = sound(&script("partial_order_listed.csp", text));
    for index in [0, 1] {
        let how = Options {
            structure: Some(false),
            partial_order: Some(true),
            ..options(Some(false), StrategyKind::default(), 1)
        };
        let check = Check::prepare(&loaded, index, &how, &Cancel::default()).unwrap();
        let format = check.network.first();
        let reached = format.reach().iter().enumerate();
        let listed = reached.map(|(component, reach)| {
            let mut locals = reach.locals.iter();
            locals.all(|local| format.rules().listed(component, *local).is_some())
        });
        assert!(listed.clone().count() > 1);
        assert_eq!(listed.clone().all(|listed| listed), index == 1, "{index}");
    }
}

/// One process alone chooses between two ways again and again, and none of these steps can be left out; then chains
/// begin that have nothing to do with one another. It is not looked at most of the former, and at all of the latter.
#[test]
fn it_is_looked_where_something_can_be_left_out() {
    const INNER: u64 = (1 << 14) - 1;
    const CHAINS: u64 = 8;
    let text = |leaf: &str| {
        format!(
            "channel step : {{0..2}}\nchannel go\nchannel a : {{1..{CHAINS}}}.{{1..3}}\n\
             Tree(n) = n < {INNER} & (step.0 -> Tree(2*n + 1) [] step.1 -> Tree(2*n + 2))\n  \
             [] n >= {INNER} & ({leaf})\n\
             Chain(i) = go -> a.i.1 -> a.i.2 -> a.i.3 -> STOP\n\
             Chains = [| {{go}} |] i : {{1..{CHAINS}}} @ Chain(i)\n\
             S = (Tree(0) [| {{go}} |] Chains) \\ {{|step, go, a|}}\n\
             assert S :[deadlock free [F]]\nassert STOP [T= S\n"
        )
    };
    // One leaf alone leads to the chains, from a state that is not looked at: so it is stored, and not passed.
    let one = format!("if n == {INNER} + 5 then go -> STOP else step.2 -> Tree(0)");
    for (name, leaf) in [
        ("on", "go -> STOP"),
        ("round", "go -> STOP [] step.2 -> Tree(0)"),
        ("one", &one),
    ] {
        let text = text(leaf);
        let loaded = sound(&script(&format!("partial_order_tree_{name}.csp"), &text));
        for number in [1, 2] {
            let how = |partial_order, threads| Options {
                structure: Some(false),
                partial_order: Some(partial_order),
                simulate_after: usize::MAX,
                // All that is as deep in the tree is bisimilar.
                merging: false,
                ..options(Some(false), StrategyKind::default(), threads)
            };
            let whole = check(&loaded, number, &how(false, 2));
            let [one, three] = [1, 3].map(|threads| check(&loaded, number, &how(true, threads)));
            let told = |outcome: &CheckOutcome| (verdict(outcome), counts(outcome));
            assert_eq!(told(&one), told(&three));
            assert_eq!(verdict(&one), verdict(&whole));
            assert_eq!(length(&one), length(&whole));
            let tree = 2 * INNER + 1;
            assert!(counts(&whole).0 > tree + 4u64.pow(CHAINS as u32) - 10);
            assert!(counts(&one).0 < tree + 4 * CHAINS, "{one:?}");
            let found = what_was_left_out(&one).expect("it was asked for");
            assert!(found.unlooked > INNER / 2, "{found:?}");
            let said = one.partial_order_sentence().unwrap_or_default();
            assert!(said.contains("having found hardly any before"), "{said}");
        }
    }
}

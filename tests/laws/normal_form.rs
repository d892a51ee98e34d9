//! The normal form of specifications (Def. 3): bisimilar nodes are merged where all of them are known
//! before the search, merging agrees with permutations, and no verdict depends on it.

use crate::support::{check, counts, options, script, sound, unmerged, verdict};
use orbitscope::symmetry::StrategyKind;

/// Whether the specification is normal, its nodes, the states of the product, and the verdict.
fn run(name: &str, text: &str, number: usize, symmetry: bool) -> (bool, usize, u64, String) {
    let loaded = sound(&script(name, text));
    let first = options(Some(symmetry).filter(|s| !s), StrategyKind::Walk, 1);
    let one = check(&loaded, number, &first);
    for threads in [2, 8] {
        let how = options(first.symmetry, StrategyKind::Walk, threads);
        let more = check(&loaded, number, &how);
        assert_eq!(counts(&more), counts(&one), "{text}");
        assert_eq!(verdict(&more), verdict(&one), "{text}");
    }
    let plain = check(&loaded, number, &unmerged(first));
    assert_eq!(verdict(&plain), verdict(&one), "{text}");
    let details = one.details.clone().unwrap_or_default();
    let nodes = details.nodes.unwrap_or_default();
    (details.normal, nodes, counts(&one).0, verdict(&one))
}

#[test]
fn bisimilar_nodes_are_one() {
    let text = "channel a\nSpec = a -> a -> a -> Spec\nImpl = a -> Impl\nassert Spec [T= Impl\n";
    let (normal, nodes, states, _) = run("normal_form_one", text, 1, false);
    assert_eq!((normal, nodes, states), (true, 1, 1));
    let loaded = sound(&script("normal_form_three", text));
    let plain = unmerged(options(None, StrategyKind::Walk, 1));
    let plain = check(&loaded, 1, &plain);
    assert_eq!(counts(&plain).0, 3);
    assert!(
        plain
            .details
            .is_some_and(|d| !d.normal && d.nodes == Some(3))
    );
}

#[test]
fn what_the_model_looks_at_tells_nodes_apart() {
    let text = "channel a, b\nP = a -> Q\nQ = (a -> P) |~| STOP\nR = a -> R\n\
                assert P [T= R\nassert P [F= R\nassert P [FD= R\n\
                S = a -> STOP [] b -> (STOP |~| DIV \\ {a})\nDIV = a -> DIV\n\
                assert S [FD= a -> STOP [] b -> R\n";
    assert_eq!(run("normal_form_models", text, 1, false).1, 1);
    assert_eq!(run("normal_form_models", text, 2, false).1, 2);
    assert_eq!(run("normal_form_models", text, 3, false).1, 2);
    // After `a` and after `b` nothing need be accepted, but after `b` everything is allowed.
    let (normal, nodes, _, verdict) = run("normal_form_models", text, 4, false);
    assert_eq!((normal, nodes, &*verdict), (true, 3, "pass"));
}

#[test]
fn classes_are_permuted() {
    // What was received last makes no difference to Idle, whose nodes are one orbit and one class;
    // it does to Echo, whose nodes are not merged, and Other has one of its own for each value.
    let text = "datatype T = A | B | C\nchannel c, d : T\n\
                Idle = c?x -> Seen(x)\nSeen(x) = c?y -> (if x == y then Seen(y) else Seen(x))\n\
                Echo = c?x -> Next(x)\nNext(x) = d.x -> c?y -> Next(y)\n\
                Other = c?x -> Rest(x)\nRest(x) = d?y:diff(T,{x}) -> Back(x,y)\n\
                Back(x,y) = c?z -> Rest(x) [] d.y -> Rest(x)\n\
                In(x) = c?y -> In(y)\nImpl = c?x -> In(x)\n\
                Two = c?x -> d.x -> Two\n\
                Bad = c?x -> d?y -> Bad\n\
                assert Idle [T= Impl\nassert Echo [T= Two\nassert Echo [T= Bad\nassert Other [T= Bad\n\
                assert Other [T= Other\n";
    for number in 1..=5 {
        let reduced = run("normal_form_classes", text, number, true);
        let whole = run("normal_form_classes", text, number, false);
        assert_eq!(reduced.0, whole.0, "{number}");
        assert_eq!(reduced.3, whole.3, "{number}");
        assert!(reduced.2 <= whole.2, "{number}");
    }
    let (normal, nodes, ..) = run("normal_form_classes", text, 1, true);
    assert_eq!((normal, nodes), (true, 1));
}

#[test]
fn a_component_that_forgot_its_identity_still_has_a_place() {
    // After a.A and b.B nothing in the specification's state mentions A or B, and yet it allows d.B only.
    let text = "datatype T = A | B | C | D\nchannel a, b, d : T\nchannel c\n\
                Run = c -> Run\nComp(x) = c -> Comp(x) [] a.x -> STOP [] b.x -> Run\n\
                Spec = ||| x:T @ (Comp(x) [[c <- d.x]])\n\
                Any = d?z:T -> Any\n\
                One = a?x -> b?y:diff(T,{x}) -> Any\nTwo = b?y -> a?x:diff(T,{y}) -> Any\n\
                assert Spec [T= One\nassert Spec [T= Two\n";
    for number in [1, 2] {
        let reduced = run("normal_form_forgets", text, number, true);
        let whole = run("normal_form_forgets", text, number, false);
        assert_eq!(reduced.3, whole.3);
        assert!(whole.3.contains("ail"), "{}", whole.3);
    }
}

#[test]
fn large_nodes_are_permuted_quickly() {
    // Every node holds 4,096 states; each successor is permuted.
    let text = "datatype T = A | B\nchannel flag : T\nN = 12\nchannel set : {1..N}\nchannel go\n\
                Cell(i) = set.i -> Cell2(i) [] go -> STOP\nCell2(i) = set.i -> Cell(i) [] go -> STOP\n\
                Mem = ([| {go} |] i : {1..N} @ Cell(i)) \\ {| set |}\nSys = flag?x -> Mem\n\
                assert Sys [T= Sys\n";
    let loaded = sound(&script("normal_form_large", text));
    let started = std::time::Instant::now();
    let outcome = check(&loaded, 1, &options(None, StrategyKind::Walk, 1));
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    assert!(verdict(&outcome) == "pass", "{}", verdict(&outcome));
}

/// Events of nodes that stand for many states are followed one by one: the verdicts are those of the explicit normal form.
#[test]
fn large_nodes_allow_what_their_normal_form_allows() {
    let implementations = [
        "b.0 -> STOP",
        "b?i -> b?j -> STOP",
        "Large",
        "b.0 -> b.1 -> b.0 -> c -> STOP",
        "b.0 -> b.1 -> b.0 -> b.0 -> Done",
        "Done",
        "b.3 -> (b.3 -> c -> STOP [] b.2 -> Done)",
    ];
    let mut text = "transparent normal\nchannel a : {0..3}.{0..3}\nchannel b : {0..3}\nchannel c\n\
        Cell(i, n) = a.i.0 -> a.i.1 -> a.i.2 -> a.i.3 -> b.i -> if n == 1 then STOP else Cell(i, n + 1)\n\
        Large = (||| i : {0..3} @ Cell(i, 0)) \\ {|a|}\nDone = b?i -> Done\n"
        .to_owned();
    for implementation in implementations {
        for model in ["T", "F", "FD", "V"] {
            text += &format!("assert Large [{model}= {implementation}\n");
            text += &format!("assert normal(Large) [{model}= {implementation}\n");
        }
    }
    let loaded = sound(&script("normal_form_of_large_nodes", &text));
    let mut met = [0, 0];
    for number in 0..4 * implementations.len() {
        let [large, explicit] = [1, 2].map(|n| {
            let outcome = check(
                &loaded,
                2 * number + n,
                &options(None, StrategyKind::Walk, 2),
            );
            verdict(&outcome)
        });
        assert_eq!(large, explicit, "assertion {}", 2 * number + 1);
        met[usize::from(large == "pass")] += 1;
    }
    assert!(met.iter().all(|count| *count > 4), "{met:?}");
}

#[test]
fn a_queue_without_end_does_not_keep_a_failure_waiting() {
    let text = "channel in, out : {0..1}\nchannel bad\n\
                Q(s) = in?x -> Q(s^<x>) [] s != <> & out!head(s) -> Q(tail(s))\n\
                assert STOP [T= Q(<>) ||| (bad -> STOP)\n";
    let loaded = sound(&script("normal_form_queue", text));
    let outcome = check(&loaded, 1, &options(None, StrategyKind::Walk, 1));
    let details = outcome.details.unwrap_or_default();
    assert!(details.evaluated < 50_000, "{}", details.evaluated);
}

#[test]
fn the_limit_of_states_is_kept_exactly() {
    let text = "channel a : {0..20}\nP(n) = a.n -> P(n) [] a.n -> P((n + 1) % 20)\n\
                assert STOP [F= (||| n : {0..9} @ P(n)) \\ {| a |}\n";
    let loaded = sound(&script("normal_form_limit", text));
    for threads in [1, 2, 8] {
        let mut how = unmerged(options(Some(false), StrategyKind::Walk, threads));
        how.limits.states_max = 12_345;
        let outcome = check(&loaded, 1, &how);
        assert_eq!(counts(&outcome).0, 12_345);
    }
}

/// Steps to states that are known already reach no limit.
#[test]
fn a_search_of_as_many_states_as_the_limit_is_complete() {
    let text = "channel a : {0..19}\nP(n) = a.n -> P((n + 1) % 20)\n\
                assert STOP [T= (P(0) ||| P(7)) \\ {| a |}\n";
    let loaded = sound(&script("normal_form_whole", text));
    for threads in [1, 2, 8] {
        let mut how = unmerged(options(Some(false), StrategyKind::Walk, threads));
        how.limits.states_max = 400;
        let outcome = check(&loaded, 1, &how);
        assert_eq!(
            (&*verdict(&outcome), counts(&outcome)),
            ("pass", (400, 800))
        );
        how.limits.states_max = 399;
        assert_ne!(verdict(&check(&loaded, 1, &how)), "pass");
    }
}

/// What a limit ends says how far it was.
#[test]
fn whoever_waits_for_a_normal_form_learns_how_far_it_came() {
    let text = "transparent normal\nchannel a, b : {0..9}\nP(n) = a.(n % 10) -> P(n + 1)\n\
        Large = (||| i : {0..9} @ Cell(i, 0)) \\ {|a|}\n\
        Cell(i, n) = a.i -> a.i -> a.i -> b.i -> Cell((i + 1) % 10, n + 1)\n\
        assert STOP [T= normal(P(0))\nassert Large [T= b.0 -> b.1 -> b.2 -> STOP\n";
    let loaded = sound(&script("normal_form_limits", text));
    let words = [
        ("exploring a process to compress it (", " states so far)"),
        ("normalising the specification (", " nodes so far)"),
    ];
    for (number, (work, so_far)) in (1..).zip(words) {
        // It never ends, and how long it takes to begin depends on the machine.
        let says_so = |milliseconds: u64| {
            let mut how = options(None, StrategyKind::Walk, 1);
            let time = std::time::Duration::from_millis(milliseconds);
            how.limits = how.limits.with_timeout(time);
            let told = format!("{:?}", check(&loaded, number, &how));
            told.contains(work) && told.contains(so_far)
        };
        assert!([400, 4_000, 40_000].into_iter().any(says_so), "{work}");
    }
}

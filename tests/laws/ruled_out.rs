//! What the components of a system alone rule out, held to searches that leave nothing out.

use orbitscope::check::Options;
use orbitscope::symmetry::StrategyKind;

use crate::partial_order::what_was_left_out;
use crate::support::{bounded, check, counts, options, script, sound, verdict};

/// Whether the components rule deadlock out, and what both searches say of it.
#[track_caller]
fn rules_out_deadlock(system: &str) -> bool {
    let text = format!(
        "channel a, b, c : {{0..20}}\nchannel d\n{system}\n\
                        assert S :[deadlock free]\nassert S :[deadlock free [F]]\n"
    );
    let loaded = sound(&script("partial_order_deadlock.csp", &text));
    let mut known = Vec::new();
    for number in [1, 2] {
        let how = |partial_order| Options {
            partial_order: Some(partial_order),
            ..options(Some(false), StrategyKind::default(), 2)
        };
        let reduced = check(&loaded, number, &how(true));
        let whole = check(&loaded, number, &how(false));
        assert_eq!(verdict(&reduced), verdict(&whole), "{system}");
        let Some(found) = what_was_left_out(&reduced) else {
            // It changes its form.
            known.push(false);
            continue;
        };
        if found.rules_out_deadlock {
            // The first one asks about divergence, too.
            if number == 2 || found.rules_out_divergence {
                assert_eq!(verdict(&whole), "pass", "{system}");
                assert_eq!(counts(&reduced), (1, 0), "{system}");
            }
        }
        known.push(found.rules_out_deadlock);
    }
    assert_eq!(known[0], known[1], "{system}");
    known[0]
}

/// What stands in a line is live from its end; so is what takes things in the same order. What ends, or has no
/// step at all, is not.
#[test]
fn components_rule_deadlock_out() {
    let line = "C(i) = a.i -> a.i+1 -> C(i)\nS = || i : {0..19} @ [{a.i, a.i+1}] C(i)";
    assert!(rules_out_deadlock(line));
    let eaters = |last: &str| {
        format!(
            "F(i) = a.i -> b.i -> F(i) [] c.i -> b.i -> F(i)\nP(i) = a.i -> c.(i+1)%4 -> b.i -> b.(i+1)%4 -> P(i)\n\
             L = {last} -> b.3 -> b.0 -> L\nA(i) = {{a.i, b.i, c.(i+1)%4, b.(i+1)%4}}\n\
             E(i) = if i == 3 then L else P(i)\n\
             S = (|| i : {{0..3}} @ [A(i)] E(i)) [|{{|a, b, c|}}|] (|| i : {{0..3}} @ [{{a.i, b.i, c.i}}] F(i))"
        )
    };
    // All put down what others hold, so pairs do not tell who holds what; but verdicts agree.
    rules_out_deadlock(&eaters("a.3 -> c.0"));
    rules_out_deadlock(&eaters("c.0 -> a.3"));
    for no in [
        "S = STOP ||| STOP",
        "S = (a.0 -> SKIP) ||| (b.0 -> SKIP)",
        "S = (a.0 -> STOP) ||| (b.0 -> STOP)",
        "P = a.0 -> P [] d -> STOP\nS = (P [|{d}|] P)",
        "S = ((a.0 -> SKIP ||| b.0 -> SKIP) ; (a.1 -> STOP ||| c.0 -> STOP))",
        "P = a.0 -> b.0 -> P\nQ = b.0 -> a.0 -> Q\nS = P [|{a.0, b.0}|] Q",
    ] {
        assert!(!rules_out_deadlock(no), "{no}");
    }
    // What has a partner of its own is not held back by the others, nor by those that have stopped.
    assert!(rules_out_deadlock(
        "P = a.0 -> P\nS = (P [|{a.0}|] P) ||| b.0 -> STOP"
    ));
    // It diverges, too.
    let diverging = "P = a.0 -> P [] d -> P\nS = (P [|{a.0}|] P) \\ {d}";
    assert!(rules_out_deadlock(diverging));
}

/// Compressed processes of more local states than are looked at before a search are gone through, if steps are to be
/// left out; others are not, since they may have no end.
#[test]
fn large_compressed_components_are_explored_to_the_end() {
    let text = "transparent sbisim\nchannel a, b : {0..3}\nchannel c, d\n\
                C(w, x, y, z) = w < 16 & a.0 -> C(w + 1, x, y, z) [] x < 16 & a.1 -> C(w, x + 1, y, z)\n  \
                [] y < 16 & a.2 -> C(w, x, y + 1, z) [] z < 16 & a.3 -> C(w, x, y, z + 1) [] b.0 -> C(0, 0, 0, 0)\n\
                D = c -> d -> D\n\
                assert sbisim(C(0, 0, 0, 0)) ||| D :[divergence free]\nassert C(0, 0, 0, 0) ||| D :[divergence free]\n";
    let loaded = sound(&script("partial_order_large.csp", text));
    let how = Options {
        structure: Some(false),
        partial_order: Some(true),
        ..options(Some(false), StrategyKind::default(), 2)
    };
    let known = check(&loaded, 1, &how);
    assert_eq!(verdict(&known), "pass");
    assert_eq!(counts(&known), (1, 0));
    let found = what_was_left_out(&known).expect("all is known of it");
    assert!(found.rules_out_divergence);
    let open = check(&loaded, 2, &bounded(how, 10_000));
    assert_eq!(what_was_left_out(&open), None);
    assert!(counts(&open).0 > 1);
}

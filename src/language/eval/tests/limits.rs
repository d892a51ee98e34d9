//! Evaluations that are stopped: they name what they were at, and leave an evaluator that goes on.

use std::time::{Duration, Instant};

use super::support::{brief, load};
use crate::eval::Evaluator;
use crate::source::{Cancel, Limits};

/// Work that takes very long in several ways, and what it is compared with once there is time.
const LONG: &str = "\
channel a : {0..3}
datatype T = A.{0..3000} | B.{0..10}
spin(n) = if n == 0 then 0 else spin(n - 1)
deep(n) = if n == 0 then 0 else 1 + deep(n - 1)
types = T
half = spin(20000000)
pair = (deep(200000), spin(20000000))
(first, second) = (spin(20000000), half)
P = a!spin(20000000) -> STOP
late = let f(n) = spin(n) within f(20000000) + length(<A.x | x <- <0..3000>>)
";

fn stopped(e: &mut Evaluator, name: &str) -> String {
    match e.value_named(name) {
        Ok(v) => panic!("{name} is {}", e.show(v)),
        Err(d) => brief(e, &d),
    }
}

#[test]
fn a_stop_names_definition_and_place() {
    let mut e = load(LONG);
    let soon = || Limits::default().with_timeout(Duration::from_millis(30));
    for (name, place) in [
        ("half", "test.csp:3:"),
        ("pair", "test.csp:"),
        ("first", "test.csp:3:"),
    ] {
        e.limit(&soon(), Cancel::default());
        let began = Instant::now();
        let told = stopped(&mut e, name);
        assert!(began.elapsed() < Duration::from_secs(5), "{name}");
        assert!(told.starts_with(place), "{told}");
        assert!(
            told.contains("E0702 the time allowed is over, in `"),
            "{told}"
        );
    }
    e.limit(&soon(), Cancel::default());
    let p = e.process_named("P").expect("a prefix");
    let told = e.step(p).map_err(|d| brief(&e, &d)).expect_err("too long");
    assert!(told.starts_with("test.csp:3:"), "{told}");
    assert!(told.contains("over, in `spin`"), "{told}");
}

#[test]
fn after_a_stop_everything_can_be_evaluated() {
    if !crate::tiers::has_time("inside eval limits::after_a_stop_everything_can_be_evaluated") {
        return;
    }
    let mut e = load(&LONG.replace("20000000", "20000"));
    let cancelled = Cancel::default();
    cancelled.cancel();
    for round in 0..3 {
        for name in ["half", "pair", "first", "second", "late"] {
            e.limit(&Limits::default(), cancelled.clone());
            let told = stopped(&mut e, name);
            assert!(told.contains("E0701 cancelled"), "{round} {told}");
        }
        e.limit(&Limits::default(), cancelled.clone());
        let p = e.process_named("P").expect("a prefix");
        assert!(e.step(p).is_err());
    }
    e.limit(&Limits::default(), Cancel::default());
    let mut fresh = load(&LONG.replace("20000000", "20000"));
    for name in ["second", "late", "pair", "half", "first", "types"] {
        let (old, new) = (e.value_named(name), fresh.value_named(name));
        let (old, new) = (old.expect("enough time"), new.expect("enough time"));
        assert_eq!(e.show(old), fresh.show(new), "{name}");
        assert!(
            e.store().flags(old).is_partial() == fresh.store().flags(new).is_partial(),
            "{name}"
        );
    }
    let p = e.process_named("P").expect("a prefix");
    assert_eq!(e.step(p).expect("enough time").len(), 1);
}

/// Sets of millions of elements are listed, sorted and compared with an eye on the clock.
#[test]
fn work_on_large_sets_ends_in_time() {
    let text = "\
subsets = card({s | s <- Set({1..22})})
listed = length(seq({1..4900000}))
pairs = card(Union({{(x, y) | y <- {1..2200}} | x <- {1..2200}}))
";
    let mut e = load(text);
    for name in ["subsets", "listed", "pairs"] {
        let soon = Limits::default().with_timeout(Duration::from_millis(20));
        e.limit(&soon, Cancel::default());
        let began = Instant::now();
        let told = stopped(&mut e, name);
        assert!(began.elapsed() < Duration::from_secs(3), "{name}");
        assert!(told.contains("E0702"), "{told}");
        assert!(told.contains(&format!("in `{name}`")), "{told}");
    }
    let full = Limits {
        values_max: 1 << 20,
        ..Limits::default()
    };
    e.limit(&full, Cancel::default());
    let error = e.value_named("listed").expect_err("too much memory");
    assert_eq!(error.code, "E0703");
    assert!(
        error.message.contains("more than 1 MiB"),
        "{}",
        error.message
    );
    assert!(
        error.notes[0].contains("`--memory` allows more"),
        "{error:?}"
    );
}

#[test]
fn processes_that_double_are_refused_before_they_fill_the_memory() {
    let text = "\
channel a, b
W(n, p) = if n == 0 then p else W(n - 1, (p ||| p))
V(n, p) = if n == 0 then p else V(n - 1, (p [|{b}|] p))
A = a -> STOP
Small = W(10, A)
Shared = V(10, A)
P = W(60, A)
Q = V(60, A)
";
    let mut e = load(text);
    for name in ["Small", "Shared"] {
        let p = e.process_named(name).expect("1024 operands");
        assert_eq!(e.step(p).expect("they are alike").len(), 1, "{name}");
    }
    for name in ["P", "Q"] {
        let error = e.process_named(name).expect_err("too many operands");
        assert_eq!(error.code, "E0705");
        assert!(error.span.is_some() && !error.trace.is_empty(), "{error:?}");
    }
}

/// What the notes of an error say.
fn notes(e: &mut Evaluator, name: &str) -> Vec<String> {
    e.value_named(name).expect_err("it has no end").notes
}

#[test]
fn a_recursion_without_end_says_what_waits_and_what_grows() {
    let text = "\
f(n) = f(n + 1) + 1
even(k, s) = 1 + odd(k, s^<k>)
odd(k, s) = 1 + even(k - 2, s)
tailed(n) = tailed(n + 3)
x = f(0)
y = even(7, <>)
z = tailed(1)
";
    let mut e = load(text);
    let limits = Limits {
        depth_max: 1000,
        calls_max: 100_000,
        ..Limits::default()
    };
    e.limit(&limits, Cancel::default());
    let told = notes(&mut e, "x").join("\n");
    assert!(told.contains("999 calls of `f` wait for those that they make, 1,000 calls deep; `n` grows: 0, 1, 2, … 998 so far"), "{told}");
    let told = notes(&mut e, "y").join("\n");
    assert!(told.contains("`k` falls: 7, 5, 3, … "), "{told}");
    assert!(
        told.contains("the length of `s` grows: 0, 1, 2, … "),
        "{told}"
    );
    assert!(told.contains("calls of `odd` wait"), "{told}");
    let told = notes(&mut e, "z").join("\n");
    assert!(told.contains("calls in a row, each the last thing that the one before does, have not ended in `tailed`; `n` was "), "{told}");
    // What one evaluation has met is not told of the next one.
    e.limit(&Limits::default(), Cancel::default());
    let error = e.value_named("nowhere").expect_err("there is no such name");
    assert!(error.notes.is_empty(), "{error:?}");
}

#[test]
fn processes_that_wait_for_their_first_event_are_counted() {
    let text = "\
channel a, b
P(n) = P(n + 1) ||| a -> STOP
A(n) = B(n + 1) [] a -> STOP
B(n) = A(n) [] b -> STOP
p = P(0)
q = A(0)
";
    let mut e = load(text);
    let limits = Limits {
        depth_max: 2000,
        ..Limits::default()
    };
    e.limit(&limits, Cancel::default());
    // Operands of an interleaving are evaluated with it, those of a choice when their first event is asked for.
    for (name, waits, grows) in [
        ("p", "calls of `P` wait", "; `n` grows: 0, 1, 2, … "),
        (
            "q",
            "processes wait for the first event of the next one",
            "in `A` `n` grows: 0, 1, 2, … ",
        ),
    ] {
        let process = e.process_named(name);
        let error = process.and_then(|p| e.step(p)).expect_err("it has no end");
        let told = error.notes.join("\n");
        assert!(told.contains(waits), "{told}");
        assert!(told.contains(grows), "{told}");
    }
}

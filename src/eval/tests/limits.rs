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
            told.contains("E0702 the time allowed for evaluation is over, in `"),
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
            e.store().is_partial(old) == fresh.store().is_partial(new),
            "{name}"
        );
    }
    let p = e.process_named("P").expect("a prefix");
    assert_eq!(e.step(p).expect("enough time").len(), 1);
}

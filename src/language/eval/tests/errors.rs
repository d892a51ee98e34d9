//! Diagnostics: code, place, trace; recursion that does not end, and recursion that does.

use super::support::{brief, explore, load};
use crate::source::diagnostic::Result;

fn failure(text: &str) -> String {
    let mut e = load(text);
    let result: Result<_> = e.process_named("P").and_then(|p| explore(&mut e, p, 50));
    match result {
        Ok(counts) => format!("{counts:?}"),
        Err(d) => brief(&e, &d),
    }
}

#[test]
fn places_and_traces() {
    assert_eq!(
        failure("channel a : {0..3}\nf(x) = g(x) + 1\ng(x) = x / 0\nP = a!f(1) -> STOP\n"),
        "test.csp:3:8 E0405 division by zero [\"g@test.csp:2:8\", \"f@test.csp:4:7\"]"
    );
    assert_eq!(
        failure("channel a\nf(1) = a -> STOP\nP = f(2)\n"),
        "test.csp:3:5 E0413 no clause of `f` matches (2) [\"f@test.csp:3:5\", \"P@test.csp:3:1\"]"
    );
}

#[test]
fn unguarded_recursion_is_refused() {
    if !crate::tiers::has_time("inside eval errors::unguarded_recursion_is_refused") {
        return;
    }
    for (text, start) in [
        (
            "P = P\n",
            "test.csp:1:5 E0411 the recursion of `P` does not end",
        ),
        (
            "channel a\nP = P [] a -> STOP\n",
            "test.csp:2:5 E0411 the recursion of `P` does not end",
        ),
        (
            "channel a\nP = P \\ {a}\n",
            "test.csp:2:5 E0411 the recursion of `P` does not end",
        ),
        (
            "P = P ; P\n",
            "test.csp:1:5 E0411 the recursion of `P` does not end",
        ),
        (
            "P = Q ||| P\nQ = STOP\n",
            "test.csp:1:11 E0411 the recursion of `P` does not end",
        ),
        (
            "channel a\nQ(n) = Q(n + 1) [] a -> STOP\nP = Q(0)\n",
            "test.csp:2:8 E0421",
        ),
        (
            "channel a\nQ(n) = Q(n + 1) \\ {a}\nP = Q(0)\n",
            "test.csp:2:8 E0421",
        ),
    ] {
        let found = failure(text);
        assert!(found.starts_with(start), "{text}: {found}");
    }
}

#[test]
fn deep_but_finite_recursion_works() {
    let text = "channel a\nQ(n) = if n == 0 then a -> STOP else Q(n - 1) \\ {}\nP = Q(3000)\n";
    assert_eq!(failure(text), "(2, 1)");
    let text = "channel a\nQ(n) = if n == 0 then STOP else a -> STOP [] Q(n - 1)\nP = Q(3000)\n";
    assert_eq!(failure(text), "(2, 1)");
    let text =
        "channel a : {0..9000}\nf(n) = if n == 0 then 0 else 1 + f(n - 1)\nP = a!f(9000) -> STOP\n";
    assert_eq!(failure(text), "(2, 1)");
}

#[test]
fn what_is_not_supported_is_named() {
    assert!(
        failure("channel a, b\nP = a -> WEAK_BUFFER(1, b, {})\n")
            .starts_with("test.csp:2:10 E0601 `WEAK_BUFFER` is not supported")
    );
}

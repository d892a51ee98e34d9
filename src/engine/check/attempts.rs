//! Attempts at a check: with reduction and without, in turn, until one ends within its bound of work.

use super::patience::{Dear, LONGER, Patience};
use super::plan::{Plan, by_first};
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Kind};

/// Transitions of an unreduced search with small orbits, after which saving states is worth the time of reduction.
const FAR: u64 = 1 << 26;

/// Runs the first plan that applies, as [`by_first`] does. A reduction that no option asks for is given up if it takes
/// more work than the check without it.
///
/// # Errors
/// As [`by_first`].
pub fn by_first_worth<T>(
    plans: &[Plan],
    mut go: impl FnMut(&Plan) -> Result<T>,
) -> Result<(T, Option<Box<Diagnostic>>)> {
    let [reduced, plain] = plans else {
        return by_first(plans, go);
    };
    let given_up = |error: &Diagnostic| error.kind == Kind::Costly;
    if let Some(values) = reduced.many_values() {
        match go(&plain.unlooked_within(Patience::times(LONGER))) {
            Err(error) if given_up(&error) => {}
            done => return done.map(|done| (done, Some(not_worth(values)))),
        }
    }
    let short = Patience::times(1);
    let first = match go(&reduced.within(short.clone())) {
        Err(error) if given_up(&error) => error,
        Err(error) if error.kind == Kind::Asymmetric => {
            return go(plain).map(|done| (done, Some(error)));
        }
        done => return done.map(|done| (done, None)),
    };
    let [without, again] = [(); 2].map(|()| Patience::times(LONGER));
    let dear = short.dear.get();
    let far = dear
        .filter(|dear| dear.small_orbits)
        .map(|_| Patience::of(FAR));
    for patience in [Some(without.clone()), far].into_iter().flatten() {
        let attempt = match dear {
            // Where representatives under types are expensive, those under a larger group are, too.
            Some(Dear { alone: true, .. }) => plain.unlooked_within(patience),
            _ => plain.within(patience),
        };
        match go(&attempt) {
            Err(error) if given_up(&error) => {}
            done => return done.map(|done| (done, Some(first))),
        }
    }
    if without.limited.get() || dear.is_some_and(|dear| dear.small_orbits || dear.alone) {
        return by_first(plans, go);
    }
    match go(&reduced.within(again.clone())) {
        Err(error) if given_up(&error) && again.reached.get() > without.reached.get() => {
            by_first(plans, go)
        }
        Err(error) if matches!(error.kind, Kind::Asymmetric | Kind::Costly) => {
            go(plain).map(|done| (done, Some(error)))
        }
        done => done.map(|done| (done, None)),
    }
}

/// Explains why a short check was not reduced by types with this number of values.
fn not_worth(values: usize) -> Box<Diagnostic> {
    Box::new(Diagnostic::nowhere(
        "E0514",
        format!(
            "without reduction it is soon decided, and the symmetric types have {values} values, each of which has to get \
             its place in every representative"
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates attempts that need this work each, as a factor of [`Patience::times`], and reach this depth before
    /// they are given up. Returns the attempts and the one that ended.
    fn gone(reduced: (usize, usize), plain: (usize, usize)) -> (Vec<String>, String, bool) {
        let plans = [
            Plan {
                exchanging: false,
                ..Plan::unreduced()
            },
            Plan::unreduced(),
        ];
        let mut made = Vec::new();
        let done = by_first_worth(&plans, |plan| {
            let (name, (needs, depth)) = match plan.exchanging {
                false => ("reduced", reduced),
                true => ("plain", plain),
            };
            made.push(name.to_owned());
            match &plan.patience {
                Some(patience) if patience.local_states < Patience::times(needs).local_states => {
                    patience.reached.set(depth);
                    Err(Box::new(Diagnostic::nowhere("E0514", "too much")))
                }
                _ => Ok(name.to_owned()),
            }
        });
        let (name, why) = done.expect("one of them ends");
        (made, name, why.is_some())
    }

    #[test]
    fn what_is_cheap_is_done_at_once() {
        assert_eq!(
            gone((1, 0), (1, 0)),
            (vec!["reduced".into()], "reduced".into(), false)
        );
        let (made, name, says_why) = gone((2, 3), (LONGER, 0));
        assert_eq!(made, ["reduced", "plain"]);
        assert_eq!((&*name, says_why), ("plain", true));
    }

    #[test]
    fn what_comes_deeper_goes_on_where_both_take_long() {
        let (made, name, says_why) = gone((LONGER, 3), (100 * LONGER, 3));
        assert_eq!(made, ["reduced", "plain", "reduced"]);
        assert_eq!((&*name, says_why), ("reduced", false));
        let (made, name, _) = gone((50 * LONGER, 9), (100 * LONGER, 8));
        assert_eq!(made, ["reduced", "plain", "reduced", "reduced"]);
        assert_eq!(name, "reduced");
        let (made, name, says_why) = gone((100 * LONGER, 8), (50 * LONGER, 8));
        assert_eq!(made, ["reduced", "plain", "reduced", "plain"]);
        assert_eq!((&*name, says_why), ("plain", true));
    }

    /// The attempts where the first reports expensive representatives, and an unreduced one needs this work.
    fn gone_dear(dear: Dear, work: u64, limited: bool) -> Vec<String> {
        let plans = [
            Plan {
                exchanging: false,
                ..Plan::unreduced()
            },
            Plan::unreduced(),
        ];
        let mut made = Vec::new();
        let done = by_first_worth(&plans, |plan| {
            let costly = Err(Box::new(Diagnostic::nowhere("E0514", "too much")));
            let (name, bound) = match (plan.exchanging, &plan.patience) {
                (false, None) => {
                    made.push("reduced to its end".to_owned());
                    return Ok(());
                }
                (true, None) => {
                    made.push("plain to its end".to_owned());
                    return Ok(());
                }
                (false, Some(patience)) => {
                    patience.dear.set(Some(dear));
                    made.push("reduced".to_owned());
                    return costly;
                }
                (true, Some(patience)) => ("plain", patience),
            };
            made.push(name.to_owned());
            bound.limited.set(limited);
            match bound.work < work || limited {
                true => costly,
                false => Ok(()),
            }
        });
        done.expect("one of them ends");
        made
    }

    #[test]
    fn dear_representatives_are_done_without_where_orbits_are_small() {
        let [large, small] = [false, true].map(|small_orbits| Dear {
            small_orbits,
            alone: true,
        });
        let end = "reduced to its end";
        assert_eq!(gone_dear(large, 1 << 20, false), ["reduced", "plain"]);
        assert_eq!(gone_dear(large, 1 << 21, false), ["reduced", "plain", end]);
        assert_eq!(gone_dear(small, FAR, false), ["reduced", "plain", "plain"]);
        let all = ["reduced", "plain", "plain", end];
        assert_eq!(gone_dear(small, FAR + 1, false), all);
        let alone = false;
        let reasons = Dear { alone, ..large };
        assert_eq!(gone_dear(reasons, 1, true), ["reduced", "plain", end]);
    }
}

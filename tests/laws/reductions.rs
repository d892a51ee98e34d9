//! Each reduction preserves what its row of the table says, whichever others it is used with: of random scripts, random
//! sets of reductions that go together are compared with the same sets without one of them.

use orbitscope::animate::model::{CheckOutcome, Counterexample, Ending, Verdict};
use orbitscope::check::Options;
use orbitscope::reductions::table::{
    Preserved, ReductionKind, ReductionSet, TABLE, go_together, page, row,
};
use orbitscope::search::keeping::KeepingKind;
use orbitscope::source::manual::topic;
use proptest::prelude::*;

use crate::random_scripts::{self, Dice};
use crate::support::{bounded, check, counts, length, script, sound, tiers, verdict, verified};
use crate::{numbered, partial_order, shared_variables};

/// Scripts of one run, of each kind.
const CASES: u32 = 60;
/// Larger searches are given up.
const STATES_MAX: usize = 3_000;

/// Options by which a search uses these reductions, as far as it can, and no others but twins.
fn options(used: ReductionSet, keepings: &[KeepingKind]) -> Options {
    let has = |kind| used.contains(kind);
    let keeping = keepings.iter().find(|keeping| has(keeping.reduction()));
    Options {
        // With an option for another way to remember states, reduction is not given up for its work.
        symmetry: match keeping {
            Some(_) => None,
            None => Some(false),
        },
        structure: match has(ReductionKind::Structure) {
            true => None,
            false => Some(false),
        },
        adaptive: has(ReductionKind::Adaptive),
        keeping: keeping.copied().unwrap_or_default(),
        state_symmetry: has(ReductionKind::StateSymmetry),
        sleep_sets: has(ReductionKind::SleepSets),
        partial_order: Some(has(ReductionKind::PartialOrder)),
        merging: has(ReductionKind::Merging),
        threads: 1,
        ..Options::default()
    }
}

/// Reductions that go together, at random.
fn some_that_go_together(dice: &mut Dice<'_>) -> Vec<ReductionKind> {
    let mut kinds: Vec<_> = TABLE.iter().map(|row| row.kind).collect();
    // These are always used where they can be.
    kinds.retain(|kind| *kind != ReductionKind::Twins);
    let mut used: Vec<ReductionKind> = Vec::new();
    while !kinds.is_empty() && used.len() < 5 {
        let kind = kinds.swap_remove(dice.below(kinds.len()));
        if used.iter().all(|other| go_together(kind, *other)) {
            used.push(kind);
        }
    }
    used
}

/// Whether representatives of a search were unique, so that counts are those of orbits.
fn are_unique(outcome: &CheckOutcome) -> bool {
    let details = outcome.details.as_ref();
    details.is_some_and(|details| details.fallbacks.0 == 0 && !details.holds_sets)
}

/// How many steps a counterexample takes. A divergence is shown until a state comes again, which may have come as one that
/// is bisimilar or symmetric before, so that is not compared.
fn steps(outcome: &CheckOutcome) -> Option<usize> {
    let is_finite = |c: &Counterexample| !matches!(c.ending, Ending::Divergence { .. });
    let finite = outcome.counterexample.as_ref().filter(|c| is_finite(c));
    finite.map(|c| c.steps.len())
}

/// Holds what a search found with a reduction to what is found without it.
fn preserves(kind: ReductionKind, [with, without]: [&CheckOutcome; 2]) -> Result<(), String> {
    let whole = [with, without].map(|found| found.verdict == Verdict::Holds && are_unique(found));
    for preserved in row(kind).preserves {
        let same = match preserved {
            Preserved::Verdict => verdict(with) == verdict(without),
            Preserved::Shortest => steps(with) == steps(without),
            // A search that fails ends before all states of a depth are expanded.
            Preserved::States => whole != [true; 2] || counts(with).0 == counts(without).0,
            Preserved::Transitions => whole != [true; 2] || counts(with).1 == counts(without).1,
        };
        if !same {
            let told = [with, without].map(|found| (verdict(found), length(found), counts(found)));
            return Err(format!("{preserved:?} with and without: {told:?}"));
        }
    }
    Ok(())
}

/// Whether a check ended with what can be compared.
fn is_decided(outcome: &CheckOutcome) -> bool {
    matches!(outcome.verdict, Verdict::Holds | Verdict::Fails)
}

fn agree(name: &str, text: &str, dice: &mut Dice<'_>) -> Result<(), TestCaseError> {
    let loaded = sound(&script(name, text));
    for number in 1..=loaded.script.assertions.len() {
        let used = some_that_go_together(dice);
        let out = used[dice.below(used.len())];
        let strategies = [
            KeepingKind::default(),
            KeepingKind::FirstSeen,
            KeepingKind::Flood,
            KeepingKind::Buckets,
            KeepingKind::Markers,
        ];
        // So that the one that is taken of several of one kind is another one at times.
        let first = 1 + dice.below(3);
        let keepings = [
            &strategies[..1],
            &strategies[first..],
            &strategies[1..first],
        ]
        .concat();
        let set = |kinds: &[ReductionKind]| {
            let none = ReductionSet::default();
            kinds.iter().fold(none, |set, kind| set.with(*kind, true))
        };
        let run = |used: ReductionSet| {
            let how = bounded(options(used, &keepings), STATES_MAX);
            check(&loaded, number, &how)
        };
        let [with, without] = [set(&used), set(&used).without(out)].map(run);
        if !is_decided(&with) || !is_decided(&without) {
            continue;
        }
        let compared = preserves(out, [&with, &without]);
        let compared = compared.and_then(|()| verified(&loaded, &with));
        compared.map_err(|why| {
            TestCaseError::fail(format!("#{number} {out:?} of {used:?}: {why}\n{text}"))
        })?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: tiers::cases(CASES),
        max_shrink_iters: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn each_preserves_what_the_table_says(
        bytes in prop::collection::vec(any::<u8>(), 40..80),
        choices in prop::collection::vec(any::<u8>(), 80),
    ) {
        let texts = [
            random_scripts::generate(&bytes),
            numbered::generate(&bytes),
            shared_variables::generate(&bytes),
            partial_order::silent(&bytes),
        ];
        let dice = &mut Dice(choices.iter());
        for (number, text) in texts.iter().enumerate() {
            agree(&format!("preserved_{number}.csp"), text, dice)?;
        }
    }
}

/// Every reduction is at its place, and the manual's page is what the table says.
#[test]
fn the_table_is_the_page_of_the_manual() {
    for (place, entry) in TABLE.iter().enumerate() {
        assert_eq!(entry.kind as usize, place);
        assert!(!entry.excludes.contains(&entry.kind));
    }
    let text = topic("reductions").expect("there is a page").text;
    assert!(
        text.ends_with(&page()),
        "`assets/manual/reductions.md` has to end with:\n{}",
        page()
    );
}

//! What searches remember: every exact way keeps one state of each orbit, as brute force counts them;
//! flooding remembers the states of the unreduced search; markers find only what is there.

use std::path::{Path, PathBuf};

use crate::random_scripts::end;
use crate::support::sized::resized;
use crate::support::{
    bounded, check, counts, length, options, refused, replay, repository, script, sound, tiers,
    unmerged, verdict, verified,
};
use orbitscope::animate::model::{CheckOutcome, Verdict};
use orbitscope::check::Options;
use orbitscope::script::load::Loaded;
use orbitscope::search::keeping::KeepingKind;

/// A script with datatypes of its own size, and what was counted elsewhere.
struct Row {
    file: PathBuf,
    sizes: &'static [(&'static str, &'static str)],
    assertion: usize,
    /// States of the unreduced search, and orbits; where no source tells them, brute force has to.
    known: Option<(u64, u64)>,
}

const STACK: [(&str, &str); 3] = [
    ("NodeIDType", "Null | N0 | N1 | N2"),
    ("ThreadID", "T0 | T1"),
    ("Data", "A | B"),
];

fn rows() -> Vec<Row> {
    let model = |name: &str| repository("models").join(format!("{name}.csp"));
    let row = |file, assertion| Row {
        file,
        sizes: &[],
        assertion,
        known: None,
    };
    let mut rows = vec![
        Row {
            sizes: &STACK,
            known: Some((9_432, 458)),
            ..row(model("list_stack"), 1)
        },
        row(model("philosophers"), 1),
        row(model("philosophers"), 2),
        row(model("philosophers"), 3),
        Row {
            known: Some((620, 121)),
            ..row(model("peterson"), 1)
        },
        row(model("peterson"), 2),
        row(model("database"), 1),
        row(model("database"), 3),
    ];
    let digraphs = tiers::shared("findings/digraphs_3.csp", "keeping");
    rows.extend(digraphs.map(|file| Row {
        known: Some((64, 16)),
        ..row(file, 1)
    }));
    let treiber = tiers::shared("corpus/lowe-viewabs/CSP/TreiberStack.csp", "keeping");
    for (treiber, assertion) in treiber.iter().flat_map(|file| [(file, 1), (file, 2)]) {
        rows.push(Row {
            sizes: &[("NodeIDType", "Null | N0 | N1")],
            ..row(treiber.clone(), assertion)
        });
    }
    rows
}

impl Row {
    fn load(&self) -> (PathBuf, Loaded) {
        let text = std::fs::read_to_string(&self.file).expect("the script can be read");
        // The copy stands elsewhere than what it includes.
        let folder = self.file.parent().expect("a folder").display();
        let text = text.replace("include \"", &format!("include \"{folder}/"));
        let text = resized(&text, self.sizes);
        let name = self.file.file_name().expect("a file").to_string_lossy();
        let path = script(&format!("kept_{name}"), text);
        let loaded = sound(&path);
        (path, loaded)
    }
}

/// Markers find only what is there, and prove nothing.
pub(super) fn marked(
    path: &Path,
    loaded: &Loaded,
    plain: &CheckOutcome,
    found: &CheckOutcome,
) -> Result<(), String> {
    match (&found.verdict, &plain.verdict) {
        (Verdict::Approximate(_), _) => {}
        (Verdict::Fails, Verdict::Fails) => {}
        (found, plain) => return Err(format!("{found:?}, unreduced {plain:?}")),
    }
    if let Some(example) = &found.counterexample {
        replay(path, example)?;
    }
    verified(loaded, found)
}

/// Leaving out steps by state symmetry changes nothing at all but how many representatives are computed.
pub(super) fn by_state_symmetry(
    loaded: &Loaded,
    number: usize,
    exact: &CheckOutcome,
    states_max: usize,
) -> Result<(), String> {
    let how = Options {
        state_symmetry: true,
        ..unmerged(options(Some(true), KeepingKind::default(), 2))
    };
    let found = check(loaded, number, &bounded(how, states_max));
    if (counts(&found), end(&found)) != (counts(exact), end(exact)) {
        return Err(format!(
            "#{number} state symmetry: {:?} {:?}, otherwise {:?} {:?}",
            counts(&found),
            end(&found),
            counts(exact),
            end(exact)
        ));
    }
    verified(loaded, &found).map_err(|e| format!("#{number} state symmetry: {e}"))
}

fn run(loaded: &Loaded, number: usize, symmetry: bool, kind: KeepingKind) -> CheckOutcome {
    let how = unmerged(options(Some(symmetry), kind, 2));
    check(loaded, number, &bounded(how, 1_000_000))
}

fn beside(outcome: &CheckOutcome) -> u64 {
    outcome.details.as_ref().map_or(0, |d| d.unreached as u64)
}

#[test]
fn every_exact_way_keeps_one_state_of_each_orbit() {
    for row in rows() {
        let (path, loaded) = row.load();
        let place = format!("{} #{}", row.file.display(), row.assertion);
        let plain = run(&loaded, row.assertion, false, KeepingKind::default());
        let flooded = run(&loaded, row.assertion, true, KeepingKind::Flood);
        // Enumerated, image by image: nothing that chooses a representative has a part in it.
        let orbits = counts(&flooded).0 - beside(&flooded);
        if plain.verdict == Verdict::Holds {
            assert_eq!(counts(&flooded).0, counts(&plain).0, "{place}: all states");
            if let Some(known) = row.known {
                assert_eq!((counts(&plain).0, orbits), known, "{place}");
            }
        }
        for kind in KeepingKind::all().filter(|kind| *kind != KeepingKind::Markers) {
            let found = run(&loaded, row.assertion, true, kind);
            let place = format!("{place}, {}", kind.name());
            if refused(kind, &found) {
                continue;
            }
            assert_eq!(verdict(&found), verdict(&plain), "{place}");
            assert_eq!(length(&found), length(&plain), "{place}");
            if let Some(example) = &found.counterexample {
                replay(&path, example).unwrap_or_else(|e| panic!("{place}: {e}"));
            }
            verified(&loaded, &found).unwrap_or_else(|e| panic!("{place}: {e}"));
            let is_exact = [
                KeepingKind::default(),
                KeepingKind::FirstSeen,
                KeepingKind::Flood,
                KeepingKind::Buckets,
            ]
            .contains(&kind);
            if is_exact && plain.verdict == Verdict::Holds {
                assert_eq!(counts(&found).0 - beside(&found), orbits, "{place}");
            }
        }
    }
}

#[test]
fn markers_prove_nothing_and_find_what_is_there() {
    let (mut failed, mut approximate) = (0, 0);
    for row in rows() {
        let (path, loaded) = row.load();
        let place = format!("{} #{}", row.file.display(), row.assertion);
        let plain = run(&loaded, row.assertion, false, KeepingKind::default());
        let found = run(&loaded, row.assertion, true, KeepingKind::Markers);
        match &found.verdict {
            Verdict::Approximate(_) => approximate += 1,
            Verdict::Fails => failed += 1,
            other => panic!("{place}: {other:?}"),
        }
        if found.verdict == Verdict::Fails {
            assert_eq!(plain.verdict, Verdict::Fails, "{place}");
            let example = found.counterexample.as_ref().expect("a counterexample");
            replay(&path, example).unwrap_or_else(|e| panic!("{place}: {e}"));
            verified(&loaded, &found).unwrap_or_else(|e| panic!("{place}: {e}"));
        }
    }
    assert!(failed > 0 && approximate > 0);
}

/// Of the states of the ring, A A B B and A B A B look alike as far as refinement goes: they share a
/// marker, and only a pairwise test tells them apart.
#[test]
fn markers_take_two_orbits_of_the_ring_for_one() {
    let path = repository("models").join("ring.csp");
    let text = std::fs::read_to_string(path).expect("the model can be read");
    let path = script(
        "kept_ring.csp",
        format!("{text}\nassert RUN(Events) [T= Ring\n"),
    );
    let loaded = sound(&path);
    let kept = |kind| counts(&run(&loaded, 1, true, kind)).0;
    let exact = kept(KeepingKind::default());
    assert_eq!(kept(KeepingKind::Buckets), exact);
    assert_eq!(kept(KeepingKind::FirstSeen), exact);
    assert!(kept(KeepingKind::Markers) < exact);
}

/// Steps that are left out by state symmetry lead to states of orbits that are there.
#[test]
fn state_symmetry_leaves_out_steps_and_no_states() {
    for row in rows() {
        let (_, loaded) = row.load();
        let place = format!("{} #{}", row.file.display(), row.assertion);
        for kind in [KeepingKind::default(), KeepingKind::FirstSeen] {
            let how = Options {
                state_symmetry: true,
                ..unmerged(options(Some(true), kind, 2))
            };
            let folded = check(&loaded, row.assertion, &bounded(how, 1_000_000));
            let whole = run(&loaded, row.assertion, true, kind);
            assert_eq!(verdict(&folded), verdict(&whole), "{place}");
            assert_eq!(length(&folded), length(&whole), "{place}");
            assert_eq!(counts(&folded), counts(&whole), "{place}");
            let taken = |o: &CheckOutcome| o.details.as_ref().map_or(0, |d| d.representatives);
            assert!(taken(&folded) <= taken(&whole), "{place}");
        }
    }
}

/// A silent step and another one to the same state: the silent one makes the loop.
#[test]
fn state_symmetry_keeps_silent_steps() {
    let text = "datatype S = S0 | S1\nchannel a, b : S\nP(me) = a.me -> P(me) [] b.me -> P(me)\n\
                System = (||| s : S @ P(s)) \\ {|b|}\nassert System :[divergence free]\n";
    let loaded = sound(&script("kept_silent.csp", text));
    for kind in [KeepingKind::default(), KeepingKind::Flood] {
        let how = Options {
            state_symmetry: true,
            ..unmerged(options(Some(true), kind, 1))
        };
        assert_eq!(verdict(&check(&loaded, 1, &how)), "fail");
    }
}

/// The same where what is alike is numbered by integers, and the symmetry is one of the structure.
#[test]
fn state_symmetry_keeps_silent_steps_of_a_structure() {
    let text = "R = {0..1}\nchannel a, b, c : R\nP(me) = c.me -> L(me)\n\
                L(me) = a.me -> L(me) [] b.me -> L(me)\n\
                System = (||| i : R @ P(i)) \\ {|b|}\nassert System :[divergence free]\n\
                Q(me) = a.me -> b.me -> Q(me)\nFree = (||| i : R @ Q(i)) \\ {|b|}\n\
                assert Free :[divergence free]\n";
    let loaded = sound(&script("kept_silent_numbers.csp", text));
    for kind in KeepingKind::structural() {
        let how = Options {
            state_symmetry: true,
            structure: Some(true),
            ..unmerged(options(Some(true), kind, 1))
        };
        // From L to L leads a visible step, and the silent one that makes the loop.
        let found = check(&loaded, 1, &how);
        assert_eq!(verdict(&found), "fail", "{}", kind.name());
        let found = check(&loaded, 2, &how);
        assert_eq!(verdict(&found), "pass");
        let taken = found.details.as_ref().map(|d| d.representatives);
        // Idle and idle, idle and busy, busy and busy: one step, two steps, one step.
        assert_eq!((counts(&found).0, taken), (3, Some(4)), "{}", kind.name());
    }
}

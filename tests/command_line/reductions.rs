//! Options for reductions that do not go together by the table are refused, or the report says which is left out; others
//! are taken together.

use super::support::{orbitscope, script};
use orbitscope::reductions::table::{ReductionKind, TABLE, go_together};

/// The options that ask for a reduction, if some do.
fn options(kind: ReductionKind) -> Option<&'static [&'static str]> {
    Some(match kind {
        ReductionKind::Representatives => &["--rep", "ordering"],
        ReductionKind::Structure => &["--structure"],
        ReductionKind::OrbitsAsMet => &["--rep", "flood"],
        ReductionKind::Markers => &["--rep", "markers"],
        ReductionKind::StateSymmetry => &["--state-symmetry"],
        ReductionKind::PartialOrder => &["--por"],
        ReductionKind::Adaptive => &["--adaptive"],
        // No option asks for the others.
        _ => return None,
    })
}

#[test]
fn what_does_not_go_together_is_refused_or_told() {
    let text = "datatype S = A | B\nchannel a : S\nP(v) = a.v -> P(v)\nassert ||| v : S @ P(v) :[deadlock free [F]]\n";
    let path = script("reductions_together.csp", text);
    let path = path.to_str().expect("a path is text");
    let kinds = || TABLE.iter().map(|row| row.kind);
    let mut compared = 0;
    for (one, other) in kinds().flat_map(|one| kinds().map(move |other| (one, other))) {
        let (Some(first), Some(second)) = (options(one), options(other)) else {
            continue;
        };
        if one as usize >= other as usize {
            continue;
        }
        let ran = orbitscope(&[&["check", path], first, second].concat(), b"");
        let is_refused = ran.code == Some(2) || ran.code == Some(3);
        let is_told = ran.stdout.contains("does not go together");
        let place = format!("{one:?} {other:?}: {:?}\n{}", ran.code, ran.stdout);
        assert_eq!(is_refused || is_told, !go_together(one, other), "{place}");
        compared += 1;
    }
    assert_eq!(compared, 21);
}

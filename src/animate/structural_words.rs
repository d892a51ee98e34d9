//! Certificates of a comparison by a group found in the structure, in words.

use super::comparison::Line;
use super::sentences;
use super::structural_reasons::{
    ElementView, ImageRefutation, PairsReason, PointView, PointsOfBoth, RefutedImage,
    StructuralReason,
};
use super::verdict::alternatives;
use crate::report::numbers::counted;

impl PointView {
    fn text(&self) -> String {
        format!("{} in {}", self.component, self.state)
    }
}

impl ElementView {
    fn cycles(&self) -> String {
        sentences::cycles(&self.components).join("  ")
    }
}

/// `3 of state A (C0, C1, C2)`, or `none of state B`.
fn counted_of(points: &[PointView], state: &str) -> String {
    let names: Vec<&str> = points.iter().map(|p| p.component.as_str()).collect();
    match names.len() {
        0 => format!("none of state {state}"),
        count => format!("{count} of state {state} ({})", names.join(", ")),
    }
}

/// `2 of state A (C0, C1), none of state B`.
fn both((left, right): &PointsOfBoth) -> String {
    format!("{}, {}", counted_of(left, "A"), counted_of(right, "B"))
}

impl StructuralReason {
    /// The reason in lines, the first at this depth: what is compared, and then what differs.
    pub(super) fn lines(&self, depth: usize, lines: &mut Vec<Line>) {
        let so = match self {
            Self::Numbers { .. } => {
                "So both states would have as many components of each such kind. They have not:"
            }
            Self::Pairs(_) => {
                "So both states would have as many components that stand like that to others. They have not:"
            }
            Self::Tree { .. } => {
                "Numbers of such components do not decide, so each image of one component is tried:"
            }
        };
        let text = format!(
            "A permutation from A to B would take each component in its local state to a component in an image of that \
             local state. {so}"
        );
        lines.push(Line { depth, text });
        self.facts(depth, lines);
    }

    /// What differs.
    fn facts(&self, depth: usize, lines: &mut Vec<Line>) {
        let mut line = |depth: usize, text: String| lines.push(Line { depth, text });
        match self {
            Self::Numbers { orbit, inside } => {
                let (left, right) = inside;
                let example = left.first().or(right.first());
                let example = example.map_or_else(String::new, PointView::text);
                let images = match orbit.len() {
                    1 => "",
                    _ => ", or an image of it",
                };
                let (a, b) = (counted_of(left, "A"), counted_of(right, "B"));
                line(
                    depth,
                    format!("Components like {example}{images}: {a}, {b}."),
                );
            }
            Self::Pairs(found) => found.lines(depth, &mut line),
            Self::Tree { pick, refuted } => {
                let partners: Vec<&str> = refuted.iter().map(|r| &*r.partner.component).collect();
                let text = format!(
                    "{} of state A would have to go to {} of state B:",
                    pick.component,
                    alternatives(&partners)
                );
                line(depth, text);
                for one in refuted {
                    one.lines(&pick.component, depth + 1, lines);
                }
            }
        }
    }
}

impl PairsReason {
    fn lines(&self, depth: usize, line: &mut impl FnMut(usize, String)) {
        let begin = |times: usize| match times {
            0 => "no pair".to_owned(),
            times => counted(times as u64, "pair"),
        };
        let (first, second) = &self.pair;
        line(
            depth,
            format!(
                "Round {}: components that begin {} like {} with {} of state {}: {}.",
                self.round,
                begin(self.times),
                first.text(),
                second.text(),
                self.side,
                both(&self.class),
            ),
        );
        line(
            depth + 1,
            format!(
                "Until then they were like components that begin {} of that kind: {}.",
                begin(self.others),
                both(&self.rest),
            ),
        );
    }
}

impl RefutedImage {
    fn lines(&self, pick: &str, depth: usize, lines: &mut Vec<Line>) {
        let partner = &self.partner.component;
        let question = format!("{pick} to {partner}?");
        match &self.why {
            ImageRefutation::By(element, why) => {
                let applied = match element.moves.is_empty() {
                    true => String::new(),
                    false => format!("{} is applied to state A, and ", element.cycles()),
                };
                let text = format!("{question} No, where {applied}{partner} stays:");
                lines.push(Line { depth, text });
                why.facts(depth + 1, lines);
            }
            ImageRefutation::Like(other, by) => {
                let text = format!(
                    "{question} As little as to {}: {} takes state B to itself, and the one to the other.",
                    other.component,
                    by.cycles()
                );
                lines.push(Line { depth, text });
            }
        }
    }
}

//! The comparison of two states, A and B, in words: a verdict in one sentence, and the ground for it as lines that
//! can be followed by hand.

use num_bigint::BigUint;

use super::comparison::{
    CertificateView, Compared, Line, PartingView, ProfileView, RefutationView, RefutedView,
    RelationView, StateComparison, WitnessView,
};
use super::sentences;
use super::strategy::AskedStrategy;
use crate::report::numbers::{counted, grouped};

impl StateComparison {
    /// The relation of the two states, in one sentence, or two if other permutations relate them otherwise.
    #[must_use]
    pub fn verdict(&self) -> String {
        let own = self.own_verdict();
        match (&self.group, &self.other) {
            (Some(group), Some(other)) if other.relation.word() != self.relation.word() => {
                let otherwise = match &other.relation {
                    RelationView::SameOrbit(_) => "same orbit",
                    RelationView::Different(_) => "different orbits",
                    RelationView::Bisimilar { .. } => {
                        "the same orbit once bisimilar local states are merged"
                    }
                    _ => "undecided",
                };
                let other = match other.is_part {
                    true => format!("{} alone", other.group),
                    false => format!("{}, where names of events do not matter", other.group),
                };
                format!("{own} That is by {group}; by {other}: {otherwise}.")
            }
            _ => own,
        }
    }

    fn own_verdict(&self) -> String {
        match &self.relation {
            RelationView::Same => "State A and state B are the same.".to_owned(),
            RelationView::SameOrbit(witness) => {
                let agree = if self.a.representative == self.b.representative {
                    "one representative"
                } else {
                    "two representatives"
                };
                let by = match self.strategy.name().filter(|_| !self.strategy.is_usual()) {
                    Some(name) => format!(" by {name}"),
                    None => String::new(),
                };
                format!(
                    "Same orbit, {agree}{by}: {} takes state A to state B.",
                    cycles(witness)
                )
            }
            RelationView::Bisimilar { .. } => {
                "Different orbits, but the same one once bisimilar local states are merged."
                    .to_owned()
            }
            RelationView::Different(_) => "Different orbits.".to_owned(),
            RelationView::OtherFormat => {
                "Undecided: the states have other components, or other operators \
                 above them, and orbits are known only where these stay."
                    .to_owned()
            }
            RelationView::Undecided { nodes } => format!(
                "Undecided: after {} neither a permutation nor a proof that there is none was found.",
                counted(*nodes as u64, "node")
            ),
        }
    }

    /// The ground for the verdict.
    #[must_use]
    pub fn why(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        match &self.relation {
            RelationView::Same | RelationView::OtherFormat | RelationView::Undecided { .. } => {}
            RelationView::SameOrbit(witness) => witness_lines(witness, &mut lines),
            RelationView::Bisimilar {
                witness,
                components,
            } => {
                let names = sentences::ComponentNames::new(&self.a.components);
                let only = names.list(components);
                let text = format!(
                    "{} takes state A to state B, but for {only}.",
                    cycles(witness)
                );
                lines.push(Line { depth: 0, text });
                for component in components {
                    let (from, to) = (*component, witness.arrows[*component]);
                    let text = format!(
                        "{} of state A and {} of state B are bisimilar, up to that permutation.",
                        sentences::compact(&self.a.components[from]),
                        sentences::compact(&self.b.components[to]),
                    );
                    lines.push(Line { depth: 1, text });
                }
            }
            RelationView::Different(certificate) => certificate.lines(0, &mut lines),
        }
        lines
    }
}

impl PartingView {
    /// The first difference of the representatives that a strategy other than `ordering` gives two states; none if
    /// they are one state, or have different components. `is_exact` says that one orbit has one representative by it.
    pub(super) fn by(
        strategy: AskedStrategy,
        relation: &RelationView,
        (a, b): (&Compared, &Compared),
        is_exact: bool,
    ) -> Option<Self> {
        let is_one_orbit = match relation {
            RelationView::Same | RelationView::OtherFormat => return None,
            RelationView::SameOrbit(_) => true,
            RelationView::Bisimilar { .. }
            | RelationView::Different(_)
            | RelationView::Undecided { .. } => false,
        };
        let name = strategy.name().unwrap_or_default();
        let mut both = a.representative.iter().zip(&b.representative);
        let (word, text) = match both.find(|(a, b)| a != b) {
            None => (
                "same",
                format!("Strategy {name} gives both states one representative."),
            ),
            Some(_) if is_one_orbit && is_exact => (
                "fault",
                format!(
                    "Internal error: strategy {name} gives one orbit two representatives, although it came to \
                     its end for both. Please report this."
                ),
            ),
            Some((left, right)) => (
                "place",
                format!(
                    "Strategy {name} gives them two representatives, which differ first in {}: {} for state \
                     A, and {} for state B.",
                    left.label(),
                    sentences::compact(left),
                    sentences::compact(right)
                ),
            ),
        };
        Some(Self {
            step: None,
            word,
            text,
        })
    }
}

fn cycles(witness: &WitnessView) -> String {
    sentences::cycles(&witness.permutation).join("  ")
}

fn witness_lines(witness: &WitnessView, lines: &mut Vec<Line>) {
    let moved = counted(witness.moved as u64, witness.moves);
    let least = match (witness.moved, witness.is_least) {
        (0, _) if witness.moves == "component" => {
            "It moves no component: local states and events change.".to_owned()
        }
        (0, _) => "It moves no value: only copies change places.".to_owned(),
        (_, true) => format!("It moves {moved}; none that takes state A to state B moves fewer."),
        (_, false) => format!("It moves {moved}; whether another one moves fewer is not known."),
    };
    lines.push(Line {
        depth: 0,
        text: least,
    });
    if let Some(ways) = &witness.ways {
        let text = if *ways == BigUint::from(1u8) {
            "It is the only way from state A to state B.".to_owned()
        } else {
            format!(
                "There are {} ways from state A to state B, as many as leave state A as it is.",
                grouped(ways)
            )
        };
        lines.push(Line { depth: 0, text });
    }
}

/// `N0, N1 of state A and nothing of state B (2 against 0)`.
fn sides((left, right): &(Vec<String>, Vec<String>)) -> String {
    let of = |values: &[String], state: &str| match values {
        [] => format!("nothing of state {state}"),
        values => format!("{} of state {state}", values.join(", ")),
    };
    let (a, b) = (of(left, "A"), of(right, "B"));
    format!("{a} and {b} ({} against {})", left.len(), right.len())
}

/// `never`, `once`, `twice`, `3 times`.
fn times(n: usize) -> String {
    match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// The difference of the least images, with their numbers.
fn least_images(
    component: &str,
    (left, right): (&str, &str),
    (a, b): &(Option<BigUint>, Option<BigUint>),
) -> String {
    let images = |number: &Option<BigUint>| match number {
        Some(number) => grouped(number),
        None => "an unknown number of".to_owned(),
    };
    format!(
        "Counting and a tree of choices came to no end. The least of the {} images of state A and the least of the \
         {} images of state B differ: {component} is {left} in the one, and {right} in the other. That cannot be \
         checked by hand.",
        images(a),
        images(b)
    )
}

impl CertificateView {
    fn lines(&self, depth: usize, lines: &mut Vec<Line>) {
        let mut line = |depth: usize, text: String| lines.push(Line { depth, text });
        match self {
            Self::Keys { key, left, right } => {
                let count = |names: &[String], state: &str| match names {
                    [] => format!("none of state {state}"),
                    names => format!("{} of state {state} ({})", names.len(), names.join(", ")),
                };
                line(
                    depth,
                    format!(
                        "Components in the control state {key}: {}, {}.",
                        count(left, "A"),
                        count(right, "B")
                    ),
                );
            }
            Self::Profile(profile) => profile.lines(depth, &mut line),
            Self::Tree { pick, refuted } => {
                let partners: Vec<&str> = refuted.iter().map(|r| r.partner.as_str()).collect();
                line(
                    depth,
                    format!(
                        "Counting tells no more. {pick} of state A would have to go to {} of state B:",
                        alternatives(&partners)
                    ),
                );
                for one in refuted {
                    one.lines(pick, depth + 1, lines);
                }
            }
            Self::LeastImages {
                component,
                left,
                right,
                images,
            } => line(depth, least_images(component, (left, right), images)),
            Self::Structural(reason) => reason.lines(depth, lines),
            Self::Image(permutation) => line(
                depth,
                format!(
                    "Of all permutations only {} is left, and it does not take state A to \
                     state B.",
                    sentences::cycles(permutation).join("  ")
                ),
            ),
        }
    }
}

impl RefutedView {
    fn lines(&self, pick: &str, depth: usize, lines: &mut Vec<Line>) {
        let question = format!("{pick} to {}?", self.partner);
        match &self.why {
            RefutationView::By(certificate) => {
                let text = format!("{question} No:");
                lines.push(Line { depth, text });
                certificate.lines(depth + 1, lines);
            }
            RefutationView::Like(partner, by) => {
                let by = sentences::cycles(by).join("  ");
                let text = format!(
                    "{question} As little as to {partner}: {by} takes state B to itself, and the one \
                     to the other."
                );
                lines.push(Line { depth, text });
            }
        }
    }
}

impl ProfileView {
    fn lines(&self, depth: usize, line: &mut impl FnMut(usize, String)) {
        let stand = |n: usize| match n {
            0 => "never stand".to_owned(),
            n => format!("stand {}", times(n)),
        };
        line(
            depth,
            format!(
                "Round {}: {} {} as {} of components like {}, which is of state {}.",
                self.round,
                sides(&self.class),
                stand(self.times),
                self.variable,
                self.state,
                self.side,
            ),
        );
        line(
            depth + 1,
            format!(
                "Until then they were like {}, which {} there.",
                sides(&self.rest),
                stand(self.others)
            ),
        );
    }
}

/// `N0, N1 or N2`.
pub(super) fn alternatives(values: &[&str]) -> String {
    match values.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
}

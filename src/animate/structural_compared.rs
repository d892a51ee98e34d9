//! The comparison of two states by a group found in the structure: the relation, and what a checker of it needs.

use super::comparison::{CertificateView, RelationView};
use super::opened::AnimatedProcess;
use super::structural::{LeastImage, differing_images};
use super::structural_reasons::{
    ElementView, ImageRefutation, PairsReason, PointView, PointsOfBoth, RefutedImage,
    StructuralReason,
};
use crate::check::look_bounds::{LookBounds, Looking, unless_over};
use crate::machine::{FormatId, LocalId};
use crate::source::diagnostic::Result as Checked;
use crate::symmetry::certificate::WhichState;
use crate::symmetry::compare::NODES_MAX;
use crate::symmetry::structural::StructuralGroup;
use crate::symmetry::structural_certificate::{PointCell, PointRefutation, StructuralCertificate};
use crate::symmetry::structural_compare::{self, PointAnswer, PointGroup};
use orbitscope_engine::structure::element::Automorphism;

/// Steps of work on a certificate, or on the element that moves the fewest components: about a second.
const WORK_MAX: u64 = 200_000_000;

fn looking() -> Looking {
    Looking::new(LookBounds {
        work: WORK_MAX,
        ..LookBounds::BY_ITSELF
    })
}

impl AnimatedProcess {
    /// The relation of two states of different orbits, or of orbits whose least images are not known.
    pub(super) fn told_apart(
        &mut self,
        group: &StructuralGroup,
        (a, b): (&[LocalId], &[LocalId]),
        images: (&LeastImage, &LeastImage),
    ) -> Checked<RelationView> {
        let structure = group.structure();
        let points = |state: &[LocalId]| structure_points(group, state);
        let given_up = || match images.0.certain && images.1.certain {
            true => RelationView::Different(differing_images(group, images)),
            false => RelationView::Undecided { nodes: NODES_MAX },
        };
        let (Some(left), Some(right)) = (points(a), points(b)) else {
            return Ok(given_up());
        };
        let locals = self.machine.locals();
        let fixing = group.fixing(b, 0, &|| locals.is_interrupted());
        let fixing: Vec<_> = fixing.iter().map(Automorphism::on_points).collect();
        let looking = looking();
        let poll = |steps| looking.work(&self.machine, steps);
        let action = PointGroup::of(group);
        let states = (&left[..], &right[..]);
        let found = structural_compare::refute(&action, states, &fixing, NODES_MAX, &poll);
        match unless_over(&looking, found.map(Some))? {
            Some(PointAnswer::Refuted(found)) => {
                let words = PointWords::new(self, group)?;
                let reason = words.reason(self, &found);
                Ok(RelationView::Different(CertificateView::Structural(reason)))
            }
            Some(PointAnswer::Found(map)) => {
                let map = Automorphism::of_points(structure, &map);
                let (map, is_least) = self.moving_fewest(group, a, map, images.0)?;
                let witness = self.witness_by(&map, is_least, images.0);
                Ok(RelationView::SameOrbit(witness))
            }
            Some(PointAnswer::GivenUp) | None => Ok(given_up()),
        }
    }

    /// An element that moves the fewest components of those that take `state` where `map` takes it, and whether it is
    /// known to move the fewest.
    pub(super) fn moving_fewest(
        &self,
        group: &StructuralGroup,
        state: &[LocalId],
        map: Automorphism,
        image: &LeastImage,
    ) -> Checked<(Automorphism, bool)> {
        let Some(ways) = &image.stabiliser else {
            return Ok((map, false));
        };
        if *ways == 1u32.into() {
            // A permutation without alternatives moves the fewest.
            return Ok((map, true));
        }
        let locals = self.machine.locals();
        let fixing = group.fixing(state, 0, &|| locals.is_interrupted());
        let structure = group.structure();
        let stabiliser = PointGroup {
            degree: structure.points.count() as u32,
            generators: fixing.iter().map(Automorphism::on_points).collect(),
            order: ways.clone(),
        };
        let of = (0..stabiliser.degree).map(|p| structure.points.component(p) as u32);
        let of: Vec<u32> = of.collect();
        let looking = looking();
        let poll = |steps| looking.work(&self.machine, steps);
        let least = structural_compare::fewest_moved(&stabiliser, &map.on_points(), &of, &poll);
        Ok(match unless_over(&looking, least)? {
            Some(least) => (Automorphism::of_points(structure, &least), true),
            None => (map, false),
        })
    }
}

/// The points of a state; `None` if the group does not act on it.
pub(super) fn structure_points(group: &StructuralGroup, state: &[LocalId]) -> Option<Vec<u32>> {
    let points = &group.structure().points;
    let each = state.iter().enumerate();
    each.map(|(component, local)| points.point(component, *local))
        .collect()
}

/// The names of components, and the texts of their local states by point.
pub(super) struct PointWords<'a> {
    group: &'a StructuralGroup,
    /// The labels of the components.
    pub(super) labels: Vec<String>,
    /// The local state of each point.
    pub(super) states: Vec<String>,
}

impl<'a> PointWords<'a> {
    pub(super) fn new(process: &mut AnimatedProcess, group: &'a StructuralGroup) -> Checked<Self> {
        let points = &group.structure().points;
        let mut states = vec![String::new(); points.count()];
        let ranges: Vec<_> = (0..points.components()).map(|c| points.range(c)).collect();
        let rows = ranges.iter().map(|r| r.len()).max().unwrap_or(0);
        let mut labels = Vec::new();
        // States that hold each point at least once.
        for row in 0..rows as u32 {
            process.machine.eval.check_time()?;
            let at = |r: &std::ops::Range<u32>| r.start + row.min(r.end - r.start - 1);
            let locals: Vec<LocalId> = ranges.iter().map(|r| points.local(at(r))).collect();
            let components = process.components_in(FormatId(0), &locals);
            for (range, component) in ranges.iter().zip(&components) {
                states[at(range) as usize] = component.text.clone();
            }
            labels = components.iter().map(|c| c.label()).collect();
        }
        Ok(Self {
            group,
            labels,
            states,
        })
    }

    fn point(&self, number: u32) -> PointView {
        let component = self.group.structure().points.component(number);
        PointView {
            number,
            component: self.labels[component].clone(),
            state: self.states[number as usize].replace(", ", ","),
        }
    }

    fn both(&self, cell: &PointCell) -> PointsOfBoth {
        let of = |points: &[u32]| points.iter().map(|p| self.point(*p)).collect();
        (of(&cell.left), of(&cell.right))
    }

    fn element(&self, process: &mut AnimatedProcess, map: &Automorphism) -> ElementView {
        ElementView {
            components: process.components_permuted(map),
            moves: map.on_points().moves().collect(),
        }
    }

    fn reason(
        &self,
        process: &mut AnimatedProcess,
        found: &StructuralCertificate,
    ) -> StructuralReason {
        match found {
            StructuralCertificate::Numbers { orbit, inside } => StructuralReason::Numbers {
                orbit: orbit.clone(),
                inside: self.both(inside),
            },
            StructuralCertificate::Pairs(found) => {
                let because = &found.because;
                StructuralReason::Pairs(Box::new(PairsReason {
                    round: found.round,
                    class: self.both(&found.class),
                    rest: self.both(&found.rest),
                    side: match because.side {
                        WhichState::Left => "A",
                        WhichState::Right => "B",
                    },
                    pair: (self.point(because.first), self.point(because.second)),
                    times: because.times,
                    others: because.others,
                }))
            }
            StructuralCertificate::Tree { pick, refuted } => {
                let mut images = Vec::with_capacity(refuted.len());
                let lifted = |map| Automorphism::of_points(self.group.structure(), map);
                for one in refuted {
                    let why = match &one.why {
                        PointRefutation::By { element, why } => {
                            let element = self.element(process, &lifted(element));
                            ImageRefutation::By(element, self.reason(process, why))
                        }
                        PointRefutation::Like { partner, by } => ImageRefutation::Like(
                            self.point(*partner),
                            self.element(process, &lifted(by)),
                        ),
                    };
                    images.push(RefutedImage {
                        partner: self.point(one.partner),
                        why,
                    });
                }
                StructuralReason::Tree {
                    pick: self.point(*pick),
                    refuted: images,
                }
            }
        }
    }
}

//! The local states of all components as numbers.

use crate::machine::{Format, LocalId};
use crate::source::hash::Set;

/// No point.
const NOWHERE: u32 = u32::MAX;

/// The points of a format: for each component the local states that a search keeps, numbered from 0
/// on, component after component. Merged local states (Sec. 7.4) share one point, and local states that are
/// unreachable, for want of rules, have none: permuting them would be no symmetry of the network.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// The first point of each component, and the number of all.
    first: Vec<u32>,
    /// The local state of each point.
    locals: Vec<LocalId>,
    /// For each component its least local state, and the points of this and the following ones.
    of: Vec<(u32, Vec<u32>)>,
}

impl Points {
    /// The points of a format whose components were explored completely, among the local states of each component
    /// in `met`.
    #[must_use]
    pub fn new(format: &Format, met: &[Set<LocalId>]) -> Self {
        let mut points = Self {
            first: vec![0],
            ..Self::default()
        };
        for (component, reach) in format.reach().iter().enumerate() {
            let merged = |local: LocalId| format.merged().stands_for(component, local);
            let least = reach.locals.iter().map(|l| l.0).min().unwrap_or(0);
            let most = reach.locals.iter().map(|l| l.0).max().unwrap_or(0);
            let mut of = vec![NOWHERE; (most - least) as usize + 1];
            // Representatives are reached themselves, so their points exist when the others are given theirs.
            let is_met = |l: &LocalId| met[component].contains(l);
            for local in reach
                .locals
                .iter()
                .filter(|l| merged(**l) == **l && is_met(l))
            {
                of[(local.0 - least) as usize] = points.locals.len() as u32;
                points.locals.push(*local);
            }
            for local in &reach.locals {
                of[(local.0 - least) as usize] = of[(merged(*local).0 - least) as usize];
            }
            points.of.push((least, of));
            points.first.push(points.locals.len() as u32);
        }
        points
    }

    /// Number of points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.locals.len()
    }

    /// Number of components.
    #[must_use]
    pub fn components(&self) -> usize {
        self.of.len()
    }

    /// The points of a component.
    #[must_use]
    pub fn range(&self, component: usize) -> std::ops::Range<u32> {
        self.first[component]..self.first[component + 1]
    }

    /// The component that a point belongs to.
    #[must_use]
    pub fn component(&self, point: u32) -> usize {
        self.first.partition_point(|first| *first <= point) - 1
    }

    /// The local state of a point.
    #[must_use]
    pub fn local(&self, point: u32) -> LocalId {
        self.locals[point as usize]
    }

    /// The point of a local state of a component; `None` if the component cannot reach it.
    #[inline]
    #[must_use]
    pub fn point(&self, component: usize, local: LocalId) -> Option<u32> {
        let (least, of) = &self.of[component];
        let at = local.0.wrapping_sub(*least) as usize;
        of.get(at).copied().filter(|point| *point != NOWHERE)
    }
}

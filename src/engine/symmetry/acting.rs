//! Tables of the action of group elements on states.

use std::cmp::Ordering;

use crate::structure::element::Automorphism;
use crate::structure::network_structure::NetworkStructure;

/// The action of numbered elements on states: on the points of components, and
/// on the node after these where nodes are permuted.
#[derive(Debug)]
pub(super) struct ActingTable {
    /// Components, and one for the node if there are nodes.
    components: usize,
    width: usize,
    /// Points, and after them nodes.
    size: usize,
    /// For each element and each place of its image, the preimage of that place.
    from: Vec<u16>,
    /// For each element, the image of each point.
    points: Vec<u32>,
}

impl ActingTable {
    pub(super) fn new<'a>(
        structure: &NetworkStructure,
        elements: impl IntoIterator<Item = &'a Automorphism>,
    ) -> Self {
        let components = structure.points.components();
        let mut table = Self {
            components,
            width: components + usize::from(!structure.nodes.is_empty()),
            size: structure.points.count() + structure.nodes.len(),
            from: Vec::new(),
            points: Vec::new(),
        };
        elements.into_iter().for_each(|element| table.push(element));
        table
    }

    fn push(&mut self, element: &Automorphism) {
        let at = self.from.len();
        self.from.resize(at + self.width, 0);
        for place in 0..self.width {
            // The node stays in its place.
            let to = match place < self.components {
                true => element.component(place),
                false => place,
            };
            self.from[at + to] = place as u16;
        }
        self.points.extend(element.acting());
    }

    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        self.points.len() / self.size.max(1)
    }

    fn row<'a>(&'a self, element: usize, state: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        let from = &self.from[element * self.width..][..self.width];
        let points = &self.points[element * self.size..][..self.size];
        let image = |place: &u16| points[state[usize::from(*place)] as usize];
        from.iter().map(image)
    }

    /// Compares the image of a state under an element with a state.
    #[inline]
    pub(super) fn compare(&self, element: usize, state: &[u32], with: &[u32]) -> Ordering {
        self.row(element, state).cmp(with.iter().copied())
    }

    /// Writes the image of a state under an element to `out`.
    #[inline]
    pub(super) fn image(&self, element: usize, state: &[u32], out: &mut Vec<u32>) {
        out.clear();
        out.extend(self.row(element, state));
    }
}

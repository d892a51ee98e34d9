//! Colour refinement: the coarsest partition of the vertices into cells such that all vertices of a cell
//! have equally many edges of each kind to each cell.
//!
//! Cells are ranges of one array, and a cell is identified by its start. Every decision depends only
//! on colours, starts, sizes and numbers of edges, never on the numbers of vertices: in two isomorphic
//! graphs, corresponding vertices come into cells with the same start. The splits are recorded step by step
//! (a trace); two runs with different traces are on vertices that do not correspond.
//!
//! Edges are counted as sums of weights of their kinds. If two different counts ever had the
//! same sum, cells would stay together that could be split: that is harmless, since nothing is concluded
//! from vertices being in one cell.

use std::collections::VecDeque;

use super::Poll;
use super::graph::{ColouredGraph, mixed};
use crate::source::diagnostic::Result;

/// Work between two calls of `poll`, roughly.
const POLL_EVERY: u64 = 1 << 16;

/// Work done, its bound, and the closure that may end it.
pub(super) struct Effort<'a> {
    /// Ends of edges and vertices visited.
    pub(super) done: u64,
    max: u64,
    polled: u64,
    poll: Poll<'a>,
}

impl<'a> Effort<'a> {
    pub(super) fn new(max: u64, poll: Poll<'a>) -> Self {
        Self {
            done: 0,
            max,
            polled: 0,
            poll,
        }
    }

    /// Adds work. Returns whether more is allowed.
    pub(super) fn add(&mut self, work: usize) -> Result<bool> {
        self.done = self.done.saturating_add(work as u64);
        let since = self.done - self.polled;
        if since >= POLL_EVERY {
            self.polled = self.done;
            (self.poll)(usize::try_from(since).unwrap_or(usize::MAX))?;
        }
        Ok(self.done <= self.max)
    }
}

/// The use of the trace of a refinement.
pub(super) enum Tracing<'t> {
    /// It is recorded.
    Recorded(&'t mut Vec<u64>),
    /// It is compared with a given one: the refinement ends at the first step that differs.
    Compared(&'t [u64]),
}

/// Outcome of a refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refined {
    /// The partition is equitable.
    Stable,
    /// The trace differs. The cells are split in part, and have to be restored.
    Differs,
    /// The bound on work is reached, likewise.
    Exhausted,
}

/// An ordered partition of the vertices of a graph, with refinement and undo.
#[derive(Clone, Debug)]
pub struct Colouring {
    elements: Vec<u32>,
    position: Vec<u32>,
    /// The start of each vertex's cell.
    cell: Vec<u32>,
    /// The size of the cell with this start; 0 if there is none.
    size: Vec<u32>,
    cells: usize,
    /// The undo stack of splits: the cell that was split, and the part of it that became a cell.
    splits: Vec<(u32, u32)>,
    weights: Vec<u64>,
    /// Worklist of cells to refine by, first in, first out.
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// For vertices adjacent to the present splitter cell: one more than the sum of the weights of their
    /// edges to it (weights are even, so it is never 0); 0 for all others.
    sums: Vec<u64>,
    near: Vec<u32>,
    near_cells: Vec<u32>,
    /// Number of such vertices in the cell with this start.
    counts: Vec<u32>,
    sorted: Vec<(u64, u32)>,
}

impl Colouring {
    /// The partition by the colours of vertices, ascending, not refined.
    #[must_use]
    pub fn by_colour(graph: &ColouredGraph) -> Self {
        let vertices = graph.len();
        let mut elements: Vec<u32> = (0..vertices as u32).collect();
        elements.sort_by_key(|v| graph.colour(*v));
        let mut new = Self {
            position: vec![0; vertices],
            cell: vec![0; vertices],
            size: vec![0; vertices],
            cells: 0,
            splits: Vec::new(),
            weights: graph.weights(),
            queue: VecDeque::new(),
            queued: vec![false; vertices],
            sums: vec![0; vertices],
            near: Vec::new(),
            near_cells: Vec::new(),
            counts: vec![0; vertices],
            sorted: Vec::new(),
            elements,
        };
        let mut start = 0;
        for at in 0..vertices {
            let v = new.elements[at];
            if at == 0 || graph.colour(new.elements[at - 1]) != graph.colour(v) {
                start = at;
                new.cells += 1;
                new.enqueue(start as u32);
            }
            new.position[v as usize] = at as u32;
            new.cell[v as usize] = start as u32;
            new.size[start] += 1;
        }
        new
    }

    /// The coarsest equitable partition of the vertices that is finer than their colours, with a number
    /// that is invariant under isomorphism.
    ///
    /// # Errors
    /// Any error of `poll`.
    pub fn refined(graph: &ColouredGraph, poll: Poll<'_>) -> Result<(Self, u64)> {
        let mut colouring = Self::by_colour(graph);
        let mut trace: Vec<u64> = Vec::new();
        for start in colouring.starts() {
            let colour = graph.colour(colouring.members(start)[0]);
            trace.push(mixed(u64::from(colour)) ^ u64::from(start));
        }
        let mut effort = Effort::new(u64::MAX, poll);
        let tracing = &mut Tracing::Recorded(&mut trace);
        colouring.refine(graph, tracing, &mut effort)?;
        let number = trace.iter().fold(0, |hash, step| mixed(hash ^ step));
        Ok((colouring, number))
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Whether every cell has one vertex.
    #[must_use]
    pub fn is_discrete(&self) -> bool {
        self.cells == self.elements.len()
    }

    /// The start of a vertex's cell.
    #[must_use]
    pub fn cell_of(&self, v: u32) -> u32 {
        self.cell[v as usize]
    }

    /// The vertices of the cell with this start, in no meaningful order; empty if there is none.
    #[must_use]
    pub fn members(&self, start: u32) -> &[u32] {
        let size = self.size[start as usize];
        &self.elements[start as usize..(start + size) as usize]
    }

    /// The starts of all cells, ascending.
    #[must_use]
    pub fn starts(&self) -> Vec<u32> {
        let all = 0..self.size.len() as u32;
        all.filter(|start| self.size[*start as usize] > 0).collect()
    }

    /// The first cell, at `from` or later, that has several vertices. A cell has to start at `from`.
    pub(super) fn first_large(&self, from: u32) -> Option<u32> {
        let mut start = from as usize;
        while start < self.size.len() {
            if self.size[start] > 1 {
                return Some(start as u32);
            }
            start += 1;
        }
        None
    }

    /// A split: the cell, and the part of it that became a cell. The oldest is number 0.
    pub(super) fn split(&self, number: usize) -> (u32, u32) {
        self.splits[number]
    }

    /// Mark for [`Colouring::undo`].
    pub(super) fn mark(&self) -> usize {
        self.splits.len()
    }

    /// Undoes all splits since a mark, last first.
    pub(super) fn undo(&mut self, mark: usize) {
        for (cell, part) in self.splits.drain(mark..).rev() {
            let size = self.size[part as usize];
            for v in &self.elements[part as usize..(part + size) as usize] {
                self.cell[*v as usize] = cell;
            }
            self.size[cell as usize] += size;
            self.size[part as usize] = 0;
            self.cells -= 1;
        }
    }

    /// Individualises a vertex: makes it a cell, at the end of its old one, which must have several vertices.
    pub(super) fn individualise(&mut self, v: u32) {
        let start = self.cell[v as usize];
        let last = start + self.size[start as usize] - 1;
        self.swap(self.position[v as usize], last);
        self.divide(start, last);
        self.enqueue(last);
    }

    fn swap(&mut self, a: u32, b: u32) {
        self.elements.swap(a as usize, b as usize);
        for at in [a, b] {
            self.position[self.elements[at as usize] as usize] = at;
        }
    }

    fn enqueue(&mut self, start: u32) {
        if !self.queued[start as usize] {
            self.queued[start as usize] = true;
            self.queue.push_back(start);
        }
    }

    /// Splits a cell in two at a place.
    fn divide(&mut self, start: u32, at: u32) {
        let end = start + self.size[start as usize];
        self.size[start as usize] = at - start;
        self.size[at as usize] = end - at;
        for v in &self.elements[at as usize..end as usize] {
            self.cell[*v as usize] = at;
        }
        self.cells += 1;
        self.splits.push((start, at));
    }

    /// Refines by the cells in the queue and all cells split off, to a fixpoint.
    pub(super) fn refine(
        &mut self,
        graph: &ColouredGraph,
        tracing: &mut Tracing<'_>,
        effort: &mut Effort<'_>,
    ) -> Result<Refined> {
        let mut ended = Refined::Stable;
        let mut failed = None;
        while let Some(start) = self.queue.pop_front() {
            self.queued[start as usize] = false;
            let work = self.look_from(graph, start);
            let step = self.split_near(start);
            let goes_on = match tracing {
                Tracing::Recorded(trace) => {
                    trace.push(step);
                    true
                }
                Tracing::Compared(trace) => match trace.split_first() {
                    Some((first, rest)) if *first == step => {
                        *trace = rest;
                        true
                    }
                    _ => false,
                },
            };
            if !goes_on {
                ended = Refined::Differs;
                break;
            }
            match effort.add(work) {
                Ok(true) => {}
                Ok(false) => {
                    ended = Refined::Exhausted;
                    break;
                }
                Err(stopped) => {
                    failed = Some(stopped);
                    break;
                }
            }
        }
        for start in self.queue.drain(..) {
            self.queued[start as usize] = false;
        }
        if let Some(stopped) = failed {
            return Err(stopped);
        }
        let short = matches!(tracing, Tracing::Compared(rest) if !rest.is_empty());
        Ok(match ended {
            Refined::Stable if short => Refined::Differs,
            ended => ended,
        })
    }

    /// Adds up the weights of the edges to a cell, for all vertices adjacent to it. Returns the work done.
    fn look_from(&mut self, graph: &ColouredGraph, start: u32) -> usize {
        let (from, size) = (start as usize, self.size[start as usize] as usize);
        let mut work = size;
        for v in &self.elements[from..from + size] {
            let ends = graph.ends(*v);
            work += ends.len();
            for (kind, end) in ends {
                let sum = &mut self.sums[*end as usize];
                if *sum == 0 {
                    *sum = 1;
                    self.near.push(*end);
                }
                // The edge has the other direction as seen from the other end.
                *sum = sum.wrapping_add(self.weights[(*kind ^ 1) as usize]);
            }
        }
        work
    }

    /// Splits the cells adjacent to a cell by these sums. Returns the step of the trace.
    fn split_near(&mut self, from: u32) -> u64 {
        let mut single = 0u64;
        let near = std::mem::take(&mut self.near);
        for v in &near {
            let start = self.cell[*v as usize];
            let size = self.size[start as usize];
            if size == 1 {
                // In any order: the sum is the same.
                let sum = std::mem::take(&mut self.sums[*v as usize]);
                single = single.wrapping_add(mixed(sum ^ u64::from(start).rotate_left(32)));
                continue;
            }
            let count = &mut self.counts[start as usize];
            if *count == 0 {
                self.near_cells.push(start);
            }
            *count += 1;
            let at = start + size - *count;
            self.swap(self.position[*v as usize], at);
        }
        self.near = near;
        self.near.clear();
        let mut cells = std::mem::take(&mut self.near_cells);
        cells.sort_unstable();
        let size = u64::from(self.size[from as usize]);
        let mut step = mixed(mixed(u64::from(from) << 32 | size) ^ single);
        for start in cells.drain(..) {
            step = self.split_cell(start, step);
        }
        self.near_cells = cells;
        step
    }

    /// Splits a cell by the sums of its vertices: those with none stay, the others ascend.
    fn split_cell(&mut self, start: u32, mut step: u64) -> u64 {
        let size = self.size[start as usize];
        let count = std::mem::take(&mut self.counts[start as usize]);
        let (tail, end) = ((start + size - count) as usize, (start + size) as usize);
        step = mixed(step ^ (u64::from(start) << 32 | u64::from(count)));
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        for v in &self.elements[tail..end] {
            sorted.push((std::mem::take(&mut self.sums[*v as usize]), *v));
        }
        let first = sorted.first().map_or(0, |s| s.0);
        if sorted.iter().any(|s| s.0 != first) {
            sorted.sort_unstable();
            for (at, (_, v)) in (tail..end).zip(&sorted) {
                self.elements[at] = *v;
                self.position[*v as usize] = at as u32;
            }
        }
        // From the end, so that each part is touched once.
        let before = self.splits.len();
        let mut until = end;
        for at in (tail..end).rev() {
            let sum = sorted[at - tail].0;
            if at > tail && sorted[at - tail - 1].0 == sum {
                continue;
            }
            step = mixed(step ^ sum ^ ((until - at) as u64).rotate_left(32));
            until = at;
            if at > start as usize {
                self.divide(start, at as u32);
            }
        }
        self.sorted = sorted;
        self.enqueue_parts(start, before);
        step
    }

    /// Hopcroft's rule: if the cell was still in the queue, all its parts are; otherwise all but the
    /// largest, which splits nothing that the whole cell and the other parts do not.
    fn enqueue_parts(&mut self, start: u32, before: usize) {
        let mut spared = None;
        if !self.queued[start as usize] {
            let mut largest = self.size[start as usize];
            spared = Some(start);
            for (_, part) in &self.splits[before..] {
                if self.size[*part as usize] > largest {
                    largest = self.size[*part as usize];
                    spared = Some(*part);
                }
            }
        }
        if spared.is_some_and(|s| s != start) {
            self.enqueue(start);
        }
        for at in before..self.splits.len() {
            let part = self.splits[at].1;
            if spared != Some(part) {
                self.enqueue(part);
            }
        }
    }
}

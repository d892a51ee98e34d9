//! Generators of the automorphism group of a graph, by individualisation and refinement.
//!
//! A first path individualises one vertex after another until the partition is discrete. Then, from its end
//! up, for each vertex of the cell that was individualised at a level and is not yet in the orbit of the chosen
//! one, the search looks for an automorphism that fixes the vertices individualised before and maps the chosen vertex
//! to this one. Automorphisms found so far fix the levels above, so the orbits at a level are those of its stabiliser,
//! and their lengths multiply to the order of the group.
//!
//! The search for an automorphism uses two partitions, of sources and of images. The same is done to both,
//! and their traces have to be equal. As soon as all cells of several vertices hold the same vertices on both
//! sides, the map is determined: singleton cells map to each other, and all other vertices are
//! fixed; so an automorphism that moves little is found with little work. Where they differ, a vertex of such a cell is
//! individualised among the sources, and each vertex of the cell among the images in turn: the search is
//! exhaustive, so if no automorphism is found there is none.
//!
//! Every map is checked edge by edge before it is taken for an automorphism. If the bound on work ends the
//! search, the result is a subgroup, and is called incomplete.

use num_bigint::BigUint;

use super::Poll;
use super::graph::ColouredGraph;
use super::orbits::PointOrbits;
use super::permutation::{PointPermutation, product};
use super::refine::{Colouring, Effort, Refined, Tracing};
use crate::source::diagnostic::Result;
use crate::source::hash::Set;

/// Result of the search for the automorphisms of a graph.
#[derive(Clone, Debug)]
pub struct AutomorphismGroup {
    /// Generators, each checked edge by edge.
    pub generators: Vec<PointPermutation>,
    /// The order of the group that they generate.
    pub order: BigUint,
    /// Whether they generate all automorphisms; otherwise the bound on work was reached.
    pub complete: bool,
    /// The vertices of a base, each with the length of its orbit under the stabiliser of those before it. All vertices
    /// with nontrivial orbits there are included, unless the search is incomplete.
    pub base: Vec<(u32, u32)>,
    /// The orbits of the vertices.
    pub orbits: PointOrbits,
    /// Number of cells after refinement alone. If it is the number of vertices,
    /// only the identity is an automorphism, and no search was needed.
    pub cells: usize,
    /// Work done: ends of edges and vertices visited.
    pub work: u64,
}

/// A vertex of the first path.
struct Level {
    cell: u32,
    size: u32,
    vertex: u32,
    /// Number of splits before it was individualised.
    mark: usize,
    trace: Vec<u64>,
}

/// A branch of the search for an automorphism: one vertex individualised among the sources, and one
/// after another of the same cell among the images.
struct Attempt {
    cell: u32,
    /// The images to try; those from `next` on are left.
    images: Vec<u32>,
    next: usize,
    /// Whether these are all of the cell, or only the most promising one.
    listed: bool,
    trace: Vec<u64>,
    /// Number of splits before, on both sides.
    mark: usize,
    log_mark: usize,
}

/// Outcome of one step of the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Success {
    Yes,
    No,
    Exhausted,
}

struct AutomorphismSearch<'a> {
    graph: &'a ColouredGraph,
    sources: Colouring,
    images: Colouring,
    /// Vertices in cells of several images that are in another cell of the sources.
    differing: Vec<u32>,
    /// The index of each vertex in `differing`.
    differing_at: Vec<u32>,
    /// Undo log of vertices that entered or left `differing`.
    log: Vec<u32>,
    /// The identity, except while a map is checked.
    map: Vec<u32>,
    attempts: Vec<Attempt>,
    /// The vertices individualised among the images at this level and below it.
    prefix: Vec<u32>,
    generators: Vec<PointPermutation>,
    orbits: PointOrbits,
    effort: Effort<'a>,
}

const NOWHERE: u32 = u32::MAX;

/// Generators of the automorphism group of a graph, within a budget of work, counted in ends
/// of edges and vertices visited and so independent of the machine. `poll` receives the work done at
/// intervals.
///
/// # Errors
/// Any error of `poll`.
pub fn automorphisms(
    graph: &ColouredGraph,
    budget: u64,
    poll: Poll<'_>,
) -> Result<AutomorphismGroup> {
    let mut effort = Effort::new(budget, poll);
    let mut colouring = Colouring::by_colour(graph);
    let refined = colouring.refine(graph, &mut Tracing::Recorded(&mut Vec::new()), &mut effort)?;
    let mut result = AutomorphismGroup {
        generators: Vec::new(),
        order: BigUint::from(1u32),
        complete: refined == Refined::Stable,
        base: Vec::new(),
        orbits: PointOrbits::new(graph.len() as u32),
        cells: colouring.cells(),
        work: effort.done,
    };
    if !result.complete || colouring.is_discrete() {
        return Ok(result);
    }
    let Some(levels) = first_path(graph, &mut colouring, &mut effort)? else {
        result.complete = false;
        result.work = effort.done;
        return Ok(result);
    };
    let mut search = AutomorphismSearch::new(graph, colouring, effort);
    let mut lengths = Vec::new();
    for at in (0..levels.len()).rev() {
        let level = &levels[at];
        let end = levels.get(at + 1).map(|l| l.mark);
        result.complete = search.level(level, end)?;
        let length = search.orbits.size_of(level.vertex);
        lengths.push(length as usize);
        if length > 1 {
            result.base.push((level.vertex, length));
        }
        if !result.complete {
            break;
        }
    }
    result.order = product(&lengths);
    result.base.reverse();
    result.generators = search.generators;
    result.orbits = search.orbits;
    result.work = search.effort.done;
    Ok(result)
}

/// Individualises vertices until the partition is discrete; `None` if the budget is used up before.
fn first_path(
    graph: &ColouredGraph,
    colouring: &mut Colouring,
    effort: &mut Effort<'_>,
) -> Result<Option<Vec<Level>>> {
    let mut levels = Vec::new();
    let mut from = 0;
    // The choice of the cell affects the work, never the result.
    while let Some(cell) = colouring.first_large(from) {
        from = cell;
        let members = colouring.members(cell);
        let mut level = Level {
            cell,
            size: members.len() as u32,
            vertex: members[0],
            mark: colouring.mark(),
            trace: Vec::new(),
        };
        colouring.individualise(level.vertex);
        let tracing = &mut Tracing::Recorded(&mut level.trace);
        if colouring.refine(graph, tracing, effort)? != Refined::Stable {
            return Ok(None);
        }
        level.trace.shrink_to_fit();
        levels.push(level);
    }
    Ok(Some(levels))
}

impl<'a> AutomorphismSearch<'a> {
    fn new(graph: &'a ColouredGraph, leaf: Colouring, effort: Effort<'a>) -> Self {
        let vertices = graph.len();
        Self {
            graph,
            images: leaf.clone(),
            sources: leaf,
            differing: Vec::new(),
            differing_at: vec![NOWHERE; vertices],
            log: Vec::new(),
            map: (0..vertices as u32).collect(),
            attempts: Vec::new(),
            prefix: Vec::new(),
            generators: Vec::new(),
            orbits: PointOrbits::new(vertices as u32),
            effort,
        }
    }

    /// Finds the orbit of the vertex of a level. Returns whether the budget sufficed. `end` is the mark of the next
    /// level.
    fn level(&mut self, level: &Level, end: Option<usize>) -> Result<bool> {
        if let Some(end) = end {
            self.sources.undo(end);
        }
        self.images.undo(level.mark);
        // Often one automorphism is enough, and the cell may be large.
        let first = self.images.members(level.cell).iter();
        let first = first.copied().find(|v| *v != level.vertex);
        let mut failed: Vec<u32> = Vec::new();
        if let Some(image) = first {
            match self.find(level, image)? {
                Success::Exhausted => return Ok(false),
                Success::No => failed.push(image),
                Success::Yes => {}
            }
        }
        if self.orbits.size_of(level.vertex) == level.size {
            return Ok(true);
        }
        let cell = self.images.members(level.cell).to_vec();
        if !self.effort.add(cell.len())? {
            return Ok(false);
        }
        let mut failed_roots: Set<u32> = failed.iter().map(|v| self.orbits.root_of(*v)).collect();
        for image in cell {
            let root = self.orbits.root_of(image);
            // The stabiliser of the levels above maps to the chosen vertex all vertices of an orbit, or none.
            if root == self.orbits.root_of(level.vertex) || failed_roots.contains(&root) {
                continue;
            }
            match self.find(level, image)? {
                Success::Exhausted => return Ok(false),
                Success::No => {
                    failed.push(image);
                    failed_roots.insert(root);
                }
                Success::Yes => {
                    failed_roots = failed.iter().map(|v| self.orbits.root_of(*v)).collect();
                }
            }
        }
        Ok(true)
    }

    /// Searches for an automorphism that fixes the levels above and maps the vertex of the level to `image`.
    fn find(&mut self, level: &Level, image: u32) -> Result<Success> {
        let source_end = self.sources.mark();
        self.images.individualise(image);
        self.prefix.push(image);
        let tracing = &mut Tracing::Compared(&level.trace);
        let found = match self.images.refine(self.graph, tracing, &mut self.effort)? {
            Refined::Stable => {
                self.note_splits(level.mark)?;
                self.descend(level)?
            }
            Refined::Differs => Success::No,
            Refined::Exhausted => Success::Exhausted,
        };
        self.attempts.clear();
        self.prefix.clear();
        self.take_back(0);
        self.sources.undo(source_end);
        self.images.undo(level.mark);
        Ok(found)
    }

    /// Individualises on both sides until the map is determined.
    fn descend(&mut self, level: &Level) -> Result<Success> {
        loop {
            if self.differing.is_empty() && self.take_map(level) {
                return Ok(Success::Yes);
            }
            if let Some((source, image)) = self.choice() {
                match self.attempt(source, image)? {
                    Refined::Stable => {}
                    _ => return Ok(Success::Exhausted),
                }
            } else {
                // Both are discrete, and the map is no automorphism.
                self.drop_image();
            }
            match self.next_image()? {
                Success::Yes => {}
                other => return Ok(other),
            }
        }
    }

    /// Individualises a vertex among the sources, and the first image to try.
    fn attempt(&mut self, source: u32, image: u32) -> Result<Refined> {
        let mut attempt = Attempt {
            cell: self.sources.cell_of(source),
            images: vec![image],
            next: 0,
            listed: false,
            trace: Vec::new(),
            mark: self.sources.mark(),
            log_mark: self.log.len(),
        };
        self.sources.individualise(source);
        let tracing = &mut Tracing::Recorded(&mut attempt.trace);
        let refined = self.sources.refine(self.graph, tracing, &mut self.effort)?;
        self.attempts.push(attempt);
        Ok(refined)
    }

    /// Individualises the next image of the last attempt, or of an earlier one if none is left.
    fn next_image(&mut self) -> Result<Success> {
        while let Some(attempt) = self.attempts.last() {
            let (at, listed) = (attempt.next, attempt.listed);
            let Some(image) = attempt.images.get(at).copied() else {
                if listed {
                    self.sources.undo(attempt.mark);
                    self.attempts.pop();
                    self.drop_image();
                } else if !self.list_images()? {
                    return Ok(Success::Exhausted);
                }
                continue;
            };
            let mark = attempt.mark;
            self.images.individualise(image);
            self.prefix.push(image);
            let mut tracing = Tracing::Compared(&attempt.trace);
            let images = &mut self.images;
            let refined = images.refine(self.graph, &mut tracing, &mut self.effort)?;
            if let Some(attempt) = self.attempts.last_mut() {
                attempt.next += 1;
            }
            match refined {
                Refined::Stable => {
                    self.note_splits(mark)?;
                    return Ok(Success::Yes);
                }
                Refined::Differs => self.drop_image(),
                Refined::Exhausted => return Ok(Success::Exhausted),
            }
        }
        Ok(Success::No)
    }

    /// Undoes the individualised image of the last attempt, if there is an attempt.
    fn drop_image(&mut self) {
        if let Some(attempt) = self.attempts.last() {
            let (mark, log_mark) = (attempt.mark, attempt.log_mark);
            self.images.undo(mark);
            self.prefix.pop();
            self.take_back(log_mark);
        }
    }

    /// Completes the list of images of the last attempt: one of each orbit of the automorphisms that fix all vertices
    /// individualised among the images, since these take a solution for one to a solution for the others.
    fn list_images(&mut self) -> Result<bool> {
        let Some(attempt) = self.attempts.last_mut() else {
            return Ok(true);
        };
        attempt.listed = true;
        let prefix = &self.prefix;
        let fixes = |g: &&PointPermutation| prefix.iter().all(|v| g.apply(*v) == *v);
        let mut orbits = PointOrbits::new(self.graph.len() as u32);
        for generator in self.generators.iter().filter(fixes) {
            orbits.join(generator);
        }
        let mut known: Set<u32> = Set::default();
        for image in &attempt.images {
            known.insert(orbits.root_of(*image));
        }
        for image in self.images.members(attempt.cell) {
            if known.insert(orbits.root_of(*image)) {
                attempt.images.push(*image);
            }
        }
        let work = self.graph.len() + self.generators.len() * (1 + prefix.len());
        self.effort.add(work)
    }

    /// The next source and image to individualise, of one cell; `None` if both partitions are discrete.
    fn choice(&self) -> Option<(u32, u32)> {
        let Some(image) = self.differing.last().copied() else {
            let cell = self.images.first_large(0)?;
            let first = |side: &Colouring| side.members(cell).first().copied();
            return first(&self.sources).zip(first(&self.images));
        };
        let cell = self.images.cell_of(image);
        // The image, its image and so on, as far as determined: the last one may be mapped to
        // the first, which closes a cycle and moves nothing else.
        let mut end = image;
        loop {
            let at = self.sources.cell_of(end);
            match (self.sources.members(at), self.images.members(at)) {
                ([_], [to]) => end = *to,
                _ => break,
            }
        }
        if self.sources.cell_of(end) == cell {
            return Some((end, image));
        }
        let sources = self.sources.members(cell);
        let odd = sources.iter().find(|v| self.images.cell_of(**v) != cell);
        Some((*odd.or(sources.first())?, image))
    }

    /// Updates `differing` after both sides were split since a mark. The splits are the
    /// same on both sides, since the traces are.
    fn note_splits(&mut self, mark: usize) -> Result<()> {
        let mut work = 0;
        for at in mark..self.images.mark() {
            let (cell, part) = self.images.split(at);
            // A vertex that stays in its cell, with others, differs only if it left the cell on the other side,
            // and then it is in a part there.
            let alone = self.images.members(cell).len() == 1;
            for start in alone.then_some(cell).into_iter().chain([part]) {
                let size = self.images.members(start).len();
                for i in 0..size {
                    self.note(self.images.members(start)[i]);
                    self.note(self.sources.members(start)[i]);
                }
                work += 2 * size;
            }
        }
        // If the budget is exceeded, the next refinement reports it.
        self.effort.add(work)?;
        Ok(())
    }

    /// Updates `differing` for one vertex.
    fn note(&mut self, v: u32) {
        let cell = self.images.cell_of(v);
        let differs = self.sources.cell_of(v) != cell && self.images.members(cell).len() > 1;
        if differs != (self.differing_at[v as usize] != NOWHERE) {
            self.toggle(v);
            self.log.push(v);
        }
    }

    fn toggle(&mut self, v: u32) {
        let at = self.differing_at[v as usize];
        if at == NOWHERE {
            self.differing_at[v as usize] = self.differing.len() as u32;
            self.differing.push(v);
            return;
        }
        self.differing.swap_remove(at as usize);
        if let Some(other) = self.differing.get(at as usize) {
            self.differing_at[*other as usize] = at;
        }
        self.differing_at[v as usize] = NOWHERE;
    }

    fn take_back(&mut self, log_mark: usize) {
        while self.log.len() > log_mark {
            if let Some(v) = self.log.pop() {
                self.toggle(v);
            }
        }
    }

    /// Takes the map of singleton cells as a generator, if it is an automorphism. Returns whether it is.
    fn take_map(&mut self, level: &Level) -> bool {
        let mut moves = Vec::new();
        for at in level.mark..self.images.mark() {
            let (cell, part) = self.images.split(at);
            for start in [cell, part] {
                if let ([from], [to]) = (self.sources.members(start), self.images.members(start)) {
                    moves.push((*from, *to));
                }
            }
        }
        let Some(p) = PointPermutation::of_moves(self.graph.len() as u32, moves) else {
            return false;
        };
        for (point, to) in p.moves() {
            self.map[point as usize] = to;
        }
        let is_kept = self.graph.is_kept(&self.map, p.moved());
        for point in p.moved() {
            self.map[*point as usize] = *point;
        }
        if is_kept {
            self.orbits.join(&p);
            self.generators.push(p);
        }
        is_kept
    }
}

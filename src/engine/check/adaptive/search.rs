//! Adaptive search: breadth first, one entry at a time, on one thread.

use std::time::{Duration, Instant};

use super::Spent;
use super::groups::{CellGroups, CellId};
use crate::machine::{EventId, FormatId};
use crate::search::breadth_first::{LazyProduct, SearchControl};
use crate::search::counterexample::{ProductTransition, broken, moves};
use crate::search::figures::Figures;
use crate::search::product::{Product, ProductMiss, ProductState, Violation};
use crate::source::diagnostic::Result;
use crate::source::hash::{IndexMap, IndexSet};
use crate::source::{Stop, WorkStage};
use crate::structure::element::Automorphism;
use crate::symmetry::Representative;
use crate::symmetry::strategy::Strategy;

/// Images that may be expanded beyond twice the number of the unreduced search.
const SLACK: u64 = 2_000;
/// Bytes of an entry besides its key.
const ENTRY_BYTES: usize = 64;
/// Parent of the first entry.
const NONE: u32 = u32::MAX;

/// The number of an entry, in the order of storing.
pub(in super::super) type EntryNumber = u32;

/// An entry with a violation in one of its images.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ViolatingEntry {
    pub(super) entry: EntryNumber,
    /// The number of the image.
    pub(super) image: usize,
    pub(super) violation: Violation,
    length: usize,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum AdaptiveEnd {
    /// Every entry was expanded.
    Exhausted,
    /// A violation was found.
    Violated(ViolatingEntry),
    /// A limit was reached.
    Stopped(Stop),
    /// More work than the unreduced search.
    TooMuch(Spent),
}

/// Seen set of entries: keys of group number and packed pair, with the parent of each.
#[derive(Debug, Default)]
pub(in super::super) struct Entries {
    of: IndexMap<Box<[u8]>, u32>,
    bytes: usize,
}

impl Entries {
    /// The key of an entry.
    pub(super) fn key(group: CellId, packed: &[u8], out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&group.0.to_le_bytes());
        out.extend_from_slice(packed);
    }

    /// The group and the pair of an entry.
    pub(super) fn get(&self, product: &Product<'_>, entry: EntryNumber) -> (CellId, ProductState) {
        let mut state = ProductState::default();
        let mut group = CellId(0);
        if let Some((key, _)) = self.of.get_index(entry as usize) {
            group = CellId(u16::from_le_bytes([key[0], key[1]]));
            product.unpack(&key[2..], &mut state);
        }
        (group, state)
    }

    /// The parent of an entry.
    pub(super) fn parent(&self, entry: EntryNumber) -> Option<EntryNumber> {
        let parent = self.of.get_index(entry as usize).map(|(_, parent)| *parent);
        parent.filter(|parent| *parent != NONE)
    }

    /// The number of the entry with this key.
    pub(super) fn find(&self, key: &[u8]) -> Option<EntryNumber> {
        self.of.get_index_of(key).map(|n| n as u32)
    }

    fn len(&self) -> usize {
        self.of.len()
    }
}

/// A finished search.
pub(in super::super) struct AdaptiveSearch {
    pub(super) end: AdaptiveEnd,
    pub(super) figures: Figures,
    pub(super) entries: Entries,
    pub(super) images: u64,
    /// The lower bound on represented pairs, whether it is exact, and the number of groups of entries.
    pub(super) at_least: (u64, bool, usize),
}

/// The steps of an image with their target nodes; `None` if the specification refuses the event.
pub(super) type ImageSteps = Vec<(ProductTransition, Option<u32>)>;

/// The transitions of an image, and its violation.
pub(super) fn steps_of(
    product: &Product<'_>,
    at: &ProductState,
) -> std::result::Result<(ImageSteps, Option<Violation>), ProductMiss> {
    let mut steps = Vec::new();
    let mut initials = Vec::new();
    let mut refused = None;
    let from = product.followed_from_state(at)?;
    for step in moves(product, at)? {
        let node = product.follow(from, step.event)?;
        if node.is_none() {
            refused = refused.or(Some(Violation::Event(step.event)));
        }
        initials.push(step.event);
        steps.push((step, node));
    }
    let wrong = product.violation(at.node, &mut initials)?;
    Ok((steps, wrong.or(refused)))
}

/// The target pair of a step, up to bisimilar local states and nodes. Returns `None` after ✓ and after a refused event.
pub(super) fn target(
    product: &Product<'_>,
    (step, node): &(ProductTransition, Option<u32>),
) -> Option<ProductState> {
    let node = node.filter(|_| step.event != EventId::TICK)?;
    Some(merged(product, node, step))
}

fn merged(product: &Product<'_>, node: u32, step: &ProductTransition) -> ProductState {
    let mut locals = step.locals.clone();
    product
        .network
        .format(step.format)
        .merged()
        .apply(&mut locals);
    ProductState {
        node: product.class_of(node),
        format: step.format.0,
        locals,
    }
}

/// The key of the entry that represents a pair under a group.
pub(super) fn key_under(
    product: &Product<'_>,
    groups: &CellGroups,
    (group, state): (CellId, &ProductState),
    out: &mut Representative,
    key: &mut Vec<u8>,
) -> std::result::Result<(), ProductMiss> {
    let context = product.context(state.node, FormatId(state.format), &state.locals);
    groups.least(group).representative(&context, out)?;
    let mut packed = Vec::new();
    product.pack(
        out.structural.node,
        FormatId(state.format),
        &out.locals,
        &mut packed,
    );
    Entries::key(group, &packed, key);
    Ok(())
}

/// The image of a pair.
pub(super) fn image(
    groups: &CellGroups,
    element: &Automorphism,
    state: &ProductState,
) -> Option<ProductState> {
    let structure = groups.acted_on();
    let node = match structure.node_of.get(&state.node) {
        Some(place) => structure.nodes[element.node(*place) as usize].id,
        None => state.node,
    };
    Some(ProductState {
        node,
        format: state.format,
        locals: element.state(structure, &state.locals)?,
    })
}

/// The initial pair, up to bisimilar local states and nodes.
pub(super) fn first(product: &Product<'_>) -> ProductState {
    let mut locals = product.network.initial().to_vec();
    product.network.first().merged().apply(&mut locals);
    ProductState {
        node: product.class_of(0),
        format: 0,
        locals,
    }
}

/// A search in progress.
struct AdaptiveRun<'r> {
    groups: &'r mut CellGroups,
    entries: Entries,
    figures: Figures,
    images: u64,
    /// For each group, the number of pairs that its expanded entries represent, which is zero if it has none.
    stand_for: Vec<u64>,
    worst: Option<ViolatingEntry>,
    out: Representative,
    key: Vec<u8>,
    started: Instant,
    reported: Duration,
}

/// Explores from the initial pair.
///
/// # Errors
/// An evaluation error, or an internal error.
pub(in super::super) fn adaptive_search(
    lazy: &mut LazyProduct<'_>,
    groups: &mut CellGroups,
    control: &mut SearchControl<'_>,
) -> Result<AdaptiveSearch> {
    let mut run = AdaptiveRun {
        groups,
        entries: Entries::default(),
        figures: Figures::default(),
        images: 0,
        stand_for: Vec::new(),
        worst: None,
        out: Representative::default(),
        key: Vec::new(),
        started: Instant::now(),
        reported: Duration::ZERO,
    };
    let initial = first(&lazy.product());
    run.enter(lazy, &initial, CellGroups::TOP, NONE)?;
    let mut end = None;
    let mut ply = 0..run.entries.len();
    while end.is_none() && !ply.is_empty() {
        for entry in ply.clone() {
            run.figures.frontier = run.entries.len() - entry;
            end = match run.stop(control) {
                None => run.expand(lazy, entry as u32, control)?,
                stop => stop,
            };
            if end.is_some() {
                break;
            }
        }
        if end.is_none() {
            run.figures.ply += 1;
            // Violations found later are no shorter.
            end = run.worst.map(AdaptiveEnd::Violated);
            ply = ply.end..run.entries.len();
        }
    }
    // A violation found before a limit is still a failure.
    let end = match (end, run.worst) {
        (Some(AdaptiveEnd::Stopped(_) | AdaptiveEnd::TooMuch(_)), Some(worst)) => {
            AdaptiveEnd::Violated(worst)
        }
        (end, _) => end.unwrap_or(AdaptiveEnd::Exhausted),
    };
    run.figures.states = run.entries.len();
    run.figures.frontier = 0;
    (control.progress)(&run.figures);
    let groups = run.stand_for.iter().filter(|n| **n > 0).count();
    let complete = matches!(end, AdaptiveEnd::Exhausted) && groups == 1;
    let exactly = complete && run.figures.steps.fallbacks == 0;
    Ok(AdaptiveSearch {
        end,
        at_least: (run.unreduced(), exactly, groups),
        figures: run.figures,
        entries: run.entries,
        images: run.images,
    })
}

impl AdaptiveRun<'_> {
    /// Stores an entry that represents a pair, unless the pair is already represented.
    fn enter(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        state: &ProductState,
        group: CellId,
        from: u32,
    ) -> Result<()> {
        let Self {
            groups,
            entries,
            figures,
            out,
            key,
            ..
        } = self;
        // The group itself comes last, so its key remains in the buffer.
        let known = lazy.complete(|product| {
            for above in groups.above(group) {
                key_under(product, groups, (*above, state), out, key)?;
                if entries.of.contains_key(&key[..]) {
                    return Ok(true);
                }
            }
            Ok(false)
        })?;
        figures.steps.representatives += groups.above(group).len() as u64;
        figures.steps.fallbacks += u64::from(out.fell_back);
        if !known {
            entries.bytes += key.len() + ENTRY_BYTES;
            entries.of.insert(key.as_slice().into(), from);
        }
        Ok(())
    }

    /// The limit that was reached, if one was, or that the search is too much work.
    fn stop(&mut self, control: &mut SearchControl<'_>) -> Option<AdaptiveEnd> {
        self.figures.states = self.entries.len();
        self.figures.bytes = self.entries.bytes;
        let elapsed = self.started.elapsed();
        if elapsed.saturating_sub(self.reported) >= Duration::from_millis(100) {
            self.reported = elapsed;
            (control.progress)(&self.figures);
        }
        if self.entries.len() > control.limits.states_max {
            return Some(AdaptiveEnd::Stopped(Stop::States));
        }
        let unreduced = self.unreduced();
        if self.images > 2 * unreduced + SLACK {
            return Some(AdaptiveEnd::TooMuch(Spent {
                entries: self.entries.len(),
                images: self.images,
                unreduced,
            }));
        }
        control
            .cancel
            .reach(WorkStage::Searching, self.figures.states);
        let stop = control.limits.reached(control.cancel, self.figures.bytes);
        stop.map(AdaptiveEnd::Stopped)
    }

    /// A lower bound on the pairs that the unreduced search has expanded.
    fn unreduced(&self) -> u64 {
        self.stand_for.iter().copied().max().unwrap_or(0)
    }

    /// Adds the pairs that an entry represents to the count of its group.
    fn count(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        group: CellId,
        state: &ProductState,
    ) -> Result<()> {
        let Self {
            groups, out, key, ..
        } = self;
        out.counting = true;
        lazy.complete(|product| key_under(product, groups, (group, state), out, key))?;
        out.counting = false;
        // An image that may not be the least could be stored twice, and must not count twice.
        let orbit = match (out.fell_back, &out.stabiliser) {
            (false, Some(stabiliser)) => groups.order(group) / stabiliser.to_big(),
            _ => 0u32.into(),
        };
        let orbit = u64::try_from(orbit).unwrap_or(u64::MAX / 4);
        self.stand_for.resize(self.groups.count(), 0);
        let sum = &mut self.stand_for[usize::from(group.0)];
        *sum = sum.saturating_add(orbit).min(u64::MAX / 4);
        Ok(())
    }

    /// Expands an entry. Returns the end if no later violation can be shorter.
    fn expand(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        entry: u32,
        control: &mut SearchControl<'_>,
    ) -> Result<Option<AdaptiveEnd>> {
        let (group, state) = self.entries.get(&lazy.product(), entry);
        self.count(lazy, group, &state)?;
        let Some(images) = self.groups.images(lazy.machine, group)? else {
            return Ok(Some(AdaptiveEnd::TooMuch(Spent {
                entries: self.entries.len(),
                images: self.images,
                unreduced: self.unreduced(),
            })));
        };
        let count = images.len();
        // Equal images up to the group of the whole network are expanded once.
        let mut seen: IndexSet<Vec<u8>> = IndexSet::default();
        for number in 0..count {
            // There may be thousands of images, each with as many successors.
            if number > 0
                && let Some(stop) = self.stop(control)
            {
                return Ok(Some(stop));
            }
            let Some(at) = self.image(lazy, (group, &state), number)? else {
                return Err(broken("a state has no image"));
            };
            if count > 1 {
                let Self {
                    groups, out, key, ..
                } = self;
                let bottom = (CellGroups::BOTTOM, &at);
                lazy.complete(|product| key_under(product, groups, bottom, out, key))?;
                if !seen.insert(key.clone()) {
                    continue;
                }
            }
            self.images += 1;
            let (steps, wrong) = lazy.complete(|product| steps_of(product, &at))?;
            if let Some(violation) = wrong {
                let length = self.figures.ply + violation.steps();
                let found = ViolatingEntry {
                    entry,
                    image: number,
                    violation,
                    length,
                };
                if self.worst.is_none_or(|worst| length < worst.length) {
                    self.worst = Some(found);
                }
                if length == self.figures.ply {
                    return Ok(Some(AdaptiveEnd::Violated(found)));
                }
            }
            self.follow(lazy, (entry, group, number), &steps)?;
        }
        Ok(None)
    }

    /// Computes one image of a pair.
    fn image(
        &mut self,
        lazy: &LazyProduct<'_>,
        (group, state): (CellId, &ProductState),
        number: usize,
    ) -> Result<Option<ProductState>> {
        let images = self.groups.images(lazy.machine, group)?;
        let element = images.and_then(|all| all.get(number)).cloned();
        Ok(element.and_then(|element| image(self.groups, &element, state)))
    }

    /// Stores the target of a step.
    fn follow(
        &mut self,
        lazy: &mut LazyProduct<'_>,
        (entry, group, number): (u32, CellId, usize),
        steps: &ImageSteps,
    ) -> Result<()> {
        for step in steps {
            let class = self.groups.class_of(step.0.rule);
            // A symmetric rule needs one image only, and the first always exists.
            if number > 0 && self.groups.keeps(group, class) {
                continue;
            }
            self.figures.steps.transitions += 1;
            let Some(next) = target(&lazy.product(), step) else {
                continue;
            };
            if next.format != 0 {
                return Err(broken("the network takes another form"));
            }
            let after = self.groups.after(lazy.machine, group, class)?;
            if after != group {
                self.groups.split_by(class);
            }
            self.enter(lazy, &next, after, entry)?;
        }
        Ok(())
    }
}

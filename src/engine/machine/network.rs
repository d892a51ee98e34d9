//! Networks: the supercombinator of one process, with its formats (Defs. 26 and 27, App. C).

use super::bisimilar::{MergedStates, Visible};
use super::changes::{ChangeScratch, Changes};
use super::composition::Composition;
use super::copies::Copies;
use super::events::EventId;
use super::format::Format;
use super::ids::{FormatId, LocalId, Miss};
use super::locals::Locals;
use super::reach::ExploreBounds;
use super::reconfigure::{LeafOrigin, reconfigure};
use super::rules::{LedRule, ListedRules};
use super::shared::Machine;
use super::tree::Tree;
use super::unroll::{COMPONENTS_MAX, unroll, unroll_at_root};
use super::waiting::HeldBack;
use crate::process::term::Term;
use crate::source::Diagnostic;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexMap;

/// Growth steps of a network at most, besides one for each initial component.
const GROWTH_MAX: usize = 512;
/// From this many formats on, operators that end stay inside of the components that reach them.
const ENDING_FORMATS_MAX: usize = 256;

/// The supercombinator of one process.
///
/// Formats are never removed or replaced, so their numbers stay valid.
#[derive(Clone, Debug)]
pub struct Network {
    /// All formats discovered; the first is that of the initial state.
    formats: Vec<Format>,
    /// The origin of each format.
    origins: Vec<FormatOrigin>,
    format_of: IndexMap<(Tree, Vec<LocalId>), FormatId>,
    /// The changes from one format to the next.
    changes: Changes,
    initial: Vec<LocalId>,
    /// Bound on exploring components ahead.
    explore_max: usize,
    /// The reason why some format with states is not mappable to itself, if there is one.
    asymmetry: Option<Box<Diagnostic>>,
}

/// Origin of a format.
#[derive(Clone, Copy, Debug)]
struct FormatOrigin {
    /// Whether states of this format exist; a format made on trial and not mappable has none.
    entered: bool,
    /// Number of growth steps on the way to it.
    grown: usize,
}

/// A transition of a global state.
#[derive(Clone, Copy, Debug)]
pub struct Successor<'a> {
    /// The event of the network.
    pub event: EventId,
    /// Index of the rule in its format.
    pub rule: u32,
    /// The format afterwards.
    pub format: FormatId,
    /// The local states afterwards.
    pub locals: &'a [LocalId],
    /// The components that move, with the ranges of their possible targets.
    choices: &'a [(u16, (u32, u32))],
    /// Whether no operator ended, and no component became a parallel composition: then the vector keeps its form.
    keeps_form: bool,
    /// Whether all steps with the same movers have the same leader.
    pub settled: bool,
}

impl Successor<'_> {
    /// Whether all other components are unchanged, and all are in their old places. The format alone does not
    /// decide that: an operator may end and lead back to it.
    #[inline]
    #[must_use]
    pub fn keeps_form(&self) -> bool {
        self.keeps_form
    }

    /// The components that move, by their old places.
    pub fn movers(&self) -> impl Iterator<Item = u16> + Clone {
        self.choices.iter().map(|(component, _)| *component)
    }
}

/// Scratch buffers of successor generation.
#[derive(Debug, Default)]
pub struct RuleScratch {
    next: Vec<LocalId>,
    /// The index entry of each component's local state.
    listed: Vec<ListedRules>,
    choices: Vec<(u16, (u32, u32))>,
    changes: ChangeScratch,
    held: HeldBack,
}

impl Network {
    /// The network of a term.
    ///
    /// # Errors
    /// Limits, and sets whose members cannot be decided. An evaluation error while components are explored ahead is
    /// none: it is reported when a search reaches the place.
    pub fn new(machine: &mut Machine, term: Term, explore_max: usize) -> Result<Self> {
        let unrolled = unroll_at_root(machine, term)?;
        machine.note_kept_together(unrolled.kept_together);
        let mut network = Self {
            formats: Vec::new(),
            origins: Vec::new(),
            format_of: IndexMap::default(),
            changes: Changes::default(),
            initial: unrolled.leaves.clone(),
            explore_max,
            asymmetry: None,
        };
        let first = network.format_like(machine, unrolled.tree, &unrolled.leaves)?;
        network.enter(first);
        Ok(network)
    }

    /// All formats discovered; the first is that of the initial state.
    #[must_use]
    pub fn formats(&self) -> &[Format] {
        &self.formats
    }

    /// A format by number.
    #[inline]
    #[must_use]
    pub fn format(&self, format: FormatId) -> &Format {
        &self.formats[format.0 as usize]
    }

    /// The format of the initial state.
    #[must_use]
    pub fn first(&self) -> &Format {
        &self.formats[0]
    }

    /// The initial vector.
    #[must_use]
    pub fn initial(&self) -> &[LocalId] {
        &self.initial
    }

    /// The reason why some format with states is not mappable to itself, if there is one.
    #[must_use]
    pub fn asymmetry(&self) -> Option<&Diagnostic> {
        self.asymmetry.as_deref()
    }

    /// Whether states of a format exist; a format made on trial and not mappable has none.
    #[must_use]
    pub fn is_entered(&self, format: FormatId) -> bool {
        self.origins[usize::from(format.0)].entered
    }

    fn note_asymmetry(&mut self, format: FormatId) {
        if self.is_entered(format) && self.asymmetry.is_none() {
            self.asymmetry = self.formats[usize::from(format.0)].mappable().err();
        }
    }

    /// Notes that there are states of a format.
    fn enter(&mut self, format: FormatId) {
        self.origins[usize::from(format.0)].entered = true;
        self.note_asymmetry(format);
    }

    /// Explores compressed components completely, within the overall limits, while there is a single
    /// format.
    ///
    /// # Errors
    /// A limit, and as [`Network::new`].
    pub fn explore_to_the_end(&mut self, machine: &mut Machine) -> Result<()> {
        let [format] = &self.formats[..] else {
            return Ok(());
        };
        let mut components = format.components().iter().zip(format.reach());
        if !components.any(|(own, reach)| !reach.complete && machine.is_compressed(own.initial)) {
            return Ok(());
        }
        let (tree, leaves) = (format.tree().clone(), format.labels());
        let composition = Composition::new(tree, &leaves, &machine.locals);
        let bounds = ExploreBounds::to_the_end(self.explore_max);
        let may_have_copies = machine.is_exchanging();
        self.formats[0] = Format::new(machine, composition, bounds, may_have_copies)?;
        machine.rank_shapes()?;
        self.note_asymmetry(FormatId(0));
        Ok(())
    }

    /// Merges bisimilar local states of the initial format.
    ///
    /// # Errors
    /// A limit.
    pub fn merge_bisimilar(&mut self, machine: &mut Machine, visible: Visible) -> Result<()> {
        self.formats[0].merge_bisimilar(machine, visible)
    }

    /// Replaces the table of merged local states; an empty one suspends merging. Returns the former one.
    pub fn replace_merged(&mut self, merged: MergedStates) -> MergedStates {
        self.formats[0].replace_merged(merged)
    }

    /// Whether the first format is the only possible one, and its components were explored
    /// completely: then nothing is left to evaluate.
    #[must_use]
    pub fn is_explored(&self, machine: &Machine) -> bool {
        let locals = &machine.locals;
        let known =
            |l: &LocalId| locals.transitions(*l).is_some() && !locals.outline(*l).is_parallel();
        self.formats.len() == 1
            && self.formats.iter().all(|format| {
                !format.rules().end_operators()
                    && format
                        .reach()
                        .iter()
                        .all(|reach| reach.complete && reach.locals.iter().all(known))
            })
    }

    /// The events that components were seen to perform, and the results of rules.
    pub fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.formats.iter().flat_map(|format| {
            let own = format.seen().all().iter();
            let own = own.flat_map(|seen| seen.keys().copied());
            own.chain(format.rules().list().iter().map(|rule| rule.result))
        })
    }

    /// Suspends the exchange of copies, for callers whose group includes it. Returns the copies,
    /// for [`Network::take_back_copies`].
    pub fn give_up_copies(&mut self) -> Vec<Copies> {
        let all = self.formats.iter_mut();
        all.map(|format| std::mem::take(format.copies_mut()))
            .collect()
    }

    /// Resumes the exchange of copies.
    pub fn take_back_copies(&mut self, copies: Vec<Copies>) {
        for (format, own) in self.formats.iter_mut().zip(copies) {
            *format.copies_mut() = own;
        }
    }

    /// Finds or adds the format with these operators and components.
    fn format_like(
        &mut self,
        machine: &mut Machine,
        tree: Tree,
        leaves: &[LocalId],
    ) -> Result<FormatId> {
        let key = (tree, leaves.to_vec());
        if let Some(found) = self.format_of.get(&key) {
            return Ok(*found);
        }
        // A script may make a new format with every step.
        machine.eval.check_time()?;
        let id = u16::try_from(self.formats.len())
            .map(FormatId)
            .map_err(|_| {
                Box::new(
                    Diagnostic::nowhere("E0706", "the network takes more than 65,536 forms")
                        .note("a recursion through a parallel operator grows without bound"),
                )
            })?;
        let composition = Composition::new(key.0.clone(), leaves, &machine.locals);
        let may_have_copies = id.0 == 0 && machine.is_exchanging();
        let bounds = ExploreBounds::ahead(self.explore_max);
        let format = Format::new(machine, composition, bounds, may_have_copies)?;
        machine.rank_shapes()?;
        self.formats.push(format);
        self.origins.push(FormatOrigin {
            entered: false,
            grown: 0,
        });
        self.format_of.insert(key, id);
        Ok(id)
    }

    /// Fills in [`Miss::Fire`].
    ///
    /// # Errors
    /// An evaluation error of the local state.
    pub fn build_fires(
        &mut self,
        machine: &mut Machine,
        format: FormatId,
        component: usize,
        local: LocalId,
    ) -> Result<()> {
        let entry = &mut self.formats[format.0 as usize];
        entry.build_fires(machine, component, local)?;
        self.note_asymmetry(format);
        Ok(())
    }

    /// Fills in [`Miss::Change`].
    ///
    /// # Errors
    /// A limit.
    pub fn decide_change(
        &mut self,
        machine: &mut Machine,
        format: FormatId,
        component: usize,
        local: LocalId,
    ) -> Result<()> {
        let old = &self.formats[format.0 as usize];
        // A term that cannot be unrolled stays as it is, with hiding and renaming around it: `may_change` decides
        // closedness the same way.
        if !old
            .tree()
            .may_change(machine.locals(), component as u16, local)
        {
            self.changes.keep_inside(format, component as u16, local);
            return Ok(());
        }
        let term = machine.term_of(local);
        // Each of these has its own format for every value of a parameter.
        let few = self.formats.len() < ENDING_FORMATS_MAX;
        let unrolled = if few && old.tree().has_at_root(component as u16) {
            unroll_at_root(machine, term)?
        } else {
            machine.note_kept_together(!few);
            unroll(machine, term)?
        };
        machine.note_kept_together(unrolled.kept_together);
        // A composition below operators that end, which stands where these cannot be unrolled.
        if let Tree::Leaf(_) = unrolled.tree {
            self.changes.keep_inside(format, component as u16, local);
            return Ok(());
        }
        let mut leaves = old.labels();
        let inserted = unrolled.leaves.len();
        // In the place of the component, so that leaves keep their order.
        leaves.splice(component..=component, unrolled.leaves.iter().copied());
        let grown = self.grown(format, leaves.len())?;
        let (at, inserted) = (component as u16, inserted as u16);
        let tree = old.tree().graft(at, &unrolled.tree, inserted);
        let known = self.formats.len();
        let next = self.format_like(machine, tree, &leaves)?;
        let place = usize::from(next.0);
        // A known format keeps its original number of growth steps.
        if place == known {
            self.origins[place].grown = grown;
        }
        // A format that permutations do not map to itself would need its image under each of them;
        // kept inside the component, the same term is permuted as a local state.
        // Without symmetric types every format will do.
        let kept_inside = !machine.atoms.is_empty() && self.formats[place].mappable().is_err();
        machine.note_kept_together(kept_inside);
        if kept_inside {
            self.changes.keep_inside(format, at, local);
        } else {
            self.enter(next);
            self.changes
                .unroll(format, at, local, next, unrolled.leaves);
        }
        Ok(())
    }

    /// Number of growth steps of a network that comes from a format and now has this many components.
    ///
    /// # Errors
    /// Unbounded growth: every component may become several once, but further growth is bounded.
    fn grown(&self, format: FormatId, components: usize) -> Result<usize> {
        let grown = self.origins[usize::from(format.0)].grown + 1;
        let most = self.initial.len() + GROWTH_MAX;
        if components <= COMPONENTS_MAX && grown <= most {
            return Ok(grown);
        }
        Err(Box::new(
            Diagnostic::nowhere("E0705", "the network keeps growing parallel components")
                .note("a recursion through a parallel operator grows without bound"),
        ))
    }

    /// Fills in [`Miss::Turn`].
    ///
    /// # Errors
    /// A limit, or what the evaluation of the next process reports.
    pub fn decide_turn(
        &mut self,
        machine: &mut Machine,
        format: FormatId,
        rule: u32,
    ) -> Result<()> {
        let old = &self.formats[format.0 as usize];
        let turns = old.rules().list()[rule as usize].turns.clone();
        let reconfigured = reconfigure(machine, old.tree(), &turns)?;
        let (tree, leaves) = (reconfigured.tree, reconfigured.leaves);
        let first = |left: &LeafOrigin| match left {
            LeafOrigin::Old(component) => old.components()[*component as usize].initial,
            LeafOrigin::New(local) => *local,
        };
        // A format is identified by the labels of its components, not by their local states at this moment.
        let labels: Vec<LocalId> = leaves.iter().map(first).collect();
        let next = self.format_like(machine, tree, &labels)?;
        self.enter(next);
        self.changes.reconfigure(format, turns, next, leaves);
        Ok(())
    }

    /// Calls `emit` for every transition of a global state (Def. 27), in a fixed order.
    ///
    /// # Errors
    /// The first entry that the tables lack. `emit` may have been called by then: start again.
    pub fn successors<E: From<Miss>>(
        &self,
        locals: &Locals,
        format: FormatId,
        state: &[LocalId],
        scratch: &mut RuleScratch,
        mut emit: impl FnMut(Successor<'_>) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let rules = self.formats[format.0 as usize].rules();
        let RuleScratch {
            next,
            listed,
            choices,
            changes: buffers,
            held,
        } = scratch;
        // All entries that may be missing are requested before anything is emitted.
        rules.list_all(format, state, listed)?;
        let priorities = rules.priorities();
        let some_wait = priorities.begin(held);
        next.clear();
        next.extend_from_slice(state);
        let mut at = 0;
        // Most components lead nothing.
        while let Some(others) = listed[at..].iter().position(ListedRules::leads) {
            let component = at + others;
            at = component + 1;
            for fire in rules.fires(listed[component]) {
                if rules.is_refused(fire, listed) {
                    continue;
                }
                let ranges = rules.ranges(locals, fire, component, state, listed);
                if !collect_choices(ranges, choices) {
                    continue;
                }
                if some_wait {
                    if priorities.hold_back(fire.rule, locals, state, held) {
                        continue;
                    }
                    priorities.limit(fire.rule, choices);
                }
                let mut visit = |next: &[LocalId]| {
                    let fired = (format, fire);
                    let (format, after) =
                        self.after_changes(locals, fired, choices, next, buffers)?;
                    emit(Successor {
                        event: fire.result,
                        rule: fire.rule,
                        format,
                        locals: after,
                        choices,
                        keeps_form: std::ptr::eq(after, next),
                        settled: fire.settled,
                    })
                };
                each_choice(locals, state, choices, next, &mut visit)?;
            }
        }
        Ok(())
    }

    /// Whether the network certainly never leaves its first format ([`Format::is_fixed`]).
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        matches!(&self.formats[..], [only] if only.is_fixed())
    }

    /// The format and vector after a rule that led to `next`.
    // Mostly the format is fixed, and a call would take longer than the answer.
    #[inline(always)]
    fn after_changes<'a, E: From<Miss>>(
        &self,
        locals: &Locals,
        (format, fire): (FormatId, &LedRule),
        choices: &[(u16, (u32, u32))],
        next: &'a [LocalId],
        scratch: &'a mut ChangeScratch,
    ) -> std::result::Result<(FormatId, &'a [LocalId]), E> {
        let entry = self.format(format);
        if entry.is_fixed() {
            let is_parallel = |local: &LocalId| locals.outline(*local).is_parallel();
            debug_assert!(!fire.turns && !next.iter().any(is_parallel));
            return Ok((format, next));
        }
        let fired = (format, fire);
        self.changes
            .apply(locals, entry.rules(), fired, choices, next, scratch)
    }
}

/// Visits every choice of targets; `next` is the source state, and restored afterwards.
#[inline]
fn each_choice<E>(
    locals: &Locals,
    state: &[LocalId],
    choices: &[(u16, (u32, u32))],
    next: &mut [LocalId],
    visit: &mut impl FnMut(&[LocalId]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    // Mostly every participant has one target.
    if choices.iter().all(|(_, range)| range.1 - range.0 == 1) {
        for (component, range) in choices {
            next[*component as usize] = locals.range(*range)[0].1;
        }
        visit(next)?;
    } else {
        each_combination(locals, choices, next, visit)?;
    }
    // Restores only the changed places: a state may have many components, and few move.
    for (component, _) in choices {
        next[*component as usize] = state[*component as usize];
    }
    Ok(())
}

/// Enumerates the choices of targets, the last participant fastest.
fn each_combination<E>(
    locals: &Locals,
    choices: &[(u16, (u32, u32))],
    next: &mut [LocalId],
    visit: &mut impl FnMut(&[LocalId]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let Some(((component, range), rest)) = choices.split_first() else {
        return visit(next);
    };
    for (_, target) in locals.range(*range) {
        next[*component as usize] = *target;
        each_combination(locals, rest, next, visit)?;
    }
    Ok(())
}

/// Collects the range of possible targets of each participant. False if one has none.
#[inline]
fn collect_choices(
    ranges: impl Iterator<Item = (u16, (u32, u32))>,
    choices: &mut Vec<(u16, (u32, u32))>,
) -> bool {
    choices.clear();
    for (component, range) in ranges {
        if range.0 == range.1 {
            return false;
        }
        choices.push((component, range));
    }
    true
}

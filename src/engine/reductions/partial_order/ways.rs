//! What is known of one component: which rules it is able to take part in, what has to happen before it offers an
//! event, and which events commute in it.

use super::commuting;
use super::label_steps::{LabelSteps, has};
use super::needs::{NeedsOfPlace, NeedsTable};
use super::rule_sets::{RuleSet, RuleSets, RuleWord};
use super::tables::{LARGE, OPEN};
use crate::machine::{EventId, Format, LocalId, Locals};
use crate::source::hash::{IndexMap, IndexSet};

/// Words of what pairs of places and labels need, in one component and in all.
const NEEDS_MAX: usize = 1 << 22;
const ALL_NEEDS_MAX: usize = 1 << 24;
/// Looks that are taken to find out which steps commute.
const LOOKS_MAX: usize = 1 << 25;
/// Words that the offers of all components may take.
const OFFERS_MAX: usize = 1 << 24;

/// What is known of a component, by *place* (its local states) and *label* (its events that take part in rules).
#[derive(Clone, Debug)]
pub(super) struct ComponentWays {
    /// The least number of a local state.
    first: u32,
    /// By the number of a local state less that.
    places: Vec<u32>,
    /// What each place offers: many places of a large component offer the same.
    classes: Vec<u32>,
    /// The rules that a class is able to take part in.
    able: Vec<RuleSet>,
    /// All that the component takes part in. What a class holds back is the rest of these: kept for each class that could
    /// be very much more than what it is able to do.
    all: RuleSet,
    /// Words of a set of labels.
    words: usize,
    /// How many labels there are.
    labels: usize,
    /// Sets of labels by class.
    offers: Vec<u64>,
    /// What has to happen before a label is offered; nothing if it would be too much to find out.
    needs: Option<NeedsTable>,
}

/// What is found out about a component.
pub(super) struct KnownComponent {
    pub(super) ways: ComponentWays,
    /// Its steps; the sets of what they offer are in `ways`.
    pub(super) steps: LabelSteps,
    /// For each label the labels that disturb it, as sets; nothing if they were too many to compare.
    pub(super) disturbing: Option<Vec<u64>>,
}

/// No place: it is no local state of the component.
const UNKNOWN: u32 = u32::MAX;

/// How much is left for the tables of all components.
#[derive(Debug)]
pub(super) struct TableRoom {
    needs: usize,
    looks: usize,
    offers: usize,
}

impl TableRoom {
    fn take_offers(&mut self, labels: usize, places: usize) -> Result<(), &'static str> {
        let words = labels.div_ceil(64) * places;
        self.offers = self.offers.checked_sub(words).ok_or(LARGE)?;
        Ok(())
    }
}

impl Default for TableRoom {
    fn default() -> Self {
        Self {
            needs: ALL_NEEDS_MAX,
            looks: LOOKS_MAX,
            offers: OFFERS_MAX,
        }
    }
}

impl KnownComponent {
    /// That of a component with these labels, each with the rules that it takes part in; and what else is found out
    /// then.
    ///
    /// # Errors
    /// Why it cannot be had.
    pub(super) fn new(
        (format, component): (&Format, usize),
        locals: &Locals,
        labels: &IndexMap<EventId, Vec<u32>>,
        (sets, room): (&mut RuleSets, &mut TableRoom),
    ) -> Result<Self, &'static str> {
        let reached = &format.reach()[component].locals;
        let first = reached.iter().map(|l| l.0).min().unwrap_or(0);
        let last = reached.iter().map(|l| l.0).max().unwrap_or(0);
        let mut places = vec![UNKNOWN; (last - first) as usize + 1];
        for (place, local) in (0u32..).zip(reached) {
            places[(local.0 - first) as usize] = place;
        }
        room.take_offers(labels.len(), reached.len())?;
        let mut steps = LabelSteps::new(labels.len());
        let mut row = Vec::new();
        for local in reached {
            row.clear();
            for (event, to) in locals.transitions(*local).ok_or(OPEN)? {
                // An event without a rule never happens.
                if let Some(label) = labels.get_index_of(event) {
                    // The search goes on with what stands for it.
                    let to = format.merged().stands_for(component, *to);
                    let at = to.0.checked_sub(first).ok_or(OPEN)?;
                    let place = places.get(at as usize).filter(|place| **place != UNKNOWN);
                    row.push((label as u32, *place.ok_or(OPEN)?));
                }
            }
            steps.push(&mut row);
        }
        let mut own = ComponentWays {
            first,
            places,
            classes: Vec::with_capacity(steps.len()),
            able: Vec::new(),
            all: sets.add(labels.values().flatten().copied()),
            labels: labels.len(),
            words: labels.len().div_ceil(64),
            offers: Vec::new(),
            needs: None,
        };
        let needs = own.labels * own.words * steps.len();
        if needs <= NEEDS_MAX && needs <= room.needs {
            room.needs -= needs;
            own.needs = Some(NeedsTable::new(&steps));
        }
        let disturbing = commuting::disturbing(&steps, &mut room.looks);
        own.add_classes(&steps, labels, sets);
        Ok(Self {
            ways: own,
            steps,
            disturbing,
        })
    }
}

impl ComponentWays {
    /// The place of a local state; none where it was not met before the search.
    pub(super) fn place(&self, local: LocalId) -> Option<u32> {
        let at = local.0.checked_sub(self.first)?;
        let place = *self.places.get(at as usize)?;
        (place != UNKNOWN).then_some(place)
    }

    /// Finds the classes of all places.
    fn add_classes(
        &mut self,
        steps: &LabelSteps,
        labels: &IndexMap<EventId, Vec<u32>>,
        sets: &mut RuleSets,
    ) {
        let mut known: IndexSet<&[u64]> = IndexSet::default();
        for place in 0..steps.len() {
            let (class, is_new) = known.insert_full(steps.offers_of(place));
            self.classes.push(class as u32);
            if is_new {
                let offered = steps.offered(place).map(|label| &labels[label as usize]);
                self.able.push(sets.add(offered.flatten().copied()));
            }
        }
        self.offers = known.into_iter().flatten().copied().collect();
    }

    /// The able rules at a place.
    #[inline]
    pub(super) fn able(&self, place: u32) -> RuleSet {
        self.able[self.classes[place as usize] as usize]
    }

    /// The rules that are held back at a place: the event with which the component takes part is not offered there.
    #[inline]
    pub(super) fn held<'s>(
        &self,
        place: u32,
        sets: &'s RuleSets,
    ) -> impl Iterator<Item = RuleWord> + use<'s> {
        sets.without(self.all, self.able(place))
    }

    /// The labels that are offered at a place, as a set.
    pub(super) fn offered(&self, place: u32) -> &[u64] {
        let class = self.classes[place as usize] as usize;
        &self.offers[class * self.words..][..self.words]
    }

    /// Whether a label is offered at a place.
    pub(super) fn offers(&self, place: u32, label: u32) -> bool {
        has(self.offered(place), label)
    }

    /// How many labels there are.
    pub(super) fn labels(&self) -> u32 {
        self.labels as u32
    }

    /// What a place needs. Nothing if that is not known.
    pub(super) fn needs(&self, place: u32) -> Option<NeedsOfPlace> {
        Some(self.needs.as_ref()?.of(place))
    }

    /// What has to happen before a label is offered: a set of labels, with that label in it where it never is. Nothing
    /// if that is not known.
    #[inline]
    pub(super) fn needed(&self, of: Option<NeedsOfPlace>, label: u32) -> Option<&[u64]> {
        Some(self.needs.as_ref()?.set(of?, label))
    }
}

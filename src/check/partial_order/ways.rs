//! What is known of one component: which rules it is able to take part in, what has to happen before it offers an
//! event, and which events commute in it.

use super::label_steps::{LabelSteps, has};
use super::needs::{NeedsOfPlace, NeedsTable};
use super::{LARGE, OPEN, commuting};
use crate::machine::{EventId, Format, LocalId, Locals};
use crate::source::hash::IndexMap;

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
    /// Ranges in `rules`, by place.
    ranges: Vec<(u32, u32)>,
    rules: Vec<u32>,
    /// Words of a set of labels.
    words: usize,
    /// How many labels there are.
    labels: usize,
    /// Sets of labels by place.
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
        room: &mut TableRoom,
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
        let (mut ranges, mut rules) = (Vec::with_capacity(reached.len()), Vec::new());
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
            let from = rules.len() as u32;
            for label in steps.offered(steps.len() - 1) {
                rules.extend(&labels[label as usize]);
            }
            ranges.push((from, rules.len() as u32));
        }
        let mut own = ComponentWays {
            first,
            places,
            ranges,
            rules,
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
        own.offers = steps.take_offers();
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

    /// The able rules at a place.
    pub(super) fn able(&self, place: u32) -> &[u32] {
        let range = self.ranges[place as usize];
        &self.rules[range.0 as usize..range.1 as usize]
    }

    /// The labels that are offered at a place, as a set.
    pub(super) fn offered(&self, place: u32) -> &[u64] {
        &self.offers[place as usize * self.words..][..self.words]
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

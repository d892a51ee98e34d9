//! Static analysis of one component: the rules that it is able to take part in, the events before it offers another
//! one, and the events that commute in it.

use super::commuting;
use super::label_steps::{LabelSteps, has};
use super::needs::{NeedsOfPlace, NeedsTable};
use super::rule_sets::{RuleSet, RuleSets, RuleWord};
use super::tables::{LARGE, OPEN};
use crate::machine::{EventId, Format, LocalId, Locals};
use crate::source::hash::{IndexMap, IndexSet};

/// Words of the needs of all pairs of places and labels, at most, in one component and in all.
const NEEDS_MAX: usize = 1 << 22;
const ALL_NEEDS_MAX: usize = 1 << 24;
/// Work to find commuting steps, at most.
const LOOKS_MAX: usize = 1 << 25;
/// Words of the offers of all components, at most.
const OFFERS_MAX: usize = 1 << 24;

/// The tables of a component, by *place* (its local states) and *label* (its events that take part in rules).
#[derive(Clone, Debug)]
pub(super) struct ComponentWays {
    /// The least number of a local state.
    first: u32,
    /// Places by the number of a local state less `first`.
    places: Vec<u32>,
    /// The class of each place by its offers: many places of a large component have the same offers.
    classes: Vec<u32>,
    /// The able rules of each class.
    able: Vec<RuleSet>,
    /// All rules of the component. Those held back in a class are the rest of these: storing them for each class could
    /// take much more memory than the able ones.
    all: RuleSet,
    /// Words of a set of labels.
    words: usize,
    /// Number of labels.
    labels: usize,
    /// Offered labels by class, as sets.
    offers: Vec<u64>,
    /// The labels that come before an offer of each label; `None` if too much work.
    needs: Option<NeedsTable>,
}

/// The result of the analysis.
pub(super) struct KnownComponent {
    pub(super) ways: ComponentWays,
    /// Its steps; the sets of their labels are in `ways`.
    pub(super) steps: LabelSteps,
    /// For each label the set of labels that disturb it; `None` if they were too many to compare.
    pub(super) disturbing: Option<Vec<u64>>,
}

/// No place: the number is no local state of the component.
const UNKNOWN: u32 = u32::MAX;

/// Memory left for the tables of all components.
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
    /// Analyses a component with these labels, each with its rules.
    ///
    /// # Errors
    /// The reason why it is impossible.
    pub(super) fn new(
        format: &Format,
        component: usize,
        locals: &Locals,
        labels: &IndexMap<EventId, Vec<u32>>,
        sets: &mut RuleSets,
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
        let mut row = Vec::new();
        for local in reached {
            row.clear();
            for (event, to) in locals.transitions(*local).ok_or(OPEN)? {
                // An event without a rule never happens.
                if let Some(label) = labels.get_index_of(event) {
                    // The search continues with its bisimilarity class.
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
    /// The place of a local state; `None` if it was not explored before the search.
    pub(super) fn place(&self, local: LocalId) -> Option<u32> {
        let at = local.0.checked_sub(self.first)?;
        let place = *self.places.get(at as usize)?;
        (place != UNKNOWN).then_some(place)
    }

    /// Computes the classes of all places.
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

    /// The rules held back at a place: the component's event is not offered there.
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

    /// Number of labels.
    pub(super) fn labels(&self) -> u32 {
        self.labels as u32
    }

    /// The needs of a place; `None` if unknown.
    pub(super) fn needs(&self, place: u32) -> Option<NeedsOfPlace> {
        Some(self.needs.as_ref()?.of(place))
    }

    /// The labels that come before an offer of a label, as a set that contains the label itself if it is never offered.
    /// `None` if unknown.
    #[inline]
    pub(super) fn needed(&self, of: Option<NeedsOfPlace>, label: u32) -> Option<&[u64]> {
        Some(self.needs.as_ref()?.set(of?, label))
    }
}

//! The structure of a network, and the components that wait for each other in one of its states: plain data.
//!
//! A component is *ready* for an event if its local state has a transition with it. What the operators around it
//! make of the event needs others: a rule (Def. 26) names all participants and what each of them has to perform. A
//! rule is possible in a state if all its participants are ready (and no priority holds it back). So a component
//! that is ready for an event *waits for* another one if some rule has both as participants, with that event of the
//! first, and the other is not ready for its part in its present local state: an ungranted request. A component does
//! not wait if it takes part in a possible step, a silent step of its own included: such a component may be ready
//! for something else in a moment.

use std::fmt::Write;

use crate::report::document::Tone;
use crate::report::parted::PartedText;
use crate::source::hash::{IndexMap, Set};

/// Components that are named in one line.
const NAMED_MAX: usize = 6;

/// The standing of a component in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It takes part in a step that is possible here.
    Free,
    /// Every event that it is ready for needs others who are not ready.
    Waiting,
    /// It waits, and every event that it is ready for needs a component that can never be ready for it again.
    Hopeless,
    /// Every event that it is ready for is held back by priority.
    HeldBack,
    /// It has no transitions at all.
    Stopped,
    /// It has terminated.
    Terminated,
}

impl Standing {
    /// The tone in which it is told.
    #[must_use]
    pub fn tone(self) -> Tone {
        match self {
            Self::Free => Tone::Good,
            Self::Waiting | Self::HeldBack => Tone::Open,
            Self::Hopeless | Self::Stopped => Tone::Bad,
            Self::Terminated => Tone::Dim,
        }
    }

    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Waiting => "waits",
            Self::Hopeless => "waits in vain",
            Self::HeldBack => "held back",
            Self::Stopped => "stopped",
            Self::Terminated => "terminated",
        }
    }

    /// The tag in JSON.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Waiting => "waiting",
            Self::Hopeless => "hopeless",
            Self::HeldBack => "held-back",
            Self::Stopped => "stopped",
            Self::Terminated => "terminated",
        }
    }

    /// Whether it waits for others.
    #[must_use]
    pub fn waits(self) -> bool {
        matches!(self, Self::Waiting | Self::Hopeless)
    }
}

/// Why an event that a component is ready for is possible, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// It is possible here.
    Possible,
    /// All participants are ready, but something has priority.
    HeldBack,
    /// Some participants are not ready.
    Blocked,
    /// It needs others who can never be ready for it again.
    Hopeless,
    /// No rule allows it: some participants never perform it in any state.
    Never,
}

impl Fate {
    /// In a word or two.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::HeldBack => "held back by priority",
            Self::Blocked => "blocked by",
            Self::Hopeless => "blocked for good by",
            Self::Never => "never done by",
        }
    }

    /// The tag in JSON.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::HeldBack => "held-back",
            Self::Blocked => "blocked",
            Self::Hopeless => "hopeless",
            Self::Never => "never",
        }
    }
}

/// A set of events, in pieces such as `push.T0.*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventClass {
    /// In words; those of some of the events if there are very many.
    pub pieces: Vec<String>,
    /// The number of events.
    pub count: usize,
    /// Whether the pieces are all of them.
    pub is_whole: bool,
}

impl EventClass {
    /// The pieces, as `push.T0.*, pop.T0.*`.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = self.pieces.join(", ");
        if !self.is_whole {
            let _ = write!(text, " .. ({} events)", self.count);
        }
        text
    }
}

/// The events that a component is ready for with the same fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferView {
    /// Which, as the component names them.
    pub events: EventClass,
    /// The fate of the events.
    pub fate: Fate,
    /// Components that are not ready, by index.
    pub missing: Vec<usize>,
    /// Whether there are several ways to take part, and each lacks some of these.
    pub several: bool,
}

/// A component in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandingView {
    /// The label, as `Node[N0]`.
    pub label: PartedText,
    /// The local state, as `Node(N0, A, N1)`.
    pub state: String,
    /// The standing of the component.
    pub standing: Standing,
    /// Whether its local state has neither τ nor ✓: then it refuses every event that it is not ready for.
    pub is_stable: bool,
    /// The events that it is ready for.
    pub offers: Vec<OfferView>,
    /// The events that it performs in other states and refuses in this one; empty if it is not stable.
    pub refuses: EventClass,
}

/// A component waits for another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitView {
    /// The waiting component, by index.
    pub from: usize,
    /// The component that it waits for.
    pub to: usize,
    /// The events, as they are seen from outside, or were before they were hidden.
    pub events: EventClass,
    /// Whether the other one can never be ready for any of them again.
    pub never: bool,
}

/// Components each of which waits for the next, and the last for the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CycleView {
    /// The components in order, each with the event that it waits for.
    pub steps: Vec<(usize, String)>,
}

/// An operator or a component of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureNode {
    /// The depth: the number of operators above it.
    pub depth: usize,
    /// The operator that it is an operand of, by its place in the list.
    pub parent: Option<usize>,
    /// The operator as CSP writes it, as `[|A|]`; empty for a component.
    pub sign: &'static str,
    /// The operator in words, as `parallel, sharing`; the label of a component.
    pub words: String,
    /// The events of its set, if they are few enough to be looked through.
    pub set: String,
    /// Its components: from the first up to the one behind the last.
    pub components: (usize, usize),
    /// The number of nodes in its subtree, itself included.
    pub size: usize,
    /// Equal for subtrees of one form: the same operators above components of the same families.
    pub form: usize,
}

impl StructureNode {
    /// Whether it is a component.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.sign.is_empty()
    }
}

/// A network in one of its states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructureView {
    /// The tree, each operator before its operands.
    pub nodes: Vec<StructureNode>,
    /// The components, in vector order.
    pub components: Vec<StandingView>,
    /// The events that are possible; τ and ✓ apart.
    pub initials: EventClass,
    /// Whether the state is stable: with a silent step or termination it refuses nothing.
    pub is_stable: bool,
    /// The events that the network is known to perform in other states, and refuses in this one; empty if it is not
    /// stable.
    pub refuses: EventClass,
    /// Whether it is a deadlock: no transition, and not all components have terminated.
    pub is_deadlock: bool,
    /// Whether all components have terminated, and no transition is possible.
    pub is_terminated: bool,
    /// The edges of the wait-for graph.
    pub waits: Vec<WaitView>,
    /// The number of edges that are left out.
    pub omitted: usize,
    /// The cycles of waiting, a shortest one of each group of components that wait for each other.
    pub cycles: Vec<CycleView>,
}

impl StructureView {
    /// `Phil[0] waits for Fork[1] (getfork.0.1), which waits for …`
    #[must_use]
    pub fn cycle_text(&self, cycle: &CycleView) -> String {
        let label = |at: usize| self.components[at].label.as_str();
        let mut text = String::new();
        for (n, (at, event)) in cycle.steps.iter().enumerate() {
            let next = cycle.steps[(n + 1) % cycle.steps.len()].0;
            let own = match n {
                0 => label(*at),
                _ => ", which",
            };
            let _ = write!(text, "{own} waits for {} ({event})", label(next));
        }
        text + "."
    }

    /// The most important fact about the state as a whole.
    #[must_use]
    pub fn headline(&self) -> String {
        let waiting = self.components.iter().filter(|c| c.standing.waits());
        let waiting = waiting.count();
        let all = self.components.len();
        match (self.is_deadlock, self.is_terminated, self.is_stable) {
            (true, ..) => match self.cycles.len() {
                0 => "Deadlock; nobody waits in a cycle.".to_owned(),
                1 => "Deadlock, with a cycle of waiting.".to_owned(),
                n => format!("Deadlock, with {n} cycles of waiting."),
            },
            (_, true, _) => "All have terminated.".to_owned(),
            (.., true) => format!("Stable: {waiting} of {all} wait."),
            (.., false) => {
                format!("Not stable: {waiting} of {all} wait.")
            }
        }
    }
}

/// Components that perform events together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncView {
    /// The families that take part, as `Thread, Lock`; empty for events performed alone.
    pub with: Vec<String>,
    /// The events, as they are seen from outside or were before they were hidden.
    pub events: EventClass,
}

/// A node of the tree in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartView {
    /// The events of its set, or the alphabet of a component: the events that it is known to perform.
    pub events: EventClass,
    /// Whether they are complete.
    pub is_complete: bool,
    /// The joint events: of a component with others, of an operator across its operands.
    pub syncs: Vec<SyncView>,
}

/// A line of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StructureRow {
    /// The node, by its place in the list; the first one if the row represents several.
    pub node: usize,
    /// The number of siblings of one form that it represents.
    pub times: usize,
    /// Whether its operands are left out.
    pub is_folded: bool,
}

impl StructureView {
    /// The operands of a node.
    #[must_use]
    pub fn operands(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let end = node + self.nodes[node].size;
        let mut at = node + 1;
        while at < end {
            found.push(at);
            at += self.nodes[at].size;
        }
        found
    }

    /// The lines of the tree. Siblings of one form are one line unless the first of them is among those
    /// that are `apart`; the operands of those that are `closed` are left out.
    #[must_use]
    pub fn rows(&self, apart: &Set<usize>, closed: &Set<usize>) -> Vec<StructureRow> {
        let mut rows = Vec::new();
        if self.nodes.is_empty() {
            return rows;
        }
        // The nodes still to be listed, the next one last.
        let mut open = vec![(0, 1)];
        while let Some((node, times)) = open.pop() {
            let is_folded = closed.contains(&node) && !self.nodes[node].is_leaf();
            rows.push(StructureRow {
                node,
                times,
                is_folded,
            });
            if is_folded {
                continue;
            }
            let operands = self.operands(node);
            let mut groups: IndexMap<usize, Vec<usize>> = IndexMap::default();
            for operand in &operands {
                groups
                    .entry(self.nodes[*operand].form)
                    .or_default()
                    .push(*operand);
            }
            let below = operands.iter().filter_map(|operand| {
                let group = &groups[&self.nodes[*operand].form];
                match (group[0] == *operand, apart.contains(&group[0])) {
                    (_, true) => Some((*operand, 1)),
                    (true, false) => Some((*operand, group.len())),
                    (false, false) => None,
                }
            });
            let below: Vec<(usize, usize)> = below.collect();
            open.extend(below.into_iter().rev());
        }
        rows
    }

    /// `6 x Node[*]`, `[|A|] parallel, sharing {a, b}`
    #[must_use]
    pub fn row_text(&self, row: &StructureRow) -> String {
        let node = &self.nodes[row.node];
        let mut text = match row.times {
            1 => String::new(),
            n => format!("{n} x "),
        };
        match (node.is_leaf(), row.times) {
            (true, 1) => text.push_str(&node.words),
            (true, _) => {
                let family = self.components[node.components.0].label.head();
                let _ = write!(text, "{family}[*]");
            }
            (false, _) => {
                let _ = write!(text, "{}  {}", node.sign, node.words);
                if !node.set.is_empty() {
                    let _ = write!(text, " {{{}}}", node.set);
                }
            }
        }
        text
    }
}

impl StructureView {
    /// `getfork.0.1: blocked by Fork[1]`
    #[must_use]
    pub fn offer_text(&self, offer: &OfferView) -> String {
        let mut text = format!("{}: {}", offer.events.text(), offer.fate.word());
        let missing = offer.missing.iter().take(NAMED_MAX);
        let names: Vec<&str> = missing
            .map(|c| self.components[*c].label.as_str())
            .collect();
        match (offer.fate, names.is_empty()) {
            (Fate::Possible | Fate::HeldBack, _) => return text,
            (Fate::Never, true) => return format!("{}: possible in no state", offer.events.text()),
            (_, _) => {}
        }
        if offer.several {
            text.push_str(" some of");
        }
        let _ = write!(text, " {}", names.join(", "));
        if offer.missing.len() > NAMED_MAX {
            let _ = write!(text, " and {} more", offer.missing.len() - NAMED_MAX);
        }
        text
    }
}

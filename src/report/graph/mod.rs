//! Graphs of states as plain data in words, and the files that they are written to: DOT, SVG, GraphML,
//! Aldebaran and JSON, each in a file of its own; and pictures of finite automata.
//!
//! In: the result of [`crate::lab::explore`]. Out: texts that are the same each time, and harmless to any reader:
//! every word of a script is escaped by [`crate::source::visible_line`] and then for the format.

mod aut;
mod automaton;
mod curves;
mod dot;
mod graphml;
mod json;
pub mod layout;
mod lines;
mod made;
mod room;
mod svg;
mod watch;
pub mod xml;

use std::sync::Arc;

use num_bigint::BigUint;

use super::numbers::{counted, grouped, thousands};
use super::reduction::{PlanView, SymmetrySummary};
use super::words::{EventKind, stop_text};
use crate::lab::explore::{GraphCut, GraphKind};
use crate::source::Stop;
pub use aut::{aut, aut_remarks};
pub use automaton::{AutomatonView, automaton_dot, automaton_svg};
pub(crate) use dot::Quoted;
pub use dot::dot;
pub use graphml::graphml;
pub use json::json;
pub use made::made;
pub use svg::{SVG_CURVES_MAX, SVG_VERTICES_MAX, svg};
pub use watch::GraphWatch;

/// A picture of a process.
#[derive(Clone, Debug)]
pub struct GraphView {
    /// The process, as it was asked for.
    pub process: String,
    /// The kind of the picture.
    pub kind: GraphKind,
    /// The symmetry of the reduction; `None` if every orbit is one state.
    pub used: Option<SymmetrySummary>,
    /// The basis of the reduction, and why it is not more.
    pub plan: PlanView,
    /// The quotient, with one vertex an orbit, if it was asked for.
    pub quotient: Option<GraphPart>,
    /// The full graph, with one vertex a state, if it was asked for.
    pub full: Option<GraphPart>,
    /// The covering of a map: for each vertex of `full` its place in `quotient`.
    pub covering: Vec<CoverView>,
    /// The limits of writing it.
    pub watch: GraphWatch,
}

/// A graph in words.
#[derive(Clone, Debug)]
pub struct GraphPart {
    /// By number; the first is the initial state.
    pub vertices: Vec<VertexView>,
    /// In ascending order of where they begin.
    pub edges: Vec<EdgeView>,
    /// The parts that are missing.
    pub cut: GraphCut,
}

/// A state, or an orbit by its representative.
#[derive(Clone, Debug)]
pub struct VertexView {
    /// Least number of steps from the initial state.
    pub depth: usize,
    /// The labels of the components.
    pub labels: Arc<[String]>,
    /// The local states of the components.
    pub texts: Vec<Arc<str>>,
    /// The number of states in the orbit; `None` if that is not known or was not asked for.
    pub orbit: Option<BigUint>,
    /// Whether it is a deadlock: no transition, and not terminated.
    pub deadlocked: bool,
    /// Whether all of it has terminated.
    pub terminated: bool,
    /// Whether its transitions were computed.
    pub expanded: bool,
    /// The number of transitions of the state: of an orbit, of its representative.
    pub transitions: usize,
    /// The number of those that lead out of the picture.
    pub outside: usize,
}

/// An edge from a vertex to another.
#[derive(Clone, Debug)]
pub struct EdgeView {
    /// Number of the vertex that it begins at.
    pub from: usize,
    /// Number of the vertex that it leads to.
    pub to: usize,
    /// Hidden, ✓ or visible.
    pub kind: EventKind,
    /// The event; if it is hidden, that one, or nothing where nothing was hidden.
    pub event: Arc<str>,
    /// The number of transitions of the first vertex with this event to states of the second one's orbit. In a graph
    /// that is not reduced it is 1.
    pub multiplicity: usize,
    /// Takes the first of these states to the vertex; none in a graph that is not reduced.
    pub image: Option<Arc<ImageView>>,
}

/// The permutation that takes a state to the representative of its orbit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageView {
    /// The cycles of the permutation for each type, `id` if no value moves.
    pub cycles: Vec<(Arc<str>, String)>,
    /// Whether identical components are exchanged besides.
    pub exchanges: bool,
    /// The action of a structural symmetry on components, if it is one.
    pub components: Option<MovedView>,
}

/// The action of a structural symmetry on components.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MovedView {
    /// The components that change places, as cycles of their labels; empty if none does.
    pub cycles: String,
    /// Labels of those that stay, with local states permuted.
    pub inside: Vec<String>,
}

/// The place of a state in the quotient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoverView {
    /// Number of the vertex of its orbit.
    pub orbit: usize,
    /// The permutation that takes the state there.
    pub image: ImageView,
}

/// A fibre: the states over a vertex of the quotient that are in the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FibreView {
    /// Numbers of the states, ascending.
    pub states: Vec<usize>,
}

impl EdgeView {
    /// `l.A`, `tau (m.A)`, `tau`, `tick`.
    #[must_use]
    pub fn label(&self) -> String {
        match self.kind {
            EventKind::Tau if self.event.is_empty() => "tau".to_owned(),
            EventKind::Tau => format!("tau ({})", self.event),
            EventKind::Tick => "tick".to_owned(),
            EventKind::Visible => self.event.to_string(),
        }
    }

    /// The label, with ` x2` behind it if the edge represents several transitions.
    #[must_use]
    pub fn label_and_count(&self) -> String {
        match self.multiplicity {
            1 => self.label(),
            n => format!("{} x{n}", self.label()),
        }
    }
}

impl ImageView {
    /// `NodeID (N0 N1)  Data (A B)`, and that components are exchanged; `id` if nothing moves.
    #[must_use]
    pub fn text(&self) -> String {
        let moved = self.cycles.iter().filter(|(_, cycles)| cycles != "id");
        let mut parts: Vec<String> = moved.map(|(kind, c)| format!("{kind} {c}")).collect();
        if self.exchanges {
            parts.push("copies exchanged".to_owned());
        }
        if let Some(moved) = &self.components {
            parts.extend(Some(moved.cycles.clone()).filter(|cycles| !cycles.is_empty()));
            if !moved.inside.is_empty() {
                parts.push(format!("local states of {}", moved.inside.join(", ")));
            }
        }
        if parts.is_empty() {
            "id".to_owned()
        } else {
            parts.join("  ")
        }
    }

    /// Whether it is the identity.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        let stay = |moved: &MovedView| moved.cycles.is_empty() && moved.inside.is_empty();
        !self.exchanges
            && self.cycles.iter().all(|(_, cycles)| cycles == "id")
            && self.components.as_ref().is_none_or(stay)
    }
}

impl VertexView {
    /// Whether some transitions are not in the picture, or were not computed.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.expanded || self.outside > 0
    }

    /// `Left = Left.m(A)` and so on.
    pub fn components(&self) -> impl Iterator<Item = String> + '_ {
        let both = self.labels.iter().zip(&self.texts);
        both.map(|(label, text)| {
            if **label == **text {
                label.clone()
            } else {
                format!("{label} = {text}")
            }
        })
    }

    /// `deadlock`, `terminated`, or nothing.
    #[must_use]
    pub fn end(&self) -> Option<&'static str> {
        match (self.deadlocked, self.terminated) {
            (true, _) => Some("deadlock"),
            (_, true) => Some("terminated"),
            _ => None,
        }
    }
}

impl GraphPart {
    /// Whether the part is complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.cut.is_cut() && !self.vertices.iter().any(VertexView::is_open)
    }
}

impl GraphView {
    /// The graphs of the picture, the quotient last: with the letter that numbers of its vertices begin with.
    pub fn parts(&self) -> impl Iterator<Item = (char, &GraphPart)> {
        let full = self.full.iter().map(|part| ('s', part));
        full.chain(self.quotient.iter().map(|part| ('o', part)))
    }

    /// The kind as a word: `quotient`, `full` or `map`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self.kind {
            GraphKind::Quotient => "quotient",
            GraphKind::Full => "full",
            GraphKind::Map => "map",
        }
    }

    /// The parts that are missing in either graph.
    #[must_use]
    pub fn cut(&self) -> GraphCut {
        self.parts()
            .fold(GraphCut::default(), |sum, (_, part)| GraphCut {
                depth: sum.depth || part.cut.depth,
                states: sum.states || part.cut.states,
                stop: sum.stop.or(part.cut.stop),
            })
    }

    /// Whether both graphs are complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.parts().all(|(_, part)| part.is_complete())
    }

    /// The fibres of a map: the states of each orbit.
    #[must_use]
    pub fn fibres(&self) -> Vec<FibreView> {
        let orbits = self.quotient.as_ref().map_or(0, |part| part.vertices.len());
        let mut fibres = vec![FibreView { states: Vec::new() }; orbits];
        for (state, cover) in self.covering.iter().enumerate() {
            fibres[cover.orbit].states.push(state);
        }
        fibres
    }

    /// An orbit whose fibre has not the number of states that its stabiliser says although the map is whole:
    /// there is none unless this program is at fault.
    #[must_use]
    pub fn fault(&self) -> Option<usize> {
        let quotient = self.quotient.as_ref()?;
        // Where the size of some orbit is unknown, others may be split.
        if self.kind != GraphKind::Map || !self.is_complete() || self.represented().is_none() {
            return None;
        }
        let fibres = self.fibres();
        let mut both = quotient.vertices.iter().zip(&fibres);
        both.position(|(vertex, fibre)| {
            let orbit = vertex.orbit.as_ref();
            orbit.is_some_and(|orbit| *orbit != BigUint::from(fibre.states.len()))
        })
    }

    /// The numbers of states and transitions that a quotient represents, if it is complete and all sizes are known.
    #[must_use]
    pub fn represented(&self) -> Option<(BigUint, BigUint)> {
        let quotient = self.quotient.as_ref().filter(|part| part.is_complete())?;
        let mut sum = (BigUint::ZERO, BigUint::ZERO);
        for vertex in &quotient.vertices {
            let orbit = vertex.orbit.as_ref()?;
            sum.0 += orbit;
            // A permutation takes the transitions of a state to those of its image: each state of the
            // orbit has as many.
            sum.1 += orbit * vertex.transitions;
        }
        Some(sum)
    }

    /// The heading of the picture, line by line.
    #[must_use]
    pub fn heading(&self) -> Vec<String> {
        let mut lines = vec![match self.kind {
            GraphKind::Quotient => format!("{}: one vertex an orbit", self.process),
            GraphKind::Full => format!("{}: one vertex a state", self.process),
            GraphKind::Map => format!("{}: states, and the orbits they belong to", self.process),
        }];
        for (letter, part) in self.parts() {
            let what = if letter == 's' { "state" } else { "orbit" };
            let vertices = counted(part.vertices.len() as u64, what);
            let edges = counted(part.edges.len() as u64, "edge");
            lines.push(match self.represented() {
                Some((states, transitions)) if letter == 'o' => format!(
                    "{vertices}, {edges}, for {} states and {} transitions",
                    grouped(&states),
                    grouped(&transitions)
                ),
                _ => format!("{vertices}, {edges}"),
            });
        }
        if self.quotient.is_some() {
            lines.extend(super::reduction::of_picture(self.used.as_ref(), &self.plan));
        }
        lines.extend(self.remarks());
        lines
    }

    /// Remarks on missing or uncertain parts, line by line.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let cut = self.cut();
        let open = self.parts().map(|(_, part)| {
            let vertices = part.vertices.iter();
            vertices.filter(|v| v.is_open()).count()
        });
        let open = match open.max().unwrap_or(0) {
            1 => "1 vertex has".to_owned(),
            n => format!("{} vertices have", thousands(n as u128)),
        };
        if let Some(stop) = cut.stop {
            lines.push(format!(
                "The picture is not whole: {}, and {open} transitions that are not in it.",
                stop_text(stop)
            ));
        } else if cut.is_cut() {
            let by = match (cut.depth, cut.states) {
                (true, false) => "--depth",
                (false, _) => "--max-states",
                (true, true) => "--depth and --max-states",
            };
            let largest = self.parts().map(|(_, part)| part.vertices.len()).max();
            lines.push(format!(
                "The picture is cut by {by} to {} vertices: {open} transitions that are not in it.",
                thousands(largest.unwrap_or(0) as u128)
            ));
        }
        let orbits = self.quotient.iter().flat_map(|part| &part.vertices);
        let unknown = orbits.filter(|vertex| vertex.orbit.is_none()).count();
        if unknown > 0 {
            lines.push(format!(
                "Of {} the size is not known, as finding the representative was given up: two of them may be one.",
                counted(unknown as u64, "orbit")
            ));
        }
        lines
    }

    /// Why every orbit is one state, where it is so.
    #[must_use]
    pub fn why_not_reduced(&self) -> Vec<String> {
        match &self.used {
            Some(_) => Vec::new(),
            None => super::reduction::of_picture(None, &self.plan),
        }
    }

    /// The limit that came first, if one did.
    #[must_use]
    pub fn stopped(&self) -> Option<Stop> {
        self.cut().stop
    }
}

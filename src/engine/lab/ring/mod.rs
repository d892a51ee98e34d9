//! A circle of equal components, read as words: a cell is what one turn of the circle moves onto the next, a letter the
//! local states of a cell, and a transition changes the letters in a *window* of neighbouring cells.
//!
//! What is read holds of one size. [`RingReading::letters_of`] says whether another size has the same windows.

mod agreement;
mod circle;
mod window;

use std::collections::BTreeSet;

use super::explore::{Exploration, ExploredKey, GraphBounds, GraphKind, StateGraph, explore};
use crate::check::look_bounds::{LookBounds, Looking, unless_over};
use crate::check::structural::why_unknown;
use crate::check::system::System;
use crate::script::core::Expr;
use crate::script::load::Loaded;
use crate::source::Budget;
use crate::source::diagnostic::Result;
use crate::source::hash::IndexSet;
use crate::structure::network_structure::{NetworkStructure, Results, Unknown};
use crate::structure::search::symmetries;
pub use agreement::{FirstRun, first_words};
use circle::Circle;
use window::WindowReader;

/// Number of a letter.
pub type LetterId = u16;

/// A transition as it is seen in neighbouring cells: their letters before and after, equally many. All other cells stay
/// as they are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RingWindow {
    /// The letters before.
    pub before: Vec<LetterId>,
    /// The letters after.
    pub after: Vec<LetterId>,
}

/// A network of one size as a set of words with a relation.
#[derive(Clone, Debug)]
pub struct RingReading {
    /// Number of cells.
    pub cells: usize,
    /// The local states of each letter, as they are in the first cell.
    pub letters: Vec<String>,
    /// The word of the initial state.
    pub first: Vec<LetterId>,
    /// The windows, which may lie anywhere on the circle. Transitions that change no letter are left out.
    pub windows: BTreeSet<RingWindow>,
    /// Letters beyond those that change which a window shows at either side, since they matter to some transition.
    pub radius: usize,
    /// Words that are reached.
    pub words: usize,
    /// Pairs of different reached words with a transition from the first to the second.
    pub pairs: usize,
}

/// Why a network is not read as words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoRing {
    /// Its structure is unknown.
    Structure(Unknown),
    /// No symmetry turns it by one place.
    PlacesDiffer,
    /// A component stays where it is when the circle turns, with so many local states.
    Middle(String, usize),
    /// It has more reachable states, letters or windows than are compared.
    Large(&'static str),
    /// A window takes so many cells, more than there are.
    Short(usize),
    /// The states that the windows lead to are not those of the script.
    Wrong,
}

impl NoRing {
    /// The reason in words.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Self::Structure(unknown) => why_unknown(*unknown).to_owned(),
            Self::PlacesDiffer => {
                "places differ: no symmetry of the network turns it by one place".to_owned()
            }
            Self::Middle(name, states) => {
                format!(
                    "{name} stays where it is when the circle turns, with {states} local states"
                )
            }
            Self::Large(of) => format!("it has more {of} than are compared"),
            Self::Short(cells) => format!("a transition concerns {cells} neighbouring cells"),
            Self::Wrong => {
                "the states that the windows lead to are not those of the script".to_owned()
            }
        }
    }
}

/// Reachable states that are compared, at most.
const STATES_MAX: usize = 100_000;

/// Reads a process of so many cells as words. The relation is read off the rules of its network, and then compared with
/// its reachable transitions.
///
/// # Errors
/// An evaluation error or a limit.
pub fn read(
    loaded: &Loaded,
    process: &Expr,
    cells: usize,
    budget: &Budget,
) -> Result<std::result::Result<RingReading, NoRing>> {
    let bounds = GraphBounds {
        depth: usize::MAX,
        states: STATES_MAX,
    };
    let explored = explore(loaded, process, GraphKind::Full, bounds, budget)?;
    let Exploration { system, full, .. } = explored;
    let graph = match full {
        Some(graph) if !graph.cut.is_cut() => graph,
        _ => return Ok(Err(NoRing::Large("reachable states"))),
    };
    let (structure, circle) = match turned(system, cells)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(why)),
    };
    let initial = graph.states.first().map(|key| &key.1[..]);
    let Some(initial) = initial.and_then(|state| circle.tuples(&structure.1, state)) else {
        return Ok(Err(NoRing::Wrong));
    };
    let (mut system, structure) = structure;
    let windows = match WindowReader::new(&structure, &circle).all(&initial) {
        Ok(windows) => windows,
        Err(why) => return Ok(Err(why)),
    };
    let word = |key: &ExploredKey| -> Option<Vec<LetterId>> {
        let tuples = circle.tuples(&structure, &key.1)?;
        tuples.iter().map(|tuple| windows.letter(tuple)).collect()
    };
    let Some(words) = graph.states.iter().map(word).collect::<Option<Vec<_>>>() else {
        return Ok(Err(NoRing::Wrong));
    };
    let name = |tuple: &Vec<u32>| circle.name(&mut system.machine, &structure, tuple);
    let mut reading = RingReading {
        cells,
        letters: windows.letters.iter().map(name).collect(),
        first: words[0].clone(),
        windows: windows.all,
        radius: windows.radius,
        words: 0,
        pairs: 0,
    };
    Ok(match reading.agrees_with(&graph, &words) {
        true => Ok(reading),
        false => Err(NoRing::Wrong),
    })
}

/// The structure of a network without its initial state, and how it turns by one place.
type Turned = ((System, NetworkStructure), Circle);

fn turned(system: System, cells: usize) -> Result<std::result::Result<Turned, NoRing>> {
    let work = "looking for a circle in the structure";
    let System { machine, network } = &system;
    let structure = NetworkStructure::new(machine, network.first(), Results::Free, Vec::new())?;
    let mut structure = match structure {
        Ok(structure) => structure,
        Err(unknown) => return Ok(Err(NoRing::Structure(unknown))),
    };
    if structure.has_priorities {
        return Ok(Err(NoRing::Structure(Unknown::Ordered)));
    }
    // The relation may turn where the start does not.
    structure.initial.clear();
    let looking = Looking::new(LookBounds::ON_DEMAND);
    let poll = |steps| looking.work(machine, steps);
    let found = symmetries(&structure, looking.bounds.work / 4, &poll).map(Some);
    let found = unless_over(&looking, found);
    let Some(found) = machine.during(work, None, found)? else {
        return Ok(Err(NoRing::Structure(Unknown::Large)));
    };
    let circle = Circle::find(&structure, &found.generators, cells);
    let mut system = system;
    let circle = circle.map_err(|fixed| match fixed {
        None => NoRing::PlacesDiffer,
        Some(component) => {
            let format = system.network.first();
            let initial = format.components()[component].initial;
            let states = structure.points.range(component).len();
            NoRing::Middle(system.machine.show_local(initial), states)
        }
    });
    Ok(circle.map(|circle| ((system, structure), circle)))
}

impl RingReading {
    /// The words that windows lead to from a word, and that differ from it.
    #[must_use]
    pub fn successors(&self, word: &[LetterId]) -> BTreeSet<Vec<LetterId>> {
        let mut all = BTreeSet::new();
        for (start, window) in
            (0..word.len()).flat_map(|at| self.windows.iter().map(move |w| (at, w)))
        {
            let place = |offset: usize| (start + offset) % word.len();
            let mut letters = window.before.iter().enumerate();
            if letters.all(|(offset, letter)| word[place(offset)] == *letter) {
                let mut next = word.to_vec();
                for (offset, letter) in window.after.iter().enumerate() {
                    next[place(offset)] = *letter;
                }
                all.insert(next);
            }
        }
        all
    }

    /// Whether the windows lead from each reached state to exactly its successors; counts words and pairs.
    fn agrees_with(&mut self, graph: &StateGraph, words: &[Vec<LetterId>]) -> bool {
        let distinct: IndexSet<&Vec<LetterId>> = words.iter().collect();
        let mut pairs: Vec<BTreeSet<Vec<LetterId>>> = vec![BTreeSet::new(); distinct.len()];
        for edge in &graph.edges {
            let (from, to) = (&words[edge.from], &words[edge.to]);
            if let Some(at) = distinct.get_index_of(from).filter(|_| from != to) {
                pairs[at].insert(to.clone());
            }
        }
        self.words = distinct.len();
        self.pairs = pairs.iter().map(BTreeSet::len).sum();
        let mut each = distinct.iter().zip(&pairs);
        each.all(|(word, next)| self.successors(word) == *next)
    }
}

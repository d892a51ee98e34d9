//! What the Graph view remembers: data only.

use std::rc::Rc;

use super::settings::Motion;
use crate::animate::model::{
    ErrorText, Neighbourhood, NeighbourhoodRequest, OrbitMembers, StateId,
};
use crate::animate::neighbourhood::NeighbourBox;
use crate::animate::session::Fetched;
use crate::source::hash::IndexSet;

/// The largest radius.
pub const RADIUS_MAX: usize = 6;
/// Pictures in which a box is unfolded, or folded again.
pub const FRAMES: usize = 4;
/// How long each of them stays, in milliseconds.
pub const FRAME_TIME: u64 = 120;

/// What keys act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A box, by the state that it stands for, or that stands for its orbit.
    Place(StateId),
    /// A state of the box that is unfolded.
    Member(StateId),
}

/// A box that is taken apart into states.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// The state that stands for its orbit.
    pub orbit: StateId,
    /// The state by which it was reached.
    pub state: StateId,
    /// How far it is unfolded: from 0 to [`FRAMES`].
    pub frame: usize,
    /// Whether it is being folded again.
    pub folds: bool,
    /// When the next picture is due.
    pub due: u64,
    /// Its states, once they are known.
    pub told: Option<Fetched<OrbitMembers>>,
}

impl Unfolding {
    /// The states that are shown by now.
    #[must_use]
    pub fn shown(&self, most: usize) -> usize {
        match &self.told {
            Some(Ok(told)) => (told.members.len().min(most) * self.frame).div_ceil(FRAMES),
            _ => 0,
        }
    }

    /// Whether the next picture is another one.
    #[must_use]
    pub fn moves(&self) -> bool {
        matches!(self.told, Some(Ok(_))) && (self.folds || self.frame < FRAMES)
    }
}

/// The Graph view's own data.
#[derive(Clone, Debug)]
pub struct GraphData {
    /// How many steps around the present state.
    pub radius: usize,
    /// Whether boxes are states, and not orbits.
    pub full: bool,
    /// Only boxes that contain this, and what leads to them.
    pub filter: String,
    /// What keys act on; the present state if nothing else was chosen.
    pub chosen: Option<Chosen>,
    /// What was asked last, and the answer.
    pub known: Option<(NeighbourhoodRequest, Result<Rc<Neighbourhood>, ErrorText>)>,
    /// The box that is taken apart.
    pub unfolding: Option<Unfolding>,
    /// The states of the counterexample that was loaded last.
    pub path: Vec<StateId>,
    /// Orbits and states by the numbers that they have on the screen: they keep them.
    orbits: IndexSet<StateId>,
    states: IndexSet<StateId>,
}

impl Default for GraphData {
    fn default() -> Self {
        Self {
            radius: 2,
            full: false,
            filter: String::new(),
            chosen: None,
            known: None,
            unfolding: None,
            path: Vec::new(),
            orbits: IndexSet::default(),
            states: IndexSet::default(),
        }
    }
}

impl GraphData {
    /// Takes in what the engine told.
    pub fn learn(&mut self, asked: NeighbourhoodRequest, told: Result<Neighbourhood, ErrorText>) {
        if let Ok(told) = &told {
            for place in &told.boxes {
                match asked.full {
                    true => self.states.insert(place.state),
                    false => self.orbits.insert(place.orbit),
                };
            }
        }
        self.known = Some((asked, told.map(Rc::new)));
    }

    /// The picture that is shown, unless it is one of another state or kind.
    #[must_use]
    pub fn around(
        &self,
        wanted: &NeighbourhoodRequest,
    ) -> Option<&Result<Rc<Neighbourhood>, ErrorText>> {
        let (asked, told) = self.known.as_ref()?;
        (asked == wanted).then_some(told)
    }

    /// By what a box is found again in the next picture.
    #[must_use]
    pub fn key(&self, place: &NeighbourBox) -> StateId {
        if self.full { place.state } else { place.orbit }
    }

    /// `q7` for an orbit, `s7` for a state.
    #[must_use]
    pub fn name(&self, place: &NeighbourBox) -> String {
        let (letter, number) = match self.full {
            true => ('s', self.states.get_index_of(&place.state)),
            false => ('q', self.orbits.get_index_of(&place.orbit)),
        };
        number.map_or_else(String::new, |number| format!("{letter}{number}"))
    }

    /// How many boxes were met so far.
    #[must_use]
    pub fn met(&self) -> usize {
        if self.full {
            self.states.len()
        } else {
            self.orbits.len()
        }
    }

    /// Whether something moves by itself.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.unfolding.as_ref().is_some_and(Unfolding::moves)
    }

    /// Time passed.
    pub fn tick(&mut self, now: u64, motion: Motion) {
        let Some(unfolding) = self.unfolding.as_mut().filter(|u| u.moves()) else {
            return;
        };
        if now < unfolding.due {
            return;
        }
        unfolding.due = now + FRAME_TIME;
        // How many pictures one is after the other.
        let step = if motion == Motion::Full { 1 } else { FRAMES };
        if !unfolding.folds {
            unfolding.frame = (unfolding.frame + step).min(FRAMES);
        } else if unfolding.frame > step {
            unfolding.frame -= 1;
        } else {
            self.unfolding = None;
        }
    }
}

//! The data of the Graph view.

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
/// Duration of each frame, in milliseconds.
pub const FRAME_TIME: u64 = 120;

/// The item that keys act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// A box, by its state or the representative of its orbit.
    Place(StateId),
    /// A state of the box that is unfolded.
    Member(StateId),
}

/// A box that is taken apart into states.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// The representative of its orbit.
    pub orbit: StateId,
    /// The state by which it was reached.
    pub state: StateId,
    /// The frame of the animation: from 0 to [`FRAMES`].
    pub frame: usize,
    /// Whether it is being folded again.
    pub folds: bool,
    /// When the next picture is due.
    pub due: u64,
    /// Its states, once they are known.
    pub members: Option<Fetched<OrbitMembers>>,
}

impl Unfolding {
    /// The states that are shown by now.
    #[must_use]
    pub fn shown(&self, most: usize) -> usize {
        match &self.members {
            Some(Ok(answer)) => (answer.members.len().min(most) * self.frame).div_ceil(FRAMES),
            _ => 0,
        }
    }

    /// Whether there is a next frame.
    #[must_use]
    pub fn moves(&self) -> bool {
        matches!(self.members, Some(Ok(_))) && (self.folds || self.frame < FRAMES)
    }
}

/// The Graph view's own data.
#[derive(Clone, Debug)]
pub struct GraphData {
    /// The radius around the present state.
    pub radius: usize,
    /// Whether boxes are states, and not orbits.
    pub full: bool,
    /// The filter: only boxes that contain this text, and those that lead to them.
    pub filter: String,
    /// The chosen item; `None` for the present state.
    pub chosen: Option<Chosen>,
    /// The last request, and its answer.
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
    /// Takes in a reply of the engine.
    pub fn learn(&mut self, asked: NeighbourhoodRequest, answer: Result<Neighbourhood, ErrorText>) {
        if let Ok(answer) = &answer {
            for place in &answer.boxes {
                if asked.full {
                    self.states.insert(place.state)
                } else {
                    self.orbits.insert(place.orbit)
                };
            }
        }
        self.known = Some((asked, answer.map(Rc::new)));
    }

    /// The picture that is shown, unless it is one of another state or kind.
    #[must_use]
    pub fn around(
        &self,
        wanted: &NeighbourhoodRequest,
    ) -> Option<&Result<Rc<Neighbourhood>, ErrorText>> {
        let (asked, answer) = self.known.as_ref()?;
        (asked == wanted).then_some(answer)
    }

    /// The key by which a box is found again in the next picture.
    #[must_use]
    pub fn key(&self, place: &NeighbourBox) -> StateId {
        if self.full { place.state } else { place.orbit }
    }

    /// `q7` for an orbit, `s7` for a state.
    #[must_use]
    pub fn name(&self, place: &NeighbourBox) -> String {
        let (letter, number) = if self.full {
            ('s', self.states.get_index_of(&place.state))
        } else {
            ('q', self.orbits.get_index_of(&place.orbit))
        };
        number.map_or_else(String::new, |number| format!("{letter}{number}"))
    }

    /// The number of boxes found so far.
    #[must_use]
    pub fn boxes_found(&self) -> usize {
        if self.full {
            self.states.len()
        } else {
            self.orbits.len()
        }
    }

    /// Whether an animation is running.
    #[must_use]
    pub fn moves(&self) -> bool {
        self.unfolding.as_ref().is_some_and(Unfolding::moves)
    }

    /// Advances the animation.
    pub fn tick(&mut self, now: u64, motion: Motion) {
        let Some(unfolding) = self.unfolding.as_mut().filter(|u| u.moves()) else {
            return;
        };
        if now < unfolding.due {
            return;
        }
        unfolding.due = now + FRAME_TIME;
        // The number of frames in a step.
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

//! The data of the Symmetry view.

use std::cmp::Reverse;
use std::rc::Rc;

use super::views::{Pane, View};
use crate::animate::model::{ErrorText, ProcessSymmetry, StateId, StateImage};
use crate::animate::session::Fetched;
use crate::report::structure::GeneratorView;
use crate::source::hash::IndexMap;

/// Largest number of cached images. A dropped one is requested again.
const IMAGES_MAX: usize = 64;

/// The key of an image: the state, the generator by its place in the list, and its power.
pub type ImageKey = (StateId, usize, u64);

/// The Symmetry view's own data.
#[derive(Clone, Debug)]
pub struct PlayingData {
    /// The symmetry by the initial state of the process. It is kept as long as the script is.
    found: IndexMap<StateId, Fetched<ProcessSymmetry>>,
    images: IndexMap<ImageKey, Fetched<StateImage>>,
    /// Whether the search is being cancelled, since the view was left or there is another request.
    pub left: bool,
    /// The present state, and whether the view is shown.
    here: Option<(StateId, bool)>,
    /// The selected generator, by its place in the list.
    pub generator: usize,
    /// The power that is applied to the present state.
    pub power: u64,
    /// Whether the power grows by itself.
    pub plays: bool,
    /// When it is applied next.
    pub due: u64,
    /// The speed, an index into [`super::orbiting::SPEEDS`].
    pub speed: usize,
}

impl Default for PlayingData {
    fn default() -> Self {
        Self {
            found: IndexMap::default(),
            images: IndexMap::default(),
            left: false,
            here: None,
            generator: 0,
            power: 0,
            plays: false,
            due: 0,
            speed: 2,
        }
    }
}

/// The initial state of the process that a state is one of.
#[must_use]
pub fn root(state: StateId) -> StateId {
    StateId::new(state.network, 0)
}

/// The generator that is shown first: with the longest cycle of components, which shows most.
fn longest_cycle(found: &ProcessSymmetry) -> usize {
    let Ok(group) = &found.told.found else {
        return 0;
    };
    let longest = |generator: &GeneratorView| generator.components.iter().map(Vec::len).max();
    let all = group.generators.iter().enumerate();
    let best = all.max_by_key(|(at, generator)| (longest(generator), Reverse(*at)));
    best.map_or(0, |(at, _)| at)
}

impl PlayingData {
    /// The symmetry of the process of a state, if the engine has replied.
    #[must_use]
    pub fn fetched(&self, state: StateId) -> Option<&Fetched<ProcessSymmetry>> {
        self.found.get(&root(state))
    }

    /// The symmetry of the process of a state, if it was found.
    #[must_use]
    pub fn found(&self, state: StateId) -> Option<&ProcessSymmetry> {
        self.fetched(state)?.as_ref().ok().map(AsRef::as_ref)
    }

    /// An image, if the engine has replied.
    #[must_use]
    pub fn image(&self, key: ImageKey) -> Option<&Fetched<StateImage>> {
        self.images.get(&key)
    }

    /// After how many applications of a generator every state is as it was.
    #[must_use]
    pub fn order(&self, state: StateId, generator: usize) -> Option<u64> {
        let order = self.found(state)?.orders.get(generator)?;
        // Too long to be played to the end.
        Some(u64::try_from(order).unwrap_or(u64::MAX))
    }

    /// Records the engine's answer on a process.
    pub fn learn(
        &mut self,
        state: StateId,
        answer: Result<ProcessSymmetry, ErrorText>,
        cancelled: bool,
    ) {
        let left = std::mem::take(&mut self.left);
        let answer = match answer {
            // If the view is shown again, the failure is dropped: the search is requested again.
            Err(_) if cancelled && left => return,
            Err(_) if cancelled => Err(ErrorText::line("it was cancelled")),
            answer => answer,
        };
        if let Ok(found) = &answer
            && self.here.is_some_and(|(here, _)| root(here) == root(state))
        {
            self.select(longest_cycle(found));
        }
        self.found.insert(root(state), answer.map(Rc::new));
    }

    /// Records the engine's answer on an image.
    pub fn learn_image(
        &mut self,
        key: ImageKey,
        answer: Result<StateImage, ErrorText>,
        cancelled: bool,
    ) {
        if cancelled || answer.is_err() {
            self.plays = false;
        }
        if self.images.len() >= IMAGES_MAX {
            self.images.shift_remove_index(0);
        }
        self.images.insert(key, answer.map(Rc::new));
    }

    /// Selects a generator; it is shown before it is applied.
    pub fn select(&mut self, generator: usize) {
        if self.generator != generator {
            self.generator = generator;
            self.stop();
        }
    }

    /// Shows the present state itself.
    fn stop(&mut self) {
        self.power = 0;
        self.plays = false;
    }

    /// Follows the present state and view: another state is first shown unpermuted, and failed requests are repeated
    /// when the user comes back.
    pub fn follow(&mut self, current: Option<StateId>, view: View, scroll: &mut [usize]) {
        let here = current.map(|state| (state, view == View::Symmetry));
        if here == self.here {
            return;
        }
        let network = |place: Option<(StateId, bool)>| place.map(|(state, _)| state.network);
        if network(here) != network(self.here) {
            let found = current.and_then(|state| self.found(state));
            self.generator = found.map_or(0, longest_cycle);
            for pane in [Pane::Drawing, Pane::Group] {
                scroll[pane as usize] = 0;
            }
        }
        if here.map(|(state, _)| state) != self.here.map(|(state, _)| state) {
            self.stop();
            self.images.clear();
        }
        // The view is not shown.
        self.plays &= view == View::Symmetry;
        self.found.retain(|_, answer| answer.is_ok());
        self.images.retain(|_, answer| answer.is_ok());
        self.here = here;
    }
}

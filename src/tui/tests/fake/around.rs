//! The surroundings of the states of an engine made by hand, from its views.

use crate::animate::model::{Engine, ErrorText, OrbitMembers, StateId};
use crate::animate::neighbourhood::{Described, NotTold, OrbitMember, Outgoing, TellStates};

/// Tells of states what their views say.
pub struct ByViews<'a>(pub &'a mut dyn Engine);

impl TellStates for ByViews<'_> {
    fn described(&mut self, state: StateId) -> Result<Described, NotTold> {
        let view = self.0.view(state).map_err(NotTold::Failed);
        let view = match view {
            Ok(view) => view,
            // What cannot be evaluated has components all the same; this engine does not tell them.
            Err(_) => {
                return Ok(Described {
                    components: Vec::new(),
                    orbit: state,
                    size: None,
                });
            }
        };
        Ok(Described {
            components: view.components,
            orbit: view.orbit,
            size: view.representative.and_then(|rep| rep.orbit),
        })
    }

    fn outgoing(&mut self, state: StateId) -> Result<Outgoing, NotTold> {
        let view = self.0.view(state).map_err(NotTold::Failed)?;
        Ok(Outgoing {
            transitions: view.transitions,
            omitted: view.omitted,
            orbits_known: view.orbits_known,
        })
    }

    fn reduces(&mut self, _: StateId) -> bool {
        true
    }
}

/// Three states that stand for all of an orbit.
pub fn members(engine: &mut dyn Engine, state: StateId) -> Result<OrbitMembers, ErrorText> {
    let view = engine.view(state)?;
    let member = |n: u32| OrbitMember {
        state: StateId::new(state.network, state.number + 1000 * n),
        components: view.components.clone(),
    };
    Ok(OrbitMembers {
        members: (0..3).map(member).collect(),
        is_cut: false,
    })
}

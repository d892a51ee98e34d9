//! What a checker of claims on states needs: states as the group acts on them, and the elements of the claims.

use num_bigint::BigUint;
use serde_json::{Map, Value, json};

use super::type_permutation::{TypePermutation, permutation_json};

/// States with their representatives, as permutations act on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckableStates {
    /// Values of symmetric types are permuted.
    Values(KeyedStates),
    /// Components and their local states are permuted.
    Structure(PointStates),
}

/// A state with its representative; the element takes the one to the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WithRepresentative<S, E> {
    /// The name of the state in documents.
    pub name: &'static str,
    /// The state.
    pub state: S,
    /// The representative.
    pub representative: S,
    /// The element.
    pub element: E,
}

/// States as components with keys and variables ([`crate::symmetry::certificate`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyedStates {
    /// The symmetric types with their values.
    pub types: Vec<(String, Vec<String>)>,
    /// The keys: control state and family.
    pub keys: Vec<(String, String)>,
    /// The states.
    pub states: Vec<WithRepresentative<Vec<KeyedComponent>, Vec<TypePermutation>>>,
}

/// A component as permutations of values act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyedComponent {
    /// The number of its key.
    pub key: usize,
    /// Its local state.
    pub state: String,
    /// The variables of its local state, and then those of its label.
    pub variables: Vec<PlacedVariable>,
}

/// A variable of a symmetric type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedVariable {
    /// The name of the type.
    pub kind: String,
    /// The value.
    pub value: String,
    /// Equal for interchangeable places of one set.
    pub group: u32,
    /// Equal for the places of one element of a set.
    pub row: u32,
}

/// States as sets of points, with the group that acts on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointStates {
    /// The names of the components.
    pub components: Vec<String>,
    /// For each point its component and local state.
    pub points: Vec<(usize, String)>,
    /// The points that each generator moves, with their images.
    pub generators: Vec<PointMoves>,
    /// The order of the group.
    pub order: BigUint,
    /// The states.
    pub states: Vec<WithRepresentative<Vec<u32>, PointMoves>>,
}

/// The points that an element moves, with their images.
pub type PointMoves = Vec<(u32, u32)>;

impl CheckableStates {
    /// The name of the fact in documents.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Values(_) => "values",
            Self::Structure(_) => "structure",
        }
    }

    /// The fact in documents.
    #[must_use]
    pub fn json(&self) -> Value {
        match self {
            Self::Values(found) => found.json(),
            Self::Structure(found) => found.json(),
        }
    }
}

/// States with representatives and elements, each under the name of the state.
fn states_json<S, E>(
    states: &[WithRepresentative<S, E>],
    state: impl Fn(&S) -> Value,
    element: impl Fn(&E) -> Value,
) -> Value {
    let mut named = Map::new();
    for one in states {
        let value = json!({
            "state": state(&one.state),
            "representative": state(&one.representative),
            "permutation": element(&one.element),
        });
        named.insert(one.name.to_owned(), value);
    }
    named.into()
}

impl KeyedStates {
    fn json(&self) -> Value {
        let variable = |v: &PlacedVariable| json!({ "type": v.kind, "value": v.value, "group": v.group, "row": v.row });
        let component = |c: &KeyedComponent| {
            let variables: Value = c.variables.iter().map(variable).collect();
            json!({ "key": c.key, "state": c.state, "variables": variables })
        };
        let state = |s: &Vec<KeyedComponent>| s.iter().map(component).collect();
        let types = self.types.iter();
        let keys = self.keys.iter();
        let key = |(control, family): &(String, String)| json!({ "control_state": control, "family": family });
        json!({
            "types": types.map(|(name, values)| json!({ "name": name, "values": values })).collect::<Value>(),
            "keys": keys.map(key).collect::<Value>(),
            "states": states_json(&self.states, state, |e| permutation_json(e)),
        })
    }
}

impl PointStates {
    fn json(&self) -> Value {
        let point = |(component, state): &(usize, String)| json!({ "component": component, "state": state });
        json!({
            "components": self.components,
            "points": self.points.iter().map(point).collect::<Value>(),
            "generators": self.generators,
            "group_order": self.order.to_string(),
            "states": states_json(&self.states, |s| json!(s), |e| json!(e)),
        })
    }
}

//! Whether a relation is a symmetry pattern of a family, for words of every length (Theorems 2 to 4 of the paper).

use crate::automaton::{Nfa, not_included};
use crate::library::LibraryPattern;
use crate::limits::LimitWatch;
use crate::model::{FamilyModel, words_of};
use crate::relation::{
    LostStep, RelationCheck, RelationFault, RelationProperty, SimulationTheorem,
};
use crate::source::Stop;

/// On what ground steps were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternGround {
    /// Theorem 3: the relation is a total function.
    Function,
    /// Theorem 2: it is not.
    Relation,
    /// The steps read backwards are steps: for the reflection, which is no regular relation.
    Reversal,
}

/// How much a symmetry pattern preserves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternStrength {
    /// A bijection that keeps lengths: an automorphism of the system of each size (Def. 2).
    Complete,
    /// A total function.
    Homomorphism,
    /// A simulation.
    Simulation,
}

/// What was decided of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternReport {
    /// The properties that were decided, each with the reason why it fails. Simulation is missing if the relation
    /// leaves the configurations or makes words longer, since then it is no pattern anyway.
    pub properties: Vec<(RelationProperty, Option<RelationFault>)>,
    /// On what ground.
    pub ground: PatternGround,
    /// What it is, if it is a symmetry pattern.
    pub strength: Option<PatternStrength>,
}

impl PatternReport {
    /// Whether it is a symmetry pattern.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.strength.is_some()
    }

    /// Why it does not have a property; `None` also if that was not decided.
    #[must_use]
    pub fn fault(&self, property: RelationProperty) -> Option<&RelationFault> {
        let found = self.properties.iter().find(|known| known.0 == property);
        found.and_then(|known| known.1.as_ref())
    }

    /// Whether it has a property.
    #[must_use]
    pub fn has(&self, property: RelationProperty) -> bool {
        self.properties.contains(&(property, None))
    }

    /// The first reason why it is no symmetry pattern.
    #[must_use]
    pub fn failure(&self) -> Option<&RelationFault> {
        use RelationProperty::{Inside, NotLonger, Simulation};
        [Inside, NotLonger, Simulation]
            .into_iter()
            .find_map(|property| self.fault(property))
    }
}

/// Decides the properties of a relation over the alphabet of a family.
///
/// # Errors
/// The limit that is reached.
pub fn verify_relation(
    model: &FamilyModel,
    relation: &Nfa,
    watch: &LimitWatch,
) -> Result<PatternReport, Stop> {
    use RelationProperty::{
        Functional, Injective, Inside, NotLonger, Onto, SameLength, Simulation, Total,
    };
    let check = RelationCheck::new(model, relation, watch)?;
    let mut report = PatternReport {
        properties: Vec::new(),
        ground: PatternGround::Relation,
        strength: None,
    };
    let anything = SimulationTheorem::OfRelations;
    for property in [
        Inside, NotLonger, SameLength, Total, Functional, Injective, Onto,
    ] {
        let fault = check.fault(property, anything)?;
        report.properties.push((property, fault));
    }
    if !report.has(Inside) || !report.has(NotLonger) {
        return Ok(report);
    }
    let is_function = report.has(Total) && report.has(Functional);
    let theorem = if is_function {
        report.ground = PatternGround::Function;
        SimulationTheorem::OfFunctions
    } else {
        anything
    };
    let fault = check.fault(Simulation, theorem)?;
    if fault.is_none() {
        let is_bijection = [SameLength, Injective, Onto]
            .iter()
            .all(|one| report.has(*one));
        report.strength = Some(match (is_function, is_bijection) {
            (true, true) => PatternStrength::Complete,
            (true, false) => PatternStrength::Homomorphism,
            (false, _) => PatternStrength::Simulation,
        });
    }
    report.properties.push((Simulation, fault));
    Ok(report)
}

/// Decides a pattern of the library.
///
/// # Errors
/// The limit that is reached.
pub fn verify_library(
    model: &FamilyModel,
    pattern: LibraryPattern,
    watch: &LimitWatch,
) -> Result<PatternReport, Stop> {
    match pattern.relation(&model.alphabet, watch)? {
        Some(relation) => verify_relation(model, &relation, watch),
        None => verify_reflection(model, watch),
    }
}

/// The reflection maps v → w to a step if the pairs of the step, read backwards, are one: so it is a pattern if and
/// only if the automaton of the steps accepts the reversal of its language. Theorem 6 of the paper needs an automaton
/// with a stack for that. That the reflection is a bijection which keeps lengths is known.
fn verify_reflection(model: &FamilyModel, watch: &LimitWatch) -> Result<PatternReport, Stop> {
    let backwards = |mut word: Vec<u32>| {
        word.reverse();
        word
    };
    let reversed = model.configurations.reversed();
    let outside = not_included(&reversed, &model.configurations, watch)?;
    let leaves = outside.map(|output| RelationFault::Leaves {
        input: backwards(output.clone()),
        output,
    });
    let mut report = PatternReport {
        properties: vec![(RelationProperty::Inside, leaves)],
        ground: PatternGround::Reversal,
        strength: None,
    };
    if !report.has(RelationProperty::Inside) {
        return Ok(report);
    }
    let mut lost = None;
    for action in &model.actions {
        let steps = model.steps_inside(action, watch)?;
        if let Some(pairs) = not_included(&steps.reversed(), &steps, watch)? {
            let (image, image_of_to) = words_of(&model.alphabet, &pairs);
            lost = Some(RelationFault::LostStep(LostStep {
                action: action.name.clone(),
                from: backwards(image.clone()),
                to: backwards(image_of_to.clone()),
                image,
                image_of_to: Some(image_of_to),
            }));
            break;
        }
    }
    report.strength = lost.is_none().then_some(PatternStrength::Complete);
    let known = [
        RelationProperty::NotLonger,
        RelationProperty::SameLength,
        RelationProperty::Total,
        RelationProperty::Functional,
        RelationProperty::Injective,
        RelationProperty::Onto,
    ];
    report
        .properties
        .extend(known.map(|property| (property, None)));
    report.properties.push((RelationProperty::Simulation, lost));
    Ok(report)
}

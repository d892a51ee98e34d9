//! Verdicts on symmetry patterns of automata in words.

use serde_json::{Value, json};

use super::document::Tone;
use orbitscope_pattern::alphabet::{Alphabet, Letter};
use orbitscope_pattern::relation::{RelationFault, RelationProperty};
use orbitscope_pattern::verify::{PatternGround, PatternReport, PatternStrength};

/// What was found about a relation, in a sentence.
#[must_use]
pub fn verdict(report: &PatternReport, alphabet: &Alphabet) -> (Tone, String) {
    match (report.strength, report.failure()) {
        (Some(strength), _) => (Tone::Good, proved(strength, report.ground)),
        (None, Some(found)) => {
            let why = fault(found, alphabet);
            (Tone::Bad, format!("no symmetry pattern: {why}"))
        }
        (None, None) => (Tone::Open, "not proved".to_owned()),
    }
}

/// What is proved, for every size.
#[must_use]
pub fn proved(strength: PatternStrength, ground: PatternGround) -> String {
    let what = match strength {
        PatternStrength::Complete => {
            "it maps configurations one to one and steps to steps: an automorphism of every size"
        }
        PatternStrength::Homomorphism => {
            "a function that maps steps to steps: if its image is safe, so is the family (Proposition 1)"
        }
        PatternStrength::Simulation => "a simulation (Definition 2)",
    };
    let ground = match ground {
        PatternGround::Function => "Theorem 3",
        PatternGround::Relation => "Theorem 2",
        PatternGround::Reversal => "the steps read backwards are steps",
    };
    format!("PROVED for every n: {what} ({ground})")
}

/// The name of a property, as JSON has it.
fn property(property: RelationProperty) -> &'static str {
    match property {
        RelationProperty::Inside => "inside",
        RelationProperty::NotLonger => "not_longer",
        RelationProperty::SameLength => "same_length",
        RelationProperty::Total => "total",
        RelationProperty::Functional => "function",
        RelationProperty::Injective => "injective",
        RelationProperty::Onto => "onto",
        RelationProperty::Simulation => "simulation",
    }
}

/// Why a relation does not have a property.
#[must_use]
pub fn fault(fault: &RelationFault, alphabet: &Alphabet) -> String {
    let word = |word: &[Letter]| alphabet.word(word);
    match fault {
        RelationFault::Leaves { input, output } => {
            format!(
                "leaves the configurations: {} ↦ {}, which is none",
                word(input),
                word(output)
            )
        }
        RelationFault::Length { input, output } => {
            format!("changes lengths: {} ↦ {}", word(input), word(output))
        }
        RelationFault::NoImage(input) => format!("{} is mapped to nothing", word(input)),
        RelationFault::TwoImages(input, [a, b]) => {
            format!(
                "{} is mapped to {} and to {}",
                word(input),
                word(a),
                word(b)
            )
        }
        RelationFault::SharedImage([a, b], output) => {
            format!(
                "{} and {} are both mapped to {}",
                word(a),
                word(b),
                word(output)
            )
        }
        RelationFault::NoOrigin(output) => format!("nothing is mapped to {}", word(output)),
        RelationFault::LostStep(step) => {
            let action = match &*step.action {
                "" => String::new(),
                name => format!(" of {name}"),
            };
            let (from, to) = (word(&step.from), word(&step.to));
            let image = word(&step.image);
            match &step.image_of_to {
                Some(image_of_to) => format!(
                    "loses the step{action} {from} → {to}: {from} ↦ {image}, {to} ↦ {}, and there is no step {image} → {}",
                    word(image_of_to),
                    word(image_of_to)
                ),
                None => format!(
                    "loses the step{action} {from} → {to}: {from} ↦ {image}, from where no step leads to a word that \
                     {to} is mapped to"
                ),
            }
        }
    }
}

/// The same for programs.
fn fault_json(fault: &RelationFault, alphabet: &Alphabet) -> Value {
    let word = |word: &[Letter]| word_json(word, alphabet);
    match fault {
        RelationFault::Leaves { input, output } | RelationFault::Length { input, output } => {
            json!({ "inputs": [word(input)], "outputs": [word(output)] })
        }
        RelationFault::NoImage(input) => json!({ "inputs": [word(input)], "outputs": [] }),
        RelationFault::NoOrigin(output) => json!({ "inputs": [], "outputs": [word(output)] }),
        RelationFault::TwoImages(input, [a, b]) => {
            json!({ "inputs": [word(input)], "outputs": [word(a), word(b)] })
        }
        RelationFault::SharedImage([a, b], output) => {
            json!({ "inputs": [word(a), word(b)], "outputs": [word(output)] })
        }
        RelationFault::LostStep(step) => json!({
            "action": step.action,
            "from": word(&step.from),
            "to": word(&step.to),
            "image": word(&step.image),
            "image_of_to": step.image_of_to.as_ref().map(|image| word(image)),
        }),
    }
}

/// A word as a list of names of letters.
#[must_use]
pub fn word_json(word: &[Letter], alphabet: &Alphabet) -> Value {
    let names = word.iter().map(|letter| alphabet.name(*letter));
    names.collect::<Vec<_>>().into()
}

/// A report for programs.
#[must_use]
pub fn report_json(report: &PatternReport, alphabet: &Alphabet) -> Value {
    let properties = report.properties.iter().map(|(one, fault)| {
        let fault = fault.as_ref().map(|fault| fault_json(fault, alphabet));
        json!({ "property": property(*one), "holds": fault.is_none(), "counterexample": fault })
    });
    let strength = report.strength.map(|strength| match strength {
        PatternStrength::Complete => "automorphism",
        PatternStrength::Homomorphism => "homomorphism",
        PatternStrength::Simulation => "simulation",
    });
    json!({
        "proved": report.holds(),
        "strength": strength,
        "ground": match report.ground {
            PatternGround::Function => "theorem 3",
            PatternGround::Relation => "theorem 2",
            PatternGround::Reversal => "reversal",
        },
        "properties": properties.collect::<Vec<_>>(),
    })
}

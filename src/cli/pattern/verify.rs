//! `orbitscope pattern verify FILE`: which relations are symmetry patterns of a family, for every size.

use std::path::Path;

use serde_json::json;

use super::args::VerifyArgs;
use super::family::AskedFamily;
use crate::output::Output;
use crate::report::document::Tone;
use crate::report::numbers::counted;
use crate::report::pattern_words;
use crate::{USAGE, complain};
use orbitscope_pattern::automaton::Nfa;
use orbitscope_pattern::library::LibraryPattern;
use orbitscope_pattern::relation::RelationProperty;
use orbitscope_pattern::verify::{verify_library, verify_relation};

/// A pattern to be verified.
enum AskedPattern {
    Library(LibraryPattern),
    Relation(String, Nfa),
}

impl AskedPattern {
    fn name(&self) -> String {
        match self {
            Self::Library(known) => known.name(),
            Self::Relation(name, _) => name.clone(),
        }
    }

    fn about(&self) -> String {
        match self {
            Self::Library(known) => known.cycles(),
            Self::Relation(_, relation) => counted(relation.states() as u64, "state"),
        }
    }
}

/// Verifies and shows the result. Returns the exit code.
pub fn run(args: &VerifyArgs) -> Result<u8, u8> {
    let mut family = AskedFamily::load(&args.file, &args.answer)?;
    let patterns = asked_patterns(args, &mut family)?;
    let mut document = family.document("verify")?;
    let (mut facts, mut code, mut stopped) = (Vec::new(), 0, None);
    document.gap().section("patterns");
    for pattern in &patterns {
        let report = match pattern {
            AskedPattern::Library(known) => verify_library(&family.model, *known, &family.watch),
            AskedPattern::Relation(_, relation) => {
                verify_relation(&family.model, relation, &family.watch)
            }
        };
        let report = match report {
            Ok(report) => report,
            Err(stop) => {
                // What was decided before is still told.
                let said = crate::report::words::stop_text(stop);
                document.labelled(Tone::Open, pattern.name(), format!("undecided: {said}"));
                stopped = Some(family.code(stop));
                break;
            }
        };
        let label = format!("{}  {}", pattern.name(), pattern.about());
        let (tone, said) = pattern_words::verdict(&report, &family.model.alphabet);
        document.labelled(tone, label.clone(), said);
        if matches!(pattern, AskedPattern::Relation(..)) {
            for (property, fault) in &report.properties {
                let is_told = *property != RelationProperty::Simulation;
                if let Some(fault) = fault.as_ref().filter(|_| is_told) {
                    document.labelled(
                        Tone::Dim,
                        label.clone(),
                        pattern_words::fault(fault, &family.model.alphabet),
                    );
                }
            }
        }
        if !report.holds() {
            code = 1;
        }
        let mut fact = pattern_words::report_json(&report, &family.model.alphabet);
        fact["name"] = pattern.name().into();
        facts.push(fact);
    }
    let code = stopped.unwrap_or(code);
    document
        .fact("patterns", facts)
        .fact("exit_code", json!(code));
    Ok(Output::default().document(&document, args.answer.format, code))
}

fn asked_patterns(args: &VerifyArgs, family: &mut AskedFamily) -> Result<Vec<AskedPattern>, u8> {
    let mut asked = Vec::new();
    if args.patterns.is_empty() {
        asked.extend(LibraryPattern::USUAL.map(AskedPattern::Library));
        let own = family.file.pattern.clone();
        asked.extend(own.map(|own| AskedPattern::Relation("pattern".to_owned(), own)));
    }
    for name in &args.patterns {
        if let Some(known) = LibraryPattern::named(name) {
            asked.push(AskedPattern::Library(known));
            continue;
        }
        let word = name.split(':').next().unwrap_or_default();
        let is_meant = ["rotation", "swap", "reflection"].contains(&word);
        if is_meant && !Path::new(name).exists() {
            complain(&format!(
                "there is no pattern {name}: there are rotation, rotation:K, swap:I and reflection, with positions from 1 to {}",
                orbitscope_pattern::library::POSITION_MAX
            ));
            return Err(USAGE);
        }
        let relation = family.pattern_of(Path::new(name))?;
        asked.push(AskedPattern::Relation(name.clone(), relation));
    }
    Ok(asked)
}

//! `orbitscope pattern synth FILE`: the symmetry pattern with the fewest states.

use serde_json::{Value, json};

use super::args::SynthArgs;
use super::draw;
use super::family::AskedFamily;
use crate::output::Output;
use crate::report::document::{Document, Tone};
use crate::report::graph::AutomatonView;
use crate::report::numbers::counted;
use crate::report::pattern_words;
use crate::report::words::stop_text;
use crate::{BUG, complain};
use orbitscope_pattern::library::recognised;
use orbitscope_pattern::synthesis::{FoundTransducer, Synthesis, SynthesisOutcome, synthesise};
use orbitscope_pattern::write::pattern_text;

/// Searches and shows the result. Returns the exit code.
pub fn run(args: &SynthArgs) -> Result<u8, u8> {
    let family = AskedFamily::load(&args.file, &args.answer)?;
    for path in args.output.iter().chain(&args.draw) {
        family.may_write(path)?;
    }
    args.draw
        .iter()
        .try_for_each(|path| draw::is_drawable(path))?;
    let usual = family
        .file
        .synthesis
        .states
        .map_or(1..=6, |(least, most)| least..=most);
    let states = args.states.clone().unwrap_or(usual);
    let request = &family.file.synthesis;
    // Before the work: what is known of the family is told also where that reaches a limit.
    let mut document = family.document("synth")?;
    let found = synthesise(&family.model, request, states, &family.budget);
    document.gap().section("pattern");
    conditions(&found, &family, &mut document);
    let rejected = rejected(&found);
    if let Some(rejected) = &rejected {
        let said = format!("no transducer with {rejected} meets the conditions");
        document.say(Tone::Plain, said);
    }
    let code = match &found.outcome {
        SynthesisOutcome::Found(transducer) => {
            if !transducer.report.holds() {
                complain("internal error: the transducer that was found is no symmetry pattern");
                return Err(BUG);
            }
            let view = shown(transducer, &family, &mut document);
            write(args, transducer, &view, &family)?;
            0
        }
        SynthesisOutcome::Impossible => 1,
        SynthesisOutcome::Undecided(stop) => {
            let at = found.tried.last().map_or(0, |round| round.states);
            let states = counted(at as u64, "state");
            let said = format!("undecided with {states}: {}", stop_text(*stop));
            document.say(Tone::Open, said);
            family.code(*stop)
        }
    };
    facts(&found, &mut document);
    document.fact("exit_code", code);
    Ok(Output::default().document(&document, args.answer.format, code))
}

/// Writes the files that are asked for.
fn write(
    args: &SynthArgs,
    transducer: &FoundTransducer,
    view: &AutomatonView,
    family: &AskedFamily,
) -> Result<(), u8> {
    if let Some(path) = &args.output {
        let name = args.file.display();
        let comment = format!(
            "A symmetry pattern of {name}, found by `orbitscope pattern synth` and verified."
        );
        let alphabet = &family.model.alphabet;
        let text = pattern_text(&transducer.relation, alphabet, &comment);
        family.write(path, &text)?;
    }
    if let Some(path) = &args.draw {
        let text = draw::picture(path, view).unwrap_or_default();
        family.write(path, &text)?;
    }
    Ok(())
}

/// Says what is looked for.
fn conditions(found: &Synthesis, family: &AskedFamily, document: &mut Document) {
    let conditions = found.conditions;
    let mut named = vec!["C1 to C9"];
    for (is_on, name) in [
        (conditions.permutative, "C10"),
        (conditions.parikh, "C11"),
        (conditions.injective, "injective"),
        (conditions.onto, "onto"),
        (conditions.bounded, "bounded outputs"),
    ] {
        if is_on {
            named.push(name);
        }
    }
    let request = &family.file.synthesis;
    if !request.instances.is_empty() || !request.generators.is_empty() {
        named.push("the words that are forced");
    }
    let said = format!("conditions: {}", named.join(", "));
    document.say(Tone::Dim, said);
    if found.bijections_only {
        let said = "bijections only, and without bounded outputs: without forced words, everything mapped to one word \
                    would be the least pattern";
        document.say(Tone::Open, said);
    }
    document.fact("conditions", named);
}

/// `1 to 10 states`: those that were tried in vain.
fn rejected(found: &Synthesis) -> Option<String> {
    let last = match found.outcome {
        SynthesisOutcome::Impossible => found.tried.len(),
        _ => found.tried.len().checked_sub(1)?,
    };
    let (first, last) = (found.tried.first()?, found.tried[..last].last()?);
    Some(match first.states == last.states {
        true => counted(first.states as u64, "state"),
        false => format!("{} to {} states", first.states, last.states),
    })
}

/// Shows the pattern.
fn shown(
    transducer: &FoundTransducer,
    family: &AskedFamily,
    document: &mut Document,
) -> AutomatonView {
    let (model, relation) = (&family.model, &transducer.relation);
    // A pattern that was found is told also if there is no time to compare it.
    let known = recognised(model, relation, &family.watch).unwrap_or(None);
    let title = format!(
        "{}, {}{}",
        counted(relation.states() as u64, "state"),
        counted(relation.edge_count() as u64, "transition"),
        known
            .as_ref()
            .map_or(String::new(), |name| format!(": {name} on configurations"))
    );
    let mut view = draw::view(&title, relation, |pair| model.alphabet.pair_name(pair));
    document.say(Tone::Strong, &title);
    if let Some(strength) = transducer.report.strength {
        let said = pattern_words::proved(strength, transducer.report.ground);
        document.say(Tone::Good, &said);
        view.remarks.push(said);
    }
    document.table(draw::table(&view));
    document
        .fact("pattern", draw::automaton_json(&view))
        .fact("recognised", known)
        .fact(
            "report",
            pattern_words::report_json(&transducer.report, &family.model.alphabet),
        );
    view
}

fn facts(found: &Synthesis, document: &mut Document) {
    let outcome = match found.outcome {
        SynthesisOutcome::Found(_) => "found",
        SynthesisOutcome::Impossible => "impossible",
        SynthesisOutcome::Undecided(_) => "undecided",
    };
    let tried = found.tried.iter().map(|round| {
        json!({
            "states": round.states,
            "candidates": round.candidates,
            "clauses": round.clauses,
        })
    });
    document
        .fact("outcome", outcome)
        .fact("tried", tried.collect::<Vec<Value>>())
        .fact("bijections_only", found.bijections_only);
}

//! `orbitscope pattern invariant FILE`: whether a bad word is reached, for every size.

use serde_json::{Value, json};

use super::args::InvariantArgs;
use super::draw;
use super::family::AskedFamily;
use crate::output::Output;
use crate::report::document::{Document, Tone};
use crate::report::numbers::counted;
use crate::report::pattern_words::word_json;
use crate::report::words::stop_text;
use crate::{LATE, USAGE, complain};
use orbitscope_pattern::automaton::{Dfa, Nfa};
use orbitscope_pattern::invariant::{
    InvariantOutcome, InvariantSearch, find_invariant, initial_outside, without_successor,
};

/// Searches and shows the result. Returns the exit code.
pub fn run(args: &InvariantArgs) -> Result<u8, u8> {
    let mut family = AskedFamily::load(&args.file, &args.answer)?;
    if let Some(path) = &args.draw {
        family.may_write(path)?;
        draw::is_drawable(path)?;
    }
    let (initial, bad) = languages(args, &mut family)?;
    let states = args.states.clone().unwrap_or(1..=8);
    // Before the work: what is known of the family is told also where that reaches a limit.
    let mut document = family.document("invariant")?;
    let found = find_invariant(
        &family.model,
        &initial,
        &bad,
        states.clone(),
        &family.budget,
    );
    document.gap().section("invariant");
    let searched = searched(&found, &mut document);
    let code = match &found.outcome {
        InvariantOutcome::Reached => {
            reached(&found, &family, &mut document);
            1
        }
        InvariantOutcome::Found(automaton) => {
            let view = shown(automaton, &family, &mut document);
            if let Some(path) = &args.draw {
                family.write(path, &draw::picture(path, &view).unwrap_or_default())?;
            }
            0
        }
        InvariantOutcome::NotFound => {
            let why = format!(
                "no automaton with {} to {} states is an inductive invariant",
                states.start(),
                states.end()
            );
            not_proved(&why, &searched, &mut document);
            LATE
        }
        InvariantOutcome::Stopped(stop) => {
            not_proved(stop_text(*stop), &searched, &mut document);
            family.code(*stop)
        }
    };
    let outcome = match found.outcome {
        InvariantOutcome::Reached => "reached",
        InvariantOutcome::Found(_) => "proved",
        InvariantOutcome::NotFound => "not found",
        InvariantOutcome::Stopped(_) => "undecided",
    };
    document
        .fact("outcome", outcome)
        .fact("searched_to", found.small.complete_to)
        .fact("candidates", found.candidates.clone())
        .fact("exit_code", code);
    Ok(Output::default().document(&document, args.answer.format, code))
}

fn not_proved(why: &str, searched: &str, document: &mut Document) {
    let said = format!("not proved: {why}; no bad word is reached {searched}");
    document.say(Tone::Open, said);
}

/// The words that are initial, and those that are bad.
fn languages(args: &InvariantArgs, family: &mut AskedFamily) -> Result<(Nfa, Nfa), u8> {
    let initial = match &args.initial {
        Some(text) => Some(family.language("--initial", text)?),
        None => family.file.initial.clone(),
    };
    let bad = match &args.bad {
        _ if args.deadlock => {
            let bad = without_successor(&family.model, &family.watch);
            Some(bad.map_err(|stop| family.stopped(stop))?)
        }
        Some(text) => Some(family.language("--bad", text)?),
        None => family.file.bad.clone(),
    };
    let missing = |name: &str, others: &str| {
        complain(&format!(
            "which words are {name}? say it by --{name} REGEX{others}, or in the family"
        ));
        USAGE
    };
    let initial = initial.ok_or_else(|| missing("initial", ""))?;
    let bad = bad.ok_or_else(|| missing("bad", " or --deadlock"))?;
    let outside = initial_outside(&family.model, &initial, &family.watch);
    if let Some(word) = outside.map_err(|stop| family.stopped(stop))? {
        let word = family.model.alphabet.word(&word);
        complain(&format!("the initial word {word} is no configuration"));
        return Err(USAGE);
    }
    Ok((initial, bad))
}

/// Says which sizes were searched. Returns it for the end of a sentence.
fn searched(found: &InvariantSearch, document: &mut Document) -> String {
    let Some(most) = found.small.complete_to else {
        return "in the words that were searched".to_owned();
    };
    let said = format!("searched word by word: n = 0 to {most}, no bad word is reached");
    document.say(Tone::Plain, said);
    format!("for n = 0 to {most}")
}

/// Shows a run to a bad word.
fn reached(found: &InvariantSearch, family: &AskedFamily, document: &mut Document) {
    let run = found.small.bad_run.iter().flatten();
    let run: Vec<_> = run.collect();
    let size = run.last().map_or(0, |word| word.len());
    let steps = counted(run.len().saturating_sub(1) as u64, "step");
    document.say(
        Tone::Bad,
        format!("FAILS for n = {size}: a bad word is reached after {steps}"),
    );
    for word in &run {
        document.deeper(1, Tone::Plain, family.model.alphabet.word(word));
    }
    let words = run
        .iter()
        .map(|word| word_json(word, &family.model.alphabet));
    document.fact("run", words.collect::<Vec<Value>>());
}

/// Shows an invariant.
fn shown(
    automaton: &Dfa,
    family: &AskedFamily,
    document: &mut Document,
) -> crate::report::graph::AutomatonView {
    let alphabet = &family.model.alphabet;
    let states = counted(automaton.states() as u64, "state");
    let title = format!("invariant, {states}");
    let mut view = draw::view(&title, &automaton.with_dead_states(), |letter| {
        alphabet.name(letter).to_owned()
    });
    let said = "PROVED for every n: no bad word is reached. The initial words are in the invariant, no step leaves it, \
                and no bad word is in it (each checked anew by inclusion)";
    document.say(Tone::Good, said);
    document.say(Tone::Strong, &title);
    view.remarks.push(
        "Initial words are accepted, steps do not leave it, no bad word is accepted.".to_owned(),
    );
    document.table(draw::table(&view));
    document.fact("invariant", draw::automaton_json(&view));
    document.fact("proof", json!(["initial", "steps", "bad"]));
    view
}

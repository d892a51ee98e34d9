//! Results of checks as text.

use std::fmt::Write;

use super::numbers;
use super::outcome::{CheckOutcome, Counterexample, Details, Verdict};
use super::paint::Paint;
use super::reduction::{StructureSummary, why_not};
use super::steps::counterexample;
use super::words::ErrorText;
use crate::check::adaptive::AdaptiveUsed;
use crate::check::outcome::{StructureLooked, StructureUse};
use crate::source::{Kind, visible as visible_lines, visible_line as visible};

/// The report on an assertion: the question, the answer, figures, and the counterexamples; sizes and times if the
/// seconds spent on reading the script are given.
pub fn outcome(outcome: &CheckOutcome, reading: Option<f64>, colour: bool) -> String {
    let paint = Paint::new(colour);
    let mut text = String::new();
    let _ = writeln!(text, "{}  {}", outcome.number, visible(&outcome.text));
    let verdict = match &outcome.verdict {
        Verdict::Holds => paint.ok("holds"),
        Verdict::Fails => paint.fail("FAILS"),
        Verdict::Approximate(why) => format!("approximate: {}", visible(why)),
        Verdict::Inconclusive(why) => format!("inconclusive: {}", visible(why)),
        Verdict::Error(failure) => {
            refusal(outcome, failure, &paint, &mut text);
            return text;
        }
    };
    // Where no time was left to begin, the files are not even noted.
    let was_begun = outcome.stopped.is_none() || !outcome.inputs.is_empty();
    if !was_begun {
        let _ = writeln!(text, "   {verdict}");
        return text;
    }
    // Every search stores its first state; `:[symmetric]` is decided without one.
    let was_searched = outcome.progress.states > 0;
    if !was_searched && !matches!(outcome.verdict, Verdict::Inconclusive(_)) {
        let _ = writeln!(text, "   {verdict}   by the text of the script");
        // No counterexample: an explanation in the text is all there is.
        for line in outcome.explanation.iter().flat_map(|f| f.detail.lines()) {
            let _ = writeln!(text, "   {}", visible(line));
        }
        return text;
    }
    figures(outcome, &verdict, &mut text);
    for line in reduction(outcome) {
        let _ = writeln!(text, "   {}", paint.dim(&line));
    }
    if let Some((details, reading)) = outcome.details.as_ref().zip(reading) {
        for line in stats(outcome, details, reading) {
            let _ = writeln!(text, "   {}", paint.dim(&line));
        }
    }
    for missing in &outcome.missing {
        let _ = writeln!(text, "   not here: {}", visible(missing));
    }
    let all = outcome.counterexamples().count();
    for (n, found) in outcome.counterexamples().enumerate() {
        // A single one needs no number.
        if all > 1 {
            let _ = writeln!(text, "   counterexample {} of {all}", n + 1);
        }
        counterexample(found, &paint, &mut text);
    }
    text
}

/// Why an assertion could not be checked.
fn refusal(outcome: &CheckOutcome, failure: &ErrorText, paint: &Paint, text: &mut String) {
    if is_consequence(outcome) {
        // The error was reported in full at its place: here it is named, with that place.
        let _ = writeln!(text, "   {}", paint.fail("not checked"));
        let _ = writeln!(text, "   {}", visible(&failure.summary));
        for label in outcome.diagnostic.iter().flat_map(|d| &d.labels) {
            let _ = writeln!(text, "   {}", visible(&label.text));
        }
        return;
    }
    let _ = writeln!(text, "   {}", paint.fail("cannot be checked"));
    for line in visible_lines(&failure.detail).lines() {
        let _ = writeln!(text, "   {line}");
    }
}

/// Adds the verdict with its figures, and the progress of a search that did not end.
fn figures(outcome: &CheckOutcome, verdict: &str, text: &mut String) {
    let progress = &outcome.progress;
    let _ = writeln!(
        text,
        "   {verdict}   {}, {}, {:.2} s",
        outcome.states(),
        numbers::counted(progress.transitions, "transition"),
        progress.seconds,
    );
    if let Verdict::Inconclusive(_) = outcome.verdict {
        let _ = writeln!(
            text,
            "   until then depth {}, {} waiting, {}",
            progress.ply,
            numbers::counted(progress.frontier, "state"),
            numbers::bytes(progress.bytes),
        );
        let growing = outcome.details.iter().flat_map(|details| &details.growing);
        for growing in growing.take(GROWING_MAX) {
            let _ = writeln!(text, "   {}", visible(&growing.sentence()));
        }
        for note in outcome.diagnostic.iter().flat_map(|d| &d.notes) {
            let _ = writeln!(text, "   {}", visible(note));
        }
    }
}

/// Parameters that are named at most.
const GROWING_MAX: usize = 4;

/// The reduction of the check, and the states that its states represent.
fn reduction(outcome: &CheckOutcome) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(symmetry) = &outcome.symmetry {
        let types = symmetry.types.iter();
        let types = types.map(|(name, n)| format!("{name}({n})"));
        let copies = symmetry.copies.iter();
        let copies = copies.map(|(name, n)| format!("copies of {name}({n})"));
        let types = types.chain(copies).collect::<Vec<_>>().join(" ");
        let types = Some(types).filter(|types| !types.is_empty());
        let structure = symmetry.structure.as_ref().map(StructureSummary::in_full);
        let parts: Vec<String> = types.into_iter().chain(structure).collect();
        lines.push(format!(
            "reduced by {}: a group of {} permutations, strategy {}",
            visible(&parts.join(" and by ")),
            numbers::grouped(&symmetry.group_order),
            symmetry.strategy
        ));
    }
    if let Some(unreached) = outcome.details.as_ref().map(|d| d.unreached as u64)
        && unreached > 0
    {
        lines.push(format!(
            "{} reached, one of each orbit; the others are only remembered",
            numbers::counted(outcome.progress.states - unreached, "state"),
        ));
    }
    if let Some((states, transitions)) = &outcome.represented {
        lines.push(format!(
            "stands for exactly {} states, {} transitions",
            numbers::grouped(states),
            numbers::grouped(transitions)
        ));
    }
    lines.extend(not_reduced(outcome));
    lines.extend(outcome.details.iter().flat_map(Details::given_up));
    lines.extend(outcome.state_symmetry_sentence());
    lines.extend(outcome.partial_order_sentence());
    lines.extend(outcome.adaptive.iter().flat_map(adaptive));
    lines
}

/// The reasons for no reduction, or for no larger one, where there might be one or it was asked for.
fn not_reduced(outcome: &CheckOutcome) -> Vec<String> {
    let Some(plan) = &outcome.plan else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    if outcome.symmetry.is_none() && plan.asked && plan.instead.is_none() {
        let said = why_not(plan, outcome.structure_use());
        lines.push(format!("not reduced: {said}"));
    }
    let whole = if outcome.symmetry.is_some() {
        "not reduced by more"
    } else {
        "not reduced"
    };
    let instead = plan.instead.iter().map(|instead| &instead.summary);
    lines.extend(
        instead
            .chain(&plan.idle)
            .map(|why| format!("{whole}: {}", visible(why))),
    );
    lines
}

/// The figures of an adaptive search.
fn adaptive(used: &AdaptiveUsed) -> Vec<String> {
    let count = |n: usize, what| numbers::counted(n as u64, what);
    let cells: Vec<String> = used.cells.iter().map(|c| c.join(" ")).collect();
    let order = numbers::grouped(&used.order);
    let mut lines = vec![format!(
        "adaptive: {order} permutations at the beginning; interchangeable: {}",
        visible(&cells.join(" | "))
    )];
    let asymmetry = &used.asymmetry;
    lines.push(match asymmetry.rules {
        0 => "all rules are symmetric".to_string(),
        rules => format!(
            "not symmetric: {} of {} ({})",
            rules,
            count(asymmetry.of, "rule"),
            visible(&asymmetry.names.join(", "))
        ),
    });
    let about = if used.exactly { "exactly" } else { "at least" };
    lines.push(format!(
        "stands for {about} {}; {} expanded, {}",
        numbers::counted(used.at_least, "state"),
        numbers::counted(used.images, "state"),
        count(used.groups, "group"),
    ));
    // The most frequent ones: there may be as many as rules.
    let splits = used.splits.iter().take(SPLITS_MAX);
    let splits: Vec<String> = splits
        .map(|(rules, times)| format!("{rules} ({})", numbers::counted(*times, "time")))
        .collect();
    if !splits.is_empty() {
        lines.push(format!("told apart by {}", visible(&splits.join(", "))));
    }
    lines
}

/// Rules that are listed at most.
const SPLITS_MAX: usize = 6;

/// A saved counterexample that was followed to its end.
pub fn replayed(number: usize, assertion: &str, found: &Counterexample, colour: bool) -> String {
    let paint = Paint::new(colour);
    let mut text = format!("{number}  {}\n", visible(assertion));
    let steps = numbers::counted(found.steps.len() as u64, "step");
    let _ = writeln!(text, "   {}   replayed, {steps}", paint.fail("FAILS"));
    counterexample(found, &paint, &mut text);
    text
}

/// The text of a counterexample alone.
pub fn run(found: &Counterexample, colour: bool) -> String {
    let mut text = String::new();
    counterexample(found, &Paint::new(colour), &mut text);
    text
}

/// The statistics of a check: values and components, memory, and the time of each phase.
fn stats(outcome: &CheckOutcome, details: &Details, reading: f64) -> Vec<String> {
    let progress = &outcome.progress;
    let grouped = |n: usize| numbers::thousands(n as u128);
    let nodes = details.nodes.map_or(String::new(), |n| {
        let form = if details.normal {
            "normal"
        } else {
            "prenormal"
        };
        format!(
            ", {} of the {form} specification",
            numbers::counted(n as u64, "node")
        )
    });
    let per = |total: f64, count: u64| total / count.max(1) as f64;
    // The rest is unwinding counterexamples, cycles, and counting. The clocks are read at different moments, so it
    // may be slightly below zero.
    let after = progress.seconds - details.compile_seconds - details.search_seconds;
    let merged = match details.merged {
        0 => String::new(),
        n => format!("; merged {} with bisimilar ones", grouped(n)),
    };
    let mut all = strategy_lines(outcome, details);
    all.extend(details.structure_looked.map(structure_line));
    all.extend((details.slept > 0).then(|| {
        let steps = numbers::counted(details.slept, "step");
        format!("sleep sets left out {steps} to what is met from another state")
    }));
    all.extend([
        format!(
            "evaluated {} of {} local states, the others by renaming{merged}",
            grouped(details.evaluated),
            grouped(details.local_states)
        ),
        format!(
            "compiled {}, {}, {}{nodes}",
            numbers::counted(details.components as u64, "component"),
            numbers::counted(details.rules as u64, "rule"),
            numbers::counted(details.formats as u64, "format"),
        ),
        memory_line(outcome, details),
        format!(
            "time {reading:.2} s reading, {:.2} s compiling, {:.2} s searching ({:.0} ns a transition), {:.2} s after",
            details.compile_seconds,
            details.search_seconds,
            per(details.search_seconds * 1e9, progress.transitions),
            after.max(0.0)
        ),
    ]);
    all
}

/// The memory of the states and of the program.
fn memory_line(outcome: &CheckOutcome, details: &Details) -> String {
    let progress = &outcome.progress;
    let peak = details.peak.map_or(String::new(), |bytes| {
        format!(", {} at most for the program", numbers::bytes(bytes as u64))
    });
    let ends = details.ends.map_or(String::new(), |ends| {
        let ends = numbers::thousands(ends as u128);
        format!("; the states end in {ends} ways, each of which is stored once")
    });
    let each = progress.bytes as f64 / progress.states.max(1) as f64;
    let disk = details.disk.map_or(String::new(), |disk| {
        let each = disk.bytes as f64 / progress.states.max(1) as f64;
        let looked_up = numbers::thousands(u128::from(disk.looked_up));
        format!("; {each:.1} bytes a state on disk, where {looked_up} keys were looked up")
    });
    let shared = details.processes.map_or(String::new(), |shared| {
        let sent = numbers::bytes(shared.sent);
        format!(
            "; {} processes share the states: the first one has sent {sent} and waited {:.1} s",
            shared.processes, shared.waited
        )
    });
    format!("memory {each:.1} bytes a state{peak}{ends}{disk}{shared}")
}

/// The cost of the search for symmetry in the structure.
fn structure_line(search: StructureLooked) -> String {
    let came = match search.came {
        StructureUse::Used => "symmetry found",
        StructureUse::Idle => {
            "its symmetry hardly moves any state that is reached, so it is not used"
        }
        StructureUse::Costly => {
            "to reduce by its symmetry takes longer than it saves, so it is not used"
        }
        StructureUse::None => "no symmetry found",
        StructureUse::Untied => {
            "none that leaves every event what it is, and the specification is too large to be permuted"
        }
        StructureUse::TooLarge => "symmetry found that would take too much room",
        StructureUse::Limited => "given up at a limit",
    };
    let before = match search.states_before {
        0 => String::new(),
        states => format!(", after {}", numbers::counted(states, "state")),
    };
    let seconds = search.seconds;
    format!("structure looked at for {seconds:.3} s{before}: {came}")
}

/// The states for which the strategy is exact, and how often it used another one.
fn strategy_lines(outcome: &CheckOutcome, details: &Details) -> Vec<String> {
    let Some(symmetry) = &outcome.symmetry else {
        return Vec::new();
    };
    let strategy = &symmetry.strategy;
    let mut lines = vec![format!(
        "strategy {strategy}: {}",
        outcome.exact_for().unwrap_or_default()
    )];
    let (times, instead) = details.fallbacks;
    if times > 0 {
        lines.push(format!(
            "strategy {strategy}: in {} of {} cases {instead}",
            numbers::thousands(u128::from(times)),
            numbers::thousands(u128::from(details.representatives)),
        ));
    }
    lines
}

/// Whether all its errors were reported elsewhere.
fn is_consequence(outcome: &CheckOutcome) -> bool {
    let diagnostic = outcome.diagnostic.as_ref();
    diagnostic.is_some_and(|d| d.kind == Kind::Consequence)
}

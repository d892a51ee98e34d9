//! Results as the text that FDR4 prints.

use std::fmt::Write as _;

use super::behaviour::{FdrAnswer, FdrBehaviour, FdrCounterexample, FdrEvent, FdrResult, TAU};
use super::sink::{ReadScript, ResultSink};
use crate::report::numbers;
use crate::report::parted::PartedText;
use crate::source::visible_line;

/// How much the text tells, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlainResults {
    /// Whether an assertion has one line.
    pub brief: bool,
    /// Whether the log is left out.
    pub quiet: bool,
    /// Whether answers are coloured.
    pub colour: bool,
    /// Whether events behind silent steps are named.
    pub reveals: bool,
}

/// The space before the parts of a result: before its heading, its figures, and the parts of a counterexample.
const HEADING: &str = "    ";
const FIGURE: &str = "        ";
const SIDE: &str = "            ";
const BEHAVIOUR: &str = "                ";
const PART: &str = "                    ";

impl PlainResults {
    fn answer(self, answer: &FdrAnswer) -> String {
        let (code, text) = match answer {
            FdrAnswer::Passed => ("1;32", "Passed".to_owned()),
            FdrAnswer::Failed => ("1;31", "Failed".to_owned()),
            // Scripts look for `Failed`: what is not decided must not be taken for passed.
            FdrAnswer::Undecided(why) => ("1;31", format!("Failed to check: {}", one_line(why))),
        };
        if self.colour {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text
        }
    }

    fn log(result: &FdrResult<'_>, text: &mut String) {
        let progress = &result.outcome.progress;
        let _ = writeln!(
            text,
            "{FIGURE}Visited {} and {} in {:.2} seconds (on ply {})",
            numbers::counted(progress.states, "state"),
            numbers::counted(progress.transitions, "transition"),
            progress.seconds,
            numbers::thousands(progress.ply as u128),
        );
        for line in result.outcome.reduction_sentences().iter().flatten() {
            let _ = writeln!(text, "{FIGURE}{}", one_line(line));
        }
    }

    fn figures(result: &FdrResult<'_>, text: &mut String) {
        let progress = &result.outcome.progress;
        for (name, figure) in [
            ("States", progress.states),
            ("Transitions", progress.transitions),
            ("Plys", progress.ply as u64),
        ] {
            let figure = numbers::thousands(figure.into());
            let _ = writeln!(text, "{FIGURE}Visited {name}: {figure}");
        }
        let megabytes = progress.bytes.div_ceil(1024 * 1024);
        let megabytes = numbers::thousands(megabytes.into());
        let _ = writeln!(text, "{FIGURE}Estimated Total Storage: {megabytes}MB");
    }

    fn counterexample(self, found: &FdrCounterexample, text: &mut String) {
        let (_, kind) = found.kind.names();
        let _ = writeln!(text, "{FIGURE}Counterexample ({kind} Counterexample)");
        let machine = match &found.specification {
            Some(specification) => {
                let _ = writeln!(text, "{SIDE}Specification Debug:");
                Self::specification(specification, text);
                "Implementation"
            }
            None => "Machine",
        };
        let _ = writeln!(text, "{SIDE}{machine} Debug:");
        self.implementation(&found.implementation, text);
    }

    fn specification(behaviour: &FdrBehaviour, text: &mut String) {
        let _ = writeln!(text, "{BEHAVIOUR}Trace: {}", trace(&behaviour.trace));
        if let Some(allowed) = &behaviour.offered {
            let _ = writeln!(text, "{BEHAVIOUR}Available Events: {}", set(allowed));
        }
        if let Some(event) = &behaviour.error_event {
            let _ = writeln!(text, "{BEHAVIOUR}Error Event: {}", visible_line(event));
        }
    }

    fn implementation(self, behaviour: &FdrBehaviour, text: &mut String) {
        let (_, kind) = behaviour.kind.names();
        let process = visible_line(&behaviour.process);
        let _ = writeln!(text, "{BEHAVIOUR}{process} ({kind} Behaviour):");
        let (before, repeated) = match behaviour.loop_start {
            Some(start) => behaviour.trace.split_at(start.min(behaviour.trace.len())),
            None => (&behaviour.trace[..], &[][..]),
        };
        let _ = writeln!(text, "{PART}Trace: {}", trace(before));
        if self.reveals && behaviour.trace.iter().any(|event| event.name == TAU) {
            let _ = writeln!(text, "{PART}Revealed Trace: {}", revealed(before));
        }
        if behaviour.loop_start.is_some() {
            let _ = writeln!(text, "{PART}Repeat: {}", trace(repeated));
            if self.reveals {
                let _ = writeln!(text, "{PART}Revealed Repeat: {}", revealed(repeated));
            }
        }
        if let Some(offered) = &behaviour.offered {
            let _ = writeln!(text, "{PART}Min Acceptance: {}", set(offered));
        }
        // Last, since some callers take the rest of the text for the event.
        if let Some(event) = &behaviour.error_event {
            let _ = writeln!(text, "{PART}Error Event: {}", visible_line(event));
        }
    }
}

impl ResultSink for PlainResults {
    /// Two lines, as FDR4 begins with: some callers leave out the first two.
    fn start(&mut self) -> String {
        format!(
            "Orbitscope {}, in place of FDR4's refines\nSee `orbitscope help refines`.\n",
            env!("CARGO_PKG_VERSION")
        )
    }

    fn script(&mut self, script: &ReadScript<'_>) -> String {
        let mut text = String::new();
        for print in script.printed.iter().filter(|_| !self.brief) {
            if let Ok(value) = &print.value {
                let expression = visible_line(&print.expression);
                let _ = writeln!(text, "print {expression}:");
                let _ = writeln!(text, "{HEADING}Value: {}", visible_line(value));
            }
        }
        text
    }

    fn result(&mut self, result: &FdrResult<'_>) -> String {
        let assertion = visible_line(&result.outcome.text);
        let answer = self.answer(&result.answer);
        if self.brief {
            return format!("{assertion}: {answer}\n");
        }
        let mut text = format!("{assertion}:\n{HEADING}Log:\n");
        if !self.quiet {
            Self::log(result, &mut text);
        }
        let _ = writeln!(text, "{FIGURE}Result: {answer}");
        Self::figures(result, &mut text);
        for found in &result.counterexamples {
            self.counterexample(found, &mut text);
        }
        text.push('\n');
        text
    }

    fn end_script(&mut self) -> String {
        String::new()
    }
}

/// A text on one line.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible_line(&words.join(" ")).into_owned()
}

/// `<a, τ, b>`
fn trace(events: &[FdrEvent]) -> String {
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    visible_line(&format!("<{}>", names.join(", "))).into_owned()
}

/// The same with the events behind silent steps.
fn revealed(events: &[FdrEvent]) -> String {
    let names: Vec<&str> = events.iter().map(|event| event.revealed.as_str()).collect();
    visible_line(&format!("<{}>", names.join(", "))).into_owned()
}

fn set(events: &PartedText) -> String {
    visible_line(events.as_str()).into_owned()
}

//! `orbitscope check FILE`: assertions without a screen.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::args::{CheckArgs, Format, ProgressMode};
use super::prints::{self, Printed};
use super::{INTERRUPTED, SCRIPT, USAGE, colour, complain, report, stderr_colour, text, units};
use crate::animate::checks;
use crate::animate::model::{CheckOutcome, Counterexample, EventKind, Progress, Verdict};
use crate::check::Options;
use crate::check::load::{Loaded, load};
use crate::source::{Cancel, Diagnostic, Limits, Severity, render};
use crate::symmetry::StrategyKind;

/// Checks what the arguments ask for; gives the exit code.
pub fn run(args: &CheckArgs) -> u8 {
    let loaded = match load(&args.file, None) {
        Ok(loaded) => loaded,
        Err(_) => return USAGE,
    };
    report_diagnostics(&loaded, args);
    let errors = report::exit_code(&loaded.diagnostics);
    if errors == USAGE {
        return finish(args, &loaded, &[], &[], USAGE);
    }
    let numbers = match chosen(&loaded, args) {
        Ok(numbers) => numbers,
        Err(message) => {
            complain(&message);
            return USAGE;
        }
    };
    let cancel = Cancel::default();
    let handler = cancel.clone();
    // The first Ctrl-C asks the check to stop and report; the second ends the program.
    let _ = ctrlc::set_handler(move || {
        if handler.is_cancelled() {
            std::process::exit(i32::from(INTERRUPTED));
        }
        handler.cancel();
    });
    let options = options(args);
    let printed = prints::evaluate(&loaded, &options.limits, &cancel);
    show_prints(&printed, &loaded, args);
    let mut outcomes = Vec::with_capacity(numbers.len());
    for number in numbers {
        let mut meter = Meter::new(args);
        let outcome = checks::run(&loaded, number, &options, &cancel, &mut |p| {
            meter.show(number, &p);
        });
        meter.clear();
        if args.format == Format::Text {
            let shown = text::outcome(
                &outcome,
                colour(args.color, std::io::stdout().is_terminal()),
            );
            if write!(std::io::stdout(), "{shown}").is_err() {
                // Nobody reads any more: a broken pipe ends the work quietly.
                return code(&[outcome], &cancel).max(errors);
            }
        }
        outcomes.push(outcome);
        if cancel.is_cancelled() {
            break;
        }
    }
    let mut code = if errors == 0 {
        code(&outcomes, &cancel)
    } else {
        errors
    };
    if printed.iter().any(|p| p.value.is_err()) {
        code = SCRIPT;
    }
    if outcomes.is_empty() && printed.is_empty() && args.format == Format::Text {
        let name = args.file.display();
        let _ = writeln!(std::io::stdout(), "{name} has no assertions.");
    }
    finish(args, &loaded, &outcomes, &printed, code)
}

/// Writes the document, if one is asked for, and where to read more about errors.
fn finish(
    args: &CheckArgs,
    loaded: &Loaded,
    outcomes: &[CheckOutcome],
    printed: &[Printed],
    code: u8,
) -> u8 {
    if args.format == Format::Json {
        let mut document = document(args, loaded, outcomes, code);
        let shown = printed.iter().map(|p| prints::to_json(p, loaded));
        document["prints"] = Value::Array(shown.collect());
        let _ = writeln!(std::io::stdout(), "{document:#}");
    }
    let quiet = |d: &&Diagnostic| !args.quiet || d.severity == Severity::Error;
    let of_outcomes = outcomes.iter().filter_map(|o| o.diagnostic.as_deref());
    let of_prints = printed.iter().filter_map(|p| p.value.as_ref().err());
    let all = loaded.diagnostics.iter().chain(of_outcomes);
    report::hint(all.chain(of_prints.map(|d| &**d)).filter(quiet));
    code
}

/// Values on stdout, what went wrong on stderr.
fn show_prints(printed: &[Printed], loaded: &Loaded, args: &CheckArgs) {
    for print in printed {
        if let Err(diagnostic) = &print.value {
            let colour = stderr_colour(args.color);
            let shown = std::slice::from_ref(&**diagnostic);
            let text = render::render_all(shown, &loaded.sources, colour);
            let _ = write!(std::io::stderr(), "{text}");
        } else if args.format == Format::Text
            && let Some(line) = prints::line(print)
        {
            let _ = writeln!(std::io::stdout(), "{line}");
        }
    }
}

/// Shows errors, and warnings unless they are unwanted.
fn report_diagnostics(loaded: &Loaded, args: &CheckArgs) {
    let shown: Vec<_> = loaded
        .diagnostics
        .iter()
        .filter(|d| !args.quiet || d.severity == Severity::Error)
        .cloned()
        .collect();
    report::diagnostics(&shown, &loaded.sources, stderr_colour(args.color));
}

/// The numbers of the assertions asked for, in order.
fn chosen(loaded: &Loaded, args: &CheckArgs) -> Result<Vec<usize>, String> {
    let assertions = &loaded.script.assertions;
    if args.assertions.is_empty() {
        return Ok((1..=assertions.len()).collect());
    }
    let mut chosen = Vec::new();
    for wanted in &args.assertions {
        let before = chosen.len();
        match wanted.parse::<usize>() {
            Ok(number) if (1..=assertions.len()).contains(&number) => chosen.push(number),
            Ok(_) => {}
            Err(_) => {
                let matches = |n: &usize| assertions[*n - 1].text.contains(wanted.as_str());
                chosen.extend((1..=assertions.len()).filter(matches));
            }
        }
        if chosen.len() == before {
            return Err(format!(
                "no assertion `{wanted}`; the script has {}",
                assertions.len()
            ));
        }
    }
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

fn options(args: &CheckArgs) -> Options {
    let defaults = Options::default();
    let mut limits = Limits::default();
    if let Some(states) = args.max_states {
        limits.states_max = states;
    }
    if let Some(memory) = args.memory {
        limits.memory_max = memory;
        limits.values_max = limits.values_max.min(memory);
    }
    if let Some(timeout) = args.timeout {
        limits = limits.with_timeout(timeout);
    }
    Options {
        symmetry: if args.no_symmetry {
            Some(false)
        } else {
            (args.symmetry || !args.types.is_empty()).then_some(true)
        },
        types: args.types.clone(),
        strategy: match &args.rep {
            Some(name) => StrategyKind::named(name).unwrap_or_default(),
            None if args.count_full => StrategyKind::Exact,
            None => StrategyKind::Walk,
        },
        count_full: args.count_full,
        threads: args.workers.map_or(defaults.threads, usize::from),
        limits,
    }
}

/// 3 outranks 130, 1, 5, 4 and 0.
fn code(outcomes: &[CheckOutcome], cancel: &Cancel) -> u8 {
    let any = |test: &dyn Fn(&Verdict) -> bool| outcomes.iter().any(|o| test(&o.verdict));
    if any(&|v| matches!(v, Verdict::Error(_))) {
        SCRIPT
    } else if cancel.is_cancelled() {
        INTERRUPTED
    } else if any(&|v| *v == Verdict::Fails) {
        1
    } else if any(&|v| matches!(v, Verdict::Inconclusive(why) if why.contains("memory"))) {
        5
    } else if any(&|v| matches!(v, Verdict::Inconclusive(_))) {
        4
    } else {
        0
    }
}

/// Progress on stderr.
struct Meter {
    mode: ProgressMode,
    rewrite: bool,
    next: Instant,
    shown: bool,
}

impl Meter {
    fn new(args: &CheckArgs) -> Self {
        let mode = if args.quiet {
            ProgressMode::None
        } else {
            args.progress
        };
        let rewrite = mode == ProgressMode::Auto && std::io::stderr().is_terminal();
        let wait = if rewrite {
            Duration::from_millis(300)
        } else {
            Duration::from_secs(10)
        };
        Self {
            mode,
            rewrite,
            next: Instant::now() + wait,
            shown: false,
        }
    }

    fn show(&mut self, number: usize, progress: &Progress) {
        if self.mode == ProgressMode::None || Instant::now() < self.next {
            return;
        }
        let line = format!(
            "#{number}  ply {}  {} states  {} transitions  {} waiting  {}  {:.0} s",
            progress.ply,
            units::grouped(progress.states.into()),
            units::grouped(progress.transitions.into()),
            units::grouped(progress.frontier.into()),
            units::bytes(progress.bytes),
            progress.seconds,
        );
        let mut stderr = std::io::stderr();
        if self.rewrite {
            let _ = write!(stderr, "\r\x1b[K{line}");
            let _ = stderr.flush();
            self.shown = true;
            self.next = Instant::now() + Duration::from_millis(100);
        } else {
            let _ = writeln!(stderr, "{line}");
            self.next = Instant::now() + Duration::from_secs(10);
        }
    }

    fn clear(&mut self) {
        if self.shown {
            let mut stderr = std::io::stderr();
            let _ = write!(stderr, "\r\x1b[K");
            let _ = stderr.flush();
            self.shown = false;
        }
    }
}

/// The JSON document of a run.
fn document(args: &CheckArgs, loaded: &Loaded, outcomes: &[CheckOutcome], code: u8) -> Value {
    let to_json = |d: &Diagnostic| render::to_json(d, &loaded.sources);
    json!({
        "schema": "orbitscope.check/1",
        "tool": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "inputs": [{ "path": args.file.display().to_string() }],
        "exit_code": code,
        "diagnostics": loaded.diagnostics.iter().map(to_json).collect::<Vec<_>>(),
        "checks": outcomes.iter().map(|o| result(o, loaded)).collect::<Vec<_>>(),
    })
}

fn result(outcome: &CheckOutcome, loaded: &Loaded) -> Value {
    let (status, why) = match &outcome.verdict {
        Verdict::Holds => ("pass", Value::Null),
        Verdict::Fails => ("fail", Value::Null),
        Verdict::Inconclusive(why) => ("inconclusive", json!(why)),
        Verdict::Error(failure) => ("error", json!(failure.summary)),
    };
    let progress = &outcome.progress;
    let symmetry = outcome.symmetry.as_ref().map(|s| {
        let types: serde_json::Map<String, Value> = s
            .types
            .iter()
            .map(|(name, size)| (name.clone(), json!(size)))
            .collect();
        json!({ "types": types, "group_order": s.group_order.to_string(), "rep": s.strategy })
    });
    json!({
        "index": outcome.number,
        "assertion": outcome.text,
        "status": status,
        "reason": why,
        "diagnostic": outcome.diagnostic.as_ref().map(|d| render::to_json(d, &loaded.sources)),
        "symmetry": symmetry,
        "stats": {
            "states": progress.states,
            "transitions": progress.transitions,
            "plies": progress.ply,
            "seconds": progress.seconds,
            "bytes": progress.bytes,
            "local_states_evaluated": outcome.statistics.map(|s| s.0),
            "local_states": outcome.statistics.map(|s| s.1),
            "represented_states": outcome.represented.map(|r| r.0.to_string()),
            "represented_transitions": outcome.represented.map(|r| r.1.to_string()),
        },
        "counterexample": outcome.counterexample.as_ref().map(counterexample),
    })
}

fn counterexample(found: &Counterexample) -> Value {
    let visible: Vec<&str> = found
        .steps
        .iter()
        .filter(|s| s.kind != EventKind::Tau)
        .map(|s| s.event.as_str())
        .collect();
    let steps: Vec<Value> = found
        .steps
        .iter()
        .map(|step| {
            let components: Vec<Value> = step
                .changes
                .iter()
                .map(|(c, after)| json!({ "component": found.components.get(*c), "after": after }))
                .collect();
            json!({
                "kind": match step.kind {
                    EventKind::Tau => "tau",
                    EventKind::Tick => "tick",
                    EventKind::Visible => "visible",
                },
                "event": step.event,
                "components": components,
                "specification": step.spec,
            })
        })
        .collect();
    json!({ "trace": visible, "reason": found.reason, "process": found.process, "steps": steps })
}

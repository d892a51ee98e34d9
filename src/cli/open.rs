//! `orbitscope [open] FILE [PROCESS]`: the animator.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use super::{USAGE, check, colour, complain, replay, signals};
use crate::animate::checker::{Runners, run_from_file};
use crate::animate::engine::{ScriptEngine, split_trace};
use crate::animate::model::Engine;
use crate::animate::racer::{EACH_MAX, race_from_file};
use crate::animate::worker::EngineFactory;
use crate::check::Options as CheckOptions;
use crate::check::keeping::KeepingKind;
use crate::check::race::RaceOptions;
use crate::cli::args::{Colour, OpenArgs};
use crate::tui;

/// Runs the animator until the user leaves it.
pub fn run(args: &OpenArgs) -> u8 {
    let Some(path) = args.file.clone() else {
        complain("no script given; try `orbitscope FILE`");
        return USAGE;
    };
    if let Some(script) = &args.script {
        return match options(args, &path, true) {
            Ok(options) => super::scripted::run(args, script, options),
            Err(code) => code,
        };
    }
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    // A terminal that cannot move its cursor gets lines.
    let dumb = terminal && std::env::var("TERM").as_deref() == Ok("dumb");
    if args.plain || dumb {
        return match options(args, &path, false) {
            Ok(options) => super::plain::run(options),
            Err(code) => code,
        };
    }
    if !terminal {
        complain(
            "the animator needs a terminal; `orbitscope check FILE` works without one, --plain talks in lines and \
             --script does the lines of a file",
        );
        return USAGE;
    }
    match options(args, &path, false) {
        Ok(options) => ended(tui::run(options)),
        Err(code) => code,
    }
}

/// The exit code of the screen.
pub(super) fn ended(result: std::io::Result<tui::Ended>) -> u8 {
    match result {
        Ok(tui::Ended::Quit) => 0,
        Ok(tui::Ended::Signal(signal)) => signals::code(signal),
        Err(error) => {
            complain(&format!("the terminal failed: {error}"));
            USAGE
        }
    }
}

/// How the screen is opened; what is wrong with the arguments is reported, and the exit code given.
fn options(args: &OpenArgs, path: &Path, scripted: bool) -> Result<tui::ScreenOptions, u8> {
    // What a person has configured for a terminal means nothing to a script.
    let config = match scripted {
        true => super::config::Config::default(),
        false => super::config::load(),
    };
    let colour_choice = args.color.unwrap_or(config.color);
    // Before the screen is taken, so that what is wrong with the file can be read.
    let counterexample = match &args.counterexample {
        None => None,
        Some(given) => {
            let limits = check::default_limits();
            let (_, found) = replay::verified(path, given, limits, colour_choice)?;
            Some(found.counterexample)
        }
    };
    Ok(tui::ScreenOptions {
        path: path.display().to_string(),
        process: args.process.clone(),
        trace: args.trace.as_deref().map(split_trace),
        counterexample,
        engine: engine(path),
        checks: runners(path),
        class: tui::ClassOptions::new(workshop()),
        mouse: config.mouse && !args.no_mouse,
        ascii: config.ascii || args.ascii,
        // That there is a terminal was found out above.
        colour: match scripted {
            // A picture has colours wherever it is made.
            true => colour_choice != Colour::Never,
            false => colour(colour_choice, true),
        },
        theme: args.theme.unwrap_or_default(),
    })
}

/// The engine of a script, within the limits of the animator.
pub(super) fn engine(path: &Path) -> EngineFactory {
    let path = path.to_path_buf();
    Box::new(move |cancel| {
        let limits = check::animator_limits();
        let engine = ScriptEngine::load_within(path, limits, cancel)?;
        Ok(Box::new(engine) as Box<dyn Engine>)
    })
}

/// What lessons need for their models.
pub(super) fn workshop() -> tui::Workshop {
    Arc::new(|path| (engine(path), runners(path)))
}

/// Checks and races of a script, within the limits that are usual.
pub(super) fn runners(path: &Path) -> Runners {
    let (check_path, race_path) = (path.to_path_buf(), path.to_path_buf());
    let options = CheckOptions {
        limits: check::default_limits(),
        ..CheckOptions::default()
    };
    let race = RaceOptions {
        strategies: KeepingKind::all().collect(),
        options: options.clone(),
        timeout: Some(EACH_MAX),
    };
    Runners {
        check: Arc::new(move |request, cancel, report| {
            run_from_file(&check_path, request, &options, cancel, report);
        }),
        race: Arc::new(move |request, cancel, report| {
            race_from_file(&race_path, request, &race, cancel, report);
        }),
    }
}

//! `orbitscope [open] FILE [PROCESS]`: the animator.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::config::LoadedConfig;
use super::replay::SavedRun;
use super::resuming::stored_checks;
use super::{USAGE, colour, complain, limits, signals};
use crate::animate::checker::{Runners, run_from_file};
use crate::animate::engine::{ScriptEngine, split_trace};
use crate::animate::racer::{EACH_MAX, race_from_file};
use crate::animate::sizes::{SIZE_TIME_MAX, sizes_from_file};
use crate::animate::worker::EngineSource;
use crate::args::{Colour, LookArgs, OpenArgs};
use crate::report::run_file::{RunFile, is_run};
use crate::source::Cancel;
use crate::tui;
use orbitscope_engine::check::Options as CheckOptions;
use orbitscope_engine::lab::race::RaceOptions;

/// Runs the animator until the user leaves it.
pub fn run(args: &OpenArgs) -> u8 {
    let Some(given) = args.file.clone() else {
        complain("no script given; try `orbitscope FILE`");
        return USAGE;
    };
    // Before the screen is taken, so that errors in the file can be read.
    let (path, run) = match run_of(args, given) {
        Ok(both) => both,
        Err(code) => return code,
    };
    if let Some(lines) = &args.script {
        return match script(args, &path, run) {
            Ok(script) => super::scripted::run(args, lines, script, &options(&args.look, true)),
            Err(code) => code,
        };
    }
    let options = options(&args.look, false);
    let terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
    // A terminal that cannot move its cursor gets lines.
    let dumb = terminal && std::env::var("TERM").as_deref() == Ok("dumb");
    if args.plain || dumb {
        return match script(args, &path, run) {
            Ok(script) => super::plain::run(script, &options),
            Err(code) => code,
        };
    }
    if !terminal {
        if let Some(gone) = tui::ended_before() {
            return ended(Ok(gone));
        }
        complain(
            "the animator needs a terminal; `orbitscope check FILE` works without one, --plain talks in lines and \
             --script does the lines of a file",
        );
        return USAGE;
    }
    match script(args, &path, run) {
        Ok(script) => ended(tui::run(
            tui::ScreenStart::Script(Box::new(script)),
            options,
        )),
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

/// The options of the screen.
pub(super) fn options(look: &LookArgs, scripted: bool) -> tui::ScreenOptions {
    // A configuration is for a terminal, not for a script.
    let loaded = if scripted {
        LoadedConfig::default()
    } else {
        super::config::load()
    };
    let settings = loaded.settings();
    let config = loaded.config;
    let colour_choice = look.color.unwrap_or(config.color);
    tui::ScreenOptions {
        workshop: workshop(),
        mouse: config.mouse && !look.no_mouse,
        ascii: config.ascii || look.ascii,
        // The terminal was checked before.
        colour: if scripted {
            // A picture has colours wherever it is made.
            colour_choice != Colour::Never
        } else {
            colour(colour_choice, true)
        },
        theme: look.theme.unwrap_or(config.theme),
        settings,
        bindings: config.keys,
    }
}

/// The script to open. Errors in the arguments are reported, and their exit code returned.
fn script(args: &OpenArgs, path: &Path, run: GivenRun) -> Result<tui::ScriptOptions, u8> {
    let (mut counterexample, mut session) = (None, None);
    match run {
        GivenRun::None => {}
        GivenRun::Walk(file, path) => session = Some((file, path)),
        // Before the screen is taken, so that errors in the file can be read.
        GivenRun::Counterexample(saved) => {
            let colour_choice = args.look.color.unwrap_or_default();
            let (_, found) = saved.verified(path, limits::default_limits(), colour_choice)?;
            counterexample = Some(found.counterexample);
        }
    }
    Ok(tui::ScriptOptions {
        path: path.display().to_string(),
        process: args.process.clone(),
        trace: args.trace.as_deref().map(split_trace),
        counterexample,
        session,
        engines: engines(path),
        checks: runners(path),
    })
}

/// What is to be opened with a script.
enum GivenRun {
    None,
    /// The runs of a file with its path.
    Walk(RunFile, PathBuf),
    Counterexample(SavedRun),
}

/// The script, and what is to be opened with it. Errors are reported, and their exit code returned.
fn run_of(args: &OpenArgs, given: PathBuf) -> Result<(PathBuf, GivenRun), u8> {
    if let Some(named) = &args.counterexample {
        let saved = SavedRun::read(named, args.look.color.unwrap_or_default())?;
        let run = if saved.is_walk() {
            GivenRun::Walk(saved.file, named.into())
        } else {
            GivenRun::Counterexample(saved)
        };
        return Ok((given, run));
    }
    // The signals of the system end the program here, as long as it is only reading.
    let cancel = Cancel::default();
    let opened = match &args.session {
        Some(file) => {
            RunFile::read(file, &cancel).map(|run| (given, GivenRun::Walk(run, file.clone())))
        }
        None if is_run(&given) => RunFile::with_script(&given, &cancel)
            .map(|(run, script)| (script, GivenRun::Walk(run, given))),
        None => Ok((given, GivenRun::None)),
    };
    opened.map_err(|error| {
        complain(&error.message);
        USAGE
    })
}

/// The engines of a script, within the limits of the animator: another one each time it is loaded.
pub(super) fn engines(path: &Path) -> EngineSource {
    let path = path.to_path_buf();
    Box::new(move || {
        let path = path.clone();
        Box::new(move |cancel| {
            let limits = limits::animator_limits();
            let engine = ScriptEngine::load_within(path, limits, cancel)?;
            Ok(Box::new(engine))
        })
    })
}

/// The models and limits that lessons need.
pub(super) fn workshop() -> tui::Workshop {
    Arc::new(|path| (engines(path), runners(path)))
}

/// Checks, races and questions about other sizes of a script, within the limits that are usual.
pub(super) fn runners(path: &Path) -> Runners {
    let [check_path, race_path, sizes_path] = std::array::from_fn(|_| path.to_path_buf());
    let options = CheckOptions {
        limits: limits::default_limits(),
        ..CheckOptions::default()
    };
    let race = RaceOptions {
        strategies: Vec::new(),
        options: options.clone(),
        timeout: Some(EACH_MAX),
        deadline: None,
    };
    let sizes = options.clone();
    Runners {
        check: Arc::new(move |request, room, cancel, report| {
            run_from_file(&check_path, request, room, (&options, cancel), report);
        }),
        race: Arc::new(move |request, cancel, report| {
            race_from_file(&race_path, request, &race, cancel, report);
        }),
        sizes: Arc::new(move |request, cancel, report| {
            let limits = (&sizes, Some(SIZE_TIME_MAX));
            sizes_from_file(&sizes_path, request, limits, cancel, report);
        }),
        stored: Some(stored_checks(path)),
    }
}

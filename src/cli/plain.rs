//! `orbitscope open --plain`: the animator as a dialogue, one line for each announcement, without redrawing. For
//! screen readers, and for terminals that cannot move their cursor.

use std::io::BufRead as _;
use std::time::Duration;

use super::output::Output;
use super::{LATE, SCRIPT, USAGE, complain, complain_in_lines};
use crate::animate::groups::orbit_count;
use crate::animate::history::HistoryId;
use crate::animate::model::{ComponentView, StateView};
use crate::animate::session::kind_word;
use crate::report::numbers::counted;
use crate::source::Cancel;
use crate::tui::app::{App, Load, Overlay, View};
use crate::tui::headless::{Halt, Headless};
use crate::tui::language::{Instruction, parse, screen_text};
use crate::tui::{ScreenOptions, ScriptOptions};

/// Time limit of a line.
const PATIENCE: Duration = Duration::from_secs(300);

/// The help of the dialogue, besides lines of commands.
const HELP: &str = "A number takes that transition. `u` undoes a step, `state` tells the components, `rep` the \
representative, `trace` the visible events so far, `list` the transitions again, `frame` the whole screen, `q` \
ends. Anything else is a line as after `:`, such as `check 1`, `goto 0` or `view orbit`; `orbitscope help \
commands` lists them.\n";

/// Runs the dialogue until the input ends. Returns the exit code.
pub fn run(opened: ScriptOptions, options: &ScreenOptions) -> u8 {
    // Signals end the program as they do any other: there is no terminal to give back.
    let never = Cancel::default();
    let screen = match Headless::start(opened, options, (120, 36), PATIENCE, &never) {
        // A person types the lines.
        Ok(screen) => screen.writing(true),
        Err(error) => {
            complain(&format!("the animator cannot be started: {error}"));
            return USAGE;
        }
    };
    let mut talk = Talk {
        screen,
        output: Output::default(),
    };
    let code = talk.all();
    talk.output.code(code)
}

struct Talk {
    screen: Headless,
    output: Output,
}

impl Talk {
    fn all(&mut self) -> u8 {
        let loaded = self.screen.settle(&mut |_, _| {});
        if let Load::Failed(failures) = &self.screen.app.load {
            let details: Vec<_> = failures.iter().map(|f| f.detail.trim_end()).collect();
            complain_in_lines(&details.join("\n\n"));
            return SCRIPT;
        }
        match loaded {
            Err(Halt::Late) => return LATE,
            Err(Halt::Interrupted) => return USAGE,
            Err(Halt::Refused(why)) => self.say(&why),
            Ok(()) => {}
        }
        self.say("Type ? for help.");
        self.announce();
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else {
                complain("the input is no text");
                return USAGE;
            };
            match self.answer(line.trim()) {
                Ok(true) if !self.output.is_broken() => {}
                Ok(_) => break,
                Err(code) => return code,
            }
        }
        0
    }

    fn say(&mut self, line: &str) {
        self.output.write(&format!("{}\n", line.trim_end()));
    }

    /// Answers a line; whether to go on.
    fn answer(&mut self, line: &str) -> Result<bool, u8> {
        let answer = match line {
            "" => return Ok(true),
            "q" | "quit" => return Ok(false),
            "?" | "help" => HELP.to_owned(),
            "list" => {
                self.announce();
                return Ok(true);
            }
            "state" => components(&self.screen.app, false),
            "rep" => components(&self.screen.app, true),
            "trace" => {
                let session = self.screen.app.session.as_ref();
                session.map_or_else(String::new, |session| session.trace_text())
            }
            "u" => return self.does("undo"),
            _ => match line.parse::<usize>() {
                Ok(number) => return self.take(number),
                Err(_) => return self.does(line),
            },
        };
        self.say(&answer);
        Ok(true)
    }

    /// Takes the transition with a number of the list.
    fn take(&mut self, number: usize) -> Result<bool, u8> {
        let app = &mut self.screen.app;
        let groups = app
            .session
            .as_ref()
            .map_or(0, |session| session.groups.len());
        if number == 0 || number > groups {
            self.say(&format!("There is no transition {number}."));
            return Ok(true);
        }
        (app.animate.group, app.animate.member) = (number - 1, 0);
        self.does("take")
    }

    /// Runs a line of commands, and announces the result.
    fn does(&mut self, text: &str) -> Result<bool, u8> {
        let line = match parse(text) {
            Ok(line) => line,
            Err(mistake) => {
                let column = mistake.columns.start + 1;
                self.say(&format!("Column {column}: {}.", mistake.message));
                return Ok(true);
            }
        };
        let before = place(&self.screen.app);
        match self.screen.line(&line, &mut |_, _| {}) {
            Ok(()) => {}
            Err(Halt::Refused(why)) => self.say(&why),
            Err(Halt::Late) => self.say("This took too long and was stopped."),
            Err(Halt::Interrupted) => return Err(USAGE),
        }
        if self.screen.has_quit() {
            return Ok(false);
        }
        if let Some(Overlay::Message { title, text, .. }) = self.screen.app.overlay.take() {
            self.say(&format!("{title}\n{text}"));
        }
        let note = std::mem::take(&mut self.screen.app.note);
        if !note.is_empty() {
            self.say(&note);
        }
        if matches!(line.instruction, Instruction::Frame(_)) {
            let shown = screen_text(&self.screen.app);
            self.say(&shown);
        } else if self.screen.app.view != before.0 {
            let name = self.screen.app.view.name();
            self.say(&format!("The {name} view; `frame` shows it."));
        } else if place(&self.screen.app) != before {
            self.announce();
        }
        Ok(true)
    }

    /// Announces the present place, and the possible transitions.
    fn announce(&mut self) {
        let text = announcement(&self.screen.app);
        self.say(&text);
    }
}

/// The view, and the entry of the history.
fn place(app: &App) -> (View, Option<HistoryId>) {
    let here = app
        .session
        .as_ref()
        .map(|session| session.history.current());
    (app.view, here)
}

fn announcement(app: &App) -> String {
    let Some(session) = &app.session else {
        return "No process is open; `open NAME` opens one.".to_owned();
    };
    let history = &session.history;
    let mut text = format!("{}, step {}", history.process(), history.depth());
    if !history.is_reached(history.current()) {
        text += ", renamed by hand and not by a step";
    }
    let view = match session.fetched() {
        Some(Ok(view)) => view,
        Some(Err(failure)) => return format!("{text}. {}", failure.detail),
        None => return format!("{text}. The state is not known."),
    };
    text += &heading(view);
    for (at, group) in session.groups.iter().enumerate() {
        let count = match group.members.len() {
            1 => String::new(),
            n => format!(" ({n} ways that are equal up to symmetry)"),
        };
        text += &format!(
            "\n{}. {} {}, with {}{count}",
            at + 1,
            kind_word(group.kind),
            group.label,
            group.with
        );
    }
    text
}

fn heading(view: &StateView) -> String {
    let components = counted(view.components.len() as u64, "component");
    match (view.terminated, view.deadlocked, view.transitions.len()) {
        (true, ..) => format!(", {components}. It has terminated."),
        (_, true, _) => format!(", {components}. Deadlock: nothing can happen."),
        (_, _, count) => format!(
            ", {components}, {} to {}:",
            counted(count as u64, "transition"),
            counted(orbit_count(view) as u64, "orbit")
        ),
    }
}

/// The components of the state or of its representative, one a line.
fn components(app: &App, representative: bool) -> String {
    let Some(view) = app.session.as_ref().and_then(|session| session.view()) else {
        return "The state is not known.".to_owned();
    };
    let list = |components: &[ComponentView]| {
        let lines = components
            .iter()
            .map(|c| format!("{}: {}", c.label(), c.text));
        lines.collect::<Vec<_>>().join("\n")
    };
    match (representative, &view.representative) {
        (false, _) => list(&view.components),
        (true, Some(rep)) => list(&rep.components),
        (true, None) => format!("There is no representative: {}", view.no_representative),
    }
}

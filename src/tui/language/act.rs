//! A line that was read, done on the data of the screen.

use super::drawn;
use super::line::{CommandLine, Instruction};
use super::steps::find_step;
use super::taking;
use crate::actions::session as walks;
use crate::actions::{animate, check, compare, find, general, motion, orbit, showing, yank};
use crate::animate::model::{AskedStrategy, FindStart};
use crate::animate::session::Session;
use crate::animate::worker::Request;
use crate::app::{App, Effect, Pane};
use crate::choices;
use crate::report::follow::ReplayMode;
use crate::requests::{ask, open};
use crate::views::View;
use crate::{facts, keys, layout, registry};

/// Runs a line, except for its consequences: the caller calls `update` next.
///
/// # Errors
/// Why it cannot be done, in a sentence.
// In one piece: one arm an instruction, in the order of their definition.
pub fn act(app: &mut App, line: &CommandLine) -> Result<Vec<Effect>, String> {
    match &line.instruction {
        Instruction::Nothing
        | Instruction::Wait
        | Instruction::Pause(_)
        | Instruction::Frame(_) => Ok(Vec::new()),
        Instruction::Command { id, count } => command(app, id, *count),
        Instruction::View(view) => Ok(showing::show(app, *view)),
        Instruction::Focus(pane) => focus(app, *pane),
        Instruction::Take(event) => take(app, event),
        Instruction::Trace(events) => trace(app, events),
        Instruction::Goto(step) => goto(app, *step),
        Instruction::Open(process) => {
            facts::is_ready(app)?;
            Ok(open(app, process))
        }
        Instruction::Check(number) => check_assertion(app, *number),
        Instruction::Resume(folder) => {
            facts::has_assertions(app)?;
            let resumed = check::resume(app, folder.clone())?;
            showing::show(app, View::Check);
            Ok(resumed)
        }
        Instruction::Mark(letter) => lettered(app, "mark", *letter),
        Instruction::ToMark(letter) => {
            marked(app, *letter)?;
            lettered(app, "to-mark", *letter)
        }
        Instruction::Compare(a, b) => comparison(app, *a, *b),
        Instruction::Yank(key) => Ok(yank::choosing(app, &key.to_string(), false)),
        Instruction::Write(file) => {
            facts::has_session(app)?;
            Ok(walks::write_to(app, Some(file.clone())))
        }
        Instruction::Filter(text) => {
            available(app, "filter")?;
            general::set_filter(app, text);
            Ok(Vec::new())
        }
        Instruction::Find(text) => {
            find::can_find(app)?;
            app.find.text.clone_from(text);
            app.find.start = FindStart::Here;
            Ok(find::search(app))
        }
        Instruction::Show(shown) => {
            facts::has_session(app)?;
            app.animate.show = *shown;
            animate::refocus(app);
            Ok(Vec::new())
        }
        Instruction::OrbitGoto(_)
        | Instruction::OrbitPlay { .. }
        | Instruction::OrbitStrategy(_) => in_orbit(app, &line.instruction),
        Instruction::Permute(cycles) => {
            let state = session(app)?.current();
            let request = Request::Rename(state, cycles.clone());
            Ok(ask(app, request).into_iter().collect())
        }
        Instruction::Keys(names) => {
            app.to_press
                .extend(names.iter().filter_map(|name| keys::press(name)));
            Ok(Vec::new())
        }
        Instruction::Size(width, height) => {
            app.size = (*width, *height);
            Ok(Vec::new())
        }
        Instruction::Expect { text, there } => expect(app, text, *there),
        Instruction::ExpectSameRepresentative => same_representative(app),
    }
}

fn command(app: &mut App, id: &str, count: usize) -> Result<Vec<Effect>, String> {
    let command = registry::by_id(id).ok_or_else(|| format!("there is no command {id}"))?;
    registry::attempt(app, command, count)
}

fn available(app: &App, id: &str) -> Result<(), String> {
    let command = registry::by_id(id).ok_or_else(|| format!("there is no command {id}"))?;
    if command.views.is_empty() || command.views.contains(&app.view) {
        (command.available)(app)
    } else {
        Err(format!(
            "the {} view has no {}",
            app.view.name(),
            command.name
        ))
    }
}

/// Runs a command with the letter that its key would have after it.
fn lettered(app: &mut App, id: &str, letter: char) -> Result<Vec<Effect>, String> {
    app.letter = Some(letter);
    let done = command(app, id, 1);
    app.letter = None;
    done
}

fn focus(app: &mut App, pane: Pane) -> Result<Vec<Effect>, String> {
    let has = |view: &View| view.panes().contains(&pane);
    if !has(&app.view)
        && let Some(view) = View::ALL.into_iter().find(has)
    {
        showing::show(app, view);
    }
    let Some(place) = layout::place_of(app, pane) else {
        return Err("this pane is not shown now".to_owned());
    };
    app.focus_on(place);
    Ok(Vec::new())
}

fn session(app: &App) -> Result<&Session, String> {
    app.session
        .as_ref()
        .ok_or_else(|| "no process is open".to_owned())
}

/// Shows the present state, unless the view does.
fn see_state(app: &mut App) {
    if !matches!(app.view, View::Animate | View::Orbit) {
        showing::show(app, View::Animate);
    }
}

fn take(app: &mut App, event: &str) -> Result<Vec<Effect>, String> {
    let view = match session(app)?.fetched() {
        Some(Ok(view)) => view.clone(),
        Some(Err(_)) => return Err("this state could not be evaluated".to_owned()),
        None => return Err("the state is not known yet".to_owned()),
    };
    let transition = taking::transition(&view, event)?;
    animate::step(app, transition);
    see_state(app);
    Ok(Vec::new())
}

fn trace(app: &mut App, events: &[String]) -> Result<Vec<Effect>, String> {
    let process = session(app)?.history.process().to_owned();
    let request = Request::Trace(process, events.to_vec(), ReplayMode::Steps);
    Ok(ask(app, request).into_iter().collect())
}

fn goto(app: &mut App, step: usize) -> Result<Vec<Effect>, String> {
    let line = session(app)?.history.line();
    let Some(to) = line.get(step).copied() else {
        let last = line.len().saturating_sub(1);
        return Err(format!(
            "there is no step {step}: the history goes to step {last}"
        ));
    };
    app.animate.walk = None;
    if let Some(session) = &mut app.session {
        session.jump(to);
        animate::moved(app);
    }
    see_state(app);
    Ok(Vec::new())
}

fn check_assertion(app: &mut App, number: Option<usize>) -> Result<Vec<Effect>, String> {
    facts::has_assertions(app)?;
    let at = number.map(|number| place(app, number)).transpose()?;
    showing::show(app, View::Check);
    Ok(match at {
        None => check::run_all(app, 1),
        Some(at) => {
            motion::select_assertion(app, at);
            check::submit(app, at, check::Wanted::default())
                .into_iter()
                .collect()
        }
    })
}

fn place(app: &App, number: usize) -> Result<usize, String> {
    let all = app.info().map_or(&[][..], |info| &info.assertions);
    let found = all.iter().position(|a| a.number == number);
    found.ok_or_else(|| format!("there is no assertion {number}: there are {}", all.len()))
}

fn marked(app: &App, letter: char) -> Result<(), String> {
    match session(app)?.history.marked(letter) {
        Some(_) => Ok(()),
        None => Err(compare::no_mark(app, letter)),
    }
}

fn comparison(app: &mut App, a: char, b: Option<char>) -> Result<Vec<Effect>, String> {
    marked(app, a)?;
    b.map(|b| marked(app, b)).transpose()?;
    let history = &session(app)?.history;
    let of = |letter| history.marked(letter).map(|id| choices::held(history, id));
    let here = choices::held(history, history.current());
    let second = b.map_or(Some(here), of);
    match of(a).zip(second) {
        Some(pair) => Ok(compare::begin_with(app, pair, AskedStrategy::Usual)),
        None => Ok(Vec::new()),
    }
}

/// Runs an instruction on the Orbit view.
fn in_orbit(app: &mut App, instruction: &Instruction) -> Result<Vec<Effect>, String> {
    facts::can_explain(app)?;
    showing::show(app, View::Orbit);
    match instruction {
        Instruction::OrbitGoto(step) => {
            orbit::explained(app)?;
            let at = find_step(app, step)?;
            app.orbit.playing = false;
            orbit::show(app, at);
        }
        Instruction::OrbitPlay { to, speed, anew } => {
            orbit::explained(app)?;
            let to = to.as_ref().map(|step| find_step(app, step)).transpose()?;
            orbit::play_to(app, to, *speed, *anew);
        }
        Instruction::OrbitStrategy(kind) => return Ok(orbit::show_strategy(app, *kind)),
        _ => {}
    }
    Ok(Vec::new())
}

/// Checks that a text is on the screen, or is not. The last note counts, and so does the part of the screen that it
/// covers.
fn expect(app: &mut App, text: &str, there: bool) -> Result<Vec<Effect>, String> {
    let with_note = drawn::is_shown(app, text);
    app.note.clear();
    match (with_note || drawn::is_shown(app, text), there) {
        (false, true) => Err(format!("`{text}` is not on the screen")),
        (true, false) => Err(format!("`{text}` is on the screen")),
        _ => Ok(Vec::new()),
    }
}

fn same_representative(app: &App) -> Result<Vec<Effect>, String> {
    let session = session(app)?;
    let parent = session.history.here().parent;
    let before = parent.ok_or("there is no state before this one")?;
    let before = session.view_of(session.history.node(before).state);
    let of =
        |view: &crate::animate::model::StateView| view.representative.as_ref().map(|rep| rep.id);
    let here = session.view().and_then(|view| of(view));
    let before = before.and_then(|view| of(view));
    match (here, before) {
        (Some(here), Some(before)) if here == before => Ok(Vec::new()),
        (Some(_), Some(_)) => {
            Err("the representative is another one than that of the state before".to_owned())
        }
        _ => Err(
            "the representatives of this state and of the one before are not both known".to_owned(),
        ),
    }
}

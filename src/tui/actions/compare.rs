//! Marks, and commands of the Compare view.

use super::distance::Distance;
use super::{animate, orbit, showing};
use crate::animate::comparison::{Line, RelationView, StateComparison};
use crate::animate::model::{AskedStrategy, RepView, StateId, StrategyKind, TypeOrdering};
use crate::animate::worker::Request;
use crate::app::{App, Effect, Overlay, Pane, View};
use crate::choices::{self, CompareChoice};
use crate::command::Availability;
use crate::comparing::{Comparand, CompareData, WhichSide};
use crate::layout::{self, Tier, tier};
use crate::{facts, keys, panes};

/// The panes of the view that scroll.
const SCROLLING: [Pane; 4] = [Pane::StateA, Pane::StateB, Pane::Verdict, Pane::WhatIf];

/// Whether there is anything to compare.
pub fn can_compare(app: &App) -> Availability {
    facts::has_session(app)?;
    if choices::choices(app).is_empty() {
        Err("no mark and no step before; m and a letter marks this state".to_string())
    } else {
        Ok(())
    }
}

/// Whether two states are compared.
pub fn has_pair(app: &App) -> Availability {
    match app.compare.pair {
        Some(_) => Ok(()),
        None => Err("nothing is compared".to_string()),
    }
}

/// Whether a permutation is known that takes A to B.
pub fn has_witness(app: &App) -> Availability {
    match facts::compared(app) {
        Some(Ok(found)) if facts::witness(found).is_some() => Ok(()),
        Some(Ok(found)) if matches!(found.relation, RelationView::Different(_)) => {
            Err("no permutation takes A to B".to_string())
        }
        Some(Ok(found)) if found.relation == RelationView::Same => {
            Err("A and B are one state".to_string())
        }
        Some(_) => Err("none is known".to_string()),
        None => has_pair(app).and(Err("the states are not compared yet".to_string())),
    }
}

/// Whether the run that is selected has steps.
pub fn has_run(app: &App) -> Availability {
    match facts::run_of(app, app.compare.side) {
        Some(Ok(_)) => Ok(()),
        Some(Err(failure)) => Err(failure.summary.clone()),
        None => Err("its run is not known yet".to_string()),
    }
}

/// Whether the ground for the verdict has parts that fold.
pub fn can_fold(app: &App) -> Availability {
    match (app.compare.folds(), app.compare.has_more(app.compare.line)) {
        (true, true) => Ok(()),
        (true, false) => Err("nothing is below this line".to_string()),
        (false, _) => Err("nothing is folded".to_string()),
    }
}

/// Whether the target of the selected transition, or its orbit, was visited elsewhere.
pub fn has_visited(app: &App) -> Availability {
    let session = app.session.as_ref();
    match (session, facts::selected(app)) {
        (Some(session), Some(transition)) => match session.preview(transition).visited {
            Some(_) => Ok(()),
            None => Err("no other state of its orbit was visited".to_string()),
        },
        _ => facts::can_take(app),
    }
}

/// Requests for data that the view lacks.
#[must_use]
pub fn wanted(app: &App) -> Vec<Request> {
    let Some((a, b)) = app.compare.states().filter(|_| app.view == View::Compare) else {
        return Vec::new();
    };
    match facts::compared(app) {
        None => vec![Request::Compare(a, b, app.compare.by)],
        // Without an answer there are no runs to show either.
        Some(Err(_)) => Vec::new(),
        Some(Ok(_)) => {
            let open = |side: &WhichSide| facts::run_of(app, *side).is_none();
            let sides = [WhichSide::A, WhichSide::B].into_iter().filter(open);
            let states = sides.filter_map(|side| Some(app.compare.of(side)?.state));
            let mut states: Vec<StateId> = states.collect();
            states.dedup();
            let run = |state| match app.compare.by {
                AskedStrategy::Usual | AskedStrategy::Values(StrategyKind::Ordering) => {
                    Some(Request::Explain(state, TypeOrdering::Appearance))
                }
                AskedStrategy::Values(kind) => Some(Request::Strategy(state, kind)),
                AskedStrategy::Structure(_) => None,
            };
            states.into_iter().filter_map(run).collect()
        }
    }
}

/// The ground for the verdict, and where the runs part.
fn ground(found: &StateComparison) -> Vec<Line> {
    let mut lines = found.why();
    let mut line = |text: String| lines.push(Line { depth: 0, text });
    if let Some(parting) = &found.parting {
        let sign = match parting.word {
            "choice" | "tie" => "! ",
            _ => "",
        };
        line(format!("{sign}{}", parting.text));
    }
    let several = found.a.representative != found.b.representative;
    if several && matches!(found.relation, RelationView::SameOrbit(_)) {
        let name = found.strategy.name().unwrap_or_default();
        line(format!(
            "Where representatives are those of strategy {name}, a search keeps both: it stays sound, and \
             visits more states."
        ));
    }
    lines
}

/// To be called when the two states were compared: the step where the runs part is selected.
pub fn settle(app: &mut App) {
    let answer = match facts::compared(app) {
        Some(Ok(found)) => {
            let parting = found.parting.as_ref().and_then(|parting| parting.step);
            Some((ground(found), parting.unwrap_or(0)))
        }
        _ => None,
    };
    let (why, step) = answer.unwrap_or_default();
    let compare = &mut app.compare;
    (compare.why, compare.step) = (why, step);
    compare.line = 0;
    compare.turned.clear();
}

/// Begins a sequence whose second key is a letter: how menu and palette run it.
fn begin(app: &mut App, first: &str) {
    app.typed.prefix = Some(first.to_string());
}

/// Marks the present state with a letter.
pub fn mark(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(letter) = app.letter else {
        begin(app, "m");
        return Vec::new();
    };
    if let Some(session) = &mut app.session {
        let history = &mut session.history;
        let step = history.depth();
        app.note = match history.mark(letter) {
            Some(before) if before == history.current() => {
                format!("'{letter} marks this state already")
            }
            Some(before) => {
                let from = history.step_of(before);
                format!("'{letter} marks step {step} now, and no longer step {from}")
            }
            None => {
                format!("'{letter} marks step {step}: '{letter} comes back, c{letter} compares")
            }
        };
        app.compare.last_mark = Some(letter);
    }
    Vec::new()
}

/// Goes to the state with a letter.
pub fn to_mark(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(letter) = app.letter else {
        begin(app, "'");
        return Vec::new();
    };
    let Some(session) = &mut app.session else {
        return Vec::new();
    };
    match session.history.marked(letter) {
        Some(id) => {
            app.animate.walk = None;
            session.jump(id);
            animate::moved(app);
        }
        None => app.note = no_mark(app, letter),
    }
    Vec::new()
}

/// The message on a letter that is no mark.
#[must_use]
pub fn no_mark(app: &App, letter: char) -> String {
    let history = app.session.as_ref().map(|s| &s.history);
    let marks = history.map(|h| h.marks().map(|(mark, _)| format!("'{mark}")).collect());
    let marks: Vec<String> = marks.unwrap_or_default();
    if marks.is_empty() {
        format!("there is no mark '{letter}: m{letter} sets it")
    } else {
        format!(
            "there is no mark '{letter}; those that there are: {}",
            marks.join(" ")
        )
    }
}

/// Goes to the entry where the target of the selected transition was visited.
pub fn to_visited(app: &mut App, _: usize) -> Vec<Effect> {
    let visited = facts::selected(app)
        .and_then(|transition| app.session.as_ref()?.preview(transition).visited);
    if let (Some(visited), Some(session)) = (visited, &mut app.session) {
        let from = session.history.place_text(session.history.current());
        session.jump(visited);
        animate::moved(app);
        app.note = format!("here a state of that orbit was met; you came from {from}");
    }
    Vec::new()
}

/// Shows the states to compare with.
pub fn choose(app: &mut App, _: usize) -> Vec<Effect> {
    let usual = choices::usual(app, &choices::choices(app));
    app.overlay = Some(Overlay::Compare(usual));
    Vec::new()
}

/// A key while that is shown.
pub fn choosing(app: &mut App, key: &str, selected: usize) -> Vec<Effect> {
    let all = choices::choices(app);
    let named = all.iter().position(|choice| key == choice.key.to_string());
    let letter = keys::letter(key);
    let far = Distance::of_key(key).filter(|_| letter.is_none());
    let to = match (key, named, far) {
        (_, Some(named), _) => return start(app, all.get(named)),
        // Also a second `c`, unless that is a mark.
        ("enter" | "c", None, _) => return start(app, all.get(selected)),
        ("esc", None, _) => return Vec::new(),
        (_, None, Some(far)) => far.from(selected, all.len(), all.len()),
        (_, None, None) => {
            app.note = match letter {
                Some(letter) => no_mark(app, letter),
                None => format!("{} is not in the list", keys::shown(key)),
            };
            return Vec::new();
        }
    };
    app.overlay = Some(Overlay::Compare(to));
    Vec::new()
}

/// Compares two states.
fn start(app: &mut App, choice: Option<&CompareChoice>) -> Vec<Effect> {
    match choice {
        Some(choice) => begin_with(app, choice.pair.clone(), AskedStrategy::Usual),
        None => Vec::new(),
    }
}

/// Compares two states of the history, and their representatives by a strategy.
pub fn begin_with(app: &mut App, pair: (Comparand, Comparand), by: AskedStrategy) -> Vec<Effect> {
    app.animate.walk = None;
    app.compare = CompareData {
        pair: Some(pair),
        by,
        // The present state, where Orbit needs no jump.
        side: WhichSide::B,
        arrows: app.compare.arrows,
        differences: app.compare.differences,
        last_mark: app.compare.last_mark,
        ..CompareData::default()
    };
    anew(app);
    showing::show(app, View::Compare);
    app.focus_on(match tier(app.size) {
        Tier::One => Pane::Verdict,
        _ => Pane::SideBySide,
    });
    Vec::new()
}

/// To be called when other states are compared, or the same ones the other way round.
fn anew(app: &mut App) {
    if let (Some((a, b)), Some(session)) = (app.compare.states(), &mut app.session) {
        session.retry_comparison(a, b);
    }
    for pane in SCROLLING {
        app.scroll[pane as usize] = 0;
    }
    settle(app);
}

/// Exchanges A and B.
pub fn exchange(app: &mut App, _: usize) -> Vec<Effect> {
    if let Some((a, b)) = app.compare.pair.take() {
        app.compare.pair = Some((b, a));
        // The same state as before, under its other name.
        app.compare.side = match app.compare.side {
            WhichSide::A => WhichSide::B,
            WhichSide::B => WhichSide::A,
        };
        anew(app);
    }
    Vec::new()
}

/// Compares the representatives by the next strategy.
pub fn next_strategy(app: &mut App, _: usize) -> Vec<Effect> {
    let rep = app.session.as_ref().zip(app.compare.states());
    let rep = rep.and_then(|(session, (a, _))| session.view_of(a)?.representative.as_ref());
    let is_structural = rep.is_some_and(RepView::is_of_structure);
    let mut all = AskedStrategy::shown(is_structural);
    let reduction = app.session.as_ref().and_then(|session| session.reduction());
    if reduction.is_some_and(|reduction| reduction.has_other) {
        all.extend(AskedStrategy::shown(!is_structural));
    }
    let shown = app.compare.by.name();
    let at = all.iter().position(|by| by.name() == shown).unwrap_or(0);
    app.compare.by = all.get((at + 1) % all.len()).copied().unwrap_or_default();
    app.note = format!("strategy {}", app.compare.by.name().unwrap_or_default());
    anew(app);
    Vec::new()
}

/// Components beside their images, or in their order.
pub fn arrows(app: &mut App, _: usize) -> Vec<Effect> {
    app.compare.arrows = !app.compare.arrows;
    Vec::new()
}

/// Whether components that are alike are on the screen, or are left out.
pub fn has_alike(app: &App) -> Availability {
    has_pair(app)?;
    let is_shown = [Pane::StateA, Pane::StateB].map(|pane| layout::visible(app, pane));
    if !is_shown.contains(&true) {
        return Err("the states have no room here: Tab leads to them".to_string());
    }
    match panes::compare::has_alike(app) {
        true => Ok(()),
        false => Err("no component is alike".to_string()),
    }
}

/// Toggles between all components and those that differ.
pub fn differences(app: &mut App, _: usize) -> Vec<Effect> {
    app.compare.differences = !app.compare.differences;
    Vec::new()
}

/// Whether the run on A can be selected.
pub fn is_on_b(app: &App) -> Availability {
    can_select(app, WhichSide::A)
}

/// Whether the run on B can be selected.
pub fn is_on_a(app: &App) -> Availability {
    can_select(app, WhichSide::B)
}

fn can_select(app: &App, side: WhichSide) -> Availability {
    has_pair(app)?;
    match facts::compared(app) {
        Some(Ok(found)) if matches!(found.strategy, AskedStrategy::Structure(_)) => {
            Err("there are no runs: no component is ordered".to_string())
        }
        Some(Ok(_)) if app.compare.side == side => Err("it is selected".to_string()),
        Some(Ok(_)) => Ok(()),
        _ => Err("the runs are not compared".to_string()),
    }
}

/// Selects the run on A.
pub fn side_a(app: &mut App, _: usize) -> Vec<Effect> {
    app.compare.side = WhichSide::A;
    Vec::new()
}

/// Selects the run on B.
pub fn side_b(app: &mut App, _: usize) -> Vec<Effect> {
    app.compare.side = WhichSide::B;
    Vec::new()
}

/// Folds the lines below a line of the verdict, or unfolds them.
pub fn fold(app: &mut App, _: usize) -> Vec<Effect> {
    let line = app.compare.line;
    if !app.compare.turned.remove(&line) {
        app.compare.turned.insert(line);
    }
    Vec::new()
}

/// Goes to the state that the pane shows.
pub fn go(app: &mut App, _: usize) -> Vec<Effect> {
    let side = match app.pane() {
        Pane::StateB => WhichSide::B,
        _ => WhichSide::A,
    };
    if let Some(comparand) = app.compare.of(side).cloned() {
        go_to(app, &comparand);
        showing::show(app, View::Animate);
    }
    Vec::new()
}

fn go_to(app: &mut App, comparand: &Comparand) {
    app.animate.walk = None;
    if let Some(session) = &mut app.session {
        session.jump(comparand.place);
        if let Some(transition) = &comparand.by {
            session.take(transition);
        }
        animate::moved(app);
    }
}

/// Opens Orbit at the selected step, for the state whose run is selected.
pub fn open_step(app: &mut App, _: usize) -> Vec<Effect> {
    let Some(comparand) = app.compare.of(app.compare.side).cloned() else {
        return Vec::new();
    };
    let step = app.compare.step;
    go_to(app, &comparand);
    let shown = &mut app.orbit;
    shown.state = Some(comparand.state);
    shown.order = TypeOrdering::Appearance;
    shown.strategy = match app.compare.by {
        AskedStrategy::Values(kind) => kind,
        AskedStrategy::Usual | AskedStrategy::Structure(_) => StrategyKind::Ordering,
    };
    (shown.frame, shown.component, shown.column) = (step, 0, 0);
    shown.playing = false;
    app.scroll[Pane::Partition as usize] = 0;
    orbit::settle(app);
    showing::show(app, View::Orbit)
}

//! States that the present one can be compared with.

use super::app::{App, View};
use super::comparing::Comparand;
use super::facts;
use crate::animate::history::{History, HistoryId, Origin};
use crate::animate::model::TransitionView;
use crate::animate::session::Session;

/// Two states that can be compared, as an entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareChoice {
    /// The key that chooses it: the letter of a mark, otherwise a digit.
    pub key: char,
    /// The text of the entry.
    pub text: String,
    /// The states A and B.
    pub pair: (Comparand, Comparand),
}

impl CompareChoice {
    /// Whether one of them is a mark.
    #[must_use]
    pub fn is_mark(&self) -> bool {
        self.key.is_ascii_alphabetic()
    }
}

/// Entries of the list: marks by their letters, then all else by digits.
#[must_use]
pub fn choices(app: &App) -> Vec<CompareChoice> {
    let Some(session) = &app.session else {
        return Vec::new();
    };
    let history = &session.history;
    let here = held(history, history.current());
    let marks = history.marks().map(|(key, id)| CompareChoice {
        key,
        text: format!("{}  {}", history.place_text(id), event(history, id)),
        pair: (held(history, id), here.clone()),
    });
    let mut all: Vec<CompareChoice> = marks.collect();
    let mut others: Vec<(String, (Comparand, Comparand))> = Vec::new();
    if app.view == View::Animate {
        others.extend(members(app, session));
        others.extend(target(app, session));
    }
    let present = match app.view {
        View::Animate => "this state",
        _ => "the present state",
    };
    if let Some(visited) = session.visited_here() {
        let place = history.place_text(visited);
        let text = format!("{place}, where the orbit of {present} was met");
        others.push((text, (held(history, visited), here.clone())));
    }
    if let Some(parent) = history.here().parent {
        let place = history.place_text(parent);
        let text = format!("{place}, the one before {present}");
        others.push((text, (held(history, parent), here)));
    }
    let numbered = others.into_iter().zip('1'..='9');
    all.extend(numbered.map(|((text, pair), key)| CompareChoice { key, text, pair }));
    all
}

/// The entry that is selected at first: a mark somewhere else, or the first one below the marks.
#[must_use]
pub fn usual(app: &App, all: &[CompareChoice]) -> usize {
    let here = app.session.as_ref().map(|s| s.history.current());
    let elsewhere = |choice: &CompareChoice| Some(choice.pair.0.place) != here;
    let last = app.compare.last_mark;
    let last = all
        .iter()
        .position(|choice| Some(choice.key) == last && elsewhere(choice));
    let mark = last.or_else(|| all.iter().position(|c| c.is_mark() && elsewhere(c)));
    let other = || all.iter().position(|choice| !choice.is_mark());
    mark.or_else(other).unwrap_or(0)
}

/// The state of an entry of the history, to be compared.
#[must_use]
pub fn held(history: &History, id: HistoryId) -> Comparand {
    Comparand {
        state: history.node(id).state,
        place: id,
        by: None,
    }
}

/// The state that a transition of the present one leads to.
fn led_to(history: &History, transition: &TransitionView) -> Comparand {
    Comparand {
        state: transition.target,
        place: history.current(),
        by: Some(transition.clone()),
    }
}

fn event(history: &History, id: HistoryId) -> &str {
    match &history.node(id).origin {
        Origin::Opened(process) => process,
        Origin::Step(taken) => taken.text(),
        Origin::Renamed(cycles) => cycles,
    }
}

/// Two targets of the selected group: those of the first member and of the selected one.
fn members(app: &App, session: &Session) -> Option<(String, (Comparand, Comparand))> {
    let group = session.groups.get(app.animate.group)?;
    let size = group.members.len();
    if size < 2 {
        return None;
    }
    // The first itself is compared with the one after it.
    let other = match app.animate.member % size {
        0 => 1,
        other => other,
    };
    let (a, b) = (
        session.member(app.animate.group, 0)?,
        session.member(app.animate.group, other)?,
    );
    let text = format!(
        "where 1 and {} of the {size} equal transitions lead",
        other + 1
    );
    let history = &session.history;
    Some((text, (led_to(history, a), led_to(history, b))))
}

/// The target of the selected transition, with the state where it was visited.
fn target(app: &App, session: &Session) -> Option<(String, (Comparand, Comparand))> {
    let transition = facts::selected(app)?;
    let visited = session.preview(transition).visited?;
    let history = &session.history;
    let place = history.place_text(visited);
    let text = format!("{place}, and where the selected transition leads");
    Some((text, (held(history, visited), led_to(history, transition))))
}

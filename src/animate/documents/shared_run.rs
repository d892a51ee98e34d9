//! A run with its states as a page to share, put together from what is said of each elsewhere.

use super::{ExplainedState, STATE_MAX};
use crate::earlier::earlier_states;
use crate::history::Origin;
use crate::model::{ComponentView, Counterexample, Ending, EventKind, StateView, TransitionView};
use crate::report::document::{Document, DocumentTable, TableColumn, Tone};
use crate::report::numbers::counted;
use crate::report::page::rings::{RingDrawing, RingItem};
use crate::report::page::{PagePart, PageStep, PartForms, SharedPage};
use crate::report::runs::SILENT;
use crate::report::trail::{Trail, table};
use crate::report::words::in_order;
use crate::report::{reduction, words};
use crate::sentences;

/// The heading of components that are alone in their families, where others are not.
const SINGLE: &str = "single components";

/// A counterexample with the assertion that it violates.
pub struct SharedViolation {
    /// The number of the assertion, from 1.
    pub number: usize,
    /// The assertion as written.
    pub text: String,
    /// The run.
    pub path: Counterexample,
    /// Why its states are not shown, if they are not.
    pub without_states: Option<String>,
}

/// A run and its states.
pub struct SharedRun {
    /// The name of the script.
    pub script: String,
    /// The process.
    pub process: String,
    /// Each state with the step that led to it, the first one being that before all steps.
    pub states: Vec<(Origin, StateView)>,
    /// The violation at its end, if it is a counterexample.
    pub violation: Option<SharedViolation>,
    /// Cycles of components under a symmetry of the network, with its name, if states are to be drawn.
    pub circles: Option<(String, Vec<Vec<usize>>)>,
}

impl SharedRun {
    /// The page on the run.
    #[must_use]
    pub fn page(&self) -> SharedPage {
        let title = match &self.violation {
            Some(of) => {
                let run = if of.is_wrong() {
                    "Counterexample"
                } else {
                    "Run"
                };
                format!("{run} of assertion {}: {}", of.number, of.text)
            }
            None => format!("A walk of {}", self.process),
        };
        let mut parts = vec![self.facts()];
        parts.extend(self.violation.iter().flat_map(SharedViolation::parts));
        if let Some((_, first)) = self.states.first() {
            let mut document = Document::default();
            for sentence in reduction::of_process(&first.reduction) {
                document.say(Tone::Plain, sentence);
            }
            parts.push(part("Reduction", document));
        }
        let steps = (0..self.states.len()).map(|at| self.step(at));
        SharedPage {
            title,
            parts,
            steps: steps.collect(),
        }
    }

    fn facts(&self) -> PagePart {
        let mut document = Document::default();
        document
            .labelled(Tone::Plain, "script", self.script.as_str())
            .labelled(Tone::Plain, "process", self.process.as_str());
        let steps = match &self.violation {
            Some(of) => of.path.steps.len(),
            None => self.states.len().saturating_sub(1),
        };
        document.labelled(Tone::Plain, "length", counted(steps as u64, "step"));
        if !self.states.is_empty() {
            let trace = self.trace(self.states.len() - 1);
            document.labelled(Tone::Plain, "visible trace", trace);
        }
        part("", document)
    }

    /// `<a, b>`: the visible events of so many steps.
    fn trace(&self, steps: usize) -> String {
        let states = self.states.iter().take(steps + 1);
        let events: Vec<&str> = states.filter_map(|(by, _)| by.visible()).collect();
        format!("<{}>", events.join(", "))
    }

    fn step(&self, at: usize) -> PageStep {
        let (by, view) = &self.states[at];
        let before = at.checked_sub(1).map(|before| &self.states[before].1);
        let transition = before.and_then(|before| transition(before, by, view));
        let movers = transition.zip(before);
        let moves = movers.map_or_else(Vec::new, |(t, before)| moves(t, before));
        let mut parts = vec![self.step_facts(at)];
        if !moves.is_empty() {
            parts.push(PagePart {
                forms: PartForms::Text,
                ..part("What changes", changes(&moves))
            });
        }
        let is_end = at == 0 || at + 1 == self.states.len();
        let only = match is_end {
            true => PartForms::Both,
            false => PartForms::Html,
        };
        let earlier = earlier_states(before, view);
        parts.push(PagePart {
            drawing: self.drawing(view, &earlier),
            forms: only,
            ..part("State", state(view, &earlier))
        });
        let told = explained(view);
        let mut rep = representative(view);
        rep.append(&told, &["representative"]);
        parts.push(PagePart {
            forms: only,
            ..part("Representative", rep)
        });
        let mut next = Document::default();
        next.append(&told, &["transitions"]);
        parts.push(PagePart {
            forms: PartForms::Html,
            ..part("Possible next", next)
        });
        PageStep {
            event: event_text(by),
            with: moves.into_iter().map(|(who, ..)| who).collect(),
            parts,
        }
    }

    /// What is said of a step and of the state as a whole.
    fn step_facts(&self, at: usize) -> PagePart {
        let (_, view) = &self.states[at];
        let mut document = Document::default();
        document.labelled(Tone::Plain, "visible trace", self.trace(at));
        if let Some(of) = &self.violation {
            of.specification(at, &mut document);
        }
        let orbit = view.representative.as_ref().and_then(sentences::orbit_text);
        if let Some(orbit) = orbit {
            document.labelled(Tone::Plain, "orbit", orbit);
        }
        match (view.deadlocked, view.terminated) {
            (true, _) => document.labelled(Tone::Bad, "here", words::DEADLOCKED),
            (_, true) => document.labelled(Tone::Plain, "here", words::TERMINATED),
            _ => &mut document,
        };
        let is_last = at + 1 == self.states.len();
        if let Some(of) = self.violation.as_ref().filter(|_| is_last) {
            let (_, label, tone) = of.words();
            document.labelled(tone, label, of.path.reason.as_str());
        }
        part("", document)
    }

    /// The components on circles, where the network has a symmetry that moves them in circles.
    fn drawing(&self, view: &StateView, earlier: &[Option<String>]) -> Option<RingDrawing> {
        let (name, cycles) = self.circles.as_ref()?;
        let is_drawn = |c: &usize| *c < view.components.len();
        if !cycles.iter().flatten().all(is_drawn) {
            return None;
        }
        let items = view.components.iter().zip(earlier);
        let items = items.map(|(component, earlier)| item(component, earlier.is_some()));
        Some(RingDrawing {
            caption: format!(
                "The components as {name} takes them: each arrow leads to the one that a component becomes. \
                 The step changed those with a *."
            ),
            items: items.collect(),
            rings: cycles.clone(),
        })
    }
}

impl SharedViolation {
    /// Whether the run violates the assertion, and does not show what it asks for.
    fn is_wrong(&self) -> bool {
        self.path.ending != Ending::Performed
    }

    /// The heading of what the run shows, a label for it, and its tone.
    fn words(&self) -> (&'static str, &'static str, Tone) {
        match self.is_wrong() {
            true => ("What goes wrong", "violation", Tone::Bad),
            false => ("What it shows", "shown", Tone::Good),
        }
    }

    /// What goes wrong, and the table of components by steps.
    fn parts(&self) -> Vec<PagePart> {
        let (heading, _, tone) = self.words();
        let mut wrong = Document::default();
        wrong.say(tone, self.path.reason.as_str());
        if let Some(why) = &self.without_states {
            let why = format!("Its states are in the table alone: {why}.");
            wrong.say(Tone::Dim, why);
        }
        let mut run = Document::default();
        run.table(table::of_run(&self.path));
        let run = PagePart {
            // Lines of a mail have no room for a column a step; the steps say the same.
            forms: match self.without_states {
                Some(_) => PartForms::Both,
                None => PartForms::Html,
            },
            ..part("Components by steps", run)
        };
        vec![part(heading, wrong), run]
    }

    /// The state of the specification after so many steps.
    fn specification(&self, at: usize, document: &mut Document) {
        let trail = Trail::unfolded(&self.path);
        if let Some(offered) = trail.step(at).and_then(|step| step.observed.as_ref()) {
            let seen = format!("nothing on offer but {offered} before this step");
            document.labelled(Tone::Plain, "seen", seen);
        }
        if trail.is_specified() {
            let now = trail.specification(at).unwrap_or("it cannot follow");
            document.labelled(Tone::Plain, "specification", now);
        }
        if trail.loop_start() == Some(at) {
            document.labelled(Tone::Open, "loop", "from here on for ever");
        }
    }
}

pub(super) fn part(heading: &str, document: Document) -> PagePart {
    PagePart {
        heading: heading.to_owned(),
        document,
        ..PagePart::default()
    }
}

pub(super) fn item(component: &ComponentView, is_changed: bool) -> RingItem {
    RingItem {
        name: component.label(),
        state: component.text.to_string(),
        is_changed,
    }
}

/// What is said of a state by itself.
pub(super) fn explained(view: &StateView) -> Document {
    let told = ExplainedState {
        process: String::new(),
        path: Vec::new(),
        view: view.clone(),
        record: None,
        data: None,
    };
    told.document(None)
}

/// The event of a step, or what else led to a state.
fn event_text(by: &Origin) -> String {
    match by {
        Origin::Opened(_) => "the beginning".to_owned(),
        Origin::Renamed(cycles) => format!("renamed by {cycles}"),
        Origin::Step(taken) => match (taken.kind, taken.event.as_str()) {
            (_, "") => SILENT.to_owned(),
            (EventKind::Tau, event) => format!("{SILENT} ({event})"),
            (_, event) => event.to_owned(),
        },
    }
}

/// The transition that was taken to a state.
fn transition<'a>(
    before: &'a StateView,
    by: &Origin,
    to: &StateView,
) -> Option<&'a TransitionView> {
    let Origin::Step(taken) = by else { return None };
    let mut all = before.transitions.iter().filter(|t| t.target == to.id);
    let exact = all.clone().find(|t| t.taken(&before.components) == *taken);
    exact.or_else(|| all.find(|t| t.kind == taken.kind && *t.event == *taken.event))
}

/// The components that take part in a transition, with their local states before and after it.
fn moves(transition: &TransitionView, before: &StateView) -> Vec<(String, String, String)> {
    let movers = transition.movers.iter();
    let moves = movers.filter_map(|(at, from, to)| {
        let who = before.components.get(*at)?.label();
        Some((who, from.to_string(), to.to_string()))
    });
    moves.collect()
}

fn changes(moves: &[(String, String, String)]) -> Document {
    let columns = ["component", "before", "after"].map(TableColumn::headed);
    let mut table = DocumentTable::new(columns.into());
    for (who, before, after) in moves {
        let after = match before == after {
            true => "as before",
            false => after,
        };
        let cells = [who, before, after].map(str::to_owned);
        table.row(Tone::Plain, cells.into());
    }
    let mut document = Document::default();
    document.table(table);
    document
}

/// The components of a state by families: their local states, what these were before the step, and what they become in
/// the representative.
fn state(view: &StateView, earlier: &[Option<String>]) -> Document {
    let has_earlier = earlier.iter().any(Option::is_some);
    let rep = view.representative.as_ref();
    let mut heads = vec!["component", "local state"];
    heads.extend(has_earlier.then_some("before the step"));
    heads.extend(rep.map(|_| "becomes"));
    by_families(heads, &view.components, |at| {
        let was = earlier.get(at).and_then(Option::as_ref);
        let mut cells = Vec::new();
        cells.extend(has_earlier.then(|| was.cloned().unwrap_or_default()));
        if let Some(rep) = rep {
            // `source` says where each component of the representative came from; here it is asked where this one goes.
            let to = rep.source.iter().position(|from| *from == at);
            let image = to.and_then(|to| rep.components.get(to));
            cells.push(image.map(ComponentView::label).unwrap_or_default());
        }
        let tone = match was {
            Some(_) => Tone::Changed,
            None => Tone::Plain,
        };
        (tone, cells)
    })
}

/// The components of a representative by families, each with the component that it was.
pub(super) fn representative(view: &StateView) -> Document {
    let Some(rep) = &view.representative else {
        return Document::default();
    };
    let heads = vec!["component", "local state", "was"];
    let mut document = by_families(heads, &rep.components, |at| {
        let from = rep
            .source
            .get(at)
            .and_then(|from| view.components.get(*from));
        let from = from.map(ComponentView::label).unwrap_or_default();
        (Tone::Plain, vec![from])
    });
    document.gap();
    document
}

/// A table of components below the names of their families; `more` has the tone of a row and its further cells.
fn by_families(
    heads: Vec<&'static str>,
    components: &[ComponentView],
    more: impl Fn(usize) -> (Tone, Vec<String>),
) -> Document {
    let mut columns: Vec<TableColumn> = heads.into_iter().map(TableColumn::headed).collect();
    columns[1].most = Some(STATE_MAX);
    let width = columns.len();
    let mut table = DocumentTable::new(columns);
    let has_families = components.iter().any(|c| !c.index.is_empty());
    let mut family = None;
    for at in in_order(components) {
        let component = &components[at];
        let own = match component.index.is_empty() {
            true => SINGLE,
            false => component.family.as_str(),
        };
        if has_families && family != Some(own) {
            family = Some(own);
            let mut cells = vec![String::new(); width];
            cells[0] = own.to_owned();
            table.row(Tone::Strong, cells);
        }
        let (tone, further) = more(at);
        let mut cells = vec![component.label(), component.text.to_string()];
        cells.extend(further);
        table.row(tone, cells);
    }
    let mut document = Document::default();
    document.table(table);
    document
}

//! The comparison of two states: their relation, and the ground for it.

use std::collections::VecDeque;

use super::Content;
use crate::animate::comparison::{Compared, RelationView};
use crate::animate::model::{ComponentView, StateComparison, StateId};
use crate::animate::sentences::{ComponentNames, compact};
use crate::app::App;
use crate::comparing::{Comparand, WhichSide};
use crate::facts;
use crate::report::numbers::counted;
use crate::source::hash::Map;
use crate::text::{Row, fit, pad, width, wrap};
use crate::theme::Role;

/// The hint where nothing is compared.
const NOTHING: &str = "Nothing is compared yet. In Animate, m and a letter mark the state where you are; \
                       go on, and c with the letter compares it with where you are then. c alone shows what \
                       else there is: the step before, or two of several transitions that are equal up to \
                       symmetry.";

/// The place of a state, for a title.
#[must_use]
pub fn place(app: &App, comparand: &Comparand) -> String {
    let Some(session) = &app.session else {
        return String::new();
    };
    let history = &session.history;
    let place = history.place_text(comparand.place);
    match &comparand.by {
        Some(by) if by.event.is_empty() => format!("after {place}, tau"),
        Some(by) => format!("after {place}, {}", by.event),
        None if comparand.place == history.current() => format!("{place}, present"),
        None => place,
    }
}

/// A component of A and the one of B that stands beside it.
type Pairing = (Option<usize>, Option<usize>);

/// A state of the comparison.
#[must_use]
pub fn state(app: &App, side: WhichSide, columns: usize) -> Content {
    let name = match side {
        WhichSide::A => "A",
        WhichSide::B => "B",
    };
    let Some(comparand) = app.compare.of(side) else {
        let mut content = Content::new(name);
        content.push_text(app.theme, Role::Dim, "nothing is compared", columns);
        return content;
    };
    let mut content = Content::new(format!("{name}  {}", place(app, comparand)));
    let Some(Ok(found)) = facts::compared(app) else {
        uncompared(app, comparand.state, &mut content, columns);
        return content;
    };
    let own = match side {
        WhichSide::A => &found.a,
        WhichSide::B => &found.b,
    };
    let pairings = pairings(app, found);
    let differing = pairings.iter().filter(|pair| differ(found, **pair)).count();
    let has_arrows = app.compare.arrows && facts::witness(found).is_some();
    content.right = match (differing, has_arrows) {
        (0, false) => "no difference".to_string(),
        (n, false) => counted(n as u64, "difference"),
        (1, true) => "1 component changes".to_string(),
        (n, true) => format!("{} change", counted(n as u64, "component")),
    };
    let sides = SidesShown {
        a: ComponentNames::new(&found.a.components),
        b: ComponentNames::new(&found.b.components),
        arrows: has_arrows,
    };
    let label = (0..own.components.len()).map(|c| width(sides.of(side).of(c)));
    let label = label.max().unwrap_or(0);
    for pair in pairings {
        let is_other = differ(found, pair);
        if app.compare.differences && !is_other {
            continue;
        }
        let row = Row::new(app.theme);
        let role = if is_other { Role::Changed } else { Role::Plain };
        let mark = if is_other { " ~ " } else { "   " };
        content.push(match side {
            WhichSide::A => {
                let text = sides.left(&own.components, pair, label, columns.saturating_sub(3));
                row.add(role, format!("{mark}{text}"))
            }
            WhichSide::B => sides.right(found, pair, label, columns, (row, mark, role)),
        });
    }
    representative(app, found, own, &mut content, columns);
    content
}

/// A state that is not compared: the engine may know it all the same.
fn uncompared(app: &App, state: StateId, content: &mut Content, columns: usize) {
    let view = app.session.as_ref().and_then(|s| s.view_of(state));
    match view {
        Some(view) => plain_rows(app, &view.components, content, columns),
        None => content.push_text(app.theme, Role::Dim, "not known", columns),
    }
}

fn plain_rows(app: &App, components: &[ComponentView], content: &mut Content, columns: usize) {
    let names = ComponentNames::new(components);
    let label = (0..components.len()).map(|c| width(names.of(c)));
    let label = label.max().unwrap_or(0);
    for (at, component) in components.iter().enumerate() {
        let text = format!("   {}  {}", pad(names.of(at), label), component.text);
        content.push(Row::new(app.theme).plain(fit(&text, columns)));
    }
}

/// Names of the components of both states.
struct SidesShown {
    a: ComponentNames,
    b: ComponentNames,
    /// Whether each is shown beside its image.
    arrows: bool,
}

impl SidesShown {
    fn of(&self, side: WhichSide) -> &ComponentNames {
        match side {
            WhichSide::A => &self.a,
            WhichSide::B => &self.b,
        }
    }

    /// A component of A, with an arrow to the edge of the pane.
    fn left(
        &self,
        components: &[ComponentView],
        (from, to): Pairing,
        label: usize,
        room: usize,
    ) -> String {
        let Some((from, component)) = from.and_then(|c| Some((c, components.get(c)?))) else {
            return "not there".to_string();
        };
        let text = format!("{}  {}", pad(self.a.of(from), label), component.text);
        let Some(to) = to.filter(|_| self.arrows) else {
            return fit(&text, room);
        };
        // The image comes first: the rest is in the line of B, too.
        let head = format!("> {}", self.b.of(to));
        let text = fit(&text, room.saturating_sub(width(&head) + 4));
        let dashes = room.saturating_sub(width(&text) + width(&head) + 1);
        format!("{text} {}{head}", "-".repeat(dashes))
    }

    /// The component of B beside it, and the difference.
    fn right(
        &self,
        found: &StateComparison,
        (from, to): Pairing,
        label: usize,
        columns: usize,
        (row, mark, role): (Row, &str, Role),
    ) -> Row {
        let Some((to, component)) = to.and_then(|c| Some((c, found.b.components.get(c)?))) else {
            return row.add(role, format!("{mark}not there"));
        };
        let text = format!("{mark}{}  {}", pad(self.b.of(to), label), component.text);
        let text = fit(&text, columns);
        let from = from.and_then(|c| Some((c, found.a.components.get(c)?)));
        let said = match from {
            Some((from, _)) if self.arrows => format!("<- {}", self.a.of(from)),
            Some((_, other)) => difference(other, component),
            None => String::new(),
        };
        let room = columns.saturating_sub(width(&text) + 2);
        row.add(role, text)
            .add(Role::Dim, format!("  {}", fit(&said, room)))
    }
}

/// Whether some component is alike in the two states.
#[must_use]
pub fn has_alike(app: &App) -> bool {
    let Some(Ok(found)) = facts::compared(app) else {
        return false;
    };
    let mut pairs = pairings(app, found).into_iter();
    pairs.any(|pair| !differ(found, pair))
}

/// The pairs of components that are shown side by side: a component and its image, or those of one name.
fn pairings(app: &App, found: &StateComparison) -> Vec<Pairing> {
    let (a, b) = (&found.a.components, &found.b.components);
    if let Some(witness) = facts::witness(found).filter(|_| app.compare.arrows) {
        let arrows = witness.arrows.iter().enumerate();
        return arrows.map(|(from, to)| (Some(from), Some(*to))).collect();
    }
    // Components of one label in their order: labels need not be different.
    let mut free: Map<String, VecDeque<usize>> = Map::default();
    for (to, component) in b.iter().enumerate() {
        free.entry(component.label()).or_default().push_back(to);
    }
    let mut pairs: Vec<Pairing> = Vec::new();
    for (from, component) in a.iter().enumerate() {
        let same = free.get_mut(&component.label());
        pairs.push((Some(from), same.and_then(VecDeque::pop_front)));
    }
    let mut left: Vec<usize> = free.into_values().flatten().collect();
    left.sort_unstable();
    pairs.extend(left.into_iter().map(|to| (None, Some(to))));
    pairs
}

fn differ(found: &StateComparison, (from, to): Pairing) -> bool {
    let from = from.and_then(|c| found.a.components.get(c));
    let to = to.and_then(|c| found.b.components.get(c));
    match (from, to) {
        (Some(from), Some(to)) => from.text != to.text || from.label() != to.label(),
        _ => true,
    }
}

/// `datum  A | B`: the arguments that differ.
fn difference(from: &ComponentView, to: &ComponentView) -> String {
    if from.text == to.text {
        return String::new();
    }
    if from.name != to.name || from.args.len() != to.args.len() {
        return format!("A: {}", compact(from));
    }
    let both = from.args.iter().zip(&to.args);
    let other = both.filter(|((_, x), (_, y))| x != y);
    let texts: Vec<String> = other
        .map(|((name, x), (_, y))| format!("{name}  {x} | {y}"))
        .collect();
    texts.join("   ")
}

/// The representative that the strategy gives it.
fn representative(
    app: &App,
    found: &StateComparison,
    own: &Compared,
    content: &mut Content,
    columns: usize,
) {
    let same = found.a.representative == found.b.representative;
    let sign = if same { "=" } else { "#" };
    content.push(Row::new(app.theme));
    let texts: Vec<String> = own.representative.iter().map(compact).collect();
    let mut head = format!(" rep {sign} ");
    for line in wrap(&texts.join("  "), columns.saturating_sub(9)) {
        let row = Row::new(app.theme).add(Role::Strong, pad(&head, 8));
        content.push(row.plain(line));
        // The heading stands beside the first line only.
        head.clear();
    }
}

/// The relation of the two states, and the ground for it.
#[must_use]
pub fn verdict(app: &App, columns: usize) -> Content {
    let mut content = Content::new("Verdict");
    let theme = app.theme;
    if app.compare.pair.is_none() {
        content.push_text(theme, Role::Plain, NOTHING, columns);
        return content;
    }
    let found = match facts::compared(app) {
        Some(Ok(found)) => found,
        Some(Err(failure)) => {
            let text = format!("The states could not be compared: {}", failure.summary);
            content.push_text(theme, Role::Fail, &text, columns);
            // The summary is the first line of it.
            for line in failure.detail.lines().skip(1) {
                content.push(Row::new(theme).plain(fit(&format!(" {line}"), columns)));
            }
            return content;
        }
        None => {
            content.push_text(theme, Role::Dim, "comparing ...", columns);
            return content;
        }
    };
    if let Some(name) = found.strategy.name().filter(|_| !found.strategy.is_usual()) {
        content.title = format!("Verdict, by {name}");
    }
    content.right = badge(found);
    content.push_text(theme, Role::Strong, &found.verdict(), columns);
    if let RelationView::Same = found.relation {
        content.push_text(theme, Role::Plain, "Nothing has to be renamed.", columns);
    }
    why_rows(app, &mut content, columns);
    content
}

fn why_rows(app: &App, content: &mut Content, columns: usize) {
    let compare = &app.compare;
    let folds = compare.folds();
    for at in compare.shown_lines() {
        let Some(line) = compare.why.get(at) else {
            continue;
        };
        let chosen = folds && at == compare.line;
        let sign = match (folds && compare.has_more(at), compare.is_unfolded(at)) {
            (false, _) => " ",
            (true, true) => "-",
            (true, false) => "+",
        };
        let role = match chosen {
            true => Role::Selected,
            false if line.text.starts_with("! ") => Role::Choice,
            false if line.text.starts_with("Internal error") => Role::Fail,
            false => Role::Plain,
        };
        // Deep lines keep room for their text.
        let margin = (2 * line.depth).min(columns / 3);
        let mut head = format!(
            "{}{}{sign} ",
            if chosen { ">" } else { " " },
            " ".repeat(margin)
        );
        if chosen {
            content.at = Some(content.lines.len());
        }
        for text in wrap(&line.text, columns.saturating_sub(width(&head) + 1)) {
            let row = Row::new(app.theme).plain(head.clone()).add(role, text);
            content.push_target(row, at);
            head = " ".repeat(width(&head));
        }
    }
}

/// The verdict in a few words.
fn badge(found: &StateComparison) -> String {
    let one = found.a.representative == found.b.representative;
    match (&found.relation, one) {
        (RelationView::Same, _) => "one state",
        (RelationView::SameOrbit(_), true) => "one orbit, one representative",
        (RelationView::SameOrbit(_), false) => "one orbit, two representatives",
        (RelationView::Bisimilar { .. }, _) => "one orbit after merging only",
        (RelationView::Different(_), _) => "different orbits",
        (RelationView::OtherFormat | RelationView::Undecided { .. }, _) => "undecided",
    }
    .to_string()
}

/// The verdict for the status line.
#[must_use]
pub fn status(app: &App) -> Option<String> {
    match facts::compared(app)? {
        Ok(found) => Some(badge(found)),
        Err(_) => Some("not compared".to_string()),
    }
}

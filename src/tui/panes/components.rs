//! The components of a state as a list: those that the last step changed are always on the screen.

use super::Content;
use crate::animate::model::{ComponentView, StateView};
use crate::animate::sentences;
use crate::app::{App, ListedComponents};
use crate::cutting::{apart, broken, middle};
use crate::report::words::in_order;
use crate::source::hash::Map;
use crate::text::{Row, pad, width};
use crate::theme::Role;

/// The symmetric type of each value that has one, by the value's name.
#[derive(Clone, Debug, Default)]
pub struct ValueTypes(Map<String, usize>);

impl ValueTypes {
    /// The types of the open process.
    #[must_use]
    pub fn of(app: &App) -> Self {
        let reduction = app.session.as_ref().and_then(|s| s.reduction());
        let types = reduction.map_or(&[][..], |r| &r.types);
        let symmetric = types.iter().filter(|t| t.members.len() > 1).enumerate();
        let values = symmetric.flat_map(|(at, t)| t.members.iter().map(move |m| (m.clone(), at)));
        Self(values.collect())
    }

    /// Adds a text to a row, values of symmetric types in the colour of their type.
    #[must_use]
    pub fn add(&self, row: Row, text: &str) -> Row {
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let mut row = row;
        let mut plain = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = if is_name(first) {
                rest.find(|c| !is_name(c)).unwrap_or(rest.len())
            } else {
                rest.find(is_name).unwrap_or(rest.len())
            };
            let (word, after) = rest.split_at(end);
            match self.0.get(word) {
                Some(kind) => {
                    if !plain.is_empty() {
                        row = row.plain(std::mem::take(&mut plain));
                    }
                    row = row.add(Role::Value(*kind), word);
                }
                None => plain += word,
            }
            rest = after;
        }
        if plain.is_empty() {
            row
        } else {
            row.plain(plain)
        }
    }
}

/// An entry of a list of components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListEntry {
    /// A component.
    One(usize),
    /// Components of a family that are at rest.
    AtRest(Vec<usize>),
}

impl ListEntry {
    fn first(&self) -> usize {
        match self {
            Self::One(at) => *at,
            Self::AtRest(all) => all[0],
        }
    }
}

/// Components at rest are folded if a family has so many.
const AT_REST_MIN: usize = 4;

/// The entries of a list of components: where it is longer than `rows`, those of a family that are at rest are one
/// entry, after its others. Components that `keep` holds of stay.
#[must_use]
pub fn entries(
    app: &App,
    components: &[ComponentView],
    list: Vec<usize>,
    rows: usize,
    keep: impl Fn(usize) -> bool,
) -> Vec<ListEntry> {
    let folds = app.animate.listed == ListedComponents::Folded;
    let mut entries: Vec<ListEntry> = list.into_iter().map(ListEntry::One).collect();
    if !folds || entries.len() + headings(components, &entries) <= rows {
        return entries;
    }
    let all = std::mem::take(&mut entries);
    let family = |entry: &ListEntry| {
        let component = &components[entry.first()];
        (!component.index.is_empty()).then_some(&component.family)
    };
    for members in all.chunk_by(|a, b| family(a).is_some() && family(a) == family(b)) {
        let is_at_rest = |at: &usize| components[*at].is_at_rest && !keep(*at);
        let (rest, others): (Vec<usize>, _) =
            members.iter().map(ListEntry::first).partition(is_at_rest);
        if rest.len() < AT_REST_MIN {
            entries.extend_from_slice(members);
        } else {
            entries.extend(others.into_iter().map(ListEntry::One));
            entries.push(ListEntry::AtRest(rest));
        }
    }
    entries
}

/// A line of a list of components.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentLine {
    /// The name of a family.
    Family(String),
    /// A component, with its name within the family.
    One(usize, String),
    /// Components at rest.
    AtRest(Vec<usize>),
}

impl ComponentLine {
    /// The row of a family or of components at rest.
    #[must_use]
    pub fn row(
        &self,
        app: &App,
        components: &[ComponentView],
        label: usize,
        columns: usize,
    ) -> Row {
        let row = Row::new(app.theme);
        match self {
            Self::Family(name) | Self::One(_, name) => row.add(Role::Strong, format!("   {name}")),
            Self::AtRest(all) => {
                let count = pad(&format!(" +{}", all.len()), label + 2);
                let names: Vec<&str> = all
                    .iter()
                    .map(|at| components[*at].index.as_str())
                    .collect();
                let text = format!("   {count}at rest: {}", names.join(", "));
                row.add(Role::Dim, middle(&text, columns))
            }
        }
    }
}

/// The lines of a list, with a heading for every family of several components.
#[must_use]
pub fn lines(components: &[ComponentView], entries: &[ListEntry]) -> Vec<ComponentLine> {
    let mut lines = Vec::with_capacity(entries.len());
    let mut family = "";
    for entry in entries {
        let component = &components[entry.first()];
        if component.index.is_empty() {
            // A component that is alone in its family separates families: the heading comes again
            // after it.
            family = "";
        } else if component.family != family {
            family = &component.family;
            lines.push(ComponentLine::Family(family.to_owned()));
        }
        lines.push(match entry {
            ListEntry::AtRest(all) => ComponentLine::AtRest(all.clone()),
            ListEntry::One(at) if component.index.is_empty() => {
                ComponentLine::One(*at, component.family.clone())
            }
            ListEntry::One(at) => ComponentLine::One(*at, format!(" {}", component.index)),
        });
    }
    lines
}

/// The number of family headings in a list.
fn headings(components: &[ComponentView], entries: &[ListEntry]) -> usize {
    lines(components, entries).len() - entries.len()
}

/// The listed components, in two parts: those that the last step changed, where the list is too long to show them
/// anyway, and then the rest.
struct Listed {
    above: Vec<ListEntry>,
    below: Vec<ListEntry>,
}

fn listed(app: &App, view: &StateView, changed: &[Option<String>], rows: usize) -> Listed {
    let filter = app.animate.state_filter.to_lowercase();
    let moved = |c: usize| changed.get(c).is_some_and(Option::is_some);
    let passes = |c: &usize| {
        let component = &view.components[*c];
        (app.animate.listed != ListedComponents::Changed || moved(*c))
            && (filter.is_empty()
                || component.label().to_lowercase().contains(&filter)
                || component.text.to_lowercase().contains(&filter))
    };
    let all: Vec<usize> = in_order(&view.components)
        .into_iter()
        .filter(passes)
        .collect();
    // A line for the earlier state of each may be needed.
    let twice = all.iter().filter(|c| moved(**c)).count();
    let room = rows.saturating_sub(twice);
    let keep = |c| moved(c) || !filter.is_empty() || app.animate.component == Some(c);
    let entries = entries(app, &view.components, all, room, keep);
    // All changed components are visible, or none has to be repeated.
    let seen = entries.len() + headings(&view.components, &entries) <= room;
    let (above, below) = entries
        .into_iter()
        .partition(|entry| !seen && moved(entry.first()));
    Listed { above, below }
}

/// The columns that the widest component needs: its mark, its label and its local state.
#[must_use]
pub fn widest(components: &[ComponentView]) -> usize {
    let label = label_width(components, usize::MAX);
    let texts = components.iter().map(|component| width(&component.text));
    label + texts.max().unwrap_or(0) + 6
}

/// The lines of the list of components, with the headings of families.
#[must_use]
pub fn rows(view: &StateView) -> usize {
    let all = in_order(&view.components).into_iter().map(ListEntry::One);
    lines(&view.components, &all.collect::<Vec<_>>()).len()
}

/// The components that the person can select, in the order of the screen.
#[must_use]
pub fn selectable(app: &App, rows: usize) -> Vec<usize> {
    let session = app.session.as_ref();
    let Some((session, view)) = session.and_then(|s| Some((s, s.view()?))) else {
        return Vec::new();
    };
    let listed = listed(app, view, &session.changed(), rows);
    let one = |entry: &ListEntry| match entry {
        ListEntry::One(at) => Some(*at),
        ListEntry::AtRest(_) => None,
    };
    let all = listed.above.iter().chain(&listed.below);
    all.filter_map(one).collect()
}

/// Adds the list to a pane.
pub fn list(app: &App, view: &StateView, content: &mut Content, columns: usize, rows: usize) {
    let session = app.session.as_ref();
    let changed = session.map(|s| s.changed()).unwrap_or_default();
    let listed = listed(app, view, &changed, rows);
    let drawn = Drawn {
        app,
        view,
        changed: &changed,
        types: ValueTypes::of(app),
        label: label_width(&view.components, columns),
        columns,
    };
    if !listed.above.is_empty() {
        let head = format!(
            "   changed: {} of {}",
            listed.above.len(),
            view.components.len()
        );
        content.push(Row::new(app.theme).add(Role::Strong, head));
        drawn.part(content, &listed.above);
        // Half of the pane at most stays when the rest scrolls.
        if listed.above.len() * 2 < rows {
            content.frozen = content.lines.len();
        }
        if !listed.below.is_empty() {
            let line = "-".repeat(columns.saturating_sub(2));
            content.push(Row::new(app.theme).add(Role::Dim, format!(" {line}")));
        }
    }
    drawn.part(content, &listed.below);
    if listed.above.is_empty() && listed.below.is_empty() {
        let text = match app.animate.listed {
            ListedComponents::Changed => "The last step changed no component (d: all).",
            _ => "No component passes the filter; Esc clears it.",
        };
        content.push_text(app.theme, Role::Dim, text, columns);
    }
}

struct Drawn<'a> {
    app: &'a App,
    view: &'a StateView,
    changed: &'a [Option<String>],
    types: ValueTypes,
    label: usize,
    columns: usize,
}

impl Drawn<'_> {
    fn part(&self, content: &mut Content, entries: &[ListEntry]) {
        let components = &self.view.components;
        for line in lines(components, entries) {
            let ComponentLine::One(at, head) = line else {
                content.push(line.row(self.app, components, self.label, self.columns));
                continue;
            };
            if self.app.animate.component == Some(at) {
                content.at = Some(content.lines.len());
            }
            for row in self.rows(at, &components[at], &head) {
                content.push_target(row, at);
            }
        }
    }

    /// A line, or two where the state before needs one of its own.
    fn rows(&self, at: usize, component: &ComponentView, head: &str) -> Vec<Row> {
        let old = self.changed.get(at).and_then(Option::as_ref);
        let chosen = self.app.animate.component == Some(at);
        let mark = match (chosen, old.is_some()) {
            (true, true) => ">~",
            (true, false) => "> ",
            (false, true) => " ~",
            (false, false) => "  ",
        };
        let head = middle(head, self.label + 1);
        let start = format!("{mark} {}", pad(&head, self.label + 2));
        let room = self.columns.saturating_sub(width(&start) + 1);
        let row = || Row::new(self.app.theme);
        let Some(old) = old else {
            let text = tight(component, room);
            return vec![if chosen {
                row().add(Role::Selected, start).plain(text)
            } else {
                self.types.add(row().plain(start), &text)
            }];
        };
        let role = if chosen {
            Role::Selected
        } else {
            Role::Changed
        };
        let under = " ".repeat(width(&start));
        match state_and_previous(component, old, room) {
            (now, was, true) => {
                let row = row().add(role, start).add(Role::Changed, now);
                vec![row.add(Role::Dim, format!("{WAS}{was}"))]
            }
            (now, was, false) => {
                let first = row().add(role, start).add(Role::Changed, now);
                let heads = [WAS].into_iter().chain(std::iter::repeat(BLANK));
                let parts = broken(&was, room.saturating_sub(WAS.len()));
                let was = heads.zip(parts).map(|(head, part)| {
                    let text = format!("{head}{}", part.trim_start());
                    row().plain(under.clone()).add(Role::Dim, text)
                });
                [first].into_iter().chain(was).collect()
            }
        }
    }
}

/// The text before the previous state of a component.
const WAS: &str = " was ";

/// Below [`WAS`], where the previous state needs two lines.
const BLANK: &str = "     ";

/// The local state, the one before, and whether both have room on one line: in full or without spaces; else that before
/// may take two lines. They are cut if they must be, so that they look different.
fn state_and_previous(component: &ComponentView, old: &str, room: usize) -> (String, String, bool) {
    let left = room.saturating_sub(WAS.len());
    let (now, was) = (sentences::compact(component), old.replace(", ", ","));
    let on_one = [
        (component.text.as_str(), old),
        (component.text.as_str(), was.as_str()),
        (now.as_str(), was.as_str()),
    ];
    let fits = on_one
        .into_iter()
        .find(|(now, was)| width(now) + width(was) <= left);
    if let Some((now, was)) = fits {
        return (now.to_string(), was.to_string(), true);
    }
    let whole = [&component.text, &now]
        .into_iter()
        .find(|text| width(text) <= room);
    if let Some(whole) = whole.filter(|_| broken(old, left).len() <= 2) {
        return (whole.clone(), old.to_string(), false);
    }
    let mut cut = apart(&[&now, &was], left.max(6)).into_iter();
    let mut next = || cut.next().unwrap_or_default();
    (next(), next(), false)
}

/// The local state, without spaces if they do not fit.
#[must_use]
pub fn tight(component: &ComponentView, room: usize) -> String {
    if width(&component.text) <= room {
        component.text.clone()
    } else {
        middle(&sentences::compact(component), room)
    }
}

/// Columns for the names of components, in a pane with so many: a third of them at most.
#[must_use]
pub fn label_width(components: &[ComponentView], columns: usize) -> usize {
    let widths = components.iter().map(|c| {
        if c.index.is_empty() {
            width(&c.family)
        } else {
            width(&c.index) + 1
        }
    });
    widths.max().unwrap_or(0).min((columns / 3).max(16))
}

/// The selected component in full, with a title.
#[must_use]
pub fn in_full(app: &App) -> Option<(String, String)> {
    let session = app.session.as_ref()?;
    let view = session.view()?;
    let at = app.animate.component?;
    let component = view.components.get(at)?;
    let mut text = component.text.clone();
    if let Some(Some(old)) = session.changed().get(at) {
        text += &format!("\n\nwas\n{old}");
    }
    if !component.args.is_empty() {
        text += "\n";
        for (name, value) in &component.args {
            text += &format!("\n{name} = {value}");
        }
    }
    Some((component.label(), text))
}

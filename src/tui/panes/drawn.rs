//! The drawing of the Symmetry view: the components with their local states, on circles or in columns, and where the
//! selected generator takes each.

use super::group::{letter, letters, role, unknown};
use super::{Content, absent};
use crate::actions::symmetry::{group, image, order, selected, shown};
use crate::animate::model::{ProcessSymmetry, StateImage};
use crate::app::App;
use crate::canvas::Canvas;
use crate::circle::{CirclePlan, plan};
use crate::cutting::{apart, middle};
use crate::facts;
use crate::report::numbers::grouped;
use crate::report::page::rings::longest_cycles;
use crate::report::structure::GeneratorView;
use crate::text::{Row, pad, width, wrap};
use crate::theme::Role;
use num_bigint::BigUint;
use ratatui::layout::Rect;

/// Marks a local state that is another one than in the present state.
const CHANGED: &str = "*";
/// Columns of a name that is cut, at least.
const NAME_MIN: usize = 8;
/// Columns of the longest local state in a list.
const STATE_MAX: usize = 40;

/// Builds the drawing.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let Some((_, found)) = shown(app) else {
        return unknown(app, "Drawing", columns);
    };
    let mut content = Content::new("Drawing");
    let count = found.told.components.len();
    content.right = format!("{count} component{}", if count == 1 { "" } else { "s" });
    let Some(generator) = selected(app) else {
        return without_generator(app, found, content, columns);
    };
    content.title = format!("Generator {}", app.playing.generator + 1);
    let head = headline(app, generator, columns);
    let shown = match image(app) {
        Some(Ok(image)) => image,
        Some(Err(failure)) => {
            content.put_first(head);
            let text = format!("It cannot be applied here: {}", failure.summary);
            content.push_text(app.theme, Role::Fail, &text, columns);
            return content;
        }
        None => {
            content.put_first(head);
            content.push_text(app.theme, Role::Dim, "computing ...", columns);
            return content;
        }
    };
    let all = DrawnSymmetry::new(app, found, generator, shown);
    let room = (columns, rows.saturating_sub(head.len()));
    match all.circles(room) {
        Some(lines) => lines.into_iter().for_each(|row| content.push(row)),
        None => {
            let order: Vec<usize> = all.in_order();
            let lines = all.list(&order, columns);
            lines.into_iter().for_each(|row| content.push(row));
        }
    }
    content.put_first(head);
    content.footer = footer(shown);
    content
}

/// Whether the selected generator is drawn on circles in a box of this size, in cells.
#[must_use]
pub fn is_drawn(app: &App, area: Rect) -> bool {
    let (Some((_, found)), Some(generator), Some(Ok(image))) =
        (shown(app), selected(app), image(app))
    else {
        return false;
    };
    let columns = usize::from(area.width.saturating_sub(2));
    let rows = usize::from(area.height.saturating_sub(2));
    let head = headline(app, generator, columns).len();
    let all = DrawnSymmetry::new(app, found, generator, image);
    all.circles((columns, rows.saturating_sub(head))).is_some()
}

fn footer(shown: &StateImage) -> String {
    match shown.parts.iter().filter(|part| part.is_changed).count() {
        0 => String::new(),
        changed => format!("{CHANGED} another local state: {changed}"),
    }
}

/// The lines above the drawing: the power of the generator, and its effect.
fn headline(app: &App, generator: &GeneratorView, columns: usize) -> Vec<Row> {
    let (power, order) = (app.playing.power, order(app));
    let times = format!(
        "applied {power} of {} times",
        grouped(&BigUint::from(order))
    );
    let what = match image(app) {
        Some(Ok(image)) => comes_to(app, image, power),
        _ => String::new(),
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut say = |role: Role, text: &str| {
        for line in wrap(text, columns.saturating_sub(2)) {
            rows.push(Row::new(app.theme).plain(" ").add(role, line));
        }
    };
    say(Role::Strong, &times);
    say(Role::Plain, &what);
    if generator.components.is_empty() {
        say(
            Role::Plain,
            match generator.local {
                Some(_) => "No component moves, but local states change.",
                None => "No component and no local state moves: only events do.",
            },
        );
    }
    rows
}

/// The image in a sentence. It is called reachable only where that is known: a symmetry fixes the initial state, so
/// the image of a run is a run of the same length.
fn comes_to(app: &App, image: &StateImage, power: u64) -> String {
    match (image.is_same, power) {
        (true, 0) => "The present state as it is.".to_owned(),
        (true, k) if image.is_up_to_alike && k < order(app) => {
            "The present state again, up to what behaves alike.".to_owned()
        }
        (true, _) => "The present state itself again.".to_owned(),
        (false, _) if facts::is_what_if(app) => "Another state.".to_owned(),
        (false, _) if image.is_up_to_alike => {
            "Another state, up to what behaves alike, reached in as many steps.".to_owned()
        }
        (false, _) => "Another state, reached in as many steps.".to_owned(),
    }
}

/// The components where there is nothing to apply.
fn without_generator(
    app: &App,
    found: &ProcessSymmetry,
    mut content: Content,
    columns: usize,
) -> Content {
    let why = match &found.told.found {
        Err(why) => format!("Symmetry was not looked for: {why}."),
        Ok(_) => "No symmetry: only the permutation that moves nothing maps the network to itself."
            .to_owned(),
    };
    content.push_text(app.theme, Role::Strong, &why, columns);
    let Some(view) = app.session.as_ref().and_then(|s| s.view()) else {
        let absent = absent(app, columns).lines;
        content.targets.extend(absent.iter().map(|_| None));
        content.lines.extend(absent);
        return content;
    };
    content.push(Row::new(app.theme));
    let longest = view.components.iter().map(|c| width(&c.label())).max();
    let name = longest.unwrap_or(0).min(columns / 3);
    for component in &view.components {
        let shown = pad(&middle(&component.label(), name), name);
        let text = format!(" {} {shown}  {}", letter(None), component.text);
        content.push(Row::new(app.theme).plain(middle(&text, columns)));
    }
    content
}

/// A drawing of a symmetry.
struct DrawnSymmetry<'a> {
    app: &'a App,
    names: &'a [String],
    generator: &'a GeneratorView,
    image: &'a StateImage,
    /// The component that each one becomes.
    targets: Vec<usize>,
    /// The number of the orbit of each, if it is one of several components.
    letters: Vec<Option<usize>>,
}

impl<'a> DrawnSymmetry<'a> {
    fn new(
        app: &'a App,
        found: &'a ProcessSymmetry,
        generator: &'a GeneratorView,
        image: &'a StateImage,
    ) -> Self {
        let names = &found.told.components;
        let mut targets: Vec<usize> = (0..names.len()).collect();
        for cycle in &generator.components {
            for (at, component) in cycle.iter().enumerate() {
                targets[*component] = cycle[(at + 1) % cycle.len()];
            }
        }
        let letters = group(app).map(|group| letters(group, names.len()));
        Self {
            app,
            names,
            generator,
            image,
            targets,
            letters: letters.unwrap_or_default(),
        }
    }

    fn letter(&self, component: usize) -> Option<usize> {
        self.letters.get(component).copied().flatten()
    }

    /// The name of a component, with the letter of its orbit.
    fn name(&self, component: usize) -> String {
        format!(
            "{} {}",
            letter(self.letter(component)),
            self.names[component]
        )
    }

    /// The local state, with a mark if it differs from that in the present state.
    fn state(&self, component: usize) -> (Role, String) {
        let part = self.image.parts.get(component);
        match part {
            Some(part) if part.is_changed => (Role::Changed, format!("{CHANGED}{}", part.text)),
            Some(part) => (Role::Plain, part.text.clone()),
            None => (Role::Plain, String::new()),
        }
    }

    /// All components: cycle by cycle, then the fixed ones.
    fn in_order(&self) -> Vec<usize> {
        let moved = self.generator.components.iter().flatten().copied();
        let fixed = (0..self.names.len()).filter(|c| self.targets[*c] == *c);
        moved.chain(fixed).collect()
    }

    /// The longest cycles on circles, and the other components below; none if there is no room.
    fn circles(&self, (columns, rows): (usize, usize)) -> Option<Vec<Row>> {
        let rings = longest_cycles(&self.generator.components);
        if rings.is_empty() {
            return None;
        }
        let on_rings: Vec<usize> = rings.iter().flatten().copied().collect();
        let mut is_on_ring = vec![false; self.names.len()];
        on_rings.iter().for_each(|c| is_on_ring[*c] = true);
        let rest = self.in_order().into_iter();
        let rest: Vec<usize> = rest.filter(|c| !is_on_ring[*c]).collect();
        let below = self.list(&rest, columns);
        let gap = usize::from(!below.is_empty());
        let height = rows.checked_sub(below.len() + gap)?;
        // The mark of a change is part of the room, so that nothing jumps while it plays.
        let state = |c: usize| self.image.parts.get(c).map_or(0, |p| 1 + width(&p.text));
        let texts = |c: &usize| width(&self.name(*c)).max(state(*c));
        let wanted = on_rings.iter().map(texts).max().unwrap_or(0);
        let plan = plan(&rings, wanted, (columns, height))?;
        let mut lines = self.drawing(&plan, columns, height);
        lines.extend((0..gap).map(|_| Row::new(self.app.theme)));
        lines.extend(below);
        Some(lines)
    }

    fn drawing(&self, plan: &CirclePlan, columns: usize, rows: usize) -> Vec<Row> {
        let mut canvas = Canvas::new(self.app.theme, columns, rows);
        for mark in &plan.marks {
            let sign = mark.sign.to_string();
            canvas.write(mark.place.0, mark.place.1, 1, Role::Plain, &sign);
        }
        let names: Vec<String> = plan.discs.iter().map(|disc| self.name(disc.item)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let names = apart(&names, plan.width);
        for (disc, name) in plan.discs.iter().zip(&names) {
            let (x, y) = disc.place;
            let mut write = |row: usize, role: Role, text: &str| {
                let text = middle(text, plan.width);
                let margin = (plan.width - width(&text)) / 2;
                canvas.write(x + margin, y + row, plan.width - margin, role, &text);
            };
            write(0, role(self.letter(disc.item)), name);
            let (role, state) = self.state(disc.item);
            write(1, role, &state);
        }
        (0..rows).map(|y| canvas.line(y, 0, columns)).collect()
    }

    /// Components in columns, from above to below: name, where it goes, local state.
    fn list(&self, components: &[usize], columns: usize) -> Vec<Row> {
        if components.is_empty() {
            return Vec::new();
        }
        let widths = ListWidths::new(self, components, columns);
        let across = (columns / widths.cell().max(1)).max(1);
        let deep = components.len().div_ceil(across);
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let names = apart(&names, widths.name);
        let line = |at: usize| {
            let mut row = Row::new(self.app.theme);
            for part in 0..across {
                let Some(component) = components.get(part * deep + at) else {
                    break;
                };
                let begin = part * widths.cell();
                if part > 0 {
                    row = row.to(begin);
                }
                let room = columns.saturating_sub(begin);
                row = self.cell(row, *component, &widths, &names, room);
            }
            row
        };
        (0..deep).map(line).collect()
    }

    fn cell(
        &self,
        row: Row,
        component: usize,
        widths: &ListWidths,
        names: &[String],
        room: usize,
    ) -> Row {
        let to = self.targets[component];
        let begin = row.width();
        let number = self.letter(component);
        let sign = pad(&letter(number), widths.letter);
        let name = pad(&names[component], widths.name);
        let row = row.plain(" ").add(role(number), format!("{sign} {name}"));
        let row = match (widths.moves, to == component) {
            (false, _) => row,
            (true, true) => row.plain(" ".repeat(widths.name + ARROW.len())),
            (true, false) => {
                let target = pad(&names[to], widths.name);
                row.plain(format!("{ARROW}{target}"))
            }
        };
        let (role, state) = self.state(component);
        let row = row.plain("  ");
        let left = (begin + room).saturating_sub(row.width() + 1);
        row.add(role, middle(&state, left.min(widths.state)))
    }
}

/// Stands between a component and the one that it becomes.
const ARROW: &str = " -> ";

/// The widths of the columns in a list of components.
struct ListWidths {
    letter: usize,
    name: usize,
    /// Whether the images are shown.
    moves: bool,
    state: usize,
}

impl ListWidths {
    fn new(drawn: &DrawnSymmetry<'_>, components: &[usize], columns: usize) -> Self {
        let longest = |of: &dyn Fn(usize) -> usize| components.iter().map(|c| of(*c)).max();
        let name = |c: usize| width(&drawn.names[c]).max(width(&drawn.names[drawn.targets[c]]));
        // The mark of a change is part of the room, so that nothing jumps while it plays.
        let state = |c: usize| drawn.image.parts.get(c).map_or(0, |p| 1 + width(&p.text));
        let mut widths = Self {
            letter: longest(&|c| letter(drawn.letter(c)).len()).unwrap_or(1),
            name: longest(&name).unwrap_or(0),
            moves: components.iter().any(|c| drawn.targets[*c] != *c),
            state: longest(&state).unwrap_or(0).min(STATE_MAX),
        };
        // Local states are the most important, and may be cut, too.
        if widths.cell() > columns {
            let names = if widths.moves { 2 } else { 1 };
            let rest = widths.cell() - names * widths.name - widths.state;
            let each = columns.saturating_sub(rest) / (names + 1);
            widths.name = widths.name.min(each.max(NAME_MIN));
        }
        widths
    }

    /// Columns of one component, with those that keep it apart from the next one.
    fn cell(&self) -> usize {
        let target = if self.moves {
            ARROW.len() + self.name
        } else {
            0
        };
        // A space, one behind the letter, two before the state, and one behind it.
        self.letter + self.name + target + self.state + 5
    }
}

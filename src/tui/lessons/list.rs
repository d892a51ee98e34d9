//! The list of lessons, as it lies over the screen.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::shelf::Shelf;
use crate::panes::{Content, draw_box};
use crate::source::visible_line;
use crate::text::{Row, pad};
use crate::theme::{Role, Theme};

/// The box: its area, its content, and the first visible line.
fn boxed(
    theme: Theme,
    shelf: Option<&Shelf>,
    selected: usize,
    area: Rect,
) -> (Rect, Content, usize) {
    let columns = area.width.min(84);
    let inside = usize::from(columns.saturating_sub(2));
    let mut content = Content::new("Lessons");
    match shelf {
        None => content.push_text(theme, Role::Dim, "looking for lessons ...", inside),
        Some(shelf) => list_lines(theme, shelf, selected, inside, &mut content),
    }
    content.footer = "Enter begins or goes on; Esc closes".to_owned();
    let rows = (content.lines.len() as u16 + 2).min(area.height);
    let place = Rect::new(
        (area.width - columns) / 2,
        (area.height - rows) / 2,
        columns,
        rows,
    );
    let room = usize::from(rows.saturating_sub(2));
    let last = content.lines.len().saturating_sub(room);
    let first = match content.at {
        Some(at) if at >= room => at.saturating_sub(room / 2).min(last),
        _ => 0,
    };
    (place, content, first)
}

/// Draws the list of lessons.
pub fn draw_list(
    theme: Theme,
    shelf: Option<&Shelf>,
    selected: usize,
    area: Rect,
    frame: &mut Frame,
) {
    let (place, content, first) = boxed(theme, shelf, selected, area);
    draw_box(theme, true, &content, first, place, frame);
}

/// The lesson under a place.
#[must_use]
pub fn row_at(shelf: Option<&Shelf>, selected: usize, area: Rect, at: Position) -> Option<usize> {
    let (place, content, first) = boxed(Theme::default(), shelf, selected, area);
    let inside = place.contains(at) && at.y > place.y && at.y + 1 < place.bottom();
    let line = usize::from(at.y.checked_sub(place.y + 1)?) + first;
    content
        .targets
        .get(line)
        .copied()
        .flatten()
        .filter(|_| inside)
}

fn list_lines(theme: Theme, shelf: &Shelf, selected: usize, columns: usize, content: &mut Content) {
    let done = |id: &str| shelf.progress.get(id).is_some_and(|p| p.done);
    let count = shelf
        .lessons
        .iter()
        .filter(|known| done(&known.lesson.id))
        .count();
    content.right = format!("{} lessons, {count} done", shelf.lessons.len());
    for (at, known) in shelf.lessons.iter().enumerate() {
        let lesson = &known.lesson;
        let progress = shelf.progress.get(&lesson.id);
        let right = |answers: &[(usize, bool)]| answers.iter().filter(|(_, right)| *right).count();
        let state = match progress {
            None => String::new(),
            Some(p) if p.done => format!("done, {}/{}", right(&p.answers), p.answers.len()),
            Some(p) => format!("at card {}", p.card + 1),
        };
        let chosen = at == selected;
        if chosen {
            content.at = Some(content.lines.len());
        }
        let role = if chosen { Role::Selected } else { Role::Plain };
        let mark = if chosen { ">" } else { " " };
        let time = format!("{:>3} min", lesson.minutes);
        let room = columns.saturating_sub(28);
        let title = format!("{} {}", at + 1, visible_line(&lesson.title));
        let row = Row::new(theme)
            .plain(format!(" {mark} "))
            .add(role, pad(&title, room));
        content.push_target(row.add(Role::Dim, format!(" {time}  {state}")), at);
    }
    for unread in &shelf.unread {
        let first = unread.lines().into_iter().next().unwrap_or_default();
        let text = format!("not read: {}", visible_line(&first));
        content.push_text(theme, Role::Fail, &text, columns);
    }
    if !shelf.note.is_empty() {
        content.push_text(theme, Role::Choice, &visible_line(&shelf.note), columns);
    }
}

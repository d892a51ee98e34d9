//! The list of lessons.

use super::lesson::Shelf;
use crate::panes::Content;
use crate::source::visible_line;
use crate::text::{Row, pad};
use crate::theme::{Role, Theme};

/// The lessons with their progress, in lines.
#[must_use]
pub fn content(theme: Theme, shelf: &Shelf, selected: usize, columns: usize) -> Content {
    let mut content = Content::new("Lessons");
    content.footer = "Enter begins or goes on; Esc closes".to_owned();
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
        let state = match progress {
            None => String::new(),
            Some(p) if p.done => {
                let (right, all) = p.score();
                format!("done, {right}/{all}")
            }
            Some(p) => format!("at card {}", p.card + 1),
        };
        let (mark, role) = content.entry(at == selected);
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
    content
}

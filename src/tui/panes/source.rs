//! The text of the script, with remarks on its places and the places of components in it. Only the part on the
//! screen is processed, however long the text is.

use std::ops::Range;

use ratatui::style::{Modifier, Style};

use super::{Content, absent, outline};
use crate::animate::model::{ListedText, Remark, RemarkKind, ScriptPlace, TextCell, WordKind};
use crate::app::{App, Pane};
use crate::layout;
use crate::reading::TextCursor;
use crate::source::{FileId, Span, visible_line};
use crate::text::{Row, fit};
use crate::theme::Role;

/// Remarks that are written below a line.
const BELOW_MAX: usize = 2;

/// The first line on the screen from which a line can be seen, at or after another.
#[must_use]
pub fn top(app: &App, top: usize, line: usize, height: usize) -> usize {
    let Some(text) = app.reading.text() else {
        return 0;
    };
    // The number of lines above, without remarks between them.
    let mut top = top.min(line).max((line + 1).saturating_sub(height));
    let rows = |n: usize| 1 + below(app, &text.line(n)).count();
    let mut taken: usize = (top..=line).map(rows).sum();
    while taken > height && top < line {
        taken -= rows(top);
        top += 1;
    }
    top
}

/// The remarks below a line: errors and warnings that begin in it.
fn below<'a>(app: &'a App, line: &Range<usize>) -> impl Iterator<Item = &'a Remark> {
    let remarks = remarks(app, line);
    let told = remarks.filter(|r| matches!(r.kind, RemarkKind::Error | RemarkKind::Warning));
    told.take(BELOW_MAX)
}

/// The remarks on places that begin in a line.
fn remarks<'a>(app: &'a App, line: &Range<usize>) -> impl Iterator<Item = &'a Remark> {
    let reading = &app.reading;
    reading.listing.remarks_in(reading.cursor.file, line)
}

/// Builds the pane.
#[must_use]
pub fn build(app: &App, columns: usize, rows: usize) -> Content {
    let Some(text) = app.reading.text() else {
        return absent(app, columns);
    };
    let mut content = Content::new(title(app));
    content.right = where_it_is(app, text);
    content.footer = legend(app);
    let height = rows.saturating_sub(1).max(1);
    let line = app.reading.line();
    let first = top(app, app.reading.top, line, height);
    let page = SourcePage::new(app, text, first, columns, height);
    let mut n = first;
    while content.lines.len() < height && n < text.count() {
        content.push_target(page.row(n), n);
        for remark in below(app, &text.line(n)) {
            if content.lines.len() < height {
                content.push(page.remark(remark));
            }
        }
        n += 1;
    }
    while content.lines.len() < height {
        content.push(Row::new(app.theme));
    }
    content.push(said_row(app, columns));
    content
}

fn title(app: &App) -> String {
    let files = &app.reading.listing.files;
    let at = usize::from(app.reading.cursor.file.0);
    let name = files.get(at).map(|f| f.path.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let name = visible_line(name.rsplit('/').next().unwrap_or(&name)).into_owned();
    match files.len() {
        0 | 1 => format!("Source {name}"),
        count => format!("Source {name}, file {} of {count}", at + 1),
    }
}

/// `line 12 of 80, Thread[T0] in Thread`
fn where_it_is(app: &App, text: &ListedText) -> String {
    let line = format!("line {} of {}", app.reading.line() + 1, text.count());
    let view = app.session.as_ref().and_then(|s| s.view());
    let component = app.reading.followed_component();
    let followed = component.and_then(|n| view?.components.get(n));
    let Some(component) = followed else {
        return line;
    };
    let place = app.reading.here().first();
    let around = place.and_then(|p| app.reading.listing.definition_of(p.span));
    match around {
        Some(entry) => format!("{} in {}, {line}", component.label(), entry.name),
        None => format!("{}, {line}", component.label()),
    }
}

/// The meaning of the signs that are of use now.
fn legend(app: &App) -> String {
    let mut signs = Vec::new();
    if !app.reading.here().is_empty() {
        signs.push("> here");
    }
    if !app.reading.taken().is_empty() {
        signs.push("* taken");
    }
    if app.reading.places().is_some_and(|p| p.branches.len() > 1) {
        signs.push(": others move");
    }
    let here = app.reading.here().iter().chain(app.reading.taken());
    if here.into_iter().any(|p| !p.also.is_empty()) {
        signs.push("+ or here, by the same text");
    }
    let types = &app.reading.listing.types;
    if types.iter().any(|t| t.members.len() > 1) {
        signs.push("= symmetric");
    }
    if types.iter().any(|t| !t.breaks.is_empty()) {
        signs.push("/ breaks symmetry");
    }
    signs.join("  ")
}

/// The texts on the place under the cursor: the type of the name, and remarks.
#[must_use]
pub fn said(app: &App) -> Vec<String> {
    let TextCursor { file, offset } = app.reading.cursor;
    let listing = &app.reading.listing;
    let mut said = Vec::new();
    if let Some((_, meaning)) = listing.name_at(file, offset) {
        let place = meaning.place.map(|place| outline::line(app, place));
        let place = place.map_or_else(
            || "built in".to_string(),
            |line| format!("defined at line {line}"),
        );
        said.push(format!("{}   ({place})", meaning.shown));
    }
    let line = app.reading.text().map(|text| text.line(app.reading.line()));
    let here = line.map(|line| remarks(app, &line).collect::<Vec<_>>());
    for remark in here.unwrap_or_default() {
        let mut text = format!("{} {}", sign(remark.kind), remark.text);
        for note in &remark.notes {
            text += &format!("\n   {note}");
        }
        // Within a line, remarks at the cursor come first.
        let within = remark.span.start as usize <= offset && offset < remark.span.end as usize;
        if within && said.len() > 1 {
            said.insert(1, text);
        } else {
            said.push(text);
        }
    }
    said
}

/// The last line of the pane.
fn said_row(app: &App, columns: usize) -> Row {
    let said = said(app);
    let first: Vec<&str> = said.iter().filter_map(|text| text.lines().next()).collect();
    let row = Row::new(app.theme);
    if first.is_empty() {
        let placeless = app.reading.listing.placeless.first();
        return match placeless {
            Some(remark) => row.add(Role::Fail, fit(&format!(" X {}", remark.text), columns)),
            None => row.add(Role::Dim, ""),
        };
    }
    let text = format!(" {}", first.join("   "));
    row.add(Role::Strong, fit(&text, columns))
}

/// The sign of a remark whose text does not name its kind.
fn sign(kind: RemarkKind) -> &'static str {
    match kind {
        RemarkKind::Error => "X",
        RemarkKind::Warning => "!",
        RemarkKind::Breaks => "/",
        RemarkKind::Symmetric => "=",
    }
}

/// Columns of the numbers of lines, and the columns of the text that are on the screen.
fn window(app: &App, text: &ListedText, columns: usize, last: usize) -> (usize, Range<u32>) {
    // As wide as the longest on the screen, so that rows are aligned.
    let digits = last.to_string().len().max(3);
    let width = columns.saturating_sub(digits + 4).max(2) as u32;
    let column = text.column(app.reading.cursor.offset);
    // By half a screen, so that the text does not creep.
    let half = (width / 2).max(1);
    let left = if column + 2 < width {
        0
    } else {
        (column / half).saturating_sub(1) * half
    };
    (digits, left..left + width)
}

/// Puts the cursor where a person has clicked: a line, and a column of the pane.
pub fn put_cursor(app: &mut App, line: usize, columns: usize, column: usize) {
    let Some(text) = app.reading.text() else {
        return;
    };
    let height = layout::height(app, Pane::Source).saturating_sub(1).max(1);
    let first = top(app, app.reading.top, app.reading.line(), height);
    let (digits, shown) = window(app, text, columns, first + height);
    let column = column.saturating_sub(digits + 3) as u32;
    app.reading.cursor.offset = text.offset(line, shown.start + column);
    app.reading.goal = None;
    app.reading.top = first;
}

/// The drawn part of a text, with its marks.
struct SourcePage<'a> {
    app: &'a App,
    text: &'a ListedText,
    file: FileId,
    /// Columns of the numbers of lines.
    digits: usize,
    /// Columns of the text that are on the screen.
    shown: Range<u32>,
    /// The lines of the definition that the followed component is in.
    definition: Range<usize>,
    /// Signs of lines, the strongest first.
    marks: Vec<(char, Span)>,
}

impl<'a> SourcePage<'a> {
    fn new(
        app: &'a App,
        text: &'a ListedText,
        first: usize,
        columns: usize,
        height: usize,
    ) -> Self {
        let file = app.reading.cursor.file;
        let (digits, shown) = window(app, text, columns, first + height);
        let place = app.reading.here().first();
        let around = place.and_then(|p| app.reading.listing.definition_of(p.span));
        let whole = around.map(|entry| entry.whole).filter(|w| w.file == file);
        let lines = |span: Span| {
            let last = (span.end as usize)
                .saturating_sub(1)
                .max(span.start as usize);
            text.line_of(span.start as usize)..text.line_of(last) + 1
        };
        Self {
            app,
            text,
            file,
            digits,
            shown,
            definition: whole.map_or(0..0, lines),
            marks: marks(app)
                .into_iter()
                .filter(|(_, s)| s.file == file)
                .collect(),
        }
    }

    /// A line of the text.
    fn row(&self, n: usize) -> Row {
        let (app, line) = (self.app, self.text.line(n));
        let number = format!("{:>width$} ", n + 1, width = self.digits);
        let current = n == app.reading.line();
        let remark = remarks(app, &line).map(|r| r.kind).min();
        let mut row = Row::new(app.theme);
        row = match remark {
            Some(kind) => row.add(role_of(kind), sign(kind)),
            None => row.plain(" "),
        };
        row = match self.mark_of(n, &line) {
            Some(mark @ ('>' | '*')) => row.add(Role::Focus, mark.to_string()),
            Some(mark) => row.add(Role::Strong, mark.to_string()),
            None => row.plain(" "),
        };
        row = row.add(if current { Role::Strong } else { Role::Dim }, number);
        let Range { start, end } = self.shown;
        let cells = self.text.cells(n, start, end);
        let styles = LineStyles::new(self, &line, &cells);
        let mut at = start;
        let mut piece = (Style::default(), String::new());
        for cell in &cells {
            let style = styles.of(cell);
            if style != piece.0 {
                row = row.styled(piece.0, std::mem::take(&mut piece.1));
                piece.0 = style;
            }
            // Half of a wide character cannot be drawn.
            let (from, to) = (cell.column.max(start), (cell.column + cell.width).min(end));
            let whole = to.saturating_sub(from) == cell.width;
            if whole && cell.width <= 2 && !(cell.shown == ' ' && cell.width != 1) {
                piece.1.push(cell.shown);
            } else {
                piece.1.extend((from..to).map(|_| ' '));
            }
            at = at.max(to);
        }
        row = row.styled(piece.0, piece.1);
        // The cursor stands behind the end of a line, too.
        let cursor = app.reading.cursor.offset;
        let in_line = current && cursor >= line.end && at < end;
        if in_line && (app.pane() == Pane::Source) {
            row = row.styled(app.theme.style(Role::Selected), " ");
        }
        let last = cells.last().map_or(line.start, |cell| cell.offset as usize);
        let beyond = self.text.text().get(last..line.end).unwrap_or_default();
        if at >= end && beyond.chars().count() > 1 {
            row = row.add(Role::Dim, ">");
        }
        row
    }

    /// The strongest sign of a line.
    fn mark_of(&self, n: usize, line: &Range<usize>) -> Option<char> {
        let meets = |span: &Span| {
            let (from, to) = (span.start as usize, span.end as usize);
            from <= line.end && line.start < to.max(from + 1)
        };
        let found = self.marks.iter().find(|(_, span)| meets(span));
        let within = self.definition.contains(&n).then_some('|');
        found.map(|(mark, _)| *mark).or(within)
    }

    /// The row with a remark, below its place.
    fn remark(&self, remark: &Remark) -> Row {
        let column = self.text.column(remark.span.start as usize);
        let text = format!("^ {} {}", sign(remark.kind), remark.text);
        let width = (self.shown.end - self.shown.start) as usize;
        let at = column.saturating_sub(self.shown.start) as usize;
        // With little room below the place, the text comes first.
        let indent = at.min(width.saturating_sub(text.chars().count().min(width)));
        let row = Row::new(self.app.theme).plain(" ".repeat(self.digits + 3 + indent));
        row.add(role_of(remark.kind), fit(&text, width - indent))
    }
}

/// Marks of the components' places, the strongest first.
fn marks(app: &App) -> Vec<(char, Span)> {
    let mut marks: Vec<(char, Span)> = Vec::new();
    let each = |places: &[ScriptPlace]| places.iter().map(|p| p.span).collect::<Vec<_>>();
    let also = |places: &[ScriptPlace]| {
        places
            .iter()
            .flat_map(|p| p.also.iter().copied())
            .collect::<Vec<_>>()
    };
    let (here, taken) = (app.reading.here(), app.reading.taken());
    marks.extend(each(taken).into_iter().map(|span| ('*', span)));
    let followed = app.reading.followed_component();
    for (component, places) in app.reading.places().map_or(&[][..], |p| &p.branches) {
        if Some(*component) != followed {
            marks.extend(each(places).into_iter().map(|span| (':', span)));
        }
    }
    marks.extend(each(here).into_iter().map(|span| ('>', span)));
    let same = also(taken).into_iter().chain(also(here));
    marks.extend(same.map(|span| ('+', span)));
    marks
}

fn role_of(kind: RemarkKind) -> Role {
    match kind {
        RemarkKind::Error => Role::Fail,
        RemarkKind::Warning => Role::Choice,
        RemarkKind::Breaks | RemarkKind::Symmetric => Role::Strong,
    }
}

/// The look of a word.
fn role(kind: WordKind) -> Role {
    match kind {
        WordKind::Keyword => Role::Keyword,
        WordKind::Process => Role::ProcessName,
        WordKind::Channel => Role::ChannelName,
        WordKind::Type => Role::TypeName,
        WordKind::Constructor => Role::ConstructorName,
        WordKind::Number | WordKind::Text => Role::Literal,
        WordKind::Comment => Role::Comment,
        WordKind::Definition | WordKind::Variable | WordKind::Builtin | WordKind::Unknown => {
            Role::Plain
        }
    }
}

/// The styles of a line's characters: each by its word, and by its marks.
struct LineStyles<'a> {
    page: &'a SourcePage<'a>,
    words: Vec<(Range<usize>, WordKind)>,
    faults: Vec<&'a Remark>,
    found: Vec<Range<usize>>,
}

impl<'a> LineStyles<'a> {
    fn new(page: &'a SourcePage<'a>, line: &Range<usize>, cells: &[TextCell]) -> Self {
        let app = page.app;
        let from = cells.first().map_or(line.end, |c| c.offset as usize);
        let to = cells.last().map_or(line.end, |c| {
            c.offset as usize
                + page.text.text()[c.offset as usize..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8)
        });
        let faults = remarks(app, line).filter(|r| r.kind <= RemarkKind::Breaks);
        Self {
            page,
            words: app.reading.listing.words(page.file, from..to),
            faults: faults.collect(),
            found: found(app, page.text.text(), from..to),
        }
    }

    fn of(&self, cell: &TextCell) -> Style {
        let (theme, at) = (self.page.app.theme, cell.offset as usize);
        let word = self.words.iter().find(|(part, _)| part.contains(&at));
        let mut style = theme.style(word.map_or(Role::Plain, |(_, kind)| role(*kind)));
        let within = |span: &Span| (span.start as usize..span.end as usize).contains(&at);
        let marks = self.page.marks.iter();
        if marks
            .filter(|(m, _)| matches!(m, '*' | ':'))
            .any(|(_, s)| within(s))
        {
            style = style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        }
        if let Some(fault) = self.faults.iter().find(|r| within(&r.span)) {
            let strong = theme.style(role_of(fault.kind));
            style = style.patch(strong).add_modifier(Modifier::UNDERLINED);
        }
        if self.found.iter().any(|part| part.contains(&at)) {
            style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
        }
        let cursor = self.page.app.reading.cursor.offset == at;
        if cursor && self.page.app.pane() == Pane::Source {
            // Within a match, the cursor is not reversed.
            style = if style.add_modifier.contains(Modifier::REVERSED) {
                style.remove_modifier(Modifier::REVERSED)
            } else {
                style.add_modifier(Modifier::REVERSED)
            };
        }
        style
    }
}

/// The occurrences of the searched text in a part of the text.
fn found(app: &App, text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let query = app.reading.search.as_bytes();
    if query.is_empty() {
        return Vec::new();
    }
    let exact = app.reading.search.chars().any(char::is_uppercase);
    let bytes = text.as_bytes();
    let from = part.start.saturating_sub(query.len());
    let stands = |at: &usize| {
        let found = bytes.get(*at..*at + query.len());
        found.is_some_and(|f| {
            if exact {
                f == query
            } else {
                f.eq_ignore_ascii_case(query)
            }
        })
    };
    let places = (from..part.end).filter(stands);
    places.map(|at| at..at + query.len()).collect()
}

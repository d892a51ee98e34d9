//! A frame as a picture.

use crate::report::graph::xml::XmlText;
use std::fmt::Write;

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use super::colours::{BACKGROUND, CellStyle};

/// Width of a column and height of a row.
const CELL: (f64, f64) = (8.4, 17.0);
/// From the top of a row to where its letters stand.
const BASE: f64 = 13.0;
/// The margin around the frame.
const MARGIN: f64 = 12.0;
const FONT: &str = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace";

/// Part of a row that looks the same all along.
struct StyledRun {
    x: u16,
    columns: usize,
    text: String,
    style: CellStyle,
}

/// The picture, with a title that describes it.
#[must_use]
pub fn svg(buffer: &Buffer, title: &str) -> String {
    let (width, height) = (buffer.area.width, buffer.area.height);
    // The corner shows whether the theme paints a background of its own.
    let corner = buffer
        .cell((0, 0))
        .and_then(|cell| CellStyle::of(cell).behind);
    let ground = corner.unwrap_or_else(|| BACKGROUND.hex());
    let (mut behind, mut texts) = (String::new(), String::new());
    for y in 0..height {
        for run in runs(buffer, y) {
            if run.style.behind.as_ref() != Some(&ground) {
                rectangle(&mut behind, &run, y);
            }
            words(&mut texts, &run, y);
        }
    }
    let title = XmlText(title);
    let (w, h) = (
        f64::from(width) * CELL.0 + 2.0 * MARGIN,
        f64::from(height) * CELL.1 + 2.0 * MARGIN,
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} -{MARGIN} {w:.0} {h:.0}\" role=\"img\" \
         aria-label=\"{title}\">\n<title>{title}</title>\n\
         <rect x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"{w:.0}\" height=\"{h:.0}\" rx=\"8\" fill=\"{ground}\"/>\n\
         <g shape-rendering=\"crispEdges\">{behind}</g>\n\
         <g font-family=\"{FONT}\" font-size=\"14\" xml:space=\"preserve\" lengthAdjust=\"spacingAndGlyphs\">\n\
         {texts}</g>\n</svg>\n"
    )
}

fn runs(buffer: &Buffer, y: u16) -> Vec<StyledRun> {
    let mut runs: Vec<StyledRun> = Vec::new();
    let mut x = 0;
    while x < buffer.area.width {
        let cell = &buffer[(x, y)];
        let style = CellStyle::of(cell);
        let columns = cell.symbol().width().max(1);
        match runs.last_mut().filter(|run| run.style == style) {
            Some(run) => {
                run.text.push_str(cell.symbol());
                run.columns += columns;
            }
            None => runs.push(StyledRun {
                x,
                columns,
                text: cell.symbol().to_owned(),
                style,
            }),
        }
        // The cell behind a wide character is part of it.
        x += columns as u16;
    }
    runs
}

fn rectangle(out: &mut String, run: &StyledRun, y: u16) {
    if let Some(behind) = &run.style.behind {
        let (x, y) = (f64::from(run.x) * CELL.0, f64::from(y) * CELL.1);
        let (width, height) = (run.columns as f64 * CELL.0, CELL.1);
        let _ = write!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{behind}\"/>"
        );
    }
}

/// The words of a run: where there are two blanks or more, the next text begins in its own place, so that no
/// font can shift it.
fn words(out: &mut String, run: &StyledRun, y: u16) {
    let mut column = usize::from(run.x);
    for part in run.text.split("  ") {
        let blanks = part.len() - part.trim_start().len();
        let text = part.trim();
        if !text.is_empty() {
            let (x, y) = (
                (column + blanks) as f64 * CELL.0,
                f64::from(y) * CELL.1 + BASE,
            );
            let length = text.width() as f64 * CELL.0;
            let bold = if run.style.bold {
                " font-weight=\"bold\""
            } else {
                ""
            };
            let line = if run.style.underlined {
                " text-decoration=\"underline\""
            } else {
                ""
            };
            let (colour, text) = (&run.style.text, XmlText(text));
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" fill=\"{colour}\"{bold}{line}>{text}</text>"
            );
        }
        column += part.width() + 2;
    }
}

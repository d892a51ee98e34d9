//! A sheet of characters with roles, of which a window is shown.

use unicode_width::UnicodeWidthChar;

use super::sketch::{Spot, Wire};
use super::text::Row;
use super::theme::{Role, Theme};

/// Stands behind a character that takes two columns.
const TAKEN: char = '\0';
/// Directions in which a line continues from a cell.
const UP: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 4;
const RIGHT: u8 = 8;

/// The style of a box's border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoxStyle {
    /// A single line.
    Plain,
    /// Two lines: the present state.
    Double,
    /// Broken lines: on the counterexample.
    Dashed,
}

impl BoxStyle {
    /// Corners from the upper left one clockwise, then the lines across and down.
    #[must_use]
    pub fn signs(self, ascii: bool) -> [char; 6] {
        match (self, ascii) {
            (Self::Plain, false) => ['┌', '┐', '┘', '└', '─', '│'],
            (Self::Plain, true) => ['+', '+', '+', '+', '-', '|'],
            (Self::Double, false) => ['╔', '╗', '╝', '╚', '═', '║'],
            (Self::Double, true) => ['#', '#', '#', '#', '=', '#'],
            (Self::Dashed, false) => ['┌', '┐', '┘', '└', '┄', '┆'],
            (Self::Dashed, true) => ['.', '.', '\'', '\'', '.', ':'],
        }
    }
}

/// A canvas of characters with roles.
pub struct Canvas {
    theme: Theme,
    width: usize,
    cells: Vec<(char, Role)>,
    lines: Vec<u8>,
}

impl Canvas {
    /// Creates an empty canvas.
    #[must_use]
    pub fn new(theme: Theme, width: usize, height: usize) -> Self {
        Self {
            theme,
            width,
            cells: vec![(' ', Role::Plain); width * height],
            lines: vec![0; width * height],
        }
    }

    fn set(&mut self, x: usize, y: usize, c: char, role: Role) {
        if x < self.width
            && let Some(cell) = self.cells.get_mut(y * self.width + x)
        {
            *cell = (c, role);
        }
    }

    /// Writes a text, as much of it as fits into so many columns.
    pub fn write(&mut self, x: usize, y: usize, columns: usize, role: Role, text: &str) {
        let mut at = 0;
        for c in text.chars() {
            // Control characters are replaced when lines are made of it.
            let wide = c.width().unwrap_or(1);
            if wide == 0 {
                continue;
            }
            if at + wide > columns {
                return;
            }
            self.set(x + at, y, c, role);
            if wide == 2 {
                self.set(x + at + 1, y, TAKEN, role);
            }
            at += wide;
        }
    }

    /// Draws a box.
    pub fn draw_box(&mut self, spot: &Spot, style: BoxStyle, role: Role) {
        let [a, b, c, d, across, down] = style.signs(self.theme.ascii);
        let (right, bottom) = (spot.x + spot.width - 1, spot.y + spot.height - 1);
        for x in spot.x..=right {
            self.set(x, spot.y, across, role);
            self.set(x, bottom, across, role);
        }
        for y in spot.y..=bottom {
            self.set(spot.x, y, down, role);
            self.set(right, y, down, role);
        }
        self.set(spot.x, spot.y, a, role);
        self.set(right, spot.y, b, role);
        self.set(right, bottom, c, role);
        self.set(spot.x, bottom, d, role);
    }

    /// Adds lines to those that are there.
    fn trace(&mut self, wire: &Wire) {
        let mut add = |x: usize, y: usize, way: u8| {
            if let Some(cell) = self.lines.get_mut(y * self.width + x) {
                *cell |= way;
            }
        };
        let (first, last) = (wire.leaves.min(wire.arrives), wire.leaves.max(wire.arrives));
        for x in first..last {
            add(x, wire.across, RIGHT);
            add(x + 1, wire.across, LEFT);
        }
        add(wire.leaves, wire.across, UP);
        for y in wire.across..wire.end {
            add(wire.arrives, y, DOWN);
            add(wire.arrives, y + 1, UP);
        }
    }

    /// Draws all lines: those of one box join, and others cross.
    pub fn draw_wires(&mut self, wires: &[Wire], spots: &[Spot], role: impl Fn(&Wire) -> Role) {
        let lower = |wire: &Wire| spots[wire.from].y + spots[wire.from].height;
        for wire in wires {
            self.trace(wire);
            // From the box down to the line across.
            for y in lower(wire)..wire.across {
                let at = y * self.width + wire.leaves;
                if let Some(cell) = self.lines.get_mut(at) {
                    *cell |= UP | DOWN;
                }
            }
        }
        let lines = self.lines.clone();
        for (at, ways) in lines.into_iter().enumerate().filter(|(_, ways)| *ways != 0) {
            let sign = self.sign(ways);
            self.cells[at] = (sign, Role::Plain);
        }
        let sign = if self.theme.ascii { 'v' } else { '▼' };
        for wire in wires {
            let shown = role(wire);
            self.set(wire.arrives, wire.end, sign, shown);
            let leaves = if self.theme.ascii { '+' } else { '┬' };
            let bottom = lower(wire) - 1;
            self.set(wire.leaves, bottom, leaves, Role::Plain);
            if shown != Role::Plain {
                self.stress(wire, spots, shown);
            }
        }
    }

    /// Gives the cells of a line another role.
    fn stress(&mut self, wire: &Wire, spots: &[Spot], role: Role) {
        let (first, last) = (wire.leaves.min(wire.arrives), wire.leaves.max(wire.arrives));
        let begins = spots[wire.from].y + spots[wire.from].height;
        let out = (begins..wire.across).map(|y| (wire.leaves, y));
        let across = (first..=last).map(|x| (x, wire.across));
        let down = (wire.across..wire.end).map(|y| (wire.arrives, y));
        for (x, y) in out.chain(across).chain(down) {
            if let Some(cell) = self.cells.get_mut(y * self.width + x) {
                cell.1 = role;
            }
        }
    }

    fn sign(&self, ways: u8) -> char {
        if self.theme.ascii {
            return match ways {
                w if w & (LEFT | RIGHT) == 0 => '|',
                w if w & (UP | DOWN) == 0 => '-',
                // Lines that only cross.
                w if w == UP | DOWN | LEFT | RIGHT => '|',
                _ => '+',
            };
        }
        match (
            ways & UP != 0,
            ways & DOWN != 0,
            ways & LEFT != 0,
            ways & RIGHT != 0,
        ) {
            (true, true, true, true) => '┼',
            (true, true, true, false) => '┤',
            (true, true, false, true) => '├',
            (true, false, true, true) => '┴',
            (false, true, true, true) => '┬',
            (true, false, true, false) => '┘',
            (true, false, false, true) => '└',
            (false, true, true, false) => '┐',
            (false, true, false, true) => '┌',
            (_, _, false, false) => '│',
            _ => '─',
        }
    }

    /// A line of a window of the canvas.
    #[must_use]
    pub fn line(&self, y: usize, from: usize, columns: usize) -> Row {
        let mut row = Row::new(self.theme);
        let begin = y * self.width + from.min(self.width);
        let end = (begin + columns).min((y + 1) * self.width);
        let cells = self.cells.get(begin..end).unwrap_or_default();
        let mut at = 0;
        while let Some((_, role)) = cells.get(at) {
            let same = cells[at..].iter().take_while(|(_, r)| r == role).count();
            let mut text = String::new();
            for (place, (c, _)) in cells[at..at + same].iter().enumerate() {
                match *c {
                    // The first half of it is outside of the window.
                    TAKEN if at + place == 0 => text.push(' '),
                    TAKEN => {}
                    c => text.push(c),
                }
            }
            row = row.add(*role, text);
            at += same;
        }
        row
    }
}

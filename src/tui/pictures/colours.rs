//! The sixteen colours of a terminal in a picture.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use crate::background::Background;

/// The background of a picture.
pub const BACKGROUND: Background = Background(0x1b, 0x1e, 0x24);
/// Text without a colour.
pub const FOREGROUND: &str = "#d0d4da";

/// In the order of their numbers.
const SIXTEEN: [&str; 16] = [
    "#2b2f37", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d0d4da",
    "#7f8692", "#e88791", "#b0d495", "#ebcf95", "#83c0f2", "#d397e4", "#7cc7d0", "#f2f4f7",
];

/// The number of a colour among the 256, if it has one.
fn number(colour: Color) -> Option<u8> {
    Some(match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Indexed(n) => n,
        Color::Reset | Color::Rgb(..) => return None,
    })
}

/// `#rrggbb`, or nothing for the colour that the terminal has by itself.
fn hex(colour: Color) -> Option<String> {
    if let Color::Rgb(r, g, b) = colour {
        return Some(Background(r, g, b).hex());
    }
    let n = number(colour)?;
    if let Some(named) = SIXTEEN.get(usize::from(n)) {
        return Some((*named).to_owned());
    }
    // A cube of 216 colours, and then greys, as terminals have them.
    let (r, g, b) = match n {
        232.. => {
            let grey = 8 + (n - 232) * 10;
            (grey, grey, grey)
        }
        _ => {
            let level = |part: u8| if part == 0 { 0 } else { 55 + part * 40 };
            let n = n - 16;
            (level(n / 36), level(n / 6 % 6), level(n % 6))
        }
    };
    Some(format!("#{r:02x}{g:02x}{b:02x}"))
}

/// The style of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellStyle {
    /// Colour of the text.
    pub text: String,
    /// Colour behind it, if it is not that of the picture.
    pub behind: Option<String>,
    /// Whether it is bold.
    pub bold: bool,
    /// Whether it is underlined.
    pub underlined: bool,
}

impl CellStyle {
    /// The style of a cell.
    pub fn of(cell: &Cell) -> Self {
        let text = hex(cell.fg).unwrap_or_else(|| FOREGROUND.to_owned());
        let behind = hex(cell.bg);
        let (text, behind) = if cell.modifier.contains(Modifier::REVERSED) {
            (behind.unwrap_or_else(|| BACKGROUND.hex()), Some(text))
        } else {
            (text, behind)
        };
        Self {
            text,
            behind,
            bold: cell.modifier.contains(Modifier::BOLD),
            underlined: cell.modifier.contains(Modifier::UNDERLINED),
        }
    }
}

/// The parameters of an escape sequence that sets this style from none.
pub fn sequence(cell: &Cell) -> String {
    let mut codes = vec!["0".to_owned()];
    let modifiers = [
        (Modifier::BOLD, "1"),
        (Modifier::DIM, "2"),
        (Modifier::ITALIC, "3"),
        (Modifier::UNDERLINED, "4"),
        (Modifier::REVERSED, "7"),
    ];
    for (modifier, code) in modifiers {
        if cell.modifier.contains(modifier) {
            codes.push(code.to_owned());
        }
    }
    for (colour, layer) in [(cell.fg, 30), (cell.bg, 40)] {
        match (colour, number(colour)) {
            (Color::Rgb(r, g, b), _) => codes.push(format!("{};2;{r};{g};{b}", layer + 8)),
            (_, Some(n @ 0..=7)) => codes.push((layer + u32::from(n)).to_string()),
            (_, Some(n @ 8..=15)) => codes.push((layer + 52 + u32::from(n)).to_string()),
            (_, Some(n)) => codes.push(format!("{};5;{n}", layer + 8)),
            (_, None) => {}
        }
    }
    codes.join(";")
}

//! Roles, not colours: the role of a text decides its style. No meaning is in colour alone.
//!
//! No single colour is readable on every background. So a theme is made for a dark or for a light one. It leaves the
//! background to the terminal where that is known to suit ([`super::background`]), and paints it otherwise.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

use super::background::Background;
use crate::report::document::Tone;

/// The role of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// No role: the terminal's own style.
    Plain,
    /// Headings and names of keys.
    Strong,
    /// A part that differs from the state before.
    Changed,
    /// Something arbitrary was decided.
    Choice,
    /// A claim that holds.
    Ok,
    /// A claim that does not hold, or an error.
    Fail,
    /// The keyboard focus.
    Focus,
    /// The row that keys act on.
    Selected,
    /// Less important, or not to be used now.
    Dim,
    /// A value of a symmetric type, by the number of the type.
    Value(usize),
    /// A reserved word of a script.
    Keyword,
    /// The name of a process there.
    ProcessName,
    /// The name of a channel.
    ChannelName,
    /// The name of a type.
    TypeName,
    /// The name of a constructor.
    ConstructorName,
    /// A number, a string or a character.
    Literal,
    /// A comment of a script.
    Comment,
}

impl From<Tone> for Role {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Plain => Self::Plain,
            Tone::Strong => Self::Strong,
            Tone::Dim => Self::Dim,
            Tone::Good => Self::Ok,
            Tone::Bad => Self::Fail,
            Tone::Open => Self::Choice,
            Tone::Changed => Self::Changed,
            Tone::Orbit(number) => Self::Value(number),
        }
    }
}

impl Role {
    /// All roles, with as many types as have styles of their own.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let fixed = [
            Self::Plain,
            Self::Strong,
            Self::Changed,
            Self::Choice,
            Self::Ok,
            Self::Fail,
            Self::Focus,
            Self::Selected,
            Self::Dim,
            Self::Keyword,
            Self::ProcessName,
            Self::ChannelName,
            Self::TypeName,
            Self::ConstructorName,
            Self::Literal,
            Self::Comment,
        ];
        fixed
            .into_iter()
            .chain((0..TYPES).map(Self::Value))
            .collect()
    }

    /// The role whose style this one has: words of a script look like others on the screen.
    fn seen_as(self) -> Self {
        match self {
            Self::Keyword => Self::Strong,
            Self::ProcessName => Self::Value(0),
            Self::ChannelName => Self::Value(1),
            Self::TypeName => Self::Value(2),
            Self::ConstructorName | Self::Literal => Self::Value(3),
            Self::Comment => Self::Dim,
            other => other,
        }
    }
}

/// Types that look different; further ones begin again.
const TYPES: usize = 4;

/// A palette of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Palette {
    /// Light colours on a dark background.
    #[default]
    Dark,
    /// Dark colours on a light background.
    Light,
    /// The light ones of a terminal's sixteen colours, on a dark background.
    Ansi,
    /// No colours: bold, underline and reverse.
    Mono,
}

impl Palette {
    /// The palettes, in cyclic order.
    pub const ALL: [Self; 4] = [Self::Dark, Self::Light, Self::Ansi, Self::Mono];

    /// The name of the palette.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Ansi => "ansi",
            Self::Mono => "mono",
        }
    }

    /// The next palette, in cyclic order.
    #[must_use]
    pub fn next(self) -> Self {
        let at = Self::ALL.iter().position(|p| *p == self).unwrap_or(0);
        Self::ALL[(at + 1) % Self::ALL.len()]
    }
}

/// The choice of a theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    /// By the background of the terminal and the number of its colours.
    #[default]
    Auto,
    /// This palette.
    Palette(Palette),
}

impl ThemeChoice {
    /// All choices.
    pub const ALL: [Self; 5] = [
        Self::Auto,
        Self::Palette(Palette::Dark),
        Self::Palette(Palette::Light),
        Self::Palette(Palette::Ansi),
        Self::Palette(Palette::Mono),
    ];

    /// The name of the choice.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Palette(palette) => palette.name(),
        }
    }

    /// The choice of a name. `colour-blind` is what `dark` was called once: its colours stay apart for everybody.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase().replace('_', "-");
        match &*name {
            "colour-blind" | "color-blind" => Some(Self::Palette(Palette::Dark)),
            _ => Self::ALL.into_iter().find(|choice| choice.name() == name),
        }
    }

    /// The palette for a terminal with this background, if that is known, and this number of colours.
    #[must_use]
    pub fn palette(self, background: Option<Background>, colours: u16) -> Palette {
        match (self, background) {
            (Self::Palette(palette), _) => palette,
            (Self::Auto, _) if colours < 256 => Palette::Ansi,
            (Self::Auto, Some(background)) if background.is_light() => Palette::Light,
            (Self::Auto, _) => Palette::Dark,
        }
    }
}

/// The styles of roles and boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// The palette.
    pub palette: Palette,
    /// The background of the terminal, if it is known.
    pub background: Option<Background>,
    /// Whether only ASCII is used: boxes of `+`, `-` and `|`, and a replacement for any other character.
    pub ascii: bool,
}

impl Theme {
    /// The dark theme, or the one without colours.
    #[must_use]
    pub fn new(colour: bool, ascii: bool) -> Self {
        Self {
            palette: if colour { Palette::Dark } else { Palette::Mono },
            background: None,
            ascii,
        }
    }

    /// The style of the background and of texts without a role: none where that is the terminal's own.
    #[must_use]
    pub fn ground(self) -> Style {
        let suits = |is_one: fn(Background) -> bool| self.background.is_some_and(is_one);
        match self.palette {
            Palette::Mono => Style::default(),
            Palette::Dark if suits(Background::is_very_dark) => Style::default(),
            Palette::Ansi if suits(Background::is_black) => Style::default(),
            Palette::Light if suits(Background::is_very_light) => Style::default(),
            Palette::Dark => pair(252, 233),
            Palette::Light => pair(235, 231),
            Palette::Ansi => Style::default().fg(Color::Gray).bg(Color::Black),
        }
    }

    /// The style of a role.
    #[must_use]
    pub fn style(self, role: Role) -> Style {
        let style = Style::default();
        let role = role.seen_as();
        let bold = style.add_modifier(Modifier::BOLD);
        match (role, self.palette) {
            (Role::Plain, _) => style,
            (Role::Strong, _) => bold,
            (Role::Selected, _) => style.add_modifier(Modifier::REVERSED),
            (Role::Dim, Palette::Dark) => style.fg(Color::Indexed(248)),
            (Role::Dim, Palette::Light) => style.fg(Color::Indexed(241)),
            (Role::Dim, Palette::Ansi | Palette::Mono) => style,
            (Role::Changed, Palette::Ansi | Palette::Mono) => {
                let underlined = bold.add_modifier(Modifier::UNDERLINED);
                match self.palette {
                    Palette::Ansi => underlined.fg(Color::LightYellow),
                    _ => underlined,
                }
            }
            (Role::Value(_), Palette::Mono) => style,
            (_, Palette::Mono) => bold,
            (Role::Value(kind), palette) => style.fg(value_colour(kind, palette)),
            // The style of Changed, Choice, Ok, Fail and Focus.
            (_, palette) => bold.fg(accent(role, palette)),
        }
    }

    /// The box of a pane.
    #[must_use]
    pub fn border(self, focused: bool) -> border::Set<'static> {
        match (self.ascii, focused) {
            (false, true) => border::DOUBLE,
            (false, false) => border::PLAIN,
            (true, true) => ASCII_FOCUSED,
            (true, false) => ASCII,
        }
    }
}

/// Two of the 240 colours that palettes of terminals leave alone.
fn pair(text: u8, behind: u8) -> Style {
    Style::default()
        .fg(Color::Indexed(text))
        .bg(Color::Indexed(behind))
}

/// The colour of the values of a type. Those of dark and light stay apart also for people who lack one of the three
/// kinds of cones.
fn value_colour(kind: usize, palette: Palette) -> Color {
    let indexed = |colours: [u8; TYPES]| Color::Indexed(colours[kind % TYPES]);
    match palette {
        Palette::Dark => indexed([111, 209, 79, 225]),
        Palette::Light => indexed([20, 88, 23, 91]),
        Palette::Ansi | Palette::Mono => [
            Color::LightCyan,
            Color::LightYellow,
            Color::LightGreen,
            Color::LightMagenta,
        ][kind % TYPES],
    }
}

/// The colour of a role that stands out.
fn accent(role: Role, palette: Palette) -> Color {
    let [dark, light, ansi] = match role {
        Role::Changed => [221, 94, 11],
        Role::Choice => [177, 127, 13],
        Role::Ok => [120, 22, 10],
        Role::Fail => [210, 124, 9],
        // The keyboard focus.
        _ => [75, 26, 14],
    };
    match palette {
        Palette::Dark => Color::Indexed(dark),
        Palette::Light => Color::Indexed(light),
        Palette::Ansi | Palette::Mono => Color::Indexed(ansi),
    }
}

/// An ASCII character in the place of one that is none.
#[must_use]
pub fn stand_in(symbol: &str) -> &'static str {
    match symbol {
        // Characters in terms: a terminated process, a cut, and events without a name.
        "Ω" => "O",
        "…" | "·" => ".",
        "τ" => "t",
        "✓" => "v",
        "█" | "■" => "#",
        "→" => ">",
        "←" => "<",
        "↓" => "v",
        "↑" => "^",
        "─" | "═" | "–" | "—" => "-",
        "│" | "║" => "|",
        "‘" | "’" => "'",
        "“" | "”" => "\"",
        _ => "?",
    }
}

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

const ASCII_FOCUSED: border::Set<'static> = border::Set {
    top_left: "#",
    top_right: "#",
    bottom_left: "#",
    bottom_right: "#",
    vertical_left: "#",
    vertical_right: "#",
    horizontal_top: "=",
    horizontal_bottom: "=",
};

#[cfg(test)]
mod tests;

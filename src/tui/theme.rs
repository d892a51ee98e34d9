//! Roles, not colours: the role of a text decides its style. No meaning is in colour alone.
//!
//! A theme either leaves the background to the terminal, or paints all of it. On an unknown background no single
//! colour is always readable: a colour for white is too dark on black. So [`Palette::Ansi`] has the terminal's own
//! foreground with bold and underline, and where it has colours, both of a text and of its background, of those
//! whose values no palette of a terminal changes.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

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
    /// For any background of the terminal.
    #[default]
    Ansi,
    /// Black on white.
    Light,
    /// Colours for people who see red and green alike, on black.
    ColourBlind,
    /// No colours: bold, underline and reverse.
    Mono,
}

impl Palette {
    /// The palettes, in cyclic order.
    pub const ALL: [Self; 4] = [Self::Ansi, Self::Light, Self::ColourBlind, Self::Mono];

    /// The name of the palette.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ansi => "ansi",
            Self::Light => "light",
            Self::ColourBlind => "colour-blind",
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

/// The styles of roles and boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Theme {
    /// The palette.
    pub palette: Palette,
    /// Whether only ASCII is used: boxes of `+`, `-` and `|`, and a replacement for any other character.
    pub ascii: bool,
}

impl Theme {
    /// The usual theme, or the one without colours.
    #[must_use]
    pub fn new(colour: bool, ascii: bool) -> Self {
        let palette = if colour { Palette::Ansi } else { Palette::Mono };
        Self { palette, ascii }
    }

    /// The theme of a name: `ansi`, `light`, `colour-blind` (or `color-blind`), `mono`.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let name = name
            .to_ascii_lowercase()
            .replace("color", "colour")
            .replace('_', "-");
        let palette = Palette::ALL.into_iter().find(|p| p.name() == name)?;
        Some(Self {
            palette,
            ascii: false,
        })
    }

    /// Sets whether only ASCII is used.
    #[must_use]
    pub fn with_ascii(mut self, ascii: bool) -> Self {
        self.ascii = ascii;
        self
    }

    /// The style of the background and of texts without a role: none where that is the terminal's own.
    #[must_use]
    pub fn ground(self) -> Style {
        match self.palette {
            Palette::Ansi | Palette::Mono => Style::default(),
            Palette::Light => pair(16, 231),
            Palette::ColourBlind => pair(255, 16),
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
            (Role::Dim, Palette::Light) => style.fg(Color::Indexed(240)),
            (Role::Dim, Palette::ColourBlind) => style.fg(Color::Indexed(250)),
            (Role::Dim, Palette::Ansi | Palette::Mono) => style,
            // Changed, Choice, Ok, Fail and Focus: a pair of colours, or one on the known background.
            (_, Palette::Mono) => match role {
                Role::Value(_) => style,
                Role::Changed => bold.add_modifier(Modifier::UNDERLINED),
                _ => bold,
            },
            (_, Palette::Ansi) => ansi(role),
            (_, Palette::Light) => light(role),
            (_, Palette::ColourBlind) => colour_blind(role),
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

/// Two colours of the cube of 256, which palettes leave alone.
fn pair(text: u8, behind: u8) -> Style {
    Style::default()
        .fg(Color::Indexed(text))
        .bg(Color::Indexed(behind))
}

fn ansi(role: Role) -> Style {
    let bold = Style::default().add_modifier(Modifier::BOLD);
    match role {
        // As with a marker pen: dark on a light colour.
        Role::Changed => pair(16, 222).add_modifier(Modifier::BOLD),
        Role::Choice => pair(16, 219).add_modifier(Modifier::BOLD),
        Role::Ok => pair(16, 157).add_modifier(Modifier::BOLD),
        Role::Fail => pair(231, 124).add_modifier(Modifier::BOLD),
        Role::Value(kind) => match kind % TYPES {
            0 => pair(231, 24),
            1 => pair(231, 53),
            2 => pair(231, 22),
            _ => pair(231, 94),
        },
        _ => bold,
    }
}

fn light(role: Role) -> Style {
    let colour = |n| Style::default().fg(Color::Indexed(n));
    let bold = |n| colour(n).add_modifier(Modifier::BOLD);
    match role {
        Role::Changed => bold(94),
        Role::Choice => bold(90),
        Role::Ok => bold(22),
        Role::Fail => bold(124),
        Role::Focus => bold(18),
        Role::Value(kind) => match kind % TYPES {
            0 => colour(25),
            1 => colour(90),
            2 => colour(22),
            _ => colour(94),
        },
        _ => Style::default(),
    }
}

/// Near to the eight colours of Okabe and Ito.
fn colour_blind(role: Role) -> Style {
    let colour = |n| Style::default().fg(Color::Indexed(n));
    let bold = |n| colour(n).add_modifier(Modifier::BOLD);
    match role {
        Role::Changed => bold(227),
        Role::Choice => bold(175),
        Role::Ok => bold(74),
        Role::Fail => bold(208),
        Role::Focus => bold(117),
        Role::Value(kind) => match kind % TYPES {
            0 => colour(117),
            1 => colour(214),
            2 => colour(36),
            _ => colour(182),
        },
        _ => Style::default(),
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
mod tests {
    use super::*;

    /// The value of a colour in the fixed part of the 256.
    fn value(colour: Color) -> (u8, u8, u8) {
        let Color::Indexed(n) = colour else {
            panic!("{colour:?} is one that terminals choose")
        };
        let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
        match n {
            // The first sixteen are those that palettes change.
            0..16 => panic!("{n} is one that palettes change"),
            16..232 => (
                level((n - 16) / 36),
                level((n - 16) / 6 % 6),
                level((n - 16) % 6),
            ),
            _ => (8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232)),
        }
    }

    /// Relative luminance, as the guidelines for accessible contents define it.
    fn luminance((r, g, b): (u8, u8, u8)) -> f64 {
        let part = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b)
    }

    fn contrast(a: (u8, u8, u8), b: (u8, u8, u8)) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Backgrounds that terminals have: xterm, the editor of Microsoft dark and light, Solarized dark and light,
    /// Gnome.
    const GROUNDS: [(&str, (u8, u8, u8)); 7] = [
        ("xterm", (0, 0, 0)),
        ("xterm reversed", (255, 255, 255)),
        ("vscode dark", (0x1e, 0x1e, 0x1e)),
        ("vscode light", (255, 255, 255)),
        ("solarized dark", (0, 0x2b, 0x36)),
        ("solarized light", (0xfd, 0xf6, 0xe3)),
        ("gnome", (0x17, 0x14, 0x21)),
    ];

    /// A text of each role can be read on each background that its theme may have.
    #[test]
    fn every_role_has_contrast() {
        for palette in Palette::ALL {
            let theme = Theme {
                palette,
                ascii: false,
            };
            for role in Role::all() {
                let style = theme.ground().patch(theme.style(role));
                let pairs: Vec<_> = match (style.fg, style.bg) {
                    (None, None) => continue,
                    (Some(text), Some(behind)) => vec![("its own", value(text), value(behind))],
                    (Some(text), None) => {
                        let on = |(name, ground)| (name, value(text), ground);
                        GROUNDS.into_iter().map(on).collect()
                    }
                    (None, Some(_)) => {
                        panic!("{role:?}: the text is the terminal's, what is behind is not")
                    }
                };
                for (ground, text, behind) in pairs {
                    let found = contrast(text, behind);
                    assert!(found >= 4.5, "{palette:?} {role:?} on {ground}: {found:.2}");
                }
            }
        }
    }

    /// Types that stand beside each other look different wherever there are colours, and roles do.
    #[test]
    fn roles_look_different() {
        for palette in [Palette::Ansi, Palette::Light, Palette::ColourBlind] {
            let theme = Theme {
                palette,
                ascii: false,
            };
            let loud = [Role::Changed, Role::Choice, Role::Ok, Role::Fail];
            let types: Vec<Role> = (0..TYPES).map(Role::Value).collect();
            for list in [&loud[..], &types] {
                for (at, a) in list.iter().enumerate() {
                    for b in &list[at + 1..] {
                        assert_ne!(theme.style(*a), theme.style(*b), "{palette:?} {a:?} {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn themes_have_names() {
        for palette in Palette::ALL {
            assert_eq!(
                Theme::by_name(palette.name()).map(|t| t.palette),
                Some(palette)
            );
        }
        let other = Theme::by_name("Color-Blind").map(|t| t.palette);
        assert_eq!(other, Some(Palette::ColourBlind));
        assert_eq!(Theme::by_name("dark"), None);
        assert_eq!(Palette::Mono.next(), Palette::Ansi);
    }

    #[test]
    fn stand_ins_are_ascii_and_one_column_wide() {
        for symbol in ["Ω", "…", "█", "→", "é", "漢"] {
            assert!(stand_in(symbol).is_ascii() && stand_in(symbol).len() == 1);
        }
    }
}

//! Roles, not colours: what a text means decides how it looks. No meaning is in colour alone.

use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;

/// What a text means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the terminal shows by itself.
    Plain,
    /// Headings and names of keys.
    Strong,
    /// It differs from the state before.
    Changed,
    /// Something arbitrary was decided.
    Choice,
    /// What was claimed holds.
    Ok,
    /// What was claimed does not hold, or something went wrong.
    Fail,
    /// Where the keyboard is.
    Focus,
    /// The row that keys act on.
    Selected,
    /// Less important, or not to be used now.
    Dim,
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
    /// What a script says to people.
    Comment,
}

/// How roles and boxes look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Sixteen-colour terminal palette; otherwise only bold, reverse and underline.
    pub colour: bool,
    /// Boxes of `+`, `-` and `|`.
    pub ascii: bool,
}

impl Theme {
    /// The style of a role.
    #[must_use]
    pub fn style(self, role: Role) -> Style {
        let style = Style::default();
        // Without colour, what is left is bold, reverse or nothing: words and signs say the rest.
        let coloured = |colour| {
            if self.colour { style.fg(colour) } else { style }
        };
        match role {
            Role::Plain => style,
            Role::Strong => style.add_modifier(Modifier::BOLD),
            Role::Changed => coloured(Color::Yellow).add_modifier(Modifier::BOLD),
            Role::Choice => coloured(Color::Magenta).add_modifier(Modifier::BOLD),
            Role::Ok => coloured(Color::Green).add_modifier(Modifier::BOLD),
            Role::Fail => coloured(Color::Red).add_modifier(Modifier::BOLD),
            Role::Focus => coloured(Color::Cyan).add_modifier(Modifier::BOLD),
            Role::Selected => style.add_modifier(Modifier::REVERSED),
            Role::Dim | Role::Comment => coloured(Color::DarkGray),
            Role::Keyword => style.add_modifier(Modifier::BOLD),
            Role::ProcessName => coloured(Color::Cyan),
            Role::ChannelName => coloured(Color::Green),
            Role::TypeName => coloured(Color::Yellow),
            Role::ConstructorName | Role::Literal => coloured(Color::Magenta),
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

//! Configuration values, and their text in a file.

use super::args::Colour;
use crate::tui::bindings::Bindings;
use crate::tui::settings::Motion;
use crate::tui::theme::ThemeChoice;

/// The configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The colours of the screen.
    pub theme: ThemeChoice,
    /// Whether the mouse is used.
    pub mouse: bool,
    /// Whether key hints are shown.
    pub hints: bool,
    /// The amount of motion.
    pub motion: Motion,
    /// Whether transitions are grouped by orbit at the start.
    pub grouped: bool,
    /// Whether boxes are drawn with `+ - |` only.
    pub ascii: bool,
    /// When to use colours.
    pub color: Colour,
    /// Keys that are not the usual ones.
    pub keys: Bindings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            mouse: true,
            hints: true,
            motion: Motion::Full,
            grouped: true,
            ascii: false,
            color: Colour::Auto,
            keys: Bindings::default(),
        }
    }
}

impl Config {
    /// The text of a file with these values.
    pub fn written(&self) -> String {
        let Self {
            theme,
            mouse,
            hints,
            motion,
            grouped,
            ascii,
            color,
            keys,
        } = self;
        let theme = theme.name();
        let color = format!("{color:?}").to_lowercase();
        let motions = Motion::ALL.into_iter();
        let motion = motions.filter(|(m, _)| m == motion).map(|(_, name)| name);
        let motion: String = motion.collect();
        let grouping = if *grouped { "orbit" } else { "none" };
        let key = |key: &String| {
            // The second of two keys is any letter.
            let key = key.split(' ').next().unwrap_or(key);
            format!("{key:?}")
        };
        let binding = |(id, keys): (&str, &[String])| {
            let keys: Vec<_> = keys.iter().map(key).collect();
            format!("        {id:?}: [{}],\n", keys.join(", "))
        };
        let keys: String = keys.all().map(binding).collect();
        let keys = if keys.is_empty() {
            "{}".to_owned()
        } else {
            format!("{{\n{keys}    }}")
        };
        format!(
            "Config(
    theme: {theme:?}, // auto, dark, light, ansi or mono
    mouse: {mouse},
    hints: {hints},
    motion: {motion}, // full, reduced or none
    grouping: {grouping}, // orbit or none
    ascii: {ascii},
    color: {color}, // auto, always or never
    keys: {keys},
)\n"
        )
    }
}

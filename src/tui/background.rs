//! The background of the terminal: asked for when the screen begins, so that colours suit it.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyModifiers};
use terminal_colorsaurus::{QueryOptions, background_color};

/// The time that the terminal has to answer. All but a few answer at once, or say that they cannot tell.
const PATIENCE: Duration = Duration::from_millis(400);
/// The time in which an answer may still arrive behind a slow connection.
const LATE: Duration = Duration::from_secs(10);
/// The longest answer, in characters.
const LONGEST: usize = 40;

/// A colour of a background: red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Background(pub u8, pub u8, pub u8);

impl Background {
    /// Relative luminance, from 0 (black) to 1, as the guidelines for accessible contents (WCAG 2) define it.
    #[must_use]
    pub fn luminance(self) -> f64 {
        let part = |level: u8| {
            let share = f64::from(level) / 255.0;
            match share <= 0.04045 {
                true => share / 12.92,
                false => ((share + 0.055) / 1.055).powf(2.4),
            }
        };
        0.2126 * part(self.0) + 0.7152 * part(self.1) + 0.0722 * part(self.2)
    }

    /// `#rrggbb`
    #[must_use]
    pub fn hex(self) -> String {
        let Self(red, green, blue) = self;
        format!("#{red:02x}{green:02x}{blue:02x}")
    }

    /// Whether black has more contrast to it than white.
    #[must_use]
    pub fn is_light(self) -> bool {
        (self.luminance() + 0.05).powi(2) > 1.05 * 0.05
    }

    /// Whether the colours for a dark background have enough contrast to it.
    #[must_use]
    pub fn is_very_dark(self) -> bool {
        self.luminance() <= 0.045
    }

    /// Whether pure red, which is dark, has enough contrast to it.
    #[must_use]
    pub fn is_black(self) -> bool {
        self.luminance() <= 0.005
    }

    /// Whether the colours for a light background have enough contrast to it.
    #[must_use]
    pub fn is_very_light(self) -> bool {
        self.luminance() >= 0.8
    }
}

/// Asks the terminal for its background (OSC 11); if it does not tell, `COLORFGBG` may. No other thread may read
/// the input of the terminal meanwhile.
#[must_use]
pub fn ask() -> (Option<Background>, LateAnswer) {
    let mut options = QueryOptions::default();
    options.timeout = PATIENCE;
    let answer = background_color(options);
    let late = LateAnswer {
        until: answer.is_err().then(|| Instant::now() + LATE),
        read: 0,
    };
    let background = match answer {
        Ok(colour) => {
            let (red, green, blue) = colour.scale_to_8bit();
            Some(Background(red, green, blue))
        }
        Err(_) => by_environment(&std::env::var("COLORFGBG").unwrap_or_default()),
    };
    (background, late)
}

/// The background by the numbers of two of the sixteen colours, the foreground first.
fn by_environment(colours: &str) -> Option<Background> {
    match colours.rsplit(';').next()?.trim() {
        "0" => Some(Background(0, 0, 0)),
        "15" => Some(Background(255, 255, 255)),
        _ => None,
    }
}

/// Finds an answer that comes too late among the keys, so that it is not taken for typing.
#[derive(Debug, Default)]
pub struct LateAnswer {
    /// None where no answer is missing.
    until: Option<Instant>,
    /// Characters of an answer read so far; zero outside of one.
    read: usize,
}

impl LateAnswer {
    /// Whether an event is part of an answer: `Alt-]`, a colour in characters, and `Ctrl-g` or `Alt-\` at its end.
    pub fn has(&mut self, event: &Event) -> bool {
        let (Some(until), Event::Key(key)) = (self.until, event) else {
            return false;
        };
        let is_begun = self.read > 0;
        let is_beginning = (key.code, key.modifiers) == (KeyCode::Char(']'), KeyModifiers::ALT);
        if !(is_begun || is_beginning && Instant::now() < until) {
            return false;
        }
        self.read += 1;
        let is_end = is_begun && !(key.modifiers - KeyModifiers::SHIFT).is_empty();
        if is_end || self.read > LONGEST {
            (self.until, self.read) = (None, 0);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn numbers_of_the_environment_tell_black_and_white() {
        assert_eq!(by_environment("15;0"), Some(Background(0, 0, 0)));
        assert_eq!(
            by_environment("0;default;15"),
            Some(Background(255, 255, 255))
        );
        for unknown in ["", "15;default", "0;7", ";"] {
            assert_eq!(by_environment(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn backgrounds_are_dark_light_or_between() {
        let solarized = [
            Background(0, 0x2b, 0x36),
            Background(0xfd, 0xf6, 0xe3),
            Background(0x80, 0x80, 0x80),
        ];
        let judged = solarized.map(|b| (b.is_very_dark(), b.is_light(), b.is_very_light()));
        let expected = [
            (true, false, false),
            (false, true, true),
            (false, true, false),
        ];
        assert_eq!(judged, expected);
    }

    #[test]
    fn a_late_answer_is_not_typing() {
        let key = |c, modifiers| Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers));
        let plain = |c| key(c, KeyModifiers::NONE);
        let mut late = LateAnswer {
            until: Some(Instant::now() + LATE),
            read: 0,
        };
        assert!(!late.has(&plain('j')));
        assert!(late.has(&key(']', KeyModifiers::ALT)));
        assert!("11;rgb:0000/1e1e/FFFF".chars().all(|c| late.has(&plain(c))));
        assert!(late.has(&key('g', KeyModifiers::CONTROL)));
        assert!(!late.has(&plain('j')));
        // Only one is waited for.
        assert!(!late.has(&key(']', KeyModifiers::ALT)));
        assert!(!LateAnswer::default().has(&key(']', KeyModifiers::ALT)));
    }
}

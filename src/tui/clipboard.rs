//! Text for the clipboard of the terminal, also one at the other end of a connection: OSC 52.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::thread;

/// Longest text, in bytes: many terminals drop sequences of more than 100,000 characters.
pub const BYTES_MAX: usize = 74_000;
/// Bytes of a sequence that screen passes on at once.
const CHUNK: usize = 700;

/// The multiplexer between the program and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Multiplexer {
    /// None that matters.
    Nothing,
    /// The multiplexer tmux.
    Tmux,
    /// The multiplexer GNU screen.
    Screen,
}

impl Multiplexer {
    /// The multiplexer that the environment shows.
    #[must_use]
    pub fn found() -> Self {
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if set("TMUX") {
            Self::Tmux
        } else if set("STY") {
            Self::Screen
        } else {
            Self::Nothing
        }
    }
}

/// The escape sequence that copies a text.
#[must_use]
pub fn sequence(text: &str, multiplexer: Multiplexer) -> Vec<u8> {
    let plain = format!("\u{1b}]52;c;{}\u{7}", base64(text.as_bytes()));
    match multiplexer {
        Multiplexer::Nothing => plain.into_bytes(),
        // Within, each ESC is written twice.
        Multiplexer::Tmux => {
            let doubled = plain.replace('\u{1b}', "\u{1b}\u{1b}");
            format!("\u{1b}Ptmux;{doubled}\u{1b}\\").into_bytes()
        }
        // GNU screen takes strings of limited length, and joins those that it passes on.
        Multiplexer::Screen => {
            let mut out = Vec::with_capacity(plain.len() * 2);
            for chunk in plain.as_bytes().chunks(CHUNK) {
                out.extend(b"\x1bP");
                out.extend(chunk);
                out.extend(b"\x1b\\");
            }
            out
        }
    }
}

/// Gives a text to tmux, which passes it on as it is configured to. Returns whether that program exists, without
/// waiting for it.
#[must_use]
pub fn to_tmux(text: &str) -> bool {
    let mut command = Command::new("tmux");
    command.args(["load-buffer", "-w", "-"]);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = quiet.stdin(Stdio::piped()).spawn() else {
        return false;
    };
    let text = text.to_owned();
    let write = move || {
        if let Some(mut to) = child.stdin.take() {
            let _ = to.write_all(text.as_bytes());
        }
        let _ = child.wait();
    };
    thread::Builder::new().spawn(write).is_ok()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |n: usize| u32::from(three.get(n).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for n in 0..4 {
            let digit = (bits >> (18 - 6 * n)) & 63;
            out.push(if n <= three.len() {
                char::from(DIGITS[digit as usize])
            } else {
                '='
            });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digits_are_those_of_the_standard() {
        for (text, digits) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\u{3a9}", "zqk="),
        ] {
            assert_eq!(base64(text.as_bytes()), digits);
        }
    }

    #[test]
    fn what_stands_between_gets_what_it_passes_on() {
        let plain = b"\x1b]52;c;Zm9v\x07";
        assert_eq!(sequence("foo", Multiplexer::Nothing), plain);
        let tmux = b"\x1bPtmux;\x1b\x1b]52;c;Zm9v\x07\x1b\\";
        assert_eq!(sequence("foo", Multiplexer::Tmux), tmux);
        let screen = sequence(&"x".repeat(2_000), Multiplexer::Screen);
        let joined = String::from_utf8(screen).unwrap();
        let joined = joined.replace("\u{1b}P", "").replace("\u{1b}\\", "");
        let expected = sequence(&"x".repeat(2_000), Multiplexer::Nothing);
        assert_eq!(joined.as_bytes(), expected);
    }
}

//! What somebody may do to a screen, at random: keys, the mouse, sizes, texts that are pasted, lines of commands.
//!
//! An act does not depend on the screen: places are told as shares of it, processes by their place in the list. So
//! what was done can be done again from the middle on, to see how little of it is needed for a fault.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use orbitscope::tui::app::Msg;
use orbitscope::tui::keys::{LETTER, NAMED};
use orbitscope::tui::registry;

use super::session::Screen;

/// A generator whose numbers are the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// One thing that is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Keys by name, pressed in one go.
    Keys(String),
    /// A text, as it comes when it is pasted.
    Paste(&'static str),
    /// The mouse, at thousandths of the screen; beyond 1000 outside of it.
    Mouse(MouseEventKind, usize, usize),
    /// Two clicks.
    Double(usize, usize),
    Size(u16, u16),
    /// Time passes, in milliseconds.
    Wait(u64),
    /// A process is opened: by its place in the list, alone or beside another one.
    Open(usize, Option<usize>),
    /// A line for the palette.
    Line(&'static str),
    /// A search: for what, and whether from the beginning.
    Find(Sought, bool),
    /// The files of the script change on disk.
    Disk,
}

/// What is searched for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sought {
    Deadlock,
    Terminated,
    Stable,
    /// An event of the present state, by its place in the list.
    Offered(usize),
}

/// Keys that one presses to get about, some more often.
const USUAL: [&str; 63] = [
    "enter", "enter", "enter", "enter", "enter", "enter", "r", "r", "t", "u", "u", "U", "j", "j",
    "k", "l", "h", "o", "w", "s", ".", "R", "B", "H", "e", "esc", "esc", "1", "1", "1", "2", "3",
    "4", "5", "5", "6", "7", "8", "9", "S", "x", "y", "Y", "tab", "tab", "V", "space", "n", "p",
    "z", "$", "]", "m a", "m b", "' a", "c c", "c a", "v", "d", "i", "i", "f", "X",
];
/// What nothing listens to, and what is typed by accident.
const OTHERS: [&str; 18] = [
    "space", "?", ":", "/", "a", "é", "日", "!", "~", "0", "9", "f", "g", "'", "m", "c", "ctrl-a",
    "ctrl-w",
];
const TEXTS: [&str; 10] = [
    "deadlock",
    "a.b.c",
    "P ||| STOP",
    "1234567890",
    "日本語 é \u{301}x",
    "((((((((((",
    "undo 5\n",
    "jjkkllhh\n\n",
    "\u{200b}\u{202e}abc",
    "no such thing anywhere in this script or in any other one, however long it may be made",
];
const LINES: [&str; 24] = [
    "undo 9999",
    "redo 9",
    "random 7",
    "goto 0",
    "goto 3",
    "goto 99999",
    "view graph",
    "view 2",
    "focus history",
    "state counted",
    "state both",
    "orbit goto last",
    "orbit goto step2.1",
    "orbit play to last speed=4",
    "orbit strategy exact",
    "orbit strategy walk",
    "mark q",
    "compare q",
    "check all",
    "yank state",
    "filter e",
    "filter \"\"",
    "take tau",
    "write walk.run.ron",
];
const SIZES: [(u16, u16); 8] = [
    (120, 36),
    (120, 36),
    (80, 24),
    (80, 24),
    (60, 16),
    (1, 1),
    (300, 100),
    (200, 60),
];

/// Any key that a command has.
fn promised(random: &mut Random) -> String {
    let all: Vec<&str> = registry::all()
        .flat_map(|c| c.keys.iter().copied())
        .collect();
    let key = random.of(&all);
    let letter = random.of(&["a", "b", "c", "z"]);
    key.replace(LETTER, letter)
}

impl Act {
    /// What is done next.
    pub fn random(random: &mut Random) -> Self {
        let place = |random: &mut Random| match random.below(12) {
            0 | 1 => 0,
            2 => 999,
            3 => 1000 + random.below(60_000),
            _ => random.below(1000),
        };
        match random.below(200) {
            0..100 => Self::Keys(random.of(&USUAL).to_owned()),
            100..120 => Self::Keys(promised(random)),
            120..126 => Self::Keys(random.of(&NAMED).to_owned()),
            126..132 => Self::Keys(random.of(&OTHERS).to_owned()),
            132..138 => {
                let several: Vec<String> = (0..2 + random.below(6))
                    .map(|_| match random.below(3) {
                        0 => promised(random),
                        _ => random.of(&USUAL).to_owned(),
                    })
                    .collect();
                Self::Keys(several.join(" "))
            }
            138..141 => {
                // A number before a key.
                let key = random.of(&["r", "u", "U", "j", "k", "l", "pgdn", "t", "."]);
                let number = random.of(&["2", "3", "1 5", "9 9", "9 9 9"]);
                Self::Keys(format!("{number} {key}"))
            }
            141..143 => Self::Paste(random.of(&TEXTS)),
            143..173 => {
                let left = MouseButton::Left;
                let kind = random.of(&[
                    MouseEventKind::Down(left),
                    MouseEventKind::Down(left),
                    MouseEventKind::Down(left),
                    MouseEventKind::Down(MouseButton::Right),
                    MouseEventKind::Up(left),
                    MouseEventKind::Drag(left),
                    MouseEventKind::Moved,
                    MouseEventKind::ScrollDown,
                    MouseEventKind::ScrollDown,
                    MouseEventKind::ScrollUp,
                    MouseEventKind::ScrollLeft,
                ]);
                Self::Mouse(kind, place(random), place(random))
            }
            173..180 => Self::Double(place(random), place(random)),
            180..186 => {
                let (width, height) = match random.below(3) {
                    0 => (1 + random.below(300), 1 + random.below(100)),
                    _ => {
                        let (width, height) = random.of(&SIZES);
                        (width.into(), height.into())
                    }
                };
                Self::Size(width as u16, height as u16)
            }
            186..190 => Self::Wait(random.of(&[1, 50, 400, 2_000])),
            190..192 => {
                let other = random.below(3) == 0;
                Self::Open(random.below(100), other.then(|| random.below(100)))
            }
            192..195 => Self::Line(random.of(&LINES)),
            195..199 => {
                let event = Sought::Offered(random.below(50));
                let sought = [
                    Sought::Deadlock,
                    Sought::Terminated,
                    Sought::Stable,
                    event,
                    event,
                ];
                Self::Find(random.of(&sought), random.below(3) == 0)
            }
            _ => Self::Disk,
        }
    }

    /// Does it, and does not wait for what comes of it.
    pub fn perform(&self, screen: &mut Screen) {
        match self {
            Self::Keys(names) => names
                .split(' ')
                .for_each(|name| match name.chars().count() {
                    1 => type_char(screen, name.chars().next().unwrap_or(' ')),
                    _ => screen.key(name),
                }),
            Self::Paste(text) => text.chars().for_each(|c| type_char(screen, c)),
            Self::Mouse(kind, x, y) => mouse(screen, *kind, (*x, *y)),
            Self::Double(x, y) => {
                for _ in 0..2 {
                    mouse(screen, MouseEventKind::Down(MouseButton::Left), (*x, *y));
                }
            }
            Self::Size(width, height) => screen.send(Msg::Resize(*width, *height)),
            Self::Wait(milliseconds) => screen.pass(*milliseconds),
            Self::Open(at, beside) => open(screen, *at, *beside),
            Self::Line(line) => {
                escape(screen);
                screen.key(":");
                screen.write(line);
                screen.key("enter");
            }
            Self::Find(sought, beginning) => find(screen, *sought, *beginning),
            Self::Disk => {
                let path = screen.app.path.clone();
                screen.send(Msg::DiskChanged(vec![path]));
            }
        }
    }
}

fn type_char(screen: &mut Screen, c: char) {
    let (code, modifiers) = match c {
        '\n' => (KeyCode::Enter, KeyModifiers::NONE),
        c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
        c => (KeyCode::Char(c), KeyModifiers::NONE),
    };
    screen.send(Msg::Key(KeyEvent::new(code, modifiers)));
}

fn mouse(screen: &mut Screen, kind: MouseEventKind, (x, y): (usize, usize)) {
    let (width, height) = screen.app.size;
    let at = |share: usize, whole: u16| match share {
        0..1000 => (share * usize::from(whole) / 999).min(usize::from(whole).max(1) - 1),
        outside => outside,
    };
    screen.send(Msg::Mouse(MouseEvent {
        kind,
        column: at(x, width) as u16,
        row: at(y, height) as u16,
        modifiers: KeyModifiers::NONE,
    }));
}

/// Comes back to where commands are taken, whatever was open.
pub fn escape(screen: &mut Screen) {
    // A lesson, the list of lessons, a question, a text.
    for _ in 0..4 {
        screen.key("esc");
    }
}

fn open(screen: &mut Screen, at: usize, beside: Option<usize>) {
    let names = screen.app.info().map(|info| info.processes.clone());
    let names = names.unwrap_or_default();
    if names.is_empty() {
        return;
    }
    let name = |at: usize| names[at % names.len()].clone();
    let text = match beside {
        Some(other) => format!("{} ||| {}", name(at), name(other)),
        None => name(at),
    };
    escape(screen);
    screen.key("1");
    screen.ask_for(&text);
}

fn find(screen: &mut Screen, sought: Sought, beginning: bool) {
    escape(screen);
    screen.key("1");
    let Some(text) = condition(screen, sought) else {
        return;
    };
    screen.key("f");
    screen.key("ctrl-u");
    screen.key(if beginning { "down" } else { "up" });
    screen.write(&text);
    screen.key("enter");
}

/// The text of a condition; none if there is no such event.
fn condition(screen: &Screen, sought: Sought) -> Option<String> {
    Some(match sought {
        Sought::Deadlock => "deadlock".to_owned(),
        Sought::Terminated => "terminated".to_owned(),
        Sought::Stable => "stable".to_owned(),
        Sought::Offered(at) => {
            let view = screen.app.session.as_ref()?.view()?;
            let is_plain = |e: &&str| {
                let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
                !e.is_empty() && e.chars().all(inner)
            };
            let events = view.transitions.iter().map(|t| t.event.as_str());
            let events: Vec<&str> = events.filter(is_plain).collect();
            format!("offers {}", events.get(at % events.len().max(1))?)
        }
    })
}

//! The data of the page: the list, the selection, the typed text.

use super::asked::{WelcomeAnswer, WelcomeFound, WelcomeQuestion};
use super::paths::{self, PathOffers, ReadyScript};
use super::which::WelcomePage;
use crate::source::models;

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WelcomeRow {
    /// The tour.
    Tour,
    /// A script is to be opened.
    Open,
    /// The list of lessons.
    Lessons,
    /// The scripts that were opened before.
    Recent,
    /// The switch that leaves the page out at the start.
    Skip,
    /// The field for a path.
    Field,
    /// A script, and its description or that it does not exist.
    Script(String, String),
    /// A folder.
    Folder(String),
}

/// Entries of a list under a heading, which may be empty.
pub type WelcomeSection = (&'static str, Vec<WelcomeRow>);

/// The page, over the whole screen.
#[derive(Clone, Debug, Default)]
pub struct WelcomeScreen {
    /// The list that is shown.
    pub page: WelcomePage,
    /// The selected entry of it.
    pub selected: usize,
    /// The path that was typed.
    pub typed: String,
    /// The completions, once they are known; of another text if more was typed since.
    pub offers: PathOffers,
    /// Whether to complete as soon as they are known.
    pub completing: bool,
    /// Whether Enter was pressed meanwhile.
    pub entering: bool,
    /// The data from disk, once they are known.
    pub found: Option<WelcomeFound>,
    /// The script that is asked for.
    pub opening: Option<String>,
    /// The error of the last request.
    pub wrong: String,
    /// Something to say until the next key.
    pub said: String,
    /// A script to open although this would be lost.
    pub question: Option<(Box<ReadyScript>, Vec<String>)>,
    /// Whether the keys are listed over the page.
    pub help: bool,
    /// Whether a script is open behind the page, and is shown when it is left.
    pub behind: bool,
}

/// Scripts of the present folder that are listed before anything is typed.
const HERE_MAX: usize = 8;

impl WelcomeScreen {
    /// Makes a page, with the questions to the disk that it needs.
    #[must_use]
    pub fn new(page: WelcomePage, behind: bool) -> (Self, Vec<WelcomeQuestion>) {
        let mut screen = Self {
            behind,
            ..Self::default()
        };
        let mut questions = vec![WelcomeQuestion::Everything];
        questions.extend(screen.turn(page));
        (screen, questions)
    }

    /// Shows another list.
    pub fn turn(&mut self, page: WelcomePage) -> Option<WelcomeQuestion> {
        self.page = page;
        self.selected = 0;
        self.wrong.clear();
        self.typed.clear();
        self.completing = false;
        self.entering = false;
        (page == WelcomePage::Open).then(|| WelcomeQuestion::Offers(String::new()))
    }

    /// The entries of the list that is shown, under their headings.
    #[must_use]
    pub fn sections(&self) -> Vec<WelcomeSection> {
        match self.page {
            WelcomePage::Main => {
                let rows = [
                    WelcomeRow::Tour,
                    WelcomeRow::Open,
                    WelcomeRow::Lessons,
                    WelcomeRow::Recent,
                    WelcomeRow::Skip,
                ];
                vec![("", rows.to_vec())]
            }
            WelcomePage::Recent => vec![("", self.recent())],
            WelcomePage::Open => {
                let mut sections = vec![("", vec![WelcomeRow::Field])];
                sections.extend(self.openable());
                sections.retain(|(_, rows)| !rows.is_empty());
                sections
            }
        }
    }

    /// The entries of the list.
    #[must_use]
    pub fn rows(&self) -> Vec<WelcomeRow> {
        let sections = self.sections().into_iter();
        sections.flat_map(|(_, rows)| rows).collect()
    }

    fn recent(&self) -> Vec<WelcomeRow> {
        let recent = self.found.iter().flat_map(|found| &found.recent);
        let row = |script: &super::asked::RecentScript| {
            let about = if script.is_there { "" } else { "not there" };
            WelcomeRow::Script(script.path.clone(), about.to_owned())
        };
        recent.map(row).collect()
    }

    fn openable(&self) -> Vec<WelcomeSection> {
        let models = |part: &str| {
            let all = models::MODELS.iter();
            let fits = all.filter(|m| format!("{}{}", models::PREFIX, m.name).contains(part));
            let row = |m: &models::BuiltInModel| {
                let name = format!("{}{}", models::PREFIX, m.name);
                WelcomeRow::Script(name, m.about.to_owned())
            };
            fits.map(row).collect::<Vec<_>>()
        };
        let known = self.offers.typed == self.typed;
        let ways = self.offers.ways.iter().filter(|_| known);
        let row = |way: &paths::OfferedPath| {
            if way.is_folder {
                WelcomeRow::Folder(way.text.clone())
            } else {
                WelcomeRow::Script(way.text.clone(), String::new())
            }
        };
        if self.typed.is_empty() {
            let here = ways.filter(|way| !way.is_folder).map(row).take(HERE_MAX);
            return vec![
                ("opened before", self.recent()),
                ("in this folder", here.collect()),
                ("models of the program", models("")),
            ];
        }
        vec![
            ("goes on with", ways.map(row).collect()),
            ("models of the program", models(self.typed.trim())),
        ]
    }

    /// Handles an answer of the disk: a script may be ready now.
    pub fn learn(&mut self, answer: WelcomeAnswer) -> Option<Box<ReadyScript>> {
        match answer {
            WelcomeAnswer::Everything(found) => {
                if !found.note.is_empty() {
                    self.said.clone_from(&found.note);
                }
                // The selected entry stays selected, although more entries precede it now.
                let chosen = self.rows().get(self.selected).cloned();
                self.found = Some(*found);
                let at = chosen.and_then(|row| self.rows().iter().position(|r| *r == row));
                self.selected = at.unwrap_or(self.selected);
            }
            WelcomeAnswer::Offers(offers) => {
                if offers.typed != self.typed {
                    return None;
                }
                let chosen = self.rows().get(self.selected).cloned();
                self.offers = offers;
                let at = chosen.and_then(|row| self.rows().iter().position(|r| *r == row));
                self.selected = at.unwrap_or(0);
                if std::mem::take(&mut self.completing) {
                    self.complete();
                }
            }
            WelcomeAnswer::Script(asked, ready) => {
                // Another was asked for since, or none.
                if self.opening.as_ref() != Some(&asked) {
                    return None;
                }
                self.opening = None;
                match ready {
                    Ok(ready) => return Some(ready),
                    Err(why) => self.wrong = why,
                }
            }
            WelcomeAnswer::NotKept(why) => self.said = why,
        }
        None
    }

    /// Completes the typed text by the common part of all candidates. Returns whether there was any. The completions
    /// have to be requested again then, by [`WelcomeScreen::typed_more`].
    pub fn complete(&mut self) -> bool {
        if self.offers.typed != self.typed {
            self.completing = true;
            return false;
        }
        self.wrong.clone_from(&self.offers.wrong);
        let longer = paths::common(&self.offers.ways);
        if longer.len() <= self.typed.len() || self.typed.is_empty() {
            return false;
        }
        self.typed = longer;
        true
    }

    /// The question after more was typed.
    pub fn typed_more(&mut self) -> WelcomeQuestion {
        self.selected = 0;
        self.wrong.clear();
        self.completing = false;
        self.entering = false;
        WelcomeQuestion::Offers(self.typed.clone())
    }
}

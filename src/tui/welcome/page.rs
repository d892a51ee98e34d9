//! The data of the page: the list, the selection, the typed text.

use super::asked::{RecentScript, WelcomeFound, WelcomePage, WelcomeQuestion};
use super::paths::{self, PathOffers};
use crate::source::models;
use crate::views::KeyPage;

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WelcomeRow {
    /// The tour.
    Tour,
    /// A script is to be opened.
    Open,
    /// The list of lessons.
    Lessons,
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

/// The page, over the views.
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
}

/// Scripts of the present folder that are listed before anything is typed.
const HERE_MAX: usize = 8;

impl WelcomeScreen {
    /// Makes a page, with the questions to the disk that it needs.
    #[must_use]
    pub fn new(page: WelcomePage) -> (Self, Vec<WelcomeQuestion>) {
        let mut screen = Self::default();
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
                    WelcomeRow::Skip,
                ];
                vec![("", rows.to_vec())]
            }
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
        let row = |script: &RecentScript| {
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

    /// The place of the keys.
    #[must_use]
    pub fn key_page(&self) -> KeyPage {
        match self.page {
            WelcomePage::Open => KeyPage::Path,
            WelcomePage::Main => KeyPage::Welcome,
        }
    }

    /// Changes the entries. The selected one stays selected if it is still there.
    pub fn learn(&mut self, change: impl FnOnce(&mut Self)) {
        let chosen = self.rows().get(self.selected).cloned();
        change(self);
        let at = chosen.and_then(|row| self.rows().iter().position(|r| *r == row));
        self.selected = at.unwrap_or(0);
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

//! Commands: their keys, help, and conditions.

use super::app::{App, Effect, KeyPage, KeyPlace, Pane, View};
use super::menu_group::MenuGroup;

/// Why a command cannot be used now.
pub type Availability = Result<(), String>;

/// Something that a person can do.
#[derive(Clone, Copy)]
pub struct Command {
    /// A name that does not change: tests and other commands go by it.
    pub id: &'static str,
    /// The name, in a few words, as the palette lists it.
    pub name: &'static str,
    /// The help, in a sentence or two.
    pub description: &'static str,
    /// Keys by name; a sequence is written with a space.
    pub keys: &'static [&'static str],
    /// The views in which it works; all if empty.
    pub views: &'static [View],
    /// The view in which it does not work, as its key has another meaning there.
    pub except: Option<View>,
    /// The panes in which it works; all if empty.
    pub panes: &'static [Pane],
    /// The pages over the views on which it works.
    pub pages: &'static [KeyPage],
    /// Whether it works in views, and not only on pages.
    pub in_views: bool,
    /// Its group in the Space menu.
    pub menu: Option<MenuGroup>,
    /// Its word in the hint line.
    pub hint: Option<&'static str>,
    /// Whether a number before the key repeats it.
    pub counts: bool,
    /// Does it, as often as the number says.
    pub run: fn(&mut App, usize) -> Vec<Effect>,
    /// Whether it can be used now.
    pub available: fn(&App) -> Availability,
}

impl Command {
    /// A command that works everywhere and always.
    #[must_use]
    pub const fn new(
        id: &'static str,
        name: &'static str,
        keys: &'static [&'static str],
        run: fn(&mut App, usize) -> Vec<Effect>,
        description: &'static str,
    ) -> Self {
        Self {
            id,
            name,
            description,
            keys,
            views: &[],
            except: None,
            panes: &[],
            pages: &[],
            in_views: true,
            menu: None,
            hint: None,
            counts: false,
            run,
            available: always,
        }
    }

    /// Only in these views.
    #[must_use]
    pub const fn views(mut self, views: &'static [View]) -> Self {
        self.views = views;
        self
    }

    /// In all views but this one.
    #[must_use]
    pub const fn except(mut self, view: View) -> Self {
        self.except = Some(view);
        self
    }

    /// Only in these panes.
    #[must_use]
    pub const fn panes(mut self, panes: &'static [Pane]) -> Self {
        self.panes = panes;
        self
    }

    /// Also on these pages.
    #[must_use]
    pub const fn also_on(mut self, pages: &'static [KeyPage]) -> Self {
        self.pages = pages;
        self
    }

    /// Only on these pages.
    #[must_use]
    pub const fn only_on(mut self, pages: &'static [KeyPage]) -> Self {
        self.pages = pages;
        self.in_views = false;
        self
    }

    /// Listed in this group of the Space menu.
    #[must_use]
    pub const fn menu(mut self, group: MenuGroup) -> Self {
        self.menu = Some(group);
        self
    }

    /// Listed in the hint line.
    #[must_use]
    pub const fn hint(mut self, word: &'static str) -> Self {
        self.hint = Some(word);
        self
    }

    /// Repeated by a number before the key.
    #[must_use]
    pub const fn counts(mut self) -> Self {
        self.counts = true;
        self
    }

    /// Usable only if this says so.
    #[must_use]
    pub const fn when(mut self, available: fn(&App) -> Availability) -> Self {
        self.available = available;
        self
    }

    /// Whether it works in some pane of a view.
    #[must_use]
    pub fn works_in(&self, view: View) -> bool {
        self.except != Some(view) && (self.views.is_empty() || self.views.contains(&view))
    }

    /// Whether it works in a place.
    #[must_use]
    pub fn applies(&self, place: KeyPlace) -> bool {
        match place {
            KeyPlace::In(view, pane) => {
                self.in_views
                    && self.works_in(view)
                    && (self.panes.is_empty() || self.panes.contains(&pane))
            }
            KeyPlace::On(page) => self.pages.contains(&page),
        }
    }

    /// Whether it works in the present place.
    #[must_use]
    pub fn applies_here(&self, app: &App) -> bool {
        self.applies(app.place())
    }

    /// Whether it can be used now: where another page has to be shown for it, it cannot.
    ///
    /// # Errors
    /// Why not.
    pub fn usable(&self, app: &App) -> Availability {
        if !self.in_views && !self.applies_here(app) {
            return Err("the page for it is not shown".to_owned());
        }
        // A page leaves the views as they are.
        if matches!(app.place(), KeyPlace::On(_)) && !self.works_in(app.view) {
            return Err("its view is not shown".to_owned());
        }
        (self.available)(app)
    }

    /// Its first key, which hints and tests go by.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.keys.first().copied().unwrap_or("")
    }
}

fn always(_: &App) -> Availability {
    Ok(())
}

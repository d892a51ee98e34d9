//! Colours of text for terminals.

/// Words in colours, or as they are.
pub(super) struct Paint(bool);

impl Paint {
    pub(super) fn new(colour: bool) -> Self {
        Self(colour)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
    pub(super) fn ok(&self, text: &str) -> String {
        self.with("1;32", text)
    }
    pub(super) fn fail(&self, text: &str) -> String {
        self.with("1;31", text)
    }
    pub(super) fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }
}

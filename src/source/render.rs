//! Drawing diagnostics: the only place that knows how they look.

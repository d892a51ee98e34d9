//! Frames as files: a picture of one, and a recording of many.

mod cast;
mod colours;
mod svg;

pub use cast::Recording;
pub use colours::BACKGROUND;
pub use svg::svg;

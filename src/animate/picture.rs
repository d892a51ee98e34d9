//! Files with graphs: which one is wanted, and what came of it.

/// The form of a file with a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureForm {
    /// For graphviz.
    Dot,
    /// A drawing.
    Svg,
    /// For tools that minimise and compare.
    Aut,
    /// All that is known.
    Json,
    /// For editors of graphs.
    Graphml,
}

impl PictureForm {
    /// What the names of such files end with.
    #[must_use]
    pub fn ending(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Aut => "aut",
            Self::Json => "json",
            Self::Graphml => "graphml",
        }
    }
}

/// Which picture is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureRequest {
    /// The process, by its name or as an expression.
    pub process: String,
    /// Whether each vertex is a state, and not an orbit.
    pub full: bool,
    /// The form of the file.
    pub form: PictureForm,
}

/// A file with a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureText {
    /// All of it.
    pub text: String,
    /// How many vertices it has.
    pub vertices: usize,
    /// Whether all states are there, and all transitions.
    pub is_whole: bool,
}

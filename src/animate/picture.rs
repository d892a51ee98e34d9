//! Files with graphs: the request, and the result.

/// The form of a file with a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureForm {
    /// DOT, for graphviz.
    Dot,
    /// SVG, a drawing.
    Svg,
    /// Aldébaran, for tools that minimise and compare.
    Aut,
    /// JSON, with all data.
    Json,
    /// GraphML, for graph editors.
    Graphml,
}

impl PictureForm {
    /// The file extension.
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

/// A request for a picture.
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
    /// The text of the picture.
    pub text: String,
    /// The number of vertices.
    pub vertices: usize,
    /// Whether all states and transitions are in it.
    pub is_whole: bool,
}

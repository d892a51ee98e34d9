//! Ends of exchanges.

use std::fmt;

/// Why an exchange cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// A process is lost: its number, and how that was noticed.
    Lost(usize, String),
    /// A process has ended before.
    Left(usize),
    /// A process sent what no process of the same program sends.
    Garbled(usize),
}

impl MeshError {
    /// The number of the process that it is about.
    #[must_use]
    pub fn process(&self) -> usize {
        match self {
            Self::Lost(process, _) | Self::Left(process) | Self::Garbled(process) => *process,
        }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(process, why) => write!(f, "process {process} is lost: {why}"),
            Self::Left(process) => write!(f, "process {process} ended early"),
            Self::Garbled(process) => write!(f, "what process {process} sent cannot be read"),
        }
    }
}

/// The same, of a link: it does not know the number of its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkError {
    Lost(String),
    /// The process has ended, and says which other one it had lost, if that is why.
    Left(Option<usize>),
    Garbled,
}

impl LinkError {
    pub(super) fn of(self, process: usize) -> MeshError {
        match self {
            Self::Lost(why) => MeshError::Lost(process, why),
            Self::Left(None) => MeshError::Left(process),
            Self::Left(Some(lost)) => {
                MeshError::Lost(lost, format!("process {process} has lost it"))
            }
            Self::Garbled => MeshError::Garbled(process),
        }
    }
}

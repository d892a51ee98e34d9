//! Ends of exchanges.

use std::fmt;

use crate::source::Stop;

/// Why an exchange cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshError {
    /// A process is lost: its number, and how that was noticed.
    Lost(usize, String),
    /// A process has ended before, and tells no reason.
    Left(usize),
    /// A process has ended before, at a limit.
    Stopped(usize, Stop),
    /// A process sent what no process of the same program sends.
    Garbled(usize),
}

impl MeshError {
    /// What ends the search of this process then.
    #[must_use]
    pub fn stop(&self) -> Stop {
        match self {
            Self::Lost(process, _) | Self::Left(process) | Self::Garbled(process) => {
                Stop::Process(*process as u16)
            }
            Self::Stopped(_, stop) => *stop,
        }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lost(process, why) => write!(f, "process {process} is lost: {why}"),
            Self::Left(process) | Self::Stopped(process, _) => {
                write!(f, "process {process} ended early")
            }
            Self::Garbled(process) => write!(f, "what process {process} sent cannot be read"),
        }
    }
}

/// The same, of a link: it does not know the number of its process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkError {
    Lost(String),
    /// The process has ended, and says why, where there is a reason: another one is lost, or a limit.
    Left(Option<Stop>),
    Garbled,
}

impl LinkError {
    pub(super) fn of(self, process: usize) -> MeshError {
        match self {
            Self::Lost(why) => MeshError::Lost(process, why),
            Self::Left(None) => MeshError::Left(process),
            Self::Left(Some(Stop::Process(lost))) => {
                let how = format!("process {process} has lost it");
                MeshError::Lost(usize::from(lost), how)
            }
            Self::Left(Some(stop)) => MeshError::Stopped(process, stop),
            Self::Garbled => MeshError::Garbled(process),
        }
    }
}

//! Early ends of searches that several processes share: what one of them tells of its own, all end with.

use super::Distributed;
use crate::mesh::MeshError;
use crate::mesh::words::{Words, put, put_bytes};
use crate::search::on_disk::failed;
use crate::source::diagnostic::Result;
use crate::source::{Diagnostic, Stop};
use crate::spill::SpillError;

/// Why a round, or what follows the last one, ends early.
pub(in crate::search) enum RoundEnd {
    Mesh(MeshError),
    Stopped(Stop),
    Failed(Box<Diagnostic>),
}

/// What is done by several processes: all of them end alike, unless one is lost.
pub(in crate::search) type Done<T> = std::result::Result<T, RoundEnd>;

impl From<MeshError> for RoundEnd {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}

impl From<Stop> for RoundEnd {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl From<Box<Diagnostic>> for RoundEnd {
    fn from(error: Box<Diagnostic>) -> Self {
        Self::Failed(error)
    }
}

impl From<SpillError> for RoundEnd {
    fn from(error: SpillError) -> Self {
        match error {
            SpillError::Full { .. } => Self::Stopped(Stop::Disk),
            other => Self::Failed(failed(&other)),
        }
    }
}

pub(in crate::search) fn garbled(process: usize) -> RoundEnd {
    RoundEnd::Mesh(MeshError::Garbled(process))
}

pub(in crate::search) fn disagreement(what: &str) -> Box<Diagnostic> {
    let text = format!("the processes of a search do not agree: {what} differ");
    Box::new(Diagnostic::nowhere("E0799", text).note("no verdict is drawn from it"))
}

/// The limit, or the error, that an early end comes to.
pub(in crate::search) fn end_of(end: RoundEnd) -> Result<Stop> {
    match end {
        RoundEnd::Stopped(stop) => Ok(stop),
        RoundEnd::Mesh(MeshError::Garbled(process)) => {
            let text = MeshError::Garbled(process).to_string();
            Err(Box::new(Diagnostic::nowhere("E0799", text)))
        }
        RoundEnd::Mesh(error) => Ok(error.stop()),
        RoundEnd::Failed(error) => Err(error),
    }
}

/// How the word begins that a process has about its own end.
const GOES_ON: u64 = 0;
const STOPPED: u64 = 1;
const FAILED: u64 = 2;

/// Writes why this process cannot go on, if it cannot.
pub(in crate::search) fn put_end(message: &mut Vec<u8>, end: Option<&RoundEnd>) {
    let stop = match end {
        None => return put(message, GOES_ON),
        Some(RoundEnd::Stopped(stop)) => *stop,
        Some(RoundEnd::Mesh(error)) => error.stop(),
        Some(RoundEnd::Failed(error)) => match error.stop() {
            Some(stop) => stop,
            None => {
                put(message, FAILED);
                put_bytes(message, error.code.as_bytes());
                return put_bytes(message, error.message.as_bytes());
            }
        },
    };
    put(message, STOPPED);
    put(message, u64::from(stop.number()));
}

/// Codes of errors that one process may have alone. In others it is an error of the disk, which names the process.
const ALONE: [&str; 2] = ["E0711", "E0712"];

/// Reads what process `process` wrote with [`put_end`]. `None` if it cannot be read.
pub(in crate::search) fn read_end(
    words: &mut Words<'_>,
    process: usize,
) -> Option<Option<RoundEnd>> {
    Some(match words.number()? {
        GOES_ON => None,
        STOPPED => Some(RoundEnd::Stopped(Stop::numbered(words.number()? as u16))),
        _ => {
            let code = std::str::from_utf8(words.bytes()?).ok()?;
            let text = std::str::from_utf8(words.bytes()?).ok()?;
            let code = ALONE.into_iter().find(|one| *one == code);
            let text = format!("process {process} of the search: {text}");
            let error = Diagnostic::nowhere(code.unwrap_or("E0711"), text);
            Some(RoundEnd::Failed(Box::new(error)))
        }
    })
}

/// Reads at the beginnings of the messages of all processes whether one of them ends: then all end as the first of these
/// does. The own end is as it is known here.
pub(in crate::search) fn unless_ended(
    words: &mut [Words<'_>],
    (others, mut own): (&Distributed, Option<RoundEnd>),
) -> Done<()> {
    let mut first = None;
    for (process, words) in words.iter_mut().enumerate() {
        let told = read_end(words, process).ok_or_else(|| garbled(process))?;
        let told = match process == others.own() {
            true => own.take(),
            false => told,
        };
        first = first.or(told);
    }
    first.map_or(Ok(()), Err)
}

/// Ends all processes where one ends; without others, this one.
pub(in crate::search) fn agreed<T>(others: Option<&Distributed>, done: Done<T>) -> Done<T> {
    let Some(others) = others else {
        return done;
    };
    let (value, end) = match done {
        Ok(value) => (Some(value), None),
        // Then there is no one to tell.
        Err(RoundEnd::Mesh(error)) => return Err(error.into()),
        Err(end) => (None, Some(end)),
    };
    let mut message = Vec::new();
    put_end(&mut message, end.as_ref());
    let told = others.tell_all(&message)?;
    let mut words: Vec<Words<'_>> = told.iter().map(|message| Words(message)).collect();
    unless_ended(&mut words, (others, end))?;
    value.ok_or_else(|| garbled(others.own()))
}

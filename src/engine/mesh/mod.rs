//! The processes of one search, and the bytes that they exchange. This room knows no states.
//!
//! Each process is linked to each other one. In an exchange every process sends one message to each other and receives
//! one from each: it is over when all have come as far. The order of messages is all that the processes agree by, so
//! results do not depend on which of them is fast.
//!
//! A process that ends, is cut off or stays silent ends the exchange in all others. Between two messages processes tell
//! each other that they are alive.

mod board;
mod calling;
mod desk;
mod error;
mod handshake;
mod link;
pub mod meeting;
pub mod words;

#[cfg(test)]
mod tests;

use std::io;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::source::Stop;

pub use board::{ProcessBoard, ProcessLine};
pub use calling::WorkerCall;
pub use desk::{Desk, WorkerJob};
pub use error::MeshError;
pub use handshake::SearchKey;
use link::{Link, LinkWatch, tell_alive};

/// What is called with the number of a process that sends no more, and how that came, from a thread of its own: work of
/// this process need not go on.
pub type OnEnd = Arc<dyn Fn(usize, LinkEnd) + Send + Sync>;

/// How a link to a process ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEnd {
    /// The process has said that no message follows.
    Left,
    /// It has ended without that, or is silent or garbled.
    Lost,
}

/// This process among those of a search.
pub struct Mesh {
    own: usize,
    /// By process; none to itself.
    links: Vec<Option<Link>>,
    /// Whether this process has left: from then on no other is missed.
    over: Arc<AtomicBool>,
    board: Arc<ProcessBoard>,
    /// The process that was lost first.
    lost: Option<usize>,
}

impl Mesh {
    /// The mesh of connected sockets, by process, with none for process `own`.
    ///
    /// # Errors
    /// A socket that cannot be prepared, or no thread.
    pub fn new(own: usize, sockets: Vec<Option<TcpStream>>, on_end: &OnEnd) -> io::Result<Self> {
        let over = Arc::new(AtomicBool::new(false));
        let board = Arc::new(ProcessBoard::new(own, sockets.len()));
        let link = |(process, socket): (usize, Option<TcpStream>)| {
            let watch = LinkWatch {
                process,
                over: Arc::clone(&over),
                board: Arc::clone(&board),
                on_end: Arc::clone(on_end),
            };
            let linked = |socket| Link::new(socket, watch);
            socket.map(linked).transpose()
        };
        let links = sockets
            .into_iter()
            .enumerate()
            .map(link)
            .collect::<io::Result<Vec<_>>>()?;
        let writers = links.iter().flatten().map(Link::writer).collect();
        tell_alive(writers, &over, &board)?;
        Ok(Self {
            own,
            links,
            over,
            board,
            lost: None,
        })
    }

    /// The number of this process, from 0.
    #[must_use]
    pub fn own(&self) -> usize {
        self.own
    }

    /// The number of processes.
    #[must_use]
    pub fn processes(&self) -> usize {
        self.links.len()
    }

    /// What all processes told of themselves last, this one included.
    #[must_use]
    pub fn board(&self) -> Arc<ProcessBoard> {
        Arc::clone(&self.board)
    }

    /// Takes note of how many states a process has.
    pub fn note_states(&self, process: usize, states: usize) {
        self.board.note_states(process, states as u64);
    }

    /// Sends each process its message, and replaces it by the one that came from there. The own one stays.
    ///
    /// # Errors
    /// A process that is lost or has left, this one included.
    pub fn exchange(&mut self, messages: &mut [Vec<u8>]) -> Result<(), MeshError> {
        debug_assert_eq!(messages.len(), self.links.len());
        // Without links every message would seem to be answered by itself.
        if self.over.load(Ordering::Relaxed) {
            return Err(MeshError::Left(self.own));
        }
        let exchanged = self.exchange_all(messages);
        if let Err(MeshError::Lost(process, _)) = &exchanged {
            self.lost = self.lost.or(Some(*process));
        }
        exchanged
    }

    fn exchange_all(&mut self, messages: &mut [Vec<u8>]) -> Result<(), MeshError> {
        for (process, (link, message)) in self.links.iter().zip(&*messages).enumerate() {
            if let Some(link) = link {
                link.send(message).map_err(|why| why.of(process))?;
                self.board.note(|line| line.sent += message.len() as u64);
            }
        }
        let begun = Instant::now();
        for (process, (link, message)) in self.links.iter_mut().zip(messages).enumerate() {
            if let Some(link) = link {
                *message = link.receive().map_err(|why| why.of(process))?;
            }
        }
        self.board.note(|line| line.waited += begun.elapsed());
        Ok(())
    }

    /// Takes note of what all tell of themselves now, which signs of life would tell later.
    ///
    /// # Errors
    /// A process that is lost or has left, this one included.
    pub fn tell_figures(&mut self) -> Result<(), MeshError> {
        let told = self.tell_all(&self.board.own_line().to_bytes())?;
        let others = told.iter().enumerate().filter(|told| told.0 != self.own);
        for (process, told) in others {
            let told = told.as_slice().try_into();
            let told = told.map_err(|_| MeshError::Garbled(process))?;
            self.board.put(process, ProcessLine::from_bytes(told));
        }
        Ok(())
    }

    /// Sends all processes the same message. Returns those of all, by process.
    ///
    /// # Errors
    /// As [`Mesh::exchange`].
    pub fn tell_all(&mut self, message: &[u8]) -> Result<Vec<Vec<u8>>, MeshError> {
        let mut messages = vec![message.to_vec(); self.links.len()];
        self.exchange(&mut messages)?;
        Ok(messages)
    }

    /// Tells the others that no message follows, and which process was lost, if one was, or at which limit this one ends.
    /// From here on no process is missed; one that waits for a message of this one ends for that reason.
    pub fn leave(&mut self, stop: Option<Stop>) {
        self.over.store(true, Ordering::Relaxed);
        // Who cancels this process need not mean the others.
        let limit = stop.filter(|stop| *stop != Stop::Cancelled);
        let lost = self.lost.map(|process| Stop::Process(process as u16));
        for link in &mut self.links {
            if let Some(link) = link.take() {
                link.end(lost.or(limit));
            }
        }
    }
}

impl Drop for Mesh {
    fn drop(&mut self) {
        self.leave(None);
    }
}

//! The link to one other process: frames on a socket, read by a thread of its own.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::board::{ProcessBoard, ProcessLine, TOLD};
use super::error::LinkError;
use super::{LinkEnd, OnEnd};
use crate::source::Stop;
use crate::source::threads::lock;

/// Time between two signs of life.
const ALIVE_EVERY: Duration = Duration::from_millis(500);
/// Time without a sign of life after which a process is taken to be lost. One that is killed is noticed at once: its
/// connections end.
const SILENCE: Duration = Duration::from_secs(10);
/// Time between two looks for that.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Looks without a sign of life between them. They are counted, and no clock is read: where all processes are stopped
/// together (Ctrl-Z, a machine that sleeps), none of them tells anything, and none looks.
const SILENT_LOOKS: u32 = (SILENCE.as_millis() / LOOK_EVERY.as_millis()) as u32;

/// First bytes of frames.
const MESSAGE: u8 = 1;
const ALIVE: u8 = 2;
const DONE: u8 = 3;
/// Bytes of a frame before its message: the kind and the length.
const HEAD: usize = 9;
/// Bytes read at once: each such piece is a sign of life.
const PIECE: usize = 1 << 20;

/// What a link tells of what comes on it.
pub(super) struct LinkWatch {
    /// The process at its other end.
    pub(super) process: usize,
    /// Whether this process has left.
    pub(super) over: Arc<AtomicBool>,
    /// Takes what the process tells of itself.
    pub(super) board: Arc<ProcessBoard>,
    /// Called when the process sends no more.
    pub(super) on_end: OnEnd,
}

/// The socket for writing; the thread that tells signs of life writes to it, too.
pub(super) type SharedSocket = Arc<Mutex<TcpStream>>;

/// The link to one other process.
pub(super) struct Link {
    writer: SharedSocket,
    inbox: Receiver<Result<Vec<u8>, LinkError>>,
    heard: Arc<SignsOfLife>,
}

/// How often a process was heard.
#[derive(Default)]
struct SignsOfLife(AtomicU64);

impl SignsOfLife {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Looks for signs of life.
#[derive(Default)]
struct SilentLooks {
    /// How many there were at the last look.
    heard: u64,
    /// Looks since then that found no more.
    looks: u32,
}

impl SilentLooks {
    /// Whether the process is taken to be lost at this look, where it was heard so often.
    fn look(&mut self, heard: u64) -> bool {
        match heard == self.heard {
            true => self.looks += 1,
            false => *self = Self { heard, looks: 0 },
        }
        self.looks >= SILENT_LOOKS
    }
}

impl Link {
    pub(super) fn new(socket: TcpStream, watch: LinkWatch) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(Some(SILENCE))?;
        let heard = Arc::new(SignsOfLife::default());
        let (sender, inbox) = channel();
        let reader = Reader {
            socket: socket.try_clone()?,
            sender,
            heard: Arc::clone(&heard),
            watch,
        };
        thread::Builder::new()
            .name("mesh-read".to_owned())
            .spawn(move || reader.run())?;
        Ok(Self {
            writer: Arc::new(Mutex::new(socket)),
            inbox,
            heard,
        })
    }

    pub(super) fn writer(&self) -> SharedSocket {
        Arc::clone(&self.writer)
    }

    pub(super) fn send(&self, message: &[u8]) -> Result<(), LinkError> {
        let mut writer = lock(&self.writer);
        let sent = writer
            .write_all(&head(MESSAGE, message.len()))
            .and_then(|()| writer.write_all(message));
        drop(writer);
        sent.map_err(|error| self.told().unwrap_or(LinkError::Lost(error.to_string())))
    }

    /// What the process said last, if it said why it ends.
    fn told(&self) -> Option<LinkError> {
        // The reader sees the end soon, and what was sent before it.
        loop {
            match self.inbox.recv_timeout(ALIVE_EVERY) {
                Ok(Err(why)) => return Some(why),
                Ok(Ok(_)) => {}
                Err(_) => return None,
            }
        }
    }

    /// The next message. It waits as long as the process shows signs of life.
    pub(super) fn receive(&mut self) -> Result<Vec<u8>, LinkError> {
        let mut silent = SilentLooks::default();
        loop {
            match self.inbox.recv_timeout(LOOK_EVERY) {
                Ok(received) => return received,
                Err(RecvTimeoutError::Timeout) => {
                    if silent.look(self.heard.count()) {
                        let why = format!("no sign of life for {} s", SILENCE.as_secs());
                        return Err(LinkError::Lost(why));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(LinkError::Lost("its connection ended".to_owned()));
                }
            }
        }
    }

    /// Ends the link: no message follows, for this reason, if there is one.
    pub(super) fn end(&self, why: Option<Stop>) {
        let mut writer = lock(&self.writer);
        let _ = writer.set_write_timeout(Some(LOOK_EVERY));
        let _ = writer.write_all(&head(
            DONE,
            why.map_or(0, |why| usize::from(why.number()) + 1),
        ));
        let _ = writer.shutdown(Shutdown::Write);
    }
}

fn head(kind: u8, length: usize) -> [u8; HEAD] {
    let mut head = [kind; HEAD];
    head[1..].copy_from_slice(&(length as u64).to_le_bytes());
    head
}

/// What comes on a link.
enum MeshFrame {
    Alive(ProcessLine),
    Message(Vec<u8>),
    /// No message follows, for this reason, if it tells one.
    Done(Option<Stop>),
}

/// The thread that reads what another process sends.
struct Reader {
    socket: TcpStream,
    sender: Sender<Result<Vec<u8>, LinkError>>,
    heard: Arc<SignsOfLife>,
    watch: LinkWatch,
}

impl Reader {
    fn run(mut self) {
        loop {
            let why = match self.frame() {
                Ok(MeshFrame::Alive(line)) => {
                    self.watch.board.put(self.watch.process, line);
                    continue;
                }
                Ok(MeshFrame::Message(message)) => {
                    // No one receives once the mesh is left.
                    let _ = self.sender.send(Ok(message));
                    continue;
                }
                Ok(MeshFrame::Done(reason)) => LinkError::Left(reason),
                Err(why) => why,
            };
            let how = match why {
                LinkError::Left(_) => LinkEnd::Left,
                LinkError::Lost(_) | LinkError::Garbled => LinkEnd::Lost,
            };
            let _ = self.sender.send(Err(why));
            if !self.watch.over.load(Ordering::Relaxed) {
                (self.watch.on_end)(self.watch.process, how);
            }
            return;
        }
    }

    fn frame(&mut self) -> Result<MeshFrame, LinkError> {
        let lost = |error: io::Error| {
            LinkError::Lost(match error.kind() {
                io::ErrorKind::UnexpectedEof => "its connection ended".to_owned(),
                _ => error.to_string(),
            })
        };
        let mut head = [0; HEAD];
        self.socket.read_exact(&mut head).map_err(lost)?;
        self.heard.add();
        let [kind, length @ ..] = head;
        let length = u64::from_le_bytes(length);
        match kind {
            ALIVE => {
                let mut told = [0; TOLD];
                self.socket.read_exact(&mut told).map_err(lost)?;
                return Ok(MeshFrame::Alive(ProcessLine::from_bytes(&told)));
            }
            DONE => {
                let reason = length.checked_sub(1);
                return Ok(MeshFrame::Done(
                    reason.map(|why| Stop::numbered(why as u16)),
                ));
            }
            MESSAGE => {}
            _ => return Err(LinkError::Garbled),
        }
        let length = usize::try_from(length).map_err(|_| LinkError::Garbled)?;
        let mut message = Vec::new();
        while message.len() < length {
            // No more memory than there are bytes: the length may be wrong.
            let from = message.len();
            message.resize(from + PIECE.min(length - from), 0);
            self.socket.read_exact(&mut message[from..]).map_err(lost)?;
            self.heard.add();
        }
        Ok(MeshFrame::Message(message))
    }
}

/// Tells the other processes that this one is alive, and how it does, until the mesh is over.
pub(super) fn tell_alive(
    writers: Vec<SharedSocket>,
    over: &Arc<AtomicBool>,
    board: &Arc<ProcessBoard>,
) -> io::Result<()> {
    let (over, board) = (Arc::clone(over), Arc::clone(board));
    thread::Builder::new()
        .name("mesh-alive".to_owned())
        .spawn(move || {
            while !over.load(Ordering::Relaxed) {
                let told = board.own_line().to_bytes();
                let alive = [&head(ALIVE, TOLD)[..], &told].concat();
                for writer in &writers {
                    // Where a message is being written, that is a sign of life.
                    if let Ok(mut writer) = writer.try_lock() {
                        let _ = writer.write_all(&alive);
                    }
                }
                thread::sleep(ALIVE_EVERY);
            }
        })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_looks_without_a_sign_between_them_count() {
        assert_eq!(LOOK_EVERY * SILENT_LOOKS, SILENCE);
        let mut silent = SilentLooks::default();
        let mut heard = 0;
        for _ in 0..4 {
            heard += 3;
            assert!((0..SILENT_LOOKS).all(|_| !silent.look(heard)));
        }
        assert!(silent.look(heard) && silent.look(heard) && !silent.look(heard + 1));
    }
}

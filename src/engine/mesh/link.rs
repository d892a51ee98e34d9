//! The link to one other process: frames on a socket, read by a thread of its own.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::board::{ProcessBoard, ProcessLine, TOLD};
use super::error::LinkError;
use super::{LinkEnd, OnEnd};
use crate::source::threads::lock;

/// Time between two signs of life.
const ALIVE_EVERY: Duration = Duration::from_millis(500);
/// Time without a sign of life after which a process is taken to be lost. One that is killed is noticed at once: its
/// connections end.
const SILENCE: Duration = Duration::from_secs(10);
/// Time between two looks for that.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// First bytes of frames.
const MESSAGE: u8 = 1;
const ALIVE: u8 = 2;
const DONE: u8 = 3;
/// Bytes of a frame before its message: the kind and the length.
const HEAD: usize = 9;
/// Bytes read at once: the time of the last sign of life is noted in between.
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
    heard: Arc<LastHeard>,
}

/// When a process was heard last.
struct LastHeard {
    begun: Instant,
    /// Milliseconds since then.
    at: AtomicU64,
}

impl LastHeard {
    fn now(&self) {
        let passed = self.begun.elapsed().as_millis() as u64;
        self.at.store(passed, Ordering::Relaxed);
    }

    fn silence(&self) -> Duration {
        let at = Duration::from_millis(self.at.load(Ordering::Relaxed));
        self.begun.elapsed().saturating_sub(at)
    }
}

impl Link {
    pub(super) fn new(socket: TcpStream, watch: LinkWatch) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(None)?;
        socket.set_write_timeout(Some(SILENCE))?;
        let heard = Arc::new(LastHeard {
            begun: Instant::now(),
            at: AtomicU64::new(0),
        });
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
        loop {
            match self.inbox.recv_timeout(LOOK_EVERY) {
                Ok(received) => return received,
                Err(RecvTimeoutError::Timeout) => {
                    let silence = self.heard.silence();
                    if silence > SILENCE {
                        let seconds = silence.as_secs();
                        let why = format!("no sign of life for {seconds} s");
                        return Err(LinkError::Lost(why));
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(LinkError::Lost("its connection ended".to_owned()));
                }
            }
        }
    }

    /// Ends the link: no message follows, since another process is lost, if one is.
    pub(super) fn end(&self, lost: Option<usize>) {
        let mut writer = lock(&self.writer);
        let _ = writer.set_write_timeout(Some(LOOK_EVERY));
        let _ = writer.write_all(&head(DONE, lost.map_or(0, |lost| lost + 1)));
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
    /// No message follows, since this process is lost, if it says that.
    Done(Option<usize>),
}

/// The thread that reads what another process sends.
struct Reader {
    socket: TcpStream,
    sender: Sender<Result<Vec<u8>, LinkError>>,
    heard: Arc<LastHeard>,
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
                Ok(MeshFrame::Done(lost)) => LinkError::Left(lost),
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
        self.heard.now();
        let [kind, length @ ..] = head;
        let length = u64::from_le_bytes(length);
        match kind {
            ALIVE => {
                let mut told = [0; TOLD];
                self.socket.read_exact(&mut told).map_err(lost)?;
                return Ok(MeshFrame::Alive(ProcessLine::from_bytes(&told)));
            }
            DONE => return Ok(MeshFrame::Done((length as usize).checked_sub(1))),
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
            self.heard.now();
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

//! A worker: it listens, and takes part in one search at a time, for those who know its key ([`super::calling`]).

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use super::calling::{JobHead, SENDING, checked};
use super::handshake::{
    GREETING, LOOK_EVERY, LinkPurpose, SearchKey, TimedSocket, garbled, has_sent,
};
use super::meeting::{Guest, Introduction, greet};
use crate::source::threads::lock;

/// Connections that are greeted at the same time; more are closed.
const GREETED_MAX: usize = 32;
/// Time after an error of the system before the next connection.
const AFTER_ERROR: Duration = Duration::from_millis(100);
/// Bytes of a body that are read at once: no more memory is taken than there are bytes.
const PIECE: usize = 1 << 20;

/// Takes who has connected, and why that came to nothing.
pub type OnRefusal = Box<dyn Fn(SocketAddr, &io::Error) + Send + Sync>;

/// Where connections to a worker come.
pub struct Desk {
    /// The key of those who may call.
    pub key: SearchKey,
    /// The version of the program.
    pub version: String,
    /// Called where a connection came to nothing.
    pub note: OnRefusal,
}

/// The search that a worker takes part in.
struct Engaged {
    key: SearchKey,
    about: u64,
    guests: Sender<Guest>,
}

/// What the threads of a desk share.
struct DeskState {
    desk: Desk,
    engaged: Mutex<Option<Engaged>>,
    /// Connections that are greeted now.
    greeted: AtomicUsize,
    jobs: Sender<WorkerJob>,
}

/// A search that this process was called to take part in.
pub struct WorkerJob {
    /// Who calls.
    pub from: SocketAddr,
    /// What it is about.
    pub body: Vec<u8>,
    /// The number of this process in the search.
    pub number: usize,
    socket: TcpStream,
    head: JobHead,
    key: SearchKey,
    guests: Receiver<Guest>,
}

impl Desk {
    /// Listens from now on, for one search; all who call after that learn that the worker is engaged.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn open(self, listener: TcpListener) -> io::Result<Receiver<WorkerJob>> {
        let (jobs, received) = channel();
        let state = Arc::new(DeskState {
            desk: self,
            engaged: Mutex::default(),
            greeted: AtomicUsize::new(0),
            jobs,
        });
        thread::Builder::new()
            .name("mesh-desk".to_owned())
            .spawn(move || accept(&state, &listener))?;
        Ok(received)
    }
}

fn accept(state: &Arc<DeskState>, listener: &TcpListener) {
    loop {
        let Ok((socket, from)) = listener.accept() else {
            thread::sleep(AFTER_ERROR);
            continue;
        };
        if state.greeted.fetch_add(1, Ordering::Relaxed) >= GREETED_MAX {
            state.greeted.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let greeting = Arc::clone(state);
        let started = thread::Builder::new()
            .name("mesh-greet".to_owned())
            .spawn(move || {
                if let Err(error) = greeting.receive(socket, from) {
                    (greeting.desk.note)(from, &error);
                }
                greeting.greeted.fetch_sub(1, Ordering::Relaxed);
            });
        if started.is_err() {
            state.greeted.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl DeskState {
    fn receive(&self, socket: TcpStream, from: SocketAddr) -> io::Result<()> {
        let mut timed = TimedSocket::new(&socket, GREETING)?;
        match timed.purpose()? {
            LinkPurpose::Link => {
                let engaged = lock(&self.engaged);
                let Some(Engaged { key, about, guests }) = &*engaged else {
                    return Err(garbled());
                };
                let (key, about, guests) = (*key, *about, guests.clone());
                drop(engaged);
                let guest = greet(&socket, timed, (&key, about))??;
                // No one waits for it where the search has begun without it.
                guests.send(guest).map_err(|_| garbled())
            }
            LinkPurpose::Job => {
                let told = timed.answer(&self.desk.key, LinkPurpose::Job)?;
                let Some(head) = JobHead::from_bytes(&told) else {
                    return Err(garbled());
                };
                let guests = match self.engage(&head) {
                    Ok(guests) => guests,
                    Err(why) => {
                        let _ = timed.tell_verdict(Err(&why));
                        return Err(why);
                    }
                };
                let body = timed
                    .tell_verdict(Ok(()))
                    .and_then(|()| checked(&head, body(&socket, head.length)?));
                if body.is_err() {
                    // The next one may call.
                    *lock(&self.engaged) = None;
                }
                let job = WorkerJob {
                    from,
                    body: body?,
                    number: head.number,
                    socket,
                    key: head.search_key(&self.desk.key),
                    head,
                    guests,
                };
                self.jobs.send(job).map_err(|_| garbled())
            }
        }
    }

    /// Takes a search on, or says in a sentence why not.
    fn engage(&self, head: &JobHead) -> io::Result<Receiver<Guest>> {
        let own = &self.desk.version;
        if head.version != *own {
            let theirs = &head.version;
            let why = format!("the worker is version {own}, and what calls it is {theirs}");
            return Err(io::Error::other(why));
        }
        let mut engaged = lock(&self.engaged);
        if engaged.is_some() {
            let why = "the worker takes part in another check";
            return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
        }
        let (sender, guests) = channel();
        *engaged = Some(Engaged {
            key: head.search_key(&self.desk.key),
            about: head.about(),
            guests: sender,
        });
        Ok(guests)
    }
}

fn body(socket: &TcpStream, length: usize) -> io::Result<Vec<u8>> {
    let mut timed = TimedSocket::new(socket, SENDING)?;
    let mut body = Vec::new();
    while body.len() < length {
        let from = body.len();
        body.resize(from + PIECE.min(length - from), 0);
        timed.read_all(&mut body[from..])?;
    }
    Ok(body)
}

impl WorkerJob {
    /// Links this process to all others of the search. Returns the connections, by process.
    ///
    /// # Errors
    /// A process that cannot be reached or has gone, or giving up. The caller is told.
    pub fn meet(self, gives_up: &dyn Fn() -> bool) -> io::Result<Vec<Option<TcpStream>>> {
        let linked = self.link(gives_up);
        match &linked {
            Ok(_) => TimedSocket::new(&self.socket, GREETING)?.tell_verdict(Ok(()))?,
            Err(error) => self.refuse(error),
        }
        let mut sockets = linked?;
        sockets[0] = Some(self.socket);
        Ok(sockets)
    }

    /// Tells who calls why this process does not take part.
    pub fn refuse(&self, why: &io::Error) {
        if let Ok(mut timed) = TimedSocket::new(&self.socket, GREETING) {
            let _ = timed.tell_verdict(Err(why));
        }
    }

    /// The links to all but the first process.
    fn link(&self, gives_up: &dyn Fn() -> bool) -> io::Result<Vec<Option<TcpStream>>> {
        let JobHead {
            number,
            processes,
            ref before,
            ..
        } = self.head;
        let myself = Introduction {
            number,
            port: 0,
            about: self.head.about(),
        };
        let mut sockets: Vec<Option<TcpStream>> = (0..processes).map(|_| None).collect();
        for (process, worker) in (1..).zip(before) {
            let linked = myself.connect(*worker, &self.key);
            let named = |error| io::Error::other(format!("it cannot reach {worker}: {error}"));
            sockets[process] = Some(linked.map_err(named)?);
        }
        while sockets[number + 1..].iter().any(Option::is_none) {
            match self.guests.recv_timeout(LOOK_EVERY) {
                Ok(guest) if guest.number > number => {
                    if let Some(place @ None) = sockets.get_mut(guest.number) {
                        *place = Some(guest.socket);
                    }
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(garbled()),
                // The caller sends nothing now; it is asked whether it is still there.
                Err(RecvTimeoutError::Timeout) => match has_sent(&self.socket) {
                    Ok(false) if !gives_up() => {}
                    Ok(_) => return Err(io::Error::other("not all processes have come")),
                    Err(error) => return Err(error),
                },
            }
        }
        Ok(sockets)
    }
}

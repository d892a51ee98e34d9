//! How the first process of a search calls workers that listen on other machines ([`super::desk`]).
//!
//! It connects to each, and says what the search is about; each connects to those called before it, and says when it is
//! linked to all. The first process itself listens nowhere.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use super::handshake::{
    GREETING, LOOK_EVERY, LinkPurpose, SearchKey, TimedSocket, garbled, has_sent, random,
};
use super::words::{Words, put, put_bytes};

/// Time for a job to be sent.
pub(super) const SENDING: Duration = Duration::from_secs(60);
/// Time that a worker has to end with another check, and time between two calls.
const ENDING: Duration = Duration::from_secs(3);
const AGAIN: Duration = Duration::from_millis(100);
/// Bytes of the longest job: the text of a script, and its arguments.
pub(super) const BODY_MAX: usize = 64 << 20;
/// Processes of one search at most.
pub(super) const PROCESSES_MAX: usize = 64;

/// A call to workers to take part in a search.
pub struct WorkerCall<'c> {
    /// The key that the workers hold.
    pub key: SearchKey,
    /// The version of the program, which has to be that of the workers.
    pub version: &'c str,
    /// The workers: processes 1, 2 and so on of the search. All have to reach those before them by these addresses.
    pub workers: &'c [SocketAddr],
    /// What the search is about, as the worker reads it.
    pub body: &'c [u8],
    /// Asked now and then: whether to give up.
    pub gives_up: &'c dyn Fn() -> bool,
}

/// What is told of a job before its body.
pub(super) struct JobHead {
    pub(super) version: String,
    /// The number of the worker in the search.
    pub(super) number: usize,
    pub(super) processes: usize,
    /// Random bytes of this search.
    pub(super) nonce: [u8; 32],
    /// The workers with smaller numbers.
    pub(super) before: Vec<SocketAddr>,
    /// The length of the body.
    pub(super) length: usize,
    /// Its hash.
    pub(super) digest: [u8; 32],
}

impl JobHead {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, self.version.as_bytes());
        put(&mut bytes, self.number as u64);
        put(&mut bytes, self.processes as u64);
        put_bytes(&mut bytes, &self.nonce);
        for worker in &self.before {
            put_bytes(&mut bytes, worker.to_string().as_bytes());
        }
        put(&mut bytes, self.length as u64);
        put_bytes(&mut bytes, &self.digest);
        bytes
    }

    /// `None` where it is not sound.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut words = Words(bytes);
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let version = text(words.bytes()?)?.to_owned();
        let (number, processes) = (words.size()?, words.size()?);
        if processes > PROCESSES_MAX || !(1..processes).contains(&number) {
            return None;
        }
        let nonce = words.bytes()?.try_into().ok()?;
        let mut before = Vec::new();
        for _ in 1..number {
            before.push(text(words.bytes()?)?.parse().ok()?);
        }
        let head = Self {
            version,
            number,
            processes,
            nonce,
            before,
            length: words.size().filter(|length| *length <= BODY_MAX)?,
            digest: words.bytes()?.try_into().ok()?,
        };
        words.is_over().then_some(head)
    }

    /// The key of this search.
    pub(super) fn search_key(&self, key: &SearchKey) -> SearchKey {
        key.of_search(&[&self.nonce, &self.digest])
    }

    /// What links of this search are about, as in [`super::meeting::Meeting`].
    pub(super) fn about(&self) -> u64 {
        u64::from_le_bytes(self.digest.first_chunk().copied().unwrap_or_default())
    }
}

impl WorkerCall<'_> {
    /// Calls all workers, and waits until they are linked to each other. Returns the connections, by process.
    ///
    /// # Errors
    /// The number of a process that does not come, and why; 0 where none is to blame.
    pub fn all(&self) -> Result<Vec<Option<TcpStream>>, (usize, io::Error)> {
        let nonce = random().map_err(|error| (0, error))?;
        let processes = self.workers.len() + 1;
        if processes > PROCESSES_MAX || self.body.len() > BODY_MAX {
            let why = "there are too many workers, or the script is too long";
            return Err((0, io::Error::other(why)));
        }
        let digest = *blake3::hash(self.body).as_bytes();
        let mut sockets = vec![None];
        for (at, worker) in self.workers.iter().enumerate() {
            let head = JobHead {
                version: self.version.to_owned(),
                number: at + 1,
                processes,
                nonce,
                before: self.workers[..at].to_vec(),
                length: self.body.len(),
                digest,
            };
            if (self.gives_up)() {
                return Err((0, io::Error::other("interrupted")));
            }
            let called = self.call_again(*worker, &head);
            sockets.push(Some(called.map_err(|error| (at + 1, error))?));
        }
        self.wait(&sockets)?;
        Ok(sockets)
    }

    /// Calls a worker; one that ends with another check is given a moment.
    fn call_again(&self, worker: SocketAddr, head: &JobHead) -> io::Result<TcpStream> {
        let begun = Instant::now();
        loop {
            let called = self.call(worker, head);
            let ends = |error: &io::Error| {
                matches!(
                    error.kind(),
                    io::ErrorKind::ResourceBusy
                        | io::ErrorKind::UnexpectedEof
                        | io::ErrorKind::ConnectionReset
                        | io::ErrorKind::BrokenPipe
                )
            };
            if !called.as_ref().is_err_and(ends) || begun.elapsed() > ENDING || (self.gives_up)() {
                return called;
            }
            std::thread::sleep(AGAIN);
        }
    }

    fn call(&self, worker: SocketAddr, head: &JobHead) -> io::Result<TcpStream> {
        let socket = TcpStream::connect_timeout(&worker, GREETING)?;
        let mut timed = TimedSocket::new(&socket, GREETING)?;
        timed.ask(&self.key, LinkPurpose::Job, &head.to_bytes())?;
        timed.verdict()?;
        TimedSocket::new(&socket, SENDING)?.write_all(self.body)?;
        Ok(socket)
    }

    /// Waits until each worker says that it is linked to all.
    fn wait(&self, sockets: &[Option<TcpStream>]) -> Result<(), (usize, io::Error)> {
        let mut missing: Vec<(usize, &TcpStream)> = Vec::new();
        missing.extend(
            (0..)
                .zip(sockets)
                .filter_map(|(n, s)| Some((n, s.as_ref()?))),
        );
        while let Some((first, _)) = missing.first() {
            if (self.gives_up)() {
                let why = "it is not linked to all others in time";
                return Err((*first, io::Error::new(io::ErrorKind::TimedOut, why)));
            }
            let mut waiting = Vec::new();
            for (process, socket) in missing {
                let linked = has_sent(socket).and_then(|has_sent| {
                    if has_sent {
                        TimedSocket::new(socket, GREETING)?.verdict()?;
                    }
                    Ok(has_sent)
                });
                if !linked.map_err(|error| (process, error))? {
                    waiting.push((process, socket));
                }
            }
            missing = waiting;
            std::thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }
}

/// Whether a body is the one that its head tells of.
pub(super) fn checked(head: &JobHead, body: Vec<u8>) -> io::Result<Vec<u8>> {
    match blake3::hash(&body) == blake3::Hash::from_bytes(head.digest) {
        true => Ok(body),
        false => Err(garbled()),
    }
}

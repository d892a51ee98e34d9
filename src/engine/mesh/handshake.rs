//! How two processes prove to each other that they hold the same key, before anything else is read.
//!
//! The one that connects sends random bytes; the other one answers with its own, and with a proof over both; the first
//! one answers with a proof over both and what it has to say. So the key is never sent, and no proof is of use on another
//! connection. Times and lengths are limited: a stranger may send anything, or nothing.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Time for all of a handshake.
pub(super) const GREETING: Duration = Duration::from_secs(5);
/// Time between two looks for something that may take long.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Bytes that are said in a handshake at most.
const BLOCK_MAX: usize = 1 << 14;

/// Answers to a handshake.
const REFUSED: u8 = 0;
const WELCOME: u8 = 1;
const BUSY: u8 = 2;

/// What all processes of a search know, and no one else.
#[derive(Clone, Copy)]
pub struct SearchKey([u8; 32]);

impl SearchKey {
    /// A new one.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> io::Result<Self> {
        Ok(Self(random()?))
    }

    /// The key of these bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Derives the key from a secret of any length.
    #[must_use]
    pub fn of_secret(secret: &[u8]) -> Self {
        Self(blake3::derive_key("orbitscope 2026 key of hosts", secret))
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// A proof of knowing the key, for one connection.
    fn proof(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        *hasher.finalize().as_bytes()
    }

    /// The key of one search, which only those who know this one can derive.
    pub(super) fn of_search(&self, parts: &[&[u8]]) -> Self {
        Self(self.proof(&[&[&b"search"[..]], parts].concat()))
    }

    /// Whether a proof is right, in a time that does not depend on it.
    fn proves(&self, parts: &[&[u8]], proof: [u8; 32]) -> bool {
        blake3::Hash::from_bytes(self.proof(parts)) == blake3::Hash::from_bytes(proof)
    }
}

pub(super) fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// What a connection is for. The first bytes on it name that, and the version of what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkPurpose {
    /// To link two processes of a search.
    Link,
    /// To ask a worker to take part in a search.
    Job,
}

const MAGIC: usize = 16;

impl LinkPurpose {
    fn magic(self) -> &'static [u8; MAGIC] {
        match self {
            Self::Link => b"orbitscope-link2",
            Self::Job => b"orbitscope-jobs2",
        }
    }
}

/// A socket on which all has to be over by a time.
pub(super) struct TimedSocket<'s> {
    socket: &'s TcpStream,
    until: Instant,
}

impl<'s> TimedSocket<'s> {
    pub(super) fn new(socket: &'s TcpStream, time: Duration) -> io::Result<Self> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        let until = Instant::now() + time;
        Ok(Self { socket, until })
    }

    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        match left.is_zero() {
            true => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "it does not answer",
            )),
            false => Ok(Some(left)),
        }
    }

    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut array = [0; N];
        self.read_all(&mut array)?;
        Ok(array)
    }

    fn block(&mut self) -> io::Result<Vec<u8>> {
        let length = u32::from_le_bytes(self.array()?) as usize;
        if length > BLOCK_MAX {
            return Err(garbled());
        }
        let mut block = vec![0; length];
        self.read_all(&mut block)?;
        Ok(block)
    }

    /// Reads as many bytes as there is room for.
    pub(super) fn read_all(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => gone(),
            _ => error,
        })
    }

    fn put_block(&mut self, block: &[u8]) -> io::Result<()> {
        self.write_all(&(block.len() as u32).to_le_bytes())?;
        self.write_all(block)
    }

    /// Reads what a connection to here is for.
    pub(super) fn purpose(&mut self) -> io::Result<LinkPurpose> {
        let magic = self.array()?;
        let both = [LinkPurpose::Link, LinkPurpose::Job];
        let found = both.into_iter().find(|purpose| *purpose.magic() == magic);
        found.ok_or_else(garbled)
    }

    /// The side that was connected to, once it knows the purpose. Returns what the other side says.
    pub(super) fn answer(&mut self, key: &SearchKey, purpose: LinkPurpose) -> io::Result<Vec<u8>> {
        let magic = purpose.magic();
        let mine = random()?;
        let theirs = self.array::<32>()?;
        self.write_all(magic)?;
        self.write_all(&mine)?;
        self.write_all(&key.proof(&[b"answers", magic, &theirs, &mine]))?;
        let told = self.block()?;
        let proof = self.array()?;
        match key.proves(&[b"asks", magic, &theirs, &mine, &told], proof) {
            true => Ok(told),
            false => Err(io::Error::other("it does not know the key")),
        }
    }

    /// The side that connects, with what it has to say.
    pub(super) fn ask(
        &mut self,
        key: &SearchKey,
        purpose: LinkPurpose,
        told: &[u8],
    ) -> io::Result<()> {
        let magic = purpose.magic();
        let mine = random()?;
        self.write_all(magic)?;
        self.write_all(&mine)?;
        if self.array()? != *magic {
            return Err(garbled());
        }
        let theirs = self.array::<32>()?;
        let proof = self.array()?;
        if !key.proves(&[b"answers", magic, &mine, &theirs], proof) {
            return Err(io::Error::other("it does not know the key"));
        }
        self.put_block(told)?;
        self.write_all(&key.proof(&[b"asks", magic, &mine, &theirs, told]))
    }

    /// Tells the other side that it is welcome, or in a sentence why not.
    pub(super) fn tell_verdict(&mut self, verdict: Result<(), &io::Error>) -> io::Result<()> {
        let (kind, why) = match verdict {
            Ok(()) => (WELCOME, String::new()),
            Err(why) if why.kind() == io::ErrorKind::ResourceBusy => (BUSY, why.to_string()),
            Err(why) => (REFUSED, why.to_string()),
        };
        self.write_all(&[kind])?;
        self.put_block(&why.as_bytes()[..why.len().min(BLOCK_MAX)])
    }

    /// Whether this side is welcome.
    pub(super) fn verdict(&mut self) -> io::Result<()> {
        let kind = self.array()?;
        let why = self.block()?;
        let why = || String::from_utf8_lossy(&why).into_owned();
        match kind {
            [WELCOME] => Ok(()),
            [BUSY] => Err(io::Error::new(io::ErrorKind::ResourceBusy, why())),
            [REFUSED] => Err(io::Error::other(why())),
            _ => Err(garbled()),
        }
    }
}

impl Read for TimedSocket<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.socket.set_read_timeout(self.left()?)?;
        let mut socket = self.socket;
        socket.read(bytes).map_err(late)
    }
}

impl Write for TimedSocket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.socket.set_write_timeout(self.left()?)?;
        let mut socket = self.socket;
        socket.write(bytes).map_err(late)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Says of a time that is over what it means here.
fn late(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            io::Error::new(io::ErrorKind::TimedOut, "it does not answer")
        }
        _ => error,
    }
}

/// Whether the other side has sent something; an error if it has gone.
pub(super) fn has_sent(socket: &TcpStream) -> io::Result<bool> {
    socket.set_nonblocking(true)?;
    let peeked = socket.peek(&mut [0]);
    socket.set_nonblocking(false)?;
    match peeked {
        Ok(0) => Err(gone()),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(error),
    }
}

fn gone() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "its connection ended")
}

pub(super) fn garbled() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "what was sent is not of this program, or of another version",
    )
}

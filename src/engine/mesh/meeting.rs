//! How the processes of a search find each other: they connect, and prove that they hold the same key and are about the
//! same search, before anything else is read.
//!
//! The first process listens; the others connect to it, and each tells where it listens itself. Once all have come, each
//! learns the addresses of the others, and connects to those with smaller numbers.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::words::{Words, put_bytes};

/// The first bytes on a connection, and the version of what follows.
const MAGIC: &[u8; 16] = b"orbitscope-mesh1";
/// Time for the exchange of proofs on one connection.
const GREETING: Duration = Duration::from_secs(5);
/// Time between two looks for a connection.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Bytes of the longest list of addresses.
const LIST_MAX: usize = 1 << 16;

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

    /// Whether a proof is right, in a time that does not depend on it.
    fn proves(&self, parts: &[&[u8]], proof: [u8; 32]) -> bool {
        blake3::Hash::from_bytes(self.proof(parts)) == blake3::Hash::from_bytes(proof)
    }
}

fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// A process that meets others.
pub struct Meeting<'m> {
    /// The key of the search.
    pub key: SearchKey,
    /// What the search is about: its script, its arguments and the version of the program.
    pub about: u64,
    /// The number of processes.
    pub processes: usize,
    /// Asked now and then: whether to give up.
    pub gives_up: &'m dyn Fn() -> bool,
}

/// The other side of a connection.
struct Guest {
    socket: TcpStream,
    number: usize,
    /// The port at which it listens.
    port: u16,
}

/// Bytes that a process tells of itself: its number, its port and what it is about.
const SELF: usize = 14;
/// Answers to that.
const WELCOME: u8 = 1;
const OTHER_SEARCH: u8 = 2;

impl Meeting<'_> {
    /// A place to listen at, on this machine alone.
    ///
    /// # Errors
    /// No port is free.
    pub fn listen() -> io::Result<TcpListener> {
        TcpListener::bind((IpAddr::V4(Ipv4Addr::LOCALHOST), 0))
    }

    /// Meets the others as the first process. Returns the connections, by process.
    ///
    /// # Errors
    /// Giving up, or a process that is about another search.
    pub fn host(&self, listener: &TcpListener) -> io::Result<Vec<Option<TcpStream>>> {
        let guests = self.gather(listener, self.processes - 1, 0)?;
        let mut list = Vec::new();
        for (number, guest) in guests.iter().enumerate().skip(1) {
            let address = match guest {
                Some(guest) => SocketAddr::new(guest.socket.peer_addr()?.ip(), guest.port),
                None => return Err(io::Error::other(format!("process {number} did not come"))),
            };
            put_bytes(&mut list, address.to_string().as_bytes());
        }
        let mut sockets = Vec::new();
        for guest in guests {
            let socket = guest.map(|mut guest| {
                let sent = guest.socket.write_all(&(list.len() as u32).to_le_bytes());
                sent.and_then(|()| guest.socket.write_all(&list))
                    .map(|()| guest.socket)
            });
            sockets.push(socket.transpose()?);
        }
        Ok(sockets)
    }

    /// Meets the others as process `own`, given where the first one listens. Returns the connections, by process.
    ///
    /// # Errors
    /// As [`Meeting::host`].
    pub fn join(&self, own: usize, first: SocketAddr) -> io::Result<Vec<Option<TcpStream>>> {
        let listener = TcpListener::bind(SocketAddr::new(local(first), 0))?;
        let port = listener.local_addr()?.port();
        let mut host = self.connect(first, own, port)?;
        // It answers once all have come.
        host.set_read_timeout(Some(LOOK_EVERY))?;
        let mut length = [0; 4];
        self.read_patiently(&mut host, &mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > LIST_MAX {
            return Err(garbled());
        }
        let mut list = vec![0; length];
        self.read_patiently(&mut host, &mut list)?;
        let mut words = Words(&list);
        let mut sockets: Vec<Option<TcpStream>> = (0..self.processes).map(|_| None).collect();
        sockets[0] = Some(host);
        for socket in &mut sockets[1..own] {
            let address = words
                .bytes()
                .and_then(|text| std::str::from_utf8(text).ok());
            let address = address.and_then(|text| text.parse().ok());
            *socket = Some(self.connect(address.ok_or_else(garbled)?, own, port)?);
        }
        let others = self.gather(&listener, self.processes - 1 - own, own)?;
        for guest in others.into_iter().flatten() {
            sockets[guest.number] = Some(guest.socket);
        }
        Ok(sockets)
    }

    /// Waits until that many processes with numbers above `own` have come.
    fn gather(
        &self,
        listener: &TcpListener,
        count: usize,
        own: usize,
    ) -> io::Result<Vec<Option<Guest>>> {
        listener.set_nonblocking(true)?;
        let mut guests: Vec<Option<Guest>> = (0..self.processes).map(|_| None).collect();
        while guests.iter().flatten().count() < count {
            match listener.accept() {
                Ok((socket, _)) => {
                    // A stranger is refused, and others may still come.
                    if let Ok(guest) = self.greet(socket)?
                        && guest.number > own
                        && let Some(place) = guests.get_mut(guest.number)
                    {
                        *place = Some(guest);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.unless_given_up()?;
                    std::thread::sleep(LOOK_EVERY);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(guests)
    }

    fn unless_given_up(&self) -> io::Result<()> {
        match (self.gives_up)() {
            true => Err(io::Error::other("not all processes have come")),
            false => Ok(()),
        }
    }

    /// Reads from a process that may need its time.
    fn read_patiently(&self, socket: &mut TcpStream, bytes: &mut [u8]) -> io::Result<()> {
        let mut read = 0;
        while read < bytes.len() {
            match socket.read(&mut bytes[read..]) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(more) => read += more,
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    self.unless_given_up()?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The side that was connected to. The inner error is that of a stranger.
    fn greet(&self, mut socket: TcpStream) -> io::Result<io::Result<Guest>> {
        let mut about = None;
        let mut greeted = || {
            socket.set_nonblocking(false)?;
            limit(&socket)?;
            let mine = random()?;
            let mut theirs = [0; 32];
            expect_magic(&mut socket)?;
            socket.read_exact(&mut theirs)?;
            socket.write_all(MAGIC)?;
            socket.write_all(&mine)?;
            socket.write_all(&self.key.proof(&[b"answer", &theirs, &mine]))?;
            let (mut told, mut proof) = ([0; SELF], [0; 32]);
            socket.read_exact(&mut told)?;
            socket.read_exact(&mut proof)?;
            if !self.key.proves(&[b"asks", &theirs, &mine, &told], proof) {
                return Err(garbled());
            }
            let [n0, n1, n2, n3, p0, p1, what @ ..] = told;
            let number = u32::from_le_bytes([n0, n1, n2, n3]) as usize;
            about = Some((number, u64::from_le_bytes(what)));
            let is_same = u64::from_le_bytes(what) == self.about;
            socket.write_all(&[if is_same { WELCOME } else { OTHER_SEARCH }])?;
            Ok((number, u16::from_le_bytes([p0, p1])))
        };
        let greeted = greeted();
        if let Some((number, what)) = about
            && what != self.about
        {
            return Err(other_search(number));
        }
        Ok(greeted.map(|(number, port)| Guest {
            socket,
            number,
            port,
        }))
    }

    /// The side that connects.
    fn connect(&self, to: SocketAddr, own: usize, port: u16) -> io::Result<TcpStream> {
        let begun = Instant::now();
        let mut socket = TcpStream::connect_timeout(&to, GREETING)?;
        limit(&socket)?;
        let mine = random()?;
        socket.write_all(MAGIC)?;
        socket.write_all(&mine)?;
        let (mut theirs, mut proof) = ([0; 32], [0; 32]);
        expect_magic(&mut socket)?;
        socket.read_exact(&mut theirs)?;
        socket.read_exact(&mut proof)?;
        if !self.key.proves(&[b"answer", &mine, &theirs], proof) {
            return Err(io::Error::other(format!("{to} does not know the key")));
        }
        let mut told = [0; SELF];
        told[..4].copy_from_slice(&(own as u32).to_le_bytes());
        told[4..6].copy_from_slice(&port.to_le_bytes());
        told[6..].copy_from_slice(&self.about.to_le_bytes());
        socket.write_all(&told)?;
        socket.write_all(&self.key.proof(&[b"asks", &mine, &theirs, &told]))?;
        let mut answer = [0];
        socket.read_exact(&mut answer)?;
        debug_assert!(begun.elapsed() < 8 * GREETING);
        match answer {
            [WELCOME] => Ok(socket),
            [OTHER_SEARCH] => Err(other_search(own)),
            _ => Err(garbled()),
        }
    }
}

/// The address of this machine that another one is reached from.
fn local(first: SocketAddr) -> IpAddr {
    match first.ip() {
        ip if ip.is_loopback() => ip,
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(std::net::Ipv6Addr::UNSPECIFIED),
    }
}

fn limit(socket: &TcpStream) -> io::Result<()> {
    socket.set_nodelay(true)?;
    socket.set_read_timeout(Some(GREETING))?;
    socket.set_write_timeout(Some(GREETING))
}

fn expect_magic(socket: &mut TcpStream) -> io::Result<()> {
    let mut magic = [0; MAGIC.len()];
    socket.read_exact(&mut magic)?;
    match &magic == MAGIC {
        true => Ok(()),
        false => Err(garbled()),
    }
}

fn garbled() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "what was sent is not of this program",
    )
}

fn other_search(number: usize) -> io::Error {
    io::Error::other(format!(
        "process {number} has another script, other arguments or another version of the program"
    ))
}

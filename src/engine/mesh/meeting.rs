//! How the processes of a search find each other: they connect, and prove that they hold the same key and are about the
//! same search, before anything else is read.
//!
//! The first process listens; the others connect to it, and each tells where it listens itself. Once all have come, each
//! learns the addresses of the others, and connects to those with smaller numbers.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};

use super::handshake::{GREETING, LOOK_EVERY, LinkPurpose, SearchKey, TimedSocket, garbled};
use super::words::{Words, put_bytes};

/// Bytes of the longest list of addresses.
const LIST_MAX: usize = 1 << 16;

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
pub(super) struct Guest {
    pub(super) socket: TcpStream,
    pub(super) number: usize,
    /// The port at which it listens.
    port: u16,
}

/// What a process tells of itself.
#[derive(Clone, Copy)]
pub(super) struct Introduction {
    pub(super) number: usize,
    /// The port at which it listens; 0 if the others know it.
    pub(super) port: u16,
    /// As [`Meeting::about`].
    pub(super) about: u64,
}

impl Introduction {
    fn to_bytes(self) -> Vec<u8> {
        let number = (self.number as u32).to_le_bytes();
        let about = self.about.to_le_bytes();
        [&number[..], &self.port.to_le_bytes(), &about].concat()
    }

    fn from_bytes(told: &[u8]) -> Option<Self> {
        let [n0, n1, n2, n3, p0, p1, about @ ..] = told else {
            return None;
        };
        Some(Self {
            number: u32::from_le_bytes([*n0, *n1, *n2, *n3]) as usize,
            port: u16::from_le_bytes([*p0, *p1]),
            about: u64::from_le_bytes(about.try_into().ok()?),
        })
    }

    /// Connects to another process of the search.
    pub(super) fn connect(self, to: SocketAddr, key: &SearchKey) -> io::Result<TcpStream> {
        let socket = TcpStream::connect_timeout(&to, GREETING)?;
        let mut timed = TimedSocket::new(&socket, GREETING)?;
        timed.ask(key, LinkPurpose::Link, &self.to_bytes())?;
        timed.verdict()?;
        Ok(socket)
    }
}

/// Greets a process that has connected, once the purpose is read. The inner error is that of a stranger.
pub(super) fn greet(
    socket: &TcpStream,
    mut timed: TimedSocket<'_>,
    (key, about): (&SearchKey, u64),
) -> io::Result<io::Result<Guest>> {
    let mut greeted = || {
        let told = timed.answer(key, LinkPurpose::Link)?;
        Introduction::from_bytes(&told).ok_or_else(garbled)
    };
    let Introduction {
        number,
        port,
        about: theirs,
    } = match greeted() {
        Ok(introduction) => introduction,
        Err(error) => return Ok(Err(error)),
    };
    if theirs != about {
        let why = io::Error::other(format!(
            "process {number} has another script, other arguments or another version of the program"
        ));
        let _ = timed.tell_verdict(Err(&why));
        return Err(why);
    }
    let welcomed = timed.tell_verdict(Ok(())).and_then(|()| socket.try_clone());
    Ok(welcomed.map(|socket| Guest {
        socket,
        number,
        port,
    }))
}

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
        let myself = Introduction {
            number: own,
            port,
            about: self.about,
        };
        let mut host = myself.connect(first, &self.key)?;
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
            *socket = Some(myself.connect(address.ok_or_else(garbled)?, &self.key)?);
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
                    if let Ok(guest) = self.welcome(&socket)?
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

    fn welcome(&self, socket: &TcpStream) -> io::Result<io::Result<Guest>> {
        let purpose = || {
            let mut timed = TimedSocket::new(socket, GREETING)?;
            match timed.purpose()? {
                LinkPurpose::Link => Ok(timed),
                LinkPurpose::Job => Err(garbled()),
            }
        };
        match purpose() {
            Ok(timed) => greet(socket, timed, (&self.key, self.about)),
            Err(error) => Ok(Err(error)),
        }
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
}

/// The address of this machine that another one is reached from.
fn local(first: SocketAddr) -> IpAddr {
    match first.ip() {
        ip if ip.is_loopback() => ip,
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    }
}

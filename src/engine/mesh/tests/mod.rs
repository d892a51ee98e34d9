//! Unit tests of exchanges, and of how processes meet.

mod desks;
mod exchanges;
mod meetings;
mod words;

use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// Both ends of a connection.
fn pair() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let to = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
    (to, listener.accept().expect("the same").0)
}

/// The sockets of this many processes, by process and by other process.
fn sockets(processes: usize) -> Vec<Vec<Option<TcpStream>>> {
    let mut sockets: Vec<Vec<Option<TcpStream>>> = Vec::new();
    for _ in 0..processes {
        // Connected to those before, and not to itself.
        let mut row = Vec::new();
        for before in &mut sockets {
            let (to, from) = pair();
            before.push(Some(from));
            row.push(Some(to));
        }
        row.push(None);
        sockets.push(row);
    }
    sockets
}

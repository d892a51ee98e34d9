//! How processes meet: with strangers, with another key, about another search.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::mesh::meeting::Meeting;
use crate::mesh::{Mesh, OnEnd, SearchKey};

/// What each process does before it meets the others.
type Before<'t> = &'t (dyn Fn(SocketAddr) + Sync);

/// Lets processes meet, each with a key and what it is about.
fn meet(
    who: &[(SearchKey, u64)],
    patience: Duration,
    before: Before<'_>,
) -> Vec<io::Result<Vec<Option<TcpStream>>>> {
    let listener = Meeting::listen().expect("a port");
    let first = listener.local_addr().expect("an address");
    thread::scope(|scope| {
        let (listener, processes) = (&listener, who.len());
        before(first);
        let start = |(own, (key, about)): (usize, &(SearchKey, u64))| {
            let (key, about) = (*key, *about);
            scope.spawn(move || {
                let begun = Instant::now();
                let meeting = Meeting {
                    key,
                    about,
                    processes,
                    gives_up: &|| begun.elapsed() > patience,
                };
                match own {
                    0 => meeting.host(listener),
                    _ => meeting.join(own, first),
                }
            })
        };
        let started: Vec<_> = who.iter().enumerate().map(start).collect();
        let met = started.into_iter().map(|one| one.join().expect("no panic"));
        met.collect()
    })
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn all_meet_and_strangers_do_not_hinder_them() {
    let key = SearchKey::random().expect("random numbers");
    let strangers = |to: SocketAddr| {
        thread::spawn(move || {
            for garbage in [
                &b"GET / HTTP/1.1\r\n\r\n"[..],
                b"",
                b"orbitscope-link2",
                &[0; 4096],
            ] {
                if let Ok(mut socket) = TcpStream::connect(to) {
                    let _ = socket.write_all(garbage);
                }
            }
        });
    };
    for processes in [2, 4] {
        let met = meet(&vec![(key, 7); processes], LONG, &strangers);
        thread::scope(|scope| {
            for (own, sockets) in met.into_iter().enumerate() {
                scope.spawn(move || {
                    let on_end: OnEnd = Arc::new(|_, _| {});
                    let sockets = sockets.expect("they meet");
                    let mut mesh = Mesh::new(own, sockets, &on_end).expect("threads");
                    let told = mesh.tell_all(&[own as u8]).expect("all are there");
                    assert!((0..processes).all(|from| told[from] == [from as u8]));
                });
            }
        });
    }
}

#[test]
fn another_key_is_refused() {
    let (key, other) = (SearchKey::new([1; 32]), SearchKey::new([2; 32]));
    let met = meet(&[(key, 7), (other, 7)], Duration::from_millis(500), &|_| {});
    assert!(met.iter().all(io::Result::is_err), "{met:?}");
    let why = met[1].as_ref().expect_err("refused").to_string();
    assert!(why.contains("does not know the key"), "{why}");
}

#[test]
fn another_search_is_refused_by_name() {
    let key = SearchKey::new([1; 32]);
    let met = meet(&[(key, 7), (key, 8)], LONG, &|_| {});
    for end in met {
        let why = end.expect_err("refused").to_string();
        assert!(why.contains("process 1 has another script"), "{why}");
    }
}

/// The key itself is never sent, and an answer is of use on one connection alone.
#[test]
fn a_proof_is_no_proof_elsewhere() {
    let key = SearchKey::new([9; 32]);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // Both sides are recorded, and what the guest said is said again.
    let told = thread::scope(|scope| {
        let guest = scope.spawn(move || {
            let meeting = Meeting {
                key,
                about: 7,
                processes: 2,
                gives_up: &|| true,
            };
            meeting.join(1, address)
        });
        let (mut socket, _) = listener.accept().expect("the guest");
        let mut told = [0; 48];
        socket.read_exact(&mut told).expect("its greeting");
        drop(socket);
        assert!(guest.join().expect("no panic").is_err());
        told
    });
    assert!(!told.windows(32).any(|part| part == key.bytes()));
    let listener = Meeting::listen().expect("a port");
    let address = listener.local_addr().expect("an address");
    let mut socket = TcpStream::connect(address).expect("connected");
    socket.write_all(&told).expect("sent");
    socket.write_all(&[0; 46]).expect("sent");
    let begun = Instant::now();
    let meeting = Meeting {
        key,
        about: 7,
        processes: 2,
        gives_up: &|| begun.elapsed() > Duration::from_millis(300),
    };
    assert!(meeting.host(&listener).is_err());
}

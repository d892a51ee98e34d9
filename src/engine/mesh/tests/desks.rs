//! How workers are called: whom they refuse, and how they are linked to each other.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::thread;

use crate::mesh::{Desk, Mesh, OnEnd, SearchKey, WorkerCall, WorkerJob};

const VERSION: &str = "1.2.3";

fn desk(key: SearchKey, version: &str) -> (SocketAddr, Receiver<WorkerJob>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let desk = Desk {
        key,
        version: version.to_owned(),
        note: Box::new(|_, _| {}),
    };
    (address, desk.open(listener).expect("a thread"))
}

type Called = Result<Vec<Option<TcpStream>>, (usize, io::Error)>;

fn call(key: SearchKey, workers: &[SocketAddr], body: &[u8]) -> Called {
    let call = WorkerCall {
        key,
        version: VERSION,
        workers,
        body,
        gives_up: &|| false,
    };
    call.all()
}

#[test]
fn workers_are_linked_to_each_other() {
    let key = SearchKey::random().expect("random numbers");
    let desks: Vec<_> = (0..3).map(|_| desk(key, VERSION)).collect();
    let workers: Vec<SocketAddr> = desks.iter().map(|(address, _)| *address).collect();
    let body = vec![7; 3_000_000];
    thread::scope(|scope| {
        for (_, jobs) in desks {
            let body = &body;
            scope.spawn(move || {
                let job = jobs.recv().expect("a job");
                assert_eq!(job.body, *body);
                let own = job.number;
                told_all(own, job.meet(&|| false).expect("they meet"));
            });
        }
        told_all(0, call(key, &workers, &body).expect("they come"));
    });
}

fn told_all(own: usize, sockets: Vec<Option<TcpStream>>) {
    let on_end: OnEnd = Arc::new(|_, _| {});
    let mut mesh = Mesh::new(own, sockets, &on_end).expect("threads");
    let told = mesh.tell_all(&[own as u8]).expect("all are there");
    assert!((0..4).all(|from| told[from] == [from as u8]));
}

#[test]
fn another_key_version_or_check_is_refused() {
    let (key, other) = (SearchKey::new([1; 32]), SearchKey::new([2; 32]));
    let why = |(address, jobs): (SocketAddr, Receiver<WorkerJob>)| {
        let (process, why) = call(key, &[address], b"a job").expect_err("refused");
        assert_eq!(process, 1);
        assert!(jobs.try_recv().is_err());
        why.to_string()
    };
    let told = why(desk(other, VERSION));
    assert_eq!(told, "it does not know the key");
    let told = why(desk(key, "1.2.4"));
    assert_eq!(
        told,
        "the worker is version 1.2.4, and what calls it is 1.2.3"
    );
    // It has taken a job on, whose caller is at its meeting.
    let (address, jobs) = desk(key, VERSION);
    let first = thread::spawn(move || call(key, &[address], b"first"));
    let job = jobs.recv().expect("a job");
    let told = why((address, jobs));
    assert_eq!(told, "the worker takes part in another check");
    job.refuse(&io::Error::other("a reason"));
    let (_, why) = first.join().expect("no panic").expect_err("refused");
    assert_eq!(why.to_string(), "a reason");
}

/// A worker that cannot be linked to another one says so; one whose caller has gone gives up.
#[test]
fn who_is_missing_is_named() {
    let key = SearchKey::new([1; 32]);
    let (first, first_jobs) = desk(key, VERSION);
    let (second, second_jobs) = desk(key, VERSION);
    let calling = thread::spawn(move || call(key, &[first, second], b"a job"));
    let first_job = first_jobs.recv().expect("a job");
    let second_job = second_jobs.recv().expect("a job");
    drop(first_jobs);
    let waiting = thread::spawn(move || first_job.meet(&|| false));
    // It never comes to its meeting.
    second_job.refuse(&io::Error::other("it is tired"));
    let (process, why) = calling.join().expect("no panic").expect_err("refused");
    assert_eq!((process, why.to_string().as_str()), (2, "it is tired"));
    assert!(waiting.join().expect("no panic").is_err());
}

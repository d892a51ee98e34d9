//! Exchanges between processes, played by threads, and their ends.

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{pair, sockets};
use crate::mesh::board::ProcessBoard;
use crate::mesh::link::{Link, LinkWatch};
use crate::mesh::{Mesh, MeshError, OnEnd};
use crate::source::Stop;

fn mesh(own: usize, sockets: Vec<Option<TcpStream>>) -> Mesh {
    let on_end: OnEnd = Arc::new(|_, _| {});
    Mesh::new(own, sockets, &on_end).expect("threads")
}

/// Runs each process on a thread.
fn each<R: Send>(processes: usize, run: impl Fn(Mesh) -> R + Sync) -> Vec<R> {
    let sockets = sockets(processes).into_iter().enumerate();
    thread::scope(|scope| {
        let run = &run;
        let started: Vec<_> = sockets
            .map(|(own, sockets)| scope.spawn(move || run(mesh(own, sockets))))
            .collect();
        let ended = started.into_iter().map(|one| one.join().expect("no panic"));
        ended.collect()
    })
}

/// What process `from` sends to process `to` in a round: some messages are empty, some larger than any buffer.
fn message(round: usize, from: usize, to: usize) -> Vec<u8> {
    let length = match (round + from + to) % 4 {
        0 => 0,
        1 => 10,
        2 => 3_000,
        _ => 3_000_000,
    };
    vec![(round * 16 + from * 4 + to) as u8; length]
}

#[test]
fn every_message_comes_to_whom_it_is_for() {
    for processes in [2, 3, 4] {
        let sent = each(processes, |mut mesh| {
            for round in 0..6 {
                let own = mesh.own();
                let of = |to| message(round, own, to);
                let mut messages: Vec<_> = (0..processes).map(of).collect();
                mesh.exchange(&mut messages).expect("all are there");
                let of = |from| message(round, from, own);
                assert_eq!(messages, (0..processes).map(of).collect::<Vec<_>>());
                let told = mesh.tell_all(&[own as u8]).expect("all are there");
                assert!((0..processes).all(|from| told[from] == [from as u8]));
            }
            mesh.board().own_line().sent
        });
        assert!(sent.iter().all(|sent| *sent > 3_000_000), "{sent:?}");
    }
}

/// A process that has left is missed only where a message of it is needed, and what it sent before is received.
#[test]
fn who_leaves_is_missed_by_the_next_exchange() {
    let ends = each(3, |mut mesh| {
        let told = mesh.tell_all(b"first").expect("all are there");
        assert_eq!(told, vec![b"first".to_vec(); 3]);
        match mesh.own() {
            1 => None,
            _ => Some(mesh.tell_all(b"second").expect_err("one has left")),
        }
    });
    // The other one of those that stay ends as well, so it may be noticed first.
    for end in ends.into_iter().flatten() {
        assert!(
            matches!(end, MeshError::Left(_) | MeshError::Lost(..)),
            "{end:?}"
        );
    }
}

#[test]
fn a_connection_that_ends_is_a_loss_at_once() {
    let lost = Arc::new(AtomicUsize::new(0));
    let (here, there) = pair();
    let on_end: OnEnd = {
        let lost = Arc::clone(&lost);
        Arc::new(move |process, _| lost.store(process, Ordering::Relaxed))
    };
    let mut mesh = Mesh::new(0, vec![None, Some(here)], &on_end).expect("threads");
    let begun = Instant::now();
    drop(there);
    let end = mesh.tell_all(b"x").expect_err("it is gone");
    assert!(matches!(end, MeshError::Lost(1, _)), "{end:?}");
    while lost.load(Ordering::Relaxed) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(10));
        thread::sleep(Duration::from_millis(5));
    }
}

/// Once this process has left it misses no other, and exchanges nothing more.
#[test]
fn no_loss_is_told_after_leaving() {
    let lost = Arc::new(AtomicUsize::new(0));
    let (here, there) = pair();
    let on_end: OnEnd = {
        let lost = Arc::clone(&lost);
        Arc::new(move |_, _| {
            lost.fetch_add(1, Ordering::Relaxed);
        })
    };
    let mut mesh = Mesh::new(0, vec![None, Some(here)], &on_end).expect("threads");
    mesh.leave(None);
    assert_eq!(mesh.tell_all(b"x"), Err(MeshError::Left(0)));
    drop(there);
    thread::sleep(Duration::from_millis(100));
    assert_eq!(lost.load(Ordering::Relaxed), 0);
}

#[test]
fn what_is_no_frame_is_told() {
    let (here, mut there) = pair();
    let mut mesh = mesh(0, vec![None, Some(here)]);
    there.write_all(&[77; 9]).expect("sent");
    assert_eq!(mesh.tell_all(b"x"), Err(MeshError::Garbled(1)));
}

/// A length that no message has takes no memory.
#[test]
fn a_length_beyond_all_bounds_is_harmless() {
    let (here, mut there) = pair();
    let mut mesh = mesh(0, vec![None, Some(here)]);
    let mut head = [0xff; 9];
    head[0] = 1;
    there.write_all(&head).expect("sent");
    there.write_all(&[1; 1000]).expect("sent");
    drop(there);
    let end = mesh.tell_all(b"x").expect_err("it is gone");
    assert!(matches!(end, MeshError::Lost(1, _)), "{end:?}");
}

#[test]
fn a_process_that_ends_says_which_one_it_has_lost() {
    let (here, there) = pair();
    let link = |socket, process| {
        let watch = LinkWatch {
            process,
            over: Arc::default(),
            board: Arc::new(ProcessBoard::new(1 - process, 3)),
            on_end: Arc::new(|_, _| {}),
        };
        Link::new(socket, watch).expect("a thread")
    };
    let (mut here, there) = (link(here, 1), link(there, 0));
    there.end(Some(Stop::Process(2)));
    let why = here.receive().expect_err("it has ended").of(1);
    assert_eq!(why, MeshError::Lost(2, "process 1 has lost it".to_owned()));
}

/// The others end at its limit then, and do not say that it is lost. That someone cancels it is no reason for them.
#[test]
fn a_process_that_ends_at_a_limit_says_which() {
    let limits = [Stop::Time, Stop::States, Stop::Memory, Stop::Disk];
    let ends = limits.map(|limit| (Some(limit), MeshError::Stopped(1, limit), limit));
    let lost = |reason| (reason, MeshError::Left(1), Stop::Process(1));
    for (reason, wanted, stop) in ends
        .into_iter()
        .chain([lost(None), lost(Some(Stop::Cancelled))])
    {
        let (here, there) = pair();
        let mut here = mesh(0, vec![None, Some(here)]);
        mesh(1, vec![Some(there), None]).leave(reason);
        let why = here.tell_all(b"x").expect_err("it has ended");
        assert_eq!((&why, why.stop()), (&wanted, stop));
    }
}

/// With the signs of life each process learns how the others do.
#[test]
fn processes_tell_of_themselves() {
    let lines = each(2, |mut mesh| {
        let own = mesh.own();
        for process in 0..2 {
            mesh.note_states(process, 10 + process);
        }
        let mut messages = vec![vec![0; 1_000]; 2];
        mesh.exchange(&mut messages).expect("both are there");
        let (board, begun) = (mesh.board(), Instant::now());
        while board.lines()[1 - own].sent == 0 {
            assert!(begun.elapsed() < Duration::from_secs(20));
            thread::sleep(Duration::from_millis(10));
        }
        let lines = board.lines();
        // No one leaves before the other knows.
        mesh.tell_all(&[]).expect("both are there");
        lines
    });
    for lines in lines {
        assert_eq!(
            lines.iter().map(|line| line.states).collect::<Vec<_>>(),
            [10, 11]
        );
        assert!(
            lines
                .iter()
                .all(|line| line.sent == 1_000 && line.waited <= line.passed)
        );
    }
}

//! Workers that are started through `ssh`, for one check.

use std::io::{self, BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::host_file::{SshHost, resolved};
use super::worker_args::LISTENS;
use orbitscope_engine::mesh::SearchKey;

/// Time for a worker to start there.
const STARTING: Duration = Duration::from_secs(20);

/// Starts a worker, which ends with the process that is returned. The key goes to it by `ssh`, and so is encrypted.
///
/// # Errors
/// `ssh` or the worker does not start in time, or the address is not known here.
pub fn start_worker(host: &SshHost, key: &SearchKey) -> io::Result<(Child, SocketAddr)> {
    let store = host.store.as_ref();
    let store = store.map_or(String::new(), |folder| {
        format!(" --store {}", quoted(folder))
    });
    let command = format!(
        "{} worker --once --listen 0.0.0.0:0 --key -{store}",
        quoted(&host.path)
    );
    let mut child = Command::new("ssh")
        // It asks for no passwords: no one may be there to type them.
        .args(["-T", "-o", "BatchMode=yes", "--", &host.host, &command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()?;
    let address = told(&mut child, key).and_then(|port| {
        let address = format!("{}:{port}", host.address);
        resolved(&address).map_err(|why| io::Error::other(format!("{address} {why}")))
    });
    match address {
        Ok(address) => Ok((child, address)),
        Err(error) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

/// The port at which a worker says that it listens, once it has the key.
fn told(child: &mut Child, key: &SearchKey) -> io::Result<u16> {
    let (Some(stdin), Some(stdout)) = (&mut child.stdin, child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    // Where it has ended, its output says so.
    let _ = stdin.write_all(key.bytes());
    let (sender, line) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        let _ = sender.send(read.map(|_| line));
    });
    let line = line.recv_timeout(STARTING);
    let line = line.map_err(|_| io::Error::other("no worker has started there in time"))??;
    let port = line
        .strip_prefix(LISTENS)
        .and_then(|address| address.trim().rsplit(':').next());
    let port = port.and_then(|port| port.parse().ok());
    port.ok_or_else(|| io::Error::other("no worker has started there"))
}

/// A word for the shell there.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

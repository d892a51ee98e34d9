//! A search on several machines: the workers that a file lists are called, and take part in it.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Instant;

use super::host_file::{Host, HostPlace, read_hosts, read_key};
use super::sharing::{LostProcess, MEETING, SharingProcesses, noting};
use super::ssh_worker::start_worker;
use crate::source::Cancel;
use orbitscope_engine::mesh::{Mesh, SearchKey, WorkerCall};

/// Calls the workers of a list with what is sent to each, after those are started that are to be. Returns the links to them; `sharing` has their names
/// by process, and those that were started.
///
/// # Errors
/// A file that does not fit, or a worker that does not come, named by its address.
pub fn call_hosts(
    (list, key): (&Path, Option<&Path>),
    body: &[u8],
    (cancel, lost): (&Cancel, &LostProcess),
    sharing: &mut SharingProcesses,
) -> Result<Mesh, String> {
    let hosts = read_hosts(list)?;
    let listens = |host: &Host| matches!(host.place, HostPlace::Listens(_));
    let key = match key {
        Some(file) => read_key(file)?,
        None if hosts.iter().any(listens) => {
            return Err("workers that listen need their key: `--key FILE`".to_owned());
        }
        None => SearchKey::random().map_err(|error| error.to_string())?,
    };
    let mut workers: Vec<SocketAddr> = Vec::new();
    for Host { name, place } in hosts {
        match place {
            HostPlace::Listens(address) => workers.push(address),
            HostPlace::Ssh(host) => {
                let started = start_worker(&host, &key);
                let (child, address) = started.map_err(|error| format!("{name}: {error}"))?;
                sharing.end_with_this(child);
                workers.push(address);
            }
        }
        sharing.add_name(name);
        if cancel.is_cancelled() {
            return Err("interrupted".to_owned());
        }
    }
    let begun = Instant::now();
    let call = WorkerCall {
        key,
        version: env!("CARGO_PKG_VERSION"),
        workers: &workers,
        body,
        gives_up: &|| cancel.is_cancelled() || begun.elapsed() > MEETING,
    };
    let sockets = call.all().map_err(|(process, error)| {
        let name = sharing.name(process as u16);
        name.map_or(error.to_string(), |name| format!("{name}: {error}"))
    })?;
    let mesh = Mesh::new(0, sockets, &noting(cancel, lost));
    mesh.map_err(|error| error.to_string())
}

//! The files that a check on several machines is asked for with: the list of its workers, and the key that they share.

use std::fs::File;
use std::io::Read;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use crate::source::read::open_regular;
use crate::source::visible_line;
use orbitscope_engine::mesh::SearchKey;

/// Bytes of a list of workers at most.
const LIST_MAX: usize = 1 << 16;
/// Workers at most: with this process there are 64.
const WORKERS_MAX: usize = 63;
/// Bytes of a key: fewer can be guessed, and more are some other file.
const KEY_MIN: usize = 32;
const KEY_MAX: usize = 4096;

/// A worker of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// As the list names it.
    pub name: String,
    /// Where it listens, or how it is started.
    pub place: HostPlace,
}

/// Where a worker is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostPlace {
    /// It listens at an address.
    Listens(SocketAddr),
    /// It is started through `ssh`.
    Ssh(SshHost),
}

/// A machine on which `ssh` starts a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshHost {
    /// As `ssh` takes it.
    pub host: String,
    /// The program there.
    pub path: String,
    /// The name or address that the others reach it by.
    pub address: String,
    /// The folder there for states of checks that keep them on disk.
    pub store: Option<String>,
}

/// The workers that a file lists: one `ADDRESS` or `ssh:HOST [path=PROGRAM] [address=NAME] [store=DIR]` a line, and comments
/// after `#`.
///
/// # Errors
/// A file that cannot be read, a line that is no address, an address that stands there twice, none or too many.
pub fn read_hosts(path: &Path) -> Result<Vec<Host>, String> {
    let bytes = bounded(path, LIST_MAX, |_| Ok(()))?;
    let name = path.display();
    let text = String::from_utf8(bytes).map_err(|_| format!("{name} is no text"))?;
    let mut hosts: Vec<Host> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let listed = text.split('#').next().unwrap_or_default().trim();
        if listed.is_empty() {
            continue;
        }
        let place = |why: &str| format!("line {line} of {name}: `{}` {why}", visible_line(listed));
        let (name, found) = host_place(listed).map_err(|why| place(&why))?;
        if hosts.iter().any(|host| host.place == found) {
            return Err(place("is listed twice"));
        }
        hosts.push(Host {
            name: name.to_owned(),
            place: found,
        });
    }
    match hosts.len() {
        0 => Err(format!("{name} lists no worker")),
        n if n > WORKERS_MAX => Err(format!(
            "{name} lists {n} workers, and a check has at most {WORKERS_MAX}"
        )),
        _ => Ok(hosts),
    }
}

/// What a line lists: the name of a worker, and where it is.
fn host_place(listed: &str) -> Result<(&str, HostPlace), String> {
    let Some(ssh) = listed.strip_prefix("ssh:") else {
        return Ok((listed, HostPlace::Listens(resolved(listed)?)));
    };
    let mut words = ssh.split_whitespace();
    let host = words.next().filter(|host| !host.starts_with('-'));
    let host = host.ok_or("names no host, as ssh:node7")?;
    let mut found = SshHost {
        host: host.to_owned(),
        path: "orbitscope".to_owned(),
        // Without the name of a user.
        address: host.rsplit('@').next().unwrap_or(host).to_owned(),
        store: None,
    };
    for word in words {
        match word.split_once('=') {
            Some(("path", path)) => path.clone_into(&mut found.path),
            Some(("address", address)) => address.clone_into(&mut found.address),
            Some(("store", folder)) => found.store = Some(folder.to_owned()),
            _ => {
                return Err(
                    "is not of the form ssh:HOST [path=PROGRAM] [address=NAME] [store=DIR]"
                        .to_owned(),
                );
            }
        }
    }
    Ok((host, HostPlace::Ssh(found)))
}

/// The address of a worker, such as `10.0.0.7:4000`, `[fe80::1]:4000` or `node7:4000`.
///
/// # Errors
/// It is none, or the name is not known.
pub fn resolved(text: &str) -> Result<SocketAddr, String> {
    let is_address = text
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if !is_address || text.contains(char::is_whitespace) {
        return Err("is no address, such as node7:4000".to_owned());
    }
    let found = text.to_socket_addrs();
    let mut found = found.map_err(|error| format!("is not known: {error}"))?;
    found.next().ok_or_else(|| "is not known".to_owned())
}

/// The key in a file that no one else may read.
///
/// # Errors
/// A file that cannot be read, or that others may read, or of a length that is no key's.
pub fn read_key(path: &Path) -> Result<SearchKey, String> {
    let secret = bounded(path, KEY_MAX, |file| owner_alone(file, path))?;
    if secret.len() < KEY_MIN {
        let name = path.display();
        return Err(format!(
            "{name} has {} bytes, and a key has at least {KEY_MIN}",
            secret.len()
        ));
    }
    Ok(SearchKey::of_secret(&secret))
}

/// The bytes of a file that is `fit`.
fn bounded(
    path: &Path,
    most: usize,
    fit: impl Fn(&File) -> Result<(), String>,
) -> Result<Vec<u8>, String> {
    let name = path.display();
    let failed = |error: std::io::Error| format!("{name} cannot be read: {error}");
    let file = open_regular(path).map_err(failed)?;
    let file = file.ok_or_else(|| format!("{name} is no regular file"))?;
    fit(&file)?;
    let mut bytes = Vec::new();
    file.take(most as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    match bytes.len() > most {
        true => Err(format!("{name} has more than {most} bytes")),
        false => Ok(bytes),
    }
}

/// Whether no one but its owner may do anything with a file that is open.
#[cfg(unix)]
fn owner_alone(file: &File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let name = path.display();
    let about = file.metadata();
    let about = about.map_err(|error| format!("{name} cannot be read: {error}"))?;
    match about.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => Err(format!(
            "the key {name} may be read by others: `chmod 600 {name}` keeps it to yourself"
        )),
    }
}

#[cfg(not(unix))]
fn owner_alone(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_ssh_are_read() {
        let (name, place) = host_place("ssh:me@node7  path=/opt/x store=/tmp/s").expect("read");
        assert_eq!(name, "me@node7");
        let expected = SshHost {
            host: "me@node7".to_owned(),
            path: "/opt/x".to_owned(),
            address: "node7".to_owned(),
            store: Some("/tmp/s".to_owned()),
        };
        assert_eq!(place, HostPlace::Ssh(expected));
        // The first would be an option of `ssh`.
        for text in ["ssh:-oProxyCommand=x", "ssh:", "ssh:a b", "ssh:a port=1"] {
            assert!(host_place(text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses_have_a_port() {
        let address = |text| resolved(text).map(|found| found.to_string());
        assert_eq!(address("127.0.0.1:4000"), Ok("127.0.0.1:4000".to_owned()));
        assert_eq!(address("[::1]:1"), Ok("[::1]:1".to_owned()));
        for text in [
            "",
            ":",
            "4000",
            ":4000",
            "127.0.0.1",
            "a b:1",
            "[::1]",
            "127.0.0.1:70000",
        ] {
            let why = resolved(text).expect_err("refused");
            assert!(why.contains("is no address"), "{text}: {why}");
        }
    }
}

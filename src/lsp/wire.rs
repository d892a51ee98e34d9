//! Messages of JSON-RPC over standard input and output, each after a header with its length.
//!
//! Written here since a server has to go on after whatever it receives: the crate for this ends at
//! the first message that is not JSON, has no answers without an id and no ids beyond 32 bits. Messages
//! are plain JSON, too: of each, a handful of members is read, for which a crate of types is much.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// Longer messages are refused.
const LENGTH_MAX: usize = 64 << 20;
/// Longer lines of a header are refused.
const HEADER_MAX: usize = 8 << 10;
/// How long the editor may take to read the last answers.
const PATIENCE: Duration = Duration::from_secs(2);
/// What starts a message.
const LENGTH: &[u8] = b"content-length:";

/// Takes messages out of a stream of bytes.
pub(super) struct FrameReader<R> {
    inner: BufReader<R>,
    /// What was read too early and comes first; the last byte first.
    back: Vec<u8>,
}

impl<R: Read> FrameReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner: BufReader::new(inner),
            back: Vec::new(),
        }
    }

    /// The next message, or what is wrong with it; nothing at the end. After something wrong, reading
    /// goes on at the next header that can be found.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Value, String>>> {
        let length = match self.header()? {
            None => return Ok(None),
            Some(Ok(length)) => length,
            Some(Err(wrong)) => return Ok(Some(Err(wrong))),
        };
        // Grows as bytes come: a length that is announced and never sent takes no memory.
        let mut body = Vec::new();
        while body.len() < length {
            if self.back.is_empty() {
                let missing = (length - body.len()) as u64;
                let more = (&mut self.inner).take(missing).read_to_end(&mut body)?;
                if more == 0 {
                    return Ok(None);
                }
            } else if let Some(byte) = self.byte()? {
                body.push(byte);
            }
        }
        // As a stream, which tells where the first value ends: what follows it may be the next
        // header, if the announced length was too large.
        let mut values = serde_json::Deserializer::from_slice(&body).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let rest = &body[values.byte_offset()..];
                if rest.iter().all(u8::is_ascii_whitespace) {
                    return Ok(Some(Ok(value)));
                }
                // Whether the first value was meant is not known, so it is not used. What follows
                // it is read again.
                let rest = rest.to_vec();
                self.put_back(&rest);
                Ok(Some(
                    Err("the message is shorter than announced".to_owned()),
                ))
            }
            other => {
                let why = match other {
                    Some(Err(error)) => format!("the message is not JSON: {error}"),
                    _ => "the message is empty".to_owned(),
                };
                // Nothing tells where the broken message ends; the next header that can be seen is
                // where to go on.
                if let Some(at) = find_length(&body) {
                    self.put_back(&body[at..]);
                }
                Ok(Some(Err(why)))
            }
        }
    }

    /// Reads a header; gives the length that it announces.
    fn header(&mut self) -> io::Result<Option<Result<usize, String>>> {
        let mut length = None;
        loop {
            let Some(line) = self.line()? else {
                return Ok(None);
            };
            // Found anywhere in the line, not only at its start.
            if let Some(at) = find_length(&line) {
                // What stands before it is the rest of something that was longer than announced.
                let text = String::from_utf8_lossy(&line[at + LENGTH.len()..]);
                length = Some(
                    text.trim()
                        .parse::<usize>()
                        .map_err(|_| text.trim().to_owned()),
                );
            } else if line.iter().all(u8::is_ascii_whitespace) {
                // An empty line ends a header. Other lines, such as `Content-Type`, are passed over.
                return Ok(Some(match length {
                    Some(Ok(length)) if length <= LENGTH_MAX => Ok(length),
                    Some(Ok(length)) => Err(format!("a message of {length} bytes is too long")),
                    Some(Err(text)) => Err(format!("`{text}` is no length")),
                    None => Err("a header has no Content-Length".to_owned()),
                }));
            }
        }
    }

    /// A line of a header, or as much of it as is looked at.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            match self.byte()? {
                None => return Ok(None),
                Some(b'\n') => return Ok(Some(line)),
                Some(byte) => line.push(byte),
            }
            if line.len() > HEADER_MAX {
                // The later half stays: a header may begin in it.
                line.drain(..HEADER_MAX / 2);
            }
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        if let Some(byte) = self.back.pop() {
            return Ok(Some(byte));
        }
        let first = match self.inner.fill_buf() {
            // A signal came; nothing has been read.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return self.byte(),
            buffer => buffer?.first().copied(),
        };
        if first.is_some() {
            self.inner.consume(1);
        }
        Ok(first)
    }

    fn put_back(&mut self, bytes: &[u8]) {
        self.back.extend(bytes.iter().rev());
    }
}

fn find_length(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(LENGTH.len())
        .position(|w| w.eq_ignore_ascii_case(LENGTH))
}

/// Reads standard input on a thread of its own, whatever else is done.
pub(super) fn read<T: Send + 'static>(
    to: Sender<T>,
    wrap: impl Fn(Option<Result<Value, String>>) -> T + Send + 'static,
) -> io::Result<()> {
    let run = move || {
        let mut reader = FrameReader::new(io::stdin());
        // An error of reading is the end, just as the end of the input is.
        while let Ok(Some(message)) = reader.next() {
            if to.send(wrap(Some(message))).is_err() {
                return;
            }
        }
        let _ = to.send(wrap(None));
    };
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(run)?;
    Ok(())
}

/// Sends messages; clones send to the same editor.
#[derive(Clone)]
pub(super) struct Writer(Sender<Option<Value>>);

impl Writer {
    /// Writes on a thread of its own, since an editor need not read at once. The second part tells
    /// when everything is written.
    pub(super) fn start() -> io::Result<(Self, Receiver<()>)> {
        let (sender, messages) = channel::<Option<Value>>();
        let (done, written) = channel();
        let run = move || {
            let mut out = io::stdout().lock();
            while let Ok(Some(message)) = messages.recv() {
                let text = message.to_string();
                // `len` counts bytes, as the header does.
                let sent = write!(out, "Content-Length: {}\r\n\r\n{text}", text.len());
                if sent.and_then(|()| out.flush()).is_err() {
                    break;
                }
            }
            let _ = done.send(());
        };
        thread::Builder::new()
            .name("writer".to_owned())
            .spawn(run)?;
        Ok((Self(sender), written))
    }

    fn send(&self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        // An editor that does not listen ends its input, too.
        let _ = self.0.send(Some(message));
    }

    pub(super) fn result(&self, id: &Value, result: &Value) {
        self.send(json!({ "id": id, "result": result }));
    }

    pub(super) fn error(&self, id: &Value, code: i32, message: &str) {
        self.send(json!({ "id": id, "error": { "code": code, "message": message } }));
    }

    /// Asks the editor for something; what it answers is of no interest.
    pub(super) fn request(&self, id: &str, method: &str, params: &Value) {
        self.send(json!({ "id": id, "method": method, "params": params }));
    }

    pub(super) fn notify(&self, method: &str, params: &Value) {
        self.send(json!({ "method": method, "params": params }));
    }

    /// Waits until all is written, but not for ever.
    pub(super) fn finish(&self, written: &Receiver<()>) {
        // Behind all messages that were sent, so that they are written before.
        let _ = self.0.send(None);
        let _ = written.recv_timeout(PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(text: &str) -> Vec<Result<Value, String>> {
        let mut reader = FrameReader::new(text.as_bytes());
        std::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    fn framed(text: &str, more: isize) -> String {
        let length = text.len() as isize + more;
        format!("Content-Length: {length}\r\n\r\n{text}")
    }

    #[test]
    fn what_follows_something_wrong_is_read() {
        let good = framed("{\"a\":1}", 0);
        for bad in [
            framed("{\"a\":", 0),
            framed("{\"b\":[1,2,3]}", 5),
            framed("{\"b\":[1,2,3]}", 40),
            framed("{\"b\":[1,2,3]}", -4),
            framed("", 0),
            "Content-Length: -3\r\n\r\n".to_owned(),
            "Content-Length: 999999999999\r\n\r\n".to_owned(),
            "Content-Type: x\r\n\r\n".to_owned(),
        ] {
            let all = read_all(&format!("{bad}{good}{good}"));
            let right = all.iter().filter(|m| **m == Ok(json!({ "a": 1 }))).count();
            assert_eq!(right, 2, "{bad}: {all:?}");
            assert!(all.iter().any(Result::is_err), "{bad}: {all:?}");
        }
        assert_eq!(read_all(&good[..good.len() - 2]), []);
    }

    #[test]
    fn headers_may_have_more_lines() {
        let text = "content-length: 2\r\nContent-Type: json; charset=utf-8\r\n\r\n{}";
        assert_eq!(read_all(text), [Ok(json!({}))]);
    }
}

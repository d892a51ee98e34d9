//! Messages of JSON-RPC over standard input and output, each after a header with its length.
//!
//! Written here since a server has to go on after a broken message: `lsp-server` ends at the first message that
//! is not JSON, loses those behind one that is shorter than announced, reserves memory for any length that is
//! announced, and has no answers without an id and no ids beyond 32 bits.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use lsp_types::notification::Notification;
use lsp_types::request::Request;
use serde_json::{Value, json};

/// Longer messages are refused.
const LENGTH_MAX: u64 = 64 << 20;
/// Largest length of a header line; of longer ones, the end is read.
const HEADER_MAX: usize = 8 << 10;
/// Time that the editor has to read the last answers.
const PATIENCE: Duration = Duration::from_secs(2);
/// The beginning of a message.
const LENGTH: &[u8] = b"content-length:";

/// Why a request has no answer: a code of the protocol, and words.
pub(super) type Refusal = (i64, String);

/// Takes messages out of a stream of bytes.
pub(super) struct FrameReader<R> {
    inner: BufReader<R>,
    /// Bytes that were read too early and come first.
    back: VecDeque<u8>,
}

impl<R: Read> FrameReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self {
            inner: BufReader::new(inner),
            back: VecDeque::new(),
        }
    }

    fn input(&mut self) -> impl BufRead {
        (&mut self.back).chain(&mut self.inner)
    }

    /// The next message, or the error in it; `None` at the end. After an error, reading goes on at the next header
    /// that can be found.
    pub(super) fn next(&mut self) -> io::Result<Option<Result<Value, String>>> {
        let length = match self.header()? {
            None => return Ok(None),
            Some(Ok(length)) => length,
            Some(Err(wrong)) => return Ok(Some(Err(wrong))),
        };
        // Grows as bytes come: a length that is announced and never sent takes no memory.
        let mut body = Vec::new();
        if (self.input().take(length).read_to_end(&mut body)? as u64) < length {
            return Ok(None);
        }
        Ok(Some(serde_json::from_slice(&body).map_err(|error| {
            // Read again: if the announced length was too large, the next header is in it.
            body.extend(self.back.drain(..));
            self.back = body.into();
            format!("the message is not JSON: {error}")
        })))
    }

    /// Reads a header. Returns the length that it announces.
    fn header(&mut self) -> io::Result<Option<Result<u64, String>>> {
        let mut length = None;
        let mut line = Vec::new();
        loop {
            let mut part = self.input().take(HEADER_MAX as u64);
            if part.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            if !line.ends_with(b"\n") {
                line.drain(..line.len().saturating_sub(HEADER_MAX));
                continue;
            }
            // The bytes before it are the rest of a message that was longer than announced.
            let mut parts = line.windows(LENGTH.len());
            if let Some(at) = parts.position(|part| part.eq_ignore_ascii_case(LENGTH)) {
                let text = String::from_utf8_lossy(&line[at + LENGTH.len()..]);
                length = Some(text.trim().to_owned());
            } else if line.trim_ascii().is_empty() {
                // An empty line ends a header. Other lines, such as `Content-Type`, are passed over.
                let text = length.ok_or("a header has no Content-Length".to_owned());
                return Ok(Some(text.and_then(|text| match text.parse() {
                    Ok(length) if length <= LENGTH_MAX => Ok(length),
                    Ok(length) => Err(format!("a message of {length} bytes is too long")),
                    Err(_) => Err(format!("`{text}` is no length")),
                })));
            }
            line.clear();
        }
    }
}

/// Reads standard input on a thread of its own.
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
    /// Writes on a thread of its own, since an editor need not read at once. The second part is closed when
    /// everything is written.
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

    pub(super) fn answer(&self, id: &Value, answer: Result<Value, Refusal>) {
        self.send(match answer {
            Ok(result) => json!({ "id": id, "result": result }),
            Err((code, why)) => json!({ "id": id, "error": { "code": code, "message": why } }),
        });
    }

    /// Sends a request to the editor; its response is of no interest.
    pub(super) fn request<R: Request>(&self, id: &str, params: &R::Params) {
        self.send(json!({ "id": id, "method": R::METHOD, "params": params }));
    }

    pub(super) fn notify<N: Notification>(&self, params: &N::Params) {
        self.send(json!({ "method": N::METHOD, "params": params }));
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

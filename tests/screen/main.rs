//! The screen, with the real engine and in a real terminal.

#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod acts;
mod appearance;
mod compare;
mod every_key;
mod files;
mod graph;
mod hangup;
#[cfg(target_os = "linux")]
mod hard;
mod lessons;
mod mended;
mod net;
mod networks;
mod oracle;
mod played;
mod pty;
mod pty_keys;
mod random_keys;
mod saved_walks;
mod scripted;
mod session;
mod signals;
mod strategies;
mod symmetry;
mod terminal;
mod trail;
mod truth;
mod walks;
mod welcome;

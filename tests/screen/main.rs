//! The screen, with the real engine and in a real terminal.

#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod compare;
mod graph;
mod hangup;
#[cfg(target_os = "linux")]
mod hard;
mod lessons;
mod networks;
mod oracle;
mod pty;
mod random_keys;
mod saved_walks;
mod scripted;
mod session;
mod signals;
mod strategies;
mod symmetry;
mod terminal;
mod trail;
mod walks;
mod welcome;

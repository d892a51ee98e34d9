//! The screen, with the real engine and in a real terminal.

#![cfg(unix)]

#[path = "../support/mod.rs"]
mod support;

mod hangup;
mod pty;
mod signals;
mod terminal;

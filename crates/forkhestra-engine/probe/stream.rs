//! Listens to a stream of Claude Code on standard input and tells nobody: what understanding it
//! costs, for measurements.

use std::io::{self, Read as _};
use std::process::ExitCode;

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{ListenerConfig, listener};

/// As much as a pump reads at once.
const BUFFER_SIZE: usize = 256 * 1024;

fn main() -> ExitCode {
    match listen() {
        Ok(true) => ExitCode::SUCCESS,
        // What cannot be understood says nothing about the cost of understanding.
        Ok(false) | Err(_) => ExitCode::FAILURE,
    }
}

/// Whether the stream has a marker that counts.
fn listen() -> io::Result<bool> {
    let rules = ListenerConfig { looks_for_markers: true, ..ListenerConfig::default() };
    let mut listener = listener(Backend::Claude, rules).map_err(io::Error::other)?;
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; BUFFER_SIZE];
    loop {
        match input.read(&mut buffer)? {
            0 => break,
            length => listener.feed(&buffer[..length], &mut |_| {}),
        }
    }
    Ok(listener.finish(&mut |_| {}).marker_match.is_some())
}

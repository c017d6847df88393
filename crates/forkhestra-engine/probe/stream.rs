//! Interprets a stream of Claude Code on standard input and discards the notices, to measure the
//! cost of the interpretation.

use std::io::{self, Read as _};
use std::process::ExitCode;

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::{ListenerConfig, listener};

/// The size of a read of a pump.
const BUFFER_SIZE: usize = 256 * 1024;

fn main() -> ExitCode {
    match listen() {
        Ok(true) => ExitCode::SUCCESS,
        // A stream that is not understood is useless for the measurement.
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

//! The side of whoever wants to steer a run.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use forkhestra_core::control::{ControlReply, ControlRequest};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};

use super::control_lines::{ControlLineError, ControlLines};
use super::socket_address;
use super::wire::{self, WireReply};
use crate::journal::journal_lock::JournalLock;
use crate::runs::run_dir::RunDir;

/// A run answers at once, unless its machine has more to do than it can.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a run has not answered.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// There is no socket: it is over, or was never there.
    #[error("there is no control socket")]
    NoSocket,
    /// Nobody listens there any more: whoever did was killed.
    #[error("no process listens at its control socket any more")]
    Stale,
    /// It belongs to another user.
    #[error("its control socket belongs to another user")]
    NotOurs,
    /// It hung up before it answered.
    #[error("it hung up before it answered")]
    HungUp,
    /// It does not answer, since somebody stopped its process by a signal.
    #[error("its process {pid} is stopped by a signal")]
    Stopped {
        /// The process.
        pid: u32,
    },
    /// It does not answer.
    #[error("it does not answer")]
    NoAnswer,
    /// It did not understand what was asked, as it says itself.
    #[error("it did not understand: {0}")]
    NotUnderstood(String),
    /// We do not understand its answer.
    #[error("its answer is not understood: {0}")]
    Unclear(String),
    /// The system could not connect us.
    #[error("its control socket cannot be used")]
    System(#[source] io::Error),
}

/// Asks a run for something, and waits for its answer.
pub fn send_request(run: &RunDir, request: &ControlRequest) -> Result<ControlReply, ControlError> {
    send_request_within(run, request, PATIENCE)
}

/// The same for those who can wait so long and no longer.
pub fn send_request_within(
    run: &RunDir,
    request: &ControlRequest,
    patience: Duration,
) -> Result<ControlReply, ControlError> {
    let deadline = Instant::now() + patience;
    let unanswered = |error: io::Error| failed(run, error);
    let mut stream = socket_address::at(run, |path| reach(path, patience)).map_err(unanswered)?;
    let line = wire::encode_request(request);
    stream
        .set_write_timeout(Some(patience))
        .and_then(|()| stream.write_all(line.as_bytes()))
        .map_err(unanswered)?;
    let answer = ControlLines::default().next(&stream, deadline).map_err(|why| match why {
        ControlLineError::TooSlow => silent(run),
        ControlLineError::CutOff => ControlError::HungUp,
        ControlLineError::TooLong => ControlError::Unclear(why.to_string()),
        ControlLineError::Broken(error) => failed(run, error),
    })?;
    let answer = answer.ok_or(ControlError::HungUp)?;
    match wire::decode_reply(&answer) {
        Ok(WireReply::Reply(reply)) => Ok(reply),
        Ok(WireReply::Error(why)) => Err(ControlError::NotUnderstood(why)),
        Err(why) => Err(ControlError::Unclear(why.to_string())),
    }
}

/// Connects, also to somebody who does not come to accept anybody.
fn reach(path: &Path, patience: Duration) -> io::Result<UnixStream> {
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    set_socket_timeout(&socket, Timeout::Send, Some(patience))?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

fn failed(run: &RunDir, error: io::Error) -> ControlError {
    match error.kind() {
        ErrorKind::NotFound => ControlError::NoSocket,
        ErrorKind::ConnectionRefused => ControlError::Stale,
        ErrorKind::PermissionDenied => ControlError::NotOurs,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => ControlError::HungUp,
        ErrorKind::WouldBlock | ErrorKind::TimedOut => silent(run),
        _ => ControlError::System(error),
    }
}

/// Why it does not answer, as far as anybody can tell.
fn silent(run: &RunDir) -> ControlError {
    let owner = JournalLock::owner_of(run).ok().flatten();
    match owner.filter(|owner| is_stopped(owner.pid)) {
        Some(owner) => ControlError::Stopped { pid: owner.pid },
        None => ControlError::NoAnswer,
    }
}

/// Whether a process stands still, where the system says so.
fn is_stopped(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // Behind the name of the program, which may hold anything.
    let state = status.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with(['T', 't']))
}

//! The client side of the control socket.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsFd, BorrowedFd};
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

/// The default timeout. A run replies at once unless the machine is overloaded.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a request got no reply.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// The run is over, or never listened.
    #[error("there is no control socket")]
    NoSocket,
    /// The process that listened was killed.
    #[error("no process listens at its control socket any more")]
    Stale,
    #[error("its control socket belongs to another user")]
    NotOurs,
    #[error("it closed the connection without a reply")]
    ConnectionClosed,
    /// The run's process was stopped by a signal.
    #[error("its process {pid} is stopped by a signal")]
    Stopped { pid: u32 },
    #[error("it does not answer")]
    NoAnswer,
    /// Another process than that of the run listens. The request was not sent.
    #[error("{0}")]
    NotTheRun(String),
    /// The process that listens cannot be verified. The request was not sent.
    #[error("its process is in another PID namespace")]
    OtherNamespace,
    /// The run rejected the request as malformed.
    #[error("it rejected the request as malformed: {0}")]
    RequestRejected(String),
    /// The reply cannot be parsed.
    #[error("its reply cannot be parsed: {0}")]
    Unclear(String),
    #[error("its control socket cannot be used")]
    System(#[source] io::Error),
}

/// Sends a request to a run, and waits for its reply. The request is sent only if `verify` accepts
/// the process that listens.
pub fn send_request(
    run: &RunDir,
    request: &ControlRequest,
    verify: impl FnOnce(BorrowedFd<'_>) -> Result<(), ControlError>,
) -> Result<ControlReply, ControlError> {
    send_request_within(run, request, REPLY_TIMEOUT, verify)
}

/// Like [`send_request`], with a timeout.
pub fn send_request_within(
    run: &RunDir,
    request: &ControlRequest,
    timeout: Duration,
    verify: impl FnOnce(BorrowedFd<'_>) -> Result<(), ControlError>,
) -> Result<ControlReply, ControlError> {
    let deadline = Instant::now() + timeout;
    let mut stream = socket_address::at(run, |path| connect_with_timeout(path, timeout))
        .map_err(|error| failed(run, None, error))?;
    verify(stream.as_fd())?;
    let listener = listener(&stream);
    let unanswered = |error: io::Error| failed(run, listener, error);
    let line = wire::encode_request(request);
    stream
        .set_write_timeout(Some(timeout))
        .and_then(|()| stream.write_all(line.as_bytes()))
        .map_err(unanswered)?;
    let answer = ControlLines::default().next(&stream, deadline).map_err(|why| match why {
        ControlLineError::TooSlow => no_reply_error(run, listener),
        ControlLineError::CutOff => ControlError::ConnectionClosed,
        ControlLineError::TooLong => ControlError::Unclear(why.to_string()),
        ControlLineError::Broken(error) => unanswered(error),
    })?;
    let answer = answer.ok_or(ControlError::ConnectionClosed)?;
    match wire::decode_reply(&answer) {
        Ok(WireReply::Reply(reply)) => Ok(reply),
        Ok(WireReply::Error { error }) => Err(ControlError::RequestRejected(error)),
        Err(why) => Err(ControlError::Unclear(why.to_string())),
    }
}

/// Connects with a timeout, even if the listener never accepts.
fn connect_with_timeout(path: &Path, timeout: Duration) -> io::Result<UnixStream> {
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    fcntl_setfd(&socket, FdFlags::CLOEXEC)?;
    set_socket_timeout(&socket, Timeout::Send, Some(timeout))?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

fn failed(run: &RunDir, listener: Option<u32>, error: io::Error) -> ControlError {
    match error.kind() {
        ErrorKind::NotFound => ControlError::NoSocket,
        ErrorKind::ConnectionRefused => ControlError::Stale,
        ErrorKind::PermissionDenied => ControlError::NotOurs,
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => ControlError::ConnectionClosed,
        ErrorKind::WouldBlock | ErrorKind::TimedOut => no_reply_error(run, listener),
        _ => ControlError::System(error),
    }
}

/// The process that listens, where the system reports it.
#[cfg(target_os = "linux")]
fn listener(stream: &UnixStream) -> Option<u32> {
    let peer = rustix::net::sockopt::socket_peercred(stream).ok()?;
    u32::try_from(peer.pid.as_raw_nonzero().get()).ok()
}

#[cfg(not(target_os = "linux"))]
const fn listener(_stream: &UnixStream) -> Option<u32> {
    None
}

/// Finds out why there is no reply: the owner of the run or the process that listens is stopped.
fn no_reply_error(run: &RunDir, listener: Option<u32>) -> ControlError {
    let owner = JournalLock::owner_of(run).ok().flatten().map(|owner| owner.pid);
    let stopped = owner.into_iter().chain(listener).find(|pid| is_stopped(*pid));
    stopped.map_or(ControlError::NoAnswer, |pid| ControlError::Stopped { pid })
}

/// Whether a process is stopped, where `/proc` shows it.
fn is_stopped(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name of the program, which may contain anything.
    let state = status.rsplit_once(") ").map(|(_, rest)| rest);
    state.is_some_and(|state| state.starts_with(['T', 't']))
}

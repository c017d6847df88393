//! The listening side of the control socket.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::socket_address;
use super::socket_connection::ControlConnection;
use crate::disk::file_error::{FileError, found};
use crate::journal::journal_lock::JournalLock;
use crate::journal::writer::Journal;
use crate::runs::run_dir::RunDir;

/// Only the owner may enter the directory or use the socket.
const PRIVATE_DIRECTORY: u32 = 0o700;
const PRIVATE_SOCKET: u32 = 0o600;

/// Accepts clients of a run's control socket.
#[derive(Debug)]
pub struct ControlListener {
    run: RunDir,
    socket: Mutex<BoundSocket>,
}

/// A listening socket, and its file.
#[derive(Debug)]
struct BoundSocket {
    listener: Arc<UnixListener>,
    /// Device and inode of the file.
    file: (u64, u64),
    /// Whether the file was removed at the end of the run.
    is_closed: bool,
}

/// Why a client is rejected.
#[derive(Debug, thiserror::Error)]
pub enum RejectedClient {
    /// The client belongs to another user.
    #[error("user {0} may not steer this run")]
    NotOurs(u32),
    #[error(transparent)]
    System(#[from] io::Error),
}

impl ControlListener {
    /// Starts to listen, and removes the socket of a killed run. The caller must hold the journal.
    /// Child processes do not inherit the socket.
    pub fn open(journal: &Journal) -> Result<Self, FileError> {
        let run = journal.run().clone();
        let socket = bind(&run).map_err(FileError::of("listen at", &run.control()))?;
        Ok(Self { socket: Mutex::new(socket), run })
    }

    /// Waits for the next client.
    pub fn accept(&self) -> Result<ControlConnection, RejectedClient> {
        let listener = Arc::clone(&self.locked().listener);
        let (stream, _) = listener.accept()?;
        check_peer(&stream)?;
        Ok(ControlConnection::new(stream))
    }

    /// Waits until there is a client to [`accept`](Self::accept), at most for `timeout`.
    pub fn wait(&self, timeout: Duration) -> io::Result<bool> {
        let listener = Arc::clone(&self.locked().listener);
        let timeout = Timespec::try_from(timeout).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&*listener, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Listens at a new socket if the file of the old one was removed or replaced. Returns whether
    /// that was so.
    pub fn restore(&self) -> Result<bool, FileError> {
        let mut socket = self.locked();
        if socket.is_closed || identity(&self.run).is_ok_and(|there| there == socket.file) {
            return Ok(false);
        }
        *socket = bind(&self.run).map_err(FileError::of("listen at", &self.run.control()))?;
        Ok(true)
    }

    /// Removes the socket, so that no client connects to a finished run. Existing connections are
    /// still served.
    pub fn close(&self) -> Result<(), FileError> {
        self.locked().is_closed = true;
        remove_socket(&self.run).map_err(FileError::of("remove", &self.run.control()))
    }

    fn locked(&self) -> MutexGuard<'_, BoundSocket> {
        // The socket is replaced as a whole.
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a socket in the place of whatever file is there.
fn bind(run: &RunDir) -> io::Result<BoundSocket> {
    make_private(run)?;
    remove_socket(run)?;
    let listener = socket_address::at(run, |path| UnixListener::bind(path))?;
    fs::set_permissions(run.control(), Permissions::from_mode(PRIVATE_SOCKET))?;
    Ok(BoundSocket { listener: Arc::new(listener), file: identity(run)?, is_closed: false })
}

/// Device and inode of the file at the socket's path.
fn identity(run: &RunDir) -> io::Result<(u64, u64)> {
    let file = fs::symlink_metadata(run.control())?;
    Ok((file.dev(), file.ino()))
}

/// Makes the directory private again, in case its permissions were changed.
fn make_private(run: &RunDir) -> io::Result<()> {
    let mode = fs::metadata(run.path())?.mode();
    if mode & !PRIVATE_DIRECTORY & 0o777 == 0 {
        return Ok(());
    }
    fs::set_permissions(run.path(), Permissions::from_mode(PRIVATE_DIRECTORY))
}

/// Removes the socket of a killed run. The caller must hold the journal.
pub fn remove(journal: &JournalLock) -> Result<(), FileError> {
    let run = journal.run();
    remove_socket(run).map_err(FileError::of("remove", &run.control()))
}

fn remove_socket(run: &RunDir) -> io::Result<()> {
    found(run.disk().remove_file(&run.control())).map(drop)
}

/// Accepts only the owner and root, where the system reports the user of a client.
#[cfg(target_os = "linux")]
fn check_peer(stream: &UnixStream) -> Result<(), RejectedClient> {
    use rustix::net::sockopt::socket_peercred;
    use rustix::process::geteuid;

    let user = socket_peercred(stream).map_err(io::Error::from)?.uid;
    if user == geteuid() || user.is_root() {
        Ok(())
    } else {
        Err(RejectedClient::NotOurs(user.as_raw()))
    }
}

/// On other systems the permissions alone keep other users out.
#[cfg(not(target_os = "linux"))]
fn check_peer(_: &UnixStream) -> Result<(), RejectedClient> {
    Ok(())
}

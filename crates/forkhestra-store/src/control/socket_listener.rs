//! The listening side of the control socket.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};

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
    socket: UnixListener,
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
        let path = run.control();
        let failed = FileError::of("listen at", &path);
        let socket = make_private(&run)
            .and_then(|()| remove_socket(&run))
            .and_then(|()| socket_address::at(&run, |path| UnixListener::bind(path)))
            .and_then(|socket| {
                fs::set_permissions(&path, Permissions::from_mode(PRIVATE_SOCKET))?;
                Ok(socket)
            });
        Ok(Self { socket: socket.map_err(failed)?, run })
    }

    /// Waits for the next client.
    pub fn accept(&self) -> Result<ControlConnection, RejectedClient> {
        let (stream, _) = self.socket.accept()?;
        check_peer(&stream)?;
        Ok(ControlConnection::new(stream))
    }

    /// Removes the socket, so that no client connects to a finished run. Existing connections are
    /// still served.
    pub fn close(&self) -> Result<(), FileError> {
        remove_socket(&self.run).map_err(FileError::of("remove", &self.run.control()))
    }
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

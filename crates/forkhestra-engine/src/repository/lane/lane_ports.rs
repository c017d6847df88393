//! TCP ports that belong to one lane alone.

use std::fs::{self, File, TryLockError};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::Path;

use super::lane_error::{LaneError, file};

/// How many consecutive ports a lane has.
pub const PORTS_PER_LANE: u16 = 10;

/// The first ports of lanes. Systems give out ports above these by themselves.
const FIRST: u16 = 20_000;

/// The port behind the last one.
const END: u16 = 32_000;

/// Consecutive TCP ports that belong to one lane alone, as long as this value exists.
#[derive(Debug)]
pub struct LanePorts {
    first: u16,
    /// Its lock is held.
    _lock: File,
}

impl LanePorts {
    /// Takes the first ports that no lane has and that are free. All runs of the machine use the same
    /// directory, in which each group of ports has a lock file.
    pub fn take(directory: &Path) -> Result<Self, LaneError> {
        Self::take_from(directory, FIRST, END)
    }

    fn take_from(directory: &Path, first: u16, end: u16) -> Result<Self, LaneError> {
        fs::create_dir_all(directory).map_err(file(directory))?;
        for port in (first..end).step_by(usize::from(PORTS_PER_LANE)) {
            let path = directory.join(format!("{port}.lock"));
            let lock = File::options().create(true).truncate(false).write(true).open(&path);
            let lock = lock.map_err(file(&path))?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => continue,
                Err(TryLockError::Error(error)) => return Err(file(&path)(error)),
            }
            if (port..port + PORTS_PER_LANE).all(is_free) {
                return Ok(Self { first: port, _lock: lock });
            }
        }
        Err(LaneError::NoPorts { first, last: end - 1 })
    }

    /// The first port.
    pub const fn first(&self) -> u16 {
        self.first
    }
}

/// Whether a server could listen on a port, at any address of this machine.
fn is_free(port: u16) -> bool {
    let addresses =
        [SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)), (Ipv6Addr::UNSPECIFIED, port).into()];
    addresses.into_iter().all(|address| match TcpListener::bind(address) {
        Ok(_) => true,
        // A machine may have only one kind of addresses.
        Err(error) => error.kind() != io::ErrorKind::AddrInUse,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU16, Ordering};

    use super::*;

    /// Ports for one test: those that the system does not give out and that no other test uses.
    fn range(groups: u16) -> (u16, u16) {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        let process = u16::try_from(std::process::id() % 500).unwrap_or_default() * 20;
        let first = 10_000 + process + NEXT.fetch_add(groups * PORTS_PER_LANE, Ordering::Relaxed);
        (first, first + groups * PORTS_PER_LANE)
    }

    #[test]
    fn two_lanes_never_share_a_port_and_a_dropped_lane_releases_its_own() {
        let directory = tempfile::tempdir().expect("there is room");
        let (first, end) = range(20);
        let take = || LanePorts::take_from(directory.path(), first, end).expect("some are free");
        let (one, two, three) = (take(), take(), take());
        let mut firsts = [one.first(), two.first(), three.first()];
        firsts.sort_unstable();
        for pair in firsts.windows(2) {
            assert!(pair[1] - pair[0] >= PORTS_PER_LANE, "{firsts:?}");
        }
        let lock = directory.path().join(format!("{}.lock", two.first()));
        let is_released = || File::open(&lock).is_ok_and(|file| file.try_lock().is_ok());
        assert!(!is_released());
        drop(two);
        assert!(is_released());
    }

    #[test]
    fn ports_in_use_are_passed_over() {
        let directory = tempfile::tempdir().expect("there is room");
        // Another process may take one of the ports, so that no second group is free.
        let attempt = || {
            let (first, end) = range(1);
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, first + 7)).ok()?;
            let found = LanePorts::take_from(directory.path(), first, end);
            drop(listener);
            LanePorts::take_from(directory.path(), first, end).ok().map(|_| found)
        };
        let found = (0..100).find_map(|_| attempt()).expect("some are free");
        let error = found.expect_err("one of them is used").to_string();
        assert!(error.starts_with("no 10 consecutive ports from "), "{error}");
    }
}

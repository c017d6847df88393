//! What a keeper reports to the runner.

use std::os::fd::RawFd;

use forkhestra_core::event::ProcessEnd;
use rustix::io::Errno;
use rustix::process::Pid;

/// The descriptor of a keeper's connection to the runner.
pub(in crate::process) const KEEPER_LINK: RawFd = 3;

/// The size of a report.
pub(super) const REPORT_SIZE: usize = 8;

/// What a keeper reports, each at most once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeeperReport {
    Started(Pid),
    NotStarted(Errno),
    /// The program has exited with this code.
    Exited(i32),
    /// The program was ended by this signal.
    Signaled(i32),
}

impl KeeperReport {
    /// The report of an end. A program that was started cannot end otherwise.
    pub(super) const fn of_end(end: &ProcessEnd) -> Option<Self> {
        match end {
            ProcessEnd::Exited(code) => Some(Self::Exited(*code)),
            ProcessEnd::Signaled(number) => Some(Self::Signaled(*number)),
            ProcessEnd::NotStarted { .. } => None,
        }
    }

    /// The end that is reported, if it is one.
    pub(super) const fn end(&self) -> Option<ProcessEnd> {
        match self {
            Self::Exited(code) => Some(ProcessEnd::Exited(*code)),
            Self::Signaled(number) => Some(ProcessEnd::Signaled(*number)),
            Self::Started(_) | Self::NotStarted(_) => None,
        }
    }

    pub(super) fn encode(&self) -> [u8; REPORT_SIZE] {
        let (kind, value) = match self {
            Self::Started(pid) => (0, pid.as_raw_nonzero().get()),
            Self::NotStarted(errno) => (1, errno.raw_os_error()),
            Self::Exited(code) => (2, *code),
            Self::Signaled(number) => (3, *number),
        };
        let mut bytes = [0; REPORT_SIZE];
        bytes[..4].copy_from_slice(&i32::to_ne_bytes(kind));
        bytes[4..].copy_from_slice(&i32::to_ne_bytes(value));
        bytes
    }

    /// `None` for anything that a keeper does not write.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, value) = bytes.split_first_chunk()?;
        let value = i32::from_ne_bytes(value.try_into().ok()?);
        match i32::from_ne_bytes(*kind) {
            0 => Pid::from_raw(value).filter(|_| value > 0).map(Self::Started),
            1 => Some(Self::NotStarted(Errno::from_raw_os_error(value))),
            2 => Some(Self::Exited(value)),
            3 => Some(Self::Signaled(value)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_reads_back() {
        let pid = Pid::from_raw(4242).expect("it is positive");
        for report in [
            KeeperReport::Started(pid),
            KeeperReport::NotStarted(Errno::NOENT),
            KeeperReport::Exited(0),
            KeeperReport::Exited(255),
            KeeperReport::Signaled(9),
        ] {
            assert_eq!(KeeperReport::decode(&report.encode()), Some(report));
        }
    }

    #[test]
    fn other_bytes_are_no_report() {
        let mut unknown = KeeperReport::Exited(1).encode();
        unknown[..4].copy_from_slice(&7_i32.to_ne_bytes());
        let mut no_pid = KeeperReport::Exited(0).encode();
        no_pid[..4].copy_from_slice(&0_i32.to_ne_bytes());
        for bytes in [&b""[..], b"1234567", b"123456789", &unknown, &no_pid] {
            assert_eq!(KeeperReport::decode(bytes), None, "{bytes:?}");
        }
    }
}

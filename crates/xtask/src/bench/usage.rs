//! What a child process used.

use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4 as _;

use crate::command;
use crate::error::{Error, Result};

#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    /// User and system time together.
    ///
    /// Only the sum is exact: Linux takes it from the scheduler's clock and merely divides it
    /// between user and system by what the timer ticks happened to see. (Tried: 420
    /// starts of `/bin/true` gave 200 different sums, a microsecond apart.)
    pub(super) cpu: Duration,
    /// The largest resident set, in bytes, or our own if that is larger.
    ///
    /// Linux counts from before the `exec`, while the child still shares our memory. That is why
    /// this program keeps little in memory while it measures; limits below its few mebibytes
    /// cannot be checked like this.
    pub(super) peak_memory: u64,
}

/// Runs a command to its end, with nothing to read and nobody to read what it prints.
pub(super) fn of(command: &mut Command) -> Result<Usage> {
    let failed =
        |command: &Command, source| Error::Start { command: command::shown(command), source };
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Cargo tells us where to look for shared libraries; a child that looks there first starts
        // more slowly.
        .env_clear()
        // Looking for programs is part of what a person waits for.
        .env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let ended = command
        .spawn()
        .and_then(|mut child| child.wait4())
        .map_err(|source| failed(command, source))?;
    if !ended.status.success() {
        return Err(Error::Failed { command: command::shown(command), status: ended.status });
    }
    Ok(Usage { cpu: ended.rusage.utime + ended.rusage.stime, peak_memory: ended.rusage.maxrss })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_uses_some_time_and_memory() {
        let usage = of(Command::new("/bin/sh").args(["-c", "exit 0"])).expect("a shell is there");
        assert!(usage.cpu > Duration::ZERO);
        assert!(usage.peak_memory > 100_000);
    }
}

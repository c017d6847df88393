//! The resource usage of processes.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use wait4::{ResUse, Wait4 as _};

use devkit::command;
use devkit::error::{Error, Result};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ResourceUsage {
    /// From before the start until after the end.
    pub(crate) wall: Duration,
    /// User and system time together, of all processes that were waited for.
    ///
    /// Only the sum is exact: Linux takes it from the scheduler's clock, and splits it into user
    /// and system time by timer ticks. (Measured: 420 starts of `/bin/true` gave 200 different
    /// sums, a microsecond apart.)
    pub(crate) cpu: Duration,
    /// The largest resident set of any of the processes, in bytes, or our own if that is larger.
    ///
    /// Linux counts from before the `exec`, while the child still shares our memory. So this
    /// program uses little memory while it measures; limits below its few mebibytes cannot be
    /// checked like this.
    pub(crate) peak_memory: u64,
}

/// A command and its expected exit code.
pub(crate) struct ExpectedCommand(pub(crate) Command, pub(crate) i32);

/// Runs a command to its end, without input, and discards its output.
pub(crate) fn of(expected: ExpectedCommand) -> Result<ResourceUsage> {
    of_pipeline([expected])
}

/// Runs a pipeline of commands, and discards the output of the last one.
pub(crate) fn of_pipeline<const N: usize>(commands: [ExpectedCommand; N]) -> Result<ResourceUsage> {
    let begin = Instant::now();
    let mut running = Vec::new();
    let mut stdin = Stdio::null();
    for (index, ExpectedCommand(mut command, code)) in commands.into_iter().enumerate() {
        let stdout = if index + 1 == N { Stdio::null() } else { Stdio::piped() };
        let mut child = start(command.stdin(stdin).stdout(stdout))?;
        stdin = child.stdout.take().map_or_else(Stdio::null, Stdio::from);
        running.push((child, command, code));
    }
    let mut total = ResourceUsage::default();
    for (mut child, command, code) in running {
        let ended = wait(&mut child, &command, code)?;
        total.cpu += ended.rusage.utime + ended.rusage.stime;
        total.peak_memory = total.peak_memory.max(ended.rusage.maxrss);
    }
    total.wall = begin.elapsed();
    Ok(total)
}

/// Starts a command, and discards its standard error.
pub(crate) fn start(command: &mut Command) -> Result<Child> {
    let started = command.stderr(Stdio::null()).spawn();
    started.map_err(|source| Error::Start { command: command::shown(command), source })
}

/// Waits for the end of a process.
pub(crate) fn wait(child: &mut Child, command: &Command, code: i32) -> Result<ResUse> {
    let shown = || command::shown(command);
    let ended = child.wait4().map_err(|source| Error::Start { command: shown(), source })?;
    if ended.status.code() != Some(code) {
        return Err(Error::Failed { command: shown(), status: ended.status });
    }
    Ok(ended)
}

pub(crate) fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / (1024.0 * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_process_uses_some_time_and_memory() {
        let usage = of(ExpectedCommand(shell("exit 3"), 3)).expect("a shell is there");
        assert!(usage.cpu > Duration::ZERO && usage.wall > Duration::ZERO);
        assert!(usage.peak_memory > 100_000);
    }

    #[test]
    fn bytes_through_a_pipeline_arrive() {
        let pipeline =
            |reader| of_pipeline([ExpectedCommand(shell("echo x"), 0), ExpectedCommand(reader, 0)]);
        assert!(pipeline(shell("read word && [ $word = x ]")).is_ok());
        let wrong = pipeline(shell("read word && [ $word = y ]"));
        assert!(matches!(wrong, Err(Error::Failed { .. })), "{wrong:?}");
    }
}

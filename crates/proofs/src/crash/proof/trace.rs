//! Traces the system calls of a run's two processes, and kills them there.
//!
//! Both processes and all their threads stop before and after every system call. Agents are
//! detached as soon as they execute their own program: the proof is about forkhestra, not about
//! them.

mod registers;
mod task;
mod tracer;

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};

use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use self::tracer::Tracer;
use crate::crash::proof::point::{CallSite, Point};

/// A shell script that stops itself until it is traced, and then executes the program that its
/// arguments name.
pub(super) const HELD: [&str; 2] = ["-c", r#"kill -STOP $$ && exec "$0" "$@""#];

/// The result of tracing a run.
#[derive(Debug)]
pub(super) struct TraceResult {
    /// The number of calls at each site, until the kill.
    pub(super) counts: BTreeMap<CallSite, usize>,
    /// Whether the run reached the point and was killed there.
    pub(super) is_killed: bool,
    /// How the started process ended.
    pub(super) end: ExitStatus,
    /// Whether it had to be killed because it did not end by itself.
    pub(super) hung: bool,
    /// Its output, if that did not go to files.
    pub(super) said: Vec<u8>,
}

/// Runs a command that begins with a shell and [`HELD`], traces it to its end, and kills it at a
/// point if one is given. One thread must start and trace the process.
pub(super) fn watch(command: &mut Command, point: Option<Point>) -> io::Result<TraceResult> {
    let mut child = command.spawn()?;
    let guard = pid_of(&child);
    let begun = begin(guard);
    if begun.is_err() {
        // It is stopped, and nothing else would end it.
        kill(guard, Signal::SIGKILL)?;
        waitpid(guard, None)?;
    }
    begun?;
    let mut seen = Tracer::new(guard, point).run()?;
    seen.said = read_output(&mut child)?;
    Ok(seen)
}

/// The output, if it went to pipes. It is read after the end, since it is short enough to fit.
fn read_output(child: &mut Child) -> io::Result<Vec<u8>> {
    let mut output = Vec::new();
    if let Some(stdout) = &mut child.stdout {
        stdout.read_to_end(&mut output)?;
    }
    if let Some(stderr) = &mut child.stderr {
        stderr.read_to_end(&mut output)?;
    }
    Ok(output)
}

/// Whether processes can be traced here, or why not.
pub(super) fn is_possible() -> io::Result<()> {
    let mut command = Command::new("/bin/sh");
    let seen = watch(command.args(HELD).arg("/bin/true"), None)?;
    if seen.end == ExitStatus::from_raw(0) {
        return Ok(());
    }
    Err(io::Error::other(format!("`true` ended with {}", seen.end)))
}

fn begin(guard: Pid) -> nix::Result<()> {
    match waitpid(guard, Some(WaitPidFlag::WUNTRACED))? {
        WaitStatus::Stopped(..) => {}
        _ => return Err(nix::Error::ECHILD),
    }
    ptrace::seize(guard, options())?;
    kill(guard, Signal::SIGCONT)
}

fn options() -> Options {
    Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEEXEC
        | Options::PTRACE_O_EXITKILL
}

/// The process id of a child.
pub(super) fn pid_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().cast_signed())
}

#[cfg(test)]
mod tests;

//! Counts system calls.

use std::process::Command;

use devkit::error::Result;
use devkit::{command, files, packages};

use super::bench_dir::BenchDir;
use super::resource_usage::{self, ExpectedCommand};

/// Looks for a working strace, and installs one where that is possible without a prompt.
pub(crate) fn is_there_or_installed() -> bool {
    if !is_there() {
        packages::try_to_install("strace", "to count system calls");
    }
    is_there()
}

/// The program is useless where tracing is not permitted, so this tries it.
fn is_there() -> bool {
    command::answers(Command::new("strace").args(["-o", "/dev/null", "true"]))
}

/// Runs a command, and counts a system call in it and its descendants.
pub(crate) fn count(call: &str, directory: &BenchDir, expected: &ExpectedCommand) -> Result<usize> {
    let ExpectedCommand(command, code) = expected;
    let log = directory.file("strace");
    let mut strace = directory.command("strace", &["-f", "-qq", "-e", "signal=none"]);
    strace.args(["-e", &format!("trace={call}"), "-o"]).arg(&log).arg("--");
    strace.arg(command.get_program()).args(command.get_args());
    resource_usage::of(ExpectedCommand(strace, *code))?;
    let log = files::read_text_if_any(&log)?.unwrap_or_default();
    Ok(count_in(&log, call))
}

/// An interrupted call has a second line, without its parenthesis.
fn count_in(log: &str, call: &str) -> usize {
    log.lines().filter(|line| line.contains(&format!(" {call}("))).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_interrupted_is_counted_once() {
        let log = "\
4711  fdatasync(4)                      = 0
4711  fdatasync(4 <unfinished ...>
4712  fsync(3)                          = 0
4711  <... fdatasync resumed>)          = 0
";
        assert_eq!(count_in(log, "fdatasync"), 2);
        assert_eq!(count_in(log, "fsync"), 1);
    }
}

//! Other processes: this same program, told to do something else than to test.
//!
//! A test that has to happen in a process of its own begins with [`task`], which is none when the
//! test is run like any other.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const TASK: &str = "FORKHESTRA_STORE_TEST_TASK";

/// What this process is to work on, if it is such a process.
pub(crate) fn task() -> Option<PathBuf> {
    env::var_os(TASK).map(PathBuf::from)
}

/// Runs one test of this program in another process. In front of it may stand other words, such as
/// those of a shell that prepares something.
pub(crate) fn process(prefix: &[&str], test: &str, task: &std::path::Path) -> Command {
    let program = env::current_exe().expect("this program has a path");
    let mut words = prefix.iter().map(std::ffi::OsStr::new).chain([program.as_os_str()]);
    let mut command = Command::new(words.next().expect("there is one word at least"));
    command.args(words).args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(TASK, task);
    command
}

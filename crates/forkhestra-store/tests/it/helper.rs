//! Runs a test of this program in a process of its own.
//!
//! Such a test starts with [`task`], which returns `None` in the ordinary test process.

use std::env;
use std::path::PathBuf;
use std::process::Command;

const TASK: &str = "FORKHESTRA_STORE_TEST_TASK";

/// The path that this process is to work on, if it is a helper process.
pub(crate) fn task() -> Option<PathBuf> {
    env::var_os(TASK).map(PathBuf::from)
}

/// Runs one test of this program in another process. `prefix` is put before the command line, such
/// as a shell with a script.
pub(crate) fn process(prefix: &[&str], test: &str, task: &std::path::Path) -> Command {
    let program = env::current_exe().expect("this program has a path");
    let mut words = prefix.iter().map(std::ffi::OsStr::new).chain([program.as_os_str()]);
    let mut command = Command::new(words.next().expect("there is one word at least"));
    command.args(words).args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(TASK, task);
    command
}

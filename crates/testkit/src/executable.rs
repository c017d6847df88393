//! Writes executable files for tests.
//!
//! Another process writes them. A file that is open for writing cannot be executed (`ETXTBSY`), and
//! a program that another test starts at that moment could inherit the open file from this process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Writes an executable file.
pub fn write_executable(path: &Path, text: &str) {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", r#"printf %s "$1" > "$0""#]).arg(path).arg(text);
    perform(&mut shell, path);
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).expect("the file belongs to the test");
}

/// Copies an executable file.
pub fn copy_executable(from: &Path, to: &Path) {
    perform(Command::new("/bin/cp").arg(from).arg(to), to);
}

fn perform(command: &mut Command, path: &Path) {
    let status = command.status().expect("there is a shell and cp");
    assert!(status.success(), "{} cannot be written", path.display());
}

//! Installs system packages that extend the tests.

use std::process::Command;

use crate::command;

/// Installs a package whose program is missing, where that is possible. A test that needs it
/// reports by itself that it is skipped.
pub fn wish_for(program: &str, purpose: &str) {
    if !command::answers(Command::new(program).arg("--version")) {
        try_to_install(program, purpose);
    }
}

/// Installs a package where that is possible without a prompt. The caller checks whether it helped.
pub fn try_to_install(package: &str, purpose: &str) {
    if !(is_root() && command::answers(Command::new("apt-get").arg("--version"))) {
        return;
    }
    println!("installing {package} {purpose}");
    // Containers often lack package lists. An update that fails without network must not prevent
    // the installation.
    let lists = command::run(Command::new("apt-get").arg("update"));
    let installed = command::run(Command::new("apt-get").args(["install", "-y", package]));
    for error in lists.err().into_iter().chain(installed.err()) {
        println!("{error}");
    }
}

fn is_root() -> bool {
    command::stdout_of(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

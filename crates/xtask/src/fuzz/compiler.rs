//! The C++ compiler libFuzzer is built with.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use crate::command;

/// Looks for a C++ compiler and installs one where that is possible without asking anybody.
pub(super) fn is_there_or_installed() -> bool {
    if is_there() {
        return true;
    }
    if !(is_root() && command::answers(Command::new("apt-get").arg("--version"))) {
        return false;
    }
    println!("installing g++ for libFuzzer");
    // Package lists are often missing in containers, and an update without network is no reason to
    // give up.
    let lists = command::run(Command::new("apt-get").arg("update"));
    let package = command::run(Command::new("apt-get").args(["install", "-y", "g++"]));
    for error in lists.err().into_iter().chain(package.err()) {
        println!("{error}");
    }
    is_there()
}

/// Asks for the compiler libFuzzer's build script will call.
fn is_there() -> bool {
    let compiler = env::var_os("CXX").unwrap_or_else(|| OsString::from("c++"));
    command::answers(Command::new(compiler).arg("--version"))
}

fn is_root() -> bool {
    command::stdout_of(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

//! The C++ compiler libFuzzer is built with.

use std::env;
use std::ffi::OsString;
use std::process::Command;

use devkit::{command, packages};

/// Looks for a C++ compiler, and installs one where that is possible without a prompt.
pub(super) fn is_there_or_installed() -> bool {
    if !is_there() {
        packages::try_to_install("g++", "for libFuzzer");
    }
    is_there()
}

/// Checks the compiler that libFuzzer's build script calls.
fn is_there() -> bool {
    let compiler = env::var_os("CXX").unwrap_or_else(|| OsString::from("c++"));
    command::answers(Command::new(compiler).arg("--version"))
}

//! The build we ship. Measurements are made with it, too.

use std::path::Path;
use std::process::Command;

use crate::cargo::{self, Executable, cargo};
use crate::command;
use crate::error::Result;
use crate::workspace::Workspace;

/// The package whose programs are shipped.
const PACKAGE: &str = "forkhestra";

/// Builds every program of the package that is shipped, linked statically on Linux.
pub(crate) fn build(workspace: &Workspace) -> Result<Vec<Executable>> {
    build_programs_of(workspace, PACKAGE)
}

/// Builds every program of a package in the same way.
///
/// A static program runs on any distribution, and it starts with about two thirds of the CPU time:
/// there are no libraries to look for, to map and to relocate. (Giving up position independence as
/// well would save a little more, but also the protection it is there for.)
pub(crate) fn build_programs_of(workspace: &Workspace, package: &str) -> Result<Vec<Executable>> {
    let target = target(workspace)?;
    let mut build =
        cargo(workspace, ["build", "--release", "--locked", "--package", package, "--bins"]);
    // Naming the target keeps the flags away from procedural macros, which cannot be static.
    build.args(["--target", &target]);
    if target.contains("-linux-") {
        build.env("CARGO_ENCODED_RUSTFLAGS", "-Ctarget-feature=+crt-static");
    }
    cargo::build(&mut build)
}

/// On Linux musl's target where it is installed, because glibc is not made for static programs
/// that look up users and hosts; otherwise the machine's own.
fn target(workspace: &Workspace) -> Result<String> {
    let host = cargo::host(workspace)?;
    let musl = host.replace("-linux-gnu", "-linux-musl");
    let sysroot = command::stdout_of(Command::new("rustc").args(["--print", "sysroot"]))?;
    let installed = Path::new(sysroot.trim()).join("lib/rustlib").join(&musl).join("lib");
    Ok(if installed.is_dir() { musl } else { host })
}

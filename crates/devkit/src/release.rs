//! The release build. Measurements use it, too.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::cargo::{self, Executable, cargo};
use crate::command;
use crate::error::Result;
use crate::workspace::Workspace;

/// The package whose programs are shipped.
const PACKAGE: &str = "forkhestra";

/// Builds every program of the package that is shipped, linked statically on Linux.
pub fn build(workspace: &Workspace) -> Result<Vec<Executable>> {
    build_programs_of(workspace, PACKAGE)
}

/// Builds only these programs: each is optimised as a whole, which is slow.
pub fn build_only(workspace: &Workspace, names: &[&str]) -> Result<Vec<Executable>> {
    let programs = names.iter().flat_map(|name| ["--bin", name]);
    build_with(workspace, PACKAGE, &programs.collect::<Vec<_>>())
}

/// Builds every program of a package in the same way.
///
/// A static program runs on any distribution, and its start takes about two thirds of the CPU time:
/// there are no libraries to find, map and relocate. (Giving up position independence would save a
/// little more, but also cost the protection it provides.)
pub fn build_programs_of(workspace: &Workspace, package: &str) -> Result<Vec<Executable>> {
    build_with(workspace, package, &["--bins"])
}

fn build_with(workspace: &Workspace, package: &str, what: &[&str]) -> Result<Vec<Executable>> {
    let target = BuildTarget::choose(workspace)?;
    let mut build = cargo(workspace, ["build", "--release", "--locked", "--package", package]);
    build.args(what);
    // Naming the target keeps the flags away from procedural macros, which cannot be static.
    build.args(["--target", &target.name]);
    if target.is_linux() {
        build.env("CARGO_ENCODED_RUSTFLAGS", "-Ctarget-feature=+crt-static");
    }
    if let Some(variable) = target.c_compiler_variable(|name| env::var_os(name).is_some()) {
        build.env(variable, "cc");
    }
    cargo::build(&mut build)
}

/// The target of a build.
#[derive(Debug)]
pub struct BuildTarget {
    pub name: String,
    /// The preferred target, if it is not installed.
    pub missing: Option<String>,
}

impl BuildTarget {
    /// On Linux musl's target where it is installed, because glibc does not support static programs
    /// that look up users and hosts; otherwise that of the host.
    pub fn choose(workspace: &Workspace) -> Result<Self> {
        let host = cargo::host(workspace)?;
        let sysroot = command::stdout_of(Command::new("rustc").args(["--print", "sysroot"]))?;
        let installed = Path::new(sysroot.trim()).join("lib/rustlib");
        Ok(Self::among(&host, |target| installed.join(target).join("lib").is_dir()))
    }

    fn among(host: &str, is_installed: impl Fn(&str) -> bool) -> Self {
        let musl = host.replace("-linux-gnu", "-linux-musl");
        if is_installed(&musl) {
            return Self { name: musl, missing: None };
        }
        let missing = (musl != host).then_some(musl);
        Self { name: host.to_owned(), missing }
    }

    /// The variable that names the C compiler for the few C parts of our dependencies, if the
    /// host's compiler has to be named. These parts need no C library, so musl's compiler, which is
    /// rarely installed, is not needed.
    fn c_compiler_variable(&self, is_set: impl Fn(&str) -> bool) -> Option<String> {
        let ours = format!("CC_{}", self.name.replace('-', "_"));
        let others = [format!("CC_{}", self.name), "TARGET_CC".to_owned(), "CC".to_owned()];
        let is_named = is_set(&ours) || others.iter().any(|name| is_set(name));
        (self.name.ends_with("-linux-musl") && !is_named).then_some(ours)
    }

    /// Whether programs for it can be linked statically.
    pub fn is_linux(&self) -> bool {
        self.name.contains("-linux-")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(host: &str, installed: &[&str]) -> (String, Option<String>) {
        let target = BuildTarget::among(host, |target| installed.contains(&target));
        (target.name, target.missing)
    }

    #[test]
    fn the_hosts_c_compiler_is_set_for_musl_unless_one_is_set() {
        let target = |name: &str| BuildTarget { name: name.to_owned(), missing: None };
        let musl = target("x86_64-unknown-linux-musl");
        let ours = "CC_x86_64_unknown_linux_musl";
        assert_eq!(musl.c_compiler_variable(|_| false).as_deref(), Some(ours));
        for named in [ours, "CC_x86_64-unknown-linux-musl", "TARGET_CC", "CC"] {
            assert_eq!(musl.c_compiler_variable(|name| name == named), None, "{named}");
        }
        assert_eq!(target("x86_64-unknown-linux-gnu").c_compiler_variable(|_| false), None);
    }

    #[test]
    fn musl_is_preferred_on_linux_and_missed_where_it_is_not_installed() {
        let (gnu, musl) = ("x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl");
        assert_eq!(chosen(gnu, &[gnu, musl]), (musl.to_owned(), None));
        assert_eq!(chosen(gnu, &[gnu]), (gnu.to_owned(), Some(musl.to_owned())));
        assert_eq!(chosen(musl, &[musl]), (musl.to_owned(), None));
        let mac = "aarch64-apple-darwin";
        assert_eq!(chosen(mac, &[mac]), (mac.to_owned(), None));
    }
}

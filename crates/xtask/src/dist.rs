//! `cargo xtask dist`: the release binaries, and an archive of them with all accompanying files.

mod archive;
mod linkage;

use std::path::Path;

use devkit::cargo::Executable;
use devkit::error::{Error, Result};
use devkit::files;
use devkit::release::{self, BuildTarget};
use devkit::workspace::Workspace;

use self::archive::Archive;
use self::linkage::Linkage;

/// The programs that users install.
const PROGRAMS: [&str; 3] = ["forge-tasks", "forkhestra", "ralph-runner"];

/// The maximum size of one program: 15 MB.
const MAX_BINARY_BYTES: u64 = 15_000_000;

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let target = BuildTarget::choose(workspace)?;
    if let Some(missing) = &target.missing {
        println!(
            "{missing} is not installed, so the programs are built for {}; \
             `rustup target add {missing}` would install it",
            target.name
        );
    }
    let folder = workspace.target.join("dist");
    files::make_folder(&folder)?;
    let built = release::build(workspace)?;
    all_there(&built)?;
    for program in &built {
        let copy = folder.join(&program.name);
        files::copy(&program.path, &copy)?;
        measure(&copy, &target)?;
    }
    let archive = Archive::make(workspace, &folder, &target)?;
    println!("{}: {}", archive.path.display(), size(files::size(&archive.path)?));
    println!("{}", archive.checksums.display());
    Ok(())
}

fn all_there(built: &[Executable]) -> Result<()> {
    let mut names: Vec<&str> = built.iter().map(|program| program.name.as_str()).collect();
    names.sort_unstable();
    if names == PROGRAMS {
        return Ok(());
    }
    Err(Error::Unmet(format!("the package should have {PROGRAMS:?}, and not {names:?}")))
}

/// Prints the size and linkage of a program, and rejects one that cannot be shipped.
fn measure(program: &Path, target: &BuildTarget) -> Result<()> {
    let bytes = files::size(program)?;
    let linkage = Linkage::of(&files::read(program)?);
    println!("{}: {}, {linkage}", program.display(), size(bytes));
    match unfit(bytes, linkage, target) {
        None => Ok(()),
        Some(why) => Err(Error::Unmet(format!("{} {why}", program.display()))),
    }
}

fn unfit(bytes: u64, linkage: Linkage, target: &BuildTarget) -> Option<String> {
    if bytes >= MAX_BINARY_BYTES {
        return Some(format!("has {bytes} bytes, and must have less than {MAX_BINARY_BYTES}"));
    }
    let needs_loader = target.is_linux() && linkage != Linkage::Static;
    needs_loader.then(|| "is not linked statically".to_owned())
}

fn size(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / (1024.0 * 1024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_shown_in_mebibytes() {
        assert_eq!(size(3_565_158), "3.4 MiB");
    }

    #[test]
    fn a_program_that_is_too_large_or_needs_a_loader_is_not_shipped() {
        let target = |name: &str| BuildTarget { name: name.to_owned(), missing: None };
        let linux = target("x86_64-unknown-linux-musl");
        assert_eq!(unfit(MAX_BINARY_BYTES - 1, Linkage::Static, &linux), None);
        assert!(unfit(MAX_BINARY_BYTES, Linkage::Static, &linux).is_some());
        assert!(unfit(1, Linkage::Dynamic, &linux).is_some());
        assert!(unfit(1, Linkage::Unknown, &linux).is_some());
        assert_eq!(unfit(1, Linkage::Unknown, &target("aarch64-apple-darwin")), None);
    }

    #[test]
    fn a_package_without_one_of_the_programs_is_not_shipped() {
        let built = |names: &[&str]| -> Vec<Executable> {
            let program = |name: &&str| Executable { name: (*name).to_owned(), path: "x".into() };
            names.iter().map(program).collect()
        };
        assert!(all_there(&built(&["forkhestra", "ralph-runner", "forge-tasks"])).is_ok());
        assert!(all_there(&built(&["forkhestra", "forge-tasks"])).is_err());
    }
}

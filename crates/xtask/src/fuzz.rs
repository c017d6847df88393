//! `cargo xtask fuzz`: searches for inputs that break the parsers, with libFuzzer, on stable Rust.
//!
//! The `fuzz` folder has the layout of cargo-fuzz. But cargo-fuzz requires a nightly compiler for
//! the address sanitizer. This workspace has no unsafe code to sanitise; it only needs coverage
//! feedback, which is an LLVM pass of every compiler.

mod compiler;
mod formatting;
mod fuzz_progress;
mod fuzz_session;
mod instrumented;
mod replay;

use clap::builder::PossibleValuesParser;

use devkit::error::{Error, Result};
use devkit::workspace::Workspace;

use self::fuzz_session::FuzzSession;

pub(crate) use self::formatting::fmt;

/// The manifest of the fuzz crate, a workspace of its own, from the root of the repository.
const MANIFEST: &str = "fuzz/Cargo.toml";

/// The programs in `fuzz/fuzz_targets`.
const TARGETS: [&str; 16] = [
    "agent_stderr",
    "agent_stream",
    "check_result",
    "config",
    "control",
    "dsl",
    "git_output",
    "journal",
    "kernel_output",
    "program_output",
    "recording",
    "scan",
    "state_files",
    "task_file",
    "task_merge",
    "terminal_text",
];

const BRIEF_SECONDS: u32 = 10;

/// How long `cargo xtask test --all` searches with each target.
const FULL_SECONDS: u32 = 60;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Fuzz only this target
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(TARGETS))]
    target: Option<String>,

    /// How long to search, for each target
    #[arg(long, value_name = "N", default_value_t = BRIEF_SECONDS)]
    seconds: u32,
}

/// The stage of `cargo xtask test --all`: every target.
pub(crate) fn search_all(workspace: &Workspace) -> Result<()> {
    run(workspace, &Args { target: None, seconds: FULL_SECONDS })
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let targets: Vec<&str> = TARGETS
        .into_iter()
        .filter(|name| args.target.as_deref().is_none_or(|target| target == *name))
        .collect();
    if !compiler::is_there_or_installed() {
        println!(
            "WARNING: libFuzzer needs a C++ compiler, and none is there or could be installed."
        );
        println!("WARNING: nothing is fuzzed, only the committed corpus is replayed.");
        return replay::run(workspace);
    }

    let programs = instrumented::build(workspace, &targets)?;
    for target in targets {
        let Some(program) = programs.iter().find(|program| program.name == target) else {
            return Err(Error::Unmet(format!("{MANIFEST} has no fuzz target `{target}`")));
        };
        FuzzSession::new(workspace, program)?.search(args.seconds)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_names_every_target_there_is_and_each_has_a_corpus() {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
        let mut found: Vec<String> = fs::read_dir(fuzz.join("fuzz_targets"))
            .expect("the fuzz crate has targets")
            .map(|entry| entry.expect("a readable folder").path())
            .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
            .collect();
        found.sort();
        assert_eq!(found, TARGETS);
        for target in TARGETS {
            let corpus = fs::read_dir(fuzz.join("corpus").join(target)).expect("a corpus");
            assert!(corpus.count() >= 10, "{target} has too small a corpus");
        }
    }
}

//! One run of one fuzz target.

use std::io::{self, BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use devkit::cargo::Executable;
use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;
use devkit::workspace::Workspace;

use super::fuzz_progress::FuzzProgress;

pub(super) struct FuzzSession<'a> {
    program: &'a Executable,
    /// The committed inputs; never written to.
    seeds: PathBuf,
    /// The inputs that libFuzzer kept, now and in earlier runs.
    found: PathBuf,
    /// The inputs that broke something.
    artifacts: PathBuf,
}

impl<'a> FuzzSession<'a> {
    pub(super) fn new(workspace: &Workspace, program: &'a Executable) -> Result<Self> {
        let scratch = workspace.target.join("fuzz");
        let session = Self {
            program,
            seeds: workspace.root.join("fuzz/corpus").join(&program.name),
            found: scratch.join("corpus").join(&program.name),
            artifacts: scratch.join("artifacts").join(&program.name),
        };
        files::make_folder(&session.found)?;
        files::make_folder(&session.artifacts)?;
        Ok(session)
    }

    pub(super) fn search(&self, seconds: u32) -> Result<()> {
        let name = &self.program.name;
        println!("fuzzing {name} for {seconds} s");
        let mut command = self.command(seconds);
        let (status, progress) = watch(&mut command)
            .map_err(|source| Error::Start { command: command::shown(&command), source })?;
        if !status.success() {
            self.explain(&progress);
            return Err(Error::Unmet(format!("fuzzing {name} ended with {status}")));
        }
        let Some((first, last)) = progress.coverage() else {
            return Err(Error::Unmet(format!(
                "libFuzzer sees no coverage of {name}, so it searched blindly"
            )));
        };
        println!("{name}: nothing broke; coverage went from {first} to {last} edges");
        Ok(())
    }

    fn explain(&self, progress: &FuzzProgress) {
        let Some(artifact) = progress.artifact() else {
            return;
        };
        let mut again = Command::new(&self.program.path);
        again.arg(artifact);
        println!("this input breaks {}: {artifact}", self.program.name);
        println!("repeat it with: {}", command::shown(&again));
    }

    fn command(&self, seconds: u32) -> Command {
        let mut command = Command::new(&self.program.path);
        command
            .arg(format!("-max_total_time={seconds}"))
            .args(["-rss_limit_mb=1024", "-timeout=10", "-print_final_stats=1"])
            // With the separator at its end, or libFuzzer would take the folder for the start of a
            // file name.
            .arg(format!("-artifact_prefix={}/", self.artifacts.display()))
            // LibFuzzer writes to the first folder only and reads them all.
            .args([&self.found, &self.seeds]);
        command
    }
}

/// Runs libFuzzer, which prints to stderr, and passes on the relevant lines.
fn watch(command: &mut Command) -> io::Result<(ExitStatus, FuzzProgress)> {
    let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut progress = FuzzProgress::default();
    if let Some(stderr) = child.stderr.take() {
        for line in BufReader::new(stderr).split(b'\n') {
            // A panic message may quote any bytes.
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            if progress.observe(&line) {
                println!("{line}");
            }
        }
    }
    Ok((child.wait()?, progress))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_scratch_corpus_comes_first_because_it_is_written_to() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (workspace, program) = toy(folder.path(), "true");
        let session = FuzzSession::new(&workspace, &program).expect("folders can be made");
        let command = session.command(3);
        let arguments: Vec<String> =
            command.get_args().map(|argument| argument.to_string_lossy().into_owned()).collect();
        assert_eq!(arguments[0], "-max_total_time=3");
        let folders = &arguments[arguments.len() - 2..];
        assert!(folders[0].ends_with("target/fuzz/corpus/toy"), "{folders:?}");
        assert!(folders[1].ends_with("repo/fuzz/corpus/toy"), "{folders:?}");
    }

    #[test]
    fn a_target_that_ends_badly_or_sees_no_coverage_is_an_error() {
        for (program, expected) in [("false", "ended with"), ("true", "no coverage")] {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (workspace, program) = toy(folder.path(), program);
            let session = FuzzSession::new(&workspace, &program).expect("folders can be made");
            let error = session.search(1).expect_err("this is no fuzzer");
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    /// A workspace in a folder, with any program as its fuzz target.
    fn toy(folder: &Path, program: &str) -> (Workspace, Executable) {
        let workspace = Workspace { root: folder.join("repo"), target: folder.join("target") };
        let program = Executable { name: "toy".to_owned(), path: program.into() };
        (workspace, program)
    }
}

//! A project with a finished run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::{LeftoverProcesses, TIMEOUT, TestEnv, TestProcess, within};

use crate::crash::proof::point::Point;
use crate::crash::proof::trace::{self, TraceResult};
use devkit::command;
use devkit::error::{Error, Result};

/// The agent of the run: it changes, creates, removes and commits files.
const AGENT: &str = r#"
n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n
printf 'line %s\r\n' $n >> log.txt
if [ $n = 1 ]; then mkdir d; echo x > d/file; ln -s log.txt link; fi
if [ $n = 2 ]; then git add --all; git commit --quiet --message second; chmod +x n; rm -r d; echo y > d; rm link; fi
if [ $n = 2 ]; then echo FORKHESTRA_COMPLETE; fi
"#;

/// A project at a fixed place. Journals have absolute paths, so that its files are replaced between
/// trials instead of using another place.
pub(super) struct RewindProofProject {
    env: TestEnv,
    saved: PathBuf,
}

impl RewindProofProject {
    /// A project with a run of two iterations, and then the given commands.
    pub(super) fn prepared(program: &Path, before: &[&[&str]]) -> Result<Self> {
        let env = TestEnv::new();
        for name in ["git", "sh", "cat", "mkdir", "rm", "chmod", "ln"] {
            env.link_system_program(name);
        }
        env.write_home(".gitconfig", "[user]\nname = Ada\nemail = ada@localhost\n");
        env.write("README", "begin\n").agent("a", AGENT);
        let saved = env.root().with_extension("saved");
        let project = Self { env, saved };
        project.git(&["init", "--quiet", "--initial-branch=main"])?;
        project.env.write(".git/info/exclude", ".agent-state\n");
        project.git(&["add", "--all"])?;
        project.git(&["commit", "--quiet", "--message=begin"])?;
        for arguments in [&["a:3"][..]].iter().chain(before) {
            let output = project.run(program, arguments)?;
            if !output.status.success() {
                return Err(Error::Unmet(format!(
                    "`{}` failed: {}",
                    arguments.join(" "),
                    text(&output)
                )));
            }
        }
        project.copy(project.env.root(), &project.saved)?;
        Ok(project)
    }

    /// Restores all files.
    pub(super) fn reset(&self) -> Result<()> {
        self.copy(&self.saved, self.env.root())
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<()> {
        let script = r#"rm -rf "$1" && cp -a "$0" "$1""#;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).args([from, to]);
        let status = command.status();
        let status =
            status.map_err(|source| Error::Start { command: command::shown(&command), source })?;
        match status.success() {
            true => Ok(()),
            false => Err(Error::Unmet(format!("{} cannot be copied", from.display()))),
        }
    }

    /// Runs the program without a kill.
    pub(super) fn run(&self, program: &Path, arguments: &[&str]) -> Result<Output> {
        let mut command = self.env.command(program);
        let output = command.args(arguments).output();
        output.map_err(|source| Error::Start { command: command::shown(&command), source })
    }

    /// Runs and traces the program, and kills it at a point. Its git processes come to their end.
    pub(super) fn watched(
        &self,
        program: &Path,
        arguments: &[&str],
        point: Option<Point>,
    ) -> Result<TraceResult> {
        let mut command: Command = self.env.command("/bin/sh");
        command.args(trace::HELD).arg(program).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let seen = trace::watch(&mut command, point)
            .map_err(|source| Error::Start { command: command::shown(&command), source })?;
        let project = self.env.project();
        let is_idle = || TestProcess::all().into_iter().all(|it| !it.works_in(&project));
        within(TIMEOUT, || is_idle().then_some(()));
        Ok(seen)
    }

    /// Files with their permissions, the index and the checked-out commit.
    pub(super) fn state(&self) -> Result<String> {
        let mut state = String::new();
        add_files(&self.env.project(), Path::new(""), &mut state);
        for args in
            [&["ls-files", "--stage", "-v"][..], &["rev-parse", "HEAD"], &["symbolic-ref", "HEAD"]]
        {
            state += &self.git(args)?;
        }
        Ok(state)
    }

    /// What must not be left when everything is over.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let git = self.env.project().join(".git");
        let names = ["forkhestra-rewind", "index.lock", "HEAD.lock"];
        let files = names.iter().map(|name| git.join(name)).filter(|path| path.exists());
        let runs = LeftoverProcesses::of(self.env.root().to_owned()).runs();
        let scratch = runs.into_iter().map(|run| run.join("scratch-of-rewind"));
        let files = files.chain(scratch.filter(|path| path.exists()));
        files.map(|path| format!("a file is left: {}", path.display())).collect()
    }

    /// Keeps the files for inspection.
    pub(super) fn kept(&self) -> PathBuf {
        let kept = self.env.root().with_extension("failed");
        // A copy that fails is reported by its absence.
        let _ = self.copy(self.env.root(), &kept);
        kept
    }

    fn git(&self, args: &[&str]) -> Result<String> {
        let output = self.run(Path::new("/usr/bin/env"), &[&["git"], args].concat())?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(Error::Unmet(format!("git {args:?} failed: {}", text(&output)))),
        }
    }
}

impl Drop for RewindProofProject {
    fn drop(&mut self) {
        // It is in the temporary directory.
        let _ = fs::remove_dir_all(&self.saved);
    }
}

fn add_files(top: &Path, below: &Path, state: &mut String) {
    let entries = fs::read_dir(top.join(below)).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = entries.map(|entry| below.join(entry.file_name())).collect();
    names.sort();
    for name in names {
        let path = top.join(&name);
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if name == Path::new(".git") || name == Path::new(".agent-state") {
            continue;
        }
        if metadata.is_dir() {
            add_files(top, &name, state);
            continue;
        }
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        let content = match metadata.is_symlink() {
            true => fs::read_link(&path).map(|to| to.display().to_string()),
            false => fs::read(&path).map(|bytes| format!("{:?}", String::from_utf8_lossy(&bytes))),
        };
        *state += &format!("{mode:o} {}: {content:?}\n", name.display());
    }
}

/// Both outputs.
pub(super) fn text(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    texts.concat()
}

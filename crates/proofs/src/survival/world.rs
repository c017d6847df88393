//! A hermetic project with agents.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::{LeftoverProcesses, TestEnv};

use devkit::command;
use devkit::error::Result;
use devkit::files;

use super::notes::Notes;

/// The beginning of all agents: they note their start in a file outside the project.
const PREAMBLE: &str = r#"
note() { echo "$1 $FORKHESTRA_STEP $FORKHESTRA_ITERATION $FORKHESTRA_RUN_ID $$" >> "$NOTES"; }
note start
"#;

/// A temporary directory with a project (a git repository), a home, a directory for temporary
/// files, and agents. Dropping it removes the files, unless they are [kept](Self::keep).
pub(crate) struct ProofWorld {
    env: TestEnv,
}

impl ProofWorld {
    pub(crate) fn new() -> Result<Self> {
        let world = Self { env: TestEnv::new() };
        for directory in [world.tmp(), world.shared_file("")] {
            files::make_folder(&directory)?;
        }
        files::write(&world.project().join("README"), "A project.\n")?;
        command::run(world.surrounded("git").args(["init", "--quiet", "--initial-branch=main"]))?;
        world.commit_all("Begin")?;
        Ok(world)
    }

    /// Commits everything in the project.
    pub(crate) fn commit_all(&self, subject: &str) -> Result<()> {
        command::run(self.surrounded("git").args(["add", "--all"]))?;
        command::run(self.surrounded("git").args(["commit", "--quiet", "--message", subject]))
    }

    /// The root directory.
    pub(crate) fn root(&self) -> &Path {
        self.env.root()
    }

    /// The work tree of the program and its agents.
    pub(crate) fn project(&self) -> PathBuf {
        self.env.project()
    }

    /// The directory for temporary files.
    pub(crate) fn tmp(&self) -> PathBuf {
        self.root().join("tmp")
    }

    /// A file outside the project, shared by agents and the test. Agents know the directory as
    /// `$PLACE`.
    pub(crate) fn shared_file(&self, name: &str) -> PathBuf {
        self.root().join("place").join(name)
    }

    /// Writes an agent: a shell script that chains call by this name. It first notes its start;
    /// `note end` notes its end.
    pub(crate) fn agent(&self, name: &str, script: &str) {
        self.env.agent(name, &format!("{PREAMBLE}{script}"));
    }

    /// The program with these arguments. Its process leads a group and has default signal handlers,
    /// as if a shell had started it in the foreground.
    pub(crate) fn command(&self, program: &Path, arguments: &[String]) -> Command {
        let mut command = self.surrounded("/usr/bin/env");
        command.arg("--default-signal").arg(program).args(arguments).process_group(0);
        command
    }

    /// Any program, with a hermetic environment.
    pub(crate) fn surrounded(&self, program: &str) -> Command {
        let mut command = self.env.command(program);
        command
            .env("PATH", format!("{}:/usr/bin:/bin", self.env.bin().display()))
            .env("TMPDIR", self.tmp())
            .env("PLACE", self.shared_file(""))
            .env("NOTES", self.notes_file())
            .env(LeftoverProcesses::MARK, self.root())
            .env("GIT_CONFIG_NOSYSTEM", "1");
        for process_text in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{process_text}_NAME"), "An agent");
            command.env(format!("GIT_{process_text}_EMAIL"), "agent@example.org");
        }
        command
    }

    /// The notes of agents so far.
    pub(crate) fn notes(&self) -> std::result::Result<Notes, String> {
        let text = fs::read_to_string(self.notes_file()).unwrap_or_default();
        Notes::parse(&text)
    }

    /// The directories of all runs, oldest first.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        self.leftovers().runs()
    }

    /// Access to leftover processes and files.
    pub(crate) fn leftovers(&self) -> LeftoverProcesses {
        LeftoverProcesses::of(self.root().to_owned())
    }

    /// Keeps the files for inspection, and returns their directory.
    pub(crate) fn keep(self) -> PathBuf {
        self.env.keep()
    }

    fn notes_file(&self) -> PathBuf {
        self.shared_file("notes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survival::notes::NoteMoment;

    #[test]
    fn an_agent_notes_what_it_does_outside_of_the_project() {
        let world = ProofWorld::new().expect("there is git");
        world.agent("tidy", "git clean -fdxq; note end");
        let mut agent = world.surrounded("tidy");
        agent.envs([
            ("FORKHESTRA_STEP", "2"),
            ("FORKHESTRA_ITERATION", "7"),
            ("FORKHESTRA_RUN_ID", "abc"),
        ]);
        // Programs are looked up on the `PATH` of this process, not on that of the child.
        let mut shell = world.surrounded("/bin/sh");
        shell.args(["-c", "exec tidy"]).envs(agent.get_envs().filter_map(|(k, v)| Some((k, v?))));
        command::run(&mut shell).expect("it is on the path");
        let notes = world.notes().expect("they can be read");
        let moments: Vec<_> =
            notes.0.iter().map(|note| (note.moment, note.step, note.iteration)).collect();
        assert_eq!(moments, [(NoteMoment::Start, 2, 7), (NoteMoment::End, 2, 7)]);
    }
}

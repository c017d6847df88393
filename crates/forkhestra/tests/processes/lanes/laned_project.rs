//! A repository whose agents work in lanes.

use std::fs;

use serde_json::Value;

use crate::support::{ProcessProject, eventually};

/// The start of every agent: the first one in a lane waits at the gate of the lane, if there is one.
const WAIT: &str = r#"
if [ -p "$PLACE/lane$FORKHESTRA_LANE" ] && [ ! -e "$PLACE/passed$FORKHESTRA_LANE" ]; then
  read _ < "$PLACE/lane$FORKHESTRA_LANE"
  : > "$PLACE/passed$FORKHESTRA_LANE"
fi
"#;

/// A repository with `shared`, `other` and an agent, `./agent`.
pub(super) struct LanedProject {
    pub(super) project: ProcessProject,
}

impl LanedProject {
    pub(super) fn new(agent: &str) -> Self {
        let project = ProcessProject::with_agent(&format!("{WAIT}{agent}"));
        let laned = Self { project };
        laned.write("shared", "1\n2\n3\n");
        laned.write("other", "1\n");
        laned.git(&["init", "--quiet", "--initial-branch", "main"]);
        for (name, value) in
            [("user.name", "t"), ("user.email", "t@t"), ("commit.gpgsign", "false")]
        {
            laned.git(&["config", name, value]);
        }
        laned.git(&["add", "--all"]);
        laned.git(&["commit", "--quiet", "--message", "Begin"]);
        laned
    }

    /// Lets the first agents of these lanes wait until all of them are there.
    pub(super) fn meet(&self, lanes: u32) {
        (1..=lanes).for_each(|lane| drop(self.project.gate(&format!("lane{lane}"))));
    }

    /// Releases the agents that wait for each other.
    pub(super) fn release(&self, lanes: u32) {
        self.wait_for_agents(lanes as usize);
        (1..=lanes).for_each(|lane| self.project.open_gate(&format!("lane{lane}")));
    }

    /// Waits until this many agents were started.
    pub(super) fn wait_for_agents(&self, count: usize) {
        let are_there = || (self.project.started().len() >= count).then_some(());
        eventually(&format!("{count} agents were started"), are_there);
    }

    /// The output of git, which does not fail.
    #[track_caller]
    pub(super) fn git(&self, args: &[&str]) -> String {
        let output = self.project.command_in_environment("git").args(args).output();
        let output = output.expect("git is installed");
        assert!(output.status.success(), "git {args:?}: {output:?}");
        String::from_utf8(output.stdout).expect("git prints text").trim_end().to_owned()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::write(self.project.project().join(name), text).expect("the directory is ours");
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.project.project().join(name)).expect("the file is there")
    }

    /// What an agent has written to a file that it shares with the test.
    pub(super) fn told(&self, name: &str) -> String {
        fs::read_to_string(self.project.place(name)).unwrap_or_default()
    }

    /// A ref of the only run.
    pub(super) fn reference(&self, name: &str) -> String {
        format!("refs/forkhestra/{}/{name}", self.project.run_id())
    }

    /// The directories of lanes that are left.
    pub(super) fn lanes(&self) -> Vec<String> {
        let entries = fs::read_dir(self.project.run_directory().join("lanes"));
        let names = entries.into_iter().flatten().flatten().map(|entry| entry.file_name());
        names.map(|name| name.to_string_lossy().into_owned()).collect()
    }

    /// Asserts what holds after every run: the history is sound, has landed work once, and git in the
    /// user's repository is free.
    #[track_caller]
    pub(super) fn is_sound(&self) {
        self.git(&["fsck", "--strict", "--no-dangling"]);
        let landings = self.project.events_of("landed");
        let work = landings.iter().flat_map(|event| {
            event["landed"]
                .as_array()
                .expect("a landing has work")
                .iter()
                .map(|work| &work["commit"])
        });
        let mut commits: Vec<&Value> = work.collect();
        let count = commits.len();
        commits.sort_by_key(ToString::to_string);
        commits.dedup();
        assert_eq!(commits.len(), count, "nothing lands twice");
        for commit in commits {
            let commit = commit.as_str().expect("a commit is a text");
            let integration = self.reference("integration");
            self.git(&["merge-base", "--is-ancestor", commit, &integration]);
        }
        for lock in ["index.lock", "HEAD.lock", "forkhestra-forward"] {
            assert!(!self.project.project().join(".git").join(lock).exists(), "{lock}");
        }
    }

    /// The same, when the user's work tree has everything.
    #[track_caller]
    pub(super) fn has_everything(&self) {
        self.is_sound();
        let integration = self.reference("integration");
        self.git(&["merge-base", "--is-ancestor", &integration, "HEAD"]);
    }
}

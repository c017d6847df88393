//! Checks what a session leaves behind.

use std::fs;
use std::path::{Path, PathBuf};

use crate::chaos::script::disturbance::DisturbanceTarget;
use crate::survival::leftovers;

use super::SessionCheck;

/// Files that a killed run may leave in its directory until it is resumed.
const LEFT_AFTER_KILL: &[&str] =
    &["control", "owner", "scratch", ".overview.json.new", ".stats.json.new"];

/// Names of views in the work tree, and prefixes of others. Anything else there is a leftover.
const VIEWS: &[&str] = &["iterations.jsonl", ".gitignore"];
const VIEWS_OF_A_RUN: &[&str] = &["chain-", "run-", "summary-"];

/// What earlier sessions may have left.
#[derive(Debug, Default)]
pub(in crate::chaos) struct SessionLeftovers {
    /// Both processes were killed, and the run was not resumed since.
    unguarded: bool,
    /// The runner was killed, and the run was not resumed since.
    untidy: bool,
    /// The owner of the lock was killed, and the lock was not taken since.
    locked: bool,
    /// No lane may be left.
    has_no_lanes: bool,
}

impl SessionLeftovers {
    pub(in crate::chaos) fn complaints(&mut self, look: &SessionCheck<'_>) -> Vec<String> {
        let facts = &look.life.facts;
        let killed = |target| facts.was_killed(target);
        // A resume ends leftover processes and cleans up, even if there is nothing to resume.
        if !look.new.is_empty() || (look.was_complete && facts.sent.is_empty()) {
            // A session that takes no lock leaves the entry of a dead owner in place.
            let needs_none = look.plan.without_lock || look.new.is_empty();
            let locked = self.locked && needs_none;
            *self = Self { locked, ..Self::default() };
        }
        // Before the runner is forked, one kill, or any signal, ends the run.
        let was_alone = look.new.is_empty() && !facts.sent.is_empty();
        self.unguarded |= facts.were_both_killed() || was_alone;
        self.locked |= self.unguarded && !look.plan.without_lock;
        let guard_killed_at_most =
            killed(DisturbanceTarget::Guard) && !killed(DisturbanceTarget::Runner);
        self.untidy |=
            killed(DisturbanceTarget::Runner) || facts.count_of_requests() > 1 || self.unguarded;
        let is_complete = look.journal.end().is_some_and(|end| end["kind"] == "complete");
        let parks = look.journal.all("work_parked").next().is_some();
        self.has_no_lanes = is_complete && !parks && facts.sent.is_empty();
        let world = look.world.leftovers();
        let mut found = Vec::new();
        if !self.unguarded {
            // The guard ends after all its descendants. If only the guard was killed, the runner
            // may still be ending, so this waits for it.
            found.extend(if guard_killed_at_most {
                leftovers::wait_until_nothing_lives(&world)
            } else {
                leftovers::alive(&world)
            });
        }
        let on_disk = leftovers::on_disk(&world).into_iter();
        found.extend(on_disk.filter(|what| !self.may_stay(what)));
        if !self.untidy {
            found.extend(views(&look.world.project()));
        }
        found
    }

    /// Whether a leftover on the disk is permitted.
    fn may_stay(&self, what: &str) -> bool {
        let path = Path::new(what.rsplit_once(": ").map_or(what, |(_, path)| path));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let journal = fs::read(path.with_file_name("journal.jsonl"));
        // A run that was killed before its first event cannot be resumed, so its files stay.
        let has_begun = journal.is_ok_and(|journal| journal.contains(&b'\n'));
        match name.as_ref() {
            "lock" => self.locked,
            // Lanes stay for a resume, and with work that has not landed. What an agent made of a lane
            // that has no repository any more is not known.
            "lanes" => !self.has_no_lanes || has_damaged_lane(path),
            name if LEFT_AFTER_KILL.contains(&name) => self.untidy || !has_begun,
            name => name.starts_with("agent-"),
        }
    }
}

/// Whether an agent has removed the repository of a lane.
fn has_damaged_lane(lanes: &Path) -> bool {
    let lanes = fs::read_dir(lanes).into_iter().flatten().flatten();
    lanes.map(|lane| lane.path()).any(|lane| !lane.join(".git").exists())
}

/// Leftovers of writing views.
fn views(project: &Path) -> Vec<String> {
    let entries = fs::read_dir(project.join(".agent-state")).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_view = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        VIEWS.contains(&name.as_str()) || VIEWS_OF_A_RUN.iter().any(|begin| name.starts_with(begin))
    };
    let unknown = paths.filter(|path| !is_view(path));
    unknown.map(|path| format!("a file is left: {}", path.display())).collect()
}

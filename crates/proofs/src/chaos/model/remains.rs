//! What is left in the world after a life, and whether it may be.

use std::fs;
use std::path::{Path, PathBuf};

use crate::chaos::script::disturbance::DisturbanceTarget;
use crate::survival::leftovers;

use super::LifeCheck;

/// What a run may leave in its directory until it is resumed, if its processes were killed.
const AFTER_A_KILL: &[&str] = &["control", "owner", "scratch", ".overview.json.new"];

/// Names in the view in the work tree, and how others begin. Anything else there is a leftover.
const VIEWS: &[&str] = &["iterations.jsonl", ".gitignore"];
const VIEWS_OF_A_RUN: &[&str] = &["chain-", "run-", "summary-"];

/// What may be there because of what was done in earlier lives.
#[derive(Debug, Default)]
pub(super) struct Remains {
    /// Both processes were killed, and nobody has gone on since.
    unguarded: bool,
    /// The runner was killed, and nobody has gone on since.
    untidy: bool,
    /// Who had the lock was killed, and nobody has taken it since.
    locked: bool,
}

impl Remains {
    pub(super) fn complaints(&mut self, look: &LifeCheck<'_>) -> Vec<String> {
        let facts = &look.life.facts;
        let killed = |target| facts.was_killed(target);
        // Whoever goes on ends what was left and takes its place. So does whoever finds that there is
        // nothing to go on with.
        if !look.new.is_empty() || (look.was_complete && facts.sent.is_empty()) {
            // A lock that names one who is gone is no matter to those who need none.
            let needs_none = look.plan.without_lock || look.new.is_empty();
            let locked = self.locked && needs_none;
            *self = Self { locked, ..Self::default() };
        }
        // Before there are two, one kill, or any signal, is enough.
        let was_alone = look.new.is_empty() && !facts.sent.is_empty();
        self.unguarded |= facts.were_both_killed() || was_alone;
        self.locked |= self.unguarded && !look.plan.without_lock;
        let guard_killed_at_most =
            killed(DisturbanceTarget::Guard) && !killed(DisturbanceTarget::Runner);
        self.untidy |=
            killed(DisturbanceTarget::Runner) || facts.count_of_requests() > 1 || self.unguarded;
        let world = look.world.leftovers();
        let mut found = Vec::new();
        if !self.unguarded {
            // A guard waits for everything below it, but nobody waits for a runner alone.
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

    /// Whether a leftover on the disk, of which this is said, has an excuse.
    fn may_stay(&self, what: &str) -> bool {
        let path = Path::new(what.rsplit_once(": ").map_or(what, |(_, path)| path));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let journal = fs::read(path.with_file_name("journal.jsonl"));
        // A run that was killed before it had begun cannot go on, and nobody tidies up after it.
        let has_begun = journal.is_ok_and(|journal| journal.contains(&b'\n'));
        match name.as_ref() {
            "lock" => self.locked,
            name if AFTER_A_KILL.contains(&name) => self.untidy || !has_begun,
            name => name.starts_with("agent-"),
        }
    }
}

/// What is left of writing the view.
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

//! What must hold after each session of a run with lanes, whatever was done to it.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use super::user_edits::UserWork;
use crate::chaos::model::{SessionCheck, SessionLeftovers};
use crate::chaos::progress;
use crate::chaos::run_session::RunSession;
use crate::chaos::script::round_script::SessionPlan;
use crate::survival::journal::ProofJournal;
use crate::survival::lane_work;
use crate::survival::world::ProofWorld;

/// The state of a run after some of its sessions.
#[derive(Default)]
pub(super) struct LaneModel {
    recorded: Vec<u8>,
    pub(super) journal: ProofJournal,
    leftovers: SessionLeftovers,
    was_complete: bool,
}

impl LaneModel {
    pub(super) fn has_begun(&self) -> bool {
        !self.recorded.is_empty()
    }

    /// The end of the run, unless it can be resumed as it is.
    pub(super) fn end(&self) -> Option<&Value> {
        self.journal.end().filter(|end| end["kind"] != "interrupted")
    }

    /// Returns all problems after a session.
    pub(super) fn problems_after(
        &mut self,
        world: &ProofWorld,
        (session, plan): (&RunSession, &SessionPlan),
        user: &UserWork,
    ) -> Vec<String> {
        let mut problems = session.troubles.clone();
        let bytes = progress::journal(world).map(|path| fs::read(path).unwrap_or_default());
        let bytes = bytes.unwrap_or_default();
        if !bytes.starts_with(&self.recorded) {
            return vec!["what was recorded in earlier lives was changed".to_owned()];
        }
        self.journal = match ProofJournal::parse(&bytes) {
            Ok(journal) => journal,
            Err(why) => return vec![format!("the journal cannot be read: {why}")],
        };
        let before = self.recorded.split(|byte| *byte == b'\n').count() - 1;
        let torn = self.journal.torn.as_ref().map_or(0, Vec::len);
        self.recorded = bytes[..bytes.len() - torn].to_vec();
        problems.extend(self.journal.problems());
        match world.notes() {
            Ok(notes) => problems.extend(notes.disagreements(&self.journal)),
            Err(why) => problems.push(why),
        }
        let new = &self.journal.events[before..];
        let look = SessionCheck {
            world,
            life: session,
            plan,
            journal: &self.journal,
            new,
            was_complete: self.was_complete,
            hit: BTreeSet::new(),
        };
        problems.extend(self.leftovers.complaints(&look));
        self.was_complete = self.end().is_some_and(|end| end["kind"] == "complete");
        problems.extend(self.lost_work(world, user));
        problems
    }

    /// Work of the user or of landings that is not there any more.
    fn lost_work(&self, world: &ProofWorld, user: &UserWork) -> Vec<String> {
        let project = world.project();
        let mut problems = Vec::new();
        match lane_work::git(&project, &["log", "--format=%s", "HEAD"]) {
            Ok(history) => problems.extend(user.problems(&history)),
            Err(why) => problems.push(why),
        }
        match lane_work::git(&project, &["log", "--format=%H", "--all"]) {
            Ok(all) => problems.extend(lane_work::missing_landings(&self.journal, &all)),
            Err(why) => problems.push(why),
        }
        problems.extend(lane_work::git(&project, &["fsck", "--connectivity-only"]).err());
        problems
    }

    /// What must hold when the run is over: the user has all that has landed, unless commits of the user
    /// are in its way, which the journal says.
    pub(super) fn problems_at_end(&self, world: &ProofWorld) -> Vec<String> {
        let about_user = ["held", "brought_forward"];
        let last =
            self.journal.events.iter().rfind(|event| {
                event["event"].as_str().is_some_and(|kind| about_user.contains(&kind))
            });
        if last.is_some_and(|event| event["event"] == "held") {
            return Vec::new();
        }
        match lane_work::git(&world.project(), &["log", "--format=%H", "HEAD"]) {
            Ok(history) => lane_work::missing_landings(&self.journal, &history),
            Err(why) => vec![why],
        }
    }
}

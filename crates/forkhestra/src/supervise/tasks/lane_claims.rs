//! Which lanes are about to claim a task, so that no more agents are started than tasks can be claimed.

use std::collections::BTreeSet;

use forge_tasks::actions::{ClaimPreview, LeaseCheck, preview_claim_in, preview_claim_of};
use forge_tasks::database::{DirectoryListing, StoredFile};
use forge_tasks::document::FrontMatter;
use forge_tasks::{IdQuery, RunLane, TaskId, TaskStatus};
use forkhestra_core::policy::TaskQuery;

use super::task_holder::lane_of_task;

/// The lanes whose agent was started, or is about to be, and has not claimed a task yet.
#[derive(Debug, Default)]
pub(crate) struct LaneClaims(BTreeSet<RunLane>);

/// The result that a claim in a lane would have.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LaneClaim {
    Other(ClaimPreview),
    /// Other lanes have the tasks, or are about to claim them; with the reason in one line.
    Taken(String),
}

impl LaneClaims {
    /// An agent of a lane is started.
    pub(crate) fn begin(&mut self, lane: &RunLane) {
        self.0.insert(lane.clone());
    }

    /// The agent of a lane has ended.
    pub(crate) fn end(&mut self, lane: &RunLane) {
        self.0.remove(lane);
    }

    /// No agent of any lane is active.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Previews a claim of the agent that is about to be started in a lane. If there is a task for it, it
    /// counts as started.
    pub(crate) fn preview(
        &mut self,
        lane: &RunLane,
        all: &DirectoryListing<FrontMatter>,
        question: &TaskQuery,
        leases: LeaseCheck<'_>,
    ) -> LaneClaim {
        let lanes: BTreeSet<RunLane> =
            all.tasks.iter().filter_map(|task| lane_of_task(&task.content)).collect();
        self.0.retain(|other| other != lane && !lanes.contains(other));
        let preview = match &question.only {
            None => preview_claim_in(lane, all, &question.open_before, leases),
            Some(id) => match IdQuery::parse(id) {
                Ok(id) => preview_of_one(lane, &id, all, leases),
                Err(why) => ClaimPreview::Stuck(why.to_string()),
            },
        };
        let is_own = |id: &TaskId| {
            let mut tasks = all.tasks.iter().filter(|task| task.content.id == *id);
            tasks.any(|task| lane_of_task(&task.content).as_ref() == Some(lane))
        };
        match preview {
            ClaimPreview::Ready { ready, .. }
                if ready.len() <= self.0.len() && !ready.iter().any(is_own) =>
            {
                let ids: Vec<&str> = ready.iter().map(TaskId::as_str).collect();
                LaneClaim::Taken(format!("{} will be claimed in other lanes", ids.join(", ")))
            }
            ClaimPreview::Ready { .. } => {
                self.begin(lane);
                LaneClaim::Other(preview)
            }
            ClaimPreview::Stuck(why)
                if lanes.iter().any(|other| other.run == lane.run && other != lane) =>
            {
                LaneClaim::Taken(why)
            }
            other => LaneClaim::Other(other),
        }
    }
}

/// Previews a claim of one task, which the lane may have.
fn preview_of_one(
    lane: &RunLane,
    id: &IdQuery,
    all: &DirectoryListing<FrontMatter>,
    leases: LeaseCheck<'_>,
) -> ClaimPreview {
    let is_own = |task: &&StoredFile<FrontMatter>| {
        let task = &task.content;
        id.means(&task.id)
            && task.status == TaskStatus::InProgress
            && lane_of_task(task).as_ref() == Some(lane)
    };
    match all.tasks.iter().find(is_own) {
        Some(task) => {
            let ids = vec![task.content.id.clone()];
            ClaimPreview::Ready { ready: ids.clone(), open: ids }
        }
        None => preview_claim_of(id, all, leases),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use forge_tasks::cli::now;
    use forge_tasks::database::{Database, TaskScope};

    use super::*;
    use crate::past_runs::leases::KnownRuns;

    fn lane(number: u32) -> RunLane {
        RunLane::parse(&format!("k3v/{number}")).expect("it is one")
    }

    fn write(directory: &Path, number: u32, front: &str) {
        let text = format!("---\nid: TASK-{number}\ntitle: It\n{front}\n---\n");
        fs::write(directory.join(format!("TASK-{number} - It.md")), text).expect("it is ours");
    }

    fn leased(number: u32) -> String {
        let until = "leaseUntil: \"2999-01-01T00:00:00.000Z\"";
        format!("status: In Progress\n{until}\nleaseRun: k3v\nleaseLane: {number}")
    }

    struct ClaimCase {
        claims: LaneClaims,
        directory: tempfile::TempDir,
    }

    impl ClaimCase {
        fn new(fronts: &[&str]) -> Self {
            let directory = tempfile::tempdir().expect("there is room");
            for (number, front) in (1..).zip(fronts) {
                write(directory.path(), number, front);
            }
            Self { claims: LaneClaims::default(), directory }
        }

        /// Whether a lane gets a task, as `ready`, `taken` or something else.
        fn ask(&mut self, number: u32, only: Option<&str>) -> &'static str {
            let opened = Database::open(self.directory.path()).expect("it can be read");
            let all = opened.expect("it is there").fronts(TaskScope::All).expect("it is readable");
            let leases = LeaseCheck { runs: &KnownRuns::default(), now: now() };
            let only = only.map(str::to_owned);
            let question = TaskQuery { only, ..TaskQuery::default() };
            match self.claims.preview(&lane(number), &all, &question, leases) {
                LaneClaim::Other(ClaimPreview::Ready { .. }) => "ready",
                LaneClaim::Taken(_) => "taken",
                LaneClaim::Other(ClaimPreview::AllDone) => "done",
                LaneClaim::Other(ClaimPreview::Stuck(_)) => "stuck",
                LaneClaim::Other(_) => "other",
            }
        }
    }

    #[test]
    fn no_more_agents_are_started_than_tasks_can_be_claimed() {
        let mut case = ClaimCase::new(&["status: To Do", "status: To Do"]);
        assert_eq!([1, 2, 3].map(|lane| case.ask(lane, None)), ["ready", "ready", "taken"]);
        assert_eq!(case.ask(1, None), "ready", "it counts once");
        // The first has claimed its task.
        write(case.directory.path(), 1, &leased(1));
        assert_eq!([2, 3].map(|lane| case.ask(lane, None)), ["ready", "taken"]);
        case.claims.end(&lane(2));
        assert_eq!([3, 2].map(|lane| case.ask(lane, None)), ["ready", "taken"]);
        case.claims.clear();
        assert_eq!(case.ask(2, None), "ready");
    }

    #[test]
    fn a_lane_goes_on_with_the_task_that_it_has() {
        let mut case = ClaimCase::new(&[&leased(1), "status: To Do"]);
        case.claims.begin(&lane(3));
        assert_eq!([1, 2].map(|lane| case.ask(lane, None)), ["ready", "taken"]);
        assert_eq!([1, 2].map(|lane| case.ask(lane, Some("TASK-1"))), ["ready", "taken"]);
    }

    #[test]
    fn tasks_of_other_lanes_are_no_obstacle_for_good() {
        let landing = "status: Done\nlanding: k3v/1";
        let mut case = ClaimCase::new(&[landing, "status: To Do\ndependencies: [TASK-1]"]);
        assert_eq!(case.ask(2, None), "taken");
        write(case.directory.path(), 1, "status: Blocked");
        assert_eq!(case.ask(2, None), "stuck");
        write(case.directory.path(), 1, "status: Done");
        write(case.directory.path(), 2, "status: Done");
        assert_eq!(case.ask(2, None), "done");
    }
}

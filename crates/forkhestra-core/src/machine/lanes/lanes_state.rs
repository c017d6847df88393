//! The state of the lanes of a stage: the fold of the events in them.

use crate::event::{CheckReport, LaneWork};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::state::run_state::RunState;
use crate::plan::{Flow, FlowStage, LanedStage, Plan};
use crate::time::Timestamp;

/// Refusals after which the work of a lane is parked.
pub(crate) const MAX_LANDING_REFUSALS: u32 = 3;

/// Commits whose results of landing checks are kept.
const MAX_CHECKED_COMMITS: usize = 64;

/// The lanes of a stage and their merge queue.
#[derive(Debug, Clone, PartialEq)]
pub struct LanesState {
    /// The steps of the stage, one-based.
    pub steps: Vec<usize>,
    pub lanes: Vec<LaneState>,
    /// The commit of the integration ref.
    pub integration: CommitId,
    /// The commit before the last landing.
    pub(crate) before_landing: Option<CommitId>,
    /// The commit of the integration ref that the user's work tree has.
    pub forward: CommitId,
    /// Why the user's work tree could not be brought forward at the last attempt.
    pub held: Option<String>,
    /// The number of the last landing in the run; zero without one.
    pub last_landing: u32,
    /// The number of the last parked work in the run; zero without one.
    pub last_parked: u32,
    /// Whether no lane runs: the stage is over, or the run ended in it.
    pub(crate) is_closed: bool,
    /// Whether another round has begun since, so that these lanes are not used again.
    pub(crate) is_outdated: bool,
    /// Lanes whose work waits for its landing, first come first.
    pub(super) queue: Vec<LaneNumber>,
    /// The results of the landing checks by commit: of the integration ref, and the last ones.
    pub(super) checked: Vec<(CommitId, Vec<CheckReport>)>,
}

/// One lane.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneState {
    pub number: LaneNumber,
    /// The step whose iterations it shares with other lanes; none for a branch of its own.
    pub shared_step: Option<usize>,
    /// Its progress: the state of a run whose flow is what runs in the lane.
    pub progress: RunState,
    /// Its directory, once it was made.
    pub path: Option<String>,
    /// Its work that waits for its landing, with the last iteration.
    pub queued: Option<(UnitId, LaneWork)>,
    /// When that was recorded.
    pub(crate) queued_at: Option<Timestamp>,
    /// Its work that was refused last, with the last iteration, until work lands or is parked.
    pub refused: Option<(UnitId, CommitId)>,
    /// The last iteration whose work was landed, refused or parked.
    pub settled: Option<UnitId>,
    /// Consecutive refusals of the work that it holds.
    pub refusals: u32,
    /// Its work that was parked under this number, until another iteration begins in the lane.
    pub(crate) parked: Option<(UnitId, u32, CommitId)>,
}

impl LanesState {
    /// The lanes of a stage that begins, given the state of its run.
    pub(super) fn begin(run: &RunState, stage: LanedStage<'_>, commit: &CommitId) -> Self {
        let before = run.lanes.as_deref();
        let flows = flows_of_lanes(&run.plan, stage);
        let lanes = (0..).zip(flows).filter_map(|(index, (flow, shared_step))| {
            let number = LaneNumber::from_index(index)?;
            Some(LaneState::begin(number, run, flow, shared_step))
        });
        Self {
            steps: stage.steps(),
            lanes: lanes.collect(),
            integration: commit.clone(),
            before_landing: None,
            forward: commit.clone(),
            held: None,
            last_landing: before.map_or(0, |before| before.last_landing),
            last_parked: before.map_or(0, |before| before.last_parked),
            is_closed: false,
            is_outdated: false,
            queue: Vec::new(),
            checked: Vec::new(),
        }
    }

    /// A lane by its number.
    pub fn lane(&self, number: LaneNumber) -> Option<&LaneState> {
        self.lanes.get(number.index())
    }

    pub(super) fn lane_mut(&mut self, number: LaneNumber) -> Option<&mut LaneState> {
        self.lanes.get_mut(number.index())
    }

    /// The lane whose work has this iteration as its last one and waits for its landing.
    pub(super) fn lane_of_queued(&self, unit: UnitId) -> Option<&LaneState> {
        let holds = |lane: &&LaneState| lane.queued.as_ref().is_some_and(|(last, _)| *last == unit);
        self.lanes.iter().find(holds)
    }

    /// The work that waits for its landing, first come first.
    pub fn queued(&self) -> impl Iterator<Item = (&LaneState, UnitId, &LaneWork)> {
        let lanes = self.queue.iter().filter_map(|number| self.lane(*number));
        lanes.filter_map(|lane| lane.queued.as_ref().map(|(unit, work)| (lane, *unit, work)))
    }

    /// The results of the landing checks on a commit, if they are known.
    pub(crate) fn results_on(&self, commit: &CommitId) -> Option<&[CheckReport]> {
        let found = self.checked.iter().rev().find(|(of, _)| of == commit);
        found.map(|(_, checks)| checks.as_slice())
    }

    /// Records the results on a commit. Those of the integration ref are kept, and the last ones: the
    /// merge queue may refuse work because of a check that it has known for a while.
    pub(super) fn note_results(&mut self, commit: &CommitId, checks: &[CheckReport]) {
        self.checked.retain(|(of, _)| of != commit);
        self.checked.push((commit.clone(), checks.to_vec()));
        let oldest = self.checked.iter().position(|(of, _)| *of != self.integration);
        if let Some(oldest) = oldest.filter(|_| self.checked.len() > MAX_CHECKED_COMMITS) {
            self.checked.remove(oldest);
        }
    }

    /// Whether a lane holds work that has not landed, as far as it is known.
    pub fn has_queued_work(&self) -> bool {
        !self.queue.is_empty()
    }
}

impl LaneState {
    fn begin(number: LaneNumber, run: &RunState, flow: Flow, shared_step: Option<usize>) -> Self {
        let mut progress = run.in_scope(flow);
        if let Some(step) = shared_step {
            progress.steps[step - 1] =
                run.steps[step - 1].for_lane(run.plan.steps[step - 1].best.is_some());
        }
        Self {
            number,
            shared_step,
            progress,
            path: None,
            queued: None,
            queued_at: None,
            refused: None,
            settled: None,
            refusals: 0,
            parked: None,
        }
    }

    /// The first step that runs in the lane.
    pub fn first_step(&self) -> Option<usize> {
        self.progress.scope.as_ref()?.steps().first().copied()
    }

    /// The step that the lane shares, or the current one of its branch.
    pub fn current_step(&self) -> Option<usize> {
        self.shared_step.or_else(|| self.progress.current_step())
    }
}

/// What runs in each lane of a stage, with the step whose iterations it shares.
fn flows_of_lanes(plan: &Plan, stage: LanedStage<'_>) -> Vec<(Flow, Option<usize>)> {
    let of_step = |step: usize| (Flow(vec![FlowStage::Step(step)]), Some(step));
    match stage {
        LanedStage::Step(step) => {
            (0..step.agents_at_once()).map(|_| of_step(step.number)).collect()
        }
        LanedStage::Group(group) => {
            let flow = Flow(vec![FlowStage::Group(group.clone())]);
            vec![(flow, None)]
        }
        LanedStage::Parallel(branches) => {
            let of_branch = |branch: &Flow| match branch.0.as_slice() {
                [FlowStage::Step(step)] => {
                    let plan = plan.step(*step).filter(|step| step.has_lanes());
                    let shared =
                        plan.map(|step| vec![of_step(step.number); step.agents_at_once() as usize]);
                    shared.unwrap_or_else(|| vec![(branch.clone(), None)])
                }
                _ => vec![(branch.clone(), None)],
            };
            branches.iter().flat_map(of_branch).collect()
        }
    }
}

//! The view of a whole run in `chain-<id>.json`.

use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory, UnfinishedAgent};
use forkhestra_core::id::{LaneNumber, UnitId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::flow_view::{ConditionView, QuestionView, RoundView};
use super::lanes_view::LanesView;
use super::work_view::WorkView;
use super::{ViewFacts, milliseconds, run_file};
use crate::format::Version;
use crate::view::cost_fields::CostFields;

/// A whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainView {
    /// The version of this format.
    #[schemars(with = "String")]
    pub format: Version,
    /// The run's id.
    pub id: String,
    /// The name of the chain, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    /// Its status.
    pub status: ExecutionStatus,
    /// The reason for its end, as one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its steps.
    pub steps: Vec<StepView>,
    /// The running, last or next step, from one; 0 in an empty chain.
    pub current_step: usize,
    /// The running agent, or the one whose work is being checked; with lanes the last of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<AtWorkView>,
    /// The rounds of repeated groups, in order; omitted if there were none. Since 1.4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<RoundView>,
    /// The questions to a person, in order; omitted if there were none. Since 1.4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<QuestionView>,
    /// The conditions that were checked, in order; omitted if there were none. Since 1.4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionView>,
    /// Its lanes, and what became of their work; omitted if it has none. Since 1.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<LanesView>,
    /// When the run began.
    pub started_at: String,
    /// The time of the last event.
    pub updated_at: String,
    /// When it ended, if it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// How long it has been running, awake and not paused, in milliseconds.
    pub duration_ms: u64,
    /// How often it was resumed.
    pub resumed: u32,
    #[serde(flatten)]
    pub figures: CostFields,
    /// Its working directory.
    pub working_directory: String,
    /// The path of the journal, which is authoritative.
    pub journal: String,
    /// The command that resumes it; omitted if nothing is left to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<String>,
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    /// Its place in the chain, from one.
    pub number: usize,
    /// The agent's name.
    pub agent: String,
    /// The number of the last iteration that it may have, in the current round; null if it runs once.
    pub max_iterations: Option<u32>,
    /// Its status.
    pub status: ExecutionStatus,
    /// The reason for its end, as one word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The step that was not complete, if this one ran instead of it. Since 1.4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instead_of: Option<usize>,
    /// How many iterations have an outcome, in all rounds.
    pub iterations: u32,
    /// When it began, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it ended, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    /// How long it has taken, awake and not paused, in milliseconds.
    pub duration_ms: u64,
    #[serde(flatten)]
    pub figures: CostFields,
    /// What its agents changed in the repository, once that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work: Option<WorkView>,
    /// The file beside this one that has its iterations, once it has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// The running agent, or the one whose work is being checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AtWorkView {
    /// The step, from one.
    pub step: usize,
    /// The iteration of the step, from one.
    pub iteration: u32,
    /// The attempt, from one.
    pub attempt: u32,
    /// The lane that it works in; omitted for the work tree. Since 1.5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<u8>,
    /// The time just before it was started.
    pub started_at: String,
    /// The id of its process, once that is known and while it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Whether the agent has ended and its work is being checked; omitted if not.
    #[serde(default, skip_serializing_if = "is_false")]
    pub checking: bool,
}

impl ChainView {
    /// The view of a history.
    pub fn of(history: &RunHistory, liveness: Liveness, facts: &ViewFacts) -> Self {
        let state = &history.state;
        // The agent of a killed run is gone as well, and its process id may have been reused.
        let at_work = history.unfinished_agent().filter(|_| liveness == Liveness::Alive);
        let is_complete = history.status(liveness) == ExecutionStatus::Complete;
        Self {
            format: super::FORMAT,
            id: state.run.to_string(),
            chain: state.plan.chain.clone(),
            definition: state.plan.definition.clone(),
            status: history.status(liveness),
            reason: history.reason().map(str::to_owned),
            steps: (1..=state.steps.len())
                .map(|number| StepView::of(history, number, liveness))
                .collect(),
            current_step: history.current_step().unwrap_or(0),
            running: at_work.map(|(unit, work)| AtWorkView::of(history, unit, work)),
            rounds: history.flow.rounds.iter().map(|round| RoundView::of(round, state)).collect(),
            questions: history.flow.questions.iter().map(QuestionView::of).collect(),
            conditions: history.flow.conditions.iter().map(ConditionView::of).collect(),
            lanes: LanesView::of(history, liveness),
            started_at: history.started.to_string(),
            updated_at: history.updated.to_string(),
            completed_at: history.ended.map(|timestamp| timestamp.to_string()),
            duration_ms: milliseconds(state.elapsed),
            resumed: history.resumed,
            figures: CostFields::of(history.spend()),
            working_directory: state.plan.working_directory.clone(),
            journal: facts.journal.display().to_string(),
            resume: facts.resume.clone().filter(|_| !is_complete),
        }
    }
}

impl AtWorkView {
    fn of(history: &RunHistory, unit: UnitId, work: &UnfinishedAgent) -> Self {
        let checking = history.unchecked_report(work).is_some();
        Self {
            step: unit.step,
            iteration: unit.iteration,
            attempt: unit.attempt,
            lane: work.lane.map(LaneNumber::get),
            started_at: work.started.to_string(),
            pid: work.pid.filter(|_| !checking),
            checking,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
const fn is_false(truth: &bool) -> bool {
    !*truth
}

impl StepView {
    /// The view of a step, numbered from one.
    pub fn of(history: &RunHistory, number: usize, liveness: Liveness) -> Self {
        let (plan, state) = (&history.state.plan.steps[number - 1], history.step_state(number));
        let state = state.unwrap_or(&history.state.steps[number - 1]);
        let step = &history.steps[number - 1];
        let timestamp = |timestamp: forkhestra_core::time::Timestamp| timestamp.to_string();
        Self {
            number,
            agent: plan.agent.name.clone(),
            max_iterations: history.state.last_iteration_number(number),
            status: history.step_status(number, liveness),
            reason: state.end().map(|end| end.as_str().to_owned()),
            instead_of: state.instead_of,
            iterations: history.step_iterations(number),
            started_at: step.started.map(timestamp),
            // A step that has yet to begin in the current round ended in an earlier one.
            completed_at: step.ended.filter(|_| state.end().is_some()).map(timestamp),
            duration_ms: milliseconds(state.elapsed),
            figures: CostFields::of(history.step_spend(number)),
            work: state.work.as_ref().map(Into::into),
            file: step.started.map(|_| run_file(&history.state.run, number)),
        }
    }
}

//! The statistics of one run.

use serde::{Deserialize, Serialize};

use super::agent_statistics::AgentStatistics;
use super::check_statistics::{CheckFold, CheckStatistics};
use super::spend_by_category::SpendByCategory;
use super::task_statistics::{TaskFold, TaskStatistics};
use crate::cost::Spend;
use crate::history::{ActivityTimes, ExecutionStatus, Liveness, RunHistory, UnfinishedAgent};
use crate::id::RunId;
use crate::time::Timestamp;

/// The statistics of one run: numbers that can be added up with those of other runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunStatistics {
    /// [`Self::VERSION`]. Statistics of another version are made again from the journal.
    pub version: u32,
    pub run: RunId,
    /// The name of the chain, if it has one.
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    /// Tasks of the same working directory are the same tasks.
    pub working_directory: String,
    pub started: Timestamp,
    pub status: ExecutionStatus,
    /// Whether an agent was a replay, which cost nothing.
    pub is_replay: bool,
    pub times: ActivityTimes,
    pub agents: Vec<AgentStatistics>,
    pub tasks: Vec<TaskStatistics>,
    pub checks: Vec<CheckStatistics>,
}

impl RunStatistics {
    /// The version that this program makes.
    pub const VERSION: u32 = 4;

    /// Reduces the history of a run.
    pub fn of(history: &RunHistory, liveness: Liveness) -> Self {
        let plan = &history.state.plan;
        let mut agents: Vec<AgentStatistics> = Vec::new();
        let (mut tasks, mut checks) = (TaskFold::default(), CheckFold::default());
        let on_backends: Vec<Vec<AgentStatistics>> = plan
            .steps
            .iter()
            .map(|step| step.on_each_backend().iter().map(AgentStatistics::of_step).collect())
            .collect();
        let agent_on = |agents: &mut Vec<AgentStatistics>, step: usize, fallback: Option<_>| {
            let on_backends: &[AgentStatistics] = &on_backends[step];
            let backend = usize::from(fallback.is_some()).min(on_backends.len() - 1);
            index_of(agents, &on_backends[backend])
        };
        // In the order of time: a task that one step made may be finished by an earlier step.
        for record in history.attempts() {
            let step = record.unit.step - 1;
            let agent = agent_on(&mut agents, step, record.fallback);
            let is_on_task = tasks.add(agent, record);
            agents[agent].add(record, is_on_task);
            checks.add(&plan.steps[step], record);
        }
        let unfinished = history.unfinished_agents();
        for (step, unfinished) in unfinished.map(|agent| (agent.unit.step - 1, agent)) {
            let plan_step = &plan.steps[step];
            let agent = agent_on(&mut agents, step, unfinished.fallback);
            // Without its process, no other end of the attempt is recorded unless it is resumed.
            let is_aborted = unfinished.was_cut_off() || liveness == Liveness::Gone;
            let reports_spend = plan_step.agent.kind.reports_spend();
            let spend = spend_of(unfinished, is_aborted && reports_spend);
            // The claim of an agent whose work is checked again may still be refused.
            let is_over = liveness == Liveness::Gone;
            let is_on_task = is_over && tasks.add_killed(agent, unfinished, spend);
            if let Some(spend) = spend {
                agents[agent].add_unfinished(spend, is_aborted, is_on_task);
            }
        }
        Self {
            version: Self::VERSION,
            run: history.state.run.clone(),
            chain: plan.chain.clone(),
            definition: plan.definition.clone(),
            working_directory: plan.working_directory.clone(),
            started: history.started,
            status: status_of(history, liveness),
            is_replay: plan.steps.iter().any(|step| step.agent.replay.is_some()),
            times: history.times(),
            agents,
            tasks: tasks.into_tasks(),
            checks: checks.into_checks(),
        }
    }

    /// The name of its chain, or else the chain itself.
    pub fn chain_name(&self) -> &str {
        self.chain.as_deref().unwrap_or(&self.definition)
    }

    /// Iterations with an outcome.
    pub fn iterations(&self) -> u32 {
        self.agents.iter().map(|agent| agent.iterations).sum()
    }

    /// What it spent; none if nothing is known.
    pub fn spend(&self) -> Option<Spend> {
        self.agents.iter().filter_map(|agent| agent.spend).reduce(|sum, spend| sum + spend)
    }

    /// Its money by what became of the work.
    pub fn money(&self) -> SpendByCategory {
        let mut sum = SpendByCategory::default();
        self.agents.iter().for_each(|agent| sum += agent.money);
        sum
    }
}

/// What an agent has spent. If it was killed while it ran, it may have spent an unknown amount.
fn spend_of(agent: &UnfinishedAgent, may_be_silent: bool) -> Option<Spend> {
    let silent = Spend { unpriced: true, ..Spend::default() };
    let is_silent = may_be_silent && agent.gone.is_none();
    agent.spend.or(is_silent.then_some(silent))
}

/// The status of the run. A run whose steps were all skipped completed nothing.
fn status_of(history: &RunHistory, liveness: Liveness) -> ExecutionStatus {
    let state = &history.state;
    match history.status(liveness) {
        ExecutionStatus::Complete if state.skipped_steps() > 0 && state.complete_steps() == 0 => {
            ExecutionStatus::Skipped
        }
        status => status,
    }
}

/// The index of the entry for the same agent and model.
fn index_of(agents: &mut Vec<AgentStatistics>, new: &AgentStatistics) -> usize {
    let is_same = |agent: &AgentStatistics| {
        (&agent.agent, &agent.model, agent.fallback) == (&new.agent, &new.model, new.fallback)
    };
    agents.iter().position(is_same).unwrap_or_else(|| {
        agents.push(new.clone());
        agents.len() - 1
    })
}

//! How the surroundings of a simulated run with lanes behave. The same scripts serve a run and its
//! resumed ones.

use super::simulated_repository::{SimulatedRepository, UnitSet};
use crate::event::AuxJob;
use crate::id::{LaneNumber, UnitId};
use crate::machine::Workplace;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::policy::TaskWork;

/// An agent that starts.
#[derive(Debug, Clone)]
pub(in crate::machine::tests) struct AgentStart {
    pub(in crate::machine::tests) unit: UnitId,
    pub(in crate::machine::tests) lane: Option<LaneNumber>,
    /// What it is told of the work before.
    pub(in crate::machine::tests) feedback: Option<String>,
}

/// How an agent in a lane behaves.
#[derive(Debug, Clone)]
pub(in crate::machine::tests) struct LaneAgent {
    pub(in crate::machine::tests) process: SimulatedAgent,
    /// Whether it commits work before it ends.
    pub(in crate::machine::tests) commits: bool,
    /// Whether it merges the integration ref into its lane.
    pub(in crate::machine::tests) merges: bool,
}

impl LaneAgent {
    pub(in crate::machine::tests) fn of(process: SimulatedAgent) -> Self {
        Self { process, commits: true, merges: false }
    }

    /// An agent that takes this many milliseconds.
    pub(in crate::machine::tests) fn taking(milliseconds: u64) -> Self {
        Self::of(SimulatedAgent { exits_at: Some(milliseconds), ..SimulatedAgent::exiting(0) })
    }

    pub(in crate::machine::tests) fn idle(self) -> Self {
        Self { commits: false, ..self }
    }

    pub(in crate::machine::tests) fn done(self) -> Self {
        let process = SimulatedAgent { says_done_at: Some(1), ..self.process };
        Self { process, ..self }
    }
}

/// An aux job that starts.
#[derive(Debug, Clone)]
pub(in crate::machine::tests) struct JobStart {
    pub(in crate::machine::tests) place: Option<Workplace>,
    pub(in crate::machine::tests) aux_job: AuxJob,
    /// What is checked out where it runs.
    pub(in crate::machine::tests) tree: UnitSet,
}

type Script<A, R> = Box<dyn Fn(A) -> R>;

type ConflictScript = Box<dyn Fn(&str, &str) -> bool>;

type TreeScript = Box<dyn Fn(&UnitSet) -> Option<String>>;

type TasksScript = Box<dyn Fn(&SimulatedRepository, usize) -> TaskWork>;

/// How the surroundings of a run behave.
pub(in crate::machine::tests) struct LaneScripts {
    pub(in crate::machine::tests) agent: Box<dyn Fn(&AgentStart) -> LaneAgent>,
    pub(in crate::machine::tests) job: Box<dyn Fn(&JobStart) -> AuxJobScript>,
    /// Whether the work of two units, by their names, cannot be merged.
    pub(in crate::machine::tests) conflicts: ConflictScript,
    /// Why the user's work tree is held at an attempt, by its number.
    pub(in crate::machine::tests) held: Script<usize, Option<String>>,
    pub(in crate::machine::tests) lane_failure: Script<LaneNumber, Option<String>>,
    pub(in crate::machine::tests) fetch_failure: Script<UnitId, Option<String>>,
    pub(in crate::machine::tests) check_out_failure: TreeScript,
    /// The task database, given what has landed and the number of agents that run.
    pub(in crate::machine::tests) tasks: TasksScript,
    /// After how many milliseconds the answer to an effect comes, by its number in the run.
    pub(in crate::machine::tests) delay: Script<usize, u64>,
}

impl Default for LaneScripts {
    fn default() -> Self {
        Self {
            agent: Box::new(|start| LaneAgent::taking(100 + u64::from(start.unit.iteration))),
            job: Box::new(|_| AuxJobScript::exiting(0)),
            conflicts: Box::new(|_, _| false),
            held: Box::new(|_| None),
            lane_failure: Box::new(|_| None),
            fetch_failure: Box::new(|_| None),
            check_out_failure: Box::new(|_| None),
            tasks: Box::new(|_, _| TaskWork::NoDatabase),
            delay: Box::new(|_| 1),
        }
    }
}

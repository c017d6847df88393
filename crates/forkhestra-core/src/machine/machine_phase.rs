//! What a machine waits for. It is lost in a crash, and the recovery table replaces it.

use std::time::Duration;

use super::agent::inspection::Inspection;
use super::agent::running_agent::RunningAgent;
use super::aux_job::hooks::RunningHook;
use super::aux_job::running_aux_job::RunningAuxJob;
use super::lanes::lane_machine::LaneRest;
use super::provider_wait::ProviderWait;
use crate::event::{CheckReport, StepEnd};
use crate::id::UnitId;

/// What the machine is waiting for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum MachinePhase {
    /// The `Begin` input.
    New,
    /// The observation before a step, or before it continues after a resume.
    Observing {
        step: usize,
    },
    /// The end of the backoff.
    BackingOff {
        step: usize,
        until: Duration,
    },
    /// The agent's provider or account, until a wall-clock time, which is checked at intervals.
    Waiting {
        wait: ProviderWait,
        next_clock_poll: Duration,
    },
    /// The answer of a person.
    Asking {
        step: usize,
        /// When the wall clock is read again, in the caller's awake time; never without a timeout.
        next_clock_poll: Option<Duration>,
    },
    AgentRunning(Box<RunningAgent>),
    /// The checks of an agent's work.
    Inspecting(Box<Inspection>),
    /// The task database. `otherwise` is the step's end unless the tasks decide another one.
    PollingTasks {
        step: usize,
        otherwise: Option<StepEnd>,
    },
    RunningHooks(Box<RunningHook>),
    /// The summary of what changed in a step that is about to end.
    Surveying {
        step: usize,
        end: StepEnd,
        until: Duration,
    },
    /// The lanes of a stage, which begins with this step. Each has a machine of its own.
    InLanes {
        step: usize,
    },
    /// The preparation of a lane for its next iteration.
    Advancing {
        step: usize,
    },
    /// The landing of the work of a lane, up to this iteration.
    AwaitingLanding {
        unit: UnitId,
    },
    /// Progress of other lanes, or the end of the stage.
    Resting(LaneRest),
    /// The machine of the run takes the results of checks of merged work. The end is set if it, and
    /// not the checks, ended them.
    Checked {
        results: Vec<CheckReport>,
        end: Option<StepEnd>,
    },
    Over,
}

impl MachinePhase {
    /// The running aux job.
    pub(super) fn job(&self) -> Option<&RunningAuxJob> {
        match self {
            Self::Inspecting(inspection) => inspection.aux_job(),
            Self::RunningHooks(hooking) => Some(&hooking.aux_job),
            _ => None,
        }
    }
}

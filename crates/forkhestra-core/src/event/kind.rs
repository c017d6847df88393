//! The table of all events: for each its name in a line, its scope and its members.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::wire::{EndOfStep, Milliseconds};
use super::{
    AuxJob, CancelCause, CheckReport, CompletionSignal, EventScope, Fingerprint, HookReport,
    IterationReport, LimitChanges, Observation, OperatorMessage, OutcomeClass, RunEnd, StepEnd,
    StopReason, TaskChanges, WorkSummary,
};
use crate::cost::Spend;
use crate::id::{RunId, UnitId};
use crate::plan::Plan;
use crate::time::Timestamp;

/// Defines the set of all events. A line has the name of its event and the members of the variant, in
/// this order.
///
/// The scope of an event is `run`, `step` (it has a member `step`), `unit` (it has a member `unit`),
/// or an expression of its members.
macro_rules! events {
    ($(
        $(#[doc = $doc:literal])*
        $name:literal $scope:tt $Event:ident $({
            $($(#[$about:meta])* $member:ident: $Type:ty,)*
        })?;
    )*) => {
        /// What can happen.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum EventKind {
            $(
                $(#[doc = $doc])*
                $Event $({
                    $($(#[$about])* $member: $Type,)*
                })?,
            )*
        }

        impl EventKind {
            /// The name by which lines call the event.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$Event { .. } => $name,)*
                }
            }

            /// What the event is about.
            pub const fn scope(&self) -> EventScope {
                match self {
                    $(scope!($scope $Event binding) => scope!($scope binding),)*
                }
            }

            /// Reads the event of this name from a line; none if there is no such event.
            pub fn read(name: &str, line: &str) -> Option<serde_json::Result<Self>> {
                Some(match name {
                    $($name => serde_json::from_str(line).map(|members| {
                        let members::$Event { $($($member),*)? } = members;
                        Self::$Event { $($($member),*)? }
                    }),)*
                    _ => return None,
                })
            }

            /// The members of each event, by its name.
            pub fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, generator.subschema_for::<members::$Event>()),)*]
            }
        }

        /// The members of each event, to be read and described.
        mod members {
            use super::*;

            $(
                $(#[doc = $doc])*
                #[derive(Deserialize, JsonSchema)]
                pub(super) struct $Event {
                    $($($(#[$about])* pub(super) $member: $Type,)*)?
                }
            )*
        }
    };
}

/// The pattern of a variant and, behind it, its scope.
macro_rules! scope {
    (run $Event:ident $binding:ident) => {
        Self::$Event { .. }
    };
    (run $binding:ident) => {
        EventScope::Run
    };
    ($member:ident $Event:ident $binding:ident) => {
        Self::$Event { $member: $binding, .. }
    };
    (step $binding:ident) => {
        EventScope::Step(*$binding)
    };
    (unit $binding:ident) => {
        EventScope::Unit(*$binding)
    };
    (errand $binding:ident) => {
        $binding.scope()
    };
    (report $binding:ident) => {
        $binding.moment.scope()
    };
}

events! {
    /// A run began. Always the first line.
    "run_started" run RunStarted {
        /// The run's id.
        run: RunId,
        /// The version of the program.
        program: String,
        /// What the run is to do, as `--dry-run --output json` prints it.
        plan: Box<Plan>,
    };

    /// A run that had ended or had been cut off goes on.
    "run_resumed" run RunResumed {
        /// The run's id.
        run: RunId,
        /// The version of the program.
        program: String,
        /// Limits that are different from now on.
        changes: LimitChanges,
        /// The working directory from now on; left out if it stays. Since 1.1.
        #[serde(rename = "workingDirectory", default, skip_serializing_if = "Option::is_none")]
        moved_to: Option<String>,
    };

    /// A step began.
    "step_started" step StepStarted {
        /// The step.
        step: usize,
        /// What was there before.
        sight: Observation,
    };

    /// An agent is about to be started.
    "iteration_started" unit IterationStarted {
        /// Which one.
        unit: UnitId,
    };

    /// An agent has been started.
    "agent_started" unit AgentStarted {
        /// Which one.
        unit: UnitId,
        /// Its process.
        pid: u32,
        /// Tells the prompt it was given from others; not there if it was given none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<Fingerprint>,
    };

    /// An agent says that the work of its step is done.
    "completion_requested" unit CompletionRequested {
        /// Which one.
        unit: UnitId,
        /// How it said so.
        by: CompletionSignal,
    };

    /// An agent has spent more. Since 2.0.
    "spent" unit Spent {
        /// Which one.
        unit: UnitId,
        /// What it has spent since it was started, all in all.
        spend: Spend,
    };

    /// We began to end an agent.
    "agent_ending" unit AgentEnding {
        /// Which one.
        unit: UnitId,
        /// Why.
        why: StopReason,
    };

    /// An agent is gone, and everything it started; what it made is about to be checked. It says what
    /// comes of the iteration if every check passes. Since 2.0.
    "agent_finished" unit AgentFinished {
        /// Which one.
        unit: UnitId,
        /// What came of it.
        #[serde(flatten)]
        report: IterationReport,
    };

    /// What an agent that is gone changed in the task database. Since 2.1.
    "tasks_changed" unit TasksChanged {
        /// Which agent.
        unit: UnitId,
        /// What changed.
        #[serde(flatten)]
        changes: TaskChanges,
    };

    /// A check, a hook or the setup of a clean room has been started. Since 2.0.
    "errand_started" errand ErrandStarted {
        /// Which one.
        errand: AuxJob,
        /// Its process.
        pid: u32,
    };

    /// A check is over. Since 2.0.
    "check_finished" unit CheckFinished {
        /// Whose work was checked.
        unit: UnitId,
        /// What it came to.
        #[serde(rename = "check")]
        report: CheckReport,
    };

    /// A hook is over. Since 2.0.
    "hook_finished" report HookFinished {
        /// What it came to.
        #[serde(flatten)]
        report: HookReport,
    };

    /// An iteration is over: its agent is gone, and what it made has been checked.
    "iteration_finished" unit IterationFinished {
        /// Which one.
        unit: UnitId,
        /// What came of it.
        #[serde(flatten)]
        report: IterationReport,
    };

    /// The next iteration waits, because the last ones crashed.
    "backing_off" step BackingOff {
        /// The step.
        step: usize,
        /// How many iterations in a row have crashed.
        crashes: u32,
        /// How long.
        #[serde(rename = "delayMs", with = "Milliseconds")]
        delay: Duration,
    };

    /// The next iteration waits for the agent's provider. Since 2.0.
    "waiting" step Waiting {
        /// The step.
        step: usize,
        /// What for.
        why: OutcomeClass,
        /// Until when.
        until: Timestamp,
    };

    /// What the agents of a step made of the repository. Since 2.0.
    "surveyed" step Surveyed {
        /// The step.
        step: usize,
        /// What they made.
        work: WorkSummary,
    };

    /// A step is over.
    "step_finished" step StepFinished {
        /// The step.
        step: usize,
        /// How it ended.
        #[serde(flatten, with = "EndOfStep")]
        end: StepEnd,
    };

    /// Somebody wants the run to end when the iteration at work is over. Since 2.0.
    "stop_requested" run StopRequested;

    /// Somebody wants a step to end, and the next one to begin. Since 2.0.
    "skip_requested" step SkipRequested {
        /// The step.
        step: usize,
    };

    /// Somebody has something to say to the next agent. Since 2.0.
    "message_queued" run MessageQueued {
        /// The message.
        #[serde(flatten)]
        message: OperatorMessage,
    };

    /// An agent that is about to be started is told what somebody had to say. Since 2.0.
    "messages_given" unit MessagesGiven {
        /// Which one.
        unit: UnitId,
        /// The numbers of the messages.
        messages: Vec<u32>,
    };

    /// Somebody changed limits while the run goes on. Since 2.0.
    "limits_changed" run LimitsChanged {
        /// Limits that are different from now on.
        changes: LimitChanges,
    };

    /// Somebody wants the run to end.
    "cancelled" run Cancelled {
        /// Who, or what.
        by: CancelCause,
    };

    /// The run stands still.
    "paused" run Paused;

    /// The run goes on after a pause.
    "continued" run Continued;

    /// The whole machine was asleep.
    "machine_slept" run MachineSlept {
        /// How long.
        #[serde(rename = "durationMs", with = "Milliseconds")]
        duration: Duration,
    };

    /// Something a person should know, which changes nothing.
    "warning" run Warning {
        /// What.
        message: String,
    };

    /// The run is over. Nothing but a `run_resumed` may follow.
    "run_finished" run RunFinished {
        /// How it ended.
        end: RunEnd,
    };
}

impl EventKind {
    /// Whether the event must have reached the disk before anything else is done: before an agent
    /// is started, and when it is gone. Everything else can be told from these, or be done again for
    /// nothing, as checks can. What came of an iteration is one of those if it is known already that
    /// its agent is gone: see [`DurabilityTracker`](super::DurabilityTracker).
    pub const fn must_be_durable(&self) -> bool {
        match self {
            Self::IterationStarted { .. } | Self::AgentFinished { .. } => true,
            Self::IterationFinished { report, .. } => report.checks.is_empty(),
            _ => false,
        }
    }
}

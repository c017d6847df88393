//! The table of all events: the name, scope and members of each.

use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::wire::{EndOfStep, Milliseconds};
use super::{
    Answer, AuxJob, CancelCause, CheckReport, CompletionSignal, EventScope, FallbackUse,
    Fingerprint, ForkOrigin, HookReport, InheritedStep, IterationReport, LandedWork,
    LandingRefusal, LaneWork, LimitChanges, Observation, OperatorMessage, PathList, RunEnd,
    StepEnd, StopReason, TaskChanges, WaitCause, WorkSummary,
};
use crate::config::Backend;
use crate::cost::Spend;
use crate::id::{CommitId, RunId, UnitId};
use crate::plan::{PinnedProgram, Plan, StepSandboxes};
use crate::quota::QuotaWindow;
use crate::time::Timestamp;

/// Defines the set of all events. A line has the name of its event and the members of the variant,
/// in this order.
///
/// The scope of an event is `run`, `step` (it has a member `step`), `unit` (it has a member
/// `unit`), or an expression of its members.
macro_rules! events {
    ($(
        $(#[doc = $doc:literal])*
        $(#[schemars $schemars:tt])?
        $name:literal $scope:tt $Event:ident $({
            $($(#[$about:meta])* $member:ident: $Type:ty,)*
        })?;
    )*) => {
        /// What happened.
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
            /// The event's name in journal lines.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$Event { .. } => $name,)*
                }
            }

            /// The event's scope.
            pub(super) const fn scope(&self) -> EventScope {
                match self {
                    $(scope!($scope $Event binding) => scope!($scope binding),)*
                }
            }

            /// Parses the event of this name from a line; none for an unknown name.
            pub fn read(name: &str, line: &str) -> Option<serde_json::Result<Self>> {
                Some(match name {
                    $($name => serde_json::from_str(line).map(|members| {
                        let members::$Event { $($($member),*)? } = members;
                        Self::$Event { $($($member),*)? }
                    }),)*
                    _ => return None,
                })
            }

            /// The schema of each event's members, by its name.
            pub fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, generator.subschema_for::<members::$Event>()),)*]
            }
        }

        /// The members of each event, for parsing and for the schema.
        mod members {
            use super::*;

            $(
                $(#[doc = $doc])*
                #[derive(Deserialize, JsonSchema)]
                $(#[schemars $schemars])?
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
    (aux_job $binding:ident) => {
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
        /// The run's plan, as `--dry-run --output json` prints it.
        plan: Box<Plan>,
        /// The snapshot of another run with which it began; left out if it was not forked. Since 2.3.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<ForkOrigin>,
        /// The steps that it does not execute, since that run did; left out if there are none. Since 2.3.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inherited: Vec<InheritedStep>,
    };

    /// A run that had ended or was cut off is resumed.
    "run_resumed" run RunResumed {
        /// The run's id.
        run: RunId,
        /// The version of the program.
        program: String,
        /// Limits that change from now on.
        changes: LimitChanges,
        /// The working directory from now on; left out if unchanged. Since 1.1.
        #[serde(rename = "workingDirectory", default, skip_serializing_if = "Option::is_none")]
        moved_to: Option<String>,
        /// The sandbox of each step from now on; left out if unchanged. Since 2.2.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sandboxes: Option<StepSandboxes>,
    };

    /// The programs that checks, hooks and set-ups may run from now on, as they are. Only in a resumed run. Since 2.2.
    "programs_recorded" run ProgramsRecorded {
        /// The programs.
        programs: Vec<PinnedProgram>,
    };

    /// A step began.
    "step_started" step StepStarted {
        /// The step.
        step: usize,
        /// The observation before it.
        #[serde(rename = "sight")]
        observation: Observation,
        /// The step that was not complete, if this one runs instead of it; left out otherwise. Since 3.0.
        #[serde(rename = "insteadOf", default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<usize>,
    };

    /// A round of a repeated group began; its steps begin again. Since 3.0.
    "round_started" run RoundStarted {
        /// The number of the group in the plan.
        group: usize,
        /// The number of the round.
        round: u32,
    };

    /// The checks of a group ran because the last step of a round is complete. Since 3.0.
    "round_checked" step RoundChecked {
        /// The step.
        step: usize,
        /// The number of the group.
        group: usize,
        /// The results, in order.
        checks: Vec<CheckReport>,
    };

    /// A round was not accepted. Since 3.0.
    "round_refused" step RoundRefused {
        /// The step that decided.
        step: usize,
        /// The number of the group.
        group: usize,
        /// The number of the round.
        round: u32,
        /// What the next round is given as the reason; left out if none is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// Identifies the state of the work tree; left out if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tree: Option<Fingerprint>,
    };

    /// The condition of a step or a group was checked. Since 3.0.
    "condition_checked" step ConditionChecked {
        /// The step that it was checked before.
        step: usize,
        /// The number of the condition among those of the step.
        number: usize,
        /// Whether the condition holds.
        holds: bool,
        /// The result.
        check: CheckReport,
    };

    /// A person is asked. The run waits for an answer. Recorded again, with the same number, by a run that is resumed without an answer. Since 3.0.
    "asked" step Asked {
        /// The step.
        step: usize,
        /// The number of the question in the run.
        question: u32,
        /// The text; left out if the question has none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// When its timeout expires; left out without a timeout.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Timestamp>,
    };

    /// A question was answered. Since 3.0.
    "answered" step Answered {
        /// The step.
        step: usize,
        /// The answer.
        #[serde(flatten)]
        answer: Answer,
    };

    /// The checks of a step ran before its first iteration. Since 2.2.
    "calibrated" step Calibrated {
        /// The step.
        step: usize,
        /// The results, in order.
        checks: Vec<CheckReport>,
    };

    /// An agent is about to be started.
    "iteration_started" unit IterationStarted {
        /// The attempt.
        unit: UnitId,
        /// The back-end that runs it in place of the primary one of the step, at a limit of its account; left out if the primary one does. Since 3.0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fallback: Option<FallbackUse>,
    };

    /// An agent has been started.
    "agent_started" unit AgentStarted {
        /// The attempt.
        unit: UnitId,
        /// Its process id.
        pid: u32,
        /// Identifies the prompt; left out without a prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        prompt: Option<Fingerprint>,
    };

    /// An agent claimed completion of its step.
    "completion_requested" unit CompletionRequested {
        /// The attempt.
        unit: UnitId,
        /// How it claimed completion.
        by: CompletionSignal,
    };

    /// An agent has spent more. Since 2.0.
    "spent" unit Spent {
        /// The attempt.
        unit: UnitId,
        /// The total since the agent was started.
        spend: Spend,
    };

    /// An agent reported the used share of a window of its account. Recorded only if it has changed. Since 2.3.
    "quota" unit Quota {
        /// The attempt.
        unit: UnitId,
        /// The back-end whose account it is.
        backend: Backend,
        /// The window.
        window: QuotaWindow,
        /// The used share in whole percent, rounded up; above 100 if the account pays for more.
        used: u16,
        /// The end of the window. The share is unknown from then on.
        resets: Timestamp,
    };

    /// forkhestra began to end an agent.
    "agent_ending" unit AgentEnding {
        /// The attempt.
        unit: UnitId,
        /// The reason.
        why: StopReason,
    };

    /// An agent and all its processes have ended; its work is about to be checked. The report holds
    /// if every check passes. Since 2.0.
    "agent_finished" unit AgentFinished {
        /// The attempt.
        unit: UnitId,
        /// The report.
        #[serde(flatten)]
        report: IterationReport,
    };

    /// What an agent changed in the task database. Since 2.1.
    "tasks_changed" unit TasksChanged {
        /// The attempt.
        unit: UnitId,
        /// What changed.
        #[serde(flatten)]
        changes: TaskChanges,
    };

    /// A check, a hook or the set-up of a clean room has been started. Since 2.0.
    #[schemars(rename = "ErrandStarted")]
    "errand_started" aux_job AuxJobStarted {
        /// The job.
        #[serde(rename = "errand")]
        aux_job: AuxJob,
        /// Its process id.
        pid: u32,
    };

    /// A check has finished. Since 2.0.
    "check_finished" unit CheckFinished {
        /// The attempt whose work was checked.
        unit: UnitId,
        /// The result.
        #[serde(rename = "check")]
        report: CheckReport,
    };

    /// A hook has finished. Since 2.0.
    "hook_finished" report HookFinished {
        /// The result.
        #[serde(flatten)]
        report: HookReport,
    };

    /// An iteration has finished: its agent has ended, and its work has been checked.
    "iteration_finished" unit IterationFinished {
        /// The attempt.
        unit: UnitId,
        /// The report.
        #[serde(flatten)]
        report: IterationReport,
    };

    /// The next iteration waits because the last ones crashed.
    "backing_off" step BackingOff {
        /// The step.
        step: usize,
        /// Consecutive crashed iterations.
        crashes: u32,
        /// The length of the wait.
        #[serde(rename = "delayMs", with = "Milliseconds")]
        delay: Duration,
    };

    /// The next iteration waits for the agent's provider or account. Since 2.0.
    "waiting" step Waiting {
        /// The step.
        step: usize,
        /// The reason.
        why: WaitCause,
        /// The end of the wait.
        until: Timestamp,
    };

    /// A stage with lanes began: forkhestra made its integration ref. Since 4.0.
    "integration_started" step IntegrationStarted {
        /// The first step of the stage.
        step: usize,
        /// The commit that the integration ref and all lanes begin with.
        commit: CommitId,
    };

    /// A lane was made, or is used again after a resume. Since 4.0.
    "lane_opened" step LaneOpened {
        /// The first step that runs in the lane.
        step: usize,
        /// The directory of the lane.
        path: String,
    };

    /// The work of an iteration waits for its landing. Since 4.0.
    "work_queued" unit WorkQueued {
        /// The attempt.
        unit: UnitId,
        /// The work.
        work: LaneWork,
    };

    /// The landing checks ran on a commit: on that of the integration ref at first, then on the merged work that is to land. Since 4.0.
    "landing_checked" step LandingChecked {
        /// The first step of the stage.
        step: usize,
        /// The commit.
        commit: CommitId,
        /// The iterations whose work it has and the integration ref has not.
        units: Vec<UnitId>,
        /// The results, in order.
        checks: Vec<CheckReport>,
    };

    /// Work of lanes lands: the integration ref moves to a commit that has it. Since 4.0.
    "landed" step Landed {
        /// The first step of the stage.
        step: usize,
        /// The number of the landing in the run.
        number: u32,
        /// The commit that the integration ref moves from.
        from: CommitId,
        /// The commit that it moves to.
        to: CommitId,
        /// The work that lands, in the order of its merges.
        landed: Vec<LandedWork>,
    };

    /// Work of a lane does not land. The lane keeps it. Since 4.0.
    "landing_refused" unit LandingRefused {
        /// The last iteration of the work.
        unit: UnitId,
        /// The reason.
        #[serde(flatten)]
        refusal: LandingRefusal,
    };

    /// Work of a lane that was refused too often, or cannot be repaired any more, is kept under a ref of its own. Since 4.0.
    "work_parked" unit WorkParked {
        /// The last iteration of the work.
        unit: UnitId,
        /// The number of the parked work in the run.
        number: u32,
        /// The last commit of the work.
        commit: CommitId,
    };

    /// A completion claim of an agent in a lane was refused: the checks of the step failed on the landed work. Since 4.0.
    "claim_refused" unit ClaimRefused {
        /// The attempt that claimed completion.
        unit: UnitId,
        /// The results, in order.
        checks: Vec<CheckReport>,
    };

    /// The user's work tree has the landed work. Since 4.0.
    "brought_forward" step BroughtForward {
        /// The first step of the stage.
        step: usize,
        /// The commit of the integration ref.
        commit: CommitId,
    };

    /// The user's work tree could not be brought to the landed work and was left as it is. Since 4.0.
    "held" step Held {
        /// The first step of the stage.
        step: usize,
        /// The reason, in one line.
        why: String,
        /// The files in the way.
        #[serde(default, skip_serializing_if = "PathList::is_empty")]
        paths: PathList,
    };

    /// A stage with lanes is over. Since 4.0.
    "lanes_closed" step LanesClosed {
        /// The first step of the stage.
        step: usize,
    };

    /// What the agents of a step changed in the repository. Since 2.0.
    "surveyed" step Surveyed {
        /// The step.
        step: usize,
        /// The summary.
        work: WorkSummary,
    };

    /// A step has ended.
    "step_finished" step StepFinished {
        /// The step.
        step: usize,
        /// How it ended.
        #[serde(flatten, with = "EndOfStep")]
        end: StepEnd,
    };

    /// An operator requested a stop after the current iteration. Since 2.0.
    "stop_requested" run StopRequested;

    /// An operator skipped a step. Since 2.0.
    "skip_requested" step SkipRequested {
        /// The step.
        step: usize,
        /// The repeated group that is left as a whole; left out for the step alone. Since 3.0.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        group: Option<usize>,
    };

    /// An operator sent a message for the next agent. Since 2.0.
    "message_queued" run MessageQueued {
        /// The message.
        #[serde(flatten)]
        message: OperatorMessage,
    };

    /// An agent that is about to be started gets the waiting messages. Since 2.0.
    "messages_given" unit MessagesGiven {
        /// The attempt.
        unit: UnitId,
        /// The numbers of the messages.
        messages: Vec<u32>,
    };

    /// An operator changed limits during the run. Since 2.0.
    "limits_changed" run LimitsChanged {
        /// Limits that change from now on.
        changes: LimitChanges,
    };

    /// The run was cancelled.
    "cancelled" run Cancelled {
        /// The cause.
        by: CancelCause,
    };

    /// The run is paused.
    "paused" run Paused;

    /// The run continues after a pause.
    "continued" run Continued;

    /// The host was asleep.
    "machine_slept" run MachineSlept {
        /// How long it slept.
        #[serde(rename = "durationMs", with = "Milliseconds")]
        duration: Duration,
    };

    /// A warning for the user; it changes nothing.
    "warning" run Warning {
        /// The text.
        message: String,
    };

    /// The run has ended. Only a `run_resumed` may follow.
    "run_finished" run RunFinished {
        /// How it ended.
        end: RunEnd,
    };
}

impl EventKind {
    /// Whether the event must reach the disk before anything else is done: before an agent is
    /// started, and when it has ended. Everything else follows from these events or can be repeated
    /// at no cost, as checks can. The end of an iteration belongs to the latter if its agent's end
    /// is recorded already: see [`DurabilityTracker`](super::DurabilityTracker).
    pub const fn must_be_durable(&self) -> bool {
        match self {
            Self::IterationStarted { .. } | Self::AgentFinished { .. } | Self::Landed { .. } => {
                true
            }
            Self::IterationFinished { report, .. } => report.checks.is_empty(),
            _ => false,
        }
    }
}

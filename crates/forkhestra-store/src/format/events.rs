//! What can stand in a line, beside what all lines have: one type for each `event`.

use forkhestra_core::limit::LimitChanges;
use forkhestra_core::plan::Plan;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::ends::{AgentEnd, Cancel, Ending, RunEnd, StepEnd};
use super::errand::{CheckReport, Errand};
use super::heard::{Heard, Moment, OutcomeClass, Spend};
use super::report::{Completion, Output, Unit, Verdict};
use super::sight::{Sight, Work};
use super::task_changes::{OpenTaskEntry, TaskChange, TaskCounts};

/// Defines the set of all events: their names on the wire, and the reader of each.
macro_rules! events {
    ($($name:literal => $Event:ident,)*) => {
        /// Any event.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Body {
            $(
                #[doc = concat!("`", $name, "`")]
                $Event($Event),
            )*
        }

        impl Body {
            /// The name by which lines call the event.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$Event(_) => $name,)*
                }
            }

            /// Reads the event of this name from a line; none if there is no such event.
            pub(super) fn read(name: &str, line: &str) -> Option<serde_json::Result<Self>> {
                Some(match name {
                    $($name => serde_json::from_str(line).map(Self::$Event),)*
                    _ => return None,
                })
            }

            /// What each event has to say beside what all lines have, by its name.
            pub(super) fn schemas(generator: &mut SchemaGenerator) -> Vec<(&'static str, Schema)> {
                vec![$(($name, generator.subschema_for::<$Event>()),)*]
            }
        }
    };
}

events! {
    "run_started" => RunStarted,
    "run_resumed" => RunResumed,
    "step_started" => StepStarted,
    "iteration_started" => IterationStarted,
    "agent_started" => AgentStarted,
    "completion_requested" => CompletionRequested,
    "spent" => Spent,
    "agent_ending" => AgentEnding,
    "agent_finished" => AgentFinished,
    "tasks_changed" => TasksChanged,
    "errand_started" => ErrandStarted,
    "check_finished" => CheckFinished,
    "hook_finished" => HookFinished,
    "iteration_finished" => IterationFinished,
    "backing_off" => BackingOff,
    "waiting" => Waiting,
    "surveyed" => Surveyed,
    "step_finished" => StepFinished,
    "stop_requested" => StopRequested,
    "skip_requested" => SkipRequested,
    "message_queued" => MessageQueued,
    "messages_given" => MessagesGiven,
    "limits_changed" => LimitsChanged,
    "cancelled" => Cancelled,
    "paused" => Paused,
    "continued" => Continued,
    "machine_slept" => MachineSlept,
    "warning" => Warning,
    "run_finished" => RunFinished,
}

/// A run began. Always the first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// The run's id.
    pub run: String,
    /// The version of the program.
    pub program: String,
    /// What the run is to do, as `--dry-run --output json` prints it.
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    pub plan: Box<Plan>,
}

/// A run that had ended or had been cut off goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunResumed {
    /// The run's id.
    pub run: String,
    /// The version of the program.
    pub program: String,
    /// Limits that are different from now on.
    pub changes: LimitChanges,
    /// The working directory from now on; left out if it stays. Since 1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
}

/// A step began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepStarted {
    /// The step.
    pub step: usize,
    /// What was there before.
    pub sight: Sight,
}

/// An agent is about to be started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IterationStarted {
    /// Which one.
    pub unit: Unit,
}

/// An agent has been started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentStarted {
    /// Which one.
    pub unit: Unit,
    /// Its process.
    pub pid: u32,
    /// Tells the prompt it was given from others; not there if it was given none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
}

/// An agent says that the work of its step is done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompletionRequested {
    /// Which one.
    pub unit: Unit,
    /// How it said so.
    pub by: Completion,
}

/// An agent has spent more. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Which one.
    pub unit: Unit,
    /// What it has spent since it was started, all in all.
    pub spend: Spend,
}

/// We began to end an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentEnding {
    /// Which one.
    pub unit: Unit,
    /// Why.
    pub why: Ending,
}

/// An agent is gone, and everything it started; what it made is about to be checked. It says what
/// comes of the iteration if every check passes. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct AgentFinished(pub IterationFinished);

/// What an agent that is gone changed in the task database. Since 2.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksChanged {
    /// Which agent.
    pub unit: Unit,
    /// The changes, in the order of the task ids.
    pub changes: Vec<TaskChange>,
    /// How many tasks have which status afterwards.
    pub counts: TaskCounts,
    /// The tasks that are not done afterwards, at most 50.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenTaskEntry>,
}

/// A check, a hook or the setup of a clean room has been started. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ErrandStarted {
    /// Which one.
    pub errand: Errand,
    /// Its process.
    pub pid: u32,
}

/// A check is over. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckFinished {
    /// Whose work was checked.
    pub unit: Unit,
    /// What it came to.
    pub check: CheckReport,
}

/// A hook is over. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HookFinished {
    /// Which one.
    pub hook: Errand,
    /// Why it failed; left out if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
}

/// What the agents of a step made of the repository. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Surveyed {
    /// The step.
    pub step: usize,
    /// What they made.
    pub work: Work,
}

/// An iteration is over: its agent is gone, and what it made has been checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationFinished {
    /// Which one.
    pub unit: Unit,
    /// What came of it.
    pub verdict: Verdict,
    /// How the process ended; left out if nobody was there to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<AgentEnd>,
    /// How long it took, awake and not paused.
    pub duration_ms: u64,
    /// What was there afterwards.
    pub sight: Sight,
    /// What it printed.
    pub output: Output,
    /// What was heard from it; left out if its stream is not one that we understand. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<Heard>,
    /// What it spent; left out if nobody can tell. Since 2.0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<Spend>,
    /// What was checked, in this order; left out if nothing was. Since 2.0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckReport>,
}

/// The next iteration waits, because the last ones crashed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackingOff {
    /// The step.
    pub step: usize,
    /// How many iterations in a row have crashed.
    pub crashes: u32,
    /// How long.
    pub delay_ms: u64,
}

/// The next iteration waits for the agent's provider. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Waiting {
    /// The step.
    pub step: usize,
    /// What for.
    pub why: OutcomeClass,
    /// Until when.
    pub until: Moment,
}

/// A step is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFinished {
    /// The step.
    pub step: usize,
    /// Why, in one word, as summaries say it. It can be told from the `end`.
    pub reason: String,
    /// How it ended.
    pub end: StepEnd,
}

/// Somebody wants the run to end when the iteration at work is over. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StopRequested {}

/// Somebody wants a step to end, and the next one to begin. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkipRequested {
    /// The step.
    pub step: usize,
}

/// Somebody has something to say to the next agent. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessageQueued {
    /// The number of the message in the run, from one.
    pub number: u32,
    /// What it says.
    pub text: String,
}

/// An agent that is about to be started is told what somebody had to say. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MessagesGiven {
    /// Which one.
    pub unit: Unit,
    /// The numbers of the messages.
    pub messages: Vec<u32>,
}

/// Somebody changed limits while the run goes on. Since 2.0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LimitsChanged {
    /// Limits that are different from now on.
    pub changes: LimitChanges,
}

/// Somebody wants the run to end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cancelled {
    /// Who, or what.
    pub by: Cancel,
}

/// The run stands still.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Paused {}

/// The run goes on after a pause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Continued {}

/// The whole machine was asleep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MachineSlept {
    /// How long.
    pub duration_ms: u64,
}

/// Something a person should know, which changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// What.
    pub message: String,
}

/// The run is over. Nothing but a `run_resumed` may follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFinished {
    /// How it ended.
    pub end: RunEnd,
}

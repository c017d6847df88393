//! The run as a state machine: one [`Input`] in, [`Effect`]s out.
//!
//! The machine makes every decision about a run and performs nothing itself. The engine has the
//! processes and the clock: it reports what happened and performs the effects in order. Events come
//! first: an [`Effect::Emit`] must be recorded before the effect behind it is performed, so that
//! the journal always holds the intent before the action.
//!
//! [`Machine::handle`] in `handle.rs` is the entry: it dispatches an input to the file of its subject.
//!
//! [`RunState`] is the fold of a run's events and nothing else. A run that was cut off is resumed
//! by folding its recorded events into a state and passing that to [`Machine::resume`].
//!
//! - In: [`Machine::handle`] takes one [`Input`] with the current time. It is the only way in.
//!   Inputs that are too late, such as one about an agent that has ended, are ignored.
//! - Out: effects for the engine. [`Machine::deadline`] is the time at which it needs a
//!   [`Input::Tick`]; [`Machine::end`] is set when the run is over.
//! - [`RunState`] changes only through its `apply`, with an event that is emitted at the same time.
//!   What the machine knows beyond it (its phase, a pending cancellation) is lost in a crash, and
//!   the recovery table (`recovery.rs`) replaces it.
//! - A phase is one thing to wait for. In a machine at most one agent or aux job runs at a time.
//! - A stage with lanes has a machine for each lane, over the state of that lane (`lanes/`).
//! - Each input ends in bounded time in another phase or in the end of the run: no input can make
//!   the machine wait without a deadline, except for an agent without limits and for the operator.

pub(crate) mod agent;
pub(crate) mod aux_job;
mod calibration;
mod effect;
mod flow;
mod handle;
mod input;
pub(crate) mod lanes;
mod limits;
mod machine_phase;
pub(crate) mod next_action;
pub(crate) mod operator;
mod process_lifecycle;
mod provider_wait;
mod recovery;
mod run_clock;
pub(crate) mod state;
mod state_machine;
mod task_poll;
mod work_survey;

#[cfg(test)]
mod tests;

pub use effect::{Effect, ProcessSignal};
pub use flow::questions::ResumeAnswer;
pub use input::{AgentSample, CleanRoomFailure, Input};
pub use lanes::lanes_effect::{ExpectedIntegration, LanesEffect, WorkToMerge, Workplace};
pub use lanes::lanes_input::{LanesInput, MergedWork};
pub use lanes::lanes_state::{LaneState, LanesState};
pub use run_clock::Now;
pub use state::group_state::GroupState;
pub use state::provider_postponement::ProviderPostponement;
pub use state::question_state::QuestionState;
pub use state::run_state::{RunState, UnexpectedEvent};
pub use state::step_state::{StepState, StepStatus};
pub use state::unrestored_files::UnrestoredFiles;
pub use state_machine::Machine;

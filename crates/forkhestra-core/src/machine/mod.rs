//! The run as a machine: one [`Input`] in, [`Effect`]s out.
//!
//! The machine decides everything about a run and does nothing itself. Whoever has processes and a
//! clock tells it what happened, and performs what it asks for, in order. Events come first: an
//! [`Effect::Emit`] must have been recorded before the effect behind it is performed, so that
//! whatever may have happened is known to have been meant.
//!
//! [`RunState`] is what the events of a run add up to, and nothing else. A run that was cut off is
//! resumed by folding its recorded events into a state and giving that to [`Machine::resume`].

mod agent_inputs;
mod asked;
mod asking;
mod changed_limits;
mod clock;
mod driver;
mod effect;
mod errands;
mod hooking;
mod input;
mod inspection;
mod job;
mod life;
mod next;
mod pausing;
mod postponement;
mod provider_wait;
mod recovery;
mod spending;
mod state;
mod step_state;
mod stopping;
mod survey;
mod time_limits;
mod understood;
mod unit;

#[cfg(test)]
mod tests;

pub use clock::Now;
pub use driver::Machine;
pub use effect::{Effect, ProcessSignal};
pub use input::{AgentSample, CleanRoomFailure, Input};
pub use postponement::ProviderPostponement;
pub use recovery::{RecoveryAction, RecoveryCase};
pub use state::{RunState, UnexpectedEvent};
pub use step_state::{StepState, StepStatus};

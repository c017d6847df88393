//! What forkhestra's black-box tests stand on.
//!
//! A [`TestEnv`] is a project of its own, with a home, programs and an environment that nothing
//! else can reach. Running a program in it gives everything a user would see as one text, in which
//! the places that differ from run to run have names. [`TestProcess`] looks at processes from outside, and
//! [`LeftoverProcesses`] finds everything that a run should not have left behind. A [`PseudoTerminal`] has a person before it.
//!
//! A [`WebhookReceiver`] notes what a run sends over the network.
//!
//! [`InstalledAgents`] are those that people use. They talk to a [`ModelServer`], which says what a script says.

mod command_output;
mod executable;
mod leftover_processes;
mod pseudo_terminal;
mod real_agents;
mod skipped;
mod test_env;
mod test_process;
mod webhook_receiver;

pub use command_output::CommandOutput;
pub use executable::{copy_executable, write_executable};
pub use leftover_processes::{KEPT, LeftoverProcesses};
pub use model_server::{
    AgentClient, HttpRequest, ModelServer, ModelTurn, ProviderFault, TokenUsage, task_model,
};
pub use pseudo_terminal::PseudoTerminal;
pub use real_agents::InstalledAgents;
pub use skipped::report_skipped;
pub use test_env::TestEnv;
pub use test_process::{BOUND, TestProcess, eventually, kill, within};
pub use webhook_receiver::{WebhookReceiver, WebhookRequest, WebhookResponse};

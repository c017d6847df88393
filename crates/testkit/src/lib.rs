//! The test kit of forkhestra's black-box tests.
//!
//! A [`TestEnv`] is a hermetic project with a home, programs and an environment. Running a program
//! in it returns a [`CommandOutput`], in which paths that differ from run to run are replaced.
//! [`TestProcess`] observes processes from outside, and [`LeftoverProcesses`] finds everything that
//! a run should not leave behind. A [`PseudoTerminal`] has the user's end of a terminal.
//!
//! A [`WebhookReceiver`] records what a run sends over the network.
//!
//! [`InstalledAgents`] are the real agents. They talk to a scripted [`ModelServer`].

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
pub use test_process::{TIMEOUT, TestProcess, eventually, is_pipe_full, kill, within};
pub use webhook_receiver::{WebhookReceiver, WebhookRequest, WebhookResponse};

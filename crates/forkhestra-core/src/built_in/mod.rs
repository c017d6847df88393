//! What comes with forkhestra: agents made of a prompt, and chains of them. They are there without any
//! file, below everything that a config file says and every program that has the same name.

mod agents;
mod chains;

#[cfg(test)]
mod tests;

pub use agents::{
    AGENTS, BuiltInAgent, TASK_AGENTS, agent, agent_names, commits_work, default_stagnation,
    is_fixer, is_planner, leaves_tasks, other_name,
};
pub use chains::layer;

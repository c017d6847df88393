//! Built-in agents and chains. They need no file, and every config entry and every program of the
//! same name takes precedence.

mod agents;
mod chains;

#[cfg(test)]
mod tests;

pub use agents::{
    AGENTS, BuiltInAgent, TASK_AGENTS, agent, agent_names, commits_work, default_stagnation,
    is_fixer, is_planner, leaves_tasks, other_name,
};
pub use chains::layer;

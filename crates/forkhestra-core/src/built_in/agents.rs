//! The table of built-in agents.

use std::num::NonZeroU32;

use crate::config::Backend;
use crate::text::count::Count;

/// A built-in agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInAgent {
    pub name: &'static str,
    /// A second name.
    pub alias: &'static str,
    /// What it is for, in one line.
    pub description: &'static str,
    /// Its system prompt.
    pub prompt: &'static str,
    /// The maximum turns of an iteration.
    pub max_turns: Count,
    /// Whether it changes no files, and so gets no tools for that.
    pub only_reads: bool,
    /// The default stagnation limit of its loops.
    pub stagnation: Count,
}

/// Agents that only create tasks need fewer turns than those that work on them.
const LOW_TURN_LIMIT: Count = count(50);
const HIGH_TURN_LIMIT: Count = count(100);

/// Enough for an agent that needs a second attempt, few enough to bound the cost of a stuck one.
const STAGNATION: Count = count(3);
/// Planning takes few iterations; a planner that twice changes nothing has nothing to plan from.
const PLANNER_STAGNATION: Count = count(2);

/// All built-in agents.
pub const AGENTS: [BuiltInAgent; 7] = [
    BuiltInAgent {
        name: "planner",
        alias: "fk:planner",
        description: "Makes tasks of what the specs ask for",
        prompt: include_str!("prompts/planner.md"),
        max_turns: LOW_TURN_LIMIT,
        only_reads: true,
        stagnation: PLANNER_STAGNATION,
    },
    BuiltInAgent {
        name: "builder",
        alias: "fk:builder",
        description: "Works on the tasks, one each iteration",
        prompt: include_str!("prompts/builder.md"),
        max_turns: HIGH_TURN_LIMIT,
        only_reads: false,
        stagnation: STAGNATION,
    },
    BuiltInAgent {
        name: "reviewer",
        alias: "fk:reviewer",
        description: "Reviews the work, and makes a task of each finding",
        prompt: include_str!("prompts/reviewer.md"),
        max_turns: HIGH_TURN_LIMIT,
        only_reads: true,
        stagnation: STAGNATION,
    },
    BuiltInAgent {
        name: "fixer",
        alias: "fk:fixer",
        description: "Fixes what a review has found, one finding each iteration",
        prompt: include_str!("prompts/fixer.md"),
        max_turns: HIGH_TURN_LIMIT,
        only_reads: false,
        stagnation: STAGNATION,
    },
    BuiltInAgent {
        name: "task-manager",
        alias: "forge-task-manager",
        description: "Makes tasks of what its prompt asks for, or the specs",
        prompt: include_str!("prompts/task-manager.md"),
        max_turns: LOW_TURN_LIMIT,
        only_reads: true,
        stagnation: PLANNER_STAGNATION,
    },
    BuiltInAgent {
        name: "task-coordinator",
        alias: "forge-task-coordinator",
        description: "Sees every task through, one each iteration",
        prompt: include_str!("prompts/task-coordinator.md"),
        max_turns: HIGH_TURN_LIMIT,
        only_reads: false,
        stagnation: STAGNATION,
    },
    BuiltInAgent {
        name: "task-worker",
        alias: "forge-task-worker",
        description: "Works on a single task, which `--task ID` names",
        prompt: include_str!("prompts/task-worker.md"),
        max_turns: HIGH_TURN_LIMIT,
        only_reads: false,
        stagnation: STAGNATION,
    },
];

/// Finds a built-in agent by either of its names.
pub fn agent(name: &str) -> Option<&'static BuiltInAgent> {
    AGENTS.iter().find(|agent| agent.name == name || agent.alias == name)
}

/// The other name of a built-in agent.
pub fn other_name(name: &str) -> Option<&'static str> {
    let agent = agent(name)?;
    Some(if name == agent.name { agent.alias } else { agent.name })
}

/// Names of agents that work through the task database, one task after another.
pub const TASK_AGENTS: [&str; 4] =
    ["builder", "fk:builder", "task-coordinator", "forge-task-coordinator"];

/// Whether an agent of this name creates tasks from specs or a prompt.
pub fn is_planner(name: &str) -> bool {
    matches!(name, "planner" | "fk:planner" | "task-manager" | "forge-task-manager")
}

/// Whether an agent of this name leaves tasks open on purpose: it creates them, or works on one of
/// them.
pub fn leaves_tasks(name: &str) -> bool {
    let is_other = matches!(name, "reviewer" | "fk:reviewer" | "task-worker" | "forge-task-worker");
    is_planner(name) || is_other
}

/// Whether an agent of this name fixes the findings of a review, of which there may be none.
pub fn is_fixer(name: &str) -> bool {
    matches!(name, "fixer" | "fk:fixer")
}

/// Whether an agent of this name commits its work.
pub fn commits_work(name: &str) -> bool {
    const NAMES: [&str; 4] = ["builder", "fixer", "task-coordinator", "task-worker"];
    let own = name.strip_prefix("fk:").or_else(|| name.strip_prefix("forge-")).unwrap_or(name);
    NAMES.contains(&own)
}

/// The default stagnation limit for loops of an agent with this name. The name decides, so that a
/// user's agent that replaces a built-in one has the same limit.
pub fn default_stagnation(name: &str) -> Option<Count> {
    Some(agent(name)?.stagnation)
}

/// All names of built-in agents. The lifetime is free, so that callers can chain other names.
pub fn agent_names<'a>() -> impl Iterator<Item = &'a str> {
    AGENTS.iter().flat_map(|agent| [agent.name, agent.alias])
}

impl BuiltInAgent {
    /// Its allowed tools by the program's names; none if all are allowed, or if the program has no
    /// such list.
    pub fn allowed_tools(&self, backend: Backend) -> Option<&'static [&'static str]> {
        backend.facts().reading_tools.filter(|_| self.only_reads)
    }

    /// Whether it works on one task, which an option can name.
    pub fn takes_a_task(&self) -> bool {
        self.name == "task-worker"
    }
}

const fn count(number: u32) -> Count {
    Count::new(NonZeroU32::new(number).expect("the number is not zero"))
}

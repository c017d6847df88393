//! Relocation of a plan whose project was moved.

use std::path::Path;

use crate::check::CheckSpec;
use crate::plan::agent::plan_agent::AgentKind;
use crate::plan::host_environment::ProgramLocation;
use crate::plan::types::{Plan, PlanStep, Prompt};

impl Plan {
    /// Moves the plan to another directory. Absolute paths inside the old directory become the same
    /// paths inside the new one; relative paths need no change.
    pub fn relocate(&mut self, directory: &str) {
        let old = self.working_directory.clone();
        self.relocate_tree(&old, directory);
    }

    /// Moves the plan from one work tree to another. Absolute paths inside the old tree, the working
    /// directory among them, become the same paths inside the new one.
    pub fn relocate_tree(&mut self, old: &str, new: &str) {
        let moved = |path: &mut String| {
            if let Ok(below) = Path::new(path.as_str()).strip_prefix(old) {
                let is_top = below.as_os_str().is_empty();
                // Joining an empty path would add a slash.
                *path = match is_top {
                    true => new.to_owned(),
                    false => Path::new(new).join(below).to_string_lossy().into_owned(),
                };
            }
        };
        moved(&mut self.working_directory);
        self.steps.iter_mut().flat_map(paths_of_step).for_each(moved);
        self.task_database.as_mut().into_iter().chain(&mut self.record).for_each(moved);
    }

    /// The commands that name a directory: those of hooks, and of steps from this one on. They do not move
    /// with the plan.
    pub fn commands_naming(&self, directory: &str, first_step: usize) -> Vec<&str> {
        let steps = self.steps.iter().filter(|step| step.number >= first_step);
        let commands = steps.flat_map(|step| {
            let checks = step.all_checks().filter_map(|check| match &check.value.check {
                CheckSpec::Command(command) => Some(command),
                _ => None,
            });
            let setup = step.clean_room.as_ref().and_then(|room| room.value.setup.as_ref());
            step.args.iter().map(|arg| &arg.value).chain(checks).chain(setup)
        });
        let hooks = self.hooks.iter().map(|hook| &hook.value.run);
        let mut found: Vec<&str> = Vec::new();
        for command in commands.chain(hooks).filter(|command| names(command, directory)) {
            if !found.contains(&command.as_str()) {
                found.push(command);
            }
        }
        found
    }
}

/// Whether a command has a path, and not only the beginning of another name.
fn names(command: &str, path: &str) -> bool {
    let is_more = |next: char| next.is_alphanumeric() || "-_.".contains(next);
    let mut places = command.match_indices(path);
    places.any(|(begin, _)| !command[begin + path.len()..].starts_with(is_more))
}

/// The paths of a step. Relative ones start at the working directory.
fn paths_of_step(step: &mut PlanStep) -> Vec<&mut String> {
    let mut paths = Vec::new();
    let fallback = step.fallback.iter_mut().map(|fallback| &mut fallback.agent.kind);
    paths.extend(fallback.flat_map(paths_of_agent));
    paths.extend(paths_of_agent(&mut step.agent.kind));
    paths.extend(step.agent.replay.iter_mut().map(|replay| &mut replay.recording));
    paths.extend(prompt_file(&mut step.prompt.value));
    paths.extend(step.done_file.iter_mut().map(|file| &mut file.value));
    let of_rounds = step.round_checks.iter_mut().map(|round| &mut round.check);
    let conditions = step.conditions.iter_mut().map(|condition| &mut condition.check);
    for check in step.checks.iter_mut().chain(of_rounds).chain(conditions) {
        paths.extend(check.value.runner.iter_mut().map(|runner| &mut runner.path));
        if let CheckSpec::File(path) | CheckSpec::Script(path) = &mut check.value.check {
            paths.push(path);
        }
    }
    paths.extend(step.clean_room.iter_mut().flat_map(|room| &mut room.value.keep));
    paths.extend(step.sandbox.iter_mut().flat_map(|sandbox| &mut sandbox.value.writable));
    paths
}

fn paths_of_agent(kind: &mut AgentKind) -> Vec<&mut String> {
    let mut paths = Vec::new();
    match kind {
        AgentKind::Program(program) => {
            paths.push(&mut program.command);
            paths.extend(found(&mut program.location));
        }
        AgentKind::Direct(direct) => {
            paths.push(&mut direct.command);
            paths.extend(found(&mut direct.location));
            paths.extend(direct.mcp_config.iter_mut().chain(&mut direct.settings));
            paths.extend(prompt_file(&mut direct.system_prompt.value));
        }
        AgentKind::Question(_) => {}
    }
    paths
}

const fn found(location: &mut ProgramLocation) -> Option<&mut String> {
    match location {
        ProgramLocation::Found(path) => Some(path),
        ProgramLocation::Missing(_) => None,
    }
}

const fn prompt_file(prompt: &mut Prompt) -> Option<&mut String> {
    match prompt {
        Prompt::File(path) => Some(path),
        Prompt::None | Prompt::Text(_) => None,
    }
}

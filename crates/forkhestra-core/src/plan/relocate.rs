//! Relocation of a plan whose project was moved.

use std::path::Path;

use super::host_environment::ProgramLocation;
use super::types::{AgentKind, Plan};

impl Plan {
    /// Moves the plan to another directory. Absolute paths inside the old directory become the same
    /// paths inside the new one; relative paths need no change.
    pub fn relocate(&mut self, directory: &str) {
        let old = std::mem::replace(&mut self.working_directory, directory.to_owned());
        let moved = |path: &mut String| {
            if let Ok(below) = Path::new(path.as_str()).strip_prefix(&old) {
                *path = Path::new(directory).join(below).to_string_lossy().into_owned();
            }
        };
        for step in &mut self.steps {
            let location = match &mut step.agent.kind {
                AgentKind::Program(program) => &mut program.location,
                AgentKind::Direct(direct) => &mut direct.location,
            };
            if let ProgramLocation::Found(path) = location {
                moved(path);
            }
            step.agent.replay.iter_mut().for_each(|replay| moved(&mut replay.recording));
            let runners = step.checks.iter_mut().filter_map(|check| check.value.runner.as_mut());
            runners.for_each(|runner| moved(&mut runner.path));
        }
        self.task_database.as_mut().into_iter().chain(&mut self.record).for_each(moved);
    }
}

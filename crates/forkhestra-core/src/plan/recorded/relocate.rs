//! Relocation of a plan whose project was moved.

use std::path::Path;

use crate::plan::host_environment::ProgramLocation;
use crate::plan::types::{AgentKind, Plan};

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

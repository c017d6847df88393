//! The scripts in the work tree that checks name. They are protected without being asked: an agent that may change its check
//! decides the result.

use crate::check::{CheckSpec, CommandPrograms};
use crate::config::PathGlob;
use crate::plan::check::plan_check::{CleanRoom, PlanCheck};
use crate::plan::host_environment::FileState;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::value_origin::Sourced;

impl PlanBuilder<'_> {
    /// Whether scripts that checks and hooks name may be changed.
    pub(crate) fn may_change_scripts(&self, draft: &StepDraft<'_>) -> bool {
        let written = draft.in_config().and_then(|(_, chain, step)| {
            step.protect_scripts.as_ref().or(chain.protect_scripts.as_ref())
        });
        !self.request.protect_scripts || written.is_some_and(|protects| !protects.value)
    }

    /// The patterns of existing scripts that the checks of a step and the set-up of its clean room name.
    pub(crate) fn script_patterns(
        &self,
        checks: &[Sourced<PlanCheck>],
        room: Option<&Sourced<CleanRoom>>,
    ) -> Vec<String> {
        let setup = room.and_then(|room| room.value.setup.as_ref());
        let setup = setup.map(|setup| CommandPrograms::parse(setup).scripts).unwrap_or_default();
        let named = checks.iter().flat_map(|check| match &check.value.check {
            CheckSpec::Script(path) => vec![path.clone()],
            CheckSpec::Command(command) => CommandPrograms::parse(command).scripts,
            _ => Vec::new(),
        });
        let mut patterns: Vec<String> = Vec::new();
        for path in named.chain(setup) {
            if let Some(pattern) = self.existing_script(&path)
                && !patterns.contains(&pattern)
            {
                patterns.push(pattern);
            }
        }
        patterns
    }

    /// The pattern of a script in the working directory, if it exists and is not built there.
    pub(crate) fn existing_script(&self, path: &str) -> Option<String> {
        let directory = format!("{}/", self.request.working_directory);
        let path = path.strip_prefix(&directory).unwrap_or(path);
        let typed = self.request.typed_path(path);
        let exists = |path: &&str| self.host.file(path) == FileState::Readable;
        let path = [path, &typed].into_iter().find(exists)?;
        if self.host.is_ignored(path) {
            return None;
        }
        PathGlob::parse(&escaped(path)).ok().map(|glob| glob.0)
    }
}

/// A path as a pattern that matches only this path.
fn escaped(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for letter in path.chars() {
        match letter {
            '*' | '?' | '[' | ']' | '{' | '}' => pattern.extend(['[', letter, ']']),
            '\\' => pattern.push_str("\\\\"),
            letter => pattern.push(letter),
        }
    }
    pattern
}

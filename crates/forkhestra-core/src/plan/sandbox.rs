//! The sandbox of a step, and its resolution against what the machine supports.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use super::types::{Plan, PlanStep};
use super::value_origin::{Sourced, ValueOrigin};
use crate::config::SandboxChoice;
use crate::diagnostic::Diagnostic;

/// The environment variable with the user's level.
pub const SANDBOX_VARIABLE: &str = "FORKHESTRA_SANDBOX";

/// The sandbox of agents and checks, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxLevel {
    Off,
    /// Only listed directories can be written.
    Guard,
    /// A file system and processes of its own.
    Workspace,
    /// Like `Workspace`, with a hidden home directory and listed hosts only.
    Strict,
}

/// What enforces a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SandboxMechanism {
    Bubblewrap,
    Landlock,
    /// The sandbox of macOS.
    Seatbelt,
}

/// The sandbox of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepSandbox {
    pub requested: SandboxChoice,
    /// The level in effect.
    pub level: SandboxLevel,
    /// What enforces the level; none before the plan is resolved, and for the level `off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<SandboxMechanism>,
    /// Further files and directories that can be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writable: Vec<String>,
    /// Further hosts that can be reached.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// Further environment variables that are passed on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}

/// Whether a level is possible on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelSupport {
    pub mechanism: SandboxMechanism,
    /// Why the level is impossible, and the remedy.
    pub obstacle: Option<LevelObstacle>,
    /// What the level does not cover on this machine.
    pub gaps: Vec<String>,
}

/// Why a level is impossible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelObstacle {
    pub why: String,
    pub remedy: String,
}

/// The levels that a machine supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxSupport {
    pub guard: LevelSupport,
    pub workspace: LevelSupport,
    pub strict: LevelSupport,
}

impl SandboxLevel {
    /// The levels that restrict something, weakest first.
    pub const CONFINING: [Self; 3] = [Self::Guard, Self::Workspace, Self::Strict];

    /// The word on the command line and in the config.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Guard => "guard",
            Self::Workspace => "workspace",
            Self::Strict => "strict",
        }
    }
}

impl SandboxMechanism {
    /// Its name in messages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Bubblewrap => "bubblewrap",
            Self::Landlock => "Landlock",
            Self::Seatbelt => "seatbelt",
        }
    }
}

impl SandboxChoice {
    /// The level that is requested by name.
    pub const fn level(self) -> Option<SandboxLevel> {
        match self {
            Self::Auto => None,
            Self::Off => Some(SandboxLevel::Off),
            Self::Guard => Some(SandboxLevel::Guard),
            Self::Workspace => Some(SandboxLevel::Workspace),
            Self::Strict => Some(SandboxLevel::Strict),
        }
    }

    /// The weakest level that the choice stands for when a project tries to change it.
    pub(super) const fn floor(self) -> SandboxLevel {
        match self {
            // A project may request `workspace` by name, but nothing weaker.
            Self::Auto => SandboxLevel::Workspace,
            Self::Off => SandboxLevel::Off,
            Self::Guard => SandboxLevel::Guard,
            Self::Workspace => SandboxLevel::Workspace,
            Self::Strict => SandboxLevel::Strict,
        }
    }
}

impl StepSandbox {
    /// A sandbox whose level is not resolved yet.
    pub(super) const fn requested(requested: SandboxChoice) -> Self {
        Self {
            requested,
            level: SandboxLevel::Off,
            mechanism: None,
            writable: Vec::new(),
            hosts: Vec::new(),
            env: Vec::new(),
        }
    }
}

/// The sandboxes of the steps of a plan, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StepSandboxes(Vec<Option<Sourced<StepSandbox>>>);

/// The schema of any array: the members of a plan are documented elsewhere.
impl JsonSchema for StepSandboxes {
    fn schema_name() -> Cow<'static, str> {
        "StepSandboxes".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<serde_json::Value>::json_schema(generator)
    }
}

/// The level and its mechanism, as in `workspace (bubblewrap)`.
impl fmt::Display for StepSandbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.level.word())?;
        match self.mechanism {
            Some(mechanism) => write!(f, " ({})", mechanism.title()),
            None => Ok(()),
        }
    }
}

impl SandboxSupport {
    /// The support of a level; none for `off`, which is always possible.
    pub const fn of(&self, level: SandboxLevel) -> Option<&LevelSupport> {
        match level {
            SandboxLevel::Off => None,
            SandboxLevel::Guard => Some(&self.guard),
            SandboxLevel::Workspace => Some(&self.workspace),
            SandboxLevel::Strict => Some(&self.strict),
        }
    }

    /// The level that `auto` stands for.
    pub fn best(&self) -> SandboxLevel {
        let levels = [SandboxLevel::Workspace, SandboxLevel::Guard];
        let possible =
            |level: &SandboxLevel| self.of(*level).is_some_and(|found| found.obstacle.is_none());
        levels.into_iter().find(possible).unwrap_or(SandboxLevel::Off)
    }
}

impl PlanStep {
    /// The sandbox of the step, if it restricts anything.
    pub fn active_sandbox(&self) -> Option<&StepSandbox> {
        let sandbox = &self.sandbox.as_ref()?.value;
        (sandbox.level != SandboxLevel::Off).then_some(sandbox)
    }
}

impl Plan {
    /// Whether a step requests a sandbox, so that the machine has to be examined.
    pub fn requests_sandbox(&self) -> bool {
        self.steps.iter().any(|step| step.sandbox.is_some())
    }

    /// Decides the level of each step. A level that is requested by name and impossible is an
    /// error; `auto` without any possible level is a warning. The level of a plan that was resolved
    /// before never gets weaker, unless the user names a level now.
    pub fn resolve_sandboxes(
        &mut self,
        support: &SandboxSupport,
        override_by: Option<SandboxChoice>,
    ) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for step in &mut self.steps {
            if let Some(choice) = override_by.filter(|choice| *choice != SandboxChoice::Off) {
                let origin = ValueOrigin::Flag("--sandbox".into());
                step.sandbox
                    .get_or_insert_with(|| Sourced::new(StepSandbox::requested(choice), origin));
            }
            let Some(sandbox) = step.sandbox.as_mut().map(|sandbox| &mut sandbox.value) else {
                continue;
            };
            let before = if override_by.is_some() { SandboxLevel::Off } else { sandbox.level };
            sandbox.requested = override_by.unwrap_or(sandbox.requested);
            let level = sandbox.requested.level().unwrap_or_else(|| support.best());
            let found = resolve(sandbox.requested, level, before, support);
            diagnostics.extend(found.filter(|found| !diagnostics.contains(found)));
            sandbox.level = level;
            sandbox.mechanism = support.of(level).map(|support| support.mechanism);
        }
        diagnostics
    }

    /// The sandbox of each step.
    pub fn sandboxes(&self) -> StepSandboxes {
        StepSandboxes(self.steps.iter().map(|step| step.sandbox.clone()).collect())
    }

    /// Gives the steps these sandboxes.
    pub fn set_sandboxes(&mut self, sandboxes: &StepSandboxes) {
        for (step, sandbox) in self.steps.iter_mut().zip(&sandboxes.0) {
            step.sandbox.clone_from(sandbox);
        }
    }

    /// Lets the agents and checks of all steps with a sandbox write further paths.
    pub fn add_writable(&mut self, paths: &[String]) {
        for sandbox in self.steps.iter_mut().filter_map(|step| step.sandbox.as_mut()) {
            let writable = &mut sandbox.value.writable;
            for path in paths {
                if !writable.contains(path) {
                    writable.push(path.clone());
                }
            }
        }
    }

    /// The levels of all steps in one line, if any step has a sandbox.
    pub fn sandbox_summary(&self) -> Option<String> {
        let mut levels: Vec<(String, Vec<&str>)> = Vec::new();
        let agents = self.steps.iter().filter(|step| !step.is_question());
        for step in agents {
            let level =
                step.sandbox.as_ref().map_or_else(|| "off".to_owned(), |s| s.value.to_string());
            match levels.iter_mut().find(|(known, _)| *known == level) {
                Some((_, names)) => names.push(&step.agent.name),
                None => levels.push((level, vec![&step.agent.name])),
            }
        }
        self.steps.iter().find(|step| step.active_sandbox().is_some())?;
        if let [(level, _)] = levels.as_slice() {
            return Some(level.clone());
        }
        let parts: Vec<String> = levels
            .iter()
            .map(|(level, names)| format!("{level} for {}", names.join(", ")))
            .collect();
        Some(parts.join("; "))
    }
}

/// The problem with a level, if there is one.
fn resolve(
    requested: SandboxChoice,
    level: SandboxLevel,
    before: SandboxLevel,
    support: &SandboxSupport,
) -> Option<Diagnostic> {
    if level < before {
        let obstacle = support.of(before).and_then(|support| support.obstacle.as_ref());
        let why = obstacle.map_or("something is missing", |obstacle| &obstacle.why);
        let word = before.word();
        return Some(
            Diagnostic::error(format!(
                "the run used the sandbox `{word}`, which is not possible now: {why}"
            ))
            .maybe_hint(obstacle.map(|obstacle| obstacle.remedy.clone()))
            .hint(format!("`--sandbox {}` resumes it with less protection", level.word())),
        );
    }
    if level == SandboxLevel::Off && requested == SandboxChoice::Auto {
        let why = support.guard.obstacle.as_ref().map_or("", |obstacle| &obstacle.why);
        let also = support.workspace.obstacle.as_ref().map_or("", |obstacle| &obstacle.why);
        let reasons = if why == also { why.to_owned() } else { format!("{also}, and {why}") };
        return Some(
            Diagnostic::warning(format!("agents run without a sandbox: {reasons}"))
                .hint("`forkhestra doctor` shows what each level needs")
                .hint("`--sandbox off` accepts this without a warning"),
        );
    }
    let obstacle = support.of(level)?.obstacle.as_ref()?;
    let word = level.word();
    Some(
        Diagnostic::error(format!("the sandbox `{word}` is not possible here: {}", obstacle.why))
            .hint(obstacle.remedy.clone())
            .hint("`--sandbox auto` takes `workspace` or `guard`, whichever is possible"),
    )
}

#[cfg(test)]
mod tests;

//! A check of a step, and what surrounds it: clean rooms, protected files and hooks.

use serde::{Deserialize, Serialize};

use crate::check::CheckSpec;
use crate::config::{CheckWhen, OnHookError, OnProtectedChange};
use crate::hook::HookPoint;
use crate::limit::{HumanDuration, Limit};

/// A resolved check of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCheck {
    pub check: CheckSpec,
    pub name: Option<String>,
    pub when: CheckWhen,
    pub timeout: Limit<HumanDuration>,
    /// Whether it must not pass before the first iteration.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub must_fail_first: bool,
    /// The program that runs it, if it is a module with a `check` function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<ModuleRunner>,
}

impl PlanCheck {
    /// Its name in messages, or else its text.
    pub fn display_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.check.to_string())
    }
}

/// A program that runs JavaScript or TypeScript modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModuleRunner {
    pub kind: ModuleRunnerKind,
    pub path: String,
}

/// The programs that run modules, in search order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleRunnerKind {
    Bun,
    Deno,
    Node,
}

impl ModuleRunnerKind {
    /// All programs in search order.
    pub const ALL: [Self; 3] = [Self::Bun, Self::Deno, Self::Node];

    /// The program's name.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Bun => "bun",
            Self::Deno => "deno",
            Self::Node => "node",
        }
    }
}

/// A directory with only what is committed, in which checks run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanRoom {
    /// The command that prepares it.
    pub setup: Option<String>,
    /// The timeout of the set-up.
    pub timeout: Limit<HumanDuration>,
    /// Paths of caches that are kept from one clean room to the next, relative to the working
    /// directory.
    pub keep: Vec<String>,
}

/// Files that an agent may not change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Protection {
    /// Globs, relative to the working directory.
    pub patterns: Vec<String>,
    pub on_change: OnProtectedChange,
}

/// A resolved hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanHook {
    pub on: HookPoint,
    pub run: String,
    pub timeout: Limit<HumanDuration>,
    pub on_error: OnHookError,
}

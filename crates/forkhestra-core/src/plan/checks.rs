//! The checks of each step: those of the step or else of the chain, those of the command line, and
//! the one that steps which work through the task database get by themselves.

use super::build::{Builder, Draft};
use super::error;
use super::files::file_problem;
use super::origin::{Origin, Sourced};
use super::types::Check;
use crate::check::{BUILT_IN, CheckSpec, FORMS};
use crate::config::{CheckEntry, CheckWhen, Layer};
use crate::diagnostic::Diagnostic;
use crate::limit::{Limit, Time};
use crate::source::Span;
use crate::words;

const CHECK_TIMEOUT: Time = Time::from_secs(10 * 60);

/// Agents that work through the task database, one task after another. Prompts of the old kind let
/// them say "complete" after each task.
const TASK_AGENTS: [&str; 4] =
    ["builder", "fk:builder", "task-coordinator", "forge-task-coordinator"];

const IMPLIED: &str = "this agent works through the task database";

/// A check from the command line.
pub(super) struct RequestedCheck {
    /// The only agent it is for, if it names one.
    agent: Option<String>,
    spec: CheckSpec,
}

impl Builder<'_> {
    /// Reads the checks of the command line, which may name an agent of the plan.
    pub(super) fn requested_checks(&mut self, drafts: &[Draft<'_>]) -> Vec<RequestedCheck> {
        let typed = &self.request.checks;
        typed.iter().filter_map(|text| self.requested_check(text, drafts)).collect()
    }

    fn requested_check(&mut self, text: &str, drafts: &[Draft<'_>]) -> Option<RequestedCheck> {
        let first_word = text.split(':').next().unwrap_or_default();
        let is_built_in = BUILT_IN.contains(&first_word);
        let named = drafts
            .iter()
            .filter(|draft| {
                text.strip_prefix(draft.agent).is_some_and(|rest| rest.starts_with(':'))
            })
            .max_by_key(|draft| draft.agent.len());
        let (agent, spec) = match named {
            Some(draft) if !is_built_in => (Some(draft.agent), &text[draft.agent.len() + 1..]),
            Some(draft) => {
                self.report(reserved_word(text, draft.agent));
                (None, text)
            }
            None => (None, text),
        };
        match CheckSpec::parse(spec) {
            Ok(spec) => {
                self.look_for_script(&spec, None);
                Some(RequestedCheck { agent: agent.map(str::to_owned), spec })
            }
            Err(why) => {
                self.report(Diagnostic::error(format!("`--check {text}` {why}")));
                None
            }
        }
    }

    pub(super) fn checks(
        &mut self,
        draft: &Draft<'_>,
        requested: &[RequestedCheck],
    ) -> Vec<Sourced<Check>> {
        let written = draft.in_config().and_then(|(layer, chain, step)| {
            Some((layer, &step.checks.as_ref().or(chain.checks.as_ref())?.value))
        });
        let mut checks = Vec::new();
        match written {
            Some((layer, entries)) => {
                for entry in entries {
                    let check = &entry.value.0.check;
                    self.look_for_script(&check.value, Some((layer, check.span)));
                    checks.push(Sourced::new(
                        configured(&entry.value.0),
                        Origin::file(layer, entry.span),
                    ));
                }
            }
            None => checks.extend(self.implied_check(draft)),
        }
        for RequestedCheck { agent, spec } in requested {
            let is_meant = agent.as_deref().is_none_or(|agent| agent == draft.agent);
            // What is checked anyway need not be checked twice.
            let is_new = checks.iter().all(|check| check.value.check != *spec);
            if is_meant && is_new {
                checks.push(Sourced::new(plain(spec.clone()), Origin::Flag("--check")));
            }
        }
        checks
    }

    fn implied_check(&self, draft: &Draft<'_>) -> Option<Sourced<Check>> {
        let works_through_tasks = draft.iterations.is_some() && TASK_AGENTS.contains(&draft.agent);
        let has_database = works_through_tasks && self.world.task_database().is_some();
        has_database.then(|| Sourced::new(plain(CheckSpec::Tasks), Origin::Implied(IMPLIED)))
    }

    fn look_for_script(&mut self, spec: &CheckSpec, place: Option<(&Layer, Span)>) {
        let CheckSpec::Script(path) = spec else { return };
        let Some(problem) = file_problem(&self.world.file(path)) else { return };
        let named = path.split_once(':').filter(|_| place.is_none());
        let error = Diagnostic::error(format!("Check script '{path}' {problem}"))
            .maybe_hint(named.map(|(name, _)| format!("no agent of this chain is called `{name}`")))
            .maybe_hint(words::did_you_mean(path, BUILT_IN))
            .hint(format!("a check is {FORMS}"))
            .hint(error::RELATIVE_PATHS);
        self.report(match place {
            Some((layer, span)) => error.at(&layer.source, span, problem),
            None => error,
        });
    }
}

fn configured(entry: &CheckEntry) -> Check {
    Check {
        check: entry.check.value.clone(),
        name: entry.name.as_ref().map(|name| name.value.0.clone()),
        when: entry.when.as_ref().map_or(CheckWhen::Completion, |when| when.value),
        timeout: entry.timeout.as_ref().map_or(Limit::At(CHECK_TIMEOUT), |time| time.value),
    }
}

fn plain(check: CheckSpec) -> Check {
    let timeout = Limit::At(CHECK_TIMEOUT);
    Check { check, name: None, when: CheckWhen::Completion, timeout }
}

fn reserved_word(text: &str, agent: &str) -> Diagnostic {
    Diagnostic::warning(format!("`--check {text}` is read as the built-in check for every agent"))
        .hint(format!(
            "to check only the agent called `{agent}`, put `checks` into its step in the config file"
        ))
}

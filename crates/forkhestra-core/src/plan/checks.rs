//! The checks of each step: those of the step or else of the chain, those of the command line, and
//! the one that steps which work through the task database get by themselves.

use super::build::{Builder, Draft};
use super::error;
use super::files::file_problem;
use super::origin::{Origin, Sourced};
use super::surroundings::{FileState, Location};
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

/// The endings of scripts that are handed to an interpreter and need not be executable.
const RUN_BY_OTHERS: [&str; 3] = ["sh", "ts", "js"];

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
                checks.push(Sourced::new(plain(spec.clone()), Origin::Flag("--check".into())));
            }
        }
        checks
    }

    fn implied_check(&self, draft: &Draft<'_>) -> Option<Sourced<Check>> {
        let works_through_tasks = draft.iterations.is_some() && TASK_AGENTS.contains(&draft.agent);
        let has_database = works_through_tasks && self.world.task_database().is_some();
        has_database.then(|| Sourced::new(plain(CheckSpec::Tasks), Origin::Implied(IMPLIED.into())))
    }

    /// A script must be there, and something must be able to run it.
    fn look_for_script(&mut self, spec: &CheckSpec, place: Option<(&Layer, Span)>) {
        let CheckSpec::Script(path) = spec else { return };
        let state = self.world.file(path);
        let (problem, hints) = match file_problem(&state) {
            Some(problem) => (problem, missing_script_hints(path, place.is_none(), &state)),
            None if self.can_run_script(path) => return,
            None => {
                let hint = "make the script executable with `chmod +x`".to_owned();
                ("is not executable".to_owned(), vec![hint])
            }
        };
        let error = Diagnostic::error(format!("Check script '{path}' {problem}"));
        let error = match place {
            Some((layer, span)) => error.at(&layer.source, span, problem),
            None => error,
        };
        self.report(hints.into_iter().fold(error, Diagnostic::hint));
    }

    fn can_run_script(&self, path: &str) -> bool {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let as_path = if path.contains('/') { path.to_owned() } else { format!("./{path}") };
        RUN_BY_OTHERS.contains(&extension)
            || matches!(self.world.locate(&as_path), Location::Found(_))
    }
}

/// What may have been meant by a path that leads nowhere.
fn missing_script_hints(path: &str, is_typed: bool, state: &FileState) -> Vec<String> {
    let (word, rest) = match path.split_once(':') {
        Some((word, rest)) => (word, format!(":{rest}")),
        None => (path, String::new()),
    };
    let no_agent = format!("no agent of this chain is called `{word}`");
    let similar = words::nearest(word, BUILT_IN);
    (is_typed && !rest.is_empty())
        .then_some(no_agent)
        .into_iter()
        .chain(similar.map(|similar| format!("did you mean `{similar}{rest}`?")))
        .chain([format!("a check is {FORMS}")])
        .chain(error::where_paths_lead(state))
        .collect()
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

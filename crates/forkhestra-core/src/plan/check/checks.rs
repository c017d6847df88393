//! The checks of each step: those of the step or else of the chain, those of the command line, and
//! the implied one of steps that work through the task database.

use crate::built_in;
use crate::check::{BUILT_IN, CheckSpec};
use crate::config::{CheckEntry, CheckWhen, ConfigLayer, Shorthand};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit};
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn, PlanAgent};
use crate::plan::check::plan_check::{ModuleRunner, PlanCheck};
use crate::plan::error;
use crate::plan::lanes::lane_errors;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::types::Prompt;
use crate::plan::value_origin::{Sourced, ValueOrigin};
use crate::policy::calibration::is_calibratable;

const CHECK_TIMEOUT: HumanDuration = HumanDuration::from_secs(10 * 60);

const WORKS_ON_TASKS: &str = "this agent works through the task database";
const MAKES_TASKS: &str = "this agent makes tasks";

/// A check from the command line.
pub(crate) struct RequestedCheck {
    /// The only agent it applies to, if it names one.
    agent: Option<String>,
    spec: CheckSpec,
    runner: Option<ModuleRunner>,
}

impl PlanBuilder<'_> {
    /// Parses the checks of the command line, which may name an agent of the plan.
    pub(crate) fn requested_checks(&mut self, drafts: &[StepDraft<'_>]) -> Vec<RequestedCheck> {
        let typed = &self.request.checks;
        typed.iter().filter_map(|text| self.requested_check(text, drafts)).collect()
    }

    fn requested_check(&mut self, text: &str, drafts: &[StepDraft<'_>]) -> Option<RequestedCheck> {
        let named = drafts
            .iter()
            .filter(|draft| {
                text.strip_prefix(draft.agent).is_some_and(|rest| rest.starts_with(':'))
            })
            .max_by_key(|draft| draft.agent.len());
        let (agent, spec) = match named {
            Some(draft) if !is_also_a_check(draft.agent, text) => {
                (Some(draft.agent), &text[draft.agent.len() + 1..])
            }
            Some(draft) => {
                self.report(reserved_word(text, draft.agent));
                (None, text)
            }
            None => (None, text),
        };
        match CheckSpec::parse(spec) {
            Ok(spec) => {
                let spec = self.seen_from_working_directory(spec);
                let runner = self.find_script(&spec, None);
                Some(RequestedCheck { agent: agent.map(str::to_owned), spec, runner })
            }
            Err(why) => {
                self.report(Diagnostic::error(format!("`--check {text}` {why}")));
                None
            }
        }
    }

    /// A check of the command line, with its path relative to the working directory.
    fn seen_from_working_directory(&self, spec: CheckSpec) -> CheckSpec {
        match spec {
            CheckSpec::Command(command) => CheckSpec::Command(self.request.typed_command(&command)),
            CheckSpec::File(path) => CheckSpec::File(self.request.typed_path(&path)),
            CheckSpec::Script(path) => CheckSpec::Script(self.request.typed_path(&path)),
            spec @ (CheckSpec::Marker(_)
            | CheckSpec::ExitCode
            | CheckSpec::Tasks
            | CheckSpec::Task(_)
            | CheckSpec::Planned) => spec,
        }
    }

    pub(crate) fn checks(
        &mut self,
        draft: &StepDraft<'_>,
        agent: &PlanAgent,
        requested: &[RequestedCheck],
    ) -> Vec<Sourced<PlanCheck>> {
        let written = draft.in_config().and_then(|(layer, chain, step)| {
            Some((layer, &step.checks.as_ref().or(chain.checks.as_ref())?.value))
        });
        let mut checks = Vec::new();
        match written {
            Some((layer, entries)) => {
                let written = entries.iter().map(|entry| self.check_of_step(draft, layer, entry));
                checks.extend(written);
            }
            None => checks.extend(self.implied_check(draft, agent)),
        }
        self.add_requested_checks(&mut checks, draft, requested);
        checks
    }

    /// A check of a config file for a step, which may be that of its chain.
    fn check_of_step(
        &mut self,
        draft: &StepDraft<'_>,
        layer: &ConfigLayer,
        entry: &Spanned<Shorthand<CheckEntry>>,
    ) -> Sourced<PlanCheck> {
        let CheckEntry { check, when, .. } = &entry.value.0;
        let usually = self.usual_time_of_check(draft, &check.value);
        let mut built = self.written_check(layer, entry, usually);
        if built.value.when == CheckWhen::Landing && !draft.lanes.is_laned {
            let has_own = draft.in_config().is_some_and(|(_, _, step)| step.checks.is_some());
            if let Some(when) = when.as_ref().filter(|_| has_own) {
                self.report(lane_errors::landing_without_lanes(layer, when.span));
            }
            // The chain has other steps with lanes, or is refused.
            built.value.when = self.request.defaults.checks_run;
        }
        built
    }

    /// A check of a config file.
    pub(crate) fn written_check(
        &mut self,
        layer: &ConfigLayer,
        entry: &Spanned<Shorthand<CheckEntry>>,
        usually: CheckWhen,
    ) -> Sourced<PlanCheck> {
        let check = &entry.value.0.check;
        if let Some(must) = &entry.value.0.must_fail_first
            && !is_calibratable(&check.value)
        {
            self.report(error::ineffective_must_fail_first(layer, must.span));
        }
        let runner = self.find_script(&check.value, Some((layer, check.span)));
        let check = PlanCheck { runner, ..configured(&entry.value.0, usually) };
        Sourced::new(check, ValueOrigin::file(layer, entry.span))
    }

    /// Adds the checks of the command line to those of a step.
    pub(crate) fn add_requested_checks(
        &self,
        checks: &mut Vec<Sourced<PlanCheck>>,
        draft: &StepDraft<'_>,
        requested: &[RequestedCheck],
    ) {
        for RequestedCheck { agent, spec, runner } in requested {
            let is_meant = agent.as_deref().is_none_or(|agent| agent == draft.agent);
            // A duplicate is not added; an implied check becomes an explicit one.
            let known = checks.iter_mut().find(|check| check.value.check == *spec);
            let is_new = known.is_none();
            if let Some(known) = known.filter(|known| is_meant && is_implied(known)) {
                known.source = ValueOrigin::Flag("--check".into());
            }
            if is_meant && is_new {
                let usually = self.usual_time_of_check(draft, spec);
                let check =
                    PlanCheck { runner: runner.clone(), ..unnamed_check(spec.clone(), usually) };
                checks.push(Sourced::new(check, ValueOrigin::Flag("--check".into())));
            }
        }
    }

    /// Whether the task database is polled before the first agent of a step is started: `--task`
    /// names the only task, or the agent is a built-in task worker without a prompt of its own.
    pub(crate) fn works_through_tasks(
        draft: &StepDraft<'_>,
        agent: &PlanAgent,
        checks: &[Sourced<PlanCheck>],
        prompt: &Prompt,
    ) -> bool {
        let find = |is_wanted: fn(&CheckSpec) -> bool| {
            checks.iter().find(|check| is_wanted(&check.value.check))
        };
        let one_task = find(|check| matches!(check, CheckSpec::Task(_)));
        if one_task.is_some_and(is_implied) {
            true
        } else if !is_built_in(agent) {
            false
        } else if one_task.is_some() {
            true
        } else if !works_on_tasks(draft, agent) {
            false
        } else if draft.iterations.is_none() {
            *prompt == Prompt::None
        } else {
            let check = find(|check| *check == CheckSpec::Tasks);
            check.is_some_and(|check| !is_implied(check) || *prompt == Prompt::None)
        }
    }

    /// The check of a step for one task: the step is done when the task is, unless it has checks of
    /// its own.
    pub(crate) fn check_of_task(
        &self,
        draft: &StepDraft<'_>,
        task: Option<&str>,
    ) -> Option<Sourced<PlanCheck>> {
        let has_own = draft
            .in_config()
            .is_some_and(|(_, chain, step)| step.checks.is_some() || chain.checks.is_some());
        let task = task.filter(|_| !has_own)?;
        let mut check =
            unnamed_check(CheckSpec::Task(task.to_owned()), self.request.defaults.checks_run);
        check.name = Some(format!("{task} is Done"));
        Some(Sourced::new(check, ValueOrigin::Implied("`--task` names it".into())))
    }

    /// The implied check of a step. Whether there is a task database is determined when it runs.
    fn implied_check(
        &self,
        draft: &StepDraft<'_>,
        agent: &PlanAgent,
    ) -> Option<Sourced<PlanCheck>> {
        let (check, why) = if draft.iterations.is_some() && works_on_tasks(draft, agent) {
            (CheckSpec::Tasks, WORKS_ON_TASKS)
        } else if built_in::is_planner(draft.agent) && is_built_in(agent) {
            (CheckSpec::Planned, MAKES_TASKS)
        } else {
            return None;
        };
        let check = unnamed_check(check, self.request.defaults.checks_run);
        Some(Sourced::new(check, ValueOrigin::Implied(why.into())))
    }
}

/// Whether a text that begins with the name of an agent can also be parsed as a check, since the
/// name is a word that begins a built-in check.
fn is_also_a_check(agent: &str, text: &str) -> bool {
    BUILT_IN.contains(&agent) && CheckSpec::parse(text).is_ok()
}

/// Whether an agent works on tasks, by its name. A fixer does only if it is the built-in one.
fn works_on_tasks(draft: &StepDraft<'_>, agent: &PlanAgent) -> bool {
    let is_fixer = built_in::is_fixer(draft.agent) && is_built_in(agent);
    built_in::TASK_AGENTS.contains(&draft.agent) || is_fixer
}

/// Whether an agent has the built-in prompt, whatever else a config changes.
fn is_built_in(agent: &PlanAgent) -> bool {
    let has_our_prompt = |direct: &DirectSpawn| direct.system_prompt.source == ValueOrigin::BuiltIn;
    agent.source == ValueOrigin::BuiltIn
        || matches!(&agent.kind, AgentKind::Direct(direct) if has_our_prompt(direct))
}

/// Whether forkhestra added a check itself.
pub(crate) const fn is_implied(check: &Sourced<PlanCheck>) -> bool {
    matches!(check.source, ValueOrigin::Implied(_))
}

/// The check for the tasks of a group, which forkhestra adds itself.
pub(crate) fn implied_tasks_check(why: &'static str) -> Sourced<PlanCheck> {
    let check = unnamed_check(CheckSpec::Tasks, CheckWhen::Completion);
    Sourced::new(check, ValueOrigin::Implied(why.into()))
}

fn configured(entry: &CheckEntry, usually: CheckWhen) -> PlanCheck {
    PlanCheck {
        check: entry.check.value.clone(),
        name: entry.name.as_ref().map(|name| name.value.0.clone()),
        when: entry.when.as_ref().map_or(usually, |when| when.value),
        timeout: entry.timeout.as_ref().map_or(Limit::At(CHECK_TIMEOUT), |time| time.value),
        must_fail_first: entry.must_fail_first.as_ref().is_some_and(|must| must.value),
        runner: None,
    }
}

fn unnamed_check(check: CheckSpec, when: CheckWhen) -> PlanCheck {
    let timeout = Limit::At(CHECK_TIMEOUT);
    PlanCheck { check, name: None, when, timeout, must_fail_first: false, runner: None }
}

fn reserved_word(text: &str, agent: &str) -> Diagnostic {
    Diagnostic::warning(format!("`--check {text}` is read as the built-in check for every agent"))
        .hint(format!(
            "to check only the agent called `{agent}`, put `checks` into its step in the config file"
        ))
}

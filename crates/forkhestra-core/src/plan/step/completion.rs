//! The arguments of a step's agent, and what completes the step.

use std::collections::BTreeSet;

use crate::config::{AgentEntries, ChainEntry, CompletionRule, ConfigEntry};
use crate::marker::Marker;
use crate::plan::agent::plan_agent::AgentKind;
use crate::plan::check::checks::is_implied;
use crate::plan::check::plan_check::PlanCheck;
use crate::plan::error;
use crate::plan::plan_builder::{PlanBuilder, StepDraft};
use crate::plan::value_origin::{Sourced, ValueOrigin};

/// The flag has the same name in the agents.
const SKIP_PERMISSIONS: &str = "--dangerously-skip-permissions";

impl PlanBuilder<'_> {
    /// The agent's own arguments, the step's, and those from the command line, in this order.
    pub(crate) fn args(
        &mut self,
        draft: &StepDraft<'_>,
        entries: &AgentEntries<'_>,
        kind: &AgentKind,
    ) -> Vec<Sourced<String>> {
        let agent_args = entries
            .nearest_first()
            .find_map(|entry| Some((entry.layer, &entry.entry.args.as_ref()?.value)));
        let step_args = draft
            .in_config()
            .and_then(|(layer, _, step)| Some((layer, &step.args.as_ref()?.value)));
        let mut args = Vec::new();
        for (layer, written) in agent_args.into_iter().chain(step_args) {
            for arg in written {
                let value = self.substitute(layer, (&arg.value, arg.span), draft.agent);
                let value = value.unwrap_or_default();
                args.push(Sourced::new(value, ValueOrigin::file(layer, arg.span)));
            }
        }
        // Agents that are spawned directly get their own option.
        let has_flag = args.iter().any(|arg| arg.value == SKIP_PERMISSIONS);
        if self.request.skip_permissions && matches!(kind, AgentKind::Program(_)) && !has_flag {
            let flag = ValueOrigin::Flag(SKIP_PERMISSIONS.into());
            args.push(Sourced::new(SKIP_PERMISSIONS.to_owned(), flag));
        }
        let typed = self.request.agent_args.iter().cloned();
        args.extend(typed.map(|arg| Sourced::new(arg, ValueOrigin::CommandLine)));
        args
    }

    pub(crate) fn completion(
        &mut self,
        draft: &StepDraft<'_>,
        checks: &[Sourced<PlanCheck>],
    ) -> Sourced<CompletionRule> {
        let written = draft.in_config().and_then(|(layer, chain, step)| {
            let found = step.completion.as_ref().or(chain.completion.as_ref())?;
            Some((layer, found))
        });
        let Some((layer, completion)) = written else {
            // An implied check refuses but does not complete: it passes without tasks.
            let decide = self.request.defaults.checks_decide && !checks.iter().all(is_implied);
            let decide = decide && draft.iterations.is_some();
            return Sourced::default(if decide {
                CompletionRule::Checks
            } else {
                CompletionRule::Marker
            });
        };
        if completion.value == CompletionRule::Checks
            && checks.is_empty()
            && draft.iterations.is_some()
        {
            self.diagnostics.push(error::completion_without_checks(
                layer,
                completion.span,
                draft.agent,
            ));
        }
        Sourced::new(completion.value, ValueOrigin::file(layer, completion.span))
    }

    pub(crate) fn markers(&self, draft: &StepDraft<'_>) -> Sourced<Vec<Marker>> {
        if !self.request.markers.is_empty() {
            return Sourced::new(
                self.request.markers.clone(),
                ValueOrigin::Flag("--marker".into()),
            );
        }
        let written = draft.in_config().and_then(|(layer, chain, step)| {
            let found = step.markers.as_ref().or(chain.markers.as_ref())?;
            Some((layer, found))
        });
        match written {
            Some((layer, markers)) => {
                Sourced::new(markers.value.0.clone(), ValueOrigin::file(layer, markers.span))
            }
            None => Sourced::default(Marker::defaults()),
        }
    }

    pub(crate) fn done_file(&self) -> Option<Sourced<String>> {
        let path = self.request.done_file.clone()?;
        Some(Sourced::new(path, ValueOrigin::Flag("--done-file".into())))
    }

    /// Whether a completion claim in a loop requires work.
    pub(crate) fn requires_work(draft: &StepDraft<'_>) -> bool {
        let written = draft.in_config().and_then(|(_, chain, step)| {
            step.require_work.as_ref().or(chain.require_work.as_ref())
        });
        draft.iterations.is_some() && written.is_some_and(|required| required.value)
    }

    /// Whether the checks of a step also run before its first iteration.
    pub(crate) fn calibrates(&self, draft: &StepDraft<'_>) -> bool {
        let written = draft
            .in_config()
            .and_then(|(_, chain, step)| step.calibrate.as_ref().or(chain.calibrate.as_ref()));
        self.request.calibrate || written.is_some_and(|written| written.value)
    }

    /// Warns about settings that only loops use, and about some that steps which decide about
    /// rounds use as well.
    pub(crate) fn warn_of_loop_only_settings(
        &mut self,
        drafts: &[StepDraft<'_>],
        chain: Option<ConfigEntry<'_, ChainEntry>>,
        deciding: &BTreeSet<usize>,
    ) {
        for draft in drafts {
            let runs_once = draft.iterations.is_none() && !deciding.contains(&draft.number);
            let Some((layer, _, step)) = draft.in_config().filter(|_| runs_once) else { continue };
            let markers = step.markers.as_ref().map(|markers| ("markers", markers.span));
            let cycle = step.on_cycle.as_ref().map(|word| ("onCycle", word.span));
            for (key, span) in markers.into_iter().chain(cycle) {
                self.report(error::step_runs_once(layer, span, key, draft.number));
            }
        }
        if drafts.iter().any(|draft| draft.iterations.is_some()) {
            return;
        }
        let has_rounds = !deciding.is_empty();
        if !self.request.markers.is_empty() && !has_rounds {
            self.report(error::no_step_loops("--marker"));
        }
        if self.request.done_file.is_some() {
            self.report(error::no_step_loops("--done-file"));
        }
        if self.request.on_cycle.is_some() && !has_rounds {
            self.report(error::no_step_loops("--on-cycle"));
        }
        let Some(ConfigEntry { layer, entry, .. }) = chain else { return };
        let markers = entry.markers.as_ref().map(|markers| ("markers", markers.span));
        let completion =
            entry.completion.as_ref().map(|completion| ("completion", completion.span));
        let work = entry.require_work.as_ref().map(|required| ("requireWork", required.span));
        let cycle = entry.on_cycle.as_ref().map(|word| ("onCycle", word.span));
        let of_rounds = [markers, cycle].into_iter().flatten().filter(|_| !has_rounds);
        for (key, span) in [completion, work].into_iter().flatten().chain(of_rounds) {
            self.report(error::no_step_of_chain_loops(layer, span, key));
        }
    }
}

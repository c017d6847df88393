//! Remedies: what a user can do about an end.

use super::end_facts::EndFacts;
use super::iteration::shortened;
use super::kept_work_tree;
use crate::built_in;
use crate::config::Billing;
use crate::cost::{PriceTable, Spend};
use crate::event::{AgentOutcome, IterationReport, OutcomeClass, StepEnd, StopReason, Verdict};
use crate::limit::{Limit, Usd};
use crate::plan::{DirectSpawn, PlanStep, Prompt, Sourced};
use crate::quota::ExceededQuota;

/// A resumed run keeps its plan, so a change of the plan needs a new run.
pub(super) const NEW_RUN: &str = "start a new run (resume keeps the plan as it was)";

/// What a user can do, and whether a new run is needed after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remedy {
    pub what: String,
    /// Whether a new run is needed after that. Otherwise the run can be resumed.
    pub needs_new_run: bool,
}

impl Remedy {
    pub(super) fn resume(what: impl Into<String>) -> Self {
        Self { what: what.into(), needs_new_run: false }
    }

    pub(super) fn new_run(what: &str) -> Self {
        Self { what: format!("{what}, and {NEW_RUN}"), needs_new_run: true }
    }

    /// The remedy with its text passed through `show`.
    #[must_use]
    pub fn shown(self, show: impl Fn(&str) -> String) -> Self {
        Self { what: show(&self.what), ..self }
    }

    /// The lines about how to go on: what to do first, and the command, if there is one.
    pub fn ways_on(remedy: Option<&Self>, command: Option<&str>) -> Vec<String> {
        let what = remedy.map(|remedy| format!("What to do: {}", remedy.what));
        let way = match remedy {
            Some(Self { needs_new_run: true, .. }) => "To try again without a change",
            Some(_) | None => "To resume",
        };
        what.into_iter().chain(command.map(|command| format!("{way}: {command}"))).collect()
    }
}

/// The remedy after an end by the quota of an account.
pub(super) fn quota(exceeded: &ExceededQuota, facts: &EndFacts<'_>) -> Remedy {
    let until = (facts.moment)(exceeded.until);
    Remedy::resume(format!(
        "resume after {until}, or allow a longer wait (`--max-wait`) or a fuller window (`--quota`)"
    ))
}

/// The remedy after an end by an unknown cost.
pub(super) fn cost_unknown(facts: &EndFacts<'_>) -> Remedy {
    // A price does not help against the first two.
    if facts.has_unusable_figure {
        return Remedy::resume(
            "the agent reported a figure that cannot be right; resume accepts that part as unknown, \
             and keeps the limit",
        );
    }
    if is_cost_unreported(facts.last) {
        return Remedy::resume(
            "the agent was stopped before it reported its cost; resume accepts that part as unknown, \
             and keeps the limit",
        );
    }
    unknown_price(facts)
}

/// Whether the cost of an iteration is unknown only because its agent was stopped before it
/// reported any.
pub(super) fn is_cost_unreported(last: Option<&IterationReport>) -> bool {
    last.is_some_and(|report| {
        let is_stopped =
            matches!(report.verdict, Verdict::AgentStopped(why) if why != StopReason::CostUnknown);
        let unreported = Spend { unpriced: true, ..Spend::default() };
        is_stopped && report.spend == Some(unreported)
    })
}

/// The remedy after a step whose last iteration crashed or was stopped by forkhestra.
pub(super) fn last_iteration_remedy(end: &StepEnd, facts: &EndFacts<'_>) -> Option<Remedy> {
    let (Some(last), Some(run)) = (facts.last, facts.run) else { return None };
    let is_ours = matches!(
        end,
        StepEnd::MaxIterations | StepEnd::AgentStopped(StopReason::Idle | StopReason::Timeout)
    );
    let option = match &last.verdict {
        _ if !is_ours => return None,
        Verdict::Crashed => "",
        Verdict::AgentStopped(StopReason::Idle) => {
            ", with a longer --idle-timeout if it needs more time"
        }
        Verdict::AgentStopped(StopReason::Timeout) => {
            ", with a longer --timeout if it needs more time"
        }
        _ => return None,
    };
    let probe = match facts.agent() {
        Some(_) => ", test the agent (`forkhestra doctor --probe`)",
        None => "",
    };
    let logs = format!("read what the agent printed (`forkhestra logs {run}`)");
    Some(Remedy::resume(format!("{logs}{probe}, then resume{option}")))
}

/// The remedy after iterations that changed nothing.
pub(super) fn stagnated(iterations: u32, facts: &EndFacts<'_>) -> Remedy {
    Remedy::resume(format!(
        "the agent is stuck: see `forkhestra logs`, add guidance with {}, \
         then resume ({iterations} more iterations)",
        message_command(facts)
    ))
}

/// The remedy after iterations that undid each other's work.
pub(super) fn cycling(facts: &EndFacts<'_>) -> Remedy {
    let last = facts.last.and_then(|last| last.observation.snapshot.as_ref());
    let undone = last.filter(|last| last.number > 0).zip(facts.run).map(|(last, run)| {
        let before = kept_work_tree::reference(run, last.number - 1);
        format!(" (`git diff {before} {}`)", kept_work_tree::reference(run, last.number))
    });
    Remedy::resume(format!(
        "see what it undoes{}, say what to keep with {}, then resume",
        undone.unwrap_or_default(),
        message_command(facts)
    ))
}

/// The remedy after rounds that changed nothing.
pub(super) fn cycling_rounds(facts: &EndFacts<'_>) -> Remedy {
    let show = facts.run.map_or("show".to_owned(), |run| format!("show {run}"));
    Remedy::resume(format!(
        "read why the rounds were refused (`forkhestra {show}`), add guidance with {}, then resume",
        message_command(facts)
    ))
}

/// The remedy after a failed hook that ended the run.
pub(super) fn hook_failed(command: &str) -> Remedy {
    Remedy::resume(format!(
        "correct the hook `{}`, then resume; or do not let it end the run \
         (`\"onError\": \"continue\"` in the config), and {NEW_RUN}",
        shortened(command)
    ))
}

/// The remedy after a step that found no tasks.
pub(super) fn no_tasks(facts: &EndFacts<'_>) -> Remedy {
    let steps = facts.plan.into_iter().flat_map(|plan| &plan.steps);
    let mut earlier = steps.take(facts.step.saturating_sub(1));
    Remedy::resume(if earlier.any(|step| built_in::is_planner(&step.agent.name)) {
        "read why the planner made no tasks (`forkhestra logs`), or create them \
         (`forge-tasks create TITLE`), then resume"
    } else {
        "plan first (`forkhestra --chain plan`, or `forge-tasks create TITLE`), then resume"
    })
}

/// The command that leaves a message for the agent of the resumed run.
pub(super) fn message_command(facts: &EndFacts<'_>) -> String {
    match facts.run {
        Some(run) => format!("`forkhestra tell {run} \"…\"`"),
        None => "`forkhestra tell \"…\"`".to_owned(),
    }
}

/// The remedy for a missing price. Prices are not part of the plan: one that is added later counts
/// for a resumed run.
fn unknown_price(facts: &EndFacts<'_>) -> Remedy {
    let agent = facts.agent();
    let priced = facts.planned().and_then(|step| step.priced_model.as_ref());
    let off = format!("turn the limit off ({})", cost_limit_options(facts));
    let shipped = PriceTable::shipped();
    let prices = facts.plan.map_or_else(|| shipped.clone(), |plan| shipped.with(&plan.prices));
    let (backend, model) = (agent.map(|agent| agent.backend), agent.and_then(|a| a.model.as_ref()));
    let model = model.or(priced);
    let model = model.filter(|model| prices.of(model).is_none());
    Remedy::resume(match (model, backend) {
        (Some(model), _) => {
            format!("add `{model}` to `prices` in the config, then resume; or {off}")
        }
        (None, Some(backend)) if backend.facts().cost.lacks_model() => {
            format!("{off}; or name the agent's `model` in the config, and {NEW_RUN}")
        }
        (None, _) => format!(
            "add its model (`forkhestra logs -v` names it) to `prices` in the config, then resume; \
             or {off}"
        ),
    })
}

/// The options that turn off the cost limits that apply to a step.
fn cost_limit_options(facts: &EndFacts<'_>) -> String {
    let is_set = |limit: &Sourced<Limit<Usd>>| limit.value != Limit::Off;
    let of_run = facts.plan.is_some_and(|plan| is_set(&plan.limits.cost));
    let groups = facts.plan.map(|plan| plan.enclosing_groups(facts.step)).unwrap_or_default();
    let of_group = groups.into_iter().any(|group| is_set(&group.limits.cost));
    let of_step = facts.planned().is_some_and(|step| is_set(&step.limits.cost));
    let all = [(of_run, "--max-cost"), (of_group, "--group-cost"), (of_step, "--step-cost")];
    // A limit that was turned off since is not known.
    let none_is_set = all.iter().all(|(is_set, _)| !is_set);
    let options = all.into_iter().filter(|(is_set, _)| *is_set || none_is_set);
    let options: Vec<String> = options.map(|(_, option)| format!("`{option} off`")).collect();
    options.join(", ")
}

pub(super) fn login(outcome: &AgentOutcome, agent: Option<&DirectSpawn>) -> String {
    let backend = agent.map(|agent| agent.backend);
    let facts = backend.map(|backend| &backend.facts().login);
    let variable = facts.and_then(|login| login.key_variable);
    let given = agent.and_then(|agent| agent.env.names().find(|name| variable == Some(*name)));
    if let Some(name) = given {
        return format!("correct `{name}`, which `env` of the agent in the config gives it");
    }
    let log_in = facts.map_or("log in with the agent's program", |login| login.log_in);
    let is_key = contains_words(outcome, "API key");
    match variable {
        Some(name) if is_key => {
            format!("set {name} to a key that is valid; or unset it, and {log_in}")
        }
        Some(name) if facts.is_some_and(|login| login.key_precedes_login) => {
            format!("{log_in}, or set {name} (a key that is set is used before any login)")
        }
        Some(name) => format!("{log_in}, or set {name}"),
        None => format!("{log_in}, or set the key variable of its provider"),
    }
}

/// The remedy for a wrong payment method or an empty account.
pub(super) fn billing(outcome: &AgentOutcome, agent: Option<&DirectSpawn>) -> Remedy {
    let wanted = agent.map(|agent| agent.billing).filter(|_| is_wrong_account(outcome));
    let key = agent.and_then(|agent| agent.backend.facts().login.key_variable);
    let key = key.unwrap_or("the key of its provider");
    let verb = match wanted {
        Some(Billing::Subscription) => "unset",
        Some(Billing::ApiKey) => "set",
        Some(Billing::Any) | None => {
            return Remedy::resume("see to the credit of the account, then resume");
        }
    };
    Remedy::resume(format!(
        "{verb} {key}, then resume; or change `billing` of the agent in the config, and {NEW_RUN}"
    ))
}

/// The remedy for a prompt file that existed when the run was planned.
pub(super) fn unreadable(reason: &str, facts: &EndFacts<'_>) -> Option<Remedy> {
    let step = facts.planned()?;
    let system_prompt = facts.agent().map(|direct| &direct.system_prompt.value);
    let files = [Some(&step.prompt.value), system_prompt].into_iter().flatten();
    let named = |prompt: &Prompt| match prompt {
        Prompt::File(path) if reason.contains(&format!("file `{path}` cannot be read")) => {
            Some(path.clone())
        }
        _ => None,
    };
    let path = files.filter_map(named).next()?;
    Some(Remedy::resume(format!("put {path} back, or make it readable, then resume")))
}

/// The remedy about a prompt. A prompt file is read for every iteration; a text is part of the
/// plan.
pub(super) fn prompt_remedy(verb: &str, how: &str, step: Option<&PlanStep>) -> Remedy {
    match step.map(|step| &step.prompt.value) {
        Some(Prompt::File(path)) => Remedy::resume(format!(
            "{verb} what is in {path} {how}, then resume; \
             or change `model` of the agent in the config, and {NEW_RUN}"
        )),
        _ => Remedy::new_run(&format!(
            "{verb} the prompt {how}, or change `model` of the agent in the config"
        )),
    }
}

/// Whether the agent's message contains these words.
pub(super) fn contains_words(outcome: &AgentOutcome, words: &str) -> bool {
    outcome.message.as_ref().is_some_and(|message| message.contains(words))
}

/// Whether the payment method is one that the agent's config does not allow.
pub(super) fn is_wrong_account(outcome: &AgentOutcome) -> bool {
    let message = outcome.message.as_deref().unwrap_or_default();
    outcome.class == OutcomeClass::Billing && message.ends_with(" is wanted")
}

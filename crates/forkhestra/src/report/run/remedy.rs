//! What a person can do about a run that does not go on by itself.

use forkhestra_core::config::{Backend, Billing};
use forkhestra_core::cost::{Prices, Spend};
use forkhestra_core::event::{
    AgentEnd, Ending, IterationReport, Outcome, OutcomeClass, RunEnd, Sight, StepEnd, Verdict,
};
use forkhestra_core::id::RunId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::{AgentKind, DirectSpawn, Plan, Prompt, Step};
use typeset::text::visible;

use super::{not_accepted, reason};
use crate::report::agent_program::{key_variable, log_in};

/// A run that is resumed keeps its plan, so what only another plan can mend needs another run.
pub(super) const NEW_RUN: &str = "start a new run (resume keeps the plan as it was)";

/// What a person can do, and what helps after that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remedy {
    what: String,
    then: Then,
}

/// What helps once something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// The run can go on.
    Resume,
    /// A run with another plan.
    NewRun,
}

impl Remedy {
    pub(super) fn resume(what: impl Into<String>) -> Self {
        Self { what: what.into(), then: Then::Resume }
    }

    pub(super) fn new_run(what: &str) -> Self {
        Self { what: format!("{what}, and {NEW_RUN}"), then: Then::NewRun }
    }

    /// What to do.
    pub(crate) fn what(&self) -> &str {
        &self.what
    }
}

/// A step that did not complete, and what is known of it.
pub(crate) struct Failure<'a> {
    /// The run, once it has a name.
    pub(crate) run: Option<&'a RunId>,
    /// What was to be done.
    pub(crate) plan: &'a Plan,
    /// The step, from one.
    pub(crate) step: usize,
    /// How it ended.
    pub(crate) end: &'a StepEnd,
    /// What was there before it.
    pub(crate) before: Option<&'a Sight>,
    /// What came of its last iteration.
    pub(crate) last: Option<&'a IterationReport>,
    /// Whether the agent of that iteration reported a figure that cannot be right.
    pub(crate) has_unusable_figure: bool,
}

impl<'a> Failure<'a> {
    /// What ended a run of the past, if that was a failure.
    pub(crate) fn of(state: &'a RunState) -> Option<Self> {
        let Some(RunEnd::Incomplete { step, end }) = &state.end else { return None };
        let found = step.checked_sub(1).and_then(|index| state.steps.get(index));
        Some(Self {
            run: Some(&state.run),
            plan: &state.plan,
            step: *step,
            end,
            before: found.map(|step| &step.before),
            last: found.and_then(|step| step.last.as_ref()),
            has_unusable_figure: found.is_some_and(|step| step.has_unusable_figure),
        })
    }
}

/// What to do about a run in which a step failed like this.
pub(crate) fn remedy(failure: &Failure<'_>) -> Option<Remedy> {
    let plan = failure.plan;
    let step = failure.step.checked_sub(1).and_then(|index| plan.steps.get(index));
    match failure.end {
        StepEnd::Blocked(outcome) => of_outcome(outcome, step),
        // No price helps against that.
        StepEnd::CostUnknown if failure.has_unusable_figure => Some(Remedy::resume(
            "the agent reported a figure that cannot be right; resume accepts that part as unknown, \
             and keeps the limit",
        )),
        StepEnd::CostUnknown if is_cost_unreported(failure.last) => Some(Remedy::resume(
            "the agent was stopped before it reported its cost; resume accepts that part as unknown, \
             and keeps the limit",
        )),
        StepEnd::CostUnknown => Some(unknown_cost(plan, step, step.and_then(direct))),
        StepEnd::Failed(AgentEnd::NotStarted { reason, .. }) => unreadable(reason, step?),
        _ => not_accepted::remedy(failure).or_else(|| of_last_iteration(failure, step?)),
    }
}

/// Whether the cost of an iteration is unknown only because its agent was stopped before it reported
/// anything.
pub(super) fn is_cost_unreported(last: Option<&IterationReport>) -> bool {
    last.is_some_and(|report| {
        let is_stopped =
            matches!(report.verdict, Verdict::Ended(why) if why != Ending::CostUnknown);
        let unreported = Spend { unpriced: true, ..Spend::default() };
        is_stopped && report.spend == Some(unreported)
    })
}

/// What to do about a step whose last iteration crashed or was stopped by forkhestra.
fn of_last_iteration(failure: &Failure<'_>, step: &Step) -> Option<Remedy> {
    let (Some(last), Some(run)) = (failure.last, failure.run) else { return None };
    let is_ours = matches!(
        failure.end,
        StepEnd::MaxIterations | StepEnd::Ended(Ending::Idle | Ending::Timeout)
    );
    let option = match &last.verdict {
        _ if !is_ours => return None,
        Verdict::Crashed => "",
        Verdict::Ended(Ending::Idle) => ", with a longer --idle-timeout if it needs more time",
        Verdict::Ended(Ending::Timeout) => ", with a longer --timeout if it needs more time",
        _ => return None,
    };
    let probe = match direct(step) {
        Some(_) => ", test the agent (`forkhestra doctor --probe`)",
        None => "",
    };
    let logs = format!("read what the agent printed (`forkhestra logs {run}`)");
    Some(Remedy::resume(format!("{logs}{probe}, then resume{option}")))
}

/// The lines that say how to resume: what to do first, and the command, if there is one.
pub(crate) fn ways_on(remedy: Option<&Remedy>, command: Option<&str>) -> Vec<String> {
    let what = remedy.map(|remedy| format!("What to do: {}", remedy.what));
    let way = match remedy {
        Some(Remedy { then: Then::NewRun, .. }) => "To try again without a change",
        Some(Remedy { then: Then::Resume, .. }) | None => "To resume",
    };
    what.into_iter().chain(command.map(|command| format!("{way}: {command}"))).collect()
}

fn of_outcome(outcome: &Outcome, step: Option<&Step>) -> Option<Remedy> {
    let agent = step.and_then(direct);
    Some(match outcome.class {
        OutcomeClass::Authentication => Remedy::resume(login(outcome, agent)),
        OutcomeClass::Billing => billing(outcome, agent),
        OutcomeClass::ContextTooLong => about_prompt("make", "shorter", step),
        OutcomeClass::Refused => about_prompt("say", "in other words", step),
        // The agent's own words say what to do.
        OutcomeClass::Misconfigured if is_told(outcome, "IS_SANDBOX") => return None,
        OutcomeClass::Misconfigured => Remedy::new_run(
            "change the agent in the config (`--dry-run -v` shows how it is started)",
        ),
        OutcomeClass::TurnLimit => match agent.and_then(|agent| agent.max_turns) {
            Some(_) => Remedy::new_run("raise `maxTurns` of the agent in the config"),
            None => Remedy::resume("allow more turns in the settings of the agent's program"),
        },
        OutcomeClass::Budget => Remedy::resume("let it cost more (`--max-cost`, `--step-cost`)"),
        OutcomeClass::UsageLimit => {
            Remedy::resume("wait until the limit is reset, or allow a longer wait (`--max-wait`)")
        }
        OutcomeClass::Overloaded => {
            Remedy::resume("try again later, or allow a longer wait (`--max-wait`)")
        }
        OutcomeClass::Finished | OutcomeClass::Interrupted | OutcomeClass::Crashed => return None,
    })
}

/// A price is no part of what a run does: one that is given later counts for a run that goes on.
fn unknown_cost(plan: &Plan, step: Option<&Step>, agent: Option<&DirectSpawn>) -> Remedy {
    let priced = step.and_then(|step| step.priced_model.as_ref());
    let off = "turn the limit off (`--max-cost off`, `--step-cost off`)";
    let prices = Prices::shipped().with(&plan.prices);
    let (backend, model) = (agent.map(|agent| agent.backend), agent.and_then(|a| a.model.as_ref()));
    let model = model.or(priced);
    let model = model.filter(|model| prices.of(model).is_none());
    Remedy::resume(match (model, backend) {
        (Some(model), _) => {
            format!("add `{}` to `prices` in the config, then resume; or {off}", visible(model))
        }
        // It does not say which model it uses.
        (None, Some(Backend::Codex)) => {
            format!("{off}; or name the agent's `model` in the config, and {NEW_RUN}")
        }
        (None, _) => format!(
            "add its model (`forkhestra logs -v` names it) to `prices` in the config, then resume; \
             or {off}"
        ),
    })
}

fn login(outcome: &Outcome, agent: Option<&DirectSpawn>) -> String {
    let backend = agent.map(|agent| agent.backend);
    let variable = backend.and_then(key_variable);
    let given = agent.and_then(|agent| agent.env.names().find(|name| variable == Some(*name)));
    if let Some(name) = given {
        return format!("correct `{name}`, which `env` of the agent in the config gives it");
    }
    let log_in = backend.map_or("log in with the agent's program", log_in);
    let is_key = is_told(outcome, "API key");
    match variable {
        Some(name) if is_key => {
            format!("set {name} to a key that is valid; or unset it, and {log_in}")
        }
        Some(name) if backend == Some(Backend::Claude) => {
            format!("{log_in}, or set {name} (a key that is set is used before any login)")
        }
        Some(name) => format!("{log_in}, or set {name}"),
        None => format!("{log_in}, or set the key variable of its provider"),
    }
}

/// Either the wrong account would pay, or there is nothing left on it.
fn billing(outcome: &Outcome, agent: Option<&DirectSpawn>) -> Remedy {
    let wanted = agent.map(|agent| agent.billing).filter(|_| reason::is_wrong_account(outcome));
    let here = match wanted {
        Some(Billing::Subscription) => "unset ANTHROPIC_API_KEY, then resume",
        Some(Billing::ApiKey) => "set ANTHROPIC_API_KEY, then resume",
        Some(Billing::Any) | None => {
            return Remedy::resume("see to the credit of the account, then resume");
        }
    };
    Remedy::resume(format!("{here}; or change `billing` of the agent in the config, and {NEW_RUN}"))
}

/// A file with words for the agent that was there when the run was planned.
fn unreadable(reason: &str, step: &Step) -> Option<Remedy> {
    let system_prompt = direct(step).map(|direct| &direct.system_prompt.value);
    let files = [Some(&step.prompt.value), system_prompt].into_iter().flatten();
    let named = |prompt: &Prompt| match prompt {
        Prompt::File(path) if reason.contains(&format!("file `{path}` cannot be read")) => {
            Some(visible(path))
        }
        _ => None,
    };
    let path = files.filter_map(named).next()?;
    Some(Remedy::resume(format!("put {path} back, or make it readable, then resume")))
}

/// A prompt file is read for every iteration, and a text is part of the plan.
fn about_prompt(verb: &str, how: &str, step: Option<&Step>) -> Remedy {
    match step.map(|step| &step.prompt.value) {
        Some(Prompt::File(path)) => Remedy::resume(format!(
            "{verb} what is in {} {how}, then resume; \
             or change `model` of the agent in the config, and {NEW_RUN}",
            visible(path)
        )),
        _ => Remedy::new_run(&format!(
            "{verb} the prompt {how}, or change `model` of the agent in the config"
        )),
    }
}

fn is_told(outcome: &Outcome, words: &str) -> bool {
    outcome.message.as_ref().is_some_and(|message| message.contains(words))
}

const fn direct(step: &Step) -> Option<&DirectSpawn> {
    match &step.agent.kind {
        AgentKind::Direct(direct) => Some(direct),
        AgentKind::Program(_) => None,
    }
}

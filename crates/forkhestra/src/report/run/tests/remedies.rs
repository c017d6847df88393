//! Tests of remedies, and of whether they parse when typed.

use forkhestra_core::config::{Backend, Billing};
use forkhestra_core::event::{AgentOutcome, OutcomeClass, StepEnd};
use forkhestra_core::explain::{EndEntry, EndFacts, Remedy};
use forkhestra_core::plan::{AgentKind, DirectSpawn, EnvVars, Plan, Prompt};
use forkhestra_core::text::count::Count;

use super::support::event_script::EventScript;

fn blocked_by(class: OutcomeClass, message: &str) -> StepEnd {
    StepEnd::Blocked(AgentOutcome { message: Some(message.to_owned()), ..AgentOutcome::of(class) })
}

/// A plan of one step with a modified agent.
fn plan(backend: Backend, change: impl FnOnce(&mut DirectSpawn)) -> Plan {
    let mut plan = EventScript::of("builder:5").of_backend(1, backend).plan;
    if let AgentKind::Direct(direct) = &mut plan.steps[0].agent.kind {
        change(direct);
    }
    plan
}

/// The remedy if only the end of the step is known.
fn of(plan: &Plan, end: &StepEnd) -> Option<Remedy> {
    let facts = EndFacts { plan: Some(plan), step: 1, ..EndFacts::UNKNOWN };
    EndEntry::of(end, &facts).remedy
}

fn remedy_text(plan: &Plan, end: &StepEnd) -> String {
    let remedy = of(plan, end);
    Remedy::ways_on(remedy.as_ref(), Some("forkhestra resume x")).join("\n")
}

#[test]
fn every_end_that_a_retry_cannot_fix_has_a_remedy() {
    for class in OutcomeClass::ALL {
        let is_helpless = matches!(
            class,
            OutcomeClass::Finished | OutcomeClass::Interrupted | OutcomeClass::Crashed
        );
        for backend in Backend::ALL {
            let end = StepEnd::Blocked(AgentOutcome::of(class));
            let is_none = of(&plan(backend, |_| {}), &end).is_none();
            assert_eq!(is_none, is_helpless, "{class:?}");
        }
        let program = EventScript::of("builder:5").plan;
        let end = StepEnd::Blocked(AgentOutcome::of(class));
        assert_eq!(of(&program, &end).is_none(), is_helpless, "{class:?}");
    }
}

#[test]
fn each_program_has_its_own_way_to_log_in() {
    let end = blocked_by(OutcomeClass::Authentication, "HTTP 401");
    for (backend, expected) in [
        (
            Backend::Claude,
            "log in by starting `claude`, or set ANTHROPIC_API_KEY \
             (a key that is set is used before any login)",
        ),
        (Backend::Codex, "log in with `codex login`, or set CODEX_API_KEY"),
        (Backend::Gemini, "log in by starting `gemini`, or set GEMINI_API_KEY"),
        (
            Backend::Opencode,
            "log in with `opencode auth login`, or set the key variable of its provider",
        ),
    ] {
        let expected = format!("What to do: {expected}\nTo resume: forkhestra resume x");
        assert_eq!(remedy_text(&plan(backend, |_| {}), &end), expected);
    }
}

#[test]
fn a_key_that_was_used_is_named() {
    let end = blocked_by(OutcomeClass::Authentication, "Invalid API key · Fix external API key");
    let shown = remedy_text(&plan(Backend::Claude, |_| {}), &end);
    assert!(shown.contains("set ANTHROPIC_API_KEY to a key that is valid; or unset it"), "{shown}");
    let given = plan(Backend::Claude, |agent| {
        let value = ("ANTHROPIC_API_KEY".to_owned(), "sk-0123456789".to_owned());
        agent.env = EnvVars([value].into());
    });
    let shown = remedy_text(&given, &end);
    assert!(shown.contains("correct `ANTHROPIC_API_KEY`, which `env`"), "{shown}");
}

#[test]
fn an_end_that_needs_another_plan_needs_a_new_run() {
    let turns = blocked_by(OutcomeClass::TurnLimit, "Reached maximum number of turns (3)");
    let three = plan(Backend::Claude, |agent| agent.max_turns = Count::parse("3").ok());
    assert_eq!(
        remedy_text(&three, &turns),
        "What to do: raise `maxTurns` of the agent in the config, and start a new run \
         (resume keeps the plan as it was)\nTo try again without a change: forkhestra resume x"
    );
    let fields = blocked_by(OutcomeClass::Misconfigured, "error: unknown option '--x'");
    assert!(
        remedy_text(&three, &fields).contains("start a new run (resume keeps the plan as it was)")
    );
}

#[test]
fn a_wrong_account_is_distinguished_from_an_empty_one() {
    let wrong = blocked_by(
        OutcomeClass::Billing,
        "it would pay with an API key (ANTHROPIC_API_KEY), and a subscription is wanted",
    );
    let agent = plan(Backend::Claude, |agent| agent.billing = Billing::Subscription);
    assert_eq!(
        remedy_text(&agent, &wrong),
        "What to do: unset ANTHROPIC_API_KEY, then resume; or change `billing` of the agent in the \
         config, and start a new run (resume keeps the plan as it was)\n\
         To resume: forkhestra resume x"
    );
    let empty = blocked_by(OutcomeClass::Billing, "Credit balance is too low");
    assert!(
        remedy_text(&agent, &empty).starts_with("What to do: see to the credit of the account")
    );
}

#[test]
fn the_agents_own_remedy_is_not_repeated() {
    let root =
        blocked_by(OutcomeClass::Misconfigured, "run as another user, set IS_SANDBOX=1 in a …");
    assert_eq!(
        remedy_text(&plan(Backend::Claude, |_| {}), &root),
        "To resume: forkhestra resume x"
    );
}

#[test]
fn a_prompt_file_can_be_changed_before_a_run_goes_on_and_a_text_cannot() {
    let long = blocked_by(OutcomeClass::ContextTooLong, "Prompt is too long");
    let mut plan = plan(Backend::Claude, |_| {});
    assert!(remedy_text(&plan, &long).contains("To try again without a change"));
    plan.steps[0].prompt.value = Prompt::File("task.md".to_owned());
    let shown = remedy_text(&plan, &long);
    assert!(shown.contains("make what is in task.md shorter, then resume"), "{shown}");
    assert!(shown.contains("To resume"), "{shown}");
}

#[test]
fn a_model_that_needs_a_price_is_named() {
    let named = plan(Backend::Codex, |agent| agent.model = Some("gpt-of-tomorrow".to_owned()));
    let shown = remedy_text(&named, &StepEnd::CostUnknown);
    assert!(shown.contains("add `gpt-of-tomorrow` to `prices` in the config, then resume"));
    let shown = remedy_text(&plan(Backend::Claude, |_| {}), &StepEnd::CostUnknown);
    assert!(shown.contains("`forkhestra logs -v` names it"), "{shown}");
    let shown = remedy_text(&plan(Backend::Codex, |_| {}), &StepEnd::CostUnknown);
    assert!(shown.contains("name the agent's `model` in the config, and start a new run"));
}

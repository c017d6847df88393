//! Usage limits and quotas of steps with a fallback.

use super::super::support::run_simulation::{fold, start};
use crate::config::Backend::{self, Claude, Codex};
use crate::config::FallbackChoice;
use crate::event::{FallbackReason, FallbackUse, LimitChanges, OutcomeClass};
use crate::id::UnitId;
use crate::machine::tests::properties::with_quota;
use crate::machine::tests::*;
use crate::quota::{QuotaLimits, QuotaWindow};
use crate::time::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 3600;

/// A chain of steps on Claude Code that fall back to Codex.
pub(super) fn with_fallback(chain: &str) -> Plan {
    let mut request = request(chain);
    request.fallback = Some(FallbackChoice::Backend(Codex));
    plan_of(&request)
}

/// Accounts that are used up until so many seconds after the beginning, Claude's and Codex's. Each
/// iteration takes an hour.
#[derive(Debug, Clone, Copy)]
struct Accounts {
    claude: u64,
    codex: u64,
    /// Whether an agent says when its account is reset.
    tells_reset: bool,
    /// The iteration that completes its step.
    done_at: u32,
}

impl Accounts {
    fn used_up_until(claude: u64, codex: u64) -> Self {
        Self { claude, codex, tells_reset: true, done_at: u32::MAX }
    }

    fn agent(self, unit: UnitId, backend: Backend, now: Timestamp) -> SimulatedAgent {
        let until = if backend == Claude { self.claude } else { self.codex };
        let left = start().wall.saturating_add(seconds(until)).saturating_since(now).as_secs();
        if left > 0 {
            let limited = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit);
            return limited.with(|stream| {
                stream.resets_in = Some(left).filter(|_| self.tells_reset);
            });
        }
        let agent = match unit.iteration >= self.done_at {
            true => SimulatedAgent::understood_done(),
            false => SimulatedAgent::with_outcome(OutcomeClass::Finished),
        };
        SimulatedAgent { exits_at: Some(HOUR * 1000), ..agent }
    }

    fn run(self, plan: Plan) -> RunSimulation {
        self.simulation(RunSimulation::new(unlimited(plan), |_| SimulatedAgent::done())).run()
    }

    fn simulation(self, run: RunSimulation) -> RunSimulation {
        run.with_provider(move |unit, backend, now| self.agent(unit, backend, now))
    }
}

/// The plan without an idle timeout, since the agents print nothing.
fn unlimited(mut plan: Plan) -> Plan {
    plan.steps.iter_mut().for_each(|step| step.limits.idle_timeout.value = Limit::Off);
    plan
}

/// What happened, in short: `claude 1` is an attempt of iteration 1 on Claude Code, `wait 3600` a wait
/// of so many seconds.
fn story(events: &[Event]) -> Vec<String> {
    let line = |event: &Event| match &event.kind {
        EventKind::IterationStarted { unit, fallback } => {
            let backend = fallback.map_or(Claude, |fallback| fallback.backend);
            Some(format!("{} {}", backend.word(), unit.iteration))
        }
        EventKind::Waiting { why, until, .. } => {
            let seconds = until.saturating_since(event.at).as_secs();
            Some(format!("{} {seconds}", why.as_str()))
        }
        _ => None,
    };
    events.iter().filter_map(line).collect()
}

fn fallbacks(run: &RunSimulation) -> Vec<Option<FallbackUse>> {
    let of = |kind: &EventKind| match kind {
        EventKind::IterationStarted { fallback, .. } => Some(*fallback),
        _ => None,
    };
    run.kinds().filter_map(of).collect()
}

#[test]
fn the_fallback_runs_until_the_usage_limit_is_reset_and_then_the_primary_back_end_again() {
    let run = Accounts::used_up_until(2 * HOUR + 1, 0).run(with_fallback("claude:5"));
    let expected =
        ["claude 1", "codex 1", "codex 2", "codex 3", "claude 4", "claude 5"].map(str::to_owned);
    assert_eq!(story(&run.events), expected);
    assert_eq!(verdicts(&run)[0], "postponed");
    assert_eq!(run.machine.state().steps[0].finished, 5, "the refused attempt costs no iteration");
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    let use_of = fallbacks(&run)[1].expect("the second attempt runs on the fallback");
    let until = start().wall.saturating_add(seconds(2 * HOUR + 1 + 30));
    assert_eq!((use_of.backend, use_of.why), (Codex, FallbackReason::UsageLimit));
    assert_eq!(use_of.until.saturating_since(until).as_secs(), 0);
    assert!(until.saturating_since(use_of.until).as_secs() <= 1);
}

#[test]
fn a_step_that_runs_once_falls_back_too() {
    let accounts = Accounts { done_at: 1, ..Accounts::used_up_until(9 * HOUR, 0) };
    let run = accounts.run(with_fallback("claude"));
    assert_eq!(story(&run.events), ["claude 1", "codex 1"]);
    assert!(run.machine.state().steps[0].is_complete());
}

#[test]
fn a_step_without_a_fallback_waits_for_the_reset() {
    let run = Accounts { done_at: 1, ..Accounts::used_up_until(2 * HOUR, 0) }.run(plan("claude:5"));
    assert_eq!(story(&run.events), ["claude 1", "usage_limit 7230", "claude 1"]);
}

#[test]
fn a_later_step_knows_that_the_account_is_used_up() {
    let accounts = Accounts { done_at: 1, ..Accounts::used_up_until(90 * MINUTE, 0) };
    let run = accounts.run(with_fallback("claude:2 -> claude:2 -> claude:2"));
    assert_eq!(story(&run.events), ["claude 1", "codex 1", "codex 1", "claude 1"]);
    assert_eq!(ends(run.machine.state()), "marker marker marker: complete");
}

#[test]
fn if_both_are_used_up_the_step_waits_for_the_earlier_reset() {
    for (claude, codex, expected) in [
        (3 * HOUR, HOUR, vec!["claude 1", "codex 1", "usage_limit 3629", "codex 1"]),
        (HOUR, 3 * HOUR, vec!["claude 1", "codex 1", "usage_limit 3629", "claude 1"]),
    ] {
        let run = Accounts { done_at: 1, ..Accounts::used_up_until(claude, codex) }
            .run(with_fallback("claude:3"));
        assert_eq!(story(&run.events), expected, "{claude} {codex}");
        assert_eq!(ends(run.machine.state()), "marker: complete");
    }
}

#[test]
fn both_used_up_for_longer_than_the_longest_wait_end_the_step() {
    let run = Accounts::used_up_until(9 * HOUR, 8 * HOUR).run(with_fallback("claude:3"));
    assert_eq!(story(&run.events), ["claude 1", "codex 1"]);
    assert_eq!(ends(run.machine.state()), "usage_limit: incomplete at 1");
    // A resume tries each of them once, and needs no longer wait if one is reset soon.
    let again =
        RunSimulation::resumed(&run.events, LimitChanges::default(), |_| SimulatedAgent::done());
    let again = Accounts::used_up_until(9 * HOUR, 8 * HOUR).simulation(again).run();
    assert_eq!(ends(again.machine.state()), "usage_limit: incomplete at 1");
    let longer = LimitChanges { max_wait: limit("9h"), ..LimitChanges::default() };
    let again = RunSimulation::resumed(&run.events, longer, |_| SimulatedAgent::done());
    let again =
        Accounts { done_at: 1, ..Accounts::used_up_until(9 * HOUR, 8 * HOUR) }.simulation(again);
    let again = again.run();
    assert_eq!(story(&again.events), [&format!("usage_limit {}", 8 * HOUR + 29), "codex 1"]);
    assert_eq!(ends(again.machine.state()), "marker: complete");
}

/// Whatever the providers say, attempts without an outcome are rare.
#[test]
fn wrong_and_unknown_resets_do_not_spin() {
    // Both say that they are reset, and are not.
    let lying = |_: UnitId, _: Backend, _: Timestamp| {
        SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(0))
    };
    let run = RunSimulation::new(with_fallback("claude:3"), |_| SimulatedAgent::done());
    let run = run.with_provider(lying).run();
    assert_eq!(ends(run.machine.state()), "usage_limit: incomplete at 1");
    assert!(run.spawned.len() < 70, "{} attempts in six hours", run.spawned.len());
    // The primary back-end does not say when it is reset, and is tried every quarter of an hour.
    let blind = Accounts { tells_reset: false, ..Accounts::used_up_until(90 * MINUTE, 0) };
    let run = blind.run(with_fallback("claude:4"));
    let expected =
        ["claude 1", "codex 1", "claude 2", "codex 2", "claude 3", "claude 4"].map(str::to_owned);
    assert_eq!(story(&run.events), expected);
}

#[test]
fn an_overload_is_waited_for_on_the_same_back_end() {
    let overloaded = |unit: UnitId, backend: Backend, _: Timestamp| match (backend, unit.attempt) {
        (Claude, 1 | 2) => SimulatedAgent::with_outcome(OutcomeClass::Overloaded)
            .with(|stream| stream.tool_calls = 0),
        _ => SimulatedAgent::understood_done(),
    };
    let run = RunSimulation::new(with_fallback("claude:3"), |_| SimulatedAgent::done());
    let run = run.with_provider(overloaded).run();
    assert_eq!(
        story(&run.events),
        ["claude 1", "overloaded 30", "claude 1", "overloaded 60", "claude 1"]
    );
}

#[test]
fn a_quota_of_the_first_account_starts_the_fallback() {
    let quota = |text: &str| QuotaLimits::parse(text).ok();
    let agent = |unit: UnitId, backend: Backend, _: Timestamp| {
        let agent = match unit.iteration {
            4 => SimulatedAgent::understood_done(),
            _ => SimulatedAgent::with_outcome(OutcomeClass::Finished),
        };
        let agent = SimulatedAgent { exits_at: Some(HOUR * 1000), ..agent };
        match (backend, unit.iteration) {
            (Claude, 1) => agent.reporting(QuotaWindow::FiveHours, 95, 2 * HOUR + 60),
            _ => agent,
        }
    };
    let plan = with_quota(with_fallback("claude:5"), quota("5h=90%"));
    let run = RunSimulation::new(unlimited(plan), |_| SimulatedAgent::done());
    let run = run.with_provider(agent).run();
    assert_eq!(story(&run.events), ["claude 1", "codex 2", "codex 3", "claude 4"]);
    assert_eq!(fallbacks(&run)[1].map(|fallback| fallback.why), Some(FallbackReason::Quota));
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

/// The quota of each account counts for itself; if both are too full, the step waits for the one that
/// is free first.
#[test]
fn two_accounts_that_are_too_full_wait_for_the_earlier_one() {
    let agent = |unit: UnitId, backend: Backend, _: Timestamp| {
        let agent = SimulatedAgent::with_outcome(OutcomeClass::Finished);
        match (unit.iteration, backend) {
            (1, _) => agent.reporting(QuotaWindow::FiveHours, 95, 2 * HOUR),
            (2, _) => agent.reporting(QuotaWindow::SevenDays, 96, HOUR),
            _ => SimulatedAgent::understood_done(),
        }
    };
    let quota = QuotaLimits::parse("5h=90%,7d=90%").ok();
    let run = RunSimulation::new(with_quota(with_fallback("claude:5"), quota), |_| {
        SimulatedAgent::done()
    });
    let run = run.with_provider(agent).run();
    assert_eq!(story(&run.events), ["claude 1", "codex 2", "quota 3599", "codex 3"]);
    let state = run.machine.state();
    assert_eq!(state.quotas.current(Codex, start().wall).count(), 1);
    assert_eq!(state.quotas.current(Claude, start().wall).count(), 1);
}

/// The operator raises a limit while the step waits for one of its two accounts.
#[test]
fn a_raised_quota_ends_the_wait_for_the_other_account() {
    let agent = |unit: UnitId, backend: Backend, _: Timestamp| match (unit.iteration, backend) {
        (1, _) => SimulatedAgent::with_outcome(OutcomeClass::Finished).reporting(
            QuotaWindow::FiveHours,
            95,
            4 * HOUR,
        ),
        (_, Codex) => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit)
            .with(|stream| stream.resets_in = Some(2 * HOUR)),
        _ => SimulatedAgent::understood_done(),
    };
    let quota = QuotaLimits::parse("5h=90%").ok();
    let plan = with_quota(with_fallback("claude:5"), quota);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).with_provider(agent);
    let changes = LimitChanges { quota: limit("off"), ..LimitChanges::default() };
    let run = run.asked_at(HOUR * 1000, crate::control::ControlRequest::Set(changes)).run();
    assert_eq!(story(&run.events), ["claude 1", "codex 2", "usage_limit 7230", "claude 2"]);
    assert_eq!(run.took().as_secs(), HOUR);
}

#[test]
fn a_killed_run_goes_on_with_the_back_end_that_is_free() {
    let accounts = Accounts { done_at: 4, ..Accounts::used_up_until(2 * HOUR + 1, 0) };
    let run = accounts.run(with_fallback("claude:9"));
    let all = story(&run.events);
    for cut in 1..run.events.len() {
        let prefix = &run.events[..cut];
        let again =
            RunSimulation::resumed(prefix, LimitChanges::default(), |_| SimulatedAgent::done());
        let again = accounts.simulation(again).run();
        assert_eq!(ends(again.machine.state()), "marker: complete", "cut at {cut}");
        let both = [prefix, &again.events].concat();
        assert_eq!(&fold(&both), again.machine.state(), "cut at {cut}");
        // Only an attempt that was cut off is repeated, on the back-end that it ran on.
        let before = story(prefix);
        let next = story(&again.events);
        if let Some(first) = next.first() {
            let left = &all[before.len()..];
            assert!(left.first() == Some(first) || before.last() == Some(first), "cut at {cut}");
        }
    }
}

#[test]
fn the_plan_of_the_state_has_the_agent_at_work_and_knows_both() {
    let run = Accounts::used_up_until(HOUR * 9, 0).run(with_fallback("claude:2"));
    let step = &run.machine.state().plan.steps[0];
    let backend = |agent: &plan::PlanAgent| agent.kind.direct().map(|direct| direct.backend);
    assert_eq!(backend(&step.agent), Some(Codex));
    assert_eq!(backend(step.primary_agent()), Some(Claude));
    assert_eq!(step.fallback_agent().and_then(backend), Some(Codex));
    let EventKind::RunStarted { plan, .. } = &run.events[0].kind else { panic!("no beginning") };
    assert_eq!(backend(&plan.steps[0].agent), Some(Claude), "the recorded plan is not exchanged");
}

/// Without a login of the fallback the run continues as if it had none, and a resume tries it again.
#[test]
fn a_fallback_that_cannot_work_is_not_used_again_before_a_resume() {
    let agent = |unit: UnitId, backend: Backend, now: Timestamp| match backend {
        Codex => SimulatedAgent::with_outcome(OutcomeClass::Authentication),
        _ => Accounts { done_at: 2, ..Accounts::used_up_until(2 * HOUR, 0) }
            .agent(unit, backend, now),
    };
    for (chain, expected) in [
        ("claude:3", vec!["claude 1", "codex 1", "usage_limit 7229", "claude 1", "claude 2"]),
        ("claude", vec!["claude 1", "codex 1", "usage_limit 7229", "claude 1"]),
    ] {
        let run = RunSimulation::new(unlimited(with_fallback(chain)), |_| SimulatedAgent::done());
        let run = run.with_provider(agent).run();
        assert_eq!(story(&run.events), expected);
        assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
        let warned = run.kinds().any(|kind| {
            matches!(kind, EventKind::Warning { message } if message
                == "Codex, the fallback of claude, cannot be used (authentication): \
                    until a resume the step waits for Claude Code")
        });
        assert!(warned, "{:?}", run.events);
        let waiting = up_to(&run, |kind| matches!(kind, EventKind::Waiting { .. }));
        let again =
            RunSimulation::resumed(&waiting, LimitChanges::default(), |_| SimulatedAgent::done());
        let again = again.with_provider(agent).run();
        assert_eq!(story(&again.events)[0], "codex 1", "it is tried again");
    }
}

//! Waits for the quota of an account that were cut off, and are resumed.

use super::super::support::run_simulation::fold;
use super::quota_waits::{
    FIVE_HOURS, HOUR, SEVEN_DAYS, ended, first, is_waiting, max_wait, one_wait, plan_with, quota,
    reporting, waits,
};
use crate::event::{CancelCause, LimitChanges, OutcomeClass};
use crate::explain::raising_option;
use crate::id::UnitId;
use crate::machine::tests::properties::assert_quota_holds;
use crate::machine::tests::*;
use crate::quota::QuotaLimits;
use crate::time::Timestamp;

/// Every prefix of a run with two waits goes on to the same end, and no agent is started too early.
#[test]
fn a_run_that_is_interrupted_anywhere_keeps_its_readings() {
    let script = |unit: UnitId| match unit.iteration {
        1 => reporting(FIVE_HOURS, 95, 2 * HOUR).reporting(SEVEN_DAYS, 30, 90 * HOUR),
        2 => reporting(SEVEN_DAYS, 95, 3 * HOUR),
        _ => SimulatedAgent::understood_done(),
    };
    let whole = RunSimulation::new(plan_with("a:3", "5h=90%,7d=80%"), script).run();
    assert_eq!(waits(&whole).len(), 2);
    for cut in 1..whole.events.len() {
        let prefix = &whole.events[..cut];
        let rest = RunSimulation::resumed(prefix, LimitChanges::default(), script).run();
        assert_eq!(ended(&rest), "marker: complete", "cut at {cut}");
        let all = [prefix, &rest.events].concat();
        assert_eq!(fold(&all), *rest.machine.state(), "cut at {cut}");
        assert_quota_holds(&all);
    }
}

#[test]
fn a_killed_wait_goes_on_and_counts_once() {
    // Twice as long would exceed the limit.
    let script = first(reporting(FIVE_HOURS, 95, 4 * HOUR));
    let run = RunSimulation::new(plan_with("a:2", "5h=90%"), script.clone()).run();
    let mut events = up_to(&run, is_waiting);
    let waited = fold(&events).steps[0].postponement.waited;
    for _ in 0..3 {
        let again = RunSimulation::resumed(&events, LimitChanges::default(), script.clone()).run();
        assert_eq!(ended(&again), "marker: complete");
        events.extend(up_to(&again, is_waiting));
        let postponement = &fold(&events).steps[0].postponement;
        assert!(postponement.waited.abs_diff(waited) < seconds(1), "{postponement:?}");
    }
    let mut later = RunSimulation::resumed(&events, LimitChanges::default(), script);
    later.set_forward(seconds(5 * HOUR));
    assert_eq!(waits(&later.run()), [], "the window has ended");
}

#[test]
fn a_cancelled_wait_is_resumed() {
    let script = first(reporting(FIVE_HOURS, 95, 2 * HOUR));
    let run = RunSimulation::new(plan_with("a:2", "5h=90%"), script.clone());
    let run = run.cancelled_at(HOUR * 1000, CancelCause::Interrupt).run();
    assert_eq!(ended(&run), "interrupted: interrupt");
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), script).run();
    assert_eq!((ended(&again).as_str(), again.spawned.len()), ("marker: complete", 1));
}

/// What was not waited does not count: two waits of four hours would be too long.
#[test]
fn a_wait_that_was_cut_off_counts_as_far_as_it_went() {
    fn limited() -> SimulatedAgent {
        let agent = SimulatedAgent::with_outcome(OutcomeClass::UsageLimit);
        agent.with(|stream| stream.resets_in = Some(4 * HOUR))
    }
    fn after_quota(unit: UnitId) -> SimulatedAgent {
        match (unit.iteration, unit.attempt) {
            (1, _) => reporting(FIVE_HOURS, 95, 4 * HOUR),
            (2, 1) => limited(),
            _ => SimulatedAgent::understood_done(),
        }
    }
    fn limited_twice(unit: UnitId) -> SimulatedAgent {
        if unit.attempt < 3 { limited() } else { SimulatedAgent::understood_done() }
    }
    let mut plan = plan_with("a:2", "5h=90%");
    plan.steps[0].limits.max_wait.value = limit("7h 30m").expect("there is one");
    let scripts: [fn(UnitId) -> SimulatedAgent; 2] = [after_quota, limited_twice];
    for script in scripts {
        let run = RunSimulation::new(plan.clone(), script);
        let run = run.cancelled_at(HOUR * 1000, CancelCause::Interrupt).run();
        let waited = run.machine.state().steps[0].postponement.waited;
        assert_eq!(waited.as_secs() / 60, 59);
        for later in [1, 5] {
            let mut again = RunSimulation::resumed(&run.events, LimitChanges::default(), script);
            again.set_forward(seconds(later * HOUR));
            let again = again.run();
            assert_eq!(ended(&again), "marker: complete", "{:?}", waits(&again));
        }
    }
}

#[test]
fn a_step_that_a_quota_ended_goes_on_if_that_may_be() {
    let done = |_: UnitId| SimulatedAgent::understood_done();
    let plan = plan_with("a:2", "7d=90%");
    let run = RunSimulation::new(plan, first(reporting(SEVEN_DAYS, 95, 50 * HOUR))).run();
    assert_eq!(ended(&run), "quota: incomplete at 1");
    let resumed = |changes| RunSimulation::resumed(&run.events, changes, done).run();
    let same = resumed(LimitChanges::default());
    assert_eq!((ended(&same).as_str(), same.spawned.len()), ("quota: incomplete at 1", 0));
    for changes in [quota("7d=95%"), quota("off"), quota("5h=10%")] {
        let higher = resumed(changes);
        assert_eq!((ended(&higher).as_str(), waits(&higher)), ("marker: complete", vec![]));
    }
    let patient = resumed(max_wait("60h"));
    assert_eq!(ended(&patient), "marker: complete");
    assert_eq!(one_wait(&patient), Some(50 * HOUR - 1));
    let mut later = RunSimulation::resumed(&run.events, LimitChanges::default(), done);
    later.set_forward(seconds(50 * HOUR));
    let later = later.run();
    assert_eq!((ended(&later).as_str(), waits(&later)), ("marker: complete", vec![]));
}

#[test]
fn the_suggested_option_lets_the_step_go_on() {
    let done = |_: UnitId| SimulatedAgent::understood_done();
    let full = reporting(FIVE_HOURS, 95, 4 * HOUR).reporting(SEVEN_DAYS, 97, 100 * HOUR);
    let option = |run: &RunSimulation| {
        let now = run.events.last().map_or_else(Timestamp::default, |event| event.at);
        raising_option(run.machine.state(), now)
    };
    for (longest, expected) in [("6h", "5h=90%,7d=100%"), ("1h", "5h=100%,7d=100%")] {
        let mut plan = plan_with("a:2 -> b", "5h=90%,7d=90%");
        for step in &mut plan.steps {
            step.limits.max_wait.value = limit(longest).expect("there is one");
        }
        let run = RunSimulation::new(plan, first(full.clone())).run();
        assert_eq!(ended(&run), "quota pending: incomplete at 1", "{longest}");
        assert_eq!(option(&run), Some(format!("--quota {expected}")), "{longest}");
        let resumed = RunSimulation::resumed(&run.events, quota(expected), done).run();
        assert_eq!(ended(&resumed), "marker exit_code: complete", "{longest}");
    }
    // The option would replace the quota of the other step.
    for other in [None, QuotaLimits::parse("7d=50%").ok()] {
        let mut plan = plan_with("a:2 -> b", "5h=90%,7d=90%");
        plan.steps[1].limits.quota.value = other.map_or(Limit::Off, Limit::At);
        let run = RunSimulation::new(plan, first(full.clone())).run();
        assert_eq!(option(&run).as_deref(), Some("--max-wait 101h"), "{other:?}");
        let resumed = RunSimulation::resumed(&run.events, max_wait("101h"), done).run();
        assert_eq!(ended(&resumed), "marker exit_code: complete");
    }
}

//! Properties of runs with a fallback, for agents of any behaviour.

use proptest::prelude::*;

use super::super::properties::{
    agent, any_quota, assert_nothing_is_paid_twice, assert_postponements_use_up_nothing,
    assert_quota_holds, unseen_if_given_up, wait_less, with_quota,
};
use super::super::support::run_simulation::{fold, outcomes};
use super::fallback::with_fallback;
use crate::config::Backend;
use crate::event::{LimitChanges, ProcessEnd};
use crate::id::UnitId;
use crate::machine::tests::*;
use crate::time::Timestamp;

/// A behaviour for each attempt and back-end.
fn provider(
    agents: Vec<SimulatedAgent>,
) -> impl Fn(UnitId, Backend, Timestamp) -> SimulatedAgent + Clone + 'static {
    move |unit, backend, _| {
        let offset = if backend == Backend::Claude { 0 } else { 3 };
        let number = unit.step * 7 + unit.iteration as usize * 5 + unit.attempt as usize + offset;
        agents[number % agents.len()].clone()
    }
}

fn chain() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["claude:4", "claude", "claude:3 -> claude:2", "claude:2 -> claude"])
}

fn simulation(plan: Plan, agents: Vec<SimulatedAgent>) -> RunSimulation {
    RunSimulation::new(plan, |_| SimulatedAgent::done()).with_provider(provider(agents))
}

/// The back-end that an attempt runs on is the one that its event names, and no limit of its account
/// that ends later than that of the other one holds.
fn assert_right_backends(events: &[Event]) {
    let mut state = RunState::begin(&events[0]).expect("it is the plan");
    for event in &events[1..] {
        let started = match &event.kind {
            EventKind::IterationStarted { unit, fallback } => Some((*unit, *fallback)),
            _ => None,
        };
        state.apply(event).expect("the events fit");
        let Some((unit, fallback)) = started else { continue };
        let step = &state.plan.steps[unit.step - 1];
        let used = step.agent.kind.direct().map(|direct| direct.backend);
        assert_eq!(used, Some(fallback.map_or(Backend::Claude, |fallback| fallback.backend)));
        assert_eq!(step.runs_fallback(), fallback.is_some());
        if let Some(fallback) = fallback {
            assert!(fallback.until > event.at, "{unit} needs no fallback");
        }
    }
}

proptest! {
    #[test]
    fn every_run_with_a_fallback_ends_and_repeats_no_work(
        chain in chain(),
        quota in any_quota(),
        agents in prop::collection::vec(agent(), 1..12),
    ) {
        let mut plan = with_quota(with_fallback(chain), quota);
        plan.steps.iter_mut().for_each(|step| {
            step.limits.timeout.value = limit("2m").expect("a time");
        });
        let run = simulation(plan, agents).run();
        assert_quota_holds(&run.events);
        assert_postponements_use_up_nothing(&run.events);
        assert_right_backends(&run.events);
        prop_assert_eq!(&fold(&run.events), run.machine.state());
    }

    #[test]
    fn a_run_with_a_fallback_resumed_from_any_prefix_does_no_work_twice(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..12),
    ) {
        let agents: Vec<SimulatedAgent> = agents
            .into_iter()
            .filter(|agent| !matches!(agent.end, ProcessEnd::NotStarted { transient: true, .. }))
            .map(|agent| agent.with(wait_less))
            .map(unseen_if_given_up)
            .collect();
        prop_assume!(!agents.is_empty());
        let mut plan = with_fallback(chain);
        plan.steps.iter_mut().for_each(|step| {
            step.limits.timeout.value = limit("2m").expect("a time");
        });
        let whole = simulation(plan, agents.clone()).run();
        for cut in 1..=whole.events.len() {
            let prefix = &whole.events[..cut];
            if fold(prefix).end.is_some() {
                continue;
            }
            let rest = RunSimulation::resumed(prefix, LimitChanges::default(), |_| {
                SimulatedAgent::done()
            });
            let rest = rest.with_provider(provider(agents.clone())).run();
            let both = [prefix, &rest.events].concat();
            prop_assert_eq!(&fold(&both), rest.machine.state(), "cut at {}", cut);
            prop_assert!(outcomes(prefix).is_disjoint(&rest.outcomes()), "cut at {}", cut);
            assert_nothing_is_paid_twice(prefix, &rest.spawned);
            assert_right_backends(&both);
        }
    }
}

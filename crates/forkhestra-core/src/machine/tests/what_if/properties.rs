//! Properties of other limits over any run.

use std::num::NonZeroU32;

use proptest::prelude::*;

use super::support::{all_off, outcome};
use crate::event::{Event, EventKind, LimitChanges, OutcomeClass, ProcessEnd, RunEnd, StepEnd};
use crate::id::UnitId;
use crate::limit::{HumanDuration, Limit};
use crate::machine::Input;
use crate::machine::tests::operator::properties::any_request;
use crate::machine::tests::properties::{
    CostLimits, agent, any_cancel, any_limits, any_quota, chain, limited_plan, script, with_money,
    with_quota,
};
use crate::machine::tests::support::plan_extras::extras;
use crate::machine::tests::support::run_simulation::{RunSimulation, fold};
use crate::machine::tests::support::samples::dollars;
use crate::machine::tests::support::simulated_agent::SimulatedAgent;
use crate::machine::tests::support::simulated_stream::SimulatedStream;
use crate::machine::tests::{limit, plan};
use crate::plan::Plan;
use crate::text::count::Count;
use crate::what_if::{
    EarlierEnd, EndPosition, LimitEffect, LimitOutcome, LimitSimulation, SimulatedLimit,
};

/// The limits of a plan, if all steps have the same.
fn own_limits(plan: &Plan) -> LimitChanges {
    let first = &plan.steps[0].limits;
    LimitChanges {
        rounds: None,
        group_time: None,
        group_cost: None,
        iterations: None,
        timeout: Some(first.timeout.value),
        idle_timeout: Some(first.idle_timeout.value),
        stagnation: Some(first.stagnation.value),
        run_time: Some(plan.limits.time.value),
        step_time: Some(first.time.value),
        run_cost: Some(plan.limits.cost.value),
        step_cost: Some(first.cost.value),
        max_wait: Some(first.max_wait.value),
        quota: Some(first.quota.value),
    }
}

prop_compose! {
    /// Tight limits of every kind, or none.
    fn any_changes()(
        iterations in prop::option::of(1..5_u32),
        stagnation in prop::option::of(1..4_u32),
        times in prop::collection::vec(prop::option::of(1..60_u64), 4),
        (run_cost, step_cost) in (prop::option::of(1..100_u64), prop::option::of(1..100_u64)),
    ) -> LimitChanges {
        let time = |index: usize| times[index].map(|seconds| Limit::At(HumanDuration::from_secs(seconds)));
        let cents = |cents: u64| limit(&format!("{}.{:02}", cents / 100, cents % 100));
        LimitChanges {
            rounds: None,
            group_time: None,
            group_cost: None,
            iterations: iterations.and_then(|count| Count::parse(&count.to_string()).ok()),
            stagnation: stagnation.and_then(|count| limit(&count.to_string())),
            timeout: time(0),
            run_time: time(1),
            step_time: time(2),
            max_wait: time(3),
            run_cost: run_cost.and_then(cents),
            step_cost: step_cost.and_then(cents),
            idle_timeout: None,
            quota: None,
        }
    }
}

/// A run with everything that can happen to it, and the resumptions of its beginnings.
fn any_run() -> impl Strategy<Value = (Plan, Vec<Event>)> {
    let money: BoxedStrategy<CostLimits> =
        (prop::option::of(1..150_u64), prop::option::of(1..100_u64)).boxed();
    let steered = prop::collection::vec((0..60_000_u64, any_request()), 0..2);
    let cancels = prop::collection::vec((0..100_000_u64, any_cancel()), 0..2);
    let agents = prop::collection::vec(agent(), 1..12);
    let extras = prop::option::of(extras());
    let cut = prop::option::of(0..200_usize);
    (chain(), any_limits(), (money, any_quota()), agents, extras, (steered, cancels, cut)).prop_map(
        |(chain, limits, (money, quota), agents, extras, (steered, cancels, cut))| {
            let extras = extras.unwrap_or_default();
            let plan = with_money(limited_plan(&chain, limits), money, false);
            let plan = extras.plan(with_quota(plan, quota));
            let script = script(agents);
            let mut run = extras.simulation(RunSimulation::new(plan.clone(), script.clone()));
            for (at, request) in steered {
                run = run.asked_at(at, request);
            }
            for (at, by) in cancels {
                run = run.cancelled_at(at, by);
            }
            let mut events = run.at(90_000, Input::Continue).run_leniently().events;
            if let Some(cut) = cut {
                events.truncate(1 + cut % events.len());
                let changes = LimitChanges::default();
                let rest = RunSimulation::resumed(&events, changes, script);
                events.extend(extras.simulation(rest).run().events);
            }
            (plan, events)
        },
    )
}

/// Where an outcome is: the number of milliseconds; none if it is at the recorded end.
fn time_of(outcome: &LimitOutcome) -> Option<u128> {
    outcome.earlier().map(|end| end.elapsed.as_millis())
}

proptest! {
    #[test]
    fn the_limits_that_a_run_had_change_nothing((plan, events) in any_run()) {
        prop_assert_eq!(outcome(&events, &LimitChanges::default()), LimitOutcome::Unchanged);
        prop_assert_eq!(outcome(&events, &own_limits(&plan)), LimitOutcome::Unchanged);
    }

    #[test]
    fn a_tighter_limit_never_ends_later(
        (_, events) in any_run(),
        values in prop::collection::vec(1..100_u32, 2),
    ) {
        let tighter = NonZeroU32::new(values[0].min(values[1])).expect("it is positive");
        let looser = NonZeroU32::new(values[0].max(values[1])).expect("it is positive");
        for limit in SimulatedLimit::all() {
            let later = time_of(&outcome(&events, &limit.nth(looser)));
            let found = time_of(&outcome(&events, &limit.nth(tighter)));
            let is_earlier = |later| found.is_some_and(|found| found <= later);
            prop_assert!(later.is_none_or(is_earlier), "{}: {found:?} {later:?}", limit.option());
        }
    }

    /// The search for suggestions relies on it.
    #[test]
    fn a_looser_limit_never_harms_what_a_tighter_one_does_not(
        (_, events) in any_run(),
        values in prop::collection::vec(1..100_u32, 2),
    ) {
        let tighter = NonZeroU32::new(values[0].min(values[1])).expect("it is positive");
        let looser = NonZeroU32::new(values[0].max(values[1])).expect("it is positive");
        for limit in SimulatedLimit::all() {
            let off = limit.off();
            let harms = |number| {
                let outcome = LimitSimulation::of_held(&events, &off, &limit.nth(number));
                outcome.expect("the events fit").harms()
            };
            prop_assert!(!harms(looser) || harms(tighter), "{}", limit.option());
        }
    }

    #[test]
    fn an_earlier_end_never_saves_more_than_the_run_used(
        (_, events) in any_run(), changes in any_changes(),
    ) {
        if let LimitOutcome::Earlier(end) = outcome(&events, &changes) {
            let last = fold(&events);
            prop_assert!(end.elapsed + end.saved.time <= last.elapsed);
            prop_assert!(end.saved.money <= last.spend().dollars);
            prop_assert_eq!(end.completed, last.is_completed());
        }
    }
}

prop_compose! {
    /// An agent whose end is recorded in the millisecond in which it exits.
    fn plain_agent()(
        exits_at in 3..40_000_u64,
        code in prop::sample::select(vec![0, 0, 0, 1]),
        is_done in prop::bool::weighted(0.2),
        tree in prop::sample::select(vec!['x', 'y', 'z', 'u']),
        spends in prop::collection::vec(0..30_u64, 1..4),
    ) -> SimulatedAgent {
        // The last spend is reported when the stream has concluded.
        let last = spends.len();
        let moments = (1..).map(|number| exits_at * number / (last as u64 + 1)).take(last - 1);
        let mut sum = 0;
        let spends = moments.chain([exits_at - 1]).zip(spends).map(|(at, cents)| {
            sum += cents + 1;
            (at, dollars(sum))
        });
        let stream = SimulatedStream {
            spends: spends.collect(),
            concludes_at: Some(exits_at - 2),
            ..SimulatedStream::of(OutcomeClass::Finished)
        };
        let stream = if code == 0 { stream } else { SimulatedStream { class: OutcomeClass::Crashed, ..stream } };
        SimulatedAgent {
            exits_at: Some(exits_at),
            end: ProcessEnd::Exited(code),
            says_done_at_end: is_done,
            tree: Some(tree),
            stream: Some(stream),
            ..SimulatedAgent::exiting(code)
        }
    }
}

/// The first end of a run with these limits from the start.
fn real(chain: &str, changes: &LimitChanges, agents: Vec<SimulatedAgent>) -> RunSimulation {
    let mut plan = plan(chain);
    changes.apply_to_run(&mut plan.limits);
    for step in &mut plan.steps {
        if let (Some(count), Some(changed)) = (&mut step.iterations, changes.iterations) {
            *count = changed;
        }
        changes.apply_to_step(&mut step.limits);
    }
    RunSimulation::new(plan, script(agents)).run()
}

fn assert_predicted(end: &EarlierEnd, real: &RunSimulation) {
    // The work tree that an ended agent would have left is unknown, so its iteration is none without
    // a change.
    let stagnates = |end: &RunEnd| {
        matches!(end, RunEnd::Incomplete { end: StepEnd::Stagnated(_) | StepEnd::Cycling(_), .. })
    };
    let is_during = matches!(end.position, EndPosition::During(_));
    match &end.effect {
        LimitEffect::EndsRun(_) if is_during && real.machine.end().is_some_and(stagnates) => {}
        LimitEffect::EndsRun(found) => {
            let expected = RunEnd::Incomplete { step: end.step, end: found.clone() };
            assert_eq!(real.machine.end(), Some(&expected), "{end:?}");
            let state = real.machine.state();
            assert_eq!(state.steps[end.step - 1].finished, end.position.iteration(), "{end:?}");
            // An agent takes a millisecond to end.
            let took = state.elapsed.checked_sub(end.elapsed).expect("it ends then or later");
            assert!(took.as_millis() <= 1, "{end:?}: {took:?}");
            assert!(end.spend.dollars >= state.spend().dollars, "{end:?}");
        }
        LimitEffect::EndsStep(_) => unreachable!("the chain has no groups and no alternatives"),
        LimitEffect::EndsIteration(why) => {
            let is_ending = |event: &&Event| {
                matches!(&event.kind,
                EventKind::AgentEnding { unit, why: real }
                    if (unit.step, unit.iteration) == (end.step, end.position.iteration()) && real == why)
            };
            let ending = real.events.iter().find(is_ending).expect("the agent was ended");
            assert_eq!(ending.elapsed, end.elapsed, "{end:?}");
        }
    }
}

proptest! {
    /// The same agents under the other limits end as it was prediction.
    #[test]
    fn a_run_with_the_other_limits_ends_as_predicted(
        chain in chain(),
        agents in prop::collection::vec(plain_agent(), 1..12),
        changes in any_changes(),
    ) {
        let loose = LimitChanges { iterations: None, ..all_off() };
        let run = real(&chain, &loose, agents.clone());
        let changes = changes.or(loose);
        let real = real(&chain, &changes, agents.clone());
        let found = outcome(&run.events, &changes);
        // A simulated agent claims completion at its end, also if it is ended early.
        let claims = found.earlier().is_some_and(|end| match end.position {
            EndPosition::During(iteration) => {
                script(agents)(UnitId { step: end.step, iteration, attempt: 1 }).says_done_at_end
            }
            EndPosition::After(_) => false,
        });
        if claims {
            return Ok(());
        }
        match found {
            LimitOutcome::Unchanged | LimitOutcome::NotSimulated => {
                // The other limits may end it at the same point.
                let incomplete = |run: &RunSimulation| match run.machine.end() {
                    Some(RunEnd::Incomplete { step, .. }) => Some(*step),
                    _ => None,
                };
                prop_assert_eq!(incomplete(&real), incomplete(&run));
                prop_assert_eq!(real.outcomes(), run.outcomes());
            }
            LimitOutcome::Earlier(end) => assert_predicted(&end, &real),
            LimitOutcome::Continues => {
                prop_assert!(real.outcomes().len() >= run.outcomes().len());
            }
        }
        // The other way round: from no limits to those of the run, its own end is found.
        let back = LimitSimulation::between(&real.events, &all_off(), &LimitChanges::default());
        if let LimitOutcome::Earlier(end) = back.expect("the events fit") {
            assert_predicted(&end, &real);
            prop_assert!(end.saved.time.is_zero() && end.saved.money.is_zero(), "{:?}", end);
        }
        let is_other = real.outcomes().len() < run.outcomes().len() && changes.iterations.is_none();
        if is_other {
            let without = outcome(&real.events, &all_off());
            prop_assert_eq!(without, LimitOutcome::Continues, "{:?}", real.machine.end());
        }
    }
}

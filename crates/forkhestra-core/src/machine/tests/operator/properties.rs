//! Properties of every run under any requests at any time.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::control::ControlRequest;
use crate::event::{IterationReport, LimitChanges, ProcessEnd, StepEnd};
use crate::history::RunHistory;
use crate::id::UnitId;
use crate::machine::tests::properties::{
    CostLimits, agent, any_cancel, any_limits, any_quota, assert_money_holds,
    assert_postponements_use_up_nothing, assert_quota_holds, chain, limited_plan, script,
    unseen_if_given_up, wait_less, with_money, with_quota, without_reset,
};
use crate::machine::tests::support::plan_extras::{assert_what_is_complete_was_checked, extras};
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::*;
use crate::text::count::Count;

fn any_changes() -> impl Strategy<Value = LimitChanges> {
    let time = |max: u64| prop::option::of(prop::option::of(1..max)).prop_map(to_limit);
    let count = prop::option::weighted(0.3, 1..5_u32);
    let cents = prop::option::of(prop::option::of(1..150_u64));
    let quota = prop::option::of(any_quota());
    let quota = quota.prop_map(|quota| quota.map(|quota| quota.map_or(Limit::Off, Limit::At)));
    (count, time(60), time(60), time(100), time(9000), cents, quota).prop_map(
        |(count, timeout, idle_timeout, run_time, max_wait, cents, quota)| LimitChanges {
            iterations: count.and_then(|count| Count::parse(&count.to_string()).ok()),
            // A hanging agent needs a limit that ends it.
            timeout: timeout.filter(|limit| *limit != Limit::Off),
            idle_timeout,
            run_time,
            max_wait,
            quota,
            run_cost: cents.map(|cents| match cents {
                Some(cents) => {
                    limit(&format!("{}.{:02}", cents / 100, cents % 100)).expect("there is one")
                }
                None => Limit::Off,
            }),
            ..LimitChanges::default()
        },
    )
}

/// No change, a time, or `off`.
fn to_limit(change: Option<Option<u64>>) -> Option<Limit<HumanDuration>> {
    let at = |seconds| Limit::At(HumanDuration::from_secs(seconds));
    change.map(|seconds| seconds.map_or(Limit::Off, at))
}

pub(crate) fn any_request() -> impl Strategy<Value = ControlRequest> {
    prop_oneof![
        1 => Just(ControlRequest::Stop),
        1 => Just(ControlRequest::StopNow),
        3 => Just(ControlRequest::Pause),
        2 => Just(ControlRequest::Continue),
        4 => Just(ControlRequest::tell("look at a")),
        2 => Just(ControlRequest::Skip),
        3 => any_changes().prop_map(ControlRequest::Set),
    ]
}

/// Milliseconds after which a forgotten pause is ended.
const FORGOTTEN_PAUSE_MS: u64 = 250_000;

/// Adds the requests. Every pause is eventually continued.
fn asked(run: RunSimulation, requests: Vec<(u64, ControlRequest)>) -> RunSimulation {
    requests.into_iter().fold(run, |run, (at, request)| {
        let pauses = request == ControlRequest::Pause;
        let run = run.asked_at(at, request);
        if pauses { run.asked_at(at + FORGOTTEN_PAUSE_MS, ControlRequest::Continue) } else { run }
    })
}

/// No agent is started beyond a limit that held at that time.
fn assert_limits_of_the_moment_hold(events: &[Event]) {
    let mut state = RunState::begin(&events[0]).expect("it is the plan");
    for event in &events[1..] {
        if let EventKind::IterationStarted { unit, .. } = &event.kind {
            let limit = state.plan.steps[unit.step - 1].iterations.map_or(1, Count::get);
            assert!(unit.iteration <= limit, "{unit} of {limit}");
            if let Limit::At(time) = state.plan.limits.time.value {
                assert!(event.elapsed < time.duration(), "started after the run's time was up");
            }
            assert!(!state.stop_requested, "{unit} was started although a stop was requested");
            assert!(!state.steps[unit.step - 1].skip, "{unit} of a skipped step was started");
        }
        state.apply(event).expect("the events fit");
    }
    assert_money_holds(events);
    assert_quota_holds(events);
    assert_postponements_use_up_nothing(events);
}

/// Every message is given to an agent with an outcome, or still waits, in order.
fn assert_no_message_is_lost(run: &RunSimulation) {
    let mut given: BTreeMap<UnitIdText, Vec<u32>> = BTreeMap::new();
    let (mut queued, mut delivered) = (Vec::new(), Vec::new());
    for kind in run.kinds() {
        match kind {
            EventKind::MessageQueued { message } => queued.push(message.number),
            EventKind::MessagesGiven { unit, messages } => {
                given.insert(unit.to_string(), messages.clone());
            }
            EventKind::IterationFinished { unit, report } if report.has_outcome() => {
                delivered.extend(given.remove(&unit.to_string()).unwrap_or_default());
            }
            _ => {}
        }
    }
    let waits = run.machine.state().undelivered().map(|message| message.number);
    delivered.extend(waits);
    assert_eq!(delivered, queued);
    let numbers: Vec<u32> = (1..).take(queued.len()).collect();
    assert_eq!(queued, numbers);
}

type UnitIdText = String;

/// A history and the state agree about each message.
fn assert_history_has_message_recipients(run: &RunSimulation) {
    let history = RunHistory::of(&run.events).expect("they fit");
    let state = &history.state;
    for record in &history.steering.messages {
        let waits = state.messages.iter().any(|message| message.number == record.number);
        assert_eq!(record.given.is_none(), waits, "{record:?}");
    }
}

fn assert_every_ticket_is_answered_once(run: &RunSimulation) {
    let mut tickets: Vec<u64> = run.answers.iter().map(|(ticket, _)| *ticket).collect();
    let asked = tickets.len();
    tickets.sort_unstable();
    tickets.dedup();
    assert_eq!(tickets.len(), asked, "a request was answered twice");
}

proptest! {
    #[test]
    fn every_run_that_is_steered_ends_within_the_limits_of_the_moment(
        chain in chain(),
        limits in any_limits(),
        money in (prop::option::of(1..150_u64), prop::option::of(1..100_u64)),
        quota in any_quota(),
        agents in prop::collection::vec(agent(), 1..12),
        extras in prop::option::of(extras()),
        requests in prop::collection::vec((0..100_000_u64, any_request()), 1..9),
        cancels in prop::collection::vec((0..400_000_u64, any_cancel()), 0..2),
        pauses in prop::collection::vec(0..100_000_u64, 0..2),
    ) {
        let extras = extras.unwrap_or_default();
        let money: CostLimits = money;
        let plan = with_quota(limited_plan(&chain, limits), quota);
        let plan = extras.plan(with_money(plan, money, false));
        let run = extras.simulation(RunSimulation::new(plan, script(agents)));
        let mut run = asked(run, requests);
        for (at, by) in cancels {
            run = run.cancelled_at(at, by);
        }
        for at in pauses {
            run = run.at(at, Input::Pause);
        }
        let mut run = run.run();
        prop_assert_eq!(&fold(&run.events), run.machine.state());
        assert_limits_of_the_moment_hold(&run.events);
        assert_what_is_complete_was_checked(&run);
        assert_no_message_is_lost(&run);
        assert_history_has_message_recipients(&run);
        // A late request is answered as well.
        let events = run.events.len();
        while run.step_leniently() {}
        prop_assert_eq!(run.events.len(), events);
        prop_assert_eq!(u64::try_from(run.answers.len()).expect("few"), run.tickets);
        assert_every_ticket_is_answered_once(&run);
    }

    /// After any kill, a skipped step stays skipped, and every message reaches an agent.
    #[test]
    fn what_was_asked_survives_a_kill_at_any_moment(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..12),
        extras in prop::option::of(extras()),
        skip in prop::option::of(0..60_000_u64),
        tells in prop::collection::vec(0..60_000_u64, 0..3),
        // A limit below the begun iterations ends the loop early, so only higher ones are
        // comparable.
        changes in prop::option::of((0..60_000_u64, 3..6_u32)),
    ) {
        let agents: Vec<SimulatedAgent> = agents
            .into_iter()
            .filter(|agent| !matches!(agent.end, ProcessEnd::NotStarted { transient: true, .. }))
            .map(|agent| SimulatedAgent { done_file: false, ..agent.with(wait_less) })
            .map(unseen_if_given_up)
            .collect();
        prop_assume!(!agents.is_empty());
        let mut plan = limited_plan(&chain, (None, None, Some(3)));
        plan.limits.time.value = Limit::Off;
        let extras = extras.unwrap_or_default();
        let (plan, script) = (extras.plan(plan), script(agents));
        let requests = skip.into_iter().map(|at| (at, ControlRequest::Skip));
        let tells = tells.into_iter().map(|at| (at, ControlRequest::tell("x")));
        let sets = changes.into_iter().map(|(at, count)| {
            let iterations = Count::parse(&count.to_string()).ok();
            (at, ControlRequest::Set(LimitChanges { iterations, ..LimitChanges::default() }))
        });
        let requests = requests.chain(tells).chain(sets).collect();
        let run = extras.simulation(RunSimulation::new(plan, script.clone()));
        let whole = asked(run, requests).run();
        let is_request = |event: &Event| matches!(
            event.kind,
            EventKind::SkipRequested { .. }
                | EventKind::MessageQueued { .. }
                | EventKind::LimitsChanged { .. }
        );
        let last = whole.events.iter().rposition(is_request).map_or(1, |index| index + 1);
        for cut in last..=whole.events.len() {
            let prefix = &whole.events[..cut];
            if fold(prefix).end.is_some() {
                continue;
            }
            let rest = RunSimulation::resumed(prefix, LimitChanges::default(), script.clone());
            let rest = extras.simulation(rest).run();
            let ends_at = |run: &RunSimulation| run.machine.end().map(|end| without_reset(end.clone()));
            prop_assert_eq!(ends_at(&rest), ends_at(&whole), "cut at {}", cut);
            let both = [prefix, &rest.events].concat();
            prop_assert_eq!(&fold(&both), rest.machine.state(), "cut at {}", cut);
            assert_heard_or_waiting(&both, rest.machine.state());
        }
    }
}

/// Every message was in the prompt of an attempt with an outcome, or it waits.
fn assert_heard_or_waiting(events: &[Event], state: &RunState) {
    let is_outcome = |report: &IterationReport| report.has_outcome();
    let outcomes: Vec<UnitId> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::IterationFinished { unit, report } if is_outcome(report) => Some(*unit),
            _ => None,
        })
        .collect();
    for event in events {
        let EventKind::MessageQueued { message } = &event.kind else { continue };
        let was_noticed = events.iter().any(|event| match &event.kind {
            EventKind::MessagesGiven { unit, messages } => {
                messages.contains(&message.number) && outcomes.contains(unit)
            }
            _ => false,
        });
        let waits = state.undelivered().any(|waiting| waiting.number == message.number);
        assert!(was_noticed != waits, "{message:?}: {was_noticed} {waits}");
    }
}

#[test]
fn a_skipped_step_is_behind_us_and_no_failure() {
    assert!(StepEnd::Skipped.allows_next_step() && !StepEnd::Skipped.is_complete());
}

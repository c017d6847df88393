//! Properties of every run.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::operator::properties::any_request;
use super::support::plan_extras::{
    PlanExtras, assert_hooks_run_once, assert_what_is_complete_was_checked, extras,
};
use super::support::run_simulation::{fold, outcomes, start};
use super::support::samples::{dollars, marker_match};
use super::support::simulated_stream::{SimulatedQuota, SimulatedStream};
use super::*;
use crate::cost::{Spend, UnusableFigure};
use crate::event::{
    AgentOutcome, AuxJob, AuxJobResult, CancelCause, HookMoment, LimitChanges, Observation,
    OutcomeClass, OutputSummary, ProcessEnd, StepEnd, TaskChanges, Verdict,
};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::CleanRoomFailure;
use crate::policy::{LivenessProbe, TaskWork};
use crate::quota::{QuotaLimits, QuotaReading, QuotaThreshold, QuotaWindow};

fn any_signal() -> impl Strategy<Value = Option<ProcessSignal>> {
    prop::option::of(prop::sample::select(vec![
        ProcessSignal::Continue,
        ProcessSignal::Hangup,
        ProcessSignal::Interrupt,
        ProcessSignal::Terminate,
        ProcessSignal::Kill,
    ]))
}

fn class() -> impl Strategy<Value = OutcomeClass> {
    prop::sample::select(OutcomeClass::ALL.to_vec())
}

prop_compose! {
    fn spend()(cents in 0..60_u64, unpriced in prop::bool::weighted(0.05)) -> Spend {
        Spend { unpriced, ..dollars(cents) }
    }
}

prop_compose! {
    fn stream()(
        class in class(),
        tool_calls in 0..2_u32,
        resets_in in prop::option::of(0..20_000_u64),
        concludes_at in prop::option::of(0..40_000_u64),
        goes_on_at in prop::option::weighted(0.3, 0..40_000_u64),
        futile_at in prop::option::weighted(0.1, (0..40_000_u64, class())),
        spends in prop::collection::vec((0..40_000_u64, spend()), 0..3),
        quotas in prop::collection::vec(quota(), 0..3),
    ) -> SimulatedStream {
        SimulatedStream {
            class, tool_calls, resets_in, concludes_at, goes_on_at, futile_at, spends, quotas,
        }
    }
}

prop_compose! {
    fn quota()(
        reported_at in 0..40_000_u64,
        window in prop::sample::select(QuotaWindow::ALL.to_vec()),
        used in 0..130_u16,
        resets_in in 0..30_000_u64,
    ) -> SimulatedQuota {
        SimulatedQuota { reported_at, window, used, resets_in }
    }
}

/// Limits of the windows; none for no limit.
pub(super) fn any_quota() -> impl Strategy<Value = Option<QuotaLimits>> {
    let threshold =
        prop_oneof![Just(QuotaThreshold::Even), (1..=100_u8).prop_map(QuotaThreshold::Percent),];
    let of = |(five_hours, seven_days)| QuotaLimits::of(five_hours, seven_days);
    (prop::option::of(threshold.clone()), prop::option::of(threshold)).prop_map(of)
}

pub(super) fn with_quota(mut plan: Plan, quota: Option<QuotaLimits>) -> Plan {
    for step in &mut plan.steps {
        step.limits.quota.value = quota.map_or(Limit::Off, Limit::At);
    }
    plan
}

/// No agent is started while its account is too full.
pub(super) fn assert_quota_holds(events: &[Event]) {
    let mut state = RunState::begin(&events[0]).expect("it is the plan");
    for event in &events[1..] {
        if let EventKind::IterationStarted { unit, .. } = &event.kind {
            assert_eq!(state.exceeded_quota(unit.step, event.at), None, "{unit} was started");
        }
        state.apply(event).expect("the events fit");
    }
}

prop_compose! {
    pub(super) fn agent()(
        says_done_at in prop::option::weighted(0.2, 0..40_000_u64),
        says_done_at_end in prop::bool::weighted(0.1),
        exits_at in prop::option::weighted(0.8, 0..40_000_u64),
        code in prop::sample::select(vec![0, 0, 1, 2]),
        transient in prop::option::weighted(0.1, any::<bool>()),
        (obeys, stragglers_obey) in (any_signal(), any_signal()),
        read_at in prop::sample::select(vec![0, 0, 90_000]),
        load in prop::sample::select(vec![0, 1000]),
        tree in prop::option::of(prop::sample::select(vec!['x', 'y', 'z'])),
        done_file in prop::bool::weighted(0.05),
        (spoils, forgets) in (prop::bool::weighted(0.2), prop::bool::weighted(0.2)),
        (looked_at, stream) in (
            prop::option::of(0..50_000_u64),
            prop::option::of(stream()),
        ),
    ) -> SimulatedAgent {
        let reason = "no".to_owned();
        let end = transient.map_or(ProcessEnd::Exited(code), |transient| {
            ProcessEnd::NotStarted { reason, transient }
        });
        let stragglers_obey = stragglers_obey.or(Some(ProcessSignal::Kill));
        SimulatedAgent {
            says_done_at, says_done_at_end, exits_at, end, obeys, stragglers_obey, read_at, load,
            tree, done_file, spoils, forgets, looked_at, stream,
        }
    }
}

pub(super) fn chain() -> impl Strategy<Value = String> {
    let step = prop::option::of(1..4_u32)
        .prop_map(|count| count.map_or("a".to_owned(), |count| format!("a:{count}")));
    prop::collection::vec(step, 1..4).prop_map(|steps| steps.join(" -> "))
}

/// An agent for every unit, the same for each call.
pub(super) fn script(agents: Vec<SimulatedAgent>) -> impl Fn(UnitId) -> SimulatedAgent + Clone {
    move |unit| {
        let index = unit.step * 7 + unit.iteration as usize * 3;
        let mut agent = agents[index % agents.len()].clone();
        // No agent is postponed for ever.
        if let Some(stream) = agent.stream.as_mut().filter(|_| unit.attempt > MAX_POSTPONED) {
            stream.class = OutcomeClass::Finished;
            stream.futile_at = None;
        }
        agent
    }
}

/// The maximum postponed attempts of an iteration.
const MAX_POSTPONED: u32 = 3;

pub(super) fn any_limits() -> impl Strategy<Value = (Option<u64>, Option<u64>, Option<u32>)> {
    (prop::option::of(1..60_u64), prop::option::of(1..90_u64), prop::option::of(1..4_u32))
}

pub(super) fn any_cancel() -> impl Strategy<Value = CancelCause> {
    prop::sample::select(vec![
        CancelCause::Interrupt,
        CancelCause::Terminate,
        CancelCause::Hangup,
        CancelCause::OutputClosed,
        CancelCause::GuardLost,
    ])
}

fn hook_point() -> impl Strategy<Value = HookPoint> {
    prop::sample::select(HookPoint::ALL.to_vec())
}

fn any_aux_job((unit, number, which, point): (UnitId, usize, u8, HookPoint)) -> AuxJob {
    match which {
        0 => AuxJob::Setup { unit },
        1 | 2 => AuxJob::Check { unit, number },
        _ => AuxJob::Hook { moment: HookMoment { point, unit: Some(unit) }, number },
    }
}

/// Any input about any unit.
fn any_input() -> impl Strategy<Value = Input> {
    let unit = (1..3_usize, 1..4_u32, 1..3_u32).prop_map(|(step, iteration, attempt)| UnitId {
        step,
        iteration,
        attempt,
    });
    let aux_job = (unit.clone(), 1..4_usize, 0..4_u8, hook_point()).prop_map(any_aux_job);
    let which = (0..35_u8, any_cancel(), spend(), any_request());
    (unit, aux_job, which).prop_map(|(unit, aux_job, (which, by, spend, request))| match which {
        28..=31 => Input::ControlRequested { ticket: 7, request },
        18 => Input::CleanRoomPrepared { unit, failure: None },
        19 => Input::CleanRoomPrepared {
            unit,
            failure: Some(CleanRoomFailure::Work("no".to_owned())),
        },
        20 => Input::AuxJobStarted { aux_job, pid: 4 },
        21 => Input::AuxJobExited { aux_job, end: ProcessEnd::Exited(0) },
        22 => Input::AuxJobGone { aux_job },
        23 => Input::AuxJobSettled { aux_job, answer: AuxJobResult::default() },
        24 => Input::WorkSurveyed { step: unit.step, work: None },
        25 => Input::TasksPolled { step: unit.step, work: TaskWork::AllDone },
        26 => Input::TasksPolled { step: unit.step, work: TaskWork::NoDatabase },
        14 => Input::Concluded { unit, marker_match: Some(marker_match()) },
        15 => Input::WentOn { unit },
        16 => Input::Spent { unit, spend },
        17 => Input::Futile { unit, outcome: AgentOutcome::of(OutcomeClass::Billing) },
        0 => Input::Begin,
        1 => Input::Observed { step: unit.step, observation: Observation::default() },
        2 => Input::Started { unit, pid: 3, prompt: None },
        3 => Input::Marker { unit, marker_match: marker_match() },
        4 => Input::Exited { unit, end: ProcessEnd::Exited(0) },
        5 => Input::Gone { unit },
        6 => Input::Settled {
            closing_text: None,
            unit,
            output: OutputSummary::default(),
            marker_match: None,
            observation: Observation::default(),
            needs_observation: spend.unpriced,
            stream_summary: None,
        },
        33 => Input::UnusableFigure {
            unit,
            figure: UnusableFigure { field: "cost".to_owned(), value: "-5".to_owned() },
        },
        34 => Input::QuotaReported { unit, reading: full_for_an_hour() },
        32 => Input::TasksChanged { unit, changes: TaskChanges::default() },
        27 => Input::WorkObserved { unit, observation: Observation::default() },
        7 => {
            let silent = seconds(9000);
            let probe = LivenessProbe {
                silent,
                cpu: seconds(0),
                waited: seconds(0),
                received: 0,
                work_counts: true,
                blocked: false,
            };
            Input::Probed { unit, sample: AgentSample { probe, done_file: None } }
        }
        8 => Input::Tick,
        9 => Input::Cancel(by),
        10 => Input::Pause,
        11 => Input::Slept(seconds(60)),
        12 => Input::OperatorNotice("look".to_owned()),
        _ => Input::Continue,
    })
}

fn full_for_an_hour() -> QuotaReading {
    let resets = start().wall.saturating_add(seconds(3600));
    QuotaReading { window: QuotaWindow::FiveHours, used: 100, resets }
}

pub(super) fn limited_plan(chain: &str, limits: (Option<u64>, Option<u64>, Option<u32>)) -> Plan {
    let (timeout, run_time, stagnation) = limits;
    let time = |seconds: u64| Limit::At(HumanDuration::from_secs(seconds));
    limited(chain, |limits| {
        limits.timeout = timeout.map(time).or(limit("2m"));
        limits.run_time = run_time.map(time);
        limits.stagnation = stagnation.and_then(|count| limit(&count.to_string()));
    })
}

/// No iteration and no time beyond its limit, except for the grace period before a kill, and no
/// event after the end.
fn assert_limits_hold(plan: &Plan, events: &[Event]) {
    for event in events {
        if let EventKind::IterationStarted { unit, .. } = &event.kind {
            let limit =
                plan.steps[unit.step - 1].iterations.map_or(1, crate::text::count::Count::get);
            assert!(unit.iteration <= limit, "{unit} of {limit}");
            if let Limit::At(time) = plan.limits.time.value {
                assert!(event.elapsed < time.duration(), "started after the run's time was up");
            }
        }
    }
    assert_money_holds(events);
    assert_quota_holds(events);
    assert_postponements_use_up_nothing(events);
    let ends = events.iter().filter(|event| matches!(event.kind, EventKind::RunFinished { .. }));
    assert_eq!(ends.count(), 1);
    assert!(matches!(events.last().map(|event| &event.kind), Some(EventKind::RunFinished { .. })));
}

/// No agent is started once a cost limit is reached, or while the cost is unknown.
pub(super) fn assert_money_holds(events: &[Event]) {
    let mut state = RunState::begin(&events[0]).expect("it is the plan");
    for event in &events[1..] {
        if let EventKind::IterationStarted { unit, .. } = &event.kind {
            let of_step = state.plan.steps[unit.step - 1].limits.cost.value;
            let limits = [(state.plan.limits.cost.value, state.spend())];
            for (limit, spend) in limits.into_iter().chain([(of_step, state.spend_of(unit.step))]) {
                let Limit::At(limit) = limit else { continue };
                assert!(!spend.dollars.at_least(limit), "{unit} was started after {spend:?}");
            }
            let last = state.steps[unit.step - 1].last.as_ref().filter(|last| last.has_outcome());
            let spend = last.and_then(|last| last.spend).unwrap_or_default();
            let is_blind = spend.unpriced && !spend.tokens.is_zero();
            let is_limited = state.budget_left(unit.step).is_some();
            assert!(!(is_blind && is_limited), "{unit} was started, whatever it costs");
            assert_ne!(state.budget_left(unit.step), Some(crate::cost::Dollars::ZERO));
        }
        state.apply(event).expect("the events fit");
    }
    assert_eq!(state.spend(), reported(events));
}

/// The spend in the reports of all attempts, including those whose work is unchecked.
pub(super) fn reported(events: &[Event]) -> Spend {
    let mut spend = BTreeMap::new();
    for event in events {
        if let EventKind::AgentFinished { unit, report }
        | EventKind::IterationFinished { unit, report } = &event.kind
        {
            spend.insert(unit.to_string(), report.spend.unwrap_or_default());
        }
    }
    spend.into_values().sum()
}

/// A postponed attempt is repeated under its iteration number, or not at all.
pub(super) fn assert_postponements_use_up_nothing(events: &[Event]) {
    let mut postponed: Option<UnitId> = None;
    for event in events {
        match &event.kind {
            EventKind::IterationFinished { unit, report } => {
                postponed = (report.verdict == Verdict::Postponed).then_some(*unit);
            }
            EventKind::IterationStarted { unit, .. } => {
                if let Some(before) = postponed.filter(|before| before.step == unit.step) {
                    assert_eq!(*unit, UnitId { attempt: before.attempt + 1, ..before });
                }
            }
            _ => {}
        }
    }
}

/// A cut-off attempt does not wait, so the limit must allow all waits together.
pub(super) fn wait_less(stream: &mut SimulatedStream) {
    stream.resets_in = stream.resets_in.map(|seconds| seconds % 7000);
    stream.quotas.iter_mut().for_each(|quota| quota.resets_in %= 7000);
}

/// The work of an abandoned agent is not observed, unless the run is resumed before its check. So
/// there is nothing to observe.
pub(super) fn unseen_if_given_up(agent: SimulatedAgent) -> SimulatedAgent {
    // After SIGKILL there is no further signal for what it leaves behind.
    let is_ended = match agent.obeys {
        None => false,
        Some(ProcessSignal::Kill) => agent.stragglers_obey == Some(ProcessSignal::Continue),
        Some(_) => true,
    };
    SimulatedAgent {
        tree: agent.tree.filter(|_| is_ended),
        spoils: agent.spoils && is_ended,
        forgets: agent.forgets && is_ended,
        ..agent
    }
}

/// The reset time depends on when the limit was reached.
pub(super) fn without_reset(mut end: RunEnd) -> RunEnd {
    match &mut end {
        RunEnd::Incomplete { end: StepEnd::Blocked(outcome), .. } => outcome.resets = None,
        RunEnd::Incomplete { end: StepEnd::Quota(quota), .. } => quota.until = start().wall,
        _ => {}
    }
    end
}

pub(super) type CostLimits = (Option<u64>, Option<u64>);

/// Cost limits in cents, of the run and of each step; and whether work is required.
pub(super) fn with_money(mut plan: Plan, (run, step): CostLimits, require_work: bool) -> Plan {
    let cents = |cents: u64| limit(&format!("{}.{:02}", cents / 100, cents % 100));
    plan.limits.cost.value = run.and_then(cents).unwrap_or(Limit::Off);
    for of_step in &mut plan.steps {
        of_step.limits.cost.value = step.and_then(cents).unwrap_or(Limit::Off);
        of_step.require_work = require_work;
    }
    plan
}

proptest! {
    #[test]
    fn every_run_ends_within_its_limits(
        chain in chain(),
        limits in any_limits(),
        money in (prop::option::of(1..150_u64), prop::option::of(1..100_u64)),
        (require_work, quota) in (any::<bool>(), any_quota()),
        agents in prop::collection::vec(agent(), 1..12),
        extras in prop::option::of(extras()),
        cancels in prop::collection::vec((0..100_000_u64, any_cancel()), 0..3),
        pauses in prop::collection::vec(0..100_000_u64, 0..3),
    ) {
        let extras = extras.unwrap_or_default();
        let plan = with_money(limited_plan(&chain, limits), money, require_work);
        let plan = extras.plan(with_quota(plan, quota));
        let mut run = extras.simulation(RunSimulation::new(plan.clone(), script(agents)));
        for (at, by) in cancels {
            run = run.cancelled_at(at, by);
        }
        for at in pauses {
            run = run.at(at, Input::Pause);
        }
        let run = run.run();
        assert_limits_hold(&plan, &run.events);
        assert_what_is_complete_was_checked(&run);
        let folded = fold(&run.events);
        prop_assert_eq!(&folded, run.machine.state());
    }

    #[test]
    fn no_order_of_inputs_breaks_the_machine(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..12),
        extras in extras(),
        inputs in prop::collection::vec((any_input(), 0..4_usize), 0..60),
        late in prop::collection::vec(any_input(), 0..20),
    ) {
        let plan = limited_plan(&chain, (Some(30), None, Some(3)));
        let plan = with_quota(plan, QuotaLimits::parse("5h=50%,7d=even").ok());
        let plan = extras.plan(with_money(plan, (Some(200), None), true));
        let mut run = extras.simulation(RunSimulation::new(plan.clone(), script(agents)));
        for (input, steps) in inputs {
            run.feed(input);
            // The made-up inputs may have ended an agent that the simulation still runs.
            (0..steps).for_each(|_| { run.step_leniently(); });
        }
        let mut run = run.run_leniently();
        prop_assert!(run.machine.end().is_some());
        late.into_iter().for_each(|input| run.feed(input));
        let last = run.events.last().map(|event| &event.kind);
        prop_assert!(matches!(last, Some(EventKind::RunFinished { .. })), "{last:?}");
        let mut finished = run.events.iter().filter(|event| {
            matches!(event.kind, EventKind::RunFinished { .. })
        });
        prop_assert!(finished.next().is_some() && finished.next().is_none());
        prop_assert_eq!(run.aux_jobs.open_room, None);
    }

    #[test]
    fn a_run_resumed_from_any_prefix_ends_as_if_it_had_never_been_cut_off(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..12),
        extras in prop::option::of(extras()),
        quota in any_quota(),
    ) {
        let mut plan = with_quota(limited_plan(&chain, (None, None, Some(3))), quota);
        let has_errands = extras.is_some();
        // A crash resets the count of failed starts, so these runs would differ. A refused done
        // file is found again only by another observation, which is tested elsewhere.
        let agents: Vec<SimulatedAgent> = agents
            .into_iter()
            .filter(|agent| !matches!(agent.end, ProcessEnd::NotStarted { transient: true, .. }))
            .map(|agent| SimulatedAgent { done_file: agent.done_file && !has_errands, ..agent })
            .map(|agent| agent.with(wait_less))
            .map(unseen_if_given_up)
            .collect();
        prop_assume!(!agents.is_empty());
        plan.limits.time.value = Limit::Off;
        // A cut-off attempt reports its quota again, with another end of the window.
        for step in plan.steps.iter_mut().filter(|step| step.limits.quota.value != Limit::Off) {
            step.limits.max_wait.value = Limit::Off;
        }
        for (step, file) in plan.steps.iter_mut().zip(&with_done_file("a -> a -> a").steps) {
            step.done_file.clone_from(&file.done_file);
        }
        let mut extras = extras.unwrap_or_default();
        if quota.is_some() {
            extras.let_limit_hooks_fail();
        }
        let (plan, script) = (extras.plan(plan), script(agents));
        let whole = extras.simulation(RunSimulation::new(plan, script.clone())).run();
        assert_what_is_complete_was_checked(&whole);
        for cut in 1..=whole.events.len() {
            let prefix = &whole.events[..cut];
            if fold(prefix).end.is_none() {
                assert_goes_on(&whole, cut, &extras, script.clone());
            }
        }
    }
}

/// A finished agent is not started again, nor is another one for its iteration, unless it was
/// postponed.
pub(super) fn assert_nothing_is_paid_twice(before: &[Event], spawned: &[UnitId]) {
    for event in before {
        let EventKind::AgentFinished { unit, report } = &event.kind else { continue };
        let is_same = |again: &UnitId| match report.has_outcome() {
            true => (again.step, again.iteration) == (unit.step, unit.iteration),
            false => again == unit,
        };
        assert!(!spawned.iter().any(is_same), "{unit} is paid twice, after {}", before.len());
    }
}

/// A run that was cut off after this many events ends like the whole one, and nothing runs twice.
fn assert_goes_on(
    whole: &RunSimulation,
    cut: usize,
    extras: &PlanExtras,
    script: impl Fn(UnitId) -> SimulatedAgent + 'static,
) {
    let prefix = &whole.events[..cut];
    let rest = RunSimulation::resumed(prefix, LimitChanges::default(), script);
    let rest = extras.simulation(rest).run();
    let ends_at = |run: &RunSimulation| run.machine.end().map(|end| without_reset(end.clone()));
    assert_eq!(ends_at(&rest), ends_at(whole), "cut at {cut}");
    assert_eq!(ends(rest.machine.state()), ends(whole.machine.state()));
    let both = [prefix, &rest.events].concat();
    assert_eq!(&fold(&both), rest.machine.state(), "cut at {cut}");
    assert_eq!(rest.machine.state().spend(), reported(&both), "cut at {cut}");
    let (before, after) = (outcomes(prefix), rest.outcomes());
    assert!(before.is_disjoint(&after), "an iteration was run twice");
    let all: std::collections::BTreeSet<_> = before.union(&after).copied().collect();
    assert_eq!(all, whole.outcomes(), "cut at {cut}");
    assert_nothing_is_paid_twice(prefix, &rest.spawned);
    assert_hooks_run_once(&both);
}

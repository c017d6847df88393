//! What holds for every run.

use proptest::prelude::*;

use super::simulation::{fold, outcomes, sighting};
use super::*;
use crate::event::{AgentEnd, Cancel, Event, LimitChanges, OutputSummary, Sight};
use crate::id::UnitId;
use crate::policy::Probe;

fn push() -> impl Strategy<Value = Option<Push>> {
    prop::option::of(prop::sample::select(vec![
        Push::Continue,
        Push::Hangup,
        Push::Interrupt,
        Push::Terminate,
        Push::Kill,
    ]))
}

prop_compose! {
    pub(super) fn agent()(
        says_done_at in prop::option::weighted(0.2, 0..40_000_u64),
        says_done_at_end in prop::bool::weighted(0.1),
        exits_at in prop::option::weighted(0.8, 0..40_000_u64),
        code in prop::sample::select(vec![0, 0, 1, 2]),
        transient in prop::option::weighted(0.1, any::<bool>()),
        (obeys, stragglers_obey) in (push(), push()),
        read_at in prop::sample::select(vec![0, 0, 90_000]),
        load in prop::sample::select(vec![0, 1000]),
        tree in prop::option::of(prop::sample::select(vec!['x', 'y', 'z'])),
        done_file in prop::bool::weighted(0.05),
    ) -> Agent {
        let reason = "no".to_owned();
        let end = transient.map_or(AgentEnd::Exited(code), |transient| {
            AgentEnd::NotStarted { reason, transient }
        });
        let stragglers_obey = stragglers_obey.or(Some(Push::Kill));
        Agent {
            says_done_at, says_done_at_end, exits_at, end, obeys, stragglers_obey, read_at, load,
            tree, done_file,
        }
    }
}

pub(super) fn chain() -> impl Strategy<Value = String> {
    let step = prop::option::of(1..4_u32)
        .prop_map(|count| count.map_or("a".to_owned(), |count| format!("a:{count}")));
    prop::collection::vec(step, 1..4).prop_map(|steps| steps.join(" -> "))
}

/// An agent for every unit, the same whenever it is asked for.
pub(super) fn script(agents: Vec<Agent>) -> impl Fn(UnitId) -> Agent + Clone {
    move |unit| {
        let index = unit.step * 7 + unit.iteration as usize * 3;
        agents[index % agents.len()].clone()
    }
}

fn any_limits() -> impl Strategy<Value = (Option<u64>, Option<u64>, Option<u32>)> {
    (prop::option::of(1..60_u64), prop::option::of(1..90_u64), prop::option::of(1..4_u32))
}

fn any_cancel() -> impl Strategy<Value = Cancel> {
    prop::sample::select(vec![
        Cancel::Interrupt,
        Cancel::Terminate,
        Cancel::Hangup,
        Cancel::OutputClosed,
        Cancel::GuardLost,
    ])
}

/// An input that says anything about anything.
fn any_input() -> impl Strategy<Value = Input> {
    let unit = (1..3_usize, 1..4_u32, 1..3_u32).prop_map(|(step, iteration, attempt)| UnitId {
        step,
        iteration,
        attempt,
    });
    (unit, 0..14_u8, any_cancel()).prop_map(|(unit, which, by)| match which {
        0 => Input::Begin,
        1 => Input::Looked { step: unit.step, sight: Sight::default() },
        2 => Input::Started { unit, pid: 3, prompt: None },
        3 => Input::Marker { unit, sighting: sighting() },
        4 => Input::Exited { unit, end: AgentEnd::Exited(0) },
        5 => Input::Gone { unit },
        6 => Input::Settled {
            unit,
            output: OutputSummary::default(),
            sighting: None,
            sight: Sight::default(),
        },
        7 => {
            let probe = Probe { silent: seconds(9000), cpu: seconds(0), blocked: false };
            Input::Probed { unit, sample: Sample { probe, done_file: None } }
        }
        8 => Input::Tick,
        9 => Input::Cancel(by),
        10 => Input::Pause,
        11 => Input::Slept(seconds(60)),
        12 => Input::Noticed("look".to_owned()),
        _ => Input::Continue,
    })
}

pub(super) fn limited_plan(chain: &str, limits: (Option<u64>, Option<u64>, Option<u32>)) -> Plan {
    let (timeout, run_time, stagnation) = limits;
    let time = |seconds: u64| Limit::At(Time::from_secs(seconds));
    limited(chain, |limits| {
        limits.timeout = timeout.map(time).or(limit("2m"));
        limits.max_time = run_time.map(time);
        limits.stagnation = stagnation.and_then(|count| limit(&count.to_string()));
    })
}

/// No iteration beyond its limit, no time beyond its limit but for the wait before a kill, and at
/// the end nothing but the end.
fn assert_limits_hold(plan: &Plan, events: &[Event]) {
    for event in events {
        if let EventKind::IterationStarted { unit } = &event.kind {
            let most = plan.steps[unit.step - 1].iterations.map_or(1, crate::count::Count::get);
            assert!(unit.iteration <= most, "{unit} of {most}");
            if let Limit::At(time) = plan.limits.time.value {
                assert!(event.elapsed < time.duration(), "started after the run's time was up");
            }
        }
    }
    let ends = events.iter().filter(|event| matches!(event.kind, EventKind::RunFinished { .. }));
    assert_eq!(ends.count(), 1);
    assert!(matches!(events.last().map(|event| &event.kind), Some(EventKind::RunFinished { .. })));
}

proptest! {
    #[test]
    fn every_run_ends_within_its_limits(
        chain in chain(),
        limits in any_limits(),
        agents in prop::collection::vec(agent(), 1..12),
        cancels in prop::collection::vec((0..100_000_u64, any_cancel()), 0..3),
        pauses in prop::collection::vec(0..100_000_u64, 0..3),
    ) {
        let plan = limited_plan(&chain, limits);
        let mut run = Simulation::new(plan.clone(), script(agents));
        for (at, by) in cancels {
            run = run.cancelled_at(at, by);
        }
        for at in pauses {
            run = run.at(at, Input::Pause);
        }
        let run = run.run();
        assert_limits_hold(&plan, &run.events);
        let folded = fold(&run.events);
        prop_assert_eq!(&folded, run.machine.state());
    }

    #[test]
    fn no_order_of_inputs_breaks_the_machine(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..12),
        inputs in prop::collection::vec((any_input(), 0..4_usize), 0..60),
        late in prop::collection::vec(any_input(), 0..20),
    ) {
        let plan = limited_plan(&chain, (Some(30), None, Some(3)));
        let mut run = Simulation::new(plan.clone(), script(agents));
        for (input, steps) in inputs {
            run.tell(input);
            // What we made up may have ended an agent that the world still runs.
            (0..steps).for_each(|_| { run.step_leniently(); });
        }
        let mut run = run.run_leniently();
        prop_assert!(run.machine.end().is_some());
        late.into_iter().for_each(|input| run.tell(input));
        let last = run.events.last().map(|event| &event.kind);
        prop_assert!(matches!(last, Some(EventKind::RunFinished { .. })), "{last:?}");
        let mut finished = run.events.iter().filter(|event| {
            matches!(event.kind, EventKind::RunFinished { .. })
        });
        prop_assert!(finished.next().is_some() && finished.next().is_none());
    }

    #[test]
    fn a_run_resumed_from_any_prefix_ends_as_if_it_had_never_been_cut_off(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..12),
    ) {
        let mut plan = limited_plan(&chain, (None, None, Some(3)));
        // A crash resets the count of failed starts, so these would differ.
        let agents: Vec<Agent> = agents
            .into_iter()
            .filter(|agent| !matches!(agent.end, AgentEnd::NotStarted { transient: true, .. }))
            .collect();
        prop_assume!(!agents.is_empty());
        plan.limits.time.value = Limit::Off;
        for (step, file) in plan.steps.iter_mut().zip(&with_done_file("a -> a -> a").steps) {
            step.done_file.clone_from(&file.done_file);
        }
        let script = script(agents);
        let whole = Simulation::new(plan, script.clone()).run();
        for cut in 1..=whole.events.len() {
            let prefix = &whole.events[..cut];
            let was_over = fold(prefix).end.is_some();
            if was_over {
                continue;
            }
            let rest = Simulation::resumed(prefix, LimitChanges::default(), script.clone()).run();
            prop_assert_eq!(rest.machine.end(), whole.machine.end(), "cut at {}", cut);
            prop_assert_eq!(ends(rest.machine.state()), ends(whole.machine.state()));
            let folded = fold(&[prefix, &rest.events].concat());
            prop_assert_eq!(&folded, rest.machine.state(), "cut at {}", cut);
            let (before, after) = (outcomes(prefix), rest.outcomes());
            prop_assert!(before.is_disjoint(&after), "an iteration was run twice");
            let both: std::collections::BTreeSet<_> = before.union(&after).copied().collect();
            prop_assert_eq!(both, whole.outcomes(), "cut at {}", cut);
        }
    }
}

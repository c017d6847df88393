//! The recovery table: one test for each row.

use super::support::run_simulation::fold;
use super::*;
use crate::config::{Backend, Billing, Permissions};
use crate::event::{CancelCause, LimitChanges, Observation, Verdict};
use crate::id::{RunId, UnitId};
use crate::machine::recovery::RecoveryCase;
use crate::plan::{AgentKind, DirectSpawn};
use crate::policy::GracePeriods;
use crate::text::count::Count;
use crate::time::Timestamp;

fn found(events: &[Event]) -> RecoveryCase {
    RecoveryCase::from_state(&fold(events))
}

fn resumed(events: &[Event], agent: impl Fn(UnitId) -> SimulatedAgent + 'static) -> RunSimulation {
    RunSimulation::resumed(events, LimitChanges::default(), agent).run()
}

fn unit(step: usize, iteration: u32, attempt: u32) -> UnitId {
    UnitId { step, iteration, attempt }
}

fn two_steps() -> RunSimulation {
    RunSimulation::new(plan("a:2 -> b"), |id| {
        if id.iteration == 2 { SimulatedAgent::done() } else { SimulatedAgent::exiting(0) }
    })
    .run()
}

#[test]
fn before_a_step_it_begins() {
    let events = up_to(&two_steps(), |kind| matches!(kind, EventKind::RunStarted { .. }));
    assert_eq!(found(&events), RecoveryCase::BeforeStep { step: 1 });
    let run = resumed(&events, |_| SimulatedAgent::done());
    assert_eq!(run.spawned, [unit(1, 1, 1), unit(2, 1, 1)]);
}

#[test]
fn an_agent_at_work_was_interrupted_and_its_number_is_used_again() {
    for last in ["intent", "started"] {
        let events = up_to(&two_steps(), |kind| match kind {
            EventKind::IterationStarted { unit, .. } => last == "intent" && unit.iteration == 2,
            EventKind::AgentStarted { unit, .. } => unit.iteration == 2,
            _ => false,
        });
        assert_eq!(found(&events), RecoveryCase::AgentRunning(unit(1, 2, 1)));
        let run = resumed(&events, |_| SimulatedAgent::done());
        assert_eq!(run.spawned, [unit(1, 2, 2), unit(2, 1, 1)]);
    }
}

/// The interruption is recorded for readers, but counts once: journals without that event fold to
/// the same state.
#[test]
fn an_iteration_that_was_cut_off_is_recorded_as_interrupted() {
    let at_work = |kind: &EventKind| matches!(kind, EventKind::CompletionRequested { .. });
    let events = up_to(&two_steps(), at_work);
    let mut state = fold(&events);
    state.add_lost_time(seconds(7));
    let expected = state.elapsed;
    let machine = Machine::resume(
        state,
        LimitChanges::default(),
        "test",
        GracePeriods::default(),
        support::run_simulation::start(),
    );
    let run = RunSimulation::with(machine, Box::new(|_| SimulatedAgent::done())).run();
    let EventKind::IterationFinished { unit: id, report } = &run.events[1].kind else {
        panic!("{:?}", run.events)
    };
    assert_eq!((*id, &report.verdict, &report.end), (unit(1, 2, 1), &Verdict::Interrupted, &None));
    let started =
        events.iter().rfind(|event| matches!(event.kind, EventKind::IterationStarted { .. }));
    assert_eq!(started.map(|event| event.elapsed + report.duration), Some(expected));
    let whole = [&events[..], &run.events].concat();
    assert_eq!(fold(&whole), *run.machine.state());
    let unsaid = [&events[..], &run.events[..1], &run.events[2..]].concat();
    assert_eq!(fold(&unsaid), *run.machine.state());
}

/// The changes are recorded after the end of the iteration, and only for that agent.
#[test]
fn changes_of_an_interrupted_agent_are_recorded_on_resume() {
    let at_work = |kind: &EventKind| matches!(kind, EventKind::CompletionRequested { .. });
    let events = up_to(&two_steps(), at_work);
    let run = resumed(&events, |_| SimulatedAgent::done());
    let changed = run.events.iter().filter_map(|event| match &event.kind {
        EventKind::TasksChanged { unit, .. } => Some(*unit),
        _ => None,
    });
    assert_eq!(changed.collect::<Vec<_>>(), [unit(1, 2, 1)]);
    assert!(matches!(run.events[2].kind, EventKind::TasksChanged { .. }), "{:?}", run.events);
    let whole = [&events[..], &run.events].concat();
    assert_eq!(fold(&whole), *run.machine.state());
}

#[test]
fn between_iterations_the_recorded_outcome_decides() {
    let finished = |kind: &EventKind| matches!(kind, EventKind::IterationFinished { unit, .. } if unit.iteration == 2);
    let events = up_to(&two_steps(), finished);
    assert_eq!(found(&events), RecoveryCase::BetweenIterations { step: 1 });
    let run = resumed(&events, |_| SimulatedAgent::exiting(0));
    assert_eq!(run.spawned, [unit(2, 1, 1)], "step 1 was done, and is not run again");
}

#[test]
fn while_backing_off_the_next_iteration_is_run_at_once() {
    let crashing = RunSimulation::new(plan("a:9"), |_| SimulatedAgent::exiting(1)).run();
    let events = up_to(&crashing, |kind| matches!(kind, EventKind::BackingOff { crashes: 4, .. }));
    let run = resumed(&events, |_| SimulatedAgent::done());
    assert_eq!((run.took().as_secs(), run.spawned), (0, vec![unit(1, 5, 1)]));
}

#[test]
fn a_step_that_had_failed_ends_the_run_and_is_not_run_again() {
    let failing = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::exiting(1)).run();
    for last in ["iteration", "step"] {
        let events = up_to(&failing, |kind| match kind {
            EventKind::IterationFinished { .. } => last == "iteration",
            EventKind::StepFinished { .. } => true,
            _ => false,
        });
        let run = resumed(&events, |_| SimulatedAgent::exiting(0));
        assert_eq!(ends(run.machine.state()), "failed pending: incomplete at 1");
        assert_eq!(run.spawned, []);
    }
    let events = up_to(&failing, |kind| matches!(kind, EventKind::StepFinished { .. }));
    assert_eq!(found(&events), RecoveryCase::StepEnded { step: 1, cancelled: false });
}

#[test]
fn a_cancelled_step_continues() {
    let cancelled = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::hanging())
        .cancelled_at(5, CancelCause::Interrupt)
        .run();
    let events = up_to(&cancelled, |kind| matches!(kind, EventKind::StepFinished { .. }));
    assert_eq!(found(&events), RecoveryCase::StepEnded { step: 1, cancelled: true });
    assert_eq!(resumed(&events, |_| SimulatedAgent::done()).spawned, [unit(1, 1, 2)]);
}

#[test]
fn a_missing_run_end_is_recorded_when_all_steps_are_complete() {
    let events =
        up_to(&two_steps(), |kind| matches!(kind, EventKind::StepFinished { step: 2, .. }));
    assert_eq!(found(&events), RecoveryCase::CompleteUnrecorded);
    let run = resumed(&events, |_| SimulatedAgent::exiting(1));
    assert_eq!((run.machine.end(), run.spawned.len()), (Some(&RunEnd::Complete), 0));
}

#[test]
fn a_complete_run_stays_as_it_is() {
    let run = two_steps();
    assert_eq!(found(&run.events), RecoveryCase::Complete);
    let run = resumed(&run.events, |_| SimulatedAgent::exiting(1));
    assert_eq!((run.events.len(), run.machine.end()), (0, Some(&RunEnd::Complete)));
}

#[test]
fn an_interrupted_run_continues_where_it_was() {
    let cancelled = RunSimulation::new(plan("a:3 -> b"), |id| {
        if id.iteration == 2 { SimulatedAgent::hanging() } else { SimulatedAgent::exiting(0) }
    })
    .cancelled_at(5000, CancelCause::Interrupt)
    .run();
    assert_eq!(found(&cancelled.events), RecoveryCase::Ended { step: 1 });
    let run = resumed(&cancelled.events, |_| SimulatedAgent::done());
    assert_eq!(run.spawned, [unit(1, 2, 2), unit(2, 1, 1)]);
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_failed_agent_that_runs_once_is_retried_by_a_resume() {
    let failing = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::exiting(1)).run();
    let run = resumed(&failing.events, |_| SimulatedAgent::exiting(0));
    assert_eq!(run.spawned, [unit(1, 1, 2), unit(2, 1, 1)]);
}

/// Otherwise the third attempt would overwrite the output of the second.
#[test]
fn every_try_of_an_agent_that_runs_once_has_its_own_number() {
    let mut events = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(1)).run().events;
    for attempt in 2..6 {
        let again = resumed(&events, |_| SimulatedAgent::exiting(1));
        assert_eq!(again.spawned, [unit(1, 1, attempt)]);
        events.extend(again.events);
    }
}

#[test]
fn a_limit_that_still_holds_ends_the_run_again_and_a_raised_one_does_not() {
    let used_up = RunSimulation::new(plan("a:2"), |_| SimulatedAgent::exiting(0)).run();
    let again = resumed(&used_up.events, |_| SimulatedAgent::done());
    assert_eq!(ends(again.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(again.spawned, []);
    let changes = LimitChanges { iterations: Count::parse("5").ok(), ..LimitChanges::default() };
    let raised = RunSimulation::resumed(&used_up.events, changes, |_| SimulatedAgent::done()).run();
    assert_eq!(raised.spawned, [unit(1, 3, 1)]);
    assert_eq!(raised.machine.end(), Some(&RunEnd::Complete));
}

/// The process died between the outcome and the resulting end of the step.
#[test]
fn time_that_was_used_up_may_be_raised_before_the_step_had_ended() {
    let changes = |flag: &str| LimitChanges {
        run_time: limit("1h").filter(|_| flag == "run"),
        step_time: limit("1h").filter(|_| flag == "step"),
        ..LimitChanges::default()
    };
    for (chain, next) in [("a:5", unit(1, 2, 1)), ("a", unit(1, 1, 2))] {
        for flag in ["run", "step"] {
            let mut plan = plan(chain);
            let minute = Limit::At(HumanDuration::from_secs(60));
            match flag {
                "run" => plan.limits.time.value = minute,
                _ => plan.steps[0].limits.time.value = minute,
            }
            let used_up = RunSimulation::new(plan, |_| SimulatedAgent::hanging()).run();
            let events =
                up_to(&used_up, |kind| matches!(kind, EventKind::IterationFinished { .. }));
            assert_eq!(found(&events), RecoveryCase::BetweenIterations { step: 1 });
            let raised =
                RunSimulation::resumed(&events, changes(flag), |_| SimulatedAgent::done()).run();
            assert_eq!(
                (raised.spawned.as_slice(), raised.machine.end()),
                (&[next][..], Some(&RunEnd::Complete)),
                "{chain} {flag}"
            );
            let same = resumed(&events, |_| SimulatedAgent::done());
            assert_eq!(ends(same.machine.state()), ends(used_up.machine.state()));
            assert_eq!(same.spawned, []);
        }
    }
}

#[test]
fn a_raised_count_takes_nothing_from_steps_to_come() {
    let used_up =
        RunSimulation::new(plan("a:2 -> b:9 -> c:3"), |_| SimulatedAgent::exiting(0)).run();
    let changes = LimitChanges { iterations: Count::parse("5").ok(), ..LimitChanges::default() };
    let raised = RunSimulation::resumed(&used_up.events, changes, |_| SimulatedAgent::done()).run();
    let counts =
        raised.machine.state().plan.steps.iter().map(|step| step.iterations.map(Count::get));
    assert_eq!(counts.collect::<Vec<_>>(), [Some(5), Some(9), Some(5)]);
}

#[test]
fn the_clock_continues_where_it_was() {
    let limits = |chain| limited(chain, |limits| limits.run_time = limit("1m"));
    let agent = |_| SimulatedAgent { exits_at: Some(25_000), ..SimulatedAgent::exiting(0) };
    let first = RunSimulation::new(limits("a:100"), agent)
        .cancelled_at(50_500, CancelCause::Interrupt)
        .run();
    let run = RunSimulation::resumed(&first.events, LimitChanges::default(), agent).run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!(run.took().as_secs(), 9);
}

#[test]
fn a_stagnated_run_may_try_as_often_again() {
    let plan = limited("a:100", |limits| limits.stagnation = limit("3"));
    let same = |_| SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(0) };
    let first = RunSimulation::new(plan, same).run();
    assert_eq!(resumed(&first.events, same).spawned.len(), 3);
}

/// An agent that reports its spend, killed before it reported any.
#[test]
fn the_spend_of_a_silent_killed_agent_is_unknown() {
    let unit = unit(1, 1, 1);
    for (kind, expected) in [(direct(), Some(true)), (program(), None)] {
        let mut plan = plan("a:9");
        plan.steps[0].agent.kind = kind;
        let mut state = RunState::new(RunId::from_random(1), plan);
        let event = |kind| Event::new(Timestamp::default(), Duration::ZERO, kind);
        state
            .apply(&event(EventKind::StepStarted {
                instead_of: None,
                step: 1,
                observation: Observation::default(),
            }))
            .and_then(|()| {
                state.apply(&event(EventKind::IterationStarted { unit, fallback: None }))
            })
            .expect("they fit");
        let now = Now { awake: Duration::ZERO, wall: Timestamp::default() };
        let changes = LimitChanges::default();
        let mut machine = Machine::resume(state, changes, "test", GracePeriods::default(), now);
        let effects = machine.handle(now, Input::Begin);
        let report = effects.iter().find_map(|effect| match effect {
            Effect::Emit(event) => match &event.kind {
                EventKind::IterationFinished { report, .. } => Some(report.clone()),
                _ => None,
            },
            _ => None,
        });
        let spend = report.expect("it was cut off").spend;
        assert_eq!(spend.map(|spend| spend.unpriced), expected);
        assert_eq!(machine.state().spend().unpriced, expected.is_some());
    }
}

fn program() -> AgentKind {
    plan("a").steps[0].agent.kind.clone()
}

fn direct() -> AgentKind {
    let location = program().location().expect("it is a program").clone();
    AgentKind::Direct(DirectSpawn {
        permissions: Permissions::Skip,
        billing: Billing::Any,
        ..DirectSpawn::new(Backend::Codex, "codex".to_owned(), location)
    })
}

fn cut_off_with_a_done_file() -> Vec<Event> {
    let run = RunSimulation::new(with_done_file("a:3 -> b"), |_| SimulatedAgent::exiting(0)).run();
    up_to(&run, |kind| matches!(kind, EventKind::AgentStarted { unit, .. } if unit.iteration == 2))
}

#[test]
fn an_unobserved_done_file_completes_the_step_without_a_repetition() {
    let events = cut_off_with_a_done_file();
    let mut run =
        RunSimulation::resumed(&events, LimitChanges::default(), |_| SimulatedAgent::exiting(0));
    run.done_file = true;
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "file exit_code: complete");
    assert_eq!(run.spawned, [unit(2, 1, 1)]);
    assert_eq!(run.machine.state().steps[0].finished, 1);
}

#[test]
fn without_its_done_file_the_iteration_is_repeated() {
    let run = resumed(&cut_off_with_a_done_file(), |_| SimulatedAgent::done());
    assert_eq!(run.spawned, [unit(1, 2, 2), unit(2, 1, 1)]);
}

#[test]
fn a_run_cancelled_before_its_resume_starts_nothing() {
    let events = cut_off_with_a_done_file();
    let mut run =
        RunSimulation::resumed(&events, LimitChanges::default(), |_| SimulatedAgent::done());
    assert!(run.step(), "it looks for the done file");
    run.feed(Input::Cancel(CancelCause::Interrupt));
    assert_eq!(ends(run.machine.state()), "interrupted pending: interrupt");
    assert_eq!(run.spawned, []);
}

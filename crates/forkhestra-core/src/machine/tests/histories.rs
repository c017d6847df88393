//! Histories of simulated runs.

use super::checks::checked;
use super::support::samples::dollars;
use super::*;
use crate::config::CheckWhen;
use crate::event::{
    AuxJob, CancelCause, HookMoment, HookReport, LimitChanges, OutcomeClass, StepEnd, Verdict,
};
use crate::history::{ExecutionStatus, IterationRecord, Liveness, RunHistory};
use crate::hook::HookPoint;
use crate::id::UnitId;

fn history(events: &[Event]) -> RunHistory {
    RunHistory::of(events).expect("the machine's own events fit")
}

/// Completes the second iteration of every loop.
fn second_time(unit: UnitId) -> SimulatedAgent {
    if unit.iteration == 2 { SimulatedAgent::done() } else { SimulatedAgent::exiting(0) }
}

fn verdicts(history: &RunHistory) -> Vec<String> {
    let records = history.steps.iter().flat_map(|step| &step.iterations);
    records.map(|record| format!("{} {}", record.unit, record.verdict())).collect()
}

/// All events of a run that was cut off after this many, and of its resumption.
fn cut_off_after(number: usize, chain: &str) -> Vec<Event> {
    let mut events = RunSimulation::new(plan(chain), second_time).run().events;
    events.truncate(number);
    let second = RunSimulation::resumed(&events, LimitChanges::default(), second_time).run();
    events.extend(second.events);
    events
}

#[test]
fn every_try_is_remembered() {
    let events = RunSimulation::new(plan("a:3 -> b"), second_time).run().events;
    let history = history(&events);
    assert_eq!(verdicts(&history), ["1.1.1 incomplete", "1.2.1 complete", "2.1.1 complete"]);
    assert_eq!(history.status(Liveness::Gone), ExecutionStatus::Complete);
    assert_eq!((history.reason(), history.iterations()), (Some("complete"), 3));
    assert!(history.ended.is_some() && history.unfinished_agent().is_none());
    assert!(history.steps.iter().all(|step| step.started.is_some() && step.ended.is_some()));
}

#[test]
fn a_history_folds_to_the_state() {
    let whole = cut_off_after(7, "a:3 -> b");
    for number in 1..=whole.len() {
        let events = &whole[..number];
        assert_eq!(history(events).state, support::run_simulation::fold(events), "{number} events");
    }
}

/// The reasons why an event cannot follow each prefix of a run; none if it can.
fn refusals(events: &[Event], kind: &EventKind) -> Vec<Option<String>> {
    let refusal = |number: usize| {
        let Event { at, elapsed, .. } = events[number - 1];
        let event = Event::new(at, elapsed, kind.clone());
        history(&events[..number]).apply(&event).err().map(|why| why.to_string())
    };
    (1..=events.len()).map(refusal).collect()
}

#[test]
fn an_end_of_the_run_is_refused_while_an_agent_runs_and_where_its_steps_contradict_it() {
    let events = RunSimulation::new(plan("a:3 -> b"), second_time).run().events;
    let is_step_end = |event: &Event| matches!(event.kind, EventKind::StepFinished { .. });
    let last_step_end = events.iter().rposition(is_step_end).expect("it ends");
    let complete = refusals(&events, &EventKind::RunFinished { end: RunEnd::Complete });
    for (index, refusal) in complete.iter().enumerate() {
        assert_eq!(refusal.is_none(), index == last_step_end, "{index}: {refusal:?}");
    }
    let end = RunEnd::Incomplete { step: 1, end: StepEnd::MaxIterations };
    let incomplete = refusals(&events, &EventKind::RunFinished { end });
    assert!(incomplete.iter().all(Option::is_some), "{incomplete:?}");
    let end = RunEnd::Interrupted(CancelCause::Hangup);
    let interrupted = refusals(&events, &EventKind::RunFinished { end });
    for (number, refusal) in (1..).zip(interrupted) {
        let state = history(&events[..number]).state;
        let expected = if state.end.is_some() {
            Some("the run was over")
        } else {
            state.steps.iter().any(|step| step.running.is_some()).then_some("an agent was running")
        };
        let expected = expected.map(|why| format!("contradicts the events before it: {why}"));
        assert_eq!(refusal, expected, "{number}");
    }
}

#[test]
fn events_of_steps_that_do_not_exist_are_refused() {
    let events = RunSimulation::new(plan("a:3"), second_time).run().events;
    for step in [0, 2] {
        let unit = UnitId { step, iteration: 1, attempt: 1 };
        let moment = HookMoment { point: HookPoint::PostIteration, unit: Some(unit) };
        let (duration, failure) = (Duration::ZERO, None);
        let report = HookReport { moment, number: 1, failure, duration };
        for kind in [
            EventKind::HookFinished { report },
            EventKind::AuxJobStarted { aux_job: AuxJob::Setup { unit }, pid: 1 },
            EventKind::AuxJobStarted { aux_job: AuxJob::Check { unit, number: 1 }, pid: 1 },
            EventKind::AuxJobStarted { aux_job: AuxJob::Hook { moment, number: 1 }, pid: 1 },
            EventKind::AgentEnding { unit, why: StopReason::Timeout },
            EventKind::BackingOff { step, crashes: 1, delay: Duration::ZERO },
        ] {
            let refused = refusals(&events[..3], &kind);
            assert!(refused.iter().all(Option::is_some), "{kind:?}: {refused:?}");
        }
    }
}

#[test]
fn an_interrupted_attempt_is_distinguished_from_its_successor() {
    let events = RunSimulation::new(plan("a:3"), second_time).run().events;
    let started = |event: &Event| matches!(event.kind, EventKind::AgentStarted { .. });
    let first_start = events.iter().position(started).expect("an agent is started") + 1;
    let cut_off = history(&events[..first_start]);
    assert_eq!(cut_off.status(Liveness::Gone), ExecutionStatus::Interrupted);
    assert_eq!(cut_off.status(Liveness::Alive), ExecutionStatus::Running);
    assert_eq!(cut_off.step_status(1, Liveness::Alive), ExecutionStatus::Running);
    assert_eq!(
        cut_off.unfinished_agent().map(|(unit, work)| (unit.iteration, work.pid)),
        Some((1, Some(1)))
    );

    let resumed = history(&cut_off_after(first_start, "a:3"));
    let expected = ["1.1.1 interrupted", "1.1.2 incomplete", "1.2.1 complete"];
    assert_eq!((verdicts(&resumed), resumed.resumed), (expected.map(str::to_owned).to_vec(), 1));
    // The run was resumed much later; the attempt had ended long before.
    let first = &resumed.steps[0].iterations[0];
    assert_eq!(first.ended, first.started.saturating_add(first.report.duration));
}

#[test]
fn a_resumed_run_is_not_over() {
    let mut events = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::hanging())
        .cancelled_at(50, CancelCause::Interrupt)
        .run()
        .events;
    let interrupted = history(&events);
    assert_eq!(interrupted.status(Liveness::Gone), ExecutionStatus::Interrupted);
    assert_eq!(interrupted.reason(), Some("interrupt"));
    let second = RunSimulation::resumed(&events, LimitChanges::default(), second_time).run().events;
    let resumed =
        second.iter().position(|event| matches!(event.kind, EventKind::RunResumed { .. }));
    events.extend_from_slice(&second[..=resumed.expect("it is resumed")]);
    let going_on = history(&events);
    assert_eq!((going_on.ended, going_on.steps[0].ended), (None, None));
    assert_eq!(going_on.status(Liveness::Alive), ExecutionStatus::Running);
    assert_eq!(going_on.step_status(1, Liveness::Alive), ExecutionStatus::Running);
}

#[test]
fn a_resume_clears_a_repeated_cancel() {
    let deaf = || SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
    let mut events = RunSimulation::new(plan("a:3"), move |_| deaf())
        .cancelled_at(50, CancelCause::Interrupt)
        .cancelled_at(60, CancelCause::Interrupt)
        .run()
        .events;
    assert!(history(&events).steering.cancel_repeated);
    let resumed = RunSimulation::resumed(&events, LimitChanges::default(), second_time).run();
    events.extend(up_to(&resumed, |kind| matches!(kind, EventKind::RunResumed { .. })));
    let steering = history(&events).steering;
    assert_eq!((steering.cancelled, steering.cancel_repeated), (None, false));
}

#[test]
fn the_failed_iteration_of_a_step_that_runs_once_counts_while_it_is_retried() {
    let mut events = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(1)).run().events;
    let failed = events.len();
    for agent in [SimulatedAgent::hanging(), SimulatedAgent::cannot_start(false)] {
        let script = move |_| agent.clone();
        let resumed = RunSimulation::resumed(&events, LimitChanges::default(), script);
        events.extend(resumed.cancelled_at(50, CancelCause::Interrupt).run().events);
    }
    let succeeding = |_| SimulatedAgent::exiting(0);
    let last = RunSimulation::resumed(&events, LimitChanges::default(), succeeding).run();
    events.extend(last.events);
    for number in failed..=events.len() {
        assert_eq!(history(&events[..number]).iterations(), 1, "{number} events");
    }
    let attempts = ["1.1.1 crashed", "1.1.2 interrupted", "1.1.3 crashed", "1.1.4 complete"];
    assert_eq!(verdicts(&history(&events)), attempts);
}

#[test]
fn a_record_has_the_repository_before_its_iteration() {
    let trees = [Some('a'), None, Some('b')];
    let script = move |unit: UnitId| {
        let tree = trees[unit.iteration as usize - 1];
        SimulatedAgent { tree, ..SimulatedAgent::exiting(0) }
    };
    let mut run = RunSimulation::new(plan("a:3"), script);
    run.aux_jobs.repository = true;
    let history = history(&run.run().events);
    let files = |record: &IterationRecord| Some(record.before.signals.as_ref()?.files.0.clone());
    let before: Vec<_> = history.steps[0].iterations.iter().filter_map(files).collect();
    assert_eq!(before, ["begin", "a", "a"]);
}

#[test]
fn a_run_without_iterations_left_ends_with_max_iterations() {
    let events = RunSimulation::new(plan("a:2 -> b"), |_| SimulatedAgent::exiting(0)).run().events;
    let history = history(&events);
    assert_eq!(history.status(Liveness::Gone), ExecutionStatus::MaxIterations);
    assert_eq!(history.step_status(1, Liveness::Gone), ExecutionStatus::MaxIterations);
    assert_eq!(history.step_status(2, Liveness::Gone), ExecutionStatus::Pending);
    assert_eq!((history.current_step(), history.iterations()), (Some(1), 2));
    assert_eq!(history.steps[0].iterations[0].report.verdict, Verdict::Incomplete);
}

#[test]
fn a_history_adds_up_reported_spends_only() {
    let programs = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::exiting(0)).run().events;
    assert_eq!(history(&programs).spend(), None);
    let spending = |unit: UnitId| match unit.step {
        1 => SimulatedAgent::exiting(0),
        2 => SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(0),
        _ => SimulatedAgent::with_outcome(OutcomeClass::Finished).spending(7),
    };
    let events = RunSimulation::new(plan("a -> b -> c:2"), spending).run().events;
    let history_after = history(&events);
    let steps = [None, Some(dollars(0)), Some(dollars(14)), None];
    assert_eq!([1, 2, 3, 4].map(|number| history_after.step_spend(number)), steps);
    assert_eq!(history_after.spend(), Some(dollars(14)));
    // While the last agent is running, and after it was killed.
    let spent = events.iter().rposition(|event| matches!(event.kind, EventKind::Spent { .. }));
    let killed = &events[..=spent.expect("it spends")];
    assert_eq!(history(killed).spend(), Some(dollars(14)));
    let again = RunSimulation::resumed(killed, LimitChanges::default(), spending).run().events;
    assert_eq!(history(&[killed, &again[..1]].concat()).spend(), Some(dollars(14)));
    assert_eq!(history(&[killed, &again].concat()).spend(), Some(dollars(21)));
}

#[test]
fn an_iteration_under_check_has_its_known_report() {
    let plan = checked("a:2", &[CheckWhen::Completion; 2]);
    let whole = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
    let gone = up_to(&whole, |kind| matches!(kind, EventKind::AgentFinished { .. }));
    let one = up_to(&whole, |kind| matches!(kind, EventKind::CheckFinished { .. }));
    let unfinished = |events: &[Event]| {
        let history = history(events);
        let (_, work) = history.unfinished_agent().expect("it is being checked");
        (work.gone, work.checks.len())
    };
    let gone_at = gone.last().map(|event| event.at);
    assert_eq!((unfinished(&gone), unfinished(&one)), ((gone_at, 0), (gone_at, 1)));
    let all = history(&whole.events);
    assert!(all.unfinished_agent().is_none());
    let record = &all.steps[0].iterations[0];
    assert_eq!((record.report.checks.len(), record.ended > gone_at.expect("it is")), (2, true));

    // A resume repeats all checks; the time in between does not count for the iteration.
    let again =
        RunSimulation::resumed(&one, LimitChanges::default(), |_| SimulatedAgent::exiting(1)).run();
    assert_eq!(unfinished(&[&one[..], &again.events[..1]].concat()), (gone_at, 0));
    let both = history(&[one, again.events].concat());
    assert_eq!(verdicts(&both), ["1.1.1 complete"]);
    assert_eq!(Some(both.steps[0].iterations[0].ended), gone_at);
}

#[test]
fn the_spend_of_an_agent_is_known_while_its_work_is_checked() {
    let plan = checked("a:2", &[CheckWhen::Completion]);
    let spending = |_| SimulatedAgent::understood_done().spending(0);
    let whole = RunSimulation::new(plan, spending).run();
    let gone = up_to(&whole, |kind| matches!(kind, EventKind::AgentFinished { .. }));
    assert_eq!(history(&gone).spend(), Some(dollars(0)));
    assert_eq!(history(&whole.events).spend(), Some(dollars(0)));
}

#[test]
fn every_status_has_its_own_word() {
    let mut words: Vec<&str> = ExecutionStatus::ALL.iter().map(|status| status.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), ExecutionStatus::ALL.len());
}

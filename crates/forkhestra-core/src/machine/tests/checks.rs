//! Tests of checks.

use super::support::aux_job_scripts::{AuxJobScript, SimulatedRoom};
use super::*;
use crate::check::CheckSpec;
use crate::config::{self, CheckWhen, OnProtectedChange};
use crate::event::{
    AuxJob, AuxJobResult, CancelCause, CheckOutcome, CheckReport, DurabilityTracker,
    IterationReport, LimitChanges, ProcessEnd,
};
use crate::id::UnitId;
use crate::machine::CleanRoomFailure;
use crate::plan::{CleanRoom, PlanCheck, Protection, Sourced};

/// A chain whose steps each have one check for each of these times.
pub(super) fn checked(chain: &str, when: &[CheckWhen]) -> Plan {
    let mut plan = plan(chain);
    let check = |(number, when): (usize, &CheckWhen)| {
        Sourced::default(PlanCheck {
            check: CheckSpec::Command(format!("check {number}")),
            name: Some(format!("c{number}")),
            when: *when,
            timeout: Limit::At(HumanDuration::from_secs(600)),
            must_fail_first: false,
            runner: None,
        })
    };
    for step in &mut plan.steps {
        step.checks = (1..).zip(when).map(check).collect();
    }
    plan
}

/// The same plan, with a clean room.
pub(super) fn with_clean_room(mut plan: Plan, setup: Option<&str>) -> Plan {
    for step in &mut plan.steps {
        step.clean_room = Some(Sourced::default(CleanRoom {
            setup: setup.map(str::to_owned),
            timeout: Limit::At(HumanDuration::from_secs(60)),
            keep: Vec::new(),
        }));
    }
    plan
}

/// The same plan, with protected files.
pub(super) fn protecting(mut plan: Plan, on_change: OnProtectedChange) -> Plan {
    for step in &mut plan.steps {
        let patterns = vec!["tests/**".to_owned()];
        step.protect = Some(Sourced::default(Protection { patterns, on_change }));
    }
    plan
}

/// The same plan, where an exit code of 0 triggers the checks.
pub(super) fn decided_by_checks(mut plan: Plan) -> Plan {
    for step in &mut plan.steps {
        step.completion.value = config::CompletionRule::Checks;
    }
    plan
}

pub(super) const ON_COMPLETION: [CheckWhen; 1] = [CheckWhen::Completion];
pub(super) const ALWAYS: [CheckWhen; 1] = [CheckWhen::Always];

/// The reports of all iterations.
pub(super) fn reports(run: &RunSimulation) -> Vec<&IterationReport> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::IterationFinished { report, .. } => Some(report),
            _ => None,
        })
        .collect()
}

/// The outcomes of the checks of each iteration.
fn outcomes(run: &RunSimulation) -> Vec<Vec<&'static str>> {
    let words = |report: &IterationReport| -> Vec<&'static str> {
        report.checks.iter().map(|check| check.outcome.as_str()).collect()
    };
    reports(run).into_iter().map(words).collect()
}

fn iteration_of(aux_job: AuxJob) -> u32 {
    match aux_job {
        AuxJob::Check { unit, .. } | AuxJob::Setup { unit } => unit.iteration,
        AuxJob::Hook { .. } => 0,
    }
}

fn feedback(run: &RunSimulation) -> Option<String> {
    run.machine.state().steps[0].feedback.text()
}

#[test]
fn a_marker_with_green_checks_completes_a_loop() {
    let plan = checked("a:5", &[CheckWhen::Completion, CheckWhen::Always]);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(outcomes(&run), [["passed", "passed"]]);
    assert_eq!((run.aux_jobs.ran.len(), run.spawned.len()), (2, 1));
}

#[test]
fn a_marker_with_a_red_check_is_refused_and_the_loop_goes_on() {
    let run = RunSimulation::new(checked("a:5", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|aux_job| AuxJobScript::exiting(i32::from(iteration_of(aux_job) < 3)))
        .run();
    assert_eq!(verdicts(&run), ["refused", "refused", "complete"]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!(feedback(&run), None, "what is done needs no words");
}

#[test]
fn a_refusal_is_fed_back_to_the_next_iteration() {
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::saying(false, "3 tests failed", 1))
        .run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    let text = feedback(&run).expect("there is something to say");
    assert!(text.contains("- Check c1 did not pass: 3 tests failed"), "{text}");
}

#[test]
fn all_checks_run_although_the_first_one_fails() {
    let plan = checked("a:1", &[CheckWhen::Completion; 3]);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|aux_job| match aux_job {
            AuxJob::Check { number: 1, .. } => AuxJobScript::exiting(1),
            AuxJob::Check { number: 2, .. } => AuxJobScript::impossible(),
            _ => AuxJobScript::known(true),
        })
        .run();
    assert_eq!(outcomes(&run), [["failed", "not_run", "passed"]]);
    let names: Vec<&str> = reports(&run)[0].checks.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["c1", "c2", "c3"]);
}

#[test]
fn only_always_checks_run_without_a_completion_claim() {
    let plan = checked("a:2", &[CheckWhen::Completion, CheckWhen::Always]);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0))
        .with_chores(|_| AuxJobScript::exiting(1))
        .run();
    assert_eq!(outcomes(&run), [["failed"], ["failed"]]);
    assert_eq!(verdicts(&run), ["incomplete", "incomplete"]);
    assert!(feedback(&run).is_some());
}

#[test]
fn passing_checks_complete_nothing_without_a_claim() {
    let run = RunSimulation::new(checked("a:2", &ALWAYS), |_| SimulatedAgent::exiting(0)).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(outcomes(&run), [["passed"], ["passed"]]);
}

#[test]
fn where_checks_decide_exit_code_0_is_enough_to_be_checked() {
    let plan = || decided_by_checks(checked("a:4", &ON_COMPLETION));
    let run = RunSimulation::new(plan(), |_| SimulatedAgent::exiting(0))
        .with_chores(|aux_job| AuxJobScript::exiting(i32::from(iteration_of(aux_job) < 2)))
        .run();
    assert_eq!(verdicts(&run), ["incomplete", "complete"], "there was no completion claim");
    assert_eq!(ends(run.machine.state()), "exit_code: complete");
    let run = RunSimulation::new(plan(), |_| SimulatedAgent::exiting(1)).run();
    assert_eq!(verdicts(&run), ["crashed"; 4]);
    assert_eq!(run.aux_jobs.ran, []);
}

#[test]
fn an_agent_that_runs_once_needs_green_checks_too() {
    let run =
        RunSimulation::new(checked("a -> b", &ON_COMPLETION), |_| SimulatedAgent::exiting(0)).run();
    assert_eq!(ends(run.machine.state()), "exit_code exit_code: complete");
    let red = |_| AuxJobScript::exiting(1);
    let run = RunSimulation::new(checked("a -> b", &ON_COMPLETION), |_| SimulatedAgent::exiting(0));
    let run = run.with_chores(red).run();
    assert_eq!(ends(run.machine.state()), "checks_failed pending: incomplete at 1");
    assert_eq!(run.spawned.len(), 1);
    // A resume tries the step again, with the feedback.
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    });
    let again = again.run();
    assert_eq!(again.spawned[0], UnitId { step: 1, iteration: 1, attempt: 2 });
    assert_eq!(ends(again.machine.state()), "exit_code exit_code: complete");
    let failed =
        RunSimulation::new(checked("a", &ON_COMPLETION), |_| SimulatedAgent::exiting(2)).run();
    assert_eq!((failed.aux_jobs.ran.len(), verdicts(&failed)), (0, vec!["crashed"]));
}

#[test]
fn a_check_that_hangs_is_ended_and_has_not_passed() {
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .run();
    assert_eq!(outcomes(&run), [["timed_out"]]);
    assert_eq!((verdicts(&run), run.took().as_secs()), (vec!["refused"], 600));
}

#[test]
fn a_check_that_ignores_sigterm_is_killed_and_one_that_ignores_that_is_given_up() {
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::deaf())
        .run();
    let signals: Vec<ProcessSignal> =
        run.aux_jobs.signals.iter().map(|(_, signal)| *signal).collect();
    assert_eq!(
        (signals, run.took().as_secs()),
        (vec![ProcessSignal::Terminate, ProcessSignal::Kill], 610)
    );
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript { obeys: None, ..AuxJobScript::hanging() })
        .run();
    assert_eq!((outcomes(&run), run.aux_jobs.given_up.len()), (vec![vec!["timed_out"]], 1));
    assert_eq!(warnings(&run), ["check 1 of 1.1.1 could not be ended, not even by SIGKILL"]);
}

#[test]
fn a_check_with_an_unreadable_answer_has_not_passed() {
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript { stragglers_obey: None, ..AuxJobScript::exiting(0) })
        .run();
    let report = &reports(&run)[0].checks[0];
    assert_eq!(report.outcome, CheckOutcome::Failed);
    assert_eq!(report.message.as_deref(), Some("what it printed could not be read"));
}

#[test]
fn leftovers_of_a_check_are_ended() {
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript {
            stragglers_obey: Some(ProcessSignal::Kill),
            ..AuxJobScript::exiting(0)
        })
        .run();
    assert_eq!((outcomes(&run), verdicts(&run)), (vec![vec!["passed"]], vec!["complete"]));
    assert_eq!(run.took().as_secs(), 6, "one second, then five");
}

#[test]
fn the_output_of_a_check_is_shown_only_if_it_failed() {
    let tail = Some("the end".to_owned());
    for (code, expected) in [(0, None), (1, tail.clone())] {
        let tail = tail.clone();
        let answer = move || AuxJobResult { tail: tail.clone(), ..AuxJobResult::default() };
        let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
            .with_chores(move |_| AuxJobScript { answer: answer(), ..AuxJobScript::exiting(code) })
            .run();
        assert_eq!(reports(&run)[0].checks[0].tail, expected);
    }
}

#[test]
fn an_agent_that_did_not_run_is_not_checked() {
    let run =
        RunSimulation::new(checked("a:3", &ALWAYS), |_| SimulatedAgent::cannot_start(false)).run();
    assert_eq!((run.aux_jobs.ran.len(), run.spawned.len()), (0, 1));
}

#[test]
fn the_outcome_of_an_agent_is_durable_before_it_is_looked_at_or_checked() {
    let at_once = ["iteration_started", "iteration_finished"];
    let before = ["iteration_started", "agent_finished"];
    for (looked_at, checks, expected) in [
        (None, &[][..], at_once),
        (None, &ON_COMPLETION[..], before),
        (Some(30), &[][..], before),
        (Some(30), &ON_COMPLETION[..], before),
    ] {
        let agent = move |_| SimulatedAgent { looked_at, ..SimulatedAgent::done() };
        let run = RunSimulation::new(checked("a:1", checks), agent).run();
        let mut safety = DurabilityTracker::default();
        let durable = run.kinds().filter(|kind| safety.must_be_durable(kind));
        let names: Vec<&str> = durable
            .map(|kind| match kind {
                EventKind::IterationStarted { .. } => "iteration_started",
                EventKind::AgentFinished { .. } => "agent_finished",
                _ => "iteration_finished",
            })
            .collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn a_clean_room_is_made_for_checks_and_taken_away() {
    let run = RunSimulation::new(with_clean_room(checked("a:2", &ON_COMPLETION), None), |_| {
        SimulatedAgent::done()
    })
    .run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    assert_eq!((run.aux_jobs.rooms, run.aux_jobs.open_room), (1, None));
    let idle = RunSimulation::new(with_clean_room(checked("a:2", &ON_COMPLETION), None), |_| {
        SimulatedAgent::exiting(0)
    });
    assert_eq!(idle.run().aux_jobs.rooms, 0, "nothing is checked, so nothing is made");
}

#[test]
fn the_setup_of_a_room_comes_before_the_checks() {
    let plan = with_clean_room(checked("a:1", &[CheckWhen::Completion; 2]), Some("npm ci"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let check = |number| AuxJob::Check { unit, number };
    assert_eq!(run.aux_jobs.ran, [AuxJob::Setup { unit }, check(1), check(2)]);
    assert_eq!(outcomes(&run), [["passed", "passed"]]);
}

#[test]
fn without_a_room_nothing_is_known_to_hold() {
    let no_commit = CleanRoomFailure::Work("no commit yet".to_owned());
    let table = [
        (SimulatedRoom::Failing(no_commit), AuxJobScript::exiting(0), "clean room", "not_run"),
        (SimulatedRoom::After(5), AuxJobScript::exiting(3), "setup", "failed"),
        (SimulatedRoom::After(5), AuxJobScript::hanging(), "setup", "timed_out"),
        (SimulatedRoom::After(5), AuxJobScript::impossible(), "setup", "not_run"),
    ];
    for (room, setup, name, outcome) in table {
        let plan = with_clean_room(checked("a:1", &[CheckWhen::Completion; 2]), Some("npm ci"));
        let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
            .with_rooms(move |_| room.clone())
            .with_chores(move |_| setup.clone())
            .run();
        let reports: Vec<(&str, &str)> = reports(&run)[0]
            .checks
            .iter()
            .map(|check: &CheckReport| (check.name.as_str(), check.outcome.as_str()))
            .collect();
        assert_eq!(reports, [(name, outcome)]);
        assert_eq!((verdicts(&run), run.aux_jobs.open_room), (vec!["refused"], None), "{name}");
    }
}

#[test]
fn uncommitted_work_is_refused_before_anything_is_checked() {
    let plan = with_clean_room(checked("a:2", &ON_COMPLETION), None);
    let forgets =
        |unit: UnitId| SimulatedAgent { forgets: unit.iteration == 1, ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan, forgets).run();
    assert_eq!(verdicts(&run), ["refused", "complete"]);
    assert_eq!(run.aux_jobs.rooms, 1);
}

#[test]
fn protected_files_are_guarded_unless_their_change_is_allowed() {
    let spoils =
        |unit: UnitId| SimulatedAgent { spoils: unit.iteration == 1, ..SimulatedAgent::done() };
    for (on_change, expected) in [
        (OnProtectedChange::Refuse, vec!["refused", "complete"]),
        (OnProtectedChange::Allow, vec!["complete"]),
    ] {
        for checks in [&[][..], &ON_COMPLETION] {
            let plan = protecting(checked("a:2", checks), on_change);
            let run = RunSimulation::new(plan, spoils).run();
            assert_eq!(verdicts(&run), expected);
        }
    }
    let once = protecting(plan("a"), OnProtectedChange::Refuse);
    let run =
        RunSimulation::new(once, |_| SimulatedAgent { spoils: true, ..SimulatedAgent::exiting(0) })
            .run();
    assert_eq!(ends(run.machine.state()), "protected_files: incomplete at 1");
}

/// The cancellation did not wait for the observation of the protected files.
#[test]
fn unobserved_work_is_observed_before_a_claim_is_accepted() {
    for (spoils, checks) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
        let plan = protecting(checked("a:2", &ON_COMPLETION[..checks]), OnProtectedChange::Refuse);
        let script = move |unit: UnitId| SimulatedAgent {
            spoils: spoils && unit.iteration == 1,
            ..SimulatedAgent::done()
        };
        let mut run = RunSimulation::new(plan, script);
        while run.spawned.is_empty() {
            assert!(run.step());
        }
        let unit = run.spawned[0];
        run.feed(Input::Marker { unit, marker_match: support::samples::marker_match() });
        run.feed(Input::Exited { unit, end: ProcessEnd::Exited(0) });
        run.feed(Input::Cancel(CancelCause::Interrupt));
        let (output, found_match) = (crate::event::OutputSummary::default(), None);
        let observation = crate::event::Observation::default();
        run.feed(Input::Settled {
            closing_text: None,
            unit,
            output,
            marker_match: found_match,
            observation,
            needs_observation: false,
            stream_summary: None,
        });
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
        let again = RunSimulation::resumed(&run.events, LimitChanges::default(), script).run();
        let expected = if spoils { vec!["refused", "complete"] } else { vec!["complete"] };
        assert_eq!(verdicts(&again), expected, "{checks} checks");
        assert_eq!(again.spawned.len(), usize::from(spoils), "what is paid for is not paid again");
    }
}

#[test]
fn a_done_file_that_was_refused_does_not_end_the_next_agent_early() {
    let mut plan = with_done_file("a:2");
    plan.steps[0].checks = checked("a:2", &ON_COMPLETION).steps[0].checks.clone();
    let long = |_| SimulatedAgent {
        done_file: true,
        exits_at: Some(900_000),
        ..SimulatedAgent::exiting(0)
    };
    let run = RunSimulation::new(plan, long)
        .with_chores(|aux_job| AuxJobScript::exiting(i32::from(iteration_of(aux_job) < 2)))
        .run();
    // The first agent's done file was seen after 5 s, and it lingered for 5 min; the second worked
    // on.
    assert_eq!(endings(&run), [StopReason::Lingering]);
    assert_eq!(run.took().as_secs(), 5 + 300 + 900);
    assert_eq!(verdicts(&run), ["refused", "complete"]);
}

#[test]
fn a_done_file_that_is_found_after_a_crash_is_checked_as_well() {
    let mut plan = with_done_file("a:3");
    plan.steps[0].checks = checked("a:3", &ON_COMPLETION).steps[0].checks.clone();
    let done = |_| SimulatedAgent { done_file: true, ..SimulatedAgent::exiting(0) };
    let whole = RunSimulation::new(plan, done).run();
    let events = up_to(&whole, |kind| matches!(kind, EventKind::AgentStarted { .. }));
    let mut run = RunSimulation::resumed(&events, LimitChanges::default(), done);
    run.done_file = true;
    let run = run
        .with_chores(|aux_job| AuxJobScript::exiting(i32::from(iteration_of(aux_job) < 2)))
        .run();
    assert_eq!(verdicts(&run), ["interrupted", "refused", "complete"]);
}

#[test]
fn a_pause_stops_a_check_and_its_clock() {
    let run = RunSimulation::new(checked("a:1", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript { exits_at: None, ..AuxJobScript::hanging() })
        .at(60_000, Input::Pause)
        .run();
    let signals: Vec<ProcessSignal> =
        run.aux_jobs.signals.iter().map(|(_, signal)| *signal).collect();
    assert_eq!(
        signals,
        [ProcessSignal::Suspend, ProcessSignal::Continue, ProcessSignal::Terminate]
    );
    assert_eq!(run.took().as_secs(), 3600 + 600);
}

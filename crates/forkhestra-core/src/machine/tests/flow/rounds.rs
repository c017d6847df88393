use super::support::{
    command, protecting, story_line, understood, with_condition, with_round_check,
};
use crate::config::OnCycle;
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::event::{
    AgentOutcome, AuxJob, CancelCause, ClaimRefusal, CompletionSignal, LimitChanges, OutcomeClass,
    ProcessEnd, StepEnd,
};
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::*;
use crate::plan::{FlowBound, Sourced};
use crate::policy::{leads_to_alternative, refuses_round};
use crate::quota::{ExceededQuota, QuotaThreshold, QuotaWindow};
use crate::text::count::Count;
use crate::time::Timestamp;

/// A run of `(a:3 -> b):4`, in which `b` accepts the given round.
fn accepted_in(round: u32) -> RunSimulation {
    RunSimulation::new(plan("(a:3 -> b):4"), move |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(i32::from(unit.iteration < round)),
    })
}

#[test]
fn a_group_repeats_until_its_last_step_accepts() {
    let run = accepted_in(3).run();
    assert_eq!(ends(run.machine.state()), "marker exit_code: complete");
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: text of 2.1.1, \
                    round 1.2, 1.2.1, 2.2.1, refused by 2: text of 2.2.1, \
                    round 1.3, 1.3.1, 2.3.1";
    assert_eq!(story_line(&run), expected);
    assert_eq!(fold(&run.events), *run.machine.state());
}

#[test]
fn rounds_are_bounded_and_a_resume_can_allow_more() {
    let run = accepted_in(9).run();
    assert_eq!(ends(run.machine.state()), "marker failed: incomplete at 2");
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(4) };
    assert_eq!(run.machine.end(), Some(&end));
    let accepts_sixth = |unit: crate::id::UnitId| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(i32::from(unit.iteration < 6)),
    };
    let unchanged = RunSimulation::resumed(&run.events, LimitChanges::default(), accepts_sixth);
    let unchanged = unchanged.run();
    assert_eq!(unchanged.machine.end(), Some(&end), "nothing runs without another limit");
    assert!(unchanged.spawned.is_empty());
    let rounds = Count::parse("6").ok();
    let changes = LimitChanges { rounds, ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, accepts_sixth).run();
    assert_eq!(resumed.machine.end(), Some(&RunEnd::Complete));
    let expected = "round 1.5, 1.5.1, 2.5.1, refused by 2: text of 2.5.1, round 1.6, 1.6.1, 2.6.1";
    assert_eq!(story_line(&resumed), expected);
    let option = crate::explain::raising_option(run.machine.state(), run.clock().wall);
    assert_eq!(option.as_deref(), Some("--rounds 8"));
}

#[test]
fn changed_limits_hold_in_later_rounds_for_steps_that_were_complete() {
    // The first agent needs two iterations in its second round.
    let script = |unit: crate::id::UnitId| match (unit.step, unit.iteration) {
        (1, 2) => SimulatedAgent::exiting(0),
        (1, _) => SimulatedAgent::done(),
        (_, iteration) => SimulatedAgent::exiting(i32::from(iteration < 2)),
    };
    let run = RunSimulation::new(plan("(a:1 -> b):1"), script).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(1) };
    assert_eq!(run.machine.end(), Some(&end));
    let (rounds, iterations) = (Count::parse("2").ok(), Count::parse("2").ok());
    let changes = LimitChanges { rounds, iterations, ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, script).run();
    assert_eq!(resumed.machine.end(), Some(&RunEnd::Complete), "{}", story_line(&resumed));

    let mut run = RunSimulation::new(plan("(a:1 -> b):3"), script);
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    let changes = LimitChanges { iterations, ..LimitChanges::default() };
    let reply = run.ask(ControlRequest::Set(changes));
    assert_eq!(reply, Some(ControlReply::Accepted(AcceptedRequest::Changed)));
    assert_eq!(run.run().machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn the_reason_reaches_the_first_agent_of_the_next_round() {
    let mut run = accepted_in(2);
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[0].feedback.text();
    let expected = "`b` did not accept the work of round 1:\n\n  | text of 2.1.1\n";
    assert_eq!(feedback.as_deref(), Some(expected));
}

#[test]
fn iterations_stagnation_and_protection_count_within_the_round() {
    let run = RunSimulation::new(plan("(a:2 -> b):3"), |unit| match unit.step {
        // The marker comes in the second iteration of each round.
        1 if unit.iteration % 2 == 0 => SimulatedAgent::done(),
        1 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::exiting(1),
    });
    let run = run.run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(3) };
    assert_eq!(run.machine.end(), Some(&end));
    assert_eq!(run.machine.state().steps[0].finished, 6);
    assert_eq!(run.machine.state().steps[0].finished_in_round(), 2);
}

#[test]
fn another_step_than_the_last_ends_the_group() {
    let run = RunSimulation::new(plan("(a:2 -> b):3 -> c"), |_| SimulatedAgent::exiting(0)).run();
    assert_eq!(ends(run.machine.state()), "max_iterations pending pending: incomplete at 1");
}

#[test]
fn a_loop_and_an_understood_agent_decide_by_their_marker() {
    let looping = RunSimulation::new(plan("(a:1 -> b:2):2"), |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ if unit.iteration == 4 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    assert_eq!(ends(looping.run().machine.state()), "marker marker: complete");
    let reviewed = understood(plan("(a:1 -> b):3"), 2);
    let once = RunSimulation::new(reviewed, |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ if unit.iteration == 2 => SimulatedAgent::understood_done(),
        _ => SimulatedAgent::with_outcome(OutcomeClass::Finished),
    });
    let once = once.run();
    assert_eq!(ends(once.machine.state()), "marker marker: complete");
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: text of 2.1.1, round 1.2, 1.2.1, 2.2.1";
    assert_eq!(story_line(&once), expected);
}

#[test]
fn an_understood_agent_that_runs_once_elsewhere_needs_no_marker() {
    let plan = understood(plan("a -> (b:1 -> c):2"), 1);
    let run = RunSimulation::new(plan, |unit| match unit.step {
        1 => SimulatedAgent::with_outcome(OutcomeClass::Finished),
        2 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    assert_eq!(ends(run.run().machine.state()), "exit_code marker exit_code: complete");
}

#[test]
fn the_checks_of_the_group_decide_after_its_last_step() {
    let plan = with_round_check(plan("(a:1 -> b):3"), 2, 1, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    run.aux_jobs.script = Box::new(|aux_job| match aux_job {
        AuxJob::Check { unit, .. } => AuxJobScript::exiting(i32::from(unit.iteration < 2)),
        _ => AuxJobScript::exiting(0),
    });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker exit_code: complete");
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: checks did not pass: command:\"make ci\", \
                    round 1.2, 1.2.1, 2.2.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn failed_checks_of_the_outer_group_do_not_repeat_the_inner_one() {
    let plan = with_round_check(plan("(a:1 -> (b:1 -> c):5):2"), 3, 1, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        3 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::done(),
    });
    run.aux_jobs.script = Box::new(|aux_job| match aux_job {
        AuxJob::Check { unit, .. } => AuxJobScript::exiting(i32::from(unit.iteration < 2)),
        _ => AuxJobScript::exiting(0),
    });
    let run = run.run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    let expected = "round 1.1, 1.1.1, round 2.1, 2.1.1, 3.1.1, \
                    refused by 3: checks did not pass: command:\"make ci\", \
                    round 1.2, 1.2.1, round 2.1, 2.2.1, 3.2.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn used_up_rounds_of_an_inner_group_refuse_the_outer_round() {
    let run = RunSimulation::new(plan("(a:1 -> (b:1 -> c):2):2"), |unit| match unit.step {
        3 => SimulatedAgent::exiting(i32::from(unit.iteration < 4)),
        _ => SimulatedAgent::done(),
    });
    let run = run.run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    let outer = run.kinds().filter(|kind| matches!(kind, EventKind::RoundStarted { group: 1, .. }));
    assert_eq!(outer.count(), 2);
}

#[test]
fn an_inner_group_that_gives_up_by_its_checks_refuses_the_outer_round() {
    let plan = with_round_check(plan("(a:1 -> (b:1 -> c):2):2"), 3, 2, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        3 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::done(),
    });
    run.aux_jobs.script = Box::new(|aux_job| match aux_job {
        AuxJob::Check { unit, .. } => AuxJobScript::exiting(i32::from(unit.iteration < 4)),
        _ => AuxJobScript::exiting(0),
    });
    let run = run.run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete), "{}", story_line(&run));
    let outer = run.kinds().filter(|kind| matches!(kind, EventKind::RoundStarted { group: 1, .. }));
    assert_eq!(outer.count(), 2);
}

/// The words of the agent that claimed completion would read like an approval.
#[test]
fn a_refused_claim_of_the_deciding_agent_is_the_reason() {
    let mut checked = plan("(a:1 -> b):2");
    checked.steps[1].checks.push(command("make lint"));
    let mut run = RunSimulation::new(checked, |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    run.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[0].feedback.text().unwrap_or_default();
    let expected = "After round 1 the completion claim of `b` was refused:\n\n\
                    - Check command:\"make lint\" did not pass: exit 1\n";
    assert!(feedback.starts_with(expected), "{feedback}");
    assert!(!feedback.contains("text of"), "{feedback}");
    let told = story_line(&run);
    assert!(told.contains("refused by 2: its claim was refused: 1 check failed"), "{told}");
}

#[test]
fn the_reason_is_kept_while_agents_crash() {
    let script = |unit: crate::id::UnitId| match (unit.step, unit.iteration) {
        (1, 2) => SimulatedAgent::exiting(9),
        (1, _) => SimulatedAgent::done(),
        (_, iteration) => SimulatedAgent::exiting(i32::from(iteration < 2)),
    };
    let reason = |run: &RunSimulation| run.machine.state().steps[0].feedback.text();
    let expected = "`b` did not accept the work of round 1:\n\n  | text of 2.1.1\n";
    let mut looping = RunSimulation::new(plan("(a:3 -> b):3"), script);
    while looping.spawned.len() < 4 {
        assert!(looping.step(), "it goes on");
    }
    assert_eq!(reason(&looping).as_deref(), Some(expected));
    let once = RunSimulation::new(plan("(a -> b):3"), script).run();
    assert_eq!(ends(once.machine.state()), "failed pending: incomplete at 1");
    let mut resumed = RunSimulation::resumed(&once.events, LimitChanges::default(), script);
    while resumed.spawned.is_empty() {
        assert!(resumed.step(), "it goes on");
    }
    assert_eq!(reason(&resumed).as_deref(), Some(expected));
}

#[test]
fn an_understood_agent_that_decides_needs_an_exit_code_of_0() {
    let run = RunSimulation::new(understood(plan("(a:1 -> b):3"), 2), |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent { end: ProcessEnd::Exited(1), ..SimulatedAgent::understood_done() },
    });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker failed: incomplete at 2");
}

#[test]
fn rounds_that_leave_the_same_work_tree_end_as_cycling() {
    let run = RunSimulation::new(plan("(a:1 -> b):9"), |unit| match unit.step {
        1 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
    });
    let run = run.run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::Cycling(2) };
    assert_eq!(run.machine.end(), Some(&end));
    assert_eq!(run.machine.state().groups[0].round, 2);
    let again =
        RunSimulation::resumed(&run.events, LimitChanges::default(), |unit| match unit.step {
            1 => SimulatedAgent::done(),
            _ => SimulatedAgent::exiting(0),
        });
    assert_eq!(again.run().machine.end(), Some(&RunEnd::Complete), "a resume tries another round");
}

#[test]
fn rounds_with_the_same_work_tree_go_on_if_cycles_are_only_reported() {
    let same = |unit: crate::id::UnitId| match unit.step {
        1 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
    };
    let mut plan = plan("(a:1 -> b):4");
    plan.steps[1].on_cycle = Some(Sourced::default(OnCycle::Report));
    let run = RunSimulation::new(plan, same).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(4) };
    assert_eq!(run.machine.end(), Some(&end));
}

/// A resume could not continue the last round.
#[test]
fn the_same_work_tree_after_the_last_round_is_the_end_of_the_rounds() {
    let run = RunSimulation::new(plan("(a:1 -> b):2"), |unit| match unit.step {
        1 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
    });
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(2) };
    assert_eq!(run.run().machine.end(), Some(&end));
}

#[test]
fn a_cancelled_round_goes_on_where_it_was() {
    let cancelled = accepted_in(2).cancelled_at(25, CancelCause::Interrupt).run();
    assert_eq!(cancelled.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
    let events = cancelled.events.clone();
    let resumed =
        RunSimulation::resumed(&events, LimitChanges::default(), |unit| match unit.step {
            1 => SimulatedAgent::done(),
            _ => SimulatedAgent::exiting(i32::from(unit.iteration < 2)),
        });
    assert_eq!(resumed.run().machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn every_end_refuses_a_round_or_ends_the_group() {
    use ProcessEnd::{Exited, Signaled};
    use StepEnd::Failed;
    let not_started = ProcessEnd::NotStarted { reason: "no".to_owned(), transient: false };
    let blocked = |class| StepEnd::Blocked(AgentOutcome::of(class));
    let quota = ExceededQuota {
        backend: crate::config::Backend::Claude,
        window: QuotaWindow::FiveHours,
        used: 91,
        limit: QuotaThreshold::Percent(90),
        until: Timestamp::default(),
    };
    // Columns: the end; whether it refuses the round of a program that runs once, of an understood
    // agent that runs once, and of a loop; whether an alternative runs after it.
    let table = [
        (Failed(Exited(1)), true, false, true, true),
        (Failed(Exited(125)), true, false, true, true),
        (Failed(Exited(126)), false, false, false, true),
        (Failed(Exited(127)), false, false, false, true),
        (Failed(Exited(-1)), false, false, false, true),
        (Failed(Signaled(9)), false, false, false, true),
        (Failed(not_started), false, false, false, true),
        (StepEnd::NotAccepted, true, true, true, true),
        (StepEnd::Denied, true, true, true, true),
        (StepEnd::MaxIterations, false, false, true, true),
        (StepEnd::Stagnated(3), false, false, true, true),
        (StepEnd::Cycling(3), false, false, true, true),
        (StepEnd::MaxRounds(3), true, true, true, true),
        (StepEnd::Refused(ClaimRefusal::ChecksFailed), true, true, true, true),
        (StepEnd::AgentStopped(StopReason::Timeout), false, false, false, true),
        (StepEnd::AgentStopped(StopReason::Cancelled), false, false, false, false),
        (StepEnd::StepTime, false, false, false, true),
        (StepEnd::StepCost, false, false, false, true),
        (StepEnd::GroupTime, false, false, false, true),
        (StepEnd::GroupCost, false, false, false, true),
        (StepEnd::RunTime, false, false, false, false),
        (StepEnd::RunCost, false, false, false, false),
        (StepEnd::CostUnknown, false, false, false, false),
        (blocked(OutcomeClass::UsageLimit), false, false, false, true),
        (blocked(OutcomeClass::TurnLimit), false, false, false, true),
        (StepEnd::Quota(quota), false, false, false, true),
        (StepEnd::HookFailed("x".to_owned()), false, false, false, false),
        (StepEnd::CannotCheck("x".to_owned()), false, false, false, false),
        (StepEnd::TasksBlocked("x".to_owned()), false, false, false, true),
        (StepEnd::NoTasks, false, false, false, false),
        (StepEnd::Complete(CompletionSignal::File), false, false, false, false),
        (StepEnd::Skipped, false, false, false, false),
        (StepEnd::NotNeeded, false, false, false, false),
        (StepEnd::Cancelled, false, false, false, false),
    ];
    let program = &plan("a").steps[0];
    let agent = &understood(plan("a"), 1).steps[0];
    let looping = &plan("a:3").steps[0];
    for (end, of_program, of_agent, of_loop, alternative) in table {
        let found = [program, agent, looping].map(|step| refuses_round(step, &end));
        assert_eq!(found, [of_program, of_agent, of_loop], "{end:?}");
        assert_eq!(leads_to_alternative(&end), alternative, "{end:?}");
    }
}

#[test]
fn the_bound_is_a_sum_over_the_flow() {
    let bound = |chain: &str| {
        let FlowBound { iterations, questions } = plan(chain).bound();
        (iterations, questions)
    };
    assert_eq!(bound("a:3 -> b"), (4, 0));
    assert_eq!(bound("a:3 -> ? -> (b:20 -> c:3):3 else d:5"), (77, 1));
    assert_eq!(bound("((a:2 -> ?):3 -> b):4"), (28, 12));
    let most = "((a:4294967295):4294967295 -> b):4294967295";
    assert_eq!(bound(most).0, u64::MAX, "it does not overflow");
}

/// New rounds are for the group whose rounds are used up; groups around it and in it keep theirs.
#[test]
fn more_rounds_are_for_the_group_that_used_them_up() {
    let rounds = |run: &RunSimulation| {
        let flow = run.machine.state().plan.flow.clone().expect("it has groups");
        let groups = flow.groups().into_iter().map(|group| group.rounds.map(Count::get));
        groups.collect::<Vec<_>>()
    };
    let refusing = |unit: crate::id::UnitId| match unit.step {
        1 => SimulatedAgent::done(),
        2 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::exiting(1),
    };
    let run = RunSimulation::new(plan("((a:1 -> b):9 -> c):2 -> (d -> e):3"), refusing).run();
    assert_eq!(
        run.machine.end(),
        Some(&RunEnd::Incomplete { step: 3, end: StepEnd::MaxRounds(2) })
    );
    let option = crate::explain::raising_option(run.machine.state(), run.clock().wall);
    assert_eq!(option.as_deref(), Some("--rounds 4"));
    let changes = LimitChanges { rounds: Count::parse("4").ok(), ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, refusing).run();
    assert_eq!(rounds(&resumed), [Some(4), Some(9), Some(4)], "a later group gets no fewer");
    let inner = RunSimulation::new(plan("(a:1 -> (b:1 -> c):2):3"), |unit| match unit.step {
        3 => SimulatedAgent::hanging(),
        _ => SimulatedAgent::done(),
    });
    let mut inner = inner;
    while inner.spawned.len() < 3 {
        assert!(inner.step(), "it goes on");
    }
    let changes = LimitChanges { rounds: Count::parse("5").ok(), ..LimitChanges::default() };
    inner.ask(ControlRequest::Set(changes));
    assert_eq!(rounds(&inner), [Some(3), Some(5)], "the group that the run is in");
}

/// A loop whose agents could not work has judged nothing.
#[test]
fn a_deciding_loop_that_cannot_work_ends_the_group() {
    let run_with = |code: i32| {
        RunSimulation::new(plan("(a:1 -> b:1):3"), move |unit| match unit.step {
            1 => SimulatedAgent::done(),
            _ => SimulatedAgent::exiting(code),
        })
        .run()
    };
    let broken = run_with(127);
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations };
    assert_eq!((broken.machine.end(), broken.spawned.len()), (Some(&end), 2));
    let refused = run_with(1);
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(3) };
    assert_eq!((refused.machine.end(), refused.spawned.len()), (Some(&end), 6));
}

#[test]
fn a_cycle_of_an_inner_group_refuses_the_outer_round() {
    let run = RunSimulation::new(plan("(x:1 -> (a:1 -> b):3):2"), |unit| match unit.step {
        3 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
    });
    let run = run.run();
    let outer = run.kinds().filter(|kind| matches!(kind, EventKind::RoundStarted { group: 1, .. }));
    assert_eq!(outer.count(), 2);
    let end = RunEnd::Incomplete { step: 3, end: StepEnd::MaxRounds(2) };
    assert_eq!(run.machine.end(), Some(&end));
}

/// Another round does not take the refused change for its baseline.
#[test]
fn protected_files_that_were_changed_are_known_in_the_next_round() {
    let guarded = protecting(plan("(a:1 -> b):3 else ? -> c"));
    let mut run = RunSimulation::new(guarded, |unit| match unit.step {
        2 => SimulatedAgent { spoils: true, ..SimulatedAgent::exiting(0) },
        _ => SimulatedAgent::done(),
    });
    run = run.with_person(|_| Some((5, true)));
    let unrestored = |run: &RunSimulation, step: usize| {
        let files = run.machine.state().unrestored_files(step);
        files.into_iter().map(|files| (files.step, files.paths.listed)).collect::<Vec<_>>()
    };
    assert_eq!(unrestored(&run, 1), []);
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    for step in [1, 2] {
        let files = unrestored(&run, step);
        assert_eq!(files.len(), 1, "{files:?}");
        assert_eq!(files[0].0, 2, "the baseline of the step that changed them");
    }
    let feedback = run.machine.state().steps[0].feedback.text().unwrap_or_default();
    assert!(feedback.contains("These files are protected"), "{feedback}");
    while run.machine.state().current_step() != Some(3) {
        assert!(run.step(), "it goes on to the alternative");
    }
    assert!(!unrestored(&run, 3).is_empty(), "also for the alternative");
    while run.machine.state().current_step() != Some(4) {
        assert!(run.step(), "it goes on after a person's approval");
    }
    assert!(!unrestored(&run, 4).is_empty(), "and for every later step");
}

/// The work may be refused for another reason.
#[test]
fn an_agent_is_given_the_protected_files_of_a_refused_round() {
    let mut run = RunSimulation::new(protecting(plan("(a:1 -> b):3")), |unit| match unit.step {
        2 => SimulatedAgent { spoils: true, ..SimulatedAgent::exiting(1) },
        _ => SimulatedAgent::done(),
    });
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[0].feedback.text().unwrap_or_default();
    assert!(feedback.starts_with("`b` did not accept the work of round 1:"), "{feedback}");
    assert!(feedback.contains("These files are protected"), "{feedback}");
}

/// Nothing runs in any round, so another one would change nothing.
#[test]
fn rounds_that_run_no_agent_end_the_group() {
    let plan = with_condition(plan("(a:1):1000000 -> b"), 1, None);
    let plan = with_round_check(plan, 1, 1, "make ci");
    let mut run = RunSimulation::new(plan, |_| SimulatedAgent::done());
    run.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    let run = run.run();
    let end = RunEnd::Incomplete { step: 1, end: StepEnd::Cycling(2) };
    assert_eq!(run.machine.end(), Some(&end));
    assert_eq!(run.machine.state().groups[0].round, 1);
}

/// The rounds of the outer group are used up, although the inner one could continue.
#[test]
fn a_resume_does_not_go_on_in_an_inner_group_that_changed_nothing() {
    let same = |unit: crate::id::UnitId| match unit.step {
        3 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
    };
    let run = RunSimulation::new(plan("(x:1 -> (a:1 -> b):5):1"), same).run();
    let end = RunEnd::Incomplete { step: 3, end: StepEnd::MaxRounds(1) };
    assert_eq!(run.machine.end(), Some(&end));
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), same).run();
    assert_eq!((again.machine.end(), again.spawned.len()), (Some(&end), 0));
    let changes = LimitChanges { rounds: Count::parse("2").ok(), ..LimitChanges::default() };
    let more = RunSimulation::resumed(&run.events, changes, same).run();
    assert!(story_line(&more).starts_with("round 1.2, 1.2.1"), "{}", story_line(&more));
}

/// Nothing ran in the last round of the inner group, but something in the one before.
#[test]
fn a_round_in_which_an_inner_round_worked_is_no_cycle() {
    let plan = with_condition(with_condition(plan("((a -> b):2):3"), 1, None), 2, None);
    let plan = with_round_check(with_round_check(plan, 2, 2, "inner"), 2, 1, "outer");
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
    // Two conditions and the inner check; the same again and the outer check.
    let exit_codes = [0, 0, 1, 1, 1, 0, 1];
    let started = std::cell::Cell::new(0);
    let run = run.with_chores(move |_| {
        let number = started.replace(started.get() + 1);
        AuxJobScript::exiting(exit_codes.get(number).copied().unwrap_or(0))
    });
    let run = run.run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete), "{}", story_line(&run));
    assert_eq!(run.machine.state().groups[0].round, 2);
}

/// The new number is meant for the loop that is active, not for one that was replaced.
#[test]
fn a_lower_limit_is_not_for_a_replaced_loop_of_the_next_round() {
    let mut run = RunSimulation::new(plan("(a:4 else b:5):2"), |_| SimulatedAgent::exiting(0));
    while run.spawned.len() < 5 {
        assert!(run.step(), "it goes on");
    }
    let changes = LimitChanges { iterations: Count::parse("2").ok(), ..LimitChanges::default() };
    run.ask(ControlRequest::Set(changes));
    let limits = run.machine.state().plan.steps.iter().map(|step| step.iterations.map(Count::get));
    assert_eq!(limits.collect::<Vec<_>>(), [Some(4), Some(2)]);
}

/// Neither is it for a loop that begins again with the next round.
#[test]
fn a_resume_between_rounds_lowers_no_loop() {
    let refusing = |unit: crate::id::UnitId| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    };
    let run = RunSimulation::new(plan("(a:4 -> b:3):1"), refusing).run();
    assert_eq!(
        run.machine.end(),
        Some(&RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(1) })
    );
    let count = |text: &str| Count::parse(text).ok();
    let changes =
        LimitChanges { rounds: count("2"), iterations: count("1"), ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, refusing).run();
    assert_eq!(resumed.spawned.len(), 4, "{}", story_line(&resumed));
}

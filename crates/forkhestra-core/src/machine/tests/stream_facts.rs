//! Agents whose stream is parsed: the effect of outcomes on a loop, and completion.

use super::*;
use crate::event::{LimitChanges, OutcomeClass, Verdict};
use crate::id::UnitId;

fn finished() -> SimulatedAgent {
    SimulatedAgent::with_outcome(OutcomeClass::Finished)
}

fn idle(agent: SimulatedAgent) -> SimulatedAgent {
    agent.with(|stream| stream.tool_calls = 0)
}

fn requests(run: &RunSimulation) -> usize {
    run.kinds().filter(|kind| matches!(kind, EventKind::CompletionRequested { .. })).count()
}

#[test]
fn the_effect_of_each_class_on_a_loop() {
    let table = [
        (OutcomeClass::Finished, vec!["incomplete"; 3], "max_iterations"),
        (OutcomeClass::TurnLimit, vec!["incomplete"; 3], "max_iterations"),
        (OutcomeClass::Budget, vec!["incomplete"; 3], "max_iterations"),
        (OutcomeClass::Overloaded, vec!["crashed"; 3], "max_iterations"),
        (OutcomeClass::Authentication, vec!["blocked"], "authentication"),
        (OutcomeClass::Billing, vec!["blocked"], "billing"),
        (OutcomeClass::Misconfigured, vec!["blocked"], "misconfigured"),
        (OutcomeClass::ContextTooLong, vec!["incomplete"; 3], "max_iterations"),
        (OutcomeClass::Refused, vec!["crashed"; 3], "max_iterations"),
        (OutcomeClass::Interrupted, vec!["crashed"; 3], "max_iterations"),
        (OutcomeClass::Crashed, vec!["crashed"; 3], "max_iterations"),
    ];
    for (class, expected, end) in table {
        // A marker counts only if the stream ended well.
        let says_done_at_end = class != OutcomeClass::Finished;
        let agent =
            move |_| SimulatedAgent { says_done_at_end, ..SimulatedAgent::with_outcome(class) };
        let run = RunSimulation::new(plan("a:3"), agent).run();
        assert_eq!(verdicts(&run), expected, "{class:?}");
        assert_eq!(ends(run.machine.state()), format!("{end}: incomplete at 1"));
    }
}

#[test]
fn the_effect_of_each_class_on_an_agent_that_runs_once() {
    for class in OutcomeClass::ALL {
        let agent = move |unit: UnitId| match (class, unit.attempt) {
            (OutcomeClass::UsageLimit | OutcomeClass::Overloaded, 2) => finished(),
            _ => SimulatedAgent::with_outcome(class),
        };
        let run = RunSimulation::new(plan("a"), agent).run();
        let (verdicts, end) = (verdicts(&run), ends(run.machine.state()));
        match class {
            OutcomeClass::Finished => {
                assert_eq!((verdicts, end), (vec!["complete"], "exit_code: complete".to_owned()));
            }
            OutcomeClass::UsageLimit | OutcomeClass::Overloaded => {
                let expected = vec!["postponed", "complete"];
                assert_eq!((verdicts, end), (expected, "exit_code: complete".to_owned()));
            }
            _ => {
                let blocked = format!("{}: incomplete at 1", class.as_str());
                assert_eq!((verdicts, end), (vec!["blocked"], blocked));
            }
        }
    }
}

#[test]
fn a_context_that_is_too_long_from_the_beginning_ends_the_step() {
    let agent = |_| idle(SimulatedAgent::with_outcome(OutcomeClass::ContextTooLong));
    let run = RunSimulation::new(plan("a:3"), agent).run();
    assert_eq!(ends(run.machine.state()), "context_too_long: incomplete at 1");
}

#[test]
fn a_blocked_step_uses_up_no_iteration_and_is_tried_again_under_its_number() {
    for chain in ["a:3", "a"] {
        let blocked = |_| SimulatedAgent::with_outcome(OutcomeClass::Authentication);
        let run = RunSimulation::new(plan(chain), blocked).run();
        assert_eq!((run.spawned.len(), run.machine.state().steps[0].finished), (1, 0));
        let done = |_: UnitId| SimulatedAgent::understood_done();
        let again = RunSimulation::resumed(&run.events, LimitChanges::default(), done).run();
        assert_eq!(again.spawned, [UnitId { step: 1, iteration: 1, attempt: 2 }]);
        assert_eq!(again.machine.end(), Some(&RunEnd::Complete));
    }
}

/// The cause was not resolved, so a first resume only records the end.
#[test]
fn a_blocked_outcome_that_was_not_acted_upon_is_acted_upon() {
    let run =
        RunSimulation::new(plan("a:3"), |_| SimulatedAgent::with_outcome(OutcomeClass::Billing))
            .run();
    let events = up_to(&run, |kind| matches!(kind, EventKind::IterationFinished { .. }));
    let again = RunSimulation::resumed(&events, LimitChanges::default(), |_| finished()).run();
    assert_eq!((again.machine.end(), again.spawned.len()), (run.machine.end(), 0));
}

#[test]
fn a_done_file_counts_whatever_the_stream_says() {
    for class in OutcomeClass::ALL {
        let agent =
            move |_| SimulatedAgent { done_file: true, ..SimulatedAgent::with_outcome(class) };
        let run = RunSimulation::new(with_done_file("a:3"), agent).run();
        assert_eq!(ends(run.machine.state()), "file: complete", "{class:?}");
    }
}

#[test]
fn an_agent_that_is_through_has_half_a_minute_to_go_and_keeps_its_verdict() {
    let stays = |agent: SimulatedAgent| SimulatedAgent {
        exits_at: None,
        end: crate::event::ProcessEnd::Exited(143),
        ..agent.with(|stream| stream.concludes_at = Some(1000))
    };
    let table = [
        ("a:1", SimulatedAgent::understood_done(), "marker: complete"),
        ("a:1", finished(), "max_iterations: incomplete at 1"),
        ("a", finished(), "exit_code: complete"),
        ("a", SimulatedAgent::with_outcome(OutcomeClass::Refused), "refused: incomplete at 1"),
    ];
    for (chain, agent, expected) in table {
        let agent = stays(agent);
        let run = RunSimulation::new(plan(chain), move |_| agent.clone()).run();
        assert_eq!(ends(run.machine.state()), expected);
        assert_eq!((endings(&run), run.took().as_secs()), (vec![StopReason::Lingering], 31));
    }
}

#[test]
fn stream_output_after_the_stop_signal_revokes_nothing() {
    let agent = SimulatedAgent { exits_at: None, ..SimulatedAgent::understood_done() };
    let agent = agent.with(|stream| {
        stream.concludes_at = Some(1000);
        stream.class = OutcomeClass::Interrupted;
    });
    let run = RunSimulation::new(plan("a:1"), move |_| agent.clone()).run();
    assert_eq!(endings(&run), [StopReason::Lingering]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn a_marker_before_later_output_is_revoked() {
    let script = |unit: UnitId| {
        let agent = SimulatedAgent { exits_at: Some(60_000), ..SimulatedAgent::understood_done() };
        let agent = agent.with(|stream| {
            stream.concludes_at = Some(1000);
            stream.goes_on_at = Some(2000);
        });
        // The last message of the second one has no marker.
        SimulatedAgent { says_done_at_end: unit.iteration == 2, ..agent }
    };
    let mut run = RunSimulation::new(plan("a:1"), script);
    (0..3).for_each(|_| assert!(run.step()));
    let unit = run.spawned[0];
    let found_match = Some(support::samples::marker_match());
    run.feed(Input::Concluded { unit, marker_match: found_match.clone() });
    run.feed(Input::Concluded { unit, marker_match: found_match.clone() });
    assert_eq!(requests(&run), 1, "the same place is reported once");
    run.feed(Input::WentOn { unit });
    let moved = found_match
        .map(|found_match| crate::event::MarkerMatch { message: Some(7), ..found_match });
    run.feed(Input::Concluded { unit, marker_match: moved });
    assert_eq!(requests(&run), 2, "another place is reported");
    run.feed(Input::WentOn { unit });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!((endings(&run), run.took().as_secs()), (vec![], 60));
}

/// Its output was never read to the end, so no other message replaces the marker.
#[test]
fn a_revoked_marker_does_not_count_for_an_abandoned_agent() {
    let stuck = |_| {
        let agent =
            SimulatedAgent { exits_at: None, obeys: None, ..SimulatedAgent::understood_done() };
        agent.with(|stream| {
            stream.concludes_at = Some(1000);
            stream.goes_on_at = Some(2000);
        })
    };
    let plan = limited("a:1", |limits| limits.timeout = limit("20s"));
    let run = RunSimulation::new(plan, stuck).run();
    assert_eq!((verdicts(&run), requests(&run)), (vec!["ended"], 1));
}

#[test]
fn a_cancelled_agent_asks_for_nothing() {
    let agent = |_| SimulatedAgent { exits_at: None, ..SimulatedAgent::understood_done() };
    let run = RunSimulation::new(plan("a:1"), agent);
    let run = run.cancelled_at(5000, crate::event::CancelCause::Interrupt).run();
    assert_eq!((verdicts(&run), requests(&run)), (vec!["interrupted"], 0));
}

#[test]
fn the_end_of_the_output_overrides_an_earlier_marker() {
    let mut run = RunSimulation::new(plan("a:1"), |_| finished());
    (0..3).for_each(|_| assert!(run.step()));
    let unit = run.spawned[0];
    run.feed(Input::Concluded { unit, marker_match: Some(support::samples::marker_match()) });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn a_done_file_is_not_taken_back_by_the_stream() {
    let agent = |_| {
        let agent = SimulatedAgent { done_file: true, exits_at: Some(60_000), ..finished() };
        agent.with(|stream| {
            stream.concludes_at = Some(10_000);
            stream.goes_on_at = Some(11_000);
        })
    };
    let run = RunSimulation::new(with_done_file("a:1"), agent).run();
    assert_eq!(ends(run.machine.state()), "file: complete");
    assert_eq!(requests(&run), 1);
}

#[test]
fn a_futile_stream_ends_its_agent() {
    let futile = |class| {
        let agent = SimulatedAgent {
            exits_at: None,
            ..SimulatedAgent::with_outcome(OutcomeClass::Interrupted)
        };
        agent.with(|stream| stream.futile_at = Some((1000, class)))
    };
    let blocked = move |_| futile(OutcomeClass::Authentication);
    let run = RunSimulation::new(plan("a:3"), blocked).run();
    assert_eq!(endings(&run), [StopReason::Futile]);
    assert_eq!(ends(run.machine.state()), "authentication: incomplete at 1");
    let stream_summary = run.kinds().find_map(|kind| match kind {
        EventKind::IterationFinished { report, .. } => report.stream_summary.clone(),
        _ => None,
    });
    let stream_summary = stream_summary.expect("it is understood");
    assert_eq!(
        (stream_summary.outcome.class, stream_summary.activity.tool_calls),
        (OutcomeClass::Authentication, 1)
    );

    let limited = move |_| futile(OutcomeClass::TurnLimit);
    let run = RunSimulation::new(plan("a:3"), limited).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
}

#[test]
fn the_stream_result_counts_even_if_the_agent_exited_first() {
    let agent = |_| {
        let agent = SimulatedAgent { read_at: 5000, ..finished() };
        agent.with(|stream| stream.futile_at = Some((1000, OutcomeClass::Billing)))
    };
    let run = RunSimulation::new(plan("a:3"), agent).run();
    assert_eq!(
        (endings(&run), ends(run.machine.state())),
        (vec![], "billing: incomplete at 1".into())
    );
}

#[test]
fn our_own_limit_wins_over_a_later_stream_result() {
    let plan = limited("a:1", |limits| limits.timeout = limit("30s"));
    let agent = |_| SimulatedAgent {
        exits_at: None,
        ..SimulatedAgent::with_outcome(OutcomeClass::Authentication)
    };
    let run = RunSimulation::new(plan, agent).run();
    assert_eq!((verdicts(&run), endings(&run)), (vec!["ended"], vec![StopReason::Timeout]));
}

const IDLE_TALK: &str = "the agent claims completion, but it used no tool and changed nothing";

#[test]
fn an_agent_that_is_done_without_having_done_anything_is_suspicious() {
    let run = RunSimulation::new(plan("a:3"), |_| idle(SimulatedAgent::understood_done())).run();
    assert_eq!(warnings(&run), [IDLE_TALK]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
    let run = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::understood_done()).run();
    assert_eq!(warnings(&run), [""; 0]);
}

#[test]
fn a_claim_without_required_work_is_refused() {
    let mut plan = plan("a:3");
    plan.steps[0].require_work = true;
    let script = |unit: UnitId| match unit.iteration {
        3 => SimulatedAgent::understood_done(),
        _ => idle(SimulatedAgent::understood_done()),
    };
    let run = RunSimulation::new(plan.clone(), script).run();
    assert_eq!(verdicts(&run), ["refused", "refused", "complete"]);
    assert_eq!(warnings(&run), [IDLE_TALK; 2]);

    // A change of the work tree is work, whatever the stream reports.
    let changing = |unit: UnitId| {
        let tree = Some(if unit.iteration == 1 { 'x' } else { 'y' });
        SimulatedAgent { tree, says_done_at_end: unit.iteration == 2, ..idle(finished()) }
    };
    assert_eq!(verdicts(&RunSimulation::new(plan, changing).run()), ["incomplete", "complete"]);
}

#[test]
fn completion_by_a_program_is_accepted_unless_the_tree_is_unchanged() {
    let mut plan = plan("a:3");
    plan.steps[0].require_work = true;
    let run = RunSimulation::new(plan.clone(), |_| SimulatedAgent::done()).run();
    assert_eq!((verdicts(&run), warnings(&run).len()), (vec!["complete"], 0));
    let same = |unit: UnitId| {
        let agent =
            if unit.iteration == 1 { SimulatedAgent::exiting(0) } else { SimulatedAgent::done() };
        SimulatedAgent { tree: Some('x'), ..agent }
    };
    let run = RunSimulation::new(plan.clone(), same).run();
    assert_eq!(verdicts(&run), ["incomplete", "refused", "refused"]);
    plan.steps[0].require_work = false;
    let run = RunSimulation::new(plan, same).run();
    assert_eq!((verdicts(&run), warnings(&run).len()), (vec!["incomplete", "complete"], 0));
}

#[test]
fn a_refused_request_is_an_outcome() {
    let mut plan = plan("a:2");
    plan.steps[0].require_work = true;
    let run = RunSimulation::new(plan, |_| idle(SimulatedAgent::understood_done())).run();
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(run.machine.state().steps[0].finished, 2);
    let last = run.machine.state().steps[0].last.as_ref().map(|report| &report.verdict);
    assert!(matches!(last, Some(Verdict::Refused(_))));
}

//! Tests of checks in the run report.

use forkhestra_core::event::{
    AuxJob, CancelCause, CheckOutcome, CheckReport, ClaimRefusal, EventKind, Observation,
    ProcessEnd, RunEnd, StepEnd, Verdict,
};
use forkhestra_core::history::RunHistory;
use forkhestra_core::marker::Marker;
use forkhestra_core::scan::MarkerScanner;
use insta::assert_snapshot;

use super::support::aux_jobs::{check, unit};
use super::support::event_script::{EventScript, marker};
use crate::cli::started_program::StartedProgram;
use crate::logs;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::{RunScreen, ScreenAction};

const TEST: &str = "command:\"cargo test\"";

/// A loop with two checks.
fn script() -> EventScript {
    EventScript::of("builder:20").checked_by(1, TEST).checked_by(1, "file:DONE.md").step(1)
}

fn failed(lines: usize) -> CheckReport {
    let tail: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
    CheckReport { tail: Some(tail), ..check(TEST, CheckOutcome::Failed) }
}

#[test]
fn each_check_is_reported_and_a_refusal_names_the_failed_ones() {
    let (bad, good) = (failed(2), check("file:DONE.md", CheckOutcome::Passed));
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let script = script()
        .iteration(1, 1)
        .gone((1, 1))
        .check((1, 1), bad.clone())
        .check((1, 1), good.clone())
        .weighed((1, 1), refused, vec![bad, good], Observation::default());
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Check failed: cargo test: exit 101
    [forkhestra]   | line 1
    [forkhestra]   | line 2
    [forkhestra] Check passed: file:DONE.md (2.1s)
    [forkhestra] Iteration 1/20 claimed completion; refused: 1 check failed (cargo test)
    ");
}

#[test]
fn hanging_and_unrunnable_checks_are_distinguished_from_failed_ones() {
    let script = script()
        .check((1, 1), check(TEST, CheckOutcome::TimedOut))
        .check((1, 1), check("./green.sh", CheckOutcome::NotRun));
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Check failed: cargo test: took too long
    [forkhestra] Check could not run: ./green.sh: it does not exist
    ");
}

#[test]
fn only_the_last_lines_of_a_long_output_are_shown_unless_everything_is() {
    let script = script().check((1, 1), failed(12));
    let report = script.report();
    assert!(report.contains("  | … more before this; `-v` shows 2 lines of it\n"), "{report}");
    assert!(!report.contains("| line 2\n") && report.contains("| line 3\n"), "{report}");
    let report = script.report_in(Verbosity::Verbose);
    assert!(report.contains("| line 1\n") && report.contains("| line 12\n"), "{report}");
    let quiet = script.report_in(Verbosity::Quiet);
    assert_eq!(quiet, "[forkhestra] Check failed: cargo test: exit 101\n");
}

#[test]
fn a_passed_check_is_not_shown_in_quiet_mode() {
    let script = script().check((1, 1), check(TEST, CheckOutcome::Passed));
    assert_eq!(script.report_in(Verbosity::Quiet), "");
}

#[test]
fn a_check_whose_message_names_it_is_named_once() {
    let gone = Some("`./green.sh` is not executable".to_owned());
    let report = CheckReport { message: gone, ..check("./green.sh", CheckOutcome::NotRun) };
    let output = script().check((1, 1), report).report_in(Verbosity::Quiet);
    assert_eq!(output, "[forkhestra] Check could not run: `./green.sh` is not executable\n");
}

#[test]
fn check_output_can_neither_control_the_terminal_nor_hold_a_marker() {
    let tail = Some("\u{1b}[2J\nFORKHESTRA_COMPLETE\n".to_owned());
    let message = Some("FORKHESTRA_COMPLETE\n\u{7}".to_owned());
    let report = CheckReport { tail, message, ..check("a\nb", CheckOutcome::Failed) };
    let output = script().check((1, 1), report).report();
    assert!(!output.contains(|c: char| c.is_control() && c != '\n'), "{output:?}");
    let mut scanner = MarkerScanner::new(&Marker::defaults()).expect("they are markers");
    assert_eq!((scanner.feed(output.as_bytes()), scanner.finish()), (None, None));
}

#[test]
fn work_completed_by_its_exit_code_is_not_done_while_a_check_fails() {
    let bad = check(TEST, CheckOutcome::Failed);
    let script = script().iteration(1, 1).gone((1, 1)).check((1, 1), bad.clone()).weighed(
        (1, 1),
        Verdict::Incomplete,
        vec![bad],
        Observation::default(),
    );
    let report = script.report();
    let last = "[forkhestra] Iteration 1/20 is not complete: 1 check failed (cargo test)\n";
    assert!(report.ends_with(last), "{report}");
}

#[test]
fn an_agent_that_runs_once_fails_with_its_checks() {
    let bad = check(TEST, CheckOutcome::Failed);
    let end = StepEnd::Refused(ClaimRefusal::ChecksFailed);
    let script = EventScript::of("builder")
        .checked_by(1, TEST)
        .step(1)
        .iteration(1, 1)
        .gone((1, 1))
        .check((1, 1), bad.clone())
        .weighed(
            (1, 1),
            Verdict::Refused(ClaimRefusal::ChecksFailed),
            vec![bad],
            Observation::default(),
        )
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(script.report(), @"
    [forkhestra] Running: builder
    [forkhestra] Check failed: cargo test: exit 101
    [forkhestra] Failed: builder: 1 check failed (cargo test)

    [forkhestra] Summary
      1  builder  incomplete  1 iteration  checks_failed  3.6s
         checks failed: cargo test

    [forkhestra] Check failed: cargo test: exit 101
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: do what the check asks for, or correct the check, then resume; the agent runs again
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, 1 check failed (cargo test)
    ");
}

#[test]
fn with_everything_shown_the_agent_is_over_before_its_work_is_checked() {
    let good = check(TEST, CheckOutcome::Passed);
    let script = script().iteration(1, 1).gone((1, 1)).check((1, 1), good.clone()).weighed(
        (1, 1),
        Verdict::Complete(marker()),
        vec![good],
        Observation::default(),
    );
    assert_snapshot!(script.report_in(Verbosity::Verbose), @"
    [forkhestra]   run: q7w3k9zt
    [forkhestra]   chain: builder:20
    [forkhestra]   working directory: /work
    [forkhestra]   state directory: /state/q7w3k9zt
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra]   agent: program /bin/builder (PATH)
    [forkhestra]   prompt: none
    [forkhestra]   check: tasks
    [forkhestra]   check: cargo test
    [forkhestra]   check: file:DONE.md
    [forkhestra] Iteration 1/20
    [forkhestra]   pid: 4711
    [forkhestra]   exit 0 after 1.5s, 1234 bytes on stdout, 0 on stderr
    [forkhestra] Check passed: cargo test (2.1s)
    ");
}

#[test]
fn the_live_line_names_what_is_checked() {
    let script = script().iteration(1, 1).after(60_000);
    let gone = script.gone((1, 1));
    let text = |script: &EventScript, after| script.status_after(after).expect("something goes on");
    assert_eq!(text(&gone, 3_000), "[Agent: builder] Iteration 1/20 | checking | 3s");
    let checking = gone.clone().aux_job_started(AuxJob::Check { unit: unit(1, 1), number: 2 });
    assert_eq!(
        text(&checking, 135_000),
        "[Agent: builder] Iteration 1/20 | checking: cargo test | 2m 15s"
    );
    let next = checking.check((1, 1), check(TEST, CheckOutcome::Passed));
    assert_eq!(text(&next, 1_000), "[Agent: builder] Iteration 1/20 | checking | 1s");
    let room = gone.in_a_room(1, "npm ci").aux_job_started(AuxJob::Setup { unit: unit(1, 1) });
    assert_eq!(text(&room, 5_000), "[Agent: builder] Iteration 1/20 | clean room: npm ci | 5s");
    let over = next.iteration_finished((1, 1), Verdict::Incomplete, ProcessEnd::Exited(0));
    assert_eq!(over.status_after(0), None);
}

#[test]
fn an_interruption_reports_the_ended_process() {
    let script = script().iteration(1, 1).gone((1, 1));
    let by = CancelCause::Interrupt;
    let report = |aux_job| {
        let report =
            script.clone().aux_job_started(aux_job).then(EventKind::Cancelled { by }).report();
        report.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        report(AuxJob::Check { unit: unit(1, 1), number: 1 }),
        "[forkhestra] Interrupted (SIGINT): ending the check; a second signal kills it at once"
    );
    assert_eq!(
        report(AuxJob::Setup { unit: unit(1, 1) }),
        "[forkhestra] Interrupted (SIGINT): ending the setup of the clean room; \
         a second signal kills it at once"
    );
}

#[test]
fn a_second_signal_is_reported_by_its_effect() {
    let check = AuxJob::Check { unit: unit(1, 1), number: 1 };
    let script = script().iteration(1, 1).gone((1, 1)).aux_job_started(check);
    let report = |signals: &[CancelCause]| {
        let then =
            |script: EventScript, by: &CancelCause| script.then(EventKind::Cancelled { by: *by });
        let report = signals.iter().fold(script.clone(), then).report();
        report.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        report(&[CancelCause::Interrupt, CancelCause::Terminate]),
        "[forkhestra] Interrupted again (SIGTERM): killing the check"
    );
    // A cause that accompanies the first one does not escalate.
    assert_eq!(
        report(&[CancelCause::Interrupt, CancelCause::OutputClosed]),
        "[forkhestra] Interrupted (the output is closed): ending the check"
    );
}

#[test]
fn every_line_of_ours_begins_with_the_name_of_the_program() {
    let bad = failed(2);
    let end = StepEnd::MaxIterations;
    let mut script = script()
        .iteration(1, 1)
        .gone((1, 1))
        .check((1, 1), bad.clone())
        .weighed((1, 1), Verdict::Incomplete, vec![bad], Observation::default())
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    script.program = StartedProgram::RalphRunner;
    let report = script.report();
    assert!(!report.contains("[forkhestra]"), "{report}");
    let ours = |line: &&str| !line.is_empty() && !line.starts_with("  ");
    assert!(report.lines().filter(ours).all(|line| line.starts_with("[ralph] ")), "{report}");
}

#[test]
fn an_agent_whose_work_is_checked_has_left_the_screen() {
    let script = script().iteration(1, 1).gone((1, 1));
    let mut screen = RunScreen::new(script.reporter(Verbosity::Normal), false);
    let last = script.events.last().expect("something has happened");
    let history = RunHistory::of(&script.recorded()).expect("it can have happened");
    assert_eq!(screen.event(last, &history), [ScreenAction::AgentIsGone(None)]);
}

#[test]
fn an_agent_whose_work_is_checked_prints_nothing_more() {
    let script = script().iteration(1, 1).gone((1, 1));
    let (first, rest) = script.events.split_first().expect("something has happened");
    let mut played = logs::RunAttempts::begin(first).expect("it is the first");
    rest.iter().for_each(|event| played.apply(event).expect("it can have happened"));
    let last = played.tries.last().expect("an agent was started");
    assert!(last.is_over);
    assert_eq!(last.printed.stdout, 1234);
}

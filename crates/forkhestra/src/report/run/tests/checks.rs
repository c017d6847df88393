//! Tests of checks in the run report.

use forkhestra_core::event::{
    AgentEnd, AuxJob, CancelCause, CheckOutcome, CheckReport, ClaimRefusal, EventKind, Observation,
    RunEnd, StepEnd, Verdict,
};
use forkhestra_core::history::RunHistory;
use forkhestra_core::marker::Marker;
use forkhestra_core::scan::MarkerScanner;
use insta::assert_snapshot;

use super::support::aux_jobs::{check, unit};
use super::support::event_script::{EventScript, marker};
use crate::cli::started_program::StartedProgram;
use crate::logs;
use crate::report::plan::dry_run::DryRunDetail;
use crate::report::run::{RunScreen, ScreenAction};

const TEST: &str = "command:\"cargo test\"";

/// A loop with two checks.
fn story() -> EventScript {
    EventScript::of("builder:20").checked_by(1, TEST).checked_by(1, "file:DONE.md").step(1)
}

fn failed(lines: usize) -> CheckReport {
    let tail: String = (1..=lines).map(|line| format!("line {line}\n")).collect();
    CheckReport { tail: Some(tail), ..check(TEST, CheckOutcome::Failed) }
}

#[test]
fn each_check_is_told_and_a_refusal_names_those_that_did_not_pass() {
    let (bad, good) = (failed(2), check("file:DONE.md", CheckOutcome::Passed));
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let story = story()
        .iteration(1, 1)
        .gone((1, 1))
        .check((1, 1), bad.clone())
        .check((1, 1), good.clone())
        .weighed((1, 1), refused, vec![bad, good], Observation::default());
    assert_snapshot!(story.told(), @"
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
fn checks_that_hang_or_cannot_run_are_told_from_those_that_fail() {
    let story = story()
        .check((1, 1), check(TEST, CheckOutcome::TimedOut))
        .check((1, 1), check("./green.sh", CheckOutcome::NotRun));
    assert_snapshot!(story.told(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Check failed: cargo test: took too long
    [forkhestra] Check could not run: ./green.sh: it does not exist
    ");
}

#[test]
fn only_the_last_lines_of_a_long_output_are_shown_unless_everything_is() {
    let story = story().check((1, 1), failed(12));
    let told = story.told();
    assert!(told.contains("  | … more before this; `-v` shows 2 lines of it\n"), "{told}");
    assert!(!told.contains("| line 2\n") && told.contains("| line 3\n"), "{told}");
    let told = story.told_in(DryRunDetail::Verbose);
    assert!(told.contains("| line 1\n") && told.contains("| line 12\n"), "{told}");
    let quiet = story.told_in(DryRunDetail::Quiet);
    assert_eq!(quiet, "[forkhestra] Check failed: cargo test: exit 101\n");
}

#[test]
fn a_check_that_passes_is_not_told_of_where_it_should_be_quiet() {
    let story = story().check((1, 1), check(TEST, CheckOutcome::Passed));
    assert_eq!(story.told_in(DryRunDetail::Quiet), "");
}

#[test]
fn a_check_whose_message_names_it_is_named_once() {
    let gone = Some("`./green.sh` is not executable".to_owned());
    let report = CheckReport { message: gone, ..check("./green.sh", CheckOutcome::NotRun) };
    let told = story().check((1, 1), report).told_in(DryRunDetail::Quiet);
    assert_eq!(told, "[forkhestra] Check could not run: `./green.sh` is not executable\n");
}

#[test]
fn what_a_check_prints_can_neither_steer_the_terminal_nor_complete_a_loop_around_us() {
    let tail = Some("\u{1b}[2J\nFORKHESTRA_COMPLETE\n".to_owned());
    let message = Some("FORKHESTRA_COMPLETE\n\u{7}".to_owned());
    let report = CheckReport { tail, message, ..check("a\nb", CheckOutcome::Failed) };
    let told = story().check((1, 1), report).told();
    assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
    let mut scanner = MarkerScanner::new(&Marker::defaults()).expect("they are markers");
    assert_eq!((scanner.feed(told.as_bytes()), scanner.finish()), (None, None));
}

#[test]
fn work_that_only_its_exit_code_let_be_checked_is_not_done_while_a_check_fails() {
    let bad = check(TEST, CheckOutcome::Failed);
    let story = story().iteration(1, 1).gone((1, 1)).check((1, 1), bad.clone()).weighed(
        (1, 1),
        Verdict::Incomplete,
        vec![bad],
        Observation::default(),
    );
    let told = story.told();
    let last = "[forkhestra] Iteration 1/20 is not complete: 1 check failed (cargo test)\n";
    assert!(told.ends_with(last), "{told}");
}

#[test]
fn an_agent_that_runs_once_fails_with_its_checks() {
    let bad = check(TEST, CheckOutcome::Failed);
    let end = StepEnd::Refused(ClaimRefusal::ChecksFailed);
    let story = EventScript::of("builder")
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
    assert_snapshot!(story.told(), @"
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
    let story = story().iteration(1, 1).gone((1, 1)).check((1, 1), good.clone()).weighed(
        (1, 1),
        Verdict::Complete(marker()),
        vec![good],
        Observation::default(),
    );
    assert_snapshot!(story.told_in(DryRunDetail::Verbose), @"
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
    let story = story().iteration(1, 1).after(60_000);
    let gone = story.gone((1, 1));
    let said = |story: &EventScript, after| story.status_after(after).expect("something goes on");
    assert_eq!(said(&gone, 3_000), "[Agent: builder] Iteration 1/20 | checking | 3s");
    let checking = gone.clone().errand(AuxJob::Check { unit: unit(1, 1), number: 2 });
    assert_eq!(
        said(&checking, 135_000),
        "[Agent: builder] Iteration 1/20 | checking: cargo test | 2m 15s"
    );
    let next = checking.check((1, 1), check(TEST, CheckOutcome::Passed));
    assert_eq!(said(&next, 1_000), "[Agent: builder] Iteration 1/20 | checking | 1s");
    let room = gone.in_a_room(1, "npm ci").errand(AuxJob::Setup { unit: unit(1, 1) });
    assert_eq!(said(&room, 5_000), "[Agent: builder] Iteration 1/20 | clean room: npm ci | 5s");
    let over = next.over((1, 1), Verdict::Incomplete, AgentEnd::Exited(0));
    assert_eq!(over.status_after(0), None);
}

#[test]
fn an_interruption_says_what_is_ended() {
    let story = story().iteration(1, 1).gone((1, 1));
    let by = CancelCause::Interrupt;
    let told = |errand| {
        let told = story.clone().errand(errand).then(EventKind::Cancelled { by }).told();
        told.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        told(AuxJob::Check { unit: unit(1, 1), number: 1 }),
        "[forkhestra] Interrupted (SIGINT): ending the check; a second signal kills it at once"
    );
    assert_eq!(
        told(AuxJob::Setup { unit: unit(1, 1) }),
        "[forkhestra] Interrupted (SIGINT): ending the setup of the clean room; \
         a second signal kills it at once"
    );
}

#[test]
fn a_second_signal_is_told_as_what_it_does_and_not_as_the_first() {
    let check = AuxJob::Check { unit: unit(1, 1), number: 1 };
    let story = story().iteration(1, 1).gone((1, 1)).errand(check);
    let told = |signals: &[CancelCause]| {
        let then =
            |story: EventScript, by: &CancelCause| story.then(EventKind::Cancelled { by: *by });
        let told = signals.iter().fold(story.clone(), then).told();
        told.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(
        told(&[CancelCause::Interrupt, CancelCause::Terminate]),
        "[forkhestra] Interrupted again (SIGTERM): killing the check"
    );
    // A cause that accompanies the first one does not escalate.
    assert_eq!(
        told(&[CancelCause::Interrupt, CancelCause::OutputClosed]),
        "[forkhestra] Interrupted (the output is closed): ending the check"
    );
}

#[test]
fn every_line_of_ours_begins_with_the_name_of_the_program() {
    let bad = failed(2);
    let end = StepEnd::MaxIterations;
    let mut story = story()
        .iteration(1, 1)
        .gone((1, 1))
        .check((1, 1), bad.clone())
        .weighed((1, 1), Verdict::Incomplete, vec![bad], Observation::default())
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    story.program = StartedProgram::RalphRunner;
    let told = story.told();
    assert!(!told.contains("[forkhestra]"), "{told}");
    let ours = |line: &&str| !line.is_empty() && !line.starts_with("  ");
    assert!(told.lines().filter(ours).all(|line| line.starts_with("[ralph] ")), "{told}");
}

#[test]
fn an_agent_whose_work_is_checked_has_left_the_screen() {
    let story = story().iteration(1, 1).gone((1, 1));
    let mut screen = RunScreen::new(story.reporter(DryRunDetail::Normal), false);
    let last = story.events.last().expect("something has happened");
    let history = RunHistory::of(&story.recorded()).expect("it can have happened");
    assert_eq!(screen.event(last, &history), [ScreenAction::AgentIsGone]);
}

#[test]
fn an_agent_whose_work_is_checked_prints_nothing_more() {
    let story = story().iteration(1, 1).gone((1, 1));
    let (first, rest) = story.events.split_first().expect("something has happened");
    let mut played = logs::RunAttempts::begin(first).expect("it is the first");
    rest.iter().for_each(|event| played.apply(event).expect("it can have happened"));
    let last = played.tries.last().expect("an agent was started");
    assert!(last.is_over);
    assert_eq!(last.printed.stdout, 1234);
}

//! Tests of recorded runs: `show` and the summary page.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anstream::adapter::strip_str;
use forkhestra_core::event::{
    Answer, AnswerSource, CancelCause, CheckOutcome, CheckReport, ClaimRefusal, CommitSummary,
    CompletionSignal, EventKind, Observation, OutcomeClass, PathList, RunEnd, StepEnd, Verdict,
    WorkSummary, WorkTreeSnapshot,
};
use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::time::Timestamp;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::view::ViewFacts;
use forkhestra_store::{RunDir, format};
use insta::assert_snapshot;
use testkit::TestEnv;

use super::provider::postponed;
use super::support::aux_jobs::check;
use super::support::event_script::{EventScript, marker};
use crate::report::show::{self, ShowDetail, ShownRunFacts};
use crate::report::summary_page;
use crate::report::text::run_commands::RunCommands;

const TEST: &str = "command:\"cargo test\"";

impl EventScript {
    /// The summary page of the run.
    fn page(&self) -> String {
        let history = RunHistory::of(&self.recorded()).expect("it can have happened");
        let resume = Some("forkhestra resume q7w3k9zt".to_owned());
        let facts = ViewFacts { journal: PathBuf::from("/state/q7w3k9zt/journal.jsonl"), resume };
        summary_page::render(&history, &facts)
    }

    /// Renders the run as a subject of `show`, without colours.
    fn rendered(
        &self,
        liveness: Liveness,
        columns: Option<usize>,
        render: impl Fn(&ShownRunFacts<'_>) -> String,
    ) -> String {
        let env = TestEnv::new();
        let directory = env.root().join("20260921T134320Z-q7w3k9zt");
        fs::create_dir(&directory).expect("it is new");
        let lines = (0..).zip(self.recorded());
        let lines = lines.map(|(seq, event)| format::encode(&event, seq) + "\n");
        fs::write(directory.join("journal.jsonl"), lines.collect::<String>())
            .expect("it can be written");
        let run = RunDir::at(&directory).expect("it is the directory of a run");
        let past = recorded_run::read(&run).expect("it can be read");
        let resume_command = "forkhestra resume q7w3k9zt".to_owned();
        let now = Timestamp::default();
        let subject = ShownRunFacts {
            forks: Vec::new(),
            run: &run,
            past: &past,
            liveness,
            owner: None,
            resume_command,
            commands: RunCommands::example(""),
            now,
            columns,
        };
        strip_str(&render(&subject)).to_string()
    }

    /// The output of `show -v`, from the steps on.
    fn shown(&self, liveness: Liveness) -> String {
        let shown =
            self.rendered(liveness, None, |subject| show::render(subject, ShowDetail::Last));
        let shown = &shown[shown.find("Steps:").expect("there are steps")..];
        let (shown, rest) = shown.split_once("Files:").expect("there are files");
        let (_, rest) = rest.split_once("\n\n").expect("something is said below them");
        format!("{shown}{rest}")
    }
}

fn observation(number: u32, protected: &[&str]) -> Observation {
    let protected = Some(PathList::of(protected.iter().map(|&path| path.to_owned())));
    let snapshot = Some(WorkTreeSnapshot { number, commit: "c0ffee".to_owned() });
    Observation { protected, snapshot, ..Observation::default() }
}

/// A loop whose completion claim was refused twice, for different reasons.
fn story() -> EventScript {
    let bad = check(TEST, CheckOutcome::Failed);
    let commit =
        CommitSummary { id: "1a2b3c4d5e6f".to_owned(), subject: "Do | the work".to_owned() };
    let work = WorkSummary {
        commits: vec![commit],
        more_commits: 0,
        files: 2,
        insertions: 30,
        deletions: 4,
        ..WorkSummary::default()
    };
    let end = StepEnd::MaxIterations;
    EventScript::of("builder:2")
        .checked_by(1, TEST)
        .protecting(1, "tests/**")
        .then(EventKind::StepStarted {
            instead_of: None,
            step: 1,
            observation: observation(0, &[]),
        })
        .iteration(1, 1)
        .gone((1, 1))
        .weighed(
            (1, 1),
            Verdict::Refused(ClaimRefusal::ChecksFailed),
            vec![bad],
            observation(1, &[]),
        )
        .iteration(1, 2)
        .weighed(
            (1, 2),
            Verdict::Refused(ClaimRefusal::ProtectedFiles),
            Vec::new(),
            observation(2, &["tests/a.rs"]),
        )
        .surveyed(1, work)
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end })
}

#[test]
fn a_screen_wraps_the_state_and_has_a_line_for_a_long_reason() {
    let why = "TASK-001 is blocked, TASK-002 waits for TASK-001, TASK-003 waits for TASK-002";
    let end = StepEnd::TasksBlocked(why.to_owned());
    let script = EventScript::of("builder:2")
        .step(1)
        .iteration(1, 1)
        .weighed((1, 1), Verdict::Incomplete, Vec::new(), Observation::default())
        .step_over(1, end.clone())
        .end(RunEnd::Incomplete { step: 1, end });
    let screen = script.rendered(Liveness::Gone, Some(80), show::page);
    let lines: Vec<&str> =
        screen.lines().skip(1).take(8).filter(|line| !line.contains("time ")).collect();
    assert_snapshot!(lines.join("\n"), @"
      state  incomplete (0/1 steps): step 1, builder, no task can be claimed:
             TASK-001 is blocked, TASK-002 waits for TASK-001, TASK-003 waits for
             TASK-002
      work   1 iteration
    Steps:
      1  builder  incomplete  1/2 iterations    0s
         no task can be claimed: TASK-001 is blocked, TASK-002 waits for TASK-001, …
    ");
    let piped = script.rendered(Liveness::Gone, None, show::page);
    let state = piped.lines().nth(1).unwrap_or_default();
    assert!(state.ends_with(why), "{piped}");
}

/// The duration of a run does not contain it.
#[test]
fn a_wait_for_an_answer_is_told_beside_the_duration() {
    let answer = Answer { question: 1, approved: true, text: None, by: AnswerSource::Person };
    let asked = EventKind::Asked { step: 2, question: 1, text: None, until: None };
    let mut script = EventScript::of("a -> ?").once(1, 0).step(2).then(asked);
    let before = script.events.len();
    script = script.then(EventKind::Answered { step: 2, answer });
    script = script.step_over(2, StepEnd::Complete(CompletionSignal::Approved));
    script = script.end(RunEnd::Complete);
    let page = |script: &EventScript| script.rendered(Liveness::Gone, None, show::page);
    assert!(!page(&script).contains("waited"), "{}", page(&script));
    for event in &mut script.events[before..] {
        event.at = event.at.saturating_add(Duration::from_secs(72));
    }
    assert!(page(&script).contains("(1.5s, waited 1m 12s for an answer)\n"), "{}", page(&script));
    let all =
        script.rendered(Liveness::Gone, None, |subject| show::render(subject, ShowDetail::All));
    assert!(all.contains("  waited     1m 12s for an answer\n"), "{all}");
}

#[test]
fn only_a_run_that_is_going_on_waits_for_a_limit() {
    let script = postponed(OutcomeClass::UsageLimit, 8_040);
    let wait = "  waits  for the usage limit until ";
    let shown = |liveness| script.rendered(liveness, None, show::page);
    assert!(shown(Liveness::Alive).contains(wait), "{}", shown(Liveness::Alive));
    assert!(!shown(Liveness::Gone).contains("waits"), "{}", shown(Liveness::Gone));
}

#[test]
fn the_summary_page_has_checks_and_work() {
    let page = story().page();
    let lines = page.lines().filter(|line| !line.contains("ed: 2026"));
    assert_snapshot!(lines.collect::<Vec<_>>().join("\n"), @r#"
    # Run q7w3k9zt: builder:2

    **Incomplete: 0 of 1 steps; step 1, builder, not complete after 2 iterations**

    - chain: `builder:2`
    - directory: `/work`
    - time: 1.5s
    - iterations: 2
    - work: 1 commit, +30 -4 lines
    - journal: `/state/q7w3k9zt/journal.jsonl`
    - logs: `/state/q7w3k9zt`
    - what to do: put the protected files back (`git restore --source=refs/forkhestra/q7w3k9zt/0 -- tests/a.rs`; delete protected files that are new, and omit them from this command), then resume; or allow changes (`"onProtectedChange": "allow"` in the config, or `--no-protect-scripts` for scripts of checks), and start a new run (resume keeps the plan as it was)
    - to resume: `forkhestra resume q7w3k9zt`

    ## Steps

    | step | agent | state | iterations | reason | time |
    |---|---|---|---|---|---|
    | 1 | builder | max_iterations | 2 | max_iterations; refused: it changed protected files: tests/a.rs | 1.5s |

    ## Work of step 1, builder

    1 commit; 2 files changed, +30 -4

    - `1a2b3c4` Do \| the work

    ## Iterations of step 1, builder

    | iteration | verdict | reason | time | output |
    |---|---|---|---|---|
    | 1 | refused | 1 check failed (cargo test) | 1.5s | 1234 bytes |
    | 2 | refused | it changed protected files: tests/a.rs | 1.5s | 1234 bytes |
    "#);
}

#[test]
fn a_finished_run_shows_refused_claims_and_kept_snapshots() {
    assert_snapshot!(story().shown(Liveness::Gone), @r#"
    Steps:
      1  builder  max_iterations  2/2 iterations    1.5s
         max_iterations; refused: it changed protected files: tests/a.rs
         1 commit; 2 files changed, +30 -4
           1a2b3c4 Do | the work

    Iterations of step 1, builder:
      1  refused  1 check failed (cargo test)             1.5s  1.2 KiB  work tree 1
      2  refused  it changed protected files: tests/a.rs  1.5s  1.2 KiB  work tree 2

    Work trees:
      kept as     refs/forkhestra/q7w3k9zt/0 to refs/forkhestra/q7w3k9zt/2
      to compare  forkhestra diff q7w3k9zt
      to go back  forkhestra rewind q7w3k9zt --to N (`--list` lists them)
      one file    git restore --source=refs/forkhestra/q7w3k9zt/0 -- PATH

    What to do: put the protected files back (`git restore --source=refs/forkhestra/q7w3k9zt/0 -- tests/a.rs`; delete protected files that are new, and omit them from this command), then resume; or allow changes (`"onProtectedChange": "allow"` in the config, or `--no-protect-scripts` for scripts of checks), and start a new run (resume keeps the plan as it was)
    To resume: forkhestra resume q7w3k9zt
    "#);
}

#[test]
fn unchecked_work_is_distinguished_from_interrupted_work() {
    let script = EventScript::of("builder:2").checked_by(1, TEST).step(1).iteration(1, 1);
    let line = |script: &EventScript, liveness| {
        let shown = script.shown(liveness);
        let (_, tries) = shown.split_once("Iterations of step 1, builder:\n").expect("it began");
        tries.lines().next().unwrap_or_default().trim().to_owned()
    };
    assert_eq!(line(&script, Liveness::Gone), "1  cut off  its end was not recorded");
    let gone = script.gone((1, 1));
    assert_eq!(line(&gone, Liveness::Alive), "1  checking  exit 0  1.5s  1.2 KiB");
    let expected = "1  not checked  exit 0, checked when the run is resumed  1.5s  1.2 KiB";
    assert_eq!(line(&gone, Liveness::Gone), expected);
}

#[test]
fn a_completed_run_shows_the_deciding_signal() {
    let good = vec![check(TEST, CheckOutcome::Passed)];
    let page = EventScript::of("builder:2")
        .checked_by(1, TEST)
        .step(1)
        .iteration(1, 1)
        .weighed((1, 1), Verdict::Complete(marker()), good, Observation::default())
        .step_over(1, StepEnd::Complete(marker()))
        .end(RunEnd::Complete)
        .page();
    let row = "| 1 | builder | complete | 1 | marker; checks passed: cargo test |";
    assert!(page.contains(row), "{page}");
}

#[test]
fn the_summary_page_has_the_tails_of_failed_checks() {
    let tail = Some("one\nFORKHESTRA_COMPLETE\n".to_owned());
    let bad = CheckReport { tail, ..check(TEST, CheckOutcome::Failed) };
    let page = EventScript::of("builder:2")
        .checked_by(1, TEST)
        .step(1)
        .iteration(1, 1)
        .weighed((1, 1), Verdict::Incomplete, vec![bad], Observation::default())
        .end(RunEnd::Interrupted(CancelCause::Interrupt))
        .page();
    let (_, checks) = page.split_once("## Checks that failed").expect("one failed");
    let (checks, _) = checks.split_once("\n\n##").expect("more follows");
    assert_snapshot!(checks, @"
     last in step 1, builder

    - `cargo test`: exit 101

          | one
          | FORKHESTRA_COMPLETE
    ");
}

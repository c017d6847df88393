//! Tests of the run report with many tasks, without tasks, and with odd histories.

use std::time::Duration;

use forkhestra_core::cost::{Dollars, TokenCounts};
use forkhestra_core::event::{
    CheckOutcome, Fingerprint, IterationReport, Observation, OutputSummary, ProcessEnd, Verdict,
    WorkSummary, WorkTreeFingerprints,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::time::Timestamp;
use insta::assert_snapshot;

use super::*;

fn dollars(nanos: u64) -> Spend {
    let tokens = TokenCounts { input: 1000, ..TokenCounts::default() };
    Spend { tokens, dollars: Dollars::from_nanos(nanos), unpriced: false }
}

fn commit(number: u32, subject: &str) -> CommitSummary {
    CommitSummary { id: format!("{number:07}abcdef"), subject: subject.to_owned() }
}

fn task(number: u32, fate: TaskFate) -> TaskLine {
    TaskLine {
        id: format!("TASK-{number:03}"),
        title: format!("Write part {number} of the parser and its documentation"),
        fate,
        reason: (fate == TaskFate::Blocked).then(|| "The API key is missing.".to_owned()),
        is_archived: false,
        iterations: 1,
        spend: dollars(10_000_000 * u64::from(number)),
        commits: vec![commit(number, &format!("Add part {number}, with all of its tests"))],
    }
}

fn with_tasks(done: u32, blocked: u32, waiting: u32) -> RunReport {
    let fates = (0..done).map(|_| TaskFate::Done);
    let fates = fates.chain((0..blocked).map(|_| TaskFate::Blocked));
    let fates = fates.chain((0..waiting).map(|_| TaskFate::Waiting));
    let tasks = (1..).zip(fates).map(|(number, fate)| task(number, fate)).collect();
    let counts = TaskCounts {
        total: done + blocked + waiting,
        done,
        blocked,
        in_progress: 0,
        to_do: waiting,
        unreadable: 0,
    };
    let section = TaskSection {
        counts,
        tasks,
        other: dollars(5_000_000),
        other_iterations: 1,
        other_commits: Vec::new(),
    };
    let lines: Vec<String> = (1..=9).map(|number| format!("test {number} failed")).collect();
    let check = CheckReport {
        name: "command:cargo test".to_owned(),
        outcome: CheckOutcome::Failed,
        message: Some("exit 101".to_owned()),
        tail: Some(lines.join("\n")),
        duration: Duration::from_secs(3),
    };
    RunReport {
        failures: None,
        work: Some("3 commits, +12 -3 lines".to_owned()),
        tasks: Some(section),
        iterations: Vec::new(),
        failed_checks: vec![check],
        warnings: vec!["the agent left 3 files uncommitted".to_owned(), "one more".to_owned()],
    }
}

fn shown(report: &RunReport, room: usize) -> String {
    let layout = ReportLayout { room, place: ReportPlace::Page, cuts_lines: true };
    let sections = report.lines(&layout).into_iter();
    let lines = sections.flat_map(|section| [vec![section.heading], section.lines].concat());
    lines.map(|line| line + "\n").collect()
}

#[test]
fn tasks_are_listed_with_their_outcome() {
    assert_snapshot!(shown(&with_tasks(2, 1, 2), 20), @"
    Tasks: 2 of 5 done, 1 blocked, 2 left
      blocked  TASK-003  Write part 3 of the…: The API key is missing.
      to do    TASK-004  Write part 4 of the parse… (1 iteration, 1 commit, $0.0400)
      to do    TASK-005  Write part 5 of the parse… (1 iteration, 1 commit, $0.0500)
      done     TASK-001  Write part 1 of the…   $0.0100  0000001 Add part 1, with a…
      done     TASK-002  Write part 2 of the…   $0.0200  0000002 Add part 2, with a…
      other    1 iteration, $0.0050
    Check failed: cargo test: exit 101
      | test 5 failed
      | test 6 failed
      | test 7 failed
      | test 8 failed
      | test 9 failed
    Warnings: 2
      the agent left 3 files uncommitted
      one more
    ");
}

#[test]
fn any_report_fits_the_lines_and_the_width() {
    for (done, blocked, waiting) in [(0, 0, 0), (1, 0, 0), (3, 2, 40), (40, 20, 1), (200, 0, 9)] {
        for room in [9, 12, 14, 18, 24] {
            let text = shown(&with_tasks(done, blocked, waiting), room);
            let context = format!("{done} {blocked} {waiting} in {room}:\n{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 80), "{context}");
            // Two lines of done tasks and one of each other kind are always present.
            assert!(text.lines().count() <= room.max(17), "{context}");
        }
    }
}

#[test]
fn a_notification_shows_done_and_blocked_tasks() {
    assert_snapshot!(with_tasks(7, 2, 5).brief().join("\n"), @"
    Work: 3 commits, +12 -3 lines
    Tasks: 7 of 14 done, 2 blocked, 5 left
    blocked: TASK-008 Write part 8 of the…: The API key is missing.
    blocked: TASK-009 Write part 9 of the…: The API key is missing.
    to do: TASK-010 Write part 10 of the parser and its documentation
    to do: TASK-011 Write part 11 of the parser and its documentation
    to do: TASK-012 Write part 12 of the parser and its documentation
    to do: and 2 more
    done: TASK-005 Write part 5 of the parser and its documentation
    done: TASK-006 Write part 6 of the parser and its documentation
    done: TASK-007 Write part 7 of the parser and its documentation
    done: and 4 more
    Check failed: cargo test: exit 101
      | test 5 failed
      | test 6 failed
      | test 7 failed
      | test 8 failed
      | test 9 failed
    ");
}

#[test]
fn evenly_split_costs_add_up_to_the_whole() {
    for parts in 1..5 {
        let whole = dollars(10_000_001);
        let shared = whole.split_evenly(parts).collect::<Vec<_>>();
        assert_eq!(shared.len(), parts);
        assert_eq!(shared.into_iter().sum::<Spend>(), whole);
    }
    assert_eq!(dollars(1).split_evenly(0).count(), 0);
}

fn record(iteration: u32, head: Option<u32>) -> IterationRecord {
    let signals = head.map(|number| WorkTreeFingerprints {
        branch: None,
        head: Some(commit(number, "").id),
        index: Fingerprint(String::new()),
        files: Fingerprint(String::new()),
        tasks: None,
    });
    IterationRecord {
        lane: None,
        fallback: None,
        unit: UnitId { step: 1, iteration, attempt: 1 },
        started: Timestamp::default(),
        ended: Timestamp::default(),
        pid: None,
        ending: None,
        agent_end_recorded: false,
        before: Observation::default(),
        report: IterationReport {
            closing_text: None,
            verdict: Verdict::Incomplete,
            end: Some(ProcessEnd::Exited(0)),
            duration: Duration::from_secs(61),
            observation: Observation { signals, ..Observation::default() },
            output: OutputSummary::default(),
            stream_summary: None,
            spend: Some(dollars(20_000_000)),
            checks: Vec::new(),
        },
        spend: Some(dollars(20_000_000)),
        changed: None,
        tasks: None,
    }
}

#[test]
fn commits_belong_to_the_iteration_after_which_they_were_checked_out() {
    let commits = (1..=4).map(|number| commit(number, "x")).collect();
    let work = WorkSummary { commits, ..WorkSummary::default() };
    let records = [record(1, Some(2)), record(2, Some(2)), record(3, Some(3)), record(4, None)];
    let made = commits_by_iteration(&records, Some(&work));
    let numbers: Vec<usize> = made.iter().map(Vec::len).collect();
    assert_eq!(numbers, [2, 0, 1, 0]);
    let left = unassigned_commits([&work].into_iter(), made.iter().flatten());
    assert_eq!(left, [commit(4, "x")]);
}

#[test]
fn a_commit_belongs_to_the_task_whose_whole_id_its_subject_has() {
    let mut section = TaskSection {
        counts: TaskCounts { total: 2, done: 2, ..TaskCounts::default() },
        tasks: vec![task(1, TaskFate::Done), task(2, TaskFate::Done)],
        other: Spend::default(),
        other_iterations: 0,
        other_commits: Vec::new(),
    };
    section.tasks.iter_mut().for_each(|task| task.commits.clear());
    let subjects =
        ["XTASK-001: other", "TASK-0011: other", "Fix task-001", "TASK-002", "Fix a typo"];
    for (number, subject) in (1..).zip(subjects) {
        section.assign(&commit(number, subject), &[]);
    }
    let subjects = |commits: &[CommitSummary]| {
        commits.iter().map(|commit| commit.subject.clone()).collect::<Vec<_>>()
    };
    assert_eq!(subjects(&section.tasks[0].commits), ["Fix task-001"]);
    assert_eq!(subjects(&section.tasks[1].commits), ["TASK-002"]);
    let others = ["XTASK-001: other", "TASK-0011: other", "Fix a typo"];
    assert_eq!(subjects(&section.other_commits), others);
}

#[test]
fn without_tasks_the_last_iterations_are_listed() {
    let line = |number: u32| IterationLine {
        step: 1,
        verdict: "continued",
        record: record(number, None),
        commits: if number == 9 { vec![commit(9, "Fix the lexer")] } else { Vec::new() },
    };
    let report = RunReport {
        failures: None,
        work: None,
        tasks: None,
        iterations: (1..=9).map(line).collect(),
        failed_checks: Vec::new(),
        warnings: Vec::new(),
    };
    assert_snapshot!(shown(&report, 4), @"
    The last 5 of 9 iterations
      1.5    continued    1m 1s     $0.0200  exit 0
      1.6    continued    1m 1s     $0.0200  exit 0
      1.7    continued    1m 1s     $0.0200  exit 0
      1.8    continued    1m 1s     $0.0200  exit 0
      1.9    continued    1m 1s     $0.0200  0000009 Fix the lexer
    ");
}

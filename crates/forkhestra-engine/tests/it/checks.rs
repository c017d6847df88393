//! Tests that checks run as processes and decide the outcome of the run.

use std::process::Command;

use rustix::process::{Pid, Signal};

use crate::support::{PlannedRun, is_gone, kill, pid, project, state, until};

/// Parses the size of the tail and the tail itself from a line about a check.
fn tail(line: &str) -> (usize, &str) {
    let mut parts = line.splitn(3, " | ").skip(1);
    let size = parts.next().expect("there is a size").parse().expect("it is a number");
    (size, parts.next().expect("there is a tail"))
}

/// The pid at the end of a line.
fn process_in(line: &str) -> Pid {
    pid(line.rsplit(' ').next().expect("there is a number"))
}

#[test]
fn a_check_that_passes_completes_the_step() {
    let mut run = PlannedRun::checked(&["true"]);
    let (lines, end) = run.end();
    let events: Vec<&str> = lines.iter().map(String::as_str).collect();
    let &[
        "iteration 1.1.1",
        agent,
        "agent of 1.1.1 is gone",
        check,
        "true passed:  | 0 | \"\"",
        "1.1.1 complete with 1 checks",
        "step marker",
        "end 0",
        guard,
    ] = events.as_slice()
    else {
        panic!("this is another story: {lines:#?}");
    };
    assert!(agent.starts_with("agent "));
    assert!(check.starts_with("check 1 of 1.1.1 is "));
    assert_eq!(guard, "guard: exit 0, left [], any process false");
    assert_eq!(end.code(), Some(0));
}

#[test]
fn all_checks_run_although_one_fails() {
    let mut run =
        PlannedRun::checked(&["true", "echo no; echo why >&2; exit 3", "echo third > ran"]);
    let (lines, end) = run.end();
    let checks: Vec<&String> = lines.iter().filter(|line| line.contains(" | ")).collect();
    assert!(checks[0].starts_with("true passed"), "{checks:#?}");
    assert!(checks[1].contains("exit 3 failed: exit 3 | "), "{checks:#?}");
    assert!(checks[1].ends_with(r#""no\nwhy\n""#) || checks[1].ends_with(r#""no\nwhy""#));
    assert!(checks[2].starts_with("echo third > ran passed"), "{checks:#?}");
    assert_eq!(run.text("ran"), "third\n");
    assert!(lines.contains(&"1.1.1 refused with 3 checks".to_owned()), "{lines:#?}");
    assert_eq!(end.code(), Some(1));
}

#[test]
fn check_output_is_kept_but_not_shown() {
    let mut run = PlannedRun::checked(&["echo printed by a check; echo and complained >&2"]);
    run.end();
    let mut kept: Vec<String> = run.text("errands").lines().map(str::to_owned).collect();
    kept.sort_unstable();
    assert_eq!(kept, ["and complained", "printed by a check"]);
    assert_eq!(run.text("screen"), "FORKHESTRA_COMPLETE\n");
}

#[test]
fn secrets_that_checks_print_are_not_recorded() {
    let mut run = PlannedRun::checked(&["echo the word is hunter2; exit 1"]);
    let line = run.line_with("echo the word is");
    assert_eq!(tail(&line).1, "\"the word is ***\"", "{line}");
    run.end();
}

#[test]
fn no_part_of_a_secret_is_recorded() {
    // Too long to be recorded as a whole, and without a line break at which it could be cut.
    let script = "printf 'hunter2%.0s' $(seq 2000); exit 1";
    let check = format!(r#"{{"name": "secret", "check": "command:{script}"}}"#);
    let mut run = PlannedRun::checked(&[&check]);
    let line = run.line_with("secret failed");
    let (size, tail) = tail(&line);
    assert!(size > 100, "{line}");
    assert!(tail.trim_matches('"').chars().all(|letter| letter == '*'), "{tail}");
    run.end();
}

#[test]
fn a_check_that_hangs_is_ended() {
    let slow = r#"{"name": "slow", "check": "command:sleep 100", "timeout": "100ms"}"#;
    let mut run = PlannedRun::checked(&[slow, "true"]);
    let check = process_in(&run.line_with("check 1 of 1.1.1 is "));
    let line = run.line_with("slow ");
    assert!(line.starts_with("slow timed_out: took too long"), "{line}");
    assert!(is_gone(check));
    let (lines, end) = run.end();
    assert!(lines.iter().any(|line| line.starts_with("true passed")), "{lines:#?}");
    assert_eq!(end.code(), Some(1));
}

#[test]
fn a_check_that_ignores_every_request_is_killed() {
    let script = "trap '' TERM INT HUP; echo deaf > deaf; while :; do sleep 100; done";
    let deaf = format!(r#"{{"name": "deaf", "check": "command:{script}", "timeout": "2s"}}"#);
    let mut run = PlannedRun::checked(&[&deaf]);
    run.file("deaf");
    let (lines, _) = run.end();
    assert!(lines.iter().any(|line| line.starts_with("deaf timed_out")), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("warning")), "{lines:#?}");
    assert_eq!(run.processes(), []);
}

#[test]
fn a_check_that_leaves_a_process_with_its_pipes_is_over_with_itself() {
    let script = "(setsid sh -c 'trap \\\"\\\" HUP; echo $$ > left; exec sleep 100' &); until [ -s left ]; do :; done; echo done; exit 4";
    let check = format!(r#"{{"name": "forks", "check": "command:{script}"}}"#);
    let mut run = PlannedRun::checked(&[&check, "true"]);
    let line = run.line_with("forks ");
    assert!(line.starts_with("forks failed: exit 4"), "{line}");
    assert!(tail(&line).1.starts_with("\"done"), "{line}");
    assert!(is_gone(pid(&run.file("left")[0])), "what it left is ended before the next one");
    let (lines, _) = run.end();
    assert!(lines.iter().any(|line| line.starts_with("true passed")), "{lines:#?}");
}

#[test]
fn only_the_tail_of_a_flood_is_kept() {
    let script = "yes 'a line of a flood' | head -n 2777778; echo the end; exit 1";
    let check = format!(r#"{{"name": "flood", "check": "command:{script}"}}"#);
    let mut run = PlannedRun::checked(&[&check, "until [ -e enough ]; do :; done"]);
    let line = run.line_with("flood ");
    let (size, tail) = tail(&line);
    assert!((100..=8 * 1024).contains(&size), "{size}");
    assert!(tail.contains("a line of a flood\\nthe end"), "{tail}");
    let peak = run.peak_memory();
    assert!(peak < 24 * 1024, "the runner needed {peak} KiB");
    run.write("enough", "");
    run.end();
    assert_eq!(run.text("errands").len(), 50_000_004 + "the end\n".len());
    assert_eq!(run.text("screen"), "FORKHESTRA_COMPLETE\n");
}

#[test]
fn a_check_that_cannot_be_started_has_not_passed() {
    // No system accepts an argument of this length.
    let script = format!("true {}", "x".repeat(4 << 20));
    let long = format!(r#"{{"name": "long", "check": "command:{script}"}}"#);
    let mut run = PlannedRun::checked(&[&long, "true"]);
    let line = run.line_with("long ");
    assert!(line.starts_with("long not_run: "), "{line}");
    assert!(line.contains("too long"), "{line}");
    let (lines, end) = run.end();
    assert!(lines.iter().any(|line| line.starts_with("true passed")), "{lines:#?}");
    assert_eq!(end.code(), Some(1));
}

#[test]
fn an_interrupted_check_leaves_nothing_but_the_question() {
    let mut run = PlannedRun::checked(&["(setsid sleep 100 &); echo x > on; sleep 100", "true"]);
    run.file("on");
    kill(run.guard, Signal::INT);
    let (lines, end) = run.end();
    assert_eq!(run.processes(), []);
    let after: Vec<&str> = lines.iter().map(String::as_str).collect();
    let cancelled = after.iter().position(|line| *line == "cancelled by interrupt");
    let after = &after[cancelled.expect("it was interrupted") + 1..];
    let guard = "guard: exit 130, left [], any process false";
    assert_eq!(after, ["step interrupted", "end 130", "unchecked 1.1.1", guard]);
    assert_eq!(end.code(), Some(130));
}

#[test]
fn a_second_cancel_kills_a_check_that_ignores_signals() {
    let mut run =
        PlannedRun::checked(&["trap '' INT TERM; echo x > on; while :; do sleep 100; done"]);
    run.file("on");
    kill(run.guard, Signal::INT);
    run.line_with("cancelled");
    kill(run.guard, Signal::TERM);
    let (lines, _) = run.end();
    assert!(lines.contains(&"unchecked 1.1.1".to_owned()), "{lines:#?}");
    assert_eq!(run.processes(), []);
}

#[test]
fn a_check_is_paused_with_the_run() {
    let mut run = PlannedRun::checked(&["echo $$ > on; until [ -e enough ]; do :; done"]);
    let check = pid(&run.file("on")[0]);
    kill(run.guard, Signal::TSTP);
    until("the guard has stopped", || state(run.guard) == Some('T'));
    until("the check has stopped", || state(check) == Some('T'));
    kill(run.guard, Signal::CONT);
    until("the check goes on", || state(check) != Some('T'));
    run.write("enough", "");
    run.line_with("continued");
    let (lines, end) = run.end();
    assert!(lines.contains(&"1.1.1 complete with 1 checks".to_owned()), "{lines:#?}");
    assert_eq!(end.code(), Some(0));
}

#[test]
fn a_run_that_is_killed_in_a_check_leaves_nothing() {
    let mut run = PlannedRun::checked(&["(setsid sleep 100 &); echo x > on; sleep 100"]);
    run.file("on");
    kill(run.runner, Signal::KILL);
    run.end();
    assert_eq!(run.processes(), []);
}

#[test]
fn unchecked_work_is_checked_and_not_repeated() {
    let mut run = PlannedRun::unchecked(&["echo 1 >> checked", "echo 2 >> checked"]);
    let (lines, end) = run.end();
    assert!(lines.contains(&"1.1.1 complete with 2 checks".to_owned()), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("agent")), "{lines:#?}");
    assert_eq!((run.text("checked").as_str(), run.text("agents").as_str()), ("1\n2\n", ""));
    assert_eq!(end.code(), Some(0));
}

/// A run whose only check reads the agent's output from a pipe without a writer, so that it never
/// ends.
fn endless(check: &str) -> PlannedRun {
    let step = format!(r#"{{"agent": "worker", "iterations": 1, "checks": [{check}]}}"#);
    let directory = project("", &format!(r#""steps": [{step}]"#));
    let fifo = Command::new("mkfifo").arg(directory.path().join("said")).status();
    assert!(fifo.is_ok_and(|status| status.success()), "a named pipe can be made");
    PlannedRun::start("plan", directory)
}

#[test]
fn a_cancel_does_not_wait_for_a_built_in_check() {
    let mut run = endless(r#""marker:never said""#);
    run.line_with("agent of 1.1.1 is gone");
    kill(run.guard, Signal::INT);
    let (lines, end) = run.end();
    assert!(!lines.iter().any(|line| line.starts_with("warning")), "{lines:#?}");
    assert!(lines.contains(&"unchecked 1.1.1".to_owned()), "{lines:#?}");
    assert_eq!(end.code(), Some(130));
}

#[test]
fn a_check_that_is_no_process_may_take_too_long() {
    let mut run = endless(r#"{"name": "slow", "check": "marker:never said", "timeout": "100ms"}"#);
    let (lines, end) = run.end();
    let timed_out = |line: &String| line.starts_with("slow timed_out: took too long");
    assert!(lines.iter().any(timed_out), "{lines:#?}");
    assert!(!lines.iter().any(|line| line.starts_with("warning")), "{lines:#?}");
    assert_eq!(end.code(), Some(1));
}

#[test]
fn a_check_that_is_no_process_decides_as_well() {
    let steps = r#""steps": [{"agent": "worker", "iterations": 1, "checks": ["marker:said it"]}]"#;
    let mut run = PlannedRun::chain("echo said it > said; ", steps);
    let (lines, end) = run.end();
    assert!(!lines.iter().any(|line| line.starts_with("check 1")), "{lines:#?}");
    assert!(lines.contains(&"1.1.1 complete with 1 checks".to_owned()), "{lines:#?}");
    assert_eq!(end.code(), Some(0));
}

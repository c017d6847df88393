//! The report by task, at the end of a run, in `show` and in the summary page.

use std::fs::{self, File};
use std::io::Read;
use std::thread;

use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use testkit::{CommandOutput, PseudoTerminal, TestEnv, WebhookReceiver};

use crate::support::{forkhestra, git, repository, run_id};
use crate::{FORGE_TASKS, FORKHESTRA};

#[track_caller]
fn tasks(env: &TestEnv, args: &[&str]) {
    let done = env.run(FORGE_TASKS, args);
    assert_eq!(done.code, Some(0), "{args:?}: {done}");
}

/// A repository with four tasks, and a builder that finishes two of them, blocks one and starts the
/// last one.
fn with_builder() -> TestEnv {
    let env = repository();
    for title in ["Write the parser", "Write the printer", "Deploy it", "Announce it"] {
        tasks(&env, &["create", title]);
    }
    git(&env, "add --all");
    git(&env, "commit --quiet --message plan");
    env.agent(
        "builder",
        "case $FORKHESTRA_ITERATION in
        1) forge-tasks claim --plain >/dev/null; echo 1 >> parser; git add -A
           git commit -qm 'Add a parser'; forge-tasks edit 1 -s done --plain >/dev/null;;
        2) echo 2 >> printer; git add -A; git commit -qm 'TASK-002: add a printer'
           forge-tasks edit 2 -s done --plain >/dev/null;;
        3) forge-tasks edit 3 -s blocked --append-notes 'The server has no name yet.' --plain >/dev/null;;
        *) forge-tasks claim --plain >/dev/null;;
        esac",
    );
    env
}

fn run(env: &TestEnv) -> CommandOutput {
    let check = "command:echo one; echo two is wrong; exit 3";
    forkhestra(env, &["builder:4", "--stagnation", "off", "--check", "tasks", "--check", check])
}

/// The lines from the summary on.
fn summary(parts: &CommandOutput) -> Vec<&str> {
    parts.stdout.lines().skip_while(|line| *line != "[forkhestra] Summary").collect()
}

#[track_caller]
fn assert_reports_tasks(lines: &[&str]) {
    let text = lines.join("\n");
    let has = |parts: &[&str]| {
        let found = lines.iter().any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(found, "{parts:?} in:\n{text}");
    };
    has(&["Tasks: 2 of 4 done, 1 blocked, 1 left"]);
    has(&["  done     TASK-001  Write the parser", " Add a parser"]);
    has(&["  done     TASK-002  Write the printer", " add a printer"]);
    has(&["  blocked  TASK-003  Deploy it: The server has no name yet."]);
    has(&["  begun    TASK-004  Announce it (1 iteration)"]);
}

#[test]
fn the_end_of_a_run_reports_its_tasks_on_one_screen() {
    let env = with_builder();
    let parts = run(&env);
    assert_eq!(parts.code, Some(1), "{parts}");
    let summary = summary(&parts);
    assert_reports_tasks(&summary);
    assert!(summary.len() <= 24, "{} lines:\n{}", summary.len(), summary.join("\n"));
    let last = summary.last().copied().unwrap_or_default();
    assert!(
        last.starts_with("[forkhestra] Chain incomplete (0/1 steps): step 1, builder"),
        "{last}"
    );
}

#[test]
fn show_is_the_morning_report_and_fits_one_screen() {
    let env = with_builder();
    let parts = run(&env);
    assert_eq!(parts.code, Some(1), "{parts}");
    let shown = on_terminal(&env, 80, &["show"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_reports_tasks(&lines);
    assert!(lines.len() <= 24, "{} lines:\n{shown}", lines.len());
    let id = run_id(&env);
    // Paths and commands may be longer, since they are copied.
    let is_text =
        |line: &&&str| !line.starts_with("To resume: ") && !line.starts_with("What to do: ");
    assert!(lines.iter().filter(is_text).all(|line| line.chars().count() <= 80), "{shown}");
    assert_eq!(lines.last().copied(), Some(format!("Details: forkhestra show {id} -v").as_str()));
}

#[test]
fn an_iteration_that_did_its_task_is_not_called_incomplete() {
    let env = with_builder();
    let parts = run(&env);
    assert_eq!(parts.code, Some(1), "{parts}");
    let mut command = env.command(FORKHESTRA);
    let shown = env.output_of(command.args(["show", "-v"]).env("COLUMNS", "80"));
    let rows = shown.stdout.lines().filter(|line| line.contains("continued"));
    assert_eq!(rows.count(), 4, "{shown}");
    assert!(shown.stdout.contains("  1  continued  TASK-001 finished"), "{shown}");
    let iterations = shown.stdout.lines().skip_while(|line| !line.starts_with("Iterations of"));
    let mut iterations = iterations.take_while(|line| !line.is_empty());
    assert!(iterations.all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn the_summary_page_lists_the_tasks() {
    let env = with_builder();
    let parts = run(&env);
    assert_eq!(parts.code, Some(1), "{parts}");
    let page = env.read(&format!(".agent-state/summary-{}.md", run_id(&env)));
    assert!(page.contains("## Tasks: 2 of 4 done, 1 blocked, 1 left"), "{page}");
    assert!(page.contains("blocked  TASK-003  Deploy it: The server has no name yet."), "{page}");
    assert!(page.contains("| 1 | continued |"), "{page}");
}

#[test]
fn times_are_local_and_name_their_zone() {
    let env = repository();
    env.agent("a", "exit 0");
    assert_eq!(forkhestra(&env, &["a"]).code, Some(0));
    let zone = "XST-5:30";
    for (args, expected) in
        [(&["runs"][..], "STARTED (XST)"), (&["show"], " XST ("), (&["show", "-v"], " XST\n")]
    {
        let mut command = env.command(FORKHESTRA);
        let parts = env.output_of(command.args(args).env("TZ", zone));
        assert!(parts.stdout.contains(expected), "{args:?}: {parts}");
    }
    let json = forkhestra(&env, &["show", "--json"]).stdout;
    assert!(json.contains("Z\","), "{json}");
}

/// An agent that records its input and never completes.
fn stuck() -> TestEnv {
    let env = repository();
    env.agent("stuck", "printf '%s\\n' \"$FORKHESTRA_FEEDBACK\" \"$@\" >> heard; exit 0");
    assert_eq!(forkhestra(&env, &["stuck:1", "-p", "do it"]).code, Some(1));
    env
}

#[test]
fn a_message_for_a_run_that_is_over_is_kept_for_its_resume() {
    let env = stuck();
    let id = run_id(&env);
    let parts = forkhestra(&env, &["tell", &id, "Look at the lexer."]);
    assert_eq!(parts.code, Some(0), "{parts}");
    assert!(parts.stdout.starts_with(&format!("Message 1 is kept for run {id}")), "{parts}");
    let parts = forkhestra(&env, &["tell", &id, "And at the parser."]);
    assert!(parts.stdout.starts_with("Message 2 is kept"), "{parts}");
    let resume_args = ["resume", "--max-iterations", "2", "--tell", "Hurry."];
    assert_eq!(forkhestra(&env, &resume_args).code, Some(1));
    let received = env.read("heard");
    for text in ["Look at the lexer.", "And at the parser.", "Hurry."] {
        assert_eq!(received.matches(text).count(), 1, "{received}");
    }
    // No message is delivered twice.
    assert_eq!(forkhestra(&env, &["resume", "--max-iterations", "3"]).code, Some(1));
    assert_eq!(env.read("heard").matches("Look at the lexer.").count(), 1);
    let shown = forkhestra(&env, &["show", "-v"]).stdout;
    assert!(shown.contains("Look at the lexer."), "{shown}");
}

#[test]
fn a_torn_message_is_ignored() {
    let env = stuck();
    let id = run_id(&env);
    let file = crate::support::run_directory(&env).join("messages.jsonl");
    fs::write(&file, "{\"number\":1,\"text\":\"Half of").expect("the directory is ours");
    let parts = forkhestra(&env, &["tell", &id, "The whole."]);
    assert!(parts.stdout.starts_with("Message 1 is kept"), "{parts}");
    assert_eq!(forkhestra(&env, &["resume", "--max-iterations", "2"]).code, Some(1));
    let received = env.read("heard");
    assert!(received.contains("The whole.") && !received.contains("Half of"), "{received}");
}

#[test]
fn a_complete_run_takes_no_message() {
    let env = repository();
    env.agent("a", "exit 0");
    assert_eq!(forkhestra(&env, &["a"]).code, Some(0));
    let id = run_id(&env);
    let parts = forkhestra(&env, &["tell", &id, "One more thing."]);
    assert_eq!(parts.code, Some(2), "{parts}");
    let expected = format!("error: run {id} is complete: no agent of it will run again\n");
    assert!(parts.stderr.starts_with(&expected), "{parts}");
}

/// The screen of a terminal with this many columns.
fn on_terminal(env: &TestEnv, columns: u16, args: &[&str]) -> String {
    let mut terminal = PseudoTerminal::open();
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal.screen(), size).expect("it is a terminal");
    let reader = {
        let mut screen = File::from(terminal.screen());
        thread::spawn(move || {
            let (mut shown, mut bytes) = (Vec::new(), [0; 1024]);
            // Reading from a terminal that no program has open is an error.
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                shown.extend_from_slice(&bytes[..length]);
            }
            String::from_utf8_lossy(&shown).replace('\r', "")
        })
    };
    let mut command = env.command(FORKHESTRA);
    command.args(args).args(["--color", "never"]).stdout(terminal.stdio());
    let status = command.status().expect("it runs");
    drop(command);
    terminal.hand_over();
    let shown = reader.join().expect("it only reads");
    assert!(status.success(), "{shown}");
    shown
}

#[test]
fn rows_of_iterations_fit_a_terminal_of_80_columns() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION >> file; echo FORKHESTRA_COMPLETE");
    let checks = ["command:exit 3 # the first of two checks", "command:exit 4 # and the second"];
    let parts = forkhestra(&env, &["a:2", "--check", checks[0], "--check", checks[1]]);
    assert_eq!(parts.code, Some(1), "{parts}");
    let rows = |shown: &str| -> Vec<String> {
        let rows = shown.lines().skip_while(|line| !line.starts_with("Iterations of"));
        rows.skip(1).take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let whole = rows(&forkhestra(&env, &["show", "-v"]).stdout);
    assert!(whole.iter().all(|row| row.chars().count() > 80), "{whole:#?}");
    let shown = rows(&on_terminal(&env, 80, &["show", "-v"]));
    assert_eq!(shown.len(), 2, "{shown:#?}");
    assert!(shown.iter().all(|row| row.chars().count() <= 80), "{shown:#?}");
    assert!(shown.iter().all(|row| row.contains("refused  2 checks failed")), "{shown:#?}");
}

/// The output of an incomplete run, and the text of its notification.
fn notified(env: &TestEnv, args: &[&str]) -> (CommandOutput, String) {
    let receiver = WebhookReceiver::responding_with([]);
    let mut command = env.command(FORKHESTRA);
    command.args(args).args(["--notify", "webhook"]);
    command.env("FORKHESTRA_WEBHOOK_URL", receiver.url("/x"));
    let parts = env.output_of(&mut command);
    assert_eq!(parts.code, Some(1), "{parts}");
    let notice: Value = serde_json::from_str(&receiver.received()[0].body).expect("it is JSON");
    (parts, notice["text"].as_str().expect("a text").to_owned())
}

#[test]
fn a_notification_lists_the_tasks() {
    let env = with_builder();
    let (_, text) = notified(&env, &["builder:4", "--stagnation", "off", "--check", "tasks"]);
    let to_go_on = format!("To resume: forkhestra resume {} --max-iterations 8", run_id(&env));
    for line in [
        "Tasks: 2 of 4 done, 1 blocked, 1 left",
        "done: TASK-002 Write the printer",
        "blocked: TASK-003 Deploy it: The server has no name yet.",
        &to_go_on,
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line:?} in:\n{text}");
    }
}

#[test]
fn the_last_lines_of_the_failed_check_are_in_every_report() {
    let env = repository();
    env.agent("a", "echo $FORKHESTRA_ITERATION >> file; echo FORKHESTRA_COMPLETE");
    let check =
        "command:i=0; while [ $i -lt 50 ]; do i=$((i+1)); echo $i; done; echo it is wrong; exit 3";
    let (parts, notice) = notified(&env, &["a:1", "--check", check]);
    let summary = summary(&parts).join("\n");
    let page = forkhestra(&env, &["show"]).stdout;
    for report in [summary, page, notice] {
        let (_, failed) = report.split_once("Check failed: ").unwrap_or_else(|| panic!("{report}"));
        assert!(failed.contains("\n  | 50\n  | it is wrong\n"), "{report}");
    }
}

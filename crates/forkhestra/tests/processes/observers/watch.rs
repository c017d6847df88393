//! `forkhestra watch` at a terminal, for active and finished runs.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::process::Signal;
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, eventually, kill};
use crate::work_tree::make_repository;

/// The sequences that enter and leave the alternate screen.
const ENTER_SCREEN: &str = "\x1b[?1049h";
const LEAVE_SCREEN: &str = "\x1b[?1049l";

const ROWS: NonZeroU16 = NonZeroU16::new(30).expect("it is positive");
const COLUMNS: NonZeroU16 = NonZeroU16::new(100).expect("it is positive");

/// Sends a form.
const CONTROL_S: u8 = 0x13;
/// Closes a form.
const ESCAPE: u8 = 0x1b;
/// Redraws the whole screen.
const CONTROL_L: u8 = 0x0c;

/// Prints its iteration and tries to set a title, waits at the gate, and completes in the third
/// iteration.
const WAITING_AGENT: &str = r#"
    printf 'begun-%s \033]0;evil\007\033[31mred\n' "$n"
    read go < "$PLACE/gate"
    echo "ended $n"
    [ "$FORKHESTRA_ITERATION" -lt 3 ] || echo FORKHESTRA_COMPLETE
"#;

/// A run whose agent has printed its first line.
fn start_waiting_agent(project: &ProcessProject) -> GuardedRun<'_> {
    project.gate("gate");
    let run = project.start(&["./agent:9"]);
    run.output().wait_for("begun-1.1");
    run
}

/// Starts `watch` at a terminal of this type.
fn watching<'w>(
    project: &'w ProcessProject,
    terminal: &mut PseudoTerminal,
    term: &str,
    args: &[&str],
) -> GuardedRun<'w> {
    let size = Winsize { ws_row: ROWS.get(), ws_col: COLUMNS.get(), ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal.screen(), size).expect("it is a terminal");
    let mut command = project.command_in_environment("/usr/bin/env");
    command.args(["--default-signal", "setsid", "--ctty", crate::FORKHESTRA, "watch"]).args(args);
    command.env("TERM", term);
    command.stdin(terminal.stdio()).stdout(terminal.stdio()).stderr(terminal.stdio());
    let run = GuardedRun::start_watched(project, command, terminal.screen());
    terminal.hand_over();
    run
}

/// Waits until the screen shows a text. The output need not contain it: only cells that change are
/// drawn.
#[track_caller]
fn wait_for_screen(run: &GuardedRun<'_>, text: &str) {
    eventually(&format!("`{text}` on the screen"), || shown(run).contains(text).then_some(()));
}

/// The text on the screen.
fn shown(run: &GuardedRun<'_>) -> String {
    let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
    screen.process(&run.output().bytes());
    screen.screen().contents()
}

/// How often a word was drawn as a whole.
fn times(run: &GuardedRun<'_>, text: &str) -> usize {
    run.output().text().matches(text).count()
}

#[test]
fn quitting_restores_the_terminal_and_the_run_continues() {
    let project = ProcessProject::with_agent(WAITING_AGENT);
    let run = start_waiting_agent(&project);
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let mut terminal = PseudoTerminal::open();
        let mut watch = watching(&project, &mut terminal, "xterm", &[]);
        wait_for_screen(&watch, "begun-1.1");
        watch.signal(signal);
        assert_eq!(watch.wait(), Some(code));
        let text = watch.ended().stdout;
        let (_, behind) = text.rsplit_once(LEAVE_SCREEN).expect("it is given back");
        assert!(!behind.contains(ENTER_SCREEN) && !text.contains("evil"), "{text:?}");
        // A message states that the run continues.
        assert!(behind.contains("continues; `forkhestra watch "), "{text:?}");
    }
    for iteration in 1..=3 {
        run.output().wait_for(&format!("begun-1.{iteration}"));
        project.open_gate("gate");
    }
    assert_eq!(run.ended().code, Some(0));
}

#[test]
fn control_c_quits_and_a_suspended_watch_continues() {
    let project = ProcessProject::with_agent("echo said-something");
    assert_eq!(project.run(&["./agent"]).code, Some(0));
    let mut terminal = PseudoTerminal::open();
    let mut watch = watching(&project, &mut terminal, "xterm", &[&project.run_id()]);
    wait_for_screen(&watch, "said-something");
    terminal.press(PseudoTerminal::CONTROL_Z);
    eventually("it is stopped", || watch.guard().is_stopped().then_some(()));
    watch.output().wait_for(LEAVE_SCREEN);
    let before = times(&watch, "said-something");
    kill(watch.guard(), Signal::CONT);
    eventually("it comes back", || (times(&watch, "said-something") > before).then_some(()));
    let before = times(&watch, "said-something");
    terminal.press(CONTROL_L);
    eventually("it is redrawn", || (times(&watch, "said-something") > before).then_some(()));
    terminal.press(PseudoTerminal::CONTROL_C);
    assert_eq!(watch.wait(), Some(0));
    let text = watch.ended().stdout;
    assert!(text.rfind(LEAVE_SCREEN) > text.rfind(ENTER_SCREEN), "{text:?}");
}

#[test]
fn a_dumb_terminal_is_refused() {
    let project = ProcessProject::with_agent("true");
    for term in ["dumb", ""] {
        let mut terminal = PseudoTerminal::open();
        let mut watch = watching(&project, &mut terminal, term, &[]);
        assert_eq!(watch.wait(), Some(2));
        let text = watch.ended().stdout;
        assert!(text.contains("`forkhestra watch` needs "), "{text}");
        assert!(!text.contains(ENTER_SCREEN), "{text:?}");
    }
}

/// All files below a directory, with size and modification time.
fn everything_in(directory: &Path) -> BTreeMap<PathBuf, (u64, Option<SystemTime>)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("it is there").flatten() {
        let metadata = entry.metadata().expect("it is there");
        found.insert(entry.path(), (metadata.len(), metadata.modified().ok()));
        if metadata.is_dir() {
            found.extend(everything_in(&entry.path()));
        }
    }
    found
}

#[test]
fn a_run_removed_while_watched_is_reported_and_nothing_is_written() {
    let project = ProcessProject::with_agent("echo said-something");
    assert_eq!(project.run(&["./agent"]).code, Some(0));
    let directory = project.run_directory();
    let before = everything_in(&directory);
    let mut terminal = PseudoTerminal::open();
    let mut watch = watching(&project, &mut terminal, "xterm", &[&project.run_id()]);
    wait_for_screen(&watch, "said-something");
    assert_eq!(everything_in(&directory), before);
    assert_eq!(project.run(&["runs", "rm", &project.run_id()]).code, Some(0));
    wait_for_screen(&watch, "removed");
    terminal.press(b'q');
    terminal.press(b'q');
    assert_eq!(watch.wait(), Some(0));
}

#[test]
fn a_damaged_journal_is_shown_up_to_the_damage_with_a_remedy() {
    let project = ProcessProject::with_agent("echo said-something");
    assert_eq!(project.run(&["./agent:2"]).code, Some(1));
    let journal = project.run_directory().join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("it is there");
    let mut lines: Vec<&str> = text.lines().collect();
    // After the first iteration.
    let place = lines.iter().position(|line| line.contains("iteration_finished"));
    lines[place.expect("one was finished") + 1] = "nonsense";
    fs::write(&journal, lines.join("\n") + "\n").expect("it is ours");
    let mut terminal = PseudoTerminal::open();
    let mut watch = watching(&project, &mut terminal, "xterm", &[&project.run_id()]);
    wait_for_screen(&watch, "--repair");
    wait_for_screen(&watch, "said-something");
    terminal.press(PseudoTerminal::CONTROL_C);
    assert_eq!(watch.wait(), Some(0));
    fs::write(&journal, text).expect("it is ours");
}

/// The rewinds whose earlier state is kept.
fn kept_states(project: &ProcessProject) -> Vec<String> {
    let args =
        ["for-each-ref", "--format=%(refname:lstrip=3)", "refs/forkhestra/*/before-rewind/*"];
    let listed = project.command_in_environment("git").args(args).output().expect("git is there");
    String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn the_diff_of_an_iteration_is_shown_and_a_rewind_needs_a_yes() {
    let project = ProcessProject::with_agent(
        r#"
        printf 'line-%s\033[2J\n' "$n" >> log.txt
        [ "$FORKHESTRA_ITERATION" -lt 3 ] || echo FORKHESTRA_COMPLETE
        "#,
    );
    make_repository(&project);
    assert_eq!(project.run(&["./agent:9"]).code, Some(0));
    let (run, log) = (project.run_id(), project.project().join("log.txt"));
    let read = || fs::read_to_string(&log).expect("it is there");
    let before = read();
    let mut terminal = PseudoTerminal::open();
    let mut watch = watching(&project, &mut terminal, "xterm", &[&run]);
    wait_for_screen(&watch, "Iterations 3");
    terminal.type_in(b"[d");
    wait_for_screen(&watch, "Diff of iteration 2");
    wait_for_screen(&watch, "+line-1.2\\u{1b}[2J");
    terminal.press(b'W');
    wait_for_screen(&watch, &format!("iteration 2 of run {run}"));
    assert!(shown(&watch).contains("--undo` restores it."), "{}", shown(&watch));
    terminal.press(b'n');
    eventually("the question is gone", || (!shown(&watch).contains("Rewind the")).then_some(()));
    assert_eq!((read(), kept_states(&project)), (before.clone(), Vec::new()));
    terminal.type_in(b"Wy");
    wait_for_screen(&watch, "The result of the rewind");
    wait_for_screen(
        &watch,
        &format!("Rewound to the end of iteration 2 of run {run}: 1 file changed"),
    );
    assert_eq!(read(), "line-1.1\u{1b}[2J\nline-1.2\u{1b}[2J\n");
    assert_eq!(kept_states(&project), ["before-rewind/1"], "the first answer was no");
    // What the user has changed since is not lost.
    fs::write(&log, "mine\n").expect("it is ours");
    terminal.type_in(b"x[");
    wait_for_screen(&watch, "Diff of iteration 1");
    terminal.type_in(b"Wy");
    wait_for_screen(&watch, "The work tree was not rewound");
    wait_for_screen(
        &watch,
        "error: 1 file was changed since the last snapshot of the run: log.txt",
    );
    wait_for_screen(&watch, &format!("At the command line: forkhestra rewind {run} --to 1"));
    assert_eq!(read(), "mine\n");
    terminal.type_in(b"xqq");
    assert_eq!(watch.wait(), Some(0));
    assert_eq!(project.run(&["rewind", &run, "--undo", "--force"]).code, Some(0));
    assert_eq!(read(), before);
}

#[test]
fn a_question_is_answered_by_two_keys_and_only_once() {
    let project = ProcessProject::with_agent("echo planned-it");
    let chain = "./agent -> ? -> ./agent -> ? -> ./agent";
    let run = project.start(&[chain]);
    let asked = |number: usize| {
        eventually("it asks", || {
            let asked = project.events().iter().filter(|event| event["event"] == "asked").count();
            (asked == number).then_some(())
        });
    };
    eventually("it has begun", || (!project.started().is_empty()).then_some(()));
    asked(1);
    let mut terminal = PseudoTerminal::open();
    let mut watch = watching(&project, &mut terminal, "xterm", &[]);
    // There is one run, which is opened at once.
    wait_for_screen(&watch, "? asking");
    wait_for_screen(&watch, "Step 2 asks for approval");
    wait_for_screen(&watch, "planned-it");
    terminal.type_in(b"x");
    wait_for_screen(&watch, "Deny?");
    // It is answered elsewhere meanwhile, and the next question is open.
    assert_eq!(project.run(&["approve"]).code, Some(0));
    asked(2);
    terminal.press(CONTROL_S);
    wait_for_screen(&watch, "cannot answer: the question was answered already");
    terminal.press(ESCAPE);
    eventually("the form is closed", || (!shown(&watch).contains("Deny?")).then_some(()));
    terminal.type_in(b"l");
    wait_for_screen(&watch, "Runs of this directory");
    wait_for_screen(&watch, "? asking ");
    terminal.type_in(b"\r");
    wait_for_screen(&watch, "Step 4 asks for approval");
    terminal.type_in(b"xNot like this");
    wait_for_screen(&watch, "Not like this");
    terminal.press(CONTROL_S);
    let output = run.ended();
    assert_eq!(output.code, Some(1), "{output}");
    let events = project.events();
    let answers: Vec<_> = events.iter().filter(|event| event["event"] == "answered").collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    assert_eq!((&answers[0]["approved"], &answers[1]["approved"]), (&true.into(), &false.into()));
    assert_eq!(answers[1]["text"], "Not like this");
    watch.signal(Signal::TERM);
    watch.wait();
}

#[test]
fn an_answer_after_the_end_of_the_run_is_kept_with_the_command_that_gives_it() {
    let project = ProcessProject::with_agent("echo planned-it");
    let run = project.start(&["./agent -> ? -> ./agent"]);
    project.wait_until_asked(1, 1);
    let mut terminal = PseudoTerminal::open();
    let mut watch = watching(&project, &mut terminal, "xterm", &[]);
    wait_for_screen(&watch, "Step 2 asks for approval");
    terminal.type_in(b"aUse the API.");
    wait_for_screen(&watch, "Use the API.");
    project.run(&["stop", "--now", "--wait"]).success();
    assert_eq!(run.ended().code, Some(130));
    wait_for_screen(&watch, "question open: ");
    terminal.press(CONTROL_S);
    wait_for_screen(&watch, "to resume it with this answer:");
    wait_for_screen(&watch, "--approve 'Use the API.'");
    wait_for_screen(&watch, "Approve?");
    watch.signal(Signal::TERM);
    watch.wait();
    project.run(&["resume", "--approve", "Use the API."]).success();
}

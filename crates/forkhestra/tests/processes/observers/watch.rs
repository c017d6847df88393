//! `forkhestra watch` at a terminal, for active and finished runs.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::process::Signal;
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{GuardedRun, ProcessProject, PseudoTerminal, eventually, kill};

/// The sequences that enter and leave the alternate screen.
const ENTER_SCREEN: &str = "\x1b[?1049h";
const LEAVE_SCREEN: &str = "\x1b[?1049l";

const ROWS: NonZeroU16 = NonZeroU16::new(30).expect("it is positive");
const COLUMNS: NonZeroU16 = NonZeroU16::new(100).expect("it is positive");

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
    eventually(&format!("`{text}` on the screen"), || {
        let mut screen = vt100::Parser::new(ROWS, COLUMNS, 0);
        screen.process(&run.output().bytes());
        screen.screen().contents().contains(text).then_some(())
    });
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

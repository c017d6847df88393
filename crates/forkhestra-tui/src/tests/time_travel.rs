//! Tests of diffs and rewinds.

use forkhestra_core::event::{CancelCause, EventKind, RunEnd, Verdict};
use forkhestra_core::id::UnitId;

use super::run_script::{self, RunScript, unit};
use super::test_screen::TestScreen;
use crate::app::detail_view::DetailSubject;
use crate::app::dialog::ScreenDialog;
use crate::app::run_screen_state::RunScreenState;
use crate::msg::{Cmd, Msg};
use crate::output::OutputLine;

fn run(screen: &TestScreen) -> &RunScreenState {
    screen.app.run.as_ref().expect("a run is looked at")
}

fn send_diff(screen: &mut TestScreen, unit: UnitId, lines: Result<Vec<OutputLine>, String>) {
    screen.send(Msg::Diff { run: run_script::run(), unit, lines });
}

/// A diff of 100 numbered lines, opened from the iterations.
fn long_diff() -> TestScreen {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("[[d");
    let line = |number: usize| OutputLine::plain(format!("+line {number}. {}", "x".repeat(90)));
    send_diff(&mut screen, unit(2, 2), Ok((1..=100).map(line).collect()));
    screen.take_cmds();
    screen
}

#[test]
fn a_diff_is_read_and_shown_and_left_again() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("[[").take_cmds();
    screen.press("d");
    assert_eq!(screen.take_cmds(), [Cmd::ReadDiff(unit(2, 2))]);
    let text = screen.text();
    assert!(text.contains("Diff of iteration 2.2") && text.contains("reading…"), "{text}");
    // A diff that was requested earlier comes too late.
    send_diff(&mut screen, unit(2, 1), Ok(vec![OutputLine::plain("another")]));
    assert!(!screen.text().contains("another"), "{}", screen.text());
    send_diff(&mut screen, unit(2, 2), Ok(run_script::diff()));
    let text = screen.text();
    for shown in ["+++ b/src/cart.rs", "@@ -38,7 +38,7 @@ impl Cart {", "+\\u{1b}[2J\\u{7}gone"] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
    for keys in ["d", "<Esc>", "q", "<Tab>", "1"] {
        screen.press(keys);
        assert!(run(&screen).diff.is_none(), "{keys}");
        assert!(screen.text().contains("Iterations 5"), "{}", screen.text());
        screen.press("d");
    }
    assert!(!screen.take_cmds().contains(&Cmd::Quit));
}

#[test]
fn lines_of_a_diff_have_colours() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("[[d");
    send_diff(&mut screen, unit(2, 2), Ok(run_script::diff()));
    let (green, red, cyan) = (vt100::Color::Idx(2), vt100::Color::Idx(1), vt100::Color::Idx(6));
    for (text, color, is_bold) in [
        ("+    round_half_up", green, false),
        ("-    self.lines.iter", red, false),
        ("@@ -38,7 +38,7 @@", cyan, false),
        ("impl", vt100::Color::Default, false),
        ("--- a/src/cart.rs", vt100::Color::Default, true),
        ("total(&self)", vt100::Color::Default, false),
    ] {
        for cell in screen.cells_of(text) {
            assert_eq!((cell.fgcolor(), cell.bold()), (color, is_bold), "{text}");
        }
    }
}

#[test]
fn a_diff_is_in_front_of_the_iteration() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("[[<Enter>").take_cmds();
    let footer = screen.text().lines().last().unwrap_or_default().to_owned();
    assert!(footer.starts_with(" d diff "), "{footer}");
    screen.press("d");
    assert_eq!(screen.take_cmds(), [Cmd::ReadDiff(unit(2, 2))]);
    screen.press("]");
    let read = screen.take_cmds();
    for expected in [Cmd::ReadIteration(unit(2, 3)), Cmd::ReadDiff(unit(2, 3))] {
        assert!(read.contains(&expected), "{read:?}");
    }
    assert!(screen.text().contains("Diff of iteration 2.3"), "{}", screen.text());
    screen.press("<Enter><Esc>");
    let subject = run(&screen).detail.as_ref().map(|detail| detail.subject.clone());
    assert_eq!(subject, Some(DetailSubject::Iteration(unit(2, 3))));
    assert!(screen.text().contains("Iteration 2.3"), "{}", screen.text());
}

#[test]
fn a_diff_is_scrolled_and_searched_like_output() {
    let mut screen = long_diff();
    let shows =
        |screen: &TestScreen, number: usize| screen.text().contains(&format!("+line {number}. "));
    assert!(shows(&screen, 1) && !shows(&screen, 20), "{}", screen.text());
    screen.press("<PageDown>");
    assert!(!shows(&screen, 1), "{}", screen.text());
    screen.press("G");
    assert!(shows(&screen, 100), "{}", screen.text());
    screen.press("g/line 5<Enter>");
    assert!(shows(&screen, 5) && screen.text().contains("'line 5' 1/11"), "{}", screen.text());
    screen.press("n");
    assert!(shows(&screen, 50), "{}", screen.text());
    // The output has no search.
    assert!(run(&screen).output.search.is_none());
    screen.press("<Esc>");
    assert!(run(&screen).diff.as_ref().is_some_and(|diff| diff.search.is_none()));
    screen.press("gw");
    assert!(shows(&screen, 15), "a line has one row: {}", screen.text());
    screen.press("<Right>");
    assert!(!shows(&screen, 1) && screen.text().contains(" xxxx"), "{}", screen.text());
    screen.press("<Left>#");
    assert!(screen.text().contains("  1 +line 1. "), "{}", screen.text());
    // Keys of the output alone have no effect.
    let before = screen.text();
    screen.press("rf");
    assert_eq!((screen.text(), screen.take_cmds()), (before, Vec::new()));
    let scroll = crossterm::event::MouseEventKind::ScrollDown;
    screen.point("+line 2.", scroll);
    assert!(!shows(&screen, 2) && shows(&screen, 4), "{}", screen.text());
}

#[test]
fn a_diff_that_cannot_be_shown_says_why() {
    for (lines, expected) in [
        (Ok(Vec::new()), "the iteration changed nothing"),
        (Err("snapshot @2 is gone\u{1b}[2J".to_owned()), "✗ snapshot @2 is gone\\u{1b}[2J"),
    ] {
        let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
        screen.press("[[d");
        send_diff(&mut screen, unit(2, 2), lines);
        assert!(screen.text().contains(expected), "{}", screen.text());
    }
}

#[test]
fn the_diff_of_an_iteration_at_work_is_read_again_when_it_is_over() {
    let mut script = run_script::at_work();
    let mut screen = TestScreen::of_run((80, 24), &script);
    let at_work = run(&screen).shown_unit().expect("there is one");
    screen.press("d").take_cmds();
    send_diff(&mut screen, at_work, Err("the iteration is not over".to_owned()));
    assert!(screen.text().contains("the iteration is not over"), "{}", screen.text());
    let before = script.events.len();
    let report = script.report(Verdict::Incomplete, 9);
    script.event(EventKind::IterationFinished { unit: at_work, report });
    let mut news = script.news();
    news.events.drain(..before);
    screen.send(Msg::News(news.clone()));
    assert!(screen.take_cmds().contains(&Cmd::ReadDiff(at_work)));
    send_diff(&mut screen, at_work, Ok(run_script::diff()));
    let text = screen.text();
    assert!(!text.contains("is not over") && text.contains("+++ b/src/cart.rs"), "{text}");
    // A diff that was read stays.
    news.events.clear();
    screen.send(Msg::News(news));
    assert!(!screen.take_cmds().contains(&Cmd::ReadDiff(at_work)));
}

#[test]
fn a_rewind_is_shown_until_its_result_is_known() {
    let script = run_script::failed();
    let mut screen = TestScreen::of_run((100, 24), &script);
    screen.press("Wy");
    let later = script.now.saturating_add(std::time::Duration::from_secs(60));
    screen.send(Msg::Tick(later));
    assert!(screen.text().contains("rewinding the work tree…"), "{}", screen.text());
    screen.send(Msg::Rewound(Ok("The work tree is as after iteration 2\n".to_owned())));
    let text = screen.text();
    assert!(!text.contains("rewinding") && !text.contains("was rewound"), "{text}");
    // Beside a message that is being written the result is short, and goes away.
    screen.press("xWythello").send(Msg::Rewound(Ok("Rewound\n".to_owned())));
    assert!(!screen.text().contains("rewinding"), "{}", screen.text());
    screen.send(Msg::Tick(later.saturating_add(std::time::Duration::from_secs(60))));
    assert!(!screen.text().contains("Rewound"), "{}", screen.text());
}

/// The rewinds that some keys start.
fn rewinds(script: &RunScript, keys: &str) -> Vec<String> {
    let mut screen = TestScreen::of_run((80, 24), script);
    screen.press(keys);
    let rewind = |cmd| match cmd {
        Cmd::Rewind { run, to } => {
            assert_eq!(run, run_script::run());
            Some(to.to_string())
        }
        _ => None,
    };
    screen.take_cmds().into_iter().filter_map(rewind).collect()
}

#[test]
fn the_work_tree_is_rewound_after_a_yes_and_nothing_else() {
    for (keys, expected) in [
        ("Wy", &["2.10"][..]),
        ("[[W<Left><Enter>", &["2.8"]),
        ("[[[<Enter>Wy", &["2.7"]),
        ("<Enter>d[Wy", &["2.9"]),
        ("W", &[]),
        ("W<Enter>", &[]),
        ("Wn", &[]),
        ("W<Esc>", &[]),
    ] {
        assert_eq!(rewinds(&run_script::failed(), keys), expected, "{keys}");
    }
    let mut screen = TestScreen::of_run((80, 24), &run_script::failed());
    screen.press("[W");
    let Some(ScreenDialog::Confirm(confirm)) = &screen.app.dialog else {
        panic!("it asks first:\n{}", screen.text());
    };
    for expected in [
        "to the state after iteration 2.9 of run k3v9x2ab",
        "`forkhestra rewind k3v9x2ab --undo` restores it",
    ] {
        assert!(confirm.sentence.contains(expected), "{}", confirm.sentence);
    }
}

#[test]
fn an_attempt_that_was_repeated_is_rewound_by_its_snapshot() {
    let mut script = RunScript::begin();
    let again = UnitId { attempt: 2, ..unit(1, 1) };
    script.step(1).iteration(unit(1, 1), 9, Verdict::Crashed);
    script.iteration(again, 9, Verdict::Crashed);
    script.finish_run(RunEnd::Interrupted(CancelCause::StopNow));
    assert_eq!(rewinds(&script, "[Wy"), ["@1"]);
    assert_eq!(rewinds(&script, "Wy"), ["1.1"]);
}

#[test]
fn a_run_that_cannot_be_rewound_gives_the_reason() {
    for (script, expected) in [
        (run_script::at_work(), "the run is active: it must be stopped before a rewind"),
        (run_script::cut_off(), "no snapshot after this iteration; `forkhestra rewind k3v9x2ab"),
    ] {
        let mut screen = TestScreen::of_run((80, 24), &script);
        screen.press("W");
        assert!(screen.app.dialog.is_none(), "{}", screen.text());
        assert!(screen.text().contains(expected), "{}", screen.text());
        assert!(rewinds(&script, "Wy").is_empty());
    }
}

#[test]
fn the_result_of_a_rewind_is_shown() {
    let done = "Rewound to the end of iteration 2 of run k3v9x2ab: 3 files changed\n\
                The previous state is saved as refs/forkhestra/k3v9x2ab/before-rewind/1\n";
    let refused = "error: 1 file was changed\nhint: `--force` rewinds anyway\u{1b}[2J";
    for (result, expected) in [
        (Ok(done.to_owned()), ["The result of the rewind", "3 files changed", "before-rewind/1"]),
        (
            Err(refused.to_owned()),
            ["The work tree was not rewound", "error: 1 file", "rewinds anyway\\u{1b}[2J"],
        ),
    ] {
        let mut screen = TestScreen::of_run((100, 24), &run_script::failed());
        screen.press("Wy").take_cmds();
        assert!(screen.text().contains("rewinding the work tree…"), "{}", screen.text());
        screen.send(Msg::Rewound(result.clone()));
        assert_eq!(screen.take_cmds(), [Cmd::CaptureMouse(false)]);
        for shown in expected {
            assert!(screen.text().contains(shown), "{shown}:\n{}", screen.text());
        }
        screen.press("x");
        assert!(!screen.text().contains(expected[0]), "{}", screen.text());
        // A message that is being written is not lost.
        screen.press("thello").send(Msg::Rewound(result));
        assert!(
            screen.text().contains("hello") && screen.text().contains(" file"),
            "{}",
            screen.text()
        );
    }
}

#[test]
fn the_footer_offers_a_rewind_only_when_it_is_possible() {
    let footer = |script: &RunScript| {
        let mut screen = TestScreen::of_run((120, 30), script);
        screen.press("[d");
        screen.text().lines().last().unwrap_or_default().to_owned()
    };
    let (over, live) = (footer(&run_script::failed()), footer(&run_script::at_work()));
    assert!(over.starts_with(" W rewind  / search  w wrap  # numbers "), "{over}");
    assert!(live.starts_with(" / search  w wrap  # numbers  s stop "), "{live}");
}

//! Tests of the output view: scrolling, searching, display settings.

use forkhestra_core::event::{EventKind, Verdict};

use super::run_script;
use super::test_screen::TestScreen;
use crate::app::output_view::OutputTop;
use crate::app::run_screen_state::RunScreenState;
use crate::msg::{Cmd, Msg};
use crate::output::{BufferPatch, OutputLine};
use crate::run_source::OutputRendering;

/// Sends the output of the running agent.
pub(super) fn print(screen: &mut TestScreen) {
    let lines = [
        "I will look at the cart first.",
        "● Read  src/cart.rs",
        "● Edit  src/cart.rs",
        "The total is a sum of lines, each of which is rounded on its own; that is why the last \
         test is off by a cent. I will round once, at the end.",
        "● Bash  cargo test",
        "  test cart::totals ... ok",
        "  test cart::rounding ... ok",
    ];
    let after = lines.map(OutputLine::plain).to_vec();
    let patch =
        BufferPatch { is_new: true, after, has_earlier: Some(false), ..BufferPatch::default() };
    send_patch(screen, patch);
}

/// Sends a change of the followed output.
pub(super) fn send_patch(screen: &mut TestScreen, patch: BufferPatch) {
    let (unit, form) = (run(screen).output.unit, run(screen).output.form);
    let unit = unit.expect("an output is looked at");
    screen.send(Msg::Output { run: run_script::run(), unit, form, patch: Ok(patch) });
}

fn run(screen: &TestScreen) -> &RunScreenState {
    screen.app.run.as_ref().expect("a run is looked at")
}

/// `number` lines, numbered from `first`.
fn numbered(first: usize, number: usize) -> Vec<OutputLine> {
    (first..first + number).map(|number| OutputLine::plain(format!("line {number}."))).collect()
}

fn long() -> TestScreen {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let patch = BufferPatch { is_new: true, after: numbered(1, 1000), ..BufferPatch::default() };
    send_patch(&mut screen, patch);
    screen.take_cmds();
    screen
}

fn shows(screen: &TestScreen, first: usize, last: usize) {
    let text = screen.text();
    for (number, is_shown) in [(first - 1, false), (first, true), (last, true), (last + 1, false)] {
        let has = text.contains(&format!(" line {number}.\n"));
        assert_eq!(has, is_shown, "line {number}:\n{text}");
    }
}

#[test]
fn the_end_is_followed_until_the_user_scrolls() {
    let mut screen = long();
    shows(&screen, 983, 1000);
    send_patch(&mut screen, BufferPatch { after: numbered(1001, 5), ..BufferPatch::default() });
    shows(&screen, 988, 1005);
    screen.press("<PageUp>");
    shows(&screen, 971, 988);
    send_patch(&mut screen, BufferPatch { after: numbered(1006, 500), ..BufferPatch::default() });
    shows(&screen, 971, 988);
    assert!(screen.text().contains(" 64% "), "{}", screen.text());
    screen.press("f");
    shows(&screen, 1488, 1505);
    screen.press("<Home>");
    assert!(screen.text().contains(" line 1.\n"));
    screen.press("<Down><Down>");
    shows(&screen, 3, 20);
    screen.press("<End>");
    assert_eq!(run(&screen).output.top, OutputTop::Follow);
}

#[test]
fn a_scrolled_view_stays_during_the_next_iteration() {
    let mut screen = long();
    screen.press("<PageUp>");
    shows(&screen, 966, 983);
    let mut script = run_script::at_work();
    let before = script.events.len();
    let report = script.report(Verdict::Incomplete, 130);
    script.event(EventKind::IterationFinished { unit: run_script::unit(2, 4), report });
    script.start(run_script::unit(2, 5));
    let mut news = script.news();
    news.events.drain(..before);
    screen.send(Msg::News(news));
    shows(&screen, 966, 983);
    assert_eq!(screen.take_cmds(), []);
    screen.press("f");
    let unit = run_script::unit(2, 5);
    assert_eq!(screen.take_cmds(), [Cmd::Follow { unit, form: OutputRendering::Rendered }]);
}

#[test]
fn earlier_lines_are_loaded_before_the_first_line_is_reached() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let after = numbered(501, 500);
    let patch =
        BufferPatch { is_new: true, after, has_earlier: Some(true), ..BufferPatch::default() };
    send_patch(&mut screen, patch);
    screen.take_cmds();
    screen.press("<PageUp>");
    assert_eq!(screen.take_cmds(), []);
    screen.press("<Home>");
    assert_eq!(screen.take_cmds(), [Cmd::LoadEarlier]);
    assert!(screen.text().contains(" reading… "), "{}", screen.text());
    screen.press("<Down>");
    assert_eq!(screen.take_cmds(), []);
    let before = numbered(1, 500);
    send_patch(
        &mut screen,
        BufferPatch { before, has_earlier: Some(false), ..BufferPatch::default() },
    );
    shows(&screen, 502, 519);
    screen.press("<Home>");
    assert_eq!(screen.take_cmds(), []);
    assert!(screen.text().contains(" line 1.\n"), "{}", screen.text());
}

#[test]
fn lines_that_gave_way_to_earlier_ones_are_read_again() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let after = numbered(20_001, 19_000);
    let patch =
        BufferPatch { is_new: true, after, has_earlier: Some(true), ..BufferPatch::default() };
    send_patch(&mut screen, patch);
    screen.press("<Home>");
    send_patch(&mut screen, BufferPatch { before: numbered(1, 20_000), ..BufferPatch::default() });
    screen.take_cmds();
    screen.press("<End>");
    let unit = run_script::unit(2, 4);
    assert_eq!(screen.take_cmds(), [Cmd::Follow { unit, form: OutputRendering::Rendered }]);
}

#[test]
fn text_is_found_and_gone_to() {
    let mut screen = long();
    screen.press("/line 5");
    assert!(screen.text().contains("'line 5' "), "{}", screen.text());
    // The search starts at the visible part: there is no match below, so it wraps around to the
    // first.
    shows(&screen, 1, 18);
    assert!(screen.text().contains("1/111"), "{}", screen.text());
    screen.press("<Enter>n");
    assert!(screen.text().contains("2/111") && screen.text().contains(" line 50.\n"));
    screen.press("NN");
    let text = screen.text();
    assert!(text.contains("111/111") && text.contains(" line 599.\n"), "{text}");
    send_patch(
        &mut screen,
        BufferPatch { after: vec![OutputLine::plain("line 5 again")], ..BufferPatch::default() },
    );
    assert!(screen.text().contains("111/112"), "{}", screen.text());
    screen.press("<Esc>");
    assert!(!screen.text().contains("'line 5'"), "{}", screen.text());
    screen.press("/nowhere<Enter>");
    assert!(screen.text().contains("'nowhere' 0"), "{}", screen.text());
    screen.press("/<C-u><Enter>");
    assert!(!screen.text().contains("'nowhere'"), "{}", screen.text());
}

#[test]
fn matches_are_highlighted() {
    let mut screen = long();
    screen.press("/line 999.");
    let inverse: String =
        screen.cells().filter(|cell| cell.inverse()).map(vt100::Cell::contents).collect();
    assert!(inverse.contains("line 999."), "{inverse}");
}

#[test]
fn long_lines_are_broken_or_gone_along() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let line = format!("begin {} end", "x".repeat(100));
    send_patch(
        &mut screen,
        BufferPatch {
            is_new: true,
            after: vec![OutputLine::plain(line)],
            ..BufferPatch::default()
        },
    );
    assert!(screen.text().contains("begin") && screen.text().contains(" end"));
    screen.press("w");
    assert!(screen.text().contains("begin") && !screen.text().contains(" end\n"));
    screen.press(&"<Right>".repeat(12));
    assert!(screen.text().contains(" end\n") && !screen.text().contains("begin"));
    screen.press("ww");
    assert!(screen.text().contains("begin"), "{}", screen.text());
}

#[test]
fn line_numbers_can_be_shown() {
    let mut screen = long();
    screen.press("#<Home>");
    assert!(screen.text().contains("    1 line 1.\n"), "{}", screen.text());
    assert!(screen.text().contains("   18 line 18.\n"), "{}", screen.text());
}

#[test]
fn the_raw_output_is_another_output() {
    let mut screen = long();
    screen.press("r");
    let follow = |form| Cmd::Follow { unit: run_script::unit(2, 4), form };
    assert_eq!(screen.take_cmds(), [follow(OutputRendering::Raw)]);
    let late = BufferPatch { after: vec![OutputLine::plain("too late")], ..BufferPatch::default() };
    let (run, unit, form) = (run_script::run(), run_script::unit(2, 4), OutputRendering::Rendered);
    screen.send(Msg::Output { run, unit, form, patch: Ok(late) });
    assert!(screen.text().contains("reading…"), "{}", screen.text());
    send_patch(
        &mut screen,
        BufferPatch { after: vec![OutputLine::plain("{\"raw\": 1}")], ..BufferPatch::default() },
    );
    assert!(screen.text().contains("{\"raw\": 1}") && screen.text().contains(" raw "));
    screen.press("r");
    assert_eq!(screen.take_cmds(), [follow(OutputRendering::Rendered)]);
}

#[test]
fn an_output_that_cannot_be_read_says_why() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let (run, unit, form) = (run_script::run(), run_script::unit(2, 4), OutputRendering::Rendered);
    let patch = Err("the log was removed".to_owned());
    screen.send(Msg::Output { run, unit, form, patch });
    assert!(screen.text().contains("the log was removed"), "{}", screen.text());
    send_patch(&mut screen, BufferPatch { is_new: true, ..BufferPatch::default() });
    assert!(screen.text().contains("nothing has been printed yet"), "{}", screen.text());
}

#[test]
fn a_window_of_another_size_stays_at_the_same_lines() {
    let mut screen = long();
    screen.press("<Home><PageDown>");
    shows(&screen, 18, 35);
    screen.resize((120, 40));
    shows(&screen, 18, 51);
    screen.resize((80, 24));
    shows(&screen, 18, 35);
}

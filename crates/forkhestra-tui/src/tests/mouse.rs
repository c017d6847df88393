//! Tests of the mouse.

use crossterm::event::MouseEventKind;
use forkhestra_core::control::ControlRequest;

use super::output::print;
use super::run_script::{self, unit};
use super::test_screen::TestScreen;
use crate::app::output_view::OutputTop;
use crate::app::run_screen_state::{IterationPick, RunFocus, RunTab};
use crate::msg::{Cmd, Msg};
use crate::run_source::{OutputRendering, RunScope};

fn opened(size: (u16, u16)) -> TestScreen {
    let mut screen = TestScreen::of_run(size, &run_script::at_work());
    print(&mut screen);
    screen.take_cmds();
    screen
}

fn run(screen: &TestScreen) -> &crate::app::run_screen_state::RunScreenState {
    screen.app.run.as_ref().expect("a run is looked at")
}

#[test]
fn a_click_selects_its_target() {
    let mut screen = opened((80, 24));
    screen.click("▲ 2.2");
    assert_eq!(
        (run(&screen).pick, run(&screen).focus),
        (IterationPick::Unit(unit(2, 2)), RunFocus::Timeline)
    );
    screen.click("planner");
    assert_eq!(run(&screen).pick, IterationPick::Unit(unit(1, 1)));
    screen.click("reviewer");
    assert_eq!(run(&screen).pick, IterationPick::Unit(unit(1, 1)));
    screen.click("Checks");
    assert_eq!((run(&screen).tab, run(&screen).focus), (RunTab::Checks, RunFocus::Pane));
}

#[test]
fn keys_that_are_shown_can_be_clicked() {
    let mut screen = opened((80, 24));
    screen.click("p pause");
    let run = run_script::run();
    assert_eq!(
        screen.take_cmds(),
        [Cmd::SendRequest { run: run.clone(), request: ControlRequest::Pause }]
    );
    screen.press("<Home>").click("S stop now").click(" Yes ");
    assert_eq!(screen.take_cmds(), [Cmd::SendRequest { run, request: ControlRequest::StopNow }]);
    screen.press("<Home>").click("k skip").click(" No ");
    assert_eq!(screen.take_cmds(), []);
    screen.click("q detach");
    assert_eq!(screen.take_cmds(), [Cmd::Quit]);
}

#[test]
fn a_click_shows_the_keys_hidden_by_a_toast() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::finished());
    screen.press("s");
    assert!(!screen.text().contains("q quit"), "{}", screen.text());
    screen.click("the run is over");
    assert!(screen.text().contains("q quit"), "{}", screen.text());
}

#[test]
fn targets_behind_a_dialog_cannot_be_clicked() {
    let mut screen = opened((80, 24));
    screen.press("S").click("planner").click("1.1").point("builder", MouseEventKind::ScrollUp);
    assert_eq!((screen.take_cmds(), run(&screen).pick), (Vec::new(), IterationPick::Latest));
}

#[test]
fn the_wheel_scrolls_its_target() {
    let mut screen = opened((80, 12));
    screen.point("cargo test", MouseEventKind::ScrollUp);
    assert!(matches!(run(&screen).output.top, OutputTop::At { .. }));
    screen.point("cargo test", MouseEventKind::ScrollDown);
    assert_eq!(run(&screen).output.top, OutputTop::Follow);
    screen.point("2.4", MouseEventKind::ScrollUp);
    assert_eq!(run(&screen).pick, IterationPick::Unit(unit(2, 3)));
    let follow = Cmd::Follow { unit: unit(2, 3), form: OutputRendering::Rendered };
    assert_eq!(screen.take_cmds(), [follow]);
}

#[test]
fn on_a_huge_screen_each_column_is_scrolled_by_itself() {
    let mut screen = opened((200, 14));
    screen.point("Step 2 of 3", MouseEventKind::ScrollDown);
    assert!(run(&screen).scroll > 0 && run(&screen).output.top == OutputTop::Follow);
}

#[test]
fn a_second_click_opens_a_run() {
    let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
    screen.send(Msg::Runs(Ok(run_script::listed()))).take_cmds();
    screen.click("tidy-up");
    assert_eq!(screen.take_cmds(), []);
    screen.click("tidy-up");
    assert!(matches!(&screen.take_cmds()[..], [Cmd::OpenRun(run)] if run.as_str() == "wxyz9876"));
}

//! The mouse.

use crossterm::event::MouseEventKind;
use forkhestra_core::control::Request;

use super::output::print;
use super::story::{self, unit};
use super::terminal::Screen;
use crate::app::output_view::Top;
use crate::app::run_view::{Focus, Pick, Tab};
use crate::msg::{Cmd, Msg};
use crate::world::{Form, Scope};

fn opened(size: (u16, u16)) -> Screen {
    let mut screen = Screen::of_run(size, &story::at_work());
    print(&mut screen);
    screen.take_cmds();
    screen
}

fn run(screen: &Screen) -> &crate::app::run_view::RunView {
    screen.app.run.as_ref().expect("a run is looked at")
}

#[test]
fn a_click_selects_what_it_is_on() {
    let mut screen = opened((80, 24));
    screen.click("▲ 2.2");
    assert_eq!((run(&screen).pick, run(&screen).focus), (Pick::Unit(unit(2, 2)), Focus::Timeline));
    screen.click("planner");
    assert_eq!(run(&screen).pick, Pick::Unit(unit(1, 1)));
    screen.click("reviewer");
    assert_eq!(run(&screen).pick, Pick::Unit(unit(1, 1)));
    screen.click("Checks");
    assert_eq!((run(&screen).tab, run(&screen).focus), (Tab::Checks, Focus::Pane));
}

#[test]
fn keys_that_are_shown_can_be_clicked() {
    let mut screen = opened((80, 24));
    screen.click("p pause");
    let run = story::run();
    assert_eq!(screen.take_cmds(), [Cmd::Ask { run: run.clone(), request: Request::Pause }]);
    screen.press("<Home>").click("S stop now").click(" Yes ");
    assert_eq!(screen.take_cmds(), [Cmd::Ask { run, request: Request::StopNow }]);
    screen.press("<Home>").click("k skip").click(" No ");
    assert_eq!(screen.take_cmds(), []);
    screen.click("q detach");
    assert_eq!(screen.take_cmds(), [Cmd::Quit]);
}

#[test]
fn a_click_brings_the_keys_back_that_a_remark_hid() {
    let mut screen = Screen::of_run((80, 24), &story::finished());
    screen.press("s");
    assert!(!screen.text().contains("q quit"), "{}", screen.text());
    screen.click("the run is over");
    assert!(screen.text().contains("q quit"), "{}", screen.text());
}

#[test]
fn what_is_behind_a_dialog_cannot_be_clicked() {
    let mut screen = opened((80, 24));
    screen.press("S").click("planner").click("1.1").point("builder", MouseEventKind::ScrollUp);
    assert_eq!((screen.take_cmds(), run(&screen).pick), (Vec::new(), Pick::Latest));
}

#[test]
fn the_wheel_scrolls_what_it_is_over() {
    let mut screen = opened((80, 12));
    screen.point("cargo test", MouseEventKind::ScrollUp);
    assert!(matches!(run(&screen).output.top, Top::At { .. }));
    screen.point("cargo test", MouseEventKind::ScrollDown);
    assert_eq!(run(&screen).output.top, Top::Follow);
    screen.point("2.4", MouseEventKind::ScrollUp);
    assert_eq!(run(&screen).pick, Pick::Unit(unit(2, 3)));
    let follow = Cmd::Follow { unit: unit(2, 3), form: Form::Rendered };
    assert_eq!(screen.take_cmds(), [follow]);
}

#[test]
fn on_a_huge_screen_each_column_is_scrolled_by_itself() {
    let mut screen = opened((200, 14));
    screen.point("Step 2 of 3", MouseEventKind::ScrollDown);
    assert!(run(&screen).scroll > 0 && run(&screen).output.top == Top::Follow);
}

#[test]
fn a_second_click_opens_a_run() {
    let mut screen = Screen::of_list((80, 24), Scope::Here);
    screen.tell(Msg::Runs(Ok(story::listed()))).take_cmds();
    screen.click("tidy-up");
    assert_eq!(screen.take_cmds(), []);
    screen.click("tidy-up");
    assert!(matches!(&screen.take_cmds()[..], [Cmd::OpenRun(run)] if run.as_str() == "wxyz9876"));
}

//! Tasks, costs and views that are in sight without a key.

use forkhestra_core::cost::{Dollars, Spend};
use forkhestra_core::event::{EventKind, Verdict};

use super::story::{self, Story, unit};
use super::terminal::Screen;
use crate::msg::Msg;
use crate::world::{TaskBoard, TaskCard};

fn with_tasks(size: (u16, u16), story: &Story, board: TaskBoard) -> Screen {
    let mut screen = Screen::of_run(size, story);
    screen.tell(Msg::Tasks { run: story::run(), board: Some(Ok(board)) });
    screen
}

#[test]
fn the_task_at_work_and_how_many_are_done_are_in_sight_at_every_size() {
    for size in [(80, 24), (120, 40), (200, 60), (40, 10)] {
        let text = with_tasks(size, &story::at_work(), story::board()).text();
        assert!(text.contains("task-2 Sum the ca"), "{text}");
        assert!(text.contains("1 of 5"), "{text}");
    }
}

#[test]
fn at_80_columns_every_view_has_its_number_and_tasks_are_counted() {
    let text = with_tasks((80, 24), &story::at_work(), story::board()).text();
    for shown in ["1 Output", "2 Checks", "3 Tasks 1/5", "4 M", "5 "] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
}

#[test]
fn at_80_columns_the_task_at_work_comes_first() {
    let mut board = story::board();
    board.tasks.rotate_left(2);
    let mut screen = with_tasks((80, 24), &story::at_work(), board);
    let text = screen.press("3").text();
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what} in\n{text}"));
    assert!(at("In Progress 1") < at("To Do 2") && at("To Do 2") < at("Done 1"), "{text}");
}

#[test]
fn columns_of_tasks_share_the_width_by_need() {
    let task = |number: usize| TaskCard {
        id: format!("TASK-{number:03}"),
        title: format!("Write part {number} of the manual"),
        status: if number < 6 { "Done" } else { "To Do" }.to_owned(),
        assignee: None,
        is_of_run: false,
        waits_for: Vec::new(),
    };
    let board = TaskBoard { tasks: (1..15).map(task).collect() };
    let mut screen = with_tasks((120, 40), &story::at_work(), board);
    let text = screen.press("3").text();
    for number in 1..15 {
        let title = format!("TASK-{number:03} Write part {number}");
        assert!(text.contains(&title), "{title}:\n{text}");
    }
    // A column that is empty needs no more than its title.
    assert!(text.contains("In Progress 0"), "{text}");
}

#[test]
fn costs_of_iterations_are_not_rounded_up() {
    let mut story = Story::begin();
    story.step(1).start(unit(1, 1)).pass(5);
    let mut report = story.report(Verdict::Incomplete, 5);
    report.spend = Some(Spend { dollars: Dollars::from_nanos(92_600_000), ..Spend::default() });
    story.tell(EventKind::IterationFinished { unit: unit(1, 1), report });
    let text = Screen::of_run((120, 40), &story).text();
    assert!(text.contains("$0.09") && !text.contains("$0.10"), "{text}");
}

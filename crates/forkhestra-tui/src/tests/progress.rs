//! Tasks, costs and views that are visible without a key.

use forkhestra_core::cost::{Dollars, Spend};
use forkhestra_core::event::{
    CommitSummary, CompletionSignal, EventKind, ProcessEnd, StepEnd, Verdict,
};
use forkhestra_core::history::RunHistory;

use super::run_script::{self, RunScript, unit};
use super::test_screen::TestScreen;
use crate::app::timeline;
use crate::msg::Msg;
use crate::run_source::{IterationChanges, TaskBoard, TaskCard, TaskDetails};

fn with_tasks(size: (u16, u16), script: &RunScript, board: TaskBoard) -> TestScreen {
    let mut screen = TestScreen::of_run(size, script);
    screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(board)) });
    screen
}

#[test]
fn the_current_task_and_the_progress_are_shown_at_every_size() {
    for size in [(80, 24), (120, 40), (200, 60), (40, 10)] {
        let text = with_tasks(size, &run_script::at_work(), run_script::board()).text();
        assert!(text.contains("task-2 Sum the ca"), "{text}");
        assert!(text.contains("1 of 5"), "{text}");
    }
}

#[test]
fn at_80_columns_every_view_has_its_number_and_tasks_are_counted() {
    let text = with_tasks((80, 24), &run_script::at_work(), run_script::board()).text();
    for shown in ["1 Output", "2 Checks", "3 Tasks 1/5", "4 M", "5 "] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
}

#[test]
fn at_80_columns_views_have_names_however_many_tasks_there_are() {
    let mut board = run_script::board();
    board.tasks.resize(140, board.tasks[0].clone());
    let mut screen = with_tasks((80, 24), &run_script::at_work(), board);
    let text = screen.press("[[").text();
    assert!(text.contains("1 Output 2 Chk ✗ 3 Tasks 136/140 4 Msg 5 Info"), "{text}");
}

#[test]
fn at_80_columns_the_task_at_work_comes_first() {
    let mut board = run_script::board();
    board.tasks.rotate_left(2);
    let mut screen = with_tasks((80, 24), &run_script::at_work(), board);
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
    let mut screen = with_tasks((120, 40), &run_script::at_work(), board);
    let text = screen.press("3").text();
    for number in 1..15 {
        let title = format!("TASK-{number:03} Write part {number}");
        assert!(text.contains(&title), "{title}:\n{text}");
    }
    // An empty column is as wide as its title.
    assert!(text.contains("In Progress 0"), "{text}");
}

#[test]
fn costs_of_iterations_are_not_rounded_up() {
    let mut script = RunScript::begin();
    script.step(1).start(unit(1, 1)).pass(5);
    let mut report = script.report(Verdict::Incomplete, 5);
    report.spend = Some(Spend { dollars: Dollars::from_nanos(92_600_000), ..Spend::default() });
    script.event(EventKind::IterationFinished { unit: unit(1, 1), report });
    let text = TestScreen::of_run((120, 40), &script).text();
    assert!(text.contains("$0.09") && !text.contains("$0.10"), "{text}");
}

/// Two iterations that finished tasks, with a commit each, and a running one.
fn working() -> RunScript {
    let mut script = RunScript::begin();
    script.step(1).iteration(unit(1, 1), 131, Verdict::Complete(CompletionSignal::ExitCode));
    script.step_over(1, StepEnd::Complete(CompletionSignal::ExitCode)).step(2);
    script.working_iteration(unit(2, 1), 300, &["task-1"]);
    script.working_iteration(unit(2, 2), 320, &["task-4", "task-5"]);
    script.start(unit(2, 3)).pass(40);
    script
}

fn commit(screen: &mut TestScreen, iteration: u32, subject: &str) {
    let commit = CommitSummary { id: "4f2b7c1d9e0a".to_owned(), subject: subject.to_owned() };
    let changes = IterationChanges { commits: vec![commit], ..IterationChanges::default() };
    let (run, unit) = (run_script::run(), unit(2, iteration));
    screen.send(Msg::Changes { run, unit, changes: Ok(changes) });
}

#[test]
fn iterations_name_their_task_and_their_commit() {
    let mut screen = with_tasks((120, 40), &working(), run_script::board());
    commit(&mut screen, 1, "Lay the table");
    commit(&mut screen, 2, "Finish task-4 +1 at once");
    let text = screen.text();
    for shown in ["Δ task-1 Lay the tab", "Δ Finish task-4 +1", "task-2 Sum the cart"] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
    let narrow = with_tasks((80, 24), &working(), run_script::board()).text();
    assert!(narrow.contains("5m 20s Δ task-4 +1"), "{narrow}");
}

#[test]
fn the_time_that_is_left_is_estimated_by_tasks() {
    let mut board = run_script::board();
    board.tasks[3].status = "To Do".to_owned();
    let text = with_tasks((80, 24), &working(), board).text();
    // Four tasks of 160 seconds each, of which 40 seconds have passed.
    assert!(text.contains("step: ~10m left for 4 tasks"), "{text}");
}

#[test]
fn a_task_says_which_iterations_worked_on_it() {
    let mut screen = with_tasks((80, 24), &working(), run_script::board());
    screen.press("3<End><Enter>");
    let task = TaskDetails {
        id: "task-1".to_owned(),
        title: "Set up the workspace".to_owned(),
        status: "Done".to_owned(),
        ..TaskDetails::default()
    };
    screen.send(Msg::Task {
        run: run_script::run(),
        id: "task-1".to_owned(),
        task: Ok(Some(Box::new(task))),
    });
    let text = screen.text();
    assert!(text.contains("· 2.1    5m 00s   $0.3390  claimed, finished"), "{text}");
}

#[test]
fn an_iteration_shows_its_task_changes() {
    let mut screen = with_tasks((80, 24), &working(), run_script::board());
    let text = screen.press("[<Enter>").text();
    for shown in ["claimed  task-4 The title of task-4", "finished task-5 The title"] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
}

/// The second round of a repeated group: the builder is at its first iteration of the round.
fn second_round() -> RunScript {
    let mut script = RunScript::of_chain("(builder:5 -> reviewer):3");
    let complete = || Verdict::Complete(CompletionSignal::ExitCode);
    let end = || StepEnd::Complete(CompletionSignal::ExitCode);
    script.event(EventKind::RoundStarted { group: 1, round: 1 }).step(1);
    script.iteration(unit(1, 1), 60, Verdict::Incomplete).iteration(unit(1, 2), 60, complete());
    script.step_over(1, end()).step(2).iteration(unit(2, 1), 30, Verdict::Crashed);
    let (step, group, reason, tree) = (2, 1, None, None);
    script.step_over(2, StepEnd::Failed(ProcessEnd::Exited(1)));
    script.event(EventKind::RoundRefused { step, group, round: 1, reason, tree });
    script.event(EventKind::RoundStarted { group: 1, round: 2 }).step(1);
    script.start(unit(1, 3)).pass(20);
    script
}

/// The maximum of a loop counts in each round, and iteration numbers continue.
#[test]
fn iterations_of_a_later_round_are_counted_from_its_begin() {
    let text = TestScreen::of_run((120, 40), &second_round()).text();
    assert!(text.contains("builder works on iteration 3 (1 of 5 in round 2) for 20s"), "{text}");
    assert!(text.contains("builder 0/5"), "{text}");
    assert!(text.contains("─ 0/5  "), "the bar of the loop: {text}");
    assert!(text.contains("step: at most ~5m left"), "{text}");
}

/// In a repeated group it is not the order of the steps.
#[test]
fn the_timeline_is_in_the_order_of_time() {
    let script = second_round();
    let history = RunHistory::of(&script.events).expect("the events fit");
    let entries = (0..timeline::len(&history)).filter_map(|index| timeline::get(&history, index));
    let units: Vec<_> = entries.map(|entry| entry.unit()).collect();
    assert_eq!(units, [unit(1, 1), unit(1, 2), unit(2, 1), unit(1, 3)]);
    for (index, one) in units.iter().enumerate() {
        assert_eq!(timeline::find(&history, *one), Some(index));
    }
    assert_eq!(timeline::last_of_step(&history, 1), Some(3));
    assert_eq!(timeline::last_of_step(&history, 2), Some(2));
    assert_eq!(timeline::last_of_step(&history, 3), None);
}

/// The second row of the screen, without the space after it.
fn chain_row(size: (u16, u16), script: &RunScript) -> String {
    let text = TestScreen::of_run(size, script).text();
    text.lines().nth(1).unwrap_or_default().trim_end().to_owned()
}

#[test]
fn groups_have_parentheses_and_their_round() {
    let mut script = RunScript::of_chain("planner -> (builder:5 -> planner):3 else builder:2");
    let row = chain_row((120, 40), &script);
    assert_eq!(row, " ○ planner → (○ builder 0/5 → ○ planner) 0/3 else ○ builder 0/2");
    let complete = || StepEnd::Complete(CompletionSignal::ExitCode);
    script.step(1).step_over(1, complete());
    script.event(EventKind::RoundStarted { group: 1, round: 1 });
    script.step(2).iteration(unit(2, 1), 60, Verdict::Complete(CompletionSignal::ExitCode));
    script.step_over(2, complete()).step(3).step_over(3, StepEnd::NotAccepted);
    script.event(EventKind::RoundRefused { step: 3, group: 1, round: 1, reason: None, tree: None });
    script.event(EventKind::RoundStarted { group: 1, round: 2 });
    script.step(2).start(unit(2, 2));
    let row = chain_row((120, 40), &script);
    assert_eq!(row, " ✓ planner → (● builder 0/5 → ○ planner) 2/3 else ○ builder 0/2");
    let narrow = chain_row((50, 24), &script);
    assert!(narrow.contains("● builder 0/5 → ○ planner"), "the selected step is visible: {narrow}");
}

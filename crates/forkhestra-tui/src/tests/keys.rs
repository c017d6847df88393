//! Tests of key sequences.

use forkhestra_core::id::RunId;

use super::run_script::{self, unit};
use super::test_screen::TestScreen;
use crate::app::run_screen_state::IterationPick;
use crate::msg::{Cmd, Msg};
use crate::run_source::{OutputRendering, RunScope};

fn run(screen: &TestScreen) -> &crate::app::run_screen_state::RunScreenState {
    screen.app.run.as_ref().expect("a run is looked at")
}

fn id(text: &str) -> RunId {
    RunId::parse(text).expect("an id")
}

#[test]
fn a_run_is_opened_from_the_list_and_left_again() {
    let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
    assert_eq!(screen.take_cmds(), [Cmd::ListRuns(RunScope::Here)]);
    screen.send(Msg::Runs(Ok(run_script::listed()))).press("<Down><Enter>");
    assert_eq!(screen.take_cmds(), [Cmd::OpenRun(id("m0n1t3rs"))]);
    screen.press("q");
    assert_eq!(screen.take_cmds(), [Cmd::CloseRun, Cmd::ListRuns(RunScope::Here)]);
    assert_eq!(screen.app.list.selected, Some(id("m0n1t3rs")));
    screen.press("q");
    assert_eq!(screen.take_cmds(), [Cmd::Quit]);
}

#[test]
fn the_list_shows_this_directory_or_all() {
    let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
    screen.press("a");
    assert_eq!(screen.take_cmds().last(), Some(&Cmd::ListRuns(RunScope::Everywhere)));
    assert!(screen.text().contains("of all directories") && screen.text().contains("a here"));
    screen.press("a");
    assert_eq!(screen.take_cmds(), [Cmd::ListRuns(RunScope::Here)]);
}

#[test]
fn a_run_opened_directly_is_left_by_quitting() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    assert!(screen.text().contains("q detach"), "{}", screen.text());
    screen.take_cmds();
    screen.press("q");
    assert_eq!(screen.take_cmds(), [Cmd::Quit]);
    let message = screen.app.exit_message().expect("the run continues");
    assert_eq!(message, "Run k3v9x2ab continues; `forkhestra watch k3v9x2ab` shows it again.");
    assert_eq!(TestScreen::of_run((80, 24), &run_script::finished()).app.exit_message(), None);
    // The list is still one key away.
    screen.press("l");
    assert_eq!(screen.take_cmds(), [Cmd::CloseRun, Cmd::ListRuns(RunScope::Here)]);
}

#[test]
fn the_help_starts_with_the_keys_of_the_current_view() {
    let first = |screen: &TestScreen| screen.text().lines().nth(1).map(str::to_owned);
    let mut list = TestScreen::of_list((80, 24), RunScope::Here);
    list.send(Msg::Runs(Ok(run_script::listed()))).press("?");
    assert!(first(&list).is_some_and(|line| line.contains("The list of runs")), "{}", list.text());
    let mut run = TestScreen::of_run((80, 24), &run_script::at_work());
    run.press("?");
    assert!(first(&run).is_some_and(|line| line.contains("Steering")), "{}", run.text());
}

#[test]
fn leaving_suspending_and_drawing_anew_work_wherever_one_is() {
    for before in ["", "t", "e", "S", "?", "/x"] {
        let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
        screen.press(before).take_cmds();
        screen.press("<C-l><C-z><C-c>");
        assert_eq!(screen.take_cmds(), [Cmd::Redraw, Cmd::Suspend, Cmd::Quit], "{before}");
    }
}

#[test]
fn the_output_of_the_iteration_that_is_looked_at_is_followed() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let follow =
        |iteration| Cmd::Follow { unit: unit(2, iteration), form: OutputRendering::Rendered };
    assert_eq!(screen.take_cmds(), [Cmd::OpenRun(run_script::run()), follow(4)]);
    screen.press("[");
    assert_eq!(
        (screen.take_cmds(), run(&screen).pick),
        (vec![follow(3)], IterationPick::Unit(unit(2, 3)))
    );
    screen.press("]");
    assert_eq!((screen.take_cmds(), run(&screen).pick), (vec![follow(4)], IterationPick::Latest));
    screen.press("<Tab><Home>");
    assert_eq!(
        screen.take_cmds(),
        [Cmd::Follow { unit: unit(1, 1), form: OutputRendering::Rendered }]
    );
    screen.press("<Right>");
    assert_eq!(screen.take_cmds(), [follow(4)]);
    screen.press("<Left><End>");
    assert_eq!(screen.take_cmds().last(), Some(&follow(4)));
}

#[test]
fn a_viewer_of_the_last_iteration_follows_to_the_next_one() {
    let mut script = run_script::at_work();
    let mut screen = TestScreen::of_run((80, 24), &script);
    let known = script.events.len();
    let report = script.report(forkhestra_core::event::Verdict::Incomplete, 130);
    script.event(forkhestra_core::event::EventKind::IterationFinished { unit: unit(2, 4), report });
    script.start(unit(2, 5));
    let mut news = script.news();
    news.events.drain(..known);
    screen.take_cmds();
    screen.send(Msg::News(news));
    assert_eq!(
        screen.take_cmds(),
        [Cmd::Follow { unit: unit(2, 5), form: OutputRendering::Rendered }]
    );
}

#[test]
fn a_long_tab_is_scrolled_and_not_further_than_to_its_end() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("5<PageDown><PageDown><PageDown><Down>");
    assert!(screen.text().contains("max cost"), "{}", screen.text());
    screen.press("<Up>");
    assert!(!screen.text().contains("max cost"), "{}", screen.text());
    screen.press("<Home>");
    assert!(screen.text().contains("Step 2 of 3"), "{}", screen.text());
}

#[test]
fn an_unchanged_state_changes_nothing() {
    let script = run_script::at_work();
    let mut screen = TestScreen::of_run((80, 24), &script);
    screen.app.take_changed();
    let mut news = script.news();
    news.events.clear();
    screen.send(Msg::News(news));
    assert!(!screen.app.take_changed());
    screen.send(Msg::Tick(script.now));
    assert!(screen.app.take_changed() && screen.app.has_clock());

    let mut over = TestScreen::of_run((80, 24), &run_script::finished());
    over.app.take_changed();
    over.send(Msg::Tick(script.now));
    assert!(!over.app.take_changed() && !over.app.has_clock());

    let mut list = TestScreen::of_list((80, 24), RunScope::Here);
    list.send(Msg::Runs(Ok(run_script::listed())));
    list.app.take_changed();
    list.send(Msg::Runs(Ok(run_script::listed())));
    assert!(!list.app.take_changed());
}

#[test]
fn news_of_another_run_are_not_ours() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    let before = screen.text();
    let mut news = run_script::finished().news();
    news.run = id("abcd1234");
    screen.send(Msg::News(news));
    assert_eq!(screen.text(), before);
}

#[test]
fn enter_opens_the_selected_task_and_escape_goes_back() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(run_script::board())) });
    screen.press("3<Down>").take_cmds();
    screen.press("<Enter>");
    assert_eq!(screen.take_cmds(), [Cmd::ReadTask(Some("task-3".to_owned()))]);
    assert!(screen.text().contains("Task task-3"), "{}", screen.text());
    let task = run_script::task_details();
    screen.send(Msg::Task {
        run: run_script::run(),
        id: task.id.clone(),
        task: Ok(Some(Box::new(task))),
    });
    let text = screen.text();
    for shown in ["Round totals", "Round once, at the end", "☐ Totals are exact", "✓ task-2 Sum"]
    {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
    screen.press("<Esc>");
    assert_eq!(screen.take_cmds(), [Cmd::ReadTask(None)]);
    assert!(screen.text().contains("In Progress 1"), "{}", screen.text());
    // A late reply is ignored.
    let task = run_script::task_details();
    screen.send(Msg::Task {
        run: run_script::run(),
        id: task.id.clone(),
        task: Ok(Some(Box::new(task))),
    });
    assert!(run(&screen).task.is_none() || run(&screen).detail.is_none());
}

#[test]
fn enter_opens_the_selected_iteration_and_brackets_open_its_neighbours() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("<Tab><Up><Up>").take_cmds();
    screen.press("<Enter>");
    assert_eq!(screen.take_cmds(), [Cmd::ReadIteration(unit(2, 2))]);
    let text = screen.text();
    for shown in ["Iteration 2.2", "refused: cargo test", "cost", "2 of 48 tests failed"] {
        assert!(text.contains(shown), "{shown}:\n{text}");
    }
    let message = Ok(Some("I fixed the totals.".to_owned()));
    screen.send(Msg::LastMessage { run: run_script::run(), unit: unit(2, 2), message });
    screen.press("<End>");
    assert!(screen.text().contains("I fixed the totals."), "{}", screen.text());
    screen.press("]");
    assert!(screen.take_cmds().contains(&Cmd::ReadIteration(unit(2, 3))));
    assert!(screen.text().contains("Iteration 2.3"), "{}", screen.text());
    screen.press("<Esc>");
    assert!(screen.text().contains("Iterations 5"), "{}", screen.text());
    assert_eq!(run(&screen).pick, IterationPick::Unit(unit(2, 3)));
}

#[test]
fn a_number_key_closes_the_detail() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("<Enter>2");
    assert!(run(&screen).detail.is_none());
    screen.press("<Enter>q");
    assert!(run(&screen).detail.is_none());
    assert!(!screen.take_cmds().contains(&Cmd::Quit));
}

#[test]
fn tasks_are_walked_through_in_the_order_in_which_they_are_shown() {
    for size in [(80, 24), (200, 60)] {
        let mut screen = TestScreen::of_run(size, &run_script::at_work());
        screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(run_script::board())) });
        screen.press("3");
        for (keys, expected) in [
            ("", "task-2"),
            ("<Up>", "task-2"),
            ("<Down>", "task-3"),
            ("<Right>", "task-4"),
            ("<Left>", "task-3"),
            ("<End>", "task-1"),
            ("<Down>", "task-1"),
            ("<Home>", "task-2"),
        ] {
            screen.press(keys).press("<Enter>");
            let title = format!("Task {expected}");
            assert!(screen.text().contains(&title), "{keys}: {title}\n{}", screen.text());
            screen.press("<Esc>");
        }
    }
}

#[test]
fn an_iteration_that_did_its_work_has_continued_and_a_stop_on_request_is_stopped() {
    let mut screen = TestScreen::of_run((80, 24), &run_script::at_work());
    screen.press("<Tab><Home><Down><Enter>");
    assert!(screen.text().contains("· continued (exit 0)"), "{}", screen.text());
    let text = TestScreen::of_run((80, 24), &run_script::interrupted()).text();
    assert!(text.contains("■ stopped ") && text.contains("■ stopped on request"), "{text}");
    assert!(!text.contains("interrupted"), "{text}");
}

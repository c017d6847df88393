//! Snapshots of every screen at every size and in every state of a run.

use std::time::Duration;

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest, RefusedRequest};
use forkhestra_core::event::{Event, EventKind, RunEnd, StepEnd, Verdict};
use forkhestra_core::history::Liveness;
use forkhestra_core::plan::{Replay, ReplaySpeed};
use typeset::character_set::CharacterSet;
use typeset::color_mode::PrintStyle;

use super::output::print;
use super::run_script::{self, RunScript};
use super::test_screen::{TestScreen, zone};
use crate::app::WatchSettings;
use crate::msg::{Msg, RunNews};
use crate::run_source::{RunScope, StatusOverride};

/// From the smallest usable size to a large one.
const SIZES: [(u16, u16); 4] = [(80, 24), (120, 40), (200, 60), (40, 10)];

pub(super) fn keep(name: &str, screen: &TestScreen) {
    insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!(name, screen.text());
    });
}

pub(super) fn opened(size: (u16, u16), script: &RunScript) -> TestScreen {
    let mut screen = TestScreen::of_run(size, script);
    if screen.app.run.as_ref().is_some_and(|run| run.output.unit.is_some()) {
        print(&mut screen);
    }
    screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(run_script::board())) });
    screen
}

/// Snapshots of a run after some keys, at every size.
fn at_every_size(name: &str, keys: &str) {
    for size @ (columns, rows) in SIZES {
        let mut screen = opened(size, &run_script::stopping());
        screen.press(keys);
        keep(&format!("{name}_{columns}x{rows}"), &screen);
    }
}

#[test]
fn the_output_of_an_agent_at_every_size() {
    at_every_size("output", "");
}

#[test]
fn the_iterations_at_every_size() {
    at_every_size("iterations", "<Tab><Up><Up>");
}

#[test]
fn checks_at_every_size() {
    at_every_size("checks", "[[c");
}

#[test]
fn tasks_at_every_size() {
    at_every_size("tasks", "3");
}

#[test]
fn an_opened_task_at_every_size() {
    for size @ (columns, rows) in SIZES {
        let mut screen = opened(size, &run_script::stopping());
        screen.press("3<Down><Enter>");
        let task = Ok(Some(Box::new(run_script::task_details())));
        screen.send(Msg::Task { run: run_script::run(), id: "task-3".to_owned(), task });
        keep(&format!("task_detail_{columns}x{rows}"), &screen);
    }
}

#[test]
fn an_opened_iteration_at_every_size() {
    for size @ (columns, rows) in SIZES {
        let mut screen = opened(size, &run_script::stopping());
        screen.press("[[<Enter>");
        let (run, unit) = (run_script::run(), run_script::unit(2, 2));
        screen.send(Msg::Changes { run: run.clone(), unit, changes: Ok(run_script::changes()) });
        let message = Ok(Some("Totals are rounded once.\n\nAll tests pass but two.".to_owned()));
        screen.send(Msg::LastMessage { run, unit, message });
        keep(&format!("iteration_detail_{columns}x{rows}"), &screen);
    }
}

#[test]
fn a_diff_at_every_size() {
    for size @ (columns, rows) in SIZES {
        let mut screen = opened(size, &run_script::stopping());
        screen.press("[[d");
        let (run, unit) = (run_script::run(), run_script::unit(2, 2));
        screen.send(Msg::Diff { run, unit, lines: Ok(run_script::diff()) });
        keep(&format!("diff_{columns}x{rows}"), &screen);
    }
}

#[test]
fn rewinding_at_every_size() {
    for size @ (columns, rows) in SIZES {
        let mut screen = opened(size, &run_script::failed());
        keep(&format!("rewind_{columns}x{rows}"), screen.press("W"));
        let why = "error: 1 file was changed since the last snapshot of the run: src/cart.rs\n\
                   hint: `--force` rewinds anyway: the current state is saved, and `--undo` restores it\n\n\
                   At the command line: forkhestra rewind k3v9x2ab --to 2.10";
        screen.press("y").send(Msg::Rewound(Err(why.to_owned())));
        keep(&format!("rewind_refused_{columns}x{rows}"), &screen);
    }
}

#[test]
fn resuming_at_every_size() {
    for size @ (columns, rows) in SIZES {
        let mut screen = opened(size, &run_script::failed());
        keep(&format!("resume_{columns}x{rows}"), screen.press("R"));
        keep(&format!("resume_command_{columns}x{rows}"), screen.press("ny"));
    }
}

#[test]
fn messages_at_every_size() {
    at_every_size("messages", "m");
}

#[test]
fn details_at_every_size() {
    at_every_size("details", "5");
}

#[test]
fn a_search_at_every_size() {
    at_every_size("search", "/test");
}

#[test]
fn confirmations_at_every_size() {
    at_every_size("stop_now", "S");
    at_every_size("skip", "k<Tab>");
}

#[test]
fn a_message_being_written_at_every_size() {
    at_every_size("tell", "tRound once, at the end:<Enter>never twice.");
}

#[test]
fn a_question_at_every_size() {
    for size @ (columns, rows) in [(80, 24), (120, 40), (200, 60), (40, 12), (40, 10)] {
        let mut screen = opened(size, &run_script::asking());
        keep(&format!("question_{columns}x{rows}"), &screen);
        screen.press("xThe totals are missing:<Enter>plan them too.");
        keep(&format!("question_denied_{columns}x{rows}"), &screen);
    }
}

#[test]
fn limits_being_changed_at_every_size() {
    at_every_size("limits", "e0<Tab><C-u>much<Enter>");
}

#[test]
fn the_help_at_every_size() {
    at_every_size("help", "?");
}

#[test]
fn the_list_of_runs_at_every_size() {
    for size @ (columns, rows) in SIZES {
        let mut screen = TestScreen::of_list(size, RunScope::Everywhere);
        screen.send(Msg::Runs(Ok(run_script::listed()))).press("<Down>");
        keep(&format!("list_{columns}x{rows}"), &screen);
        let mut empty = TestScreen::of_list(size, RunScope::Here);
        empty.send(Msg::Runs(Ok(Vec::new())));
        keep(&format!("empty_list_{columns}x{rows}"), &empty);
    }
}

#[test]
fn every_state_of_a_run_says_what_it_is() {
    for (name, script) in [
        ("at_work", run_script::at_work()),
        ("paused", run_script::paused()),
        ("waiting", run_script::waiting()),
        ("waiting_for_quota", run_script::waiting_for_quota()),
        ("backing_off", run_script::backing_off()),
        ("asking", run_script::asking()),
        ("checking", run_script::checking()),
        ("ending", run_script::ending()),
        ("skipping", run_script::skipping()),
        ("finished", run_script::finished()),
        ("failed", run_script::failed()),
        ("interrupted", run_script::interrupted()),
        ("cut_off", run_script::cut_off()),
        ("not_begun", RunScript::begin()),
        ("ten_thousand", run_script::ten_thousand()),
    ] {
        keep(&format!("state_{name}"), &opened((80, 24), &script));
    }
}

#[test]
fn a_filtered_list_shows_its_filter() {
    let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
    screen.send(Msg::Runs(Ok(run_script::listed()))).press("/ship");
    let text = screen.text();
    assert!(text.contains(" /ship\n") && text.contains("abcd1234"), "{text}");
    assert!(!text.contains("wxyz9876"), "{text}");
    screen.press("<Enter>");
    assert!(screen.text().contains("only /ship"), "{}", screen.text());
    screen.press("/nothing like it<Enter>");
    assert!(screen.text().contains("no run has that in it"), "{}", screen.text());
    screen.press("<Esc>");
    assert!(screen.text().contains("wxyz9876"), "{}", screen.text());
}

#[test]
fn unusual_run_states_are_shown_in_the_list() {
    for (condition, expected_text) in [
        (StatusOverride::Paused, "‖ paused "),
        (StatusOverride::Stopping, "◐ stopping "),
        (StatusOverride::Waiting, "◐ waiting "),
        (StatusOverride::Asking(run_script::timestamp("2026-11-15T06:48:00Z")), "? asking 12m "),
        (StatusOverride::Stopped, "■ stopped "),
        (StatusOverride::Incomplete, "▲ incomplete "),
        (StatusOverride::Unknown("damaged"), "✗ damaged "),
    ] {
        let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
        let mut listed = run_script::listed();
        listed[0].status_override = Some(condition);
        screen.send(Msg::Runs(Ok(listed)));
        let text = screen.text();
        assert!(text.contains(expected_text) && !text.contains("running"), "{text}");
    }
}

#[test]
fn ages_in_the_list_grow_while_it_is_open() {
    let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
    let mut listed = run_script::listed();
    listed.truncate(3);
    let over = listed.split_off(2);
    let ended = over[0].updated;
    screen.send(Msg::Tick(ended));
    screen.send(Msg::Runs(Ok(over)));
    assert!(screen.text().contains(" 0s"), "{}", screen.text());
    assert!(screen.app.has_clock());
    screen.app.take_changed();
    screen.send(Msg::Tick(ended.saturating_add(Duration::from_secs(61))));
    assert!(screen.app.take_changed());
    assert!(screen.text().contains(" 1m"), "{}", screen.text());
}

#[test]
fn warnings_are_counted_beside_the_status() {
    let mut script = run_script::at_work();
    script.event(EventKind::Warning { message: "one".to_owned() });
    script.event(EventKind::Warning { message: "two".to_owned() });
    for (size, expected_text) in [((80, 24), "▲ 2 warnings"), ((40, 10), "▲ 2")] {
        let text = opened(size, &script).text();
        let head = text.lines().next().unwrap_or_default().trim_end();
        assert!(head.ends_with(expected_text), "{text}");
    }
}

#[test]
fn the_legend_explains_every_sign_at_80_columns() {
    let text = opened((80, 24), &run_script::stopping()).text();
    for expected_text in ["Δ changed", "= same", "· continued", "▲ refused", "✗ failed"] {
        assert!(text.contains(expected_text), "{expected_text} in:\n{text}");
    }
}

#[test]
fn a_run_without_a_task_to_claim_is_incomplete() {
    let mut script = run_script::at_work();
    let end = StepEnd::TasksBlocked("TASK-003 is blocked".to_owned());
    let report = script.report(Verdict::Incomplete, 140);
    script.event(EventKind::IterationFinished { unit: run_script::unit(2, 4), report });
    script.step_over(2, end.clone()).finish_run(RunEnd::Incomplete { step: 2, end });
    let text = opened((80, 24), &script).text();
    assert!(text.contains("▲ incomplete"), "{text}");
}

#[test]
fn a_recorded_spend_is_marked_as_recorded() {
    let mut plan = run_script::plan();
    plan.steps[0].agent.replay =
        Some(Replay { recording: "/recordings/one".to_owned(), step: 1, speed: ReplaySpeed::Max });
    let mut script = RunScript::of(plan);
    script.step(1).iteration(run_script::unit(1, 1), 60, Verdict::Incomplete);
    let mut screen = opened((120, 40), &script);
    screen.press("5");
    let text = screen.text();
    assert!(text.contains(" $0.0678 (replayed)\n") && text.contains("not paid for"), "{text}");
}

#[test]
fn the_id_and_the_state_are_shown_beside_long_names() {
    let mut plan = run_script::plan();
    plan.chain = Some("a-chain-".repeat(20));
    for step in &mut plan.steps {
        step.agent.name = "日本".repeat(60);
    }
    let mut script = RunScript::of(plan);
    script.step(1).start(run_script::unit(1, 1));
    let text = opened((80, 24), &script).text();
    let mut lines = text.lines();
    let mut next = || lines.next().expect("a line").trim_end();
    let head = next();
    assert!(head.contains("…  k3v9x2ab ") && head.ends_with(" ● running  0s"), "{text}");
    assert_eq!(next().matches("→").count(), 2, "{text}");
    assert!(next().ends_with("… works for 0s"), "{text}");
    assert!(!text.contains("……"), "{text}");
}

#[test]
fn a_list_that_cannot_be_read_says_why() {
    let mut screen = TestScreen::of_list((80, 24), RunScope::Here);
    assert!(screen.text().contains("reading…"));
    screen.send(Msg::Runs(Err("cannot read /home/ada/.local/state: denied\u{7}".to_owned())));
    assert!(screen.text().contains("✗ cannot read /home/ada/.local/state: denied\\u{7}"));
}

#[test]
fn a_run_that_cannot_be_read_says_why() {
    let run = Some(run_script::run());
    let settings = WatchSettings {
        style: PrintStyle::new(true),
        now: run_script::timestamp("2026-11-15T05:10:00Z"),
        zone: zone(),
        run,
        scope: RunScope::Here,
    };
    let mut screen = TestScreen::new((80, 24), settings);
    assert!(screen.text().contains("reading…"));
    let trouble = Some("the run was removed".to_owned());
    let news = RunNews {
        trouble,
        events: Vec::new(),
        liveness: Liveness::Gone,
        ..run_script::at_work().news()
    };
    screen.send(Msg::News(news));
    assert!(screen.text().contains("✗ the run was removed"), "{}", screen.text());
    // A resolved error is not shown.
    screen.send(Msg::News(run_script::at_work().news()));
    assert!(!screen.text().contains("removed") && screen.text().contains("builder works"));
}

#[test]
fn an_event_that_does_not_fit_is_reported_and_the_rest_is_shown() {
    let mut news = run_script::at_work().news();
    let last: Event = news.events.last().expect("there are some").clone();
    let kind = EventKind::StepStarted {
        instead_of: None,
        step: 9,
        observation: forkhestra_core::event::Observation::default(),
    };
    news.events.push(Event::new(last.at, last.elapsed, kind));
    let mut screen = opened((80, 24), &RunScript::begin());
    screen.send(Msg::News(news));
    let text = screen.text();
    assert!(text.contains("✗ the journal is damaged: an event contradicts"), "{text}");
    assert!(text.contains("builder works on iteration 4 of 10"), "{text}");
    // A repaired journal is read from its beginning.
    screen.send(Msg::News(run_script::at_work().news()));
    assert!(!screen.text().contains("damaged"), "{}", screen.text());
}

#[test]
fn a_screen_without_colours_says_the_same() {
    for keys in ["", "[[c", "[[<Enter>", "3", "3<Enter>", "m", "S", "e", "?"] {
        let mut colored =
            TestScreen::inked((120, 40), &run_script::stopping(), PrintStyle::new(true));
        let mut plain =
            TestScreen::inked((120, 40), &run_script::stopping(), PrintStyle::new(false));
        for screen in [&mut colored, &mut plain] {
            print(screen);
            screen.press(keys);
        }
        assert_eq!(plain.text(), colored.text(), "{keys}");
        let is_default = |cell: &vt100::Cell| {
            (cell.fgcolor(), cell.bgcolor()) == (vt100::Color::Default, vt100::Color::Default)
        };
        assert!(plain.cells().all(is_default), "{keys}");
        assert!(!colored.cells().all(is_default), "{keys}");
    }
}

#[test]
fn only_the_colours_of_the_terminal_are_used_and_never_as_a_background() {
    let mut screen = opened((120, 40), &run_script::stopping());
    for keys in ["[[c", "<Enter>", "3", "<Enter>", "m", "S<Esc>", "e<Esc>", "?"] {
        screen.press(keys);
        for cell in screen.cells() {
            assert!(!matches!(cell.fgcolor(), vt100::Color::Rgb(..)), "{keys}");
            assert!(!matches!(cell.fgcolor(), vt100::Color::Idx(16..)), "{keys}");
            assert_eq!(cell.bgcolor(), vt100::Color::Default, "{keys}");
        }
    }
}

#[test]
fn a_screen_of_ascii_has_nothing_else() {
    let style = PrintStyle { colored: false, letters: CharacterSet::Ascii };
    let mut screen = TestScreen::inked((80, 24), &run_script::stopping(), style);
    print(&mut screen);
    screen.send(Msg::Tasks { run: run_script::run(), board: Some(Ok(run_script::board())) });
    keep("ascii", &screen);
    screen.press("3<Down><Enter>");
    let task = Ok(Some(Box::new(run_script::task_details())));
    screen.send(Msg::Task { run: run_script::run(), id: "task-3".to_owned(), task });
    keep("ascii_task", &screen);
    for keys in ["<Esc>", "<Tab>", "[[c", "<Enter>", "<Esc>3", "m", "5", "d", "<Esc>S<Esc>", "?"] {
        screen.press(keys);
        assert!(screen.text().is_ascii(), "{}", screen.text());
    }
}

#[test]
fn a_screen_that_is_too_small_shows_a_notice() {
    for size in [(39, 24), (80, 9), (1, 1), (10, 3)] {
        let mut screen = TestScreen::of_run(size, &run_script::at_work());
        let expected_text: String =
            "too small: 40x10 are needed".chars().take(size.0.into()).collect();
        assert!(
            screen.text().starts_with(expected_text.trim_end()) || size.0 < 27,
            "{}",
            screen.text()
        );
        screen.press("S<Tab>y?").resize((80, 24));
        assert!(screen.text().contains("ship-it"), "{}", screen.text());
    }
}

#[test]
fn answers_are_said_for_a_while() {
    let mut screen = opened((80, 24), &run_script::at_work());
    let (run, request) = (run_script::run(), ControlRequest::Pause);
    let reply = |screen: &mut TestScreen, result| {
        let (run, request) = (run.clone(), request.clone());
        screen.send(Msg::Replied { run, request, result });
        screen.text().lines().last().unwrap_or_default().trim().to_owned()
    };
    let accepted = Ok(ControlReply::Accepted(AcceptedRequest::Paused));
    assert_eq!(reply(&mut screen, accepted), "✓ the run is paused; p continues it");
    let refused = Ok(ControlReply::Refused(RefusedRequest::Ending));
    assert_eq!(reply(&mut screen, refused), "✗ cannot pause: the run is ending");
    let silent = Err("the run does not answer\u{1b}[2J".to_owned());
    assert_eq!(reply(&mut screen, silent), "✗ the run does not answer\\u{1b}[2J");
    let later = |seconds| run_script::at_work().now.saturating_add(Duration::from_secs(seconds));
    screen.send(Msg::Tick(later(7)));
    assert!(screen.text().contains("does not answer"));
    screen.send(Msg::Tick(later(9)));
    assert!(!screen.text().contains("does not answer"));
}

#[test]
fn without_known_costs_there_is_no_cost_column() {
    let mut script = RunScript::begin();
    script.step(1).start(run_script::unit(1, 1)).pass(5);
    let mut report = script.report(Verdict::Crashed, 5);
    report.spend = None;
    script.event(EventKind::IterationFinished { unit: run_script::unit(1, 1), report });
    let text = opened((80, 24), &script).text();
    assert!(text.contains("✗ 1.1       5s = exit 1"), "{text}");
    assert!(!text.contains('$'), "{text}");
}

#[test]
fn a_huge_screen_shows_output_and_everything_else_side_by_side() {
    let mut screen = opened((300, 100), &run_script::stopping());
    for (keys, beside) in
        [("", "Step 2 of 3"), ("3", "In Progress"), ("m", "Message 1"), ("c", "DONE.md")]
    {
        let text = screen.press(keys).text();
        for shown in ["test cart::rounding ... ok", "▲ 2.2", beside] {
            assert!(text.contains(shown), "{shown}:\n{text}");
        }
    }
    // Keys of the output work whatever is shown beside it.
    assert!(screen.press("/cent<Enter>").text().contains("'cent' 1/1"), "{}", screen.text());
}

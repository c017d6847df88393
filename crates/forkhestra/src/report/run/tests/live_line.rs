//! Tests of agent output with a live line below it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{EventKind, RunEnd};
use forkhestra_core::history::RunHistory;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_assert_eq, prop_oneof, proptest};
use typeset::color_mode::PrintStyle;

use super::support::event_script::EventScript;
use super::support::fake_terminal::FakeTerminal;
use super::support::shown_run::ShownRun;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::human_reporter::ReporterText;
use crate::report::run::screen::report_output::{OutputFilter, ReportOutput, ReportStreamState};

const STATUS: &str = "[Agent: planner] Iteration 3/20 | 2m 15s";

fn show(output: &ReportOutput, status: &str) {
    output.set_status(Some(status.to_owned()));
    output.refresh_status().expect("the terminal takes everything");
}

fn print(output: &ReportOutput, text: &str) {
    output.write(OutputStream::Stdout, text.as_bytes()).expect("the terminal takes everything");
}

#[test]
fn the_live_line_stands_below_whole_lines_and_goes_away_for_half_ones() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    show(&output, STATUS);
    assert_eq!(terminal.seen(), STATUS);
    print(&output, "one\n");
    assert_eq!(terminal.seen(), format!("one\n{STATUS}"));
    print(&output, "tw");
    assert_eq!(terminal.seen(), "one\ntw");
    output.refresh_status().expect("nothing is written");
    assert_eq!(terminal.seen(), "one\ntw");
    print(&output, "o\n");
    assert_eq!(terminal.seen(), format!("one\ntwo\n{STATUS}"));
    drop(output);
    assert_eq!(terminal.seen(), "one\ntwo");
}

#[test]
fn our_report_starts_on_a_new_line() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    print(&output, "half a line");
    output.write_report("[forkhestra] Iteration 2/3\n").expect("it is said");
    output.write(OutputStream::Stderr, b"half an error").expect("it is written");
    output.write_error("warning: something\n").expect("it is there");
    output.write(OutputStream::Stderr, b"\x1b[31mred\n\x1b[0m").expect("it is written");
    output.write_report("[forkhestra] Iteration 3/3\n").expect("it is said");
    assert_eq!(
        terminal.seen(),
        "half a line\n[forkhestra] Iteration 2/3\nhalf an error\nwarning: something\nred\n\
         [forkhestra] Iteration 3/3"
    );
}

#[test]
fn a_prompt_takes_the_place_of_the_live_line_and_leaves_nothing() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    show(&output, STATUS);
    output.write_report("Approve? ").expect("it is shown");
    assert_eq!(terminal.seen(), "Approve? ");
    output.refresh_status().expect("nothing is written");
    // The terminal shows what the user types.
    terminal.feed("x\n");
    output.note_typed_line_end(OutputStream::Stdout);
    output.write_report("[forkhestra] No\nApprove? ").expect("it is shown");
    assert_eq!(terminal.seen(), "Approve? x\n[forkhestra] No\nApprove? ");
    terminal.feed("app");
    output.clear_unfinished_line(OutputStream::Stdout).expect("it is cleared");
    assert_eq!(terminal.seen(), "Approve? x\n[forkhestra] No");
    output.write_report("[forkhestra] Answered\n").expect("it is shown");
    assert_eq!(
        terminal.seen(),
        format!("Approve? x\n[forkhestra] No\n[forkhestra] Answered\n{STATUS}")
    );
    // A whole line stays.
    output.clear_unfinished_line(OutputStream::Stdout).expect("nothing is written");
    assert_eq!(
        terminal.seen(),
        format!("Approve? x\n[forkhestra] No\n[forkhestra] Answered\n{STATUS}")
    );
}

#[test]
fn a_prompt_without_a_live_line_is_ended_by_the_next_output() {
    let terminal = FakeTerminal::new(60);
    let side =
        || ReportStreamState { sink: Box::new(terminal.clone()), style: PrintStyle::new(false) };
    let output = ReportOutput::new(OutputFilter::Everything, side(), side(), true, None);
    output.write_report("Approve? ").expect("it is shown");
    output.clear_unfinished_line(OutputStream::Stdout).expect("nothing is written");
    output.write_report("[forkhestra] Answered\nApprove? ").expect("it is shown");
    terminal.feed("a\n");
    output.note_typed_line_end(OutputStream::Stdout);
    output.write_report("[forkhestra] Done\n").expect("it is shown");
    assert_eq!(terminal.seen(), "Approve? \n[forkhestra] Answered\nApprove? a\n[forkhestra] Done");
}

#[test]
fn the_live_line_and_the_lines_above_it_are_written_together() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    show(&output, STATUS);
    let before = terminal.writes().len();
    print(&output, "one\n");
    assert_eq!(terminal.writes().len(), before + 1);
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    show(&output, STATUS);
    let before = terminal.writes().len();
    show(&output, STATUS);
    assert_eq!(terminal.writes().len(), before);
}

#[test]
fn the_live_line_fits_the_window_at_any_size() {
    let terminal = FakeTerminal::new(24);
    let output = terminal.report_output();
    show(&output, STATUS);
    assert_eq!(terminal.seen(), "[Agent: planner] Itera…");
    terminal.resize(50);
    show(&output, STATUS);
    assert_eq!(terminal.seen(), STATUS);
    terminal.resize(12);
    show(&output, STATUS);
    assert_eq!(terminal.seen(), "[Agent: pl…");
    print(&output, "one\n");
    assert_eq!(terminal.seen(), "one\n[Agent: pl…");
    output.hide_status(true).expect("it is hidden");
    assert_eq!(terminal.seen(), "one");
}

#[test]
fn a_window_that_became_narrower_keeps_no_remnants() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    print(&output, "one\n");
    show(&output, STATUS);
    // Many terminals wrap the line that no longer fits and leave the cursor at its start.
    let rest = FakeTerminal::showing(20, b"one\n");
    rest.write_behind_cursor(STATUS);
    show(&output, "changed");
    let change = terminal.writes().pop().expect("something was written");
    rest.feed(&change);
    assert_eq!(rest.seen(), "one\nchanged");
}

#[test]
fn the_live_line_takes_and_leaves_no_colours() {
    for is_colored in [true, false] {
        let terminal = FakeTerminal::new(60);
        let output = terminal.report_output_with(is_colored);
        show(&output, STATUS);
        print(&output, "\x1b[41mred\n");
        assert_eq!(terminal.seen(), format!("red\n{STATUS}"));
        print(&output, "still red\n");
        let colored = terminal.writes().iter().any(|write| write.contains("\x1b[36m"));
        assert_eq!(colored, is_colored);
        drop(output);
        let alone = FakeTerminal::showing(60, b"\x1b[41mred\nstill red\n");
        assert_eq!(terminal.exactly(), alone.exactly());
    }
}

#[test]
fn colours_that_an_agent_left_on_end_with_it() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    print(&output, "\x1b[31mred\n");
    output.agent_is_gone(None).expect("it is shown");
    output.write_report("plain\n").expect("it is said");
    let alone = FakeTerminal::showing(60, b"\x1b[31mred\n\x1b[0mplain\n");
    assert_eq!(terminal.exactly(), alone.exactly());
}

#[test]
fn an_agent_that_moves_the_cursor_owns_the_screen_until_it_is_gone() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    show(&output, STATUS);
    print(&output, "one\ntwo\n\x1b[2Athree\n");
    assert_eq!(terminal.seen(), "three\ntwo");
    print(&output, "four\n");
    assert_eq!(terminal.seen(), "three\nfour");
    output.agent_is_gone(None).expect("it is shown");
    output.refresh_status().expect("it is drawn");
    assert_eq!(terminal.seen(), format!("three\nfour\n{STATUS}"));
}

#[test]
fn a_stopped_run_leaves_nothing_on_the_screen_and_comes_back() {
    let script = EventScript::of("builder:3").step(1).iteration(1, 1).after(2_000);
    let terminal = FakeTerminal::new(60);
    let output = Arc::new(terminal.report_output());
    let mut screen = ShownRun::new(script.reporter(Verbosity::Normal), Arc::clone(&output));
    let script = script.then(EventKind::Paused).after(500).then(EventKind::Continued);
    let (paused, continued) = (&script.events[script.events.len() - 2], script.events.last());
    for event in &script.events[..script.events.len() - 2] {
        screen.event(event).expect("it is shown");
    }
    screen.tick(Duration::from_secs(1)).expect("it is drawn");
    let above = "[forkhestra] Starting: builder (max 3 iterations)\n[forkhestra] Iteration 1/3";
    assert_eq!(terminal.seen(), format!("{above}\n[Agent: builder] Iteration 1/3 | 1s"));
    screen.event(paused).expect("it is shown");
    assert_eq!(terminal.seen(), format!("{above}\n[forkhestra] Paused"));
    screen.tick(Duration::from_millis(2_400)).expect("nothing is drawn");
    assert_eq!(terminal.seen(), format!("{above}\n[forkhestra] Paused"));
    screen.event(continued.expect("there is one")).expect("it is shown");
    screen.tick(Duration::from_secs(3)).expect("it is drawn");
    assert_eq!(
        terminal.seen(),
        format!(
            "{above}\n[forkhestra] Paused\n[forkhestra] Continued\n\
             [Agent: builder] Iteration 1/3 | 3s"
        )
    );
}

#[test]
fn the_live_line_changes_ten_times_a_second_at_most() {
    let script = EventScript::of("builder:3").step(1).iteration(1, 1);
    let terminal = FakeTerminal::new(60);
    let mut screen =
        ShownRun::new(script.reporter(Verbosity::Normal), Arc::new(terminal.report_output()));
    assert!(screen.wants_ticks());
    for event in &script.events {
        screen.event(event).expect("it is shown");
    }
    let (writes, looks) = (terminal.writes().len(), terminal.looks());
    for milliseconds in 0..5_000 {
        screen.tick(Duration::from_millis(milliseconds)).expect("it is drawn");
    }
    // Only the seconds change, so few of the window size queries lead to a write.
    assert!((4..=6).contains(&(terminal.writes().len() - writes)), "{:?}", terminal.writes());
    assert!((10..=60).contains(&(terminal.looks() - looks)), "{}", terminal.looks());
}

#[test]
fn the_live_line_stays_below_other_lines() {
    let warning = EventKind::Warning { message: "the log is full".to_owned() };
    let script = EventScript::of("builder:3").iteration(1, 1).after(2_000).then(warning);
    let terminal = FakeTerminal::new(60);
    let mut screen =
        ShownRun::new(script.reporter(Verbosity::Normal), Arc::new(terminal.report_output()));
    for event in &script.events {
        screen.event(event).expect("it is shown");
    }
    assert_eq!(
        terminal.seen(),
        "[forkhestra] Iteration 1/3\nwarning: the log is full\n[Agent: builder] Iteration 1/3 | 2s"
    );
}

#[test]
fn terminal_state_of_one_agent_does_not_affect_the_next() {
    let script = EventScript::of("builder:3").step(1).silent(1, 1).iteration(1, 2);
    let terminal = FakeTerminal::new(60);
    let output = Arc::new(terminal.report_output());
    let mut screen = ShownRun::new(script.reporter(Verbosity::Normal), Arc::clone(&output));
    for event in &script.events {
        screen.event(event).expect("it is shown");
        if matches!(event.kind, EventKind::AgentStarted { .. }) {
            screen.tick(event.elapsed + Duration::from_secs(1)).expect("it is drawn");
            let expected = "| 1s";
            assert!(terminal.seen().ends_with(expected), "{}", terminal.seen());
            print(&output, "\x1b[?25l\n");
            assert!(!terminal.seen().ends_with(expected), "{}", terminal.seen());
        }
    }
}

#[test]
fn a_whole_run_on_a_terminal_ends_without_a_live_line() {
    let script = EventScript::of("a:3").step(1).silent(1, 1).last(1, 2).end(RunEnd::Complete);
    let terminal = FakeTerminal::new(60);
    let output = Arc::new(terminal.report_output());
    let mut screen = ShownRun::new(script.reporter(Verbosity::Normal), Arc::clone(&output));
    let mut alone = String::new();
    let (mut reporter, mut history) = (script.reporter(Verbosity::Normal), None);
    for event in &script.events {
        screen.event(event).expect("it is shown");
        let run = RunHistory::advance(&mut history, event).expect("it can have happened");
        if let Some(ReporterText::Out(text)) = reporter.event(event, run) {
            alone.push_str(&text);
        }
        if matches!(event.kind, EventKind::AgentStarted { .. }) {
            screen.tick(event.elapsed + Duration::from_secs(1)).expect("it is drawn");
            assert!(terminal.seen().contains("[Agent: a]"), "{}", terminal.seen());
            print(&output, "working…");
            alone.push_str("working…\n");
        }
    }
    let alone = anstream::adapter::strip_str(&alone).to_string();
    assert_eq!(terminal.exactly(), FakeTerminal::showing(60, alone.as_bytes()).exactly());
}

#[test]
fn two_threads_and_ticks_at_the_same_time_tear_no_line() {
    let terminal = FakeTerminal::of_size(700, 60);
    let output = terminal.report_output();
    thread::scope(|scope| {
        for (stream, name) in [(OutputStream::Stdout, "out"), (OutputStream::Stderr, "err")] {
            let output = &output;
            scope.spawn(move || {
                for number in 0..200 {
                    let line = format!("{name} {number}\n");
                    output.write(stream, line.as_bytes()).expect("it is written");
                }
            });
        }
        for number in 0..200 {
            show(&output, &format!("status {number}"));
            output.write_report(&format!("said {number}\n")).expect("it is said");
        }
    });
    drop(output);
    let all = terminal.seen();
    for name in ["out", "err", "said"] {
        let lines: Vec<&str> = all.lines().filter(|line| line.starts_with(name)).collect();
        let expected: Vec<String> = (0..200).map(|number| format!("{name} {number}")).collect();
        assert_eq!(lines, expected);
    }
    assert_eq!(all.lines().count(), 600, "{all}");
}

/// Pieces of agent output. After half a sequence, `b` would repeat the last character and `u`
/// restore the last saved cursor position. Both would come from the live line, and neither makes
/// sense there.
fn output() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ac-tv-z ]{0,70}",
        Just("\n".to_owned()),
        Just("line\n".to_owned()),
        Just("\r".to_owned()),
        Just("日本語\n".to_owned()),
        Just("\x1b[31m".to_owned()),
        Just("\x1b[1;44m".to_owned()),
        Just("\x1b[0m".to_owned()),
        Just("\x1b[K".to_owned()),
        Just("\x1b[3A".to_owned()),
        Just("\x1b[".to_owned()),
        Just("2D".to_owned()),
        Just("\x1b]0;title\x07".to_owned()),
    ]
}

proptest! {
    #[test]
    fn whatever_agents_print_the_screen_is_left_as_if_there_were_no_live_line(
        pieces in vec(output(), 0..40)
    ) {
        let terminal = FakeTerminal::new(40);
        let outlet = terminal.report_output();
        for (number, piece) in pieces.iter().enumerate() {
            show(&outlet, &format!("status {number}"));
            print(&outlet, piece);
        }
        drop(outlet);
        let alone = FakeTerminal::showing(40, pieces.concat().as_bytes());
        prop_assert_eq!(terminal.seen(), alone.seen());
        prop_assert_eq!(terminal.exactly(), alone.exactly());
    }
}

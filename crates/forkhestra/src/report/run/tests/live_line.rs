//! Tests of agent output with a live line below it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::event::{EventKind, RunEnd};
use forkhestra_core::history::RunHistory;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, prop_assert_eq, prop_oneof, proptest};

use super::support::event_script::EventScript;
use super::support::fake_terminal::FakeTerminal;
use super::support::shown_run::ShownRun;
use crate::report::plan::dry_run::DryRunDetail;
use crate::report::run::human_reporter::ReporterText;
use crate::report::run::screen::report_output::ReportOutput;

const STATUS: &str = "[Agent: planner] Iteration 3/20 | 2m 15s";

fn show(outlet: &ReportOutput, status: &str) {
    outlet.set_status(Some(status.to_owned()));
    outlet.refresh_status().expect("the terminal takes everything");
}

fn print(outlet: &ReportOutput, text: &str) {
    outlet.write(OutputStream::Stdout, text.as_bytes()).expect("the terminal takes everything");
}

#[test]
fn the_live_line_stands_below_whole_lines_and_goes_away_for_half_ones() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    show(&outlet, STATUS);
    assert_eq!(terminal.seen(), STATUS);
    print(&outlet, "one\n");
    assert_eq!(terminal.seen(), format!("one\n{STATUS}"));
    print(&outlet, "tw");
    assert_eq!(terminal.seen(), "one\ntw");
    outlet.refresh_status().expect("nothing is written");
    assert_eq!(terminal.seen(), "one\ntw");
    print(&outlet, "o\n");
    assert_eq!(terminal.seen(), format!("one\ntwo\n{STATUS}"));
    drop(outlet);
    assert_eq!(terminal.seen(), "one\ntwo");
}

#[test]
fn what_we_say_begins_on_a_line_of_its_own() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    print(&outlet, "half a line");
    outlet.say("[forkhestra] Iteration 2/3\n").expect("it is said");
    outlet.write(OutputStream::Stderr, b"half an error").expect("it is written");
    outlet.tell("warning: something\n").expect("it is told");
    outlet.write(OutputStream::Stderr, b"\x1b[31mred\n\x1b[0m").expect("it is written");
    outlet.say("[forkhestra] Iteration 3/3\n").expect("it is said");
    assert_eq!(
        terminal.seen(),
        "half a line\n[forkhestra] Iteration 2/3\nhalf an error\nwarning: something\nred\n\
         [forkhestra] Iteration 3/3"
    );
}

#[test]
fn the_live_line_and_what_is_printed_above_it_go_out_together() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    show(&outlet, STATUS);
    let before = terminal.writes().len();
    print(&outlet, "one\n");
    assert_eq!(terminal.writes().len(), before + 1);
}

#[test]
fn nothing_is_written_where_nothing_changes() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    show(&outlet, STATUS);
    let before = terminal.writes().len();
    show(&outlet, STATUS);
    assert_eq!(terminal.writes().len(), before);
}

#[test]
fn the_live_line_fits_the_window_whatever_that_becomes() {
    let terminal = FakeTerminal::new(24);
    let outlet = terminal.outlet();
    show(&outlet, STATUS);
    assert_eq!(terminal.seen(), "[Agent: planner] Itera…");
    terminal.resize(50);
    show(&outlet, STATUS);
    assert_eq!(terminal.seen(), STATUS);
    terminal.resize(12);
    show(&outlet, STATUS);
    assert_eq!(terminal.seen(), "[Agent: pl…");
    print(&outlet, "one\n");
    assert_eq!(terminal.seen(), "one\n[Agent: pl…");
    outlet.hide_status(true).expect("it is hidden");
    assert_eq!(terminal.seen(), "one");
}

#[test]
fn a_window_that_became_narrower_keeps_no_remnants() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    print(&outlet, "one\n");
    show(&outlet, STATUS);
    // Many terminals wrap the line that no longer fits and leave the cursor at its start.
    let rest = FakeTerminal::showing(20, b"one\n");
    rest.write_behind_cursor(STATUS);
    show(&outlet, "changed");
    let change = terminal.writes().pop().expect("something was written");
    rest.feed(&change);
    assert_eq!(rest.seen(), "one\nchanged");
}

#[test]
fn the_live_line_takes_and_leaves_no_colours() {
    for is_colored in [true, false] {
        let terminal = FakeTerminal::new(60);
        let outlet = terminal.outlet_with(is_colored);
        show(&outlet, STATUS);
        print(&outlet, "\x1b[41mred\n");
        assert_eq!(terminal.seen(), format!("red\n{STATUS}"));
        print(&outlet, "still red\n");
        let colored = terminal.writes().iter().any(|write| write.contains("\x1b[36m"));
        assert_eq!(colored, is_colored);
        drop(outlet);
        let alone = FakeTerminal::showing(60, b"\x1b[41mred\nstill red\n");
        assert_eq!(terminal.exactly(), alone.exactly());
    }
}

#[test]
fn colours_that_an_agent_left_on_end_with_it() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    print(&outlet, "\x1b[31mred\n");
    outlet.agent_is_gone().expect("it is shown");
    outlet.say("plain\n").expect("it is said");
    let alone = FakeTerminal::showing(60, b"\x1b[31mred\n\x1b[0mplain\n");
    assert_eq!(terminal.exactly(), alone.exactly());
}

#[test]
fn an_agent_that_moves_the_cursor_has_the_screen_for_itself_until_it_is_gone() {
    let terminal = FakeTerminal::new(60);
    let outlet = terminal.outlet();
    show(&outlet, STATUS);
    print(&outlet, "one\ntwo\n\x1b[2Athree\n");
    assert_eq!(terminal.seen(), "three\ntwo");
    print(&outlet, "four\n");
    assert_eq!(terminal.seen(), "three\nfour");
    outlet.agent_is_gone().expect("it is shown");
    outlet.refresh_status().expect("it is drawn");
    assert_eq!(terminal.seen(), format!("three\nfour\n{STATUS}"));
}

#[test]
fn a_stopped_run_leaves_nothing_on_the_screen_and_comes_back() {
    let story = EventScript::of("builder:3").step(1).iteration(1, 1).after(2_000);
    let terminal = FakeTerminal::new(60);
    let outlet = Arc::new(terminal.outlet());
    let mut screen = ShownRun::new(story.reporter(DryRunDetail::Normal), Arc::clone(&outlet));
    let story = story.then(EventKind::Paused).after(500).then(EventKind::Continued);
    let (paused, continued) = (&story.events[story.events.len() - 2], story.events.last());
    for event in &story.events[..story.events.len() - 2] {
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
    let story = EventScript::of("builder:3").step(1).iteration(1, 1);
    let terminal = FakeTerminal::new(60);
    let mut screen =
        ShownRun::new(story.reporter(DryRunDetail::Normal), Arc::new(terminal.outlet()));
    assert!(screen.wants_ticks());
    for event in &story.events {
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
fn the_live_line_stays_below_what_is_said_meanwhile() {
    let warning = EventKind::Warning { message: "the log is full".to_owned() };
    let story = EventScript::of("builder:3").iteration(1, 1).after(2_000).then(warning);
    let terminal = FakeTerminal::new(60);
    let mut screen =
        ShownRun::new(story.reporter(DryRunDetail::Normal), Arc::new(terminal.outlet()));
    for event in &story.events {
        screen.event(event).expect("it is shown");
    }
    assert_eq!(
        terminal.seen(),
        "[forkhestra] Iteration 1/3\nwarning: the log is full\n[Agent: builder] Iteration 1/3 | 2s"
    );
}

#[test]
fn what_one_agent_did_to_the_terminal_does_not_concern_the_next() {
    let story = EventScript::of("builder:3").step(1).silent(1, 1).iteration(1, 2);
    let terminal = FakeTerminal::new(60);
    let outlet = Arc::new(terminal.outlet());
    let mut screen = ShownRun::new(story.reporter(DryRunDetail::Normal), Arc::clone(&outlet));
    for event in &story.events {
        screen.event(event).expect("it is shown");
        if matches!(event.kind, EventKind::AgentStarted { .. }) {
            screen.tick(event.elapsed + Duration::from_secs(1)).expect("it is drawn");
            let expected = "| 1s";
            assert!(terminal.seen().ends_with(expected), "{}", terminal.seen());
            print(&outlet, "\x1b[?25l\n");
            assert!(!terminal.seen().ends_with(expected), "{}", terminal.seen());
        }
    }
}

#[test]
fn a_whole_run_on_a_terminal_ends_without_a_live_line() {
    let story = EventScript::of("a:3").step(1).silent(1, 1).last(1, 2).end(RunEnd::Complete);
    let terminal = FakeTerminal::new(60);
    let outlet = Arc::new(terminal.outlet());
    let mut screen = ShownRun::new(story.reporter(DryRunDetail::Normal), Arc::clone(&outlet));
    let mut alone = String::new();
    let (mut reporter, mut history) = (story.reporter(DryRunDetail::Normal), None);
    for event in &story.events {
        screen.event(event).expect("it is shown");
        let run = RunHistory::advance(&mut history, event).expect("it can have happened");
        if let Some(ReporterText::Out(text)) = reporter.event(event, run) {
            alone.push_str(&text);
        }
        if matches!(event.kind, EventKind::AgentStarted { .. }) {
            screen.tick(event.elapsed + Duration::from_secs(1)).expect("it is drawn");
            assert!(terminal.seen().contains("[Agent: a]"), "{}", terminal.seen());
            print(&outlet, "working…");
            alone.push_str("working…\n");
        }
    }
    let alone = anstream::adapter::strip_str(&alone).to_string();
    assert_eq!(terminal.exactly(), FakeTerminal::showing(60, alone.as_bytes()).exactly());
}

#[test]
fn two_threads_and_ticks_at_the_same_time_tear_no_line() {
    let terminal = FakeTerminal::of_size(700, 60);
    let outlet = terminal.outlet();
    thread::scope(|scope| {
        for (stream, name) in [(OutputStream::Stdout, "out"), (OutputStream::Stderr, "err")] {
            let outlet = &outlet;
            scope.spawn(move || {
                for number in 0..200 {
                    let line = format!("{name} {number}\n");
                    outlet.write(stream, line.as_bytes()).expect("it is written");
                }
            });
        }
        for number in 0..200 {
            show(&outlet, &format!("status {number}"));
            outlet.say(&format!("said {number}\n")).expect("it is said");
        }
    });
    drop(outlet);
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
        let outlet = terminal.outlet();
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

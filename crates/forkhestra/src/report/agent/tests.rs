//! Tests of whole event sequences of agents, as rendered.

use std::borrow::Cow;
use std::time::Duration;

use anstream::adapter::strip_str;
use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::stream::agent_event::{
    AgentConclusion, AgentEvent, AgentEventKind, AgentReady, LimitNotice, ProviderRetry,
    TextPurpose, ToolCall, ToolDenial, ToolResult,
};
use insta::assert_snapshot;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{AgentEventRenderer, RenderedText, ToolRules};
use crate::report::plan::dry_run::Verbosity;

fn text(text: &str) -> AgentEvent<'_> {
    let purpose = TextPurpose::Screen;
    AgentEventKind::Text { text: text.into(), purpose }.into()
}

fn end() -> AgentEvent<'static> {
    AgentEventKind::TextEnd.into()
}

fn call<'a>(name: &'a str, brief: &'a str) -> AgentEvent<'a> {
    let call =
        ToolCall { id: "1".into(), name: name.into(), brief: brief.into(), input: "{}".into() };
    AgentEventKind::ToolCall(call).into()
}

fn result(text: &str, is_error: bool) -> AgentEvent<'_> {
    let result = ToolResult { id: "1".into(), text: text.into(), is_error };
    AgentEventKind::ToolResult(result).into()
}

fn denial<'a>(tool: &'a str, brief: &'a str) -> AgentEvent<'a> {
    let why = Cow::Borrowed("Permission to use it has been denied.");
    AgentEventKind::Denial(ToolDenial { tool: tool.into(), brief: brief.into(), why }).into()
}

fn retry(attempt: u32) -> AgentEvent<'static> {
    AgentEventKind::Retry(ProviderRetry {
        attempt,
        max_attempts: Some(10),
        delay: Some(Duration::from_secs(1)),
        status: Some(529),
        why: "overloaded".into(),
        unanswered: None,
    })
    .into()
}

fn limit(used: Option<f64>, is_reached: bool) -> AgentEvent<'static> {
    let resets = Some(timestamp("2026-11-16T03:33:00Z"));
    let window = Some("five_hour".into());
    AgentEventKind::Limit(LimitNotice { is_reached, resets, window, used }).into()
}

fn concluded(class: OutcomeClass, message: Option<&str>) -> AgentEvent<'static> {
    let outcome = AgentOutcome { message: message.map(str::to_owned), ..AgentOutcome::of(class) };
    AgentEventKind::Result(AgentConclusion { outcome, text: None }).into()
}

fn error(message: &str) -> AgentEvent<'_> {
    AgentEventKind::Error(message.into()).into()
}

fn nested(event: AgentEvent<'_>) -> AgentEvent<'_> {
    AgentEvent { nested: true, ..event }
}

fn timestamp(text: &str) -> Timestamp {
    Timestamp::parse(text).expect("a moment")
}

/// The rendered events, colours included, followed by the end of the agent.
fn painted(events: &[AgentEvent<'_>], detail: Verbosity) -> String {
    let mut renderer = AgentEventRenderer::new(detail);
    renderer.agent_begins(ToolRules::with_tool_list());
    let mut paper = RenderedText::new();
    let now = Some(timestamp("2026-11-16T01:23:00Z"));
    let as_it_is = |text: &str| text.as_bytes().to_vec();
    for event in events {
        paper.put(&renderer.event(event, now), as_it_is);
    }
    paper.put(&renderer.agent_is_gone(), as_it_is);
    String::from_utf8_lossy(&paper.take()).into_owned()
}

fn seen(events: &[AgentEvent<'_>], detail: Verbosity) -> String {
    strip_str(&painted(events, detail)).to_string()
}

fn story() -> Vec<AgentEvent<'static>> {
    let begun = AgentReady {
        session: Some("5f0c".into()),
        model: Some("claude-sonnet-5-5".into()),
        key_source: Some("ANTHROPIC_API_KEY".into()),
    };
    let begun = || AgentEvent::from(AgentEventKind::Begun(begun.clone()));
    let whole = |text: &'static str, purpose| {
        AgentEvent::from(AgentEventKind::Text { text: text.into(), purpose })
    };
    vec![
        begun(),
        AgentEventKind::Turn.into(),
        AgentEventKind::Thinking("First the\ntests.".into()).into(),
        text("\n\nI will run"),
        AgentEventKind::Unknown("ping".into()).into(),
        text(" the tests"),
        text(".\n\n"),
        text("Then I\twill fix them.\n\n"),
        end(),
        whole("I will run the tests.\n\nThen I\twill fix them.\n\n", TextPurpose::Record),
        call("Bash", "cargo test"),
        result("running 3 tests\n\u{1b}[31mFAILED\u{1b}[0m\n", true),
        retry(1),
        retry(2),
        AgentEventKind::Turn.into(),
        call("Agent", "look for the cause"),
        nested(whole("I look.\n\nEverywhere.", TextPurpose::Both)),
        nested(call("Grep", "fn main")),
        nested(result("src/main.rs:1", false)),
        result("It is in src/main.rs.", false),
        limit(Some(0.9), false),
        limit(Some(0.9), false),
        denial("Bash", "rm -rf build"),
        denial("Bash", "rm -rf target"),
        denial("run_shell_command", "make"),
        AgentEventKind::Unknown("system/status".into()).into(),
        AgentEventKind::Plain(b"not an event\n").into(),
        AgentEventKind::Skipped { bytes: 17 << 20 }.into(),
        error("the server \u{1b}]0;x\u{7}went\naway"),
        begun(),
        AgentEventKind::Turn.into(),
        text("All is done."),
        concluded(OutcomeClass::Finished, None),
    ]
}

#[test]
fn the_usual_screen_has_what_an_agent_says_and_a_line_for_each_tool() {
    assert_snapshot!(seen(&story(), Verbosity::Normal), @r#"
    I will run the tests.

    Then I	will fix them.
    ● Bash  cargo test
      ✗ running 3 tests
    ↻ retry 1/10 in 1s: overloaded (529)
    ↻ retry 2/10 in 1s: overloaded (529)
    ● Agent  look for the cause
    │ I look.
    │
    │ Everywhere.
    │ ● Grep  fn main
    ▲ 90 % of the five-hour limit used, resets 03:33 UTC (in 2h 10m)
    ✗ Bash  rm -rf build  (denied: Permission to use it has been denied.)
      add "Bash(rm -rf build:*)" to its allowedTools
    ✗ Bash  rm -rf target  (denied: Permission to use it has been denied.)
    ✗ run_shell_command  make  (denied: Permission to use it has been denied.)
      add "run_shell_command" to its allowedTools
    not an event
    ▲ a line of 17.0 MiB is too long to be understood
    ✗ the server \u{1b}]0;x\u{7}went\naway
    All is done.
    "#);
}

#[test]
fn verbose_mode_shows_everything() {
    assert_snapshot!(seen(&story(), Verbosity::Verbose), @r#"
    model claude-sonnet-5-5, session 5f0c, key ANTHROPIC_API_KEY
    First the
    tests.
    I will run the tests.

    Then I	will fix them.
    (ping)
    ● Bash  cargo test
      ✗ running 3 tests
        FAILED
    ↻ retry 1/10 in 1s: overloaded (529)
    ↻ retry 2/10 in 1s: overloaded (529)
    ● Agent  look for the cause
    │ I look.
    │
    │ Everywhere.
    │ ● Grep  fn main
    │     src/main.rs:1
        It is in src/main.rs.
    ▲ 90 % of the five-hour limit used, resets 03:33 UTC (in 2h 10m)
    ✗ Bash  rm -rf build  (denied: Permission to use it has been denied.)
      add "Bash(rm -rf build:*)" to its allowedTools
    ✗ Bash  rm -rf target  (denied: Permission to use it has been denied.)
    ✗ run_shell_command  make  (denied: Permission to use it has been denied.)
      add "run_shell_command" to its allowedTools
    (system/status)
    not an event
    ▲ a line of 17.0 MiB is too long to be understood
    ✗ the server \u{1b}]0;x\u{7}went\naway
    All is done.
    finished
    "#);
}

#[test]
fn an_error_is_reported_once() {
    let events = [
        text("Half a wo"),
        error("You've hit your 5-hour limit"),
        limit(None, true),
        concluded(OutcomeClass::UsageLimit, Some("You've hit your 5-hour limit")),
        concluded(OutcomeClass::TurnLimit, None),
    ];
    assert_snapshot!(seen(&events, Verbosity::Normal), @"
    Half a wo
    ✗ You've hit your 5-hour limit
    ✗ the five-hour limit is reached, resets 03:33 UTC (in 2h 10m)
    ✗ turn limit
    ");
}

#[test]
fn long_results_are_cut() {
    let long: String = (1..=30).map(|number| format!("line {number}\n")).collect();
    let wide = "x".repeat(1000);
    let shown = seen(&[result(&long, false), result(&wide, true)], Verbosity::Verbose);
    assert!(shown.contains("    line 20\n    … 10 more lines\n  ✗ xxx"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 210), "{shown}");
    assert_eq!(seen(&[result("", true)], Verbosity::Verbose), "  ✗ failed\n");
    assert_eq!(seen(&[result("", false)], Verbosity::Verbose), "");
}

#[test]
fn advice_is_given_once_and_other_state_ends_with_the_agent() {
    let mut renderer = AgentEventRenderer::new(Verbosity::Normal);
    renderer.agent_begins(ToolRules::with_tool_list());
    let mut show = |events: &[AgentEvent<'_>]| {
        let mut paper = RenderedText::new();
        let plain = |text: &str| strip_str(text).to_string().into_bytes();
        for event in events {
            paper.put(&renderer.event(event, None), plain);
        }
        paper.put(&renderer.agent_is_gone(), plain);
        String::from_utf8(paper.take()).expect("it is text")
    };
    let events = [denial("Bash", "make"), limit(Some(0.5), false), error("bad"), text("half")];
    let second = "✗ Bash  make  (denied: Permission to use it has been denied.)\n\
                  ▲ 50 % of the five-hour limit used, resets 2026-11-16 03:33 UTC\n✗ bad\nhalf\n";
    let advice = "  add \"Bash(make:*)\" to its allowedTools\n";
    let (denied, rest) = second.split_once('\n').expect("there are lines");
    assert_eq!(show(&events), format!("{denied}\n{advice}{rest}"));
    assert_eq!(show(&events), second);
    assert_eq!(show(&[]), "");
    assert_eq!(show(&[AgentEventKind::Plain(b"half").into()]), "half\n");
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c \n]{0,6}", "\u{1b}\\[[0-9]{0,2}[mJ]?", "[\r\t\u{7}\u{9b}é日]{1,3}"]
}

proptest! {
    #[test]
    fn the_rendering_is_independent_of_the_chunks(
        pieces in vec(piece(), 0..12),
        is_nested in any::<bool>(),
    ) {
        let mark = |event| if is_nested { nested(event) } else { event };
        let whole = pieces.concat();
        let whole = seen(&[mark(text(&whole)), mark(end())], Verbosity::Normal);
        let cut: Vec<AgentEvent<'_>> =
            pieces.iter().map(|piece| mark(text(piece))).chain([mark(end())]).collect();
        prop_assert_eq!(seen(&cut, Verbosity::Normal), whole);
    }

    #[test]
    fn nothing_of_a_text_is_obeyed_and_everything_ends_with_a_line(pieces in vec(piece(), 1..12)) {
        let events: Vec<AgentEvent<'_>> = pieces
            .iter()
            .flat_map(|piece| {
                let thinking = AgentEventKind::Thinking(piece.into()).into();
                [text(piece), call(piece, piece), denial(piece, piece), error(piece), thinking,
                 result(piece, false)]
            })
            .collect();
        let shown = seen(&events, Verbosity::Verbose);
        let is_obeyed = |c: char| typeset::text::is_control_character(c) && c != '\n' && c != '\t';
        prop_assert!(!shown.contains(is_obeyed), "{shown:?}");
        prop_assert!(shown.ends_with('\n'), "{shown:?}");
    }
}

#[test]
fn a_request_without_an_answer_says_for_how_long() {
    let table = [
        (Some(Duration::from_secs(300)), "↻ retry 1/10 in 545ms: no answer for 5m"),
        (Some(Duration::from_millis(3)), "↻ retry 1/10 in 545ms: no answer"),
        (None, "↻ retry 1/10 in 545ms: unknown"),
    ];
    for (unanswered, expected) in table {
        let retry = ProviderRetry {
            attempt: 1,
            max_attempts: Some(10),
            delay: Some(Duration::from_millis(545)),
            status: None,
            why: "unknown".into(),
            unanswered,
        };
        let shown = seen(&[AgentEventKind::Retry(retry).into()], Verbosity::Normal);
        assert_eq!(shown.trim_end(), expected);
    }
}

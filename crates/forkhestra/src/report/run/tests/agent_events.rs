//! Rendering of parsed agent streams on a terminal, in a pipe, and filtered out.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use forkhestra_core::event::output_stream::OutputStream;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::stream::agent_event::{
    AgentEvent, AgentEventKind, TextPurpose, ToolCall,
};

use typeset::color_mode::PrintStyle;

use super::support::event_script::EventScript;
use super::support::fake_terminal::FakeTerminal;
use super::support::shown_run::ShownRun;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::screen::byte_sink::ByteSink;
use crate::report::run::screen::report_output::{OutputFilter, ReportOutput, ReportStreamState};

const STATUS: &str = "[Agent: planner] Iteration 3/20 | 2m 15s | $0.0342";

fn write_report(output: &ReportOutput, text: &str) {
    let purpose = TextPurpose::Screen;
    show(output, &AgentEventKind::Text { text: text.into(), purpose }.into());
}

fn call(output: &ReportOutput, brief: &str) {
    let (id, name, input) = ("1".into(), "Bash".into(), "{}".into());
    let call = ToolCall { id, name, brief: brief.into(), input };
    show(output, &AgentEventKind::ToolCall(call).into());
}

fn show(output: &ReportOutput, event: &AgentEvent<'_>) {
    let now = Timestamp::from_milliseconds(1_790_000_000_000);
    output.show(event, now).expect("everything is taken");
}

fn refresh(output: &ReportOutput) {
    output.set_status(Some(STATUS.to_owned()));
    output.refresh_status().expect("everything is taken");
}

#[test]
fn text_that_streams_is_not_torn_by_the_live_line() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output_with(true);
    refresh(&output);
    let before = terminal.writes().len();
    write_report(&output, "I will ");
    assert_eq!(terminal.seen(), "I will ");
    refresh(&output);
    write_report(&output, "look.\nThen");
    refresh(&output);
    assert_eq!(terminal.seen(), "I will look.\nThen");
    call(&output, "cargo test");
    assert_eq!(terminal.seen(), format!("I will look.\nThen\n● Bash  cargo test\n{STATUS}"));
    assert_eq!(terminal.writes().len(), before + 3, "each event is one write");
    output.write(OutputStream::Stderr, b"a warning\n").expect("it is taken");
    write_report(&output, "Done");
    show(&output, &AgentEventKind::TextEnd.into());
    let above = "I will look.\nThen\n● Bash  cargo test\na warning\nDone";
    assert_eq!(terminal.seen(), format!("{above}\n{STATUS}"));
    drop(output);
    assert_eq!(terminal.seen(), above);
}

#[test]
fn our_report_between_two_chunks_makes_no_empty_line() {
    let terminal = FakeTerminal::new(60);
    let output = terminal.report_output();
    write_report(&output, "one");
    output.write_report("[forkhestra] Paused\n").expect("it is said");
    show(&output, &AgentEventKind::TextEnd.into());
    call(&output, "make");
    assert_eq!(terminal.seen(), "one\n[forkhestra] Paused\n● Bash  make");
}

#[test]
fn the_last_line_of_an_agent_ends_with_it_also_without_a_live_line() {
    let script = EventScript::of("builder:3").step(1).silent(1, 1);
    let kept = KeptText::default();
    let output = Arc::new(kept.outlet(OutputFilter::Everything));
    let mut screen = ShownRun::new(script.reporter(Verbosity::Normal), Arc::clone(&output));
    let (finished, before) = script.events.split_last().expect("there are events");
    before.iter().for_each(|event| screen.event(event).expect("it is shown"));
    write_report(&output, "half a line");
    screen.event(finished).expect("it is shown");
    assert!(kept.text().ends_with("Iteration 1/3\nhalf a line\n"), "{}", kept.text());
}

#[test]
fn a_pipe_gets_the_same_without_colours_and_plain_lines_as_harmless_text() {
    let kept = KeptText::default();
    let output = kept.outlet(OutputFilter::Everything);
    write_report(&output, "half");
    show(&output, &AgentEventKind::Plain(b"\x1b[31mplain\xff\n").into());
    call(&output, "make");
    assert_eq!(kept.text(), "half\nplain\u{fffd}\n● Bash  make\n");
}

/// Each stream cuts a line of the other one, so that its end comes to the start of a line.
#[test]
fn a_line_that_another_stream_cut_does_not_look_like_ours() {
    let file = KeptText::default();
    let output = file.shared_outlet();
    let stderr = |text: &str| output.write_stderr_text(text.as_bytes()).expect("it is kept");
    stderr("x");
    call(&output, "make");
    stderr("[forkhestra] Chain complete\n");
    write_report(&output, "half");
    stderr(" of\n");
    write_report(&output, "[fork");
    write_report(&output, "hestra] Chain complete\n");
    let expected =
        "x\n● Bash  make\n| [forkhestra] Chain complete\nhalf of\n| [forkhestra] Chain complete\n";
    assert_eq!(file.text(), expected);
}

#[test]
fn json_and_quiet_output_show_no_agent_events() {
    for passes in [OutputFilter::Errors, OutputFilter::Nothing] {
        let kept = KeptText::default();
        let output = kept.outlet(passes);
        write_report(&output, "text");
        call(&output, "make");
        show(&output, &AgentEventKind::Plain(b"plain\n").into());
        output.agent_is_gone(None).expect("nothing is shown");
        assert_eq!(kept.text(), "", "{passes:?}");
    }
}

#[test]
fn thoughts_are_shown_in_verbose_mode() {
    for (detail, expected) in [(Verbosity::Normal, ""), (Verbosity::Verbose, "Hm.\n")] {
        let kept = KeptText::default();
        let output = kept.outlet(OutputFilter::Everything).showing(detail);
        show(&output, &AgentEventKind::Thinking("Hm.".into()).into());
        output.agent_is_gone(None).expect("it is shown");
        assert_eq!(kept.text(), expected);
    }
}

/// A sink that keeps what was written.
#[derive(Clone, Default)]
struct KeptText(Arc<Mutex<Vec<u8>>>);

impl KeptText {
    fn outlet(&self, passes: OutputFilter) -> ReportOutput {
        let side =
            || ReportStreamState { sink: Box::new(self.clone()), style: PrintStyle::new(false) };
        ReportOutput::new(passes, side(), side(), false, None)
    }

    /// Both streams lead to the same place.
    fn shared_outlet(&self) -> ReportOutput {
        let side =
            || ReportStreamState { sink: Box::new(self.clone()), style: PrintStyle::new(false) };
        ReportOutput::new(OutputFilter::Everything, side(), side(), true, None)
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

impl ByteSink for KeptText {
    fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(())
    }
}

//! Tests of recorded event streams with a fake listener.

use forkhestra_core::config::Backend;
use forkhestra_engine::agent::stream::agent_event::{AgentEventKind, TextPurpose, ToolCall};
use forkhestra_engine::agent::{StreamListener, StreamNotice, StreamResult};
use proptest::prelude::{any, prop, prop_assert_eq, proptest};

use typeset::color_mode::PrintStyle;

use super::log_rendering::LogRendering;
use super::rendered_stream::RenderedStream;
use crate::report::agent::{AgentEventRenderer, events};
use crate::report::plan::dry_run::Verbosity;

/// Parses lines such as `text …`, `call …` and `think …`, and ends of texts.
#[derive(Default)]
struct FakeListener(Vec<u8>);

impl StreamListener for FakeListener {
    fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamNotice<'_>)) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.0.extend_from_slice(line);
            if line.ends_with(b"\n") {
                parse_test_line(&std::mem::take(&mut self.0), sink);
            }
        }
    }

    fn finish(self: Box<Self>, sink: &mut dyn FnMut(StreamNotice<'_>)) -> StreamResult {
        if !self.0.is_empty() {
            parse_test_line(&self.0, sink);
        }
        StreamResult::default()
    }
}

fn parse_test_line(line: &[u8], sink: &mut dyn FnMut(StreamNotice<'_>)) {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_end_matches('\n');
    let kind = match text.split_once(' ') {
        Some(("text", text)) => {
            AgentEventKind::Text { text: text.into(), purpose: TextPurpose::Screen }
        }
        Some(("think", text)) => AgentEventKind::Thinking(text.into()),
        Some(("call", brief)) => AgentEventKind::ToolCall(ToolCall {
            id: "1".into(),
            name: "Bash".into(),
            brief: brief.into(),
            input: "{}".into(),
        }),
        _ if text == "end" => AgentEventKind::TextEnd,
        _ => AgentEventKind::Plain(line),
    };
    sink(StreamNotice::AgentEvent(kind.into()));
}

const STREAM: &str = "think hm\ntext I will \ntext look.\ncall ls\nplain \u{1b}[2Jline\ntext Do\n\
                      text ne\nend\nplain \u{1b}[31mred\n";

fn reading(detail: Verbosity, is_colored: bool) -> LogRendering {
    let new_listener = Box::new(|| Box::new(FakeListener::default()) as Box<dyn StreamListener>);
    LogRendering::Rendered(Box::new(RenderedStream::new(
        new_listener,
        AgentEventRenderer::new(detail),
        PrintStyle::new(is_colored),
    )))
}

fn shown(pieces: &[&str], detail: Verbosity) -> String {
    let mut reading = reading(detail, false);
    let mut bytes = Vec::new();
    for piece in pieces {
        bytes.extend_from_slice(&reading.feed(piece.as_bytes()).bytes);
    }
    bytes.extend_from_slice(&reading.finish().bytes);
    String::from_utf8(bytes).expect("it is text")
}

#[test]
fn a_kept_stream_is_rendered_as_during_the_run() {
    let usual = "I will look.\n● Bash  ls\nplain line\nDone\nplain red\n";
    assert_eq!(shown(&[STREAM], Verbosity::Normal), usual);
    assert_eq!(shown(&[STREAM], Verbosity::Verbose), format!("hm\n{usual}"));
}

#[test]
fn the_streams_of_all_agents_are_understood() {
    let text = "Done.";
    for (backend, stream) in [
        (
            Backend::Claude,
            r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Done."}]}}"#,
        ),
        (
            Backend::Codex,
            r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}"#,
        ),
        (
            Backend::Gemini,
            r#"{"type":"message","role":"assistant","content":"Done.","delta":true}"#,
        ),
        (Backend::Opencode, r#"{"type":"text","part":{"type":"text","text":"Done."}}"#),
    ] {
        let new_listener = Box::new(move || events(backend));
        let mut understood = RenderedStream::new(
            new_listener,
            AgentEventRenderer::new(Verbosity::Normal),
            PrintStyle::new(false),
        );
        let mut bytes = understood.feed(format!("{stream}\nplain\n").as_bytes()).bytes.into_owned();
        bytes.extend_from_slice(&understood.finish().bytes);
        let expected = format!("{text}\nplain\n");
        assert_eq!(String::from_utf8_lossy(&bytes), expected, "{backend:?}");
    }
}

#[test]
fn plain_lines_of_an_understood_agent_have_no_colours() {
    let mut reading = reading(Verbosity::Normal, true);
    let mut bytes = reading.feed(b"\x1b[31mred\ntext T\n").bytes.into_owned();
    bytes.extend_from_slice(&reading.finish().bytes);
    assert_eq!(String::from_utf8_lossy(&bytes), "red\nT\n");
}

#[test]
fn a_partial_line_after_a_gap_is_no_line() {
    let mut reading = reading(Verbosity::Normal, false);
    let before = reading.feed(b"text half").bytes.into_owned();
    let held = reading.finish().bytes.into_owned();
    let torn = reading.feed(b"the rest of").bytes.into_owned();
    let behind = reading.feed(b" a line\ncall ls\n").bytes.into_owned();
    let all =
        [before, held, torn, behind].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(all, ["", "half\n", "", "● Bash  ls\n"]);
}

proptest! {
    #[test]
    fn the_rendering_is_independent_of_the_chunks(cuts in any::<[prop::sample::Index; 3]>()) {
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(STREAM.len())).collect();
        places.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for place in places.into_iter().filter(|place| STREAM.is_char_boundary(*place)) {
            pieces.push(&STREAM[from..place]);
            from = place;
        }
        pieces.push(&STREAM[from..]);
        prop_assert_eq!(shown(&pieces, Verbosity::Verbose), shown(&[STREAM], Verbosity::Verbose));
    }
}

//! Renders a recorded event stream as it was shown during the run.

use forkhestra_engine::agent::stream::agent_event::AgentEvent;
use forkhestra_engine::agent::{StreamListener, StreamNotice};
use typeset::color_mode::{PrintStyle, painted};
use typeset::stream::SanitizedBytes;

use crate::report::agent::{AgentEventRenderer, RenderedEvent, RenderedText};

/// Creates a listener that parses the stream from its start.
pub(super) type ListenerFactory = Box<dyn Fn() -> Box<dyn StreamListener> + Send>;

/// Converts the bytes of an event stream to text. The result does not depend on chunk boundaries.
pub(crate) struct RenderedStream {
    new_listener: ListenerFactory,
    /// `None` before the first bytes and after a gap.
    listener: Option<Box<dyn StreamListener>>,
    /// Whether the bytes up to the next line break belong to a line whose start is lost.
    is_torn: bool,
    renderer: StreamRenderer,
}

/// Renders the events of a stream.
struct StreamRenderer {
    renderer: AgentEventRenderer,
    text: RenderedText,
    style: PrintStyle,
}

impl RenderedStream {
    /// A stream at its start.
    pub(super) fn new(
        new_listener: ListenerFactory,
        renderer: AgentEventRenderer,
        style: PrintStyle,
    ) -> Self {
        let renderer = StreamRenderer { renderer, text: RenderedText::new(), style };
        Self { new_listener, listener: None, is_torn: false, renderer }
    }

    /// Converts the next bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> SanitizedBytes<'static> {
        let mut bytes = bytes;
        if self.is_torn {
            let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
                return SanitizedBytes::default();
            };
            bytes = &bytes[end + 1..];
            self.is_torn = false;
        }
        let listener = self.listener.get_or_insert_with(|| (self.new_listener)());
        listener.feed(bytes, &mut |notice| self.renderer.handle_notice(&notice));
        self.renderer.shown()
    }

    /// Returns what was held back, before an end or a gap. After a gap the stream continues in the
    /// middle of a line.
    pub(super) fn finish(&mut self) -> SanitizedBytes<'static> {
        if let Some(listener) = self.listener.take() {
            listener.finish(&mut |notice| self.renderer.handle_notice(&notice));
        }
        self.is_torn = true;
        self.renderer.finish();
        self.renderer.shown()
    }
}

impl StreamRenderer {
    fn handle_notice(&mut self, notice: &StreamNotice<'_>) {
        if let StreamNotice::AgentEvent(event) = notice {
            self.event(event);
        }
    }

    fn event(&mut self, event: &AgentEvent<'_>) {
        // No clock is passed: relative times such as "in 5 minutes" make no sense in a log that is
        // read later.
        let rendering = self.renderer.event(event, None);
        self.put(&rendering);
    }

    fn finish(&mut self) {
        let last = self.renderer.agent_is_gone();
        self.put(&last);
    }

    fn put(&mut self, rendering: &RenderedEvent) {
        let style = self.style;
        self.text.put(rendering, |text| painted(text, style).as_bytes().to_vec());
    }

    fn shown(&mut self) -> SanitizedBytes<'static> {
        let bytes = self.text.take();
        let last = if self.text.at_line_start() { b'\n' } else { b' ' };
        SanitizedBytes { last: (!bytes.is_empty()).then_some(last), bytes: bytes.into() }
    }
}

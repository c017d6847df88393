//! A stream of events that was kept, as people would have seen it at the time.

use forkhestra_engine::agent::stream::agent_event::AgentEvent;
use forkhestra_engine::agent::{StreamListener, StreamNotice};
use typeset::color_mode::{PrintStyle, painted};
use typeset::stream::{SanitizedBytes, StreamSanitizer};

use crate::report::agent::{AgentEventRenderer, RenderedEvent, RenderedText};

/// Whoever understands such a stream from its beginning on.
pub(super) type ListenerFactory = Box<dyn Fn() -> Box<dyn StreamListener> + Send>;

/// Makes of the bytes of a stream what people see. How they are cut makes no difference.
pub(crate) struct RenderedStream {
    new_listener: ListenerFactory,
    /// None before the first bytes, and behind a gap.
    listener: Option<Box<dyn StreamListener>>,
    /// Whether the bytes up to the next line break are the rest of a line whose beginning is lost.
    is_torn: bool,
    sheet: StreamRenderer,
}

/// What people see.
struct StreamRenderer {
    renderer: AgentEventRenderer,
    /// For lines that are no events.
    plain: StreamSanitizer,
    paper: RenderedText,
    ink: PrintStyle,
}

impl RenderedStream {
    /// A stream that has not begun.
    pub(super) fn new(
        new_listener: ListenerFactory,
        renderer: AgentEventRenderer,
        ink: PrintStyle,
    ) -> Self {
        let sheet = StreamRenderer {
            renderer,
            plain: StreamSanitizer::new(ink.colored),
            paper: RenderedText::new(),
            ink,
        };
        Self { new_listener, listener: None, is_torn: false, sheet }
    }

    /// What is to be shown of more bytes.
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
        listener.feed(bytes, &mut |notice| self.sheet.hear(&notice));
        self.sheet.shown()
    }

    /// What was held back, before an end or a gap. What follows a gap begins in the middle of a line.
    pub(super) fn finish(&mut self) -> SanitizedBytes<'static> {
        if let Some(listener) = self.listener.take() {
            listener.finish(&mut |notice| self.sheet.hear(&notice));
        }
        self.is_torn = true;
        self.sheet.finish();
        self.sheet.shown()
    }
}

impl StreamRenderer {
    fn hear(&mut self, notice: &StreamNotice<'_>) {
        if let StreamNotice::AgentEvent(event) = notice {
            self.event(event);
        }
    }

    fn event(&mut self, event: &AgentEvent<'_>) {
        // What was near then is not near now.
        let rendering = self.renderer.event(event, None);
        self.put(&rendering);
    }

    fn finish(&mut self) {
        let last = self.renderer.agent_is_gone();
        self.put(&last);
        let rest = self.plain.finish();
        self.paper.add_hidden(&rest.bytes);
    }

    fn put(&mut self, rendering: &RenderedEvent<'_>) {
        if !matches!(rendering, RenderedEvent::Nothing | RenderedEvent::Bytes(_)) {
            let rest = self.plain.finish();
            self.paper.add_hidden(&rest.bytes);
        }
        let ink = self.ink;
        let text = |text: &str| painted(text, ink).as_bytes().to_vec();
        self.paper.put(rendering, text, |bytes| self.plain.feed(bytes).bytes.into_owned());
    }

    fn shown(&mut self) -> SanitizedBytes<'static> {
        let bytes = self.paper.take();
        let last = if self.paper.at_line_start() { b'\n' } else { b' ' };
        SanitizedBytes { last: (!bytes.is_empty()).then_some(last), bytes: bytes.into() }
    }
}

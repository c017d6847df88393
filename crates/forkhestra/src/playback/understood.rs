//! A stream of events that was kept, as people would have seen it at the time.

use forkhestra_engine::agent::event::AgentEvent;
use forkhestra_engine::agent::{Listen, Notice};
use typeset::color::{Ink, painted};
use typeset::stream::{Harmless, Shown};

use crate::report::agent::{Paper, Renderer, Rendering};

/// Whoever understands such a stream from its beginning on.
pub(super) type NewListener = Box<dyn Fn() -> Box<dyn Listen> + Send>;

/// Makes of the bytes of a stream what people see. How they are cut makes no difference.
pub(crate) struct Understood {
    new_listener: NewListener,
    /// None before the first bytes, and behind a gap.
    listener: Option<Box<dyn Listen>>,
    /// Whether the bytes up to the next line break are the rest of a line whose beginning is lost.
    is_torn: bool,
    sheet: Sheet,
}

/// What people see.
struct Sheet {
    renderer: Renderer,
    /// For lines that are no events.
    plain: Harmless,
    paper: Paper,
    ink: Ink,
}

impl Understood {
    /// A stream that has not begun.
    pub(super) fn new(new_listener: NewListener, renderer: Renderer, ink: Ink) -> Self {
        let sheet = Sheet { renderer, plain: Harmless::new(ink.colored), paper: Paper::new(), ink };
        Self { new_listener, listener: None, is_torn: false, sheet }
    }

    /// What is to be shown of more bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Shown<'static> {
        let mut bytes = bytes;
        if self.is_torn {
            let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
                return Shown::default();
            };
            bytes = &bytes[end + 1..];
            self.is_torn = false;
        }
        let listener = self.listener.get_or_insert_with(|| (self.new_listener)());
        listener.feed(bytes, &mut |notice| self.sheet.hear(&notice));
        self.sheet.shown()
    }

    /// What was held back, before an end or a gap. What follows a gap begins in the middle of a line.
    pub(super) fn finish(&mut self) -> Shown<'static> {
        if let Some(listener) = self.listener.take() {
            listener.finish(&mut |notice| self.sheet.hear(&notice));
        }
        self.is_torn = true;
        self.sheet.finish();
        self.sheet.shown()
    }
}

impl Sheet {
    fn hear(&mut self, notice: &Notice<'_>) {
        if let Notice::Said(event) = notice {
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

    fn put(&mut self, rendering: &Rendering<'_>) {
        if !matches!(rendering, Rendering::Nothing | Rendering::Bytes(_)) {
            let rest = self.plain.finish();
            self.paper.add_hidden(&rest.bytes);
        }
        let ink = self.ink;
        let text = |text: &str| painted(text, ink).as_bytes().to_vec();
        self.paper.put(rendering, text, |bytes| self.plain.feed(bytes).bytes.into_owned());
    }

    fn shown(&mut self) -> Shown<'static> {
        let bytes = self.paper.take();
        let last = if self.paper.at_line_start() { b'\n' } else { b' ' };
        Shown { last: (!bytes.is_empty()).then_some(last), bytes: bytes.into() }
    }
}

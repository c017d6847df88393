//! What the bytes of one stream are to whoever looks at them.

use forkhestra_core::plan::DirectSpawn;
use typeset::color_mode::PrintStyle;
use typeset::stream::{SanitizedBytes, StreamSanitizer};

use super::rendered_stream::RenderedStream;
use crate::report::agent::{self, AgentEventRenderer, ToolRules};
use crate::report::plan::dry_run::DryRunDetail;

/// What the bytes of one stream are to whoever looks at them.
pub(crate) enum LogRendering {
    /// Bytes, which pass as they are.
    Raw,
    /// Text, of which nothing may do anything to a terminal.
    Text(StreamSanitizer),
    /// Events, of which people see what they would have seen at the time.
    Rendered(Box<RenderedStream>),
}

impl LogRendering {
    /// The stream of an agent that we understand.
    pub(crate) fn understood(direct: &DirectSpawn, detail: DryRunDetail, ink: PrintStyle) -> Self {
        let backend = direct.backend;
        let listen = Box::new(move || agent::events(backend));
        let mut renderer = AgentEventRenderer::new(detail);
        renderer.agent_begins(ToolRules::of(direct));
        Self::Rendered(Box::new(RenderedStream::new(listen, renderer, ink)))
    }

    /// What is to be shown of more bytes.
    pub(crate) fn feed<'a>(&mut self, bytes: &'a [u8]) -> SanitizedBytes<'a> {
        match self {
            Self::Raw => SanitizedBytes::raw(bytes),
            Self::Text(filter) => filter.feed(bytes),
            Self::Rendered(understood) => understood.feed(bytes),
        }
    }

    /// What was held back, before an end or a gap.
    pub(crate) fn finish(&mut self) -> SanitizedBytes<'static> {
        match self {
            Self::Raw => SanitizedBytes::default(),
            Self::Text(filter) => filter.finish(),
            Self::Rendered(understood) => understood.finish(),
        }
    }
}

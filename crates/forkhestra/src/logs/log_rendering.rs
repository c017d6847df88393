//! Converts the bytes of a stream for output.

use forkhestra_core::plan::DirectSpawn;
use typeset::color_mode::PrintStyle;
use typeset::stream::SanitizedBytes;

use super::rendered_stream::RenderedStream;
use crate::report::agent::{self, AgentEventRenderer, SanitizedText, ToolRules};
use crate::report::plan::dry_run::Verbosity;

/// How the bytes of a stream are converted.
pub(crate) enum LogRendering {
    /// Bytes pass unchanged.
    Raw,
    /// Text from which control sequences are removed.
    Text(SanitizedText),
    /// Agent events, rendered as during the run.
    Rendered(Box<RenderedStream>),
}

impl LogRendering {
    /// The rendering for a supported agent.
    pub(crate) fn understood(direct: &DirectSpawn, detail: Verbosity, style: PrintStyle) -> Self {
        let backend = direct.backend;
        let listen = Box::new(move || agent::events(backend));
        let mut renderer = AgentEventRenderer::new(detail);
        renderer.agent_begins(ToolRules::of(direct));
        Self::Rendered(Box::new(RenderedStream::new(listen, renderer, style)))
    }

    /// Converts the next bytes.
    pub(crate) fn feed<'a>(&mut self, bytes: &'a [u8]) -> SanitizedBytes<'a> {
        match self {
            Self::Raw => SanitizedBytes::raw(bytes),
            Self::Text(filter) => agent::as_bytes(filter.feed(bytes)),
            Self::Rendered(understood) => understood.feed(bytes),
        }
    }

    /// Returns what was held back, before an end or a gap.
    pub(crate) fn finish(&mut self) -> SanitizedBytes<'static> {
        match self {
            Self::Raw => SanitizedBytes::default(),
            Self::Text(filter) => agent::as_bytes(filter.finish()),
            Self::Rendered(understood) => understood.finish(),
        }
    }
}

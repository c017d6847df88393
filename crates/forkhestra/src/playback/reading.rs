//! What the bytes of one stream are to whoever looks at them.

use forkhestra_core::plan::DirectSpawn;
use typeset::color::Ink;
use typeset::stream::{Harmless, Shown};

use super::understood::Understood;
use crate::report::agent::{self, Renderer, ToolRules};
use crate::report::dry_run::Detail;

/// What the bytes of one stream are to whoever looks at them.
pub(crate) enum Reading {
    /// Bytes, which pass as they are.
    Raw,
    /// Text, of which nothing may do anything to a terminal.
    Text(Harmless),
    /// Events, of which people see what they would have seen at the time.
    Understood(Box<Understood>),
}

impl Reading {
    /// The stream of an agent that we understand.
    pub(crate) fn understood(direct: &DirectSpawn, detail: Detail, ink: Ink) -> Self {
        let backend = direct.backend;
        let listen = Box::new(move || agent::events(backend));
        let mut renderer = Renderer::new(detail);
        renderer.agent_begins(ToolRules::of(direct));
        Self::Understood(Box::new(Understood::new(listen, renderer, ink)))
    }

    /// What is to be shown of more bytes.
    pub(crate) fn feed<'a>(&mut self, bytes: &'a [u8]) -> Shown<'a> {
        match self {
            Self::Raw => Shown::raw(bytes),
            Self::Text(filter) => filter.feed(bytes),
            Self::Understood(understood) => understood.feed(bytes),
        }
    }

    /// What was held back, before an end or a gap.
    pub(crate) fn finish(&mut self) -> Shown<'static> {
        match self {
            Self::Raw => Shown::default(),
            Self::Text(filter) => filter.finish(),
            Self::Understood(understood) => understood.finish(),
        }
    }
}

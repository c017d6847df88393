//! What the bytes of one stream are to whoever looks at them.

use super::understood::Understood;
use crate::report::logs::{Harmless, Shown};

/// What the bytes of one stream are to whoever looks at them.
pub(super) enum Reading {
    /// Bytes, which pass as they are.
    Raw,
    /// Text, of which nothing may do anything to a terminal.
    Text(Harmless),
    /// Events, of which people see what they would have seen at the time.
    Understood(Box<Understood>),
}

impl Reading {
    /// What is to be shown of more bytes.
    pub(super) fn feed<'a>(&mut self, bytes: &'a [u8]) -> Shown<'a> {
        match self {
            Self::Raw => Shown::raw(bytes),
            Self::Text(filter) => filter.feed(bytes),
            Self::Understood(understood) => understood.feed(bytes),
        }
    }

    /// What was held back, before an end or a gap.
    pub(super) fn finish(&mut self) -> Shown<'static> {
        match self {
            Self::Raw => Shown::default(),
            Self::Text(filter) => filter.finish(),
            Self::Understood(understood) => understood.finish(),
        }
    }
}

//! Programs that stand in for an agent and print plain text.

use std::mem;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::marker::MarkerParseError;
use forkhestra_core::scan::MarkerScanner;

use super::listener_config::ListenerConfig;
use super::stream_listener::{StreamFact, StreamNotice};

/// Looks for markers in an output as that of any program. As long as no event was seen, all of it
/// may be text.
#[derive(Debug)]
pub(crate) struct PlainFallback {
    /// None if nobody looks for markers.
    scanner: Option<MarkerScanner>,
    /// Whether a marker was told.
    has_told: bool,
}

impl PlainFallback {
    pub(crate) fn new(rules: &ListenerConfig) -> Result<Self, MarkerParseError> {
        let scanner =
            rules.looks_for_markers.then(|| MarkerScanner::new(&rules.markers)).transpose()?;
        Ok(Self { scanner, has_told: false })
    }

    /// Takes bytes in which nothing was understood.
    pub(crate) fn feed(&mut self, bytes: &[u8], tell: &mut dyn FnMut(StreamNotice<'_>)) {
        if let Some(sighting) = self.scanner.as_mut().and_then(|scanner| scanner.feed(bytes)) {
            self.has_told = true;
            tell(StreamNotice::Fact(StreamFact::Marker(sighting)));
        }
    }

    /// It is an agent after all.
    pub(crate) fn discard(&mut self, tell: &mut dyn FnMut(StreamNotice<'_>)) {
        if mem::take(&mut self.has_told) {
            tell(StreamNotice::Fact(StreamFact::WentOn));
        }
    }

    /// The marker that counts in all that was printed.
    pub(crate) fn finish(self) -> Option<MarkerMatch> {
        self.scanner.and_then(MarkerScanner::finish)
    }
}

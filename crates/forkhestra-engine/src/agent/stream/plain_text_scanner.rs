//! Reads a program in place of an agent that prints plain text.

use std::mem;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::marker::MarkerParseError;
use forkhestra_core::scan::MarkerScanner;

use super::listener_config::ListenerConfig;
use super::stream_listener::{StreamFact, StreamNotice};

/// Scans an output for markers like that of any program. Until an event is recognised, the whole
/// output may be text.
#[derive(Debug)]
pub(crate) struct PlainTextScanner {
    /// `None` if markers are not searched.
    scanner: Option<MarkerScanner>,
    /// Whether a marker was reported.
    has_reported: bool,
}

impl PlainTextScanner {
    pub(crate) fn new(rules: &ListenerConfig) -> Result<Self, MarkerParseError> {
        Ok(Self { scanner: rules.scanner()?, has_reported: false })
    }

    /// Scans bytes in which no event was recognised.
    pub(crate) fn feed(&mut self, bytes: &[u8], sink: &mut dyn FnMut(StreamNotice<'_>)) {
        if let Some(marker_match) = self.scanner.as_mut().and_then(|scanner| scanner.feed(bytes)) {
            self.has_reported = true;
            sink(StreamNotice::Fact(StreamFact::Marker(marker_match)));
        }
    }

    /// Withdraws a reported marker, since the output is an agent's stream.
    pub(crate) fn discard(&mut self, sink: &mut dyn FnMut(StreamNotice<'_>)) {
        if mem::take(&mut self.has_reported) {
            sink(StreamNotice::Fact(StreamFact::WentOn));
        }
    }

    /// The marker match that counts in the whole output.
    pub(crate) fn finish(self) -> Option<MarkerMatch> {
        self.scanner.and_then(MarkerScanner::finish)
    }
}

//! Programs that stand in for an agent and print plain text.

use std::mem;

use forkhestra_core::event::Sighting;
use forkhestra_core::marker::NotAMarker;
use forkhestra_core::scan::Scanner;

use super::listen::{Fact, Notice};
use super::rules::Rules;

/// Looks for markers in an output as that of any program. As long as no event was seen, all of it
/// may be text.
#[derive(Debug)]
pub(super) struct StandIn {
    /// None if nobody looks for markers.
    scanner: Option<Scanner>,
    /// Whether a marker was told.
    has_told: bool,
}

impl StandIn {
    pub(super) fn new(rules: &Rules) -> Result<Self, NotAMarker> {
        let scanner = rules.looks_for_markers.then(|| Scanner::new(&rules.markers)).transpose()?;
        Ok(Self { scanner, has_told: false })
    }

    /// Takes bytes in which nothing was understood.
    pub(super) fn print(&mut self, bytes: &[u8], tell: &mut dyn FnMut(Notice<'_>)) {
        if let Some(sighting) = self.scanner.as_mut().and_then(|scanner| scanner.feed(bytes)) {
            self.has_told = true;
            tell(Notice::Fact(Fact::Marker(sighting)));
        }
    }

    /// It is an agent after all.
    pub(super) fn take_back(&mut self, tell: &mut dyn FnMut(Notice<'_>)) {
        if mem::take(&mut self.has_told) {
            tell(Notice::Fact(Fact::WentOn));
        }
    }

    /// The marker that counts in all that was printed.
    pub(super) fn finish(self) -> Option<Sighting> {
        self.scanner.and_then(Scanner::finish)
    }
}

//! Outputs in which a marker counts, and others.

mod any_output;
mod fences;
mod long_lines;
mod reference;
mod table;

use super::{DECORATION_LIMIT, MarkerScanner, REGEX_LINE_LIMIT};
use crate::event::MarkerMatch;
use crate::marker::Marker;
use reference::ReferenceScanner;

fn markers(texts: &[&str]) -> Vec<Marker> {
    texts.iter().map(|text| Marker::parse(text).expect("the test's marker is right")).collect()
}

fn scanner(markers: &[Marker]) -> MarkerScanner {
    MarkerScanner::new(markers).expect("the test's markers are right")
}

/// The match while the chunks were fed, and at the end.
fn scan<'a>(
    markers: &[Marker],
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<MarkerMatch>, Option<MarkerMatch>) {
    let mut scanner = scanner(markers);
    let reported = pieces.into_iter().filter_map(|piece| scanner.feed(piece)).collect();
    (reported, scanner.finish())
}

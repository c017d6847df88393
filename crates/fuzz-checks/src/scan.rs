//! Checks the search for markers in an agent's output.

#[path = "../../forkhestra-core/src/scan/tests/reference.rs"]
mod reference;

use std::sync::LazyLock;

use forkhestra_core::event::MarkerMatch;
use forkhestra_core::marker::Marker;
use forkhestra_core::scan::{DECORATION_LIMIT, MarkerScanner, REGEX_LINE_LIMIT};

use self::reference::ReferenceScanner;

/// The first byte of an input chooses one of these.
const MARKERS: [&[&str]; 8] = [
    &[
        "FORKHESTRA_COMPLETE",
        "ORCHESTRA_COMPLETE",
        "<promise>COMPLETE</promise>",
        "RALPH_STATUS: COMPLETE",
    ],
    &["DONE"],
    &["__DONE__", "DONE", "***"],
    &["~~~ DONE ~~~", "`FINI`"],
    &["```", "*"],
    &["/DONE/"],
    &[r"/^DONE \d+$/", "FINI"],
    &[r"/(?-u)^\xff+$/", "/^\\*\\*D/", "DONE"],
];

/// A byte that stands for a long run of the byte before it. Without it, no short input would reach
/// the limit for the length of a line.
const LONG_RUN: u8 = 0xfd;

/// The result does not depend on how an output is cut, and equals that of a far simpler reference
/// scanner. The first byte chooses the markers, the next two the lengths of the pieces.
pub fn scan(data: &[u8]) {
    static SETS: LazyLock<Vec<(MarkerScanner, ReferenceScanner)>> =
        LazyLock::new(|| MARKERS.iter().map(|texts| set(texts)).collect());
    let [choice, first, second, text @ ..] = data else {
        return;
    };
    let (scanner, reference) = &SETS[usize::from(*choice) % SETS.len()];
    let text = unfolded(text);
    let expected = (Vec::from_iter(reference.certain(&text)), reference.scan(&text));
    assert_eq!(fed(scanner, &text, [text.len().max(1); 2]), expected);
    assert_eq!(
        fed(scanner, &text, [first, second].map(|length| 1 + usize::from(*length))),
        expected
    );
}

fn set(texts: &[&str]) -> (MarkerScanner, ReferenceScanner) {
    let markers: Vec<Marker> =
        texts.iter().map(|text| Marker::parse(text).expect("a marker")).collect();
    (MarkerScanner::new(&markers).expect("the markers are right"), ReferenceScanner::new(&markers))
}

fn unfolded(text: &[u8]) -> Vec<u8> {
    let mut unfolded = Vec::with_capacity(text.len());
    for byte in text {
        match (byte, unfolded.last()) {
            (&LONG_RUN, Some(&last)) if unfolded.len() < 4 * DECORATION_LIMIT => {
                unfolded.resize(unfolded.len() + DECORATION_LIMIT - 2, last);
            }
            _ => unfolded.push(*byte),
        }
    }
    unfolded
}

/// The matches for pieces of these alternating lengths.
fn fed(
    scanner: &MarkerScanner,
    text: &[u8],
    lengths: [usize; 2],
) -> (Vec<MarkerMatch>, Option<MarkerMatch>) {
    let mut scanner = scanner.clone();
    let mut reported = Vec::new();
    let mut rest = text;
    for length in lengths.into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, others) = rest.split_at(length.min(rest.len()));
        reported.extend(scanner.feed(piece));
        rest = others;
    }
    (reported, scanner.finish())
}

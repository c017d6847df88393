//! Sample values.

use crate::cost::{Dollars, Spend, TokenCounts};
use crate::event::{FileStamp, MarkerMatch};

pub(crate) fn there() -> FileStamp {
    FileStamp("there".to_owned())
}

/// A spend of this many cents.
pub(crate) fn dollars(cents: u64) -> Spend {
    let tokens = TokenCounts { input: 100 * cents, ..TokenCounts::default() };
    Spend { tokens, dollars: Dollars::from_nanos(cents * 10_000_000), unpriced: false }
}

pub(crate) fn marker_match() -> MarkerMatch {
    MarkerMatch { marker: "FORKHESTRA_COMPLETE".to_owned(), offset: 0, line: 1, message: None }
}

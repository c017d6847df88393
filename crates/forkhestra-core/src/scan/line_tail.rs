//! The line that is not complete yet.

use super::line_start::as_u64;

/// The bytes since the last newline. They are kept only as long as the line can matter.
#[derive(Debug, Clone)]
pub(super) struct LineTail {
    bytes: Vec<u8>,
    length: u64,
    /// The maximum that is kept.
    longest: usize,
}

impl LineTail {
    pub(super) const fn new(longest: usize) -> Self {
        Self { bytes: Vec::new(), length: 0, longest }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.length += as_u64(bytes.len());
        if self.length <= as_u64(self.longest) {
            self.bytes.extend_from_slice(bytes);
        }
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.length = 0;
    }

    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    #[cfg(test)]
    pub(super) const fn memory(&self) -> usize {
        self.bytes.capacity()
    }

    /// The line so far, unless it has become too long.
    pub(super) fn line(&self) -> Option<&[u8]> {
        (self.length <= as_u64(self.longest)).then_some(&self.bytes)
    }
}

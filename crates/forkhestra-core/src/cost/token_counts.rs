//! Token counts by kind.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::wire::is_default;

/// Token counts by kind.
///
/// No token counts twice: `input` excludes tokens read from or written to a cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TokenCounts {
    /// Tokens read by the model, and neither from nor into a cache.
    pub input: u64,
    // Including thinking.
    /// Tokens written by the model.
    pub output: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    // For five minutes, or for an unknown time.
    /// Tokens written into a cache for a short time.
    pub cache_write: u64,
    /// Tokens written into a cache for an hour; left out if there are none.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_write_1h: u64,
}

impl TokenCounts {
    /// The total of all kinds.
    pub const fn total(self) -> u64 {
        self.prompt().saturating_add(self.output)
    }

    /// The tokens of the prompt, cached or not.
    pub const fn prompt(self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.written())
    }

    /// Whether all counts are zero.
    pub const fn is_zero(self) -> bool {
        self.total() == 0
    }

    /// Merges two reports of the same response: the larger count of each kind.
    ///
    /// A report without the cache's lifetime must not count its writes a second time, so cache
    /// writes are compared as a sum.
    #[must_use]
    pub fn max_of_each(self, other: Self) -> Self {
        let cache_write_1h = self.cache_write_1h.max(other.cache_write_1h);
        Self {
            input: self.input.max(other.input),
            output: self.output.max(other.output),
            cache_read: self.cache_read.max(other.cache_read),
            cache_write: self.written().max(other.written()) - cache_write_1h,
            cache_write_1h,
        }
    }

    /// The tokens here minus those in `other`.
    #[must_use]
    pub(super) const fn saturating_minus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_sub(other.input),
            output: self.output.saturating_sub(other.output),
            cache_read: self.cache_read.saturating_sub(other.cache_read),
            cache_write: self.cache_write.saturating_sub(other.cache_write),
            cache_write_1h: self.cache_write_1h.saturating_sub(other.cache_write_1h),
        }
    }

    const fn written(self) -> u64 {
        self.cache_write.saturating_add(self.cache_write_1h)
    }
}

/// Saturating: an invalid report becomes a large number, not a panic.
impl Add for TokenCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            cache_write_1h: self.cache_write_1h.saturating_add(other.cache_write_1h),
        }
    }
}

impl AddAssign for TokenCounts {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for TokenCounts {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_the_total_and_all_but_the_answer_in_the_prompt() {
        let (input, output, cache_read, cache_write, cache_write_1h) = (1, 10, 100, 1000, 10_000);
        let tokens = TokenCounts { input, output, cache_read, cache_write, cache_write_1h };
        assert_eq!(tokens.total(), 11_111);
        assert_eq!(tokens.prompt(), 11_101);
        assert!(!TokenCounts { output: 1, ..TokenCounts::default() }.is_zero());
        assert_eq!([tokens, tokens].into_iter().sum::<TokenCounts>().total(), 22_222);
    }
}

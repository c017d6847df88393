//! The usage of a window.

use std::fmt;
use std::time::Duration;

use super::quota_window::QuotaWindow;
use crate::time::Timestamp;

/// How much of a window is used, as an agent reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaReading {
    pub window: QuotaWindow,
    /// The used share in whole percent, rounded up. It is above 100 if the account pays for more.
    pub used: u16,
    /// The end of the window. The usage is unknown from then on.
    pub resets: Timestamp,
}

/// The highest share that is plausible: ten times the window.
const MAX_SHARE: f64 = 10.0;

/// A share that is less above a whole percent counts as this percent: fractions such as 0.07 are
/// not exact.
const ROUNDING_ERROR: f64 = 1e-6;

/// How far the clock of the provider may be ahead of ours.
const CLOCK_DIFFERENCE: Duration = Duration::from_secs(60 * 60);

/// Reset times that are less apart belong to the same window.
const SAME_WINDOW: Duration = Duration::from_secs(60);

impl QuotaReading {
    /// A reading from the used share (1 is the whole window); none if the share is implausible.
    pub fn of_share(window: QuotaWindow, share: f64, resets: Timestamp) -> Option<Self> {
        if !(0.0..=MAX_SHARE).contains(&share) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is in the range by then"
        )]
        let used = (share * 100.0 - ROUNDING_ERROR).ceil().max(0.0) as u16;
        Some(Self { window, used, resets })
    }

    /// Whether it still holds: its window has not ended.
    pub fn holds_at(&self, now: Timestamp) -> bool {
        now < self.resets
    }

    /// Whether its window can end so late.
    pub fn is_plausible_at(&self, now: Timestamp) -> bool {
        self.resets.saturating_since(now) <= self.window.length() + CLOCK_DIFFERENCE
    }

    /// Whether it says the same as an earlier reading. Providers repeat reset times with a small
    /// difference.
    pub fn repeats(&self, earlier: &Self) -> bool {
        let (a, b) = (self.resets, earlier.resets);
        let difference = a.saturating_since(b).max(b.saturating_since(a));
        (self.window, self.used) == (earlier.window, earlier.used) && difference < SAME_WINDOW
    }
}

/// As in the status line: `5h 62 %`.
impl fmt::Display for QuotaReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} %", self.window.word(), self.used)
    }
}

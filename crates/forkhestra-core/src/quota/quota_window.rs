//! The windows of an account.

use std::time::Duration;

use crate::config::decode::record::choice;

const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

choice! {
    /// A window of an account, at whose end its usage is reset.
    pub enum QuotaWindow {
        /// Five hours.
        FiveHours = "5h",
        /// Seven days.
        SevenDays = "7d",
    }
}

impl QuotaWindow {
    /// The window of this name.
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|window| window.word() == name)
    }

    /// The number of parts over which `even` spreads the usage: hours or days.
    pub const fn parts(self) -> u32 {
        match self {
            Self::FiveHours => 5,
            Self::SevenDays => 7,
        }
    }

    /// The length of a part.
    pub const fn part_length(self) -> Duration {
        match self {
            Self::FiveHours => HOUR,
            Self::SevenDays => DAY,
        }
    }

    /// The length of the window.
    pub fn length(self) -> Duration {
        self.part_length() * self.parts()
    }
}

//! The quota limits of a step and their text syntax.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::account_quotas::AccountQuotas;
use super::exceeded_quota::ExceededQuota;
use super::quota_parse_error::QuotaParseError;
use super::quota_reading::QuotaReading;
use super::quota_threshold::QuotaThreshold;
use super::quota_window::QuotaWindow;
use crate::config::Backend;
use crate::limit::{LimitParseError, LimitQuantity};
use crate::time::Timestamp;

/// The share of each window above which no agent is started. At least one window has a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaLimits {
    five_hours: Option<QuotaThreshold>,
    seven_days: Option<QuotaThreshold>,
}

impl QuotaLimits {
    /// The thresholds of the windows; none without any.
    pub fn of(
        five_hours: Option<QuotaThreshold>,
        seven_days: Option<QuotaThreshold>,
    ) -> Option<Self> {
        (five_hours.is_some() || seven_days.is_some()).then_some(Self { five_hours, seven_days })
    }

    /// The threshold of a window.
    pub const fn threshold(self, window: QuotaWindow) -> Option<QuotaThreshold> {
        match window {
            QuotaWindow::FiveHours => self.five_hours,
            QuotaWindow::SevenDays => self.seven_days,
        }
    }

    /// These limits with another threshold of a window; none if no window has one then.
    pub fn with(self, window: QuotaWindow, threshold: Option<QuotaThreshold>) -> Option<Self> {
        match window {
            QuotaWindow::FiveHours => Self::of(threshold, self.seven_days),
            QuotaWindow::SevenDays => Self::of(self.five_hours, threshold),
        }
    }

    /// The window that delays the agents of an account for the longest time; none if no window does.
    pub fn exceeded(
        self,
        quotas: &AccountQuotas,
        backend: Backend,
        now: Timestamp,
    ) -> Option<ExceededQuota> {
        self.all_exceeded(quotas, backend, now).max_by_key(|exceeded| exceeded.until)
    }

    /// The windows that hold the agents of an account back. An unknown utilisation holds none back.
    pub fn all_exceeded(
        self,
        quotas: &AccountQuotas,
        backend: Backend,
        now: Timestamp,
    ) -> impl Iterator<Item = ExceededQuota> {
        quotas.current(backend, now).filter_map(move |reading| {
            let limit = self.threshold(reading.window)?;
            let until = limit.allows_from(reading, now)?;
            let QuotaReading { window, used, .. } = reading;
            Some(ExceededQuota { backend, window, used, limit, until })
        })
    }

    fn thresholds(self) -> impl Iterator<Item = (QuotaWindow, QuotaThreshold)> {
        QuotaWindow::ALL
            .into_iter()
            .filter_map(move |window| Some((window, self.threshold(window)?)))
    }
}

impl LimitQuantity for QuotaLimits {
    const VALUE_NAME: &'static str = "QUOTA";
    const EXAMPLE: &'static str = "such as 5h=90%,7d=even, or off";

    fn parse(text: &str) -> Result<Self, LimitParseError> {
        Ok(parse(text)?)
    }

    /// So many percent of each window.
    fn nth(number: NonZeroU32) -> Self {
        let percent = u8::try_from(number.get()).unwrap_or(u8::MAX).min(100);
        let threshold = Some(QuotaThreshold::Percent(percent));
        Self { five_hours: threshold, seven_days: threshold }
    }
}

/// Parses `5h=90%,7d=even`.
fn parse(text: &str) -> Result<QuotaLimits, QuotaParseError> {
    let mut limits = QuotaLimits { five_hours: None, seven_days: None };
    let mut position = 1;
    for part in text.split(',') {
        let length = part.chars().count();
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        let position_of_value = position + name.chars().count() + 1;
        if name.trim().is_empty() {
            return Err(QuotaParseError::NoWindow { position });
        }
        let window = QuotaWindow::of(name.trim()).ok_or_else(|| {
            let name = name.trim().to_owned();
            QuotaParseError::UnknownWindow { name, position }
        })?;
        if !part.contains('=') {
            return Err(QuotaParseError::NoShare { window, position });
        }
        let threshold = QuotaThreshold::parse(value.trim()).map_err(|why| {
            let value = value.trim().to_owned();
            QuotaParseError::Threshold { value, position: position_of_value, why }
        })?;
        if limits.threshold(window).is_some() {
            return Err(QuotaParseError::Twice { window, position });
        }
        match window {
            QuotaWindow::FiveHours => limits.five_hours = Some(threshold),
            QuotaWindow::SevenDays => limits.seven_days = Some(threshold),
        }
        position += length + 1;
    }
    Ok(limits)
}

/// As on the command line: `5h=90%,7d=even`.
impl fmt::Display for QuotaLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, (window, threshold)) in self.thresholds().enumerate() {
            let comma = if number == 0 { "" } else { "," };
            write!(f, "{comma}{}={threshold}", window.word())?;
        }
        Ok(())
    }
}

/// As in the config: `{"5h":"90%","7d":"even"}`.
impl Serialize for QuotaLimits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (window, threshold) in self.thresholds() {
            map.serialize_entry(window.word(), &threshold)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for QuotaLimits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let thresholds = BTreeMap::<String, QuotaThreshold>::deserialize(deserializer)?;
        if let Some(name) = thresholds.keys().find(|name| QuotaWindow::of(name).is_none()) {
            return Err(de::Error::custom(format_args!("`{name}` is not a window")));
        }
        let of = |window: QuotaWindow| thresholds.get(window.word()).copied();
        Self::of(of(QuotaWindow::FiveHours), of(QuotaWindow::SevenDays))
            .ok_or_else(|| de::Error::custom("it names no window"))
    }
}

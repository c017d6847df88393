//! The usage of accounts.

use super::quota_reading::QuotaReading;
use super::quota_window::QuotaWindow;
use crate::config::Backend;
use crate::time::Timestamp;

/// The beginning of the warning that an agent does not report how full its account is.
pub(crate) const UNREPORTED_QUOTA: &str = "quota is not enforced: ";

/// The warning that an agent does not report how full its account is.
pub(crate) fn unreported_quota(backend: Backend) -> String {
    let title = backend.title();
    format!("{UNREPORTED_QUOTA}{title} did not report how much of its account is used")
}

/// The last reading of each window of each back-end's account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AccountQuotas {
    readings: Vec<(Backend, QuotaReading)>,
}

impl AccountQuotas {
    /// Notes a reading, which replaces an earlier one of the same window.
    pub fn note(&mut self, backend: Backend, reading: QuotaReading) {
        let is_same = |(of, earlier): &(Backend, QuotaReading)| {
            (*of, earlier.window) == (backend, reading.window)
        };
        self.readings.retain(|earlier| !is_same(earlier));
        self.readings.push((backend, reading));
    }

    /// Whether a reading differs from the last one.
    pub fn is_new(&self, backend: Backend, reading: QuotaReading) -> bool {
        let last = self.last(backend, reading.window);
        last.is_none_or(|earlier| !reading.repeats(&earlier))
    }

    /// Whether there is no reading of an account, also none that has expired.
    pub fn is_unknown(&self, backend: Backend) -> bool {
        self.readings.iter().all(|(of, _)| *of != backend)
    }

    /// The readings of an account that still hold, in the order of the windows.
    pub fn current(
        &self,
        backend: Backend,
        now: Timestamp,
    ) -> impl Iterator<Item = QuotaReading> + use<'_> {
        let readings =
            QuotaWindow::ALL.into_iter().filter_map(move |window| self.last(backend, window));
        readings.filter(move |reading| reading.holds_at(now))
    }

    /// What is known of an account, for people: `5h 62 % · 7d 41 %`; none if nothing is known.
    pub fn text(&self, backend: Backend, now: Timestamp) -> Option<String> {
        let readings: Vec<String> =
            self.current(backend, now).map(|reading| reading.to_string()).collect();
        (!readings.is_empty()).then(|| readings.join(" · "))
    }

    fn last(&self, backend: Backend, window: QuotaWindow) -> Option<QuotaReading> {
        let mut readings = self.readings.iter();
        let found = readings.find(|(of, reading)| (*of, reading.window) == (backend, window));
        found.map(|(_, reading)| *reading)
    }
}

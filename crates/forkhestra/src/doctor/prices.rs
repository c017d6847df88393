//! The age of the prices with which costs are calculated.

use std::time::Duration;

use forkhestra_core::time::Timestamp;

use super::finding::{DoctorFinding, FindingSubject};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Age in days from which prices count as old. Prices change a few times a year.
const OLD: u64 = 120;

/// The findings about prices of this date.
pub(super) fn findings(as_of: &str, own: usize, now: Timestamp) -> Vec<DoctorFinding> {
    let mut findings = vec![shipped(as_of, now)];
    if own > 0 {
        let are = if own == 1 { "1 price is".to_owned() } else { format!("{own} prices are") };
        findings.push(FindingSubject::Prices.ok(format!("{are} your own")));
    }
    findings
}

fn shipped(as_of: &str, now: Timestamp) -> DoctorFinding {
    let what = format!("the prices of models are those of {as_of}");
    // An unreadable date has age 0; a test checks the shipped date.
    let age = Timestamp::parse(&format!("{as_of}T00:00:00Z")).map(|day| now.saturating_since(day));
    let days = age.map_or(0, |age| age.as_secs() / DAY.as_secs());
    if days < OLD {
        return FindingSubject::Prices.ok(what);
    }
    FindingSubject::Prices
        .note(format!("{what}, {days} days old: shown costs may be wrong"))
        .remedy("install a newer version, or give `prices` in the config")
}

#[cfg(test)]
mod tests {
    use forkhestra_core::cost::PriceTable;

    use super::*;

    fn told(as_of: &str, now: &str) -> String {
        let now = Timestamp::parse(now).expect("a moment");
        findings(as_of, 0, now)[0].to_string()
    }

    #[test]
    fn prices_grow_old() {
        let fresh = "ok: the prices of models are those of 2026-11-15";
        assert_eq!(told("2026-11-15", "2026-11-15T10:00:00Z"), fresh);
        assert_eq!(told("2026-11-15", "2027-03-14T23:00:00Z"), fresh);
        assert_eq!(told("2026-11-15", "2020-01-01T00:00:00Z"), fresh, "a clock that is wrong");
        let old = told("2026-11-15", "2027-03-15T10:00:00Z");
        assert!(
            old.starts_with("note: the prices of models are those of 2026-11-15, 120 days old")
        );
    }

    #[test]
    fn the_day_of_the_shipped_prices_can_be_read() {
        let day = format!("{}T00:00:00Z", PriceTable::as_of());
        assert!(Timestamp::parse(&day).is_ok(), "{day}");
    }
}

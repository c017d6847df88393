//! Tests of the quota of accounts.

use std::time::Duration;

use super::*;
use crate::config::Backend;
use crate::limit::{Limit, LimitParseError, LimitQuantity};
use crate::time::Timestamp;

const HOUR: u64 = 3600;

/// A time in seconds after some moment.
fn at(seconds: u64) -> Timestamp {
    Timestamp::from_milliseconds(1_000_000_000_000).saturating_add(Duration::from_secs(seconds))
}

fn reading(window: QuotaWindow, used: u16, resets: Timestamp) -> QuotaReading {
    QuotaReading { window, used, resets }
}

fn quota(text: &str) -> QuotaLimits {
    QuotaLimits::parse(text).expect("it is a quota")
}

#[test]
fn a_share_is_rounded_up_to_whole_percent() {
    let used = |share| {
        QuotaReading::of_share(QuotaWindow::FiveHours, share, at(0)).map(|reading| reading.used)
    };
    for (share, expected) in [
        (0.0, Some(0)),
        (0.000_000_001, Some(0)),
        (0.001, Some(1)),
        (0.62, Some(62)),
        (0.621, Some(63)),
        (0.999, Some(100)),
        (1.0, Some(100)),
        (1.2, Some(120)),
        (10.0, Some(1000)),
        (10.1, None),
        (62.0, None),
        (-0.01, None),
        (f64::NAN, None),
        (f64::INFINITY, None),
    ] {
        assert_eq!(used(share), expected, "{share}");
    }
    for percent in 0..=1000_u16 {
        assert_eq!(used(f64::from(percent) / 100.0), Some(percent), "no fraction is rounded up");
    }
}

#[test]
fn a_reading_holds_until_its_window_ends() {
    let reading = reading(QuotaWindow::SevenDays, 41, at(100));
    assert!(reading.holds_at(at(99)));
    assert!(!reading.holds_at(at(100)));
}

#[test]
fn a_reading_repeats_another_with_the_same_percent_and_nearly_the_same_end() {
    let earlier = reading(QuotaWindow::FiveHours, 62, at(1000));
    for (other, expected) in [
        (earlier, true),
        (QuotaReading { resets: at(1059), ..earlier }, true),
        (QuotaReading { resets: at(941), ..earlier }, true),
        (QuotaReading { resets: at(1060), ..earlier }, false),
        (QuotaReading { used: 63, ..earlier }, false),
        (QuotaReading { window: QuotaWindow::SevenDays, ..earlier }, false),
    ] {
        assert_eq!(other.repeats(&earlier), expected, "{other:?}");
    }
}

/// The rule in other words: is a share of the window allowed at this time?
fn is_allowed(limit: QuotaThreshold, window: QuotaWindow, used: u16, into_window: u64) -> bool {
    match limit {
        QuotaThreshold::Percent(percent) => used <= u16::from(percent),
        QuotaThreshold::Even => {
            let part = into_window / window.part_length().as_secs() + 1;
            u64::from(used) * u64::from(window.parts()) <= 100 * part
        }
    }
}

/// Every window, threshold and share, at the beginning, in the middle and at the end of each part.
#[test]
fn a_window_allows_an_agent_from_the_first_moment_that_its_threshold_does() {
    let limits = [QuotaThreshold::Even]
        .into_iter()
        .chain([1, 20, 50, 90, 99, 100].map(QuotaThreshold::Percent));
    for limit in limits {
        for window in QuotaWindow::ALL {
            let (length, part) = (window.length().as_secs(), window.part_length().as_secs());
            let resets = at(length);
            let moments = (0..=length).step_by(usize::try_from(part / 2).expect("it is small"));
            for now in moments.flat_map(|moment| [moment.saturating_sub(1), moment]) {
                for used in 0..=105 {
                    let found = limit.allows_from(reading(window, used, resets), at(now));
                    // Thresholds change only where a part begins.
                    let parts = (0..u64::from(window.parts())).map(|number| number * part);
                    let later = parts.filter(|from| *from > now).chain([length]);
                    let mut moments = [now].into_iter().chain(later);
                    let first = moments
                        .find(|moment| {
                            *moment >= length || is_allowed(limit, window, used, *moment)
                        })
                        .expect("the reset is one");
                    let expected = (first > now).then(|| at(first));
                    let case = format!("{limit} of {window:?}: {used} % after {now} s");
                    assert_eq!(found, expected, "{case}");
                }
            }
        }
    }
}

#[test]
fn a_window_that_has_not_begun_by_our_clock_is_in_its_first_part() {
    let window = QuotaWindow::FiveHours;
    let resets = at(window.length().as_secs() + 600);
    let from = |used| QuotaThreshold::Even.allows_from(reading(window, used, resets), at(0));
    assert_eq!((from(0), from(20)), (None, None), "its clock is ten minutes ahead of ours");
    assert_eq!(from(21), Some(at(600 + HOUR)));
}

#[test]
fn the_window_that_takes_longest_holds_an_agent_back() {
    let limits = quota("5h=50%,7d=80%");
    let (short, long) = (QuotaWindow::FiveHours, QuotaWindow::SevenDays);
    let exceeded = |readings: &[QuotaReading], backend, now| {
        let mut quotas = AccountQuotas::default();
        readings.iter().for_each(|reading| quotas.note(Backend::Claude, *reading));
        limits.exceeded(&quotas, backend, now).map(|exceeded| (exceeded.window, exceeded.until))
    };
    let (full_5h, full_7d) = (reading(short, 51, at(HOUR)), reading(long, 81, at(50 * HOUR)));
    let (free_5h, free_7d) = (reading(short, 50, at(HOUR)), reading(long, 80, at(50 * HOUR)));
    let claude = Backend::Claude;
    for (readings, backend, now, expected) in [
        (vec![], claude, at(0), None),
        (vec![free_5h, free_7d], claude, at(0), None),
        (vec![full_5h], claude, at(0), Some((short, at(HOUR)))),
        (vec![full_5h, free_7d], claude, at(0), Some((short, at(HOUR)))),
        (vec![full_5h, full_7d], claude, at(0), Some((long, at(50 * HOUR)))),
        (vec![full_7d, full_5h], claude, at(0), Some((long, at(50 * HOUR)))),
        (vec![full_5h, full_7d], claude, at(2 * HOUR), Some((long, at(50 * HOUR)))),
        (vec![full_5h, full_7d], claude, at(50 * HOUR), None),
        (vec![full_5h], claude, at(HOUR), None),
        (vec![full_5h, free_5h], claude, at(0), None),
        (vec![full_5h, full_7d], Backend::Codex, at(0), None),
    ] {
        let case = format!("{readings:?} {backend:?} {now}");
        assert_eq!(exceeded(&readings, backend, now), expected, "{case}");
    }
}

#[test]
fn what_is_known_of_an_account_is_shown_until_it_is_unknown() {
    let mut quotas = AccountQuotas::default();
    assert_eq!(quotas.text(Backend::Claude, at(0)), None);
    quotas.note(Backend::Claude, reading(QuotaWindow::SevenDays, 41, at(50 * HOUR)));
    quotas.note(Backend::Claude, reading(QuotaWindow::FiveHours, 0, at(HOUR)));
    assert_eq!(quotas.text(Backend::Claude, at(0)).as_deref(), Some("5h 0 % · 7d 41 %"));
    assert_eq!(quotas.text(Backend::Claude, at(HOUR)).as_deref(), Some("7d 41 %"));
    assert_eq!(quotas.text(Backend::Claude, at(50 * HOUR)), None);
    assert_eq!(quotas.text(Backend::Gemini, at(0)), None);
}

#[test]
fn only_a_reading_that_differs_is_new() {
    let mut quotas = AccountQuotas::default();
    let first = reading(QuotaWindow::FiveHours, 62, at(HOUR));
    assert!(quotas.is_new(Backend::Claude, first));
    quotas.note(Backend::Claude, first);
    assert!(!quotas.is_new(Backend::Claude, first));
    assert!(quotas.is_new(Backend::Codex, first));
    assert!(quotas.is_new(Backend::Claude, QuotaReading { used: 61, ..first }));
    assert!(quotas.is_new(Backend::Claude, QuotaReading { resets: at(6 * HOUR), ..first }));
}

#[test]
fn quotas_that_can_be_typed() {
    for (text, shown) in [
        ("5h=90%", "5h=90%"),
        ("7d=even", "7d=even"),
        ("5h=1%,7d=100%", "5h=1%,7d=100%"),
        ("7d=80%,5h=even", "5h=even,7d=80%"),
        (" 5h = 90 % , 7d = even ", "5h=90%,7d=even"),
        ("5h=007%", "5h=7%"),
    ] {
        assert_eq!(quota(text).to_string(), shown, "{text}");
        let json = serde_json::to_string(&quota(text)).expect("it is JSON");
        assert_eq!(serde_json::from_str::<QuotaLimits>(&json).ok(), Some(quota(text)), "{json}");
    }
    assert_eq!(Limit::<QuotaLimits>::parse("off"), Ok(Limit::Off));
    let json = serde_json::to_string(&quota("7d=even,5h=90%")).expect("it is JSON");
    assert_eq!(json, r#"{"5h":"90%","7d":"even"}"#);
}

#[test]
fn every_mistake_has_its_position_and_a_suggestion() {
    for (text, expected) in [
        ("5h=190%", "`190%` at character 4 is more than the whole window; write `1%` to `100%`"),
        ("5h=101%", "`101%` at character 4 is more than the whole window"),
        ("5h=99999999999999999999%", "is more than the whole window"),
        ("5h=0%", "`0%` at character 4 would never start an agent; write `1%` to `100%`"),
        ("5h=90", "`90` at character 4 needs a percent sign, as in `90%`"),
        ("5h=-5%", "`-5%` at character 4 is not a share"),
        ("5h=90.5%", "`90.5%` at character 4 is not a share; write a whole number of percent"),
        ("5h=", "`` at character 4 is not a share"),
        ("5h=off", "`off` at character 4 is not a share"),
        ("5h=Even", "`Even` at character 4 is not a share"),
        ("6h=50%", "`6h` at character 1 is not a window; write `5h` or `7d`"),
        ("5h=90%,6h=50%", "`6h` at character 8 is not a window; write `5h` or `7d`"),
        ("5h=90%,7d=0%", "`0%` at character 11 would never start an agent"),
        ("90%", "`90%` at character 1 is not a window"),
        ("5h", "`5h` at character 1 has no share; write `5h=90%` or `5h=even`"),
        ("5h=90%,7d", "`7d` at character 8 has no share; write `7d=90%` or `7d=even`"),
        ("5h=90%,5h=80%", "`5h` at character 8 is named twice"),
        ("", "there is no window at character 1; write it as `5h=90%,7d=even`, or `off`"),
        ("5h=90%,", "there is no window at character 8"),
        ("=90%", "there is no window at character 1"),
    ] {
        let error = QuotaLimits::parse(text).expect_err("it is wrong");
        assert!(matches!(error, LimitParseError::Quota(_)), "{text}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

#[test]
fn json_that_is_no_quota_is_refused() {
    for (json, expected) in [
        ("{}", "it names no window"),
        (r#"{"6h":"50%"}"#, "`6h` is not a window"),
        (r#"{"5h":"190%"}"#, "`190%` is more than the whole window"),
        (r#"{"5h":90}"#, "invalid type"),
        ("90", "invalid type"),
    ] {
        let error = serde_json::from_str::<QuotaLimits>(json).expect_err("it is wrong");
        assert!(error.to_string().contains(expected), "{json}: {error}");
    }
}

#[test]
fn an_exceeded_quota_is_explained() {
    let exceeded = ExceededQuota {
        backend: Backend::Claude,
        window: QuotaWindow::SevenDays,
        used: 94,
        limit: QuotaThreshold::Percent(90),
        until: at(0),
    };
    let text = "94 % of the account's 7d window is used, more than --quota 7d=90% allows";
    assert_eq!(exceeded.to_string(), text);
    let even = ExceededQuota { limit: QuotaThreshold::Even, ..exceeded };
    assert!(even.to_string().ends_with("more than --quota 7d=even allows"), "{even}");
}

//! Moments for people: in UTC, with no more digits than anybody wants.

use forkhestra_core::time::Timestamp;

/// To the minute: `2026-11-15 07:59`.
pub(crate) fn to_the_minute(moment: Timestamp) -> String {
    let text = to_the_second(moment);
    text.rsplit_once(':').map_or_else(|| text.clone(), |(minutes, _)| minutes.to_owned())
}

/// The time of the day, `07:59`, or more if the day is not that of another moment.
pub(crate) fn of_the_day(moment: Timestamp, other: Timestamp) -> String {
    let (text, other) = (to_the_minute(moment), to_the_minute(other));
    match (text.split_once(' '), other.split_once(' ')) {
        (Some((day, time)), Some((same, _))) if day == same => time.to_owned(),
        _ => text,
    }
}

/// To the second: `2026-11-15 07:59:12`.
pub(crate) fn to_the_second(moment: Timestamp) -> String {
    let text = moment.to_string();
    text.split('.').next().unwrap_or(&text).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_lose_what_nobody_wants() {
        let moment = Timestamp::parse("2026-11-15T07:59:12.987Z").expect("a moment");
        assert_eq!(to_the_minute(moment), "2026-11-15 07:59");
        assert_eq!(to_the_second(moment), "2026-11-15 07:59:12");
    }

    #[test]
    fn the_day_is_said_where_it_is_another_one() {
        let moment = |text| Timestamp::parse(text).expect("a moment");
        let morning = moment("2026-11-15T07:59:12.987Z");
        assert_eq!(of_the_day(morning, moment("2026-11-15T23:00:00Z")), "07:59");
        assert_eq!(of_the_day(morning, moment("2026-11-14T23:00:00Z")), "2026-11-15 07:59");
    }
}

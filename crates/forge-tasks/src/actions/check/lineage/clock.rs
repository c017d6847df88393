//! What the times of creation say.

use std::cmp::Ordering;

use jiff::Timestamp;

/// Finds the last of these moments that is before another one; none if that is not clear.
pub(super) fn last_before(then: &str, moments: &[Option<&str>]) -> Option<usize> {
    let known = moments.iter().enumerate().filter_map(|(at, moment)| Some((at, (*moment)?)));
    let known: Vec<(usize, &str)> = known.collect();
    // Whoever was created at the same time may have been there, or not.
    if known.iter().any(|(_, moment)| order(moment, then).is_eq()) {
        return None;
    }
    let before: Vec<_> =
        known.into_iter().filter(|(_, moment)| order(moment, then).is_lt()).collect();
    let is_last = |(at, moment): &&(usize, &str)| {
        let mut others = before.iter().filter(|(other, _)| other != at);
        others.all(|(_, other)| order(other, moment).is_lt())
    };
    before.iter().find(is_last).map(|(at, _)| *at)
}

/// Which of two moments is earlier. A day is the same as any time in it: nobody knows.
fn order(one: &str, other: &str) -> Ordering {
    if let (Ok(one), Ok(other)) = (one.parse::<Timestamp>(), other.parse::<Timestamp>()) {
        return one.cmp(&other);
    }
    let (one, other) = (sortable(one), sortable(other));
    let common = one.len().min(other.len());
    one.as_bytes()[..common].cmp(&other.as_bytes()[..common])
}

/// A moment as a text that sorts: people and other programs write them in several ways.
pub(in super::super) fn sortable(moment: &str) -> String {
    match moment.parse::<Timestamp>() {
        Ok(moment) => format!("{moment:.9}"),
        Err(_) => moment.replacen(' ', "T", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NINE: &str = "2026-11-15T09:00:00.000Z";
    const TEN: &str = "2026-11-15T10:00:00.000Z";
    const ELEVEN: &str = "2026-11-15T11:00:00.000Z";
    const TODAY: &str = "2026-11-15";

    #[test]
    fn the_last_one_before_it_is_meant() {
        for (then, expected) in [
            (NINE, None),
            ("2026-11-15T10:59:59.999Z", Some(0)),
            ("2026-11-15T12:30:00+02:00", Some(0)),
            ("2026-11-15T11:00:00.001Z", Some(1)),
            ("2026-11-16", Some(1)),
            ("2026-11-16 08:00", Some(1)),
        ] {
            assert_eq!(last_before(then, &[Some(TEN), Some(ELEVEN), None]), expected, "{then}");
        }
    }

    #[test]
    fn what_is_not_clear_is_not_guessed() {
        assert_eq!(last_before(ELEVEN, &[Some(NINE), Some(NINE)]), None, "copies");
        assert_eq!(last_before(ELEVEN, &[Some(NINE), Some(ELEVEN)]), None, "at the same time");
        assert_eq!(last_before(TODAY, &[Some(NINE), Some(TEN)]), None, "some time that day");
        assert_eq!(last_before(TEN, &[Some(TODAY), Some("2026-11-14")]), None, "likewise");
        assert_eq!(last_before("2026-11-16", &[Some(TODAY), Some(TODAY)]), None, "days only");
        assert_eq!(last_before(TODAY, &[]), None);
    }

    #[test]
    fn every_way_to_write_a_moment_sorts() {
        let mut moments = [ELEVEN, "2026-11-15 10:30", "2026-11-15T12:00:00+02:00", TODAY];
        moments.sort_by_key(|moment| sortable(moment));
        assert_eq!(moments, [TODAY, "2026-11-15T12:00:00+02:00", "2026-11-15 10:30", ELEVEN]);
    }
}

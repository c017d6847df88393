//! Times as front matter has them. People and other programs write them in several ways.

use std::cmp::Ordering;

use jiff::Timestamp;

/// Compares two times as front matter has them. A date equals every time of that day.
pub(crate) fn compare(one: &str, other: &str) -> Ordering {
    if let (Ok(one), Ok(other)) = (one.parse::<Timestamp>(), other.parse::<Timestamp>()) {
        return one.cmp(&other);
    }
    let (one, other) = (sortable(one), sortable(other));
    let common = one.len().min(other.len());
    one.as_bytes()[..common].cmp(&other.as_bytes()[..common])
}

/// A time as text that sorts. People and other programs write times in several ways.
pub(crate) fn sortable(moment: &str) -> String {
    match moment.parse::<Timestamp>() {
        Ok(moment) => format!("{moment:.9}"),
        Err(_) => moment.replacen(' ', "T", 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEN: &str = "2026-11-15T10:00:00.000Z";
    const ELEVEN: &str = "2026-11-15T11:00:00.000Z";
    const TODAY: &str = "2026-11-15";

    #[test]
    fn times_of_different_forms_are_compared() {
        for (one, other, expected) in [
            (TEN, ELEVEN, Ordering::Less),
            ("2026-11-15T12:00:00+02:00", TEN, Ordering::Equal),
            ("2026-11-15 10:30", ELEVEN, Ordering::Less),
            (TODAY, TEN, Ordering::Equal),
            (TODAY, "2026-11-16", Ordering::Less),
        ] {
            assert_eq!(compare(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn times_of_different_forms_are_sorted() {
        let mut moments = [ELEVEN, "2026-11-15 10:30", "2026-11-15T12:00:00+02:00", TODAY];
        moments.sort_by_key(|moment| sortable(moment));
        assert_eq!(moments, [TODAY, "2026-11-15T12:00:00+02:00", "2026-11-15 10:30", ELEVEN]);
    }
}

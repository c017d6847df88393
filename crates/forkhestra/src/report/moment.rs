//! Moments for people: in UTC, with no more digits than anybody wants.

use forkhestra_core::time::Timestamp;

/// To the minute: `2026-11-15 07:59`.
pub(crate) fn to_the_minute(moment: Timestamp) -> String {
    let text = to_the_second(moment);
    text.rsplit_once(':').map_or_else(|| text.clone(), |(minutes, _)| minutes.to_owned())
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
}

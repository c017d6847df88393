//! For how long a task is taken.

use std::time::Duration;

use jiff::{SignedDuration, Span, SpanRelativeTo};

/// Reads a length of time. A day has 24 hours and a week seven days, whatever the clocks do.
pub(super) fn lease(text: &str) -> Result<Duration, String> {
    let duration = length(text.trim()).ok_or_else(|| {
        format!(
            "`--lease` is a length of time with a unit (s, m, h, d or w), such as 90m or 2h, not \
             `{text}`"
        )
    })?;
    match Duration::try_from(duration) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err(format!("`--lease` must be more than no time, not `{text}`")),
    }
}

fn length(text: &str) -> Option<SignedDuration> {
    let span: Span = text.parse().ok()?;
    span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_has_any_unit_that_has_a_length() {
        let minutes = |text: &str| lease(text).map(|lease| lease.as_secs() / 60);
        for (text, expected) in [
            ("90m", 90),
            ("1h 30m", 90),
            ("2h", 120),
            ("3d", 3 * 24 * 60),
            ("1w", 7 * 24 * 60),
            ("600s", 10),
            (" 5 minutes ", 5),
        ] {
            assert_eq!(minutes(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_lease_without_unit_or_length_is_refused_with_the_units() {
        for text in ["45", "soon", "", "1 month", "2y", "h"] {
            let said = lease(text).expect_err("it is no length of time");
            assert!(said.contains("(s, m, h, d or w)") && said.contains(text), "{said}");
        }
        for text in ["0s", "-1h", "-3d"] {
            let said = lease(text).expect_err("it is no time at all");
            assert_eq!(said, format!("`--lease` must be more than no time, not `{text}`"));
        }
    }
}

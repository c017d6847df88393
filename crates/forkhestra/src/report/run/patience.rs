//! Waits for agents' providers, in words.

use forkhestra_core::event::{Outcome, OutcomeClass};
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::policy::after_reset;
use forkhestra_core::time::Timestamp;
use typeset::text::visible;

use crate::report::moment::to_the_minute;

/// What an agent that is not served waits for.
pub(crate) const fn waits_for(why: OutcomeClass) -> &'static str {
    match why {
        OutcomeClass::UsageLimit => "the usage limit",
        _ => "its provider",
    }
}

/// Until when people are told that a wait lasts: until the limit is reset, and not until the moment a
/// little later at which we try again.
pub(crate) fn told_until(until: Timestamp, why: Option<&Outcome>) -> Timestamp {
    let is_for_reset = why.and_then(after_reset) == Some(until);
    why.and_then(|why| why.resets).filter(|_| is_for_reset).unwrap_or(until)
}

/// Why a provider is not waited for any longer, if that is what ended a step.
pub(super) fn is_over(why: &Outcome, most: Limit<Time>) -> Option<String> {
    let Limit::At(most) = most else { return None };
    let most = format!("--max-wait {}", most.to_string().replace(' ', ""));
    match (why.class, why.resets) {
        (OutcomeClass::UsageLimit, Some(resets)) => {
            let resets = to_the_minute(resets);
            let when = format!("is reset at {resets} UTC, later than {most} allows");
            Some(format!("its provider's usage limit {when}"))
        }
        (OutcomeClass::UsageLimit, None) => {
            Some(format!("its provider's usage limit is reached, and {most} allows no longer wait"))
        }
        (OutcomeClass::Overloaded, _) => {
            Some(format!("{}, and {most} allows no longer wait", not_served("its provider", why)))
        }
        _ => None,
    }
}

/// That a provider does not serve an agent, whatever the reason is, in the agent's words.
pub(super) fn not_served(provider: &str, why: &Outcome) -> String {
    let words = why.message.as_deref().map(|words| format!(" ({})", visible(words)));
    format!("{provider} does not serve it{}", words.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use forkhestra_core::limit::Quantity;

    use super::*;

    fn moment(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    fn usage_limit(resets: &str) -> Outcome {
        Outcome { resets: Some(moment(resets)), ..Outcome::of(OutcomeClass::UsageLimit) }
    }

    #[test]
    fn people_are_told_when_the_limit_is_reset() {
        let why = usage_limit("2026-11-15T20:24:45Z");
        let until = moment("2026-11-15T20:25:15Z");
        assert_eq!(told_until(until, Some(&why)), moment("2026-11-15T20:24:45Z"));
        // A reset that has passed without any effect says nothing.
        let later = moment("2026-11-15T20:40:00Z");
        assert_eq!(told_until(later, Some(&why)), later);
        assert_eq!(told_until(later, None), later);
    }

    #[test]
    fn a_wait_that_is_too_long_names_the_limit() {
        let most = Limit::At(Time::parse("1h 30m").expect("a time"));
        assert_eq!(
            is_over(&usage_limit("2026-11-15T20:17:00Z"), most).as_deref(),
            Some(
                "its provider's usage limit is reset at 2026-11-15 20:17 UTC, \
                 later than --max-wait 1h30m allows"
            )
        );
        let refused = Some("API Error: Connection refused".to_owned());
        let why = Outcome { message: refused, ..Outcome::of(OutcomeClass::Overloaded) };
        assert_eq!(
            is_over(&why, most).as_deref(),
            Some(
                "its provider does not serve it (API Error: Connection refused), \
                 and --max-wait 1h30m allows no longer wait"
            )
        );
        assert_eq!(is_over(&Outcome::of(OutcomeClass::Crashed), most), None);
        assert_eq!(is_over(&why, Limit::Off), None);
    }
}

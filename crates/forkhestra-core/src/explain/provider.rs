//! Texts about waits for agents' providers and accounts.

use super::end_facts::EndFacts;
use crate::event::{AgentOutcome, OutcomeClass, WaitCause};
use crate::limit::Limit;
use crate::quota::ExceededQuota;

/// What a postponed agent waits for.
pub const fn wait_subject(why: WaitCause) -> &'static str {
    match why {
        WaitCause::UsageLimit => "the usage limit",
        WaitCause::Overloaded => "its provider",
        WaitCause::Quota => "the account's quota",
    }
}

/// Why the wait for a provider was ended, if that is what ended a step.
pub(super) fn wait_is_over(why: &AgentOutcome, facts: &EndFacts<'_>) -> Option<String> {
    let Limit::At(max_wait) = facts.max_wait else { return None };
    let max_wait = format!("--max-wait {}", max_wait.to_string().replace(' ', ""));
    match (why.class, why.resets) {
        (OutcomeClass::UsageLimit, Some(resets)) => {
            let resets = (facts.moment)(resets);
            let when = format!("is reset at {resets}, later than {max_wait} allows");
            Some(format!("its provider's usage limit {when}"))
        }
        (OutcomeClass::UsageLimit, None) => Some(format!(
            "its provider's usage limit is reached, and {max_wait} allows no longer wait"
        )),
        (OutcomeClass::Overloaded, _) => Some(format!(
            "{}, and {max_wait} allows no longer wait",
            provider_failure_text("its provider", why)
        )),
        _ => None,
    }
}

/// That a window of the account is too full, and for longer than the agent may wait.
pub(super) fn quota_text(exceeded: &ExceededQuota, facts: &EndFacts<'_>) -> String {
    let Limit::At(max_wait) = facts.max_wait else { return exceeded.to_string() };
    let until = (facts.moment)(exceeded.until);
    let max_wait = max_wait.to_string().replace(' ', "");
    format!("{exceeded} before {until}, later than --max-wait {max_wait} allows")
}

/// That a provider does not serve an agent, with the agent's message.
pub fn provider_failure_text(provider: &str, why: &AgentOutcome) -> String {
    let words = why.message.as_deref().map(|words| format!(" ({words})"));
    format!("{provider} does not serve it{}", words.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{HumanDuration, LimitQuantity};
    use crate::time::Timestamp;

    fn timestamp(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    fn usage_limit(resets: &str) -> AgentOutcome {
        AgentOutcome {
            resets: Some(timestamp(resets)),
            ..AgentOutcome::of(OutcomeClass::UsageLimit)
        }
    }

    #[test]
    fn a_wait_that_is_too_long_names_the_limit() {
        let max_wait = Limit::At(HumanDuration::parse("1h 30m").expect("a time"));
        let limit = &EndFacts { max_wait, ..EndFacts::UNKNOWN };
        assert_eq!(
            wait_is_over(&usage_limit("2026-11-15T20:17:00Z"), limit).as_deref(),
            Some(
                "its provider's usage limit is reset at 2026-11-15T20:17:00.000Z, \
                 later than --max-wait 1h30m allows"
            )
        );
        let refused = Some("API Error: Connection refused".to_owned());
        let why = AgentOutcome { message: refused, ..AgentOutcome::of(OutcomeClass::Overloaded) };
        assert_eq!(
            wait_is_over(&why, limit).as_deref(),
            Some(
                "its provider does not serve it (API Error: Connection refused), \
                 and --max-wait 1h30m allows no longer wait"
            )
        );
        assert_eq!(wait_is_over(&AgentOutcome::of(OutcomeClass::Crashed), limit), None);
        assert_eq!(wait_is_over(&why, &EndFacts::UNKNOWN), None);
    }
}

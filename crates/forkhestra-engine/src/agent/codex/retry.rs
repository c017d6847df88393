//! Errors of Codex that are followed by a retry.

use std::borrow::Cow;

use crate::agent::provider_status;
use crate::agent::stream::agent_event::ProviderRetry;

/// Parses a retry, as in `Reconnecting... 2/5 (unexpected status 503 …)`.
pub(super) fn retry(message: &str) -> Option<ProviderRetry<'_>> {
    let rest = message.strip_prefix("Reconnecting")?;
    let rest = rest.trim_start_matches(['.', '…', ' ']);
    let (count, why) = rest.split_once(' ').unwrap_or((rest, ""));
    let (attempt, limit) = count.split_once('/')?;
    let why = why.trim();
    let why = why.strip_prefix('(').and_then(|why| why.strip_suffix(')')).unwrap_or(why);
    Some(ProviderRetry {
        attempt: attempt.parse().ok()?,
        max_attempts: limit.parse().ok(),
        delay: None,
        status: provider_status::mentioned(why),
        why: Cow::Borrowed(why),
        unanswered: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retries_are_distinguished_from_failures() {
        let found = |text: &str| {
            retry(text).map(|retry| {
                (retry.attempt, retry.max_attempts, retry.status, retry.why.into_owned())
            })
        };
        let why = "unexpected status 401 Unauthorized: no (really)";
        assert_eq!(
            found(&format!("Reconnecting... 1/5 ({why})")),
            Some((1, Some(5), Some(401), why.to_owned()))
        );
        assert_eq!(found("Reconnecting… 2/5"), Some((2, Some(5), None, String::new())));
        for text in ["", "Reconnecting", "Reconnecting... soon", "stream disconnected"] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}

//! The last responses of a model, while their usage may still change.

use std::collections::VecDeque;

use super::{ModelPrice, Spend, TokenCounts};

/// How many responses are kept separately. Agents repeat a response's usage within a few lines;
/// parallel subagents need a few each.
const MAX_RESPONSES: usize = 64;

/// The last responses by id; the most recently reported one is last.
#[derive(Debug, Clone, Default)]
pub(super) struct RecentResponses {
    answers: VecDeque<RecentResponse>,
}

#[derive(Debug, Clone)]
struct RecentResponse {
    id: String,
    price: Option<ModelPrice>,
    tokens: TokenCounts,
    /// Tokens that a total of the agent already includes.
    counted: TokenCounts,
}

impl RecentResponses {
    /// Takes the usage of a response. Returns the spend of a response that is no longer kept
    /// separately.
    pub(super) fn report(
        &mut self,
        id: &str,
        price: Option<ModelPrice>,
        tokens: TokenCounts,
    ) -> Option<Spend> {
        let known = self.answers.iter().rposition(|answer| answer.id == id);
        let answer = match known.and_then(|at| self.answers.remove(at)) {
            // The first known price stays, so that the spend never decreases.
            Some(known) => RecentResponse {
                price: known.price.or(price),
                tokens: known.tokens.max_of_each(tokens),
                ..known
            },
            None => {
                RecentResponse { id: id.to_owned(), price, tokens, counted: TokenCounts::default() }
            }
        };
        self.answers.push_back(answer);
        let settled =
            if self.answers.len() > MAX_RESPONSES { self.answers.pop_front() } else { None };
        settled.map(|answer| answer.spend())
    }

    /// Notes that a total includes everything so far.
    pub(super) fn mark_counted(&mut self) {
        for answer in &mut self.answers {
            answer.counted = answer.tokens;
        }
    }

    /// The spend of all responses that is not in a total.
    pub(super) fn spend(&self) -> Spend {
        self.answers.iter().map(RecentResponse::spend).sum()
    }
}

impl RecentResponse {
    fn spend(&self) -> Spend {
        let tokens = self.tokens.saturating_minus(self.counted);
        match self.price {
            Some(price) => {
                let dollars = price.of(self.tokens) - price.of(self.counted);
                Spend { tokens, dollars, unpriced: false }
            }
            None => Spend { tokens, unpriced: !tokens.is_zero(), ..Spend::default() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn used(output: u64) -> TokenCounts {
        TokenCounts { output, ..TokenCounts::default() }
    }

    #[test]
    fn no_more_than_the_last_answers_are_kept() {
        let mut recent = RecentResponses::default();
        let mut settled = Spend::default();
        for answer in 0..1000 {
            settled += recent.report(&answer.to_string(), None, used(1)).unwrap_or_default();
            assert!(recent.answers.len() <= MAX_RESPONSES);
        }
        assert_eq!(settled.tokens, used(1000 - 64));
        assert_eq!(recent.spend().tokens, used(64));
    }

    #[test]
    fn the_least_recently_used_answer_is_evicted() {
        let mut recent = RecentResponses::default();
        for answer in 0..MAX_RESPONSES {
            assert_eq!(recent.report(&answer.to_string(), None, used(1)), None);
        }
        assert_eq!(recent.report("0", None, used(5)), None);
        let gone = recent.report("new", None, used(1)).expect("one is too many");
        assert_eq!(gone.tokens, used(1));
        assert_eq!(recent.report("0", None, used(5)), None);
    }
}

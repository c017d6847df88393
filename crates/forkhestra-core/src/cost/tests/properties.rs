//! Properties of the cost types.

use proptest::prelude::*;

use super::ledger;
use crate::cost::{
    Dollars, LongPromptPrice, ModelPrice, PriceTable, Spend, TokenCounts, TokenRate,
};
use crate::limit::{LimitQuantity as _, Usd};

const MODELS: [&str; 4] = ["claude-sonnet-5-5", "claude-haiku-5-5", "gpt-5.5", "nobody-knows"];

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..10u64, 0..1_000_000u64, Just(u64::MAX), any::<u64>()]
}

fn tokens() -> impl Strategy<Value = TokenCounts> {
    (number(), number(), number(), number(), number()).prop_map(
        |(input, output, cache_read, cache_write, cache_write_1h)| TokenCounts {
            input,
            output,
            cache_read,
            cache_write,
            cache_write_1h,
        },
    )
}

fn spend() -> impl Strategy<Value = Spend> {
    (tokens(), number(), any::<bool>()).prop_map(|(tokens, nanos, unpriced)| Spend {
        tokens,
        dollars: Dollars::from_nanos(nanos),
        unpriced,
    })
}

fn rate() -> impl Strategy<Value = TokenRate> {
    prop_oneof![Just(0), 0..100_000_000u32, Just(u32::MAX)]
        .prop_map(|micros| TokenRate::from_dollars(f64::from(micros) / 1e6).expect("a rate"))
}

fn price() -> impl Strategy<Value = ModelPrice> {
    let long = proptest::option::of((number(), any::<u16>(), any::<u16>()).prop_map(
        |(above, input_percent, output_percent)| LongPromptPrice {
            above,
            input_percent,
            output_percent,
        },
    ));
    (rate(), rate(), rate(), rate(), rate(), long).prop_map(
        |(input, output, cache_read, cache_write, cache_write_1h, long)| ModelPrice {
            input,
            output,
            cache_read,
            cache_write,
            cache_write_1h,
            long,
        },
    )
}

proptest! {
    #[test]
    fn a_sum_does_not_depend_on_its_order(
        all in proptest::collection::vec(spend(), 0..8),
        at in 0..8usize,
    ) {
        let (left, right) = all.split_at(at.min(all.len()));
        let [left, right] = [left, right].map(|part| part.iter().copied().sum::<Spend>());
        let forwards = all.iter().copied().sum::<Spend>();
        prop_assert_eq!(all.iter().rev().copied().sum::<Spend>(), forwards);
        prop_assert_eq!(left + right, forwards);
        prop_assert_eq!(right + left, forwards);
        prop_assert_eq!(forwards + Spend::default(), forwards);
    }

    #[test]
    fn the_larger_of_two_reports_has_what_both_have(a in tokens(), b in tokens()) {
        let larger = a.max_of_each(b);
        prop_assert_eq!(larger, b.max_of_each(a));
        prop_assert_eq!(larger.max_of_each(a), larger);
        prop_assert_eq!(a.max_of_each(a).total(), a.total());
        for one in [a, b] {
            prop_assert!(larger.input >= one.input && larger.output >= one.output);
            prop_assert!(larger.cache_read >= one.cache_read);
            prop_assert!(larger.cache_write_1h >= one.cache_write_1h);
            prop_assert!(larger.prompt() >= one.prompt());
        }
    }

    #[test]
    fn any_price_of_any_tokens_is_an_amount(price in price(), tokens in tokens()) {
        let dollars = price.of(tokens);
        prop_assert!(!dollars.to_string().is_empty());
        let limit = Usd::parse("0.000001").expect("an amount");
        prop_assert_eq!(dollars.at_least(limit), dollars.nanos() >= 1000);
        let written = serde_json::to_string(&price).expect("plain data");
        prop_assert_eq!(serde_json::from_str::<ModelPrice>(&written).expect("it was written"), price);
    }

    #[test]
    fn any_name_has_a_price_or_none(
        name in "(us\\.)?(anthropic[./])?[a-z0-9ü@:v-]{0,12}(-v1:0)?(\\[1m\\])?",
    ) {
        let _ = PriceTable::shipped().of(&name);
    }

    #[test]
    fn messages_never_lower_what_was_spent(
        reports in proptest::collection::vec((0..100u8, 0..MODELS.len(), tokens()), 0..200),
    ) {
        let mut ledger = ledger();
        let mut before = ledger.spend();
        for (id, model, tokens) in reports {
            ledger.message(&id.to_string(), MODELS[model], tokens);
            let spend = ledger.spend();
            prop_assert!(spend.dollars >= before.dollars);
            prop_assert!(spend.tokens.prompt() >= before.tokens.prompt());
            prop_assert!(spend.tokens.output >= before.tokens.output);
            before = spend;
        }
    }
}

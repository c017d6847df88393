//! Names under which a price is found.

use std::collections::BTreeMap;

use crate::cost::{ModelPrice, PriceTable, TokenRate};

fn price(dollars: f64) -> ModelPrice {
    let rate = TokenRate::from_dollars(dollars).expect("a rate");
    ModelPrice::new(rate, rate)
}

#[test]
fn a_model_is_found_by_all_its_names() {
    let table = [
        ("claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5[1m]", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-latest", "claude-sonnet-4-5"),
        ("anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("openrouter/anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"),
        ("anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]", "claude-sonnet-4-5"),
        ("bedrock/global.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("claude-opus-4-20250514", "claude-opus-4"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("google/gemini-2.5-pro", "gemini-2.5-pro"),
        ("openai/gpt-5-2025-08-07", "gpt-5"),
        ("codex-mini-latest", "codex-mini-latest"),
    ];
    let prices = PriceTable::shipped();
    for (model, name) in table {
        let expected = prices.of(name);
        assert!(expected.is_some(), "{name} is shipped");
        assert_eq!(prices.of(model), expected, "{model}");
    }
}

#[test]
fn an_unknown_model_is_not_guessed_at() {
    for model in [
        "",
        "<synthetic>",
        "claude",
        "claude-sonnet",
        "claude-sonnet-4-5-fast",
        "claude-sonnet-4-5-v1",
        "claude-sonnet-4-5-v1:0",
        "claude-sonnet-4-5-20251301",
        "claude-sonnet-4-5-20250001",
        "claude-sonnet-4-5-20250932",
        "gpt-5-202-508-07",
        "claude-sonnet-4-5-19990929",
        "claude-sonnet-4-5-2025092",
        "claude-sonnet-4-520250929",
        "Claude-Sonnet-4-5",
        "somebody/claude-sonnet-4-5",
        "mars.anthropic.claude-sonnet-4-5",
        "gpt-5-ünlocked",
        "gpt-5ü025-08-07",
        "gpt-5.99",
        "-20250929",
        "-2025-08-07",
        "anthropic/",
        "scripted",
    ] {
        assert_eq!(PriceTable::shipped().of(model), None, "{model:?}");
    }
}

#[test]
fn the_users_own_prices_win() {
    let own = BTreeMap::from([
        ("gpt-5".to_owned(), price(1.0)),
        ("claude-opus-4-5-20251101".to_owned(), price(2.0)),
        ("my/claude-sonnet-5".to_owned(), price(3.0)),
        ("openai/gpt-5-mini".to_owned(), price(4.0)),
    ]);
    let prices = PriceTable::shipped().with(&own);
    let shipped = |model| PriceTable::shipped().of(model);
    let table = [
        ("gpt-5", Some(&own["gpt-5"])),
        // The user's price for a shorter name wins over a shipped one.
        ("openai/gpt-5-2025-08-07", Some(&own["gpt-5"])),
        ("claude-opus-4-5-20251101", Some(&own["claude-opus-4-5-20251101"])),
        ("anthropic/claude-opus-4-5-20251101", Some(&own["claude-opus-4-5-20251101"])),
        ("claude-opus-4-5", shipped("claude-opus-4-5")),
        ("my/claude-sonnet-5", Some(&own["my/claude-sonnet-5"])),
        ("claude-sonnet-5", shipped("claude-sonnet-5")),
        ("openai/gpt-5-mini-2025-08-07", Some(&own["openai/gpt-5-mini"])),
        ("gpt-5-mini", shipped("gpt-5-mini")),
    ];
    for (model, expected) in table {
        assert_eq!(prices.of(model), expected, "{model}");
    }
}

#[test]
fn of_the_users_own_names_the_longest_wins() {
    let own = BTreeMap::from([
        ("codex-mini".to_owned(), price(1.0)),
        ("codex-mini-20250929".to_owned(), price(2.0)),
    ]);
    let prices = PriceTable::shipped().with(&own);
    assert_eq!(prices.of("codex-mini-20250929"), Some(&price(2.0)));
    assert_eq!(prices.of("codex-mini-20250930"), Some(&price(1.0)));
    // The shipped name matches exactly; the user's shorter one wins all the same.
    assert_eq!(prices.of("codex-mini-latest"), Some(&price(1.0)));
}

#[test]
fn later_prices_of_the_user_go_over_earlier_ones() {
    let first = BTreeMap::from([("a".to_owned(), price(1.0)), ("b".to_owned(), price(1.0))]);
    let second = BTreeMap::from([("b".to_owned(), price(2.0))]);
    let prices = PriceTable::shipped().with(&first).with(&second);
    assert_eq!(prices.of("a"), Some(&price(1.0)));
    assert_eq!(prices.of("b"), Some(&price(2.0)));
    assert_ne!(&prices, PriceTable::shipped());
    assert_eq!(PriceTable::as_of(), "2026-11-15");
}

//! Shipped prices compared with the costs that the real program calculated.

use super::{dollars, tokens};
use crate::cost::{Dollars, ModelPrice, PriceTable, TokenCounts, TokenRate};

fn cost(model: &str, tokens: TokenCounts) -> Dollars {
    PriceTable::shipped().of(model).expect("a shipped price").of(tokens)
}

/// `modelUsage` of every capture of Claude Code 2.1.325.
#[test]
fn the_cost_of_a_capture_equals_our_estimate() {
    let captures = [
        ("tool call", tokens(2100, 75, 8700, 790), 0.007_795),
        ("turn limit", tokens(300, 60, 0, 0), 0.001_200_000_000_000_000_1),
        ("budget", tokens(1000, 50, 4000, 700), 0.004_650_000_000_000_000_5),
        ("first of two results", tokens(200, 40, 0, 0), 0.0008),
        ("structured output", tokens(100, 20, 0, 0), 0.0004),
        ("resumed", tokens(2400, 70, 10_000, 1600), 0.010_499_999_999_999_999),
        ("the resumed part", tokens(1200, 35, 5000, 800), 0.005_249_999_999_999_999_5),
    ];
    for (capture, tokens, reported) in captures {
        assert_eq!(cost("claude-sonnet-5-5", tokens), dollars(reported), "{capture}");
    }
}

/// The same program with a thousand tokens of each kind: input, output, cache read, cache write for
/// five minutes and for an hour.
#[test]
fn the_cost_of_each_model_equals_our_estimate() {
    let measured = [
        ("claude-fable-5-1", [10.0, 50.0, 0.25, 12.5, 20.0]),
        ("claude-fable-5", [10.0, 50.0, 1.0, 12.5, 20.0]),
        ("claude-opus-5-5", [4.0, 20.0, 0.2, 5.0, 8.0]),
        ("claude-opus-5", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-4-8", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-4-7", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-4-6", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-4-5", [5.0, 25.0, 0.5, 6.25, 10.0]),
        ("claude-opus-4", [15.0, 75.0, 1.5, 18.75, 30.0]),
        ("claude-sonnet-5-5", [2.0, 10.0, 0.1, 2.5, 4.0]),
        ("claude-sonnet-5", [2.0, 10.0, 0.2, 2.5, 4.0]),
        ("claude-sonnet-4-6", [3.0, 15.0, 0.3, 3.75, 6.0]),
        ("claude-sonnet-4-5", [3.0, 15.0, 0.3, 3.75, 6.0]),
        ("claude-sonnet-4", [3.0, 15.0, 0.3, 3.75, 6.0]),
        ("claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125, 0.2]),
        ("claude-haiku-4-5", [1.0, 5.0, 0.1, 1.25, 2.0]),
    ];
    let asked = [
        tokens(1000, 0, 0, 0),
        tokens(0, 1000, 0, 0),
        tokens(0, 0, 1000, 0),
        tokens(0, 0, 0, 1000),
        TokenCounts { cache_write_1h: 1000, ..TokenCounts::default() },
    ];
    for (model, figures) in measured {
        for (asked, figure) in asked.into_iter().zip(figures) {
            assert_eq!(cost(model, asked), dollars(figure / 1000.0), "{model} {asked:?}");
        }
    }
}

/// As measured: the whole prompt counts, and then everything costs five times as much.
#[test]
fn a_long_prompt_costs_more_all_of_it() {
    let measured = [
        (tokens(100_000, 0, 0, 0), 0.01),
        (tokens(100_001, 0, 0, 0), 0.050_000_5),
        (tokens(0, 0, 150_000, 0), 0.0075),
        (tokens(0, 0, 0, 150_000), 0.093_75),
        (tokens(40_000, 1000, 40_000, 40_000), 0.0495),
        (tokens(300_000, 1000, 0, 0), 0.1525),
    ];
    for (asked, figure) in measured {
        assert_eq!(cost("claude-haiku-5-5", asked), dollars(figure), "{asked:?}");
    }
    assert_eq!(cost("claude-sonnet-4-5", tokens(300_000, 0, 0, 0)), dollars(0.9));
}

/// Claude Code 2.1.197 calculated with an announced price of `claude-sonnet-5` that never took
/// effect; 2.1.325 has the current price. So its capture differs from the shipped price.
#[test]
fn an_older_program_may_reckon_with_an_older_price() {
    let rate = |dollars| TokenRate::from_dollars(dollars).expect("a rate");
    let then = ModelPrice {
        cache_read: rate(0.3),
        cache_write: rate(3.75),
        ..ModelPrice::new(rate(3.0), rate(15.0))
    };
    let capture = tokens(2100, 75, 8700, 790);
    assert_eq!(then.of(capture), dollars(0.012_997_5));
    assert_eq!(cost("claude-sonnet-5", capture), dollars(0.008_665));
}

//! Usage reports of real runs, and the resulting spend.

use super::{dollars, ledger, tokens};
use crate::cost::{Cost, Dollars, PriceTable, ReportedUsage, Spend, SpendLedger, TokenCounts};

const SONNET: &str = "claude-sonnet-5-5";

fn known(tokens: TokenCounts, cost: f64) -> Spend {
    Spend { tokens, dollars: dollars(cost), unpriced: false }
}

/// A tool call as Claude reports it, with partial messages: start, one event for each block, the
/// end.
fn tool_call(ledger: &mut SpendLedger) {
    for _ in 0..3 {
        ledger.message("msg_1", SONNET, tokens(1000, 1, 4000, 700));
    }
    // The end of a response reports only output tokens.
    ledger.message("msg_1", SONNET, tokens(0, 50, 0, 0));
    for _ in 0..2 {
        ledger.message("msg_2", SONNET, tokens(1100, 1, 4700, 90));
    }
    ledger.message("msg_2", SONNET, tokens(0, 25, 0, 0));
}

#[test]
fn messages_that_repeat_themselves_are_counted_once() {
    let mut ledger = ledger();
    tool_call(&mut ledger);
    assert_eq!(ledger.spend(), known(tokens(2100, 75, 8700, 790), 0.007_795));
}

#[test]
fn an_early_figure_that_comes_again_lowers_nothing() {
    let mut ledger = ledger();
    tool_call(&mut ledger);
    let before = ledger.spend();
    ledger.message("msg_1", SONNET, tokens(1000, 1, 4000, 700));
    assert_eq!(ledger.spend(), before);
}

#[test]
fn an_answer_that_changes_its_model_does_not_become_cheaper() {
    let used = tokens(1000, 50, 0, 0);
    let mut ledger = ledger();
    ledger.message("msg_1", SONNET, used);
    ledger.message("msg_1", "claude-haiku-5-5", used);
    ledger.message("msg_1", "scripted", used);
    assert_eq!(ledger.spend(), known(used, 0.0025));
}

#[test]
fn an_answer_whose_model_becomes_known_is_priced() {
    let used = tokens(1000, 50, 0, 0);
    let mut ledger = ledger();
    ledger.message("msg_1", "scripted", used);
    ledger.message("msg_1", SONNET, used);
    assert_eq!(ledger.spend(), known(used, 0.0025));
}

#[test]
fn the_result_of_the_agent_agrees_with_its_messages_and_replaces_them() {
    let mut ledger = ledger();
    tool_call(&mut ledger);
    let counted = ledger.spend();
    ledger.total(Some(SONNET), tokens(2100, 75, 8700, 790), Some(dollars(0.007_795)));
    assert_eq!(ledger.spend(), counted);
    // Totals are cumulative, so one that is lower than before is ignored.
    ledger.total(Some(SONNET), tokens(2000, 70, 0, 0), Some(dollars(0.001)));
    assert_eq!(ledger.spend(), counted);
}

#[test]
fn the_cost_reported_by_the_agent_wins_over_a_higher_estimate() {
    let mut ledger = ledger();
    tool_call(&mut ledger);
    ledger.total(Some(SONNET), tokens(2000, 70, 0, 0), Some(dollars(0.001)));
    assert_eq!(ledger.spend(), known(tokens(2000, 70, 0, 0), 0.001));
}

#[test]
fn a_second_result_includes_the_first() {
    let mut ledger = ledger();
    ledger.message("msg_1", SONNET, tokens(100, 20, 0, 0));
    ledger.message("msg_2", SONNET, tokens(100, 20, 0, 0));
    ledger.total(None, tokens(200, 40, 0, 0), Some(dollars(0.0008)));
    ledger.message("msg_3", SONNET, tokens(100, 20, 0, 0));
    assert_eq!(ledger.spend(), known(tokens(300, 60, 0, 0), 0.0012));
    ledger.total(None, tokens(300, 60, 0, 0), Some(dollars(0.001_200_000_000_000_000_1)));
    assert_eq!(ledger.spend(), known(tokens(300, 60, 0, 0), 0.0012));
}

#[test]
fn a_message_that_a_total_has_counted_is_not_counted_again() {
    let mut ledger = ledger();
    ledger.message("msg_1", SONNET, tokens(100, 20, 0, 0));
    ledger.total(None, tokens(100, 20, 0, 0), Some(dollars(0.0004)));
    ledger.message("msg_1", SONNET, tokens(100, 20, 0, 0));
    assert_eq!(ledger.spend(), known(tokens(100, 20, 0, 0), 0.0004));
    ledger.message("msg_1", SONNET, tokens(100, 30, 0, 0));
    assert_eq!(ledger.spend(), known(tokens(100, 30, 0, 0), 0.0005));
}

#[test]
fn empty_totals_do_not_replace_counted_usage() {
    let mut ledger = ledger();
    tool_call(&mut ledger);
    let counted = ledger.spend();
    ledger.total(None, TokenCounts::default(), Some(Dollars::ZERO));
    ledger.total(Some(SONNET), TokenCounts::default(), None);
    ledger.totals(&[]);
    assert_eq!(ledger.spend(), counted);
}

/// A result at the budget's end has a cost and no usage.
#[test]
fn a_total_without_tokens_keeps_the_counted_ones() {
    let mut ledger = ledger();
    ledger.message("msg_1", SONNET, tokens(1000, 1, 4000, 700));
    ledger.total(None, TokenCounts::default(), Some(dollars(0.004_65)));
    assert_eq!(ledger.spend(), known(tokens(1000, 1, 4000, 700), 0.004_65));
}

/// Codex: 11,100 in, 8,700 of them cached, 75 out.
#[test]
fn a_total_without_a_cost_is_priced_by_us() {
    let mut ledger = ledger();
    ledger.total(Some("gpt-5.3-codex"), tokens(2400, 75, 8700, 0), None);
    assert_eq!(ledger.spend(), known(tokens(2400, 75, 8700, 0), 0.006_772_5));
}

/// The length of single prompts is unknown in a total, but known for steps and messages.
#[test]
fn only_single_requests_have_long_prompts() {
    let long = tokens(300_000, 1000, 0, 0);
    let mut total = ledger();
    total.total(Some("gemini-2.5-pro"), long, None);
    assert_eq!(total.spend(), known(long, 0.385));
    let mut step = ledger();
    step.step(Some("google/gemini-2.5-pro"), long, None);
    assert_eq!(step.spend(), known(long, 0.765));
    let mut message = ledger();
    message.message("msg_1", "gemini-2.5-pro", long);
    assert_eq!(message.spend(), known(long, 0.765));
}

/// Gemini reports each model separately.
#[test]
fn a_total_of_several_models_is_priced_model_by_model() {
    let usage = |model, tokens| ReportedUsage { model: Some(model), tokens, dollars: None };
    let pro = usage("gemini-2.5-pro", tokens(2400, 75, 8700, 0));
    let lite = usage("gemini-2.5-flash-lite", tokens(1000, 10, 0, 0));
    let mut ledger = ledger();
    ledger.totals(&[pro, lite]);
    assert_eq!(ledger.spend(), known(tokens(3400, 85, 8700, 0), 0.004_941_5));
    ledger.totals(&[pro, usage("gemini-unheard-of", tokens(1000, 10, 0, 0))]);
    // The known part does not decrease.
    assert_eq!(ledger.spend().cost(), Cost::AtLeast(dollars(0.004_941_5)));
}

/// opencode: each step with its own cost, to be summed.
#[test]
fn steps_are_added_up() {
    let mut ledger = ledger();
    ledger.step(Some("fake/scripted"), tokens(1000, 50, 4000, 0), Some(dollars(0.004_95)));
    ledger.step(Some("fake/scripted"), tokens(1400, 25, 4700, 0), Some(dollars(0.005_985)));
    assert_eq!(ledger.spend(), known(tokens(2400, 75, 8700, 0), 0.010_935));
}

#[test]
fn an_unknown_model_is_never_free() {
    let used = tokens(100, 20, 0, 0);
    let mut ledger = ledger();
    ledger.message("msg_1", "scripted", used);
    assert_eq!(ledger.spend().cost(), Cost::Unknown);
    ledger.step(None, used, None);
    // An agent that reports 0 does not know the price either.
    ledger.step(Some("scripted"), used, Some(Dollars::ZERO));
    assert_eq!(ledger.spend().cost(), Cost::Unknown);
    ledger.step(Some(SONNET), used, Some(Dollars::ZERO));
    assert_eq!(ledger.spend().cost(), Cost::AtLeast(dollars(0.0004)));
    assert_eq!(ledger.spend().tokens, used + used + used + used);
    ledger.total(Some("scripted"), used, None);
    assert_eq!(ledger.spend(), Spend { tokens: used, dollars: Dollars::ZERO, unpriced: true });
}

/// Claude's own error messages carry a made-up model and no tokens.
#[test]
fn an_unknown_model_that_used_nothing_leaves_the_cost_known() {
    let mut ledger = ledger();
    ledger.message("msg_1", "<synthetic>", TokenCounts::default());
    ledger.step(None, TokenCounts::default(), None);
    assert_eq!(ledger.spend(), Spend::default());
}

#[test]
fn a_user_price_of_zero_is_used() {
    let free: std::collections::BTreeMap<_, _> =
        serde_json::from_str(r#"{"at-home": {"input": 0, "output": 0}}"#).expect("prices");
    let mut ledger = SpendLedger::new(PriceTable::shipped().with(&free));
    ledger.step(Some("at-home"), tokens(100, 20, 0, 0), Some(Dollars::ZERO));
    assert_eq!(ledger.spend().cost(), Cost::Known(Dollars::ZERO));
}

/// The start of a response reports the cache's lifetime, the end does not.
#[test]
fn cache_writes_are_counted_once_in_every_format() {
    let start = TokenCounts { cache_write_1h: 700, ..tokens(1000, 1, 0, 90) };
    let end = tokens(1000, 50, 0, 790);
    for reports in [[start, end], [end, start]] {
        let mut ledger = ledger();
        for report in reports {
            ledger.message("msg_1", SONNET, report);
        }
        let spend = known(TokenCounts { output: 50, ..start }, 0.005_525);
        assert_eq!(ledger.spend(), spend);
    }
}

#[test]
fn answers_beyond_the_last_ones_are_settled_and_stay_counted() {
    let mut ledger = ledger();
    for answer in 0..1000 {
        ledger.message(&format!("msg_{answer}"), SONNET, tokens(100, 1, 0, 0));
        // A response that is updated all the time is kept.
        ledger.message("busy", SONNET, tokens(0, answer, 0, 0));
        ledger.message(&format!("msg_{answer}"), SONNET, tokens(0, 20, 0, 0));
    }
    assert_eq!(ledger.spend(), known(tokens(100_000, 20_999, 0, 0), 0.409_99));
    ledger.total(None, tokens(1, 1, 0, 0), Some(dollars(1.0)));
    assert_eq!(ledger.spend(), known(tokens(1, 1, 0, 0), 1.0));
}

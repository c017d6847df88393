mod groups;
mod mistakes;
mod positions;
mod properties;
mod warnings;

use super::*;

fn parsed(text: &str) -> Dsl {
    Dsl::parse(text).unwrap_or_else(|errors| panic!("{text:?}: {errors:#?}"))
}

/// Parses a chain without groups, questions and alternatives and returns `(agent, count)` pairs,
/// zero for "run once".
fn stages(text: &str) -> Vec<(String, u32)> {
    let plain = |stage: &DslStage| match stage.alternatives.as_slice() {
        [DslPart { kind: DslPartKind::Agent(agent), count, .. }] => {
            (agent.value.clone(), count.map_or(0, Count::get))
        }
        other => panic!("{text:?} holds {other:?}"),
    };
    parsed(text).chain.stages.iter().map(plain).collect()
}

fn check(text: &str, expected: &[(&str, u32)]) {
    let expected: Vec<(String, u32)> =
        expected.iter().map(|(agent, count)| ((*agent).to_owned(), *count)).collect();
    assert_eq!(stages(text), expected, "{text:?}");
}

/// Parses an invalid chain and returns, for each error, its message and the text under the caret.
fn mistakes(text: &str) -> Vec<(String, String, usize)> {
    let errors = match Dsl::parse(text) {
        Ok(dsl) => panic!("{text:?} was read as {dsl}"),
        Err(errors) => errors,
    };
    errors
        .into_iter()
        .map(|error| {
            let label = error.label.expect("every mistake has a place");
            (error.message, label.source.text[label.span.range()].to_owned(), label.span.start)
        })
        .collect()
}

fn check_mistake(text: &str, message: &str, under_caret: &str, at: usize) {
    assert_eq!(mistakes(text), [(message.to_owned(), under_caret.to_owned(), at)], "{text:?}");
}

#[test]
fn a_single_agent_runs_once() {
    check("agent", &[("agent", 0)]);
}

#[test]
fn a_single_agent_with_a_count_loops() {
    check("agent:10", &[("agent", 10)]);
}

#[test]
fn a_pipeline_runs_each_agent_once() {
    check("a -> b -> c", &[("a", 0), ("b", 0), ("c", 0)]);
}

#[test]
fn a_chain_may_mix_both() {
    check("a -> b:10", &[("a", 0), ("b", 10)]);
    check(
        "task-manager:3 -> task-coordinator:10",
        &[("task-manager", 3), ("task-coordinator", 10)],
    );
}

#[test]
fn white_space_is_free() {
    check("  a:1->b\t->\n c : 2 ", &[("a", 1), ("b", 0), ("c", 2)]);
    check("a :3", &[("a", 3)]);
    check("a: 3", &[("a", 3)]);
}

#[test]
fn the_last_count_counts_and_the_rest_is_the_name() {
    check("fk:builder:3", &[("fk:builder", 3)]);
    check("tasks:coordinator", &[("tasks:coordinator", 0)]);
    check("a:1:2", &[("a:1", 2)]);
}

#[test]
fn paths_are_agents() {
    check("./agents/fix.sh:5", &[("./agents/fix.sh", 5)]);
    check("/usr/bin/env -> ../a-b_c.d", &[("/usr/bin/env", 0), ("../a-b_c.d", 0)]);
    check("a-->b", &[("a-", 0), ("b", 0)]);
}

#[test]
fn x_is_a_letter_unless_it_is_a_replica_count() {
    check("xargs", &[("xargs", 0)]);
    check("codex:3 -> x3d:2", &[("codex", 3), ("x3d", 2)]);
}

#[test]
fn empty_chains_and_steps_are_refused() {
    check_mistake("", "the chain is empty", "", 0);
    check_mistake(" \n", "the chain is empty", "", 0);
    check_mistake("a ->", "step 2 of the chain is empty", "", 4);
    check_mistake("-> a", "step 1 of the chain is empty", "->", 0);
    check_mistake("a -> -> b", "step 2 of the chain is empty", "->", 5);
}

#[test]
fn every_empty_step_is_named() {
    let steps: Vec<String> = mistakes("-> a -> ->").into_iter().map(|mistake| mistake.0).collect();
    let empty = |step| format!("step {step} of the chain is empty");
    assert_eq!(steps, [empty(1), empty(3), empty(4)]);
}

#[test]
fn counts_must_be_positive_whole_numbers() {
    check_mistake("a:0", "step 1: the count `0` must be at least 1", "0", 2);
    check_mistake("a:-1", "step 1: the count `-1` must not be negative", "-1", 2);
    check_mistake("b -> a:1.5", "step 2: the count `1.5` must be a whole number", "1.5", 7);
    check_mistake(
        "a:99999999999999999999",
        "step 1: the count `99999999999999999999` is too large: at most 4294967295 is possible",
        "99999999999999999999",
        2,
    );
    check_mistake("a : x", "step 1: the count `x` is not a number", "x", 4);
    check_mistake("a:", "step 1 has no count after the colon", "", 2);
    check_mistake(":3", "step 1 has no agent before the colon", ":", 0);
}

#[test]
fn foreign_keywords_and_operators_are_refused() {
    check_mistake("a b", "step 1 holds more than one word", "b", 2);
    check_mistake("a:3 b", "step 1 holds more than one word", "b", 4);
    check_mistake("a : b:3", "step 1 holds more than one word", ": b", 2);
    check_mistake("a::3", "step 1: unexpected `:`", ":", 1);
    check_mistake("a → b", "step 1: unexpected `→`", "→", 2);
    check_mistake("a, b", "step 1: unexpected `,`", ",", 1);
    check_mistake("a\u{7}", "step 1: unexpected control character U+0007", "\u{7}", 1);
}

#[test]
fn all_mistakes_are_reported_at_once() {
    assert_eq!(mistakes("a:0 -> b c -> -> d").len(), 3);
}

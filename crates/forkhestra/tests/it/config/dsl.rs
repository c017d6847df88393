//! The chain language: every mistake is pointed at, and valid chains are parsed.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{headings, planned, project, refused};

/// The error message for a wrong chain.
#[track_caller]
fn mistake(chain: &str) -> String {
    refused(&TestEnv::new(), &[chain])
}

#[test]
fn an_empty_chain_needs_an_agent() {
    assert_snapshot!(mistake(""), @r#"
    error: the chain is empty
      |
    1 |
      | ^ expected an agent
    hint: write an agent, or several: "planner:3 -> builder:10"
    "#);
}

#[test]
fn a_blank_chain_is_empty_too() {
    assert_snapshot!(mistake("   "), @r#"
    error: the chain is empty
      |
    1 |    
      | ^ expected an agent
    hint: write an agent, or several: "planner:3 -> builder:10"
    "#);
}

#[test]
fn an_arrow_at_the_end_needs_an_agent_after_it() {
    assert_snapshot!(mistake("a ->"), @"
    error: step 2 of the chain is empty
      |
    1 | a ->
      |     ^ expected an agent after this `->`
    ");
}

#[test]
fn an_arrow_at_the_beginning_needs_an_agent_before_it() {
    assert_snapshot!(mistake("-> a"), @"
    error: step 1 of the chain is empty
      |
    1 | -> a
      | ^^ expected an agent before this `->`
    ");
}

#[test]
fn two_arrows_in_a_row_need_an_agent_between_them() {
    assert_snapshot!(mistake("a -> -> b"), @"
    error: step 2 of the chain is empty
      |
    1 | a -> -> b
      |      ^^ expected an agent between two arrows
    ");
}

#[test]
fn a_count_of_zero_is_too_small() {
    assert_snapshot!(mistake("a:0"), @"
    error: step 1: the count `0` must be at least 1
      |
    1 | a:0
      |   ^ expected a positive whole number
    hint: leave the count out to run the agent once
    ");
}

#[test]
fn a_negative_count_is_refused() {
    assert_snapshot!(mistake("a:-1"), @"
    error: step 1: the count `-1` must not be negative
      |
    1 | a:-1
      |   ^^ expected a positive whole number
    ");
}

#[test]
fn a_fraction_is_not_a_count() {
    assert_snapshot!(mistake("a:1.5"), @"
    error: step 1: the count `1.5` must be a whole number
      |
    1 | a:1.5
      |   ^^^ expected a positive whole number
    ");
}

#[test]
fn a_word_as_count_is_explained_as_name_and_as_count() {
    assert_snapshot!(mistake("a -> b:x"), @"
    error: step 2: `b:x` is neither an agent nor an agent with a count
      |
    1 | a -> b:x
      |      ^^^ not found
    hint: as a name: no configured agent and no program is called `b:x`
    hint: as `b` with a count: `x` is not a number; to loop write `b:3`
    ");
}

#[test]
fn a_huge_count_is_too_large() {
    assert_snapshot!(mistake("a:99999999999999999999"), @"
    error: step 1: the count `99999999999999999999` is too large: at most 4294967295 is possible
      |
    1 | a:99999999999999999999
      |   ^^^^^^^^^^^^^^^^^^^^ expected a positive whole number
    ");
}

#[test]
fn a_colon_needs_a_count_behind_it() {
    assert_snapshot!(mistake("a:"), @"
    error: step 1 has no count after the colon
      |
    1 | a:
      |   ^ expected a positive whole number
    hint: leave the colon out to run the agent once
    ");
}

#[test]
fn a_colon_needs_an_agent_before_it() {
    assert_snapshot!(mistake("b -> :3"), @"
    error: step 2 has no agent before the colon
      |
    1 | b -> :3
      |      ^ expected an agent
    ");
}

#[test]
fn a_bar_without_parentheses_is_refused() {
    assert_snapshot!(mistake("a -> b | c"), @"
    error: step 2: `|` is outside of parentheses
      |
    1 | a -> b | c
      |        ^ expected `->` or the end of the chain
    hint: parallel stages are in parentheses: `(a | b)`
    ");
}

#[test]
fn shell_operators_are_explained() {
    assert_snapshot!(mistake("a || b"), @"
    error: step 1: unexpected `||`
      |
    1 | a || b
      |   ^^ not an operator of the chain language
    hint: at the same time: `(a | b)`; after a failure: `a else b`; one after another: `a -> b`
    ");
}

#[test]
fn lanes_of_an_agent_that_runs_once_are_refused() {
    assert_snapshot!(mistake("a x3"), @"
    error: step 1: only a loop has lanes
      |
    1 | a x3
      |   ^^ lanes without a count
    hint: lanes share its iterations: `a:20 x3`
    ");
}

#[test]
fn questions_in_parallel_stages_are_reported_with_both_positions() {
    assert_snapshot!(mistake("a -> (b -> ? | c)"), @"
    error: a question cannot stand in lanes
      |
    1 | a -> (b -> ? | c)
      |      -     ^ this question
      |      |
      |      these parallel stages
    hint: ask before or after them: `? -> a:20 x4`
    ");
}

#[test]
fn lanes_in_lanes_are_reported_with_both_positions() {
    assert_snapshot!(mistake("(a:20 x2 -> b):3 x4"), @"
    error: lanes cannot stand in lanes
      |
    1 | (a:20 x2 -> b):3 x4
      |       --         ^^ lanes of the group
      |       |
      |       lanes inside the group
    hint: give lanes to the group or to its parts
    ");
}

#[test]
fn parentheses_are_pairs_with_an_agent_between_them() {
    assert_snapshot!(mistake("(a -> () else"), @"
    error: this `(` has no `)`
      |
    1 | (a -> () else
      | ^ not closed
    error: step 2 of the chain is empty
      |
    1 | (a -> () else
      |       ^^ expected an agent between these parentheses
    error: step 3 of the chain is empty
      |
    1 | (a -> () else
      |              ^ expected an agent after this `else`
    ");
}

#[test]
fn a_question_has_no_count() {
    assert_snapshot!(mistake("a -> ?:3"), @"
    error: step 2: a question has no count and no lanes
      |
    1 | a -> ?:3
      |       ^^ expected `->` or the end of the chain
    hint: to ask again after a denial, repeat a group: `(a -> ?):3`
    ");
}

#[test]
fn two_agents_need_an_arrow_between_them() {
    assert_snapshot!(mistake("planner builder:3"), @"
    error: step 1 holds more than one word
      |
    1 | planner builder:3
      |         ^^^^^^^^^ expected `->` or the end of the chain
    hint: agents are separated by `->`; arguments for them go after `--`
    hint: an agent whose name holds white space is run from a chain in the config file
    ");
}

#[test]
fn other_separators_are_not_taken_for_names() {
    assert_snapshot!(mistake("a, b"), @"
    error: step 1: unexpected `,`
      |
    1 | a, b
      |  ^ expected an agent's name, `:N` or `->`
    hint: agents are separated by `->`
    ");
}

#[test]
fn an_arrow_of_another_alphabet_is_explained() {
    assert_snapshot!(mistake("planner → builder"), @"
    error: step 1: unexpected `→`
      |
    1 | planner → builder
      |         ^ expected an agent's name, `:N` or `->`
    hint: agents are separated by `->`
    ");
}

#[test]
fn a_control_character_is_escaped() {
    assert_snapshot!(mistake("a -> b\u{1b}[31m"), @"
    error: step 2: unexpected control character U+001B
      |
    1 | a -> b␛[31m
      |       ^ expected an agent's name, `:N` or `->`
    ");
}

#[test]
fn all_mistakes_are_shown_at_once() {
    assert_snapshot!(mistake("-> a:0 -> b c -> d:1.5 ->"), @"
    error: step 1 of the chain is empty
      |
    1 | -> a:0 -> b c -> d:1.5 ->
      | ^^ expected an agent before this `->`
    error: step 2: the count `0` must be at least 1
      |
    1 | -> a:0 -> b c -> d:1.5 ->
      |      ^ expected a positive whole number
    hint: leave the count out to run the agent once
    error: step 3 holds more than one word
      |
    1 | -> a:0 -> b c -> d:1.5 ->
      |             ^ expected `->` or the end of the chain
    hint: agents are separated by `->`; arguments for them go after `--`
    hint: an agent whose name holds white space is run from a chain in the config file
    error: step 4: the count `1.5` must be a whole number
      |
    1 | -> a:0 -> b c -> d:1.5 ->
      |                    ^^^ expected a positive whole number
    error: step 5 of the chain is empty
      |
    1 | -> a:0 -> b c -> d:1.5 ->
      |                          ^ expected an agent after this `->`
    ");
}

#[test]
fn carets_are_aligned_after_wide_characters() {
    assert_snapshot!(mistake("日本 -> b:0"), @"
    error: step 2: the count `0` must be at least 1
      |
    1 | 日本 -> b:0
      |           ^ expected a positive whole number
    hint: leave the count out to run the agent once
    ");
}

/// The rows of the syntax table of 001.
#[test]
fn without_a_count_an_agent_runs_once_and_with_one_it_loops() {
    let env = TestEnv::new();
    env.install("a").install("b").install("c");
    let table = [
        ("a", "a - run once"),
        ("a:10", "a - loop up to 10 iterations"),
        ("a:1", "a - loop up to 1 iteration"),
        ("a -> b -> c", "a - run once, b - run once, c - run once"),
        ("a:3 -> b:10", "a - loop up to 3 iterations, b - loop up to 10 iterations"),
        ("a -> b:10", "a - run once, b - loop up to 10 iterations"),
    ];
    for (chain, expected) in table {
        assert_eq!(headings(&planned(&env, &[chain])), expected, "{chain}");
    }
}

#[test]
fn white_space_is_free() {
    let env = TestEnv::new();
    env.install("a").install("b");
    let expected = planned(&env, &["a:3 -> b"]);
    for chain in ["a:3->b", "  a : 3\t->\n b  ", "a: 3 ->b", "a :3-> b"] {
        assert_eq!(planned(&env, &[chain]), expected, "{chain:?}");
    }
}

#[test]
fn the_last_colon_with_a_number_is_the_count_and_the_rest_is_the_name() {
    let env = project(
        r#"{
          "agents": {
            "fk:builder": { "command": "a" },
            "tasks:coordinator": { "command": "a" },
            "a:3": { "command": "a" },
          },
          "chains": {},
        }"#,
    );
    env.install("a");
    let table = [
        ("fk:builder", "fk:builder - run once"),
        ("fk:builder:3", "fk:builder - loop up to 3 iterations"),
        ("tasks:coordinator", "tasks:coordinator - run once"),
        ("a:3", "a - loop up to 3 iterations"),
        ("a:3:2", "a:3 - loop up to 2 iterations"),
    ];
    for (chain, expected) in table {
        assert_eq!(headings(&planned(&env, &[chain])), expected, "{chain}");
    }
}

#[test]
fn a_path_may_have_a_count_too() {
    let env = TestEnv::new();
    env.write_script("agents/fix.sh");
    assert_eq!(
        headings(&planned(&env, &["./agents/fix.sh:5 -> agents/fix.sh"])),
        "./agents/fix.sh - loop up to 5 iterations, agents/fix.sh - run once"
    );
}

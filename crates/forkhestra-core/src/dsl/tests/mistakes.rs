//! Wrong groups, questions, alternatives and lanes.

use super::*;

/// The only error of a chain as `message @ text under the caret: label`, then its hints.
#[track_caller]
fn only_error(text: &str) -> Vec<String> {
    let errors = Dsl::parse(text).expect_err(text);
    let [error] = errors.as_slice() else { panic!("{text:?}: {errors:#?}") };
    let label = error.label.as_ref().expect("every mistake has a place");
    let under = &label.source.text[label.span.range()];
    let head = format!("{} @ {}+{under:?}: {}", error.message, label.span.start, label.label);
    let mut lines = vec![head];
    lines.extend(
        label.related.iter().map(|(span, label)| {
            format!("related {}+{:?}: {label}", span.start, &text[span.range()])
        }),
    );
    lines.extend(error.hints.iter().map(|hint| format!("hint: {hint}")));
    lines
}

/// All messages about a chain.
fn messages(text: &str) -> Vec<String> {
    mistakes(text).into_iter().map(|(message, ..)| message).collect()
}

/// The rows of the table of bad input.
#[test]
fn each_mistake_has_its_message_and_a_hint() {
    let separator = "hint: agents are separated by `->`";
    let operators = "hint: at the same time: `(a | b)`; after a failure: `a else b`; one after another: `a -> b`";
    let no_operator = "not an operator of the chain language";
    let after_group = "expected `:N`, `->`, `else` or the end of the chain";
    let range = "expected `x2` to `x64`";
    let count = "expected a positive whole number";
    let ask_again = "hint: to ask again after a denial, repeat a group: `(a -> ?):3`";
    let end = "expected `->` or the end of the chain";
    let by_path = "hint: a program of this name can be run by its path, as in `./x3`";
    let question = "hint: a question is a stage of its own: `a -> ?`";
    let lower_case = "hint: `else` is written in lower case: `a else b`";
    let in_config = "hint: conditions are in the config file: the key `if` of an entry";
    let in_loop = "hint: lanes share the iterations of a loop: `a:20 x4`";
    let in_group = "hint: lanes share the rounds of a group: `(a -> b):20 x4`";
    let in_parentheses = "hint: parallel stages are in parentheses: `(a | b)`";
    let last_stage =
        "hint: put a stage behind them, which decides about a round: `((a | b) -> c):3`";
    let ask_outside = "hint: ask before or after them: `? -> a:20 x4`";
    let nested = "hint: give lanes to the group or to its parts";
    let one_of =
        "hint: `a:20 x4` shares the iterations; `a:20 best4` does the same work in each lane";
    let table: Vec<(&str, Vec<String>)> = [
        // Lanes.
        ("a x3", vec![
            "step 1: only a loop has lanes @ 2+\"x3\": lanes without a count".to_owned(),
            "hint: lanes share its iterations: `a:20 x3`".to_owned(),
        ]),
        ("(a -> b) x3", vec![
            "the group: only a loop has lanes @ 9+\"x3\": lanes without a count".to_owned(),
            "hint: lanes share its rounds: `(a -> b):20 x3`".to_owned(),
        ]),
        ("x3", vec![
            "step 1: the lanes `x3` have no agent before them @ 0+\"x3\": expected an agent".to_owned(),
            in_loop.to_owned(),
            by_path.to_owned(),
        ]),
        ("a -> x3 x4", vec![
            "step 2: the lanes `x3 x4` have no agent before them @ 5+\"x3 x4\": expected an agent".to_owned(),
            in_loop.to_owned(),
            by_path.to_owned(),
        ]),
        ("a:20 x1", vec![format!("step 1: the number of lanes must be from 2 to 64 @ 5+\"x1\": {range}")]),
        ("a:20 x65", vec![format!("step 1: the number of lanes must be from 2 to 64 @ 5+\"x65\": {range}")]),
        ("a:20x0", vec![format!("step 1: the number of lanes must be from 2 to 64 @ 4+\"x0\": {range}")]),
        ("a:20 x99999999999", vec![format!("step 1: the number of lanes must be from 2 to 64 @ 5+\"x99999999999\": {range}")]),
        ("(a -> b):2 x65", vec![format!("the group: the number of lanes must be from 2 to 64 @ 11+\"x65\": {range}")]),
        ("a:20x4 x3", vec!["step 1 has lanes twice @ 7+\"x3\": the second lanes".to_owned(), one_of.to_owned()]),
        ("a:20 x4 x3", vec!["step 1 has lanes twice @ 8+\"x3\": the second lanes".to_owned(), one_of.to_owned()]),
        ("a:20 x4 best3", vec!["step 1 has lanes twice @ 8+\"best3\": the second lanes".to_owned(), one_of.to_owned()]),
        ("(a:20 x2):3 x4", vec![
            "lanes cannot stand in lanes @ 12+\"x4\": lanes of the group".to_owned(),
            "related 6+\"x2\": lanes inside the group".to_owned(),
            nested.to_owned(),
        ]),
        ("(a:20 best2 -> b):3 x4", vec![
            "lanes cannot stand in lanes @ 20+\"x4\": lanes of the group".to_owned(),
            "related 6+\"best2\": lanes inside the group".to_owned(),
            nested.to_owned(),
        ]),
        ("((a | b) -> c):3 x4", vec![
            "lanes cannot stand in lanes @ 17+\"x4\": lanes of the group".to_owned(),
            "related 1+\"(\": lanes inside the group".to_owned(),
            nested.to_owned(),
        ]),
        ("(a -> ?):20 x4", vec![
            "a question cannot stand in lanes @ 6+\"?\": this question".to_owned(),
            "related 12+\"x4\": lanes of the group".to_owned(),
            ask_outside.to_owned(),
        ]),
        // Best of N.
        ("a best3", vec![
            "step 1: only a loop has best of N @ 2+\"best3\": lanes without a count".to_owned(),
            "hint: each lane has all its iterations: `a:5 best3`".to_owned(),
        ]),
        ("a:5 best1", vec!["step 1: the number of lanes must be from 2 to 64 @ 4+\"best1\": expected `best2` to `best64`".to_owned()]),
        ("a:5 best", vec![
            format!("step 1 holds more than one word @ 4+\"best\": {end}"),
            "hint: best of N is behind the count of an agent: `a:5 best3`".to_owned(),
        ]),
        ("(a -> b):3 best2", vec![
            "a group cannot have best of N @ 11+\"best2\": not for a group".to_owned(),
            "hint: give it to an agent of the group: `(a:5 best3 -> b):3`".to_owned(),
        ]),
        // Parallel stages.
        ("a | b", vec![
            format!("step 1: `|` is outside of parentheses @ 2+\"|\": {end}"),
            in_parentheses.to_owned(),
        ]),
        ("a -> b|c", vec![
            format!("step 2: `|` is outside of parentheses @ 6+\"|\": {end}"),
            in_parentheses.to_owned(),
        ]),
        ("a || b", vec![format!("step 1: unexpected `||` @ 2+\"||\": {no_operator}"), operators.to_owned()]),
        ("a -> b&&c", vec![format!("step 2: unexpected `&&` @ 6+\"&&\": {no_operator}"), operators.to_owned()]),
        ("(a || b)", vec![format!("step 1: unexpected `||` @ 3+\"||\": {no_operator}"), operators.to_owned()]),
        ("(a | b):3", vec![
            "parallel stages cannot be repeated @ 8+\"3\": a count needs one last stage".to_owned(),
            last_stage.to_owned(),
        ]),
        ("((a | b)):3", vec![
            "parallel stages cannot be repeated @ 10+\"3\": a count needs one last stage".to_owned(),
            last_stage.to_owned(),
        ]),
        ("(c -> d else (a | b)):3", vec![
            "parallel stages cannot be repeated @ 22+\"3\": a count needs one last stage".to_owned(),
            last_stage.to_owned(),
        ]),
        ("(a | b) x2", vec![
            "parallel stages cannot have lanes @ 8+\"x2\": each of them has its own lane".to_owned(),
            "hint: give lanes to an agent in them: `(a:20 x2 | b)`".to_owned(),
        ]),
        ("(a | (b | c) -> d)", vec![
            "parallel stages cannot stand in parallel stages @ 5+\"(\": the inner ones".to_owned(),
            "related 0+\"(\": the outer ones".to_owned(),
            "hint: write them side by side: `(a | b | c)`".to_owned(),
        ]),
        ("(a -> ? | b)", vec![
            "a question cannot stand in lanes @ 6+\"?\": this question".to_owned(),
            "related 0+\"(\": these parallel stages".to_owned(),
            ask_outside.to_owned(),
        ]),
        ("a -> ((b -> ?):2 x2 | c)", vec![
            "a question cannot stand in lanes @ 12+\"?\": this question".to_owned(),
            "related 17+\"x2\": lanes of the group".to_owned(),
            ask_outside.to_owned(),
        ]),
        // Questions.
        ("?:3", vec![format!("step 1: a question has no count and no lanes @ 1+\":3\": {end}"), ask_again.to_owned()]),
        ("a -> ? : 3", vec![format!("step 2: a question has no count and no lanes @ 7+\": 3\": {end}"), ask_again.to_owned()]),
        ("?:", vec![format!("step 1: a question has no count and no lanes @ 1+\":\": {end}"), ask_again.to_owned()]),
        ("?:x", vec![format!("step 1: a question has no count and no lanes @ 1+\":x\": {end}"), ask_again.to_owned()]),
        ("? :0 x2", vec![format!("step 1: a question has no count and no lanes @ 2+\":0 x2\": {end}"), ask_again.to_owned()]),
        ("? x2", vec![format!("step 1: a question has no count and no lanes @ 2+\"x2\": {end}"), ask_again.to_owned()]),
        // Words after a complete part.
        ("a ?", vec![format!("step 1 holds more than one word @ 2+\"?\": {end}"), question.to_owned()]),
        ("? ?:3", vec![format!("step 1 holds more than one word @ 2+\"?:3\": {end}"), question.to_owned()]),
        ("(a) ?", vec![format!("unexpected `?` after a group @ 4+\"?\": {after_group}"), question.to_owned()]),
        ("a ELSE b", vec![format!("step 1 holds more than one word @ 2+\"ELSE\": {end}"), lower_case.to_owned()]),
        ("a Else b", vec![format!("step 1 holds more than one word @ 2+\"Else\": {end}"), lower_case.to_owned()]),
        ("a:5 if b", vec![format!("step 1 holds more than one word @ 4+\"if\": {end}"), in_config.to_owned()]),
        ("a:5 x 3", vec![format!("step 1 holds more than one word @ 4+\"x\": {end}"), in_loop.to_owned()]),
        ("(a -> b) x3 c", vec![format!("unexpected `x3` after a group @ 9+\"x3\": {after_group}"), in_group.to_owned()]),
        // Parentheses.
        ("(a", vec!["this `(` has no `)` @ 0+\"(\": not closed".to_owned()]),
        ("a)", vec!["this `)` has no `(` @ 1+\")\": nothing to close".to_owned()]),
        (")", vec!["this `)` has no `(` @ 0+\")\": nothing to close".to_owned()]),
        ("a) b:2", vec!["this `)` has no `(` @ 1+\")\": nothing to close".to_owned()]),
        ("a) :2 x3", vec!["this `)` has no `(` @ 1+\")\": nothing to close".to_owned()]),
        ("()", vec!["step 1 of the chain is empty @ 0+\"()\": expected an agent between these parentheses".to_owned()]),
        ("( ):3", vec!["step 1 of the chain is empty @ 0+\"( )\": expected an agent between these parentheses".to_owned()]),
        ("(a ->):3", vec!["step 2 of the chain is empty @ 3+\"->\": expected an agent after this `->`".to_owned()]),
        ("(-> a)", vec!["step 1 of the chain is empty @ 1+\"->\": expected an agent before this `->`".to_owned()]),
        ("(((a)))", vec![
            "groups are nested more than two deep @ 2+\"(\": one group too many".to_owned(),
            "hint: remove a pair of parentheses, or make the inner group a stage of its own".to_owned(),
        ]),
        ("((((a:0 -> b c))):2 -> d)", vec![
            "groups are nested more than two deep @ 2+\"(\": one group too many".to_owned(),
            "hint: remove a pair of parentheses, or make the inner group a stage of its own".to_owned(),
        ]),
        ("a (b)", vec![
            "step 1: unexpected `(` @ 2+\"(\": expected `->`, `else` or the end of the chain".to_owned(),
            separator.to_owned(),
        ]),
        ("(a) b", vec![format!("unexpected `b` after a group @ 4+\"b\": {after_group}"), separator.to_owned()]),
        ("(a -> b):3 c", vec![format!("unexpected `c` after a group @ 11+\"c\": {after_group}"), separator.to_owned()]),
        ("(a), b", vec!["the group: unexpected `,` @ 3+\",\": expected `:N` or `->`".to_owned(), separator.to_owned()]),
        ("(a -> b):0", vec![
            format!("the group: the count `0` must be at least 1 @ 9+\"0\": {count}"),
            "hint: leave the count out to run the group once".to_owned(),
        ]),
        ("(a -> b):x", vec![format!("the group: the count `x` is not a number @ 9+\"x\": {count}")]),
        ("(a -> b):", vec![
            format!("the group has no count after the colon @ 9+\"\": {count}"),
            "hint: leave the colon out to run the group once".to_owned(),
        ]),
        // Alternatives.
        ("a else", vec!["step 2 of the chain is empty @ 6+\"\": expected an agent after this `else`".to_owned()]),
        ("else a", vec!["step 1 of the chain is empty @ 0+\"else\": expected an agent before this `else`".to_owned()]),
        ("a else -> b", vec!["step 2 of the chain is empty @ 2+\"else\": expected an agent after this `else`".to_owned()]),
        ("a -> else b", vec!["step 2 of the chain is empty @ 2+\"->\": expected an agent after this `->`".to_owned()]),
        ("a -> else:3", vec![
            "step 2: `else` is a keyword, not an agent @ 5+\"else\": expected an agent".to_owned(),
            "hint: `a else b` runs `b` if `a` is not complete".to_owned(),
            "hint: a program of this name can be run by its path, as in `./else`".to_owned(),
        ]),
    ].into();
    for (text, expected) in table {
        assert_eq!(only_error(text), expected, "{text:?}");
    }
}

#[test]
fn steps_are_numbered_in_the_order_of_the_text() {
    // Agents and questions are steps; groups are not.
    for (text, step) in [
        ("a -> ? -> b:0", 3),
        ("((a else ?) -> b):2 -> c:0", 4),
        ("a else b else (c -> d:0)", 4),
        ("a -> () -> b:0", 3),
    ] {
        let found = mistakes(text);
        let last = found.last().map(|(message, ..)| message.as_str());
        let expected = format!("step {step}: the count `0` must be at least 1");
        assert_eq!(last, Some(expected.as_str()), "{text:?}");
    }
    // Steps of a group that is nested too deeply are counted, too.
    let found = mistakes("(((a -> ?):2 -> b)) -> c:0");
    assert_eq!(found[1].0, "step 4: the count `0` must be at least 1");
}

#[test]
fn mistakes_in_all_parts_are_reported_in_the_order_of_the_text() {
    assert_eq!(
        messages("(a:0 -> ?:3 | b x2) x3 -> c else -> d e | f) -> x9"),
        [
            "step 1: the count `0` must be at least 1",
            "step 2: a question has no count and no lanes",
            "step 3: only a loop has lanes",
            "parallel stages cannot have lanes",
            "step 5 of the chain is empty",
            "step 6 holds more than one word",
            "this `)` has no `(`",
            "step 8: the lanes `x9` have no agent before them",
        ]
    );
    assert_eq!(
        messages("(a:20 x2 -> ?):3 x4 -> (b | c):2 x3"),
        [
            "a question cannot stand in lanes",
            "lanes cannot stand in lanes",
            "parallel stages cannot be repeated",
            "parallel stages cannot have lanes",
        ]
    );
    assert_eq!(
        messages("(? | a -> ?) -> (? else ?):2 x2"),
        ["a question cannot stand in lanes"; 4]
    );
}

/// Lanes have mistakes of their own beside the mistakes around them.
#[test]
fn lanes_are_checked_with_other_mistakes() {
    let zero = |step| format!("step {step}: the count `0` must be at least 1");
    let empty = |step| format!("step {step} of the chain is empty");
    let range = |step| format!("step {step}: the number of lanes must be from 2 to 64");
    let unclosed = || "this `(` has no `)`".to_owned();
    let only_a_loop = "step 3: only a loop has lanes".to_owned();
    let words = || "step 1 holds more than one word".to_owned();
    let table = [
        ("(a | b) -> c x3 -> (d", vec![only_a_loop, unclosed()]),
        ("a:3 x2 -> b:0", vec![zero(2)]),
        ("(a:0 | b)", vec![zero(1)]),
        ("(a | b):0", vec!["the group: the count `0` must be at least 1".to_owned()]),
        ("(a |)", vec![empty(2)]),
        ("(| a)", vec![empty(1)]),
        ("(a | b", vec![unclosed()]),
        ("a (b:0 x65", vec![unclosed(), zero(2), range(2)]),
        ("a) b:0 -> c:0", vec!["this `)` has no `(`".to_owned(), zero(2), zero(3)]),
        ("a:0x4", vec![zero(1)]),
        ("a:0 x1", vec![zero(1), range(1)]),
        ("a:0x1", vec![zero(1), range(1)]),
        ("a b x4", vec![words()]),
        ("a b best65", vec![words(), range(1)]),
    ];
    for (text, expected) in table {
        assert_eq!(messages(text), expected, "{text:?}");
    }
}

#[test]
fn every_unpaired_parenthesis_is_reported() {
    let unpaired = |text| mistakes(text).iter().map(|(_, _, at)| *at).collect::<Vec<_>>();
    assert_eq!(unpaired("((a"), [0, 1]);
    assert_eq!(unpaired("a)) -> b)"), [1, 2, 8]);
    assert_eq!(unpaired("a) -> (b"), [1, 6]);
}

#[test]
fn a_text_of_parentheses_does_not_overflow_the_stack() {
    for text in ["(".repeat(100_000), ")".repeat(100_000)] {
        assert_eq!(mistakes(&text).len(), 100_000);
    }
    let nested = format!("{}a{}", "(".repeat(100_000), ")".repeat(100_000));
    check_mistake(&nested, "groups are nested more than two deep", "(", 2);
}

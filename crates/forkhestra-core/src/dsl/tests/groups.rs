//! Groups, questions and alternatives.

use super::*;

/// Parses a chain and checks how it is printed.
#[track_caller]
fn check_printed(text: &str, expected: &str) {
    assert_eq!(parsed(text).to_string(), expected, "{text:?}");
}

#[test]
fn valid_chains_are_printed_in_their_canonical_form() {
    let table = [
        ("?", "?"),
        ("planner:3->?->builder:20", "planner:3 -> ? -> builder:20"),
        ("(a->b):3", "(a -> b):3"),
        ("( a -> b ) : 3", "(a -> b):3"),
        ("(planner:3 -> ?):3", "(planner:3 -> ?):3"),
        ("a:20 else b:5", "a:20 else b:5"),
        ("a else\tb\nelse c->d else ?", "a else b else c -> d else ?"),
        ("a:20 -> (b -> c:3):3 else d", "a:20 -> (b -> c:3):3 else d"),
        ("(a else b):2", "(a else b):2"),
        ("(a else b) -> c", "(a else b) -> c"),
        ("a else (b -> c)", "a else (b -> c)"),
        ("a else (b -> c):2 else (d -> ? else e)", "a else (b -> c):2 else (d -> ? else e)"),
        ("((a -> b):2 -> c):3", "((a -> b):2 -> c):3"),
        ("(a:5):3 -> (?):2", "(a:5):3 -> (?):2"),
        ("(a)else(b)", "a else b"),
        ("elsewhere -> what? -> ?x -> xelse", "elsewhere -> what? -> ?x -> xelse"),
        ("./else:3 -> ./?", "./else:3 -> ./?"),
        ("(fk:builder:3 -> a:b)", "(fk:builder:3 -> a:b)"),
        ("x3:5 -> x3d -> 20x4", "x3:5 -> x3d -> 20x4"),
    ];
    for (text, expected) in table {
        check_printed(text, expected);
        check_printed(expected, expected);
    }
}

#[test]
fn parentheses_around_a_single_part_are_dropped() {
    for (text, expected) in [
        ("(a)", "a"),
        ("((a))", "a"),
        ("(a:3)", "a:3"),
        ("(?)", "?"),
        ("((a -> b):3)", "(a -> b):3"),
        ("(a) -> (b:2) else (c)", "a -> b:2 else c"),
        ("((a:3)):2", "(a:3):2"),
        ("((a -> b))", "(a -> b)"),
    ] {
        check_printed(text, expected);
    }
    // A count belongs to its parentheses.
    check_printed("(a):3", "(a):3");
}

#[test]
fn a_group_has_its_stages_and_the_rounds() {
    let dsl = parsed("a -> (b:2 -> ?):3 else c");
    let [_, stage] = dsl.chain.stages.as_slice() else { panic!("two stages: {dsl}") };
    let [group, other] = stage.alternatives.as_slice() else { panic!("two alternatives: {dsl}") };
    assert_eq!(group.count.map(Count::get), Some(3));
    let DslPartKind::Group(inner) = &group.kind else { panic!("a group: {dsl}") };
    assert_eq!(inner.stages.len(), 2);
    assert!(matches!(inner.stages[1].alternatives[0].kind, DslPartKind::Question(_)));
    assert!(matches!(&other.kind, DslPartKind::Agent(agent) if agent.value == "c"));
}

#[test]
fn the_only_part_of_a_chain_is_found() {
    assert_eq!(
        parsed("a:3").chain.only_part().and_then(|part| part.count).map(Count::get),
        Some(3)
    );
    assert_eq!(parsed("a -> b").chain.only_part(), None);
    assert_eq!(parsed("a else b").chain.only_part(), None);
}

#[test]
fn else_joins_a_limited_number_of_parts() {
    let chain = |number: usize| vec!["a"; number].join(" else ");
    parsed(&chain(MAX_ELSE_PARTS));
    let place = chain(MAX_ELSE_PARTS).len() + 1;
    for too_many in [MAX_ELSE_PARTS + 1, MAX_ELSE_PARTS + 3] {
        let message = "`else` joins more than 16 parts";
        check_mistake(&chain(too_many), message, "else", place);
    }
    // What the hint says is possible.
    parsed(&format!("({}) else c", chain(MAX_ELSE_PARTS)));
}

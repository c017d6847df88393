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
        ("a:20 x4", "a:20 x4"),
        ("a : 20x4->b:2\tx064", "a:20 x4 -> b:2 x64"),
        ("(a->b):20x4", "(a -> b):20 x4"),
        ("(a:20) : 3 x2 else b:5 best3", "(a:20):3 x2 else b:5 best3"),
        ("best3 -> best3:5 best2", "best3 -> best3:5 best2"),
        ("(a|b)", "(a | b)"),
        ("( a:20x2 -> b | (c) | d else e )", "(a:20 x2 -> b | c | d else e)"),
        ("((a | b)) -> c", "(a | b) -> c"),
        ("((a | b) -> c):3 -> ?", "((a | b) -> c):3 -> ?"),
        ("((a -> b):3 x2 | c:2 best2) else (d | e)", "((a -> b):3 x2 | c:2 best2) else (d | e)"),
        ("(c -> (a | b)) -> ?", "(c -> (a | b)) -> ?"),
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
fn lanes_and_branches_are_read() {
    let lanes = |number| LaneCount::new(number).expect("in range");
    let dsl = parsed("a:20x4 -> (b:5 best3 | c -> d)");
    let [first, second] = dsl.chain.stages.as_slice() else { panic!("two stages: {dsl}") };
    let first = &first.alternatives[0];
    assert_eq!(first.count.map(Count::get), Some(20));
    assert_eq!(first.lanes, Some(DslLanes::Shared(lanes(4))));
    let DslPartKind::Parallel(branches) = &second.alternatives[0].kind else { panic!("{dsl}") };
    assert_eq!(branches.iter().map(|branch| branch.stages.len()).collect::<Vec<_>>(), [1, 2]);
    let best = branches[0].only_part().and_then(|part| part.lanes);
    assert_eq!(best, Some(DslLanes::Best(lanes(3))));
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

//! Lanes, best of N and parallel stages.

use super::control_flow::{check_entries, steps};
use super::*;

#[test]
fn entries_have_lanes_and_branches() {
    check_entries(r#"[{"agent": "a", "iterations": 20, "lanes": 4}]"#, "a:20 x4");
    check_entries(
        r#"[{"agent": "a", "iterations": 5, "best": 3, "pick": "cheapest"}]"#,
        "a:5 best3",
    );
    check_entries(r#"[{"group": "a -> b", "rounds": 20, "lanes": 4}]"#, "(a -> b):20 x4");
    check_entries(
        r#"[{"parallel": [[{"agent": "a"}, {"agent": "b"}], "c:2 x2"], "else": {"agent": "d"}}]"#,
        "(a -> b | c:2 x2) else d",
    );
    check_entries(
        "\"a:3 x2 -> (b | c:5 best3) else (d -> e):2 x2\"",
        "a:3 x2 -> (b | c:5 best3) else (d -> e):2 x2",
    );
}

#[test]
fn settings_of_lanes_are_read() {
    let lane = r#"{"setup": "npm ci", "copy": [".env"], "keep": ["target"], "timeout": "15m"}"#;
    let text = format!(
        r#"{{"chains": {{"c": {{"lane": {lane}, "steps": [
            {{"agent": "a", "iterations": 2, "lanes": 2, "lane": {{"copy": []}}}},
            {{"group": "a", "lane": {{}}}},
            {{"parallel": ["a", "b"], "lane": {{"timeout": "off"}}}}]}}}}}}"#
    );
    let config = good(&text);
    let chain = config.chain("c").expect("the chain is there").1;
    let lane = &chain.lane.as_ref().expect("settings").value;
    assert_eq!(lane.setup.as_ref().map(|setup| setup.value.0.as_str()), Some("npm ci"));
    let StageEntry::Parallel(parallel) = &chain.steps.value.0[2].value else { panic!("{chain:?}") };
    let timeout = parallel.lane.as_ref().and_then(|lane| lane.value.timeout.as_ref());
    assert_eq!(timeout.map(|timeout| timeout.value), Some(crate::limit::Limit::Off));
}

#[test]
fn each_choice_of_a_lane_is_read() {
    let table = [
        ("first", PickChoice::First),
        ("cheapest", PickChoice::Cheapest),
        ("smallest", PickChoice::Smallest),
        ("./score.sh", PickChoice::Script("./score.sh".to_owned())),
        ("score.ts", PickChoice::Script("score.ts".to_owned())),
    ];
    for (word, expected) in table {
        let entry = format!(r#"[{{"agent": "a", "iterations": 2, "best": 2, "pick": "{word}"}}]"#);
        let config = good(&steps(&entry));
        let chain = config.chain("c").expect("the chain is there").1;
        let pick = chain.agent_steps().next().and_then(|step| step.pick.clone());
        assert_eq!(pick.map(|pick| pick.value), Some(expected), "{word}");
    }
}

#[test]
fn wrong_lanes_have_their_messages_and_positions() {
    let at = "`chains.c.steps[0]";
    let number = "must be a whole number from 2 to 64, found the number";
    let table = [
        // What has lanes.
        (
            r#"{"agent": "a", "lanes": 2}"#,
            vec![format!("\"lanes\" | {at}.lanes` needs `iterations`")],
        ),
        (r#"{"agent": "a", "best": 2}"#, vec![format!("\"best\" | {at}.best` needs `iterations`")]),
        (r#"{"group": "a", "lanes": 2}"#, vec![format!("\"lanes\" | {at}.lanes` needs `rounds`")]),
        (
            r#"{"agent": "a", "iterations": 2, "pick": "first"}"#,
            vec![format!("\"pick\" | {at}.pick` needs `best`")],
        ),
        (
            r#"{"agent": "a", "iterations": 2, "lanes": 2, "best": 2}"#,
            vec![format!("\"best\" | {at}` has both `lanes` and `best`")],
        ),
        (
            r#"{"agent": "a", "iterations": 2, "lane": {}}"#,
            vec![format!("\"lane\" | {at}.lane` needs `lanes` or `best`")],
        ),
        (
            r#"{"group": "a", "rounds": 2, "best": 2}"#,
            vec![format!("\"best\" | {at}.best`: a group has no best of N")],
        ),
        (
            r#"{"ask": "a", "best": 2}"#,
            vec![format!("\"best\" | {at}.best`: a question has no lanes")],
        ),
        (
            r#"{"ask": "a", "lane": {}}"#,
            vec![format!("\"lane\" | {at}.lane`: a question has no lanes")],
        ),
        // Values.
        (
            r#"{"agent": "a", "iterations": 2, "lanes": 1}"#,
            vec![format!("1 | {at}.lanes` {number} 1")],
        ),
        (
            r#"{"agent": "a", "iterations": 2, "best": 65}"#,
            vec![format!("65 | {at}.best` {number} 65")],
        ),
        (
            r#"{"agent": "a", "iterations": 2, "best": 2, "pick": "frist"}"#,
            vec![format!(
                "\"frist\" | {at}.pick` must be `first`, `cheapest`, `smallest` or the path of a script, found the string \"frist\""
            )],
        ),
        (
            r#"{"agent": "a", "iterations": 2, "lanes": 2, "lane": {"setup": " "}}"#,
            vec![format!("\" \" | {at}.lane.setup` must be a command, found an empty string")],
        ),
        (
            r#"{"agent": "a", "iterations": 2, "lanes": 2, "lane": {"keep": ["../x"]}}"#,
            vec![format!(
                "\"../x\" | {at}.lane.keep[0]` must not lead out of the working directory with `..`"
            )],
        ),
        // Parallel stages.
        (r#"{"parallel": []}"#, vec![format!("[] | {at}.parallel` needs at least two branches")]),
        (
            r#"{"parallel": [[{"agent": "a"}]]}"#,
            vec![format!("[[{{\"agent\": \"a\"}}]] | {at}.parallel` needs at least two branches")],
        ),
        (r#"{"parallel": ["a", []]}"#, vec![format!("[] | {at}.parallel[1]` has no entry")]),
        (
            r#"{"parallel": ["a", "b"], "lanes": 2}"#,
            vec![format!("\"lanes\" | {at}.lanes`: parallel stages have no `lanes`")],
        ),
        (
            r#"{"parallel": ["a", "b"], "if": "file:x"}"#,
            vec![format!("\"if\" | {at}.if`: parallel stages have no `if`")],
        ),
        (
            r#"{"parallel": ["a", "b"], "rounds": 2}"#,
            vec![format!("\"rounds\" | {at}.rounds` needs `group`")],
        ),
        (
            r#"{"parallel": ["a", {"agent": "b"}]}"#,
            vec![format!(
                "{{\"agent\": \"b\"}} | {at}.parallel[1]` must be an array or a chain such as \"planner:3 -> builder\", found an object"
            )],
        ),
        (
            r#"{"group": [{"group": [{"parallel": ["a", "b"]}, {"agent": "c"}]}]}"#,
            vec![format!(
                "\"parallel\" | {at}.group[0].group[0].parallel` is nested more than two groups deep"
            )],
        ),
        // What stands in lanes.
        (
            r#"{"group": [{"agent": "a", "iterations": 2, "lanes": 2}], "rounds": 2, "lanes": 3}"#,
            vec!["2 | lanes cannot stand in lanes".to_owned()],
        ),
        (
            r#"{"group": [{"parallel": ["a", "b"]}, {"agent": "c"}], "rounds": 2, "lanes": 3}"#,
            vec!["{\"parallel\": [\"a\", \"b\"]} | lanes cannot stand in lanes".to_owned()],
        ),
        (
            r#"{"group": "a -> ? else (b:2 best2 -> ?)", "rounds": 2, "lanes": 3}"#,
            vec![
                "? | a question cannot stand in lanes".to_owned(),
                "b:2 best2 | lanes cannot stand in lanes".to_owned(),
                "? | a question cannot stand in lanes".to_owned(),
            ],
        ),
        (
            r#"{"parallel": [[{"ask": "ok?"}], "b -> (c | d)"]}"#,
            vec![
                "{\"ask\": \"ok?\"} | a question cannot stand in lanes".to_owned(),
                "(c | d) | parallel stages cannot stand in parallel stages".to_owned(),
            ],
        ),
        (
            r#"{"group": [{"agent": "a"}, {"parallel": ["b", "c"]}], "rounds": 2}"#,
            vec!["2 | parallel stages cannot be repeated".to_owned()],
        ),
        // Checks at landings.
        (
            r#"{"agent": "a", "iterations": 2, "lanes": 2, "checks": [{"check": "tasks", "when": "landing"}]}"#,
            vec![format!("\"landing\" | {at}.checks[0].when` cannot be `landing` for `tasks`")],
        ),
    ];
    for (entry, expected) in table {
        let found = shown(&steps(&format!("[{entry}]")));
        let without_position: Vec<&str> =
            found.iter().filter_map(|line| Some(line.split_once(' ')?.1)).collect();
        assert_eq!(without_position, expected, "{entry}");
    }
}

/// A question after parallel stages, and lanes in an alternative, are no mistakes.
#[test]
fn what_stands_beside_lanes_is_right() {
    for entry in [
        r#"{"parallel": ["a", "b"], "else": {"ask": "ok?"}}"#,
        r#"{"group": [{"agent": "a", "iterations": 2, "lanes": 2}, {"ask": "ok?"}], "rounds": 2}"#,
        r#"{"group": [{"parallel": ["a", "b:2 x2"]}, {"agent": "c"}], "rounds": 2}"#,
        r#"{"group": [{"agent": "a"}, {"parallel": ["b", "c"]}]}"#,
    ] {
        assert_eq!(shown(&steps(&format!("[{entry}]"))), [""; 0], "{entry}");
    }
}

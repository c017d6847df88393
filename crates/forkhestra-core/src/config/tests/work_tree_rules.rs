//! Clean rooms, protected files, cycles and snapshots.

use super::*;

fn chain_of(config: &Config) -> &ChainEntry {
    config.chain("c").expect("the chain is there").1
}

#[test]
fn a_chain_and_a_step_may_have_guards() {
    let guards = r#""cleanRoom": {"setup": "npm ci", "keep": ["./target/", "web/node_modules"], "timeout": "20m"},
        "protect": ["tests/**", ".ci/"], "onProtectedChange": "allow", "onCycle": "stop""#;
    let config = good(&format!(
        r#"{{"chains": {{"c": {{{guards}, "snapshots": false, "steps": [{{"agent": "a", "iterations": 2, {guards}}}]}}}}}}"#
    ));
    let chain = chain_of(&config);
    let step = chain.agent_steps().next().expect("a step");
    for (room, protect, on_change, on_cycle) in [
        (&chain.clean_room, &chain.protect, &chain.on_protected_change, &chain.on_cycle),
        (&step.clean_room, &step.protect, &step.on_protected_change, &step.on_cycle),
    ] {
        let room = room.as_ref().and_then(|room| room.value.room()).expect("a room");
        assert_eq!(room.setup.as_ref().map(|setup| setup.value.0.as_str()), Some("npm ci"));
        let keep = room.keep.as_ref().expect("something is kept").value.iter();
        let keep: Vec<&str> = keep.map(|path| path.value.0.as_str()).collect();
        assert_eq!(keep, ["target", "web/node_modules"]);
        assert_eq!(
            room.timeout.as_ref().map(|time| time.value.to_string()).as_deref(),
            Some("20m")
        );
        let patterns = protect.as_ref().expect("something is protected").value.iter();
        let patterns: Vec<&str> = patterns.map(|pattern| pattern.value.0.as_str()).collect();
        assert_eq!(patterns, ["tests/**", ".ci"]);
        let on_change = on_change.as_ref().map(|word| word.value);
        assert_eq!(on_change, Some(OnProtectedChange::Allow));
        assert_eq!(on_cycle.as_ref().map(|word| word.value), Some(OnCycle::Stop));
    }
    assert_eq!(chain.snapshots.as_ref().map(|kept| kept.value), Some(false));
}

#[test]
fn a_clean_room_may_be_a_keyword_and_lists_may_be_empty() {
    for (written, is_on) in [("true", true), ("false", false), ("{}", true)] {
        let config = good(&step(&format!("\"cleanRoom\": {written}, \"protect\": []")));
        let step = chain_of(&config).agent_steps().next().expect("a step");
        let room = step.clean_room.as_ref().expect("the key is there");
        assert_eq!(room.value.room().is_some(), is_on, "{written}");
        assert_eq!(step.protect.as_ref().map(|patterns| patterns.value.len()), Some(0));
    }
}

#[test]
fn guards_are_strict() {
    let room = "`chains.c.steps[0].cleanRoom";
    let table = [
        ("\"cleanRoom\": \"yes\"", format!("{room}` must be `true`, `false` or an object, found the string \"yes\"")),
        ("\"cleanRoom\": null", format!("{room}` must be `true`, `false` or an object, found `null`")),
        ("\"cleanRoom\": {\"setup\": \" \"}", format!("{room}.setup` must be a command, found an empty string")),
        ("\"cleanRoom\": {\"keep\": \"target\"}", format!("{room}.keep` must be an array, found the string \"target\"")),
        ("\"cleanRoom\": {\"keep\": [\"\"]}", format!("{room}.keep[0]` must be a path, found an empty string")),
        ("\"cleanRoom\": {\"keep\": [\"a\", \"/tmp\"]}", format!("{room}.keep[1]` must be relative to the working directory")),
        ("\"cleanRoom\": {\"keep\": [\"../a\"]}", format!("{room}.keep[0]` must not lead out of the working directory with `..`")),
        ("\"cleanRoom\": {\"keep\": [\".\"]}", format!("{room}.keep[0]` must be a path below the working directory, not the directory itself")),
        ("\"cleanRoom\": {\"setup\": \"x\", \"timeout\": 5}", format!("{room}.timeout` must be a duration such as \"30m\", or \"off\", found the number 5")),
        ("\"cleanRoom\": {\"setpu\": \"x\"}", format!("unknown key {room}.setpu`")),
        ("\"protect\": \"tests\"", "`chains.c.steps[0].protect` must be an array, found the string \"tests\"".to_owned()),
        ("\"protect\": [1]", "`chains.c.steps[0].protect[0]` must be a glob, found the number 1".to_owned()),
        ("\"protect\": [\"../x\"]", "`chains.c.steps[0].protect[0]` must not lead out of the working directory with `..`".to_owned()),
        ("\"protect\": [\"!x\"]", "`chains.c.steps[0].protect[0]` must not begin with `!`: negated patterns are not supported".to_owned()),
        ("\"onProtectedChange\": \"deny\"", "`chains.c.steps[0].onProtectedChange` must be `refuse` or `allow`, found the string \"deny\"".to_owned()),
        ("\"iterations\": 2, \"onCycle\": true", "`chains.c.steps[0].onCycle` must be `report` or `stop`, found `true`".to_owned()),
        ("\"snapshots\": true", "unknown key `chains.c.steps[0].snapshots`".to_owned()),
    ];
    for (members, expected) in table {
        check_message(&step(members), &expected);
    }
    check_message(
        r#"{"chains": {"c": {"steps": [], "snapshots": 1}}}"#,
        "`chains.c.snapshots` must be `true` or `false`, found the number 1",
    );
}

#[test]
fn the_caret_is_under_each_glob_that_is_none() {
    let text = r#"{"chains": {"c": {"steps": [], "protect": ["tests/**", "[", "a", "{b"]}}}"#;
    assert_eq!(
        shown(text),
        [
            "1:56 \"[\" | `chains.c.protect[1]` is not a glob: unclosed character class; missing ']'",
            "1:66 \"{b\" | `chains.c.protect[3]` is not a glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
        ]
    );
}

#[test]
fn a_misspelt_keyword_gets_a_suggestion() {
    let text = step("\"onProtectedChange\": \"refused\"");
    let parsed = read("c", text.into_bytes());
    assert_eq!(parsed.diagnostics[0].hints, ["did you mean `refuse`?"]);
}

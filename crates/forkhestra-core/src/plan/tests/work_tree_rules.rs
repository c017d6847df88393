//! Clean rooms, protected files, cycles and snapshots.

use super::*;
use crate::config::{OnCycle, OnProtectedChange};

/// A chain of one loop with a check, with these members of the chain and of the step.
fn loop_with_check(of_chain: &str, of_step: &str) -> ConfigLayers {
    let step = format!(r#"{{"agent": "a", "iterations": 2, "checks": ["exit-code"]{of_step}}}"#);
    config("", of_chain, &step)
}

/// The origin of a value: the chain, its step, or a flag.
fn origin_name(source: &ValueOrigin, layers: &ConfigLayers) -> String {
    match source {
        ValueOrigin::File { column, .. } => {
            let steps = layers.files[0].source.text.find("\"steps\"").expect("there are steps");
            if *column < steps { "chain".to_owned() } else { "step".to_owned() }
        }
        other => other.to_string(),
    }
}

fn only_step(request: &PlanRequest, layers: &ConfigLayers) -> PlanStep {
    plan(request, layers, &FakeHost::default()).steps.remove(0)
}

fn with_protect(request: PlanRequest, patterns: &[&str]) -> PlanRequest {
    PlanRequest { protect: patterns.iter().map(|glob| (*glob).to_owned()).collect(), ..request }
}

#[track_caller]
fn warnings(request: &PlanRequest, layers: &ConfigLayers) -> Vec<String> {
    let planned = planned(request, layers, &FakeHost::default());
    planned.warnings.into_iter().map(|warning| warning.message).collect()
}

#[test]
fn the_room_of_the_step_beats_that_of_the_chain_and_the_flag_keeps_its_settings() {
    let chain_room = r#""cleanRoom": {"setup": "chain"},"#;
    let step_room = r#", "cleanRoom": {"setup": "step", "keep": ["target"], "timeout": "1m"}"#;
    let (off, on) = (r#", "cleanRoom": false"#, r#", "cleanRoom": true"#);
    let table = [
        ("", "", false, None),
        ("", "", true, Some("--clean-room: - 10m []")),
        (chain_room, "", false, Some("chain: chain 10m []")),
        (chain_room, "", true, Some("chain: chain 10m []")),
        (chain_room, off, false, None),
        (chain_room, off, true, Some("chain: chain 10m []")),
        (chain_room, on, false, Some("step: - 10m []")),
        (chain_room, on, true, Some("step: - 10m []")),
        (chain_room, step_room, false, Some("step: step 1m [\"target\"]")),
        ("", off, true, Some("--clean-room: - 10m []")),
        ("", off, false, None),
    ];
    for (of_chain, of_step, typed, expected) in table {
        let layers = loop_with_check(of_chain, of_step);
        let request = PlanRequest { clean_room: typed, ..chain("c") };
        let step = only_step(&request, &layers);
        let shown = step.clean_room.map(|Sourced { value, source }| {
            let setup = value.setup.as_deref().unwrap_or("-");
            format!("{}: {setup} {} {:?}", origin_name(&source, &layers), value.timeout, value.keep)
        });
        assert_eq!(shown.as_deref(), expected, "{of_chain} {of_step} {typed}");
    }
}

#[test]
fn nested_kept_paths_are_kept_once() {
    let keep = r#", "cleanRoom": {"keep": ["a/b/c", "ab", "a/b", "a/b/", "a/b/d", "a-b"]}"#;
    let step = only_step(&chain("c"), &loop_with_check("", keep));
    assert_eq!(step.clean_room.expect("a room").value.keep, ["ab", "a/b", "a-b"]);
}

#[test]
fn a_clean_room_without_checks_is_none_and_warns() {
    let once = |members: &str| config("", "", &format!(r#"{{"agent": "a"{members}}}"#));
    let with_room = once(r#", "cleanRoom": true"#);
    let expected = ["`cleanRoom` has no effect: step 'a' has no checks"];
    assert_eq!(warnings(&chain("c"), &with_room), expected);
    assert_eq!(only_step(&chain("c"), &with_room).clean_room, None);
    let with_check = PlanRequest { checks: vec!["exit-code".to_owned()], ..chain("c") };
    assert!(warnings(&with_check, &with_room).is_empty());
    assert!(only_step(&with_check, &with_room).clean_room.is_some(), "also where it runs once");

    assert!(warnings(&chain("c"), &once(r#", "cleanRoom": false"#)).is_empty());
    let of_chain = config("", r#""cleanRoom": {},"#, r#"{"agent": "a"}, {"agent": "b"}"#);
    let expected = ["`cleanRoom` has no effect: the chain has no checks"];
    assert_eq!(warnings(&chain("c"), &of_chain), expected);
    let typed = PlanRequest { clean_room: true, ..dsl("a -> b") };
    let expected = ["`--clean-room` has no effect: no step of the chain has checks"];
    assert_eq!(warnings(&typed, &ConfigLayers::default()), expected);
    let for_one = PlanRequest { checks: vec!["b:exit-code".to_owned()], ..typed };
    assert!(warnings(&for_one, &ConfigLayers::default()).is_empty());
}

#[test]
fn protected_files_of_the_step_replace_those_of_the_chain_and_typed_ones_are_added() {
    let chain_files = r#""protect": ["tests/**"],"#;
    let step_files = r#", "protect": ["spec/", "docs/*"]"#;
    let none = r#", "protect": []"#;
    let table: [(&str, &str, &[&str], Option<&str>); 8] = [
        ("", "", &[], None),
        (chain_files, "", &[], Some("chain: tests/**")),
        (chain_files, step_files, &[], Some("step: spec docs/*")),
        (chain_files, none, &[], None),
        (chain_files, none, &["a"], Some("--protect: a")),
        ("", "", &["./a/", "b/**", "a"], Some("--protect: a b/**")),
        (chain_files, "", &["a", "tests/**"], Some("chain: tests/** a")),
        ("", step_files, &["a"], Some("step: spec docs/* a")),
    ];
    for (of_chain, of_step, typed, expected) in table {
        let layers = loop_with_check(of_chain, of_step);
        let request = with_protect(chain("c"), typed);
        let step = only_step(&request, &layers);
        let shown = step.protect.map(|Sourced { value, source }| {
            assert_eq!(value.on_change, OnProtectedChange::Refuse);
            format!("{}: {}", origin_name(&source, &layers), value.patterns.join(" "))
        });
        assert_eq!(shown.as_deref(), expected, "{of_chain} {of_step} {typed:?}");
    }
}

#[test]
fn the_step_or_the_chain_sets_the_reaction_to_protected_changes() {
    let (refuse, allow) = (OnProtectedChange::Refuse, OnProtectedChange::Allow);
    for (of_chain, of_step, expected) in [
        ("", "", refuse),
        (r#""onProtectedChange": "allow","#, "", allow),
        (r#""onProtectedChange": "allow","#, r#", "onProtectedChange": "refuse""#, refuse),
        ("", r#", "onProtectedChange": "allow""#, allow),
    ] {
        let layers = config("", of_chain, &format!(r#"{{"agent": "a"{of_step}}}"#));
        let step = only_step(&with_protect(chain("c"), &["tests"]), &layers);
        let protection = step.protect.expect("something is protected").value;
        assert_eq!(protection.on_change, expected, "{of_chain} {of_step}");
    }
}

#[test]
fn an_answer_to_changes_of_nothing_warns() {
    let of_step = config("", "", r#"{"agent": "a", "onProtectedChange": "allow"}"#);
    let expected = ["`onProtectedChange` has no effect: step 'a' protects no files"];
    assert_eq!(warnings(&chain("c"), &of_step), expected);
    assert!(warnings(&with_protect(chain("c"), &["tests"]), &of_step).is_empty());
    let of_chain = config("", r#""onProtectedChange": "allow","#, r#"{"agent": "a"}"#);
    let expected = ["`onProtectedChange` has no effect: the chain protects no files"];
    assert_eq!(warnings(&chain("c"), &of_chain), expected);
}

#[test]
fn an_invalid_typed_glob_is_refused_once() {
    let request = with_protect(dsl("a -> b:2"), &["tests", "[", "../x"]);
    assert_eq!(
        errors(&request, &ConfigLayers::default(), &FakeHost::default()),
        [
            "`--protect [` is not a glob: unclosed character class; missing ']'",
            "`--protect ../x` must not lead out of the working directory with `..`",
        ]
    );
}

#[test]
fn the_flag_for_cycles_beats_the_step_which_beats_the_chain() {
    let (chain_stops, step_reports) = (r#""onCycle": "stop","#, r#", "onCycle": "report""#);
    let table = [
        ("", "", None, None),
        (chain_stops, "", None, Some("chain: stop")),
        (chain_stops, step_reports, None, Some("step: report")),
        (chain_stops, step_reports, Some(OnCycle::Stop), Some("--on-cycle: stop")),
        ("", "", Some(OnCycle::Report), Some("--on-cycle: report")),
    ];
    for (of_chain, of_step, typed, expected) in table {
        let layers = loop_with_check(of_chain, of_step);
        let request = PlanRequest { on_cycle: typed, ..chain("c") };
        let step = only_step(&request, &layers);
        let shown = step.on_cycle.map(|Sourced { value, source }| {
            format!("{}: {}", origin_name(&source, &layers), value.word())
        });
        assert_eq!(shown.as_deref(), expected, "{of_chain} {of_step} {typed:?}");
    }
}

#[test]
fn a_step_that_runs_once_goes_in_no_circles() {
    let typed = PlanRequest { on_cycle: Some(OnCycle::Stop), ..dsl("a") };
    assert_eq!(only_step(&typed, &ConfigLayers::default()).on_cycle, None);
    let expected = ["`--on-cycle` has no effect: no step of the chain loops"];
    assert_eq!(warnings(&typed, &ConfigLayers::default()), expected);
    let layers = config("", r#""onCycle": "stop","#, r#"{"agent": "a"}"#);
    let expected = ["`onCycle` has no effect: no step of the chain loops"];
    assert_eq!(warnings(&chain("c"), &layers), expected);
    let mixed =
        config("", r#""onCycle": "stop","#, r#"{"agent": "a"}, {"agent": "b", "iterations": 2}"#);
    assert!(warnings(&chain("c"), &mixed).is_empty());
}

#[test]
fn snapshots_are_kept_unless_the_chain_or_the_command_line_says_otherwise() {
    for (of_chain, typed, expected) in [
        ("", true, true),
        (r#""snapshots": true,"#, true, true),
        (r#""snapshots": false,"#, true, false),
        (r#""snapshots": true,"#, false, false),
        ("", false, false),
    ] {
        let request = PlanRequest { snapshots: typed, ..chain("c") };
        let plan = plan(&request, &config("", of_chain, r#"{"agent": "a"}"#), &FakeHost::default());
        assert_eq!(plan.snapshots, expected, "{of_chain} {typed}");
    }
}

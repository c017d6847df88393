//! Defaults that differ between the programs.

use super::*;
use crate::config::{CheckWhen, CompletionRule, Permissions};
use crate::limit::Limit;
use crate::limit::LimitChanges;

fn ralph(request: PlanRequest) -> PlanRequest {
    PlanRequest { defaults: PlanDefaults::RALPH_RUNNER, ..request }
}

fn stagnation(request: &PlanRequest, layers: &ConfigLayers) -> String {
    let plan = plan(request, layers, &FakeHost::default());
    let limit = &plan.steps[0].limits.stagnation;
    format!("{} {}", limit.source, limit.value)
}

#[test]
fn ralph_runner_stagnates_after_three_unchanged_iterations_by_default() {
    let none = ConfigLayers::default();
    assert_eq!(stagnation(&dsl("a:9"), &none), "default off");
    assert_eq!(stagnation(&ralph(dsl("a:9")), &none), "default 3");
    let step = r#"{"agent": "a", "iterations": 9, "limits": {"stagnation": 5}}"#;
    let written = config("", "", step);
    assert_eq!(stagnation(&ralph(chain("c")), &written), "chains.json:1:101 5");
    let limits = LimitChanges { stagnation: Some(Limit::Off), ..LimitChanges::default() };
    let typed = PlanRequest { limits, ..ralph(chain("c")) };
    assert_eq!(stagnation(&typed, &written), "--stagnation off");
}

#[test]
fn loops_with_the_name_of_a_built_in_agent_have_a_limit() {
    let none = ConfigLayers::default();
    let table = [
        ("builder:9", "implied: default of builder loops 3"),
        ("fk:builder:9", "implied: default of fk:builder loops 3"),
        ("fixer:9", "implied: default of fixer loops 3"),
        ("fk:fixer:9", "implied: default of fk:fixer loops 3"),
        ("reviewer:9", "implied: default of reviewer loops 3"),
        ("task-coordinator:9", "implied: default of task-coordinator loops 3"),
        ("forge-task-coordinator:9", "implied: default of forge-task-coordinator loops 3"),
        ("task-worker:9", "implied: default of task-worker loops 3"),
        ("planner:9", "implied: default of planner loops 2"),
        ("fk:planner:9", "implied: default of fk:planner loops 2"),
        ("task-manager:9", "implied: default of task-manager loops 2"),
        ("forge-task-manager:9", "implied: default of forge-task-manager loops 2"),
        ("planner", "default off"),
        ("mine:9", "default off"),
        ("builder", "default off"),
        ("./builder:9", "default off"),
    ];
    for (text, expected) in table {
        assert_eq!(stagnation(&dsl(text), &none), expected, "{text}");
    }
    assert_eq!(stagnation(&ralph(dsl("builder:9")), &none), "default 3");
    let step = r#"{"agent": "builder", "iterations": 9, "limits": {"stagnation": "off"}}"#;
    assert_eq!(stagnation(&chain("c"), &config("", "", step)), "chains.json:1:107 off");
    let limits = LimitChanges { stagnation: Some(Limit::Off), ..LimitChanges::default() };
    let typed = PlanRequest { limits, ..dsl("builder:9") };
    assert_eq!(stagnation(&typed, &none), "--stagnation off");
}

#[test]
fn checks_of_ralph_runner_run_after_every_iteration_unless_the_config_says_when() {
    let step = r#"{"agent": "builder", "iterations": 9, "checks": [
        "exit-code", {"check": "file:a", "when": "completion"}, {"check": "file:b", "when": "always"}
    ]}"#;
    let layers = config("", "", step);
    let when = |request: &PlanRequest, layers: &ConfigLayers| -> Vec<CheckWhen> {
        let plan = plan(request, layers, &FakeHost::default().with_tasks());
        plan.steps[0].checks.iter().map(|check| check.value.when).collect()
    };
    let (on_request, always) = (CheckWhen::Completion, CheckWhen::Always);
    let typed = |request| PlanRequest { checks: vec!["file:c".to_owned()], ..request };
    let usual = when(&typed(chain("c")), &layers);
    assert_eq!(usual, [on_request, on_request, always, on_request]);
    let of_ralph = when(&typed(ralph(chain("c"))), &layers);
    assert_eq!(of_ralph, [always, on_request, always, always]);
    assert_eq!(
        when(&ralph(dsl("builder:9")), &ConfigLayers::default()),
        [always],
        "an implied one"
    );
}

#[test]
fn checks_decide_in_ralph_runner_by_default_if_there_are_any() {
    let completion = |request: PlanRequest, layers: &ConfigLayers| {
        let found = plan(&request, layers, &FakeHost::default()).steps.remove(0).completion;
        (found.value, matches!(found.source, ValueOrigin::Default))
    };
    let none = ConfigLayers::default();
    let checked = |request| PlanRequest { checks: vec!["exit-code".to_owned()], ..request };
    assert_eq!(completion(checked(dsl("a:2")), &none), (CompletionRule::Marker, true));
    assert_eq!(completion(ralph(dsl("a:2")), &none), (CompletionRule::Marker, true));
    assert_eq!(completion(checked(ralph(dsl("a:2"))), &none), (CompletionRule::Checks, true));
    assert_eq!(completion(checked(ralph(dsl("a"))), &none), (CompletionRule::Marker, true));
    let step = r#"{"agent": "a", "iterations": 2}"#;
    let written = config("", r#""completion": "marker","#, step);
    assert_eq!(completion(checked(ralph(chain("c"))), &written), (CompletionRule::Marker, false));
}

/// The kind and origin of an agent for `ralph-runner`.
fn meaning(agent: &str, layers: &ConfigLayers, host: &FakeHost) -> String {
    let plan = plan(&ralph(dsl(agent)), layers, host);
    let PlanAgent { name, source, kind, .. } = &plan.steps[0].agent;
    assert_eq!(name, agent);
    let found = if matches!(kind.location(), Some(ProgramLocation::Found(_))) {
        ""
    } else {
        " not runnable"
    };
    format!("{source}: {}{found}", kind.command())
}

#[test]
fn ralph_runner_looks_in_bin_first() {
    let none = ConfigLayers::default();
    let both = || FakeHost::default().with_program("a").with_program("bin/a");
    assert_eq!(meaning("a", &none, &both()), "bin: bin/a");
    assert_eq!(meaning("a", &none, &FakeHost::default().with_program("a")), "PATH: a");
    let configured = project(r#"{"agents": {"a": {"command": "x"}}, "chains": {}}"#);
    assert_eq!(meaning("a", &configured, &both().with_program("x")), "chains.json:1:13: x");
    let prompt_only = project(r#"{"agents": {"a": {"defaultPrompt": "p"}}, "chains": {}}"#);
    assert_eq!(meaning("a", &prompt_only, &both()), "bin: bin/a");
    let host = FakeHost::default().with_program("./a").with_program("bin/./a");
    assert_eq!(meaning("./a", &none, &host), "path: ./a");
    let usual = plan(&dsl("a"), &none, &both());
    assert_eq!(usual.steps[0].agent.kind.command(), "a", "forkhestra does not");
}

#[test]
fn a_program_in_bin_that_may_not_be_executed_is_meant_all_the_same() {
    let host = FakeHost::default().with_program("a").with_plain_file_as_program("bin/a");
    assert_eq!(meaning("a", &ConfigLayers::default(), &host), "bin: bin/a not runnable");
}

#[test]
fn programs_get_skip_permissions_between_configured_and_typed_arguments() {
    let flag = "--dangerously-skip-permissions";
    let args = |request: PlanRequest, layers: &ConfigLayers| -> Vec<String> {
        let step = plan(&request, layers, &FakeHost::default()).steps.remove(0);
        step.args.into_iter().map(|arg| format!("{} {}", arg.source, arg.value)).collect()
    };
    let skip = |request| PlanRequest {
        skip_permissions: true,
        agent_args: vec!["typed".to_owned()],
        ..request
    };
    let layers = config("", "", r#"{"agent": "a", "args": ["step"]}"#);
    assert_eq!(
        args(skip(chain("c")), &layers),
        [
            "chains.json:1:68 step".to_owned(),
            format!("{flag} {flag}"),
            "command line typed".to_owned(),
        ]
    );
    let configured = config("", "", &format!(r#"{{"agent": "a", "args": ["{flag}"]}}"#));
    let expected = [format!("chains.json:1:68 {flag}"), "command line typed".to_owned()];
    assert_eq!(args(skip(chain("c")), &configured), expected);
    assert_eq!(args(chain("c"), &layers), ["chains.json:1:68 step"]);
}

#[test]
fn direct_agents_get_their_own_skip_permissions_flag() {
    let agent = r#""a": {"systemPromptText": "", "permissions": "default"}"#;
    let layers = config(agent, "", r#"{"agent": "a"}"#);
    for (skip_permissions, expected) in [(false, Permissions::Default), (true, Permissions::Skip)] {
        let request = PlanRequest { skip_permissions, ..chain("c") };
        let step = plan(&request, &layers, &FakeHost::default()).steps.remove(0);
        let AgentKind::Direct(direct) = &step.agent.kind else { panic!("not direct") };
        assert_eq!(direct.permissions, expected);
        assert!(step.args.is_empty());
    }
}

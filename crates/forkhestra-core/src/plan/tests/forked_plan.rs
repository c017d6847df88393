//! Plans of recorded runs with options over them.

use super::*;
use crate::built_in;
use crate::check::CheckSpec;
use crate::config::{Backend, CheckWhen, OnCycle};
use crate::hook::HookPoint;
use crate::limit::{Limit, LimitQuantity};
use crate::marker::Marker;
use crate::text::count::Count;

/// A request for a fork of this plan that begins with a step.
fn fork(plan: &Plan, next_step: usize) -> PlanRequest {
    let recorded = RecordedPlan { plan: plan.clone(), next_step };
    PlanRequest::new(RunTarget::Recorded(Box::new(recorded)), "/work")
}

fn recorded() -> Plan {
    let layers = config(
        r#""b": {"systemPromptText": "Build.", "model": "opus"}"#,
        r#""limits": {"cost": 5, "timeout": "1h"}, "markers": ["DONE"], "prompt": "Old","#,
        r#"{"agent": "a", "iterations": 3}, {"agent": "b", "iterations": 20, "checks": ["exit-code"]},
           {"agent": "a", "iterations": 10}"#,
    );
    plan(&chain("c"), &layers, &host())
}

fn host() -> FakeHost {
    FakeHost::default().with_program("a").with_program("claude").with_program("codex")
}

fn limit<T: LimitQuantity>(text: &str) -> Option<Limit<T>> {
    Some(Limit::parse(text).expect("the test's limit is right"))
}

#[test]
fn without_options_the_plan_is_that_of_the_recorded_run() {
    let recorded = recorded();
    let same = plan(&fork(&recorded, 2), &ConfigLayers::default(), &host());
    assert_eq!(same, recorded);
}

#[test]
fn options_change_the_steps_that_are_executed() {
    let recorded = recorded();
    let mut request = PlanRequest {
        prompt: Some(RequestedPrompt::Text("New".to_owned())),
        model: Some("sonnet".to_owned()),
        markers: vec![Marker::parse("READY").expect("it is one")],
        checks: vec!["b:file:out.txt".to_owned()],
        hooks: vec![(HookPoint::OnLimit, "true".to_owned())],
        protect: vec!["tests/**".to_owned()],
        on_cycle: Some(OnCycle::Stop),
        done_file: Some("done".to_owned()),
        clean_room: true,
        calibrate: true,
        feedback: false,
        snapshots: false,
        ..fork(&recorded, 2)
    };
    request.limits.run_cost = limit("7");
    request.limits.timeout = limit("5m");
    let forked = plan(&request, &ConfigLayers::default(), &host());
    assert_eq!(forked.steps[0], recorded.steps[0], "it is inherited");
    for step in &forked.steps[1..] {
        assert_eq!(step.prompt.value, Prompt::Text("New".to_owned()));
        assert_eq!(step.prompt.source.to_string(), "--prompt");
        assert_eq!(step.markers.source.to_string(), "--marker");
        assert_eq!(step.limits.timeout.source.to_string(), "--timeout");
        assert_eq!(step.limits.timeout.value.to_string(), "5m");
        assert_eq!(step.protect.as_ref().map(|it| it.value.patterns.len()), Some(1));
        assert_eq!(step.on_cycle.as_ref().map(|it| it.value), Some(OnCycle::Stop));
        assert!(step.calibrate && step.done_file.is_some());
    }
    let checks = |number: usize| -> Vec<String> {
        let checks = &forked.steps[number - 1].checks;
        checks.iter().map(|check| format!("{} {}", check.value.check, check.source)).collect()
    };
    assert_eq!(checks(2), ["exit-code chains.json:1:250", "file:out.txt --check"]);
    assert_eq!(checks(3), [""; 0]);
    assert!(forked.steps[1].clean_room.is_some() && forked.steps[2].clean_room.is_none());
    let builder = forked.steps[1].agent.kind.direct().expect("it has a system prompt");
    assert_eq!(builder.model.as_deref(), Some("sonnet"));
    assert_eq!(forked.steps[1].agent.adjusted["model"].to_string(), "--model");
    assert_eq!(forked.limits.cost.source.to_string(), "--max-cost");
    assert_eq!((forked.hooks.len(), forked.feedback, forked.snapshots), (1, false, false));
}

#[test]
fn a_new_number_of_iterations_is_that_of_the_current_loop() {
    let recorded = recorded();
    for (next, iterations, expected) in [
        (1, "5", "a:5 -> b:20 -> a:10"),
        (1, "30", "a:30 -> b:30 -> a:30"),
        (2, "5", "a:3 -> b:5 -> a:10"),
        (3, "15", "a:3 -> b:20 -> a:15"),
    ] {
        let mut request = fork(&recorded, next);
        request.limits.iterations = Count::parse(iterations).ok();
        let forked = plan(&request, &ConfigLayers::default(), &host());
        assert_eq!(forked.definition, expected, "{next} {iterations}");
    }
    let once = plan(&dsl("a:3 -> a"), &ConfigLayers::default(), &host());
    let mut request = fork(&once, 2);
    request.limits.iterations = Count::parse("5").ok();
    let built = planned(&request, &ConfigLayers::default(), &host());
    let warnings: Vec<&str> = built.warnings.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(warnings, ["`--max-iterations` has no effect: no step of the chain loops"]);
    assert_eq!(built.plan.definition, "a:3 -> a");
}

#[test]
fn another_agent_program_is_for_built_in_agents() {
    let mut layers = ConfigLayers::default();
    layers.files.push(built_in::layer());
    let recorded = plan(&dsl("planner:2 -> a -> builder:9"), &layers, &host());
    let request = PlanRequest { backend: Some(Backend::Codex), ..fork(&recorded, 2) };
    let forked = plan(&request, &layers, &host());
    let backend = |step: usize| forked.steps[step].agent.kind.direct().map(|it| it.backend);
    assert_eq!([0, 1, 2].map(backend), [Some(Backend::Claude), None, Some(Backend::Codex)]);
    assert_eq!(forked.steps[2].works_through_tasks, recorded.steps[2].works_through_tasks);
}

#[test]
fn a_named_task_stays_a_part_of_the_prompt() {
    let mut layers = ConfigLayers::default();
    layers.files.push(built_in::layer());
    let agent_args = vec!["--task".to_owned(), "TASK-7".to_owned()];
    let recorded = plan(&PlanRequest { agent_args, ..dsl("task-worker:9") }, &layers, &host());
    let text = |prompt| {
        let request = PlanRequest { prompt: Some(prompt), ..fork(&recorded, 1) };
        let step = plan(&request, &layers, &host().with_file("p.md")).steps.remove(0);
        (step.prompt.value, step.task)
    };
    let expected = Prompt::Text("Work on TASK-7.\n\nFaster".to_owned());
    assert_eq!(text(RequestedPrompt::Text("Faster".to_owned())), (expected, None));
    let file = RequestedPrompt::File("p.md".to_owned());
    assert_eq!(text(file), (Prompt::File("p.md".to_owned()), Some("TASK-7".to_owned())));
}

#[test]
fn mistakes_are_reported_together() {
    let request = PlanRequest {
        prompt: Some(RequestedPrompt::File("none.md".to_owned())),
        checks: vec!["command:".to_owned()],
        model: Some("a b".to_owned()),
        ..fork(&recorded(), 2)
    };
    let found = errors(&request, &ConfigLayers::default(), &host());
    let begins = ["`--check command:`", "`--model a b`", "Prompt file not found: none.md"];
    assert!(found.len() >= begins.len(), "{found:?}");
    for (message, begin) in found.iter().zip(begins) {
        assert!(message.starts_with(begin), "{message}");
    }
}

#[test]
fn a_plan_moves_with_its_work_tree() {
    let mut plan = recorded();
    plan.working_directory = "/repo/app".to_owned();
    plan.task_database = Some("/repo/forge/tasks".to_owned());
    plan.relocate_tree("/repo", "/forks/x");
    assert_eq!(plan.working_directory, "/forks/x/app");
    assert_eq!(plan.task_database.as_deref(), Some("/forks/x/forge/tasks"));
    plan.relocate_tree("/forks/x/app", "/y");
    assert_eq!(plan.working_directory, "/y");
}

#[test]
fn every_path_of_a_step_moves_and_commands_are_found() {
    let mut plan = recorded();
    let step = &mut plan.steps[0];
    let check = |check| PlanCheck {
        check,
        name: None,
        when: CheckWhen::Always,
        timeout: Limit::Off,
        must_fail_first: false,
        runner: None,
    };
    let sourced = |value| Sourced { value, source: ValueOrigin::BuiltIn };
    step.prompt.value = Prompt::File("/repo/p.md".to_owned());
    step.done_file = Some(sourced("/repo/done".to_owned()));
    step.checks = [
        CheckSpec::File("/repo/result".to_owned()),
        CheckSpec::Script("/repo/check.sh".to_owned()),
        CheckSpec::Command("test -e /repo/x".to_owned()),
        CheckSpec::Command("test -e /repository".to_owned()),
        CheckSpec::File("relative".to_owned()),
    ]
    .map(|spec| Sourced { value: check(spec), source: ValueOrigin::BuiltIn })
    .to_vec();
    plan.relocate_tree("/repo", "/forks/x");
    let step = &plan.steps[0];
    assert_eq!(step.prompt.value, Prompt::File("/forks/x/p.md".to_owned()));
    assert_eq!(step.done_file.as_ref().map(|file| file.value.as_str()), Some("/forks/x/done"));
    let checks: Vec<String> = step.checks.iter().map(|it| it.value.check.to_string()).collect();
    let expected = [
        "file:/forks/x/result",
        "/forks/x/check.sh",
        "command:\"test -e /repo/x\"",
        "command:\"test -e /repository\"",
        "file:relative",
    ];
    assert_eq!(checks, expected);
    assert_eq!(plan.commands_naming("/repo", 1), ["test -e /repo/x"]);
    assert_eq!(plan.commands_naming("/repo", 2), [""; 0]);
}

#[test]
fn only_the_loop_in_which_it_goes_on_gets_fewer_iterations() {
    let steps =
        r#"{"agent": "a", "iterations": 9}, {"agent": "a"}, {"agent": "a", "iterations": 9}"#;
    let layers = config("", "", steps);
    let recorded = plan(&chain("c"), &layers, &host());
    for (next, expected) in [(1, "a:2 -> a -> a:9"), (2, "a:9 -> a -> a:9"), (3, "a:9 -> a -> a:2")]
    {
        let mut request = fork(&recorded, next);
        request.limits.iterations = Count::parse("2").ok();
        let forked = plan(&request, &ConfigLayers::default(), &host());
        assert_eq!(forked.definition, expected, "{next}");
    }
}

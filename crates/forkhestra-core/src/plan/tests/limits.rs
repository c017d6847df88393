use super::*;
use crate::hook::HookPoint;
use crate::limit::LimitChanges;
use crate::limit::{HumanDuration, Limit, LimitQuantity, Usd};
use crate::marker::Marker;
use crate::text::count::Count;

fn time(text: &str) -> Limit<HumanDuration> {
    Limit::parse(text).expect("the test's time is right")
}

#[test]
fn the_default_limits_hold() {
    let plan = plan(&dsl("a:3"), &ConfigLayers::default(), &FakeHost::default());
    let limits = &plan.steps[0].limits;
    let shown = [
        limits.timeout.value.to_string(),
        limits.idle_timeout.value.to_string(),
        limits.time.value.to_string(),
        limits.cost.value.to_string(),
        limits.stagnation.value.to_string(),
        limits.max_wait.value.to_string(),
        plan.limits.time.value.to_string(),
        plan.limits.cost.value.to_string(),
    ];
    assert_eq!(shown, ["off", "30m", "off", "off", "off", "6h", "off", "off"]);
    assert_eq!(limits.idle_timeout.source, ValueOrigin::Default);
}

#[test]
fn the_command_line_beats_the_step_which_beats_the_chain() {
    let in_chain = r#""limits": {"timeout": "1h"},"#;
    let in_step = r#", "limits": {"timeout": "off"}"#;
    for (of_chain, of_step, typed, expected) in [
        ("", "", None, "off"),
        (in_chain, "", None, "1h"),
        (in_chain, in_step, None, "off"),
        (in_chain, in_step, Some(time("5m")), "5m"),
        (in_chain, "", Some(time("off")), "off"),
    ] {
        let layers = config("", of_chain, &format!(r#"{{"agent": "a"{of_step}}}"#));
        let limits = LimitChanges { timeout: typed, ..LimitChanges::default() };
        let plan = plan(&PlanRequest { limits, ..chain("c") }, &layers, &FakeHost::default());
        let limit = &plan.steps[0].limits.timeout;
        assert_eq!(limit.value.to_string(), expected, "{of_chain} {of_step} {typed:?}");
    }
}

#[test]
fn time_and_cost_are_the_runs_in_a_chain_and_the_steps_in_a_step() {
    let layers = config(
        "",
        r#""limits": {"time": "8h", "cost": 20},"#,
        r#"{"agent": "a", "limits": {"time": "2h"}}, {"agent": "b"}"#,
    );
    let plan = plan(&chain("c"), &layers, &FakeHost::default());
    assert_eq!(plan.limits.time.value, time("8h"));
    assert_eq!(plan.limits.cost.value.to_string(), "$20.00");
    assert_eq!(plan.steps[0].limits.time.value, time("2h"));
    assert_eq!(plan.steps[1].limits.time.value, Limit::Off);
    assert_eq!(plan.steps[0].limits.cost.value, Limit::Off);
}

#[test]
fn every_limit_of_the_command_line_arrives() {
    let limits = LimitChanges {
        timeout: Some(time("1m")),
        idle_timeout: Some(time("2m")),
        stagnation: Some(Limit::At(Count::parse("3").expect("a count"))),
        max_wait: Some(time("4m")),
        run_time: Some(time("5m")),
        run_cost: Some(Limit::At(Usd::parse("6").expect("money"))),
        ..LimitChanges::default()
    };
    let plan =
        plan(&PlanRequest { limits, ..dsl("a") }, &ConfigLayers::default(), &FakeHost::default());
    let step = &plan.steps[0].limits;
    let shown = [
        (step.timeout.value.to_string(), &step.timeout.source),
        (step.idle_timeout.value.to_string(), &step.idle_timeout.source),
        (step.stagnation.value.to_string(), &step.stagnation.source),
        (step.max_wait.value.to_string(), &step.max_wait.source),
        (plan.limits.time.value.to_string(), &plan.limits.time.source),
        (plan.limits.cost.value.to_string(), &plan.limits.cost.source),
    ];
    let shown = shown.map(|(value, source)| format!("{source} {value}"));
    assert_eq!(
        shown,
        [
            "--timeout 1m",
            "--idle-timeout 2m",
            "--stagnation 3",
            "--max-wait 4m",
            "--max-time 5m",
            "--max-cost $6.00",
        ]
    );
}

#[test]
fn markers_are_replaced_and_not_added_to() {
    let markers = |request: &PlanRequest, layers: &ConfigLayers| {
        let plan = plan(request, layers, &FakeHost::default());
        let values = plan.steps[0].markers.value.clone();
        values.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let step = r#"{"agent": "a", "iterations": 2, "markers": ["STEP"]}"#;
    let layers = config("", r#""markers": ["CHAIN"],"#, step);
    assert_eq!(markers(&chain("c"), &layers), ["STEP"]);
    let layers = config("", r#""markers": ["CHAIN"],"#, r#"{"agent": "a", "iterations": 2}"#);
    assert_eq!(markers(&chain("c"), &layers), ["CHAIN"]);
    let typed = vec![Marker::parse("TYPED").expect("a marker")];
    assert_eq!(markers(&PlanRequest { markers: typed, ..chain("c") }, &layers), ["TYPED"]);
    assert_eq!(markers(&dsl("a:2"), &ConfigLayers::default()), crate::marker::DEFAULT_MARKERS);
}

#[test]
fn loop_only_settings_warn_without_a_loop() {
    let request = |text: &str| PlanRequest {
        markers: vec![Marker::parse("X").expect("a marker")],
        done_file: Some("done".to_owned()),
        ..dsl(text)
    };
    let warnings = |text: &str| {
        let planned = planned(&request(text), &ConfigLayers::default(), &FakeHost::default());
        planned.warnings.into_iter().map(|warning| warning.message).collect::<Vec<_>>()
    };
    assert_eq!(
        warnings("a -> b"),
        [
            "`--marker` has no effect: no step of the chain loops",
            "`--done-file` has no effect: no step of the chain loops",
        ]
    );
    assert!(warnings("a -> b:1").is_empty());
}

#[test]
fn hooks_of_the_chain_come_before_those_of_the_command_line() {
    let layers = config(
        "",
        r#""hooks": {"on-complete": ["one", "two"], "on-limit": "three"},"#,
        r#"{"agent": "a"}"#,
    );
    let hooks = vec![(HookPoint::OnComplete, "four".to_owned())];
    let plan = plan(&PlanRequest { hooks, ..chain("c") }, &layers, &FakeHost::default());
    let shown: Vec<String> =
        plan.hooks.iter().map(|hook| format!("{} {}", hook.value.on, hook.value.run)).collect();
    assert_eq!(shown, ["on-complete one", "on-complete two", "on-limit three", "on-complete four"]);
}

#[test]
fn a_chain_without_steps_is_refused() {
    let refused = build(&chain("c"), &config("", "", ""), &FakeHost::default());
    let messages = refused.expect_err("nothing to run").into_iter().map(|error| error.message);
    assert_eq!(messages.collect::<Vec<_>>(), ["the chain 'c' has no steps"]);
}

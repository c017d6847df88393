//! Plans are stored as JSON and read back when their run is resumed.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::*;
use crate::check::CheckSpec;
use crate::config::{
    Backend, Billing, CheckWhen, CompletionRule, OnCycle, OnHookError, OnProtectedChange,
    Permissions,
};
use crate::cost::{ModelPrice, TokenRate};
use crate::hook::HookPoint;
use crate::limit::{HumanDuration, Limit, LimitQuantity, Usd};
use crate::marker::Marker;
use crate::quota::QuotaLimits;
use crate::text::count::Count;
use crate::text::lane_count::LaneCount;

fn text() -> impl Strategy<Value = String> + Clone {
    prop_oneof!["[a-z/.]{0,6}", ".{0,12}"]
}

fn env() -> impl Strategy<Value = EnvVars> {
    vec("[A-Z_]{1,4}", 0..3)
        .prop_map(|names| EnvVars(names.into_iter().map(|name| (name, String::new())).collect()))
}

fn origin() -> impl Strategy<Value = ValueOrigin> {
    prop_oneof![
        "--[a-z]{1,8}".prop_map(|flag| ValueOrigin::Flag(flag.into())),
        Just(ValueOrigin::CommandLine),
        (text(), 1usize.., 1usize..).prop_map(|(path, line, column)| ValueOrigin::File {
            path,
            line,
            column
        }),
        Just(ValueOrigin::Path),
        Just(ValueOrigin::Bin),
        Just(ValueOrigin::GivenPath),
        Just(ValueOrigin::Default),
        "[a-z ]{0,12}".prop_map(|reason| ValueOrigin::Implied(reason.into())),
    ]
}

fn sourced<T: Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Sourced<T>> {
    (value, origin()).prop_map(|(value, source)| Sourced::new(value, source))
}

fn count() -> impl Strategy<Value = Count> {
    (1..=u32::MAX).prop_map(|number| Count::parse(&number.to_string()).expect("a count"))
}

fn limit<T: Debug + Clone>(at: impl Strategy<Value = T>) -> impl Strategy<Value = Limit<T>> {
    of(at).prop_map(|limit| limit.map_or(Limit::Off, Limit::At))
}

fn time() -> impl Strategy<Value = Limit<HumanDuration>> {
    let parse = |ms: u64| HumanDuration::parse(&format!("{ms}ms")).expect("a time");
    limit(prop_oneof![
        (1..1_000_000_000u64).prop_map(HumanDuration::from_secs),
        (1..1_000_000_000u64).prop_map(parse)
    ])
}

fn cost() -> impl Strategy<Value = Limit<Usd>> {
    let parse = |(dollars, micros): (u32, u32)| Usd::parse(&format!("{dollars}.{micros:06}"));
    limit((0..1_000_000u32, 1..1_000_000u32).prop_map(move |usd| parse(usd).expect("an amount")))
}

fn prompt() -> impl Strategy<Value = Prompt> {
    prop_oneof![Just(Prompt::None), text().prop_map(Prompt::Text), text().prop_map(Prompt::File)]
}

fn location() -> impl Strategy<Value = ProgramLocation> {
    let missing = [
        NotRunnableReason::NotOnPath,
        NotRunnableReason::NoSuchFile,
        NotRunnableReason::NotAFile,
        NotRunnableReason::NotExecutable,
        NotRunnableReason::OutOfReach,
    ];
    prop_oneof![
        text().prop_map(ProgramLocation::Found),
        prop::sample::select(missing.to_vec()).prop_map(ProgramLocation::Missing)
    ]
}

fn words() -> impl Strategy<Value = (Backend, Permissions, Billing)> {
    let permissions = [Permissions::Skip, Permissions::Default];
    let billing = [Billing::Any, Billing::Subscription, Billing::ApiKey];
    (
        prop::sample::select(Backend::ALL.to_vec()),
        prop::sample::select(permissions.to_vec()),
        prop::sample::select(billing.to_vec()),
    )
}

fn prices() -> impl Strategy<Value = BTreeMap<String, ModelPrice>> {
    let rate = || (0..1_000_000_000u32).prop_map(|micros| f64::from(micros) / 1e6);
    let price = (rate(), rate(), rate()).prop_map(|(input, output, cache_read)| {
        let rate = |dollars| TokenRate::from_dollars(dollars).expect("six decimals");
        ModelPrice { cache_read: rate(cache_read), ..ModelPrice::new(rate(input), rate(output)) }
    });
    prop::collection::btree_map(text(), price, 0..3)
}

fn agent() -> impl Strategy<Value = PlanAgent> {
    let program = (text(), location(), env()).prop_map(|(command, location, env)| {
        AgentKind::Program(AgentProgram { command, location, env })
    });
    let texts = (text(), of(text()), of(text()), of(text()));
    let tools = (of(vec(text(), 0..3)), of(vec(text(), 0..3)));
    let direct = (texts, tools, location(), sourced(prompt()), of(count()), env(), words())
        .prop_map(
            |(
                texts,
                tools,
                location,
                system_prompt,
                max_turns,
                env,
                (backend, permissions, billing),
            )| {
                AgentKind::Direct(DirectSpawn {
                    backend,
                    command: texts.0,
                    location,
                    system_prompt,
                    mcp_config: texts.1,
                    settings: texts.2,
                    model: texts.3,
                    max_turns,
                    allowed_tools: tools.0,
                    disallowed_tools: tools.1,
                    permissions,
                    billing,
                    env,
                })
            },
        );
    (text(), origin(), prop_oneof![program, direct]).prop_map(|(name, source, kind)| PlanAgent {
        replay: source.to_string().len().is_multiple_of(2).then(|| Replay {
            recording: name.clone(),
            step: 3,
            speed: ReplaySpeed::Max,
        }),
        adjusted: BTreeMap::from([("model".to_owned(), source.clone())]),
        name,
        source,
        kind,
    })
}

fn check() -> impl Strategy<Value = PlanCheck> {
    let spec = prop_oneof![
        text().prop_map(CheckSpec::Command),
        text().prop_map(CheckSpec::File),
        text().prop_map(CheckSpec::Marker),
        Just(CheckSpec::ExitCode),
        Just(CheckSpec::Tasks),
        text().prop_map(CheckSpec::Script),
    ];
    let when = prop::sample::select(&[CheckWhen::Completion, CheckWhen::Always][..]);
    let runner = (prop::sample::select(&ModuleRunnerKind::ALL[..]), text())
        .prop_map(|(kind, path)| ModuleRunner { kind, path });
    (spec, of(text()), when, time(), of(runner)).prop_map(|(check, name, when, timeout, runner)| {
        PlanCheck { check, name, when, timeout, must_fail_first: false, runner }
    })
}

fn clean_room() -> impl Strategy<Value = CleanRoom> {
    (of(text()), time(), vec(text(), 0..3)).prop_map(|(setup, timeout, keep)| CleanRoom {
        setup,
        timeout,
        keep,
    })
}

fn protection() -> impl Strategy<Value = Protection> {
    let on_change =
        prop::sample::select(&[OnProtectedChange::Refuse, OnProtectedChange::Allow][..]);
    (vec(text(), 0..3), on_change)
        .prop_map(|(patterns, on_change)| Protection { patterns, on_change })
}

fn hook() -> impl Strategy<Value = PlanHook> {
    let point = prop::sample::select(&HookPoint::ALL[..]);
    let on_error = prop::sample::select(&[OnHookError::Continue, OnHookError::Abort][..]);
    (point, text(), time(), on_error).prop_map(|(on, run, timeout, on_error)| PlanHook {
        on,
        run,
        timeout,
        on_error,
    })
}

fn markers() -> impl Strategy<Value = Vec<Marker>> {
    let marker = prop_oneof!["[!-.0-~][ -~]{0,9}", "/[a-z ]{1,9}/", "/[a-z]{1,3}/[a-z]{1,3}/"];
    vec(marker.prop_map(|text| Marker::parse(&text).expect("a marker")), 0..4)
}

fn step_limits() -> impl Strategy<Value = StepLimits> {
    let times = (sourced(time()), sourced(time()), sourced(time()), sourced(time()));
    let others = (sourced(cost()), sourced(limit(count())), sourced(quota()));
    (times, others).prop_map(|(times, (cost, stagnation, quota))| StepLimits {
        timeout: times.0,
        idle_timeout: times.1,
        time: times.2,
        max_wait: times.3,
        cost,
        stagnation,
        quota,
    })
}

fn quota() -> impl Strategy<Value = Limit<QuotaLimits>> {
    const QUOTAS: &[&str] = &["off", "5h=90%", "7d=even", "5h=1%,7d=100%"];
    prop::sample::select(QUOTAS).prop_map(|text| Limit::parse(text).expect("a quota"))
}

fn lane_count() -> impl Strategy<Value = LaneCount> {
    (LaneCount::MIN..=LaneCount::MAX).prop_map(|number| LaneCount::new(number).expect("in range"))
}

fn best_of() -> impl Strategy<Value = BestOf> {
    let script = text().prop_map(|path| BestPick::Script(PickScript { path, runner: None }));
    let pick = prop_oneof![
        Just(BestPick::First),
        Just(BestPick::Cheapest),
        Just(BestPick::Smallest),
        script,
    ];
    (lane_count(), pick).prop_map(|(lanes, pick)| BestOf { lanes, pick })
}

fn lane_settings() -> impl Strategy<Value = LaneSettings> {
    let lists = (of(vec(text(), 0..3)), vec(text(), 0..3));
    (of(text()), lists, time()).prop_map(|(setup, (copy, keep), timeout)| LaneSettings {
        setup,
        copy,
        keep,
        timeout,
    })
}

fn step() -> impl Strategy<Value = PlanStep> {
    let completion = prop::sample::select(&[CompletionRule::Marker, CompletionRule::Checks][..]);
    let ends = (sourced(completion), sourced(markers()), of(sourced(text())));
    let asked = (vec(sourced(text()), 0..3), sourced(prompt()), vec(sourced(check()), 0..3));
    let on_cycle = prop::sample::select(&[OnCycle::Report, OnCycle::Stop][..]);
    let guards = (of(sourced(clean_room())), of(sourced(protection())), of(sourced(on_cycle)));
    // So many strategies would overflow the stack of a test.
    let (agent, guards, asked) = (agent().boxed(), guards.boxed(), asked.boxed());
    let lanes = (of(lane_count()), of(best_of()), of(sourced(lane_settings())));
    let limits = (step_limits(), lanes).boxed();
    (1usize.., agent, of(count()), ends, asked, guards, limits).prop_map(
        |(number, agent, iterations, ends, asked, guards, (limits, lanes))| PlanStep {
            conditions: Vec::new(),
            decides_round: false,
            round_checks: Vec::new(),
            require_work: number % 2 == 1,
            works_through_tasks: number % 3 == 1,
            priced_model: (number % 2 == 1).then(|| "gpt-5.5".to_owned()),
            number,
            agent,
            fallback: None,
            iterations,
            lanes: lanes.0,
            best: lanes.1,
            lane_settings: lanes.2,
            task: (number % 2 == 0).then(|| "TASK-001".to_owned()),
            args: asked.0,
            prompt: asked.1,
            completion: ends.0,
            markers: ends.1,
            done_file: ends.2,
            checks: asked.2,
            calibrate: number % 2 == 0,
            clean_room: guards.0,
            protect: guards.1,
            on_cycle: guards.2,
            sandbox: None,
            limits,
        },
    )
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let names = (of(text()), text(), of(text()), text(), of(text()), of(text()));
    let limits =
        (sourced(time()), sourced(cost())).prop_map(|(time, cost)| RunLimits { time, cost });
    let lists = (vec(step(), 0..3), vec(sourced(hook()), 0..3), of(sourced(lane_settings())));
    (names, any::<u32>(), origin(), lists, limits, any::<bool>(), prices()).prop_map(
        |(names, version, source, lists, limits, feedback, prices)| Plan {
            approves_all: false,
            flow: None,
            lane_settings: lists.2,
            snapshots: !feedback,
            programs: feedback.then(Vec::new),
            prompts: feedback.then(BTreeMap::new),
            scripts_may_change: feedback,
            is_masked: feedback,
            record: names.2.clone(),
            prices,
            version,
            chain: names.0,
            definition: names.1,
            source,
            description: names.2,
            working_directory: names.3,
            state_directory: names.4,
            task_database: names.5,
            steps: lists.0,
            hooks: lists.1,
            limits,
            feedback,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_plan_reads_back_as_it_was(plan in any_plan()) {
        let value = serde_json::to_value(&plan).expect("a plan is JSON");
        prop_assert_eq!(&serde_json::from_value::<Plan>(value).expect("a plan"), &plan);
        let text = serde_json::to_string(&plan).expect("a plan is JSON");
        prop_assert_eq!(&serde_json::from_str::<Plan>(&text).expect("a plan"), &plan);
    }
}

#[test]
fn a_built_plan_reads_back_as_it_was() {
    let layers = config(
        r#""b": {"systemPromptText": "Build.", "maxTurns": 5, "model": "opus"}"#,
        r#""limits": {"cost": 2.5, "timeout": "250ms"}, "hooks": {"on-limit": "x"},
           "markers": ["DONE", "/^all .* done$/"],"#,
        r#"{"agent": "b", "iterations": 3, "checks": ["marker:ok", "exit-code"]}, {"agent": "c"}"#,
    );
    let built = plan(&chain("c"), &layers, &FakeHost::default().with_program("c"));
    let json = serde_json::to_string(&built).expect("a plan is JSON");
    assert_eq!(serde_json::from_str::<Plan>(&json).expect("a plan"), built);
}

/// Journals from before clean rooms and the like hold plans without those members.
#[test]
fn a_plan_without_the_members_of_later_versions_is_read() {
    let layers = config(
        "",
        r#""cleanRoom": true, "protect": ["tests"], "onCycle": "stop","#,
        r#"{"agent": "a", "iterations": 3, "checks": ["c.ts"]}"#,
    );
    let host = FakeHost::default().with_file("c.ts").with_program("node");
    let mut expected = plan(&chain("c"), &layers, &host);
    let mut json = serde_json::to_value(&expected).expect("a plan is JSON");
    let mut forget = |pointer: &str, member: &str| {
        let object = json.pointer_mut(pointer).and_then(serde_json::Value::as_object_mut);
        let forgotten = object.expect("it is an object").remove(member);
        assert!(forgotten.is_some(), "{member} was there");
    };
    forget("", "snapshots");
    for member in ["cleanRoom", "protect", "onCycle"] {
        forget("/steps/0", member);
    }
    forget("/steps/0/checks/0/value", "runner");
    expected.snapshots = false;
    let step = &mut expected.steps[0];
    (step.clean_room, step.protect, step.on_cycle) = (None, None, None);
    step.checks[0].value.runner = None;
    assert_eq!(serde_json::from_value::<Plan>(json).expect("a plan"), expected);
}

#[test]
fn the_values_of_variables_are_not_stored_and_can_be_filled_in() {
    let layers = config(r#""a": {"env": {"KEY": "s3cret", "B": "c"}}"#, "", r#"{"agent": "a"}"#);
    let built = plan(&chain("c"), &layers, &FakeHost::default());
    let json = serde_json::to_string(&built).expect("a plan is JSON");
    assert!(!json.contains("s3cret"), "{json}");
    let mut read: Plan = serde_json::from_str(&json).expect("a plan");
    let env = read.steps[0].agent.kind.env_mut().expect("it is a program");
    let one = BTreeMap::from([("KEY".to_owned(), "s3cret".to_owned())]);
    assert_eq!(env.fill(&one), ["B"]);
    let other = BTreeMap::from([("B".to_owned(), "c".to_owned())]);
    assert_eq!(env.fill(&other), ["KEY"]);
    assert_eq!(read, built);
}

#[test]
fn the_usual_limits_are_seconds() {
    let built = plan(&dsl("a:3"), &ConfigLayers::default(), &FakeHost::default());
    let read: Plan =
        serde_json::from_value(serde_json::to_value(&built).expect("it is JSON")).expect("a plan");
    let Limit::At(idle) = read.steps[0].limits.idle_timeout.value else { panic!("it is off") };
    assert_eq!(idle.duration(), Duration::from_secs(1800));
}

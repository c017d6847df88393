//! Lanes, best of N and parallel stages in plans.

use super::*;
use crate::check::CheckSpec;
use crate::config::CheckWhen;
use crate::limit::{HumanDuration, Limit};
use crate::text::lane_count::LaneCount;

fn host() -> FakeHost {
    FakeHost::default().with_program("a").with_program("b").with_program("c")
}

fn of(text: &str) -> Plan {
    plan(&dsl(text), &config("", "", ""), &host())
}

fn messages(built: &BuiltPlan) -> Vec<&str> {
    built.warnings.iter().map(|warning| warning.message.as_str()).collect()
}

#[test]
fn lanes_are_in_the_plan_and_its_json() {
    let built = of("a:20 x4 -> ((b:5 -> c):10 x3 | a:2 best2) else b");
    assert_eq!(built.definition, "a:20 x4 -> ((b:5 -> c):10 x3 | a:2 best2) else b");
    let json = serde_json::to_value(&built).expect("a plan is JSON");
    assert_eq!(json["steps"][0]["lanes"], 4);
    assert_eq!(json["steps"][3]["best"], serde_json::json!({"lanes": 2, "pick": "first"}));
    assert_eq!(
        json["flow"].to_string(),
        r#"[{"step":1},{"alternatives":[[{"parallel":[[{"group":{"lanes":3,"number":1,"rounds":10,"stages":[{"step":2},{"step":3}]}}],[{"step":4}]]}],[{"step":5}]]}]"#
    );
    let read: Plan = serde_json::from_value(json).expect("a plan");
    assert_eq!(read, built);
}

#[test]
fn a_plan_without_lanes_has_none_of_their_members() {
    let json = serde_json::to_value(of("(a -> b):2")).expect("a plan is JSON");
    assert!(json.get("laneSettings").is_none());
    for member in ["lanes", "best", "laneSettings"] {
        assert!(json["steps"][0].get(member).is_none(), "{member}");
        assert!(json["flow"][0]["group"].get(member).is_none(), "{member}");
    }
}

#[test]
fn a_step_knows_its_outermost_stage_with_lanes() {
    // A step, the steps of its stage, and the lanes of the stage.
    type Laned = (usize, &'static [usize], u32);
    let table: [(&str, &[Laned]); 6] = [
        ("a -> b:2", &[]),
        ("a -> b:2 x2 -> c", &[(2, &[2], 2)]),
        ("a:5 best3", &[(1, &[1], 3)]),
        ("(a -> b):9 x4 -> c", &[(1, &[1, 2], 4), (2, &[1, 2], 4)]),
        ("c -> (a:9 x2 -> b | c)", &[(2, &[2, 3, 4], 3), (3, &[2, 3, 4], 3), (4, &[2, 3, 4], 3)]),
        ("(a else b:2 x2 -> c):3", &[(2, &[2], 2)]),
    ];
    for (text, expected) in table {
        let built = of(text);
        let found: Vec<(usize, Vec<usize>, u32)> = (1..=built.steps.len())
            .filter_map(|step| {
                let stage = built.laned_stage_of(step)?;
                Some((step, stage.steps(), stage.lanes(&built.steps)))
            })
            .collect();
        let expected: Vec<(usize, Vec<usize>, u32)> =
            expected.iter().map(|(step, steps, lanes)| (*step, steps.to_vec(), *lanes)).collect();
        assert_eq!(found, expected, "{text}");
        assert_eq!(built.has_lanes(), !expected.is_empty(), "{text}");
    }
}

#[test]
fn stages_with_lanes_are_listed_once() {
    let built = of("a:2 x2 -> (b | c) -> a -> (b -> c):2 x5");
    let steps: Vec<Vec<usize>> = built.laned_stages().iter().map(LanedStage::steps).collect();
    assert_eq!(steps, [vec![1], vec![2, 3], vec![5, 6]]);
}

/// Lanes share iterations and rounds, but each lane of best of N has all of them.
#[test]
fn bounds_count_lanes() {
    let table = [
        ("a:20 x4", (20, 4)),
        ("a:5 best3", (15, 3)),
        ("(a:5 -> b):10 x3", (60, 3)),
        ("(a:20 x4 | b:2 -> c | c:3 best2)", (29, 7)),
        ("a -> ? -> b", (2, 1)),
        ("a:3 x2 else b:4 x3", (7, 3)),
        ("?", (0, 0)),
    ];
    for (text, (iterations, at_once)) in table {
        let built = of(text);
        let found = (built.bound().iterations, built.agents_at_once());
        assert_eq!(found, (iterations, at_once), "{text}");
    }
}

#[test]
fn checks_of_files_run_at_landings() {
    let checks = r#""checks": ["command:\"make\"", "file:x", "tasks", "marker:/x/", "exit-code",
                   {"check": "command:\"slow\"", "when": "completion"},
                   {"check": "file:y", "when": "always"},
                   {"check": "file:z", "when": "landing"}],"#;
    let steps = r#"{"agent": "a", "iterations": 9, "lanes": 3}, {"agent": "b", "iterations": 9},
                   {"parallel": ["c:2", "a:2"]}, {"group": "b:2 -> c:2", "rounds": 9, "lanes": 2}"#;
    let built = plan(&chain("c"), &config("", checks, steps), &host());
    let (landing, completion, always) =
        (CheckWhen::Landing, CheckWhen::Completion, CheckWhen::Always);
    let in_lanes =
        [landing, landing, completion, completion, completion, completion, always, landing];
    // In a step without lanes, a check of the chain runs as usual.
    let elsewhere = [completion; 6].into_iter().chain([always, completion]).collect();
    for (step, expected) in [
        (1, in_lanes.to_vec()),
        (2, elsewhere),
        (3, in_lanes.to_vec()),
        (4, in_lanes.to_vec()),
        (5, in_lanes.to_vec()),
        (6, in_lanes.to_vec()),
    ] {
        let checks = &built.steps[step - 1].checks;
        let when: Vec<CheckWhen> = checks.iter().map(|check| check.value.when).collect();
        assert_eq!(when, expected, "step {step}");
    }
}

#[test]
fn typed_checks_of_files_run_at_landings() {
    let mut request = dsl("a:9 x3 -> b:9");
    request.checks = vec!["command:\"make\"".to_owned(), "tasks".to_owned()];
    let built = plan(&request, &config("", "", ""), &host());
    let when = |step: usize| -> Vec<CheckWhen> {
        built.steps[step].checks.iter().map(|check| check.value.when).collect()
    };
    assert_eq!(when(0), [CheckWhen::Landing, CheckWhen::Completion]);
    assert_eq!(when(1), [CheckWhen::Completion; 2]);
}

#[test]
fn a_check_at_landings_needs_lanes() {
    let check = r#""checks": [{"check": "file:x", "when": "landing"}]"#;
    let message = "\"landing\" | a check runs at landings, and nothing lands here";
    let of_chain = config("", &format!("{check},"), r#"{"agent": "a", "iterations": 2}"#);
    assert_eq!(errors(&chain("c"), &of_chain, &host()), [message]);
    let steps = format!(
        r#"{{"agent": "a", "iterations": 2, {check}}}, {{"agent": "b", "iterations": 2, "lanes": 2}}"#
    );
    assert_eq!(errors(&chain("c"), &config("", "", &steps), &host()), [message]);
}

#[test]
fn the_nearest_settings_of_lanes_hold() {
    let lane = |setup: &str| format!(r#""lane": {{"setup": "{setup}"}}"#);
    let steps = format!(
        r#"{{"agent": "a", "iterations": 2, "lanes": 2}},
           {{"agent": "a", "iterations": 2, "lanes": 2, {own}}},
           {{"group": [{{"agent": "b", "iterations": 2, "best": 2}}, {{"agent": "c"}}], {group}}},
           {{"group": "b -> c", "rounds": 2, "lanes": 2, {group}}},
           {{"parallel": ["b", [{{"agent": "c", "iterations": 2, "lanes": 2, {own}}}]], {parallel}}},
           {{"agent": "a", "iterations": 2}}"#,
        own = lane("own"),
        group = lane("group"),
        parallel = lane("parallel"),
    );
    let built = planned(&chain("c"), &config("", &format!("{},", lane("chain")), &steps), &host());
    assert_eq!(messages(&built), [""; 0]);
    let plan = built.plan;
    let setups: Vec<&str> = (1..=plan.steps.len())
        .map(|step| {
            let settings = plan.lane_settings_of(step);
            settings.and_then(|settings| settings.value.setup.as_deref()).unwrap_or("-")
        })
        .collect();
    let expected = ["chain", "own", "group", "-", "group", "group", "parallel", "own", "-"];
    assert_eq!(setups, expected);
    let group = plan.group(2).and_then(|group| group.lane_settings.as_ref());
    assert_eq!(group.and_then(|lane| lane.value.setup.as_deref()), Some("group"));
    assert!(plan.group(1).is_some_and(|group| group.lane_settings.is_none()));
    assert!(plan.lane_settings.is_some());
}

/// The nearest settings hold as a whole.
#[test]
fn settings_of_lanes_have_a_timeout_and_whole_paths() {
    let chain_lane = r#""lane": {"setup": "npm ci", "copy": [".env"]},"#;
    let steps = r#"{"agent": "a", "iterations": 2, "lanes": 2,
                    "lane": {"keep": ["./target/", "target/x"], "timeout": "15m"}}"#;
    let built = plan(&chain("c"), &config("", chain_lane, steps), &host());
    let ten = HumanDuration::from_secs(600);
    let chain = built.lane_settings.expect("settings").value;
    assert_eq!(chain.copy, Some(vec![".env".to_owned()]));
    assert_eq!(chain.timeout, Limit::At(ten));
    let own = built.steps[0].lane_settings.as_ref().expect("settings");
    assert_eq!(
        own.value,
        LaneSettings {
            setup: None,
            copy: None,
            keep: vec!["target".to_owned()],
            timeout: Limit::At(HumanDuration::from_secs(900)),
        }
    );
    assert!(own.source.to_string().starts_with("chains.json:"), "{}", own.source);
}

#[test]
fn settings_that_hold_for_no_lane_have_a_warning() {
    let unused = "`lane` has no effect: no lane has these settings";
    for (members, steps) in [
        (r#""lane": {},"#, r#"{"agent": "a"}"#),
        ("", r#"{"group": "a -> b", "lane": {}}"#),
        // The lanes are those of the outer group.
        ("", r#"{"group": [{"group": "a -> b", "lane": {}}], "rounds": 2, "lanes": 2}"#),
        // Every lane has settings of its own.
        (r#""lane": {},"#, r#"{"agent": "a", "iterations": 2, "lanes": 2, "lane": {}}"#),
    ] {
        let built = planned(&chain("c"), &config("", members, steps), &host());
        assert_eq!(messages(&built), [unused], "{members} {steps}");
    }
}

#[test]
fn best_of_n_has_its_choice() {
    let steps = |pick: &str| {
        config("", "", &format!(r#"{{"agent": "a", "iterations": 5, "best": 3{pick}}}"#))
    };
    let best = |layers: &ConfigLayers, host: &FakeHost| {
        plan(&chain("c"), layers, host).steps[0].best.clone().expect("best of N")
    };
    let first = best(&steps(""), &host());
    assert_eq!((first.lanes, first.pick), (LaneCount::new(3).expect("in range"), BestPick::First));
    assert_eq!(best(&steps(r#", "pick": "smallest""#), &host()).pick, BestPick::Smallest);
    let script = steps(r#", "pick": "score.sh""#);
    let with_script = host().with_file("score.sh");
    assert_eq!(
        best(&script, &with_script).pick,
        BestPick::Script(PickScript { path: "score.sh".to_owned(), runner: None })
    );
    // An agent that may change the script would decide which lane lands.
    let protect = plan(&chain("c"), &script, &with_script).steps[0].protect.clone();
    assert_eq!(protect.map(|protect| protect.value.patterns), Some(vec!["score.sh".to_owned()]));
    let missing = errors(&chain("c"), &script, &host());
    assert!(missing[0].starts_with("\"score.sh\" | Check script 'score.sh'"), "{missing:?}");
}

#[test]
fn some_options_are_for_one_agent() {
    let refused = |change: fn(&mut PlanRequest)| {
        let mut request = dsl("a:9 x3 -> b");
        change(&mut request);
        errors(&request, &config("", "", ""), &host())
    };
    for (option, change) in [
        (
            "--done-file",
            (|request: &mut PlanRequest| request.done_file = Some("done".to_owned())) as fn(&mut _),
        ),
        ("--record", |request: &mut PlanRequest| request.record = Some("rec".to_owned())),
        ("--no-snapshots", |request: &mut PlanRequest| request.snapshots = false),
    ] {
        assert_eq!(refused(change), [format!("`{option}` is for one agent at a time")]);
    }
    let both = refused(|request| {
        request.snapshots = false;
        request.record = Some("rec".to_owned());
    });
    assert_eq!(both.len(), 2, "{both:?}");
    let off = config("", r#""snapshots": false,"#, r#"{"parallel": ["a", "b"]}"#);
    assert_eq!(
        errors(&chain("c"), &off, &host()),
        ["`\"snapshots\": false` is for one agent at a time"]
    );
}

#[test]
fn too_many_lanes_at_once_are_refused() {
    let refused = errors(&dsl("(a:99 x64 | b)"), &config("", "", ""), &host());
    assert_eq!(refused, ["the chain has 65 lanes at once, and at most 64 are possible"]);
    of("a:99 x64 -> b:99 x64");
    let many = vec!["a"; 65].join(" | ");
    assert_eq!(errors(&dsl(&format!("({many})")), &config("", "", ""), &host()), refused);
}

#[test]
fn more_lanes_than_iterations_have_a_warning() {
    let built = planned(&dsl("a:3 x4 -> b:4 x4"), &config("", "", ""), &host());
    assert_eq!(messages(&built), ["step 1 ('a') has more lanes than iterations: 4 and 3"]);
}

#[test]
fn alternatives_of_parallel_stages_replace_all_of_them() {
    let built = of("(a -> b | c) else a");
    assert_eq!(built.replaced_steps(4, 2), [1, 2, 3]);
    assert_eq!(built.enclosing_stage(2), 1..=4);
    let built = of("(a else b | c)");
    assert_eq!(built.replaced_steps(2, 1), [1]);
}

#[test]
fn group_checks_run_at_completion() {
    let steps = r#"{"group": "a -> b", "rounds": 9, "lanes": 2, "checks": ["command:\"make\""]}"#;
    let built = plan(&chain("c"), &config("", "", steps), &host());
    let check = &built.steps[1].round_checks[0].check.value;
    assert_eq!(check.check, CheckSpec::Command("make".to_owned()));
    assert_eq!(check.when, CheckWhen::Completion);
}

/// Work of another branch may land before the condition is checked.
#[test]
fn scripts_of_conditions_are_protected_from_all_branches() {
    let steps = r#"{"parallel": [[{"agent": "a", "if": "ready.sh"}], "b -> c:2"]}, {"agent": "a"}"#;
    let host = host().with_file("ready.sh").with_program("./ready.sh");
    let built = plan(&chain("c"), &config("", "", steps), &host);
    let protected: Vec<bool> = built.steps.iter().map(|step| step.protect.is_some()).collect();
    assert_eq!(protected, [true, true, true, false]);
}

#[test]
fn a_recorded_agent_cannot_work_in_lanes() {
    let agents = r#""r": {"backend": "replay", "recording": "rec"}"#;
    let host = host().with_recording("rec", &[("a", None)]);
    let layers = config(agents, "", r#"{"parallel": ["r", "a"]}"#);
    let refused = errors(&chain("c"), &layers, &host);
    assert_eq!(refused, ["`\"backend\": \"replay\"` is for one agent at a time"]);
    let layers =
        config(agents, "", r#"{"agent": "r"}, {"agent": "a", "iterations": 2, "lanes": 2}"#);
    plan(&chain("c"), &layers, &host);
}

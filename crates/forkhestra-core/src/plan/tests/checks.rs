use super::*;
use crate::built_in::TASK_AGENTS;

/// The checks of every step, with their origins.
fn checks(request: &PlanRequest, layers: &ConfigLayers, host: &FakeHost) -> Vec<Vec<String>> {
    let plan = plan(request, layers, host);
    let shown = |check: &Sourced<PlanCheck>| match &check.source {
        ValueOrigin::Implied(_) => format!("{} implied", check.value.check),
        _ => check.value.check.to_string(),
    };
    plan.steps.iter().map(|step| step.checks.iter().map(shown).collect()).collect()
}

fn with_checks(request: PlanRequest, checks: &[&str]) -> PlanRequest {
    PlanRequest { checks: checks.iter().map(|check| (*check).to_owned()).collect(), ..request }
}

#[test]
fn a_step_that_works_through_tasks_gets_the_tasks_check() {
    let none = ConfigLayers::default();
    let tasks =
        FakeHost::default().with_tasks().with_program("fk:builder").with_program("fk:fixer");
    for agent in TASK_AGENTS {
        let looping = dsl(&format!("{agent}:3"));
        assert_eq!(checks(&looping, &none, &tasks), [["tasks implied"]], "{agent}");
        // Whether there is a database is determined when the step begins.
        let host = FakeHost::default().with_program("fk:builder");
        assert_eq!(checks(&looping, &none, &host), [["tasks implied"]], "{agent}, no database");
        assert_eq!(checks(&dsl(agent), &none, &tasks), [[""; 0]], "{agent}, once");
    }
    assert_eq!(checks(&dsl("planner:3"), &none, &tasks), [[""; 0]]);
}

#[test]
fn checks_of_its_own_or_an_empty_list_turn_the_tasks_check_off() {
    let tasks = FakeHost::default().with_tasks();
    let table: [(&str, &str, &[&str]); 5] = [
        ("", "", &["tasks implied"]),
        ("", r#", "checks": []"#, &[]),
        ("", r#", "checks": ["exit-code"]"#, &["exit-code"]),
        (r#""checks": ["exit-code"],"#, "", &["exit-code"]),
        (r#""checks": ["exit-code"],"#, r#", "checks": []"#, &[]),
    ];
    for (of_chain, of_step, expected) in table {
        let step = format!(r#"{{"agent": "builder", "iterations": 3{of_step}}}"#);
        let layers = config("", of_chain, &step);
        assert_eq!(checks(&chain("c"), &layers, &tasks), [expected], "{of_chain} {of_step}");
    }
}

#[test]
fn checks_of_the_command_line_come_on_top() {
    let tasks = FakeHost::default().with_tasks();
    let request = with_checks(dsl("builder:3"), &["command:make"]);
    assert_eq!(
        checks(&request, &ConfigLayers::default(), &tasks),
        [["tasks implied", "command:\"make\""]]
    );
}

#[test]
fn an_implied_check_is_not_added_twice() {
    let tasks = FakeHost::default().with_tasks();
    let request = with_checks(dsl("builder:3"), &["tasks", "exit-code", "exit-code"]);
    assert_eq!(checks(&request, &ConfigLayers::default(), &tasks), [["tasks", "exit-code"]]);
}

#[test]
fn a_check_for_an_agent_outside_the_chain_is_an_error() {
    let request = with_checks(dsl("a -> b"), &["c:exit-code"]);
    let Err(errors) = build(&request, &ConfigLayers::default(), &FakeHost::default()) else {
        panic!("there is no such agent")
    };
    assert_eq!(errors[0].hints[0], "no agent of this chain is called `c`");
}

#[test]
fn a_check_may_be_for_one_agent_and_the_longest_name_wins() {
    let host = FakeHost::default().with_file("./c.sh").with_program("fk:builder");
    let request = with_checks(
        dsl("fk -> fk:builder:2 -> other"),
        &["fk:builder:command:make", "fk:./c.sh", "exit-code"],
    );
    assert_eq!(
        checks(&request, &ConfigLayers::default(), &host),
        [
            vec!["./c.sh", "exit-code"],
            vec!["tasks implied", "command:\"make\"", "exit-code"],
            vec!["exit-code"]
        ]
    );
}

#[test]
fn the_longest_agent_name_wins_over_the_name_of_a_built_in_check() {
    let table = [
        ("tasks:coordinator:2", r#"tasks:coordinator:command:"true""#, "command:\"true\""),
        ("tasks:2", "tasks:exit-code", "exit-code"),
        ("file:x:2", "file:x:exit-code", "exit-code"),
        ("file:x:2", "file:y", "file:y"),
    ];
    let host = FakeHost::default()
        .with_program("tasks:coordinator")
        .with_program("tasks")
        .with_program("file:x");
    for (chain, check, expected) in table {
        let request = with_checks(dsl(chain), &[check]);
        assert_eq!(checks(&request, &ConfigLayers::default(), &host), [[expected]], "{check}");
    }
}

#[test]
fn a_reserved_word_wins_over_an_agent_of_that_name_with_a_warning() {
    let request = with_checks(dsl("command -> b"), &["command:make"]);
    let planned = planned(&request, &ConfigLayers::default(), &FakeHost::default());
    assert_eq!(planned.plan.steps[1].checks.len(), 1);
    assert_eq!(
        planned.warnings[0].message,
        "`--check command:make` is read as the built-in check for every agent"
    );
    assert_eq!(
        planned.warnings[0].hints,
        ["to check only the agent called `command`, put `checks` into its step in the config file"]
    );
}

#[test]
fn wrong_checks_are_refused() {
    let table = [
        (
            "",
            "`--check ` is empty; a check is `command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` or the path of a script",
        ),
        ("command:", "`--check command:` is incomplete; write `command:…`"),
        ("a:command:", "`--check a:command:` is incomplete; write `command:…`"),
        ("marker:(", "`--check marker:(` is not a regular expression: unclosed group"),
        ("./none.sh", "Check script './none.sh' does not exist"),
        ("dir", "Check script 'dir' is a directory"),
    ];
    let host = FakeHost::default().with_directory("dir");
    for (check, expected) in table {
        let found = errors(&with_checks(dsl("a"), &[check]), &ConfigLayers::default(), &host);
        assert_eq!(found, [expected], "{check:?}");
    }
}

#[test]
fn a_script_must_be_executable_unless_something_else_runs_it() {
    let try_script = |path: &'static str, host: FakeHost| {
        let request = with_checks(dsl("a"), &[path]);
        build(&request, &ConfigLayers::default(), &host.with_file(path)).map(drop)
    };
    let refused = try_script("plain", FakeHost::default()).expect_err("nothing can run it");
    assert_eq!(refused[0].message, "Check script 'plain' is not executable");
    try_script("plain", FakeHost::default().with_program("./plain")).expect("it can be run");
    try_script("c.sh", FakeHost::default()).expect("a shell runs it");
    try_script("dir/c.js", FakeHost::default().with_program("node")).expect("node runs it");
}

#[test]
fn a_module_is_run_by_bun_or_else_by_deno_or_else_by_node() {
    let layers = config("", "", r#"{"agent": "a", "checks": ["./c.ts", "c.sh"]}"#);
    let request = with_checks(chain("c"), &["./d.mjs", "exit-code"]);
    let runners = |programs: &[&'static str]| -> Vec<Option<String>> {
        let files = ["./c.ts", "c.sh", "./d.mjs"];
        let host = files.into_iter().fold(FakeHost::default(), FakeHost::with_file);
        let host = programs.iter().copied().fold(host, FakeHost::with_program);
        let plan = plan(&request, &layers, &host);
        let runners = plan.steps[0].checks.iter().map(|check| check.value.runner.as_ref());
        runners
            .map(|found| found.map(|runner| format!("{} {}", runner.kind.program(), runner.path)))
            .collect()
    };
    let table: [(&[&'static str], &str); 4] = [
        (&["node", "deno", "bun"], "bun /opt/bin/bun"),
        (&["node", "deno"], "deno /opt/bin/deno"),
        (&["node"], "node /opt/bin/node"),
        (&["bun"], "bun /opt/bin/bun"),
    ];
    for (programs, expected) in table {
        let module = Some(expected.to_owned());
        assert_eq!(runners(programs), [module.clone(), None, module, None], "{programs:?}");
    }
}

#[test]
fn a_module_that_nothing_can_run_is_refused() {
    let layers = config("", "", r#"{"agent": "a", "checks": ["c.ts"]}"#);
    let host = FakeHost::default().with_file("c.ts").with_file("./d.js").with_program("./d.js");
    let why = "is a module, and none of `bun`, `deno` and `node` is installed to run it";
    assert_eq!(
        errors(&with_checks(chain("c"), &["./d.js"]), &layers, &host),
        [format!("Check script './d.js' {why}"), format!("\"c.ts\" | Check script 'c.ts' {why}"),]
    );
    let missing = config("", "", r#"{"agent": "a", "checks": ["none.ts"]}"#);
    let expected = ["\"none.ts\" | Check script 'none.ts' does not exist"];
    assert_eq!(errors(&chain("c"), &missing, &host), expected);
}

#[test]
fn a_script_of_the_config_must_exist() {
    let layers = config("", "", r#"{"agent": "a", "checks": ["./none.sh"]}"#);
    let expected = ["\"./none.sh\" | Check script './none.sh' does not exist"];
    assert_eq!(errors(&chain("c"), &layers, &FakeHost::default()), expected);
}

#[test]
fn completion_by_checks_needs_checks() {
    let step = r#"{"agent": "a", "iterations": 2, "completion": "checks"}"#;
    let layers = config("", "", step);
    let expected = ["\"checks\" | step 'a' is completed by its checks but has none"];
    assert_eq!(errors(&chain("c"), &layers, &FakeHost::default()), expected);
    let request = with_checks(chain("c"), &["exit-code"]);
    let plan = plan(&request, &layers, &FakeHost::default());
    assert_eq!(plan.steps[0].completion.value, config::CompletionRule::Checks);
}

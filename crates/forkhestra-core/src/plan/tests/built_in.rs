use super::*;
use crate::built_in::{self, AGENTS};
use crate::config::{Backend, CompletionRule};

/// The config files of a test, above the built-in layer.
fn over_built_ins(mut layers: ConfigLayers) -> ConfigLayers {
    layers.files.push(built_in::layer());
    layers
}

fn built_ins() -> ConfigLayers {
    over_built_ins(ConfigLayers::default())
}

/// A host with all agent programs.
fn host() -> FakeHost {
    Backend::ALL.into_iter().map(Backend::program).fold(FakeHost::default(), FakeHost::with_program)
}

fn for_backend(request: PlanRequest, backend: Backend) -> PlanRequest {
    PlanRequest { backend: Some(backend), ..request }
}

#[track_caller]
fn direct(step: &PlanStep) -> &DirectSpawn {
    match &step.agent.kind {
        AgentKind::Direct(direct) => direct,
        other => panic!("not started directly: {other:?}"),
    }
}

#[test]
fn a_built_in_agent_is_found_after_config_files_and_programs() {
    let defined = r#"{"agents": {"planner": {"command": "x"}}, "chains": {}}"#;
    let prompts = r#"{"agents": {"planner": {"defaultPrompt": "p"}}, "chains": {}}"#;
    let installed = || host().with_program("planner");
    let table = [
        (None, None, host(), "built-in"),
        (None, None, installed(), "PATH"),
        (None, Some(defined), installed(), "user.json:1:13"),
        (Some(defined), Some(defined), installed(), "chains.json:1:13"),
        (Some(prompts), None, host(), "built-in"),
        (Some(prompts), None, installed(), "PATH"),
        (None, None, host().with_plain_file_as_program("planner"), "PATH"),
        (None, None, host().with_system_program("planner"), "built-in"),
    ];
    for (project, user, world, expected) in table {
        let layers = over_built_ins(layers(project, user));
        let plan = plan(&dsl("planner:3"), &layers, &world);
        assert_eq!(plan.steps[0].agent.source.to_string(), expected, "{project:?} {user:?}");
    }
}

#[test]
fn a_built_in_chain_means_built_in_agents_unless_a_config_defines_the_name() {
    let defined = r#"{"agents": {"planner": {"command": "x"}}, "chains": {}}"#;
    let adjusted = r#"{"agents": {"planner": {"env": {"A": "1"}}}, "chains": {}}"#;
    let on_path = "a program `planner` is on PATH (/opt/bin/planner); the built-in chain uses the \
                   built-in agent";
    let of_the_system = "a program `planner` is on PATH (/usr/bin/planner); the built-in chain uses \
                         the built-in agent";
    let installed = || host().with_program("planner");
    let table = [
        (None, None, host(), "built-in", None),
        (None, None, installed(), "built-in", Some(on_path)),
        (None, None, host().with_system_program("planner"), "built-in", Some(of_the_system)),
        (Some(adjusted), None, installed(), "built-in", Some(on_path)),
        (Some(defined), None, installed(), "chains.json:1:13", None),
        (None, Some(defined), installed(), "user.json:1:13", None),
        (None, None, host().with_plain_file_as_program("planner"), "built-in", None),
    ];
    for (project, user, world, expected, warning) in table {
        let layers = over_built_ins(layers(project, user));
        let BuiltPlan { plan, warnings } = planned(&chain("plan"), &layers, &world);
        let agent = &plan.steps[0].agent;
        assert_eq!(agent.source.to_string(), expected, "{project:?} {user:?}");
        let messages: Vec<&str> = warnings.iter().map(|w| w.message.as_str()).collect();
        assert_eq!(messages, Vec::from_iter(warning), "{project:?} {user:?}");
    }
}

#[test]
fn a_name_of_a_program_and_a_built_in_agent_is_a_warning_that_names_the_other() {
    let own_chain = r#"{"chains": {"c": {"steps": [{"agent": "planner"}]}}}"#;
    let defined = r#"{"agents": {"planner": {"command": "planner"}}, "chains": {}}"#;
    let program =
        "`planner` means the program `/opt/bin/planner`; the built-in agent is `fk:planner`";
    let built_in = "`planner` means the built-in agent, not the system program `/usr/bin/planner`";
    let installed = || host().with_program("planner");
    let two = "`planner` and `builder` mean programs on PATH; the built-in agents are `fk:planner` and \
               `fk:builder`";
    let table = [
        (dsl("planner"), None, host(), None),
        (dsl("planner"), None, installed(), Some(program)),
        (dsl("planner -> planner"), None, installed(), Some(program)),
        (dsl("planner -> builder:2"), None, installed().with_program("builder"), Some(two)),
        (chain("c"), Some(own_chain), installed(), Some(program)),
        (dsl("planner:3"), None, host().with_system_program("planner"), Some(built_in)),
        (dsl("fk:planner"), None, installed(), None),
        (dsl("planner"), Some(defined), installed(), None),
        (dsl("other"), None, installed().with_program("other"), None),
    ];
    for (request, project, world, expected) in table {
        let warnings = planned(&request, &over_built_ins(layers(project, None)), &world).warnings;
        let messages: Vec<&str> = warnings.iter().map(|w| w.message.as_str()).collect();
        assert_eq!(messages, Vec::from_iter(expected), "{:?} {project:?}", request.target);
    }
}

#[test]
fn a_program_in_bin_comes_before_a_built_in_agent_where_bin_comes_first() {
    let request = PlanRequest { defaults: PlanDefaults::RALPH_RUNNER, ..dsl("planner:3") };
    let with_bin = plan(&request, &built_ins(), &host().with_program("bin/planner"));
    assert_eq!(with_bin.steps[0].agent.source, ValueOrigin::Bin);
    let without = plan(&request, &built_ins(), &host());
    assert_eq!(without.steps[0].agent.source, ValueOrigin::BuiltIn);
}

#[test]
fn both_names_of_an_agent_mean_the_same() {
    for agent in &AGENTS {
        for name in [agent.name, agent.alias] {
            let plan = plan(&dsl(&format!("{name}:2")), &built_ins(), &host());
            let found = direct(&plan.steps[0]);
            let prompt = Sourced::new(Prompt::Text(agent.prompt.to_owned()), ValueOrigin::BuiltIn);
            assert_eq!(found.system_prompt, prompt, "{name}");
            assert_eq!(found.max_turns, Some(agent.max_turns), "{name}");
            assert_eq!(plan.steps[0].agent.name, name);
        }
    }
}

#[test]
fn a_config_entry_of_prompts_is_attached_to_a_built_in_agent() {
    let layers = over_built_ins(project(
        r#"{"agents": {"planner": {"defaultPrompt": "Only the API"}}, "chains": {}}"#,
    ));
    let plan = plan(&chain("plan"), &layers, &host());
    assert_eq!(plan.steps[0].prompt.value, Prompt::Text("Only the API".to_owned()));
    assert_eq!(plan.steps[0].agent.source, ValueOrigin::BuiltIn);
}

#[test]
fn the_backend_is_that_of_the_flag_else_of_the_nearest_file_else_claude() {
    let codex = r#"{"backend": "codex", "chains": {}}"#;
    let gemini = r#"{"backend": "gemini", "chains": {}}"#;
    let silent = r#"{"chains": {}}"#;
    let flag = Some(Backend::Opencode);
    let table = [
        (None, None, None, Backend::Claude),
        (Some(silent), None, None, Backend::Claude),
        (Some(silent), Some(gemini), None, Backend::Gemini),
        (Some(codex), Some(gemini), None, Backend::Codex),
        (Some(codex), Some(gemini), flag, Backend::Opencode),
        (None, None, flag, Backend::Opencode),
    ];
    for (project, user, backend, expected) in table {
        let layers = over_built_ins(layers(project, user));
        let plan = plan(&PlanRequest { backend, ..dsl("planner:3") }, &layers, &host());
        let found = direct(&plan.steps[0]);
        assert_eq!(found.backend, expected, "{project:?} {user:?} {backend:?}");
        assert_eq!(found.command, expected.program());
        assert_eq!(found.model.is_some(), expected == Backend::Claude);
    }
}

#[test]
fn the_backend_of_a_config_file_is_not_for_its_own_agents() {
    let layers = over_built_ins(project(
        r#"{"backend": "codex", "agents": {"a": {"systemPromptText": "x"}}, "chains": {}}"#,
    ));
    let plan = plan(&dsl("a -> planner"), &layers, &host());
    assert_eq!(direct(&plan.steps[0]).backend, Backend::Claude);
    assert_eq!(direct(&plan.steps[1]).backend, Backend::Codex);
}

#[test]
fn an_unused_backend_is_a_warning() {
    let host = host().with_program("tool");
    let request = for_backend(dsl("tool"), Backend::Codex);
    let warned = planned(&request, &built_ins(), &host).warnings;
    assert_eq!(
        warned[0].message,
        "`--backend codex` has no effect: no agent of the chain is built in"
    );
    let request = for_backend(dsl("tool -> builder:2"), Backend::Codex);
    assert_eq!(planned(&request, &built_ins(), &host).warnings, []);
}

#[test]
fn every_built_in_chain_can_be_planned_for_every_backend_without_a_doubt() {
    let layers = built_ins();
    let names: Vec<String> = layers.chains().map(|chain| chain.name.value.clone()).collect();
    assert_eq!(names.len(), 10);
    for (name, backend) in names.iter().flat_map(|n| Backend::ALL.map(|backend| (n, backend))) {
        let words: &[&str] = if name == "single-task" { &["TASK_ID=TASK-1"] } else { &[] };
        let request = with_variables(for_backend(chain(name), backend), words);
        for host in [host(), host().with_tasks()] {
            let BuiltPlan { plan, warnings } = planned(&request, &layers, &host);
            assert_eq!(warnings, [], "{name} for {backend:?}");
            assert_eq!(plan.source, ValueOrigin::BuiltIn);
            for step in plan.steps.iter().filter(|step| !step.is_question()) {
                assert_eq!(step.agent.source, ValueOrigin::BuiltIn, "{name}");
                assert_eq!(direct(step).backend, backend, "{name}");
                assert_eq!(step.args, [], "{name}");
            }
        }
    }
}

#[test]
fn task_steps_of_built_in_chains_are_checked_even_without_a_database() {
    let task_steps = [
        ("build-all", 1),
        ("reviewed-build", 1),
        ("plan-first", 2),
        ("build", 0),
        ("ralph", 1),
        ("review", 1),
    ];
    for (name, step) in task_steps {
        let plan = plan(&chain(name), &built_ins(), &host());
        assert_eq!(plan.task_database, None);
        let step = &plan.steps[step];
        let checks: Vec<String> = step.checks.iter().map(|c| c.value.check.to_string()).collect();
        assert_eq!(checks, ["tasks"], "{name}");
        assert!(step.works_through_tasks, "{name}");
    }
}

/// The checks of the first step, with implied ones marked, and whether the task database is polled
/// before its first agent is started.
fn task_rules(request: &PlanRequest, layers: &ConfigLayers, host: &FakeHost) -> String {
    let plan = plan(request, layers, host);
    let step = &plan.steps[0];
    let shown = |check: &Sourced<PlanCheck>| match &check.source {
        ValueOrigin::Implied(_) => format!("+{}", check.value.check),
        _ => check.value.check.to_string(),
    };
    let checks: Vec<String> = step.checks.iter().map(shown).collect();
    let asked = if step.works_through_tasks { " asked first" } else { "" };
    format!("{}{asked}", checks.join(" "))
}

#[test]
fn the_task_check_depends_on_the_agent_and_its_settings() {
    let prompted = |request: PlanRequest| PlanRequest {
        prompt: Some(RequestedPrompt::Text("Do it".to_owned())),
        ..request
    };
    let checked =
        |request: PlanRequest| PlanRequest { checks: vec!["tasks".to_owned()], ..request };
    let programs = || FakeHost::default().with_program("fk:builder").with_program("fk:planner");
    let configured = over_built_ins(project(
        r#"{"agents": {"builder": {"systemPromptText": "Build."}}, "chains": {}}"#,
    ));
    let none = built_ins();
    for (what, request, layers, world, expected) in [
        ("built-in loop", dsl("builder:3"), &none, host(), "+tasks asked first"),
        ("built-in loop", dsl("fk:builder:3"), &none, host(), "+tasks asked first"),
        ("built-in loop", dsl("task-coordinator:3"), &none, host(), "+tasks asked first"),
        ("built-in loop", dsl("fixer:3"), &none, host(), "+tasks asked first"),
        ("built-in once", dsl("builder"), &none, host(), " asked first"),
        ("with a prompt", prompted(dsl("builder:3")), &none, host(), "+tasks"),
        ("with a prompt", prompted(dsl("builder")), &none, host(), ""),
        ("in writing", checked(prompted(dsl("builder:3"))), &none, host(), "tasks asked first"),
        ("a chain", chain("build"), &none, host(), "tasks asked first"),
        ("program", dsl("fk:builder:3"), &none, programs(), "+tasks"),
        ("program once", dsl("fk:builder"), &none, programs(), ""),
        ("program in writing", checked(dsl("fk:builder:3")), &none, programs(), "tasks"),
        ("configured", dsl("builder:3"), &configured, host(), "+tasks"),
        ("a path", dsl("./builder:3"), &none, host(), ""),
        ("planner", dsl("planner:3"), &none, host(), "+planned"),
        ("planner once", dsl("task-manager"), &none, host(), "+planned"),
        ("program", dsl("fk:planner:3"), &none, programs(), ""),
        ("reviewer", dsl("reviewer:3"), &none, host(), ""),
    ] {
        assert_eq!(task_rules(&request, layers, &world), expected, "{what}: {request:?}");
    }
    let one = with_variables(chain("single-task"), &["TASK_ID=TASK-7"]);
    assert_eq!(task_rules(&one, &none, &host()), "+task:TASK-7 asked first");
}

#[test]
fn checks_that_were_added_do_not_take_the_place_of_a_marker() {
    let defaults = PlanDefaults { checks_decide: true, ..PlanDefaults::FORKHESTRA };
    let completion = |request: PlanRequest| {
        let request = PlanRequest { defaults, ..request };
        plan(&request, &built_ins(), &host()).steps[0].completion.value
    };
    for agent in ["builder:3", "planner:3"] {
        assert_eq!(completion(dsl(agent)), CompletionRule::Marker, "{agent}");
    }
    let written = PlanRequest { checks: vec!["tasks".to_owned()], ..dsl("builder:3") };
    assert_eq!(completion(written), CompletionRule::Checks);
}

#[test]
fn a_chain_of_a_config_file_hides_a_built_in_one_whole() {
    let text = r#"{"chains": {"build-all": {"steps": [{"agent": "tool"}]}}}"#;
    let layers = over_built_ins(project(text));
    let plan = plan(&chain("build-all"), &layers, &host());
    assert_eq!(plan.definition, "tool");
    assert_eq!(plan.source.to_string(), "chains.json:1:13");
}

#[test]
fn an_unknown_chain_lists_those_of_the_files_before_the_built_in_ones() {
    let layers = over_built_ins(project(r#"{"chains": {"deploy": {"steps": []}}}"#));
    let Err(errors) = build(&chain("revue"), &layers, &host()) else {
        panic!("there is no such chain")
    };
    let ours = "built-in chains: build-all, reviewed-build, plan-first, build, plan, ralph, review, plan-and-build, \
                quick-pipeline, single-task";
    let expected = ["did you mean `review`?", "available chains: deploy", ours];
    assert_eq!(errors[0].hints, expected);
}

#[test]
fn the_inventory_lists_built_ins_once_after_configured_entries() {
    let text = r#"{"chains": {"plan": {"steps": [{"agent": "fixer"}]}, "mine": {"steps": []}}}"#;
    let layers = over_built_ins(project(text));
    let found = inventory(&layers, &host().with_program("planner")).expect("it can be listed");
    let chains: Vec<&str> = found.chains.iter().map(|chain| chain.name.as_str()).collect();
    let ours = ["build-all", "reviewed-build", "plan-first", "build", "ralph"];
    assert_eq!(chains[..2], ["plan", "mine"]);
    assert_eq!(chains[2..7], ours);
    let last = found.chains.last().expect("there are chains");
    assert_eq!(
        (last.name.as_str(), last.variables.as_slice()),
        ("single-task", &["TASK_ID".to_owned()][..])
    );
    assert!(last.problems.is_empty(), "{:?}", last.problems);
    let is_built_in = |name: &str| {
        let mut named = found.agents.iter().filter(|summary| summary.agent.name == name);
        let (found, more) = (named.next().expect("it is listed"), named.next());
        assert!(more.is_none(), "{name} is listed twice");
        found.description.is_some()
    };
    assert_eq!(
        AGENTS.map(|agent| is_built_in(agent.name)),
        [false, true, true, true, true, true, true]
    );
}

/// Plans a step of an agent with these arguments, in JSON, and this prompt.
fn with_args(agent: &str, args: &str, prompt: &str) -> ConfigLayers {
    over_built_ins(config(
        "",
        "",
        &format!(r#"{{"agent": "{agent}", "iterations": 2, "args": [{args}]{prompt}}}"#),
    ))
}

#[test]
fn a_task_in_the_arguments_of_the_worker_becomes_a_part_of_its_prompt() {
    let table = [
        (r#""--task", "TASK-001""#, "", "Work on TASK-001.", &[][..]),
        (r#""--task=7", "-x""#, "", "Work on 7.", &["-x"]),
        (r#""-x", "--task", "7", "y""#, "", "Work on 7.", &["-x", "y"]),
        (r#""--task", "${ID}""#, r#", "prompt": "Hurry""#, "Work on 9.\n\nHurry", &[]),
    ];
    for (args, prompt, expected, left) in table {
        for agent in ["task-worker", "forge-task-worker"] {
            let request = with_variables(chain("c"), &["ID=9"]);
            let request = if args.contains("ID}") { request } else { chain("c") };
            let plan = plan(&request, &with_args(agent, args, prompt), &host());
            let step = &plan.steps[0];
            assert_eq!(step.prompt.value, Prompt::Text(expected.to_owned()), "{args}");
            let args: Vec<&str> = step.args.iter().map(|arg| arg.value.as_str()).collect();
            assert_eq!(args, left);
        }
    }
}

#[test]
fn a_task_may_come_from_the_command_line() {
    let typed = ["--task".to_owned(), "TASK-4".to_owned()];
    let request = PlanRequest { agent_args: typed.to_vec(), ..dsl("task-worker:3") };
    let plan = plan(&request, &built_ins(), &host());
    assert_eq!(plan.steps[0].prompt.value, Prompt::Text("Work on TASK-4.".to_owned()));
    assert_eq!(plan.steps[0].prompt.source, ValueOrigin::CommandLine);
}

#[test]
fn a_task_beside_a_prompt_file_is_kept_for_when_the_file_is_read() {
    let layers = with_args("task-worker", r#""--task", "5""#, r#", "promptFile": "p.md""#);
    let plan = plan(&chain("c"), &layers, &host().with_file("p.md"));
    assert_eq!(plan.steps[0].prompt.value, Prompt::File("p.md".to_owned()));
    assert_eq!(plan.steps[0].task.as_deref(), Some("5"));
}

#[test]
fn a_configured_worker_understands_tasks_as_the_built_in_one_does() {
    let text = r#"{"agents": {"task-worker": {"systemPrompt": "w.md"}}, "chains": {}}"#;
    let request = with_variables(chain("single-task"), &["TASK_ID=TASK-001"]);
    let host = host().with_file("w.md");
    let own = plan(&request, &over_built_ins(project(text)), &host);
    let built_in = plan(&request, &built_ins(), &host);
    assert_eq!(own.steps[0].prompt.value, Prompt::Text("Work on TASK-001.".to_owned()));
    for step in [&own.steps[0], &built_in.steps[0]] {
        assert_eq!(step.args, []);
        let checks: Vec<_> = step.checks.iter().map(|check| check.value.display_name()).collect();
        assert_eq!(checks, ["TASK-001 is Done"]);
    }
}

#[test]
fn only_a_worker_that_is_no_program_understands_tasks_in_its_arguments() {
    let args = r#""--task", "5""#;
    let kept = |layers: &ConfigLayers, host: &FakeHost| {
        plan(&chain("c"), layers, host).steps[0].args.len()
    };
    assert_eq!(kept(&with_args("builder", args, ""), &host()), 2);
    let program = host().with_program("task-worker");
    assert_eq!(kept(&with_args("task-worker", args, ""), &program), 2);
    assert_eq!(kept(&with_args("task-worker", args, ""), &host()), 0);
}

#[test]
fn a_task_that_is_none_is_an_error_with_its_place() {
    let table = [
        (r#""-x", "--task""#, "\"--task\" | `--task` needs the id of a task"),
        (r#""--task", """#, "\"\" | `--task` needs the id of a task"),
        (r#""--task=""#, "\"--task=\" | `--task` needs the id of a task"),
        (r#""--task", "a b""#, r#""a b" | `--task` is given "a b", which is not the id of a task"#),
        (r#""--task", "-x""#, r#""-x" | `--task` is given "-x", which is not the id of a task"#),
        (r#""--task", "1", "--task=2""#, "\"--task=2\" | `--task` is given twice"),
    ];
    for (args, expected) in table {
        let layers = with_args("task-worker", args, "");
        assert_eq!(errors(&chain("c"), &layers, &host()), [expected], "{args}");
    }
    let missing = errors(&chain("single-task"), &built_ins(), &host());
    assert_eq!(
        missing,
        ["${TASK_ID} | Variable 'TASK_ID' referenced in 'task-worker' but not provided"]
    );
}

#[test]
fn a_reviewed_build_is_accepted_when_no_task_is_left() {
    let built = plan(&chain("reviewed-build"), &built_ins(), &host());
    assert_eq!(built.definition, "planner:3 -> (builder:20 -> reviewer:3):3");
    let reviewer = &built.steps[2];
    assert!(reviewer.decides_round);
    let checks: Vec<String> =
        reviewer.round_checks.iter().map(|check| check.check.value.check.to_string()).collect();
    assert_eq!(checks, ["tasks"]);
    let planned = plan(&chain("plan-first"), &built_ins(), &host());
    assert_eq!(planned.definition, "(planner:3 -> ?):3 -> builder:20");
    let question = planned.steps[1].question().expect("the plan is asked about");
    assert!(question.timeout.value().is_none(), "it waits");
}

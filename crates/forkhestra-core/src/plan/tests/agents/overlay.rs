//! Overlay entries, and the model of the command line.

use super::super::*;
use crate::built_in::{self, BuiltInAgent};
use crate::config::{Backend, Permissions};
use crate::text::count::Count;

const NO_CHAINS: &str = r#""chains": {}"#;

/// A host with all agent programs.
fn world() -> FakeHost {
    Backend::ALL.into_iter().map(Backend::program).fold(FakeHost::default(), FakeHost::with_program)
}

/// The config files of a test, above the built-in layer. Each argument holds the agents of a file.
fn over_built_ins(project: Option<&str>, user: Option<&str>) -> ConfigLayers {
    let file = |agents: &str| format!(r#"{{"agents": {{{agents}}}, {NO_CHAINS}}}"#);
    let (project, user) = (project.map(file), user.map(file));
    let mut layers = layers(project.as_deref(), user.as_deref());
    layers.files.push(built_in::layer());
    layers
}

fn builder() -> &'static BuiltInAgent {
    built_in::agent("builder").expect("it is built in")
}

#[track_caller]
fn direct(agent: &PlanAgent) -> &DirectSpawn {
    match &agent.kind {
        AgentKind::Direct(direct) => direct,
        other => panic!("not started directly: {other:?}"),
    }
}

/// The settings of an agent whose origin differs from its definition.
fn adjusted_settings(agent: &PlanAgent) -> Vec<String> {
    agent.adjusted.iter().map(|(key, origin)| format!("{key} {origin}")).collect()
}

#[test]
fn an_entry_without_a_prompt_adjusts_a_built_in_agent_and_keeps_the_rest() {
    let layers = over_built_ins(
        Some(r#""builder": {"model": "opus", "env": {"A": "1"}, "permissions": "default"}"#),
        None,
    );
    for request in [chain("build"), dsl("builder:3")] {
        let plan = plan(&request, &layers, &world());
        let agent = &plan.steps[0].agent;
        let found = direct(agent);
        assert_eq!(agent.source, ValueOrigin::BuiltIn);
        assert_eq!(found.system_prompt.value, Prompt::Text(builder().prompt.to_owned()));
        assert_eq!(found.max_turns, Some(builder().max_turns));
        assert_eq!(found.model.as_deref(), Some("opus"));
        assert_eq!(found.permissions, Permissions::Default);
        assert_eq!(found.env.0["A"], "1");
        assert_eq!(
            adjusted_settings(agent),
            ["env chains.json:1:49", "model chains.json:1:34", "permissions chains.json:1:76"]
        );
    }
}

#[test]
fn the_nearer_overlay_wins_key_by_key() {
    let layers = over_built_ins(
        Some(r#""builder": {"model": "opus", "env": {"B": "near"}}"#),
        Some(r#""builder": {"model": "haiku", "maxTurns": 7, "env": {"A": "far", "B": "far"}}"#),
    );
    let plan = plan(&dsl("builder:3"), &layers, &world());
    let found = direct(&plan.steps[0].agent);
    assert_eq!(found.model.as_deref(), Some("opus"));
    assert_eq!(found.max_turns.map(Count::get), Some(7));
    assert_eq!((&*found.env.0["A"], &*found.env.0["B"]), ("far", "near"));
    let origins = adjusted_settings(&plan.steps[0].agent);
    assert_eq!(
        origins,
        ["env chains.json:1:49", "maxTurns user.json:1:55", "model chains.json:1:34"]
    );
}

#[test]
fn an_overlay_adjusts_a_definition_of_the_users_file() {
    let user = r#""a": {"systemPromptText": "You plan.", "model": "haiku", "args": ["-x"]}"#;
    let layers = over_built_ins(Some(r#""a": {"model": "opus", "args": ["-y"]}"#), Some(user));
    let plan = plan(&dsl("a"), &layers, &world());
    let step = &plan.steps[0];
    assert_eq!(direct(&step.agent).system_prompt.value, Prompt::Text("You plan.".to_owned()));
    assert_eq!(direct(&step.agent).model.as_deref(), Some("opus"));
    assert_eq!(step.args[0].value, "-y");
    assert_eq!(step.args.len(), 1);
    assert!(step.agent.source.to_string().starts_with("user.json"));
}

#[test]
fn a_definition_is_not_adjusted_by_outer_layers() {
    let layers = over_built_ins(
        Some(r#""builder": {"systemPromptText": "mine"}"#),
        Some(r#""builder": {"model": "opus"}"#),
    );
    let plan = plan(&dsl("builder:3"), &layers, &world());
    assert_eq!(direct(&plan.steps[0].agent).model, None);
}

#[test]
fn a_program_gets_environment_and_arguments() {
    let layers = over_built_ins(Some(r#""tool": {"env": {"A": "1"}, "args": ["-x"]}"#), None);
    let plan = plan(&dsl("tool"), &layers, &world().with_program("tool"));
    let step = &plan.steps[0];
    assert_eq!(step.agent.source, ValueOrigin::Path);
    assert_eq!(step.agent.kind.env().0["A"], "1");
    assert_eq!(step.args[0].value, "-x");
}

#[test]
fn an_overlay_may_name_the_agent_program() {
    let layers = over_built_ins(Some(r#""planner": {"backend": "gemini"}"#), None);
    let plan = |request| plan(&request, &layers, &world());
    let chosen = plan(chain("build-all"));
    let planner = direct(&chosen.steps[0].agent);
    assert_eq!((planner.backend, planner.command.as_str()), (Backend::Gemini, "gemini"));
    let tools = planner.allowed_tools.as_ref().expect("a planner only reads");
    assert!(tools.contains(&"read_file".to_owned()), "{tools:?}");
    assert_eq!(direct(&chosen.steps[1].agent).backend, Backend::Claude);
    assert_eq!(adjusted_settings(&chosen.steps[0].agent), ["backend chains.json:1:36"]);
    // The command line is nearer than any file.
    let flag = plan(PlanRequest { backend: Some(Backend::Opencode), ..chain("build-all") });
    assert_eq!(direct(&flag.steps[0].agent).backend, Backend::Opencode);
    assert_eq!(adjusted_settings(&flag.steps[0].agent), Vec::<String>::new());
}

#[test]
fn an_empty_whitelist_lifts_the_restriction() {
    let layers = over_built_ins(
        Some(
            r#""planner": {"allowedTools": []}, "a": {"systemPromptText": "", "allowedTools": []}"#,
        ),
        None,
    );
    let plan = plan(&dsl("planner -> a"), &layers, &world());
    assert_eq!(direct(&plan.steps[0].agent).allowed_tools, None);
    assert_eq!(direct(&plan.steps[1].agent).allowed_tools, None);
}

#[test]
fn an_unsupported_setting_is_an_error_if_used_and_a_warning_if_not() {
    let table = [
        (
            r#""tool": {"model": "opus"}"#,
            "tool",
            "\"opus\" | `agents.tool.model` has no effect: `tool` is the program `/opt/bin/tool`",
        ),
        (
            r#""tool": {"command": "x", "backend": "codex"}"#,
            "tool",
            "\"codex\" | `agents.tool.backend` has no effect: `tool` is the program `x`",
        ),
        (
            r#""bulder": {"maxTurns": 9}"#,
            "bulder",
            "9 | `agents.bulder.maxTurns` has no effect: there is no agent called `bulder`",
        ),
        (
            r#""builder": {"model": "opsu"}"#,
            "builder",
            "\"opsu\" | `agents.builder.model` must be `sonnet`, `opus`, `haiku` or a full model id, \
             found \"opsu\"",
        ),
        (
            r#""builder": {"backend": "codex", "allowedTools": ["Read"]}"#,
            "builder",
            "[\"Read\"] | `agents.builder.allowedTools` cannot be honoured by the backend `codex`",
        ),
        (
            r#""builder": {"backend": "gemini", "allowedTools": ["glob", "Read"]}"#,
            "builder",
            "\"Read\" | `agents.builder.allowedTools[1]` is not possible: `Read` is a tool of Claude \
             Code",
        ),
        (
            r#""builder": {"settings": "gone.json"}"#,
            "builder",
            "\"gone.json\" | Agent 'builder' references settings 'gone.json' which does not exist",
        ),
    ];
    let host = world().with_program("tool").with_program("other");
    for (agents, agent, expected) in table {
        let project = over_built_ins(Some(agents), None);
        assert_eq!(errors(&dsl(agent), &project, &host), [expected]);
        let unused = planned(&dsl("other"), &project, &host).warnings;
        let messages: Vec<&str> = unused.iter().map(|w| w.message.as_str()).collect();
        let message = expected.split_once(" | ").expect("a place and a message").1;
        assert_eq!(messages, [message], "{agents}");
        // The user's file is for all projects.
        let user = over_built_ins(None, Some(agents));
        assert_eq!(planned(&dsl("other"), &user, &host).warnings, [], "{agents}");
    }
}

#[test]
fn a_misspelt_name_of_an_entry_is_asked_about() {
    let layers = over_built_ins(Some(r#""bulder": {"model": "opus"}"#), None);
    let warnings = planned(&chain("build"), &layers, &world()).warnings;
    assert_eq!(warnings[0].hints[0], "did you mean `builder`?");
}

#[test]
fn a_model_of_the_command_line_applies_to_every_agent_that_accepts_one() {
    let layers = over_built_ins(Some(r#""builder": {"model": "haiku"}"#), None);
    let request =
        PlanRequest { model: Some("opus".to_owned()), ..dsl("planner:2 -> tool -> builder:2") };
    let plan = plan(&request, &layers, &world().with_program("tool"));
    for number in [0, 2] {
        let agent = &plan.steps[number].agent;
        assert_eq!(direct(agent).model.as_deref(), Some("opus"));
        assert_eq!(adjusted_settings(agent), ["model --model"]);
    }
    assert_eq!(adjusted_settings(&plan.steps[1].agent), Vec::<String>::new());
}

#[test]
fn a_model_that_no_agent_accepts_is_an_error() {
    let host = world().with_program("tool");
    let table = [
        (
            "opus",
            "tool",
            "`--model opus` has no effect: every agent of the chain is a command of its own",
        ),
        ("op us", "builder:2", "`--model op us` is not a model of Claude Code"),
    ];
    for (model, chain, expected) in table {
        let request = PlanRequest { model: Some(model.to_owned()), ..dsl(chain) };
        assert_eq!(errors(&request, &over_built_ins(None, None), &host), [expected]);
    }
    let request = PlanRequest { model: Some("gpt-5.5".to_owned()), ..dsl("builder:2") };
    let request = PlanRequest { backend: Some(Backend::Codex), ..request };
    let plan = plan(&request, &over_built_ins(None, None), &host);
    assert_eq!(direct(&plan.steps[0].agent).model.as_deref(), Some("gpt-5.5"));
}

#[test]
fn an_overlay_adjusts_a_built_in_agent_under_both_of_its_names() {
    let file =
        r#""builder": {"model": "opus", "defaultPrompt": "Hurry."}, "fk:planner": {"maxTurns": 7}"#;
    let layers = over_built_ins(Some(file), None);
    for name in ["builder", "fk:builder"] {
        let plan = plan(&dsl(&format!("{name}:3")), &layers, &world());
        let step = &plan.steps[0];
        assert_eq!(direct(&step.agent).model.as_deref(), Some("opus"), "{name}");
        assert_eq!(step.prompt.value, Prompt::Text("Hurry.".to_owned()), "{name}");
    }
    for request in [dsl("planner:3"), dsl("fk:planner:3"), chain("plan")] {
        let plan = plan(&request, &layers, &world());
        assert_eq!(direct(&plan.steps[0].agent).max_turns.map(Count::get), Some(7));
    }
}

#[test]
fn the_nearer_overlay_wins_and_then_the_exact_name() {
    let both = r#""builder": {"model": "opus"}, "fk:builder": {"model": "haiku"}"#;
    let near =
        (Some(r#""builder": {"model": "opus"}"#), Some(r#""fk:builder": {"model": "haiku"}"#));
    for (project, user, typed, expected) in [
        (Some(both), None, "builder:3", "opus"),
        (Some(both), None, "fk:builder:3", "haiku"),
        (near.0, near.1, "fk:builder:3", "opus"),
    ] {
        let layers = over_built_ins(project, user);
        let plan = plan(&dsl(typed), &layers, &world());
        assert_eq!(direct(&plan.steps[0].agent).model.as_deref(), Some(expected), "{typed}");
    }
}

#[test]
fn an_overlay_of_another_agent_does_not_adjust_the_built_in_one() {
    // The name without the prefix is defined, or means a program.
    let defined = r#""builder": {"systemPromptText": "mine", "model": "haiku"}"#;
    let program = r#""builder": {"args": ["-x"]}"#;
    for (file, host) in [(defined, world()), (program, world().with_program("builder"))] {
        let layers = over_built_ins(Some(file), None);
        let plan = plan(&dsl("fk:builder:3"), &layers, &host);
        let step = &plan.steps[0];
        assert_eq!(direct(&step.agent).model.as_deref(), Some("sonnet"), "{file}");
        assert!(step.args.is_empty(), "{file}");
    }
    let of_built_in = over_built_ins(Some(r#""fk:builder": {"model": "opus"}"#), None);
    let plan = plan(&dsl("builder:3"), &of_built_in, &world().with_program("builder"));
    assert_eq!(plan.steps[0].agent.source, ValueOrigin::Path);
}

#[test]
fn a_model_of_another_agent_program_is_warned_of() {
    let warnings = |request: PlanRequest, file: Option<&str>| -> Vec<String> {
        let planned = build(&request, &over_built_ins(file, None), &world()).expect("a plan");
        planned.warnings.iter().map(|warning| warning.message.clone()).collect()
    };
    let on = |backend| PlanRequest { backend: Some(backend), ..dsl("builder:3") };
    let file = Some(r#""builder": {"model": "opus"}"#);
    let written = |title| {
        vec![format!(
            "`agents.builder.model` is a model of Claude Code, and `builder` is run by {title}"
        )]
    };
    assert_eq!(warnings(on(Backend::Codex), file), written("Codex"));
    assert_eq!(warnings(on(Backend::Gemini), file), written("Gemini CLI"));
    assert_eq!(warnings(on(Backend::Claude), file), [""; 0]);
    let typed = |model: &str, backend| PlanRequest { model: Some(model.to_owned()), ..on(backend) };
    let expected_text = ["`opus` is a model of Claude Code, and `builder` is run by Codex"];
    assert_eq!(warnings(typed("opus", Backend::Codex), None), expected_text);
    let expected_text = ["`gpt-5` is a model of Codex, and `builder` is run by Claude Code"];
    assert_eq!(warnings(typed("gpt-5", Backend::Claude), None), expected_text);
    assert_eq!(warnings(typed("gpt-5", Backend::Codex), file), [""; 0]);
}

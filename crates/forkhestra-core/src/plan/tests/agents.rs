mod direct;
mod fallback;
mod overlay;

use super::*;

/// The origin and the kind of agent `a`.
fn meaning(layers: &ConfigLayers, host: &FakeHost) -> (String, String) {
    let plan = plan(&dsl("a"), layers, host);
    let agent = &plan.steps[0].agent;
    let kind = match &agent.kind {
        AgentKind::Program(program) => format!("program {}", program.command),
        AgentKind::Direct(direct) => format!("direct {:?}", direct.system_prompt.value),
        AgentKind::Question(question) => format!("person {:?}", question.text),
    };
    (agent.source.to_string(), kind)
}

const DEFINED: &str = r#"{"agents": {"a": {"command": "x"}}, "chains": {}}"#;
const PROMPT_ONLY: &str = r#"{"agents": {"a": {"defaultPrompt": "p"}}, "chains": {}}"#;
const DIRECT: &str = r#"{"agents": {"a": {"systemPromptText": ""}}, "chains": {}}"#;

#[test]
fn the_nearest_that_knows_the_name_decides() {
    let host = FakeHost::default().with_program("a");
    let table = [
        (None, None, "PATH", "program a"),
        (Some(DEFINED), None, "chains.json:1:13", "program x"),
        (None, Some(DEFINED), "user.json:1:13", "program x"),
        (Some(DIRECT), Some(DEFINED), "chains.json:1:13", "direct Text(\"\")"),
        (Some(PROMPT_ONLY), Some(DEFINED), "user.json:1:13", "program x"),
        (Some(PROMPT_ONLY), None, "PATH", "program a"),
    ];
    for (project, user, source, kind) in table {
        let expected = (source.to_owned(), kind.to_owned());
        assert_eq!(meaning(&layers(project, user), &host), expected, "{project:?} {user:?}");
    }
}

#[test]
fn another_program_may_stand_for_an_agent_program() {
    let host = FakeHost::default().with_program("claude");
    let usual = plan(&dsl("a"), &project(DIRECT), &host);
    assert_eq!(usual.steps[0].agent.kind.command(), "claude");
    let host = host.with_claude_at("mock");
    let other = plan(&dsl("a"), &project(DIRECT), &host);
    assert_eq!(other.steps[0].agent.kind.command(), "mock");
    assert_eq!(
        other.steps[0].agent.kind.location(),
        Some(&ProgramLocation::Found("/opt/bin/mock".to_owned()))
    );
}

#[test]
fn a_prompt_only_entry_is_attached_to_the_outer_definition() {
    let user = r#"{"agents": {"a": {"command": "x", "defaultPrompt": "farther"}}, "chains": {}}"#;
    let plan = plan(&dsl("a"), &layers(Some(PROMPT_ONLY), Some(user)), &FakeHost::default());
    assert_eq!(plan.steps[0].agent.kind.command(), "x");
    assert_eq!(plan.steps[0].prompt.value, Prompt::Text("p".to_owned()));
}

#[test]
fn definitions_are_not_merged() {
    let user = r#"{"agents": {"a": {"command": "y", "defaultPrompt": "farther"}}, "chains": {}}"#;
    let plan = plan(&dsl("a"), &layers(Some(DEFINED), Some(user)), &FakeHost::default());
    assert_eq!(plan.steps[0].agent.kind.command(), "x");
    assert_eq!(plan.steps[0].prompt.value, Prompt::None);
}

#[test]
fn a_program_that_is_not_installed_does_not_stop_a_plan() {
    let plan = plan(&dsl("a:3"), &ConfigLayers::default(), &FakeHost::default());
    let missing = ProgramLocation::Missing(NotRunnableReason::NotOnPath);
    assert_eq!(plan.steps[0].agent.kind.location(), Some(&missing));
}

#[test]
fn a_name_with_a_colon_that_nothing_has_is_misread_both_ways() {
    let none = ConfigLayers::default();
    let expected = ["a:x | step 1: `a:x` is neither an agent nor an agent with a count"];
    assert_eq!(errors(&dsl("a:x"), &none, &FakeHost::default()), expected);
    let installed = FakeHost::default().with_program("a:x");
    assert_eq!(plan(&dsl("a:x"), &none, &installed).steps[0].agent.name, "a:x");
    let configured = project(r#"{"agents": {"a:x": {"command": "y"}}, "chains": {}}"#);
    assert_eq!(plan(&dsl("a:x"), &configured, &FakeHost::default()).steps[0].agent.name, "a:x");
}

#[test]
fn the_name_of_a_chain_where_an_agent_is_meant_is_a_warning_that_says_how_to_run_it() {
    let result = planned(&dsl("c"), &config("", "", ""), &FakeHost::default());
    assert_eq!(result.warnings[0].message, "no agent is called `c`, but a chain is");
    let installed = FakeHost::default().with_program("c");
    assert!(planned(&dsl("c"), &config("", "", ""), &installed).warnings.is_empty());
}

#[test]
fn a_configured_chain_may_name_missing_programs() {
    let layers = config("", "", r#"{"agent": "tasks:coordinator"}"#);
    assert_eq!(
        plan(&chain("c"), &layers, &FakeHost::default()).steps[0].agent.name,
        "tasks:coordinator"
    );
}

#[test]
fn a_count_in_a_name_of_the_config_is_a_warning_that_says_where_counts_go() {
    let layers = config("", "", r#"{"agent": "builder:3"}"#);
    let result = planned(&chain("c"), &layers, &FakeHost::default());
    assert_eq!(result.plan.steps[0].agent.name, "builder:3");
    assert_eq!(
        result.warnings[0].message,
        "nothing is called `builder:3`; a name in a config holds no count"
    );
    let installed = FakeHost::default().with_program("builder:3");
    assert!(planned(&chain("c"), &layers, &installed).warnings.is_empty());
}

#[test]
fn files_of_unused_project_agents_must_exist() {
    let layers = project(
        r#"{"chains": {}, "agents": {
          "fk:planner": {"systemPrompt": "prompts/foo.md", "mcpConfig": "m.json", "settings": "dir"}
        }}"#,
    );
    let host = FakeHost::default().with_directory("dir");
    assert_eq!(
        errors(&dsl("other"), &layers, &host),
        [
            "\"prompts/foo.md\" | Agent 'fk:planner' references systemPrompt 'prompts/foo.md' which does not exist",
            "\"m.json\" | Agent 'fk:planner' references mcpConfig 'm.json' which does not exist",
            "\"dir\" | Agent 'fk:planner' references settings 'dir' which is a directory",
        ]
    );
}

#[test]
fn files_of_the_users_agents_must_exist_when_the_agent_is_used() {
    let user = r#"{"chains": {}, "agents": {"a": {"systemPrompt": "p.md"}}}"#;
    let layers = layers(None, Some(user));
    plan(&dsl("other"), &layers, &FakeHost::default());
    let expected = ["\"p.md\" | Agent 'a' references systemPrompt 'p.md' which does not exist"];
    assert_eq!(errors(&dsl("a"), &layers, &FakeHost::default()), expected);
    plan(&dsl("a"), &layers, &FakeHost::default().with_file("p.md"));
}

#[test]
fn a_system_prompt_text_hides_the_file() {
    let layers = project(
        r#"{"chains": {}, "agents": {"a": {"systemPrompt": "none.md", "systemPromptText": "t"}}}"#,
    );
    let plan = plan(&dsl("a"), &layers, &FakeHost::default());
    let AgentKind::Direct(direct) = &plan.steps[0].agent.kind else { panic!("not direct") };
    assert_eq!(direct.system_prompt.value, Prompt::Text("t".to_owned()));
}

#[test]
fn arguments_come_from_agent_step_and_command_line_in_this_order() {
    let layers =
        config(r#""a": {"args": ["agent"]}"#, "", r#"{"agent": "a", "args": ["step", "${X}"]}"#);
    let request = with_variables(chain("c"), &["X=value"]);
    let request = PlanRequest { agent_args: vec!["${X}".to_owned()], ..request };
    let plan = plan(&request, &layers, &FakeHost::default());
    let args: Vec<&str> = plan.steps[0].args.iter().map(|arg| arg.value.as_str()).collect();
    assert_eq!(args, ["agent", "step", "value", "${X}"]);
}

#[test]
fn values_of_environment_variables_are_never_shown() {
    let layers = config(r#""a": {"env": {"TOKEN": "s3cret"}}"#, "", r#"{"agent": "a"}"#);
    let plan = plan(&chain("c"), &layers, &FakeHost::default());
    let shown = format!("{plan:?} {}", serde_json::to_string(&plan).expect("a plan is JSON"));
    assert!(shown.contains("TOKEN"));
    assert!(!shown.contains("s3cret"));
    assert_eq!(plan.steps[0].agent.kind.env().0["TOKEN"], "s3cret");
}

//! Agents that are spawned directly: their cost, and required work.

use super::super::*;
use crate::config::{Backend, Billing, Permissions};
use crate::limit::LimitChanges;
use crate::limit::{Limit, LimitQuantity, Usd};

fn direct(members: &str) -> DirectSpawn {
    let layers = config(&format!(r#""a": {{"systemPromptText": "", {members}}}"#), "", "");
    let plan = plan(&dsl("a"), &layers, &FakeHost::default().with_program("codex"));
    let AgentKind::Direct(direct) = plan.steps[0].agent.kind.clone() else { panic!("a program") };
    direct
}

fn warnings(request: &PlanRequest, layers: &ConfigLayers) -> Vec<String> {
    let warnings = planned(request, layers, &FakeHost::default()).warnings;
    warnings.into_iter().map(|warning| warning.message).collect()
}

fn at_most(dollars: &str, request: PlanRequest) -> PlanRequest {
    let run_cost = Some(Limit::At(Usd::parse(dollars).expect("an amount")));
    PlanRequest { limits: LimitChanges { run_cost, ..request.limits.clone() }, ..request }
}

#[test]
fn the_backend_decides_which_program_is_started() {
    for backend in Backend::ALL {
        let found = direct(&format!(r#""backend": "{}""#, backend.word()));
        assert_eq!((found.backend, found.command.as_str()), (backend, backend.program()));
    }
    let codex = direct(r#""backend": "codex", "model": "o3", "maxTurns": 4"#);
    assert_eq!(codex.location, ProgramLocation::Found("/opt/bin/codex".to_owned()));
    assert_eq!(codex.model.as_deref(), Some("o3"));
}

#[test]
fn by_default_claude_asks_no_permission_and_any_billing_is_allowed() {
    let usual = direct(r#""env": {}"#);
    assert_eq!(usual.backend, Backend::Claude);
    assert_eq!((usual.permissions, usual.billing), (Permissions::Skip, Billing::Any));
    let chosen = direct(r#""permissions": "default", "billing": "api-key", "allowedTools": []"#);
    assert_eq!((chosen.permissions, chosen.billing), (Permissions::Default, Billing::ApiKey));
    assert_eq!(chosen.allowed_tools, None);
}

#[test]
fn work_is_required_by_the_step_or_else_by_the_chain_and_only_of_loops() {
    let table = [
        ("", "", false),
        ("", r#", "requireWork": true"#, true),
        (r#""requireWork": true,"#, "", true),
        (r#""requireWork": true,"#, r#", "requireWork": false"#, false),
        (r#""requireWork": false,"#, r#", "requireWork": true"#, true),
    ];
    for (of_chain, of_step, expected) in table {
        let steps = format!(r#"{{"agent": "a", "iterations": 2{of_step}}}, {{"agent": "b"}}"#);
        let plan = plan(&chain("c"), &config("", of_chain, &steps), &FakeHost::default());
        assert_eq!(plan.steps[0].require_work, expected, "{of_chain} {of_step}");
        assert!(!plan.steps[1].require_work, "{of_chain} {of_step}");
    }
}

#[test]
fn work_that_is_required_of_a_chain_without_loops_is_a_warning() {
    let layers = config("", r#""requireWork": true,"#, r#"{"agent": "a"}"#);
    assert_eq!(
        warnings(&chain("c"), &layers),
        ["`requireWork` has no effect: no step of the chain loops"]
    );
}

#[test]
fn prices_of_all_files_are_in_the_plan_and_the_nearer_wins_whole() {
    let near = r#"{"chains": {}, "prices": {"m": {"input": 1, "output": 2}, "n": {"input": 3, "output": 4}}}"#;
    let far = r#"{"chains": {}, "prices": {"m": {"input": 5, "output": 6, "cacheRead": 0}, "o": {"input": 7, "output": 8}}}"#;
    let plan = plan(&dsl("a"), &layers(Some(near), Some(far)), &FakeHost::default());
    let shown: Vec<String> = plan
        .prices
        .iter()
        .map(|(model, price)| format!("{model} {} {}", price.input, price.cache_read))
        .collect();
    assert_eq!(shown, ["m $1.00 $1.00", "n $3.00 $3.00", "o $7.00 $7.00"]);
    let json = serde_json::to_value(&plan).expect("a plan is JSON");
    assert_eq!(json["prices"]["m"]["cacheWrite1h"], 1.0);
}

#[test]
fn a_cost_limit_warns_of_programs_with_unknown_cost() {
    let agents = r#""d": {"systemPromptText": ""}"#;
    let layers = config(agents, "", "");
    assert!(warnings(&dsl("a -> b"), &layers).is_empty());
    assert!(warnings(&at_most("5", dsl("d")), &layers).is_empty());
    assert_eq!(
        warnings(&at_most("5", dsl("d -> a")), &layers),
        ["the cost of step 2 may be unknown: its agent is a program"]
    );
    assert_eq!(
        warnings(&at_most("5", dsl("a -> d -> b")), &layers),
        ["the cost of steps 1 and 3 may be unknown: their agents are programs"]
    );
}

#[test]
fn a_limit_of_a_step_warns_of_that_step_only() {
    let steps = r#"{"agent": "a"}, {"agent": "b", "limits": {"cost": 1}}"#;
    assert_eq!(
        warnings(&chain("c"), &config("", "", steps)),
        ["the cost of step 2 may be unknown: its agent is a program"]
    );
}

#[test]
fn a_cost_limit_of_a_group_needs_known_costs_of_its_steps() {
    let agents = r#""d": {"systemPromptText": "", "backend": "codex"}"#;
    let steps = r#"{"agent": "a"},
                   {"group": [{"agent": "b"}, {"agent": "d"}], "rounds": 2, "limits": {"cost": 5}}"#;
    let layers = config(agents, "", steps);
    assert_eq!(
        refusals(&chain("c"), &layers),
        [
            "the cost of step 2 may be unknown: its agent is a program",
            "the cost of step 3 is limited, but cannot be known: its model is not known"
        ]
    );
    let steps = r#"{"agent": "a"}, {"group": [{"agent": "b"}, {"agent": "a"}], "rounds": 2,
                                   "limits": {"cost": 5}}"#;
    assert_eq!(
        warnings(&chain("c"), &config("", "", steps)),
        ["the cost of steps 2 and 3 may be unknown: their agents are programs"]
    );
}

#[test]
fn a_limit_of_cost_refuses_a_model_whose_price_we_would_have_to_know() {
    let agent = |backend: &str, model: &str| {
        format!(r#""a": {{"systemPromptText": "", "backend": "{backend}", "model": "{model}"}}"#)
    };
    let limited = at_most("5", dsl("a"));
    let unknown =
        "the cost of step 1 is limited, but cannot be known: its model `x-1` has no price";
    for (backend, model, expected) in [
        ("codex", "x-1", Some(unknown)),
        ("gemini", "x-1", Some(unknown)),
        ("codex", "gpt-5", None),
        // These report their cost themselves.
        ("claude", "x-1", None),
        ("opencode", "x-1", None),
    ] {
        let layers = config(&agent(backend, model), "", "");
        assert_eq!(refusals(&limited, &layers), Vec::from_iter(expected), "{backend} {model}");
        assert!(refusals(&dsl("a"), &layers).is_empty());
    }
    let unnamed = "the cost of step 1 is limited, but cannot be known: its model is not known";
    for (backend, expected) in
        [("codex", Some(unnamed)), ("gemini", None), ("claude", None), ("opencode", None)]
    {
        let agent = format!(r#""a": {{"systemPromptText": "", "backend": "{backend}"}}"#);
        let layers = config(&agent, "", "");
        assert_eq!(refusals(&limited, &layers), Vec::from_iter(expected), "{backend}");
    }
    let priced = format!(
        r#"{{"agents": {{{}}}, "chains": {{}}, "prices": {{"x-1": {{"input": 1, "output": 2}}}}}}"#,
        agent("codex", "x-1")
    );
    assert!(refusals(&limited, &project(&priced)).is_empty());
}

/// The messages of a plan that is refused.
fn refusals(request: &PlanRequest, layers: &ConfigLayers) -> Vec<String> {
    let refused = build(request, layers, &FakeHost::default()).err().unwrap_or_default();
    refused.into_iter().map(|error| error.message).collect()
}

#[test]
fn the_model_of_codex_is_that_of_its_arguments_or_its_settings() {
    let args = |args: &str| {
        config(
            &format!(r#""a": {{"systemPromptText": "", "backend": "codex", "args": [{args}]}}"#),
            "",
            "",
        )
    };
    for (written, expected) in [
        ("", None),
        (r#""-m", "gpt-5""#, Some("gpt-5")),
        (r#""--model=gpt-5""#, Some("gpt-5")),
        (r#""-c", "model=\"gpt-5\"""#, Some("gpt-5")),
        (r#""-c", "model_provider=x""#, None),
    ] {
        let planned = build(&dsl("a"), &args(written), &FakeHost::default());
        let planned = planned.expect("nothing is wrong");
        assert_eq!(planned.plan.steps[0].priced_model.as_deref(), expected, "{written}");
    }
}

#[test]
fn a_program_with_the_name_of_an_agent_program_is_spawned_directly() {
    use Permissions::{Default, Skip};
    let world =
        FakeHost::default().with_program("claude").with_program("codex").with_program("mine");
    for (name, args, expected) in [
        ("claude", &[][..], Some(Default)),
        ("claude", &["-p", "--dangerously-skip-permissions"][..], Some(Skip)),
        ("claude", &["--print"][..], Some(Default)),
        ("claude", &["-p", "hello", "--dangerously-skip-permissions"][..], Some(Skip)),
        ("claude", &["--print", "hello"][..], Some(Default)),
        ("claude", &["-p", "hello", "again"][..], None),
        ("claude", &["-p", ""][..], None),
        ("claude", &["doctor"][..], None),
        ("claude", &["-p", "--model", "opus"][..], None),
        ("codex", &[][..], Some(Default)),
        ("codex", &["exec"][..], None),
        ("mine", &[][..], None),
    ] {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let request = PlanRequest { agent_args: args.clone(), ..dsl(&format!("{name}:2")) };
        let step = plan(&request, &config("", "", ""), &world).steps.remove(0);
        let found = match &step.agent.kind {
            AgentKind::Direct(direct) => Some(direct.permissions),
            AgentKind::Program(_) | AgentKind::Question(_) => None,
        };
        assert_eq!(found, expected, "{name} {args:?}");
        let left = if expected.is_some() { 0 } else { args.len() };
        assert_eq!(step.args.len(), left, "{name} {args:?}");
        let has_prompt = expected.is_some() && args.iter().any(|arg| arg == "hello");
        let prompt = Prompt::Text("hello".to_owned());
        let prompt = if has_prompt { prompt } else { Prompt::None };
        assert_eq!(step.prompt.value, prompt, "{name} {args:?}");
    }
    let prompt = Some(RequestedPrompt::Text("Build.".to_owned()));
    let agent_args = vec!["-p".to_owned(), "hello".to_owned()];
    let request = PlanRequest { agent_args, prompt, ..dsl("claude:2") };
    let step = plan(&request, &config("", "", ""), &world).steps.remove(0);
    assert!(
        matches!(step.agent.kind, AgentKind::Program(_)),
        "two prompts are the user's business"
    );
}

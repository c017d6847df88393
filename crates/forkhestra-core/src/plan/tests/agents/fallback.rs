//! The fallback of a step.

use super::super::*;
use crate::built_in;
use crate::config::{Backend, FallbackChoice, Permissions};
use crate::plan::BackendRole;

const MAKER: &str = r#""maker": {"systemPromptText": "make", "model": "opus", "maxTurns": 9,
    "permissions": "default", "env": {"DATABASE": "x", "ANTHROPIC_API_KEY": "y", "CLAUDE_CONFIG_DIR": "z"}}"#;

/// A host with all agent programs.
fn host() -> FakeHost {
    Backend::ALL.into_iter().map(Backend::program).fold(FakeHost::default(), FakeHost::with_program)
}

fn with_flag(request: PlanRequest, backend: Backend) -> PlanRequest {
    PlanRequest { fallback: Some(FallbackChoice::Backend(backend)), ..request }
}

fn backend(agent: &PlanAgent) -> Option<Backend> {
    agent.kind.direct().map(|direct| direct.backend)
}

/// The fallback of each step: `codex from chains.json:1:2`, or `none`.
fn fallbacks(plan: &Plan) -> Vec<String> {
    let text = |step: &PlanStep| match &step.fallback {
        None => "none".to_owned(),
        Some(fallback) => {
            let backend = backend(&fallback.agent).expect("it is spawned directly");
            format!("{} from {}", backend.word(), fallback.source)
        }
    };
    plan.steps.iter().map(text).collect()
}

fn warnings(built: &BuiltPlan) -> Vec<&str> {
    built.warnings.iter().map(|warning| warning.message.as_str()).collect()
}

#[test]
fn the_command_line_decides_then_the_step_then_the_chain() {
    let steps = r#"{"agent": "maker"}, {"agent": "maker", "fallback": "gemini"}"#;
    for (members, flag, expected) in [
        ("", None, ["none", "gemini from chains.json:3:137"]),
        (r#""fallback": "codex","#, None, ["codex from", "gemini from"]),
        (r#""fallback": "codex","#, Some(Backend::Opencode), ["opencode from --fallback"; 2]),
    ] {
        let layers = config(MAKER, members, steps);
        let fallback = flag.map(FallbackChoice::Backend);
        let request = PlanRequest { fallback, ..chain("c") };
        let found = fallbacks(&plan(&request, &layers, &host()));
        for (found, expected) in found.iter().zip(expected) {
            let expected = expected.split_once(".json").map_or(expected, |(start, _)| start);
            assert!(found.starts_with(expected), "{found} for {members}");
        }
    }
}

#[test]
fn the_agent_is_the_same_with_what_belongs_to_no_single_back_end() {
    let layers = config(MAKER, r#""fallback": "codex","#, r#"{"agent": "maker"}"#);
    let plan = plan(&chain("c"), &layers, &host());
    let step = &plan.steps[0];
    let agent = step.fallback_agent().expect("it has one");
    let direct = agent.kind.direct().expect("it is spawned directly");
    assert_eq!((agent.name.as_str(), backend(agent)), ("maker", Some(Backend::Codex)));
    assert_eq!(direct.command, "codex");
    assert_eq!(direct.location, ProgramLocation::Found("/opt/bin/codex".to_owned()));
    assert_eq!(direct.system_prompt.value, Prompt::Text("make".to_owned()));
    assert_eq!(direct.max_turns.map(crate::text::count::Count::get), Some(9));
    assert_eq!(direct.permissions, Permissions::Default);
    assert_eq!(direct.model, None, "a model belongs to one agent program");
    assert_eq!(direct.env.names().collect::<Vec<_>>(), ["DATABASE"]);
    // The first one keeps everything.
    let first = step.primary_agent().kind.direct().expect("it is spawned directly");
    assert_eq!((first.model.as_deref(), first.env.0.len()), (Some("opus"), 3));
}

#[test]
fn a_built_in_agent_gets_the_tools_and_the_model_of_the_other_back_end() {
    let mut layers = ConfigLayers::default();
    layers.files.push(built_in::layer());
    for (first, other) in [(Backend::Claude, Backend::Gemini), (Backend::Gemini, Backend::Claude)] {
        let request = PlanRequest { backend: Some(first), ..dsl("planner:3") };
        let plan = plan(&with_flag(request, other), &layers, &host());
        let step = &plan.steps[0];
        let other_alone = PlanRequest { backend: Some(other), ..dsl("planner:3") };
        let alone = super::super::plan(&other_alone, &layers, &host()).steps[0].agent.clone();
        assert_eq!(backend(&step.agent), Some(first));
        assert_eq!(step.fallback_agent(), Some(&alone), "as if it were started with that back-end");
    }
}

#[test]
fn a_program_of_a_supported_name_falls_back_without_arguments() {
    let layers = ConfigLayers::default();
    let built = planned(&with_flag(dsl("claude:3"), Backend::Codex), &layers, &host());
    assert_eq!(fallbacks(&built.plan), ["codex from --fallback"]);
    assert!(built.warnings.is_empty(), "{:#?}", built.warnings);
}

#[test]
fn arguments_are_not_passed_to_another_program() {
    let steps = r#"{"agent": "maker", "fallback": "codex", "args": ["--add-dir", "../x"]}"#;
    let layers = config(MAKER, "", steps);
    let built = planned(&chain("c"), &layers, &host());
    let fallback = built.plan.steps[0].fallback.as_ref().expect("it has one");
    assert!(fallback.args.is_empty());
    assert_eq!(
        warnings(&built),
        [
            "step 1: `--add-dir` and `../x` are not passed to Codex, the fallback: arguments belong to \
          one agent program"
        ]
    );
}

/// The steps, the mistake, and the text under its caret.
#[test]
fn a_fallback_that_cannot_be_used_is_refused() {
    let script = r#""script": {"command": "./deploy.sh"}"#;
    let claude_only = r#""strict": {"systemPromptText": "x", "allowedTools": ["Bash(git *)"]}"#;
    let mcp = r#""mcp": {"systemPromptText": "x", "mcpConfig": "mcp.json"}"#;
    for (agents, step, expected) in [
        (
            script,
            r#"{"agent": "script", "fallback": "codex"}"#,
            "\"codex\" | `\"fallback\": \"codex\"` of step 1 has no effect: `script` is a program of its \
             own, which no other agent program replaces",
        ),
        (
            MAKER,
            r#"{"agent": "maker", "fallback": "claude"}"#,
            "\"claude\" | `\"fallback\": \"claude\"` of step 1 has no effect: `maker` is run by Claude \
             Code itself",
        ),
        (
            claude_only,
            r#"{"agent": "strict", "fallback": "codex"}"#,
            "[\"Bash(git *)\"] | step 1 cannot fall back to Codex: `agents.strict.allowedTools` cannot \
             be honoured by the backend `codex`",
        ),
        (
            claude_only,
            r#"{"agent": "strict", "fallback": "gemini"}"#,
            "\"Bash(git *)\" | step 1 cannot fall back to Gemini CLI: `agents.strict.allowedTools[0]` is \
             not possible: `Bash` is a tool of Claude Code",
        ),
        (
            mcp,
            r#"{"agent": "mcp", "fallback": "opencode"}"#,
            "\"mcp.json\" | step 1 cannot fall back to opencode: `agents.mcp.mcpConfig` cannot be \
             honoured by the backend `opencode`",
        ),
    ] {
        let layers = config(agents, "", step);
        let host = host().with_file("mcp.json").with_program("./deploy.sh");
        assert_eq!(errors(&chain("c"), &layers, &host), [expected]);
    }
}

#[test]
fn a_fallback_for_all_steps_is_for_those_that_can_use_it() {
    let agents = r#""maker": {"systemPromptText": "m"}, "script": {"command": "./x.sh"},
        "judge": {"systemPromptText": "j", "backend": "codex"}"#;
    let all = r#"{"agent": "maker"}, {"agent": "script"}, {"agent": "judge"}"#;
    let host = || host().with_program("./x.sh");
    let built = planned(&chain("c"), &config(agents, r#""fallback": "codex","#, all), &host());
    let found: Vec<bool> = built.plan.steps.iter().map(|step| step.fallback.is_some()).collect();
    assert_eq!(found, [true, false, false]);
    assert_eq!(
        warnings(&built),
        [
            "`\"fallback\": \"codex\"` does not apply everywhere: step 2: `script` is a program of its own, \
          which no other agent program replaces; step 3: `judge` is run by Codex itself"
        ]
    );
    let others = r#"{"agent": "script"}, {"agent": "judge"}"#;
    let layers = config(agents, "", others);
    assert_eq!(
        errors(&with_flag(chain("c"), Backend::Codex), &layers, &host()),
        [
            "`--fallback codex` has no effect: step 1: `script` is a program of its own, which no other \
          agent program replaces; step 2: `judge` is run by Codex itself"
        ]
    );
}

#[test]
fn a_recording_has_no_fallback() {
    let layers = config(MAKER, "", r#"{"agent": "maker"}"#);
    let request = with_flag(chain("c"), Backend::Codex);
    let request = PlanRequest { record: Some("r".to_owned()), ..request };
    assert_eq!(
        errors(&request, &layers, &host()),
        ["`--record` cannot be used with a fallback: a recording of a step has one agent program"]
    );
    let Err(refused) = build(&request, &layers, &host()) else { panic!("it could be planned") };
    assert_eq!(refused[0].hints, ["to record without the fallback: `--fallback off`"]);
}

#[test]
fn a_fallback_can_be_turned_off() {
    let steps = r#"{"agent": "maker"}, {"agent": "maker", "fallback": "off"}"#;
    for (members, expected) in [
        ("", ["none", "none"]),
        (r#""fallback": "off","#, ["none", "none"]),
        (r#""fallback": "codex","#, ["codex from chains.json:3:35", "none"]),
    ] {
        let layers = config(MAKER, members, steps);
        let built = planned(&chain("c"), &layers, &host());
        let found = fallbacks(&built.plan);
        for (found, expected) in found.iter().zip(expected) {
            let expected = expected.split_once(".json").map_or(expected, |(start, _)| start);
            assert!(found.starts_with(expected), "{found} for {members}");
        }
        assert_eq!(warnings(&built), [""; 0], "{members}");
    }
}

/// The config file need not be changed for a recording.
#[test]
fn the_command_line_turns_off_the_fallbacks_of_the_config() {
    let steps = r#"{"agent": "maker"}, {"agent": "maker", "fallback": "gemini"}"#;
    let layers = config(MAKER, r#""fallback": "codex","#, steps);
    let fallback = Some(FallbackChoice::Off);
    let request = PlanRequest { fallback, record: Some("r".to_owned()), ..chain("c") };
    let built = planned(&request, &layers, &host());
    assert_eq!(fallbacks(&built.plan), ["none", "none"]);
    assert_eq!(warnings(&built), [""; 0]);
}

/// A replay starts no agent that could meet a limit.
#[test]
fn a_replay_has_no_fallback_of_the_config() {
    let steps = r#"{"agent": "maker"}, {"agent": "maker", "fallback": "gemini"}"#;
    let layers = config(MAKER, r#""fallback": "codex","#, steps);
    let replay = Some(RequestedReplay { recording: "r".to_owned(), speed: ReplaySpeed::Max });
    let request = PlanRequest { replay, ..chain("c") };
    let host = host().with_recording("r", &[("maker", None), ("maker", None)]);
    let built = planned(&request, &layers, &host);
    assert_eq!(fallbacks(&built.plan), ["none", "none"]);
    assert_eq!(warnings(&built), [""; 0]);
    let typed = errors(&with_flag(request, Backend::Codex), &layers, &host);
    assert!(typed[0].contains("`--fallback codex` has no effect"), "{typed:?}");
}

#[test]
fn a_cost_limit_needs_the_price_of_the_fallback_too() {
    let layers = config(MAKER, r#""limits": {"cost": 5},"#, r#"{"agent": "maker"}"#);
    let request = with_flag(chain("c"), Backend::Codex);
    let errors = errors(&request, &layers, &host());
    assert_eq!(
        errors,
        [
            "the cost of step 1 is limited, but cannot be known on its fallback Codex: its model is not \
          known"
        ]
    );
}

#[test]
fn a_recorded_plan_keeps_its_fallback_and_begins_on_the_first_back_end() {
    let layers = config(MAKER, r#""fallback": "codex","#, r#"{"agent": "maker", "iterations": 3}"#);
    let recorded = plan(&chain("c"), &layers, &host());
    let text = serde_json::to_string(&recorded).expect("a plan is data");
    let mut read: Plan = serde_json::from_str(&text).expect("it reads back");
    read.steps[0].use_backend(BackendRole::Fallback);
    assert_eq!(backend(&read.steps[0].agent), Some(Backend::Codex));
    let target = RunTarget::Recorded(Box::new(RecordedPlan { plan: read, next_step: 1 }));
    let request = PlanRequest::new(target, "/work");
    let forked = plan(&request, &layers, &host());
    assert_eq!(backend(&forked.steps[0].agent), Some(Backend::Claude));
    assert_eq!(forked.steps[0].fallback_agent().and_then(backend), Some(Backend::Codex));
    let forked = plan(&with_flag(request.clone(), Backend::Gemini), &layers, &host());
    assert_eq!(forked.steps[0].fallback_agent().and_then(backend), Some(Backend::Gemini));
    let request = PlanRequest { record: Some("r".to_owned()), ..request };
    let refused = errors(&request, &layers, &host());
    assert!(refused[0].contains("cannot be used with a fallback"), "{refused:?}");
    let request = PlanRequest { fallback: Some(FallbackChoice::Off), ..request };
    assert_eq!(fallbacks(&plan(&request, &layers, &host())), ["none"]);
}

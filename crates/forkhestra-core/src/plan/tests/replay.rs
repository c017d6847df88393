//! Recordings that are replayed in place of agents.

use super::*;
use crate::config::Backend;

const CLAUDE: Option<Backend> = Some(Backend::Claude);

/// A request to replay `rec`.
fn replayed(request: PlanRequest) -> PlanRequest {
    let replay = RequestedReplay { recording: "rec".to_owned(), speed: ReplaySpeed::Max };
    PlanRequest { replay: Some(replay), ..request }
}

/// The recorded step for each step.
fn replayed_steps(plan: &Plan) -> Vec<Option<usize>> {
    plan.steps.iter().map(|step| step.agent.replay.as_ref().map(|replay| replay.step)).collect()
}

fn direct(step: &PlanStep) -> &DirectSpawn {
    let AgentKind::Direct(direct) = &step.agent.kind else { panic!("it is a program: {step:?}") };
    direct
}

#[test]
fn each_use_of_an_agent_plays_the_next_recorded_step_of_its_name() {
    let host = FakeHost::default()
        .with_recording("rec", &[("a", None), ("b", None), ("a", None), ("c", None)]);
    let plan = plan(&replayed(dsl("b:2 -> a -> a:3")), &project("{\"chains\":{}}"), &host);
    assert_eq!(replayed_steps(&plan), [Some(2), Some(1), Some(3)]);
}

#[test]
fn a_recorded_single_step_plays_for_any_single_step() {
    let host = FakeHost::default().with_recording("rec", &[("a", CLAUDE)]);
    let layers = project("{\"chains\":{}}");
    assert_eq!(replayed_steps(&plan(&replayed(dsl("z:3")), &layers, &host)), [Some(1)]);
    assert_eq!(
        errors(&replayed(dsl("a -> z")), &layers, &host),
        ["the recording `rec` has no step of `z`"]
    );
    assert_eq!(
        errors(&replayed(dsl("a -> a")), &layers, &host),
        ["the recording `rec` has less than 2 steps of `a`"]
    );
}

#[test]
fn a_recording_without_the_step_lists_its_steps() {
    let host = FakeHost::default().with_recording("rec", &[("a", CLAUDE), ("b", None)]);
    let request = replayed(dsl("x -> b"));
    let Err(errors) = build(&request, &project("{\"chains\":{}}"), &host) else {
        panic!("planned")
    };
    assert_eq!(errors[0].hints, ["its steps are: 1 a (claude), 2 b"]);
}

#[test]
fn a_recording_that_cannot_be_read_is_an_error_with_the_reason() {
    let found = errors(&replayed(dsl("a")), &project("{\"chains\":{}}"), &FakeHost::default());
    assert_eq!(found, ["`--replay rec`: it does not exist"]);
}

#[test]
fn a_replay_needs_no_program_and_uses_the_recorded_dialect() {
    let host = FakeHost::default()
        .with_recording("rec", &[("a", Some(Backend::Codex)), ("b", CLAUDE), ("c", None)]);
    let agents = r#""a": {"systemPromptText": "A", "backend": "codex", "model": "o3", "maxTurns": 4},
        "b": {"systemPromptText": "B", "backend": "gemini"}, "c": {"systemPromptText": "C"}"#;
    let plan = plan(&replayed(dsl("a -> b -> c")), &config(agents, "", ""), &host);
    let player = ProgramLocation::Found("/opt/bin/player".to_owned());
    for step in &plan.steps {
        assert_eq!(step.agent.kind.location(), Some(&player));
    }
    // The plan for the same program is kept, since it decides how its output is parsed.
    let kept = direct(&plan.steps[0]);
    assert_eq!((kept.backend, kept.model.as_deref()), (Backend::Codex, Some("o3")));
    assert_eq!(kept.system_prompt.value, Prompt::Text("A".to_owned()));
    let bare = direct(&plan.steps[1]);
    assert_eq!((bare.backend, &bare.system_prompt.value), (Backend::Claude, &Prompt::None));
    assert!(matches!(plan.steps[2].agent.kind, AgentKind::Program(_)));
}

/// An agent `a` of the backend `replay`, with these members.
fn configured(members: &str) -> ConfigLayers {
    config(&format!(r#""a": {{"backend": "replay", "recording": "rec"{members}}}"#), "", "")
}

#[test]
fn an_agent_of_the_config_may_be_a_recording() {
    let host = FakeHost::default()
        .with_recording("rec", &[("a", CLAUDE), ("b", None), ("a", None)])
        .with_program("sh");
    let layers = configured(r#", "speed": 2.5"#);
    let plan = plan(&dsl("a:2 -> sh -> a:2"), &layers, &host);
    assert_eq!(replayed_steps(&plan), [Some(1), None, Some(3)]);
    let replay = plan.steps[0].agent.replay.as_ref().expect("it is played");
    assert_eq!(replay.speed.to_string(), "2.5");
    assert_eq!(direct(&plan.steps[0]).backend, Backend::Claude);
    assert!(matches!(plan.steps[2].agent.kind, AgentKind::Program(_)));
    assert_eq!(plan.steps[1].agent.kind.command(), "sh");
}

#[test]
fn the_command_line_wins_over_configured_recordings() {
    let host = FakeHost::default()
        .with_recording("rec", &[("a", None)])
        .with_recording("other", &[("a", None)]);
    let layers = config(r#""a": {"backend": "replay", "recording": "other", "speed": 2}"#, "", "");
    let plan = plan(&replayed(dsl("a")), &layers, &host);
    let replay = plan.steps[0].agent.replay.as_ref().expect("it is played");
    assert_eq!((replay.recording.as_str(), replay.speed), ("rec", ReplaySpeed::Max));
}

#[test]
fn errors_of_configured_recordings_have_their_position() {
    let nothing = FakeHost::default();
    assert_eq!(
        errors(&dsl("a"), &configured(""), &nothing),
        ["\"rec\" | Agent 'a' plays back 'rec': it does not exist"]
    );
    let other = FakeHost::default().with_recording("rec", &[("x", None), ("y", None)]);
    assert_eq!(
        errors(&dsl("a"), &configured(""), &other),
        ["\"rec\" | the recording `rec` has no step of `a`"]
    );
}

#[test]
fn a_list_shows_the_error_of_a_recording() {
    let user = r#"{"chains": {}, "agents": {"a": {"backend": "replay", "recording": "rec"}}}"#;
    let layers = layers(None, Some(user));
    let problems = |host: &FakeHost| {
        inventory(&layers, host).expect("it is listed").agents[0].problems.clone()
    };
    assert_eq!(problems(&FakeHost::default()), ["Agent 'a' plays back 'rec': it does not exist"]);
    let host = FakeHost::default().with_recording("rec", &[("x", None)]);
    assert_eq!(problems(&host), Vec::<String>::new());
}

#[test]
fn a_recording_inside_a_project_moves_with_it() {
    let host = FakeHost::default().with_recording("/work/rec", &[("a", None)]);
    let layers = config(r#""a": {"backend": "replay", "recording": "/work/rec"}"#, "", "");
    let mut plan = plan(&dsl("a"), &layers, &host);
    plan.relocate("/new");
    let replay = plan.steps[0].agent.replay.as_ref().expect("it is played");
    assert_eq!(replay.recording, "/new/rec");
}

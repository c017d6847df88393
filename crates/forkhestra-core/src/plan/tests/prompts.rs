use proptest::prelude::*;

use super::*;

/// One level of a prompt.
#[derive(Debug, Clone, Default)]
struct PromptLevelCase {
    text: Option<&'static str>,
    file: Option<&'static str>,
}

/// All levels from the nearest to the farthest: command line, step, chain, agent.
type PromptLevels = [PromptLevelCase; 4];

/// The rule in one sentence: the first level with a prompt, text over file, empty is none.
fn naive(levels: &PromptLevels) -> Prompt {
    match levels.iter().find_map(|level| level.text.map(Ok).or(level.file.map(Err))) {
        None | Some(Ok("")) => Prompt::None,
        Some(Ok(text)) => Prompt::Text(text.to_owned()),
        Some(Err(file)) => Prompt::File(file.to_owned()),
    }
}

fn members(level: &PromptLevelCase, text_key: &str, file_key: &str) -> String {
    let member = |key: &str, value: Option<&str>| {
        value.map_or(String::new(), |value| format!("\"{key}\": \"{value}\","))
    };
    member(text_key, level.text) + &member(file_key, level.file)
}

fn resolved(levels: &PromptLevels) -> Sourced<Prompt> {
    let [typed, step, chain_level, agent] = levels;
    let layers = config(
        &format!(r#""a": {{{}}}"#, members(agent, "defaultPrompt", "defaultPromptFile")),
        &members(chain_level, "prompt", "promptFile"),
        &format!(r#"{{"agent": "a", {}}}"#, members(step, "prompt", "promptFile")),
    );
    let text = typed.text.map(|text| RequestedPrompt::Text(text.to_owned()));
    let file = typed.file.map(|file| RequestedPrompt::File(file.to_owned()));
    let request = PlanRequest { prompt: text.or(file), ..chain("c") };
    let host = FakeHost::default().with_file("f1").with_file("f2");
    plan(&request, &layers, &host).steps[0].prompt.clone()
}

fn level() -> impl Strategy<Value = PromptLevelCase> {
    let text = prop::option::of(prop::sample::select(vec!["", "t1", "t2"]));
    let file = prop::option::of(prop::sample::select(vec!["f1", "f2"]));
    (text, file).prop_map(|(text, file)| PromptLevelCase { text, file })
}

proptest! {
    #[test]
    fn the_first_level_that_says_anything_decides(
        levels in [level(), level(), level(), level()],
    ) {
        prop_assert_eq!(resolved(&levels).value, naive(&levels), "{:?}", levels);
    }
}

#[test]
fn a_prompt_knows_where_it_came_from() {
    let [t, none] = [PromptLevelCase { text: Some("t1"), file: None }, PromptLevelCase::default()];
    let source = |levels: PromptLevels| resolved(&levels).source.to_string();
    assert_eq!(source([t.clone(), t.clone(), t.clone(), t.clone()]), "--prompt");
    let file = PromptLevelCase { text: None, file: Some("f1") };
    assert_eq!(source([file, none.clone(), none.clone(), none.clone()]), "--prompt-file");
    assert!(source([none.clone(), none.clone(), none.clone(), t]).starts_with("chains.json:1:"));
    assert_eq!(source([none.clone(), none.clone(), none.clone(), none]), "default");
}

#[test]
fn an_empty_prompt_hides_outer_prompts() {
    let empty = PromptLevelCase { text: Some(""), file: None };
    let t = PromptLevelCase { text: Some("t1"), file: None };
    let prompt = resolved(&[PromptLevelCase::default(), empty, t.clone(), t]);
    assert_eq!(prompt.value, Prompt::None);
    assert!(prompt.source.to_string().starts_with("chains.json:1:"));
}

#[test]
fn a_blank_prompt_is_none() {
    let blank = PromptLevelCase { text: Some(" \\n"), file: None };
    assert_eq!(
        resolved(&[
            PromptLevelCase::default(),
            blank,
            PromptLevelCase::default(),
            PromptLevelCase::default()
        ])
        .value,
        Prompt::None
    );
}

#[test]
fn a_prompt_file_must_exist_at_every_level() {
    let host = FakeHost::default();
    let step = r#"{"agent": "a", "promptFile": "none.md"}"#;
    let found = errors(&chain("c"), &config("", "", step), &host);
    assert_eq!(found, ["\"none.md\" | Prompt file not found: none.md"]);

    let found =
        errors(&chain("c"), &config("", r#""promptFile": "none.md","#, r#"{"agent": "a"}"#), &host);
    assert_eq!(found, ["\"none.md\" | Prompt file not found: none.md"]);

    let agent = r#""a": {"defaultPromptFile": "none.md"}"#;
    let found = errors(&dsl("a"), &config(agent, "", ""), &host);
    assert_eq!(found, ["\"none.md\" | Prompt file not found: none.md"]);

    let prompt = Some(RequestedPrompt::File("none.md".to_owned()));
    let found = errors(&PlanRequest { prompt, ..dsl("a") }, &ConfigLayers::default(), &host);
    assert_eq!(found, ["Prompt file not found: none.md"]);
}

#[test]
fn a_file_that_is_hidden_need_not_exist() {
    let layers = config("", "", r#"{"agent": "a", "prompt": "p", "promptFile": "none.md"}"#);
    plan(&chain("c"), &layers, &FakeHost::default());
}

#[test]
fn a_file_that_two_steps_share_is_reported_once() {
    let layers = config("", r#""promptFile": "none.md","#, r#"{"agent": "a"}, {"agent": "b"}"#);
    assert_eq!(errors(&chain("c"), &layers, &FakeHost::default()).len(), 1);
}

#[test]
fn steps_may_have_different_prompts() {
    let layers =
        config("", r#""prompt": "all","#, r#"{"agent": "a", "prompt": "one"}, {"agent": "b"}"#);
    let plan = plan(&chain("c"), &layers, &FakeHost::default());
    let prompts: Vec<&Prompt> = plan.steps.iter().map(|step| &step.prompt.value).collect();
    assert_eq!(prompts, [&Prompt::Text("one".to_owned()), &Prompt::Text("all".to_owned())]);
}

//! Which prompt a step gets: the five levels of 003, with inline text before a file at each level.

use insta::assert_snapshot;
use testkit::TestEnv;

use crate::{forkhestra, planned, project, refused};

/// The setting of a level: nothing, a text, a file, or both.
#[derive(Clone, Copy, PartialEq)]
enum PromptSetting {
    Nothing,
    Empty,
    Text,
    File,
    Both,
}

use PromptSetting::{Both, Empty, File, Nothing, Text};

impl PromptSetting {
    /// As members of a JSON object, with a trailing comma.
    fn json(self, level: &str, text_key: &str, file_key: &str) -> String {
        let text = format!("\"{text_key}\": \"{level} text\", ");
        let file = format!("\"{file_key}\": \"{level}.md\", ");
        match self {
            Nothing => String::new(),
            Empty => format!("\"{text_key}\": \"\", {file}"),
            Text => text,
            File => file,
            Both => file + &text,
        }
    }
}

/// A project with a setting at each level of the config.
fn levels(step: PromptSetting, chain: PromptSetting, agent: PromptSetting) -> TestEnv {
    let env = project(&format!(
        r#"{{
          "agents": {{ "a": {{ {} }} }},
          "chains": {{ "c": {{ {} "steps": [{{ {} "agent": "a" }}] }} }},
        }}"#,
        agent.json("agent", "defaultPrompt", "defaultPromptFile"),
        chain.json("chain", "prompt", "promptFile"),
        step.json("step", "prompt", "promptFile"),
    ));
    env.install("a");
    for level in ["flag", "step", "chain", "agent"] {
        env.write(&format!("{level}.md"), format!("{level} file"));
    }
    env
}

/// The prompt that a dry run shows for the only step; empty if it shows none.
fn prompt(env: &TestEnv, flags: &[&str]) -> String {
    let shown = planned(env, &[&["--chain", "c"], flags].concat());
    let mut lines = shown.lines().skip_while(|line| !line.trim().starts_with("prompt:"));
    match lines.next().map(|line| line.trim().trim_start_matches("prompt: ")) {
        Some(file) if file.starts_with("file ") => {
            lines.next().unwrap_or_default().trim().to_owned()
        }
        Some(text) => text.to_owned(),
        None => String::new(),
    }
}

#[test]
fn the_nearest_level_with_a_prompt_wins() {
    let table = [
        // Step, chain, agent, and the resulting prompt.
        (Text, Text, Text, "\"step text\""),
        (Nothing, Text, Text, "\"chain text\""),
        (Nothing, Nothing, Text, "\"agent text\""),
        (Nothing, Nothing, Nothing, ""),
        (File, Text, Text, "\"step file\""),
        (Nothing, File, Text, "\"chain file\""),
        (Nothing, Nothing, File, "\"agent file\""),
        (Both, Text, Text, "\"step text\""),
        (Nothing, Both, Text, "\"chain text\""),
        (Nothing, Nothing, Both, "\"agent text\""),
    ];
    for (step, chain, agent, expected) in table {
        let env = levels(step, chain, agent);
        assert_eq!(prompt(&env, &[]), expected);
    }
}

#[test]
fn the_command_line_overrides_every_level_of_the_config() {
    for output in [Nothing, Text, File, Both] {
        let env = levels(output, output, output);
        assert_eq!(prompt(&env, &["--prompt", "flag text"]), "\"flag text\"");
        assert_eq!(prompt(&env, &["-p", "flag text"]), "\"flag text\"");
        assert_eq!(prompt(&env, &["--prompt-file", "flag.md"]), "\"flag file\"");
    }
}

#[test]
fn an_empty_prompt_means_none_and_hides_the_levels_below_it() {
    let table = [
        (Empty, Text, Text, "none"),
        (Nothing, Empty, Text, "none"),
        (Nothing, Nothing, Empty, "none"),
        (Text, Empty, Empty, "\"step text\""),
    ];
    for (step, chain, agent, expected) in table {
        assert_eq!(prompt(&levels(step, chain, agent), &[]), expected);
    }
    assert_eq!(prompt(&levels(Text, Text, Text), &["--prompt", ""]), "none");
}

#[test]
fn a_prompt_of_the_command_line_is_for_all_steps_and_those_of_a_chain_for_each() {
    let env = project(
        r#"{
          "agents": { "b": { "defaultPrompt": "for b" } },
          "chains": {
            "c": {
              "steps": [
                { "agent": "a", "prompt": "first", "iterations": 3 },
                { "agent": "b" },
                { "agent": "a" },
              ],
            },
          },
        }"#,
    );
    env.install("a").install("b");
    assert_snapshot!(planned(&env, &["--chain", "c"]), @r#"
    1. a - loop up to 3 iterations
         agent: program $TEST/bin/a (PATH)
         prompt: "first"
    2. b - run once
         agent: program $TEST/bin/b (PATH)
         prompt: "for b"
    3. a - run once
         agent: program $TEST/bin/a (PATH)
    "#);
    assert_snapshot!(planned(&env, &["--chain", "c", "-p", "Focus on auth"]), @r#"
    1. a - loop up to 3 iterations
         agent: program $TEST/bin/a (PATH)
         prompt: "Focus on auth"
    2. b - run once
         agent: program $TEST/bin/b (PATH)
         prompt: "Focus on auth"
    3. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: "Focus on auth"
    "#);
}

#[test]
fn a_typed_chain_uses_the_default_prompts_of_its_agents() {
    let env = project(
        r#"{
          "agents": {
            "a": { "defaultPrompt": "for a" },
            "b": { "systemPromptText": "You are b", "defaultPrompt": "for b" },
          },
          "chains": {},
        }"#,
    );
    env.install("a").install("claude");
    assert_snapshot!(planned(&env, &["a -> b:3"]), @r#"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
         prompt: "for a"
    2. b - loop up to 3 iterations
         agent: direct spawn of claude (forge/orch/chains.json:4:13)
         system prompt: "You are b"
         prompt: "for b"
    "#);
}

#[test]
fn a_prompt_and_a_prompt_file_conflict() {
    let env = TestEnv::new();
    env.write("p.md", "text");
    assert_snapshot!(refused(&env, &["a", "--prompt", "text", "--prompt-file", "p.md"]), @"
    error: the argument '--prompt <TEXT>' cannot be used with '--prompt-file <PATH>'
    hint: for the options and their values see `forkhestra --help`
    ");
}

#[test]
fn verbose_names_the_level_of_the_prompt() {
    let env = levels(Nothing, Text, Text);
    let source = |flags: &[&str]| {
        let args = [&["--chain", "c", "--dry-run", "-v"], flags].concat();
        let shown = forkhestra(&env, &args).success();
        let line = shown.lines().find(|line| line.trim().starts_with("prompt:"));
        line.and_then(|line| line.rsplit_once("  ")).map(|(_, source)| source.to_owned())
    };
    assert_eq!(source(&[]).as_deref(), Some("[forge/orch/chains.json:3:40]"));
    assert_eq!(source(&["-p", "x"]).as_deref(), Some("[--prompt]"));
    assert_eq!(source(&["--prompt-file", "flag.md"]).as_deref(), Some("[--prompt-file]"));
}

#[test]
fn blank_lines_before_a_prompt_are_not_shown_as_its_first_line() {
    let env = TestEnv::new();
    env.install("a");
    let shown = planned(&env, &["a", "-p", "\n \nDo it\nnow"]);
    assert!(shown.contains("prompt: \"Do it\" (+1 line)\n"), "{shown}");
    let shown = planned(&env, &["a", "-p", " \n"]);
    assert!(shown.contains("prompt: none\n"), "{shown}");
}

//! `${NAME}`: where it is replaced, where it is not, and the errors.

use insta::assert_snapshot;

use crate::{forkhestra, planned, project, refused};

const VARIABLES_IN_ALL_KEYS: &str = r#"{
  "agents": {
    "a": { "command": "a", "args": ["--of-agent=${AGENT_ARG}"], "defaultPrompt": "Default ${WORD}" },
    "f": { "command": "a", "defaultPromptFile": "prompts/${FILE}.md" }
  },
  "chains": {
    "step": { "steps": [{ "agent": "a", "args": ["--task", "${TASK_ID}"], "prompt": "Do ${TASK_ID} in ${PLACE}" }] },
    "step-file": { "steps": [{ "agent": "f", "promptFile": "prompts/${FILE}.md" }] },
    "chain": { "prompt": "All of ${WORD}", "steps": [{ "agent": "f" }] },
    "chain-file": { "promptFile": "prompts/${FILE}.md", "steps": [{ "agent": "f" }] }
  }
}
"#;

fn with_variables_everywhere() -> testkit::TestEnv {
    let env = project(VARIABLES_IN_ALL_KEYS);
    env.install("a").write("prompts/one.md", "The file says ${WORD}");
    env
}

#[test]
fn variables_are_replaced_in_arguments_and_in_the_prompt_of_a_step() {
    let args = ["--chain", "step", "TASK_ID=TASK-001", "PLACE=the cellar", "AGENT_ARG=x"];
    assert_snapshot!(planned(&with_variables_everywhere(), &args), @r#"
    1. a - run once
         agent: program $TEST/bin/a (forge/orch/chains.json:3:5)
         args: --of-agent=x --task TASK-001
         prompt: "Do TASK-001 in the cellar"
    "#);
}

#[test]
fn variables_are_replaced_in_the_prompt_of_a_chain() {
    assert_snapshot!(planned(&with_variables_everywhere(), &["--chain", "chain", "WORD=it"]), @r#"
    1. f - run once
         agent: program $TEST/bin/a (forge/orch/chains.json:4:5)
         prompt: "All of it"
    "#);
}

#[test]
fn variables_are_replaced_in_the_names_of_prompt_files_and_not_in_their_contents() {
    let env = with_variables_everywhere();
    assert_snapshot!(planned(&env, &["--chain", "step-file", "FILE=one"]), @r#"
    1. f - run once
         agent: program $TEST/bin/a (forge/orch/chains.json:4:5)
         prompt: file prompts/one.md
           "The file says ${WORD}"
    "#);
    let of_chain = planned(&env, &["--chain", "chain-file", "FILE=one"]);
    assert_eq!(of_chain, planned(&env, &["--chain", "step-file", "FILE=one"]));
    assert_eq!(of_chain, planned(&env, &["f", "FILE=one"]));
}

#[test]
fn variables_work_with_a_typed_chain_and_the_default_prompt_of_its_agent() {
    let env = with_variables_everywhere();
    assert_snapshot!(planned(&env, &["a:3", "WORD=it", "AGENT_ARG=x"]), @r#"
    1. a - loop up to 3 iterations
         agent: program $TEST/bin/a (forge/orch/chains.json:3:5)
         args: --of-agent=x
         prompt: "Default it"
    "#);
    assert_eq!(
        planned(&env, &["WORD=it", "a:3", "AGENT_ARG=x"]),
        planned(&env, &["a:3", "AGENT_ARG=x", "WORD=it"])
    );
}

#[test]
fn variables_are_not_replaced_in_prompts_of_the_command_line() {
    let env = with_variables_everywhere();
    let shown = planned(&env, &["f", "-p", "Keep ${WORD}"]);
    assert!(shown.contains("prompt: \"Keep ${WORD}\"\n"), "{shown}");
    assert_snapshot!(refused(&env, &["f", "--prompt-file", "prompts/${FILE}.md"]), @"
    error: Prompt file not found: prompts/${FILE}.md
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    ");
}

#[test]
fn variables_are_not_replaced_in_arguments_of_the_command_line() {
    let shown = planned(&with_variables_everywhere(), &["f", "FILE=one", "--", "${FILE}"]);
    assert!(shown.contains("args: '${FILE}'\n"), "{shown}");
}

#[test]
fn two_dollars_write_a_variable_that_stays_and_other_dollars_are_plain_text() {
    let env = project(
        r#"{ "chains": { "c": { "steps": [{
            "agent": "a", "args": ["$${NAME}", "$NAME", "$${name}", "${NAME", "${ NAME }", "$$", "${}", "${1A}"]
        }] } } }"#,
    );
    env.install("a");
    assert_snapshot!(planned(&env, &["--chain", "c"]), @"
    1. a - run once
         agent: program $TEST/bin/a (PATH)
         args: '${NAME}' '$NAME' '${name}' '${NAME' '${ NAME }' '$$' '${}' '${1A}'
    ");
}

#[test]
fn a_value_is_inserted_unchanged() {
    let env = with_variables_everywhere();
    let value = |value: &str| {
        let shown = planned(&env, &["--chain", "chain", &format!("WORD={value}")]);
        let prompt = shown.lines().find_map(|line| line.trim().strip_prefix("prompt: "));
        prompt.map(str::to_owned).expect("the step has a prompt")
    };
    assert_eq!(value(""), "\"All of \"");
    assert_eq!(value("a=b"), "\"All of a=b\"");
    assert_eq!(value("${WORD} $HOME"), "\"All of ${WORD} $HOME\"");
}

#[test]
fn every_missing_variable_is_shown_at_once_with_its_place() {
    assert_snapshot!(refused(&with_variables_everywhere(), &["--chain", "step"]), @r#"
    error: Variable 'AGENT_ARG' referenced in 'a' but not provided
     --> forge/orch/chains.json:3:49
      |
    3 |     "a": { "command": "a", "args": ["--of-agent=${AGENT_ARG}"], "defaultPrompt": "Default ${WORD}" },
      |                                                 ^^^^^^^^^^^^ has no value
    hint: give it a value on the command line: AGENT_ARG=…
    error: Variable 'PLACE' referenced in 'a' but not provided
     --> forge/orch/chains.json:7:103
      |
    7 |     "step": { "steps": [{ "agent": "a", "args": ["--task", "${TASK_ID}"], "prompt": "Do ${TASK_ID} in ${PLACE}" }] },
      |                                                                                                       ^^^^^^^^ has no value
    hint: give it a value on the command line: PLACE=…
    error: Variable 'TASK_ID' referenced in 'a' but not provided
     --> forge/orch/chains.json:7:61
      |
    7 |     "step": { "steps": [{ "agent": "a", "args": ["--task", "${TASK_ID}"], "prompt": "Do ${TASK_ID} in ${PLACE}" }] },
      |                                                             ^^^^^^^^^^ has no value
    hint: give it a value on the command line: TASK_ID=…
    error: Variable 'TASK_ID' referenced in 'a' but not provided
     --> forge/orch/chains.json:7:89
      |
    7 |     "step": { "steps": [{ "agent": "a", "args": ["--task", "${TASK_ID}"], "prompt": "Do ${TASK_ID} in ${PLACE}" }] },
      |                                                                                         ^^^^^^^^^^ has no value
    hint: give it a value on the command line: TASK_ID=…
    "#);
}

#[test]
fn escaped_variables_are_not_reported() {
    let env = project(
        r#"{ "chains": { "c": { "prompt": "$${A} is ${A}", "steps": [{ "agent": "a" }] } } }"#,
    );
    assert_snapshot!(refused(&env, &["--chain", "c"]), @r#"
    error: Variable 'A' referenced in 'a' but not provided
     --> forge/orch/chains.json:1:42
      |
    1 | { "chains": { "c": { "prompt": "$${A} is ${A}", "steps": [{ "agent": "a" }] } } }
      |                                          ^^^^ has no value
    hint: give it a value on the command line: A=…
    "#);
}

#[test]
fn only_missing_variables_are_reported() {
    let output =
        refused(&with_variables_everywhere(), &["--chain", "step", "TASK_ID=1", "AGENT_ARG=2"]);
    assert_snapshot!(output, @r#"
    error: Variable 'PLACE' referenced in 'a' but not provided
     --> forge/orch/chains.json:7:103
      |
    7 |     "step": { "steps": [{ "agent": "a", "args": ["--task", "${TASK_ID}"], "prompt": "Do ${TASK_ID} in ${PLACE}" }] },
      |                                                                                                       ^^^^^^^^ has no value
    hint: give it a value on the command line: PLACE=…
    "#);
}

#[test]
fn a_variable_of_a_default_prompt_is_required_by_a_typed_chain() {
    assert_snapshot!(refused(&with_variables_everywhere(), &["f:3"]), @r#"
    error: Variable 'FILE' referenced in 'f' but not provided
     --> forge/orch/chains.json:4:58
      |
    4 |     "f": { "command": "a", "defaultPromptFile": "prompts/${FILE}.md" }
      |                                                          ^^^^^^^ has no value
    hint: give it a value on the command line: FILE=…
    "#);
}

#[test]
fn a_prompt_that_is_overridden_needs_no_variables() {
    assert_snapshot!(planned(&with_variables_everywhere(), &["f:3", "-p", "Do it"]), @r#"
    1. f - loop up to 3 iterations
         agent: program $TEST/bin/a (forge/orch/chains.json:4:5)
         prompt: "Do it"
    "#);
}

#[test]
fn a_file_whose_name_comes_from_a_variable_must_exist() {
    assert_snapshot!(refused(&with_variables_everywhere(), &["--chain", "step-file", "FILE=two"]), @r#"
    error: Prompt file not found: prompts/two.md
     --> forge/orch/chains.json:8:60
      |
    8 |     "step-file": { "steps": [{ "agent": "f", "promptFile": "prompts/${FILE}.md" }] },
      |                                                            ^^^^^^^^^^^^^^^^^^^^ does not exist
    hint: paths are relative to the working directory (`--cwd`), not to the config file
    "#);
}

#[test]
fn a_variable_is_given_once() {
    let message = refused(&with_variables_everywhere(), &["--chain", "chain", "WORD=a", "WORD=b"]);
    assert_snapshot!(message, @"
    error: variable 'WORD' is given twice
    hint: give each variable once
    ");
}

#[test]
fn variable_names_in_lower_case_are_refused_with_a_suggestion() {
    assert_snapshot!(refused(&with_variables_everywhere(), &["--chain", "chain", "word=it"]), @"
    error: `word` is not a variable's name
    hint: did you mean `WORD=it`?
    hint: variables are written NAME=value, with a name of A-Z, 0-9 and _
    ");
    assert_snapshot!(refused(&with_variables_everywhere(), &["a", "1ST=it"]), @"
    error: `1ST` is not a variable's name
    hint: variables are written NAME=value, with a name of A-Z, 0-9 and _
    ");
}

#[test]
fn every_wrong_name_is_shown_at_once() {
    assert_snapshot!(refused(&with_variables_everywhere(), &["--chain", "chain", "A-B=1", "=2"]), @"
    error: `A-B` is not a variable's name
    hint: variables are written NAME=value, with a name of A-Z, 0-9 and _
    error: `` is not a variable's name
    hint: variables are written NAME=value, with a name of A-Z, 0-9 and _
    ");
}

#[test]
fn an_unused_variable_is_a_warning() {
    let env = with_variables_everywhere();
    let args = ["--chain", "chain", "WORD=it", "WROD=it", "--dry-run", "--quiet"];
    assert_snapshot!(forkhestra(&env, &args), @r#"
      1. f - run once
           agent: program $TEST/bin/a (forge/orch/chains.json:4:5)
           prompt: "All of it"
    ------- stderr -------
    warning: variable 'WROD' is given but nothing refers to it
    "#);
}

#[test]
fn a_reference_in_lower_case_is_not_replaced_and_is_a_warning() {
    let env = project(
        r#"{ "chains": { "c": { "steps": [{ "agent": "a", "prompt": "Build ${feature}" }] } } }"#,
    );
    env.install("a");
    let output = forkhestra(&env, &["--chain", "c", "--dry-run"]);
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stdout.contains(r#"prompt: "Build ${feature}""#), "{output}");
    assert_snapshot!(output.stderr, @r#"
    warning: `${feature}` is not a variable; the agent gets it as it is
     --> forge/orch/chains.json:1:65
      |
    1 | { "chains": { "c": { "steps": [{ "agent": "a", "prompt": "Build ${feature}" }] } } }
      |                                                                 ^^^^^^^^^^ not replaced
    hint: names of variables are made of A-Z, 0-9 and _: `${FEATURE}`
    hint: to write it as it is without this warning: `$${feature}`
    "#);
}

use super::*;

#[test]
fn every_place_that_may_hold_variables_is_substituted() {
    let layers = config(
        r#""a": {"args": ["${V}"], "systemPromptText": "s ${V}", "defaultPromptFile": "${V}.md"}"#,
        "",
        r#"{"agent": "a", "args": ["$${V}"]}, {"agent": "b", "prompt": "p ${V}"}, {"agent": "b", "promptFile": "${V}.md"}"#,
    );
    let host = FakeHost::default().with_file("x.md");
    let plan = plan(&with_variables(chain("c"), &["V=x"]), &layers, &host);
    let args: Vec<&str> = plan.steps[0].args.iter().map(|arg| arg.value.as_str()).collect();
    assert_eq!(args, ["x", "${V}"]);
    let prompts: Vec<Prompt> = plan.steps.iter().map(|step| step.prompt.value.clone()).collect();
    let file = Prompt::File("x.md".to_owned());
    assert_eq!(prompts, [file.clone(), Prompt::Text("p x".to_owned()), file]);
    let AgentKind::Direct(direct) = &plan.steps[0].agent.kind else { panic!("not direct") };
    assert_eq!(direct.system_prompt.value, Prompt::Text("s x".to_owned()));
}

#[test]
fn variables_work_with_a_typed_chain_too() {
    let layers = config(r#""a": {"defaultPrompt": "on ${V}"}"#, "", "");
    let plan = plan(&with_variables(dsl("a"), &["V=x"]), &layers, &FakeHost::default());
    assert_eq!(plan.steps[0].prompt.value, Prompt::Text("on x".to_owned()));
}

#[test]
fn all_missing_variables_are_listed_at_once() {
    let layers = config(
        "",
        r#""promptFile": "${C}.md","#,
        r#"{"agent": "w", "args": ["${B}", "${A}"]}, {"agent": "v", "prompt": "${A}"}"#,
    );
    assert_eq!(
        errors(&chain("c"), &layers, &FakeHost::default()),
        [
            "${A} | Variable 'A' referenced in 'w' but not provided",
            "${A} | Variable 'A' referenced in 'v' but not provided",
            "${B} | Variable 'B' referenced in 'w' but not provided",
            "${C} | Variable 'C' referenced in 'w' but not provided",
        ]
    );
}

#[test]
fn only_used_entries_need_their_variables() {
    let layers = config("", r#""prompt": "${A}","#, r#"{"agent": "a"}"#);
    let prompt = Some(RequestedPrompt::Text("mine ${B}".to_owned()));
    let plan = plan(&PlanRequest { prompt, ..chain("c") }, &layers, &FakeHost::default());
    assert_eq!(plan.steps[0].prompt.value, Prompt::Text("mine ${B}".to_owned()));
}

#[test]
fn a_variable_that_nothing_refers_to_is_a_warning() {
    let layers = config("", "", r#"{"agent": "a"}"#);
    let planned = planned(&with_variables(chain("c"), &["V=x"]), &layers, &FakeHost::default());
    assert_eq!(planned.warnings[0].message, "variable 'V' is given but nothing refers to it");
}

#[test]
fn a_system_prompt_file_with_a_variable_is_looked_at_when_it_is_known() {
    let layers = config(r#""a": {"systemPrompt": "${V}.md"}"#, "", r#"{"agent": "a"}"#);
    let request = with_variables(chain("c"), &["V=x"]);
    plan(&request, &layers, &FakeHost::default().with_file("x.md"));
    let expected = ["\"${V}.md\" | Agent 'a' references systemPrompt 'x.md' which does not exist"];
    assert_eq!(errors(&request, &layers, &FakeHost::default()), expected);
}

#[test]
fn a_name_of_a_file_that_becomes_empty_names_no_file() {
    let request = with_variables(chain("c"), &["V="]);
    let agent = config(r#""a": {"systemPrompt": "${V}"}"#, "", r#"{"agent": "a"}"#);
    let expected = ["\"${V}\" | Agent 'a' references systemPrompt '' which does not exist"];
    assert_eq!(errors(&request, &agent, &FakeHost::default()), expected);
    let step = config("", "", r#"{"agent": "a", "promptFile": "${V}"}"#);
    let expected = ["\"${V}\" | Prompt file not found: "];
    assert_eq!(errors(&request, &step, &FakeHost::default()), expected);
}

#[test]
fn an_escaped_variable_is_not_pointed_at() {
    let layers = config("", "", r#"{"agent": "a", "prompt": "$${V} and ${V}"}"#);
    let Err(errors) = build(&chain("c"), &layers, &FakeHost::default()) else {
        panic!("V is missing")
    };
    let label = errors[0].label.as_ref().expect("a place");
    assert!(label.source.text[..label.span.start].ends_with("$${V} and "));
}

#[test]
fn a_variable_behind_an_escape_sequence_is_pointed_at_as_a_whole() {
    let layers = config("", "", r#"{"agent": "a", "prompt": "\u0024{V}"}"#);
    let expected = [r#""\u0024{V}" | Variable 'V' referenced in 'a' but not provided"#];
    assert_eq!(errors(&chain("c"), &layers, &FakeHost::default()), expected);
}

#[test]
fn an_invalid_variable_is_a_warning_with_its_position() {
    let layers = config("", r#""prompt": "Build ${feature} of $${app}","#, r#"{"agent": "a"}"#);
    let BuiltPlan { plan, warnings } = planned(&chain("c"), &layers, &FakeHost::default());
    assert_eq!(plan.steps[0].prompt.value, Prompt::Text("Build ${feature} of ${app}".to_owned()));
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert_eq!(warning.message, "`${feature}` is not a variable; the agent gets it as it is");
    let label = warning.label.as_ref().expect("it is in a file");
    assert_eq!(&label.source.text[label.span.range()], "${feature}");
    assert_eq!(warning.hints[0], "names of variables are made of A-Z, 0-9 and _: `${FEATURE}`");
}

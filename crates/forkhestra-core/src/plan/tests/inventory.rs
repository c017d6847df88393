use super::*;

#[test]
fn chains_and_agents_of_all_files_are_listed_once_each() {
    let project = r#"{
      "agents": {"a": {"defaultPrompt": "p"}},
      "chains": {
        "one": {"steps": [{"agent": "a", "iterations": 2}, {"agent": "b", "args": ["${V}"]}]},
        "two": {"steps": [{"agent": "b", "promptFile": "none.md"}]}
      }
    }"#;
    let user = r#"{"agents": {"a": {"command": "x"}}, "chains": {"one": {"steps": []}, "three": {"steps": []}}}"#;
    let layers = layers(Some(project), Some(user));
    let found =
        inventory(&layers, &FakeHost::default().with_program("x")).expect("it can be listed");
    let chains: Vec<String> = found
        .chains
        .iter()
        .map(|chain| format!("{} = {} {}", chain.name, chain.definition, chain.variables.join(" ")))
        .collect();
    assert_eq!(chains, ["one = a:2 -> b V", "two = b ", "three =  "]);
    assert_eq!(found.chains[1].problems, ["Prompt file not found: none.md"]);
    assert!(found.chains[0].problems.is_empty());
    let agents: Vec<(&str, &str)> =
        found.agents.iter().map(|a| (a.agent.name.as_str(), a.agent.kind.command())).collect();
    assert_eq!(agents, [("a", "x"), ("b", "b")]);
}

#[test]
fn a_question_is_no_agent() {
    let chains = r#"{"chains": {"one": {"steps": "a -> ?"}}}"#;
    let host = FakeHost::default().with_program("a");
    let found = inventory(&layers(Some(chains), None), &host).expect("it can be listed");
    assert_eq!(found.chains[0].definition, "a -> ?");
    let agents: Vec<&str> = found.agents.iter().map(|a| a.agent.name.as_str()).collect();
    assert_eq!(agents, ["a"]);
}

#[test]
fn a_broken_agent_makes_the_whole_config_unusable() {
    let layers = config(r#""a": {"systemPrompt": "none.md"}"#, "", "");
    assert!(inventory(&layers, &FakeHost::default()).is_err());
}

#[test]
fn an_unknown_chain_does_not_hide_other_errors() {
    let layers = config(r#""a": {"systemPrompt": "none.md"}"#, "", "");
    assert_eq!(errors(&chain("none"), &layers, &FakeHost::default()).len(), 2);
}

#[test]
fn an_unknown_chain_lists_the_known_ones() {
    let layers = project(r#"{"chains": {"build": {"steps": []}, "plan": {"steps": []}}}"#);
    let Err(errors) = build(&chain("biuld"), &layers, &FakeHost::default()) else {
        panic!("there is no such chain")
    };
    assert_eq!(errors[0].message, "there is no chain called 'biuld'");
    assert_eq!(errors[0].hints, ["did you mean `build`?", "available chains: build, plan"]);
}

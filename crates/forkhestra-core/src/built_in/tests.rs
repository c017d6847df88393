use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::config::{self, Backend};
use crate::marker::Marker;
use crate::scan::MarkerScanner;

/// Whether an agent that prints this text claims completion.
fn completes(text: &str) -> bool {
    let mut scanner = MarkerScanner::new(&Marker::defaults()).expect("the usual markers are right");
    scanner.feed(text.as_bytes()).is_some() || scanner.finish().is_some()
}

#[test]
fn the_chains_are_a_config_file_without_a_doubt() {
    let reading = config::read("chains.jsonc", include_bytes!("chains.jsonc").to_vec());
    assert_eq!(reading.diagnostics, []);
    assert!(reading.config.is_some());
}

#[test]
fn the_chains_are_those_of_the_founding_documents_and_two_with_rounds() {
    let layer = layer();
    let shown =
        |(name, entry): (&crate::diagnostic::source::Spanned<String>, &config::ChainEntry)| {
            let steps = entry.agent_steps().map(|step| {
                let count = step.iterations.as_ref().map(|count| format!(":{}", count.value));
                let checks = step.checks.as_ref().map_or(0, |checks| checks.value.len());
                format!("{}{}{}", step.agent.value.0, count.unwrap_or_default(), "!".repeat(checks))
            });
            format!("{} = {}", name.value, steps.collect::<Vec<_>>().join(" -> "))
        };
    let chains: Vec<String> = layer.config.chains().map(shown).collect();
    // An exclamation mark is a check.
    assert_eq!(
        chains,
        [
            "build-all = planner:3 -> builder:20!",
            "reviewed-build = planner:3 -> builder:20! -> reviewer:3",
            "plan-first = planner:3 -> builder:20!",
            "build = builder:30!",
            "plan = planner:5",
            "ralph = planner:3 -> builder:20!",
            "review = reviewer:3 -> fixer:10!",
            "plan-and-build = task-manager:3 -> task-coordinator:15!",
            "quick-pipeline = task-manager -> task-coordinator",
            "single-task = task-worker:8",
        ]
    );
}

#[test]
fn chains_name_built_in_agents_only() {
    let layer = layer();
    for (chain, entry) in layer.config.chains() {
        for step in entry.agent_steps() {
            let name = &step.agent.value.0;
            assert!(agent(name).is_some(), "`{}` has `{name}`", chain.value);
        }
    }
}

#[test]
fn every_agent_has_two_names_of_its_own() {
    let names: Vec<&str> = agent_names().collect();
    assert_eq!(names.len(), 2 * AGENTS.len());
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for built_in in &AGENTS {
        assert_eq!(agent(built_in.name), Some(built_in));
        assert_eq!(agent(built_in.alias), Some(built_in));
        let prefix = if built_in.name.starts_with("task-") { "forge-" } else { "fk:" };
        assert_eq!(built_in.alias, format!("{prefix}{}", built_in.name));
    }
    assert_eq!(agent("plan"), None);
}

#[test]
fn an_agent_that_repeats_its_prompt_or_any_line_of_it_is_not_done() {
    assert!(completes("FORKHESTRA_COMPLETE\n"), "the scanner finds what is there");
    for agent in &AGENTS {
        assert!(!completes(agent.prompt), "{}", agent.name);
        for line in agent.prompt.lines() {
            assert!(!completes(line), "{}: {line}", agent.name);
        }
    }
}

#[test]
fn every_prompt_says_what_an_agent_must_know() {
    let needed = [
        "forge/orch/specs/",
        "`ralph/`",
        "`AGENTS.md`",
        "`SPECS.md`",
        "checks that did not pass",
        "## What you do each time",
        "git commit",
        "**Stop",
        "## The completion line",
        "stop without it",
    ];
    for agent in &AGENTS {
        for words in needed {
            // A sentence may be broken over two lines.
            let flat = agent.prompt.replace('\n', " ").replace("  ", " ");
            assert!(flat.contains(words), "{} does not say `{words}`", agent.name);
        }
        let says_what_is_blocked = ["**Blocked** means", "**blocked** only if", "Blocked is not"];
        assert!(says_what_is_blocked.iter().any(|words| agent.prompt.contains(words)));
        let lines = agent.prompt.lines().count();
        assert!((40..=90).contains(&lines), "{} has {lines} lines", agent.name);
        assert!(agent.prompt.ends_with(".\n"), "{} ends in the middle", agent.name);
    }
}

#[test]
fn builders_claim_one_task_and_planners_none() {
    for agent in &AGENTS {
        assert_eq!(agent.prompt.contains("forge-tasks claim"), !agent.only_reads, "{}", agent.name);
        assert!(agent.prompt.contains("forge-tasks create"), "{}", agent.name);
    }
}

#[test]
fn every_backend_honours_what_an_agent_asks_of_it() {
    for (agent, backend) in AGENTS.iter().flat_map(|a| Backend::ALL.map(|backend| (a, backend))) {
        let mut entry = json!({
            "systemPromptText": agent.prompt,
            "backend": backend.word(),
            "maxTurns": agent.max_turns.get(),
        });
        if let Some(model) = backend.facts().models.built_in {
            entry["model"] = model.into();
        }
        if let Some(tools) = agent.allowed_tools(backend) {
            entry["allowedTools"] = tools.into();
        }
        let config = json!({ "agents": { agent.name: entry }, "chains": {} });
        let reading = config::read("chains.json", config.to_string().into_bytes());
        assert_eq!(reading.diagnostics, [], "{} for {backend:?}", agent.name);
        let is_limited = agent.only_reads && backend != Backend::Codex;
        assert_eq!(agent.allowed_tools(backend).is_some(), is_limited, "{}", agent.name);
    }
}

//! The config files: all problems that a run would report.

use forkhestra_core::config::{ConfigLayer, ConfigLayerKind};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{
    self, AgentKind, AgentSummary, ChainSummary, ConfigInventory, ProgramLocation,
};
use forkhestra_core::text;

use super::finding::{DoctorFinding, FindingSubject};
use crate::project::config_files::{self, LoadedConfig};
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::step::missing_program;

/// The result of reading the config files.
#[derive(Debug)]
pub(super) struct ConfigFacts {
    pub(super) findings: Vec<DoctorFinding>,
    /// The chains and agents that can run; `None` if the files are broken.
    pub(super) inventory: Option<ConfigInventory>,
}

/// Reads all config files and checks their content.
pub(super) fn read(project: &ProjectLocation) -> ConfigFacts {
    let loaded = match config_files::load(project) {
        Ok(loaded) => loaded,
        Err(diagnostics) => return broken(&diagnostics),
    };
    let surroundings = LocalHost { project };
    let inventory = match plan::inventory(&loaded.layers, &surroundings) {
        Ok(inventory) => inventory,
        Err(diagnostics) => return broken(&diagnostics),
    };
    let mut findings = files(&loaded);
    findings.extend(loaded.warnings.iter().map(diagnostic_finding));
    findings.extend(inventory.chains.iter().filter_map(unusable_chain));
    findings.extend(inventory.agents.iter().filter_map(unusable_agent));
    findings.extend(inventory.agents.iter().filter_map(name_note));
    ConfigFacts { findings, inventory: Some(inventory) }
}

fn broken(diagnostics: &[Diagnostic]) -> ConfigFacts {
    ConfigFacts { findings: diagnostics.iter().map(diagnostic_finding).collect(), inventory: None }
}

/// Converts a diagnostic to a finding, with its position.
fn diagnostic_finding(diagnostic: &Diagnostic) -> DoctorFinding {
    let place = diagnostic.label.as_ref().map(|place| {
        let (line, column) = place.source.line_and_column(place.span.start);
        let name = place.source.name.as_deref().unwrap_or("the command line");
        format!("{name}:{line}:{column}: ")
    });
    let what = format!("{}{}", place.unwrap_or_default(), diagnostic.message);
    let remedy = (!diagnostic.hints.is_empty()).then(|| diagnostic.hints.join("; "));
    let finding = match diagnostic.is_error() {
        true => FindingSubject::Config.broken(what),
        false => FindingSubject::Config.warning(what),
    };
    finding.maybe_remedy(remedy)
}

/// The findings about the files that exist.
fn files(loaded: &LoadedConfig) -> Vec<DoctorFinding> {
    let of_people = |layer: &&ConfigLayer| layer.kind != ConfigLayerKind::BuiltIn;
    let files: Vec<DoctorFinding> =
        loaded.layers.files.iter().filter(of_people).map(file).collect();
    if !files.is_empty() {
        return files;
    }
    let looked = text::join_with_or(&text::quoted(&loaded.layers.looked_for));
    vec![
        FindingSubject::Config
            .note(format!("there is no config file: no {looked}"))
            .remedy("`forkhestra init` writes one"),
    ]
}

fn file(layer: &ConfigLayer) -> DoctorFinding {
    let (defining, adjusting): (Vec<_>, Vec<_>) =
        layer.config.agents().partition(|(_, entry)| entry.defines_agent());
    let counts = [(layer.config.chains().count(), "chain"), (defining.len(), "agent")];
    let defined: Vec<String> = counts
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| text::count(number, what))
        .collect();
    let adds = (!defined.is_empty())
        .then(|| format!("adds {} to the built-in ones", text::join_with_and(&defined)));
    let adjusted: Vec<&str> = adjusting.iter().map(|(name, _)| name.value.as_str()).collect();
    let adjusts = (!adjusted.is_empty())
        .then(|| format!("adjusts {}", text::join_with_and(&text::quoted(&adjusted))));
    // A file without agents is valid: the built-in ones exist.
    let what = match adds.into_iter().chain(adjusts).collect::<Vec<_>>().as_slice() {
        [] => "is valid".to_owned(),
        names => text::join_with_and(names),
    };
    FindingSubject::Config.ok(format!("{} {what}", layer.file_name()))
}

fn unusable_chain(chain: &ChainSummary) -> Option<DoctorFinding> {
    let first = chain.problems.first()?;
    let more = match chain.problems.len() - 1 {
        0 => String::new(),
        more => format!(" (and {})", text::count(more, "more problem")),
    };
    let name = &chain.name;
    let what = format!("chain `{name}` cannot run: {first}{more}");
    let remedy = format!("`forkhestra --chain {name} --dry-run` shows the place");
    Some(FindingSubject::Config.warning(what).remedy(remedy))
}

/// Checks agents that are other programs. The supported back-ends are a subject of their own.
fn unusable_agent(summary: &AgentSummary) -> Option<DoctorFinding> {
    let AgentSummary { agent, problems, .. } = summary;
    let name = &agent.name;
    if let Some(problem) = problems.first() {
        let what = format!("agent `{name}` cannot run: {problem}");
        return Some(FindingSubject::Config.warning(what));
    }
    let AgentKind::Program(program) = &agent.kind else { return None };
    let ProgramLocation::Missing(_) = program.location else { return None };
    let missing = missing_program(&agent.kind)?;
    let what = format!("agent `{name}` cannot run: {missing}");
    Some(
        FindingSubject::Config
            .warning(what)
            .remedy("install the program, or correct its `command`"),
    )
}

/// A note if a program on PATH has the name of a built-in agent.
fn name_note(summary: &AgentSummary) -> Option<DoctorFinding> {
    let AgentSummary { agent, name_note, .. } = summary;
    let what = format!("agent `{}`: {}", agent.name, name_note.as_ref()?);
    let remedy =
        format!("name the one you want: {{ \"command\": … }} for `{}` in `agents`", agent.name);
    Some(FindingSubject::Config.note(what).remedy(remedy))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::project::project_location::ProgramEnvironment;

    fn finding_lines(config: Option<&str>) -> (Vec<String>, bool) {
        let directory = tempfile::tempdir().expect("there is room");
        let place = directory.path().join("forge/orch");
        fs::create_dir_all(&place).expect("the directory is ours");
        if let Some(config) = config {
            fs::write(place.join("chains.json"), config).expect("the directory is ours");
        }
        let read = read(&project(directory.path()));
        let findings = read.findings.iter().map(ToString::to_string).collect();
        (findings, read.inventory.is_some())
    }

    fn project(directory: &Path) -> ProjectLocation {
        let environment = ProgramEnvironment {
            current_directory: directory.to_owned(),
            ..ProgramEnvironment::default()
        };
        ProjectLocation {
            program: crate::cli::started_program::StartedProgram::default(),
            environment,
            working_directory: directory.to_owned(),
            written_directory: None,
            config: None,
            start_directory: None,
        }
    }

    #[test]
    fn a_valid_file_is_shown_with_its_content() {
        let (findings, _) =
            finding_lines(Some(r#"{"agents": {"a": {"command": "/bin/sh"}}, "chains": {}}"#));
        assert_eq!(findings, ["ok: forge/orch/chains.json adds 1 agent to the built-in ones"]);
        let (findings, _) = finding_lines(Some(r#"{"chains": {}}"#));
        assert_eq!(findings, ["ok: forge/orch/chains.json is valid"]);
    }

    #[test]
    fn entries_without_a_prompt_are_shown_as_adjustments() {
        for (config, expected) in [
            (r#"{"agents": {"builder": {"model": "opus"}}}"#, "adjusts `builder`"),
            (
                r#"{"agents": {"a": {"systemPromptText": "x"}, "builder": {"model": "opus"},
                    "planner": {"defaultPrompt": "Plan."}}}"#,
                "adds 1 agent to the built-in ones and adjusts `builder` and `planner`",
            ),
        ] {
            let (findings, _) = finding_lines(Some(config));
            assert_eq!(findings, [format!("ok: forge/orch/chains.json {expected}")], "{config}");
        }
    }

    #[test]
    fn each_mistake_is_reported_with_its_place() {
        let (findings, is_usable) = finding_lines(Some("{\n  \"agents\": [],\n  \"chain\": {}\n}"));
        assert!(findings[0].starts_with("broken: forge/orch/chains.json:"), "{findings:?}");
        assert!(!is_usable);
    }

    #[test]
    fn a_missing_file_is_no_mistake() {
        let (findings, is_usable) = finding_lines(None);
        assert_eq!(
            findings,
            ["note: there is no config file: no `forge/orch/chains.json` or `forge/chains.json` \
              [`forkhestra init` writes one]"]
        );
        assert!(is_usable);
    }

    #[test]
    fn an_agent_without_its_program_is_reported() {
        let config = r#"{
            "agents": {"a": {"command": "no-such-program"}},
            "chains": {"c": {"steps": [{"agent": "a", "promptFile": "gone.md"}]}}
        }"#;
        let (findings, _) = finding_lines(Some(config));
        let first = "ok: forge/orch/chains.json adds 1 chain and 1 agent to the built-in ones";
        assert_eq!(findings[0], first);
        let starts = |with: &str| findings.iter().any(|line| line.starts_with(with));
        assert!(starts("warning: agent `a` cannot run: "), "{findings:?}");
        assert!(starts("warning: chain `c` cannot run: "), "{findings:?}");
    }
}

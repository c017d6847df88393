//! `forkhestra show-agent`: the system prompt of an agent.

use std::fs;

use forkhestra_core::built_in;
use forkhestra_core::config::Layers;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{self, Agent, AgentKind, Location, Origin, Prompt};
use forkhestra_core::variables::has_variables;
use forkhestra_core::words;

use crate::args_setup::ShowAgentArgs;
use crate::error::CliError;
use crate::project::Project;
use crate::screen::Screen;
use crate::surroundings::RealSurroundings;
use crate::{config_files, exit_code};

/// Prints it as it is, so that it can be kept in a file and changed.
pub(crate) fn execute(args: &ShowAgentArgs, screen: &mut Screen) -> Result<u8, CliError> {
    let project = Project::find(&args.project)?;
    let loaded = config_files::load(&project)?;
    screen.tell(&loaded.warnings);
    let world = RealSurroundings { project: &project };
    let agent = plan::resolve_agent(&args.name, &loaded.layers, &world);
    let prompt = match &agent.kind {
        AgentKind::Direct(direct) => &direct.system_prompt.value,
        AgentKind::Program(_) => return Err(without_prompt(&agent, &loaded.layers).into()),
    };
    let mut text = read(&args.name, prompt, &project)?;
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    screen.print_data(&text)?;
    Ok(exit_code::COMPLETE)
}

fn read(name: &str, prompt: &Prompt, project: &Project) -> Result<String, Diagnostic> {
    let path = match prompt {
        Prompt::None => return Ok(String::new()),
        Prompt::Text(text) => return Ok(text.clone()),
        Prompt::File(path) => path,
    };
    let message = format!("Agent '{name}' references systemPrompt '{path}'");
    if has_variables(path) {
        return Err(Diagnostic::error(format!("{message}, which depends on variables"))
            .hint("only a run gives them values; look at the file itself"));
    }
    fs::read_to_string(project.working_directory.join(path)).map_err(|error| {
        Diagnostic::error(format!("{message} which cannot be read: {error}"))
            .hint("paths are relative to the working directory (`--cwd`), not to the config file")
    })
}

/// Why an agent has no prompt to show: it is a program, or there is none of that name.
fn without_prompt(agent: &Agent, layers: &Layers) -> Diagnostic {
    let name = &agent.name;
    let is_known = matches!(agent.source, Origin::File { .. });
    if let (Location::Missing(_), false) = (agent.kind.location(), is_known) {
        return unknown(name, layers);
    }
    let program = match agent.kind.location() {
        Location::Found(path) => path.as_str(),
        Location::Missing(_) => agent.kind.command(),
    };
    Diagnostic::error(format!(
        "the agent `{name}` is a program, which has no system prompt to show"
    ))
    .hint(format!("the program is `{program}` [{}]", agent.source))
    .maybe_hint(built_in::agent(name).map(|_| {
        "a built-in agent has the same name; what is configured or on PATH comes first".to_owned()
    }))
}

fn unknown(name: &str, layers: &Layers) -> Diagnostic {
    let configured = layers.agent_names();
    let known = configured.iter().copied().chain(built_in::agent_names());
    let is_chain = layers.chain(name).is_some();
    let built_in: Vec<&str> = built_in::AGENTS.iter().map(|agent| agent.name).collect();
    Diagnostic::error(format!("there is no agent called '{name}'"))
        .maybe_hint(words::did_you_mean(name, known).filter(|_| !is_chain))
        .maybe_hint(
            is_chain.then(|| format!("a chain is called so; to see it: --chain {name} --dry-run")),
        )
        .hint(format!("built-in agents: {}", built_in.join(", ")))
        .hint("`forkhestra list` shows all that there are")
}

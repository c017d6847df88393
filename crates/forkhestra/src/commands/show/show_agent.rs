//! `forkhestra show-agent`: prints everything that an agent is given.

use forkhestra_core::built_in;
use forkhestra_core::config::ConfigLayers;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::dsl::Dsl;
use forkhestra_core::plan::{
    self, AgentKind, DirectSpawn, Plan, PlanAgent, PlanRequest, PlanStep, ProgramLocation, Prompt,
    RunTarget, ValueOrigin,
};
use forkhestra_core::text;
use forkhestra_core::text::variables::has_variables;
use forkhestra_engine::AGENT_VARIABLES;
use forkhestra_engine::regular_file;
use typeset::style::{NAME, paint};
use typeset::text::visible;

use crate::cli::args::setup::ShowAgentArgs;
use crate::cli::command_error::CommandError;
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::project::config_files;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::dry_run::Verbosity;
use crate::report::plan::{invocation, step};

/// Number of iterations of the loop that is shown. The printed text does not depend on it.
const LOOP: &str = "10";

/// Prints everything the agent gets in a loop, or only its own system prompt.
pub(crate) fn execute(
    args: &ShowAgentArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let project = ProjectLocation::find_with_config(&args.project)?;
    let loaded = config_files::load(&project)?;
    screen.report(&loaded.warnings);
    let host = LocalHost { project: &project };
    let agent = plan::resolve_agent(&args.name, &loaded.layers, &host);
    if is_unknown(&agent) {
        return Err(unknown(&args.name, &loaded.layers).into());
    }
    let own = match &agent.kind {
        AgentKind::Direct(direct) => Some(read(&args.name, &direct.system_prompt.value, &project)?),
        AgentKind::Program(_) | AgentKind::Question(_) => None,
    };
    if args.prompt_only {
        let Some(mut text) = own else { return Err(without_prompt(&agent).into()) };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        screen.print_data(&text)?;
        return Ok(exit_code::COMPLETE);
    }
    let chain = Dsl::parse(&format!("{}:{LOOP}", args.name))?;
    let directory = project.working_directory.to_string_lossy().into_owned();
    let request = PlanRequest {
        backend: args.backend,
        keeps_variables: true,
        ..PlanRequest::new(RunTarget::Dsl(chain), directory)
    };
    let plan = plan::build(&request, &loaded.layers, &host)?.plan;
    let step = plan.steps.first().expect("the chain has one step");
    screen.print(&all_inputs(step, &plan, &project)?)?;
    Ok(exit_code::COMPLETE)
}

/// All inputs, in the order in which they reach the agent.
fn all_inputs(
    step: &PlanStep,
    plan: &Plan,
    project: &ProjectLocation,
) -> Result<String, Diagnostic> {
    let name = paint(NAME, &visible(&step.agent.name));
    let mut text = format!("{name}, in a loop ({}:N)\n", visible(&step.agent.name));
    for entry in step::entries(step, plan, project, Verbosity::Normal) {
        text.push_str(&entry.render("  ", Verbosity::Normal));
    }
    let markers: Vec<String> = step
        .markers
        .value
        .iter()
        .map(|marker| format!("`{}`", visible(&marker.to_string())))
        .collect();
    text.push_str(&format!("  completion markers: {}\n", text::join_with_or(&markers)));
    text.push_str(&match &step.agent.kind {
        AgentKind::Direct(direct) => direct_inputs(step, direct, plan, project)?,
        AgentKind::Program(_) | AgentKind::Question(_) => program(step),
    });
    Ok(text)
}

/// The inputs of a supported agent program.
fn direct_inputs(
    step: &PlanStep,
    direct: &DirectSpawn,
    plan: &Plan,
    project: &ProjectLocation,
) -> Result<String, Diagnostic> {
    let given = invocation::direct_invocation(step, direct, plan, project)
        .map_err(|why| Diagnostic::error(why.to_string()))?;
    let title = direct.backend.title();
    Ok(format!(
        "\n{} (the first part is the same for all agents in a loop)\n{}\n{}\n{}\n{}\n  {}\n\n{} (long arguments are cut; `--dry-run -v` shows all)\n  {}\n",
        paint(NAME, &format!("System prompt, added to that of {title}")),
        prefix_with_bar(&given.system_prompt),
        paint(NAME, "Prompt"),
        prefix_with_bar(&given.prompt),
        paint(NAME, "Variables, beside the inherited ones"),
        visible(&given.variables.join(", ")),
        paint(NAME, "Command"),
        visible(&given.command),
    ))
}

/// The inputs of any other program: no system prompt, and no explanation of markers.
fn program(step: &PlanStep) -> String {
    let variables: Vec<&str> =
        AGENT_VARIABLES.into_iter().chain(step.agent.kind.env().names()).collect();
    format!(
        "\n{}\n  A program gets no system prompt. Its prompt, if there is one, is its last argument. In a loop\n  \
         it is complete when it prints a completion marker on a line of its own.\n\n{}\n  {}\n",
        paint(NAME, "Prompts"),
        paint(NAME, "Variables, beside the inherited ones"),
        visible(&variables.join(", ")),
    )
}

/// Prefixes each line with a bar, so that a marker scanner takes no line for a completion marker.
fn prefix_with_bar(text: &str) -> String {
    text.lines().map(|line| format!("  | {}\n", visible(line)).replace("| \n", "|\n")).collect()
}

/// Whether the agent does not exist: no config defines it, and no program has its name.
fn is_unknown(agent: &PlanAgent) -> bool {
    let is_defined = matches!(agent.source, ValueOrigin::File { .. } | ValueOrigin::BuiltIn);
    matches!(agent.kind.location(), Some(ProgramLocation::Missing(_))) && !is_defined
}

fn read(name: &str, prompt: &Prompt, project: &ProjectLocation) -> Result<String, Diagnostic> {
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
    regular_file::read_text(&project.working_directory.join(path)).map_err(|error| {
        Diagnostic::error(format!("{message} which cannot be read: {error}"))
            .hint("paths are relative to the working directory (`--cwd`), not to the config file")
    })
}

/// The error if an agent has no system prompt to print.
fn without_prompt(agent: &PlanAgent) -> Diagnostic {
    let name = &agent.name;
    let program = match agent.kind.location() {
        Some(ProgramLocation::Found(path)) => path.as_str(),
        Some(ProgramLocation::Missing(_)) | None => agent.kind.command(),
    };
    Diagnostic::error(format!("the agent `{name}` is a program, which has no system prompt"))
        .hint(format!("the program is `{program}` [{}]", agent.source))
        .maybe_hint(built_in::agent(name).map(|_| {
            "a built-in agent has the same name; what is configured or on PATH comes first"
                .to_owned()
        }))
}

fn unknown(name: &str, layers: &ConfigLayers) -> Diagnostic {
    let configured = layers.agent_names();
    let known = configured.iter().copied().chain(built_in::agent_names());
    let is_chain = layers.chain(name).is_some();
    let built_in: Vec<&str> = built_in::AGENTS.iter().map(|agent| agent.name).collect();
    Diagnostic::error(format!("there is no agent called '{name}'"))
        .maybe_hint(text::did_you_mean(name, known).filter(|_| !is_chain))
        .maybe_hint(
            is_chain.then(|| format!("a chain is called so; to see it: --chain {name} --dry-run")),
        )
        .hint(format!("built-in agents: {}", built_in.join(", ")))
        .hint("`forkhestra list` shows all that there are")
}

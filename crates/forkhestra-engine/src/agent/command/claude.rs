//! Claude Code.

use forkhestra_core::config::Permissions;
use forkhestra_core::cost::Dollars;
use forkhestra_core::plan::DirectSpawn;

use super::invocation::{Invocation, InvocationRequest, fits};
use super::invocation_error::InvocationError;

/// It refuses to read more than 10 MB, however it counts them.
const LONGEST_PROMPT: usize = 10_000_000;

/// A tool that puts off what is left for later, and keeps the program waiting until then.
const LATER: &str = "ScheduleWakeup";

/// What runs in the background outlives the answer that a run is judged by.
const NO_BACKGROUND: &str = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS";

/// The names of tools of MCP servers begin like this.
const MCP: &str = "mcp__";

pub(super) fn invocation(asked: &InvocationRequest<'_>) -> Result<Invocation, InvocationError> {
    let mut built = Invocation::begin(&["--print", "--output-format", "stream-json"]);
    built.args.extend(["--verbose", "--include-partial-messages"].map(str::to_owned));
    let direct = asked.direct;
    permissions(&mut built, direct);
    system_prompt(&mut built, asked)?;
    if let Some(model) = &direct.model {
        built.option("--model", model);
    }
    if let Some(turns) = direct.max_turns {
        built.option("--max-turns", turns.to_string());
    }
    if let Some(budget) = asked.budget {
        built.option("--max-budget-usd", dollars(budget));
    }
    if let Some(path) = &direct.settings {
        built.option("--settings", asked.path(path)?);
    }
    // Options that take several values would swallow what follows, were it not for the sign.
    if let Some(path) = &direct.mcp_config {
        built.arg(format!("--mcp-config={}", asked.path(path)?));
    }
    tools(&mut built, direct);
    built.args.extend_from_slice(asked.args);
    prompt(&mut built, asked)?;
    if !asked.has(NO_BACKGROUND) {
        built.set(NO_BACKGROUND, "1");
    }
    Ok(built)
}

/// Skipped permissions are skipped for everything that there is, so rules need another mode: what no
/// rule allows is denied.
fn permissions(built: &mut Invocation, direct: &DirectSpawn) {
    match direct.permissions {
        Permissions::Default => {}
        Permissions::Skip if needs_rules(direct) => built.option("--permission-mode", "dontAsk"),
        Permissions::Skip => built.arg("--dangerously-skip-permissions"),
    }
}

/// Whether the program is told to skip permissions altogether, which it refuses to root.
pub fn skips_permissions(direct: &DirectSpawn) -> bool {
    direct.permissions == Permissions::Skip && !needs_rules(direct)
}

/// Whether the only tools that are allowed are not simply the only ones that there are: some are
/// allowed in part, or belong to MCP servers, whose tools cannot be left out.
fn needs_rules(direct: &DirectSpawn) -> bool {
    let is_rule = |tool: &String| tool.contains('(') || tool.starts_with(MCP);
    let allowed = direct.allowed_tools.as_ref();
    allowed.is_some_and(|tools| direct.mcp_config.is_some() || tools.iter().any(is_rule))
}

fn system_prompt(
    built: &mut Invocation,
    asked: &InvocationRequest<'_>,
) -> Result<(), InvocationError> {
    let text = &asked.instructions.system_prompt;
    if fits(text) {
        built.option("--append-system-prompt", text);
    } else {
        let path = built.system_prompt_file(asked)?;
        built.option("--append-system-prompt-file", path);
    }
    Ok(())
}

fn tools(built: &mut Invocation, direct: &DirectSpawn) {
    let allowed = direct.allowed_tools.as_deref();
    // A whitelist that names no tool of a server leaves no use for servers found elsewhere, but their
    // tools could be used all the same.
    let without_servers =
        allowed.is_some_and(|tools| !tools.iter().any(|tool| tool.starts_with(MCP)));
    if direct.mcp_config.is_some() || without_servers {
        built.arg("--strict-mcp-config");
    }
    if let Some(tools) = allowed {
        built.arg(format!("--tools={}", base_names(tools).join(",")));
        if !tools.is_empty() {
            built.arg(format!("--allowedTools={}", tools.join(",")));
        }
    }
    let mut disallowed = direct.disallowed_tools.clone().unwrap_or_default();
    let is_wanted = allowed.is_some_and(|tools| tools.iter().any(|tool| tool == LATER));
    if !is_wanted && !disallowed.iter().any(|tool| tool == LATER) {
        disallowed.push(LATER.to_owned());
    }
    if !disallowed.is_empty() {
        built.arg(format!("--disallowedTools={}", disallowed.join(",")));
    }
}

/// The program's own tools, each once, without what they are allowed for.
fn base_names(tools: &[String]) -> Vec<&str> {
    let mut names = Vec::new();
    for tool in tools.iter().filter(|tool| !tool.starts_with(MCP)) {
        let name = tool.split('(').next().unwrap_or_default().trim();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn prompt(built: &mut Invocation, asked: &InvocationRequest<'_>) -> Result<(), InvocationError> {
    let prompt = asked.prompt_up_to(LONGEST_PROMPT)?;
    // What begins with a slash may be a command of the program, which no model would ever see.
    let space = if prompt.starts_with('/') { " " } else { "" };
    let prompt = format!("{space}{prompt}");
    if fits(&prompt) {
        built.args.extend(["--".to_owned(), prompt]);
    } else {
        built.stdin = Some(prompt);
    }
    Ok(())
}

/// An amount as a number. Nothing is no amount that the program takes.
fn dollars(amount: Dollars) -> String {
    const NANOS: u64 = 1_000_000_000;
    let nanos = amount.nanos().max(1);
    let text = format!("{}.{:09}", nanos / NANOS, nanos % NANOS);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_plain_numbers_above_nothing() {
        for (nanos, expected) in [
            (0, "0.000000001"),
            (1, "0.000000001"),
            (10_000_000, "0.01"),
            (1_000_000_000, "1"),
            (10_000_000_000, "10"),
            (2_500_000_000, "2.5"),
        ] {
            assert_eq!(dollars(Dollars::from_nanos(nanos)), expected);
        }
    }

    #[test]
    fn tools_are_named_once_and_without_patterns() {
        let tools = ["Read", "Bash(git *)", "Bash(ls, x)", "mcp__s__a", "Read"].map(str::to_owned);
        assert_eq!(base_names(&tools), ["Read", "Bash"]);
    }
}

//! The invocation of Claude Code.

use forkhestra_core::config::Permissions;
use forkhestra_core::cost::Dollars;
use forkhestra_core::plan::DirectSpawn;

use crate::agent::command::{Invocation, InvocationError, InvocationRequest, fits};

/// Claude Code refuses more than 10 MB.
const MAX_PROMPT: usize = 10_000_000;

/// A tool that postpones work and keeps the process waiting.
const LATER: &str = "ScheduleWakeup";

/// Disables background tasks, which would outlive the answer that the run evaluates.
const NO_BACKGROUND: &str = "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS";

/// The prefix of MCP tools.
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
    // Options with several values would consume the following arguments without the equals sign.
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

/// Skipped permissions override all rules, so rules need a mode that denies what no rule allows.
fn permissions(built: &mut Invocation, direct: &DirectSpawn) {
    match direct.permissions {
        Permissions::Default => {}
        Permissions::Skip if needs_rules(direct) => built.option("--permission-mode", "dontAsk"),
        Permissions::Skip => built.arg("--dangerously-skip-permissions"),
    }
}

/// Whether the program is started with all permissions skipped, which it refuses as root.
pub(super) fn skips_permissions(direct: &DirectSpawn) -> bool {
    direct.permissions == Permissions::Skip && !needs_rules(direct)
}

/// Whether allowed tools need rules beside the list of available tools: some are allowed for
/// certain arguments only, or belong to MCP servers, whose tools cannot be removed.
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
    // An allow list without MCP tools needs no servers, but tools of servers that are configured
    // elsewhere could be used nevertheless.
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

/// The names of built-in tools without patterns and duplicates.
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
    let prompt = asked.prompt_up_to(MAX_PROMPT)?;
    // A leading slash may be a command of the program, which would not reach the model.
    let space = if prompt.starts_with('/') { " " } else { "" };
    let prompt = format!("{space}{prompt}");
    if fits(&prompt) {
        built.args.extend(["--".to_owned(), prompt]);
    } else {
        built.stdin = Some(prompt);
    }
    Ok(())
}

/// The amount as a decimal number. The program rejects zero.
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

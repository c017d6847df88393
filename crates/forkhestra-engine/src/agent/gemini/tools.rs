//! Converts lists of tools to a policy of Gemini CLI.

use forkhestra_core::plan::DirectSpawn;
use serde_json::Value;

use crate::agent::command::listed_tool::{ListedTool, tools};

/// The only tool with patterns: prefixes of commands.
const SHELL: &str = "run_shell_command";

/// The highest priority of a user's rules. Only rules of an administrator precede them.
const FIRST: u16 = 999;
const SECOND: u16 = 998;
const THIRD: u16 = 997;

/// The policy for an agent's lists of tools, as TOML, or `None` without lists.
pub(super) fn policy(direct: &DirectSpawn) -> Option<String> {
    let (allowed, disallowed) = (&direct.allowed_tools, &direct.disallowed_tools);
    if allowed.is_none() && tools(disallowed).next().is_none() {
        return None;
    }
    let mut text = String::new();
    for tool in tools(disallowed) {
        text.push_str(&rule(tool, "deny", FIRST));
    }
    for tool in tools(allowed) {
        text.push_str(&rule(tool, "allow", SECOND));
    }
    if allowed.is_some() {
        text.push_str(&rule(ListedTool { name: "*", pattern: None }, "deny", THIRD));
    }
    Some(text)
}

/// Whether some allowed tool is restricted by a pattern.
pub(super) fn has_patterns(direct: &DirectSpawn) -> bool {
    tools(&direct.allowed_tools).any(|tool| tool.pattern.is_some())
}

fn rule(tool: ListedTool<'_>, decision: &str, priority: u16) -> String {
    let mut text = format!("[[rule]]\ntoolName = {}\n", Value::from(tool.name));
    match tool.pattern {
        Some(pattern) => {
            text.push_str(&format!("commandPrefix = {}\n", Value::from(pattern)));
        }
        // An unrestricted shell may redirect output as well.
        None if tool.name == SHELL && decision == "allow" => {
            text.push_str("allowRedirection = true\n");
        }
        None => {}
    }
    text + &format!("decision = \"{decision}\"\npriority = {priority}\n\n")
}

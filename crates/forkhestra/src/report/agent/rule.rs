//! Permission rules that would have allowed a denied tool call.

use forkhestra_core::config::{AgentSetting, Backend, SettingSupport, ToolPattern};

/// Longest command in a rule. A longer one would match too little else.
const MAX_RULE_CHARS: usize = 80;

/// Maximum number of rules suggested for one command line.
const MAX_RULES: usize = 4;

/// Entries for `allowedTools` that would allow the call, in the syntax of the agent program.
pub(super) fn allowing_rules(backend: Backend, tool: &str, brief: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if tool.is_empty() || !tool.chars().all(is_name) {
        return Vec::new();
    }
    if let SettingSupport::Refused(_) = AgentSetting::AllowedTools.support(backend) {
        return Vec::new();
    }
    let known = backend.facts().tool_patterns.iter().find(|(known, _)| *known == tool);
    let patterns: Vec<String> = match known.map(|(_, pattern)| pattern) {
        Some(ToolPattern::Command { suffix }) => {
            commands(brief).iter().map(|command| format!("{command}{suffix}")).collect()
        }
        Some(ToolPattern::Host { prefix }) => {
            host(brief).iter().map(|host| format!("{prefix}{host}")).collect()
        }
        None => Vec::new(),
    };
    if patterns.is_empty() {
        return vec![tool.to_owned()];
    }
    patterns.iter().map(|pattern| format!("{tool}({pattern})")).collect()
}

/// Prefixes of all commands in a line. Empty if the line redirects or contains nested commands,
/// which no prefix rule can allow.
fn commands(brief: &str) -> Vec<String> {
    let has_more = brief.contains(['<', '>', '$', '`', '(', '\n']);
    let parts: Vec<&str> = brief.split(['&', '|', ';']).collect();
    let is_quoted = brief.contains(['"', '\'', '\\']);
    if has_more || is_quoted && parts.len() > 1 {
        return Vec::new();
    }
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    let commands: Option<Vec<String>> = parts.map(beginning).collect();
    let mut commands = commands.unwrap_or_default();
    commands.dedup();
    if commands.len() > MAX_RULES { Vec::new() } else { commands }
}

/// The distinguishing prefix of a command: the program and its subcommand, or the whole command if
/// it has none.
fn beginning(command: &str) -> Option<String> {
    let is_special = |c: char| "\\\"'*?[]{}#~=%!".contains(c) || c.is_control();
    let simple = command.split(is_special).next().unwrap_or_default();
    let words: Vec<&str> = simple.split_whitespace().collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_ascii_lowercase());
    let has_subcommand = words.len() > 2 && words.get(1).is_some_and(is_word);
    let shown = if has_subcommand { &words[..2] } else { &words[..] };
    let shown = shown.join(" ");
    match (shown.is_empty(), shown.len() > MAX_RULE_CHARS) {
        (true, _) => None,
        (false, false) => Some(shown),
        (false, true) => words.first().map(|&program| program.to_owned()),
    }
}

fn host(brief: &str) -> Option<&str> {
    let (_, rest) = brief.split_once("://")?;
    let host = rest.split(['/', '?', '#', ':']).next()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    (!host.is_empty() && host.chars().all(is_plain)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_its_own_rules() {
        for (backend, tool, brief, expected) in [
            (Backend::Gemini, "run_shell_command", "make", &["run_shell_command(make)"][..]),
            (Backend::Gemini, "run_shell_command", "make > log", &["run_shell_command"]),
            (Backend::Gemini, "write_file", "x.txt", &["write_file"]),
            (Backend::Opencode, "bash", "make", &["bash"]),
            (Backend::Codex, "shell", "make", &[]),
        ] {
            assert_eq!(
                allowing_rules(backend, tool, brief),
                expected,
                "{backend:?} {tool} {brief}"
            );
        }
    }

    #[test]
    fn a_rule_allows_the_denied_call_and_similar_ones() {
        for (tool, brief, expected) in [
            ("Bash", "rm -rf build", &["Bash(rm -rf build:*)"][..]),
            ("Bash", "cargo test --workspace", &["Bash(cargo test:*)"]),
            ("Bash", "git commit -m \"a; b\"", &["Bash"]),
            ("Bash", "git commit -m \"done\"", &["Bash(git commit:*)"]),
            ("Bash", "make", &["Bash(make:*)"]),
            ("Bash", "git push && npm test", &["Bash(git push:*)", "Bash(npm test:*)"]),
            ("Bash", "echo hi > x.txt", &["Bash"]),
            ("Bash", "$(evil)", &["Bash"]),
            ("Bash", "a;b;c;d;e", &["Bash"]),
            ("Bash", "", &["Bash"]),
            ("Write", "/work/x.txt", &["Write"]),
            ("WebFetch", "https://example.org/a?b", &["WebFetch(domain:example.org)"]),
            ("WebFetch", "example", &["WebFetch"]),
            ("mcp__tracker__close", "7", &["mcp__tracker__close"]),
            ("", "", &[]),
            ("two words", "", &[]),
        ] {
            assert_eq!(allowing_rules(Backend::Claude, tool, brief), expected, "{tool} {brief}");
        }
        let long = format!("node {}", "x/".repeat(100));
        assert_eq!(allowing_rules(Backend::Claude, "Bash", &long), ["Bash(node:*)"]);
    }
}

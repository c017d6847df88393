//! Tool permissions of an agent and advice for a denied tool call.

use forkhestra_core::config::{Backend, Permissions};
use forkhestra_core::plan::DirectSpawn;
use forkhestra_engine::agent::stream::agent_event::ToolDenial;
use typeset::text::visible;

use super::rule;

/// Tool permissions of an agent according to the plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ToolRules {
    /// None if the agent is unknown.
    backend: Option<Backend>,
    permissions: Permissions,
    /// Whether only listed tools are allowed. Without a list an agent may use whatever its program
    /// allows; adding a list would revoke that.
    has_list: bool,
    disallowed: Vec<String>,
}

impl ToolRules {
    /// Reads the permissions from the agent specification.
    pub(crate) fn of(direct: &DirectSpawn) -> Self {
        Self {
            backend: Some(direct.backend),
            permissions: direct.permissions,
            has_list: direct.allowed_tools.is_some(),
            disallowed: direct.disallowed_tools.clone().unwrap_or_default(),
        }
    }

    /// Permissions of an agent that is restricted to its list.
    #[cfg(test)]
    pub(super) fn with_tool_list() -> Self {
        Self { backend: Some(Backend::Claude), has_list: true, ..Self::default() }
    }

    /// How to allow a denied tool call, if known.
    pub(super) fn advice(&self, denial: &ToolDenial<'_>) -> Option<String> {
        let backend = self.backend?;
        let program = backend.program();
        let quoted = |rule: &str| serde_json::to_string(&visible(rule)).expect("a text is JSON");
        if let Some(rule) = self.disallowed.iter().find(|rule| rule_matches(rule, denial)) {
            return Some(format!("its own disallowedTools have {}", quoted(rule)));
        }
        if self.has_list {
            let rules = rule::allowing_rules(backend, &denial.tool, &denial.brief);
            let rules: Vec<String> = rules.iter().map(|rule| quoted(rule)).collect();
            return (!rules.is_empty())
                .then(|| format!("add {} to its allowedTools", rules.join(", ")));
        }
        Some(match self.permissions {
            Permissions::Skip => format!("the settings of `{program}` deny it"),
            Permissions::Default => format!(
                "allow it in the settings of `{program}`, or give the agent \"permissions\": \"skip\""
            ),
        })
    }
}

/// Whether a rule matches the denied call. A pattern is a prefix of the input.
fn rule_matches(rule: &str, denial: &ToolDenial<'_>) -> bool {
    let (tool, pattern) = rule.split_once('(').unwrap_or((rule, ""));
    let beginning = pattern.split([':', '*', ')']).next().unwrap_or_default();
    tool == denial.tool && denial.brief.starts_with(beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn advice(rules: &ToolRules, tool: &str, brief: &str) -> Option<String> {
        rules.advice(&ToolDenial { tool: tool.into(), brief: brief.into(), why: "".into() })
    }

    fn rules(permissions: Permissions, has_list: bool, disallowed: &[&str]) -> ToolRules {
        let disallowed = disallowed.iter().map(|&rule| rule.to_owned()).collect();
        ToolRules { backend: Some(Backend::Claude), permissions, has_list, disallowed }
    }

    #[test]
    fn an_agent_without_a_tool_list_gets_no_advice_for_one() {
        let default = rules(Permissions::Default, false, &[]);
        let expected =
            "allow it in the settings of `claude`, or give the agent \"permissions\": \"skip\"";
        assert_eq!(advice(&default, "Bash", "rm -rf build").as_deref(), Some(expected));
        let skip = rules(Permissions::Skip, false, &[]);
        let advice_text = advice(&skip, "Bash", "rm").expect("something is said");
        assert_eq!(advice_text, "the settings of `claude` deny it");
    }

    #[test]
    fn advice_names_the_rules_to_add_for_each_command() {
        let list = rules(Permissions::Default, true, &[]);
        let advice_text = advice(&list, "Bash", "git push && npm test").expect("it is known");
        assert_eq!(
            advice_text,
            r#"add "Bash(git push:*)", "Bash(npm test:*)" to its allowedTools"#
        );
        let gemini = ToolRules { backend: Some(Backend::Gemini), ..list };
        let advice_text =
            advice(&gemini, "run_shell_command", "git push && make").expect("it is known");
        let rules = r#""run_shell_command(git push)", "run_shell_command(make)""#;
        assert_eq!(advice_text, format!("add {rules} to its allowedTools"));
    }

    #[test]
    fn tools_denied_to_the_agent_are_listed() {
        let own = rules(Permissions::Skip, true, &["Write", "Bash(rm *)", "Bash(git push:*)"]);
        for (tool, brief, rule) in [
            ("Write", "x.txt", "Write"),
            ("Bash", "rm -rf build", "Bash(rm *)"),
            ("Bash", "git push origin", "Bash(git push:*)"),
        ] {
            let advice_text = advice(&own, tool, brief).expect("it is known");
            assert_eq!(advice_text, format!("its own disallowedTools have \"{rule}\""));
        }
        let advice_text = advice(&own, "Bash", "make").expect("it is known");
        assert!(
            advice_text.contains("allowedTools") && advice_text.contains("Bash(make:*)"),
            "{advice_text}"
        );
    }

    #[test]
    fn an_unknown_agent_gets_no_advice() {
        assert_eq!(advice(&ToolRules::default(), "Bash", "rm"), None);
    }
}

//! Converts lists of tools to permissions of opencode.

use forkhestra_core::plan::DirectSpawn;
use serde_json::Value;

use crate::agent::command::listed_tool::{ListedTool, tools};

/// The tool that starts subagents, which do not inherit the rules of their caller.
const SUBAGENTS: &str = "task";

const ANY: &str = "*";

/// The permissions for an agent's lists of tools, as JSON, or `None` without lists. The last
/// matching rule applies.
pub(super) fn permission(direct: &DirectSpawn) -> Option<String> {
    let (allowed, disallowed) = (&direct.allowed_tools, &direct.disallowed_tools);
    if allowed.is_none() && tools(disallowed).next().is_none() {
        return None;
    }
    let mut rules = PermissionRules::default();
    if allowed.is_some() {
        rules.of(ANY).push((ANY.to_owned(), "deny"));
    }
    for ListedTool { name, pattern } in tools(allowed) {
        let of_tool = rules.of(permission_of(name));
        match pattern {
            None => of_tool.push((ANY.to_owned(), "allow")),
            // The catch-all rule must not override an earlier one.
            Some(pattern) => {
                if of_tool.is_empty() {
                    of_tool.push((ANY.to_owned(), "deny"));
                }
                of_tool.push((pattern.to_owned(), "allow"));
            }
        }
    }
    for ListedTool { name, pattern } in tools(disallowed) {
        rules.at_the_end(permission_of(name)).push((pattern.unwrap_or(ANY).to_owned(), "deny"));
    }
    rules.at_the_end(SUBAGENTS).push((ANY.to_owned(), "deny"));
    Some(rules.text())
}

/// The permission that a tool needs. All tools that write files share one.
fn permission_of(tool: &str) -> &str {
    match tool {
        "write" | "patch" | "apply_patch" | "multiedit" => "edit",
        tool => tool,
    }
}

/// Rules by permission, in order.
#[derive(Default)]
struct PermissionRules(Vec<(String, Vec<PermissionRule>)>);

/// A pattern and its decision.
type PermissionRule = (String, &'static str);

impl PermissionRules {
    /// The rules of a permission.
    fn of(&mut self, permission: &str) -> &mut Vec<PermissionRule> {
        let known = self.0.iter().position(|(known, _)| known == permission);
        let at = known.unwrap_or_else(|| {
            self.0.push((permission.to_owned(), Vec::new()));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    /// The rules of a permission, moved to the end: names may be patterns as well, and later ones
    /// override them.
    fn at_the_end(&mut self, permission: &str) -> &mut Vec<PermissionRule> {
        let known = std::mem::take(self.of(permission));
        self.0.retain(|(other, _)| other != permission);
        let rules = self.of(permission);
        *rules = known;
        rules
    }

    fn text(&self) -> String {
        let each = self.0.iter().map(|(permission, rules)| {
            format!("{}:{}", Value::from(permission.as_str()), of_permission(rules))
        });
        format!("{{{}}}", each.collect::<Vec<_>>().join(","))
    }
}

/// The rules of one permission. Rules before a catch-all, or before the same pattern, have no
/// effect and are dropped.
fn of_permission(rules: &[PermissionRule]) -> String {
    let start = rules.iter().rposition(|(pattern, _)| pattern == ANY).unwrap_or(0);
    let rules = &rules[start..];
    if let [(pattern, says)] = rules
        && pattern == ANY
    {
        return format!("{says:?}");
    }
    let is_last = |at: usize| !rules[at + 1..].iter().any(|(other, _)| *other == rules[at].0);
    let each = rules.iter().enumerate().filter(|(at, _)| is_last(*at));
    let each =
        each.map(|(_, (pattern, says))| format!("{}:{says:?}", Value::from(pattern.as_str())));
    format!("{{{}}}", each.collect::<Vec<_>>().join(","))
}

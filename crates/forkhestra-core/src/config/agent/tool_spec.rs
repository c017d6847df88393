//! A tool in a list of allowed or disallowed tools.

use jsonc_parser::ast::Value;

use crate::config::decode::decoder::{Decode, Decoder, span_of};
use crate::config::decode::record::inline_schema;
use crate::config::decode::values::check_name;

/// A tool: its name, or its name with a pattern in parentheses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec(pub String);

inline_schema! {
    ToolSpec => {
        "type": "string",
        // A name, then optionally something in parentheses, without control characters.
        "pattern": "^[^\\s,()\\u0000-\\u001f\\u007f]+(\\([^\\u0000-\\u001f\\u007f]+\\))?$",
        "examples": ["Read", "Bash(git *)"],
    },
}

impl Decode for ToolSpec {
    fn decode(value: &Value<'_>, decoder: &mut Decoder) -> Option<Self> {
        let text = decoder.string(value, "the name of a tool")?;
        if let Err(why) = check_name(&text) {
            decoder.invalid(value, why);
            return None;
        }
        let Err(problem) = check(&text) else { return Some(Self(text)) };
        let message = format!("`{}` {}", decoder.here(), problem.message);
        let error = decoder.error(span_of(value), message, "this value");
        error.hints.push(problem.hint);
        None
    }
}

struct ToolProblem {
    message: &'static str,
    hint: String,
}

/// Agents split lists at commas and spaces, so an entry that holds one would be two tools.
fn check(text: &str) -> Result<(), ToolProblem> {
    let parts = outside_parentheses(text);
    if parts.len() > 1 {
        let entries: Vec<String> = parts.iter().map(|part| format!("{part:?}")).collect();
        let hint = format!("write one entry for each: {}", entries.join(", "));
        return Err(ToolProblem { message: "names more than one tool", hint });
    }
    let (name, rest) = text.split_at(text.find('(').unwrap_or(text.len()));
    let message = match rest.strip_prefix('(').map(|rest| rest.strip_suffix(')')) {
        _ if name.is_empty() => "has no name in front of its parentheses",
        _ if name.contains(')') => "closes a parenthesis that was not opened",
        Some(None) => "does not end with its closing parenthesis",
        Some(Some("")) => "has nothing in its parentheses",
        None | Some(Some(_)) => return Ok(()),
    };
    let hint = "a tool is a name such as `Read`, or a name with a pattern such as `Bash(git *)`";
    Err(ToolProblem { message, hint: hint.to_owned() })
}

/// The parts of a text between commas and spaces outside parentheses.
fn outside_parentheses(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_a_name_or_a_name_with_a_pattern() {
        for right in [
            "Read",
            "mcp__server__tool",
            "mcp__server__*",
            "Bash(git *)",
            "Bash(git log:*)",
            "Bash(echo a, b)",
            "Bash(echo (a), (b))",
            "Read(//etc/**)",
        ] {
            assert!(check(right).is_ok(), "{right}");
        }
    }

    #[test]
    fn other_values_are_refused_with_a_reason() {
        let table = [
            ("Read,Write", "names more than one tool"),
            ("Read, Write", "names more than one tool"),
            ("Read Write", "names more than one tool"),
            ("Bash(git *), Read(x)", "names more than one tool"),
            ("Bash (git *)", "names more than one tool"),
            ("Bash(git", "does not end with its closing parenthesis"),
            ("Bash(git)x", "does not end with its closing parenthesis"),
            ("Bash()", "has nothing in its parentheses"),
            ("(git)", "has no name in front of its parentheses"),
            ("Bash)", "closes a parenthesis that was not opened"),
        ];
        for (wrong, expected) in table {
            let found = check(wrong).err().map(|problem| problem.message);
            assert_eq!(found, Some(expected), "{wrong}");
        }
    }

    #[test]
    fn the_hint_has_the_entries_that_were_meant() {
        let hint = check("Bash(a, b), Read").err().map(|problem| problem.hint);
        assert_eq!(hint.as_deref(), Some("write one entry for each: \"Bash(a, b)\", \"Read\""));
    }
}

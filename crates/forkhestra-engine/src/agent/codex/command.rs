//! The invocation of Codex.

use forkhestra_core::config::Permissions;

use crate::agent::command::{Invocation, InvocationRequest, fits};

pub(super) fn invocation(asked: &InvocationRequest<'_>) -> Invocation {
    let mut built = Invocation::begin(&["exec", "--json", "--skip-git-repo-check"]);
    if asked.direct.permissions == Permissions::Skip {
        built.arg("--dangerously-bypass-approvals-and-sandbox");
    }
    // Both wait seconds for servers that may be unreachable.
    built.option("-c", "analytics.enabled=false");
    built.option("-c", "features.plugins=false");
    // A login shell reads /etc/profile, which resets PATH on Debian: `forge-tasks` and the user's
    // programs would not be found.
    if let Some(key) = asked.direct.backend.facts().login_shell_key
        && !decides_login_shell(asked, key)
    {
        built.option("-c", format!("{key}=false"));
    }
    let system_prompt = &asked.instructions.system_prompt;
    let instructions = format!("developer_instructions={}", quoted(system_prompt));
    let mut prompt = asked.instructions.prompt.clone();
    let are_handed_over = fits(&instructions);
    if are_handed_over {
        built.option("-c", instructions);
    } else {
        // Codex reads no file for additional instructions.
        prompt = format!("{system_prompt}\n\n{prompt}");
    }
    if let Some(model) = &asked.direct.model {
        built.option("-m", model);
    }
    built.args.extend_from_slice(asked.args);
    built.arg("--");
    // A prompt that is a single dash would mean standard input as well.
    if are_handed_over && fits(&prompt) && prompt != "-" {
        built.arg(prompt);
    } else {
        built.arg("-");
        built.stdin = Some(prompt);
    }
    built
}

/// Whether the user's settings or arguments decide about login shells.
fn decides_login_shell(asked: &InvocationRequest<'_>, key: &str) -> bool {
    asked.host.settings_decide_login_shell || asked.args.iter().any(|arg| arg.contains(key))
}

/// A text as a TOML string. Unquoted, a text that looks like a number or a list would become one.
fn quoted(text: &str) -> String {
    // JSON has the same escapes, except for one character.
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_so_that_they_stay_texts() {
        for (text, expected) in [
            ("true", r#""true""#),
            ("a \"b\" \\ /", r#""a \"b\" \\ /""#),
            ("a\nb\t${X}\u{7f}\u{1b}é", r#""a\nb\t${X}\u007f\u001bé""#),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}

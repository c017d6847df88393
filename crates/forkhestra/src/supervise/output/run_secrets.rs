//! The secrets of a run, which stay out of its files.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forkhestra_core::plan::{Plan, PlanStep};
use forkhestra_store::output_log::Secrets;

/// Values shorter than this are not redacted. Values such as `1` and `true` are common, and
/// redacting them would make logs unreadable.
const MIN_SECRET_BYTES: usize = 8;

/// Parts of variable names that mark a secret.
const SECRET_NAME_PARTS: [&str; 7] =
    ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL"];

/// The secrets of a run: values of variables whose name marks a secret, which agents inherit or the
/// config gives to them, and other known secrets.
pub(crate) fn run_secrets<'a>(
    plan: &'a Plan,
    inherited: &'a [(OsString, OsString)],
    others: impl Iterator<Item = &'a str>,
) -> Secrets {
    let agents = plan.steps.iter().flat_map(PlanStep::agents);
    let given = agents.flat_map(|agent| &agent.kind.env().0);
    let given = given.filter(|(name, value)| is_secret(name.as_ref(), value.as_ref()));
    let given = given.map(|(_, value)| value.as_bytes());
    secrets_of(given.chain(inherited_values(inherited)).chain(others.map(str::as_bytes)))
}

/// The secrets in the environment of a process.
pub(crate) fn inherited_secrets(inherited: &[(OsString, OsString)]) -> Secrets {
    secrets_of(inherited_values(inherited))
}

fn inherited_values(inherited: &[(OsString, OsString)]) -> impl Iterator<Item = &[u8]> {
    let secret = inherited.iter().filter(|(name, value)| is_secret(name, value));
    secret.map(|(_, value)| value.as_bytes())
}

/// Whether a variable holds a secret, judged by its name. The path of an existing file is not a
/// secret.
fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    let value = Path::new(value);
    SECRET_NAME_PARTS.iter().any(|part| name.contains(part))
        && !(value.is_absolute() && value.exists())
}

pub(super) fn secrets_of<'a>(values: impl Iterator<Item = &'a [u8]>) -> Secrets {
    let long_enough = values.filter(|value| value.len() >= MIN_SECRET_BYTES);
    let all: BTreeSet<Vec<u8>> =
        long_enough.flat_map(|value| [Some(value.to_vec()), as_json(value)]).flatten().collect();
    Secrets::new(all)
}

/// The JSON-escaped form of a value: agents print JSON.
fn as_json(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let json = serde_json::to_string(text).expect("a text is JSON");
    Some(json.as_bytes()[1..json.len() - 1].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_escaped_json_are_masked() {
        let value = r#"sk-"0123\456"#;
        let secrets = secrets_of([value.as_bytes()].into_iter());
        let json = serde_json::to_string(&format!("the key is {value}")).expect("it is text");
        assert_eq!(secrets.masked(&json), r#""the key is **************""#);
        assert_eq!(secrets.masked(value), "************");
    }

    #[test]
    fn variable_names_show_which_values_are_secret() {
        for (name, value, expected) in [
            ("ANTHROPIC_API_KEY", "sk-0123456789", true),
            ("github_token", "ghp_0123456789", true),
            ("AWS_SECRET_ACCESS", "/not/a/file/but/base64", true),
            ("PGPASSWORD", "0123456789", true),
            ("NODE_ENV", "production", false),
            ("PWD", "0123456789", false),
            ("HOME", "/home/somebody", false),
            ("TOKEN_FILE", "/dev/null", false),
            ("SSH_KEY_PATH", "/", false),
        ] {
            assert_eq!(is_secret(name.as_ref(), value.as_ref()), expected, "{name}");
        }
    }
}

//! What agents print, on disk.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use forkhestra_core::id::UnitId;
use forkhestra_core::plan::Plan;
use forkhestra_engine::Logs;
use forkhestra_engine::output::{Log, Stream};
use forkhestra_store::RunDir;
use forkhestra_store::output_log::{Capacity, OutputWriter, Secrets};

/// What is shorter is no secret worth its name. `1` and `true` are values, too, and a log in which
/// every 1 is an asterisk is of no use.
const SHORTEST_SECRET: usize = 8;

/// What is in the names of variables with secrets.
const TELLING: [&str; 4] = ["KEY", "TOKEN", "SECRET", "PASSWORD"];

/// Keeps the output of each agent in the directory of the run.
pub(super) struct RunLogs {
    run: RunDir,
    secrets: Arc<Secrets>,
}

impl RunLogs {
    /// Values of variables that the config gives to agents may be secrets, and stay out of files; so
    /// do those that agents inherit under a name that says so.
    pub(super) fn new(run: RunDir, plan: &Plan, inherited: &[(OsString, OsString)]) -> Self {
        let given = plan.steps.iter().flat_map(|step| step.agent.kind.env().0.values());
        let given = given.map(String::as_bytes);
        let inherited = inherited.iter().filter(|(name, value)| is_secret(name, value));
        let inherited = inherited.map(|(_, value)| value.as_bytes());
        Self { run, secrets: Arc::new(secrets(given.chain(inherited))) }
    }
}

/// Whether a variable is one that holds a secret, as far as its name tells. The name of a file with
/// a secret in it is none.
fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    let value = Path::new(value);
    TELLING.iter().any(|part| name.contains(part)) && !(value.is_absolute() && value.exists())
}

fn secrets<'a>(values: impl Iterator<Item = &'a [u8]>) -> Secrets {
    let long_enough = values.filter(|value| value.len() >= SHORTEST_SECRET);
    let all: BTreeSet<Vec<u8>> =
        long_enough.flat_map(|value| [Some(value.to_vec()), as_json(value)]).flatten().collect();
    Secrets::new(all)
}

/// A value as it stands in JSON, which is what agents print that we understand.
fn as_json(value: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(value).ok()?;
    let json = serde_json::to_string(text).expect("a text is JSON");
    Some(json.as_bytes()[1..json.len() - 1].to_vec())
}

impl Logs for RunLogs {
    fn open(&self, unit: UnitId, stream: Stream) -> Box<dyn Log> {
        let capacity = match stream {
            Stream::Stdout => Capacity::STDOUT,
            Stream::Stderr => Capacity::STDERR,
        };
        let path = self.run.output_of(unit).join(stream.to_string());
        Box::new(RunLog(OutputWriter::new(self.run.disk(), path, capacity, &self.secrets)))
    }

    fn redact(&self, text: &str) -> String {
        self.secrets.masked(text)
    }
}

struct RunLog(OutputWriter);

impl Log for RunLog {
    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.append(bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use forkhestra_store::disk::SYSTEM;

    use super::*;

    #[test]
    fn keys_are_hidden_and_switches_are_not() {
        let values = ["1", "true", "sk-0123456789"].map(str::as_bytes);
        let directory = tempfile::tempdir().expect("there is room");
        let path = directory.path().join("stdout");
        let secrets = Arc::new(secrets(values.into_iter()));
        let mut writer = OutputWriter::new(&SYSTEM, path.clone(), Capacity::STDOUT, &secrets);
        writer.append(b"1 is true, and the key is sk-0123456789").expect("there is room");
        writer.finish().expect("there is room");
        let kept = fs::read_to_string(path).expect("it was written");
        assert_eq!(kept, "1 is true, and the key is *************");
    }

    #[test]
    fn what_stands_in_json_in_another_way_is_hidden_there_too() {
        let value = r#"sk-"0123\456"#;
        let secrets = secrets([value.as_bytes()].into_iter());
        let json = serde_json::to_string(&format!("the key is {value}")).expect("it is text");
        assert_eq!(secrets.masked(&json), r#""the key is **************""#);
        assert_eq!(secrets.masked(value), "************");
    }

    #[test]
    fn names_tell_which_variables_hold_secrets() {
        for (name, value, expected) in [
            ("ANTHROPIC_API_KEY", "sk-0123456789", true),
            ("github_token", "ghp_0123456789", true),
            ("AWS_SECRET_ACCESS", "/not/a/file/but/base64", true),
            ("PGPASSWORD", "0123456789", true),
            ("PWD", "0123456789", false),
            ("HOME", "/home/somebody", false),
            ("TOKEN_FILE", "/dev/null", false),
            ("SSH_KEY_PATH", "/", false),
        ] {
            assert_eq!(is_secret(name.as_ref(), value.as_ref()), expected, "{name}");
        }
    }
}

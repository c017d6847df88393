//! The external inputs of the command line, read once.

use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::SystemTime;
use std::{env, fs};

use jiff::Timestamp;
use rustix::process::getuid;

use crate::RunLane;
use crate::actions::RunRegistry;

/// The external inputs of the command line.
pub struct CliInputs<'a> {
    /// The working directory.
    pub directory: PathBuf,
    /// The environment variables.
    pub environment: TasksEnvironment,
    /// The clock.
    pub clock: fn() -> Timestamp,
    /// The active runs.
    pub runs: &'a dyn RunRegistry,
    /// The version of the program.
    pub version: &'static str,
}

/// The environment variables. Empty values count as unset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TasksEnvironment {
    /// `FORGE_TASKS_DIR`: the task directory.
    pub tasks: Option<PathBuf>,
    /// `FORKHESTRA_AGENT`: the calling agent.
    pub agent: Option<String>,
    /// `FORKHESTRA_RUN_ID`: the run of that agent.
    pub run: Option<String>,
    /// `FORKHESTRA_LANE`: the lane of that agent, if several work at the same time.
    pub lane: Option<NonZeroU32>,
    /// `USER` or `LOGNAME`, else the name of the account.
    pub user: Option<String>,
    /// `COLUMNS`: the width of a line.
    pub columns: Option<usize>,
}

impl<'a> CliInputs<'a> {
    /// The inputs of this process.
    pub fn real(runs: &'a dyn RunRegistry, version: &'static str) -> Self {
        Self {
            // If the working directory was removed, `--dir` still works.
            directory: env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            environment: TasksEnvironment::read(|name| env::var_os(name)).or_user(account),
            clock: now,
            runs,
            version,
        }
    }
}

impl TasksEnvironment {
    /// The same, with a function for the name of the account.
    fn or_user(mut self, user: fn() -> Option<String>) -> Self {
        self.user = self.user.or_else(user);
        self
    }

    /// The lane that the calling agent works in.
    pub(crate) fn run_lane(&self) -> Option<RunLane> {
        Some(RunLane { run: self.run.clone()?, lane: self.lane? })
    }

    /// Reads the variables. Values that are not UTF-8 count as unset.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name| variable(name).filter(|value| !value.is_empty());
        let text = |name| {
            let text = path(name).and_then(|value| value.into_string().ok());
            text.filter(|text| !text.trim().is_empty())
        };
        Self {
            tasks: path("FORGE_TASKS_DIR").map(PathBuf::from),
            agent: text("FORKHESTRA_AGENT"),
            run: text("FORKHESTRA_RUN_ID"),
            lane: text("FORKHESTRA_LANE").and_then(|text| text.trim().parse().ok()),
            user: text("USER").or_else(|| text("LOGNAME")),
            columns: text("COLUMNS").and_then(|text| text.trim().parse().ok()).filter(|n| *n > 0),
        }
    }
}

/// The name of the account, for containers without `USER`.
fn account() -> Option<String> {
    let accounts = fs::read_to_string("/etc/passwd").ok()?;
    account_in(&accounts, getuid().as_raw())
}

fn account_in(accounts: &str, id: u32) -> Option<String> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let is_ours = fields.nth(1)?.parse() == Ok(id);
        (is_ours && !name.is_empty()).then(|| name.to_owned())
    })
}

/// The current time. Times out of range are clamped.
pub fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> TasksEnvironment {
        let value = |name: &str| variables.iter().find(|(known, _)| *known == name);
        TasksEnvironment::read(|name| value(name).map(|(_, value)| OsString::from(value)))
    }

    #[test]
    fn each_environment_variable_sets_its_field() {
        let environment = read(&[
            ("FORGE_TASKS_DIR", "elsewhere"),
            ("FORKHESTRA_AGENT", "builder"),
            ("FORKHESTRA_RUN_ID", "abcd1234"),
            ("FORKHESTRA_LANE", "2"),
            ("USER", "ada"),
            ("LOGNAME", "grace"),
            ("COLUMNS", "80"),
        ]);
        let expected = TasksEnvironment {
            tasks: Some(PathBuf::from("elsewhere")),
            agent: Some("builder".to_owned()),
            run: Some("abcd1234".to_owned()),
            lane: NonZeroU32::new(2),
            user: Some("ada".to_owned()),
            columns: Some(80),
        };
        assert_eq!(environment, expected);
        assert_eq!(read(&[("LOGNAME", "grace")]).user.as_deref(), Some("grace"));
    }

    #[test]
    fn the_name_of_an_account_is_found_by_its_number() {
        let accounts =
            "root:x:0:0:root:/root:/bin/sh\nbroken\n:x:7:\nada:x:1000:1000::/home/ada:\n";
        assert_eq!(account_in(accounts, 0).as_deref(), Some("root"));
        assert_eq!(account_in(accounts, 1000).as_deref(), Some("ada"));
        assert_eq!([account_in(accounts, 7), account_in(accounts, 1)], [None, None]);
    }

    #[test]
    fn empty_variables_and_invalid_widths_are_ignored() {
        let empty = ["FORGE_TASKS_DIR", "FORKHESTRA_AGENT", "FORKHESTRA_RUN_ID", "USER"];
        assert_eq!(read(&empty.map(|name| (name, ""))), TasksEnvironment::default());
        for columns in ["0", "wide", "-1", ""] {
            assert_eq!(read(&[("COLUMNS", columns)]), TasksEnvironment::default(), "{columns}");
        }
        for lane in ["0", "one", "-1", ""] {
            assert_eq!(read(&[("FORKHESTRA_LANE", lane)]), TasksEnvironment::default(), "{lane}");
        }
    }
}

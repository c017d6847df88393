//! Puts forkhestra's own programs first on the `PATH` of agents, checks and hooks.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::launch::agent_command::set;

/// The default `PATH` for an environment without one.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Puts a directory first on `PATH`. An empty `PATH` means the working directory, and keeps that
/// meaning.
pub(crate) fn prepend_to_path(environment: &mut Vec<(OsString, OsString)>, tools: &Path) {
    let known =
        environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
    let path = [tools.as_os_str(), known.unwrap_or(OsStr::new(DEFAULT_PATH))].join(OsStr::new(":"));
    set(environment, "PATH", path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_programs_come_first_on_path() {
        for (path, expected) in [
            (Some("/a:/b"), "/ours:/a:/b"),
            (Some(""), "/ours:"),
            (None, "/ours:/usr/local/bin:/usr/bin:/bin"),
        ] {
            let mut environment: Vec<(OsString, OsString)> = vec![("HOME".into(), "/h".into())];
            environment.extend(path.map(|path| ("PATH".into(), path.into())));
            prepend_to_path(&mut environment, Path::new("/ours"));
            let found: Vec<_> = environment.iter().filter(|(name, _)| name == "PATH").collect();
            assert_eq!(found, [&(OsString::from("PATH"), OsString::from(expected))], "{path:?}");
            assert_eq!(environment.len(), 2);
        }
    }
}

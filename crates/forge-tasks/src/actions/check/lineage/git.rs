//! Asking git.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// Whoever started us may be a hook of git itself, and mean another repository.
const NOT_OURS: [&str; 4] = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"];

/// The git of a directory.
#[derive(Debug)]
pub(super) struct Git<'a> {
    pub(super) directory: &'a Path,
    /// How long it may take.
    pub(super) until: Instant,
}

impl Git<'_> {
    /// What git says; nothing if it fails or takes too long, or if there is no git.
    pub(super) fn ask(&self, arguments: &[&str]) -> Option<String> {
        let said = self.run(arguments, "")?;
        Some(String::from_utf8_lossy(&said).into_owned())
    }

    /// Shows the contents of blobs. Those that are not here are left out.
    pub(super) fn blobs(&self, blobs: &[&str], mut show: impl FnMut(&str, &[u8])) -> Option<()> {
        let said = self.run(&["cat-file", "--batch", "--buffer"], &blobs.join("\n"))?;
        let mut rest = &said[..];
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let head = str::from_utf8(&rest[..end]).ok()?;
            rest = &rest[end + 1..];
            let mut words = head.split(' ');
            if let (Some(blob), Some("blob"), Some(size)) =
                (words.next(), words.next(), words.next())
            {
                let content = rest.get(..size.parse().ok()?)?;
                show(blob, content);
                rest = rest.get(content.len() + 1..)?;
            }
        }
        Some(())
    }

    fn run(&self, arguments: &[&str], input: &str) -> Option<Vec<u8>> {
        let mut git = Command::new("git");
        git.arg("-C").arg(self.directory).arg("--no-pager").args(arguments);
        for name in NOT_OURS {
            git.env_remove(name);
        }
        // What is not here is not worth waiting for a network, and certainly not for a password.
        git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0");
        git.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.answer(git.spawn().ok()?, input)
    }

    /// Waits for what a git says, and ends it if that takes too long.
    fn answer(&self, mut git: Child, input: &str) -> Option<Vec<u8>> {
        let (mut stdin, mut stdout) = (git.stdin.take()?, git.stdout.take()?);
        thread::scope(|scope| {
            // It reads while it writes. If it does not want to know everything, it will say so.
            scope.spawn(move || stdin.write_all(input.as_bytes()));
            let (sender, receiver) = mpsc::channel();
            scope.spawn(move || {
                let mut said = Vec::new();
                let outcome = stdout.read_to_end(&mut said).map(|_| said);
                sender.send(outcome)
            });
            let left = self.until.saturating_duration_since(Instant::now());
            let said = receiver.recv_timeout(left).ok();
            if said.is_none() {
                git.kill().ok()?;
            }
            let is_done = git.wait().ok()?.success();
            said?.ok().filter(|_| is_done)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_git_that_takes_too_long_is_ended() {
        let place = tempfile::tempdir().expect("there is a place for temporary files");
        let ask = |patience: Duration, input: &str| {
            let git = Git { directory: place.path(), until: Instant::now() + patience };
            git.run(&["hash-object", "--stdin"], input)
        };
        assert_eq!(ask(Duration::ZERO, ""), None);
        let said = ask(Duration::from_secs(60), "text").expect("git answers");
        assert_eq!(said.trim_ascii_end(), b"f3a34851d44d6b97c90fbb99dd3d18c261b9a237");
    }

    #[test]
    fn where_there_is_no_repository_nothing_is_said() {
        let place = tempfile::tempdir().expect("there is a place for temporary files");
        let until = Instant::now() + Duration::from_secs(60);
        let git = Git { directory: place.path(), until };
        assert_eq!(git.ask(&["rev-parse", "--verify", "HEAD"]), None);
    }
}

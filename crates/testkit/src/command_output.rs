//! The output of a command.

use std::fmt;

/// Both streams and the exit code of a command.
#[derive(Debug, Clone)]
#[must_use = "look at it, as a snapshot or through one of its parts"]
pub struct CommandOutput {
    pub stdout: String,
    pub stderr: String,
    /// `None` if a signal ended it.
    pub code: Option<i32>,
}

impl CommandOutput {
    /// Asserts that it succeeded without standard error, and returns standard output.
    #[track_caller]
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self}");
        assert_eq!(self.stderr, "", "{self}");
        self.stdout
    }

    /// Asserts that it failed with this code without standard output, and returns standard error.
    #[track_caller]
    pub fn failure(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self}");
        assert_eq!(self.stdout, "", "{self}");
        self.stderr
    }
}

/// One text for snapshots, without empty parts.
impl fmt::Display for CommandOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.stdout)?;
        if !self.stderr.is_empty() {
            write!(f, "------- stderr -------\n{}", self.stderr)?;
        }
        match self.code {
            Some(0) => Ok(()),
            Some(code) => writeln!(f, "[exit status: {code}]"),
            None => writeln!(f, "[ended by a signal]"),
        }
    }
}

//! What a user sees of a command.

use std::fmt;

/// Everything that came of a command: both streams and how it ended.
#[derive(Debug, Clone)]
#[must_use = "look at it, as a snapshot or through one of its parts"]
pub struct CommandOutput {
    /// What it printed as data.
    pub stdout: String,
    /// What it said.
    pub stderr: String,
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
}

impl CommandOutput {
    /// Makes sure that it succeeded and said nothing, and gives what it printed.
    #[track_caller]
    pub fn success(self) -> String {
        assert_eq!(self.code, Some(0), "{self}");
        assert_eq!(self.stderr, "", "{self}");
        self.stdout
    }

    /// Makes sure that it failed with this code and printed nothing, and gives what it said.
    #[track_caller]
    pub fn failure(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self}");
        assert_eq!(self.stdout, "", "{self}");
        self.stderr
    }
}

/// One text to compare, with only the parts that are there.
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

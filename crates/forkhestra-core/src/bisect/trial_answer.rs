//! What the test of a snapshot says about it.

use crate::event::ProcessEnd;

/// The exit code by which a command says that a snapshot cannot be tested.
const SKIP: i32 = 125;

/// The exit codes by which a shell says that it cannot execute a command, or that there is none.
const NOT_EXECUTABLE: i32 = 126;
const NOT_FOUND: i32 = 127;

/// A shell exits with this number plus that of the signal that ended a command.
const SIGNAL_BASE: i32 = 128;

/// What the test of a snapshot says about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialAnswer {
    Good,
    Bad,
    Skip(SkipReason),
}

/// Why a snapshot cannot be tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    #[error("exit 125")]
    ExitCode,
    #[error("timed out")]
    TimedOut,
    #[error("flaky: it passed and failed")]
    Flaky,
    #[error("the set-up of the clean room failed")]
    Setup,
    #[error("the working directory is not there")]
    NoDirectory,
    #[error("the snapshot is gone")]
    Gone,
}

/// Why a command says nothing about any snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrialAbort {
    #[error("the command cannot be executed (exit 126)")]
    NotExecutable,
    #[error("the command was not found (exit 127)")]
    NotFound,
    #[error(
        "the command ended with exit {0}, which is neither good (0), bad (1 to 124) nor skip (125)"
    )]
    ExitCode(i32),
    #[error("signal {0} ended the command")]
    Signal(i32),
    #[error("the command cannot be started: {0}")]
    NotStarted(String),
}

impl TrialAnswer {
    /// The answer of a process. As for a check in a run, its exit code and the verdict that it printed
    /// must both say that it passed.
    pub fn of_process(end: &ProcessEnd, verdict: Option<bool>) -> Result<Self, TrialAbort> {
        match (end, verdict) {
            (ProcessEnd::NotStarted { reason, .. }, _) => {
                Err(TrialAbort::NotStarted(reason.clone()))
            }
            (ProcessEnd::Signaled(signal), _) => Err(TrialAbort::Signal(*signal)),
            (ProcessEnd::Exited(0), Some(false)) => Ok(Self::Bad),
            (ProcessEnd::Exited(code), _) => Self::of_exit_code(*code),
        }
    }

    /// The answer of a check that runs no process.
    pub const fn of_verdict(passed: bool) -> Self {
        if passed { Self::Good } else { Self::Bad }
    }

    /// The answer of two tests of the same snapshot: they must agree.
    #[must_use]
    pub fn combined(self, other: Self) -> Self {
        match (self, other) {
            (Self::Skip(why), _) | (_, Self::Skip(why)) => Self::Skip(why),
            (one, other) if one == other => one,
            _ => Self::Skip(SkipReason::Flaky),
        }
    }

    /// The word in texts and in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Skip(_) => "skipped",
        }
    }

    const fn of_exit_code(code: i32) -> Result<Self, TrialAbort> {
        match code {
            0 => Ok(Self::Good),
            SKIP => Ok(Self::Skip(SkipReason::ExitCode)),
            1..SKIP => Ok(Self::Bad),
            NOT_EXECUTABLE => Err(TrialAbort::NotExecutable),
            NOT_FOUND => Err(TrialAbort::NotFound),
            code if code > SIGNAL_BASE && code <= SIGNAL_BASE + 64 => {
                Err(TrialAbort::Signal(code - SIGNAL_BASE))
            }
            code => Err(TrialAbort::ExitCode(code)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exit_code_is_good_bad_skip_or_the_end_of_the_search() {
        let skip = Ok(TrialAnswer::Skip(SkipReason::ExitCode));
        for (code, expected) in [
            (0, Ok(TrialAnswer::Good)),
            (1, Ok(TrialAnswer::Bad)),
            (124, Ok(TrialAnswer::Bad)),
            (125, skip),
            (126, Err(TrialAbort::NotExecutable)),
            (127, Err(TrialAbort::NotFound)),
            (128, Err(TrialAbort::ExitCode(128))),
            (137, Err(TrialAbort::Signal(9))),
            (255, Err(TrialAbort::ExitCode(255))),
        ] {
            assert_eq!(
                TrialAnswer::of_process(&ProcessEnd::Exited(code), None),
                expected,
                "{code}"
            );
        }
        let killed = TrialAnswer::of_process(&ProcessEnd::Signaled(11), Some(true));
        assert_eq!(killed, Err(TrialAbort::Signal(11)));
    }

    #[test]
    fn the_exit_code_and_a_printed_verdict_must_both_pass() {
        for (code, verdict, expected) in [
            (0, true, Ok(TrialAnswer::Good)),
            (0, false, Ok(TrialAnswer::Bad)),
            (1, true, Ok(TrialAnswer::Bad)),
            (125, true, Ok(TrialAnswer::Skip(SkipReason::ExitCode))),
            (127, false, Err(TrialAbort::NotFound)),
        ] {
            let end = ProcessEnd::Exited(code);
            assert_eq!(TrialAnswer::of_process(&end, Some(verdict)), expected, "{code}");
        }
    }

    #[test]
    fn tests_of_one_snapshot_must_agree() {
        let (good, bad) = (TrialAnswer::Good, TrialAnswer::Bad);
        let slow = TrialAnswer::Skip(SkipReason::TimedOut);
        let flaky = TrialAnswer::Skip(SkipReason::Flaky);
        for (one, other, expected) in [
            (good, good, good),
            (bad, bad, bad),
            (good, bad, flaky),
            (bad, good, flaky),
            (good, slow, slow),
            (slow, bad, slow),
            (flaky, good, flaky),
        ] {
            assert_eq!(one.combined(other), expected, "{one:?} {other:?}");
        }
    }
}

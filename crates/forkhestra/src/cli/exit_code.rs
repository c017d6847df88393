//! Exit codes of the programs. They are a contract with scripts.

use std::process::ExitCode;

use forkhestra_core::event::RunEnd;
use forkhestra_core::history::ExecutionStatus;

use crate::cli::started_program::StartedProgram;

/// Success: the run is complete.
pub(crate) const COMPLETE: u8 = 0;
/// The run ended with work left.
pub(crate) const INCOMPLETE: u8 = 1;
/// `doctor` found a problem that prevents runs.
pub(crate) const BROKEN: u8 = 1;
pub(crate) use typeset::console::OUTPUT_CLOSED;

/// A recording cannot be played back (`EX_SOFTWARE`, an internal error).
pub(crate) const REPLAY_FAILED: u8 = 70;

/// `ralph-runner` only: a loop stagnated.
const STAGNATED: u8 = 2;

/// Usage error, or a command that failed.
pub(crate) const fn error(program: StartedProgram) -> u8 {
    match program {
        StartedProgram::Forkhestra => 2,
        StartedProgram::RalphRunner => 3,
    }
}

/// The exit code for the end of a run.
pub(crate) fn of_end(program: StartedProgram, end: &RunEnd) -> u8 {
    match (program, end) {
        (StartedProgram::RalphRunner, RunEnd::Incomplete { end, .. })
            if ExecutionStatus::of(end) == ExecutionStatus::Stagnated =>
        {
            STAGNATED
        }
        (StartedProgram::Forkhestra | StartedProgram::RalphRunner, end) => end.exit_code(),
    }
}

/// Converts a code to the type of the standard library.
pub(crate) fn of(code: u8) -> ExitCode {
    ExitCode::from(code)
}

/// The exit code if the supervised process was ended by a signal.
pub(crate) fn of_signal(program: StartedProgram, signal: i32) -> u8 {
    u8::try_from(signal).map_or(error(program), |signal| 128_u8.saturating_add(signal))
}

#[cfg(test)]
mod tests {
    use forkhestra_core::event::{
        AgentOutcome, CancelCause, ClaimRefusal, OutcomeClass, ProcessEnd, StepEnd, StopReason,
    };

    use super::*;

    /// Step ends, each with the exit codes of `forkhestra` and `ralph-runner` for a run that ends
    /// by it.
    fn ends_of_steps() -> Vec<(StepEnd, [u8; 2])> {
        let blocked = AgentOutcome::of(OutcomeClass::Authentication);
        vec![
            (StepEnd::MaxIterations, [1, 1]),
            (StepEnd::Failed(ProcessEnd::Exited(3)), [1, 1]),
            (StepEnd::Failed(ProcessEnd::Signaled(9)), [1, 1]),
            (StepEnd::Stagnated(3), [1, 2]),
            (StepEnd::Cycling(2), [1, 2]),
            (StepEnd::AgentStopped(StopReason::Timeout), [1, 1]),
            (StepEnd::StepTime, [1, 1]),
            (StepEnd::GroupTime, [1, 1]),
            (StepEnd::GroupCost, [1, 1]),
            (StepEnd::RunTime, [1, 1]),
            (StepEnd::StepCost, [1, 1]),
            (StepEnd::RunCost, [1, 1]),
            (StepEnd::CostUnknown, [1, 1]),
            (StepEnd::Blocked(blocked), [1, 1]),
            (StepEnd::Refused(ClaimRefusal::ChecksFailed), [1, 1]),
            (StepEnd::HookFailed("./notify.sh".to_owned()), [1, 1]),
            (StepEnd::CannotCheck("the disk is full".to_owned()), [1, 1]),
            (StepEnd::TasksBlocked("TASK-2 is blocked".to_owned()), [1, 1]),
            (StepEnd::NoTasks, [1, 1]),
            (StepEnd::Cancelled, [1, 1]),
        ]
    }

    #[track_caller]
    fn assert_codes(end: &RunEnd, [forkhestra, ralph]: [u8; 2]) {
        assert_eq!(of_end(StartedProgram::Forkhestra, end), forkhestra, "forkhestra: {end:?}");
        assert_eq!(of_end(StartedProgram::RalphRunner, end), ralph, "ralph-runner: {end:?}");
    }

    #[test]
    fn every_end_of_a_run_has_its_code() {
        assert_codes(&RunEnd::Complete, [0, 0]);
        for (end, codes) in ends_of_steps() {
            assert!(!end.is_complete(), "{end:?}");
            assert_codes(&RunEnd::Incomplete { step: 1, end }, codes);
        }
        for (cancel, code) in [
            (CancelCause::Stop, 130),
            (CancelCause::StopNow, 130),
            (CancelCause::OutputClosed, 141),
            (CancelCause::Hangup, 129),
            (CancelCause::Interrupt, 130),
            (CancelCause::Terminate, 143),
            (CancelCause::GuardLost, 137),
        ] {
            assert_codes(&RunEnd::Interrupted(cancel), [code, code]);
        }
    }

    #[test]
    fn errors_and_signals_have_the_exit_codes_of_the_program() {
        assert_eq!(error(StartedProgram::Forkhestra), 2);
        assert_eq!(error(StartedProgram::RalphRunner), 3);
        for program in [StartedProgram::Forkhestra, StartedProgram::RalphRunner] {
            assert_eq!(of_signal(program, 9), 137);
            assert_eq!(of_signal(program, 15), 143);
            assert_eq!(of_signal(program, -1), error(program));
        }
    }
}

//! What came of an iteration.

use crate::event::{AgentEnd, Completion, Ending, Verdict};

/// What is known of an agent that is gone.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// Whether its step loops.
    pub loops: bool,
    /// How it ended.
    pub end: &'a AgentEnd,
    /// Why we ended it, if we did so before it ended by itself.
    pub ending: Option<Ending>,
    /// How it said that its work is done, if it did so before we began to end it.
    pub request: Option<&'a Completion>,
}

/// Decides. An agent in a loop is believed when it says that its work is done, whatever its exit
/// code, and also if we had to end it afterwards because it did not go; but not if the run was
/// cancelled. Of an agent that runs once an exit code of 0 is asked, and that it ended by itself.
pub fn verdict(ended: Ended<'_>) -> Verdict {
    let Ended { loops, end, ending, request } = ended;
    match (ending, request) {
        (Some(Ending::Cancelled), _) => Verdict::Interrupted,
        (_, Some(request)) if loops => Verdict::Complete(request.clone()),
        (Some(ending), _) => Verdict::Ended(ending),
        (None, _) if !end.is_success() => Verdict::Crashed,
        (None, _) if loops => Verdict::Incomplete,
        (None, _) => Verdict::Complete(Completion::ExitCode),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts() {
        use Verdict::{Complete, Crashed, Incomplete, Interrupted};
        let (zero, one, killed) = (AgentEnd::Exited(0), AgentEnd::Exited(1), AgentEnd::Signaled(9));
        let file = Completion::File;
        let (done, silent) = (Some(&file), None);
        let table = [
            // In a loop the marker decides.
            (true, &zero, None, done, Complete(Completion::File)),
            (true, &one, None, done, Complete(Completion::File)),
            (true, &killed, None, done, Complete(Completion::File)),
            (true, &zero, None, silent, Incomplete),
            (true, &one, None, silent, Crashed),
            (true, &killed, None, silent, Crashed),
            // What we ended is a success only if the marker came first, and nobody cancelled.
            (true, &zero, Some(Ending::Lingering), done, Complete(Completion::File)),
            (true, &killed, Some(Ending::Idle), done, Complete(Completion::File)),
            (true, &zero, Some(Ending::Timeout), done, Complete(Completion::File)),
            (true, &zero, Some(Ending::Idle), silent, Verdict::Ended(Ending::Idle)),
            (true, &zero, Some(Ending::Cancelled), done, Interrupted),
            (true, &zero, Some(Ending::Cancelled), silent, Interrupted),
            // An agent that runs once is asked for its exit code, and the marker is ignored.
            (false, &zero, None, silent, Complete(Completion::ExitCode)),
            (false, &zero, None, done, Complete(Completion::ExitCode)),
            (false, &one, None, done, Crashed),
            (false, &zero, Some(Ending::Timeout), silent, Verdict::Ended(Ending::Timeout)),
            (false, &zero, Some(Ending::Cancelled), silent, Interrupted),
        ];
        for (loops, end, ending, request, expected) in table {
            let found = verdict(Ended { loops, end, ending, request });
            assert_eq!(found, expected, "{loops} {end} {ending:?} {request:?}");
        }
    }
}

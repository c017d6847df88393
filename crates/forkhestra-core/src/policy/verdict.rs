//! What came of an iteration.

use super::outcome::{Judgement, judge};
use crate::event::{AgentEnd, Completion, Ending, Heard, OutcomeClass, Verdict};

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
    /// What was heard from it, if its stream is one that we understand.
    pub heard: Option<&'a Heard>,
    /// Whether an exit code of 0 is enough to have its work checked, if its step loops.
    pub checks_decide: bool,
}

/// Decides. An agent in a loop is believed when it says that its work is done, whatever its exit
/// code, and also if we had to end it afterwards because it did not go; but not if the run was
/// cancelled, nor if its own stream says that it failed. Of an agent that runs once an exit code of 0
/// is asked, and that it ended by itself; so it is of an agent in a loop whose checks decide, if it says
/// nothing.
pub fn verdict(ended: Ended<'_>) -> Verdict {
    let Ended { loops, end, ending, request, heard, checks_decide } = ended;
    let by_exit_code = !loops || checks_decide;
    // What it says after it was through, about being ended, changes nothing.
    let is_settled = ending == Some(Ending::Lingering);
    let request = request.filter(|request| loops && (is_settled || counts(request, heard)));
    match (ending, request) {
        (Some(Ending::Cancelled), _) => Verdict::Interrupted,
        (_, Some(request)) => Verdict::Complete(request.clone()),
        (Some(ending), None) if heard.is_none() || !tells_more(ending) => Verdict::Ended(ending),
        // How it ended after that was our doing, and says nothing.
        (Some(_), None) => by_outcome(loops, true, heard, by_exit_code),
        (None, None) => by_outcome(loops, end.is_success(), heard, by_exit_code),
    }
}

/// A marker in a stream that did not end well was not the last word. A file is there, whatever the
/// stream says.
fn counts(request: &Completion, heard: Option<&Heard>) -> bool {
    let ended_well = heard.is_none_or(|heard| heard.outcome.class == OutcomeClass::Finished);
    ended_well || !matches!(request, Completion::Marker(_))
}

/// Whether the stream tells more of an agent than that we ended it for this reason: it had said all
/// it had to say.
const fn tells_more(ending: Ending) -> bool {
    matches!(ending, Ending::Lingering | Ending::Futile)
}

fn by_outcome(loops: bool, success: bool, heard: Option<&Heard>, by_exit_code: bool) -> Verdict {
    let judgement = heard
        .map_or(Judgement::ByExitCode, |heard| judge(heard.outcome.class, heard.activity, loops));
    match judgement {
        Judgement::ByExitCode if !success => Verdict::Crashed,
        Judgement::ByExitCode if by_exit_code => Verdict::Complete(Completion::ExitCode),
        Judgement::ByExitCode => Verdict::Incomplete,
        Judgement::Incomplete => Verdict::Incomplete,
        Judgement::Crashed => Verdict::Crashed,
        Judgement::Postponed => Verdict::Postponed,
        Judgement::Blocked => Verdict::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Activity, Outcome, Sighting};

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
            (true, &zero, Some(Ending::Skipped), done, Complete(Completion::File)),
            (true, &zero, Some(Ending::Skipped), silent, Verdict::Ended(Ending::Skipped)),
            (true, &zero, Some(Ending::Cancelled), done, Interrupted),
            (true, &zero, Some(Ending::Cancelled), silent, Interrupted),
            // An agent that runs once is asked for its exit code, and the marker is ignored.
            (false, &zero, None, silent, Complete(Completion::ExitCode)),
            (false, &zero, None, done, Complete(Completion::ExitCode)),
            (false, &one, None, done, Crashed),
            (false, &zero, Some(Ending::Timeout), silent, Verdict::Ended(Ending::Timeout)),
            (false, &zero, Some(Ending::Skipped), silent, Verdict::Ended(Ending::Skipped)),
            (false, &zero, Some(Ending::Cancelled), silent, Interrupted),
        ];
        for (loops, end, ending, request, expected) in table {
            let found =
                verdict(Ended { loops, end, ending, request, heard: None, checks_decide: false });
            assert_eq!(found, expected, "{loops} {end} {ending:?} {request:?}");
        }
    }

    #[test]
    fn where_checks_decide_an_exit_code_of_0_is_enough_and_nothing_less() {
        let (zero, one, killed) = (AgentEnd::Exited(0), AgentEnd::Exited(1), AgentEnd::Signaled(9));
        let file = Completion::File;
        let by_code = Verdict::Complete(Completion::ExitCode);
        let table = [
            (&zero, None, None, by_code.clone()),
            (&one, None, None, Verdict::Crashed),
            (&killed, None, None, Verdict::Crashed),
            (&one, None, Some(&file), Verdict::Complete(Completion::File)),
            (&zero, Some(Ending::Timeout), None, Verdict::Ended(Ending::Timeout)),
            (&zero, Some(Ending::Lingering), None, Verdict::Ended(Ending::Lingering)),
            (&zero, Some(Ending::Cancelled), None, Verdict::Interrupted),
        ];
        for (end, ending, request, expected) in table {
            let ended =
                Ended { loops: true, end, ending, request, heard: None, checks_decide: true };
            assert_eq!(verdict(ended), expected, "{end} {ending:?} {request:?}");
        }
        for class in OutcomeClass::ALL {
            let heard = heard(class);
            let of = |checks_decide| {
                verdict(Ended {
                    loops: true,
                    end: &zero,
                    ending: None,
                    request: None,
                    heard: Some(&heard),
                    checks_decide,
                })
            };
            let is_finished = class == OutcomeClass::Finished;
            let expected = if is_finished { by_code.clone() } else { of(false) };
            assert_eq!(of(true), expected, "{class:?}: a stream that failed is not checked");
        }
    }

    fn heard(class: OutcomeClass) -> Heard {
        Heard { outcome: Outcome::of(class), activity: Activity::default() }
    }

    fn marker() -> Completion {
        let marker = "DONE".to_owned();
        Completion::Marker(Sighting { marker, offset: 0, line: 1, message: Some(1) })
    }

    /// The verdict on an agent that exited with 1, as a failed one does, or with 0.
    fn of(
        class: OutcomeClass,
        loops: bool,
        ending: Option<Ending>,
        request: Option<&Completion>,
    ) -> Verdict {
        let end = AgentEnd::Exited(i32::from(class != OutcomeClass::Finished));
        verdict(Ended {
            loops,
            end: &end,
            ending,
            request,
            heard: Some(&heard(class)),
            checks_decide: false,
        })
    }

    #[test]
    fn a_marker_counts_only_in_a_stream_that_ended_well_and_a_file_always() {
        let (marker, file) = (marker(), Completion::File);
        for class in OutcomeClass::ALL {
            let is_complete =
                of(class, true, None, Some(&marker)) == Verdict::Complete(marker.clone());
            assert_eq!(is_complete, class == OutcomeClass::Finished, "{class:?}");
            let found = of(class, true, None, Some(&file));
            assert_eq!(found, Verdict::Complete(Completion::File), "{class:?}");
        }
    }

    #[test]
    fn without_a_word_about_its_work_the_class_decides() {
        use Verdict::{Blocked, Complete, Crashed, Incomplete, Postponed};
        let once = Complete(Completion::ExitCode);
        let table = [
            (OutcomeClass::Finished, Incomplete, once),
            (OutcomeClass::TurnLimit, Incomplete, Blocked),
            (OutcomeClass::UsageLimit, Postponed, Postponed),
            (OutcomeClass::Overloaded, Postponed, Postponed),
            (OutcomeClass::Authentication, Blocked, Blocked),
            (OutcomeClass::Crashed, Crashed, Blocked),
        ];
        for (class, in_a_loop, once) in table {
            for ending in [None, Some(Ending::Lingering), Some(Ending::Futile)] {
                assert_eq!(of(class, true, ending, None), in_a_loop, "{class:?} {ending:?}");
                assert_eq!(of(class, false, ending, None), once, "{class:?} {ending:?}");
            }
        }
    }

    #[test]
    fn a_finished_agent_that_exits_with_a_code_has_crashed_unless_we_ended_it() {
        let heard = heard(OutcomeClass::Finished);
        let end = AgentEnd::Exited(143);
        let of = |loops, ending| {
            verdict(Ended {
                loops,
                end: &end,
                ending,
                request: None,
                heard: Some(&heard),
                checks_decide: false,
            })
        };
        assert_eq!([of(true, None), of(false, None)], [Verdict::Crashed, Verdict::Crashed]);
        let kept = [Verdict::Incomplete, Verdict::Complete(Completion::ExitCode)];
        assert_eq!([of(true, Some(Ending::Lingering)), of(false, Some(Ending::Lingering))], kept);
    }

    #[test]
    fn our_own_reason_beats_the_class_and_cancelling_beats_all() {
        let (marker, file) = (marker(), Completion::File);
        for class in OutcomeClass::ALL {
            for loops in [true, false] {
                for why in [Ending::Idle, Ending::Timeout, Ending::RunCost, Ending::CostUnknown] {
                    assert_eq!(of(class, loops, Some(why), None), Verdict::Ended(why));
                }
                for request in [None, Some(&marker), Some(&file)] {
                    let found = of(class, loops, Some(Ending::Cancelled), request);
                    assert_eq!(found, Verdict::Interrupted);
                }
            }
        }
    }
}

//! The verdict on an iteration.

use super::outcome_decision::{OutcomeDecision, decide_outcome};
use crate::event::{
    CompletionSignal, OutcomeClass, ProcessEnd, StopReason, StreamSummary, Verdict,
};

/// What is known of a finished agent.
#[derive(Debug, Clone, Copy)]
pub struct EndedAgent<'a> {
    pub loops: bool,
    /// Whether its markers count: in a loop, and for an agent that runs once and decides about a
    /// round.
    pub counts_markers: bool,
    pub end: &'a ProcessEnd,
    /// Why the machine ended it, if it had not ended by itself.
    pub stop_reason: Option<StopReason>,
    /// Its completion claim, if made before the machine began to end it.
    pub request: Option<&'a CompletionSignal>,
    /// The summary of its stream, if the stream could be parsed.
    pub stream: Option<&'a StreamSummary>,
    /// Whether an exit code of 0 suffices to have the work of a looping step checked.
    pub checks_decide: bool,
}

/// Decides the verdict. A completion claim of an agent in a loop is accepted whatever its exit
/// code, also if the machine had to end the agent afterwards because it did not exit; but not if
/// the run was cancelled, nor if its own stream reports a failure. An agent that runs once needs an
/// exit code of 0 and must end by itself; so does an agent without a claim in a loop whose checks
/// decide.
pub fn verdict(ended: EndedAgent<'_>) -> Verdict {
    let EndedAgent { loops, counts_markers, end, stop_reason, request, checks_decide, .. } = ended;
    let stream_summary = ended.stream;
    let by_exit_code = !counts_markers || (loops && checks_decide);
    // Stream output about its own termination after the claim changes nothing.
    let is_settled = stop_reason == Some(StopReason::Lingering);
    let is_successful = loops || is_settled || (stop_reason.is_none() && end.is_success());
    let request = request.filter(|request| {
        counts_markers && is_successful && (is_settled || counts(request, stream_summary))
    });
    match (stop_reason, request) {
        (Some(StopReason::Cancelled), _) => Verdict::Interrupted,
        (_, Some(request)) => Verdict::Complete(request.clone()),
        (Some(stop_reason), None)
            if stream_summary.is_none() || !is_stream_more_precise(stop_reason) =>
        {
            Verdict::AgentStopped(stop_reason)
        }
        // The machine caused its exit code, so the exit code does not count.
        (Some(_), None) => by_outcome(loops, true, stream_summary, by_exit_code),
        (None, None) => by_outcome(loops, end.is_success(), stream_summary, by_exit_code),
    }
}

/// Whether a claim counts. A marker in a stream that did not end well was not in the last message.
/// A done file counts, whatever the stream reports.
fn counts(request: &CompletionSignal, stream_summary: Option<&StreamSummary>) -> bool {
    let ended_well = stream_summary
        .is_none_or(|stream_summary| stream_summary.outcome.class == OutcomeClass::Finished);
    ended_well || !matches!(request, CompletionSignal::Marker(_))
}

/// Whether the stream is more precise than the stop reason: it was complete when the agent was
/// ended.
const fn is_stream_more_precise(stop_reason: StopReason) -> bool {
    matches!(stop_reason, StopReason::Lingering | StopReason::Futile)
}

fn by_outcome(
    loops: bool,
    success: bool,
    stream_summary: Option<&StreamSummary>,
    by_exit_code: bool,
) -> Verdict {
    let judgement = stream_summary.map_or(OutcomeDecision::ByExitCode, |stream_summary| {
        decide_outcome(stream_summary.outcome.class, stream_summary.activity, loops)
    });
    match judgement {
        OutcomeDecision::ByExitCode if !success => Verdict::Crashed,
        OutcomeDecision::ByExitCode if by_exit_code => {
            Verdict::Complete(CompletionSignal::ExitCode)
        }
        OutcomeDecision::ByExitCode => Verdict::Incomplete,
        OutcomeDecision::Incomplete => Verdict::Incomplete,
        OutcomeDecision::Crashed => Verdict::Crashed,
        OutcomeDecision::Postponed => Verdict::Postponed,
        OutcomeDecision::Blocked => Verdict::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{AgentActivity, AgentOutcome, MarkerMatch};

    #[test]
    fn verdicts() {
        use Verdict::{Complete, Crashed, Incomplete, Interrupted};
        let (zero, one, killed) =
            (ProcessEnd::Exited(0), ProcessEnd::Exited(1), ProcessEnd::Signaled(9));
        let file = CompletionSignal::File;
        let (done, silent) = (Some(&file), None);
        let table = [
            // In a loop the marker decides.
            (true, &zero, None, done, Complete(CompletionSignal::File)),
            (true, &one, None, done, Complete(CompletionSignal::File)),
            (true, &killed, None, done, Complete(CompletionSignal::File)),
            (true, &zero, None, silent, Incomplete),
            (true, &one, None, silent, Crashed),
            (true, &killed, None, silent, Crashed),
            // An agent that was ended succeeds only if the marker came first and the run was not
            // cancelled.
            (true, &zero, Some(StopReason::Lingering), done, Complete(CompletionSignal::File)),
            (true, &killed, Some(StopReason::Idle), done, Complete(CompletionSignal::File)),
            (true, &zero, Some(StopReason::Timeout), done, Complete(CompletionSignal::File)),
            (true, &zero, Some(StopReason::Idle), silent, Verdict::AgentStopped(StopReason::Idle)),
            (true, &zero, Some(StopReason::Skipped), done, Complete(CompletionSignal::File)),
            (
                true,
                &zero,
                Some(StopReason::Skipped),
                silent,
                Verdict::AgentStopped(StopReason::Skipped),
            ),
            (true, &zero, Some(StopReason::Cancelled), done, Interrupted),
            (true, &zero, Some(StopReason::Cancelled), silent, Interrupted),
            // For an agent that runs once the exit code decides, and the marker is ignored.
            (false, &zero, None, silent, Complete(CompletionSignal::ExitCode)),
            (false, &zero, None, done, Complete(CompletionSignal::ExitCode)),
            (false, &one, None, done, Crashed),
            (
                false,
                &zero,
                Some(StopReason::Timeout),
                silent,
                Verdict::AgentStopped(StopReason::Timeout),
            ),
            (
                false,
                &zero,
                Some(StopReason::Skipped),
                silent,
                Verdict::AgentStopped(StopReason::Skipped),
            ),
            (false, &zero, Some(StopReason::Cancelled), silent, Interrupted),
        ];
        for (loops, end, stop_reason, request, expected) in table {
            let found = verdict(EndedAgent {
                loops,
                counts_markers: loops,
                end,
                stop_reason,
                request,
                stream: None,
                checks_decide: false,
            });
            assert_eq!(found, expected, "{loops} {end} {stop_reason:?} {request:?}");
        }
    }

    #[test]
    fn where_checks_decide_only_exit_code_0_is_enough() {
        let (zero, one, killed) =
            (ProcessEnd::Exited(0), ProcessEnd::Exited(1), ProcessEnd::Signaled(9));
        let file = CompletionSignal::File;
        let by_code = Verdict::Complete(CompletionSignal::ExitCode);
        let table = [
            (&zero, None, None, by_code.clone()),
            (&one, None, None, Verdict::Crashed),
            (&killed, None, None, Verdict::Crashed),
            (&one, None, Some(&file), Verdict::Complete(CompletionSignal::File)),
            (&zero, Some(StopReason::Timeout), None, Verdict::AgentStopped(StopReason::Timeout)),
            (
                &zero,
                Some(StopReason::Lingering),
                None,
                Verdict::AgentStopped(StopReason::Lingering),
            ),
            (&zero, Some(StopReason::Cancelled), None, Verdict::Interrupted),
        ];
        for (end, stop_reason, request, expected) in table {
            let ended = EndedAgent {
                loops: true,
                counts_markers: true,
                end,
                stop_reason,
                request,
                stream: None,
                checks_decide: true,
            };
            assert_eq!(verdict(ended), expected, "{end} {stop_reason:?} {request:?}");
        }
        for class in OutcomeClass::ALL {
            let summary = stream_summary(class);
            let of = |checks_decide| {
                verdict(EndedAgent {
                    loops: true,
                    counts_markers: true,
                    end: &zero,
                    stop_reason: None,
                    request: None,
                    stream: Some(&summary),
                    checks_decide,
                })
            };
            let is_finished = class == OutcomeClass::Finished;
            let expected = if is_finished { by_code.clone() } else { of(false) };
            assert_eq!(of(true), expected, "{class:?}: a stream that failed is not checked");
        }
    }

    fn stream_summary(class: OutcomeClass) -> StreamSummary {
        StreamSummary { outcome: AgentOutcome::of(class), activity: AgentActivity::default() }
    }

    fn marker() -> CompletionSignal {
        let marker = "DONE".to_owned();
        CompletionSignal::Marker(MarkerMatch { marker, offset: 0, line: 1, message: Some(1) })
    }

    /// The verdict on an agent that exited with 1, as a failed one does, or with 0.
    fn of(
        class: OutcomeClass,
        loops: bool,
        stop_reason: Option<StopReason>,
        request: Option<&CompletionSignal>,
    ) -> Verdict {
        let end = ProcessEnd::Exited(i32::from(class != OutcomeClass::Finished));
        verdict(EndedAgent {
            loops,
            counts_markers: loops,
            end: &end,
            stop_reason,
            request,
            stream: Some(&stream_summary(class)),
            checks_decide: false,
        })
    }

    #[test]
    fn a_marker_counts_only_in_a_stream_that_ended_well_and_a_file_always() {
        let (marker, file) = (marker(), CompletionSignal::File);
        for class in OutcomeClass::ALL {
            let is_complete =
                of(class, true, None, Some(&marker)) == Verdict::Complete(marker.clone());
            assert_eq!(is_complete, class == OutcomeClass::Finished, "{class:?}");
            let found = of(class, true, None, Some(&file));
            assert_eq!(found, Verdict::Complete(CompletionSignal::File), "{class:?}");
        }
    }

    #[test]
    fn without_a_report_of_its_work_the_class_decides() {
        use Verdict::{Blocked, Complete, Crashed, Incomplete, Postponed};
        let once = Complete(CompletionSignal::ExitCode);
        let table = [
            (OutcomeClass::Finished, Incomplete, once),
            (OutcomeClass::TurnLimit, Incomplete, Blocked),
            (OutcomeClass::UsageLimit, Postponed, Postponed),
            (OutcomeClass::Overloaded, Postponed, Postponed),
            (OutcomeClass::Authentication, Blocked, Blocked),
            (OutcomeClass::Crashed, Crashed, Blocked),
        ];
        for (class, in_a_loop, once) in table {
            for stop_reason in [None, Some(StopReason::Lingering), Some(StopReason::Futile)] {
                assert_eq!(
                    of(class, true, stop_reason, None),
                    in_a_loop,
                    "{class:?} {stop_reason:?}"
                );
                assert_eq!(of(class, false, stop_reason, None), once, "{class:?} {stop_reason:?}");
            }
        }
    }

    #[test]
    fn a_finished_agent_that_exits_with_a_code_has_crashed_unless_we_ended_it() {
        let summary = stream_summary(OutcomeClass::Finished);
        let end = ProcessEnd::Exited(143);
        let of = |loops, stop_reason| {
            verdict(EndedAgent {
                loops,
                counts_markers: loops,
                end: &end,
                stop_reason,
                request: None,
                stream: Some(&summary),
                checks_decide: false,
            })
        };
        assert_eq!([of(true, None), of(false, None)], [Verdict::Crashed, Verdict::Crashed]);
        let kept = [Verdict::Incomplete, Verdict::Complete(CompletionSignal::ExitCode)];
        assert_eq!(
            [of(true, Some(StopReason::Lingering)), of(false, Some(StopReason::Lingering))],
            kept
        );
    }

    #[test]
    fn our_own_reason_beats_the_class_and_cancelling_beats_all() {
        let (marker, file) = (marker(), CompletionSignal::File);
        for class in OutcomeClass::ALL {
            for loops in [true, false] {
                for why in [
                    StopReason::Idle,
                    StopReason::Timeout,
                    StopReason::RunCost,
                    StopReason::CostUnknown,
                ] {
                    assert_eq!(of(class, loops, Some(why), None), Verdict::AgentStopped(why));
                }
                for request in [None, Some(&marker), Some(&file)] {
                    let found = of(class, loops, Some(StopReason::Cancelled), request);
                    assert_eq!(found, Verdict::Interrupted);
                }
            }
        }
    }
}

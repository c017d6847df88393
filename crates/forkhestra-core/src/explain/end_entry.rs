//! The table of the ends of steps and runs.

use super::end_facts::EndFacts;
use super::outcome_entry::OutcomeEntry;
use super::raised_limit::RaisedLimit;
use super::remedy::{self, Remedy};
use super::stop_reason_entry::StopReasonEntry;
use super::{iteration, provider, refusal};
use crate::config::NotifyTrigger;
use crate::event::{
    AgentOutcome, CancelCause, ClaimRefusal, ProcessEnd, RunEnd, StepEnd, StopReason,
    WorkTreeFingerprints,
};
use crate::history::ExecutionStatus;
use crate::hook::HookPoint;
use crate::policy::calibration::is_green_at_start;
use crate::policy::is_no_such_task;
use crate::text;

const NOTHING_TO_CLAIM: &str = "no task can be claimed";
const ON_FAILURE: &[HookPoint] = &[HookPoint::OnFailure];
const ON_LIMIT: &[HookPoint] = &[HookPoint::OnLimit, HookPoint::OnFailure];
const ON_STAGNATION: &[HookPoint] = &[HookPoint::OnStagnation];

/// All texts and consequences of the end of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndEntry {
    /// The reason as one word, for events and summaries.
    pub code: &'static str,
    pub status: ExecutionStatus,
    /// The notification trigger if the run ends by it.
    pub notice: NotifyTrigger,
    /// The hooks that run if the run ends by it, in this order.
    pub hooks: &'static [HookPoint],
    /// What ended the step, after the name of its agent: `not complete after 3 iterations`.
    pub sentence: String,
    /// The sentence without what the last line of the step already tells.
    pub brief: String,
    /// The details beyond the code.
    pub cause: Option<String>,
    pub remedy: Option<Remedy>,
    /// The limit that has to be raised to go on.
    pub raises: Option<RaisedLimit>,
}

impl EndEntry {
    /// The row of the table. A new end of a step is added here.
    pub fn of(end: &StepEnd, facts: &EndFacts<'_>) -> Self {
        use NotifyTrigger::{Attention, Failure, Limit};
        let row = |status, notice, hooks| Self::new(end, status, notice, hooks);
        match end {
            StepEnd::Complete(_) => row(ExecutionStatus::Complete, Failure, ON_FAILURE),
            StepEnd::Skipped => row(ExecutionStatus::Skipped, Failure, ON_FAILURE),
            StepEnd::Cancelled => row(ExecutionStatus::Interrupted, Failure, ON_FAILURE),
            StepEnd::NotNeeded => row(ExecutionStatus::NotNeeded, Failure, ON_FAILURE)
                .cause("its condition does not hold"),
            StepEnd::MaxRounds(rounds) => row(ExecutionStatus::MaxRounds, Limit, ON_FAILURE)
                .sentence(format!("not accepted after {}", text::count(*rounds, "round")))
                .raises(RaisedLimit::Rounds),
            StepEnd::NotAccepted => row(ExecutionStatus::NotAccepted, Failure, ON_FAILURE)
                .cause("it did not accept the round"),
            StepEnd::Denied => row(ExecutionStatus::Denied, Attention, ON_FAILURE)
                .cause("it was not approved")
                .remedy(Some(Remedy::resume(
                    "resume to ask again; with `--approve`, resuming approves it",
                ))),
            StepEnd::NotLanded(why) => row(ExecutionStatus::Failed, Attention, ON_FAILURE)
                .cause(format!("its work has not landed in the work tree: {why}"))
                .remedy(Some(Remedy::resume(
                    "nothing is lost: remove the cause, then resume; landed work is not done again",
                ))),
            StepEnd::NoLane(why) => row(ExecutionStatus::Failed, Attention, ON_FAILURE)
                .cause(format!("its lanes could not be made: {why}"))
                .remedy(Some(Remedy::resume(
                    "lanes are clones of the repository, and need git and room on the disk; remove \
                     the cause, then resume",
                ))),
            StepEnd::MaxIterations => row(ExecutionStatus::MaxIterations, Limit, ON_FAILURE)
                .sentence(format!(
                    "not complete after {}",
                    text::count(facts.iterations, "iteration")
                ))
                .remedy(
                    refusal::repeated_refusal_remedy(facts)
                        .or_else(|| remedy::last_iteration_remedy(end, facts)),
                )
                .raises(RaisedLimit::Iterations),
            StepEnd::Failed(agent @ ProcessEnd::NotStarted { reason, .. }) => {
                row(ExecutionStatus::Failed, Failure, ON_FAILURE)
                    .cause(agent.to_string())
                    .sentence(format!("could not be started: {reason}"))
                    .remedy(remedy::unreadable(reason, facts))
            }
            StepEnd::Failed(agent) => row(ExecutionStatus::Failed, Failure, ON_FAILURE)
                .cause(agent.to_string())
                .sentence(format!("failed ({agent})")),
            StepEnd::Stagnated(iterations) => {
                let same = facts
                    .last
                    .and_then(|last| last.observation.signals.as_ref())
                    .map(fingerprint_names);
                let same = same.map(|same| format!(": {same}")).unwrap_or_default();
                let brief =
                    format!("nothing has changed for {}", text::count(*iterations, "iteration"));
                row(ExecutionStatus::Stagnated, Failure, ON_STAGNATION)
                    .cause(format!("{brief}{same}"))
                    .brief(brief)
                    .remedy(
                        refusal::repeated_refusal_remedy(facts)
                            .or_else(|| Some(remedy::stagnated(*iterations, facts))),
                    )
            }
            StepEnd::Cycling(_) if facts.step_end.is_some_and(|own| own != end) => {
                row(ExecutionStatus::Stagnated, Failure, ON_STAGNATION)
                    .cause("its last round changed nothing")
                    .remedy(Some(remedy::cycling_rounds(facts)))
            }
            StepEnd::Cycling(iterations) => {
                let cause = match iterations {
                    1 => "the work tree returned to the state of an earlier iteration".to_owned(),
                    more => {
                        let more = text::count(*more, "iteration");
                        format!("for {more} the work tree only returned to earlier states")
                    }
                };
                row(ExecutionStatus::Stagnated, Failure, ON_STAGNATION).cause(cause).remedy(
                    refusal::repeated_refusal_remedy(facts)
                        .or_else(|| Some(remedy::cycling(facts))),
                )
            }
            StepEnd::AgentStopped(why) => {
                let stop_reason = StopReasonEntry::of(*why);
                row(stop_reason.status, stop_reason.notice, ON_FAILURE)
                    .cause(format!("stopped by forkhestra: {}", stop_reason.brief))
                    .remedy(remedy::last_iteration_remedy(end, facts))
            }
            StepEnd::StepTime => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::StepTime).brief)
                .raises(RaisedLimit::StepTime),
            StepEnd::GroupTime => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::GroupTime).brief)
                .raises(RaisedLimit::GroupTime),
            StepEnd::GroupCost => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::GroupCost).brief)
                .raises(RaisedLimit::GroupCost),
            StepEnd::RunTime => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::RunTime).brief)
                .raises(RaisedLimit::RunTime),
            StepEnd::StepCost => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::StepCost).brief)
                .raises(RaisedLimit::StepCost),
            StepEnd::RunCost => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::RunCost).brief)
                .raises(RaisedLimit::RunCost),
            StepEnd::CostUnknown => row(ExecutionStatus::Limited, Attention, ON_LIMIT)
                .cause(StopReasonEntry::of(StopReason::CostUnknown).brief)
                .remedy(Some(remedy::cost_unknown(facts)))
                .raises(RaisedLimit::UnknownCost),
            StepEnd::Blocked(why) => {
                let outcome = OutcomeEntry::of(why, facts);
                let is_over = provider::wait_is_over(why, facts);
                let silent = AgentOutcome { message: None, ..why.clone() };
                let brief = provider::wait_is_over(&silent, facts);
                let hooks = if why.class.is_waited_for() { ON_LIMIT } else { ON_FAILURE };
                let raises = why.class.is_waited_for().then_some(RaisedLimit::MaxWait);
                let entry = row(outcome.status, outcome.notice, hooks)
                    .cause(is_over.unwrap_or_else(|| iteration::outcome(why)))
                    .brief(brief.unwrap_or_else(|| outcome.brief.to_owned()))
                    .remedy(outcome.remedy);
                Self { raises, ..entry }
            }
            StepEnd::Quota(exceeded) => row(ExecutionStatus::Limited, Limit, ON_LIMIT)
                .cause(provider::quota_text(exceeded, facts))
                .brief(exceeded.to_string())
                .remedy(Some(remedy::quota(exceeded, facts)))
                .raises(RaisedLimit::Quota),
            StepEnd::Refused(why) => {
                let notice = if *why == ClaimRefusal::ProtectedFiles { Attention } else { Failure };
                row(ExecutionStatus::Failed, notice, ON_FAILURE)
                    .cause(refusal(*why, facts.last))
                    .remedy(Some(refusal::remedy(*why, facts)))
            }
            StepEnd::HookFailed(command) => row(ExecutionStatus::Failed, Attention, ON_FAILURE)
                .cause(format!("the hook `{command}` failed"))
                .remedy(Some(remedy::hook_failed(command))),
            StepEnd::CannotCheck(why) if is_green_at_start(why) => {
                row(ExecutionStatus::Failed, Attention, ON_FAILURE).cause(why.clone()).remedy(Some(
                    Remedy::resume(
                        "change the check so that it fails until the work is done, then resume; \
                         or remove `mustFailFirst` and start a new run",
                    ),
                ))
            }
            // The text names the condition.
            StepEnd::CannotCheck(why) if !facts.has_begun => {
                row(ExecutionStatus::Failed, Attention, ON_FAILURE).cause(why.clone()).remedy(Some(
                    Remedy::resume("fix the cause, then resume: the condition is checked again"),
                ))
            }
            StepEnd::CannotCheck(why) => row(ExecutionStatus::Failed, Attention, ON_FAILURE)
                .cause(format!("the agent's work cannot be checked: {why}"))
                .remedy(Some(Remedy::resume(
                    "fix the cause, then resume: only the checks run again",
                ))),
            StepEnd::TasksBlocked(why) => {
                let remedy = if is_no_such_task(why) {
                    Remedy::new_run("name a task that exists (`forge-tasks list` shows them)")
                } else {
                    Remedy::resume(
                        "see what they wait for (`forge-tasks view ID`), and free them \
                         (`forge-tasks edit ID --status \"To Do\"`), then resume; \
                         a new run takes the tasks as they are",
                    )
                };
                row(ExecutionStatus::Failed, Attention, ON_FAILURE)
                    .cause(format!("{NOTHING_TO_CLAIM}: {why}"))
                    .brief(NOTHING_TO_CLAIM)
                    .remedy(Some(remedy))
            }
            StepEnd::NoTasks => row(ExecutionStatus::Failed, Attention, ON_FAILURE)
                .cause("there are no tasks")
                .remedy(Some(remedy::no_tasks(facts))),
        }
    }

    /// The row of a step without further facts: for its code, status, notice and hooks.
    pub fn without_facts(end: &StepEnd) -> Self {
        Self::of(end, &EndFacts::UNKNOWN)
    }

    /// The row with all texts passed through `show`.
    #[must_use]
    pub fn shown(self, show: impl Fn(&str) -> String) -> Self {
        Self {
            sentence: show(&self.sentence),
            brief: show(&self.brief),
            cause: self.cause.as_deref().map(&show),
            remedy: self.remedy.map(|remedy| remedy.shown(&show)),
            ..self
        }
    }

    fn new(
        end: &StepEnd,
        status: ExecutionStatus,
        notice: NotifyTrigger,
        hooks: &'static [HookPoint],
    ) -> Self {
        let code = end.as_str();
        let (sentence, brief) = (code.to_owned(), code.to_owned());
        Self {
            code,
            status,
            notice,
            hooks,
            sentence,
            brief,
            cause: None,
            remedy: None,
            raises: None,
        }
    }

    /// Sets the cause, and the sentences that consist of it.
    fn cause(self, cause: impl Into<String>) -> Self {
        let cause = cause.into();
        Self { cause: Some(cause.clone()), ..self.sentence(cause) }
    }

    fn sentence(self, sentence: String) -> Self {
        Self { brief: sentence.clone(), sentence, ..self }
    }

    fn brief(self, brief: impl Into<String>) -> Self {
        Self { brief: brief.into(), ..self }
    }

    fn remedy(self, remedy: Option<Remedy>) -> Self {
        Self { remedy, ..self }
    }

    fn raises(self, limit: RaisedLimit) -> Self {
        Self { raises: Some(limit), ..self }
    }
}

/// Whether people read `incomplete` instead of `failed` for the end with this code: no agent
/// failed, and the tasks that are left wait for a person.
pub fn is_incomplete(code: &str) -> bool {
    code == StepEnd::TASKS_BLOCKED
}

/// The end of a step in words. All that it needs to know of the run is how many iterations the step
/// had.
pub fn end_text(end: &StepEnd, iterations: u32) -> String {
    EndEntry::of(end, &EndFacts { iterations, ..EndFacts::UNKNOWN }).brief
}

/// What cancelled a run, in words.
pub const fn cancel(by: CancelCause) -> &'static str {
    match by {
        CancelCause::Stop => "`forkhestra stop`",
        CancelCause::StopNow => "`forkhestra stop --now`",
        CancelCause::OutputClosed => "the output is closed",
        CancelCause::Hangup => "SIGHUP",
        CancelCause::Interrupt => "SIGINT",
        CancelCause::Terminate => "SIGTERM",
        CancelCause::GuardLost => "the process that watches over the run was killed",
    }
}

/// The notification trigger for a cancelled run; none if a person did it and knows already.
pub const fn cancel_notice(by: CancelCause) -> Option<NotifyTrigger> {
    match by {
        CancelCause::Interrupt | CancelCause::Stop | CancelCause::StopNow => None,
        CancelCause::OutputClosed
        | CancelCause::Hangup
        | CancelCause::Terminate
        | CancelCause::GuardLost => Some(NotifyTrigger::Attention),
    }
}

/// The hooks that run at the end of a run, in this order.
pub fn hook_points(end: &RunEnd) -> &'static [HookPoint] {
    match end {
        RunEnd::Complete => &[HookPoint::OnComplete],
        RunEnd::Interrupted(_) => &[HookPoint::OnInterrupt],
        RunEnd::Incomplete { end, .. } => EndEntry::without_facts(end).hooks,
    }
}

/// The recorded fingerprints of a work tree, in words. All of them were equal if nothing has
/// changed.
fn fingerprint_names(signals: &WorkTreeFingerprints) -> String {
    let head = signals.head.as_ref().map(|_| "HEAD");
    let tasks = signals.tasks.as_ref().map(|_| "task files");
    let names: Vec<&str> = head.into_iter().chain(["index", "work tree"]).chain(tasks).collect();
    text::join_with_and(&names)
}

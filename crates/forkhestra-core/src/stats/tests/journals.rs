//! Twenty journals with known sums.

use std::time::Duration;

use super::journal_script::{Attempt, JournalScript, cents};
use crate::event::{
    AuxJob, CancelCause, ClaimRefusal, CompletionSignal, Event, EventKind, HookMoment, HookReport,
    RunEnd, StepEnd, StopReason, TaskChangeKind, Verdict, WaitCause,
};
use crate::history::Liveness;
use crate::hook::HookPoint;
use crate::id::UnitId;

use TaskChangeKind::{Blocked, Claimed, Finished, Released};

const BUILDER: &str = "builder:9";
const SONNET: Option<&str> = Some("sonnet");

pub(super) fn complete() -> Verdict {
    Verdict::Complete(CompletionSignal::File)
}

fn done() -> StepEnd {
    StepEnd::Complete(CompletionSignal::File)
}

/// The run of this number. The first ten begin on the first day, the others on the second.
fn builder(number: u64) -> JournalScript {
    let day = if number <= 10 { 1 } else { 2 };
    let started = format!("2026-11-0{day}T0{}:00:00Z", number % 10);
    JournalScript::begin(number, &started, BUILDER, SONNET)
}

fn reviewer(number: u64) -> JournalScript {
    let started = format!("2026-11-02T0{}:00:00Z", number % 10);
    JournalScript::begin(number, &started, "reviewer:9", Some("opus"))
}

fn one(script: JournalScript, attempt: &Attempt, end: StepEnd) -> Vec<Event> {
    script.attempt(attempt).end(end)
}

/// All journals, each with whether its process is alive.
pub(super) fn journals() -> Vec<(Vec<Event>, Liveness)> {
    let mut all: Vec<(Vec<Event>, Liveness)> = Vec::new();
    let over = [first_five(), next_three(), last_ones()].concat();
    all.extend(over.into_iter().map(|events| (events, Liveness::Gone)));
    all.push((running(), Liveness::Alive));
    all.push((killed(), Liveness::Gone));
    all
}

fn first_five() -> Vec<Vec<Event>> {
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let mut claims = Attempt::of(1, Verdict::Incomplete, 50).tree("a").task("TASK-2", Claimed);
    claims.in_progress = vec!["TASK-2"];
    let stopped = Verdict::AgentStopped(StopReason::Timeout);
    vec![
        one(builder(1), &Attempt::of(1, complete(), 100).task("TASK-1", Finished), done()),
        builder(2)
            .attempt(&claims)
            .attempt(&Attempt::of(2, complete(), 70).task("TASK-2", Finished))
            .end(done()),
        builder(3)
            .attempt(
                &Attempt::of(1, refused, 30).tree("a").check(false, 10).task("TASK-3", Finished),
            )
            .attempt(&Attempt::of(2, complete(), 20).tree("b").check(true, 20))
            .end(done()),
        builder(4)
            .attempt(&Attempt::of(1, Verdict::Incomplete, 15).tree("begin"))
            .attempt(&Attempt::of(2, Verdict::Incomplete, 15).tree("begin"))
            .end(StepEnd::Stagnated(2)),
        one(builder(5), &Attempt::of(1, stopped, 40).tree("a"), StepEnd::MaxIterations),
    ]
}

fn next_three() -> Vec<Vec<Event>> {
    let mut waits = builder(6).attempt(
        &Attempt::of(1, Verdict::Postponed, 5).task("TASK-4", Claimed).task("TASK-4", Released),
    );
    let until = waits.events[0].at.saturating_add(Duration::from_secs(660));
    waits.push(EventKind::Waiting { step: 1, why: WaitCause::UsageLimit, until });
    waits.pass(600);
    let second = Attempt { attempt: 2, ..Attempt::of(1, complete(), 25) };
    let waits = waits.attempt(&second.task("TASK-4", Finished)).end(done());

    let mut crashes = builder(7).attempt(&Attempt::of(1, Verdict::Crashed, 10));
    crashes.push(EventKind::BackingOff { step: 1, crashes: 1, delay: Duration::from_secs(2) });
    crashes.pass(2);
    let crashes = crashes.attempt(&Attempt::of(2, complete(), 12)).end(done());

    let mut cancelled = builder(8).attempt(&Attempt::of(1, Verdict::Interrupted, 8));
    cancelled.push(EventKind::StepFinished { step: 1, end: StepEnd::Cancelled });
    let end = RunEnd::Interrupted(CancelCause::Interrupt);
    cancelled.push(EventKind::RunFinished { end });
    vec![waits, crashes, cancelled.events]
}

/// An agent is at work.
fn running() -> Vec<Event> {
    spending(builder(9).attempt(&Attempt::of(1, Verdict::Incomplete, 33).tree("a")), 2, 11)
}

/// The process was killed while the agent was at work.
fn killed() -> Vec<Event> {
    spending(builder(10), 1, 9)
}

fn spending(mut script: JournalScript, iteration: u32, number: u64) -> Vec<Event> {
    let unit = UnitId { step: 1, iteration, attempt: 1 };
    script.push(EventKind::IterationStarted { unit, fallback: None });
    script.pass(10);
    script.push(EventKind::Spent { unit, spend: cents(number, false) });
    script.events
}

fn last_ones() -> Vec<Vec<Event>> {
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let unpriced = Attempt { unpriced: true, ..Attempt::of(1, complete(), 17) };
    let free = Attempt { cents: None, ..Attempt::of(1, complete(), 0) };
    let script = JournalScript::begin(14, "2026-11-02T04:00:00Z", "script", None);
    let other = JournalScript::begin_in("/other", 20, "2026-11-02T09:30:00Z", BUILDER, SONNET);
    vec![
        one(reviewer(11), &Attempt::of(1, complete(), 200).task("TASK-5", Finished), done()),
        builder(12)
            .attempt(&Attempt::of(1, refused, 10).tree("x").check(false, 30))
            .attempt(&Attempt::of(2, complete(), 10).tree("x").check(true, 40))
            .end(done()),
        one(builder(13), &unpriced.task("TASK-6", Finished), done()),
        one(script, &free, done()),
        one(
            builder(15),
            &Attempt::of(1, complete(), 101).task("TASK-7", Finished).task("TASK-8", Finished),
            done(),
        ),
        one(
            builder(16),
            &Attempt::of(1, Verdict::Incomplete, 60)
                .tree("a")
                .task("TASK-9", Claimed)
                .task("TASK-9", Released),
            StepEnd::MaxIterations,
        ),
        one(reviewer(17), &Attempt::of(1, complete(), 40).task("TASK-9", Finished), done()),
        paused(),
        one(
            builder(19),
            &Attempt::of(1, Verdict::Incomplete, 13).tree("a").task("TASK-10", Blocked),
            StepEnd::MaxIterations,
        ),
        one(other, &Attempt::of(1, complete(), 3).task("TASK-1", Finished), done()),
    ]
}

/// A hook of 5 seconds and a pause of 30.
fn paused() -> Vec<Event> {
    let mut script = builder(18).attempt(&Attempt::of(1, complete(), 1));
    let unit = Some(UnitId { step: 1, iteration: 1, attempt: 1 });
    let moment = HookMoment { point: HookPoint::PostIteration, unit };
    script.push(EventKind::AuxJobStarted { aux_job: AuxJob::Hook { moment, number: 1 }, pid: 8 });
    script.pass(5);
    let duration = Duration::from_secs(5);
    let report = HookReport { moment, number: 1, failure: None, duration };
    script.push(EventKind::HookFinished { report });
    script.push(EventKind::Paused);
    script.sleep(30);
    script.push(EventKind::Continued);
    script.end(done())
}

//! Any event.

use std::time::Duration;

use forkhestra_core::count::Count;
use forkhestra_core::event::{
    AgentEnd, Cancel, Completion, Ending, Event, EventKind, Fingerprint, IterationReport,
    LimitChanges, OutputSummary, RunEnd, Sight, Sighting, Stamp, StepEnd, Verdict,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::time::Timestamp;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use crate::samples::{cancels, plan};
use crate::temporary::run_id;

pub(crate) fn event() -> impl Strategy<Value = Event> {
    // From the year 1 to the year 9999.
    let moment = -62_135_596_800_000..=253_402_207_199_999i64;
    (moment, duration(), kind()).prop_map(|(milliseconds, elapsed, kind)| Event {
        at: Timestamp::from_milliseconds(milliseconds),
        elapsed,
        kind,
    })
}

fn duration() -> impl Strategy<Value = Duration> {
    any::<u64>().prop_map(Duration::from_millis)
}

fn kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![run_kind(), unit_kind(), step_kind(), other_kind()]
}

fn run_kind() -> impl Strategy<Value = EventKind> {
    let run_end = prop_oneof![
        Just(RunEnd::Complete),
        (1usize.., step_end()).prop_map(|(step, end)| RunEnd::Incomplete { step, end }),
        cancel().prop_map(RunEnd::Interrupted),
    ];
    prop_oneof![
        (any::<u64>(), ".*").prop_map(|(bits, program)| EventKind::RunStarted {
            run: run_id(bits),
            plan: Box::new(plan()),
            program,
        }),
        (any::<u64>(), changes(), of(".*"), ".*").prop_map(|(bits, changes, moved_to, program)| {
            EventKind::RunResumed { run: run_id(bits), changes, moved_to, program }
        }),
        run_end.prop_map(|end| EventKind::RunFinished { end }),
    ]
}

fn unit_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        unit().prop_map(|unit| EventKind::IterationStarted { unit }),
        (unit(), any::<u32>(), of("[0-9a-f]{32}".prop_map(Fingerprint)))
            .prop_map(|(unit, pid, prompt)| EventKind::AgentStarted { unit, pid, prompt }),
        (unit(), completion()).prop_map(|(unit, by)| EventKind::CompletionRequested { unit, by }),
        (unit(), ending()).prop_map(|(unit, why)| EventKind::AgentEnding { unit, why }),
        (unit(), report()).prop_map(|(unit, report)| EventKind::IterationFinished { unit, report }),
    ]
}

fn step_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        (1usize.., sight()).prop_map(|(step, sight)| EventKind::StepStarted { step, sight }),
        (1usize.., step_end()).prop_map(|(step, end)| EventKind::StepFinished { step, end }),
        (1usize.., any::<u32>(), duration())
            .prop_map(|(step, crashes, delay)| { EventKind::BackingOff { step, crashes, delay } }),
    ]
}

fn other_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        cancel().prop_map(|by| EventKind::Cancelled { by }),
        Just(EventKind::Paused),
        Just(EventKind::Continued),
        duration().prop_map(|duration| EventKind::MachineSlept { duration }),
        any::<String>().prop_map(|message| EventKind::Warning { message }),
    ]
}

fn unit() -> impl Strategy<Value = UnitId> {
    (1usize.., 1u32.., 1u32..).prop_map(|(step, iteration, attempt)| UnitId {
        step,
        iteration,
        attempt,
    })
}

fn cancel() -> impl Strategy<Value = Cancel> {
    select(cancels().to_vec())
}

fn ending() -> impl Strategy<Value = Ending> {
    select(vec![
        Ending::Lingering,
        Ending::Idle,
        Ending::Timeout,
        Ending::StepTime,
        Ending::RunTime,
        Ending::Cancelled,
    ])
}

fn completion() -> impl Strategy<Value = Completion> {
    let sighting = (any::<String>(), any::<u64>(), any::<u64>())
        .prop_map(|(marker, offset, line)| Sighting { marker, offset, line });
    prop_oneof![
        sighting.prop_map(Completion::Marker),
        Just(Completion::File),
        Just(Completion::ExitCode)
    ]
}

fn agent_end() -> impl Strategy<Value = AgentEnd> {
    prop_oneof![
        any::<i32>().prop_map(AgentEnd::Exited),
        any::<i32>().prop_map(AgentEnd::Signaled),
        (any::<String>(), any::<bool>())
            .prop_map(|(reason, transient)| AgentEnd::NotStarted { reason, transient }),
    ]
}

fn step_end() -> impl Strategy<Value = StepEnd> {
    prop_oneof![
        completion().prop_map(StepEnd::Complete),
        agent_end().prop_map(StepEnd::Failed),
        any::<u32>().prop_map(StepEnd::Stagnated),
        any::<u32>().prop_map(StepEnd::Cycling),
        ending().prop_map(StepEnd::Ended),
        select(vec![
            StepEnd::MaxIterations,
            StepEnd::StepTime,
            StepEnd::RunTime,
            StepEnd::Cancelled
        ]),
    ]
}

fn report() -> impl Strategy<Value = IterationReport> {
    let verdict = prop_oneof![
        completion().prop_map(Verdict::Complete),
        ending().prop_map(Verdict::Ended),
        select(vec![Verdict::Incomplete, Verdict::Crashed, Verdict::Interrupted]),
    ];
    let output =
        (any::<u64>(), any::<u64>()).prop_map(|(stdout, stderr)| OutputSummary { stdout, stderr });
    (verdict, of(agent_end()), duration(), sight(), output).prop_map(
        |(verdict, end, duration, sight, output)| IterationReport {
            verdict,
            end,
            duration,
            sight,
            output,
        },
    )
}

fn sight() -> impl Strategy<Value = Sight> {
    (of(any::<String>()), of(any::<String>())).prop_map(|(stamp, fingerprint)| Sight {
        done_file: stamp.map(Stamp),
        tree: fingerprint.map(Fingerprint),
    })
}

fn changes() -> impl Strategy<Value = LimitChanges> {
    let count = || (1..=u32::MAX).prop_map(|n| Count::parse(&n.to_string()).expect("a count"));
    let limited = || of((1..1u64 << 40).prop_map(Time::from_secs));
    let time = || of(limited().prop_map(|limit| limit.map_or(Limit::Off, Limit::At)));
    let stagnation = of(of(count()).prop_map(|limit| limit.map_or(Limit::Off, Limit::At)));
    (of(count()), time(), time(), stagnation, time(), time()).prop_map(
        |(iterations, timeout, idle_timeout, stagnation, run_time, step_time)| LimitChanges {
            iterations,
            timeout,
            idle_timeout,
            stagnation,
            run_time,
            step_time,
        },
    )
}

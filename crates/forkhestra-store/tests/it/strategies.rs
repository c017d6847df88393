//! Strategies that generate arbitrary events.

mod checks;
mod flows;
mod lanes;

use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::event::{
    AgentActivity, AgentOutcome, CancelCause, CompletionSignal, Event, EventKind, FallbackReason,
    FallbackUse, Fingerprint, IterationReport, LimitChanges, MarkerMatch, OperatorMessage,
    OutcomeClass, OutputSummary, ProcessEnd, RunEnd, StepEnd, StopReason, StreamSummary, Verdict,
    WaitCause,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{HumanDuration, Limit, Usd};
use forkhestra_core::quota::{ExceededQuota, QuotaLimits, QuotaThreshold, QuotaWindow};
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use crate::samples::checks::{REFUSALS, checking_plan};
use crate::samples::{self, cancels, forks, plan, steering};
use crate::temporary_dir::run_id;

pub(crate) fn event() -> impl Strategy<Value = Event> {
    (timestamp(), duration(), kind(), of(lanes::lane()))
        .prop_map(|(at, elapsed, kind, lane)| Event::new(at, elapsed, kind).in_lane(lane))
}

fn timestamp() -> impl Strategy<Value = Timestamp> {
    // From the year 1 to the year 9999.
    let milliseconds = -62_135_596_800_000..=253_402_207_199_999i64;
    milliseconds.prop_map(Timestamp::from_milliseconds)
}

fn class() -> impl Strategy<Value = OutcomeClass> {
    select(OutcomeClass::ALL.to_vec())
}

prop_compose! {
    fn outcome()(class in class(), message in of(any::<String>()), resets in of(timestamp())) -> AgentOutcome {
        AgentOutcome { class, message, resets }
    }
}

prop_compose! {
    fn stream_summary()(
        outcome in outcome(),
        (turns, tool_calls, denials, retries) in any::<(u32, u32, u32, u32)>(),
    ) -> StreamSummary {
        StreamSummary { outcome, activity: AgentActivity { turns, tool_calls, denials, retries } }
    }
}

prop_compose! {
    fn spend()(
        (input, output, cache_read) in any::<(u64, u64, u64)>(),
        (cache_write, cache_write_1h, nanos) in any::<(u64, u64, u64)>(),
        unpriced in any::<bool>(),
    ) -> Spend {
        let tokens = TokenCounts { input, output, cache_read, cache_write, cache_write_1h };
        Spend { tokens, dollars: Dollars::from_nanos(nanos), unpriced }
    }
}

fn duration() -> impl Strategy<Value = Duration> {
    any::<u64>().prop_map(Duration::from_millis)
}

fn kind() -> impl Strategy<Value = EventKind> {
    // Boxed, since the whole is too large for the stack of a test.
    prop_oneof![
        run_kind().boxed(),
        unit_kind().boxed(),
        step_kind().boxed(),
        checks::kind().boxed(),
        steered_kind().boxed(),
        flows::kind().boxed(),
        lanes::kind().boxed(),
        other_kind().boxed()
    ]
}

fn run_kind() -> impl Strategy<Value = EventKind> {
    let run_end = prop_oneof![
        Just(RunEnd::Complete),
        (1usize.., step_end()).prop_map(|(step, end)| RunEnd::Incomplete { step, end }),
        cancel().prop_map(RunEnd::Interrupted),
    ];
    prop_oneof![
        (any::<u64>(), any::<bool>(), ".*").prop_map(|(bits, checks, program)| {
            let plan = match bits % 4 {
                0 => plan(),
                1 => checking_plan(),
                2 => samples::flows::flow_plan(),
                _ => samples::lanes::lane_plan(),
            };
            let plan = Box::new(plan);
            let (origin, inherited) = (checks.then(forks::origin), forks::inherited());
            EventKind::RunStarted { run: run_id(bits), plan, program, origin, inherited }
        }),
        (any::<u64>(), changes().boxed(), of(".*"), ".*").prop_map(
            |(bits, changes, moved_to, program)| {
                EventKind::RunResumed {
                    run: run_id(bits),
                    program,
                    changes,
                    moved_to,
                    sandboxes: None,
                }
            }
        ),
        run_end.prop_map(|end| EventKind::RunFinished { end }),
    ]
}

fn unit_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        (unit(), of(fallback_use()))
            .prop_map(|(unit, fallback)| EventKind::IterationStarted { unit, fallback }),
        (unit(), any::<u32>(), of("[0-9a-f]{32}".prop_map(Fingerprint)))
            .prop_map(|(unit, pid, prompt)| EventKind::AgentStarted { unit, pid, prompt }),
        (unit(), completion()).prop_map(|(unit, by)| EventKind::CompletionRequested { unit, by }),
        (unit(), spend()).prop_map(|(unit, spend)| EventKind::Spent { unit, spend }),
        (unit(), quota(), timestamp()).prop_map(|(unit, (backend, window, used), resets)| {
            EventKind::Quota { unit, backend, window, used, resets }
        }),
        (unit(), ending()).prop_map(|(unit, why)| EventKind::AgentEnding { unit, why }),
        (unit(), report().boxed())
            .prop_map(|(unit, report)| EventKind::IterationFinished { unit, report }),
    ]
}

fn step_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        (1usize.., checks::observation(), of(1usize..)).prop_map(
            |(step, observation, instead_of)| EventKind::StepStarted {
                instead_of,
                step,
                observation
            }
        ),
        (1usize.., step_end()).prop_map(|(step, end)| EventKind::StepFinished { step, end }),
        (1usize.., any::<u32>(), duration())
            .prop_map(|(step, crashes, delay)| { EventKind::BackingOff { step, crashes, delay } }),
        (1usize.., select(&WaitCause::ALL[..]), timestamp())
            .prop_map(|(step, why, until)| EventKind::Waiting { step, why, until }),
    ]
}

fn steered_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        Just(EventKind::StopRequested),
        (1usize.., of(1usize..)).prop_map(|(step, group)| EventKind::SkipRequested { group, step }),
        (any::<u32>(), any::<String>()).prop_map(|(number, text)| EventKind::MessageQueued {
            message: OperatorMessage { number, text, lane: None }
        }),
        (unit(), vec(any::<u32>(), 0..4))
            .prop_map(|(unit, messages)| EventKind::MessagesGiven { unit, messages }),
        changes().boxed().prop_map(|changes| EventKind::LimitsChanged { changes }),
    ]
}

fn other_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        cancel().prop_map(|by| EventKind::Cancelled { by }),
        Just(EventKind::Paused),
        Just(EventKind::Continued),
        duration().prop_map(|duration| EventKind::MachineSlept { duration }),
        (1..4_usize).prop_map(|step| EventKind::Calibrated { step, checks: Vec::new() }),
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

fn quota() -> impl Strategy<Value = (Backend, QuotaWindow, u16)> {
    (select(&Backend::ALL[..]), select(&QuotaWindow::ALL[..]), any::<u16>())
}

fn cancel() -> impl Strategy<Value = CancelCause> {
    select([&cancels()[..], &steering::cancels()].concat())
}

fn ending() -> impl Strategy<Value = StopReason> {
    select(vec![
        StopReason::Lingering,
        StopReason::Idle,
        StopReason::Futile,
        StopReason::Timeout,
        StopReason::StepTime,
        StopReason::RunTime,
        StopReason::StepCost,
        StopReason::RunCost,
        StopReason::CostUnknown,
        StopReason::Skipped,
        StopReason::Cancelled,
    ])
}

fn completion() -> impl Strategy<Value = CompletionSignal> {
    let marker_match = (any::<String>(), any::<u64>(), any::<u64>(), of(any::<u32>()))
        .prop_map(|(marker, offset, line, message)| MarkerMatch { marker, offset, line, message });
    prop_oneof![
        marker_match.prop_map(CompletionSignal::Marker),
        Just(CompletionSignal::File),
        Just(CompletionSignal::ExitCode),
        Just(CompletionSignal::Tasks),
        Just(CompletionSignal::Approved),
    ]
}

fn agent_end() -> impl Strategy<Value = ProcessEnd> {
    prop_oneof![
        any::<i32>().prop_map(ProcessEnd::Exited),
        any::<i32>().prop_map(ProcessEnd::Signaled),
        (any::<String>(), any::<bool>())
            .prop_map(|(reason, transient)| ProcessEnd::NotStarted { reason, transient }),
    ]
}

fn step_end() -> impl Strategy<Value = StepEnd> {
    prop_oneof![
        completion().prop_map(StepEnd::Complete),
        agent_end().prop_map(StepEnd::Failed),
        any::<u32>().prop_map(StepEnd::Stagnated),
        any::<u32>().prop_map(StepEnd::Cycling),
        ending().prop_map(StepEnd::AgentStopped),
        outcome().prop_map(StepEnd::Blocked),
        (quota(), 1..=100_u8, timestamp()).prop_map(|((backend, window, used), percent, until)| {
            let limit = QuotaThreshold::Percent(percent);
            StepEnd::Quota(ExceededQuota { backend, window, used, limit, until })
        }),
        select(&REFUSALS[..]).prop_map(StepEnd::Refused),
        any::<String>().prop_map(StepEnd::HookFailed),
        any::<String>().prop_map(StepEnd::CannotCheck),
        any::<String>().prop_map(StepEnd::TasksBlocked),
        any::<u32>().prop_map(StepEnd::MaxRounds),
        Just(StepEnd::NoTasks),
        select(vec![
            StepEnd::MaxIterations,
            StepEnd::StepTime,
            StepEnd::RunTime,
            StepEnd::StepCost,
            StepEnd::RunCost,
            StepEnd::CostUnknown,
            StepEnd::Skipped,
            StepEnd::NotAccepted,
            StepEnd::Denied,
            StepEnd::NotNeeded,
            StepEnd::Cancelled
        ]),
    ]
}

fn report() -> impl Strategy<Value = IterationReport> {
    let verdict = prop_oneof![
        completion().prop_map(Verdict::Complete),
        ending().prop_map(Verdict::AgentStopped),
        select(&REFUSALS[..]).prop_map(Verdict::Refused),
        select(vec![
            Verdict::Incomplete,
            Verdict::Crashed,
            Verdict::Postponed,
            Verdict::Blocked,
            Verdict::Interrupted,
        ]),
    ];
    let output =
        (any::<u64>(), any::<u64>()).prop_map(|(stdout, stderr)| OutputSummary { stdout, stderr });
    (
        verdict,
        of(agent_end()),
        duration(),
        checks::observation().boxed(),
        output,
        (of(stream_summary().boxed()), of(spend().boxed())),
        (vec(checks::check_report(), 0..3), of(any::<String>())),
    )
        .prop_map(
            |(verdict, end, duration, observation, output, stream, (checks, closing_text))| {
                let (stream_summary, spend) = stream;
                IterationReport {
                    closing_text,
                    checks,
                    verdict,
                    end,
                    duration,
                    observation,
                    output,
                    stream_summary,
                    spend,
                }
            },
        )
}

fn changes() -> impl Strategy<Value = LimitChanges> {
    let count = || (1..=u32::MAX).prop_map(|n| Count::parse(&n.to_string()).expect("a count"));
    let limited = || of((1..1u64 << 40).prop_map(HumanDuration::from_secs));
    let time = || of(limited().prop_map(|limit| limit.map_or(Limit::Off, Limit::At)));
    let stagnation = of(of(count()).prop_map(|limit| limit.map_or(Limit::Off, Limit::At)));
    let times = (time(), time(), time(), time(), time());
    let costs = (cost(), cost());
    let group = (time(), cost());
    ((of(count()), of(count())), times, stagnation, (costs, group), of(quota_limits())).prop_map(
        |((iterations, rounds), times, stagnation, (costs, group), quota)| {
            let (run_cost, step_cost) = costs;
            let (group_time, group_cost) = group;
            let (timeout, idle_timeout, run_time, step_time, max_wait) = times;
            LimitChanges {
                rounds,
                iterations,
                timeout,
                idle_timeout,
                stagnation,
                run_time,
                step_time,
                run_cost,
                step_cost,
                group_time,
                group_cost,
                max_wait,
                quota,
            }
        },
    )
}

fn quota_limits() -> impl Strategy<Value = Limit<QuotaLimits>> {
    let quotas = ["off", "5h=1%", "7d=even", "5h=even,7d=100%"];
    select(quotas.to_vec()).prop_map(|text| Limit::parse(text).expect("a quota"))
}

fn cost() -> impl Strategy<Value = Option<Limit<Usd>>> {
    let amount = (1..1u64 << 40).prop_map(|micros| {
        let text = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
        Limit::parse(&text).expect("an amount")
    });
    of(prop_oneof![Just(Limit::Off), amount])
}

fn fallback_use() -> impl Strategy<Value = FallbackUse> {
    (select(&Backend::ALL[..]), select(&FallbackReason::ALL[..]), timestamp())
        .prop_map(|(backend, why, until)| FallbackUse { backend, why, until })
}

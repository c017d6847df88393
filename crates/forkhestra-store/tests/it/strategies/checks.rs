//! Strategies for events about checks, hooks and a repository.

use forkhestra_core::event::{
    AuxJob, BaselineDigests, CheckReport, CommitSummary, EventKind, FileStamp, Fingerprint,
    HookMoment, HookReport, Observation, OpenTask, OpenTaskStatus, PathList, TaskChange,
    TaskChangeKind, TaskChanges, TaskCounts, WorkSummary, WorkTreeFingerprints, WorkTreeSnapshot,
};
use forkhestra_core::hook::HookPoint;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;

use super::{duration, report, unit};
use crate::samples::checks::CHECK_OUTCOMES;

pub(super) fn kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        (unit(), report().boxed())
            .prop_map(|(unit, report)| EventKind::AgentFinished { unit, report }),
        (aux_job(), any::<u32>())
            .prop_map(|(aux_job, pid)| EventKind::AuxJobStarted { aux_job, pid }),
        (unit(), check_report())
            .prop_map(|(unit, report)| EventKind::CheckFinished { unit, report }),
        hook_report().prop_map(|report| EventKind::HookFinished { report }),
        (unit(), task_changes())
            .prop_map(|(unit, changes)| EventKind::TasksChanged { unit, changes }),
        (1usize.., work()).prop_map(|(step, work)| EventKind::Surveyed { step, work }),
    ]
}

fn hook_moment() -> impl Strategy<Value = HookMoment> {
    (select(&HookPoint::ALL[..]), of(unit())).prop_map(|(point, unit)| HookMoment { point, unit })
}

fn aux_job() -> impl Strategy<Value = AuxJob> {
    prop_oneof![
        unit().prop_map(|unit| AuxJob::Setup { unit }),
        (unit(), 1usize..).prop_map(|(unit, number)| AuxJob::Check { unit, number }),
        (hook_moment(), 1usize..).prop_map(|(moment, number)| AuxJob::Hook { moment, number }),
    ]
}

prop_compose! {
    pub(super) fn check_report()(
        name in any::<String>(),
        outcome in select(&CHECK_OUTCOMES[..]),
        message in of(any::<String>()),
        tail in of(any::<String>()),
        duration in duration(),
    ) -> CheckReport {
        CheckReport { name, outcome, message, tail, duration }
    }
}

prop_compose! {
    fn task_change()(
        id in any::<String>(),
        title in any::<String>(),
        kind in select(&TaskChangeKind::ALL[..]),
        reason in of(any::<String>()),
    ) -> TaskChange {
        TaskChange { id, title, kind, reason }
    }
}

prop_compose! {
    fn open_task()(
        id in any::<String>(),
        title in any::<String>(),
        status in select(&OpenTaskStatus::ALL[..]),
        reason in of(any::<String>()),
    ) -> OpenTask {
        OpenTask { id, title, status, reason }
    }
}

prop_compose! {
    fn task_changes()(
        changes in vec(task_change(), 0..3),
        open in vec(open_task(), 0..3),
        (total, done, blocked, in_progress, to_do, unreadable) in any::<(u32, u32, u32, u32, u32, u32)>(),
    ) -> TaskChanges {
        let counts = TaskCounts { total, done, blocked, in_progress, to_do, unreadable };
        TaskChanges { changes, counts, open }
    }
}

prop_compose! {
    fn hook_report()(
        moment in hook_moment(),
        number in 1usize..,
        failure in of(any::<String>()),
        duration in duration(),
    ) -> HookReport {
        HookReport { moment, number, failure, duration }
    }
}

fn fingerprint() -> impl Strategy<Value = Fingerprint> {
    any::<String>().prop_map(Fingerprint)
}

prop_compose! {
    fn signals()(
        head in of(any::<String>()),
        index in fingerprint(),
        files in fingerprint(),
        tasks in of(fingerprint()),
    ) -> WorkTreeFingerprints {
        WorkTreeFingerprints { head, branch: None, index, files, tasks }
    }
}

prop_compose! {
    fn paths()(listed in vec(any::<String>(), 0..3), more in any::<u32>()) -> PathList {
        PathList { listed, more }
    }
}

prop_compose! {
    fn snapshot()(number in any::<u32>(), commit in "[0-9a-f]{40}") -> WorkTreeSnapshot {
        WorkTreeSnapshot { number, commit }
    }
}

prop_compose! {
    fn baselines()(
        protected in of("[0-9a-f]{64}"),
        uncommitted in of("[0-9a-f]{64}"),
    ) -> BaselineDigests {
        BaselineDigests { protected, uncommitted }
    }
}

prop_compose! {
    pub(super) fn observation()(
        done_file in of(any::<String>().prop_map(FileStamp)),
        tree in of(fingerprint()),
        signals in of(signals()),
        protected in of(paths()),
        uncommitted in of(paths()),
        snapshot in of(snapshot()),
        open_tasks in of(vec(any::<String>(), 0..3)),
        baselines in of(baselines()),
    ) -> Observation {
        let open_criteria = std::collections::BTreeMap::new();
        Observation {
            done_file,
            tree,
            signals,
            protected,
            uncommitted,
            snapshot,
            open_tasks,
            open_criteria,
            baselines,
        }
    }
}

prop_compose! {
    fn commit()(id in "[0-9a-f]{40}", subject in any::<String>()) -> CommitSummary {
        CommitSummary { id, subject }
    }
}

prop_compose! {
    fn work()(
        commits in vec(commit(), 0..3),
        (more_commits, files, insertions, deletions) in any::<(u32, u32, u32, u32)>(),
        uncommitted in paths().prop_filter("none are left out", |paths| !paths.is_empty()),
    ) -> WorkSummary {
        WorkSummary { commits, more_commits, files, insertions, deletions, uncommitted }
    }
}

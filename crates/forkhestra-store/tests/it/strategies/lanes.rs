//! Strategies for events about lanes and landings.

use forkhestra_core::event::{
    EventKind, LandedWork, LandingRefusal, LandingRefusalKind, LaneWork, PathList,
};
use forkhestra_core::id::{CommitId, LaneNumber};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::checks::check_report;
use super::unit;

pub(super) fn kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![stage_kind().boxed(), work_kind().boxed(), landing_kind().boxed()]
}

pub(super) fn lane() -> impl Strategy<Value = LaneNumber> {
    (0usize..64).prop_map(|index| LaneNumber::from_index(index).expect("there are few"))
}

fn commit() -> impl Strategy<Value = CommitId> {
    "[0-9a-f]{40}".prop_map(CommitId)
}

fn paths() -> impl Strategy<Value = PathList> {
    vec(any::<String>(), 0..3).prop_map(PathList::of)
}

prop_compose! {
    fn work()(
        commit in commit(),
        subject in any::<String>(),
        (commits, added, removed) in any::<(u32, u64, u64)>(),
        tasks in vec(any::<String>(), 0..3),
    ) -> LaneWork {
        LaneWork { commit, subject, commits, added, removed, tasks }
    }
}

prop_compose! {
    fn refusal()(
        why in select(LandingRefusalKind::ALL.to_vec()),
        paths in paths(),
        with in vec(unit(), 0..3),
        checks in vec(check_report(), 0..3),
    ) -> LandingRefusal {
        LandingRefusal { why, paths, with, checks }
    }
}

fn stage_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        (1usize.., commit())
            .prop_map(|(step, commit)| EventKind::IntegrationStarted { step, commit }),
        (1usize.., any::<String>()).prop_map(|(step, path)| EventKind::LaneOpened { step, path }),
        (1usize.., commit()).prop_map(|(step, commit)| EventKind::BroughtForward { step, commit }),
        (1usize.., any::<String>(), paths()).prop_map(|(step, why, paths)| EventKind::Held {
            step,
            why,
            paths
        }),
        (1usize..).prop_map(|step| EventKind::LanesClosed { step }),
    ]
}

fn work_kind() -> impl Strategy<Value = EventKind> {
    prop_oneof![
        (unit(), work()).prop_map(|(unit, work)| EventKind::WorkQueued { unit, work }),
        (unit(), refusal()).prop_map(|(unit, refusal)| EventKind::LandingRefused { unit, refusal }),
        (unit(), any::<u32>(), commit()).prop_map(|(unit, number, commit)| EventKind::WorkParked {
            unit,
            number,
            commit
        }),
        (unit(), vec(check_report(), 0..3))
            .prop_map(|(unit, checks)| EventKind::ClaimRefused { unit, checks }),
    ]
}

fn landing_kind() -> impl Strategy<Value = EventKind> {
    let landed = (lane(), unit(), work())
        .prop_map(|(lane, unit, work)| LandedWork { lane, unit, work })
        .boxed();
    prop_oneof![
        (1usize.., commit(), vec(unit(), 0..3), vec(check_report(), 0..3)).prop_map(
            |(step, commit, units, checks)| {
                EventKind::LandingChecked { step, commit, units, checks }
            }
        ),
        (1usize.., any::<u32>(), commit(), commit(), vec(landed, 0..3)).prop_map(
            |(step, number, from, to, landed)| EventKind::Landed { step, number, from, to, landed }
        ),
    ]
}

//! Events of lanes in an event script, in the order in which the machine emits them.

use std::time::Duration;

use forkhestra_core::event::{
    AuxJob, CheckOutcome, CheckReport, EventKind, LandedWork, LandingRefusal, LandingRefusalKind,
    LaneWork, PathList,
};
use forkhestra_core::id::{CommitId, LaneNumber, UnitId};
use forkhestra_core::text::lane_count::LaneCount;

use crate::report::run::tests::support::event_script::{EventScript, plan_of};

pub(super) fn lane(number: usize) -> LaneNumber {
    LaneNumber::from_index(number - 1).expect("it is a lane")
}

pub(super) fn commit(id: &str) -> CommitId {
    CommitId::new(format!("{id}00000000"))
}

pub(super) const fn unit(iteration: u32) -> UnitId {
    UnitId { step: 1, iteration, attempt: 1 }
}

/// A run of `builder:20 x3` whose lanes are open.
pub(super) fn begun() -> EventScript {
    let mut plan = plan_of("builder:20", None, &[]);
    plan.steps[0].lanes = LaneCount::new(3).ok();
    let script = EventScript::of_plan(plan)
        .step(1)
        .then(EventKind::IntegrationStarted { step: 1, commit: commit("5f3a9c0") });
    (1..=3).fold(script, |script, number| {
        let path = format!("/lanes/{number}");
        script
            .in_lane(number, |script| script.then(EventKind::LaneOpened { step: 1, path }).step(1))
    })
}

impl EventScript {
    /// Adds events in a lane.
    pub(super) fn in_lane(self, number: usize, add: impl FnOnce(Self) -> Self) -> Self {
        let before = self.events.len();
        let mut script = add(self);
        let added = script.events.iter_mut().skip(before);
        added.for_each(|event| event.lane = Some(lane(number)));
        script
    }

    /// An iteration in a lane ends with work.
    pub(super) fn works(self, number: usize, iteration: u32, task: Option<&str>) -> Self {
        let work = work(iteration, task);
        self.in_lane(number, |script| {
            script.silent(1, iteration).then(EventKind::WorkQueued { unit: unit(iteration), work })
        })
    }

    /// The landing checks run on the work of these iterations.
    pub(super) fn checks(self, tip: &str, iterations: &[u32], outcome: CheckOutcome) -> Self {
        let units: Vec<UnitId> = iterations.iter().map(|number| unit(*number)).collect();
        let last = units.last().copied().unwrap_or(UnitId::before_first(1));
        let aux_job = AuxJob::Check { unit: last, number: 1 };
        self.then(EventKind::AuxJobStarted { aux_job, pid: 99 }).after(48_000).then(
            EventKind::LandingChecked {
                step: 1,
                commit: commit(tip),
                units,
                checks: vec![tests(outcome)],
            },
        )
    }

    /// The work of these lanes and iterations lands.
    pub(super) fn lands(
        self,
        number: u32,
        tip: &str,
        works: &[(usize, u32, Option<&str>)],
    ) -> Self {
        let landed = works.iter().map(|(of, iteration, task)| LandedWork {
            lane: lane(*of),
            unit: unit(*iteration),
            work: work(*iteration, *task),
        });
        let (from, to, landed) = (commit("5f3a9c0"), commit(tip), landed.collect());
        let forward = EventKind::BroughtForward { step: 1, commit: commit(tip) };
        self.then(EventKind::Landed { step: 1, number, from, to, landed }).then(forward)
    }

    /// The work of an iteration conflicts with that of another.
    pub(super) fn conflicts(self, number: usize, iteration: u32, with: u32) -> Self {
        let refusal = LandingRefusal {
            why: LandingRefusalKind::Conflict,
            paths: PathList::of(["src/cart.rs".to_owned()]),
            with: vec![unit(with)],
            checks: Vec::new(),
        };
        self.refuses(number, iteration, refusal)
    }

    /// A check fails with the work of an iteration.
    pub(super) fn fails_checks(self, number: usize, iteration: u32) -> Self {
        let refusal = LandingRefusal {
            why: LandingRefusalKind::ChecksFailed,
            paths: PathList::default(),
            with: Vec::new(),
            checks: vec![tests(CheckOutcome::Failed)],
        };
        self.refuses(number, iteration, refusal)
    }

    fn refuses(self, number: usize, iteration: u32, refusal: LandingRefusal) -> Self {
        self.in_lane(number, |script| {
            script.then(EventKind::LandingRefused { unit: unit(iteration), refusal })
        })
    }

    pub(super) fn parks(self, number: usize, iteration: u32, parked: u32) -> Self {
        let kind =
            EventKind::WorkParked { unit: unit(iteration), number: parked, commit: commit("d0") };
        self.in_lane(number, |script| script.then(kind))
    }
}

fn work(iteration: u32, task: Option<&str>) -> LaneWork {
    LaneWork {
        commit: commit("91ab22e"),
        subject: format!("Land iteration {iteration}"),
        commits: 2,
        added: 41,
        removed: 3,
        tasks: task.iter().map(|task| (*task).to_owned()).collect(),
    }
}

fn tests(outcome: CheckOutcome) -> CheckReport {
    let failed = outcome == CheckOutcome::Failed;
    CheckReport {
        name: "tests".to_owned(),
        outcome,
        message: failed.then(|| "exit 1".to_owned()),
        tail: failed.then(|| "2 tests failed".to_owned()),
        duration: Duration::from_secs(48),
    }
}

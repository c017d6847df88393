//! The screen of a run with lanes.

use forkhestra_core::event::{
    AuxJob, EventKind, LandedWork, LandingRefusal, LandingRefusalKind, LaneWork, PathList, Verdict,
};
use forkhestra_core::id::{CommitId, LaneNumber};
use forkhestra_core::text::lane_count::LaneCount;

use super::run_script::{RunScript, spend, unit};
use super::screens::{keep, opened};

fn lane(number: usize) -> LaneNumber {
    LaneNumber::from_index(number - 1).expect("it is a lane")
}

fn commit(id: &str) -> CommitId {
    CommitId::new(id.to_owned())
}

fn work() -> LaneWork {
    LaneWork {
        commit: commit("91ab22e"),
        subject: "Land TASK-003: Rename the cart".to_owned(),
        commits: 2,
        added: 41,
        removed: 3,
        tasks: vec!["TASK-003".to_owned()],
    }
}

impl RunScript {
    /// Adds events in a lane.
    fn in_lane(&mut self, number: usize, add: impl FnOnce(&mut Self)) -> &mut Self {
        let before = self.events.len();
        add(self);
        let added = self.events.iter_mut().skip(before);
        added.for_each(|event| event.lane = Some(lane(number)));
        self
    }

    /// The work of an iteration waits for its landing.
    fn queue(&mut self, number: usize, iteration: u32) -> &mut Self {
        let kind = EventKind::WorkQueued { unit: unit(1, iteration), work: work() };
        self.in_lane(number, |script| {
            script.event(kind);
        })
    }
}

/// Four lanes: one agent works, one was sent back and works again, and two works wait for their
/// landing, of which one is checked. One has landed.
fn four_lanes() -> RunScript {
    let mut plan = RunScript::of_chain("builder:20").plan();
    plan.steps[0].lanes = LaneCount::new(4).ok();
    let mut script = RunScript::of(plan);
    script.step(1).event(EventKind::IntegrationStarted { step: 1, commit: commit("5f3a9c0") });
    for number in 1..=4 {
        let path = format!("/lanes/{number}");
        script.in_lane(number, |script| {
            script.event(EventKind::LaneOpened { step: 1, path }).step(1);
        });
    }
    for (number, iteration) in [(1, 1), (2, 2), (3, 3)] {
        script.pass(20).in_lane(number, |script| {
            script.start(unit(1, iteration));
        });
    }
    let finish = |script: &mut RunScript, number, iteration, seconds| {
        let report = script.report(Verdict::Incomplete, seconds);
        script.pass(seconds).in_lane(number, |script| {
            script.event(EventKind::IterationFinished { unit: unit(1, iteration), report });
        });
        script.queue(number, iteration);
    };
    finish(&mut script, 1, 1, 100);
    let landed = vec![LandedWork { lane: lane(1), unit: unit(1, 1), work: work() }];
    let (from, to) = (commit("5f3a9c0"), commit("a3d10f2"));
    script.event(EventKind::Landed { step: 1, number: 1, from, to: to.clone(), landed });
    script.event(EventKind::BroughtForward { step: 1, commit: to });
    finish(&mut script, 2, 2, 60);
    let refusal = LandingRefusal {
        why: LandingRefusalKind::Conflict,
        paths: PathList::of(["src/cart.rs".to_owned()]),
        with: vec![unit(1, 1)],
        checks: Vec::new(),
    };
    script.in_lane(2, |script| {
        script.event(EventKind::LandingRefused { unit: unit(1, 2), refusal });
        script.start(unit(1, 4));
        script.event(EventKind::Spent { unit: unit(1, 4), spend: spend(74) });
    });
    script.pass(30).in_lane(1, |script| {
        script.start(unit(1, 5));
    });
    finish(&mut script, 3, 3, 40);
    let aux_job = AuxJob::Check { unit: unit(1, 3), number: 1 };
    script.event(EventKind::AuxJobStarted { aux_job, pid: 4712 }).pass(20);
    script
}

#[test]
fn each_lane_and_the_queue_have_a_row() {
    for size in [(120, 40), (80, 24), (40, 10)] {
        keep(&format!("lanes_{}x{}", size.0, size.1), &opened(size, &four_lanes()));
    }
}

#[test]
fn a_lane_is_opened_from_the_list_of_iterations() {
    let mut screen = opened((120, 40), &four_lanes());
    screen.press("<Home>");
    let first = screen.text();
    screen.press("<End><Enter>");
    assert_ne!(screen.text(), first);
    assert!(screen.text().contains("Iteration 5"), "{}", screen.text());
}

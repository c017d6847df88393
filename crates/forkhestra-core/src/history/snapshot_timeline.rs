//! The snapshots of a run in the order in which they were taken.

use std::collections::BTreeSet;

use super::SnapshotAddress;
use crate::event::{Observation, WorkTreeSnapshot};
use crate::id::{LaneNumber, UnitId};

/// The snapshots of a run: one point before each step, again in each round, and one after each
/// attempt whose work tree was kept. Neighbouring points have the same snapshot if nothing changed between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotTimeline {
    pub points: Vec<SnapshotPoint>,
}

/// A moment of a run whose work tree was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotPoint {
    pub moment: SnapshotMoment,
    /// The lane whose work tree it is; none for that of the user.
    pub lane: Option<LaneNumber>,
    pub snapshot: WorkTreeSnapshot,
    /// The commit that was checked out; none before the first one.
    pub head: Option<String>,
    /// The full name of the branch that was checked out; none if there was none, or if it is not
    /// recorded.
    pub branch: Option<String>,
}

/// When a snapshot was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotMoment {
    BeforeStep(usize),
    AfterIteration(UnitId),
}

/// Why an address leads to no snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotLookupError {
    #[error("the run kept no snapshot")]
    NoSnapshots,
    #[error("no iteration {0} has a snapshot")]
    NoIteration(u32),
    #[error("step {step} has no snapshot of iteration {iteration}")]
    NoStepIteration { step: usize, iteration: u32 },
    #[error("no snapshot has the number {0}")]
    NoNumber(u32),
    /// The step has to be named as well.
    #[error("several steps have an iteration {iteration}")]
    Ambiguous {
        iteration: u32,
        /// The steps that have it.
        steps: Vec<usize>,
    },
}

impl SnapshotMoment {
    /// The step.
    pub const fn step(self) -> usize {
        match self {
            Self::BeforeStep(step) => step,
            Self::AfterIteration(unit) => unit.step,
        }
    }

    /// The iteration; 0 before the first one of a step.
    pub const fn iteration(self) -> u32 {
        match self {
            Self::BeforeStep(_) => 0,
            Self::AfterIteration(unit) => unit.iteration,
        }
    }

    /// The address of its iteration, as short as it can be in a run with this many steps. Another
    /// attempt of the iteration has the same one: see [`SnapshotTimeline::address_of`].
    const fn address(self, steps: usize) -> SnapshotAddress {
        match (self.step(), self.iteration()) {
            (1, iteration) if steps <= 1 => SnapshotAddress::Iteration(iteration),
            (step, iteration) => SnapshotAddress::StepIteration { step, iteration },
        }
    }
}

impl SnapshotTimeline {
    /// Adds the snapshot of an observation, if it has one.
    pub(super) fn add(
        &mut self,
        moment: SnapshotMoment,
        lane: Option<LaneNumber>,
        observation: &Observation,
    ) {
        let Some(snapshot) = observation.snapshot.clone() else { return };
        let signals = observation.signals.as_ref();
        let head = signals.and_then(|signals| signals.head.clone());
        let branch = signals.and_then(|signals| signals.branch.clone());
        self.points.push(SnapshotPoint { moment, lane, snapshot, head, branch });
    }

    /// The state before the run.
    pub fn first(&self) -> Result<&SnapshotPoint, SnapshotLookupError> {
        self.points.first().ok_or(SnapshotLookupError::NoSnapshots)
    }

    /// The last state that was kept.
    pub fn last(&self) -> Result<&SnapshotPoint, SnapshotLookupError> {
        self.points.last().ok_or(SnapshotLookupError::NoSnapshots)
    }

    /// The point that an address names. Of several attempts of an iteration, it is the last one.
    pub fn find(&self, address: SnapshotAddress) -> Result<&SnapshotPoint, SnapshotLookupError> {
        let first = self.first()?;
        match address {
            SnapshotAddress::Iteration(0) => Ok(first),
            SnapshotAddress::Iteration(iteration) => {
                let steps = self.steps_with(iteration);
                match steps.as_slice() {
                    [] => Err(SnapshotLookupError::NoIteration(iteration)),
                    [step] => self.find(SnapshotAddress::StepIteration { step: *step, iteration }),
                    _ => Err(SnapshotLookupError::Ambiguous { iteration, steps }),
                }
            }
            SnapshotAddress::StepIteration { step, iteration } => {
                let is_it = |point: &&SnapshotPoint| {
                    (point.moment.step(), point.moment.iteration()) == (step, iteration)
                };
                // In repeated groups a step begins several times: 0 is the first of them.
                let found = match iteration {
                    0 => self.points.iter().find(is_it),
                    _ => self.points.iter().rfind(is_it),
                };
                found.ok_or(SnapshotLookupError::NoStepIteration { step, iteration })
            }
            SnapshotAddress::Number(number) => {
                let is_it = |point: &&SnapshotPoint| point.snapshot.number == number;
                self.points.iter().find(is_it).ok_or(SnapshotLookupError::NoNumber(number))
            }
        }
    }

    /// The points to list: without attempts that were followed by another one, and without the later
    /// beginnings of a step in a repeated group at which nothing had changed.
    pub fn addressable(&self) -> impl Iterator<Item = &SnapshotPoint> {
        let place =
            |point: &SnapshotPoint| (point.moment.step(), point.moment.iteration(), point.lane);
        let last_attempts = self
            .points
            .chunk_by(move |one, next| place(one) == place(next))
            .filter_map(<[_]>::last);
        let mut begun = BTreeSet::new();
        let mut previous = None;
        last_attempts.filter(move |point| {
            if point.lane.is_some() && !self.is_listed_in_lane(point) {
                return false;
            }
            let before = previous.replace(point.snapshot.number);
            match point.moment {
                SnapshotMoment::BeforeStep(step) => {
                    begun.insert(step) || before != Some(point.snapshot.number)
                }
                SnapshotMoment::AfterIteration(_) => true,
            }
        })
    }

    /// Whether a point of a lane is listed: the beginning of a step if it is the first one, and the
    /// last attempt of an iteration. Points of other lanes may be between its attempts.
    fn is_listed_in_lane(&self, point: &SnapshotPoint) -> bool {
        let is_same = |other: &&SnapshotPoint| {
            (other.moment.step(), other.moment.iteration())
                == (point.moment.step(), point.moment.iteration())
        };
        let named = match point.moment {
            SnapshotMoment::BeforeStep(_) => self.points.iter().find(is_same),
            SnapshotMoment::AfterIteration(_) => self.points.iter().rfind(is_same),
        };
        named.is_some_and(|named| std::ptr::eq(named, point))
    }

    /// The state before an iteration: the point in front of that of its first attempt, in its lane.
    pub fn before(&self, point: &SnapshotPoint) -> Option<&SnapshotPoint> {
        let place = |other: &SnapshotPoint| {
            (other.moment.step(), other.moment.iteration())
                == (point.moment.step(), point.moment.iteration())
        };
        let index = self.points.iter().position(place)?;
        let lane = self.points[index].lane;
        self.points[..index].iter().rfind(|before| before.lane == lane)
    }

    /// The address of a point, in a run with this many steps. An attempt that was followed by another
    /// one has only the number of its snapshot.
    pub fn address_of(&self, point: &SnapshotPoint, steps: usize) -> SnapshotAddress {
        let address = point.moment.address(steps);
        let is_named = self.find(address).is_ok_and(|named| named == point);
        if is_named { address } else { SnapshotAddress::Number(point.snapshot.number) }
    }

    /// The address of the state after an attempt, if it has a snapshot.
    pub fn address_after(&self, unit: UnitId, steps: usize) -> Option<SnapshotAddress> {
        let moment = SnapshotMoment::AfterIteration(unit);
        let point = self.points.iter().find(|point| point.moment == moment)?;
        Some(self.address_of(point, steps))
    }

    fn steps_with(&self, iteration: u32) -> Vec<usize> {
        let with = self.points.iter().filter(|point| point.moment.iteration() == iteration);
        let steps: BTreeSet<usize> = with.map(|point| point.moment.step()).collect();
        steps.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(moment: SnapshotMoment, number: u32) -> SnapshotPoint {
        let snapshot = WorkTreeSnapshot { number, commit: format!("c{number}") };
        SnapshotPoint { moment, lane: None, snapshot, head: None, branch: None }
    }

    fn after(step: usize, iteration: u32, attempt: u32) -> SnapshotMoment {
        SnapshotMoment::AfterIteration(UnitId { step, iteration, attempt })
    }

    /// Two rounds of two steps.
    fn rounds() -> SnapshotTimeline {
        let points = vec![
            point(SnapshotMoment::BeforeStep(1), 0),
            point(after(1, 1, 1), 1),
            point(SnapshotMoment::BeforeStep(2), 1),
            point(after(2, 1, 1), 2),
            point(SnapshotMoment::BeforeStep(1), 2),
            point(after(1, 2, 1), 3),
            point(SnapshotMoment::BeforeStep(2), 3),
            point(after(2, 2, 1), 4),
        ];
        SnapshotTimeline { points }
    }

    #[test]
    fn rounds_are_in_the_order_of_time_and_0_is_before_the_first() {
        let timeline = rounds();
        let find = |text: &str| {
            let address = SnapshotAddress::parse(text).expect("it is an address");
            timeline.find(address).expect("it is there")
        };
        for (text, number, before) in [
            ("0", 0, None),
            ("1.0", 0, None),
            ("2.0", 1, Some(1)),
            ("1.2", 3, Some(2)),
            ("2.2", 4, Some(3)),
        ] {
            let point = find(text);
            assert_eq!(point.snapshot.number, number, "{text}");
            let before_it = timeline.before(point).map(|before| before.snapshot.number);
            assert_eq!(before_it, before, "{text}");
        }
        let ambiguous = timeline.find(SnapshotAddress::Iteration(1));
        let steps = vec![1, 2];
        assert_eq!(ambiguous, Err(SnapshotLookupError::Ambiguous { iteration: 1, steps }));
        let address = |index: usize| timeline.address_of(&timeline.points[index], 2).to_string();
        let addresses: Vec<String> = (0..8).map(address).collect();
        assert_eq!(addresses, ["1.0", "1.1", "2.0", "2.1", "@2", "1.2", "@3", "2.2"]);
    }

    /// Two lanes that share a step; the first iteration has two attempts.
    fn lanes() -> SnapshotTimeline {
        let in_lane = |lane: usize, moment, number| SnapshotPoint {
            lane: LaneNumber::from_index(lane - 1),
            ..point(moment, number)
        };
        let points = vec![
            point(SnapshotMoment::BeforeStep(1), 0),
            in_lane(1, SnapshotMoment::BeforeStep(1), 1),
            in_lane(2, SnapshotMoment::BeforeStep(1), 2),
            in_lane(1, after(1, 1, 1), 3),
            in_lane(2, after(1, 2, 1), 4),
            in_lane(1, after(1, 1, 2), 5),
            in_lane(2, after(1, 3, 1), 6),
        ];
        SnapshotTimeline { points }
    }

    #[test]
    fn the_state_before_an_iteration_is_that_of_its_lane() {
        let timeline = lanes();
        for (text, number, before) in
            [("0", 0, None), ("1", 5, Some(1)), ("2", 4, Some(2)), ("3", 6, Some(4))]
        {
            let address = SnapshotAddress::parse(text).expect("it is an address");
            let point = timeline.find(address).expect("it is there");
            let before_it = timeline.before(point).map(|before| before.snapshot.number);
            assert_eq!((point.snapshot.number, before_it), (number, before), "{text}");
        }
        let listed: Vec<u32> = timeline.addressable().map(|point| point.snapshot.number).collect();
        assert_eq!(listed, [0, 4, 5, 6], "each iteration once");
    }

    /// Two steps. The second iteration of the first step changed nothing, and its third one has two
    /// attempts.
    fn timeline() -> SnapshotTimeline {
        let points = vec![
            point(SnapshotMoment::BeforeStep(1), 0),
            point(after(1, 1, 1), 1),
            point(after(1, 2, 1), 1),
            point(after(1, 3, 1), 2),
            point(after(1, 3, 2), 3),
            point(SnapshotMoment::BeforeStep(2), 3),
            point(after(2, 1, 1), 4),
        ];
        SnapshotTimeline { points }
    }

    #[test]
    fn an_address_leads_to_the_last_attempt() {
        let timeline = timeline();
        let number = |text: &str| {
            let address = SnapshotAddress::parse(text).expect("it is an address");
            timeline.find(address).map(|point| point.snapshot.number)
        };
        for (text, expected) in [
            ("0", Ok(0)),
            ("2", Ok(1)),
            ("3", Ok(3)),
            ("2.0", Ok(3)),
            ("2.1", Ok(4)),
            ("@2", Ok(2)),
            ("1", Err(SnapshotLookupError::Ambiguous { iteration: 1, steps: vec![1, 2] })),
            ("9", Err(SnapshotLookupError::NoIteration(9))),
            ("2.9", Err(SnapshotLookupError::NoStepIteration { step: 2, iteration: 9 })),
            ("@9", Err(SnapshotLookupError::NoNumber(9))),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        let empty = SnapshotTimeline::default();
        let missing = empty.find(SnapshotAddress::Iteration(0));
        assert_eq!(missing, Err(SnapshotLookupError::NoSnapshots));
    }

    #[test]
    fn the_state_before_an_iteration_is_that_before_its_first_attempt() {
        let timeline = timeline();
        for (text, expected) in [("0", None), ("1.1", Some(0)), ("3", Some(1)), ("2.1", Some(3))] {
            let address = SnapshotAddress::parse(text).expect("it is an address");
            let point = timeline.find(address).expect("it is there");
            let before = timeline.before(point).map(|before| before.snapshot.number);
            assert_eq!(before, expected, "{text}");
        }
    }

    #[test]
    fn attempts_that_were_repeated_have_no_address() {
        let numbers: Vec<u32> =
            timeline().addressable().map(|point| point.snapshot.number).collect();
        assert_eq!(numbers, [0, 1, 1, 3, 3, 4]);
        let listed =
            rounds().addressable().map(|point| point.moment.iteration()).collect::<Vec<_>>();
        assert_eq!(listed, [0, 1, 0, 1, 2, 2], "later beginnings have no row");
    }

    #[test]
    fn an_attempt_that_was_repeated_is_named_by_its_snapshot() {
        let timeline = timeline();
        let named = |step, iteration, attempt| {
            let address = timeline.address_after(UnitId { step, iteration, attempt }, 2);
            address.map(|address| address.to_string())
        };
        for (unit, expected) in [
            ((1, 2, 1), Some("1.2")),
            ((1, 3, 1), Some("@2")),
            ((1, 3, 2), Some("1.3")),
            ((2, 1, 1), Some("2.1")),
            ((2, 2, 1), None),
        ] {
            assert_eq!(named(unit.0, unit.1, unit.2).as_deref(), expected, "{unit:?}");
        }
    }

    #[test]
    fn a_run_with_one_step_needs_no_step_in_an_address() {
        assert_eq!(after(1, 7, 2).address(1).to_string(), "7");
        assert_eq!(after(1, 7, 2).address(2).to_string(), "1.7");
        assert_eq!(SnapshotMoment::BeforeStep(2).address(2).to_string(), "2.0");
    }
}

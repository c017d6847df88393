//! The points of one call site, in order.

use std::num::NonZeroUsize;

use super::args::Args;
use super::chain::reference_chain::ReferenceChain;
use super::format::ChainFormat;
use super::point::{CallMoment, Point, Victim};
use super::point_sample::PointSample;

/// The points of one call site at one moment with one victim. Their number is not known in advance:
/// in some runs a thread wakes another one more often.
pub(super) struct PointRow {
    first: Point,
    step: usize,
    next: usize,
    /// The number of points in an undisturbed run.
    expected: usize,
    /// A number that was not reached, so that no higher one exists.
    end: usize,
    /// Whether a point that may not exist is being tried.
    is_probed: bool,
}

/// All rows, or those that the arguments select.
pub(super) fn rows(chain: &ReferenceChain, args: &Args) -> Vec<PointRow> {
    let mut sample = PointSample::thinned(args, chain.subject.sample_thinning());
    let mut rows = Vec::new();
    for moment in CallMoment::ALL {
        for victim in Victim::ALL {
            let counts = chain.counts(ChainFormat::of(moment, victim));
            for (place, count) in counts.iter().filter(|(place, _)| moment.is_one_of(place.call)) {
                let first = Point { place: *place, number: 1, moment, victim };
                if is_chosen(first, args) {
                    rows.extend(PointRow::new(first, *count, args.point, &mut sample));
                }
            }
        }
    }
    rows
}

fn is_chosen(first: Point, args: &Args) -> bool {
    let Point { place, moment, victim, .. } = first;
    args.thread.is_none_or(|one| one == place.thread)
        && args.call.is_none_or(|one| one == place.call)
        && args.moment.is_none_or(|one| one == moment)
        && args.victim.is_none_or(|one| one == victim)
}

impl PointRow {
    fn new(
        first: Point,
        expected: usize,
        only: Option<NonZeroUsize>,
        sample: &mut PointSample,
    ) -> Option<Self> {
        let (next, end) = match only.map(NonZeroUsize::get) {
            Some(point) => (point, point + 1),
            // A sample has no point that may not exist.
            None if !sample.is_complete() => (sample.first_of(expected)?, expected + 1),
            None => (1, usize::MAX),
        };
        Some(Self { first, step: sample.every(), next, expected, end, is_probed: false })
    }

    /// The next point to try.
    pub(super) fn next(&mut self) -> Option<Point> {
        let is_certain = self.next <= self.expected;
        // Beyond the expected number, one point at a time.
        if self.next >= self.end || !is_certain && self.is_probed {
            return None;
        }
        self.is_probed = !is_certain;
        let point = Point { number: self.next, ..self.first };
        self.next += self.step;
        Some(point)
    }

    /// Records whether a point was reached.
    pub(super) fn tried(&mut self, number: usize, is_there: bool) {
        if !is_there {
            self.end = self.end.min(number);
        }
        if number > self.expected {
            self.is_probed = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::CallSite;
    use super::super::system_call::SystemCall;
    use super::*;

    fn row(expected: usize) -> PointRow {
        let site = CallSite { thread: 1, call: SystemCall::Sync };
        let first =
            Point { place: site, number: 1, moment: CallMoment::Before, victim: Victim::Maker };
        PointRow { first, step: 1, next: 1, expected, end: usize::MAX, is_probed: false }
    }

    fn numbers(row: &mut PointRow) -> Vec<usize> {
        std::iter::from_fn(|| row.next()).map(|point| point.number).collect()
    }

    #[test]
    fn expected_points_are_tried_at_once_and_the_rest_one_by_one() {
        let mut row = row(3);
        assert_eq!(numbers(&mut row), [1, 2, 3, 4]);
        row.tried(2, true);
        assert_eq!(numbers(&mut row), [0; 0]);
        row.tried(4, true);
        assert_eq!(numbers(&mut row), [5]);
        row.tried(5, false);
        assert_eq!(numbers(&mut row), [0; 0]);
    }

    #[test]
    fn there_is_nothing_behind_a_point_that_is_not_there() {
        let mut row = row(30);
        assert_eq!(row.next().map(|point| point.number), Some(1));
        row.tried(1, false);
        assert_eq!(numbers(&mut row), [0; 0]);
    }
}

//! Selects some of the points.

use super::args::Args;

/// Selects every K-th point, counted over all sites. Rare sites have a point in some samples only;
/// the samples with all first points together have every point.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointSample {
    every: usize,
    /// The number of points before the next selected one.
    skipped: usize,
}

impl PointSample {
    pub(super) fn new(args: &Args) -> Self {
        Self::thinned(args, 1)
    }

    /// A sample with one of so many points of the other samples, unless all points are wanted.
    pub(super) fn thinned(args: &Args, thinning: usize) -> Self {
        Self::of(args.every.get(), args.first.get(), thinning)
    }

    fn of(every: usize, first: usize, thinning: usize) -> Self {
        let every = if every == 1 { 1 } else { every * thinning };
        Self { every, skipped: (first - 1) % every }
    }

    /// The distance between two selected points.
    pub(super) fn every(self) -> usize {
        self.every
    }

    /// Whether every point is selected.
    pub(super) fn is_complete(self) -> bool {
        self.every == 1
    }

    /// The number of the first selected point among the next `count` points, from 1.
    pub(super) fn first_of(&mut self, count: usize) -> Option<usize> {
        let Some(rest) = count.checked_sub(self.skipped + 1) else {
            self.skipped -= count;
            return None;
        };
        let first = self.skipped + 1;
        self.skipped = self.every - 1 - rest % self.every;
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The selected numbers of groups with these counts.
    fn selected(every: usize, skipped: usize, counts: &[usize]) -> Vec<Vec<usize>> {
        let mut sample = PointSample { every, skipped };
        let numbers = |count: usize| {
            let first = sample.first_of(count);
            first.map_or_else(Vec::new, |first| (first..=count).step_by(every).collect())
        };
        counts.iter().copied().map(numbers).collect()
    }

    #[test]
    fn a_sample_is_counted_over_all_groups() {
        assert_eq!(selected(1, 0, &[2, 0, 1]), [vec![1, 2], vec![], vec![1]]);
        assert_eq!(selected(3, 0, &[4, 1, 1, 4]), [vec![1, 4], vec![], vec![], vec![1, 4]]);
        assert_eq!(selected(3, 2, &[1, 1, 1, 6]), [vec![], vec![], vec![1], vec![3, 6]]);
    }

    #[test]
    fn only_samples_are_thinned() {
        let every = |every, first, thinning| PointSample::of(every, first, thinning).every();
        assert_eq!((every(1, 1, 10), every(25, 1, 1), every(25, 1, 10)), (1, 25, 250));
        assert_eq!(PointSample::of(25, 77, 1).skipped, 1);
        assert_eq!(PointSample::of(25, 77, 10).skipped, 76);
    }

    #[test]
    fn the_samples_together_have_every_point_once() {
        let counts = [3, 1, 7, 2, 0, 11, 5];
        let mut all: Vec<Vec<usize>> = vec![Vec::new(); counts.len()];
        for skipped in 0..4 {
            for (group, numbers) in all.iter_mut().zip(selected(4, skipped, &counts)) {
                group.extend(numbers);
            }
        }
        for (mut group, count) in all.into_iter().zip(counts) {
            group.sort_unstable();
            assert_eq!(group, (1..=count).collect::<Vec<_>>());
        }
    }
}

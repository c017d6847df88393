//! The search for the first bad snapshot.

use super::trial_answer::TrialAnswer;

/// The search for the first bad snapshot of a sequence. Both ends are tested first; then each test
/// halves what is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bisection {
    /// The answer for each snapshot, in the order of the run.
    answers: Vec<Option<TrialAnswer>>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BisectionStep {
    /// The snapshot at this index is tested.
    Test(usize),
    Over(BisectionOutcome),
}

/// The outcome of a search. Numbers are indexes of snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BisectionOutcome {
    /// The one before it is good.
    Found { first_bad: usize },
    /// All snapshots between these two were skipped.
    OnlySkipped { last_good: usize, bad: usize },
    /// Both ends are good.
    BothGood,
    /// Both ends are bad.
    BothBad,
    /// The good end is bad, and the bad one is good.
    Inverted,
    /// This end was skipped.
    EndSkipped(usize),
}

impl Bisection {
    /// A search among at least two snapshots.
    pub fn new(snapshots: usize) -> Self {
        Self { answers: vec![None; snapshots.max(2)] }
    }

    /// Records the answer for a snapshot.
    pub fn record(&mut self, index: usize, answer: TrialAnswer) {
        if let Some(known) = self.answers.get_mut(index) {
            *known = Some(answer);
        }
    }

    /// What comes next.
    pub fn next_step(&self) -> BisectionStep {
        let last = self.answers.len() - 1;
        let (Some(good), Some(bad)) = (self.answers[0], self.answers[last]) else {
            let untested = if self.answers[0].is_none() { 0 } else { last };
            return BisectionStep::Test(untested);
        };
        let over = match (good, bad) {
            (TrialAnswer::Good, TrialAnswer::Bad) => return self.between_ends(),
            (TrialAnswer::Good, TrialAnswer::Good) => BisectionOutcome::BothGood,
            (TrialAnswer::Bad, TrialAnswer::Bad) => BisectionOutcome::BothBad,
            (TrialAnswer::Bad, TrialAnswer::Good) => BisectionOutcome::Inverted,
            (TrialAnswer::Skip(_), _) => BisectionOutcome::EndSkipped(0),
            (_, TrialAnswer::Skip(_)) => BisectionOutcome::EndSkipped(last),
        };
        BisectionStep::Over(over)
    }

    /// The number of snapshots that may still be tested, without the ends.
    pub fn left(&self) -> usize {
        self.open().len()
    }

    fn between_ends(&self) -> BisectionStep {
        let open = self.open();
        // The middle of those that can be tested: next to a skipped one, its neighbour is tested.
        if let Some(index) = open.get(open.len() / 2) {
            return BisectionStep::Test(*index);
        }
        let (last_good, bad) = self.bounds();
        BisectionStep::Over(match bad - last_good {
            1 => BisectionOutcome::Found { first_bad: bad },
            _ => BisectionOutcome::OnlySkipped { last_good, bad },
        })
    }

    /// The snapshots between the last good and the first bad one that were not tested.
    fn open(&self) -> Vec<usize> {
        let (good, bad) = self.bounds();
        (good + 1..bad).filter(|index| self.answers[*index].is_none()).collect()
    }

    /// The last snapshot that is good, and the first one after it that is bad. The ends count as if
    /// they were tested.
    fn bounds(&self) -> (usize, usize) {
        let last = self.answers.len() - 1;
        let inner = || (1..last).map(|index| (index, self.answers[index]));
        let is_bad = |answer: &(usize, Option<TrialAnswer>)| answer.1 == Some(TrialAnswer::Bad);
        let bad = inner().find(is_bad).map_or(last, |(index, _)| index);
        let good =
            inner().rfind(|(index, answer)| *index < bad && *answer == Some(TrialAnswer::Good));
        (good.map_or(0, |(index, _)| index), bad)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisect::SkipReason;

    const LONGEST: usize = 11;
    const SKIP: TrialAnswer = TrialAnswer::Skip(SkipReason::ExitCode);

    /// Searches until the end. Returns the outcome with the tested snapshots in their order.
    fn search(answers: &[TrialAnswer]) -> (BisectionOutcome, Vec<usize>) {
        let mut bisection = Bisection::new(answers.len());
        let mut tested = Vec::new();
        loop {
            match bisection.next_step() {
                BisectionStep::Over(outcome) => return (outcome, tested),
                BisectionStep::Test(index) => {
                    assert!(!tested.contains(&index), "{index} is tested twice: {answers:?}");
                    let left = bisection.left();
                    bisection.record(index, answers[index]);
                    assert!(bisection.left() <= left, "more are left than before: {answers:?}");
                    tested.push(index);
                }
            }
        }
    }

    /// All sequences of a length with the first bad one at an index, and any others between the ends
    /// skipped.
    fn sequences(length: usize, first_bad: usize) -> impl Iterator<Item = Vec<TrialAnswer>> {
        let inner = length - 2;
        (0..1_u32 << inner).map(move |skipped| {
            let answer = |index: usize| match index {
                index if (1..=inner).contains(&index) && skipped >> (index - 1) & 1 == 1 => SKIP,
                index if index < first_bad => TrialAnswer::Good,
                _ => TrialAnswer::Bad,
            };
            (0..length).map(answer).collect()
        })
    }

    const fn halvings(possibilities: usize) -> usize {
        possibilities.next_power_of_two().ilog2() as usize
    }

    #[test]
    fn every_search_is_right_and_short() {
        for length in 2..=LONGEST {
            for first_bad in 1..length {
                for answers in sequences(length, first_bad) {
                    let (outcome, tested) = search(&answers);
                    let last_good = answers[..first_bad]
                        .iter()
                        .rposition(|answer| *answer == TrialAnswer::Good)
                        .expect("the first one is good");
                    let bad = answers
                        .iter()
                        .position(|answer| *answer == TrialAnswer::Bad)
                        .expect("the last one is bad");
                    let expected = match bad - last_good {
                        1 => BisectionOutcome::Found { first_bad: bad },
                        _ => BisectionOutcome::OnlySkipped { last_good, bad },
                    };
                    assert_eq!(outcome, expected, "{answers:?}");
                    assert_eq!(tested[..2], [0, length - 1], "both ends are tested first");
                    let skips = tested.iter().filter(|index| answers[**index] == SKIP).count();
                    let most = 2 + halvings(length - 1) + skips;
                    assert!(tested.len() <= most, "{} tests of {answers:?}", tested.len());
                }
            }
        }
    }

    #[test]
    fn ends_that_do_not_differ_end_the_search() {
        let (good, bad) = (TrialAnswer::Good, TrialAnswer::Bad);
        for (first, last, expected) in [
            (good, good, BisectionOutcome::BothGood),
            (bad, bad, BisectionOutcome::BothBad),
            (bad, good, BisectionOutcome::Inverted),
            (SKIP, bad, BisectionOutcome::EndSkipped(0)),
            (good, SKIP, BisectionOutcome::EndSkipped(3)),
            (SKIP, SKIP, BisectionOutcome::EndSkipped(0)),
        ] {
            let (outcome, tested) = search(&[first, good, good, last]);
            assert_eq!((outcome, tested), (expected, vec![0, 3]), "{first:?} {last:?}");
        }
    }

    #[test]
    fn the_neighbours_of_a_skipped_snapshot_are_tested_next() {
        let mut answers = vec![TrialAnswer::Bad; 9];
        answers[0] = TrialAnswer::Good;
        answers[4] = SKIP;
        answers[5] = SKIP;
        let (outcome, tested) = search(&answers);
        assert_eq!(outcome, BisectionOutcome::Found { first_bad: 1 });
        assert_eq!(tested, [0, 8, 4, 5, 3, 2, 1]);
    }
}

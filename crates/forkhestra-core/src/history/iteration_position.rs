//! Which iteration of a loop an agent is in.

use std::fmt;

use crate::id::UnitId;
use crate::machine::RunState;
use crate::text;
use crate::text::count::Count;

/// Which iteration of a loop an agent is in. Iteration numbers continue in each round of a repeated
/// group, and their maximum counts for one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IterationPosition {
    /// Its number in the step.
    pub number: u32,
    /// Its number in the current round.
    in_round: u32,
    /// The maximum in one round.
    max: u32,
    /// The current round of the innermost repeated group, if there were iterations in earlier ones.
    round: Option<u32>,
}

impl IterationPosition {
    /// The position of an attempt of the current round; none if its agent runs once.
    pub fn of(state: &RunState, unit: UnitId) -> Option<Self> {
        Self::numbered(state, unit.step, unit.iteration)
    }

    /// The position of an iteration of a step (one-based) in the current round; none if its agent
    /// runs once.
    pub fn numbered(state: &RunState, step: usize, iteration: u32) -> Option<Self> {
        let max = state.plan.step(step)?.iterations.map(Count::get)?;
        let earlier = state.step(step)?.finished_before_round;
        let round = state.current_rounds(step).first().map_or(0, |(_, round)| *round);
        Some(Self::new(iteration, max, round, earlier))
    }

    /// An iteration of a round, which began after a number of earlier iterations of the step.
    pub fn new(number: u32, max: u32, round: u32, earlier: u32) -> Self {
        let round = Some(round).filter(|_| earlier > 0);
        Self { number, in_round: number.saturating_sub(earlier), max, round }
    }

    /// As a number of iterations: `3/5 iterations`, or `6 iterations (1 of 5 in round 2)`.
    pub fn iterations(&self) -> String {
        let Self { number, in_round, max, round } = *self;
        match round {
            None => format!("{number}/{max} iterations"),
            Some(round) => {
                let iterations = text::count(number, "iteration");
                format!("{iterations} ({in_round} of {max} in round {round})")
            }
        }
    }

    /// The text in a sentence: `3 of 5`, or `6 (1 of 5 in round 2)`.
    pub fn sentence(&self) -> String {
        match self.round {
            None => format!("{} of {}", self.number, self.max),
            Some(_) => self.to_string(),
        }
    }

    /// The text beside the name of the round: `3/5`, or `6 (1 of 5)`.
    pub fn beside_round(&self) -> String {
        let Self { number, in_round, max, round } = *self;
        match round {
            None => self.to_string(),
            Some(_) => format!("{number} ({in_round} of {max})"),
        }
    }
}

/// `3/5`, or `6 (1 of 5 in round 2)`.
impl fmt::Display for IterationPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, in_round, max, round } = *self;
        match round {
            None => write!(f, "{number}/{max}"),
            Some(round) => write!(f, "{number} ({in_round} of {max} in round {round})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_in_the_round_is_shown_from_the_second_round_on() {
        let first = IterationPosition::new(3, 5, 1, 0);
        let texts = [first.to_string(), first.sentence(), first.beside_round()];
        assert_eq!(texts, ["3/5", "3 of 5", "3/5"]);
        assert_eq!(first.iterations(), "3/5 iterations");
        let second = IterationPosition::new(6, 5, 2, 5);
        let texts = [second.to_string(), second.sentence(), second.beside_round()];
        assert_eq!(texts, ["6 (1 of 5 in round 2)", "6 (1 of 5 in round 2)", "6 (1 of 5)"]);
        assert_eq!(second.iterations(), "6 iterations (1 of 5 in round 2)");
    }
}

//! Iterations of ours in turns with a loop in bash that starts the same program as often.

use std::time::Duration;

use crate::error::Result;

use super::figure::{Figure, Limit, Unit};
use super::median::{median, ratio};
use super::place::Place;
use super::usage::{self, Expected, Usage};

/// As many times the rounds that are wanted are tried on a machine that has other things to do.
const MOST_TRIES: usize = 3;

/// What is run in turns.
pub(super) struct Contest<'a> {
    pub(super) place: &'a Place,
    /// What bash does once, again and again.
    pub(super) body: String,
    pub(super) iterations: u32,
    /// Our way to do it as often.
    pub(super) ours: &'a dyn Fn() -> Expected,
    /// How many rounds are wanted in which nobody disturbs us.
    pub(super) wanted: usize,
}

impl Contest<'_> {
    /// Tries until there are enough rounds in which nobody disturbed us, or there will be none.
    pub(super) fn measure(&self) -> Result<Rounds> {
        let mut rounds = Rounds { all: Vec::new(), wanted: self.wanted };
        while !rounds.are_quiet() && rounds.all.len() < MOST_TRIES * self.wanted {
            rounds.all.push(self.round()?);
        }
        Ok(rounds)
    }

    fn round(&self) -> Result<Round> {
        let Self { body, iterations, .. } = self;
        let script = format!("for ((i = 0; i < {iterations}; i++)); do {body}; done");
        let yardstick = || usage::of(Expected(self.place.command("bash", &["-c", &script]), 0));
        let before = yardstick()?;
        let ours = usage::of((self.ours)())?;
        self.place.forget_runs()?;
        Ok(Round { yardstick: [before, yardstick()?], ours })
    }
}

/// Ours, and the loop before and after it.
struct Round {
    yardstick: [Usage; 2],
    ours: Usage,
}

impl Round {
    /// Whether nobody else wanted the processors: the loop never waits for anything else.
    ///
    /// With others about, systems share time out fairly between sessions, and each of our agents
    /// begins one. Wall time is then theirs to decide. (Tried, with four others at work: from half
    /// of the loop's time to one and a half, with less CPU time all along.)
    fn is_quiet(&self) -> bool {
        self.yardstick.iter().all(|usage| usage.wall < usage.cpu.mul_f64(1.15))
    }
}

/// What is known of all rounds together.
pub(super) struct Rounds {
    all: Vec<Round>,
    wanted: usize,
}

impl Rounds {
    /// CPU time is what we used, whoever else there was.
    pub(super) fn figures(&self, work: &str, limit: Limit) -> Vec<Figure> {
        let figure =
            |what, value| Figure { work: work.to_owned(), what, value, limit, unit: Unit::Times };
        let cpu = times_the_loop(self.all.iter(), |usage| usage.cpu);
        let mut figures = vec![figure("CPU time, as a multiple of a loop in bash", cpu)];
        if self.are_quiet() {
            let wall = times_the_loop(self.quiet(), |usage| usage.wall);
            figures.push(figure("wall time, as a multiple of the same", wall));
        } else {
            println!("WARNING: this machine has other things to do, so wall times mean nothing.");
            println!("WARNING: nobody knows how long it takes: {work}.");
        }
        figures
    }

    fn are_quiet(&self) -> bool {
        self.quiet().count() >= self.wanted
    }

    fn quiet(&self) -> impl Iterator<Item = &Round> {
        self.all.iter().filter(|round| round.is_quiet())
    }
}

fn times_the_loop<'a>(
    rounds: impl Iterator<Item = &'a Round>,
    time: fn(&Usage) -> Duration,
) -> f64 {
    let (mut yardstick, mut ours) = (Vec::new(), Vec::new());
    for round in rounds {
        yardstick.extend(round.yardstick.iter().map(time));
        ours.push(time(&round.ours));
    }
    ratio(median(ours), median(yardstick))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(wall: u64, cpu: u64) -> Usage {
        let milliseconds = Duration::from_millis;
        Usage { wall: milliseconds(wall), cpu: milliseconds(cpu), peak_memory: 0 }
    }

    fn shown(rounds: &Rounds) -> Vec<String> {
        rounds.figures("", Limit::None).iter().map(Figure::shown_value).collect()
    }

    #[test]
    fn only_rounds_without_others_say_something_about_wall_time() {
        let quiet =
            || Round { yardstick: [usage(100, 100), usage(110, 100)], ours: usage(120, 90) };
        let disturbed =
            || Round { yardstick: [usage(100, 100), usage(150, 100)], ours: usage(900, 90) };
        let mut rounds = Rounds { all: (0..4).map(|_| quiet()).collect(), wanted: 4 };
        rounds.all.extend((0..4).map(|_| disturbed()));
        assert_eq!(shown(&rounds), ["0.90x", "1.20x"]);
        rounds.all.remove(0);
        assert_eq!(shown(&rounds), ["0.90x"]);
    }

    #[test]
    fn a_round_is_quiet_however_long_we_take_ourselves() {
        let round = Round { yardstick: [usage(100, 100), usage(100, 100)], ours: usage(900, 90) };
        assert!(round.is_quiet());
    }
}

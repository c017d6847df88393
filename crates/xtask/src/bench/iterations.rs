//! What an iteration costs when the agent does nothing: the price of keeping a journal, of watching
//! over processes and of reading what they print.

use std::path::Path;
use std::time::Duration;

use crate::error::Result;

use super::figure::{Figure, Limit, Unit};
use super::median::{median, ratio};
use super::place::Place;
use super::programs::{Programs, TRUE};
use super::strace;
use super::usage::{self, Expected, Usage};

const ITERATIONS: u32 = 200;

/// As many rounds as are wanted, and as many as are tried on a machine that has other things to do.
const ROUNDS: usize = 15;
const MOST_ROUNDS: usize = 45;

const MOST_TIMES_THE_LOOP: f64 = 1.1;
const SYNCS_PER_ITERATION: f64 = 2.0;

pub(super) fn measure(programs: &Programs) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = Place::new()?;
    let mut figures = Rounds::measure(program, &place)?.figures();
    if strace::is_there_or_installed() {
        let syncs = strace::count("fdatasync", &place, &run(program, &place, "fsync"))?;
        figures.push(Figure {
            work: format!("{ITERATIONS} iterations of `true`"),
            what: "`fdatasync` per iteration",
            value: syncs as f64 / f64::from(ITERATIONS),
            limit: Limit::Exactly(SYNCS_PER_ITERATION),
            unit: Unit::Calls,
        });
    } else {
        println!("WARNING: strace does not work here and could not be installed.");
        println!("WARNING: nobody has counted how often an iteration is synced to disk.");
    }
    Ok(figures)
}

/// Ours, and the loop before and after it.
struct Round {
    yardstick: [Usage; 2],
    ours: Usage,
}

impl Round {
    fn run(program: &Path, place: &Place) -> Result<Self> {
        let script = format!("for ((i = 0; i < {ITERATIONS}; i++)); do {TRUE}; done");
        let yardstick = || usage::of(Expected(place.command("bash", &["-c", &script]), 0));
        let before = yardstick()?;
        let ours = usage::of(run(program, place, "os"))?;
        place.forget_runs()?;
        Ok(Self { yardstick: [before, yardstick()?], ours })
    }

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
struct Rounds(Vec<Round>);

impl Rounds {
    /// Tries until there are enough rounds in which nobody disturbed us, or there will be none.
    fn measure(program: &Path, place: &Place) -> Result<Self> {
        let mut rounds = Self(Vec::new());
        while rounds.quiet().count() < ROUNDS && rounds.0.len() < MOST_ROUNDS {
            rounds.0.push(Round::run(program, place)?);
        }
        Ok(rounds)
    }

    fn quiet(&self) -> impl Iterator<Item = &Round> {
        self.0.iter().filter(|round| round.is_quiet())
    }

    /// CPU time is what we used, whoever else there was.
    fn figures(&self) -> Vec<Figure> {
        let cpu = times_the_loop(self.0.iter(), |usage| usage.cpu);
        let mut figures = vec![figure("CPU time, as a multiple of a loop in bash", cpu)];
        if self.quiet().count() >= ROUNDS {
            let wall = times_the_loop(self.quiet(), |usage| usage.wall);
            figures.push(figure("wall time, as a multiple of the same", wall));
        } else {
            println!("WARNING: this machine has other things to do, so wall times mean nothing.");
            println!("WARNING: nobody knows how long {ITERATIONS} iterations take.");
        }
        figures
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

fn figure(what: &'static str, value: f64) -> Figure {
    Figure {
        work: format!("{ITERATIONS} iterations of `true`, `--durability os`"),
        what,
        value,
        limit: Limit::AtMost(MOST_TIMES_THE_LOOP),
        unit: Unit::Times,
    }
}

/// A run that is not complete at its end, as `true` never says that it is.
fn run(program: &Path, place: &Place, durability: &str) -> Expected {
    let chain = format!("{TRUE}:{ITERATIONS}");
    Expected(place.run(program, &[&chain, "--durability", durability]), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(wall: u64, cpu: u64) -> Usage {
        let milliseconds = Duration::from_millis;
        Usage { wall: milliseconds(wall), cpu: milliseconds(cpu), peak_memory: 0 }
    }

    fn shown(figures: &[Figure]) -> Vec<String> {
        figures.iter().map(Figure::shown_value).collect()
    }

    #[test]
    fn only_rounds_without_others_say_something_about_wall_time() {
        let quiet =
            || Round { yardstick: [usage(100, 100), usage(110, 100)], ours: usage(120, 90) };
        let disturbed =
            || Round { yardstick: [usage(100, 100), usage(150, 100)], ours: usage(900, 90) };
        let mut rounds = Rounds((0..ROUNDS).map(|_| quiet()).collect());
        rounds.0.extend((0..ROUNDS).map(|_| disturbed()));
        assert_eq!(shown(&rounds.figures()), ["0.90x", "1.20x"]);
        rounds.0.remove(0);
        assert_eq!(shown(&rounds.figures()), ["0.90x"]);
    }

    #[test]
    fn a_round_is_quiet_however_long_we_take_ourselves() {
        let round = Round { yardstick: [usage(100, 100), usage(100, 100)], ours: usage(900, 90) };
        assert!(round.is_quiet());
    }
}

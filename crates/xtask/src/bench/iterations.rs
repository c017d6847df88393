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
const MOST_ROUNDS: usize = 60;

const MOST_TIMES_THE_LOOP: f64 = 1.1;
const SYNCS_PER_ITERATION: f64 = 2.0;

pub(super) fn measure(programs: &Programs) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = Place::new()?;
    let mut figures = times_the_loop(&measure_rounds(program, &place)?);
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

/// Both after one another.
struct Round {
    yardstick: Usage,
    ours: Usage,
}

impl Round {
    fn run(program: &Path, place: &Place) -> Result<Self> {
        let script = format!("for ((i = 0; i < {ITERATIONS}; i++)); do {TRUE}; done");
        let yardstick = usage::of(Expected(place.command("bash", &["-c", &script]), 0))?;
        let ours = usage::of(run(program, place, "os"))?;
        place.forget_runs()?;
        Ok(Self { yardstick, ours })
    }

    /// Whether both could run whenever they wanted. With others about, who sleeps more often waits
    /// longer for a processor, and that is about all that is measured then.
    fn is_quiet(&self) -> bool {
        let (wall, cpu) =
            (self.yardstick.wall + self.ours.wall, self.yardstick.cpu + self.ours.cpu);
        wall < cpu.mul_f64(1.15)
    }
}

/// Rounds in which nobody disturbed us, if there are enough of them; or else what there is.
fn measure_rounds(program: &Path, place: &Place) -> Result<Vec<Round>> {
    let (mut quiet, mut disturbed) = (Vec::new(), Vec::new());
    while quiet.len() < ROUNDS && quiet.len() + disturbed.len() < MOST_ROUNDS {
        let round = Round::run(program, place)?;
        if round.is_quiet() { quiet.push(round) } else { disturbed.push(round) }
    }
    if quiet.len() < ROUNDS {
        println!("WARNING: this machine has other things to do, so wall times say little.");
        quiet.append(&mut disturbed);
    }
    Ok(quiet)
}

fn times_the_loop(rounds: &[Round]) -> Vec<Figure> {
    let times = |time: fn(&Usage) -> Duration| {
        let ours = median(rounds.iter().map(|round| time(&round.ours)).collect());
        ratio(ours, median(rounds.iter().map(|round| time(&round.yardstick)).collect()))
    };
    let figure = |what, value| Figure {
        work: format!("{ITERATIONS} iterations of `true`, `--durability os`"),
        what,
        value,
        limit: Limit::AtMost(MOST_TIMES_THE_LOOP),
        unit: Unit::Times,
    };
    vec![
        figure("wall time, as a multiple of a loop in bash", times(|usage| usage.wall)),
        figure("CPU time, as a multiple of the same", times(|usage| usage.cpu)),
    ]
}

/// A run that is not complete at its end, as `true` never says that it is.
fn run(program: &Path, place: &Place, durability: &str) -> Expected {
    let chain = format!("{TRUE}:{ITERATIONS}");
    Expected(place.run(program, &[&chain, "--durability", durability]), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_the_same_rounds_are_compared() {
        let usage = |wall, cpu| Usage {
            wall: Duration::from_millis(wall),
            cpu: Duration::from_millis(cpu),
            peak_memory: 0,
        };
        let round = |yardstick, ours| Round { yardstick, ours };
        let rounds = [
            round(usage(100, 100), usage(110, 90)),
            round(usage(100, 100), usage(120, 80)),
            round(usage(200, 100), usage(900, 90)),
        ];
        let shown: Vec<String> = times_the_loop(&rounds).iter().map(Figure::shown_value).collect();
        assert_eq!(shown, ["1.20x", "0.90x"]);
        assert!(rounds[0].is_quiet() && !rounds[2].is_quiet());
    }
}

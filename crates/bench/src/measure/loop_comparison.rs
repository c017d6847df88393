//! Compares our iterations with a bash loop that starts the same program as often.

use std::time::Duration;

use devkit::error::Result;

use super::bench_dir::BenchDir;
use super::median::{median, ratio};
use super::resource_usage::{self, ExpectedCommand, ResourceUsage};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

/// On a busy machine, the number of rounds tried is at most this multiple of the number wanted.
const MAX_ATTEMPTS: usize = 3;

/// What is compared.
pub(crate) struct LoopComparison<'a> {
    pub(crate) place: &'a BenchDir,
    /// The body of the bash loop.
    pub(crate) body: String,
    pub(crate) iterations: u32,
    /// Our command for the same number of iterations.
    pub(crate) ours: &'a dyn Fn() -> ExpectedCommand,
    /// The number of quiet rounds wanted.
    pub(crate) wanted: usize,
}

impl LoopComparison<'_> {
    /// Measures until there are enough quiet rounds, or the maximum is reached.
    pub(crate) fn measure(&self) -> Result<BenchRounds> {
        let mut rounds = BenchRounds { all: Vec::new(), wanted: self.wanted };
        while !rounds.are_quiet() && rounds.all.len() < MAX_ATTEMPTS * self.wanted {
            rounds.all.push(self.round()?);
        }
        Ok(rounds)
    }

    fn round(&self) -> Result<BenchRound> {
        let Self { body, iterations, .. } = self;
        let script = format!("for ((i = 0; i < {iterations}; i++)); do {body}; done");
        let yardstick =
            || resource_usage::of(ExpectedCommand(self.place.command("bash", &["-c", &script]), 0));
        let before = yardstick()?;
        let ours = resource_usage::of((self.ours)())?;
        self.place.forget_runs()?;
        Ok(BenchRound { yardstick: [before, yardstick()?], subject: ours })
    }
}

/// Our command, and the loop before and after it.
struct BenchRound {
    yardstick: [ResourceUsage; 2],
    subject: ResourceUsage,
}

impl BenchRound {
    /// Whether no other process competed for the processors: the loop never waits for anything
    /// else.
    ///
    /// With other load, the scheduler shares time between sessions, and each of our agents has its
    /// own. Wall time then depends on the load. (Measured with four busy processes: from half of
    /// the loop's time to one and a half, always with less CPU time.)
    fn is_quiet(&self) -> bool {
        self.yardstick.iter().all(|usage| usage.wall < usage.cpu.mul_f64(1.15))
    }
}

/// All rounds of a comparison.
pub(crate) struct BenchRounds {
    all: Vec<BenchRound>,
    wanted: usize,
}

impl BenchRounds {
    /// CPU time is valid under any load.
    pub(crate) fn figures(&self, work: &str, limit: FigureLimit) -> Vec<Figure> {
        let figure = |what, value| Figure {
            work: work.to_owned(),
            what,
            value,
            limit,
            unit: FigureUnit::Times,
        };
        let cpu = times_the_loop(self.all.iter(), |usage| usage.cpu);
        let mut figures = vec![figure("CPU time, as a multiple of a loop in bash", cpu)];
        if self.are_quiet() {
            let wall = times_the_loop(self.quiet(), |usage| usage.wall);
            figures.push(figure("wall time, as a multiple of the same", wall));
        } else {
            println!("WARNING: the machine is busy, so wall times are not reported.");
            println!("WARNING: no time was measured for {work}.");
        }
        figures
    }

    fn are_quiet(&self) -> bool {
        self.quiet().count() >= self.wanted
    }

    fn quiet(&self) -> impl Iterator<Item = &BenchRound> {
        self.all.iter().filter(|round| round.is_quiet())
    }
}

fn times_the_loop<'a>(
    rounds: impl Iterator<Item = &'a BenchRound>,
    time: fn(&ResourceUsage) -> Duration,
) -> f64 {
    let (mut yardstick, mut ours) = (Vec::new(), Vec::new());
    for round in rounds {
        yardstick.extend(round.yardstick.iter().map(time));
        ours.push(time(&round.subject));
    }
    ratio(median(ours), median(yardstick))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(wall: u64, cpu: u64) -> ResourceUsage {
        let milliseconds = Duration::from_millis;
        ResourceUsage { wall: milliseconds(wall), cpu: milliseconds(cpu), peak_memory: 0 }
    }

    fn shown(rounds: &BenchRounds) -> Vec<String> {
        rounds.figures("", FigureLimit::None).iter().map(Figure::shown_value).collect()
    }

    #[test]
    fn only_rounds_without_others_say_something_about_wall_time() {
        let quiet = || BenchRound {
            yardstick: [usage(100, 100), usage(110, 100)],
            subject: usage(120, 90),
        };
        let disturbed = || BenchRound {
            yardstick: [usage(100, 100), usage(150, 100)],
            subject: usage(900, 90),
        };
        let mut rounds = BenchRounds { all: (0..4).map(|_| quiet()).collect(), wanted: 4 };
        rounds.all.extend((0..4).map(|_| disturbed()));
        assert_eq!(shown(&rounds), ["0.90x", "1.20x"]);
        rounds.all.remove(0);
        assert_eq!(shown(&rounds), ["0.90x"]);
    }

    #[test]
    fn a_round_is_quiet_however_long_we_take_ourselves() {
        let round =
            BenchRound { yardstick: [usage(100, 100), usage(100, 100)], subject: usage(900, 90) };
        assert!(round.is_quiet());
    }
}

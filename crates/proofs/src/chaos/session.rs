//! The rounds of one call of `cargo xtask chaos`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use devkit::error::{Error, Result};
use devkit::workspace::Workspace;

use super::chaos_round::{self, Report};
use super::chaos_tally::ChaosTally;
use super::lanes;
use crate::programs::{BuildKind, BuiltPrograms};

/// The default seed.
const SEED: u64 = 4;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What decides all rounds
    #[arg(long, value_name = "S", default_value_t = SEED)]
    seed: u64,

    /// How long rounds are begun, such as 0.5
    #[arg(long, value_name = "N", default_value = "1", value_parser = minutes)]
    minutes: Duration,

    /// Play only this round
    #[arg(long, value_name = "R", conflicts_with = "minutes")]
    round: Option<u64>,

    /// Play that round so many times, since no two are alike in time
    #[arg(long, value_name = "N", default_value_t = 1, requires = "round")]
    times: u64,

    /// How many rounds are played at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: u64,

    /// Tell the story of every round, not only of those that failed
    #[arg(long)]
    stories: bool,

    /// Disturb this build
    #[arg(long, value_name = "KIND", default_value_t, value_enum)]
    build: BuildKind,

    /// Disturb this program and build none
    #[arg(long, value_name = "PATH", conflicts_with = "build")]
    program: Option<PathBuf>,
}

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if !cfg!(target_os = "linux") {
        println!("WARNING: processes can be watched from outside on Linux only; nothing is done.");
        return Ok(());
    }
    let program = program(workspace, args)?;
    println!("chaos: seed {}", args.seed);
    let SearchedRounds { tally, failures, error } = play(&program, args);
    println!("{}", tally.summary());
    match (error, failures) {
        (Some(error), _) => Err(error),
        (None, 0) => Ok(()),
        (None, _) => Err(Error::Unmet(format!("{failures} of {} rounds failed", tally.rounds))),
    }
}

fn program(workspace: &Workspace, args: &Args) -> Result<PathBuf> {
    if let Some(program) = &args.program {
        return Ok(program.clone());
    }
    BuiltPrograms::build(workspace, args.build, &["forkhestra"])?.path("forkhestra")
}

/// The results of all rounds.
#[derive(Default)]
struct SearchedRounds {
    tally: ChaosTally,
    failures: u64,
    /// Why a round could not start.
    error: Option<Error>,
}

fn minutes(text: &str) -> std::result::Result<Duration, String> {
    let minutes = text.parse::<f64>().ok();
    let time = minutes.and_then(|minutes| Duration::try_from_secs_f64(60.0 * minutes).ok());
    time.ok_or_else(|| "it is not a number of minutes, such as 10 or 0.5".to_owned())
}

/// Plays rounds until the time is over.
fn play(program: &Path, args: &Args) -> SearchedRounds {
    let until = Instant::now() + args.minutes;
    let next = AtomicU64::new(0);
    let played = Mutex::new(SearchedRounds::default());
    let worker = || loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let round = match args.round {
            Some(_) if number >= args.times => return,
            Some(round) => round,
            None if Instant::now() >= until => return,
            None => number + 1,
        };
        let report = if lanes::is_lane_round(round) {
            lanes::play(program, args.seed, round)
        } else {
            chaos_round::play(program, args.seed, round)
        };
        let mut played = played.lock().expect("no thread panics while reporting");
        match report {
            Ok(report) => played.take(args, &report),
            Err(error) => {
                played.error = Some(error);
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(worker);
        }
    });
    played.into_inner().expect("no thread panics while reporting")
}

impl SearchedRounds {
    fn take(&mut self, args: &Args, report: &Report) {
        self.tally.merge(&report.tally);
        self.failures += u64::from(report.failure.is_some());
        if report.failure.is_some() || args.stories {
            print_report(args.seed, report);
        }
    }
}

fn print_report(seed: u64, report: &Report) {
    let Report { round, failure, script, story: log, .. } = report;
    println!("== round {round} {}", if failure.is_some() { "failed" } else { "passed" });
    for problem in failure.iter().flat_map(|failure| &failure.problems) {
        println!("  {problem}");
    }
    print!("{script}");
    println!("what was done:");
    for line in log {
        println!("  {line}");
    }
    if let Some(failure) = failure {
        println!("everything is kept in {}", failure.kept.display());
        println!("to repeat it: cargo xtask chaos --seed {seed} --round {round}");
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_may_have_a_fraction() {
        assert_eq!(minutes("0.5"), Ok(Duration::from_secs(30)));
        assert_eq!(minutes("30"), Ok(Duration::from_secs(1800)));
        for wrong in ["", "-1", "NaN", "1e99", "5m"] {
            assert!(minutes(wrong).is_err(), "{wrong}");
        }
    }
}

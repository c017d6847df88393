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
use super::usage::{self, Expected};

const ITERATIONS: u32 = 200;
const ROUNDS: usize = 15;

const MOST_TIMES_THE_LOOP: f64 = 1.1;
const SYNCS_PER_ITERATION: f64 = 2.0;

pub(super) fn measure(programs: &Programs) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = Place::new()?;
    let work = format!("{ITERATIONS} iterations of `true`");
    let mut figures = vec![Figure {
        work: format!("{work}, `--durability os`"),
        what: "wall time, as a multiple of a loop in bash",
        value: times_the_loop(program, &place)?,
        limit: Limit::AtMost(MOST_TIMES_THE_LOOP),
        unit: Unit::Times,
    }];
    if strace::is_there_or_installed() {
        let syncs = strace::count("fdatasync", &place, &run(program, &place, "fsync"))?;
        figures.push(Figure {
            work,
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

/// Both in turns, so that whatever the machine does meanwhile hits both alike.
fn times_the_loop(program: &Path, place: &Place) -> Result<f64> {
    let script = format!("for ((i = 0; i < {ITERATIONS}; i++)); do {TRUE}; done");
    let (mut yardstick, mut ours): (Vec<Duration>, Vec<Duration>) = Default::default();
    for _ in 0..ROUNDS {
        yardstick.push(usage::of(Expected(place.command("bash", &["-c", &script]), 0))?.wall);
        ours.push(usage::of(run(program, place, "os"))?.wall);
        place.forget_runs()?;
    }
    Ok(ratio(median(ours), median(yardstick)))
}

/// A run that is not complete at its end, as `true` never says that it is.
fn run(program: &Path, place: &Place, durability: &str) -> Expected {
    let chain = format!("{TRUE}:{ITERATIONS}");
    Expected(place.run(program, &[&chain, "--durability", durability]), 1)
}

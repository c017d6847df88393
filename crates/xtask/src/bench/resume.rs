//! What it costs to go on with a run that has a long past.

use crate::error::Result;

use super::figure::{Figure, Limit, Unit};
use super::median::median;
use super::place::Place;
use super::programs::{Programs, TRUE};
use super::usage::{self, Expected};

const ITERATIONS: u32 = 10_000;
const ROUNDS: usize = 5;

const MOST_SECONDS: f64 = 0.2;

pub(super) fn measure(programs: &Programs) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = Place::new()?;
    let chain = format!("{TRUE}:{ITERATIONS}");
    usage::of(Expected(place.run(program, &[&chain, "--durability", "os"]), 1))?;
    let mut times = Vec::new();
    // Each time there is one more iteration to run.
    for most in (ITERATIONS + 1..).take(ROUNDS) {
        let most = most.to_string();
        let resume = place.run(program, &["resume", "--max-iterations", &most]);
        times.push(usage::of(Expected(resume, 1))?.cpu);
    }
    Ok(vec![Figure {
        work: format!("`resume` after {ITERATIONS} iterations"),
        what: "CPU time, with one more iteration of `true`",
        value: median(times).as_secs_f64(),
        limit: Limit::AtMost(MOST_SECONDS),
        unit: Unit::Seconds,
    }])
}

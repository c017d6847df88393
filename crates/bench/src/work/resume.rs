//! The cost of resuming a run with many iterations.

use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ITERATIONS: u32 = 10_000;
const ROUNDS: usize = 5;

const MAX_SECONDS: f64 = 0.2;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let directory = BenchDir::new()?;
    let chain = format!("{TRUE}:{ITERATIONS}");
    resource_usage::of(ExpectedCommand(
        directory.run(program, &[&chain, "--durability", "os"]),
        1,
    ))?;
    let mut times = Vec::new();
    // Each round has one more iteration to run.
    for most in (ITERATIONS + 1..).take(ROUNDS) {
        let most = most.to_string();
        let resume = directory.run(program, &["resume", "--max-iterations", &most]);
        times.push(resource_usage::of(ExpectedCommand(resume, 1))?.cpu);
    }
    Ok(vec![Figure {
        work: format!("`resume` after {ITERATIONS} iterations"),
        what: "CPU time, with one more iteration of `true`",
        value: median(times).as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_SECONDS),
        unit: FigureUnit::Seconds,
    }])
}

//! The cost of an iteration whose agent does nothing: the journal, process supervision and reading
//! output.

use std::path::Path;

use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::loop_comparison::LoopComparison;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::resource_usage::ExpectedCommand;
use crate::measure::strace;
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ITERATIONS: u32 = 200;
const ROUNDS: usize = 15;

const MOST_TIMES_THE_LOOP: f64 = 1.1;
const SYNCS_PER_ITERATION: f64 = 2.0;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = BenchDir::new()?;
    let contest = LoopComparison {
        place: &place,
        body: TRUE.to_owned(),
        iterations: ITERATIONS,
        ours: &|| run(program, &place, "os"),
        wanted: ROUNDS,
    };
    let work = format!("{ITERATIONS} iterations of `true`, `--durability os`");
    let mut figures = contest.measure()?.figures(&work, FigureLimit::AtMost(MOST_TIMES_THE_LOOP));
    if strace::is_there_or_installed() {
        let syncs = strace::count("fdatasync", &place, &run(program, &place, "fsync"))?;
        figures.push(Figure {
            work: format!("{ITERATIONS} iterations of `true`"),
            what: "`fdatasync` per iteration",
            value: syncs as f64 / f64::from(ITERATIONS),
            limit: FigureLimit::Exactly(SYNCS_PER_ITERATION),
            unit: FigureUnit::Calls,
        });
    } else {
        println!("WARNING: strace does not work here and could not be installed.");
        println!("WARNING: nobody has counted how often an iteration is synced to disk.");
    }
    Ok(figures)
}

/// A run that ends incomplete, since `true` never claims completion.
fn run(program: &Path, place: &BenchDir, durability: &str) -> ExpectedCommand {
    let chain = format!("{TRUE}:{ITERATIONS}");
    ExpectedCommand(place.run(program, &[&chain, "--durability", durability]), 1)
}

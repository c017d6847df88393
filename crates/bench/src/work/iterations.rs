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

const MAX_RATIO_TO_LOOP: f64 = 1.1;
const SYNCS_PER_ITERATION: f64 = 2.0;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let directory = BenchDir::new()?;
    let contest = LoopComparison {
        place: &directory,
        body: TRUE.to_owned(),
        iterations: ITERATIONS,
        ours: &|| run(program, &directory, "os"),
        wanted: ROUNDS,
    };
    let work = format!("{ITERATIONS} iterations of `true`, `--durability os`");
    let mut figures = contest.measure()?.figures(&work, FigureLimit::AtMost(MAX_RATIO_TO_LOOP));
    if strace::is_there_or_installed() {
        let syncs = strace::count("fdatasync", &directory, &run(program, &directory, "fsync"))?;
        figures.push(Figure {
            work: format!("{ITERATIONS} iterations of `true`"),
            what: "`fdatasync` per iteration",
            value: syncs as f64 / f64::from(ITERATIONS),
            limit: FigureLimit::Exactly(SYNCS_PER_ITERATION),
            unit: FigureUnit::Calls,
        });
    } else {
        println!("WARNING: strace does not work here and could not be installed.");
        println!("WARNING: the number of syncs per iteration was not counted.");
    }
    Ok(figures)
}

/// A run that ends incomplete, since `true` never claims completion.
fn run(program: &Path, directory: &BenchDir, durability: &str) -> ExpectedCommand {
    let chain = format!("{TRUE}:{ITERATIONS}");
    ExpectedCommand(directory.run(program, &[&chain, "--durability", durability]), 1)
}

//! The cost of a sandbox for each iteration.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use devkit::command;
use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ITERATIONS: u32 = 50;
const ROUNDS: usize = 7;

const MAX_MILLISECONDS: f64 = 10.0;

/// The additional wall time of an iteration of `true` in each level of the sandbox.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = BenchDir::new()?;
    let mut levels = vec!["guard"];
    if command::answers(Command::new("bwrap").arg("--version")) {
        levels.push("workspace");
    } else {
        println!("bubblewrap is not installed: the sandbox `workspace` is not measured");
    }
    let mut figures = Vec::new();
    for level in levels {
        let mut each = Vec::new();
        for _ in 0..ROUNDS {
            let without = run(program, &place, "off")?;
            each.push(run(program, &place, level)?.saturating_sub(without) / ITERATIONS);
        }
        figures.push(Figure {
            work: format!("an iteration with `--sandbox {level}`"),
            what: "wall time, more than without a sandbox",
            value: median(each).as_secs_f64() * 1000.0,
            limit: FigureLimit::AtMost(MAX_MILLISECONDS),
            unit: FigureUnit::Milliseconds,
        });
    }
    Ok(figures)
}

fn run(program: &Path, place: &BenchDir, level: &str) -> Result<Duration> {
    let chain = format!("{TRUE}:{ITERATIONS}");
    let arguments = [chain.as_str(), "--sandbox", level, "--durability", "os", "--no-view"];
    let used = resource_usage::of(ExpectedCommand(place.run(program, &arguments), 1))?;
    place.forget_runs()?;
    Ok(used.wall)
}

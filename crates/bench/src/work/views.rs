//! The cost of keeping `.agent-state/` up to date with iterations of minimal length.

use std::path::Path;

use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand, ResourceUsage};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ITERATIONS: u32 = 200;
const ROUNDS: usize = 31;

const MAX_PERCENT: f64 = 2.0;

/// The additional CPU time with views, as a fraction of the time of the loop. The difference is
/// smaller than the variation between rounds, so the minimum of all rounds is compared:
/// disturbances only add time.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let directory = BenchDir::new()?;
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        with.push(run(program, &directory, &[])?);
        without.push(run(program, &directory, &["--no-view"])?);
    }
    let cpu =
        |usages: &[ResourceUsage]| usages.iter().map(|usage| usage.cpu).min().unwrap_or_default();
    let wall = median(without.iter().map(|usage| usage.wall).collect());
    let added = cpu(&with).saturating_sub(cpu(&without));
    Ok(vec![Figure {
        work: format!("{ITERATIONS} iterations of `true`, with `.agent-state/`"),
        what: "CPU time for the view, as a part of the wall time without it",
        value: 100.0 * added.as_secs_f64() / wall.as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_PERCENT),
        unit: FigureUnit::Percent,
    }])
}

fn run(program: &Path, directory: &BenchDir, more: &[&str]) -> Result<ResourceUsage> {
    let chain = format!("{TRUE}:{ITERATIONS}");
    let arguments = [&[chain.as_str(), "--durability", "os"], more].concat();
    let used = resource_usage::of(ExpectedCommand(directory.run(program, &arguments), 1))?;
    directory.forget_runs()?;
    Ok(used)
}

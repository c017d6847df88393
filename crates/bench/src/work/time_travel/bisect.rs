//! The cost of testing one more snapshot of a large repository.

use std::path::Path;
use std::time::Duration;

use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};
use crate::work::observations::{FILES, repository};

/// Changes 30 files in each iteration.
const AGENT: &str = "n=$FORKHESTRA_ITERATION; echo $n > count
f=0; while [ $f -lt 30 ]; do echo $n > src/$f/$n.txt; f=$((f + 1)); done";

const ITERATIONS: u32 = 16;

/// The last iteration is the bad one.
const TEST: &str = "[ $(cat count 2>/dev/null || echo 0) -lt 16 ]";

/// The tests of all snapshots (both ends, 8, 12, 14 and 15), less those of the last two.
const FURTHER_TESTS: u32 = 4;

const ROUNDS: usize = 7;
const MAX_SECONDS: f64 = 0.2;

/// The wall time of each further test, almost without its command. The first one writes all files,
/// and is not counted.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = repository(AGENT)?;
    let chain = format!("./agent:{ITERATIONS}");
    let run = place.run(program, &[&chain, "--durability", "os", "--no-view"]);
    resource_usage::of(ExpectedCommand(run, 1))?;
    let mut each = Vec::new();
    for _ in 0..ROUNDS {
        let (last, all) = (bisect(program, &place, "15")?, bisect(program, &place, "0")?);
        each.push(all.saturating_sub(last) / FURTHER_TESTS);
    }
    Ok(vec![Figure {
        work: format!("a test of `bisect` with {FILES} files"),
        what: "wall time per test, without the command and the first test",
        value: median(each).as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_SECONDS),
        unit: FigureUnit::Seconds,
    }])
}

fn bisect(program: &Path, place: &BenchDir, good: &str) -> Result<Duration> {
    let state = place.file("state");
    let state = state.to_string_lossy();
    let arguments = ["bisect", "--state-dir", &state, "--good", good, "--", "/bin/sh", "-c", TEST];
    Ok(resource_usage::of(ExpectedCommand(place.command(program, &arguments), 0))?.wall)
}

//! The cost of testing one more snapshot of a large repository.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use devkit::command;
use devkit::error::{Error, Result};

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

/// A line of progress, which is printed after each test, contains one of these.
const OUTCOMES: [&str; 2] = [": good (", ": bad ("];

const ROUNDS: usize = 7;
const MAX_SECONDS: f64 = 0.2;

/// The wall time from one test to the next one. The first test writes all files, and is not counted.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = repository(AGENT)?;
    let chain = format!("./agent:{ITERATIONS}");
    let run = place.run(program, &[&chain, "--durability", "os", "--no-view"]);
    resource_usage::of(ExpectedCommand(run, 1))?;
    let mut each = Vec::new();
    for _ in 0..ROUNDS {
        each.extend(bisect(program, &place)?);
    }
    Ok(vec![Figure {
        work: format!("a test of `bisect` with {FILES} files"),
        what: "wall time, without the first test",
        value: median(each).as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_SECONDS),
        unit: FigureUnit::Seconds,
    }])
}

/// The time of each test but the first one.
fn bisect(program: &Path, place: &BenchDir) -> Result<Vec<Duration>> {
    let state = place.file("state");
    let arguments =
        ["bisect", "--state-dir", &state.to_string_lossy(), "--", "/bin/sh", "-c", TEST];
    let mut search = place.command(program, &arguments);
    search.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let shown = command::shown(&search);
    let mut child = search.spawn().map_err(|source| Error::Start { command: shown, source })?;
    let lines = child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).lines());
    let lines = lines.map_while(std::result::Result::ok);
    let tests = lines.filter(|line| OUTCOMES.iter().any(|outcome| line.contains(outcome)));
    let times: Vec<Instant> = tests.map(|_| Instant::now()).collect();
    resource_usage::wait(&mut child, &search, 0)?;
    Ok(times.windows(2).map(|pair| pair[1] - pair[0]).collect())
}

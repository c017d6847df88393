//! The cost of showing past runs: a list of many, and one with many iterations.

use std::fs;
use std::path::{Path, PathBuf};

use devkit::error::{Error, Result};
use devkit::files;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const RUNS: usize = 1_000;
const ITERATIONS: u32 = 10_000;
const ROUNDS: usize = 9;

const MOST_SECONDS_FOR_ALL: f64 = 0.1;
const MOST_SECONDS_FOR_ONE: f64 = 0.2;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    Ok(vec![list(program)?, show(program)?])
}

fn list(program: &Path) -> Result<Figure> {
    let place = BenchDir::new()?;
    run(program, &place, 3)?;
    multiply(&only_run(&place)?)?;
    Ok(Figure {
        work: format!("`runs` over {RUNS} runs"),
        what: "CPU time",
        value: seconds(program, &place, &["runs"])?,
        limit: FigureLimit::AtMost(MOST_SECONDS_FOR_ALL),
        unit: FigureUnit::Seconds,
    })
}

fn show(program: &Path) -> Result<Figure> {
    let place = BenchDir::new()?;
    run(program, &place, ITERATIONS)?;
    // The slowest variant counts.
    let mut slowest: f64 = 0.0;
    for arguments in [&["show"][..], &["show", "--all"], &["show", "--json"]] {
        slowest = slowest.max(seconds(program, &place, arguments)?);
    }
    Ok(Figure {
        work: format!("`show` of {ITERATIONS} iterations"),
        what: "CPU time, of `--all` or `--json` if that takes longer",
        value: slowest,
        limit: FigureLimit::AtMost(MOST_SECONDS_FOR_ONE),
        unit: FigureUnit::Seconds,
    })
}

/// Creates a run that ends incomplete.
fn run(program: &Path, place: &BenchDir, iterations: u32) -> Result<()> {
    let chain = format!("{TRUE}:{iterations}");
    resource_usage::of(ExpectedCommand(place.run(program, &[&chain, "--durability", "os"]), 1))
        .map(drop)
}

fn seconds(program: &Path, place: &BenchDir, arguments: &[&str]) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(resource_usage::of(ExpectedCommand(place.run(program, arguments), 0))?.cpu);
    }
    Ok(median(times).as_secs_f64())
}

/// The directory of the only run.
pub(crate) fn only_run(place: &BenchDir) -> Result<PathBuf> {
    let state = place.file("state");
    let found = directories(&state)?.into_iter().next();
    let run = found.map_or(Ok(Vec::new()), |tree| directories(&tree))?.into_iter().next();
    run.ok_or_else(|| Error::Unmet(format!("there is no run in {}", state.display())))
}

fn directories(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).map_err(files::failing("read", path))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// Copies a run many times, with different ids.
fn multiply(run: &Path) -> Result<()> {
    let name = run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (moment, _) = name.split_once('-').unwrap_or((&name, ""));
    for number in 1..RUNS {
        let copy = run.with_file_name(format!("{moment}-{number:08}"));
        files::make_folder(&copy)?;
        for file in ["journal.jsonl", "overview.json"] {
            files::copy(&run.join(file), &copy.join(file))?;
        }
    }
    Ok(())
}

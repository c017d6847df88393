//! The cost of showing past runs: a list of many, their statistics, and one with many iterations.

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

const MAX_SECONDS_FOR_ALL: f64 = 0.1;
const MAX_SECONDS_FOR_STATISTICS: f64 = 0.15;
const MAX_SECONDS_FOR_JOURNALS: f64 = 1.5;
const MAX_SECONDS_FOR_ONE: f64 = 0.2;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let mut figures = of_many(program)?;
    figures.push(show(program)?);
    Ok(figures)
}

/// The list and the statistics of many runs.
fn of_many(program: &Path) -> Result<Vec<Figure>> {
    let directory = BenchDir::new()?;
    run(program, &directory, 3)?;
    let run = only_run(&directory)?;
    let runs = multiply(&run)?;
    let figure = |work: &str, what, limit| -> Result<Figure> {
        Ok(Figure {
            work: format!("`{work}` over {RUNS} runs"),
            what,
            value: seconds(program, &directory, &[work])?,
            limit: FigureLimit::AtMost(limit),
            unit: FigureUnit::Seconds,
        })
    };
    let mut figures = vec![
        figure("runs", "CPU time", MAX_SECONDS_FOR_ALL)?,
        figure("stats", "CPU time", MAX_SECONDS_FOR_STATISTICS)?,
    ];
    for run in runs.iter().chain([&run]) {
        let note = run.join(STATISTICS);
        fs::remove_file(&note).map_err(files::failing("remove", &note))?;
    }
    let what = "CPU time without the files `stats.json`";
    figures.push(figure("stats", what, MAX_SECONDS_FOR_JOURNALS)?);
    Ok(figures)
}

fn show(program: &Path) -> Result<Figure> {
    let directory = BenchDir::new()?;
    run(program, &directory, ITERATIONS)?;
    // The slowest variant counts.
    let mut slowest: f64 = 0.0;
    for arguments in [&["show"][..], &["show", "--all"], &["show", "--json"]] {
        slowest = slowest.max(seconds(program, &directory, arguments)?);
    }
    Ok(Figure {
        work: format!("`show` of {ITERATIONS} iterations"),
        what: "CPU time, of `--all` or `--json` if that takes longer",
        value: slowest,
        limit: FigureLimit::AtMost(MAX_SECONDS_FOR_ONE),
        unit: FigureUnit::Seconds,
    })
}

/// Creates a run that ends incomplete.
fn run(program: &Path, directory: &BenchDir, iterations: u32) -> Result<()> {
    let chain = format!("{TRUE}:{iterations}");
    resource_usage::of(ExpectedCommand(directory.run(program, &[&chain, "--durability", "os"]), 1))
        .map(drop)
}

fn seconds(program: &Path, directory: &BenchDir, arguments: &[&str]) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        times.push(resource_usage::of(ExpectedCommand(directory.run(program, arguments), 0))?.cpu);
    }
    Ok(median(times).as_secs_f64())
}

/// The directory of the only run.
pub(crate) fn only_run(directory: &BenchDir) -> Result<PathBuf> {
    let state = directory.file("state");
    let found = directories(&state)?.into_iter().next();
    let run = found.map_or(Ok(Vec::new()), |tree| directories(&tree))?.into_iter().next();
    run.ok_or_else(|| Error::Unmet(format!("there is no run in {}", state.display())))
}

fn directories(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).map_err(files::failing("read", path))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    Ok(paths.filter(|path| path.is_dir()).collect())
}

/// The statistics of a run beside its journal.
const STATISTICS: &str = "stats.json";

/// Copies a run many times, with different ids. Returns the copies.
fn multiply(run: &Path) -> Result<Vec<PathBuf>> {
    let name = run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let (start_time, _) = name.split_once('-').unwrap_or((&name, ""));
    let mut copies = Vec::new();
    for number in 1..RUNS {
        let copy = run.with_file_name(format!("{start_time}-{number:08}"));
        files::make_folder(&copy)?;
        for file in ["journal.jsonl", "overview.json", STATISTICS] {
            files::copy(&run.join(file), &copy.join(file))?;
        }
        copies.push(copy);
    }
    Ok(copies)
}

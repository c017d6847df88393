//! The cost of observing a large work tree after an iteration, and of taking a snapshot.

use std::path::Path;

use devkit::command;
use devkit::error::Result;
use devkit::files;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

/// The number of files in the repository.
pub(in crate::work) const FILES: usize = FOLDERS * FILES_IN_EACH;

const FOLDERS: usize = 100;
const FILES_IN_EACH: usize = 200;
const OBSERVATIONS: u32 = 10;
const ROUNDS: usize = 7;

/// Not noticeable to a user.
const MAX_SECONDS: f64 = 0.1;

/// The wall time of each further iteration, whose agent changes one file of 20,000. Both runs
/// include the first observation, so it is not counted.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = repository("echo $FORKHESTRA_ITERATION $$ > src/0/0.txt")?;
    let mut each = Vec::new();
    for _ in 0..ROUNDS {
        let one = run(program, &place, 1)?;
        let many = run(program, &place, 1 + OBSERVATIONS)?;
        each.push(many.saturating_sub(one) / OBSERVATIONS);
    }
    Ok(vec![Figure {
        work: format!("an iteration that changes one of {FILES} files"),
        what: "wall time with a look and a snapshot, after the first",
        value: median(each).as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_SECONDS),
        unit: FigureUnit::Seconds,
    }])
}

/// A repository with many committed files, and the script of an agent.
pub(in crate::work) fn repository(agent: &str) -> Result<BenchDir> {
    let directory = BenchDir::new()?;
    for folder in 0..FOLDERS {
        for file in 0..FILES_IN_EACH {
            let path = directory.file(&format!("src/{folder}/{file}.txt"));
            files::write(&path, &format!("file {file} of folder {folder}\n"))?;
        }
    }
    directory.write_script("agent", agent)?;
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "--all"],
        &[
            "-c",
            "user.name=bench",
            "-c",
            "user.email=bench@localhost",
            "commit",
            "--quiet",
            "-m",
            "x",
        ],
    ] {
        command::run(&mut directory.command("git", arguments))?;
    }
    Ok(directory)
}

fn run(program: &Path, directory: &BenchDir, iterations: u32) -> Result<std::time::Duration> {
    let chain = format!("./agent:{iterations}");
    let arguments = [chain.as_str(), "--durability", "os", "--no-view"];
    let used = resource_usage::of(ExpectedCommand(directory.run(program, &arguments), 1))?;
    directory.forget_runs()?;
    Ok(used.wall)
}

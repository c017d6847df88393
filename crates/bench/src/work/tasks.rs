//! The cost of the task database: agents query it often, and pay for the time.

use std::path::{Path, PathBuf};
use std::time::Duration;

use devkit::error::{Error, Result};
use devkit::files;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::{median, ratio};
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const TASKS: usize = 5_000;
const MANY_TASKS: usize = 50_000;
const ROUNDS: usize = 15;
const FEW_ROUNDS: usize = 5;

const MAX_RATIO_TO_CAT: f64 = 2.0;
const MAX_RATIO_TO_EMPTY: f64 = 3.0;

/// `cat` of all tasks, through `xargs`: there may be too many for one command line.
const CAT: &str = "printf '%s\\0' forge/tasks/*.md | xargs -0 cat";

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forge-tasks")?;
    let place = BenchTasks::new(program, TASKS)?;
    let mut figures = Vec::new();
    for arguments in [&["list", "--plain"][..], &["list", "--ready", "--plain"]] {
        let work = format!("`{}` over {TASKS} tasks", arguments.join(" "));
        let value = place.times_cat("cat forge/tasks/*.md", arguments, ROUNDS)?;
        figures.push(times_cat(work, value, FigureLimit::AtMost(MAX_RATIO_TO_CAT)));
    }
    figures.push(Figure {
        work: format!("`create` at {TASKS} tasks"),
        what: "wall time, as a multiple of the same at none",
        value: place.create_times_empty()?,
        limit: FigureLimit::AtMost(MAX_RATIO_TO_EMPTY),
        unit: FigureUnit::Times,
    });
    let many = BenchTasks::new(program, MANY_TASKS)?;
    let value = many.times_cat(CAT, &["list", "--plain"], FEW_ROUNDS)?;
    figures.push(times_cat(
        format!("`list --plain` over {MANY_TASKS} tasks"),
        value,
        FigureLimit::None,
    ));
    Ok(figures)
}

fn times_cat(work: String, value: f64, limit: FigureLimit) -> Figure {
    let what = "wall time, as a multiple of `cat`";
    Figure { work, what, value, limit, unit: FigureUnit::Times }
}

/// A project with tasks.
struct BenchTasks<'a> {
    program: &'a Path,
    place: BenchDir,
}

impl<'a> BenchTasks<'a> {
    /// Creates one task with the program, and copies of it with different ids and dependencies.
    fn new(program: &'a Path, tasks: usize) -> Result<Self> {
        let database = Self { program, place: BenchDir::new()? };
        database.run(&["init"])?;
        if tasks > 0 {
            database.run(&[
                "create",
                "Read the configuration of the server",
                "--description=Whoever starts the server wants it to find its configuration.\\nIt is \
                 read once, and a mistake in it is told with its line and what was expected there.",
                "--priority=medium",
                "--label=server,configuration",
                "--depends-on=1000",
                "--ac=A missing file is told with its path",
                "--ac=A mistake is told with its line",
                "--ac=Every key has a test",
            ])?;
            database.multiply(tasks)?;
        }
        Ok(database)
    }

    fn multiply(&self, tasks: usize) -> Result<()> {
        let folder = self.place.file("forge/tasks");
        let first = self.only_task(&folder)?;
        let name = first.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = name.unwrap_or_default();
        let text = read_text(&first)?;
        for number in 2..=tasks {
            let id = format!("TASK-{number:03}");
            let text = text
                .replace("TASK-001", &id)
                .replace("TASK-1000", &format!("TASK-{:03}", number / 2));
            files::write(&folder.join(name.replace("TASK-001", &id)), &text)?;
        }
        let config = self.place.file("forge/tasks/config.json");
        let text = read_text(&config)?;
        files::write(
            &config,
            &text.replace("\"lastIdNumber\": 1", &format!("\"lastIdNumber\": {tasks}")),
        )
    }

    fn only_task(&self, folder: &Path) -> Result<PathBuf> {
        let entries = std::fs::read_dir(folder).map_err(files::failing("read", folder))?;
        let mut paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
        let task = paths.find(|path| path.extension().is_some_and(|extension| extension == "md"));
        task.ok_or_else(|| Error::Unmet(format!("there is no task in {}", folder.display())))
    }

    fn run(&self, arguments: &[&str]) -> Result<Duration> {
        Ok(resource_usage::of(ExpectedCommand(self.place.command(self.program, arguments), 0))?
            .wall)
    }

    fn times_cat(&self, script: &str, arguments: &[&str], rounds: usize) -> Result<f64> {
        let (mut ours, mut cat) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            cat.push(
                resource_usage::of(ExpectedCommand(self.place.command("sh", &["-c", script]), 0))?
                    .wall,
            );
            ours.push(self.run(arguments)?);
        }
        Ok(ratio(median(ours), median(cat)))
    }

    /// The time of `create`, as a multiple of that in an empty database.
    fn create_times_empty(&self) -> Result<f64> {
        let (mut ours, mut empty) = (Vec::new(), Vec::new());
        let create = ["create", "Tell how long the server has been running", "--priority=low"];
        for _ in 0..ROUNDS {
            empty.push(BenchTasks::new(self.program, 0)?.run(&create)?);
            ours.push(self.run(&create)?);
        }
        Ok(ratio(median(ours), median(empty)))
    }
}

fn read_text(path: &Path) -> Result<String> {
    Ok(String::from_utf8_lossy(&files::read(path)?).into_owned())
}

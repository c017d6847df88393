//! The cost of `watch`: opening a long run, showing an idle one, and memory after a million events.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use devkit::error::{Error, Result};
use devkit::files;

use super::runs::only_run;
use crate::measure::background_run::BackgroundRun;
use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand, mebibytes};
use crate::measure::viewer::Viewer;
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ITERATIONS: u32 = 10_000;
const ROUNDS: usize = 5;
/// The time to settle before an idle measurement.
const IDLE_PERIOD: Duration = Duration::from_secs(2);
const IDLE: Duration = Duration::from_secs(10);
const FEW_EVENTS: usize = 100_000;
const MANY_EVENTS: usize = 1_000_000;

const MAX_SECONDS_TO_OPEN: f64 = 0.3;
const MAX_IDLE_PERCENT: f64 = 2.0;
const MAX_GROWTH: f64 = 1.2;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let mut figures = vec![open(program)?];
    if cfg!(target_os = "linux") {
        figures.push(idle(program)?);
        figures.extend(grow(program)?);
    } else {
        println!("WARNING: the resource usage of a running program is unknown on this system.");
    }
    Ok(figures)
}

/// The time from the start until a long run is shown completely.
fn open(program: &Path) -> Result<Figure> {
    let directory = BenchDir::new()?;
    run(program, &directory, ITERATIONS)?;
    let id = id_of(&only_run(&directory)?);
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let mut viewer = Viewer::start(directory.run(program, &["watch", &id]))?;
        // The option that would let the run continue is shown last, after everything was read.
        times.push(viewer.wait_for("--max-iterations")?);
        viewer.leave()?;
    }
    Ok(Figure {
        work: format!("`watch` of {ITERATIONS} iterations"),
        what: "wall time until all of it is shown",
        value: median(times).as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_SECONDS_TO_OPEN),
        unit: FigureUnit::Seconds,
    })
}

/// The CPU time beside a silent agent.
fn idle(program: &Path) -> Result<Figure> {
    let directory = BenchDir::new()?;
    directory.write_script("agent", "echo waiting-for-nothing; exec sleep 600")?;
    let run = BackgroundRun::start(directory.run(program, &["./agent"]))?;
    let viewer = Viewer::start_until(|| directory.run(program, &["watch"]), "waiting-for-nothing")?;
    thread::sleep(IDLE_PERIOD);
    let before = viewer.cpu()?;
    thread::sleep(IDLE);
    let used = viewer.cpu()?.saturating_sub(before);
    viewer.leave()?;
    run.end()?;
    Ok(Figure {
        work: "`watch` of an agent that says nothing".to_owned(),
        what: "CPU time, as a part of the time that passes",
        value: 100.0 * used.as_secs_f64() / IDLE.as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_IDLE_PERCENT),
        unit: FigureUnit::Percent,
    })
}

/// The memory for runs with many events.
fn grow(program: &Path) -> Result<Vec<Figure>> {
    let (few, many) = (memory(program, FEW_EVENTS)?, memory(program, MANY_EVENTS)?);
    let work = format!("`watch` of {MANY_EVENTS} events");
    Ok(vec![
        Figure {
            work: work.clone(),
            what: "memory, once all is shown",
            value: mebibytes(many),
            limit: FigureLimit::None,
            unit: FigureUnit::Mebibytes,
        },
        Figure {
            work,
            what: "memory, as a multiple of that for a tenth of them",
            value: many as f64 / few as f64,
            limit: FigureLimit::AtMost(MAX_GROWTH),
            unit: FigureUnit::Times,
        },
    ])
}

fn memory(program: &Path, events: usize) -> Result<u64> {
    let directory = BenchDir::new()?;
    run(program, &directory, 3)?;
    let run = only_run(&directory)?;
    lengthen(&run.join("journal.jsonl"), events)?;
    let mut viewer = Viewer::start(directory.run(program, &["watch", &id_of(&run)]))?;
    viewer.wait_for("resume")?;
    let memory = viewer.memory()?;
    viewer.leave()?;
    Ok(memory)
}

/// Appends pauses and continuations to a journal while its last agent runs.
fn lengthen(journal: &Path, events: usize) -> Result<()> {
    let text = fs::read_to_string(journal).map_err(files::failing("read", journal))?;
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|line| line.contains(r#""event":"agent_started""#));
    let last = last.ok_or_else(|| Error::Unmet("no agent was started".to_owned()))?;
    let mut text = lines[..=last].join("\n") + "\n";
    for seq in last + 1..events {
        let event = if (seq - last) % 2 == 1 { "paused" } else { "continued" };
        text.push_str(&format!(
            "{{\"seq\":{seq},\"at\":\"2026-11-15T07:59:12.123Z\",\"elapsedMs\":1000,\"event\":\"{event}\"}}\n"
        ));
    }
    files::write(journal, &text)
}

/// Creates a run that ends incomplete.
fn run(program: &Path, directory: &BenchDir, iterations: u32) -> Result<()> {
    let chain = format!("{TRUE}:{iterations}");
    resource_usage::of(ExpectedCommand(directory.run(program, &[&chain, "--durability", "os"]), 1))
        .map(drop)
}

fn id_of(run: &Path) -> String {
    let name = run.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split_once('-').map(|(_, id)| id.to_owned()).unwrap_or_default()
}

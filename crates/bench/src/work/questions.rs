//! The cost of a run that waits for the answer of a person.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use devkit::error::{Error, Result};

use super::runs::only_run;
use crate::measure::background_run::BackgroundRun;
use crate::measure::bench_dir::BenchDir;
use crate::measure::cpu_time;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

/// Much longer than a start takes.
const TIMEOUT: Duration = Duration::from_secs(20);
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// The time to settle before the measurement.
const SETTLING_PERIOD: Duration = Duration::from_secs(2);
const WAITING: Duration = Duration::from_secs(20);

/// A run may wait for days.
const MAX_PERCENT: f64 = 0.1;

/// The CPU time of both processes of a run that asks.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    if !cfg!(target_os = "linux") {
        println!("WARNING: the CPU time of a running program is unknown on this system.");
        return Ok(Vec::new());
    }
    let program = programs.path("forkhestra")?;
    let directory = BenchDir::new()?;
    let run = BackgroundRun::start(directory.run(program, &["?"]))?;
    wait_until_asked(&directory)?;
    thread::sleep(SETTLING_PERIOD);
    let before = cpu_time::of_family(run.pid())?;
    thread::sleep(WAITING);
    let used = cpu_time::of_family(run.pid())?.saturating_sub(before);
    run.end()?;
    Ok(vec![Figure {
        work: "a run that waits for a person".to_owned(),
        what: "CPU time, as a part of the time that passes",
        value: 100.0 * used.as_secs_f64() / WAITING.as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_PERCENT),
        unit: FigureUnit::Percent,
    }])
}

fn wait_until_asked(directory: &BenchDir) -> Result<()> {
    let deadline = Instant::now() + TIMEOUT;
    while Instant::now() < deadline {
        let journal = only_run(directory).map(|run| run.join("journal.jsonl"));
        let text = journal.ok().and_then(|journal| fs::read_to_string(journal).ok());
        if text.is_some_and(|text| text.contains(r#""event":"asked""#)) {
            return Ok(());
        }
        thread::sleep(RETRY_INTERVAL);
    }
    Err(Error::Unmet("the run asked nothing".to_owned()))
}

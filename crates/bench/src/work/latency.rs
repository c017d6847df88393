//! The latency between an agent's output and its display.

use std::thread;
use std::time::Duration;

use devkit::error::Result;

use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::{median, percentile};
use crate::measure::watched_run::WatchedRun;
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

/// Warm-up lines: all processes have started after them.
const WARM_UP_LINES: u32 = 20;
const LINES: u32 = 500;

/// Long enough for all processes to sleep before each line, as they do while a model thinks.
const PAUSE: Duration = Duration::from_millis(3);

const MAX_MILLISECONDS: f64 = 5.0;

/// The agent alone and the two runs get lines alternately, so that disturbances affect all of them
/// alike. All use the same agent, so the difference is our cost.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let mut watched =
        [WatchedRun::alone()?, WatchedRun::in_a_run(program)?, WatchedRun::on_a_terminal(program)?];
    for number in 0..WARM_UP_LINES + LINES {
        for watched in &mut watched {
            watched.time_line(number)?;
            thread::sleep(PAUSE);
        }
    }
    let [alone, in_a_run, on_a_terminal] = watched;
    let alone = times(alone)?;
    let mut figures = Vec::from(alone_figures(&alone));
    for (work, watched) in [
        ("a line of an agent, to a pipe", in_a_run),
        ("a line of an agent, to a terminal", on_a_terminal),
    ] {
        figures.extend(added_figures(work, &times(watched)?, &alone));
    }
    Ok(figures)
}

fn times(watched: WatchedRun) -> Result<Vec<Duration>> {
    Ok(watched.finish()?.split_off(WARM_UP_LINES as usize))
}

fn alone_figures(alone: &[Duration]) -> [Figure; 2] {
    let work = "a line of an agent, read without us";
    [
        figure(work, "time until it is read, median", slow_half(alone), FigureLimit::None),
        figure(work, "the same, 95th percentile", slow_few(alone), FigureLimit::None),
    ]
}

fn added_figures(work: &str, ours: &[Duration], alone: &[Duration]) -> [Figure; 2] {
    let added = |time: fn(&[Duration]) -> Duration| time(ours).saturating_sub(time(alone));
    let most = FigureLimit::AtMost(MAX_MILLISECONDS);
    [
        figure(work, "time that we add, median", added(slow_half), most),
        figure(work, "the same, 95th percentile", added(slow_few), FigureLimit::None),
    ]
}

fn figure(work: &str, what: &'static str, value: Duration, limit: FigureLimit) -> Figure {
    let value = value.as_secs_f64() * 1000.0;
    Figure { work: work.to_owned(), what, value, limit, unit: FigureUnit::Milliseconds }
}

/// The median.
fn slow_half(times: &[Duration]) -> Duration {
    median(times.to_vec())
}

/// The 95th percentile.
fn slow_few(times: &[Duration]) -> Duration {
    percentile(times.to_vec(), 95)
}

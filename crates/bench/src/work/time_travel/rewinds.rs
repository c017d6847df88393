//! The cost of going back to a snapshot of a large work tree, and of comparing snapshots.

use std::path::Path;
use std::time::Duration;

use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::median;
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};
use crate::work::observations::{FILES, repository};

const CHANGED: usize = 30;
const ROUNDS: usize = 7;

/// Limit for an interactive command.
const MAX_REWIND_SECONDS: f64 = 0.3;

/// The time to find the run and its snapshots.
const MAX_DIFF_SECONDS: f64 = 0.01;

/// Rewinds over 30 of 20,000 files and undoes them, and compares `diff` with `git diff`.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let agent = format!(
        "i=0; while [ $i -lt {CHANGED} ]; do echo $FORKHESTRA_ITERATION > src/$i/0.txt; i=$((i+1)); done"
    );
    let place = repository(&agent)?;
    let arguments = ["./agent:2", "--durability", "os", "--no-view"];
    resource_usage::of(ExpectedCommand(place.run(program, &arguments), 1))?;
    let (mut rewinds, mut diffs) = (Vec::new(), Vec::new());
    let refs = first_and_last_ref(&place)?;
    for _ in 0..ROUNDS {
        rewinds.push(time(&place, program, &["rewind", "--to", "0"])?);
        time(&place, program, &["rewind", "--undo"])?;
        let ours = time(&place, program, &["diff", "0..2"])?;
        let [from, to] = &refs;
        let git = place.command("git", &["diff", from, to]);
        let git = resource_usage::of(ExpectedCommand(git, 0))?.wall;
        diffs.push(ours.saturating_sub(git));
    }
    Ok(vec![
        Figure {
            work: format!("`rewind` over {CHANGED} of {FILES} files"),
            what: "wall time",
            value: median(rewinds).as_secs_f64(),
            limit: FigureLimit::AtMost(MAX_REWIND_SECONDS),
            unit: FigureUnit::Seconds,
        },
        Figure {
            work: format!("`diff` of {CHANGED} of {FILES} files"),
            what: "wall time minus that of `git diff`",
            value: median(diffs).as_secs_f64(),
            limit: FigureLimit::AtMost(MAX_DIFF_SECONDS),
            unit: FigureUnit::Seconds,
        },
    ])
}

fn time(place: &BenchDir, program: &Path, arguments: &[&str]) -> Result<Duration> {
    Ok(resource_usage::of(ExpectedCommand(place.run(program, arguments), 0))?.wall)
}

/// The refs of the first and the last snapshot.
fn first_and_last_ref(place: &BenchDir) -> Result<[String; 2]> {
    let args = ["for-each-ref", "--format=%(refname)", "refs/forkhestra"];
    let listed = devkit::command::stdout_of(&mut place.command("git", &args))?;
    let mut refs: Vec<&str> = listed.lines().collect();
    refs.sort_by_key(|name| name.rsplit('/').next().and_then(|number| number.parse::<u32>().ok()));
    let name = |name: Option<&&str>| name.map_or_else(String::new, |name| (*name).to_owned());
    Ok([name(refs.first()), name(refs.last())])
}

//! The cost of a clean room for a large repository.

use std::path::Path;
use std::time::Duration;

use devkit::error::Result;

use super::observations::{FILES, repository};
use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::{median, ratio};
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ROOMS: u32 = 5;
const ROUNDS: usize = 5;

/// Makes and removes a work tree of git's own, which shares the objects of the repository.
const WORK_TREE: &str =
    "git worktree add --quiet --detach .git/tree HEAD && git worktree remove --force .git/tree";

const MAX_RATIO: f64 = 1.2;

/// The wall time of each further clean room, compared with a work tree of git. The first one copies
/// the objects, and is not counted.
pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let place = repository("echo FORKHESTRA_COMPLETE")?;
    let (mut rooms, mut trees) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let tree = place.command("sh", &["-c", WORK_TREE]);
        trees.push(resource_usage::of(ExpectedCommand(tree, 0))?.wall);
        let further = |room: &[&str]| -> Result<Duration> {
            let (one, more) =
                (run(program, &place, 1, room)?, run(program, &place, 1 + ROOMS, room)?);
            Ok(more.saturating_sub(one) / ROOMS)
        };
        rooms.push(further(&["--clean-room"])?.saturating_sub(further(&[])?));
    }
    Ok(vec![Figure {
        work: format!("a clean room with {FILES} files"),
        what: "wall time, compared with a work tree of git",
        value: ratio(median(rooms), median(trees)),
        limit: FigureLimit::AtMost(MAX_RATIO),
        unit: FigureUnit::Times,
    }])
}

fn run(program: &Path, place: &BenchDir, iterations: u32, room: &[&str]) -> Result<Duration> {
    let chain = format!("./agent:{iterations}");
    let fixed = [chain.as_str(), "--check", "command:false", "--durability", "os", "--no-view"];
    let arguments: Vec<&str> = fixed.iter().chain(room).copied().collect();
    let used = resource_usage::of(ExpectedCommand(place.run(program, &arguments), 1))?;
    place.forget_runs()?;
    Ok(used.wall)
}

//! The cost of lanes: making one, landing the work of many, and each iteration in them.

use std::path::Path;
use std::time::Duration;

use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::{median, ratio};
use crate::measure::resource_usage::{self, ExpectedCommand, ResourceUsage};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};
use crate::work::observations::{FILES, repository};

const LANES: u32 = 8;
const ROUNDS: usize = 5;
/// Iterations of each lane, so that what a run and its lanes cost once does not count.
const ITERATIONS: u32 = 6;
/// The tasks of a simulated night, and how long an agent thinks about one, in seconds.
const TASKS: u32 = 60;
const THINKING: &str = "0.5";

const MAX_RATIO_TO_WORK_TREE: f64 = 1.3;
const MAX_LANDING_SECONDS: f64 = 0.5;
const MAX_RATIO_TO_ONE_LANE: f64 = 1.15;
const MAX_PART_OF_NIGHT: f64 = 0.2;
const MAX_MEBIBYTES: f64 = 48.0;

/// 50 MB.
const PRINTED_LINES: usize = 1_250_000;

/// Each iteration changes files of its own, and commits them.
const COMMITTING: &str = "\
for file in 1 2 3 4 5 6 7 8 9 10; do
    echo $FORKHESTRA_ITERATION > src/$FORKHESTRA_ITERATION/$file.txt
done
git commit --quiet --all -m \"Change $FORKHESTRA_ITERATION\"";

/// What commits need, in the clean environment of a measurement.
const IDENTITY: [(&str, &str); 4] = [
    ("GIT_AUTHOR_NAME", "bench"),
    ("GIT_AUTHOR_EMAIL", "bench@localhost"),
    ("GIT_COMMITTER_NAME", "bench"),
    ("GIT_COMMITTER_EMAIL", "bench@localhost"),
];

/// Makes and removes a work tree of git's own, which shares the objects of the repository.
const WORK_TREE: &str = "git worktree add --quiet --detach .git/tree HEAD";

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let mut figures = vec![making(program)?];
    figures.push(landing(program)?);
    figures.extend(iterations(program)?);
    figures.push(printing(program)?);
    figures.push(night(program)?);
    Ok(figures)
}

/// The wall time of each further lane, compared with a work tree of git.
fn making(program: &Path) -> Result<Figure> {
    let place = repository("true")?;
    let (mut lanes, mut trees) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let tree = place.command("sh", &["-c", WORK_TREE]);
        trees.push(resource_usage::of(ExpectedCommand(tree, 0))?.wall);
        command::run(&mut place.command("git", &["worktree", "remove", "--force", ".git/tree"]))?;
        lanes.push(opening_time(program, &place)?);
    }
    Ok(Figure {
        work: format!("a lane with {FILES} files"),
        what: "wall time, compared with a work tree of git",
        value: ratio(median(lanes), median(trees)),
        limit: FigureLimit::AtMost(MAX_RATIO_TO_WORK_TREE),
        unit: FigureUnit::Times,
    })
}

/// The time between the first and the last opened lane, for each of them, by the journal.
fn opening_time(program: &Path, place: &BenchDir) -> Result<Duration> {
    run(program, place, 3, 3)?;
    let times = event_times(place, "lane_opened")?;
    place.forget_runs()?;
    match times[..] {
        [first, _, third] => Ok(third.saturating_sub(first) / 2),
        _ => Err(Error::Unmet(format!("three lanes were to be opened, not {}", times.len()))),
    }
}

/// The wall time from the end of the last agent until the work of all lanes has landed.
fn landing(program: &Path) -> Result<Figure> {
    let place = repository(COMMITTING)?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        run(program, &place, LANES, LANES)?;
        let queued = event_times(&place, "work_queued")?;
        let landed = event_times(&place, "landed")?;
        let (Some(first), Some(last)) = (queued.last(), landed.last()) else {
            return Err(Error::Unmet("no work has landed".to_owned()));
        };
        times.push(last.saturating_sub(*first));
        reset(&place)?;
    }
    Ok(Figure {
        work: format!("landing the work of {LANES} lanes, without checks"),
        what: "wall time after the last of them is queued",
        value: median(times).as_secs_f64(),
        limit: FigureLimit::AtMost(MAX_LANDING_SECONDS),
        unit: FigureUnit::Seconds,
    })
}

/// The CPU time of each further iteration in eight lanes, compared with one lane and with none.
fn iterations(program: &Path) -> Result<[Figure; 2]> {
    let place = repository(COMMITTING)?;
    let further = |lanes: u32| -> Result<Duration> {
        let few = run(program, &place, lanes, LANES)?;
        reset(&place)?;
        let many = run(program, &place, lanes, LANES * ITERATIONS)?;
        reset(&place)?;
        Ok(many.cpu.saturating_sub(few.cpu) / (LANES * (ITERATIONS - 1)))
    };
    let (mut none, mut one, mut eight) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        none.push(further(0)?);
        one.push(further(1)?);
        eight.push(further(LANES)?);
    }
    let (none, one, eight) = (median(none), median(one), median(eight));
    let figure = |what, yardstick, limit| Figure {
        work: format!("an iteration that commits, in {LANES} lanes"),
        what,
        value: ratio(eight, yardstick),
        limit,
        unit: FigureUnit::Times,
    };
    Ok([
        figure("CPU time, compared with one lane", one, FigureLimit::AtMost(MAX_RATIO_TO_ONE_LANE)),
        figure("CPU time, compared with none", none, FigureLimit::None),
    ])
}

/// The memory of a run whose agents all print at once. Their logs must have every byte.
fn printing(program: &Path) -> Result<Figure> {
    let place = BenchDir::new()?;
    let printed = place.file("printed");
    place.write_script("agent", &format!("exec cat {}", printed.display()))?;
    files::write(&printed, &"a line of what an agent does and thinks\n".repeat(PRINTED_LINES))?;
    files::write(&place.file(".gitignore"), "printed\nstate\n")?;
    for arguments in
        [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "-m", "x"]]
    {
        command::run(place.command("git", arguments).envs(IDENTITY))?;
    }
    let peak = run(program, &place, LANES, LANES)?.peak_memory;
    let compare = "for log in state/*/*/output/*/stdout; do cmp printed \"$log\" || exit; done";
    command::run(&mut place.command("sh", &["-c", compare]))?;
    Ok(Figure {
        work: format!("{LANES} agents in lanes that print 50 MB each"),
        what: "peak memory of both processes, upper bound",
        // The measured peak is that of the larger process.
        value: 2.0 * resource_usage::mebibytes(peak),
        limit: FigureLimit::AtMost(MAX_MEBIBYTES),
        unit: FigureUnit::Mebibytes,
    })
}

/// The wall time of many tasks in eight lanes, as a part of that in one.
fn night(program: &Path) -> Result<Figure> {
    let agent = format!("sleep {THINKING}\n{COMMITTING}");
    let place = repository(&agent)?;
    let one = run(program, &place, 1, TASKS)?.wall;
    reset(&place)?;
    let eight = run(program, &place, LANES, TASKS)?.wall;
    Ok(Figure {
        work: format!("{TASKS} tasks of an agent that thinks for {THINKING} s"),
        what: "wall time in 8 lanes, as a part of that in one",
        value: ratio(eight, one),
        limit: FigureLimit::AtMost(MAX_PART_OF_NIGHT),
        unit: FigureUnit::Times,
    })
}

/// Runs an agent so often in so many lanes: without lanes if there are none, and in a parallel stage with
/// one branch of work if there is one.
fn run(program: &Path, place: &BenchDir, lanes: u32, iterations: u32) -> Result<ResourceUsage> {
    let agent = place.file("agent").display().to_string();
    let chain = match lanes {
        0 => format!("{agent}:{iterations}"),
        1 => format!("({agent}:{iterations} | /bin/true)"),
        lanes => format!("{agent}:{iterations} x{lanes}"),
    };
    let arguments = [chain.as_str(), "--durability", "os", "--no-view"];
    let mut command = place.run(program, &arguments);
    command.envs(IDENTITY);
    resource_usage::of(ExpectedCommand(command, 1))
}

/// Forgets all runs and what they landed.
fn reset(place: &BenchDir) -> Result<()> {
    place.forget_runs()?;
    let root = "git reset --quiet --hard $(git rev-list --max-parents=0 HEAD)";
    command::run(&mut place.command("sh", &["-c", root]))
}

/// The times since the start of the run of all events of a kind, in the journal of the only run.
fn event_times(place: &BenchDir, kind: &str) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    let mark = format!(r#""event":"{kind}""#);
    for line in journal(place)?.lines().filter(|line| line.contains(&mark)) {
        let elapsed = line.split_once(r#""elapsedMs":"#).map(|(_, rest)| rest);
        let digits = elapsed.and_then(|rest| rest.split(',').next());
        let milliseconds = digits.and_then(|digits| digits.parse().ok());
        times.extend(milliseconds.map(Duration::from_millis));
    }
    Ok(times)
}

fn journal(place: &BenchDir) -> Result<String> {
    let find = "cat state/*/*/journal.jsonl";
    let mut command = place.command("sh", &["-c", find]);
    let text = command::stdout_of(&mut command)?;
    if text.is_empty() {
        return Err(files::failing("read", &place.file("state"))(
            std::io::ErrorKind::NotFound.into(),
        ));
    }
    Ok(text)
}

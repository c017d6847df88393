//! The cost of a start, which matters in prompts and scripts.

use std::path::Path;
use std::time::Duration;

use devkit::error::Result;

use crate::measure::bench_dir::BenchDir;
use crate::measure::measured_programs::{MeasuredPrograms, TRUE};
use crate::measure::median::{median, ratio};
use crate::measure::resource_usage::{self, ExpectedCommand, ResourceUsage};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const INVOCATIONS: [&[&str]; 2] = [&["--help"], &["--dry-run", "a:3 -> b"]];

/// A group with eight nodes: groups, agents and questions.
const GROUP: &str = "(a:3 -> ? -> (b:5 -> c):3 else d:2 -> e):2";

/// The number of groups in a large chain. With two further agents it has [`NODES`] nodes.
const GROUPS: usize = 6;
const NODES: usize = GROUPS * 8 + 2;

const MAX_CPU_RATIO: f64 = 3.0;
const MAX_MEBIBYTES: f64 = 12.0;

/// A single start takes about half a millisecond, and one in ten is twice as slow because of the
/// machine. The sum over a round evens that out. The median over the rounds drops rounds in which
/// the machine was busy.
const ROUNDS: usize = 7;
const STARTS_PER_ROUND: usize = 60;

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let directory = BenchDir::new()?;
    let yardstick = Contestant::new(Path::new(TRUE), TRUE.to_owned(), &[], &directory);
    let ours = INVOCATIONS
        .map(|arguments| Contestant::new(program, shown(arguments), arguments, &directory));
    let stages = [["a"; 2].as_slice(), &[GROUP; GROUPS]].concat();
    let flow = stages.join(" -> ");
    let name = format!("a dry run of a chain with {NODES} nodes");
    let flow = Contestant::new(program, name, &["--dry-run", &flow], &directory);

    let all = [yardstick].into_iter().chain(ours).chain([flow]);
    let mut contestants: Vec<Contestant<'_>> = all.collect();
    for _ in 0..ROUNDS {
        run_round(&mut contestants)?;
    }
    let (yardstick, ours) = contestants.split_first().expect("the yardstick is always there");
    Ok(ours.iter().flat_map(|ours| figures(ours, yardstick)).collect())
}

/// A command line that is started repeatedly.
struct Contestant<'a> {
    program: &'a Path,
    name: String,
    arguments: Vec<String>,
    place: &'a BenchDir,
    /// The CPU time of all starts, for each round.
    rounds: Vec<Duration>,
    peak_memory: u64,
}

impl<'a> Contestant<'a> {
    fn new(program: &'a Path, name: String, arguments: &[&str], directory: &'a BenchDir) -> Self {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Self { program, name, arguments, place: directory, rounds: Vec::new(), peak_memory: 0 }
    }

    fn start(&self) -> Result<ResourceUsage> {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        resource_usage::of(ExpectedCommand(self.place.command(self.program, &arguments), 0))
    }
}

/// A command line as Markdown.
fn shown(arguments: &[&str]) -> String {
    let quoted = |argument: &&str| {
        if argument.contains(' ') { format!("\"{argument}\"") } else { (*argument).to_owned() }
    };
    let arguments: Vec<String> = arguments.iter().map(quoted).collect();
    format!("`forkhestra {}`", arguments.join(" "))
}

/// Starts all commands alternately, so that disturbances affect all of them alike.
fn run_round(contestants: &mut [Contestant<'_>]) -> Result<()> {
    for contestant in contestants.iter_mut() {
        contestant.rounds.push(Duration::ZERO);
    }
    for _ in 0..STARTS_PER_ROUND {
        for contestant in contestants.iter_mut() {
            let usage = contestant.start()?;
            if let Some(round) = contestant.rounds.last_mut() {
                *round += usage.cpu;
            }
            contestant.peak_memory = contestant.peak_memory.max(usage.peak_memory);
        }
    }
    Ok(())
}

fn figures(ours: &Contestant<'_>, yardstick: &Contestant<'_>) -> [Figure; 2] {
    let (time, yardstick_time) = (median(ours.rounds.clone()), median(yardstick.rounds.clone()));
    [
        Figure {
            work: ours.name.clone(),
            what: "CPU time, as a multiple of `true`",
            value: ratio(time, yardstick_time),
            limit: FigureLimit::AtMost(MAX_CPU_RATIO),
            unit: FigureUnit::Times,
        },
        Figure {
            work: ours.name.clone(),
            what: "peak memory, upper bound",
            value: resource_usage::mebibytes(ours.peak_memory),
            limit: FigureLimit::AtMost(MAX_MEBIBYTES),
            unit: FigureUnit::Mebibytes,
        },
    ]
}

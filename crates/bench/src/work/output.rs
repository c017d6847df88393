//! The cost of passing on agents' output, storing it and searching it for the marker.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use devkit::error::Result;
use devkit::files;

use crate::measure::bench_dir::BenchDir;
use crate::measure::exact;
use crate::measure::measured_programs::MeasuredPrograms;
use crate::measure::median::{median, ratio};
use crate::measure::resource_usage::{self, ExpectedCommand};
use crate::report::figure::{Figure, FigureLimit, FigureUnit};

const ROUNDS: usize = 11;

const MAX_RATIO_TO_CAT: f64 = 1.5;
const MAX_MEBIBYTES: f64 = 24.0;

/// A kind of output.
struct Printed {
    shown: &'static str,
    megabytes: usize,
    /// A megabyte of it.
    block: fn() -> Vec<u8>,
}

const ALL: [Printed; 2] = [
    Printed { shown: "500 MB of lines", megabytes: 500, block: lines },
    Printed { shown: "one line of 200 MB", megabytes: 200, block: || vec![b'x'; MEGABYTE] },
];

const MEGABYTE: usize = 1_000_000;

/// How the agent is run, and the expected exit code.
struct OutputForm {
    chain: &'static str,
    code: i32,
    what: &'static str,
}

/// The marker is searched only in a loop, and a loop without a marker ends incomplete.
const FORMS: [OutputForm; 2] = [
    OutputForm { chain: "./agent", code: 0, what: "wall time, as a multiple of `cat`" },
    OutputForm {
        chain: "./agent:1",
        code: 1,
        what: "the same in a loop, which looks for the marker",
    },
];

pub(crate) fn measure(programs: &MeasuredPrograms) -> Result<Vec<Figure>> {
    let program = programs.path("forkhestra")?;
    let directory = BenchDir::new()?;
    directory.write_script("agent", "exec cat printed")?;
    let mut figures = Vec::new();
    for printed in &ALL {
        printed.write(&directory.file("printed"))?;
        figures.extend(printed.measure(program, &directory)?);
    }
    Ok(figures)
}

impl Printed {
    fn write(&self, path: &Path) -> Result<()> {
        let block = (self.block)();
        File::create(path)
            .and_then(|mut file| (0..self.megabytes).try_for_each(|_| file.write_all(&block)))
            .map_err(files::failing("write", path))
    }

    fn measure(&self, program: &Path, directory: &BenchDir) -> Result<Vec<Figure>> {
        let (mut yardstick, mut ours, mut peak_memory) = (Vec::new(), FORMS.map(|_| Vec::new()), 0);
        for _ in 0..ROUNDS {
            yardstick.push(
                resource_usage::of_pipeline([agent(directory), cat(directory), cat(directory)])?
                    .wall,
            );
            for (form, times) in FORMS.iter().zip(&mut ours) {
                let usage =
                    resource_usage::of_pipeline([form.run(program, directory), cat(directory)])?;
                times.push(usage.wall);
                peak_memory = peak_memory.max(usage.peak_memory);
                directory.forget_runs()?;
            }
        }
        for form in &FORMS {
            peak_memory = peak_memory.max(form.read_slowly(program, directory)?);
        }
        let yardstick = median(yardstick);
        let mut figures: Vec<Figure> = Vec::new();
        for (form, times) in FORMS.iter().zip(ours) {
            figures.push(Figure {
                work: self.shown.to_owned(),
                what: form.what,
                value: ratio(median(times), yardstick),
                limit: FigureLimit::AtMost(MAX_RATIO_TO_CAT),
                unit: FigureUnit::Times,
            });
        }
        figures.push(Figure {
            work: self.shown.to_owned(),
            what: "peak memory of both processes, upper bound",
            // The measured peak is that of the larger process.
            value: 2.0 * resource_usage::mebibytes(peak_memory),
            limit: FigureLimit::AtMost(MAX_MEBIBYTES),
            unit: FigureUnit::Mebibytes,
        });
        Ok(figures)
    }
}

impl OutputForm {
    fn run(&self, program: &Path, directory: &BenchDir) -> ExpectedCommand {
        ExpectedCommand(directory.run(program, &[self.chain]), self.code)
    }

    /// Reads slowly and compares the output, and returns the peak memory.
    fn read_slowly(&self, program: &Path, directory: &BenchDir) -> Result<u64> {
        let ExpectedCommand(mut command, code) = self.run(program, directory);
        let mut child = resource_usage::start(command.stdin(Stdio::null()).stdout(Stdio::piped()))?;
        if let Some(stdout) = child.stdout.take() {
            exact::read_slowly(stdout, &directory.file("printed"))?;
        }
        let ended = resource_usage::wait(&mut child, &command, code)?;
        directory.forget_runs()?;
        Ok(ended.rusage.maxrss)
    }
}

fn agent(directory: &BenchDir) -> ExpectedCommand {
    ExpectedCommand(directory.command("./agent", &[]), 0)
}

fn cat(directory: &BenchDir) -> ExpectedCommand {
    ExpectedCommand(directory.command("cat", &[]), 0)
}

/// A megabyte of typical lines.
fn lines() -> Vec<u8> {
    let line = |number: usize| format!("{number}: another line of what an agent does and thinks\n");
    let mut block: Vec<u8> = (0..MEGABYTE / 50).map(line).collect::<String>().into_bytes();
    block.truncate(MEGABYTE - 1);
    block.push(b'\n');
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_a_megabyte() {
        for printed in &ALL {
            assert_eq!((printed.block)().len(), MEGABYTE, "{}", printed.shown);
        }
        assert_eq!(lines().last(), Some(&b'\n'), "the next one begins with a line of its own");
    }
}

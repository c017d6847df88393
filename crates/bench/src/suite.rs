//! All measurements, and the verdict.

use clap::Parser;
use clap::builder::PossibleValuesParser;
use devkit::error::{Error, Result};
use devkit::workspace::Workspace;

use crate::measure::measured_programs::MeasuredPrograms;
use crate::report::figure::Figure;
use crate::report::{document, table};
use crate::work::time_travel::{bisect, rewinds};
use crate::work::{
    clean_rooms, iterations, lanes, latency, observations, output, questions, resume, runs,
    sandboxes, startup, streams, tasks, understood, views, watch,
};

/// Measure what the program costs against its limits
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
pub(crate) struct BenchCli {
    /// Write the table into docs/performance.md as well
    #[arg(long)]
    write: bool,

    /// Measure only this; may be given more than once
    #[arg(long, value_name = "WORK", value_parser = names(), conflicts_with = "write")]
    only: Vec<String>,
}

/// Measures one piece of work. The result may have more than one figure.
type Measure = fn(&MeasuredPrograms) -> Result<Vec<Figure>>;

/// All measurements, by name, in the order of the table.
const WORK: &[(&str, Measure)] = &[
    ("startup", startup::measure),
    ("iterations", iterations::measure),
    ("understood", understood::measure),
    ("views", views::measure),
    ("looks", observations::measure),
    ("clean-rooms", clean_rooms::measure),
    ("lanes", lanes::measure),
    ("rewinds", rewinds::measure),
    ("bisect", bisect::measure),
    ("sandboxes", sandboxes::measure),
    ("output", output::measure),
    ("streams", streams::measure),
    ("latency", latency::measure),
    ("questions", questions::measure),
    ("resume", resume::measure),
    ("runs", runs::measure),
    ("watch", watch::measure),
    ("tasks", tasks::measure),
];

pub(crate) fn run(workspace: &Workspace, args: &BenchCli) -> Result<()> {
    let programs = MeasuredPrograms::build(workspace)?;
    let mut figures = Vec::new();
    for (_, measure) in WORK.iter().filter(|(name, _)| is_chosen(name, args)) {
        figures.extend(measure(&programs)?);
    }

    let table = table::render(&figures);
    println!("{table}");
    if args.write {
        document::update(workspace, &table)?;
    }
    verdict(&figures)
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(WORK.iter().map(|(name, _)| *name))
}

fn is_chosen(name: &str, args: &BenchCli) -> bool {
    args.only.is_empty() || args.only.iter().any(|only| only == name)
}

fn verdict(figures: &[Figure]) -> Result<()> {
    let missed: Vec<String> = figures
        .iter()
        .filter(|figure| !figure.is_met())
        .map(|figure| format!("{} of {}", figure.what, figure.work))
        .collect();
    if missed.is_empty() {
        return Ok(());
    }
    Err(Error::Unmet(format!("over the limit: {}", missed.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::figure::{FigureLimit, FigureUnit};

    #[test]
    fn everything_is_measured_unless_some_is_named() {
        let chosen = |only: &[&str]| -> Vec<&str> {
            let only = only.iter().copied().map(str::to_owned).collect();
            let args = BenchCli { write: false, only };
            WORK.iter().map(|(name, _)| *name).filter(|name| is_chosen(name, &args)).collect()
        };
        assert_eq!(chosen(&[]).len(), WORK.len());
        assert_eq!(chosen(&["runs", "startup"]), ["startup", "runs"], "in the table's order");
    }

    #[test]
    fn a_missed_limit_is_an_error_and_is_named() {
        let figure = |value| Figure {
            work: "`tool --help`".to_owned(),
            what: "CPU time",
            value,
            limit: FigureLimit::AtMost(3.0),
            unit: FigureUnit::Times,
        };
        assert!(verdict(&[figure(3.0)]).is_ok(), "the limit itself is allowed");
        let error = verdict(&[figure(2.0), figure(3.1)]).expect_err("one is over");
        assert_eq!(error.to_string(), "over the limit: CPU time of `tool --help`");
    }
}

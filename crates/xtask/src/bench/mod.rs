//! `cargo xtask bench`: what the program costs, against limits.
//!
//! Absolute times say more about the machine than about the program, so limits are ratios to a
//! yardstick measured in the same run, in turns, and compared by medians. Each piece of work is a
//! file here that returns [`Figure`]s, and an entry in [`WORK`].

mod document;
mod exact;
mod figure;
mod iterations;
mod latency;
mod looks;
mod median;
mod output;
mod place;
mod programs;
mod resume;
mod rounds;
mod runs;
mod stand_in;
mod startup;
mod strace;
mod streams;
mod table;
mod tasks;
mod understood;
mod usage;
mod viewer;
mod views;
mod watch;
mod watched;

use clap::builder::PossibleValuesParser;

use crate::error::{Error, Result};
use crate::workspace::Workspace;

use self::figure::Figure;
use self::programs::Programs;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the table into docs/performance.md as well
    #[arg(long)]
    write: bool,

    /// Measure only this; may be given more than once
    #[arg(long, value_name = "WORK", value_parser = names(), conflicts_with = "write")]
    only: Vec<String>,
}

/// Measures one piece of work; the answer may have more than one figure.
type Measure = fn(&Programs) -> Result<Vec<Figure>>;

/// Everything that is measured, by name, in the order of the table.
const WORK: &[(&str, Measure)] = &[
    ("startup", startup::measure),
    ("iterations", iterations::measure),
    ("understood", understood::measure),
    ("views", views::measure),
    ("looks", looks::measure),
    ("output", output::measure),
    ("streams", streams::measure),
    ("latency", latency::measure),
    ("resume", resume::measure),
    ("runs", runs::measure),
    ("watch", watch::measure),
    ("tasks", tasks::measure),
];

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let programs = Programs::build(workspace)?;
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

fn is_chosen(name: &str, args: &Args) -> bool {
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
    use super::figure::{Limit, Unit};
    use super::*;

    #[test]
    fn everything_is_measured_unless_some_is_named() {
        let chosen = |only: &[&str]| -> Vec<&str> {
            let only = only.iter().copied().map(str::to_owned).collect();
            let args = Args { write: false, only };
            WORK.iter().map(|(name, _)| *name).filter(|name| is_chosen(name, &args)).collect()
        };
        assert_eq!(chosen(&[]).len(), WORK.len());
        assert_eq!(chosen(&["runs", "startup"]), ["startup", "runs"], "in the table's order");
    }

    #[test]
    fn a_missed_limit_fails_the_chore_and_is_named() {
        let figure = |value| Figure {
            work: "`tool --help`".to_owned(),
            what: "CPU time",
            value,
            limit: Limit::AtMost(3.0),
            unit: Unit::Times,
        };
        assert!(verdict(&[figure(3.0)]).is_ok(), "the limit itself is allowed");
        let error = verdict(&[figure(2.0), figure(3.1)]).expect_err("one is over");
        assert_eq!(error.to_string(), "over the limit: CPU time of `tool --help`");
    }
}

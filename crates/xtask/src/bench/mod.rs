//! `cargo xtask bench`: what the program costs, against limits.
//!
//! Absolute times say more about the machine than about the program, so limits are ratios to a
//! yardstick measured in the same run, in turns, and compared by medians. Each piece of work is a
//! file here that returns [`Figure`]s, and an entry in [`WORK`].

mod document;
mod exact;
mod figure;
mod iterations;
mod median;
mod output;
mod place;
mod programs;
mod resume;
mod runs;
mod startup;
mod strace;
mod table;
mod tasks;
mod usage;
mod views;

use crate::error::{Error, Result};
use crate::workspace::Workspace;

use self::figure::Figure;
use self::programs::Programs;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write the table into docs/performance.md as well
    #[arg(long)]
    write: bool,
}

/// Measures one piece of work; the answer may have more than one figure.
type Measure = fn(&Programs) -> Result<Vec<Figure>>;

/// Everything that is measured, in the order of the table.
const WORK: &[Measure] = &[
    startup::measure,
    iterations::measure,
    views::measure,
    output::measure,
    resume::measure,
    runs::measure,
    tasks::measure,
];

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    let programs = Programs::build(workspace)?;
    let mut figures = Vec::new();
    for measure in WORK {
        figures.extend(measure(&programs)?);
    }

    let table = table::render(&figures);
    println!("{table}");
    if args.write {
        document::update(workspace, &table)?;
    }
    verdict(&figures)
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

//! Kills the programs at every chosen point, and reports.

use std::path::Path;
use std::time::Instant;

use devkit::error::{Error, Result};
use devkit::workspace::Workspace;

use super::args::Args;
use super::chain::chain_subject::ChainSubject;
use super::chain::reference_chain::ReferenceChain;
use super::format::ChainFormat;
use super::point_sample::PointSample;
use super::point_search::PointSearch;
use super::{rewinds, table, tasks, trace};
use crate::programs::BuiltPrograms;

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if let Err(error) = trace::is_possible() {
        println!("WARNING: skipped: processes cannot be watched here: {error}");
        return Ok(());
    }
    let (every, first) = (args.every, args.first);
    if every.get() > 1 {
        println!("a sample of the points: --every {every} --first {first}");
    }
    let programs = BuiltPrograms::build(workspace, args.build, &["forge-tasks", "forkhestra"])?;
    if args.includes_tasks() {
        tasks::run(&programs.path("forge-tasks")?, PointSample::new(args))?;
        rewinds::run(&programs.path("forkhestra")?, PointSample::new(args))?;
    }
    let subjects = ChainSubject::ALL.into_iter();
    // Runs with lanes do not survive every point yet: of 44, one left a directory, and in one the
    // agents waited for each other. So a sample tries them only on request.
    let is_sampled = |subject: ChainSubject| every.get() == 1 || subject != ChainSubject::Lanes;
    let subjects = subjects
        .filter(|subject| args.chain.map_or(is_sampled(*subject), |chosen| chosen == *subject));
    let program = programs.path("forkhestra")?;
    subjects.into_iter().try_for_each(|subject| prove(subject, &program, args))
}

fn prove(subject: ChainSubject, program: &Path, args: &Args) -> Result<()> {
    let chain = ReferenceChain::new(subject, program)?;
    for format in ChainFormat::ALL {
        let calls: usize = chain.counts(format).values().sum();
        println!("chain {subject}: left alone, with {format} output: {calls} calls");
    }
    let started = Instant::now();
    let search = PointSearch::new(&chain, args);
    let found = search.run()?;
    let survived = found.survived.len();
    println!("{}\n", table::render(&found.survived));
    println!("{}", table::victims(&found.survived));
    println!("survived: {survived} points, in {:.0} s", started.elapsed().as_secs_f64());
    verdict(found.failures, survived)
}

pub(super) fn verdict(failures: usize, survived: usize) -> Result<()> {
    if failures > 0 {
        return Err(Error::Unmet(format!("not survived: {failures} of {}", failures + survived)));
    }
    if survived == 0 {
        return Err(Error::Unmet("there is no such point: nothing was killed".to_owned()));
    }
    Ok(())
}

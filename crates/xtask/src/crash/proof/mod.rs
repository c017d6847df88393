//! The proof itself.
//!
//! A [`Point`](point::Point) says where a run is killed. [`chain`] is what is run, [`trace`] watches and
//! kills it, [`trial`] resumes it and judges what came of that, and [`search`] does so for every point
//! there is.

mod args;
mod call;
mod chain;
mod format;
mod point;
mod row;
mod search;
mod story;
mod table;
mod tasks;
mod trace;
mod trial;
mod view;
mod watchdog;

use std::path::PathBuf;
use std::time::Instant;

pub(crate) use self::args::Args;
use self::chain::Chain;
use self::format::Format;
use self::search::Search;
use crate::cargo::Executable;
use crate::error::{Error, Result};
use crate::release;
use crate::workspace::Workspace;

pub(crate) fn run(workspace: &Workspace, args: &Args) -> Result<()> {
    if let Err(error) = trace::is_possible() {
        println!("WARNING: skipped: processes cannot be watched here: {error}");
        return Ok(());
    }
    let programs = release::build_only(workspace, &["forge-tasks", "forkhestra"])?;
    if args.is_all() {
        tasks::run(&path_of("forge-tasks", &programs)?)?;
    }
    let chain = Chain::new(&path_of("forkhestra", &programs)?)?;
    for format in Format::ALL {
        let calls: usize = chain.counts(format).values().sum();
        println!("left alone, with {format} output: {calls} calls");
    }
    let started = Instant::now();
    let search = Search::new(&chain, args);
    let found = search.run()?;
    let survived = found.survived.len();
    println!("{}\n", table::render(&found.survived));
    println!("{}", table::victims(&found.survived));
    println!("survived: {survived} points, in {:.0} s", started.elapsed().as_secs_f64());
    verdict(found.failures, survived)
}

fn path_of(name: &str, programs: &[Executable]) -> Result<PathBuf> {
    let found = programs.iter().find(|program| program.name == name);
    found
        .map(|program| program.path.clone())
        .ok_or_else(|| Error::Unmet(format!("the release build made no `{name}`")))
}

fn verdict(failures: usize, survived: usize) -> Result<()> {
    if failures > 0 {
        return Err(Error::Unmet(format!("not survived: {failures} of {}", failures + survived)));
    }
    if survived == 0 {
        return Err(Error::Unmet("there is no such point: nothing was killed".to_owned()));
    }
    Ok(())
}

//! Kills each command of the task database at every chosen call.

use std::path::Path;
use std::time::Instant;

use super::super::crash_trial::CrashTrial;
use super::super::point::{CallMoment, Point, Victim};
use super::super::point_sample::PointSample;
use super::task_command::{COMMANDS, Kind, TaskCommand};
use super::task_listing::TaskListing;
use super::task_project::TaskProject;
use super::task_trial;
use devkit::error::{Error, Result};

/// Kills every command at the selected points.
pub(in crate::crash::proof) fn run(program: &Path, mut sample: PointSample) -> Result<()> {
    let started = Instant::now();
    let (mut survived, mut failures) = (0, 0);
    for command in COMMANDS {
        let reference = TaskReference::new(program, command)?;
        let all = reference.points();
        let first = sample.first_of(all.len()).unwrap_or(all.len() + 1);
        let points: Vec<Point> = all.into_iter().skip(first - 1).step_by(sample.every()).collect();
        for point in &points {
            match task_trial::run(&reference, *point)? {
                // Only points of an undisturbed execution are tried, and executions are
                // deterministic.
                CrashTrial::NotReached => {
                    return Err(Error::Unmet(format!("{}: there is no {point}", command.name)));
                }
                CrashTrial::Survived => survived += 1,
                CrashTrial::Failed(failure) => {
                    failures += 1;
                    println!("FAILED: {} {point}: `{}`", failure.what, command.name);
                    failure.problems.iter().for_each(|problem| println!("  {problem}"));
                    println!("  files kept for inspection: {}", failure.kept_directory.display());
                }
            }
        }
        println!("{}: {} points", command.name, points.len());
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("survived by the task database: {survived} points, in {seconds:.0} s");
    super::super::prove::verdict(failures, survived)
}

/// A command and its undisturbed result.
pub(super) struct TaskReference<'a> {
    pub(super) program: &'a Path,
    pub(super) deed: &'a TaskCommand,
    /// The project before the command.
    pub(super) before: TaskProject,
    pub(super) old: TaskListing,
    pub(super) new: TaskListing,
    pub(super) counts: super::super::chain::reference_chain::Counts,
}

impl<'a> TaskReference<'a> {
    fn new(program: &'a Path, command: &'a TaskCommand) -> Result<Self> {
        let before = TaskProject::prepared(program, command)?;
        let place = before.copy()?;
        let seen = place.watched(program, command.arguments, None)?;
        // A fix that leaves references to look at ends with 1.
        let is_fixed = command.kind == Kind::Resumed && seen.end.code() == Some(1);
        if !seen.end.success() && !is_fixed {
            let output = String::from_utf8_lossy(&seen.said).into_owned();
            return Err(Error::Unmet(format!("left alone, `{}` failed: {output}", command.name)));
        }
        let old = TaskListing::of(program, &before).map_err(Error::Unmet)?;
        let new = TaskListing::of(program, &place).map_err(Error::Unmet)?;
        if old == new {
            return Err(Error::Unmet(format!("`{}` changes nothing", command.name)));
        }
        Ok(Self { program, deed: command, before, old, new, counts: seen.counts })
    }

    /// Before and after every call.
    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for (place, count) in &self.counts {
            for number in 1..=*count {
                for moment in [CallMoment::Before, CallMoment::After] {
                    points.push(Point { place: *place, number, moment, victim: Victim::Maker });
                }
            }
        }
        points
    }
}

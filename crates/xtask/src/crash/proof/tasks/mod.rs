//! The same for the task database: `forge-tasks` is killed at every call of every deed, and each task
//! must be as it was before or as it was to become.
//!
//! A [`Deed`] is something that is done to a few tasks, [`Snapshot`] what
//! there is to see of them, and [`trial`] kills the program and judges what is left.

mod deed;
mod place;
mod snapshot;
mod trial;

use std::path::Path;
use std::time::Instant;

use self::deed::{DEEDS, Deed};
use self::place::Place;
use self::snapshot::Snapshot;
use super::point::{Moment, Point, Victim};
use super::trial::Trial;
use crate::error::{Error, Result};

/// Kills every deed at every call.
pub(super) fn run(program: &Path) -> Result<()> {
    let started = Instant::now();
    let (mut survived, mut failures) = (0, 0);
    for deed in DEEDS {
        let reference = Reference::new(program, deed)?;
        let points = reference.points();
        for point in &points {
            match trial::run(&reference, *point)? {
                // Only what it did when nobody disturbed it is tried, and it does always the same.
                Trial::NotReached => {
                    return Err(Error::Unmet(format!("{}: there is no {point}", deed.name)));
                }
                Trial::Survived => survived += 1,
                Trial::Failed(failure) => {
                    failures += 1;
                    println!("NOT SURVIVED: {} {point}: `{}`", failure.what, deed.name);
                    failure.problems.iter().for_each(|problem| println!("  {problem}"));
                    println!("  to be looked at: {}", failure.world.display());
                }
            }
        }
        println!("{}: {} points", deed.name, points.len());
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("survived by the task database: {survived} points, in {seconds:.0} s");
    super::verdict(failures, survived)
}

/// A deed, and what becomes of it when nobody disturbs it.
struct Reference<'a> {
    program: &'a Path,
    deed: &'a Deed,
    /// Where everything is as it is before the deed.
    before: Place,
    old: Snapshot,
    new: Snapshot,
    counts: super::chain::Counts,
}

impl<'a> Reference<'a> {
    fn new(program: &'a Path, deed: &'a Deed) -> Result<Self> {
        let before = Place::prepared(program, deed)?;
        let place = before.copy()?;
        let seen = place.watched(program, deed.arguments, None)?;
        if !seen.end.success() {
            let said = String::from_utf8_lossy(&seen.said).into_owned();
            return Err(Error::Unmet(format!("left alone, `{}` failed: {said}", deed.name)));
        }
        let old = Snapshot::of(program, &before).map_err(Error::Unmet)?;
        let new = Snapshot::of(program, &place).map_err(Error::Unmet)?;
        if old == new {
            return Err(Error::Unmet(format!("`{}` changes nothing", deed.name)));
        }
        Ok(Self { program, deed, before, old, new, counts: seen.counts })
    }

    /// Before and after every call.
    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for (place, count) in &self.counts {
            for number in 1..=*count {
                for moment in [Moment::Before, Moment::After] {
                    points.push(Point { place: *place, number, moment, victim: Victim::Maker });
                }
            }
        }
        points
    }
}

//! Kills a rewind and its undo at every chosen call.

use std::path::Path;
use std::time::Instant;

use super::super::chain::reference_chain::Counts;
use super::super::crash_trial::CrashTrial;
use super::super::point::{CallMoment, Point, Victim};
use super::super::point_sample::PointSample;
use super::super::prove;
use super::rewind_proof_project::{RewindProofProject, text};
use super::rewind_trial;
use devkit::error::{Error, Result};

pub(super) const REWIND: &[&str] = &["rewind", "--to", "1"];
pub(super) const UNDO: &[&str] = &["rewind", "--undo"];

/// Kills a rewind and its undo at the selected points.
pub(in crate::crash::proof) fn run(program: &Path, mut sample: PointSample) -> Result<()> {
    let started = Instant::now();
    let (mut survived, mut failures) = (0, 0);
    let cases: [(&[&[&str]], &[&str]); 2] = [(&[], REWIND), (&[REWIND], UNDO)];
    for (before, arguments) in cases {
        let reference = RewindReference::new(program, before, arguments)?;
        let all = reference.points();
        let first = sample.first_of(all.len()).unwrap_or(all.len() + 1);
        let points: Vec<Point> = all.into_iter().skip(first - 1).step_by(sample.every()).collect();
        for point in &points {
            match rewind_trial::run(&reference, *point)? {
                // A thread that is woken once less makes one call less.
                CrashTrial::NotReached => {}
                CrashTrial::Survived => survived += 1,
                CrashTrial::Failed(failure) => {
                    failures += 1;
                    println!("FAILED: {} {point}: `{}`", failure.what, arguments.join(" "));
                    failure.problems.iter().for_each(|problem| println!("  {problem}"));
                    println!("  files kept for inspection: {}", failure.kept_directory.display());
                }
            }
        }
        println!("{}: {} points", arguments.join(" "), points.len());
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("work trees consistent after {survived} kills, in {seconds:.0} s");
    prove::verdict(failures, survived)
}

/// A command and its undisturbed result.
pub(super) struct RewindReference<'a> {
    pub(super) program: &'a Path,
    pub(super) project: RewindProofProject,
    pub(super) arguments: &'a [&'a str],
    /// The state before the rewind.
    pub(super) before: String,
    /// The state after the rewind.
    pub(super) after: String,
    counts: Counts,
}

impl<'a> RewindReference<'a> {
    fn new(program: &'a Path, before: &[&[&str]], arguments: &'a [&'a str]) -> Result<Self> {
        let project = RewindProofProject::prepared(program, before)?;
        let old = project.state()?;
        let seen = project.watched(program, arguments, None)?;
        if !seen.end.success() {
            let output = String::from_utf8_lossy(&seen.said).into_owned();
            return Err(Error::Unmet(format!("`{}` failed: {output}", arguments.join(" "))));
        }
        let new = project.state()?;
        if old == new {
            return Err(Error::Unmet(format!("`{}` changes nothing", arguments.join(" "))));
        }
        let (before, after) = if arguments == UNDO { (new, old) } else { (old, new) };
        let reference = Self { program, project, arguments, before, after, counts: seen.counts };
        reference.check_restoration()?;
        Ok(reference)
    }

    /// Checks that files are restored between trials.
    fn check_restoration(&self) -> Result<()> {
        self.project.reset()?;
        let output = self.project.run(self.program, self.arguments)?;
        match output.status.success() {
            true => Ok(()),
            false => Err(Error::Unmet(format!("it works only once: {}", text(&output)))),
        }
    }

    /// Before and after every call of the main thread. Other threads change nothing.
    fn points(&self) -> Vec<Point> {
        let mut points = Vec::new();
        for (place, count) in self.counts.iter().filter(|(place, _)| place.thread == 0) {
            for number in 1..=*count {
                for moment in [CallMoment::Before, CallMoment::After] {
                    points.push(Point { place: *place, number, moment, victim: Victim::Maker });
                }
            }
        }
        points
    }
}

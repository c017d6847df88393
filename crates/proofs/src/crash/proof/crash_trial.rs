//! One point: kills the run there, resumes it, and checks the result.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use super::chain::reference_chain::ReferenceChain;
use super::chain::run_outcomes::RunOutcomes;
use super::format::ChainFormat;
use super::point::{Point, Victim};
use super::trace::pid_of;
use super::view::ViewStatuses;
use super::watchdog::Watchdog;
use crate::survival::journal::ProofJournal;
use crate::survival::lane_work;
use crate::survival::leftovers;
use crate::survival::notes::Notes;
use crate::survival::world::ProofWorld;
use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;

/// The result of a trial.
pub(super) enum CrashTrial {
    /// The run ended before it reached this point.
    NotReached,
    Survived,
    Failed(TrialFailure),
}

/// A failed trial.
pub(super) struct TrialFailure {
    /// Whether the run was killed.
    pub(super) what: &'static str,
    pub(super) problems: Vec<String>,
    /// The directory that is kept for inspection.
    pub(super) kept_directory: PathBuf,
}

/// Kills a run at a point, and checks the result.
pub(super) fn run(chain: &ReferenceChain, point: Point) -> Result<CrashTrial> {
    let world = chain.world()?;
    let format = ChainFormat::of(point.moment, point.victim);
    let seen = chain.watched(&world, format, Some(point))?;
    let brings_answer = point.victim == Victim::Both;
    let mut judge =
        ResumeJudge { chain, world: &world, format, brings_answer, problems: Vec::new() };
    if seen.hung {
        judge.complain("it did not end, and was killed for that");
    }
    if point.victim != Victim::Both {
        // The surviving process has to end everything before it ends itself.
        judge.problems.extend(leftovers::alive(&world.leftovers()));
    }
    if seen.is_killed {
        judge.resume()?;
    } else if !seen.end.success() {
        judge.complain(&format!("it was not killed, and it ended with {}", seen.end));
    }
    judge.check_end();
    let problems = judge.problems;
    if problems.is_empty() {
        return Ok(if seen.is_killed { CrashTrial::Survived } else { CrashTrial::NotReached });
    }
    world.leftovers().end_all();
    files::write(&world.shared_file("said"), &String::from_utf8_lossy(&seen.said))?;
    let what = if seen.is_killed { "killed at" } else { "ended without" };
    Ok(CrashTrial::Failed(TrialFailure { what, problems, kept_directory: world.keep() }))
}

struct ResumeJudge<'a> {
    chain: &'a ReferenceChain,
    world: &'a ProofWorld,
    format: ChainFormat,
    /// Whether the resume answers an open question. Otherwise a hook does it from another process.
    brings_answer: bool,
    problems: Vec<String>,
}

impl ResumeJudge<'_> {
    /// Resumes the run, or starts it again if nothing was recorded.
    fn resume(&mut self) -> Result<()> {
        let (journal, notes) = (self.journal(), self.notes());
        let mut command = match journal.run() {
            Some(run) => {
                let answers = self.brings_answer && journal.open_question().is_some();
                self.chain.resume(self.world, self.format, run, answers)
            }
            None => self.chain.afresh(self.world, self.format),
        };
        self.run_command(&mut command)?;
        if !self.journal().events.starts_with(&journal.events) {
            self.complain("what was recorded is not there any more");
        }
        if journal.run().is_none() && !notes.0.is_empty() {
            self.complain("an agent was started before the run was recorded");
        }
        let finished: Vec<(u64, u64)> =
            journal.paid_for().iter().map(|unit| unit.step_and_iteration()).collect();
        for note in self.notes().0.iter().skip(notes.0.len()) {
            if finished.contains(&(note.step, note.iteration)) {
                let (step, iteration) = (note.step, note.iteration);
                self.complain(&format!("finished, but run again: step {step}, {iteration}"));
            }
        }
        Ok(())
    }

    /// Runs a command that must succeed.
    fn run_command(&mut self, command: &mut Command) -> Result<()> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let watchdog = Watchdog::start();
        let child = command.spawn();
        let failed = |source| Error::Start { command: command::shown(command), source };
        let child = child.map_err(failed)?;
        watchdog.watch(pid_of(&child));
        let done = child.wait_with_output().map_err(failed)?;
        if watchdog.stop() {
            self.complain("going on did not end, and was killed for that");
        }
        if !done.status.success() {
            self.complain(&format!("going on ended with {}:\n{}", done.status, shown(&done)));
        }
        Ok(())
    }

    /// Checks the state after the end of the run.
    fn check_end(&mut self) {
        let leftovers = self.world.leftovers();
        self.problems.extend(leftovers::alive(&leftovers));
        self.problems.extend(leftovers::on_disk(&leftovers));
        let journal = self.journal();
        if journal.torn.is_some() {
            self.complain("the last line of the journal is cut off");
        }
        self.problems.extend(journal.problems());
        let subject = self.chain.subject;
        let outcomes = RunOutcomes::of(&journal, subject.last_certain_iteration());
        self.problems.extend(outcomes.differences(&self.chain.outcomes));
        if !subject.committed_work().is_empty() {
            let project = self.world.project();
            self.problems.extend(lane_work::problems(&project, &journal, subject.committed_work()));
        }
        let run = journal.run().unwrap_or_default();
        let view = ViewStatuses::of(&self.world.project(), run);
        self.problems.extend(view.differences(&self.chain.view));
        let notes = self.notes();
        self.problems.extend(notes.disagreements(&journal));
        for (unit, _) in journal.outcomes() {
            let mut ends = notes.ends(run);
            if !ends.any(|end| (end.step, end.iteration) == unit.step_and_iteration()) {
                self.complain(&format!("{unit} has an outcome, but no agent came to its end"));
            }
        }
    }

    /// The journal of the run; empty if the run was killed before its first event.
    fn journal(&mut self) -> ProofJournal {
        let mut journals = Vec::new();
        let paths = self.world.runs().into_iter().map(|run| run.join("journal.jsonl"));
        for path in paths.filter(|path| path.exists()) {
            match ProofJournal::read(&path) {
                Ok(journal) if journal.run().is_some() => journals.push(journal),
                Ok(_) => {}
                Err(problem) => self.complain(&problem),
            }
        }
        if journals.len() > 1 {
            self.complain("there are two runs");
        }
        journals.pop().unwrap_or_default()
    }

    fn notes(&mut self) -> Notes {
        self.world.notes().unwrap_or_else(|problem| {
            self.complain(&problem);
            Notes::default()
        })
    }

    fn complain(&mut self, problem: &str) {
        self.problems.push(problem.to_owned());
    }
}

fn shown(output: &Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    texts.concat()
}

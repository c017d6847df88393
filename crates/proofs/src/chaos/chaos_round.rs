//! One round: a run that is disturbed in some of its sessions, and then left alone until it ends.

use std::path::{Path, PathBuf};

use crate::survival::world::ProofWorld;
use devkit::error::Result;

use super::chaos_tally::ChaosTally;
use super::model::RunModel;
use super::progress;
use super::question_responder::QuestionResponder;
use super::round_log::RoundLog;
use super::run_session::{self, RunSession};
use crate::chaos::script::random::Random;
use crate::chaos::script::random_chain::MAX_ITERATIONS;
use crate::chaos::script::round_script::{ResumeOptions, RoundScript, RunReference, SessionPlan};

/// The error is a list of problems.
type RoundResult<T> = std::result::Result<T, Vec<String>>;

/// The maximum number of undisturbed sessions that a run needs.
const MAX_FINAL_SESSIONS: usize = 5;

/// The result of a round.
pub(super) struct Report {
    pub(super) round: u64,
    pub(super) tally: ChaosTally,
    /// The plan and the log of the round.
    pub(super) script: String,
    pub(super) story: Vec<String>,
    pub(super) failure: Option<RoundFailure>,
}

/// The problems, and the directory that is kept for inspection.
pub(super) struct RoundFailure {
    pub(super) problems: Vec<String>,
    pub(super) kept: PathBuf,
}

/// A running round.
struct ChaosRound<'a> {
    program: &'a Path,
    world: &'a ProofWorld,
    script: &'a RoundScript,
    model: RunModel<'a>,
    log: RoundLog,
    tally: ChaosTally,
}

/// Runs one round.
pub(super) fn play(program: &Path, seed: u64, round: u64) -> Result<Report> {
    let script = RoundScript::random(&mut Random::for_round(seed, round));
    let world = ProofWorld::new()?;
    script.chain.install(&world);
    let (model, log) = (RunModel::new(&script.chain), RoundLog::new());
    let mut playing = ChaosRound {
        program,
        world: &world,
        script: &script,
        model,
        log,
        tally: ChaosTally::default(),
    };
    let outcome = playing.all_lives();
    let ChaosRound { log, mut tally, model, .. } = playing;
    tally.rounds = 1;
    tally.starts = model.starts();
    tally.outcomes = model.outcomes;
    let script = script.to_string();
    let failure = outcome.err().map(|problems| {
        world.leftovers().end_all();
        RoundFailure { problems, kept: world.keep() }
    });
    Ok(Report { round, tally, script, story: log.lines, failure })
}

impl ChaosRound<'_> {
    fn all_lives(&mut self) -> RoundResult<()> {
        for plan in &self.script.lives {
            let mut plan = plan.clone();
            // A run that has ended would end again at once.
            plan.changes.add(self.next_changes().unwrap_or_default());
            self.live(&plan)?;
            if self.is_complete() {
                break;
            }
        }
        std::fs::write(self.world.shared_file("release"), "")
            .map_err(|error| vec![error.to_string()])?;
        let mut plan = self.script.last.clone();
        for _ in 0..MAX_FINAL_SESSIONS {
            self.undisturbed(&plan)?;
            match self.next_changes() {
                Some(changes) => plan.changes = changes,
                None => return self.once_more(&plan),
            }
        }
        Err(vec!["the run does not come to an end".to_owned()])
    }

    /// A session that is not disturbed must end by itself.
    fn undisturbed(&mut self, plan: &SessionPlan) -> RoundResult<()> {
        let session = self.live(plan)?;
        let code = session.status.and_then(|status| status.code());
        if session.facts.attacked || matches!(code, Some(0 | 1)) {
            return Ok(());
        }
        Err(vec![format!("an undisturbed run ended with {code:?}:\n{}", session.stderr)])
    }

    fn live(&mut self, plan: &SessionPlan) -> RoundResult<RunSession> {
        let arguments = self.arguments(plan);
        let responder = QuestionResponder::new(self.script.chain.denies_first);
        let log = (responder, &mut self.log);
        let session = run_session::live(self.world, self.program, &arguments, plan, log);
        self.tally.add(&session.facts);
        let problems = self.model.problems_after(self.world, &session, plan);
        if problems.is_empty() { Ok(session) } else { Err(problems) }
    }

    fn arguments(&self, plan: &SessionPlan) -> Vec<String> {
        let mut arguments = if self.model.has_begun() {
            let mut resume = vec!["resume".to_owned()];
            resume.extend(self.name(plan.way));
            resume.extend(plan.changes.options());
            resume
        } else {
            self.script.chain.arguments()
        };
        arguments.extend(plan.options());
        arguments
    }

    /// The run in one of the forms in which an operator can name it.
    fn name(&self, way: RunReference) -> Option<String> {
        let journal = progress::journal(self.world)?;
        let directory = journal.parent()?;
        let (_, id) = directory.file_name()?.to_str()?.split_once('-')?;
        match way {
            RunReference::ById => Some(id.to_owned()),
            RunReference::ByPrefix => Some(id[..5].to_owned()),
            RunReference::ByJournal => Some(journal.display().to_string()),
            RunReference::ByDirectory => Some(directory.display().to_string()),
            // A complete run is only found by its name.
            RunReference::Unnamed => self.is_complete().then(|| id.to_owned()),
        }
    }

    fn is_complete(&self) -> bool {
        self.model.end().is_some_and(|end| end["kind"] == "complete")
    }

    /// The options that let an ended run continue; `None` if there are none or it is complete.
    fn next_changes(&self) -> Option<ResumeOptions> {
        let Some(end) = self.model.end() else { return Some(ResumeOptions::default()) };
        if end["kind"] == "interrupted" {
            return Some(ResumeOptions::default());
        }
        match end["reason"].as_str()? {
            "max_iterations" if end["step"].as_u64().is_some_and(|step| self.may_go_on(step)) => {
                Some(ResumeOptions { iterations: Some(MAX_ITERATIONS), ..ResumeOptions::default() })
            }
            "stagnated" | "cycling" => {
                Some(ResumeOptions { stagnation: Some(None), ..ResumeOptions::default() })
            }
            // Another question is asked, which is approved.
            "denied" => Some(ResumeOptions::default()),
            "run_time" => Some(ResumeOptions { run_time: Some(None), ..ResumeOptions::default() }),
            _ => None,
        }
    }

    fn may_go_on(&self, step: u64) -> bool {
        self.model.finished(step) < MAX_ITERATIONS
    }

    /// Resuming a complete run must not change it.
    fn once_more(&mut self, plan: &SessionPlan) -> RoundResult<()> {
        if !self.is_complete() {
            return Ok(());
        }
        let before = self.model.starts();
        let plan = SessionPlan { changes: ResumeOptions::default(), ..plan.clone() };
        self.undisturbed(&plan)?;
        if self.model.starts() == before {
            return Ok(());
        }
        Err(vec!["a complete run was gone on with".to_owned()])
    }
}

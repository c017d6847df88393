//! One round with lanes: a run that is disturbed in some of its sessions, and then left alone until it
//! ends.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use devkit::error::Result;

use super::lane_agents::LaneAgents;
use super::lane_model::LaneModel;
use super::user_edits::{UserEdits, UserWork};
use crate::chaos::chaos_round::{Report, RoundFailure};
use crate::chaos::chaos_tally::ChaosTally;
use crate::chaos::progress;
use crate::chaos::question_responder::QuestionResponder;
use crate::chaos::round_log::RoundLog;
use crate::chaos::run_session;
use crate::chaos::script::random::Random;
use crate::chaos::script::round_script::SessionPlan;
use crate::survival::world::ProofWorld;
use devkit::files;

/// Every so many rounds has lanes.
const EVERY: u64 = 3;

/// The maximum number of undisturbed sessions that a run needs.
const MAX_FINAL_SESSIONS: usize = 4;

/// How often the user looks whether it is time for the next edit.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(in crate::chaos) fn is_lane_round(round: u64) -> bool {
    round.is_multiple_of(EVERY)
}

/// Everything about a round that a seed determines.
struct LaneRoundScript {
    agents: LaneAgents,
    lives: Vec<(SessionPlan, UserEdits)>,
    last: SessionPlan,
}

/// A running round.
struct LaneRound<'a> {
    program: &'a Path,
    world: &'a ProofWorld,
    script: &'a LaneRoundScript,
    model: LaneModel,
    log: RoundLog,
    tally: ChaosTally,
    user: Mutex<UserWork>,
}

/// Runs one round.
pub(in crate::chaos) fn play(program: &Path, seed: u64, round: u64) -> Result<Report> {
    let script = LaneRoundScript::random(&mut Random::for_round(seed, round));
    let world = ProofWorld::new()?;
    script.agents.install(&world);
    files::write(&world.project().join("shared"), "begin\n")?;
    world.commit_all("Begin to share")?;
    let mut playing = LaneRound {
        program,
        world: &world,
        script: &script,
        model: LaneModel::default(),
        log: RoundLog::new(),
        tally: ChaosTally::default(),
        user: Mutex::default(),
    };
    let outcome = playing.all_lives();
    let LaneRound { log, mut tally, model, .. } = playing;
    tally.rounds = 1;
    tally.starts = model.journal.started().len();
    tally.outcomes = model.journal.outcomes().len();
    let script = script.to_string();
    let failure = outcome.err().map(|problems| {
        world.leftovers().end_all();
        RoundFailure { problems, kept: world.keep() }
    });
    Ok(Report { round, tally, script, story: log.lines, failure })
}

impl LaneRoundScript {
    fn random(random: &mut Random) -> Self {
        let agents = LaneAgents::random(random);
        let count = random.weighted(&[(3, 1), (4, 2), (2, 3)]);
        let lives = (0..count).map(|_| {
            let plan = SessionPlan::disturbed(random);
            // Limits of runs with lanes stay.
            (SessionPlan { changes: Default::default(), ..plan }, UserEdits::random(random))
        });
        let lives: Vec<_> = lives.collect();
        let last = SessionPlan {
            disturbances: Vec::new(),
            changes: Default::default(),
            ..SessionPlan::disturbed(random)
        };
        Self { agents, lives, last }
    }
}

impl LaneRound<'_> {
    fn all_lives(&mut self) -> std::result::Result<(), Vec<String>> {
        for (plan, edits) in &self.script.lives {
            self.live(plan, edits)?;
            if self.model.end().is_some() {
                break;
            }
        }
        for _ in 0..MAX_FINAL_SESSIONS {
            self.user().tidy_up(self.world).map_err(|why| vec![why])?;
            let status = self.live(&self.script.last, &UserEdits(Vec::new()))?;
            if !matches!(status, Some(0 | 1)) {
                return Err(vec![format!("an undisturbed run ended with {status:?}")]);
            }
            // Lanes that hold work which has not landed are kept for another resume.
            if self.model.end().is_some_and(|end| end["end"]["kind"] != "not_landed") {
                let problems = self.model.problems_at_end(self.world);
                return if problems.is_empty() { Ok(()) } else { Err(problems) };
            }
        }
        Err(vec!["the run does not come to an end".to_owned()])
    }

    fn user(&self) -> std::sync::MutexGuard<'_, UserWork> {
        self.user.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One session, with the user's edits beside it. Returns its exit code.
    fn live(
        &mut self,
        plan: &SessionPlan,
        edits: &UserEdits,
    ) -> std::result::Result<Option<i32>, Vec<String>> {
        let arguments = self.arguments(plan);
        let (world, program, user) = (self.world, self.program, &self.user);
        let log = &mut self.log;
        let is_over = Mutex::new(false);
        let session = thread::scope(|scope| {
            scope.spawn(|| edit(world, user, edits, &is_over));
            let log = (QuestionResponder::new(false), log);
            let session = run_session::live(world, program, &arguments, plan, log);
            *is_over.lock().unwrap_or_else(PoisonError::into_inner) = true;
            session
        });
        self.tally.add(&session.facts);
        let user = self.user.get_mut().unwrap_or_else(PoisonError::into_inner);
        let problems = self.model.problems_after(self.world, (&session, plan), user);
        if !problems.is_empty() {
            return Err(problems);
        }
        Ok(session.status.and_then(|status| status.code()))
    }

    fn arguments(&self, plan: &SessionPlan) -> Vec<String> {
        let mut arguments = match self.run() {
            Some(run) if self.model.has_begun() => vec!["resume".to_owned(), run],
            _ => self.script.agents.arguments(),
        };
        arguments.extend(plan.options());
        arguments
    }

    /// The id of the run.
    fn run(&self) -> Option<String> {
        let journal = progress::journal(self.world)?;
        let name = journal.parent()?.file_name()?.to_str()?.to_owned();
        name.split_once('-').map(|(_, id)| id.to_owned())
    }
}

/// Performs the user's edits until the session is over.
fn edit(world: &ProofWorld, user: &Mutex<UserWork>, edits: &UserEdits, is_over: &Mutex<bool>) {
    for (time, edit) in &edits.0 {
        let due = Instant::now() + *time;
        while Instant::now() < due {
            if *is_over.lock().unwrap_or_else(PoisonError::into_inner) {
                return;
            }
            thread::sleep(POLL_INTERVAL);
        }
        user.lock().unwrap_or_else(PoisonError::into_inner).perform(world, edit);
    }
}

impl fmt::Display for LaneRoundScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "what the agents do:\n{}", self.agents)?;
        for (number, (plan, edits)) in (1..).zip(&self.lives) {
            writeln!(f, "what life {number} is meant to see:")?;
            for disturbance in &plan.disturbances {
                writeln!(f, "  {disturbance}")?;
            }
            for (time, edit) in &edits.0 {
                writeln!(f, "  the user: {edit:?}, {time:?} after the edit before")?;
            }
        }
        Ok(())
    }
}

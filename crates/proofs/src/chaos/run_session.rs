//! One session of a run: starts or resumes it, disturbs it, and waits for it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use testkit::{TIMEOUT, TestProcess};

use crate::survival::leftovers;
use crate::survival::world::ProofWorld;

use super::disturber::attacks;
use super::output_reader::OutputReader;
use super::progress::SessionProgress;
use super::question_responder::QuestionResponder;
use super::round_log::RoundLog;
use super::run_processes::{self, RunProcesses};
use super::session_facts::SessionFacts;
use super::steering;
use crate::chaos::script::disturbance::{Disturbance, DisturbanceTime};
use crate::chaos::script::round_script::SessionPlan;

/// The polling interval.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// A run that is still stopped this long after it was continued is continued once more: if a job is
/// stopped and continued within a moment, the signals may be reordered.
const CONTINUE_RETRY_DELAY: Duration = Duration::from_millis(300);

/// The maximum time in which a run notices a request to end.
const MAX_END_REQUEST_DELAY: Duration = Duration::from_secs(5);

/// The result of one session.
#[derive(Debug)]
pub(super) struct RunSession {
    pub(super) status: Option<ExitStatus>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) facts: SessionFacts,
    /// Processes and streams that did not end in time.
    pub(super) troubles: Vec<String>,
}

/// A running session.
pub(super) struct ActiveSession<'a> {
    pub(super) world: &'a ProofWorld,
    pub(super) story: &'a mut RoundLog,
    child: Child,
    pub(super) family: RunProcesses,
    pub(super) stdout: Option<OutputReader>,
    progress: SessionProgress,
    pub(super) facts: SessionFacts,
    /// Processes to be continued, and when.
    pub(super) stopped: Vec<(Instant, TestProcess)>,
    pub(super) unread_until: Option<Instant>,
    nudged: Instant,
    pub(super) program: &'a Path,
    /// Until when the run is paused, if a pause was requested.
    pub(super) paused_until: Option<Instant>,
    /// Client processes that send requests.
    pub(super) speakers: Vec<Child>,
    pub(super) responder: QuestionResponder,
}

/// Starts the program, disturbs it as planned, and waits for its end.
pub(super) fn live<'a>(
    world: &'a ProofWorld,
    program: &'a Path,
    arguments: &[String],
    plan: &SessionPlan,
    (responder, log): (QuestionResponder, &'a mut RoundLog),
) -> RunSession {
    log.log(format!("forkhestra {}", arguments.join(" ")));
    if !plan.disturbances.is_empty() {
        // The file does not exist the first time.
        let _ = fs::remove_file(world.shared_file("release"));
    }
    let before = attacks(world);
    let progress = SessionProgress::from_now(world);
    let mut command = world.command(program, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program was built");
    let stdout = child.stdout.take().map(OutputReader::of);
    let stderr = child.stderr.take().map(OutputReader::of);
    let mut living = ActiveSession {
        world,
        story: log,
        family: RunProcesses::of(TestProcess(Pid::from_child(&child))),
        child,
        stdout,
        progress,
        facts: SessionFacts::default(),
        stopped: Vec::new(),
        unread_until: None,
        nudged: Instant::now(),
        program,
        paused_until: None,
        speakers: Vec::new(),
        responder,
    };
    for disturbance in &plan.disturbances {
        living.disturb(disturbance);
    }
    living.wait(Duration::from_millis(plan.release));
    if !living.facts.requests().is_empty() {
        // Waiting agents wait until the request has taken effect or was lost.
        living.wait(MAX_END_REQUEST_DELAY);
    }
    // If this fails, agents end too late, which is reported.
    let _ = fs::write(world.shared_file("release"), "");
    living.end(&before, stderr)
}

impl ActiveSession<'_> {
    fn disturb(&mut self, disturbance: &Disturbance) {
        let began = Instant::now();
        while !self.is_over()
            && began.elapsed() < disturbance.at_the_latest
            && !self.is_time(&disturbance.when, began)
        {
            self.poll();
        }
        self.wait(disturbance.later);
        if self.is_over() {
            self.story.log(format!("too late: {disturbance}"));
        } else {
            self.act(disturbance);
        }
    }

    fn is_time(&self, when: &DisturbanceTime, began: Instant) -> bool {
        match when {
            DisturbanceTime::After(time) => began.elapsed() >= *time,
            DisturbanceTime::Event(kind, many) => self.progress.events(self.world, kind) >= *many,
            DisturbanceTime::Notes(many) => self.progress.notes(self.world) >= *many,
        }
    }

    /// Waits, and performs actions that become due.
    pub(super) fn wait(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until && !self.is_over() {
            self.poll();
        }
    }

    fn poll(&mut self) {
        self.family.find_runner();
        let now = Instant::now();
        let mut due: Vec<TestProcess> = Vec::new();
        self.stopped.retain(|(at, process)| {
            if *at <= now {
                due.push(*process);
            }
            *at > now
        });
        for process in due {
            self.continue_process(process);
        }
        if self.unread_until.is_some_and(|until| until <= now) {
            self.unread_until = None;
            self.stdout.iter().for_each(OutputReader::read_on);
        }
        self.end_pause();
        self.answer_question();
        std::thread::sleep(POLL_INTERVAL);
    }

    /// Continues a process; one that was stopped twice is continued twice.
    fn continue_process(&mut self, process: TestProcess) {
        self.story.log(format!("CONT to {}", process.0));
        // A process that is gone is fine.
        let _ = kill_process(process.0, Signal::CONT);
        self.nudged = Instant::now();
    }

    /// Continues a run that is still stopped.
    fn nudge(&mut self) {
        if self.stopped.is_empty() && self.nudged.elapsed() > CONTINUE_RETRY_DELAY {
            self.nudged = Instant::now();
            self.end_pause_again();
            let ours = [Some(self.family.guard), self.family.runner];
            for process in ours.into_iter().flatten().filter(|process| process.is_stopped()) {
                self.continue_process(process);
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.family.is_gone()
    }

    fn end(mut self, attacks: &BTreeSet<String>, stderr: Option<OutputReader>) -> RunSession {
        let mut troubles = Vec::new();
        let began = Instant::now();
        while !self.is_over() {
            self.poll();
            self.nudge();
            if began.elapsed() > TIMEOUT {
                troubles.push(format!("the run did not end within {TIMEOUT:?}"));
                troubles.extend(leftovers::alive(&self.world.leftovers()));
                let alive = self.world.leftovers().processes().into_iter();
                troubles.extend(alive.flat_map(run_processes::threads));
                self.world.leftovers().end_all();
            }
        }
        steering::dismiss(std::mem::take(&mut self.speakers));
        self.responder.join();
        let status = self.child.wait().ok();
        self.story
            .log(format!("it is over: {}", status.map(|s| s.to_string()).unwrap_or_default()));
        let mut finish = |reader: Option<OutputReader>, name: &str| {
            let (text, ended) = reader.map_or_else(|| (String::new(), true), OutputReader::finish);
            if !ended {
                troubles.push(format!("another process still has {name} open"));
            }
            text
        };
        let stdout = finish(self.stdout.take(), "standard output");
        let stderr = finish(stderr, "standard error");
        self.add_attacks(attacks);
        RunSession { status, stdout, stderr, facts: self.facts, troubles }
    }
}
